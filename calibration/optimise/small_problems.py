"""Many least-squares problems of few coordinates and no trials' own ones, side by side, where
compiling an optimiser would take longer than all of them take to run.
"""

from collections.abc import Callable

import numpy as np

from calibration.optimise.box_descent import LARGEST

SETTLED = 1e-8
"""Gain that a step promises, relative to chi-squared and to 1, below which a problem is at its
end.
"""

LEAST_DAMPING, MOST_DAMPING = 1e-10, 1e12
"""Ends of the damping, in units of the diagonal of the normal equations."""

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Residuals (m, N) and their derivatives (m, N, S) at coordinates (m, S)."""


def minimise_small(
    evaluate: Evaluate,
    begins: np.ndarray,
    *,
    frozen: np.ndarray,
    limited: np.ndarray,
    steps: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Levenberg's and Marquardt's method for m problems at once.

    Args:
        evaluate: residuals and derivatives of all problems.
        begins: coordinates (m, S) where each begins.
        frozen: which coordinates keep their value, (S,).
        limited: logarithmic and logistic coordinates, which move by at most ``LARGEST`` a step.
        steps: at most so many.

    Returns:
        Coordinates (m, S) and the sum of squares (m,) of each.
    """
    x, free = np.array(begins, dtype=float), np.flatnonzero(~np.asarray(frozen))
    residual, by = evaluate(x)
    chi2, damping = _squares(residual), np.full(len(x), 1e-3)
    for _ in range(steps if free.size else 0):
        step, promised = _step(residual, by[..., free], damping)
        step = np.where(np.asarray(limited)[free], np.clip(step, -LARGEST, LARGEST), step)
        going = (promised > SETTLED * (1 + chi2)) & (damping < MOST_DAMPING)
        if not np.any(going):
            break
        ahead = np.array(x)
        ahead[:, free] += np.where(going[:, None], step, 0.0)
        new_residual, new_by = evaluate(ahead)
        reached = _squares(new_residual)
        better = going & (reached < chi2)
        x[better], residual, by, chi2 = (
            ahead[better],
            np.where(better[:, None], new_residual, residual),
            np.where(better[:, None, None], new_by, by),
            np.where(better, reached, chi2),
        )
        damping = np.where(better, np.maximum(damping / 10, LEAST_DAMPING), damping * 8)
    return x, chi2


def _squares(residual: np.ndarray) -> np.ndarray:
    """Sums of squares (m,); infinite where a residual is not finite."""
    total = np.sum(residual**2, axis=1)
    return np.where(np.isfinite(total), total, np.inf)


def _step(
    residual: np.ndarray, by: np.ndarray, damping: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Damped step of each problem (m, S), and the gain that an undamped one promises (m,)."""
    normal = np.nan_to_num(np.einsum("mni,mnj->mij", by, by))
    pull = np.nan_to_num(np.einsum("mni,mn->mi", by, residual))
    diagonal = np.diagonal(normal, axis1=1, axis2=2)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled, pulled = normal / (scale[:, :, None] * scale[:, None, :]), pull / scale
    eigenvalues, vectors = np.linalg.eigh(scaled)
    turned = np.einsum("mij,mi->mj", vectors, pulled)
    seen = eigenvalues > 1e-12
    gain = np.sum(np.where(seen, turned**2 / np.where(seen, eigenvalues, 1.0), 0.0), axis=1)
    damped = -turned / np.maximum(eigenvalues + damping[:, None], 1e-12)
    return np.einsum("mij,mj->mi", vectors, damped) / scale, gain
