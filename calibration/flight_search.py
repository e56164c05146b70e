"""Where a ball flies freely in a recording: the longest chain of flights with a bounce between neighbours.

1. Single samples that jump are left out; every prominent minimum of the height is a candidate bounce.
2. Between two candidates the longest run of samples that one nearly parabolic flight explains is sought.
3. Candidates inside one flight are dropped: one flight explains what lies on both sides.
4. Of the remaining flights, the longest run stays in which neighbours meet, going down before and up after, all at one height.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.signal import find_peaks

from calibration.flight_fit import MIN_SAMPLES, UP, FlightFit, most_consistent_run
from calibration.noise import rough_noise

Item = TypeVar("Item")


def fit_flights(time: np.ndarray, position: np.ndarray, *, radius: float, gravity: float) -> FlightFit | None:
    """The joint fit of the longest chain of flights, or ``None`` when there is no flight at all."""
    height = position[:, UP]
    noise = rough_noise(time, height, acceleration=-gravity)
    jumped = spikes(time, height, noise=noise, gravity=gravity)
    kept = np.flatnonzero(~jumped)
    if len(kept) < MIN_SAMPLES:
        return None
    pieces = flights_in_height(time[kept], height[kept], noise=noise, gravity=gravity)
    if not pieces:
        return None
    pieces = longest_chain(time[kept], height[kept], pieces, gravity=gravity, radius=radius)
    spans = [(int(kept[piece.start]), int(kept[piece.stop - 1]) + 1) for piece in pieces]
    fit = FlightFit(time, position, spans, gravity=gravity, outliers=jumped)
    joined = [fit.is_bounce(flight) for flight in range(len(spans) - 1)]
    if not all(joined):
        spans = longest_run(spans, joined, weight=lambda span: span[1] - span[0])
        fit = FlightFit(time, position, spans, gravity=gravity, outliers=jumped)
    return fit


# ------------------------------------------------------------------------------------------------ candidates


def spikes(time: np.ndarray, height: np.ndarray, *, noise: float, gravity: float) -> np.ndarray:
    """Mask of single samples far from both straight lines, through the two samples before and through the two samples after.

    Samples beside a bounce lie on one of the lines, up to what gravity bends in two frames.
    """
    slope = np.diff(height) / np.diff(time)
    allowed = 10 * noise + 2 * gravity * (time[2:] - time[:-2]) ** 2
    from_before, from_after = np.full_like(height, np.inf), np.full_like(height, np.inf)
    from_before[2:] = np.abs(height[2:] - height[1:-1] - slope[:-1] * (time[2:] - time[1:-1])) / allowed
    from_after[:-2] = np.abs(height[:-2] - height[1:-1] - slope[1:] * (time[:-2] - time[1:-1])) / allowed
    return np.minimum(from_before, from_after) > 1


def candidate_bounces(height: np.ndarray, *, noise: float) -> np.ndarray:
    """Indices of the minima of the height that are deeper than the noise; the 60 deepest."""
    span = np.ptp(np.percentile(height, [1, 99]))
    minima, about = find_peaks(-height, prominence=max(8 * noise, 1e-6 * span, 1e-300))
    return minima[np.sort(np.argsort(-about["prominences"])[:60])]


# ------------------------------------------------------------------------------------------------ flights in the height


class Piece(NamedTuple):
    """A run of samples, of which one flight explains ``samples``."""

    start: int
    stop: int
    samples: int


def grow_flight(time: np.ndarray, height: np.ndarray, first: int, last: int, *, noise: float, sigma: float, gravity: float) -> Piece | None:
    """The run of samples around ``first`` to ``last`` that one flight explains to ``sigma``, grown until it stops changing.

    The flight is a polynomial of degree 4 whose higher derivatives are held near (-g, 0, 0) by what drag and lift can do. Where the
    acceleration is not that of a free ball (at rest, in the hand) the run ends.
    """
    good = np.zeros(len(time), bool)
    good[first:last] = True
    allowed = np.array([0.3, 1.0, 4.0]) * gravity  # of the second, third and fourth derivative
    for _ in range(20):
        centre, half = time[good].mean(), np.ptp(time[good]) / 2
        tau = (time - centre) / half
        basis = np.vander(tau, 5, increasing=True) / np.array([1, 1, 2, 6, 24])
        prior = np.diag(np.concatenate(([0.0, 0.0], (sigma / (allowed * half ** np.array([2, 3, 4]))) ** 2)))
        normal = basis[good].T @ basis[good] + prior
        right = basis[good].T @ height[good] + prior @ np.array([0, 0, -gravity * half**2, 0, 0])
        inverse = np.linalg.inv(normal)
        coefficients = inverse @ right
        spread = np.sum(basis @ inverse * basis, axis=1)  # variance of the prediction over that of a sample
        squares = (height - basis @ coefficients) ** 2 / (sigma**2 * (1 + spread))
        fall = -basis[:, :3] @ coefficients[2:] / half**2  # downward acceleration
        squares[(np.abs(tau) > 2) | (fall < 0.35 * gravity) | (fall > 2.2 * gravity)] = np.inf  # beyond 2, the next round may tell
        start, stop = most_consistent_run(squares)
        before, good = good, squares < 16
        good[:start] = good[stop:] = False
        if good.sum() < MIN_SAMPLES:
            return None
        if np.array_equal(before, good):
            break
    rises = np.ptp(basis[start:stop] @ coefficients) > 6 * noise  # otherwise a ball at rest does as well
    return Piece(start, stop, int(good.sum())) if rises else None


def seeds(count: int, *, after_bounce: bool, before_bounce: bool) -> set[tuple[int, int]]:
    """Windows from which a flight among ``count`` samples may grow: spread over all, and beside the bounces, long and short ones."""
    least = MIN_SAMPLES + 1
    width = max(least, count // 6)
    windows = {(int(start), int(start) + width) for start in np.linspace(0, max(count - width, 0), 7)}
    while width >= least:
        windows |= {(1, 1 + width)} if after_bounce else set()
        windows |= {(count - 1 - width, count - 1)} if before_bounce and count > width else set()
        width //= 2
    return windows


def best_flight(time: np.ndarray, height: np.ndarray, first: int, last: int, *, noise: float, gravity: float) -> Piece | None:
    """The flight that explains most of the samples ``first`` to ``last``, grown from several places.

    Samples that are missing beside a candidate bounce count against it (a ball at rest explains many samples far from the bounce).
    """
    t, z = time[first:last], height[first:last]
    if len(t) < MIN_SAMPLES:
        return None
    sigma = max(1.2 * noise, 2e-3 * np.ptp(np.percentile(z, [10, 90])), 1e-12)  # never below what the polynomial leaves of a strong drag
    found = []
    for window in seeds(len(t), after_bounce=first > 0, before_bounce=last < len(time)):
        piece = grow_flight(t, z, *window, noise=noise, sigma=sigma, gravity=gravity)
        if piece:
            missing = piece.start * (first > 0) + (len(t) - piece.stop) * (last < len(time))
            found.append((piece.samples - missing / 2, Piece(first + piece.start, first + piece.stop, piece.samples)))
    return max(found)[1] if found else None


def flights_in_height(time: np.ndarray, height: np.ndarray, *, noise: float, gravity: float) -> list[Piece]:
    """All flights of the recording, in order; what lies between two of them need not be a bounce."""

    @functools.cache
    def fly(first: int, last: int) -> Piece | None:
        return best_flight(time, height, first, last, noise=noise, gravity=gravity)

    ends = [0, *candidate_bounces(height, noise=noise), len(time)]
    flights = [(a, b, piece) for a, b in itertools.pairwise(ends) if (piece := fly(a, b))]
    distance = 1
    while distance < min(len(flights), 4):  # drop candidates inside a flight: one flight explains what lies on both sides
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


def longest_chain(time: np.ndarray, height: np.ndarray, pieces: Sequence[Piece], *, gravity: float, radius: float) -> list[Piece]:
    """The longest run of neighbouring flights that meet, going down before and up after, all at one height."""
    if len(pieces) == 1:
        return list(pieces)
    position = np.full((len(time), 3), np.nan)
    position[:, UP] = height
    heights, doubts, hops = np.full((3, len(pieces) - 1), np.nan)
    for i, pair in enumerate(itertools.pairwise(pieces)):
        fit = FlightFit(time, position, [piece[:2] for piece in pair], gravity=gravity)
        if fit.is_bounce(0):
            bounce = fit.bounce(0)
            heights[i], doubts[i], hops[i] = bounce.height, bounce.height_sd, bounce.velocity_after[UP] ** 2 / (2 * gravity)
    # A flight that was missed makes its neighbours meet below the plane, by about its height.
    uneven = np.minimum(max(radius / 2, 0.01 * np.ptp(np.percentile(height, [1, 99]))), hops / 2)
    allowed = np.minimum(uneven, uneven[:, None]) + 6 * np.hypot(doubts, doubts[:, None])
    agree = np.abs(heights - heights[:, None]) <= allowed
    floor = max(range(len(heights)), key=lambda i: (agree[i].sum(), -np.nan_to_num(doubts[i])))
    return longest_run(pieces, agree[floor], weight=lambda piece: piece.samples)


def longest_run(items: Sequence[Item], joined: Iterable[bool], *, weight: Callable[[Item], int]) -> list[Item]:
    """The longest list of items that are joined to their neighbours; the heaviest one of equally long ones."""
    runs = [list(items[:1])]
    for item, is_joined in zip(items[1:], joined, strict=True):
        if is_joined:
            runs[-1].append(item)
        else:
            runs.append([item])
    return max(runs, key=lambda run: (len(run), sum(weight(item) for item in run)))
