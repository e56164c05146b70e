"""All flights of one recording fitted together, and the bounces where neighbouring flights meet."""

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.interpolate import CubicHermiteSpline
from scipy.linalg import block_diag

from calibration.noise import lag_one_correlation, robust_deviation, rough_noise

MIN_SAMPLES = 4  # of a flight: two unknowns per axis (gravity is nearly known), two left to see whether they fit
UP = 2

ROUNDS, SETTLED = 12, 4  # of the iteration; before SETTLED neither the ends of flights nor the noise follow the residuals
HUBER = 2.5  # residuals further off than this many deviations weigh less
OUTLIER_SIGMAS, OUTLIER_DISTANCE = 6.0, 2e-3  # a tracking error is further off than both
DISTORTION = 5e-3  # of the height of a flight: what lenses do to it towards a bounce
GRAVITY_PRIOR, DRAG_PRIOR = 0.1, 0.2  # relative; 1/m
LIFT, TILT = 0.03, 0.05  # 1/m, m/s^2: constant acceleration of a flight is within TILT + LIFT * (sideways speed)^2


@dataclasses.dataclass(frozen=True)
class Bounce:
    """One bounce.

    Attributes:
        time, time_sd: when the two flights meet [s] (in the middle of a contact that lasts), and its standard deviation.
        height, height_sd: of the centre where they meet [m].
        velocity_before, velocity_after: (3,) [m/s], NaN where not measured.
        restitution, restitution_sd: ratio of the vertical speeds after and before.
    """

    time: float
    time_sd: float
    height: float
    height_sd: float
    velocity_before: np.ndarray
    velocity_after: np.ndarray
    restitution: float
    restitution_sd: float


def most_consistent_run(squares: np.ndarray) -> tuple[int, int]:
    """Start and stop of the run of samples with the largest sum of 6 - min(square, 24).

    ``squares`` are squared residuals over their variance: about 1 in a flight (up to 4 where the noise is twice the average), so that
    good samples add 5, and a flight passes over a tracking error when at least four good samples follow.
    """
    total = np.concatenate(([0.0], np.cumsum(6 - np.minimum(squares, 24))))
    lowest = np.minimum.accumulate(total)
    stop = int(np.argmax(total - lowest))
    return int(np.argmin(total[: stop + 1])), stop


class FlightFit:
    """Least squares for p = p0 + v0 tau + a tau^2/2 + g G + k D on every measured axis of every flight, tau from its middle.

    G = -tau^2/2 on the vertical axis, D = - double integral of |v| v along the flight. D depends on the flight itself and is updated
    between linear solves; this converges because drag changes the speed little within one flight. g and k are common to all flights,
    ``a`` (lift of a spinning ball, tilt of the camera) belongs to one; priors keep g, k and a near (gravity, 0, 0). Huber's weights keep
    tracking errors harmless. Drag that is not twice its standard deviation is set to zero; the covariance still allows for it.

    Args:
        time: (n,) [s].
        position: (n, 3) [m], z up, NaN where not measured; all heights are measured.
        spans: (start, stop) of each flight; the ends are moved to what the fit explains.
        gravity: expected [m/s^2].
        outliers: (n,) samples that probably are tracking errors: not used at first, and passed over when the ends are moved.

    Attributes:
        value, covariance: of g, k, and p0, v0, a of each axis of each flight.
        residuals: (n, 3) deviations from the flights, NaN outside.
        sigma: (3,) their standard deviation.
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
    ) -> None:
        self.time, self.position, self.spans = time, position, list(spans)
        self.axes = [axis for axis in range(3) if np.isfinite(position[:, axis]).sum() >= MIN_SAMPLES]
        self.centres = [(time[start] + time[stop - 1]) / 2 for start, stop in self.spans]
        self.size = 2 + 3 * len(self.spans) * len(self.axes)
        self.suspects = np.zeros(len(time), bool) if outliers is None else outliers
        self.outliers = self.suspects
        self.residuals = np.full_like(position, np.nan)
        self.value, self.covariance = np.zeros(self.size), np.zeros((self.size, self.size))
        self.prior_mean = np.concatenate(([gravity], np.zeros(self.size - 1)))
        self.prior_sd = np.concatenate(([GRAVITY_PRIOR * gravity, DRAG_PRIOR], *(self._local_prior(*span) for span in self.spans)))
        self.rough_sigma = np.full(3, np.nan)
        for axis in self.axes:
            finite = np.isfinite(position[:, axis])
            self.rough_sigma[axis] = 1e-9 + rough_noise(time[finite], position[finite, axis], acceleration=-gravity * (axis == UP))
        self.drag_curves = [self._no_drag(flight) for flight in range(len(self.spans))]
        self._iterate()
        drag, drag_sd = self.parameter(1)
        self.drag_determined = drag > 2 * drag_sd
        if not self.drag_determined:
            covariance = self.covariance
            self.prior_sd[1] = 1e-9
            self._iterate()
            self.covariance = covariance

    def _local_prior(self, start: int, stop: int) -> np.ndarray:
        """Standard deviations of p0, v0, a on each axis of one flight."""
        speeds = [0.0]
        for axis in set(self.axes) - {UP}:
            seen = start + np.flatnonzero(np.isfinite(self.position[start:stop, axis]))
            if len(seen) > 1:
                speeds.append((self.position[seen[-1], axis] - self.position[seen[0], axis]) / (self.time[seen[-1]] - self.time[seen[0]]))
        return np.tile([1e6, 1e6, TILT + LIFT * np.sum(np.square(speeds))], len(self.axes))

    def _iterate(self) -> None:
        self.sigma = self.rough_sigma.copy()  # an axis that fits badly at first would lose its weight for ever
        for round_ in range(ROUNDS):
            if round_ > 0:
                self.drag_curves = [self._drag_curve(flight) for flight in range(len(self.spans))]
            self._solve()
            self._update_residuals(reject=round_ > SETTLED)
            if round_ >= SETTLED:
                self._update_sigma()
            if SETTLED <= round_ < ROUNDS - 2:
                self._move_ends()
                self._update_residuals(reject=True)  # new samples get their weights before they count

    # ---- the linear model

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
        """Position [m] or velocity [m/s] of a flight, also beyond its ends."""
        return self.columns(flight, axis, time, derivative) @ self.value[self.indices(flight, axis)]

    def gradient(self, flight: int, axis: int, time: float, derivative: int = 0) -> np.ndarray:
        """Derivative of ``predict`` with respect to all of ``value``."""
        full = np.zeros(self.size)
        full[self.indices(flight, axis)] = self.columns(flight, axis, time, derivative)
        return full

    def deviation(self, gradient: np.ndarray) -> float:
        """Standard deviation of a quantity with this derivative with respect to ``value``."""
        return float(np.sqrt(gradient @ self.covariance @ gradient))

    def parameter(self, index: int) -> tuple[float, float]:
        """Apparent gravity (0) or drag k (1), and its standard deviation."""
        return float(self.value[index]), float(np.sqrt(self.covariance[index, index]))

    def reach(self, flight: int) -> tuple[float, float]:
        """Times between which a flight may extend: half its length beyond its ends, and over the gap to its neighbours."""
        first, last = self.time[self.spans[flight][0]], self.time[self.spans[flight][1] - 1]
        early, late = first - (last - first) / 2, last + (last - first) / 2
        if flight > 0:
            early = min(early, self.time[self.spans[flight - 1][1] - 1])
        if flight + 1 < len(self.spans):
            late = max(late, self.time[self.spans[flight + 1][0]])
        return float(early), float(late)

    def _no_drag(self, flight: int) -> CubicHermiteSpline:
        zero = np.zeros((2, len(self.axes)))
        return CubicHermiteSpline(self.centres[flight] + np.array([-1.0, 1.0]), zero, zero)

    def _drag_curve(self, flight: int) -> CubicHermiteSpline:
        """D along the present solution, with value and slope zero in the middle."""
        early, late = self.reach(flight)
        centre = self.centres[flight]
        grid = centre + np.linspace(-1, 1, 401) * max(centre - early, late - centre)
        velocity = np.stack([self.predict(flight, axis, grid, 1) for axis in self.axes], axis=1)
        slowing = -np.linalg.norm(velocity, axis=1, keepdims=True) * velocity
        slope = cumulative_simpson(slowing, x=grid, axis=0, initial=0)
        slope -= slope[200]
        shift = cumulative_simpson(slope, x=grid, axis=0, initial=0)
        return CubicHermiteSpline(grid, shift - shift[200], slope)

    def _solve(self) -> None:
        """Weighted normal equations; p0, v0, a of each flight and axis are eliminated first, which leaves two unknowns, g and k."""
        products, right = [], []
        for flight, (start, stop) in enumerate(self.spans):
            for axis in self.axes:
                used = start + np.flatnonzero(np.isfinite(self.position[start:stop, axis]) & ~self.outliers[start:stop])
                columns = self.columns(flight, axis, self.time[used])
                far = np.nan_to_num(np.abs(self.residuals[used, axis])) / self.sigma[axis]
                weighted = columns.T / (np.maximum(1, far / HUBER) * self.sigma[axis] ** 2)
                products.append(weighted @ columns)
                right.append(weighted @ self.position[used, axis])
        normal, constant = np.array(products), np.array(right)
        precision = self.prior_sd**-2.0
        local = normal[:, 2:, 2:] + precision[2:].reshape(-1, 3, 1) * np.eye(3)
        scale = 1 / np.sqrt(np.diagonal(local, axis1=1, axis2=2))  # unit diagonal: lengths and speeds differ by powers of ten
        inverse = np.linalg.inv(local * scale[:, :, None] * scale[:, None]) * scale[:, :, None] * scale[:, None]
        effect = inverse @ normal[:, 2:, :2]  # of g and k on the local unknowns
        alone = np.einsum("bij,bj->bi", inverse, constant[:, 2:])
        common = np.diag(precision[:2]) + np.sum(normal[:, :2, :2] - normal[:, :2, 2:] @ effect, axis=0)
        known = (precision * self.prior_mean)[:2] + np.sum(constant[:, :2] - np.einsum("bij,bj->bi", normal[:, :2, 2:], alone), axis=0)
        spread, slopes = np.linalg.inv(common), effect.reshape(-1, 2)
        shared = spread @ known
        self.value = np.concatenate([shared, alone.ravel() - slopes @ shared])
        coupled = np.concatenate([np.eye(2), -slopes])
        self.covariance = coupled @ spread @ coupled.T
        self.covariance[2:, 2:] += block_diag(*inverse)

    # ---- residuals, noise, tracking errors, ends

    @property
    def distortion(self) -> float:
        """Deviation [m] that lenses may give to a whole row of samples near the ground."""
        return 2 * DISTORTION * max(np.ptp(self.position[start:stop, UP]) for start, stop in self.spans)

    def _jumps(self, away: np.ndarray, axis: int) -> np.ndarray:
        """Which of these successive deviations are tracking errors: far from the flight, and from their neighbours or very far."""
        limit = max(OUTLIER_SIGMAS * self.sigma[axis], OUTLIER_DISTANCE)
        padded = np.pad(away, 1, mode="edge")
        alone = np.abs(away - (padded[:-2] + padded[2:]) / 2) > limit
        return (np.abs(away) > limit) & (alone | (np.abs(away) > self.distortion))

    def _update_residuals(self, *, reject: bool) -> None:
        self.residuals[:] = np.nan
        jumped = np.zeros(len(self.time), bool)
        for flight, (start, stop) in enumerate(self.spans):
            for axis in self.axes:
                away = self.position[start:stop, axis] - self.predict(flight, axis, self.time[start:stop])
                self.residuals[start:stop, axis] = away
                jumped[start:stop] |= self._jumps(away, axis)
        if reject:
            self.outliers = jumped

    def _update_sigma(self) -> None:
        for axis in self.axes:
            kept = self.residuals[~self.outliers & np.isfinite(self.residuals[:, axis]), axis]
            if len(kept) > 0:
                free = max(len(kept) - 2 * len(self.spans), 1) / len(kept)
                spread = robust_deviation(kept) if len(kept) >= 30 else np.sqrt(np.mean(kept**2))  # a median of few may be far too small
                self.sigma[axis] = 1e-9 + spread / np.sqrt(free)

    def _move_ends(self) -> None:
        """Give every flight the samples it explains between the bounces beside it.

        Towards a bounce some distortion is forgiven; samples during a contact differ by more. Where nothing bounds the flight (release,
        catch, loss) means of five neighbours decide, in which a slow departure shows early.
        """
        slow = np.clip(lag_one_correlation(self.runs(UP)), 0, 1)
        independent = max(5 * (1 - slow) / (1 + slow), 1)  # of five neighbours
        cuts = [-np.inf, *(self.bounce_time(flight) for flight in range(len(self.spans) - 1)), np.inf]
        for flight, span in enumerate(list(self.spans)):
            early, late = self.reach(flight)
            first = int(np.searchsorted(self.time, max(early, cuts[flight])))
            last = int(np.searchsorted(self.time, min(late, cuts[flight + 1]), side="right"))
            time, where = self.time[first:last], self.indices(flight, UP)
            columns = self.columns(flight, UP, time)
            residuals = self.position[first:last, UP] - columns @ self.value[where]
            towards_bounce = np.where(time < self.centres[flight], flight > 0, flight + 1 < len(self.spans))
            distortion = DISTORTION * np.ptp(self.position[slice(*span), UP]) * towards_bounce
            variance = self.sigma[UP] ** 2 + np.sum(columns @ self.covariance[np.ix_(where, where)] * columns, axis=1) + distortion**2
            far = residuals / np.sqrt(variance)
            means = np.convolve(np.clip(far, -5, 5), np.full(5, 1 / 5))[2 : len(far) + 2] * np.sqrt(independent)
            squares = np.where(towards_bounce, far, means) ** 2
            squares[self.suspects[first:last]] = np.minimum(squares[self.suspects[first:last]], 6)  # no reason to end a flight
            start, stop = most_consistent_run(squares)
            limit = max(OUTLIER_SIGMAS * self.sigma[UP], OUTLIER_DISTANCE, self.distortion)
            allowed = np.where(towards_bounce, limit, 3 * np.sqrt(variance))  # ends are neither tracking errors nor a catch
            inside = first + start + np.flatnonzero((np.abs(residuals) <= allowed)[start:stop])
            if len(inside) >= MIN_SAMPLES:
                self.spans[flight] = self._without_contact(flight, int(inside[0]), int(inside[-1]) + 1)

    def _without_contact(self, flight: int, start: int, stop: int) -> tuple[int, int]:
        while flight > 0 and stop - start > 2 * MIN_SAMPLES and self._is_turning(flight, np.arange(start, stop)):
            start += 1
        while flight + 1 < len(self.spans) and stop - start > 2 * MIN_SAMPLES and self._is_turning(flight, np.arange(start, stop)[::-1]):
            stop -= 1
        return start, stop

    def _is_turning(self, flight: int, samples: np.ndarray) -> bool:
        """Whether the ball leaves the flight upwards, towards the first of these samples, at more than a tenth of its speed: in contact."""
        speed = np.abs(self.predict(flight, UP, self.time[samples[0]], 1))
        for count in (5, 8, 12, 18, 27):  # as few as tell a tenth of the speed
            near = samples[:count]
            distance = np.abs(self.time[near] - self.time[near[0]])
            distance = distance - distance.mean()
            deviation = self.sigma[UP] / np.linalg.norm(distance)
            if 4 * deviation < 0.1 * speed or 3 * count > len(samples):
                break
        away = self.position[near, UP] - self.predict(flight, UP, self.time[near])
        return bool(-np.sum(distance * away) / np.sum(distance**2) > max(0.1 * speed, 4 * deviation))

    def allow_for_correlation(self) -> None:
        """Enlarge the covariance: deviations that last for several samples are fewer independent numbers."""
        slow = np.clip(lag_one_correlation(self.runs(UP)), 0, 0.9)
        self.covariance = self.covariance * (1 + slow) / (1 - slow)

    def runs(self, axis: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Times and residuals of the good samples of each flight."""
        found = []
        for span in self.spans:
            inside = np.arange(*span)
            inside = inside[~self.outliers[inside] & np.isfinite(self.residuals[inside, axis])]
            found.append((self.time[inside], self.residuals[inside, axis]))
        return found

    def contact_samples(self, flight: int) -> np.ndarray:
        """Indices of the samples during the contact after a flight: above both flights, not above what their speed allows."""
        last, first = self.spans[flight][1] - 1, self.spans[flight + 1][0]
        between, meeting = np.arange(last + 1, first), self.bounce_time(flight)
        before, after = (self.predict(side, UP, self.time[between]) for side in (flight, flight + 1))
        top = self.predict(flight, UP, meeting) - self.predict(flight, UP, meeting, 1) * (self.time[first] - self.time[last])
        height, margin = self.position[between, UP], 3 * self.sigma[UP]
        return between[(height > np.maximum(before, after) + margin) & (height < top + margin)]

    def tracking_errors(self) -> np.ndarray:
        """(n,) samples from the first to the last flight that are tracking errors, also those between flights that are not in contact."""
        errors = np.zeros(len(self.time), bool)
        bounces = [int(np.searchsorted(self.time, self.bounce_time(flight))) for flight in range(len(self.spans) - 1)]
        for flight, (start, stop) in enumerate(itertools.pairwise([self.spans[0][0], *bounces, self.spans[-1][1]])):
            for axis in self.axes:
                away = self.position[start:stop, axis] - self.predict(flight, axis, self.time[start:stop])
                errors[start:stop] |= self._jumps(away, axis)
        for flight in range(len(self.spans) - 1):
            errors[self.contact_samples(flight)] = False
        return errors

    # ---- bounces

    def bounce_time(self, flight: int) -> float:
        """When flight ``flight`` and the next one are at the same height, by Newton's method between their middles."""
        last, first = self.time[self.spans[flight][1] - 1], self.time[self.spans[flight + 1][0]]
        time = (first + last) / 2
        for _ in range(30):
            gap = self.predict(flight, UP, time) - self.predict(flight + 1, UP, time)
            closing = self.predict(flight, UP, time, 1) - self.predict(flight + 1, UP, time, 1)
            before, time = time, np.clip(time - gap / (closing or 1.0), *self.centres[flight : flight + 2])
            if abs(time - before) < 1e-12:
                break
        return float(time)

    def bounce(self, flight: int) -> Bounce:
        """The bounce between flight ``flight`` and the next one; all errors follow from the covariance of ``value``."""
        time = self.bounce_time(flight)
        down, up = (float(self.predict(f, UP, time, 1)) for f in (flight, flight + 1))
        d_time = (self.gradient(flight, UP, time) - self.gradient(flight + 1, UP, time)) / ((up - down) or 1e-12)
        d_height = self.gradient(flight, UP, time) + down * d_time
        d_ratio = -self.gradient(flight + 1, UP, time, 1) / down + up / down**2 * self.gradient(flight, UP, time, 1)
        velocities = np.full((2, 3), np.nan)
        for axis in self.axes:
            velocities[:, axis] = [self.predict(f, axis, time, 1) for f in (flight, flight + 1)]
        return Bounce(
            time=time,
            time_sd=self.deviation(d_time),
            height=float(self.predict(flight, UP, time)),
            height_sd=self.deviation(d_height),
            velocity_before=velocities[0],
            velocity_after=velocities[1],
            restitution=-up / down,
            restitution_sd=self.deviation(d_ratio),
        )

    def is_bounce(self, flight: int) -> bool:
        """Whether two flights meet between their ends, soon, going down before and up after without a gain of speed."""
        bounce = self.bounce(flight)
        before, after = (self.time[[start, stop - 1]] for start, stop in self.spans[flight : flight + 2])
        frame = float(np.median(np.diff(self.time)))
        slack = 2 * frame + min(5 * bounce.time_sd, 0.2 * min(np.ptp(before), np.ptp(after)))
        return bool(
            before[1] - slack < bounce.time < after[0] + slack
            and after[0] - before[1] < max(4 * frame, (np.ptp(before) + np.ptp(after)) / 4)
            and 0.5 < self.value[0] / self.prior_mean[0] < 1.7
            and bounce.velocity_before[UP] < 0 < bounce.restitution < 1.05 + 3 * min(bounce.restitution_sd, 0.1)
        )
