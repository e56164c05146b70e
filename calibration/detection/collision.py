"""The collision of two bodies in their recorded paths: when it is, how they moved before, and what
restitution and friction it shows at first sight.

Between collisions both move on straight lines, or on parabolas of the same gravity, which becomes a
line where ``g t^2 / 2`` is added. The time at which two lines for each coordinate, one before and
one after, fit best is that of the collision.
"""

import dataclasses
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from calibration.detection.noise import estimate_noise
from calibration.errors import InputError

SURE = 30.0
"""Drop of chi-squared for each further number, from which on a motion is said to change."""

DOUBTFUL = 5.0
"""Standard deviations of a distance within which it agrees with the sum of the radii."""

WORSE = 0.1
"""Part of the misfit of free motions that another gravity leaves, from which on that is meant."""

USUAL_GRAVITY = 9.81
"""[m/s^2]."""

MOST_OFF = 0.1
"""Part of the sum of the radii by which the distance of the centres may be another."""

LEAST_BEFORE, LEAST_AFTER = 3, 2
"""Samples that tell how a body moves."""

Line = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Value at a time, slope, and variance of the slope over that of the noise; each (2, 3)."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class DetectedCollision:
    """What two paths show of their collision.

    Attributes:
        start: time of the first sample [s].
        position: of both bodies then [m], zero along axes that were not measured.
        velocity: of both bodies then [m/s].
        touch: when they touch [s].
        approach_speed: of the centres along their line [m/s].
        slip_speed: of the centres across it [m/s].
        restitution: of the speeds along the line of centres, NaN where one body is not seen after
            the collision; ``restitution_sd`` its standard deviation.
        impulse_ratio: tangential over normal impulse, a lower limit of the friction coefficient;
            ``impulse_ratio_sd`` its standard deviation.
        mass_ratio: mass of the second body over that of the first, from the changes of their
            velocities; NaN where one is not seen after. ``mass_ratio_sd`` its standard deviation.
        distance: of the centres when the motion changes [m], which should be the sum of the radii;
            ``distance_sd`` its standard deviation.
        noise: of the positions of each body [m].
        before, after: samples of each body.
        slowing: largest deceleration of a body along its path before or after [m/s^2], zero where
            it is not seen.

    Example:
        Two pucks of 30 mm; the first hits the second, which rests, and stops:

        >>> time = np.arange(0.0, 0.2, 0.01)
        >>> position = np.full((20, 2, 3), np.nan)
        >>> position[:, 0, 0] = np.minimum(time, 0.1)
        >>> position[:, 1, 0] = 0.16 + np.maximum(time - 0.1, 0.0)
        >>> position[:, :, 1] = 0.0
        >>> found = cal.detection.detect_collision(time, position, radii=(0.03, 0.03), gravity=0.0)
        >>> round(found.touch, 3), round(found.restitution, 3), round(found.mass_ratio, 3)
        (0.1, 1.0, 1.0)
    """

    start: float
    position: Annotated[NDArray[np.float64], "2 3"]
    velocity: Annotated[NDArray[np.float64], "2 3"]
    touch: float
    approach_speed: float
    slip_speed: float
    restitution: float
    restitution_sd: float
    impulse_ratio: float
    impulse_ratio_sd: float
    mass_ratio: float
    mass_ratio_sd: float
    noise: Annotated[NDArray[np.float64], "2"]
    before: tuple[int, int]
    after: tuple[int, int]
    slowing: float
    distance: float = np.nan
    distance_sd: float = np.nan

    @property
    def seen_after(self) -> tuple[bool, bool]:
        """Whether each body shows how it moves after the collision."""
        first, second = (count >= LEAST_AFTER for count in self.after)
        return first, second


def detect_collision(
    time: NDArray[np.float64],
    position: NDArray[np.float64],
    *,
    radii: tuple[float, float],
    gravity: float,
    path: str | None = None,
) -> DetectedCollision:
    """Find the collision of two bodies.

    Args:
        time: of the samples (n,) [s].
        position: of the centres (n, 2, 3) [m], NaN where not measured.
        radii: of both [m].
        gravity: acceleration of free fall along -z [m/s^2], 0 on a level table.
        path: the file, for errors.

    Returns:
        How the bodies move before it, and what it shows.

    Raises:
        InputError: the bodies never come closer, pass each other, all samples are before or after
            the collision, the radii do not fit the distance at which the motion changes.

    Example:
        Two gliders on a track, of which one rests:

        >>> time = np.arange(0.0, 0.2, 0.01)
        >>> position = np.full((20, 2, 3), np.nan)
        >>> position[:, 0, 0] = np.minimum(time, 0.1) + 0.2 * np.maximum(time - 0.1, 0.0)
        >>> position[:, 1, 0] = 0.16 + 0.8 * np.maximum(time - 0.1, 0.0)
        >>> found = cal.detection.detect_collision(time, position, radii=(0.03, 0.03), gravity=0.0)
        >>> print(f"e = {found.restitution:.2f}, m2/m1 = {found.mass_ratio:.2f}")
        e = 0.60, m2/m1 = 1.00
    """
    search = _Search(time, position, radii=radii, gravity=gravity, path=path)
    split = search.split()
    before, after = search.lines(slice(0, split)), search.lines(slice(split, None))
    touch, distance, deviation = search.touch_time(before, after)
    found = search.collision(before, after, touch, split)
    return dataclasses.replace(found, distance=distance, distance_sd=deviation)


class _Search:
    """The data of a search: positions in the falling frame, their noise, the sum of the radii."""

    def __init__(
        self,
        time: NDArray[np.float64],
        position: NDArray[np.float64],
        *,
        radii: tuple[float, float],
        gravity: float,
        path: str | None,
    ) -> None:
        self.path, self.reach, self.gravity = path, float(sum(radii)), gravity
        seen = np.isfinite(position)
        both = seen.any(axis=(1, 2))
        self.time, self.start = time[both], float(time[both][0])
        self.measured = seen.any(axis=0).all(axis=0)
        self.elapsed = self.time - self.start
        falling = np.array(position[both])
        falling[:, :, 2] += gravity / 2 * self.elapsed[:, None] ** 2
        falling[:, :, ~self.measured] = np.nan
        self.falling = falling
        self.noise = np.array([self._noise(body) for body in (0, 1)])
        self._check_start()
        self._check_gravity()

    def _noise(self, body: int) -> float:
        found = []
        for axis in np.flatnonzero(self.measured):
            values = self.falling[:, body, axis]
            seen = np.isfinite(values)
            found.append(estimate_noise(self.elapsed[seen], values[seen], acceleration=0.0))
        size = float(np.nanmax(np.abs(self.falling[:, body])))
        return max(float(np.sqrt(np.mean(np.square(found)))), 1e-9 * size, 1e-9 * self.reach)

    @property
    def _distance_noise(self) -> float:
        return float(np.linalg.norm(self.noise))

    def _apart(self) -> NDArray[np.float64]:
        """Distance of the centres at each sample, NaN where one was not seen."""
        between = self.falling[:, 1] - self.falling[:, 0]
        return np.linalg.norm(between[:, self.measured], axis=1)

    def _check_start(self) -> None:
        apart = self._apart()
        known = np.flatnonzero(np.isfinite(apart))
        if known.size == 0:
            raise self._error(
                "no sample shows both bodies",
                remedy="Give times at which both were seen, before the collision at least.",
            )
        first = apart[known[0]]
        if first < self.reach - DOUBTFUL * self._distance_noise:
            raise self._error(
                f"at the first sample the centres are {1e3 * first:.3g} mm apart, but the radii "
                f"make {1e3 * self.reach:.3g} mm: the bodies would overlap",
                remedy="Give radii (half the diameters) in metres, and positions of the centres; "
                "check the unit of the lengths.",
            )

    def _check_gravity(self) -> None:
        """Lines before and after must fit better than with another gravity."""
        fall = np.zeros((len(self.elapsed), 1, 3))
        if self.gravity > 0:
            fall[:, 0, 2] = -self.gravity / 2 * self.elapsed**2
            others, problem = [fall], "they fit lines"
            remedy = "Give --gravity 0 for bodies on a level table; else check the vertical axis "
            remedy += "(--vertical), the unit of the lengths and the times."
        else:
            axis = int(np.flatnonzero(self.measured)[-1])
            fall[:, 0, axis] = USUAL_GRAVITY / 2 * self.elapsed**2
            others, problem = [fall, -fall], f"they fall as with {USUAL_GRAVITY:g} m/s^2"
            remedy = f"Give --gravity {USUAL_GRAVITY:g}."
        given = float(np.min(self._misfits(self.falling)[1]))
        for other in others:
            if float(np.min(self._misfits(self.falling + other)[1])) < WORSE * given:
                raise self._error(
                    f"with gravity = {self.gravity:g} m/s^2 the motion does not look free; "
                    f"{problem}",
                    remedy=remedy,
                )

    def lines(self, part: slice) -> Line:
        """A straight line through the samples of a part, for each coordinate of each body."""
        value, slope, variance = (np.zeros((2, 3)) for _ in range(3))
        for body in (0, 1):
            for axis in np.flatnonzero(self.measured):
                values = self.falling[part, body, axis]
                seen = np.isfinite(values)
                t, q = self.elapsed[part][seen], values[seen]
                if t.size < LEAST_AFTER:
                    value[body, axis], slope[body, axis] = np.nan, np.nan
                    variance[body, axis] = np.inf
                    continue
                centred = t - t.mean()
                spread = float(centred @ centred)
                slope[body, axis] = centred @ q / spread
                value[body, axis] = q.mean() - slope[body, axis] * t.mean()
                variance[body, axis] = 1 / spread
        return value, slope, variance

    def _counts(self) -> NDArray[np.int64]:
        """Samples of each body before each sample, (n + 1, 2)."""
        seen = np.isfinite(self.falling[:, :, self.measured]).all(axis=2)
        return np.concatenate([np.zeros((1, 2), dtype=int), np.cumsum(seen, axis=0)])

    def _misfits(self, falling: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Chi-squared of one line for each coordinate, and that of two for each split (n + 1,)."""
        whole, parts = 0.0, np.zeros(len(self.elapsed) + 1)
        for body in (0, 1):
            for axis in np.flatnonzero(self.measured):
                q = falling[:, body, axis]
                seen = np.isfinite(q)
                t = np.where(seen, self.elapsed - self.elapsed.mean(), 0.0)
                q = np.where(seen, q - np.nanmean(q), 0.0)
                sums = np.stack([seen, t, q, t * t, t * q, q * q], axis=1)
                until = np.concatenate([np.zeros((1, 6)), np.cumsum(sums, axis=0)])
                weight = 1 / self.noise[body] ** 2
                whole += weight * float(_square(until[-1:])[0])
                parts += weight * (_square(until) + _square(until[-1] - until))
        return whole, parts

    def split(self) -> int:
        """The first sample after the collision."""
        whole, parts = self._misfits(self.falling)
        before = self._counts()
        after = before[-1] - before
        usable = (before >= LEAST_BEFORE).all(axis=1) & (after >= LEAST_AFTER).any(axis=1)
        axes = int(self.measured.sum())
        chosen = int(np.argmin(np.where(usable, parts, np.inf))) if usable.any() else 0
        if usable.any() and whole - parts[chosen] > SURE * 2 * axes:
            return chosen
        raise self._no_change(before[-1])

    def _no_change(self, counts: NDArray[np.int64]) -> InputError:
        """Why nothing changes in these paths."""
        value, slope, variance = self.lines(slice(None))
        apart, closing = value[1] - value[0], slope[1] - slope[0]
        deviation = np.sqrt(np.max(np.where(np.isfinite(variance), variance, 0.0)))
        last = self.elapsed[-1]
        ends = [float(np.linalg.norm(apart + closing * t)) for t in (0.0, last)]
        shown = (
            f"the centres are {1e3 * ends[0]:.3g} mm apart at first and {1e3 * ends[1]:.3g} mm at "
            f"last, the radii make {1e3 * self.reach:.3g} mm"
        )
        nearest = -float(apart @ closing) / max(float(closing @ closing), 1e-300)
        still = np.linalg.norm(closing) < DOUBTFUL * deviation * self._distance_noise
        if np.min(counts) < LEAST_BEFORE or still or nearest <= 0.0:
            return self._error(
                f"the bodies never come closer: {shown}",
                remedy="Either there is no collision in this file, or all samples are after it. "
                f"Give at least {LEAST_BEFORE} samples of both bodies before the collision.",
            )
        if nearest >= last:
            return self._error(
                f"all samples are before the collision: the bodies come closer, and {shown}",
                remedy="Give samples after the collision, of both bodies.",
            )
        closest = 1e3 * float(np.linalg.norm(apart + closing * nearest))
        return self._error(
            "no collision changes the motion: the bodies pass each other with their centres "
            f"{closest:.3g} mm apart",
            remedy=f"The radii make {1e3 * self.reach:.3g} mm. Leave the file out, or correct the "
            "radii or the unit of the lengths.",
        )

    def change(self, before: Line, after: Line) -> tuple[float, float]:
        """When the lines before and after meet best, and its standard deviation [s since the
        start].
        """
        weight = 1 / self.noise[:, None] ** 2
        jump, bend = after[0] - before[0], after[1] - before[1]
        seen = np.isfinite(jump) & np.isfinite(bend)
        jump, bend = np.where(seen, jump, 0.0), np.where(seen, bend, 0.0)
        turned = float(np.sum(weight * bend**2))
        moment = -float(np.sum(weight * jump * bend)) / turned
        variance = np.where(seen, before[2] + after[2], 0.0)
        # A line is known at its end four times worse than its mean: spread = n T^2/12.
        span = float(self.elapsed[-1])
        return moment, float(np.sqrt(np.max(variance) / 3 * span**2 / 4 / turned))

    def touch_time(self, before: Line, after: Line) -> tuple[float, float, float]:
        """When the bodies touch [s since the start], and the distance of the centres when their
        motion changes, which must be the sum of the radii, with its standard deviation.
        """
        apart, closing = before[0][1] - before[0][0], before[1][1] - before[1][0]
        change, sd = self.change(before, after)
        distance = float(np.linalg.norm(apart + closing * change))
        a, b = float(closing @ closing), float(apart @ closing)
        if a == 0.0 or b >= 0.0:
            raise self._error(
                "the bodies never come closer before their motion changes at "
                f"{self.start + change:.4g} s",
                remedy="There is no collision of the two in this file: one of them hit something "
                "else, or all samples are after it.",
            )
        root = b * b - a * (float(apart @ apart) - self.reach**2)
        deviation = float(np.hypot(self._distance_noise, np.sqrt(a) * sd))
        off = abs(distance - self.reach) > max(DOUBTFUL * deviation, MOST_OFF * self.reach)
        if off or root < 0:
            raise self._error(
                f"the motion changes at {self.start + change:.4g} s, when the centres are "
                f"{1e3 * distance:.3g} mm apart, but the radii make {1e3 * self.reach:.3g} mm",
                remedy="Give radii (half the diameters) in metres, and positions of the centres; "
                "check the unit of the lengths. With several collisions in a file, keep one.",
            )
        return float((-b - np.sqrt(root)) / a), distance, deviation

    def collision(self, before: Line, after: Line, touch: float, split: int) -> DetectedCollision:
        """What the lines before and after show."""
        counts = self._counts()
        apart = before[0][1] - before[0][0] + (before[1][1] - before[1][0]) * touch
        normal = apart / np.linalg.norm(apart)
        change = after[1] - before[1]
        variance = self.noise[:, None] ** 2 * (before[2] + after[2])
        along = change @ normal
        # The impulse of each body is opposite to that of the other: the better seen one tells it.
        scatter = np.where(np.isfinite(along), np.max(variance, axis=1), np.inf)
        body = int(np.argmin(scatter / np.maximum(np.nan_to_num(along) ** 2, 1e-300)))
        across = change[body] - along[body] * normal
        deviation = np.sqrt(scatter) / np.maximum(np.abs(along), 1e-300)
        closing = before[1][1] - before[1][0]
        approach = -float(closing @ normal)
        both = bool(np.isfinite(along).all())
        leaving = float((after[1][1] - after[1][0]) @ normal) if both else np.nan
        ratio = float(-along[0] / along[1]) if both and along[1] else np.nan
        return DetectedCollision(
            start=self.start,
            position=before[0],
            velocity=before[1],
            touch=self.start + touch,
            approach_speed=approach,
            slip_speed=float(np.linalg.norm(closing + approach * normal)),
            restitution=leaving / approach,
            restitution_sd=float(np.sqrt(scatter.sum())) / approach if both else np.nan,
            impulse_ratio=float(np.linalg.norm(across) / max(abs(along[body]), 1e-300)),
            impulse_ratio_sd=float(deviation[body]),
            mass_ratio=ratio,
            mass_ratio_sd=abs(ratio) * float(np.linalg.norm(deviation)) if both else np.nan,
            noise=self.noise,
            before=(int(counts[split, 0]), int(counts[split, 1])),
            after=tuple(int(n) for n in counts[-1] - counts[split]),  # type: ignore[arg-type]
            slowing=self._slowing(split),
        )

    def _slowing(self, split: int) -> float:
        """The largest deceleration that is surely there."""
        largest = 0.0
        for part in (slice(0, split), slice(split, None)):
            for body in (0, 1):
                axes = np.flatnonzero(self.measured)
                seen = np.isfinite(self.falling[part, body][:, axes]).all(axis=1)
                t, q = self.elapsed[part][seen], self.falling[part, body][seen][:, axes]
                if t.size < 6:
                    continue
                centred = t - t.mean()
                basis = np.stack([np.ones_like(t), centred, centred**2], axis=1)
                found, *_ = np.linalg.lstsq(basis, q, rcond=None)
                sd = self.noise[body] * np.sqrt(np.linalg.inv(basis.T @ basis)[2, 2])
                speed = float(np.linalg.norm(found[1]))
                bend = float(found[2] @ found[1]) / speed if speed > 0 else 0.0
                if -bend > DOUBTFUL * sd:
                    largest = max(largest, -2 * bend)
        return largest

    def _error(self, problem: str, *, remedy: str) -> InputError:
        return InputError(problem, remedy=remedy, path=self.path)


def _square(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of squares about the best lines, from sums of 1, t, q, t^2, t q and q^2 (k, 6)."""
    n, t, q, tt, tq, qq = sums.T
    count = np.maximum(n, 1.0)
    stt, stq, sqq = tt - t * t / count, tq - t * q / count, qq - q * q / count
    slope = np.where(stt > 0, stq / np.where(stt > 0, stt, 1.0), 0.0)
    return np.maximum(sqq - slope * stq, 0.0)
