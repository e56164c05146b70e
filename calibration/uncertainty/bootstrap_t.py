"""Studentised intervals of a bootstrap (bootstrap-t): each replicate is measured by the standard
error that it finds for itself.

The spread of replicates is that of estimates whose noise has exactly the size of these residuals.
Residuals of few degrees of freedom tell that size badly, so intervals that end at percentiles are
too short: by a fifth with six. ``t* = (x* - x)/s*`` scatters as ``t = (x - truth)/s`` does, size
included, and for normal errors its quantiles are those of Student (Hall, Annals of Statistics 16
(1988) 927; Davison and Hinkley, Bootstrap Methods and their Application (1997), sections 5.2.1 and
6.2). Coordinates are logarithmic or logistic where the parameter has an end, so that their standard
errors hardly depend on the value and intervals stay inside.
"""

from typing import Any

import jax
import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.linearised import LEAST_SLOPE, component_of_rows, plain
from calibration.fitting.sandwich import between_trials
from calibration.optimise.normal_equations import NormalEquations, invert_information
from calibration.problem.residuals import Block
from calibration.problem.rows import stack_rows

NEGLIGIBLE = 1e-12
"""Mean square of residuals, in units of the weights, below which only the smallest drawing of few
numbers comes.
"""


def find_standard_errors(
    assessment: Assessment, blocks: tuple[Block, ...], data: tuple[Any, ...], *, kind: str
) -> np.ndarray:
    """Standard errors of the free shared coordinates of replicates, (B, S), infinite where the data
    do not see one.

    ``C (sum_c s_c^2 P_c' P_c) C`` with ``C = (sum_c P_c' P_c)^-1``, P the derivatives that no own
    coordinate can undo, and ``s_c^2`` the square of the residuals of quantity c over its degrees of
    freedom. Of whole trials it is ``between_trials``, the sum over trials in the middle. Parametric
    draws leave sizes alone that the fit took for known. What is known beforehand does not scatter.

    Args:
        assessment: of the fit.
        blocks: residuals and derivatives at the minimum of each replicate, with a leading axis.
        data: of the replicates, likewise.
        kind: what was drawn.
    """
    working = influences(assessment.start.free_blocks(blocks), data)
    member = members(assessment)
    size = squares(assessment, working, member, kind)
    found = []
    for b in range(_count(blocks)):
        blocks_of = jax.tree.map(lambda part, b=b: part[b], tuple(working))
        replicate = NormalEquations.of(blocks_of, assessment.linearised.known)
        if kind == "trial":
            found.append(_by_trial(assessment, replicate))
        else:
            found.append(_by_quantity(replicate, member, size[b]))
    return np.stack(found)


def _by_quantity(
    equations: NormalEquations, member: list[np.ndarray], size: np.ndarray
) -> np.ndarray:
    """Standard errors (S,) of one replicate; ``size``: mean squares of the errors of each
    quantity.
    """
    bread, unseen = equations.covariance()
    filling = np.zeros_like(bread)
    for i, square in enumerate(size):
        for part, own in zip(equations.parts, member, strict=False):
            picked = part.projected[:, own == i]
            filling += square * np.einsum("rns,rnt->st", picked, picked)
    return _root_of(np.einsum("is,st,ti->i", bread, filling, bread), unseen)


def _by_trial(assessment: Assessment, equations: NormalEquations) -> np.ndarray:
    """Standard errors (S,) of one replicate from the scatter between its trials."""
    formal = invert_information(equations)
    variance = np.diag(between_trials(equations.blocks[: len(assessment.data)], formal))
    return _root_of(variance, formal.open_shared)


def _root_of(variance: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Standard errors (S,), infinite where the data do not see the coordinate."""
    return np.where(unseen | (variance <= 0), np.inf, np.sqrt(np.maximum(variance, 0.0)))


def sizes(
    assessment: Assessment, blocks: tuple[Block, ...], data: tuple[Any, ...], *, kind: str
) -> np.ndarray:
    """Sizes (B, components) of the errors of each quantity, in units of the weights; arguments as
    above.
    """
    found = squares(
        assessment,
        influences(assessment.start.free_blocks(blocks), data),
        members(assessment),
        kind,
    )
    return np.sqrt(np.maximum(found, NEGLIGIBLE))


def squares(
    assessment: Assessment, working: tuple[Block, ...], member: list[np.ndarray], kind: str
) -> np.ndarray:
    """Mean squares (B, components) of the errors, in units of the weights: from the residuals, or 1
    where they are known.
    """
    parts = assessment.linearised
    left = np.maximum(parts.counts - parts.used_up(), 1.0)
    total = np.zeros((_count(working), left.size))
    for i in range(left.size):
        for block, own in zip(working, member, strict=False):
            total[:, i] += np.einsum(
                "brn,brn->b", block.residual[:, :, own == i], block.residual[:, :, own == i]
            )
    known = ~assessment.variance_components.free_size & (kind == "parametric")
    return np.where(known, 1.0, total / left)


def influences(blocks: tuple[Block, ...], data: tuple[Any, ...]) -> tuple[Block, ...]:
    """Blocks (B, R, N, ...) in which robust losses are replaced by their influence, as in
    ``VarianceComponents.working``.
    """
    found = list(blocks)
    for g, (block, own) in enumerate(zip(blocks, data, strict=False)):
        residual = np.array(block.residual)
        by = np.concatenate([block.by_local, block.by_shared], axis=-1)
        for samples, rows in zip(own.samples, stack_rows(own.samples), strict=True):
            shape = np.shape(samples.weight)
            if samples.loss is not None:
                together = jax.tree.map(_merge_lanes, samples)
                inner = (shape[0] * shape[1], *shape[2:])
                deviation, slopes = plain(
                    rows.take(residual, axis=2).reshape(inner),
                    rows.take(by, axis=2).reshape(*inner, by.shape[-1]),
                    together,
                )
                influence, bend = (
                    part.reshape(shape) for part in together.loss.influence(deviation)
                )
                used = np.asarray(samples.weight) > 0
                mean = np.sum(np.where(used, bend, 0.0), axis=(1, 2, 3)) / np.maximum(
                    np.count_nonzero(used, axis=(1, 2, 3)), 1
                )
                root = np.sqrt(np.maximum(mean, LEAST_SLOPE))[:, None, None, None]
                rows.put(residual, influence / root, axis=2)
                rows.put(by, slopes.reshape(*shape, by.shape[-1]) * root[..., None], axis=2)
        local = block.by_local.shape[-1]
        found[g] = Block(residual, by[..., local:], by[..., :local])
    return tuple(found)


def members(assessment: Assessment) -> list[np.ndarray]:
    """Which component each row (N,) of a trial of each batch belongs to, -1 for what is known
    beforehand.
    """
    return [
        component_of_rows(pieces, block)
        for pieces, block in zip(assessment.linearised.batches, assessment.blocks, strict=False)
    ]


def _merge_lanes(leaf: Any) -> np.ndarray:
    """Replicates and trials as one axis."""
    whole = np.asarray(leaf)
    return whole.reshape(whole.shape[0] * whole.shape[1], *whole.shape[2:])


def _count(blocks: tuple[Block, ...]) -> int:
    return int(np.shape(blocks[0].residual)[0])
