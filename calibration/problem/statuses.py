"""How the simulations behind residuals ended: residuals of a simulation that did not succeed are
numbers like others, of a motion that is none.

The compiled residuals say it of the simulation that they make, which may go on behind the last
number that is used. Only where that did not succeed, it is made again up to this number.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.problem.residuals import Block, Layout, over_trials
from calibration.problem.table_batch import ImpactData
from calibration.problem.trial_batch import TrialData
from jaxcontact.numerics.compilation import quick_jit
from jaxcontact.simulation.core.status import Status, succeeded

Statuses = tuple[np.ndarray, ...]
"""Codes of ``jaxcontact.Status`` of the trials of each batch, (R,)."""


def _statuses_traced(
    layout: Layout, batch: int, scene: jc.Scene, shared: jax.Array, local: jax.Array, data: Any
) -> jax.Array:
    return over_trials(
        lambda own, one: layout.status(batch, scene, shared, own, one), local, data, scene=scene
    )


_statuses = quick_jit(_statuses_traced, static_argnames=("layout", "batch"), optimised=False)


def find_batch_statuses(
    layout: Layout,
    batch: int,
    scene: jc.Scene,
    shared: ArrayLike,
    local: ArrayLike,
    data: TrialData | ImpactData,
) -> np.ndarray:
    """How the simulation of each trial of a batch (R,) ends at coordinates ``shared`` (S,) and
    ``local`` (R, L), up to what was measured of it.
    """
    with jax.enable_x64(True):
        coordinates = jnp.asarray(shared), jnp.asarray(local)
        return np.asarray(_statuses(layout, batch, scene, *coordinates, data))


def find_statuses(
    layout: Layout,
    scene: jc.Scene,
    shared: ArrayLike,
    local: tuple[ArrayLike, ...],
    data: tuple[Any, ...],
) -> Statuses:
    """``find_batch_statuses`` of every batch."""
    return tuple(
        find_batch_statuses(layout, batch, scene, shared, local[batch], data[batch])
        for batch in range(len(layout.batches))
    )


def judge_statuses(
    layout: Layout,
    scene: jc.Scene,
    shared: ArrayLike,
    local: tuple[ArrayLike, ...],
    data: tuple[Any, ...],
    blocks: tuple[Block, ...],
) -> Statuses:
    """``find_statuses`` where the residuals are known already; one that is not finite tells, too.

    Args:
        layout: of the problem.
        scene: of the problem.
        shared: coordinates (S,) that all trials share.
        local: coordinates (R, L) of the trials of each batch.
        data: of the problem.
        blocks: residuals and derivatives there, as ``jacobians`` gives them.
    """
    found = []
    for batch, block in enumerate(blocks[: len(layout.batches)]):
        codes = np.zeros(block.residual.shape[0]) if block.status is None else block.status
        if not np.all(succeeded(np.asarray(codes))):
            codes = find_batch_statuses(layout, batch, scene, shared, local[batch], data[batch])
        finite = np.all(np.isfinite(np.asarray(block.residual)), axis=1)
        found.append(np.where(finite, np.asarray(codes), Status.NOT_FINITE).astype(int))
    return tuple(found)


def all_succeeded(statuses: Statuses) -> bool:
    """Whether all simulations did."""
    return all(bool(np.all(succeeded(own))) for own in statuses)


def mark_simulated(
    layout: Layout,
    scene: jc.Scene,
    shared: ArrayLike,
    local: tuple[ArrayLike, ...],
    data: tuple[Any, ...],
    blocks: tuple[Block, ...],
) -> np.ndarray:
    """Of which replicates (B,) all simulations succeed; arguments as for ``judge_statuses``, with
    a leading axis of replicates.
    """
    each = (
        jax.tree.map(lambda leaf, b=b: leaf[b], (shared, local, data, blocks))
        for b in range(len(np.asarray(shared)))
    )
    return np.asarray(
        [all_succeeded(judge_statuses(layout, scene, *replicate)) for replicate in each], dtype=bool
    )
