"""The block Jacobian of a problem against differences, for the tests of what measures and of what
is measured.
"""

import jax
import numpy as np

from calibration.problem.problem import Problem
from calibration.problem.residuals import jacobians, residuals


def check_derivatives(problem: Problem, *, rtol: float = 1e-5) -> None:
    """The Jacobian at the start against central differences of the residuals."""
    with jax.enable_x64(True):
        shared, local = problem.start
        blocks = jacobians(problem.layout, problem.scene, shared, local, problem.data)

        def at(shared, local):
            return [
                np.asarray(part)
                for part in residuals(problem.layout, problem.scene, shared, local, problem.data)
            ]

        step = 1e-6
        for i in range(shared.size):
            moved = step * np.eye(shared.size)[i]
            plus, minus = at(shared + moved, local), at(shared - moved, local)
            for block, high, low in zip(blocks, plus, minus, strict=True):
                expected = (high - low) / (2 * step)
                np.testing.assert_allclose(
                    block.by_shared[:, :, i],
                    expected,
                    rtol=rtol,
                    atol=rtol * max(np.abs(expected).max(), 1e-3),
                )
        for batch, own in enumerate(local):
            for i in range(own.shape[1]):
                moved = step * np.eye(own.shape[1])[i]
                plus, minus = (
                    at(
                        shared,
                        tuple(
                            part + s * moved * (k == batch) if k == batch else part
                            for k, part in enumerate(local)
                        ),
                    )
                    for s in (1, -1)
                )
                expected = (plus[batch] - minus[batch]) / (2 * step)
                np.testing.assert_allclose(
                    blocks[batch].by_local[:, :, i],
                    expected,
                    rtol=rtol,
                    atol=rtol * max(np.abs(expected).max(), 1e-3),
                )
