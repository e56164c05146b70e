"""Coordinates of all parameters of a problem: where a minimisation starts, which of them may move,
and their scales.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from calibration.model.parameter import has_transform
from calibration.optimise.box_descent import LARGEST
from calibration.optimise.trust_region import FIRST_REGION
from calibration.problem.residuals import Block, Layout


class Minimum(NamedTuple):
    """The result of an optimiser.

    Attributes:
        shared: coordinates that all trials share, (S,).
        local: coordinates of the trials of each batch, (R, L).
        iterations: that it took.
        converged: whether it met its tolerance.
        region: size of the trust region at its end, from which a search that goes on begins.
    """

    shared: Any
    local: Any
    iterations: Any
    converged: Any
    region: Any = FIRST_REGION


class Start(NamedTuple):
    """The start of a minimisation.

    Attributes:
        shared: coordinates that all trials share, (S,).
        local: coordinates of the trials of each batch, (R, L).
        frozen: which shared coordinates keep their value, (S,).
        frozen_local: which coordinates of the trials of each batch keep theirs, (L,).
        stages: times [s] up to which samples are used, of each batch (stages, R).
        region: size of the trust region at first.

    Stage k uses the samples of trial r of batch g up to the time ``stages[g][k, r]``; the last uses
    all. Long recordings are chaotic functions of wrong parameters: the first bounces lead to where
    the later ones can be followed.
    """

    shared: Any
    local: Any
    frozen: Any
    frozen_local: Any
    stages: Any
    region: Any = FIRST_REGION

    def from_minimum(self, minimum: Minimum) -> "Start":
        """The same problem, begun at a minimum; every stage uses all samples."""
        ends = tuple(np.full_like(own, np.inf) for own in self.stages)
        return self._replace(shared=minimum.shared, local=minimum.local, stages=ends)

    @property
    def free(self) -> np.ndarray:
        """Which shared coordinates may move, (S,)."""
        return ~np.asarray(self.frozen)

    @property
    def free_local(self) -> tuple[np.ndarray, ...]:
        """Which coordinates of the trials of each batch may move, (L,) each."""
        return tuple(~np.asarray(frozen) for frozen in self.frozen_local)

    def free_blocks(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Residuals with their derivatives by the coordinates that may move, as NumPy arrays.

        Args:
            blocks: of all coordinates.
        """
        shared, kept, found = np.flatnonzero(self.free), self.free_local, []
        for g, block in enumerate(blocks):
            own = np.asarray(block.by_local)
            found.append(
                Block(
                    np.asarray(block.residual),
                    np.asarray(block.by_shared)[..., shared],
                    own[..., kept[g]] if g < len(kept) else own,
                )
            )
        return tuple(found)


def flatten(shared: ArrayLike, local: tuple[ArrayLike, ...]) -> jax.Array:
    """One vector of all coordinates."""
    return jnp.concatenate([shared, *(jnp.ravel(own) for own in local)])


def unflatten(flat: jax.Array, like: Start) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    """The inverse of ``flatten``."""
    position, local = like.shared.shape[0], []
    for own in like.local:
        local.append(flat[position : position + own.size].reshape(own.shape))
        position += own.size
    return flat[: like.shared.shape[0]], tuple(local)


def mark_movable(start: Start) -> jax.Array:
    """Mark which of all coordinates may move."""
    own = tuple(
        jnp.broadcast_to(~frozen, local.shape)
        for frozen, local in zip(start.frozen_local, start.local, strict=True)
    )
    return flatten(~start.frozen, own)


def limit_steps(layout: Layout, start: Start, scale: jax.Array) -> jax.Array:
    """Largest scaled step of each coordinate: ``LARGEST`` of logarithmic and logistic ones,
    infinite of others.
    """
    batches = zip(layout.batches, start.local, strict=True)
    own = tuple(
        jnp.broadcast_to(has_transform(batch.trial_parameters), local.shape)
        for batch, local in batches
    )
    return jnp.where(
        flatten(has_transform(layout.global_parameters), own), LARGEST * scale, jnp.inf
    )


def measure_columns(blocks: tuple[Block, ...], start: Start) -> jax.Array:
    """Measure the Euclidean lengths of the columns of the Jacobian."""
    shared = jnp.sqrt(sum(jnp.sum(block.by_shared**2, axis=(0, 1)) for block in blocks))
    own = tuple(
        jnp.sqrt(jnp.sum(block.by_local**2, axis=1))
        for block, _ in zip(blocks, start.local, strict=False)
    )
    return flatten(shared, own)


def find_scale(blocks: tuple[Block, ...], start: Start) -> jax.Array:
    """Scale of the coordinates: the lengths of their columns, 1 for a column of zeros."""
    lengths = measure_columns(blocks, start)
    return jnp.where(lengths > 0, lengths, 1.0)


def apply_step(
    start: Start, scale: jax.Array, step: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    """Add a scaled step to the coordinates, shared and of the trials, of the start."""
    return unflatten(
        flatten(start.shared, start.local) + jnp.where(mark_movable(start), step / scale, 0.0),
        start,
    )
