"""The automatic reading of a recording of a bouncing ball: release, flights, bounces, restitution, drag, noise, tracking errors.

A free flight is much stiffer than the data: two numbers per axis, gravity and a little drag. The reading rests on that:

1. every prominent minimum of the height is a candidate bounce;
2. between two candidates the longest run of samples that one nearly parabolic flight explains is sought; candidates inside one flight are
   dropped; a chain of flights that meet at one height (the plane plus the radius) remains;
3. all flights are fitted together with a = -g e_z - k |v| v + (a small constant acceleration of each flight: lift, tilt of the camera);
   neighbouring flights are cut, which gives times, heights and velocities of the bounces with the covariance of the joint fit.

The values are first guesses: good starting values and honest orders of magnitude for the uncertainty, not the result of a study.
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.interpolate import CubicHermiteSpline
from scipy.signal import find_peaks

MIN_SAMPLES = 4  # of a flight: two unknowns per axis (gravity is nearly known), two left to see whether they fit
OUTLIER_SIGMAS, OUTLIER_DISTANCE = 6.0, 2e-3  # a tracking error is further off than both
UP = 2


@dataclasses.dataclass(frozen=True)
class Bounce:
    """One bounce. Velocities (3,) [m/s], NaN where not measured; sd: standard deviation."""

    time: float
    time_sd: float
    height: float
    height_sd: float
    velocity_before: np.ndarray
    velocity_after: np.ndarray
    restitution: float
    restitution_sd: float


@dataclasses.dataclass(frozen=True)
class Reading:
    """What a recording shows at first sight. Indices count the samples of the recording; lengths in m, times in s.

    Attributes:
        release, stop: first sample of free flight, and the one after the last usable sample.
        flights: (start, stop) of each flight; samples between two flights were measured during contact.
        bounces: one between each two neighbouring flights; empty when there is none.
        height, height_sd: height of the centre of the ball when it touches the plane.
        restitution, restitution_sd: pooled over the bounces.
        gravity, gravity_sd: apparent gravity; drag, drag_sd: k = deceleration / speed^2 [1/m] (0 when it cannot be determined).
        noise: (3,) white noise of one sample, from differences of neighbouring samples; scatter: (3,) deviation from the fitted flights.
        correlation: (3,) lag-1 correlation of the deviations from the flights (0 for white noise).
        outliers: (n,) True where the tracking jumped.
        position, velocity: (3,) at the time of sample ``release``.
        remarks: plain sentences for the user.
    """

    release: int
    stop: int
    flights: tuple[tuple[int, int], ...]
    bounces: tuple[Bounce, ...]
    height: float
    height_sd: float
    restitution: float
    restitution_sd: float
    gravity: float
    gravity_sd: float
    drag: float
    drag_sd: float
    noise: np.ndarray
    scatter: np.ndarray
    correlation: np.ndarray
    outliers: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    remarks: tuple[str, ...]


def read_bounces(recording: Any, *, radius: float, gravity: float = 9.81) -> Reading:
    """Find release, flights and bounces of ``recording`` (``time`` (n,), ``position`` (n, 3), NaN where not measured, z up).

    Args:
        recording: positions of the centre of a ball above a horizontal plane of unknown height.
        radius: of the ball [m]; bounces whose heights differ by more are not on one plane.
        gravity: expected [m/s^2]; within about 30 % of what the recording shows.

    Raises:
        ValueError: fewer than four heights measured, or radius or gravity not positive. A recording without a bounce is no error here:
            ``Reading.bounces`` is empty.
    """
    for name, value in (("radius", radius), ("gravity", gravity)):
        if not 0 < value < np.inf:
            raise ValueError(f"read_bounces: {name} = {value!r} must be a positive number (SI units).")
    measured = np.flatnonzero(np.isfinite(recording.position[:, UP]))
    if len(measured) < MIN_SAMPLES:
        raise ValueError(f"read_bounces: {len(measured)} heights in the recording; at least {MIN_SAMPLES} are needed. Check the columns.")
    time, position = np.asarray(recording.time, float)[measured], np.asarray(recording.position, float)[measured]
    pieces = flights_in_height(time, position[:, UP], gravity=gravity, radius=radius)
    if not pieces:
        return _empty_reading(recording)
    joint = JointFit(time, position, pieces, gravity=gravity)
    joined = [joint.is_bounce(flight, joint.bounce(flight)) for flight in range(len(pieces) - 1)]
    if not all(joined):
        joint = JointFit(time, position, longest_run(pieces, joined), gravity=gravity)
    return _reading(recording, measured, joint, radius=radius, gravity=gravity)


# ------------------------------------------------------------------------------------------------ 1. noise and candidates


def local_residuals(time: np.ndarray, values: np.ndarray, *, order: int) -> np.ndarray:
    """Divided differences of the given order over neighbouring samples, scaled so that white noise keeps its standard deviation."""
    weights = np.ones((len(time) - order, order + 1))
    windows = np.lib.stride_tricks.sliding_window_view
    times = windows(time, order + 1)
    for i in range(order + 1):
        for j in range(order + 1):
            if i != j:
                weights[:, i] /= times[:, i] - times[:, j]
    return np.sum(weights * windows(values, order + 1), axis=1) / np.linalg.norm(weights, axis=1)


def robust_deviation(values: np.ndarray) -> float:
    """Standard deviation of a normal distribution with the same median of absolute values."""
    return float(1.4826 * np.median(np.abs(values)))


def rough_noise(time: np.ndarray, height: np.ndarray, *, gravity: float) -> float:
    """Noise before the flights are known. Short differences survive short flights, high orders survive drag: the smallest one counts."""
    risen = height + gravity / 2 * (time - time[0]) ** 2
    return min(robust_deviation(local_residuals(time, risen, order=order)) for order in (2, 3, 4) if len(time) > order)


def candidate_bounces(height: np.ndarray, *, noise: float) -> np.ndarray:
    """Indices of the minima of the height that are deeper than the noise (and not more than a person would count)."""
    span = np.percentile(height, 99) - np.percentile(height, 1)
    minima, about = find_peaks(-height, prominence=max(8 * noise, 2e-5 * span, 1e-300))
    strongest = np.sort(np.argsort(-about["prominences"])[:60])
    return minima[strongest]


# ------------------------------------------------------------------------------------------------ 2. flights in the height


class Piece(NamedTuple):
    """A run of samples, of which one flight explains ``samples``."""

    start: int
    stop: int
    samples: int


def most_consistent_run(squares: np.ndarray) -> tuple[int, int]:
    """Start and stop of the run of samples with the largest sum of 6 - min(square, 24).

    ``squares`` are squared residuals over their variance: about 1 in a flight (up to 4 where the noise is twice the average), so that
    good samples add 5, and a flight passes over a tracking error when at least four good samples follow.
    """
    total = np.concatenate(([0.0], np.cumsum(6 - np.minimum(squares, 24))))
    lowest = np.minimum.accumulate(total)
    stop = int(np.argmax(total - lowest))
    return int(np.argmin(total[: stop + 1])), stop


def grow_flight(
    time: np.ndarray, height: np.ndarray, first: int, last: int, *, noise: float, sigma: float, gravity: float
) -> Piece | None:
    """The run of samples around ``first`` to ``last`` that one flight explains, grown until it stops changing.

    The flight is a polynomial of degree 4 whose higher derivatives are held near (-g, 0, 0) by what drag and lift can do. Where the
    acceleration is not that of a free ball (at rest, in the hand) the run ends.
    """
    good = np.zeros(len(time), bool)
    good[first:last] = True
    allowed = np.array([0.3, 1.0, 4.0]) * gravity  # of the second, third and fourth derivative
    for _ in range(20):
        centre = time[good].mean()
        half = np.ptp(time[good]) / 2
        tau = (time - centre) / half
        basis = np.vander(tau, 5, increasing=True) / np.array([1, 1, 2, 6, 24])
        prior = np.diag(np.concatenate(([0.0, 0.0], (sigma / (allowed * half ** np.array([2, 3, 4]))) ** 2)))
        normal = basis[good].T @ basis[good] + prior
        right = basis[good].T @ height[good] + prior @ np.array([0, 0, -gravity * half**2, 0, 0])
        coefficients, inverse = np.linalg.solve(normal, right), np.linalg.inv(normal)
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
    width = max(MIN_SAMPLES + 1, count // 6)
    windows = {(int(start), int(start) + width) for start in np.linspace(0, max(count - width, 0), 7)}
    while width > 2 * MIN_SAMPLES:
        width //= 2
        windows |= {(1, 1 + width)} if after_bounce else set()
        windows |= {(count - 1 - width, count - 1)} if before_bounce else set()
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


def flights_in_height(time: np.ndarray, height: np.ndarray, *, gravity: float, radius: float) -> list[Piece]:
    """The longest chain of flights with a bounce between neighbours."""
    noise = rough_noise(time, height, gravity=gravity)

    @functools.cache
    def fly(first: int, last: int) -> Piece | None:
        return best_flight(time, height, first, last, noise=noise, gravity=gravity)

    ends = [0, *candidate_bounces(height, noise=noise), len(time)]
    pieces = [fly(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    distance = 1
    while distance < min(len(pieces), 5):  # drop candidates inside a flight: one flight explains what lies on both sides
        for i in range(len(pieces) - distance):
            samples = sorted(piece.samples if piece else 0 for piece in pieces[i : i + distance + 1])
            whole = fly(ends[i], ends[i + distance + 1]) if pieces[i] and pieces[i + distance] else None
            if whole and whole.samples > samples[-1] + 0.7 * samples[-2]:
                pieces[i : i + distance + 1] = [whole]
                del ends[i + 1 : i + distance + 1]
                distance = 0
                break
        distance += 1
    return longest_chain(time, height, pieces, gravity=gravity, radius=radius)


def longest_chain(time: np.ndarray, height: np.ndarray, pieces: Sequence[Piece | None], *, gravity: float, radius: float) -> list[Piece]:
    """The longest run of neighbouring flights that meet, going down before and up after, all at one height."""
    position = np.full((len(time), 3), np.nan)
    position[:, UP] = height
    pieces = [piece for piece in pieces if piece]
    heights = np.full(max(len(pieces) - 1, 0), np.nan)
    doubts = np.zeros_like(heights)
    for i, pair in enumerate(itertools.pairwise(pieces)):
        fit = JointFit(time, position, pair, gravity=gravity)
        bounce = fit.bounce(0)
        if fit.is_bounce(0, bounce):
            heights[i], doubts[i] = bounce.height, bounce.height_sd
    allowed = np.maximum(max(radius / 2, 0.01 * np.ptp(np.percentile(height, [1, 99]))), 6 * doubts)
    agree = np.abs(heights - heights[:, None]) <= np.maximum(allowed, allowed[:, None])
    floor = max(range(len(heights)), key=lambda i: (agree[i].sum(), -doubts[i]), default=0)
    return longest_run(pieces, agree[floor] if len(heights) else heights)


def longest_run(pieces: Sequence[Piece], joined: Iterable[bool]) -> list[Piece]:
    """The longest list of pieces that are joined to their neighbours."""
    chains = [list(pieces[:1])]
    for piece, is_joined in zip(pieces[1:], joined, strict=True):
        if is_joined:
            chains[-1].append(piece)
        else:
            chains.append([piece])
    return max(chains, key=lambda chain: (len(chain), sum(piece.samples for piece in chain)))


# ------------------------------------------------------------------------------------------------ 3. joint fit of the flights


class JointFit:
    """All flights at once: p = p0 + v0 tau + a tau^2/2 + g G + k D on every measured axis, tau from the middle of the flight.

    G = -tau^2/2 on the vertical axis, D = - double integral of |v| v along the flight. D depends on the flight itself and is updated
    between linear solves; this converges because drag changes the speed little within one flight. ``a`` (lift of a spinning ball, tilt
    of the camera) has a prior of 0.05 m/s^2 + 0.03 1/m times sideways speed squared, gravity of 10 %, drag of 0.2 1/m. Weights of Huber keep tracking errors harmless.
    """

    def __init__(self, time: np.ndarray, position: np.ndarray, pieces: Iterable[Piece], *, gravity: float) -> None:
        self.time, self.position = time, position
        self.axes = [axis for axis in range(3) if np.isfinite(position[:, axis]).sum() >= MIN_SAMPLES]
        self.spans = [(piece.start, piece.stop) for piece in pieces]
        self.centres = [(time[start] + time[stop - 1]) / 2 for start, stop in self.spans]
        self.size = 2 + 3 * len(self.spans) * len(self.axes)
        self.prior_mean = np.concatenate(([gravity], np.zeros(self.size - 1)))
        self.prior_sd = np.concatenate(([0.1 * gravity, 0.2], np.concatenate([self._local_prior(*span) for span in self.spans])))
        self.residuals = np.full_like(position, np.nan)
        self.outliers = np.zeros(len(time), bool)
        self.rough = np.full(3, np.nan)
        for axis in self.axes:
            finite = np.isfinite(position[:, axis])
            self.rough[axis] = rough_noise(time[finite], position[finite, axis], gravity=gravity * (axis == UP)) + 1e-9
        self.value = np.zeros(self.size)
        self._iterate()
        if self.value[1] < 2 * self.deviation(self._unit(1)):
            self.prior_sd[1] = 1e-9  # drag is not determined: leave it out, but not out of the uncertainties
            free = self.covariance
            self._iterate()
            self.covariance = free

    def _local_prior(self, start: int, stop: int) -> np.ndarray:
        """Standard deviations of p0, v0, a of one flight: lift is a fraction of the drag of the sideways motion."""
        travelled = self.position[stop - 1, :UP] - self.position[start, :UP]
        sideways = np.linalg.norm(np.nan_to_num(travelled)) / (self.time[stop - 1] - self.time[start])
        return np.tile([1e6, 1e6, 0.05 + 0.03 * sideways**2], len(self.axes))

    def _iterate(self) -> None:
        self.sigma = self.rough.copy()  # residuals may set it only after the curves have settled: an axis that fits badly loses its weight
        for round_ in range(12):
            self._update_drag()
            self._solve()
            self._update_residuals(reject=round_ >= 5)
            if round_ >= 4:
                self._update_sigma()
            if 4 <= round_ < 10:
                self._move_ends()
                self._update_residuals(reject=True)  # new samples get their weights before they count

    def _unit(self, index: int) -> np.ndarray:
        return np.eye(1, self.size, index)[0]

    def indices(self, flight: int, axis: int) -> np.ndarray:
        """Where g, k, p0, v0, a of one flight and axis are in ``value``."""
        first = 2 + 3 * (flight * len(self.axes) + self.axes.index(axis))
        return np.array([0, 1, first, first + 1, first + 2])

    def columns(self, flight: int, axis: int, time: np.ndarray | float, derivative: int = 0) -> np.ndarray:
        """Derivatives of position (or velocity) with respect to g, k, p0, v0, a: shape (..., 5)."""
        tau = np.asarray(time - self.centres[flight])
        drag = self.drag_curves[flight](time, derivative)[..., self.axes.index(axis)]
        one, slope, half = (np.ones_like(tau), tau, tau**2 / 2) if derivative == 0 else (np.zeros_like(tau), np.ones_like(tau), tau)
        return np.stack([-half * (axis == UP), drag, one, slope, half], axis=-1)

    def predict(self, flight: int, axis: int, time: np.ndarray | float, derivative: int = 0) -> np.ndarray:
        return self.columns(flight, axis, time, derivative) @ self.value[self.indices(flight, axis)]

    def gradient(self, flight: int, axis: int, time: float, derivative: int = 0) -> np.ndarray:
        """Derivative of ``predict`` with respect to all of ``value``."""
        full = np.zeros(self.size)
        full[self.indices(flight, axis)] = self.columns(flight, axis, time, derivative)
        return full

    def deviation(self, gradient: np.ndarray) -> float:
        """Standard deviation of a quantity with this derivative with respect to ``value``."""
        return float(np.sqrt(gradient @ self.covariance @ gradient))

    def _reach(self, flight: int) -> tuple[float, float]:
        """Times between which flight ``flight`` may extend: half its length beyond its ends, and over the gap to its neighbours."""
        start, stop = self.spans[flight]
        first, last = self.time[start], self.time[stop - 1]
        early, late = first - (last - first) / 2, last + (last - first) / 2
        if flight > 0:
            early = min(early, self.time[self.spans[flight - 1][1] - 1])
        if flight + 1 < len(self.spans):
            late = max(late, self.time[self.spans[flight + 1][0]])
        return early, late

    def _update_drag(self) -> None:
        """D of every flight along the present solution, zero with zero slope in the middle."""
        before = getattr(self, "drag_curves", None)
        curves = []
        for flight, centre in enumerate(self.centres):
            early, late = self._reach(flight)
            grid = centre + np.linspace(-1, 1, 401) * max(centre - early, late - centre)
            if before is None:
                velocity = np.zeros((len(grid), len(self.axes)))
            else:
                velocity = np.stack([self.predict(flight, axis, grid, 1) for axis in self.axes], axis=1)
            slowing = -np.linalg.norm(velocity, axis=1, keepdims=True) * velocity
            slope = cumulative_simpson(slowing, x=grid, axis=0, initial=0)
            slope -= slope[200]
            shift = cumulative_simpson(slope, x=grid, axis=0, initial=0)
            curves.append(CubicHermiteSpline(grid, shift - shift[200], slope))
        self.drag_curves = curves

    def _solve(self) -> None:
        normal = np.diag(self.prior_sd**-2.0)
        right = normal @ self.prior_mean
        for flight, (start, stop) in enumerate(self.spans):
            for axis in self.axes:
                used = start + np.flatnonzero(np.isfinite(self.position[start:stop, axis]) & ~self.outliers[start:stop])
                columns = self.columns(flight, axis, self.time[used])
                far = np.nan_to_num(np.abs(self.residuals[used, axis])) / self.sigma[axis]
                weights = 1 / (np.maximum(1, far / 2.5) * self.sigma[axis] ** 2)
                where = self.indices(flight, axis)
                normal[np.ix_(where, where)] += columns.T @ (weights[:, None] * columns)
                right[where] += columns.T @ (weights * self.position[used, axis])
        scale = 1 / np.sqrt(np.diag(normal))  # unit diagonal: lengths, seconds and drag differ by many powers of ten
        scaled = normal * scale * scale[:, None]
        self.value = scale * np.linalg.solve(scaled, scale * right)
        self.covariance = np.linalg.inv(scaled) * scale * scale[:, None]

    def _update_residuals(self, *, reject: bool) -> None:
        self.residuals[:] = np.nan
        for flight, (start, stop) in enumerate(self.spans):
            for axis in self.axes:
                self.residuals[start:stop, axis] = self.position[start:stop, axis] - self.predict(flight, axis, self.time[start:stop])
        if reject:
            self.outliers = np.any(np.abs(self.residuals) > np.maximum(OUTLIER_SIGMAS * self.sigma, OUTLIER_DISTANCE), axis=1)

    def _update_sigma(self) -> None:
        for axis in self.axes:
            kept = self.residuals[~self.outliers & np.isfinite(self.residuals[:, axis]), axis]
            free = max(len(kept) - 2 * len(self.spans), 1) / max(len(kept), 1)
            if len(kept) > 0:  # the median of few residuals may be far too small
                rms = np.sqrt(np.mean(kept**2))
                self.sigma[axis] = (robust_deviation(kept) if len(kept) >= 30 else rms) / np.sqrt(free) + 1e-9

    def _move_ends(self) -> None:
        """Give every flight the samples it explains between the bounces beside it.

        On the side of a bounce 0.5 % of the height of the flight are forgiven (lenses distort); samples during a contact differ by more.
        Where nothing bounds the flight (release, catch, loss) the noise alone decides.
        """
        cuts = [-np.inf, *(self.bounce_time(flight) for flight in range(len(self.spans) - 1)), np.inf]
        limit = max(OUTLIER_SIGMAS * self.sigma[UP], OUTLIER_DISTANCE)
        for flight, span in enumerate(list(self.spans)):
            early, late = self._reach(flight)
            first = np.searchsorted(self.time, max(early, cuts[flight]))
            last = np.searchsorted(self.time, min(late, cuts[flight + 1]), side="right")
            time, height = self.time[first:last], self.position[first:last, UP]
            columns, where = self.columns(flight, UP, time), self.indices(flight, UP)
            spread = np.sum(columns @ self.covariance[np.ix_(where, where)] * columns, axis=1) / self.sigma[UP] ** 2
            residuals = height - columns @ self.value[where]
            towards_bounce = np.where(time < self.centres[flight], flight > 0, flight + 1 < len(self.spans))
            distortion = 5e-3 * np.ptp(self.position[slice(*span), UP]) * towards_bounce
            far = residuals / np.sqrt(self.sigma[UP] ** 2 * (1 + spread) + distortion**2)
            means = np.convolve(np.clip(far, -5, 5), np.full(5, 5**-0.5), mode="same")[: len(far)]  # a slow departure shows earlier
            start, stop = most_consistent_run(np.where(towards_bounce, far, means) ** 2)
            inside = np.flatnonzero(np.abs(residuals[start:stop]) <= limit)  # no tracking errors at the ends
            if len(inside) >= MIN_SAMPLES:
                self.spans[flight] = (first + start + inside[0], first + start + inside[-1] + 1)

    def bounce_time(self, flight: int) -> float:
        """When flight ``flight`` and the next one are at the same height (the middle of the gap when they do not meet near it)."""
        last, first = self.time[self.spans[flight][1] - 1], self.time[self.spans[flight + 1][0]]
        time = (first + last) / 2
        for _ in range(30):
            gap = self.predict(flight, UP, time) - self.predict(flight + 1, UP, time)
            closing = self.predict(flight, UP, time, 1) - self.predict(flight + 1, UP, time, 1)
            time = np.clip(time - gap / (closing or 1.0), *(centre for centre in self.centres[flight : flight + 2]))
        return float(time)

    def bounce(self, flight: int) -> Bounce:
        """The bounce between flight ``flight`` and the next one; all errors follow from the covariance of ``value``."""
        time = self.bounce_time(flight)
        down, up = (self.predict(f, UP, time, 1) for f in (flight, flight + 1))
        shift = (self.gradient(flight, UP, time) - self.gradient(flight + 1, UP, time)) / (up - down)  # d time / d value
        d_height = self.gradient(flight, UP, time) + down * shift
        d_ratio = -self.gradient(flight + 1, UP, time, 1) / down + up / down**2 * self.gradient(flight, UP, time, 1)
        velocities = np.full((2, 3), np.nan)
        for axis in self.axes:
            velocities[:, axis] = [self.predict(f, axis, time, 1) for f in (flight, flight + 1)]
        return Bounce(
            time=time,
            time_sd=self.deviation(shift),
            height=float(self.predict(flight, UP, time)),
            height_sd=self.deviation(d_height),
            velocity_before=velocities[0],
            velocity_after=velocities[1],
            restitution=float(-up / down),
            restitution_sd=self.deviation(d_ratio),
        )

    def is_bounce(self, flight: int, bounce: Bounce) -> bool:
        """Whether two flights meet between their ends, soon, going down before and up after without a gain of speed."""
        before, after = (self.time[[start, stop - 1]] for start, stop in self.spans[flight : flight + 2])
        frame = float(np.median(np.diff(self.time)))
        slack = 2 * frame + min(5 * bounce.time_sd, 0.2 * min(np.ptp(before), np.ptp(after)))
        return bool(
            before[1] - slack < bounce.time < after[0] + slack
            and after[0] - before[1] < max(4 * frame, np.ptp(before), np.ptp(after))
            and 0.5 < self.value[0] / self.prior_mean[0] < 1.7
            and bounce.velocity_before[UP] < 0 < bounce.restitution < 1.05 + 3 * min(bounce.restitution_sd, 0.1)
        )


# ------------------------------------------------------------------------------------------------ 4. summary


def weighted_mean(values: Sequence[float], deviations: Sequence[float]) -> tuple[float, float]:
    """Mean with weights 1/sd^2, and its standard deviation, enlarged when the values scatter more than their own (Birge ratio)."""
    weights = 1 / np.square(deviations)
    mean = np.sum(weights * values) / np.sum(weights)
    excess = np.sum(weights * (values - mean) ** 2) / max(len(weights) - 1, 1)
    return float(mean), float(np.sqrt(max(excess, 1.0) / np.sum(weights)))


def lag_one_correlation(fit: JointFit) -> np.ndarray:
    """Correlation of neighbouring deviations from the flights, per axis (NaN where not measured)."""
    result = np.full(3, np.nan)
    for axis in fit.axes:
        runs = [_clean(fit, span, axis)[1] for span in fit.spans]
        power = sum(np.sum(run**2) for run in runs)
        result[axis] = sum(np.sum(run[1:] * run[:-1]) for run in runs) / max(power, 1e-300)
    return result


def white_noise(fit: JointFit) -> np.ndarray:
    """White noise per axis from the highest possible differences (up to the fourth) of what the fitted flights leave."""
    result = np.full(3, np.nan)
    for axis in fit.axes:
        runs = [_clean(fit, span, axis) for span in fit.spans]
        for order in (4, 3, 2):
            differences = np.concatenate([local_residuals(*run, order=order) for run in runs if len(run[0]) > order] or [np.zeros(0)])
            if len(differences) >= 3:
                result[axis] = robust_deviation(differences)
                break
    return result


def _clean(fit: JointFit, span: tuple[int, int], axis: int) -> tuple[np.ndarray, np.ndarray]:
    inside = np.arange(*span)
    inside = inside[~fit.outliers[inside] & np.isfinite(fit.residuals[inside, axis])]
    return fit.time[inside], fit.residuals[inside, axis]


def touch_height(fit: JointFit, bounces: Sequence[Bounce]) -> tuple[float, float]:
    """Height at touch-down. Extended flights meet below it when contact lasts; where samples show the deepest point, this is undone:
    in a Hertz contact flights meet at 0.50, the deepest point is at 0.34 of speed times duration.
    """
    heights, deviations = [], []
    for flight, bounce in enumerate(bounces):
        inside = fit.position[fit.spans[flight][1] : fit.spans[flight + 1][0], UP]
        excess = np.min(inside) - bounce.height if len(inside) >= 4 else 0.0
        correction = 3 * excess if excess > 3 * fit.sigma[UP] else 0.0
        heights.append(bounce.height + correction)
        deviations.append(np.hypot(bounce.height_sd, 0.3 * correction))
    return weighted_mean(heights, deviations) if heights else (np.nan, np.nan)


def _reading(recording: Any, measured: np.ndarray, fit: JointFit, *, radius: float, gravity: float) -> Reading:
    correlation = lag_one_correlation(fit)
    slow = np.clip(correlation[UP], 0, 0.9)
    fit.covariance = fit.covariance * (1 + slow) / (1 - slow)  # effective number of independent samples
    bounces = tuple(fit.bounce(flight) for flight in range(len(fit.spans) - 1))
    height, height_sd = touch_height(fit, bounces)
    restitution = [b.restitution for b in bounces], [b.restitution_sd for b in bounces]
    pooled = weighted_mean(*restitution) if bounces else (np.nan, np.nan)
    flights = tuple((int(measured[start]), int(measured[stop - 1]) + 1) for start, stop in fit.spans)
    outliers = np.zeros(len(recording.time), bool)
    outliers[measured] = fit.outliers
    state = np.full((2, 3), np.nan)
    for axis in fit.axes:
        state[:, axis] = [fit.predict(0, axis, fit.time[fit.spans[0][0]], derivative) for derivative in (0, 1)]
    reading = Reading(
        release=flights[0][0],
        stop=flights[-1][1],
        flights=flights,
        bounces=bounces,
        height=height,
        height_sd=height_sd,
        restitution=pooled[0],
        restitution_sd=pooled[1],
        gravity=float(fit.value[0]),
        gravity_sd=fit.deviation(fit._unit(0)),
        drag=float(fit.value[1]) if fit.prior_sd[1] > 1e-6 else 0.0,
        drag_sd=fit.deviation(fit._unit(1)) if fit.prior_sd[1] > 1e-6 else np.nan,
        noise=white_noise(fit),
        scatter=fit.sigma,
        correlation=correlation,
        outliers=outliers,
        position=state[0],
        velocity=state[1],
        remarks=(),
    )
    return reading
