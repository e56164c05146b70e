"""Intervals of tables of oblique impacts over all divisions into sliding and sticking.

At a corner a covariance sees one side only. Where the data let an impact change sides, the interval
is that of the profile: the least chi-squared over all divisions at each value.
"""

import dataclasses

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.impact_divisions import (
    Divided,
    Places,
    divide_impacts,
    has_corners,
    place_divisions,
)
from calibration.fitting.probes import TWO_SIDED, describe_flatness
from calibration.model.parameter import Parameter, has_transform
from calibration.optimise.coordinates import Start
from calibration.problem.assigned_impacts import COEFFICIENT
from calibration.results.estimate import Determination, Estimate
from calibration.results.intervals import outermost_crossings, student_reach

POINTS = 25
"""Values of a profile; it is interpolated between them."""

WIDER = 3
"""So often a profile that does not reach the threshold is doubled in width."""

MARGIN = 1.3
"""Part of the threshold's root up to which a profile is computed."""

FARTHEST = 9.0
"""Distance in a logarithmic or logistic coordinate beyond which nothing is tried."""

WIDE = 0.5
"""Part of a bounded range that an interval which ends at a bound must not exceed."""


@dataclasses.dataclass(frozen=True)
class Branches:
    """The divisions of a table that its data do not exclude.

    Attributes:
        assessment: of the best minimum.
        places: all divisions.
        divided: their minima.
        width: factor by which the fit enlarges standard errors.
        reach: half the width of an interval in standard errors.
    """

    assessment: Assessment
    places: Places
    divided: Divided
    width: float
    reach: float

    def width_of(self, index: int) -> float:
        """Factor by which the fit enlarges the standard error of one shared parameter, or makes it
        smaller where what tells it is known better than assumed: two columns of a table may be.
        """
        place = np.flatnonzero(self.assessment.free).tolist().index(index)
        formal = self.assessment.formal
        if formal.open_shared[place]:
            return self.width
        ratio = self.assessment.covariance[place, place] / formal.shared[place, place]
        return max(float(np.sqrt(ratio)), 1e-6)

    @property
    def lowest(self) -> float:
        """Chi-squared of the fit."""
        return min(self.assessment.chi2, float(self.divided.chi2[self.divided.best]))

    @property
    def roots(self) -> np.ndarray:
        """Root of the rise of chi-squared in each place, in standard errors."""
        return np.sqrt(np.maximum(self.divided.chi2 - self.lowest, 0.0)) / self.width

    @property
    def kept(self) -> np.ndarray:
        """Places (m,) that the data do not exclude, with the divisions beside their corners."""
        near = self.roots <= MARGIN * self.reach
        beside = np.zeros_like(near)
        beside[1:] |= near[:-1]
        beside[:-1] |= near[1:]
        return near | (beside & ~self.places.corner)

    @property
    def cornered(self) -> bool:
        """Whether the data leave open on which side of a corner an impact lies."""
        return bool(np.any(self.roots[self.places.corner] <= self.reach))

    def others(self) -> list[int]:
        """Places of minima beside the best that the data do not exclude."""
        modes = self.divided.modes()
        return [int(mode) for mode in modes[1:] if self.roots[mode] <= self.reach]


def estimate_over_branches(
    assessment: Assessment, estimates: dict[str, Estimate]
) -> tuple[dict[str, Estimate], list[str]]:
    """The estimates with intervals over all divisions that the data allow, and sentences on them.

    Without corners, or far from all of them, the estimates are returned as they are.

    Args:
        assessment: of the minimum.
        estimates: of its shared parameters, by name.
    """
    layout, start = assessment.layout, assessment.start.from_minimum(assessment.minimum)
    if not has_corners(layout, assessment.scene, start.frozen) or not assessment.simulated:
        return estimates, []
    branches = find_branches(assessment, start)
    found = dict(estimates)
    if branches.cornered:
        for name, estimate in estimates.items():
            if name in layout.names and estimate.status in (
                Determination.DETERMINED,
                Determination.NOT_DETERMINED,
                Determination.AT_START,
            ):
                found[name] = profile_over(branches, start, name, estimate)
    found = withdraw_sticking(branches, found)
    return found, describe_branches(branches, found)


def find_branches(assessment: Assessment, start: Start) -> Branches:
    """All divisions of the problem behind a minimum."""
    problem = assessment.layout, assessment.scene, assessment.data
    places = place_divisions(*problem, start)
    seen = ~assessment.formal.open_shared
    degrees = assessment.degrees[seen]
    return Branches(
        assessment,
        places,
        divide_impacts(*problem, start, places=places),
        max(assessment.error_scale_factor, 1e-6),
        student_reach(assessment.policy.level, float(np.min(degrees, initial=np.inf))),
    )


def profile_over(branches: Branches, start: Start, name: str, estimate: Estimate) -> Estimate:
    """An estimate with its profile over the divisions that are kept."""
    index = branches.assessment.layout.names.index(name)
    parameter = branches.assessment.layout.global_parameters[index]
    coordinates, roots = np.empty(0), np.empty(0)
    low, high = reach_of_branches(branches, index)
    for _ in range(WIDER):
        low, high = limit_range(parameter, start.shared[index], low, high)
        coordinates = np.linspace(low, high, POINTS)
        roots = roots_along(branches, start, index, coordinates)
        centre = (low + high) / 2
        short = [roots[0] < branches.reach, roots[-1] < branches.reach]
        if not any(short):
            break
        low, high = (
            centre - (centre - low) * (2 if short[0] else 1),
            centre + (high - centre) * (2 if short[1] else 1),
        )
    return judge_profile(branches, parameter, estimate, coordinates, roots)


def reach_of_branches(branches: Branches, index: int) -> tuple[float, float]:
    """First guess of how far the profile of a coordinate goes."""
    near = np.isfinite(branches.divided.chi2) & branches.kept
    ends = branches.divided.shared[near, index]
    assessment = branches.assessment
    place = np.flatnonzero(assessment.free).tolist().index(index)
    # What is not seen has no variance.
    variance = 1.0 if assessment.formal.open_shared[place] else assessment.covariance[place, place]
    step = MARGIN * branches.reach * min(np.sqrt(max(float(variance), 1e-12)), 1.0)
    return float(ends.min() - step), float(ends.max() + step)


def limit_range(parameter: Parameter, best: float, low: float, high: float) -> tuple[float, float]:
    """The range of a coordinate within what is tried."""
    if not has_transform([parameter])[0]:
        return low, high
    middle = 0.0 if parameter.about.transform == "logit" else best
    ends = middle - FARTHEST, middle + FARTHEST
    low, high = np.clip([min(low, best), max(high, best)], *ends).tolist()
    # What ended at a bound lies outside: its profile begins there.
    return min(low, ends[1] - 1.0), max(high, ends[0] + 1.0)


def roots_along(
    branches: Branches, start: Start, index: int, coordinates: np.ndarray
) -> np.ndarray:
    """Root of the rise of chi-squared at each coordinate, the others adapting in all divisions that
    are kept.
    """
    assessment, kept = branches.assessment, branches.kept
    places = Places(branches.places.limit[kept], branches.places.corner[kept])
    begins = np.repeat(start.shared[None], coordinates.size, axis=0)
    begins[:, index] = coordinates
    frozen = np.array(start.frozen)
    frozen[index] = True
    found = divide_impacts(
        assessment.layout,
        assessment.scene,
        assessment.data,
        start._replace(frozen=frozen),
        places=places,
        begins=begins,
    )
    least = np.min(found.chi2.reshape(coordinates.size, -1), axis=1)
    least = np.where(np.isfinite(least), least, 1e300)
    return np.sqrt(np.maximum(least - branches.lowest, 0.0)) / branches.width_of(index)


def judge_profile(
    branches: Branches,
    parameter: Parameter,
    estimate: Estimate,
    coordinates: np.ndarray,
    roots: np.ndarray,
) -> Estimate:
    """An estimate with the profile of its coordinate, not determined where that stays low."""
    best = float(parameter.coordinate(estimate.value))
    place = int(np.searchsorted(coordinates, best))
    coordinates, roots = np.insert(coordinates, place, best), np.insert(roots, place, 0.0)
    values = np.asarray(parameter.value(coordinates), dtype=float)
    profiled = dataclasses.replace(
        estimate,
        status=Determination.DETERMINED,
        profile=tuple(zip(values.tolist(), roots.tolist(), strict=True)),
    )
    low, high = outermost_crossings(profiled.profile, branches.reach)
    is_open = [roots[0] < branches.reach, roots[-1] < branches.reach]
    ends = parameter.about.interval
    # Low where it ends, short of all that is tried, it says nothing of what lies beyond.
    ends_short = [coordinates[0] > -FARTHEST, coordinates[-1] < FARTHEST]
    unknown = any(np.logical_and(is_open, ends_short))
    bounded = parameter.about.transform == "logit" and not unknown
    if any(is_open) and (not bounded or high - low > WIDE * (ends.high - ends.low)):
        note = estimate.note or describe_open(estimate, low, high, is_open)
        return dataclasses.replace(
            estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note
        )
    return dataclasses.replace(profiled, sd=(high - low) / (2 * branches.reach))


def describe_open(estimate: Estimate, low: float, high: float, is_open: list[bool]) -> str:
    """Which values explain the data where the profile stays low."""
    if all(is_open):
        return "values over the whole range explain the data, with other values of the rest"
    side = f"below {high:.3g}" if is_open[0] else f"above {low:.3g}"
    return f"any value {side} explains the data, with other values of the rest"


def withdraw_sticking(branches: Branches, estimates: dict[str, Estimate]) -> dict[str, Estimate]:
    """The estimates; a friction coefficient is not determined where the data do not exclude that
    all impacts stick.
    """
    estimate = estimates.get(COEFFICIENT)
    corners = np.flatnonzero(branches.places.corner)
    if estimate is None or not corners.size or estimate.status is not Determination.DETERMINED:
        return estimates
    deviations = float(branches.roots[corners[-1]] * TWO_SIDED / branches.reach)
    if deviations >= branches.assessment.policy.flatness_excluded:
        return estimates
    withdrawn = dataclasses.replace(
        estimate,
        sd=np.inf,
        status=Determination.NOT_DETERMINED,
        note=describe_flatness(estimate.value, deviations),
    )
    return {**estimates, COEFFICIENT: withdrawn}


def describe_branches(branches: Branches, estimates: dict[str, Estimate]) -> list[str]:
    """The other minima in a sentence."""
    others = branches.others()
    if not others:
        return []
    layout = branches.assessment.layout
    ways = []
    for place in others[:3]:
        shared = branches.divided.shared[place]
        values = [
            f"{estimates[parameter.name].label} {float(parameter.value(shared[i])):.3g}"
            for i, parameter in enumerate(layout.global_parameters)
            if parameter.name in estimates
        ]
        rise = branches.divided.chi2[place] - branches.lowest
        ways.append(f"{', '.join(values)} (chi2 higher by {rise:.2g})")
    return [
        f"Which impacts slide and which stick is not certain: {len(others)} other "
        f"division{'s' if len(others) > 1 else ''} of them explain"
        f"{'s' if len(others) == 1 else ''} the data about as well: {'; '.join(ways)}"
        f"{' ...' if len(others) > 3 else ''}. Intervals are those of the profile over all of them."
    ]
