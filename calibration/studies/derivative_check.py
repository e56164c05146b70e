"""Whether the derivatives that a fit will use are those of its residuals: a gate before the fit."""

import dataclasses

import jax
import numpy as np

from calibration.problem.problem import Problem
from calibration.problem.residuals import jacobians, residuals

AGREED = 1e-4
"""Disagreement with differences, relative to the length of a column, up to which a derivative is
believed; differences err, too.
"""

CHANGE = 1e-3
"""Change of the residuals for which the step of a difference is chosen, root of the sum of squares,
in standard deviations.
"""


@dataclasses.dataclass(frozen=True)
class DerivativeCheck:
    """Derivatives of the residuals at the starting values, against differences.

    Attributes:
        errors: relative error of the column of each shared unknown, NaN where it acts on nothing,
            infinite where it is not finite.
        finite: whether all residuals and derivatives are finite, those by the parameters of single
            trials included.
    """

    errors: dict[str, float]
    finite: bool

    @property
    def passed(self) -> bool:
        """Whether a fit can rely on them."""
        return self.finite and all(not error > AGREED for error in self.errors.values())

    def __str__(self) -> str:
        if not self.finite:
            return "Derivatives: NOT finite at the starting values. Start elsewhere, or report it."
        wrong = [name for name, error in self.errors.items() if error > AGREED]
        if wrong:
            return (
                f"Derivatives: by {', '.join(wrong)} they do NOT agree with differences; "
                "start elsewhere: a "
                "bounce may be on a sample."
            )
        known = [error for error in self.errors.values() if np.isfinite(error)]
        idle = [name for name, error in self.errors.items() if np.isnan(error)]
        said = (
            f"Derivatives agree with differences to {max(known):.0e}."
            if known
            else "Derivatives: nothing to compare."
        )
        return (
            f"{said} {', '.join(idle)} act{'s' if len(idle) == 1 else ''} on nothing at the "
            "starting values."
            if idle
            else said
        )


def check_derivatives(problem: Problem) -> DerivativeCheck:
    """Compare the derivatives of a problem by its shared parameters with central differences, at
    the starting values.

    Args:
        problem: to be fitted.
    """
    with jax.enable_x64(True):
        shared, local = problem.start
        layout, scene, data = problem.layout, problem.scene, problem.data
        blocks = jacobians(layout, scene, shared, local, data)
        finite = all(bool(np.all(np.isfinite(array))) for array in jax.tree.leaves(blocks))

        def at(coordinates: np.ndarray) -> np.ndarray:
            return np.concatenate(
                [np.ravel(part) for part in residuals(layout, scene, coordinates, local, data)]
            )

        errors = {}
        for index, name in enumerate(layout.names):
            column = np.concatenate([np.ravel(block.by_shared[..., index]) for block in blocks])
            length = float(np.linalg.norm(column))
            if not np.isfinite(length):
                errors[name] = np.inf
                continue
            if length == 0:
                errors[name] = np.nan
                continue
            step = np.zeros_like(shared)
            step[index] = CHANGE / length

            def difference(size: float, step: np.ndarray = step) -> np.ndarray:
                return (at(shared + size * step) - at(shared - size * step)) / (
                    2 * size * step.max()
                )

            # Two steps cancel the error of second order (Richardson).
            best = (4 * difference(0.5) - difference(1.0)) / 3
            errors[name] = float(np.linalg.norm(best - column)) / length
        return DerivativeCheck(errors, finite)
