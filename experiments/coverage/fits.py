"""All recordings of a scenario fitted at once: independent fits of one layout in one ``vmap``."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

import calibration as cal
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.reweighting import reweigh
from calibration.fitting.solve import ROUNDS
from calibration.fitting.start import starting_point
from calibration.optimise.batched import minimise_each
from calibration.optimise.convergence import is_an_end
from calibration.optimise.coordinates import Minimum, Start
from calibration.problem.residuals import Layout

STAGES = 3


def of_one_layout(problems: Sequence[cal.Problem]) -> list[list[int]]:
    """Positions of problems that share compiled code: same structure, same sizes."""
    found: dict[Any, list[int]] = {}
    for position, problem in enumerate(problems):
        shapes = tuple(np.shape(leaf) for leaf in jax.tree.leaves(problem.data))
        found.setdefault((problem.layout, shapes), []).append(position)
    return list(found.values())


def began(problem: cal.Problem) -> Start:
    """Where a fit begins, with as many stages as all have."""
    start = starting_point(problem, {})
    stages = tuple(
        np.concatenate([np.repeat(own[:1], STAGES - own.shape[0], axis=0), own])
        for own in start.stages
    )
    return start._replace(stages=stages)


def stacked(parts: Sequence[Any]) -> Any:
    """One tree whose arrays have a leading axis."""
    return jax.tree.map(lambda *leaves: np.stack([np.asarray(leaf) for leaf in leaves]), *parts)


def picked(tree: Any, position: int) -> Any:
    """One of a stacked tree."""
    return jax.tree.map(lambda leaf: leaf[position], tree)


def minima(problems: Sequence[cal.Problem], starts: Sequence[Start]) -> list[tuple[Minimum, Any]]:
    """Minimum and blocks of each problem; all of one layout, and frozen coordinates the same."""
    first = problems[0]
    one = starts[0]
    start = stacked(starts)._replace(
        frozen=one.frozen, frozen_local=one.frozen_local, region=one.region
    )
    data = stacked([problem.data for problem in problems])
    found, _, blocks = minimise_each(
        first.layout, first.scene, data, start, each=(True, True), keep_blocks=True
    )
    return [
        settled(first.layout, picked(found, i), picked(blocks, i), starts[i])
        for i in range(len(problems))
    ]


def settled(layout: Layout, minimum: Minimum, blocks: Any, start: Start) -> tuple[Minimum, Any]:
    """A minimum and its blocks; converged also where nobody would see what is left to be gained, as
    ``calibration.fit`` has it.
    """
    return minimum._replace(converged=np.asarray(is_an_end(layout, minimum, blocks, start))), blocks


def judged(problems: Sequence[cal.Problem]) -> tuple[list[cal.Problem], list[Assessment]]:
    """Each problem fitted as ``calibration.fit`` does, with the noise its model asks for."""
    problems, starts = list(problems), [began(problem) for problem in problems]
    here, assessments = list(starts), list[Assessment]()
    left = list(range(len(problems)))
    for round_ in range(ROUNDS + 1):
        if round_:
            here = [
                one._replace(stages=tuple(np.full_like(own[:1], np.inf) for own in one.stages))
                for one in here
            ]
        for i, (minimum, blocks) in zip(range(len(problems)), minima(problems, here), strict=True):
            if i in left:
                problem = problems[i]
                found = assess(
                    problem.layout,
                    problem.scene,
                    problem.data,
                    starts[i],
                    minimum,
                    problem.errors,
                    blocks=blocks,
                )
                assessments[i : i + 1] = [found]
        still = []
        for i in left:
            data = reweigh(assessments[i])
            if data is not None and round_ < ROUNDS:
                problems[i] = problems[i].with_data(data)
                minimum = assessments[i].minimum
                here[i] = starts[i]._replace(shared=minimum.shared, local=minimum.local)
                still.append(i)
        left = still
        if not left:
            break
    return problems, assessments


def rises(
    problems: Sequence[cal.Problem], assessments: Sequence[Assessment], name: str, truth: float
) -> np.ndarray:
    """Rise of chi-squared of each fit where one shared unknown is held at the truth and all others
    adapt.
    """
    index = problems[0].layout.names.index(name)
    coordinate = float(problems[0].layout.global_parameters[index].coordinate(truth))
    starts = []
    for assessment in assessments:
        shared, frozen = np.array(assessment.minimum.shared), np.array(assessment.start.frozen)
        shared[index], frozen[index] = coordinate, True
        ends = tuple(np.full_like(own[:1], np.inf) for own in assessment.start.stages)
        starts.append(
            assessment.start._replace(
                shared=shared, local=assessment.minimum.local, frozen=frozen, stages=ends
            )
        )
    chi2 = [
        sum(float(np.sum(np.square(block.residual))) for block in blocks)
        for _, blocks in minima(problems, starts)
    ]
    return np.asarray(chi2) - np.asarray([assessment.chi2 for assessment in assessments])
