"""The minimum with all doubts free.

Contacts that slide and contacts that stick are minima of their own, and what cameras do leads from
one to the other. So the minimum is sought from the first guess, from the minimum without doubts,
and where neither explains the data by far, from minima with the most promising one of them.
"""

import dataclasses
from collections.abc import Callable, Sequence

from calibration.fitting.assessment import Assessment
from calibration.fitting.release import predict_release, release
from calibration.fitting.solve import lower, minimise_from
from calibration.optimise.least_squares import Method
from calibration.problem.problem import Problem
from calibration.studies.doubts.doubt import Doubt

METHOD: Method = "levenberg_marquardt"
STEPS = 100
"""How minima are sought, and in how many iterations at most."""

HOPELESS = 30.0
"""Chi-squared per degree of freedom above which no camera explains what remains."""

TRIALS = 2
"""So many doubts are let free first where the data are not explained."""


def minimise_with_doubts(
    problem: Problem,
    doubts: Sequence[Doubt],
    minimise: Callable[[Problem], tuple[Problem, Assessment]],
) -> tuple[Problem, Assessment]:
    """The lowest minimum of a problem with doubts, and the problem with the methods of simulation
    that were used.

    Args:
        problem: with all of them free that are open.
        doubts: that are in the problem.
        minimise: how a minimum is found.
    """
    problem, best = minimise(problem)
    open_ones = [doubt for doubt in doubts if doubt.open]
    names = [name for doubt in open_ones for name in doubt.parameters]
    if not names:
        return problem, best
    frozen = problem.replace(frozen=list(dict.fromkeys([*problem.frozen, *names])))
    _, plain = minimise(frozen)
    best = lower(best, let_free(problem, plain, names))
    if not best.explained and best.misfit < HOPELESS:
        promising = sorted(
            open_ones, key=lambda doubt: -predict_release(plain, doubt.parameters).drop
        )
        for doubt in promising[:TRIALS]:
            first = let_free(problem, plain, doubt.parameters)
            best = lower(best, let_free(problem, first, names))
    return problem, best


def let_free(problem: Problem, assessment: Assessment, names: Sequence[str]) -> Assessment:
    """The minimum with parameters free in addition, from one where they were kept at nothing.

    Args:
        problem: in which they are.
        assessment: of the minimum without.
        names: of the parameters.
    """
    start = release(assessment.start, assessment, names)
    freed = minimise_from(
        problem,
        start.from_minimum(assessment.minimum),
        method=METHOD,
        steps=STEPS,
        led=True,
        policy=assessment.policy,
    )
    return dataclasses.replace(freed, start=start)
