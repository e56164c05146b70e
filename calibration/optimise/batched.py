"""Many minima of problems of one layout in one ``vmap``: from several starts, of several data, or
both.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.optimise.coordinates import Minimum, Start, find_scale
from calibration.optimise.least_squares import SOLVERS, Method, minimise_traced
from calibration.problem.residuals import Block, Layout, jacobians, residuals
from jaxcontact.numerics.compilation import quick_jit


def minimise_each_traced(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    method: Method,
    steps: ArrayLike,
    each: tuple[bool, bool],
    keep_blocks: bool,
) -> tuple[Minimum, jax.Array, tuple[Block, ...] | None]:
    """``minimise_each`` inside a compiled program."""

    def one(data: Any, start: Start) -> Any:
        known = method in SOLVERS
        scale = (
            None
            if known
            else find_scale(jacobians(layout, scene, start.shared, start.local, data), start)
        )
        minimum, blocks = minimise_traced(
            layout,
            scene,
            data,
            start,
            scale,
            method=method,
            steps=steps,
            report=None,
            keep_blocks=known,
        )
        parts = (
            residuals(layout, scene, minimum.shared, minimum.local, data)
            if blocks is None
            else [block.residual for block in blocks]
        )
        return minimum, sum(jnp.sum(part**2) for part in parts), blocks if keep_blocks else None

    along = Start(0, 0, None, None, 0 if each[0] else None, None) if each[1] else None
    return jax.vmap(one, in_axes=(0 if each[0] else None, along))(data, start)


_minimise_each_compiled = quick_jit(
    minimise_each_traced, static_argnames=("layout", "method", "each", "keep_blocks")
)


def minimise_each(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    each: tuple[bool, bool],
    method: Method = "levenberg_marquardt",
    steps: int = 100,
    keep_blocks: bool = False,
) -> tuple[Minimum, np.ndarray, tuple[Block, ...] | None]:
    """Many minima at once.

    Args:
        layout: of the problem.
        scene: of the problem.
        data: of the problem, with a leading axis where ``each[0]``.
        start: first guesses; ``shared`` and ``local`` have a leading axis where ``each[1]``,
            ``stages`` where data differ, too.
        each: whether data, and whether starts differ.
        method: as in ``fit``.
        steps: at most so many iterations of each.
        keep_blocks: whether residuals and Jacobian at each minimum are returned, too (not for Adam
            and L-BFGS).

    Returns:
        Minima, chi-squared of each, and perhaps blocks; all arrays have a leading axis.
    """
    found = _minimise_each_compiled(
        layout, scene, data, start, method=method, steps=steps, each=each, keep_blocks=keep_blocks
    )
    return jax.tree.map(np.asarray, found)
