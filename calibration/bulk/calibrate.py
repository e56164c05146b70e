"""Coefficients of a simulation from bulk experiments, with a table of its runs in place of the
simulation.

Where the motion is chaotic, derivatives through it say nothing of its averages. A smooth curve
through some dozens of runs does (an emulator: Kennedy and O'Hagan, J. R. Statist. Soc. B 63 (2001)
425-464), and its own uncertainty stands beside that of the measurement.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.bulk.calibrated import BulkCalibration, Coefficient, Reproduced
from calibration.bulk.measured import Measured
from calibration.bulk.runs import Runs
from calibration.errors import InputError
from calibration.uncertainty.gaussian_process import GaussianProcess

Floats = NDArray[np.float64]

POINTS, MOST_POINTS = 13, 18
"""Powers of two of the points among which those that agree are looked for: first, and where drawing
the box closer does not help.
"""
ENOUGH, MOST_ZOOMS = 400.0, 30
"""Effective number of points that agree, and how often the box is drawn closer around them."""
CLOSER = 1.5
"""A box around two islands does not get smaller: where the next one is not that much closer (by the
power below), points are doubled.
"""
NOTHING, FLAT_NOTHING = 9.0, 5.0
"""Logarithm of the likelihood below the best at which a point does not count; of a flattened one,
whose tails count less still once it is steeper.
"""
DRAWS, NEXT = 4000, 8
END, SOME = 0.05, 0.05
"""An end of a range is not excluded where that part of the range at it has this probability."""
NARROWER = 0.5
"""A coefficient is determined where its standard deviation is at most this part of the one that the
range of the runs has by itself.
"""
NEAR, HARDLY = 0.5, 0.1
"""Two islands lie apart where within so many standard deviations of the mean there is less than
this probability: of a normal distribution 0.38, of an even one 0.29.
"""
IMPROBABLE = 0.01
"""Probability of a misfit below which the measurements are not explained."""


def calibrate(runs: Runs, measured: Sequence[Measured], *, seed: int = 0) -> BulkCalibration:
    """What measured quantities say of the coefficients that were varied.

    Each quantity has a curve through the runs, ``m_j(c) +- s_j(c)`` (a Gaussian process whose
    scatter takes up that runs from other packings differ). Coefficients are equally likely
    beforehand within the ranges of the runs; the likelihood is ``prod_j N(value_j; m_j, sigma_j^2 +
    s_j^2)``. ``s_j`` is enlarged where runs that are left out are predicted worse than it says.
    A coefficient that the runs spread over decades is equally likely by its logarithm, and the
    curves are of that. Points of Sobol's sequence are weighted with the likelihood, in a box that
    is drawn closer step by step until enough count. Errors of different quantities are taken to be
    independent.

    Args:
        runs: of any program.
        measured: quantities of the experiment.
        seed: of the points.

    Raises:
        InputError: nothing measured, a quantity twice or not among those of the runs; coefficients
            are known too well for the points to find them.

    Example:
        >>> across = np.random.default_rng(0).uniform([0.1, 0.0], [0.9, 0.5], (30, 2))
        >>> angle, share = across @ [20.0, 20.0], across @ [0.5, -0.2]
        >>> runs = cal.bulk.Runs(
        ...     {"friction": across[:, 0], "rolling": across[:, 1]},
        ...     {"angle": angle, "share": share},
        ... )
        >>> both = [cal.bulk.Measured("angle", 14.0, 0.3), cal.bulk.Measured("share", 0.21, 0.01)]
        >>> friction, rolling = cal.bulk.calibrate(runs, both).coefficients
        >>> print(f"{friction.value:.2f} {rolling.value:.2f}", friction.determined)
        0.50 0.20 True
        >>> angle_alone = cal.bulk.calibrate(runs, both[:1])
        >>> [one.determined for one in angle_alone.coefficients]
        [False, False]
        >>> bool(angle_alone.correlation[0, 1] < -0.9)
        True
    """
    names = [one.name for one in measured]
    if not names or len(set(names)) < len(names):
        raise InputError(
            f"measured are {', '.join(names) or 'no quantities'}",
            remedy="Give one quantity at least, each once; put repeats into one mean.",
        )
    scale = _Scale(runs.by_logarithm)
    inputs = scale.of(runs.inputs)
    curves = {one.name: _curve(inputs, runs.output(one.name)) for one in measured}
    doubt = {name: _root_mean_square(curve) for name, curve in curves.items()}

    def log_likelihood(at: Floats) -> Floats:
        parts = []
        for one in measured:
            mean, sd = curves[one.name].predict(at)
            variance = one.sigma**2 + (max(doubt[one.name], 1.0) * sd) ** 2
            parts.append(-0.5 * (one.value - mean) ** 2 / variance - 0.5 * np.log(variance))
        return np.sum(parts, axis=0)

    lowest, highest = np.min(inputs, axis=0), np.max(inputs, axis=0)
    at, weight, enough = _weighted_points(log_likelihood, lowest, highest, seed)
    best = at[np.argmax(weight)][None]
    reproduced = tuple(
        _reproduced(one, curves[one.name], best, doubt[one.name]) for one in measured
    )
    explained = _explained(reproduced, len(runs.names))
    if explained and not enough:
        raise InputError(
            "too few coefficients agree with what was measured for their spread to be told",
            remedy="The errors are very small beside what the runs span, or coefficients that are "
            "far apart agree: make runs over a narrower range, or look whether the errors are "
            "right.",
        )
    draws = _resampled(at, weight, seed)
    return BulkCalibration(
        tuple(
            _coefficient(name, k, scale, at, weight, (lowest, highest), explained)
            for k, name in enumerate(runs.names)
        ),
        reproduced,
        explained,
        scale.back(draws),
        np.atleast_2d(np.corrcoef(draws, rowvar=False)),
        len(inputs),
        scale.back(_farthest(draws, inputs, highest - lowest)),
    )


class _Scale(NamedTuple):
    """Coefficients as they are, or by their logarithms."""

    by_logarithm: NDArray[np.bool_]

    def of(self, values: Floats) -> Floats:
        """Of coefficients (n, k)."""
        return np.where(self.by_logarithm, np.log(np.where(self.by_logarithm, values, 1.0)), values)

    def back(self, scaled: Floats) -> Floats:
        """The coefficients (n, k)."""
        return np.where(self.by_logarithm, np.exp(np.where(self.by_logarithm, scaled, 0.0)), scaled)


def _curve(inputs: Floats, output: Floats) -> GaussianProcess:
    known = np.isfinite(output)
    return GaussianProcess.of(inputs[known], output[known])


def _root_mean_square(curve: GaussianProcess) -> float:
    """Of the errors at runs that are left out, over their standard deviations."""
    predicted, sd = curve.left_out()
    return float(np.sqrt(np.mean(((curve.outputs - predicted) / sd) ** 2)))


def _weighted_points(
    log_likelihood: Callable[[Floats], Floats], lowest: Floats, highest: Floats, seed: int
) -> tuple[Floats, Floats, bool]:
    """Points, their weights, which add up to one, and whether these are those of the likelihood.

    The box begins as the ranges. As long as too few points count, the likelihood is flattened, to
    the power that leaves enough, and the next box is drawn around what counts by that, along its
    principal axes: a likelihood that is narrow beside the first box is closed in on step by step.
    Where the next box is hardly better than the last (two islands, a bent ridge), it has more
    points.
    """
    from scipy.stats import qmc  # slow to import, for which help texts do not wait

    width, count = highest - lowest, len(lowest)
    centre, axes = 0.5 * (lowest + highest), np.diag(width)
    low, high = np.full(count, -0.5), np.full(count, 0.5)
    points, before = POINTS, 0.0
    for zoom in range(MOST_ZOOMS):
        cube = qmc.Sobol(count, rng=np.random.default_rng([seed, zoom])).random_base2(points)
        at = centre + (low + cube * (high - low)) @ axes
        at = at[np.all((at >= lowest) & (at <= highest), axis=1)]
        log = log_likelihood(at)
        log -= np.max(log)
        power = _power(log)
        weight = np.exp(power * log)
        weight /= np.sum(weight)
        points, before = points + (power < CLOSER * before), power
        if power == 1.0 or points > MOST_POINTS:
            break
        centre = weight @ at
        apart = (at - centre) / width
        axes = np.linalg.eigh(apart.T @ (weight[:, None] * apart))[1].T * width
        along = apart[log > -max(NOTHING, FLAT_NOTHING / power)] @ (axes / width).T
        margin = 0.1 * np.ptp(along, axis=0)
        low, high = np.min(along, axis=0) - margin, np.max(along, axis=0) + margin
    return at, weight, power == 1.0


def _power(log: Floats) -> float:
    """The largest power of a likelihood, at most 1, at which enough points count (fewer where it is
    flattened: they only draw the next box).
    """

    def counting(power: float) -> float:
        weight = np.exp(power * log)
        return float(np.sum(weight) ** 2 / np.sum(weight**2))

    if counting(1.0) >= ENOUGH:
        return 1.0
    low, high = 1e-300, 1.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if counting(middle) >= 0.3 * ENOUGH else (low, middle)
    return low


def _coefficient(
    name: str,
    k: int,
    scale: _Scale,
    at: Floats,
    weight: Floats,
    ends: tuple[Floats, Floats],
    explained: bool,
) -> Coefficient:
    """The column ``k``; whether it is determined is judged as the runs are spread."""
    scaled, (lowest, highest) = at[:, k], (float(end[k]) for end in ends)
    near = END * (highest - lowest)
    at_end = max(np.sum(weight[scaled < lowest + near]), np.sum(weight[scaled > highest - near]))
    sd, free = _sd(scaled, weight), (highest - lowest) / np.sqrt(12.0)
    apart = np.sum(weight[np.abs(scaled - weight @ scaled) < NEAR * sd]) < HARDLY
    values = scale.back(at)[:, k]
    order = np.argsort(values)
    lower, upper = np.interp((0.025, 0.975), np.cumsum(weight[order]), values[order])
    first, last = (float(scale.back(end)[k]) for end in ends)
    return Coefficient(
        name,
        float(weight @ values),
        _sd(values, weight),
        (float(lower), float(upper)),
        (first, last),
        bool(scale.by_logarithm[k]),
        bool(at_end > SOME),
        bool(apart),
        bool(explained and at_end <= SOME and not apart and sd < NARROWER * free),
    )


def _sd(values: Floats, weight: Floats) -> float:
    return float(np.sqrt(weight @ (values - weight @ values) ** 2))


def _reproduced(one: Measured, curve: GaussianProcess, best: Floats, left_out: float) -> Reproduced:
    mean, sd = curve.predict(best)
    return Reproduced(
        one.name,
        one.value,
        one.sigma,
        float(mean[0]),
        max(left_out, 1.0) * float(sd[0]),
        curve.scatter,
        left_out,
    )


def _explained(reproduced: Sequence[Reproduced], coefficients: int) -> bool:
    """Whether the misfit at the best coefficients is probable. Where there are not more quantities
    than coefficients nothing should be left; one degree of freedom is granted.
    """
    from scipy.stats import chi2

    misfit = sum(one.off**2 for one in reproduced)
    return bool(chi2.sf(misfit, max(len(reproduced) - coefficients, 1)) > IMPROBABLE)


def _resampled(at: Floats, weight: Floats, seed: int) -> Floats:
    """Equally likely points, by systematic resampling."""
    places = (np.arange(DRAWS) + np.random.default_rng(seed).uniform()) / DRAWS
    return at[np.minimum(np.searchsorted(np.cumsum(weight), places), len(at) - 1)]


def _farthest(draws: Floats, inputs: Floats, width: Floats) -> Floats:
    """One after the other, the draw that is farthest from all runs and from those chosen."""
    scaled, taken = draws / width, list(inputs / width)
    distance = np.min(np.linalg.norm(scaled[:, None] - np.array(taken)[None], axis=-1), axis=1)
    chosen = []
    for _ in range(NEXT):
        index = int(np.argmax(distance))
        chosen.append(draws[index])
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[index], axis=-1))
    return np.array(chosen)
