"""A minimum of simulations that succeed: where they do not, a larger budget, contacts in time, or
the engine for several bodies, are taken and the fit is made again.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.fitting.assessment import Assessment
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.solve import Report, solve
from calibration.optimise.least_squares import Method
from calibration.problem.problem import Problem
from calibration.problem.residuals import Layout
from calibration.problem.statuses import Statuses, find_batch_statuses
from calibration.problem.table_batch import ImpactData
from calibration.problem.trial_batch import TrialData
from calibration.results.result import Fit
from jaxcontact.simulation.core.methods import made_exact
from jaxcontact.simulation.core.status import succeeded

MOST_CONTACTS, MOST_STEPS = 2**10, 2**16
"""Largest budgets that a fit takes by itself."""

ROUNDS = 4
"""At most so many fits more, each with the budgets that the minimum of the last one needs."""


def find_minimum(
    problem: Problem,
    *,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    start: Mapping[str, float] | Fit | None = None,
    progress: Report | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
) -> tuple[Problem, Assessment]:
    """``solve``, and again with larger budgets where simulations at the minimum did not succeed.

    Arguments as for ``solve``.

    Returns:
        The problem, with the methods of simulation that were used in the end, and its minimum.
            Where no budget helps, ``Assessment.statuses`` says so.
    """

    def attempt() -> Assessment:
        return solve(
            problem, method=method, steps=steps, start=start, progress=progress, policy=policy
        )

    assessment = attempt()
    for _ in range(ROUNDS):
        layout, helps = enlarge(assessment)
        if layout is assessment.layout:
            break
        problem = problem.with_layout(layout)
        if not helps:  # the last method that was tried knows best what is wrong
            return problem, dataclasses.replace(assessment, layout=layout)
        assessment = attempt()
    return problem, assessment


def enlarge(assessment: Assessment) -> tuple[Layout, bool]:
    """``follow_all`` at the minimum."""
    minimum = assessment.minimum
    return follow_all(
        assessment.layout,
        assessment.scene,
        minimum.shared,
        minimum.local,
        assessment.data,
        assessment.statuses,
    )


def follow_all(
    layout: Layout,
    scene: jc.Scene,
    shared: ArrayLike,
    local: tuple[ArrayLike, ...],
    data: tuple[Any, ...],
    statuses: Statuses,
) -> tuple[Layout, bool]:
    """``follow`` of every batch: the layout with methods by which the simulations at these
    coordinates succeed, and whether all do.
    """
    helps = True
    for batch, codes in enumerate(statuses):
        layout, followed = follow(layout, batch, scene, shared, local[batch], data[batch], codes)
        helps = helps and followed
    return layout, helps


def follow(
    layout: Layout,
    batch: int,
    scene: jc.Scene,
    shared: ArrayLike,
    local: ArrayLike,
    data: TrialData | ImpactData,
    statuses: np.ndarray,
) -> tuple[Layout, bool]:
    """The layout with a method by which all simulations of a batch succeed at these coordinates, or
    the last that was tried, and whether they do.

    Args:
        layout: of the problem.
        batch: whose method is changed.
        scene: of the problem.
        shared: coordinates (S,) that all trials share.
        local: coordinates (R, L) of the trials of the batch.
        data: of the batch.
        statuses: codes (R,) of the simulations by the method that it has.
    """
    while not np.all(succeeded(statuses)):
        larger = with_remedy(layout, batch, statuses)
        if larger is None:
            return layout, False
        layout = larger
        statuses = find_batch_statuses(layout, batch, scene, shared, local, data)
    return layout, True


def with_remedy(layout: Layout, batch: int, statuses: np.ndarray) -> Layout | None:
    """The layout with the ``remedy`` in a batch; ``None`` where there is none."""
    kinds = list(layout.batches)
    method = remedy(kinds[batch].method, statuses) if kinds[batch].simulates else None
    if method is None:
        return None
    kinds[batch] = dataclasses.replace(kinds[batch], method=method)
    return dataclasses.replace(layout, batches=tuple(kinds))


def remedy(
    method: jc.EventAligned | jc.Impulse, statuses: np.ndarray
) -> jc.EventAligned | jc.Impulse | None:
    """A method that may follow what this one did not; ``None`` where there is none.

    Args:
        method: of simulation.
        statuses: codes of the simulations that it gave.
    """
    worst = jc.Status(int(np.max(statuses)))
    if worst is jc.Status.TOO_FEW_STEPS and method.max_steps is not None:
        steps = next_power_of_two(method.max_steps)
        return dataclasses.replace(method, max_steps=steps) if steps <= MOST_STEPS else None
    if worst in (jc.Status.TOO_FEW_CONTACTS, jc.Status.TOO_FEW_STEPS):
        contacts = next_power_of_two(method.contact_budget)
        enough = contacts <= MOST_CONTACTS
        return dataclasses.replace(method, max_contacts=contacts) if enough else None
    return made_exact(method, worst)


def next_power_of_two(number: int) -> int:
    """The smallest power of two above a number from 1."""
    return int(2 ** (math.floor(math.log2(number)) + 1))
