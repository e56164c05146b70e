"""Damped normal equations of a least-squares problem whose Jacobian has dense shared columns and
blocks of each trial's own columns.

The normal matrix has the shape of an arrow: a trial's own coordinates meet those of another only
through the shared ones. Eliminating the own ones (a Schur complement) costs memory and time linear
in the number of trials. Normal equations are enough here: columns are scaled and damped, a step
that is slightly off does not move the minimum, and QR of a tall matrix costs a hundred times more.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import lineax
from jax.scipy.linalg import cho_factor, cho_solve

SMALLEST_DAMPING = 1e-13
"""Added to the diagonal (of about 1): a coordinate that nothing depends on stays where it is."""


class JacobianBlocks(NamedTuple):
    """Blocks of the Jacobian.

    Attributes:
        by_shared: shared columns, (rows, S).
        by_local: own columns of the trials of each batch, (R, N, L).
        damping: root of the damping factor.
        damped: whether the operator has rows of damping.
    """

    by_shared: jax.Array
    by_local: tuple[jax.Array, ...]
    damping: jax.Array
    damped: bool


class SchurComplementSolver(lineax.AbstractLinearSolver):
    """Solves ``min |J x - b|^2`` (with damping rows below ``J`` or without) by elimination of the
    trials' own coordinates.

    Damping is taken in proportion to the squares of the columns, at least to those of the scaled
    start: a coordinate that the data begin to see goes no more freely than the others, and one that
    they lose does not run away.

    Attributes:
        shared: number of shared coordinates.
        shapes: of each batch of trials: (trials, residuals of one, own coordinates of one).
    """

    shared: int
    shapes: tuple[tuple[int, int, int], ...]

    def init(
        self, operator: lineax.AbstractLinearOperator, options: dict[str, Any]
    ) -> JacobianBlocks:
        """Probe the operator: one product for each shared column, and one for a column of all
        trials of a batch together.
        """
        size = operator.in_size()
        damped = isinstance(operator.out_structure(), tuple)

        def columns(seeds: jax.Array) -> jax.Array:
            product = jax.vmap(operator.mv)(seeds)
            return product[0] if damped else product

        by_shared = (
            columns(jnp.eye(self.shared, size)).T
            if self.shared
            else jnp.zeros((operator_rows(operator), 0))
        )
        by_local, first, row = [], self.shared, 0
        for trials, count, own in self.shapes:
            seeds = jnp.zeros((own, size))
            picked = jnp.tile(jnp.eye(own), (1, trials))
            seeds = seeds.at[:, first : first + trials * own].set(picked)
            if own and trials:
                rows = columns(seeds)[:, row : row + trials * count]
                by_local.append(jnp.moveaxis(rows.reshape(own, trials, count), 0, -1))
            else:
                by_local.append(jnp.zeros((trials, count, 0)))
            first += trials * own
            row += trials * count
        root = operator.mv(jnp.ones(size))[1][0] if damped else jnp.zeros(())
        return JacobianBlocks(by_shared, tuple(by_local), root, damped)

    def compute(
        self,
        state: JacobianBlocks,
        vector: Any,
        options: dict[str, Any],
    ) -> tuple[jax.Array, lineax.RESULTS, dict[str, Any]]:
        """The step for one right-hand side."""
        rows, extra = vector if state.damped else (vector, None)
        right = state.by_shared.T @ rows
        matrix = _damped(state.by_shared.T @ state.by_shared, state.damping)
        position, row, eliminated = self.shared, 0, []
        if extra is not None:
            right = right + state.damping * extra[: self.shared]
        for (trials, count, own), block in zip(self.shapes, state.by_local, strict=True):
            dense = state.by_shared[row : row + trials * count].reshape(trials, count, self.shared)
            here = jnp.einsum(
                "rnl,rn->rl", block, rows[row : row + trials * count].reshape(trials, count)
            )
            if extra is not None:
                here = here + state.damping * extra[position : position + trials * own].reshape(
                    trials, own
                )
            normal = _damped(jnp.einsum("rnl,rnm->rlm", block, block), state.damping)
            cross = jnp.einsum("rnl,rns->rls", block, dense)
            # Both right-hand sides in one solve: the cross block and the trial's own.
            solved = _solve_each(normal, jnp.concatenate([cross, here[..., None]], axis=-1))
            matrix = matrix - jnp.einsum("rls,rlt->st", cross, solved[..., :-1])
            right = right - jnp.einsum("rls,rl->s", cross, solved[..., -1])
            eliminated.append(solved)
            position += trials * own
            row += trials * count
        shared = (
            cho_solve(cho_factor(matrix + SMALLEST_DAMPING * jnp.eye(self.shared)), right)
            if self.shared
            else right
        )
        local = [(solved[..., -1] - solved[..., :-1] @ shared).ravel() for solved in eliminated]
        step = jnp.concatenate([shared, *local])
        return jnp.where(jnp.all(jnp.isfinite(step)), step, 0.0), lineax.RESULTS.successful, {}

    def transpose(
        self, state: JacobianBlocks, options: dict[str, Any]
    ) -> tuple[JacobianBlocks, dict[str, Any]]:
        """Not implemented: nothing is differentiated through the solve."""
        raise NotImplementedError

    def conj(
        self, state: JacobianBlocks, options: dict[str, Any]
    ) -> tuple[JacobianBlocks, dict[str, Any]]:
        """The conjugate of a real operator is the operator."""
        return state, options

    def assume_full_rank(self) -> bool:
        """A rank-deficient Jacobian is allowed; a coordinate without effect takes no step."""
        return False


def _damped(normal: jax.Array, damping: jax.Array) -> jax.Array:
    """Normal matrices (..., n, n) with the square of ``damping`` times their diagonal, or that of
    the scale, added to it (More 1978).
    """
    diagonal = jnp.diagonal(normal, axis1=-2, axis2=-1)
    return normal + (damping**2 * jnp.maximum(diagonal, 1.0) + SMALLEST_DAMPING)[
        ..., None
    ] * jnp.eye(normal.shape[-1])


def operator_rows(operator: lineax.AbstractLinearOperator) -> int:
    """Rows of the operator without damping."""
    structure = operator.out_structure()
    return (structure[0] if isinstance(structure, tuple) else structure).size


def _solve_each(normal: jax.Array, right: jax.Array) -> jax.Array:
    """``normal^-1 right`` of each trial."""
    if normal.shape[-1] == 0:
        return right
    return jax.vmap(lambda a, b: cho_solve(cho_factor(a), b))(normal, right)
