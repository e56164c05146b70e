"""No model is compared at a false minimum where another model shows a better place to begin.

A law that contains another one can never do worse than it: a search that ends higher begins again
where that one ended. So does one that ends far above the best, from what the best found of the
motion.
"""

from collections.abc import Callable, Mapping

import numpy as np

from calibration.fitting.policy import FitPolicy
from calibration.problem.problem import Problem
from calibration.results.result import Fit
from jaxcontact.parameters import get, put

FAR = 1.5
"""Chi-squared over that of the best model from which on a search begins again from there."""

WITHOUT_EFFECT = 1e-3
"""Part of its first value at which a logarithmic parameter that the smaller law does not have acts
no more.
"""

Begin = Callable[[Problem, Fit], Fit]
"""Fits a problem from where another fit ended."""


def find_lower_minima(
    problems: Mapping[str, Problem], fits: Mapping[str, Fit], begin: Begin, policy: FitPolicy
) -> dict[str, Fit]:
    """The fits, each replaced where beginning from a better one leads lower.

    Args:
        problems: by name.
        fits: of each.
        begin: fits a problem from where another fit ended.
        policy: tells which minima are the same.
    """
    found = dict(fits)
    if any(np.any(one.assessment.linearised.followed) for one in found.values()):
        return found  # each is weighed by its own residuals, so their sums say nothing
    for name in sorted(found, key=lambda one: found[one].chi2):
        better = [
            other
            for other in found
            if found[other].chi2 < found[name].chi2 - policy.same_optimum
            and (
                _contains(problems[name], problems[other])
                or found[name].chi2 > FAR * found[other].chi2
            )
        ]
        for other in sorted(better, key=lambda one: found[one].chi2):
            problem = problems[name]
            if _contains(problem, problems[other]):
                problem = _without_effect(problem, problems[other])
            again = begin(problem, found[other])
            if again.simulated and again.chi2 < found[name].chi2:
                found[name] = again
            if found[name].chi2 <= found[other].chi2 + policy.same_optimum:
                break
    return found


def _contains(larger: Problem, smaller: Problem) -> bool:
    """Whether one problem has all free parameters of the other one, and more."""
    return set(larger.layout.names) > set(smaller.layout.names)


def _without_effect(larger: Problem, smaller: Problem) -> Problem:
    """The larger problem with the parameters that the smaller one does not have next to nothing, so
    that it begins as the smaller law.
    """
    scene = larger.scene
    for parameter in larger.layout.scene_parameters:
        if parameter.name in smaller.layout.names or parameter.about.transform != "log":
            continue
        value = np.asarray(get(scene, parameter.name)) * WITHOUT_EFFECT
        scene = put(scene, parameter.name, float(value))
    return larger.replace(scene=scene) if scene is not larger.scene else larger
