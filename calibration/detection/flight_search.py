"""Where a ball flies freely in a recording: the longest chain of flights with a bounce between
neighbours.

1. Single samples that jump are left out; every prominent minimum of the height is a candidate
   bounce.
2. Between two candidates the longest run of samples that one nearly parabolic flight explains is
   sought.
3. Candidates inside one flight are dropped: one flight explains what lies on both sides.
4. Of the remaining flights, the longest run stays in which neighbours meet, going down before and
   up after, all on one surface, which may slope. One fit of all of them shows when that is all;
   where it is not, each two neighbours are fitted by themselves.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.signal import find_peaks

from calibration.detection.flight_fit import MIN_SAMPLES, UP, Bounce, FlightFit, find_consistent_run
from calibration.detection.noise import estimate_noise

STEEPEST = 0.09
"""Slope of a surface up to which bounces at other heights are bounces on it: 5 degrees, which
nobody fails to see.
"""

UNEVEN = 0.02
"""The same as part of the range of heights, where nothing sideways was measured."""


ENOUGH = 2000
"""Samples between two bounces by which a flight is found; of more, evenly spaced ones are looked
at, and the fit to all samples moves the ends.
"""


def fit_flights(
    time: np.ndarray, position: np.ndarray, *, radius: float, gravity: float
) -> FlightFit | None:
    """The joint fit of the longest chain of flights, or ``None`` when there is no flight at all."""
    height = position[:, UP]
    noise = estimate_noise(time, height, acceleration=-gravity)
    jumped = find_spikes(time, height, noise=noise, gravity=gravity)
    kept = np.flatnonzero(~jumped)
    if len(kept) < MIN_SAMPLES:
        return None
    pieces = find_flights(time[kept], height[kept], noise=noise, gravity=gravity)
    if not pieces:
        return None
    span = float(np.ptp(np.percentile(height[kept], [1, 99])))
    sideways = bool(np.any(np.isfinite(position[:, :UP])))
    uneven = max(radius / 2, 0.01 * span) + (0.0 if sideways else UNEVEN * span)

    def fit_of(pieces: Sequence[Piece]) -> FlightFit:
        spans = [(int(kept[piece.start]), int(kept[piece.stop - 1]) + 1) for piece in pieces]
        return FlightFit(time, position, spans, gravity=gravity, outliers=jumped)

    fit = fit_of(pieces)
    bounces = select_bounces(fit)
    places = find_places(bounces, time, position)
    if np.all(share_surface(bounces, places, uneven=uneven, gravity=gravity)):
        return fit
    chain = find_longest_chain(time[kept], position[kept], pieces, gravity=gravity, uneven=uneven)
    if len(chain) < len(pieces):
        fit = fit_of(chain)
    joined = [bounce is not None for bounce in select_bounces(fit)]
    if all(joined):
        return fit
    return fit_of(find_longest_run(chain, joined, weight=lambda piece: piece.stop - piece.start))


# ------------------------------------------------------------------------------------------------
# candidates


def find_spikes(
    time: np.ndarray, height: np.ndarray, *, noise: float, gravity: float
) -> np.ndarray:
    """Mask of single samples far from both straight lines, through the two samples before and
    through the two samples after.

    Samples beside a bounce lie on one of the lines, up to what gravity bends in two frames.
    """
    slope = np.diff(height) / np.diff(time)
    allowed = 10 * noise + 2 * gravity * (time[2:] - time[:-2]) ** 2
    from_before, from_after = np.full_like(height, np.inf), np.full_like(height, np.inf)
    from_before[2:] = (
        np.abs(height[2:] - height[1:-1] - slope[:-1] * (time[2:] - time[1:-1])) / allowed
    )
    from_after[:-2] = (
        np.abs(height[:-2] - height[1:-1] - slope[1:] * (time[:-2] - time[1:-1])) / allowed
    )
    return np.minimum(from_before, from_after) > 1


def find_candidate_bounces(height: np.ndarray, *, noise: float) -> np.ndarray:
    """Indices of the minima of the height that are deeper than the noise; the 60 deepest."""
    span = np.ptp(np.percentile(height, [1, 99]))
    minima, about = find_peaks(-height, prominence=max(8 * noise, 1e-6 * span, 1e-300))
    return minima[np.sort(np.argsort(-about["prominences"])[:60])]


# ------------------------------------------------------------------------------------------------
# flights in the height


class Piece(NamedTuple):
    """A run of samples, of which one flight explains ``samples``."""

    start: int
    stop: int
    samples: int


def grow_flights(
    time: np.ndarray,
    height: np.ndarray,
    windows: Iterable[tuple[int, int]],
    *,
    noise: float,
    sigma: float,
    gravity: float,
) -> list[Piece]:
    """The runs of samples around these windows that one flight explains to ``sigma``, each grown
    until it stops changing.

    The flight is a polynomial of degree 4 whose higher derivatives are held near (-g, 0, 0) by what
    drag and lift can do. Where the acceleration is not that of a free ball (at rest, in the hand)
    the run ends. All windows grow at once: arrays are (windows, samples).
    """
    sample = np.arange(len(time))
    pieces: list[Piece] = []
    good = np.array([(sample >= first) & (sample < last) for first, last in windows])
    for remaining in reversed(range(20)):
        flight = QuarticFlight.fit(time, height, good, sigma=sigma, gravity=gravity)
        squares = (height - flight.height) ** 2 / (sigma**2 * (1 + flight.spread))
        near = np.abs(flight.tau) <= 2  # beyond, the next round may tell
        free = (flight.fall >= 0.35 * gravity) & (flight.fall <= 2.2 * gravity)
        squares = np.where(near & free, squares, np.inf)
        start, stop = find_consistent_run(squares)
        inside = (sample >= start[:, None]) & (sample < stop[:, None])
        before, good = good, (squares < 16) & inside
        count = good.sum(axis=1)
        ended = np.all(good == before, axis=1) | (remaining == 0)
        # A run that moves no more than the noise may be a ball at rest.
        pieces += [
            Piece(int(start[i]), int(stop[i]), int(count[i]))
            for i in np.flatnonzero(ended & (count >= MIN_SAMPLES))
            if np.ptp(flight.height[i, start[i] : stop[i]]) > 6 * noise
        ]
        good = good[~ended & (count >= MIN_SAMPLES)]
        if len(good) == 0:
            break
    return pieces


class QuarticFlight(NamedTuple):
    """Heights of flights that are polynomials of degree 4, at all times; each array is (flights,
    samples).

    Attributes:
        tau: time from the middle of the samples of a flight over half their duration.
        height: [m].
        spread: variance of ``height`` over that of one sample.
        fall: downward acceleration [m/s^2].
    """

    tau: np.ndarray
    height: np.ndarray
    spread: np.ndarray
    fall: np.ndarray

    @classmethod
    def fit(
        cls, time: np.ndarray, height: np.ndarray, good: np.ndarray, *, sigma: float, gravity: float
    ) -> "QuarticFlight":
        """Least squares for the samples where ``good`` (flights, samples)."""
        first, last = np.argmax(good, axis=1), len(time) - 1 - np.argmax(good[:, ::-1], axis=1)
        half = (time[last] - time[first])[:, None] / 2
        tau = (time - (good @ time / good.sum(axis=1))[:, None]) / half
        square = tau * tau
        basis = np.stack(
            [np.ones_like(tau), tau, square / 2, square * tau / 6, square * square / 24], axis=1
        )
        allowed = np.array([0.3, 1.0, 4.0]) * gravity  # of the second, third and fourth derivative
        precision = np.zeros((len(good), 5))
        precision[:, 2:] = (sigma / (allowed * half ** [2, 3, 4])) ** 2
        used = basis * good[:, None]
        normal = used @ basis.swapaxes(1, 2) + precision[:, :, None] * np.eye(5)
        right = used @ height
        right[:, 2] -= precision[:, 2] * gravity * half[:, 0] ** 2
        inverse = np.linalg.inv(normal)
        coefficients = (inverse @ right[..., None]).swapaxes(1, 2)
        return cls(
            tau=tau,
            height=np.squeeze(coefficients @ basis, 1),
            spread=np.sum(inverse @ basis * basis, axis=1),
            fall=-np.squeeze(coefficients[:, :, 2:] @ basis[:, :3], 1) / half**2,
        )


def make_seeds(count: int, *, after_bounce: bool, before_bounce: bool) -> set[tuple[int, int]]:
    """Windows from which a flight among ``count`` samples may grow: spread over all, and beside the
    bounces, long and short ones.
    """
    least = MIN_SAMPLES + 1
    width = max(least, count // 6)
    windows = {
        (int(start), int(start) + width) for start in np.linspace(0, max(count - width, 0), 7)
    }
    while width >= least:
        windows |= {(1, 1 + width)} if after_bounce else set()
        windows |= {(count - 1 - width, count - 1)} if before_bounce and count > width else set()
        width //= 2
    return windows


def find_best_flight(
    time: np.ndarray, height: np.ndarray, first: int, last: int, *, noise: float, gravity: float
) -> Piece | None:
    """The flight that explains most of the samples ``first`` to ``last``, grown from several
    places.

    Samples that are missing beside a candidate bounce count against it (a ball at rest explains
    many samples far from the bounce).
    """
    every = max((last - first) // ENOUGH, 1)
    t, z = time[first:last:every], height[first:last:every]
    if len(t) < MIN_SAMPLES:
        return None
    # Never below what the polynomial leaves of a strong drag.
    sigma = max(1.2 * noise, 2e-3 * np.ptp(np.percentile(z, [10, 90])), 1e-12)
    windows = make_seeds(len(t), after_bounce=first > 0, before_bounce=last < len(time))

    def explained(piece: Piece) -> tuple[float, Piece]:
        missing = piece.start * (first > 0) + (len(t) - piece.stop) * (last < len(time))
        return piece.samples - missing / 2, piece

    best = max(
        grow_flights(t, z, windows, noise=noise, sigma=sigma, gravity=gravity),
        key=explained,
        default=None,
    )
    if best is None:
        return None
    start, stop = first + every * best.start, first + every * (best.stop - 1) + 1
    return Piece(start, stop, every * best.samples)


def find_flights(
    time: np.ndarray, height: np.ndarray, *, noise: float, gravity: float
) -> list[Piece]:
    """All flights of the recording, in order; what lies between two of them need not be a
    bounce.
    """

    @functools.cache
    def fly(first: int, last: int) -> Piece | None:
        return find_best_flight(time, height, first, last, noise=noise, gravity=gravity)

    ends = [0, *find_candidate_bounces(height, noise=noise), len(time)]
    flights = [(a, b, piece) for a, b in itertools.pairwise(ends) if (piece := fly(a, b))]
    distance = 1
    # Drop candidates inside a flight: one flight explains what lies on both sides.
    while distance < min(len(flights), 4):
        for i in range(len(flights) - distance):
            samples = sorted(piece.samples for _, _, piece in flights[i : i + distance + 1])
            first, last = flights[i][0], flights[i + distance][1]
            whole = fly(first, last)
            if whole and whole.samples > samples[-1] + 0.7 * samples[-2]:
                flights[i : i + distance + 1] = [(first, last, whole)]
                distance = 0
                break
        distance += 1
    return [piece for _, _, piece in flights]


def find_longest_chain(
    time: np.ndarray,
    position: np.ndarray,
    pieces: Sequence[Piece],
    *,
    gravity: float,
    uneven: float,
) -> list[Piece]:
    """The longest run of neighbouring flights that meet, going down before and up after, all on one
    surface.
    """
    heights = np.full((len(time), 3), np.nan)
    heights[:, UP] = position[:, UP]
    pairs = (
        FlightFit(time, heights, [piece[:2] for piece in pair], gravity=gravity)
        for pair in itertools.pairwise(pieces)
    )
    bounces = [bounce for fit in pairs for bounce in select_bounces(fit)]
    places = find_places(bounces, time, position)
    return find_longest_run(
        pieces,
        share_surface(bounces, places, uneven=uneven, gravity=gravity),
        weight=lambda piece: piece.samples,
    )


def find_places(
    bounces: Sequence[Bounce | None], time: np.ndarray, position: np.ndarray
) -> np.ndarray:
    """Where bounces are sideways (bounces, 2) [m], from the samples about them; 0 along an axis
    that was not measured.
    """
    places = np.zeros((len(bounces), 2))
    for axis in range(UP):
        measured = np.isfinite(position[:, axis])
        if not np.any(measured):
            continue
        for i, bounce in enumerate(bounces):
            if bounce is not None:
                places[i, axis] = np.interp(bounce.time, time[measured], position[measured, axis])
    return places


def select_bounces(fit: FlightFit) -> list[Bounce | None]:
    """What is between each flight and the next one: a bounce, or something else."""
    return [
        bounce if fit.is_bounce(flight, bounce) else None
        for flight, bounce in enumerate(fit.bounces())
    ]


def share_surface(
    bounces: Sequence[Bounce | None], places: np.ndarray, *, uneven: float, gravity: float
) -> np.ndarray:
    """Which of them are bounces on the surface, level up to ``uneven`` [m] or a slope, that most of
    them share.

    Args:
        bounces: what is between each two neighbouring flights.
        places: where they are sideways (bounces, 2) [m].
        uneven: difference of heights on a level surface [m].
        gravity: expected [m/s^2].
    """
    if not bounces:
        return np.zeros(0, bool)
    heights, doubts, hops = np.full((3, len(bounces)), np.nan)
    for i, bounce in enumerate(bounces):
        if bounce is not None:
            heights[i], doubts[i] = bounce.height, bounce.height_sd
            hops[i] = bounce.velocity_after[UP] ** 2 / (2 * gravity)
    apart = np.linalg.norm(places[:, None] - places, axis=-1)
    # A flight that was missed makes its neighbours meet below the plane, by about its height.
    least_hop = np.minimum(hops, hops[:, None])
    margin = np.minimum(uneven + STEEPEST * apart, least_hop / 2)
    allowed = margin + 6 * np.hypot(doubts, doubts[:, None])
    agree = np.abs(heights - heights[:, None]) <= allowed
    floor = max(range(len(heights)), key=lambda i: (agree[i].sum(), -np.nan_to_num(doubts[i])))
    return agree[floor]


def find_longest_run(
    pieces: Sequence[Piece], joined: Iterable[bool], *, weight: Callable[[Piece], int]
) -> list[Piece]:
    """The longest run of pieces that are joined to their neighbours; the heaviest one of equally
    long ones.

    Args:
        pieces: in order of time.
        joined: whether each piece is joined to the next one.
        weight: of a piece.
    """
    runs = [list(pieces[:1])]
    for piece, is_joined in zip(pieces[1:], joined, strict=True):
        if is_joined:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return max(runs, key=lambda run: (len(run), sum(map(weight, run))))
