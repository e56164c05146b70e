"""The minimum with all doubts free.

Contacts that slide and contacts that stick are minima of their own, and what cameras do leads from
one to the other. So the minimum is sought from the minimum without doubts, from the first guess,
and where the better one does not explain the data, from minima with the most promising one of
them.
"""

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from calibration.fitting.assessment import Assessment
from calibration.fitting.persist import persist
from calibration.fitting.release import predict_release, release
from calibration.fitting.solve import lower, minimise_nearby
from calibration.problem.problem import Problem
from calibration.studies.doubts.doubt import Doubt

HOPELESS = 30.0
"""Chi-squared per degree of freedom above which no camera explains what remains."""

TRIALS = 2
"""So many doubts are let free first where the data are not explained, by default."""

BRIEF = 0.1
"""Part of the iterations for a search from the first guess with all doubts free, where another
search has arrived. Those that lead anywhere take a twentieth; the others creep along curved
valleys.
"""


class Minimise(Protocol):
    """How a minimum is found, with a part of the iterations that a search may take; the problem is
    that with the methods of simulation that were used.
    """

    def __call__(self, problem: Problem, part: float = 1.0, /) -> tuple[Problem, Assessment]: ...


def minimise_with_doubts(
    problem: Problem,
    doubts: Sequence[Doubt],
    minimise: Minimise,
    *,
    trials: int = TRIALS,
) -> tuple[Problem, Assessment]:
    """The lowest minimum of a problem with doubts, and the problem with the methods of simulation
    that were used.

    Args:
        problem: with all of them free that are open.
        doubts: that are in the problem.
        minimise: how a minimum is found.
        trials: so many doubts are let free first where the data are not explained.
    """
    open_ones = [doubt for doubt in doubts if doubt.open]
    names = parameters_to_find(problem, open_ones)
    if not names:
        return minimise(problem)
    followed, plain = minimise(problem.replace(frozen=[*problem.frozen, *names]))
    problem = problem.with_layout(followed.layout)
    best = persist(problem, let_free(problem, plain, names))
    problem, other = minimise(problem, BRIEF if best.minimum.converged else 1.0)
    other = dataclasses.replace(other, steps=best.steps)
    best = lower(best, other)
    if best is other and not best.minimum.converged:  # what led somewhere goes on
        best = lower(best, minimise_nearby(problem, best.start, best))
    if not best.explained and best.misfit < HOPELESS:
        promising = sorted(
            open_ones, key=lambda doubt: -predict_release(plain, doubt.parameters).drop
        )
        for doubt in promising[:trials]:
            first = let_free(problem, plain, parameters_to_find(problem, [doubt]))
            best = lower(best, let_free(problem, first, names))
    return problem, persist(problem, best)


def parameters_to_find(problem: Problem, doubts: Sequence[Doubt]) -> list[str]:
    """Names of the parameters of doubts, without those that stay at a value that was given.

    Args:
        problem: in which they are.
        doubts: whose parameters they are.
    """
    given = set(problem.frozen)
    return [name for doubt in doubts for name in doubt.parameters if name not in given]


def let_free(problem: Problem, assessment: Assessment, names: Sequence[str]) -> Assessment:
    """The minimum with parameters free in addition, from one where they were kept at nothing.

    Args:
        problem: in which they are.
        assessment: of the minimum without.
        names: of the parameters.
    """
    start = release(assessment.start, assessment, names)
    return minimise_nearby(problem, start, assessment)
