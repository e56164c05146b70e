"""All flights of one recording fitted together, and the bounces where neighbouring flights meet."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from calibration.detection.drag import DragCurves, drag_curves, no_drag
from calibration.detection.noise import estimate_noise, lag_one_correlation, robust_deviation

MIN_SAMPLES = 4
"""Samples of a flight: two parameters per axis (gravity is nearly known), and two samples more to
see whether they fit.
"""

UP = 2
"""The vertical among the three axes."""

HEIGHT = -1
"""The vertical among the measured axes."""

PARALLEL = 1e-13
"""Added to a unit diagonal before an inversion: as much as columns lose to rounding."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class FlightOptions:
    """By what samples are taken for one flight.

    Attributes:
        first_rounds: largest number of rounds in which neither the ends of flights nor the noise
            follow the residuals.
        rounds: largest number of rounds in which they do.
        converged: change of every parameter in the last round, in its standard deviations.
        huber: residuals further off than this many deviations weigh less.
        outlier_sigmas: a tracking error is further off than this many deviations,
        outlier_distance: and further than this [m]; chosen, not measured.
        distortion: part of the height of a flight by which a lens may bend it towards a bounce;
            chosen, not measured.
        gravity_prior: relative standard deviation of gravity. Lengths of recordings at hand were 3
            to 5 % short; this is chosen twice as wide.
        drag_prior: standard deviation of the drag coefficient ``k = rho c A/(2 m)`` [1/m]. A
            table-tennis ball has 0.13, with rho = 1.2 kg/m^3, c = 0.47, 40 mm and 2.7 g.
        lift: constant acceleration of a flight is within ``tilt + lift (sideways speed)^2`` [1/m],
            for a ball that spins; chosen, not measured.
        tilt: the same for a camera that is not level [m/s^2]; 0.05 is a tilt of 5 mrad. Chosen, not
            measured.
    """

    first_rounds: int = 4
    rounds: int = 8
    converged: float = 1e-3
    huber: float = 2.5
    outlier_sigmas: float = 6.0
    outlier_distance: float = 2e-3
    distortion: float = 5e-3
    gravity_prior: float = 0.1
    drag_prior: float = 0.2
    lift: float = 0.03
    tilt: float = 0.05


@dataclasses.dataclass(frozen=True)
class Bounce:
    """One bounce, where two flights meet.

    Attributes:
        time: when the two flights meet [s], in the middle of a contact that lasts.
        time_sd: its standard deviation [s].
        height: of the centre where they meet [m].
        height_sd: its standard deviation [m].
        velocity_before: velocity (3,) just before [m/s], NaN where not measured.
        velocity_after: velocity (3,) just after [m/s], NaN where not measured.
        restitution: ratio of the vertical speeds after and before [-].
        restitution_sd: its standard deviation [-].

    Example:
        >>> bounce = cal.detection.Bounce(
        ...     time=0.319,
        ...     time_sd=1e-4,
        ...     height=0.02,
        ...     height_sd=1e-4,
        ...     velocity_before=np.array([0.0, 0.0, -3.13]),
        ...     velocity_after=np.array([0.0, 0.0, 2.50]),
        ...     restitution=0.8,
        ...     restitution_sd=2e-3,
        ... )
        >>> float(-bounce.velocity_after[2] / bounce.velocity_before[2]) > bounce.restitution - 0.01
        True
    """

    time: float
    time_sd: float
    height: float
    height_sd: float
    velocity_before: Annotated[np.ndarray, "3"]
    velocity_after: Annotated[np.ndarray, "3"]
    restitution: float
    restitution_sd: float


def find_consistent_run(squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and stop of the run of samples with the largest sum of 6 - min(square, 24), along the
    last axis.

    ``squares`` are squared residuals over their variance: about 1 in a flight (up to 4 where the
    noise is twice the average), so that good samples add 5, and a flight passes over a tracking
    error when at least four good samples follow.
    """
    total = np.zeros((*squares.shape[:-1], squares.shape[-1] + 1))
    np.cumsum(6 - np.minimum(squares, 24), axis=-1, out=total[..., 1:])
    stop = np.argmax(total - np.minimum.accumulate(total, axis=-1), axis=-1)
    before_stop = np.arange(total.shape[-1]) <= stop[..., None]
    return np.argmin(np.where(before_stop, total, np.inf), axis=-1), stop


class Window(NamedTuple):
    """Samples within reach of a flight, and the derivatives of motion there with respect to g, k,
    p0, v0, a.

    Attributes:
        first, stop: samples.
        position, velocity: (axes, 5, samples).
    """

    first: int
    stop: int
    position: np.ndarray
    velocity: np.ndarray

    def part(self, start: int, stop: int) -> "Window":
        """The same for the samples ``start`` to ``stop``."""
        inside = slice(start - self.first, stop - self.first)
        return Window(start, stop, self.position[..., inside], self.velocity[..., inside])


class FlightFit:
    """Least squares for p = p0 + v0 tau + a tau^2/2 + g G + k D on every measured axis of every
    flight, tau from its middle.

    G = -tau^2/2 on the vertical axis, D = - double integral of |v| v along the flight. D depends on
    the flight itself and is updated between linear solves; this converges because drag changes the
    speed little within one flight. g and k are common to all flights, ``a`` (lift of a spinning
    ball, tilt of the camera) belongs to one; priors keep g, k and a near (gravity, 0, 0). Huber's
    weights keep tracking errors harmless. Drag that is not twice its standard deviation is set to
    zero; the covariance still allows for it.

    Args:
        time: (n,) [s].
        position: (n, 3) [m], z up, NaN where not measured; all heights are measured.
        spans: (start, stop) of each flight; the ends are moved to what the fit explains.
        gravity: expected [m/s^2].
        outliers: (n,) samples that probably are tracking errors: not used at first, and passed over
            when the ends are moved.
        options: by what samples are taken for one flight.

    Attributes:
        axes: the measured axes, of the three; the last one is the vertical. All that follows has
            them first.
        position: (axes, n).
        value, covariance: of g, k, and p0, v0, a of each axis of each flight.
        residuals: (axes, n) deviations from the flights, NaN outside.
        sigma: (axes,) their standard deviation.
        drag_determined: whether k was fitted.
    """

    def __init__(
        self,
        time: np.ndarray,
        position: np.ndarray,
        spans: Sequence[tuple[int, int]],
        *,
        gravity: float,
        outliers: np.ndarray | None = None,
        options: FlightOptions = FlightOptions(),  # frozen
    ) -> None:
        self.options = options
        self.axes = [
            axis for axis in range(3) if np.isfinite(position[:, axis]).sum() >= MIN_SAMPLES
        ]
        self.time, self.position, self.spans = time, position[:, self.axes].T, list(spans)
        self.centres = np.array([(time[start] + time[stop - 1]) / 2 for start, stop in self.spans])
        local = 2 + np.arange(3 * len(self.spans) * len(self.axes)).reshape(
            len(self.spans), len(self.axes), 3
        )
        self.indices = np.concatenate(
            [np.broadcast_to([0, 1], (*local.shape[:2], 2)), local], axis=-1
        )
        self.suspects = np.zeros(len(time), bool) if outliers is None else outliers
        self.outliers = self.suspects
        self.residuals = np.full_like(self.position, np.nan)
        size = 2 + local.size
        self.value, self.covariance = np.zeros(size), np.zeros((size, size))
        self.prior_mean = np.concatenate(([gravity], np.zeros(size - 1)))
        self.prior_sd = np.concatenate(
            (
                [self.options.gravity_prior * gravity, self.options.drag_prior],
                *(self._local_prior(*span) for span in self.spans),
            )
        )
        self.rough_sigma = np.array(
            [
                self._rough_sigma(axis, -gravity * (self.axes[axis] == UP))
                for axis in range(len(self.axes))
            ]
        )
        # No motion between two samples is faster, as far as they are seen; three times that never
        # limits a flight.
        steps = np.abs(np.diff(self.position, axis=1)) / np.diff(time)
        self.fastest = 3 * float(np.max(steps[np.isfinite(steps)], initial=0.0))
        self.drag = no_drag(self.centres, axes=len(self.axes))
        self.drag_determined = True
        self._converge_weights()
        self._converge_ends()
        drag, drag_sd = self.parameter(1)
        if drag <= 2 * drag_sd:
            self.drag_determined = False
            self.prior_sd[1], covariance = 1e-9, self.covariance
            self._converge_weights()
            self._converge_ends()
            self.drag, self.covariance = self._drag_curves(), covariance

    def _local_prior(self, start: int, stop: int) -> np.ndarray:
        """Standard deviations of p0, v0, a on each axis of one flight."""
        speeds = [0.0]
        for sideways in self.position[:HEIGHT, start:stop]:
            seen = np.flatnonzero(np.isfinite(sideways))
            if len(seen) > 1:
                speeds.append(
                    (sideways[seen[-1]] - sideways[seen[0]])
                    / (self.time[start + seen[-1]] - self.time[start + seen[0]])
                )
        return np.tile(
            [1e6, 1e6, self.options.tilt + self.options.lift * np.sum(np.square(speeds))],
            len(self.axes),
        )

    def _rough_sigma(self, axis: int, acceleration: float) -> float:
        seen = np.isfinite(self.position[axis])
        return 1e-9 + estimate_noise(
            self.time[seen], self.position[axis, seen], acceleration=acceleration
        )

    def _converge_weights(self) -> None:
        """Iterate until drag and the weights of samples no longer change."""
        # An axis that fits badly at first would lose its weight for ever.
        self.sigma = self.rough_sigma
        for _ in range(self.options.first_rounds):
            _, settled = self._improve()
            if settled:
                break

    def _converge_ends(self) -> None:
        """Iterate until the noise, the tracking errors and the ends of the flights no longer change
        either.
        """
        for round_ in range(self.options.rounds):
            spans, outliers, sigma = self.spans, self.outliers, self.sigma
            windows, settled = self._improve()
            if round_ > 0:
                self.outliers = self._find_jumps(self.spans, self.residuals)
            self.sigma = self._sigma()
            if round_ < self.options.rounds - 2:
                self.spans = self._move_ends(windows)
                # New samples get their weights before they count.
                self.residuals = self._residuals(windows)
                self.outliers = self._find_jumps(self.spans, self.residuals)
            settled = settled and np.allclose(
                self.sigma, sigma, rtol=self.options.converged, atol=0
            )
            if settled and self.spans == spans and np.array_equal(self.outliers, outliers):
                break

    def _improve(self) -> tuple[list[Window], bool]:
        """One linear solve; where the flights were looked at, and whether nothing changed much."""
        if self.drag_determined:
            self.drag = self._drag_curves()
        windows, before = self._windows(), self.value
        self.value, self.covariance = self._solve(windows)
        self.residuals = self._residuals(windows)
        return windows, bool(
            np.all(
                np.abs(self.value - before)
                <= self.options.converged * np.sqrt(np.diagonal(self.covariance))
            )
        )

    # ---- the linear model

    def columns(
        self, flight: np.ndarray | int, time: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of position and of velocity with respect to g, k, p0, v0, a: (axes, 5, ...)
        at times (...) of flights (...).
        """
        tau = time - self.centres[flight]
        position, velocity = np.zeros((2, len(self.axes), 5, *tau.shape))
        position[:, 1], velocity[:, 1] = self.drag(flight, time)
        position[:, 2], position[:, 3], position[:, 4] = 1, tau, tau**2 / 2
        velocity[:, 3], velocity[:, 4] = 1, tau
        position[HEIGHT, 0], velocity[HEIGHT, 0] = -(tau**2) / 2, -tau
        return position, velocity

    def predict(
        self, flights: npt.ArrayLike, time: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Position [m] and velocity [m/s], (axes, ...) at times (...) of flights (...) that
        broadcast, also beyond their ends.
        """
        flight = np.asarray(flights)
        tau = time - self.centres[flight]
        start, speed, acceleration = (
            self.value[2:].reshape(len(self.spans), len(self.axes), 3).T[..., flight]
        )
        acceleration[HEIGHT] -= self.value[0]
        shift, slope = self.drag(flight, time)
        return (
            start + speed * tau + acceleration * tau**2 / 2 + self.value[1] * shift,
            speed + acceleration * tau + self.value[1] * slope,
        )

    def gradients(self, flight: int, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of height and of vertical velocity with respect to all of ``value``."""
        full = np.zeros((2, len(self.value)))
        full[:, self.indices[flight, HEIGHT]] = [
            columns[HEIGHT] for columns in self.columns(flight, time)
        ]
        return full[0], full[1]

    def deviation(self, gradient: np.ndarray) -> float:
        """Standard deviation of a quantity with this derivative with respect to ``value``."""
        return float(np.sqrt(gradient @ self.covariance @ gradient))

    def parameter(self, index: int) -> tuple[float, float]:
        """Apparent gravity (0) or drag k (1), and its standard deviation."""
        return float(self.value[index]), float(np.sqrt(self.covariance[index, index]))

    def reach(self) -> tuple[np.ndarray, np.ndarray]:
        """Times between which each flight may extend: half its length beyond its ends, and over the
        gap to its neighbours.
        """
        first, last = self.time[np.array(self.spans) - [0, 1]].T
        early, late = first - (last - first) / 2, last + (last - first) / 2
        early[1:], late[:-1] = np.minimum(early[1:], last[:-1]), np.maximum(late[:-1], first[1:])
        return early, late

    def _drag_curves(self) -> DragCurves:
        """D along the present solution."""
        early, late = self.reach()
        grid = (
            self.centres[:, None]
            + np.linspace(-1, 1, 401)
            * np.maximum(self.centres - early, late - self.centres)[:, None]
        )
        # In wrong units the guess of the drag may be a million times too large: then the curves
        # would grow without bounds from one iteration to the next.
        velocity = self.predict(np.arange(len(self.spans))[:, None], grid)[1]
        return drag_curves(grid, np.clip(velocity, -self.fastest, self.fastest))

    def _windows(self) -> list[Window]:
        """The samples within reach of each flight."""
        early, late = self.reach()
        first, stop = (
            np.searchsorted(self.time, early),
            np.searchsorted(self.time, late, side="right"),
        )
        edges = np.concatenate([[0], np.cumsum(stop - first)])
        samples = np.concatenate([np.arange(*ends) for ends in zip(first, stop, strict=True)])
        position, velocity = self.columns(
            np.repeat(np.arange(len(first)), stop - first), self.time[samples]
        )
        return [
            Window(int(first[i]), int(stop[i]), position[..., begin:end], velocity[..., begin:end])
            for i, (begin, end) in enumerate(itertools.pairwise(edges))
        ]

    def _solve(self, windows: list[Window]) -> tuple[np.ndarray, np.ndarray]:
        """Weighted normal equations; p0, v0, a of each flight and axis are eliminated first, which
        leaves two parameters, g and k.
        """
        far = np.nan_to_num(np.abs(self.residuals)) / self.sigma[:, None]
        used = np.isfinite(self.position) & ~self.outliers
        weights = used / (np.maximum(1, far / self.options.huber) * self.sigma[:, None] ** 2)
        measured = np.where(used, self.position, 0.0)
        products, right = [], []
        for window, (start, stop) in zip(windows, self.spans, strict=True):
            columns = window.part(start, stop).position
            weighted = columns * weights[:, None, start:stop]
            products.append(weighted @ columns.swapaxes(1, 2))
            right.append(np.squeeze(weighted @ measured[:, start:stop, None], -1))
        normal, constant = np.concatenate(products), np.concatenate(right)
        precision = self.prior_sd**-2.0
        local = normal[:, 2:, 2:] + precision[2:].reshape(-1, 3, 1) * np.eye(3)
        # Unit diagonal before the inversion: lengths and speeds differ by powers of ten. Where
        # columns are parallel to rounding, as at absurd heights, the small multiple of the unit
        # matrix keeps an inverse.
        scale = 1 / np.sqrt(np.diagonal(local, axis1=1, axis2=2))
        inverse = np.linalg.inv(local * scale[:, :, None] * scale[:, None] + PARALLEL * np.eye(3))
        inverse = inverse * scale[:, :, None] * scale[:, None]
        effect = inverse @ normal[:, 2:, :2]  # of g and k on the local parameters
        alone = np.einsum("bij,bj->bi", inverse, constant[:, 2:])
        common = np.diag(precision[:2]) + np.sum(
            normal[:, :2, :2] - normal[:, :2, 2:] @ effect, axis=0
        )
        known = (precision * self.prior_mean)[:2] + np.sum(
            constant[:, :2] - np.einsum("bij,bj->bi", normal[:, :2, 2:], alone), axis=0
        )
        # The Schur complement for g and k, and its solution.
        inner, slopes = np.linalg.inv(common), effect.reshape(-1, 2)
        shared = inner @ known
        coupled = np.concatenate([np.eye(2), -slopes])
        covariance, blocks = coupled @ inner @ coupled.T, np.arange(len(inverse))
        covariance[2:, 2:].reshape(len(blocks), 3, len(blocks), 3)[blocks, :, blocks] += inverse
        return np.concatenate([shared, alone.ravel() - slopes @ shared]), covariance

    # ---- residuals, noise, tracking errors, ends

    @property
    def distortion(self) -> float:
        """Deviation [m] that lenses may give to a whole row of samples near the ground."""
        return (
            2
            * self.options.distortion
            * max(np.ptp(self.position[HEIGHT, start:stop]) for start, stop in self.spans)
        )

    def _residuals(self, windows: list[Window]) -> np.ndarray:
        residuals = np.full_like(self.position, np.nan)
        for window, (start, stop), indices in zip(windows, self.spans, self.indices, strict=True):
            fitted = np.squeeze(self.value[indices][:, None] @ window.part(start, stop).position, 1)
            residuals[:, start:stop] = self.position[:, start:stop] - fitted
        return residuals

    def _find_jumps(self, runs: Iterable[tuple[int, int]], away: np.ndarray) -> np.ndarray:
        """(n,) tracking errors among deviations (axes, n) in runs (start, stop) of samples.

        They are far from the flight, and far from their neighbours in the run or very far.
        """
        limit = np.maximum(self.options.outlier_sigmas * self.sigma, self.options.outlier_distance)[
            :, None
        ]
        very_far = self.distortion
        jumped = np.zeros(len(self.time), bool)
        for start, stop in runs:
            run = away[:, start:stop]
            padded = np.concatenate([run[:, :1], run, run[:, -1:]], axis=1)
            alone = np.abs(run - (padded[:, :-2] + padded[:, 2:]) / 2) > limit
            distance = np.abs(run)
            jumped[start:stop] |= np.any(
                (distance > limit) & (alone | (distance > very_far)), axis=0
            )
        return jumped

    def _sigma(self) -> np.ndarray:
        """(axes,) standard deviation of the residuals."""
        sigma = self.sigma.copy()
        for axis, residuals in enumerate(self.residuals):
            kept = residuals[~self.outliers & np.isfinite(residuals)]
            if len(kept) > 0:
                free = max(len(kept) - 2 * len(self.spans), 1) / len(kept)
                # A median of few may be far too small.
                few = len(kept) < 30
                deviation = np.sqrt(np.mean(kept**2)) if few else robust_deviation(kept)
                sigma[axis] = 1e-9 + deviation / np.sqrt(free)
        return sigma

    def _move_ends(self, windows: list[Window]) -> list[tuple[int, int]]:
        """Give every flight the samples it explains between the bounces beside it.

        Towards a bounce some distortion is forgiven; samples during a contact differ by more. Where
        nothing bounds the flight (release, catch, loss) means of five neighbours decide, in which a
        slow departure shows early.
        """
        slow = np.clip(lag_one_correlation(self.runs(HEIGHT)), 0, 1)
        independent = max(5 * (1 - slow) / (1 + slow), 1)  # of five neighbours
        limit = max(
            self.options.outlier_sigmas * self.sigma[HEIGHT],
            self.options.outlier_distance,
            self.distortion,
        )
        cuts = np.concatenate([[-np.inf], self.bounce_times(), [np.inf]])
        first, stop = (
            np.searchsorted(self.time, cuts[:-1]),
            np.searchsorted(self.time, cuts[1:], side="right"),
        )
        spans = list(self.spans)
        for flight, window in enumerate(windows):
            begin, end = max(window.first, int(first[flight])), min(window.stop, int(stop[flight]))
            if end - begin < MIN_SAMPLES:
                continue
            near = window.part(begin, end)
            inside = self._explain(flight, near, independent=independent, limit=limit)
            if len(inside) >= MIN_SAMPLES:
                spans[flight] = self._without_contact(
                    flight, near, int(inside[0]), int(inside[-1]) + 1
                )
        return spans

    def _explain(
        self, flight: int, near: Window, *, independent: float, limit: float
    ) -> np.ndarray:
        """The samples in the most consistent run that may be its ends."""
        time, columns, where = (
            self.time[near.first : near.stop],
            near.position[HEIGHT],
            self.indices[flight, HEIGHT],
        )
        residuals = self.position[HEIGHT, near.first : near.stop] - self.value[where] @ columns
        towards_bounce = np.where(
            time < self.centres[flight], flight > 0, flight + 1 < len(self.spans)
        )
        distortion = (
            self.options.distortion
            * np.ptp(self.position[HEIGHT, slice(*self.spans[flight])])
            * towards_bounce
        )
        uncertain = np.sum(self.covariance[np.ix_(where, where)] @ columns * columns, axis=0)
        deviation = np.sqrt(self.sigma[HEIGHT] ** 2 + uncertain + distortion**2)
        far = residuals / deviation
        means = np.convolve(np.clip(far, -5, 5), np.full(5, 1 / 5))[2 : len(far) + 2] * np.sqrt(
            independent
        )
        squares = np.where(towards_bounce, far, means) ** 2
        # A probable tracking error is no reason to end a flight.
        suspect = self.suspects[near.first : near.stop]
        squares = np.where(suspect, np.minimum(squares, 6), squares)
        start, stop = find_consistent_run(squares)
        # Ends are neither tracking errors nor a catch.
        allowed = np.where(towards_bounce, limit, 3 * deviation)
        return near.first + start + np.flatnonzero((np.abs(residuals) <= allowed)[start:stop])

    def _without_contact(self, flight: int, near: Window, start: int, stop: int) -> tuple[int, int]:
        """The ends of a flight without the samples during which the ball turns round in a
        contact.
        """
        value, samples = self.value[self.indices[flight, HEIGHT]], slice(near.first, near.stop)
        away = self.position[HEIGHT, samples] - value @ near.position[HEIGHT]
        motion = np.stack([self.time[samples], away, np.abs(value @ near.velocity[HEIGHT])])[
            :, start - near.first : stop - near.first
        ]
        while flight > 0 and motion.shape[1] > 2 * MIN_SAMPLES and self._is_turning(*motion):
            start, motion = start + 1, motion[:, 1:]
        while (
            flight + 1 < len(self.spans)
            and motion.shape[1] > 2 * MIN_SAMPLES
            and self._is_turning(*motion[:, ::-1])
        ):
            stop, motion = stop - 1, motion[:, :-1]
        return start, stop

    def _is_turning(self, time: np.ndarray, away: np.ndarray, speed: np.ndarray) -> bool:
        """Whether the ball leaves the flight upwards, towards the first of these samples, at more
        than a tenth of its speed: in contact.
        """
        for count in (5, 8, 12, 18, 27):  # as few as tell a tenth of the speed
            distance = np.abs(time[:count] - time[0])
            distance -= distance.mean()
            square = distance @ distance
            deviation = self.sigma[HEIGHT] / np.sqrt(square)
            if 4 * deviation < 0.1 * speed[0] or 3 * count > len(time):
                break
        return bool(-(distance @ away[:count]) / square > max(0.1 * speed[0], 4 * deviation))

    def allow_for_correlation(self) -> None:
        """Enlarge the covariance: deviations that last for several samples are fewer independent
        numbers.
        """
        slow = np.clip(lag_one_correlation(self.runs(HEIGHT)), 0, 0.9)
        self.covariance = self.covariance * (1 + slow) / (1 - slow)

    def runs(self, axis: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Times and residuals, along one of the measured axes, of the good samples of each
        flight.
        """
        good = ~self.outliers & np.isfinite(self.residuals[axis])
        inside = [start + np.flatnonzero(good[start:stop]) for start, stop in self.spans]
        return [(self.time[samples], self.residuals[axis, samples]) for samples in inside]

    def contacts(self) -> list[np.ndarray]:
        """Indices of the samples during each contact: above the flights before and after, not above
        what their speed allows.
        """
        return [self._contact(flight, time) for flight, time in enumerate(self.bounce_times())]

    def _contact(self, flight: int, time: float) -> np.ndarray:
        last, first = self.spans[flight][1] - 1, self.spans[flight + 1][0]
        between = np.arange(last + 1, first)
        before, after = self.predict([[flight], [flight + 1]], self.time[between])[0][HEIGHT]
        meeting, speed = (each[HEIGHT] for each in self.predict(flight, time))
        height, margin = self.position[HEIGHT, between], 3 * self.sigma[HEIGHT]
        top = meeting - speed * (self.time[first] - self.time[last])
        return between[(height > np.maximum(before, after) + margin) & (height < top + margin)]

    def tracking_errors(self) -> np.ndarray:
        """(n,) samples from the first to the last flight that are tracking errors, also those
        between flights that are not in contact.
        """
        bounces = np.searchsorted(self.time, self.bounce_times())
        edges = [self.spans[0][0], *bounces, self.spans[-1][1]]
        flight = np.searchsorted(bounces, np.arange(len(self.time)), side="right")
        errors = self._find_jumps(
            itertools.pairwise(edges), self.position - self.predict(flight, self.time)[0]
        )
        errors[np.concatenate([np.arange(0), *self.contacts()])] = False
        return errors

    # ---- bounces

    def bounce_times(self) -> np.ndarray:
        """When each flight and the next one are at the same height, by Newton's method between
        their middles.
        """
        ends = np.array(self.spans)
        sides = np.arange(len(ends) - 1) + np.array([[0], [1]])
        time = (self.time[ends[1:, 0]] + self.time[ends[:-1, 1] - 1]) / 2
        for _ in range(30):
            gap, closing = (np.subtract(*each[HEIGHT]) for each in self.predict(sides, time))
            before = time
            step = gap / np.where(closing == 0, 1, closing)
            time = np.clip(time - step, self.centres[:-1], self.centres[1:])
            # Of a step of 1e-6 s less than 1e-12 s remains, as heights are nearly parabolas.
            if np.all(np.abs(time - before) < 1e-6):
                break
        return time

    def bounces(self) -> list[Bounce]:
        """The bounce between each flight and the next one; all errors follow from the covariance of
        ``value``.
        """
        return [
            self._bounce(flight, float(time)) for flight, time in enumerate(self.bounce_times())
        ]

    def _bounce(self, flight: int, time: float) -> Bounce:
        (height, _), velocity = (
            each.T for each in self.predict(np.array([flight, flight + 1]), time)
        )
        (height_before, speed_before), (height_after, speed_after) = (
            self.gradients(flight, time),
            self.gradients(flight + 1, time),
        )
        down, up = velocity[:, HEIGHT]
        d_time = (height_before - height_after) / ((up - down) or 1e-12)
        velocities = np.full((2, 3), np.nan)
        velocities[:, self.axes] = velocity
        return Bounce(
            time=time,
            time_sd=self.deviation(d_time),
            height=float(height[HEIGHT]),
            height_sd=self.deviation(height_before + down * d_time),
            velocity_before=velocities[0],
            velocity_after=velocities[1],
            restitution=float(-up / down),
            restitution_sd=self.deviation(-speed_after / down + up / down**2 * speed_before),
        )

    def is_bounce(self, flight: int, bounce: Bounce) -> bool:
        """Whether two flights meet between their ends, soon, going down before and up after without
        a gain of speed.
        """
        before, after = (
            self.time[[start, stop - 1]] for start, stop in self.spans[flight : flight + 2]
        )
        frame = float(np.median(np.diff(self.time)))
        slack = 2 * frame + min(5 * bounce.time_sd, 0.2 * min(np.ptp(before), np.ptp(after)))
        return bool(
            before[1] - slack < bounce.time < after[0] + slack
            and after[0] - before[1] < max(4 * frame, (np.ptp(before) + np.ptp(after)) / 4)
            and 0.5 < self.value[0] / self.prior_mean[0] < 1.7
            and bounce.velocity_before[UP]
            < 0
            < bounce.restitution
            < 1.05 + 3 * min(bounce.restitution_sd, 0.1)
        )
