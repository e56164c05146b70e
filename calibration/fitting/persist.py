"""From where a search was given up to the minimum at the end of a valley."""

from calibration.fitting.assessment import Assessment
from calibration.fitting.solve import NEARBY_STEPS, lower, minimise_nearby
from calibration.problem.problem import Problem

ROUNDS = 6
"""So often a search goes on that has not ended and still leads lower. What is left open of a camera
and of the flights beside it leaves valleys that only what is known beforehand holds: they are
narrow and curved, and samples next to an impact bend them once more.
"""


def persist(problem: Problem, best: Assessment) -> Assessment:
    """The minimum at the end of a valley along which a search that explains the data has not
    ended. A search that was allowed few iterations is left where it is.

    Args:
        problem: what to fit.
        best: where the search is.
    """
    if best.steps is not None and best.steps < NEARBY_STEPS:
        return best
    for _ in range(ROUNDS):
        if best.minimum.converged or not best.explained:
            break
        further = minimise_nearby(problem, best.start, best)
        gained = best.chi2 - further.chi2
        best = lower(best, further)
        if gained < best.policy.same_optimum:
            break
    return best
