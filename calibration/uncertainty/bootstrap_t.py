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
from calibration.fitting.reml import LEAST_SLOPE, plain
from calibration.optimise.information import (
    between_trials,
    eliminated,
    information,
    resolved_inverse,
)
from calibration.problem.residuals import Block

NEGLIGIBLE = 1e-12
"""Mean square of residuals, in units of the weights, below which only the smallest drawing of few
numbers comes.
"""


def studentised(
    draws: np.ndarray, errors: np.ndarray, best: float, error: float, level: float
) -> tuple[float, float]:
    """Ends ``x - t*_(1+level)/2 s`` and ``x - t*_(1-level)/2 s``, the quantile q of B pivots being
    the ``(B + 1) q``-th of them.

    Args:
        draws: replicates (B,) of a coordinate.
        errors: standard error (B,) of each.
        best: the coordinate of the fit.
        error: its standard error, by the same formula.
        level: of the interval.
    """
    pivots = (draws - best) / errors
    low, high = np.quantile(pivots, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return best - float(high) * error, best - float(low) * error


def standard_errors(
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
    working = influences(of_free(assessment, blocks), data)
    if kind == "trial":
        return np.stack(
            [
                _by_trial(
                    assessment, tuple(Block(*(part[b] for part in block)) for block in working)
                )
                for b in range(_count(blocks))
            ]
        )
    projected = [
        eliminated(Block(*map(_merged, block))).projected.reshape(block.by_shared.shape)
        for block in working
    ]
    whole = sum(np.einsum("brns,brnt->bst", part, part) for part in projected)
    seen = sum(np.einsum("brns,brns->bs", block.by_shared, block.by_shared) for block in working)
    bread, unseen = (
        np.stack(column) for column in zip(*map(resolved_inverse, whole, seen), strict=True)
    )
    member = members(assessment)
    filling = np.zeros_like(bread)
    for i, square in enumerate(squares(assessment, working, member, kind).T):
        for part, own in zip(projected, member, strict=False):
            filling += square[:, None, None] * np.einsum(
                "brns,brnt->bst", part[:, :, own == i], part[:, :, own == i]
            )
    variance = np.einsum("bis,bst,bti->bi", bread, filling, bread)
    return np.where(unseen | (variance <= 0), np.inf, np.sqrt(np.maximum(variance, 0.0)))


def sizes(
    assessment: Assessment, blocks: tuple[Block, ...], data: tuple[Any, ...], *, kind: str
) -> np.ndarray:
    """Sizes (B, components) of the errors of each quantity, in units of the weights; arguments as
    above.
    """
    found = squares(
        assessment, influences(of_free(assessment, blocks), data), members(assessment), kind
    )
    return np.sqrt(np.maximum(found, NEGLIGIBLE))


def squares(
    assessment: Assessment, working: tuple[Block, ...], member: list[np.ndarray], kind: str
) -> np.ndarray:
    """Mean squares (B, components) of the errors, in units of the weights: from the residuals, or 1
    where they are known.
    """
    parts = assessment.parts
    left = np.maximum(parts.counts - parts.used_up(), 1.0)
    total = np.zeros((_count(working), left.size))
    for i in range(left.size):
        for block, own in zip(working, member, strict=False):
            total[:, i] += np.einsum(
                "brn,brn->b", block.residual[:, :, own == i], block.residual[:, :, own == i]
            )
    known = ~assessment.spread.free_size & (kind == "parametric")
    return np.where(known, 1.0, total / left)


def of_free(assessment: Assessment, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without the columns of frozen coordinates, as NumPy arrays."""
    kept = [~frozen for frozen in assessment.start.frozen_local]
    found = []
    for g, (residual, by_shared, by_local) in enumerate(blocks):
        own = np.asarray(by_local)
        found.append(
            Block(
                np.asarray(residual),
                np.asarray(by_shared)[..., assessment.free],
                own[..., kept[g]] if g < len(kept) else own,
            )
        )
    return tuple(found)


def influences(blocks: tuple[Block, ...], data: tuple[Any, ...]) -> tuple[Block, ...]:
    """Blocks (B, R, N, ...) in which robust losses are replaced by their influence, as in
    ``VarianceComponents.working``.
    """
    found = list(blocks)
    for g, (block, own) in enumerate(zip(blocks, data, strict=False)):
        residual, by, first = (
            np.array(block.residual),
            np.concatenate([block.by_local, block.by_shared], axis=-1),
            0,
        )
        for samples in own.samples:
            shape = np.shape(samples.weight)
            rows = slice(first, first + shape[2] * shape[3])
            if samples.loss is not None:
                together = jax.tree.map(_merged, samples)
                inner = (shape[0] * shape[1], *shape[2:])
                deviation, slopes = plain(
                    residual[:, :, rows].reshape(inner),
                    by[:, :, rows].reshape(*inner, -1),
                    together,
                )
                influence, bend = (
                    part.reshape(shape) for part in together.loss.influence(deviation)
                )
                used = np.asarray(samples.weight) > 0
                mean = np.sum(np.where(used, bend, 0.0), axis=(1, 2, 3)) / np.maximum(
                    np.count_nonzero(used, axis=(1, 2, 3)), 1
                )
                root = np.sqrt(np.maximum(mean, LEAST_SLOPE))[:, None, None]
                residual[:, :, rows] = influence.reshape(*shape[:2], -1) / root
                by[:, :, rows] = slopes.reshape(*shape[:2], -1, by.shape[-1]) * root[..., None]
            first = rows.stop
        local = block.by_local.shape[-1]
        found[g] = Block(residual, by[..., local:], by[..., :local])
    return tuple(found)


def members(assessment: Assessment) -> list[np.ndarray]:
    """Which component each row (N,) of a trial of each kind belongs to, -1 for what is known
    beforehand.
    """
    found = []
    for pieces, block in zip(assessment.parts.batches, assessment.blocks, strict=False):
        own = np.full(block.residual.shape[1], -1)
        for piece in pieces:
            own[piece.first : piece.first + piece.used[0].size] = np.tile(
                piece.component, piece.used.shape[1]
            )
        found.append(own)
    return found


def _by_trial(assessment: Assessment, blocks: tuple[Block, ...]) -> np.ndarray:
    formal = information(blocks)
    variance = np.diag(between_trials(blocks[: len(assessment.data)], formal))
    return np.where(
        formal.open_shared | (variance <= 0), np.inf, np.sqrt(np.maximum(variance, 0.0))
    )


def _merged(leaf: Any) -> np.ndarray:
    """Replicates and trials as one axis."""
    whole = np.asarray(leaf)
    return whole.reshape(whole.shape[0] * whole.shape[1], *whole.shape[2:])


def _count(blocks: tuple[Block, ...]) -> int:
    return int(np.shape(blocks[0].residual)[0])
