"""The fit with the scatter of impacts as large as it is found to be."""

import dataclasses

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.persist import persist
from calibration.fitting.scatter import find_factor
from calibration.fitting.solve import minimise_nearby
from calibration.nuisances.restitution import FACTOR
from calibration.problem.problem import Problem

ROUNDS = 4
"""At most so many fits until the size of the scatter settles."""

SETTLED = 0.02
"""Relative change of the size below which it counts as found."""


def settle_scatter(problem: Problem, assessment: Assessment) -> Assessment:
    """The minimum at the size of the scatter that the restricted likelihood prefers.

    Args:
        problem: with ``RestitutionScatter``, and ``ScatterSize`` frozen.
        assessment: of its minimum at the first guess of the size.
    """
    index = assessment.layout.names.index(FACTOR)
    for _ in range(ROUNDS):
        posed = assessment.scattering
        if posed is None:
            break
        factor = find_factor(posed)
        ratio = factor / posed.factor
        if abs(np.log(ratio)) < SETTLED:
            break
        began = assessment.start
        shared = np.array(began.shared)
        shared[index] = np.log(factor)
        began = began._replace(shared=shared)
        there = np.array(assessment.minimum.shared)
        there[index] = np.log(factor)
        minimum = assessment.minimum._replace(shared=there)
        assessment = minimise_nearby(
            problem, began, dataclasses.replace(assessment, minimum=minimum)
        )
    return persist(problem, assessment)
