"""Coordinates in which the linearised sum of squares is round: one unit is one standard deviation
in every direction.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from calibration.optimise.normal_equations import UNRESOLVED
from calibration.problem.residuals import Block


class Whitening(NamedTuple):
    """A root of the inverse information, ``x = M u`` with ``M M' = (J'J)^-1``.

    The information is arrow-shaped (see ``normal_equations``), and so is its root: with the roots
    ``K`` of the inverse Schur complement and ``T`` of the inverse of ``B'B`` of each trial, shared
    coordinates move by ``K u``, those of a trial by ``T u - (B'B)^-1 B'A K u``. Directions that the
    data do not see do not move.

    Attributes:
        shared: ``K`` (S, S).
        own: ``T`` of the trials of each batch (R, L, L).
        coupling: ``(B'B)^-1 B'A`` of the trials of each batch (R, L, S).
    """

    shared: jax.Array
    own: tuple[jax.Array, ...]
    coupling: tuple[jax.Array, ...]

    def move(
        self, shared: jax.Array, local: tuple[jax.Array, ...]
    ) -> tuple[jax.Array, tuple[jax.Array, ...]]:
        """``M u``: shared coordinates (S,), and those of the trials of each batch (R, L)."""
        moved = self.shared @ shared
        own = tuple(
            jnp.einsum("rlm,rm->rl", root, u) - coupling @ moved
            for root, coupling, u in zip(self.own, self.coupling, local, strict=True)
        )
        return moved, own


def find_whitening(
    blocks: tuple[Block, ...], shared: jax.Array, local: tuple[jax.Array, ...]
) -> Whitening:
    """The whitening at a point.

    Args:
        blocks: residuals and their derivatives there; those of prior knowledge have no coordinates
            of trials.
        shared: which shared coordinates may move, (S,).
        local: which coordinates of the trials of each batch may move, (R, L).
    """
    information: Any = jnp.zeros((shared.size, shared.size))
    before: Any = jnp.zeros(shared.size)
    roots, couplings = [], []
    for g, block in enumerate(blocks):
        columns = block.by_shared * shared
        before = before + jnp.sum(columns**2, axis=(0, 1))
        if g < len(local):
            own = block.by_local * local[g][:, None, :]
            matrix = jnp.einsum("rnl,rnm->rlm", own, own)
            root = invert_root(matrix, jnp.diagonal(matrix, axis1=1, axis2=2))
            coupling = root @ jnp.swapaxes(root, 1, 2) @ jnp.einsum("rnl,rns->rls", own, columns)
            roots.append(root)
            couplings.append(coupling)
            columns = columns - own @ coupling
        information = information + jnp.einsum("rns,rnt->st", columns, columns)
    return Whitening(invert_root(information, before), tuple(roots), tuple(couplings))


def invert_root(matrix: jax.Array, reference: jax.Array) -> jax.Array:
    """``T`` with ``T T'`` the inverse of a symmetric matrix in its resolved directions, as
    ``normal_equations.resolved_inverse`` tells them.

    Args:
        matrix: information after elimination, (..., n, n).
        reference: diagonal of the information before elimination, (..., n).
    """
    if matrix.shape[-1] == 0:
        return matrix
    scale = jnp.sqrt(jnp.where(reference > 0, reference, 1.0))
    values, vectors = jnp.linalg.eigh(matrix / (scale[..., :, None] * scale[..., None, :]))
    resolved = values > UNRESOLVED
    length = jnp.where(resolved, 1 / jnp.sqrt(jnp.where(resolved, values, 1.0)), 0.0)
    return vectors * length[..., None, :] / scale[..., :, None]
