"""How often the intervals of a scenario contain the truth."""

import dataclasses
import math
import time

import jax
import numpy as np
from scipy import stats

import calibration as cal
from calibration.fitting.assessment import Assessment
from calibration.fitting.diagnosis import doubt_noise
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.probes import excluding_rise
from experiments.coverage.fits import judged, of_one_layout, rises
from experiments.coverage.scenarios import Scenario

LEVEL = 0.95

LANES = 50
"""Replicates that are fitted at a time."""


@dataclasses.dataclass(frozen=True)
class Coverage:
    """What was found of one parameter in one scenario.

    Attributes:
        scenario, parameter: their names.
        recordings: that were fitted; ``failed`` did not converge, or left the parameter
            undetermined, and count as not covered.
        covariance, profile, bootstrap: parts of the recordings whose interval contains the truth;
            NaN where not computed.
        drawn: recordings of which a bootstrap was made.
        bias: mean deviation in standard deviations of the estimates.
        size: mean standard error over the standard deviation of the estimates.
        degrees: median degrees of freedom.
        flagged: part of the recordings whose fit warns that its interval is not to be trusted.
        noticed: that part of those recordings whose interval of the covariance misses the truth.
        seconds: of the whole scenario.
    """

    scenario: str
    parameter: str
    recordings: int
    failed: int
    covariance: float
    profile: float
    bootstrap: float
    drawn: int
    bias: float
    size: float
    degrees: float
    flagged: float
    noticed: float
    seconds: float


def measure(
    scenario: Scenario,
    *,
    recordings: int,
    seed: int,
    replicates: int = 0,
    drawn: int | None = None,
    kind: str = "residual",
) -> list[Coverage]:
    """Fit ``recordings`` synthetic recordings and count.

    Args:
        scenario: what is measured.
        recordings: how many.
        seed: of the errors.
        replicates: of the bootstrap of a recording; 0 for none.
        drawn: recordings of which a bootstrap is made, the first ones; ``None``: of all.
        kind: of the bootstrap.
    """
    began = time.perf_counter()
    with jax.enable_x64(True):
        problems = [
            scenario.problem(scenario, np.random.default_rng([seed, i])) for i in range(recordings)
        ]
        found: dict[str, list[tuple[float, ...]]] = {name: [] for name in scenario.truth}
        for places in of_one_layout(problems):
            own, assessments = judged([problems[i] for i in places])
            for name, truth in scenario.truth.items():
                delta_chi2 = rises(own, assessments, name, truth)
                limits = np.asarray(
                    [excluding_rise(assessment, name, LEVEL) for assessment in assessments]
                )
                for assessment, inside in zip(assessments, delta_chi2 <= limits, strict=True):
                    found[name].append(
                        (*_interval(assessment, name, truth), float(inside), math.nan)
                    )
            for row, (place, problem, assessment) in enumerate(
                zip(places, own, assessments, strict=True)
            ):
                if not replicates or place >= (recordings if drawn is None else drawn):
                    continue
                fit = report(
                    problem,
                    assessment,
                    estimate_shared(assessment),
                    method="levenberg_marquardt",
                    seconds=0.0,
                )
                again = cal.bootstrap(
                    fit, count=replicates, seed=place, kind=kind, level=LEVEL, lanes=LANES
                )
                for name, truth in scenario.truth.items():
                    position = len(found[name]) - len(assessments) + row
                    found[name][position] = (
                        *found[name][position][:-1],
                        _covered(again, name, truth),
                    )
    seconds = time.perf_counter() - began
    return [_summary(scenario, name, np.asarray(rows), seconds) for name, rows in found.items()]


def _covered(again: cal.Bootstrap, name: str, truth: float) -> float:
    if name not in again.intervals:
        return 0.0
    low, high = again[name].studentised
    return float(low <= truth <= high)


def _interval(assessment: Assessment, name: str, truth: float) -> tuple[float, ...]:
    """Whether the truth is inside, deviation, standard error, degrees of freedom, whether it
    failed, whether it was flagged.
    """
    estimate = estimate_shared(assessment)[name]
    low, high = estimate.interval(LEVEL)
    failed = (
        not bool(assessment.minimum.converged)
        or estimate.status is not cal.Determination.DETERMINED
    )
    flagged = bool(doubt_noise(assessment)) or not assessment.explained
    inside = low <= truth <= high and not failed
    return (
        float(inside),
        estimate.value - truth,
        estimate.sd,
        estimate.degrees,
        float(failed),
        float(flagged),
    )


def _summary(scenario: Scenario, name: str, rows: np.ndarray, seconds: float) -> Coverage:
    inside, deviation, sd, degrees, failed, flagged, profile, bootstrap = rows.T
    good, made = failed == 0, np.isfinite(bootstrap)
    return Coverage(
        scenario=scenario.name,
        parameter=name,
        recordings=len(rows),
        failed=int(failed.sum()),
        covariance=float(inside.mean()),
        profile=float(profile.mean()),
        bootstrap=float(bootstrap[made].mean()) if np.any(made) else math.nan,
        drawn=int(made.sum()),
        bias=float(deviation[good].mean() / deviation[good].std()),
        size=float(np.sqrt(np.mean(sd[good] ** 2)) / deviation[good].std()),
        degrees=float(np.median(degrees)),
        flagged=float(flagged.mean()),
        noticed=float(flagged[inside == 0].mean()) if np.any(inside == 0) else math.nan,
        seconds=seconds,
    )


def acceptable(part: float, recordings: int) -> bool:
    """Whether a measured part is within 93 to 97 %, or as far outside as chance moves 95 % in so
    many recordings (99 %).
    """
    chance = stats.norm.ppf(0.995) * math.sqrt(LEVEL * (1 - LEVEL) / recordings)
    return abs(part - LEVEL) <= max(0.02, chance)
