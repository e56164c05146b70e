"""The table of the checks of the residuals of a fit: which pass, which fail, and what to do."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.outlying import FEWEST, measure_influence
from calibration.fitting.residual_checks.standardised import Series, standardise
from calibration.fitting.residual_checks.statistics import (
    Outcome,
    autocorrelate,
    correlate_quantiles,
    correlate_speed,
    count_runs,
)
from calibration.problem.problem import Problem
from calibration.results.outlying import OutlyingTrial
from calibration.results.residual_check import FAMILY_LEVEL, ResidualCheck

CORRELATED = (
    "--noise correlated weighs by it (in Python: noise=Correlated()); "
    "bootstrap --kind moving_block needs no model of it. If it is in order of speed or height, "
    "the law is wrong: compare, other laws"
)
ORDERED = "compare, or another --restitution-law or --friction-law: the misfit is in order"
TAILS = (
    "--noise 'student t: degrees=4' or --noise huber (in Python: noise=StudentT(4), noise=Huber())"
)
BY_SPEED = "give the standard deviation of each sample in the file (a column sigma)"
BLURRED = f"{BY_SPEED}; --nuisance exposure or --nuisance 'rolling shutter' for a camera that blurs"


def check_residuals(
    problem: Problem, assessment: Assessment, outlying: Sequence[OutlyingTrial] = ()
) -> tuple[ResidualCheck, ...]:
    """The checks of the residuals of a fit. Where model and noise are right, any of them fails in
    at most ``FAMILY_LEVEL`` of fits (each in a fifth of that, Bonferroni). There are none where all
    numbers were computed, whose residuals are no errors.

    Args:
        problem: that was fitted, with the weights that were used in the end.
        assessment: of its minimum.
        outlying: trials that were found to disagree with the others.
    """
    linearised = assessment.linearised
    if not (assessment.simulated and np.all(linearised.counts > 0)) or linearised.computed.all():
        return ()
    series = standardise(problem, assessment)
    in_time = any(one.in_time for one in series)
    return (
        check_runs(series, in_time=in_time),
        check_autocorrelation(series),
        check_normality(series),
        check_speed(series, in_time=in_time),
        check_influence(problem, assessment, outlying),
    )


def judge(
    name: str, found: Outcome | None, comment: Callable[[Outcome], str], remedy: str, missing: str
) -> ResidualCheck:
    """One check from its statistic."""
    if found is None:
        return ResidualCheck(name, math.nan, math.nan, None, missing)
    passed = found.chance > FAMILY_LEVEL / 5
    return ResidualCheck(
        name, found.value, found.chance, passed, comment(found), "" if passed else remedy
    )


def check_runs(series: Sequence[Series], *, in_time: bool) -> ResidualCheck:
    """Runs of one sign."""
    order = "time" if in_time else "speed, or number"
    return judge(
        "runs",
        count_runs(series),
        lambda found: (
            f"{found.value:.0f} runs of one sign in order of {order}, "
            f"{found.typical:.0f} are expected"
        ),
        CORRELATED if in_time else ORDERED,
        "too few numbers in order",
    )


def check_autocorrelation(series: Sequence[Series]) -> ResidualCheck:
    """Autocorrelation, binned in time."""
    made = autocorrelate(series)
    return judge(
        "autocorrelation (Ljung-Box)",
        None if made is None else made.outcome,
        lambda found: (
            ""
            if made is None
            else f"{made.largest:+.2f} at {made.lag} samples ({1e3 * made.seconds:.3g} ms), "
            "the farthest out"
        ),
        CORRELATED,
        "no series in time",
    )


def check_normality(series: Sequence[Series]) -> ResidualCheck:
    """Straightness of the Q-Q plot."""
    return judge(
        "normality (Q-Q, Filliben)",
        correlate_quantiles(series),
        lambda found: (
            f"Q-Q correlation {found.value:.4f}, {found.typical:.4f} is typical; largest "
            f"{largest(series):.1f} standard deviations"
        ),
        TAILS,
        "too few numbers, or Huber's model, which expects no shape",
    )


def check_speed(series: Sequence[Series], *, in_time: bool) -> ResidualCheck:
    """Sizes of residuals against speed."""
    return judge(
        "equal variance against speed",
        correlate_speed(series),
        lambda found: f"rank correlation of |residual| with speed {found.value:+.2f}",
        BLURRED if in_time else BY_SPEED,
        "the speed is not known, or the same",
    )


def check_influence(
    problem: Problem, assessment: Assessment, outlying: Sequence[OutlyingTrial]
) -> ResidualCheck:
    """Leverage and Cook's distance of single recordings."""
    name = "single recordings (Cook)"
    found = measure_influence(assessment)
    if found is None:
        return ResidualCheck(
            name, math.nan, math.nan, None, f"fewer than {FEWEST} recordings, or one tells alone"
        )
    places = [member for members in problem.members for member in members]
    worst = int(np.argmax(found.cook))
    comment = (
        f"largest distance {found.cook[worst]:.2g}, of {problem.trials[places[worst]].name}; "
        f"largest leverage {found.leverage.max():.2f} of {1 / len(places):.2f} on average"
    )
    remedy = outlying[0].sentence if outlying else ""
    return ResidualCheck(name, float(found.cook[worst]), math.nan, not outlying, comment, remedy)


def largest(series: Sequence[Series]) -> float:
    """Largest residual, in standard deviations."""
    return max(float(np.max(np.abs(one.values[0]), initial=0.0)) for one in series)
