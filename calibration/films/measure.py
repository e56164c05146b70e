"""The ball in every picture of its path: how it looks is learnt from the film, then it is
located.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.errors import InputError
from calibration.films.background import Background, without_ball
from calibration.films.ball_picture import Array, Ball, powers_of, to_light
from calibration.films.film import Film
from calibration.films.flights import split_flights
from calibration.films.guesses import Guess, guess_places, motion_at
from calibration.films.locate import CENTRE, Located, View, cut, locate
from calibration.films.paths import BallPath

LARGEST = 20.0
"""Radius [pixels] above which squares of pixels are put together: single ones tell nothing new."""

LEARNT = 30
"""Pictures from which the looks of the ball are learnt."""

FEWEST = 4
"""Sharp pictures below which they cannot be."""

HIDDEN, MISFIT = 0.25, 0.15
"""Above these the ball is partly hidden, or is none."""

GAIN = 1.7
"""Largest change of its brightness."""

CLOSE = 1.2
"""Radii by which it may be away from where it is expected."""

Views = Mapping[int, View]
Guesses = Mapping[int, Sequence[Guess]]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The ball in the pictures of its path.

    Attributes:
        ball: how it looks, in pixels of the film.
        radii: its radius in each sharp picture [pixels].
        located: where it is, by the number of the picture, in pixels of the film.
        arc: the flight that it belongs to, by the number of the picture.
        lost: why it is lost, by the number of the picture.
    """

    ball: Ball
    radii: Array = field(repr=False)
    located: dict[int, Located] = field(repr=False)
    arc: dict[int, int] = field(repr=False)
    lost: dict[int, str] = field(repr=False)


def measure(film: Film, background: Background, path: BallPath) -> Measured:
    """Locate the ball in each picture from the first to the last of its path.

    Raises:
        InputError: its looks cannot be learnt.
    """
    guesses = guess_places(film.time, path.arcs)
    clean = without_ball(background, _covered(film, guesses, path.radius))
    binned = max(1, round(path.radius / LARGEST))
    interval = float(np.median(np.diff(film.time)))
    views = _views(film, clean, guesses, path.radius, binned, interval)
    cells = {
        frame: [_in_cells(guess, binned) for guess in several]
        for frame, several in guesses.items()
        if frame in views
    }
    ball, radii = _learn(film, views, cells, path.radius / binned)
    ball = replace(ball, exposure=_exposure(views, cells, ball, interval))
    found, arc, lost = _locate_all(views, cells, ball)
    flights = _flights(film, found)
    better = _with_better_velocities(film, found, flights)
    found, arc, lost_again = _locate_all(views, better, ball, near=True)
    lost |= lost_again
    lost |= {frame: "at the edge of the picture" for frame in guesses if frame not in views}
    return Measured(
        ball=_in_pixels(ball, binned),
        radii=binned * radii,
        located={frame: _located_in_pixels(one, binned) for frame, one in found.items()},
        arc=arc,
        lost={frame: lost[frame] for frame in sorted(lost) if frame not in found},
    )


def _covered(film: Film, guesses: Guesses, radius: float) -> dict[int, tuple[Array, float]]:
    interval = float(np.median(np.diff(film.time)))
    return {
        frame: (
            several[0].centre,
            1.4 * radius + 4 + 0.5 * interval * float(np.hypot(*several[0].velocity)),
        )
        for frame, several in guesses.items()
    }


def _views(
    film: Film,
    background: Background,
    guesses: Guesses,
    radius: float,
    binned: int,
    interval: float,
) -> dict[int, View]:
    """The part of each picture around the places where the ball is expected."""
    views = {}
    for frame, picture in enumerate(film.pictures()):
        if frame not in guesses:
            continue
        centres = np.array([guess.centre for guess in guesses[frame]])
        streak = 0.5 * interval * max(float(np.hypot(*g.velocity)) for g in guesses[frame])
        reach = 1.6 * radius + 8 + min(streak, 4 * radius)
        left, top = np.floor(centres.min(0) - reach).astype(int)
        right, bottom = np.ceil(centres.max(0) + reach).astype(int) + 1
        left, top = max(left, 0) // binned * binned, max(top, 0) // binned * binned
        right = left + (min(right, film.width) - left) // binned * binned
        bottom = top + (min(bottom, film.height) - top) // binned * binned
        if right - left > radius and bottom - top > radius:
            views[frame] = cut(
                picture,
                background.grey,
                background.noise,
                (left, top, right, bottom),
                frame=frame,
                full_range=film.full_range,
                binned=binned,
            )
    return views


def _learn(film: Film, views: Views, guesses: Guesses, radius: float) -> tuple[Ball, Array]:
    """How the ball looks, and its radius in each of the sharp pictures."""
    sharp = _slowest(guesses)
    light = [_light_inside(views[frame], guesses[frame][0], radius) for frame in sharp]
    uniform = np.zeros(6)
    uniform[0] = np.median(light)
    ball = Ball(radius=radius, blur=1.0, light=uniform)
    found: dict[int, Located] = {}
    for _ in range(3):
        found = {}
        for frame in sharp:
            guess = guesses[frame][0]
            one = locate(views[frame], ball, guess.centre, guess.velocity, (*CENTRE, 3, 4))
            if one is not None and one.hidden < HIDDEN and one.misfit < 2 * MISFIT:
                found[frame] = one
        if len(found) < FEWEST:
            raise InputError(
                f"the ball is sharp in {len(found)} pictures only, too few to learn how it looks",
                remedy="Film with more light, a shorter exposure and a plain, still background; or "
                "say which thing is the ball (--start), since what was followed may be none.",
                path=film.path,
            )
        ball = replace(
            ball,
            radius=float(np.median([one.ball.radius for one in found.values()])),
            blur=float(np.median([one.ball.blur for one in found.values()])),
        )
        ball = replace(ball, light=_learn_light(views, found, ball))
    return ball, np.array([one.ball.radius for one in found.values()])


def _slowest(guesses: Guesses) -> list[int]:
    """Pictures in which the ball is slow, spread over the film; none between two flights."""
    single = [frame for frame, several in guesses.items() if len(several) == 1]
    speed = np.array([np.hypot(*guesses[frame][0].velocity) for frame in single])
    slow = np.array(single)[speed <= np.quantile(speed, 0.4)]
    return slow[np.unique(np.linspace(0, slow.size - 1, LEARNT).round().astype(int))].tolist()


def _light_inside(view: View, guess: Guess, radius: float) -> float:
    rows, columns = view.grey.shape
    x = view.corner[0] + np.arange(columns) - guess.centre[0]
    y = (view.corner[1] + np.arange(rows) - guess.centre[1])[:, None]
    inside = np.hypot(x, y) < 0.5 * radius
    if not inside.any():
        return float("nan")
    return float(np.median(to_light(view.grey[inside], full_range=view.full_range)))


def _learn_light(views: Views, found: Mapping[int, Located], ball: Ball) -> Array:
    """The light of the ball: least squares over its pixels in all sharp pictures, without what is
    far from it, twice.
    """
    powers, lights = [], []
    for frame, one in found.items():
        view = views[frame]
        rows, columns = view.grey.shape
        u = (view.corner[0] + np.arange(columns) - one.centre[0]) / ball.radius
        v = ((view.corner[1] + np.arange(rows) - one.centre[1]) / ball.radius)[:, None]
        inside = np.hypot(u, v) < 1 - 2 * ball.blur / ball.radius
        u, v = np.broadcast_arrays(u, v)
        powers.append(powers_of(u[inside], v[inside]))
        lights.append(to_light(view.grey[inside], full_range=view.full_range))
    all_powers, all_lights = np.concatenate(powers), np.concatenate(lights)
    if all_lights.size < 100:
        return ball.light
    kept = np.ones(all_lights.size, bool)
    factors: Array = ball.light
    for _ in range(3):
        factors = np.asarray(np.linalg.lstsq(all_powers[kept], all_lights[kept], rcond=None)[0])
        away = np.abs(all_lights - all_powers @ factors)
        kept = away <= 3 * max(1.4826 * float(np.median(away)), 1e-4)
    return factors


def _exposure(views: Views, guesses: Guesses, ball: Ball, interval: float) -> float:
    """How long light is gathered [s]: what explains the streaks of the fastest pictures."""
    single = [frame for frame, several in guesses.items() if len(several) == 1]
    fastest = sorted(single, key=lambda frame: -np.hypot(*guesses[frame][0].velocity))
    found = []
    for frame in fastest[: LEARNT // 2]:
        guess = guesses[frame][0]
        tried = [
            locate(
                views[frame],
                replace(ball, exposure=share * interval),
                guess.centre,
                guess.velocity,
                (*CENTRE, 5),
            )
            for share in (0.1, 0.3, 0.8)
        ]
        good = [one for one in tried if one is not None and one.hidden < HIDDEN]
        if good:
            best = min(good, key=lambda one: one.misfit)
            found.append(min(abs(best.ball.exposure), interval))
    return float(np.median(found)) if found else 0.0


def _locate_all(
    views: Views, guesses: Guesses, ball: Ball, *, near: bool = False
) -> tuple[dict[int, Located], dict[int, int], dict[int, str]]:
    found, arc, lost = {}, {}, {}
    for frame, several in guesses.items():
        tried = []
        for guess in several:
            one = locate(views[frame], ball, guess.centre, guess.velocity, near=near)
            tried.append((_fault(views[frame], one, guess, ball), one, guess))
        good = [(one, guess) for fault, one, guess in tried if not fault and one is not None]
        if good:
            best, guess = min(good, key=lambda pair: pair[0].misfit * (1 + pair[0].hidden))
            found[frame], arc[frame] = best, guess.arc
        else:
            lost[frame] = tried[0][0]
    return found, arc, lost


def _fault(view: View, one: Located | None, guess: Guess, ball: Ball) -> str:
    """Why this is not the ball; nothing if it is."""
    beyond = guess.centre - view.corner
    rows, columns = view.grey.shape
    if min(*beyond, *(np.array([columns, rows]) - 1 - beyond)) < 0:
        return "at the edge of the picture"
    if one is None or np.hypot(*(one.centre - guess.centre)) > CLOSE * ball.radius:
        return "not where it is expected"
    streak = np.abs(guess.velocity) * ball.exposure / 2
    low = one.centre - ball.radius - streak - view.corner
    high = view.corner + np.array([columns, rows]) - 1 - one.centre - ball.radius - streak
    if min(*low, *high) < 1:
        return "at the edge of the picture"
    if one.hidden > HIDDEN:
        return "partly hidden"
    if one.misfit > MISFIT or not 1 / GAIN < one.gain < GAIN:
        return "does not look like the ball"
    return ""


def _flights(film: Film, found: Mapping[int, Located]) -> list[list[int]]:
    """The pictures of each flight: arcs may go on through a low bounce, or end a picture too
    late.
    """
    frames = sorted(found)
    number = split_flights(film.time[frames], np.array([found[frame].centre for frame in frames]))
    flights: list[list[int]] = [[] for _ in range(int(number.max(initial=0)) + 1)]
    for frame, flight in zip(frames, number, strict=True):
        flights[flight].append(frame)
    return flights


def _with_better_velocities(
    film: Film, found: Mapping[int, Located], flights: Sequence[Sequence[int]]
) -> dict[int, list[Guess]]:
    """Guesses for all pictures from what was located along the same flights."""
    guesses: dict[int, list[Guess]] = {}
    for number, frames in enumerate(flights):
        times = film.time[frames]
        places = np.array([found[frame].centre for frame in frames])
        for frame in frames:
            _, velocity = motion_at(float(film.time[frame]), times, places)
            guesses[frame] = [Guess(arc=number, centre=found[frame].centre, velocity=velocity)]
    return guesses


def _in_cells(guess: Guess, binned: int) -> Guess:
    """In units of squares of pixels."""
    return replace(
        guess, centre=(guess.centre - (binned - 1) / 2) / binned, velocity=guess.velocity / binned
    )


def _in_pixels(ball: Ball, binned: int) -> Ball:
    return replace(ball, radius=binned * ball.radius, blur=binned * ball.blur)


def _located_in_pixels(one: Located, binned: int) -> Located:
    return replace(
        one,
        centre=binned * one.centre + (binned - 1) / 2,
        velocity=binned * one.velocity,
        covariance=binned**2 * one.covariance,
        ball=_in_pixels(one.ball, binned),
    )
