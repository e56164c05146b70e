"""Friction, restitution and height of the table from some tosses, tested on the others.

A tumbling cube forgets where it came from: the misfit looks up to a horizon after the first touch,
and large residuals count linearly. The derivatives are those of the simulation, through every
contact.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.cube_tosses.simulated import Parameters, nominal, padded, release, trajectory
from experiments.cube_tosses.tosses import Cube, Toss, lowest_corner

FITTED = ("friction", "restitution", "height")
LEAST, LARGEST = np.array([0.02, 0.01, -5e-3]), np.array([1.0, 0.8, 5e-3])
TYPICAL = np.array([0.05, 0.05, 1e-3])
"""Scales of the three parameters."""

HORIZONS = {"the first 0.2 s after touch-down": 0.2, "the whole toss": 10.0}
"""Times after the first touch that are looked at [s]."""

POSITION_SCALE, ROTATION_SCALE = 5e-3, 0.1
"""Residuals of 1: position [m], rotation [rad]. Larger ones count linearly."""

ITERATIONS = 8


class Fitted(NamedTuple):
    """Best parameters, and the misfit there."""

    given: Parameters
    misfit: float


def looked_at(toss: Toss, half_width: float, horizon: float) -> float:
    """Last time of a toss that the misfit looks at [s]."""
    touches = toss.times[np.argmax(lowest_corner(toss, half_width) < 2e-3)]
    return float(min(touches + horizon, toss.times[-1]))


def residuals(
    cube: Cube, given: Parameters, start: Any, times: Any, position: Any, orientation: Any
) -> jax.Array:
    """Differences of position and (twice the sine of half the angle) rotation in units of their
    scales, ``(6 samples,)``.
    """
    found = trajectory(cube, given, start, times, method="compliant", ledger=False)
    shift = (found.position - position) / POSITION_SCALE
    scalar, axis = found.orientation[:, :1], found.orientation[:, 1:]
    other_scalar, other_axis = orientation[:, :1], -orientation[:, 1:]
    alike = scalar * other_scalar - jnp.sum(axis * other_axis, axis=1, keepdims=True)
    turn = scalar * other_axis + other_scalar * axis + jnp.cross(axis, other_axis)
    return jnp.concatenate([shift, 2 * jnp.sign(alike) * turn / ROTATION_SCALE], axis=1).ravel()


@functools.cache
def compiled() -> Callable[..., tuple[jax.Array, jax.Array]]:
    """Residuals and their derivative by the fitted parameters."""

    def both(
        x: jax.Array, cube: Cube, given: Parameters, *recorded: Any
    ) -> tuple[jax.Array, jax.Array]:
        def of(x: jax.Array) -> tuple[jax.Array, jax.Array]:
            value = residuals(cube, given._replace(**dict(zip(FITTED, x, strict=True))), *recorded)
            return value, value

        slope, value = jax.jacfwd(of, has_aux=True)(x)
        return value, slope

    return jax.jit(both)


def linearised(
    x: np.ndarray, cube: Cube, given: Parameters, toss: Toss, length: int, horizon: float
) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of one toss ``(n, 6)`` and their derivative ``(n, 6, 3)``, each sample with an
    equal share of weight 1.
    """
    until = looked_at(toss, cube.half_width, horizon)
    count = int(np.sum(toss.times <= until))
    # A shorter recording: the last sample repeats.
    index = np.minimum(np.arange(length), count - 1)
    recorded = (
        release(toss),
        padded(toss.times[:count], length),
        toss.position[index],
        toss.orientation[index],
    )
    numbers = jax.tree.map(
        lambda value: jnp.asarray(value, dtype=float), (x, cube, given, *recorded)
    )
    value, slope = (np.asarray(part) for part in compiled()(*numbers))
    return value.reshape(length, 6)[:count], slope.reshape(length, 6, len(FITTED))[:count]


def misfit_and_model(
    x: np.ndarray,
    cube: Cube,
    given: Parameters,
    tosses: Sequence[Toss],
    length: int,
    horizon: float,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Pseudo-Huber misfit of all tosses; the gradient and the curvature of its Gauss-Newton model,
    by scaled parameters.
    """
    total, gradient, curvature = 0.0, np.zeros(len(FITTED)), np.zeros((len(FITTED), len(FITTED)))
    for toss in tosses:
        value, slope = linearised(x, cube, given, toss, length, horizon)
        slope = slope * TYPICAL
        root = np.sqrt(1 + np.sum(value**2, axis=1))
        share = 1 / (root * len(value))
        total += float(np.mean(root - 1))
        gradient += np.einsum("n,nr,nrp->p", share, value, slope)
        curvature += np.einsum("n,nrp,nrq->pq", share, slope, slope)
    return total, gradient, curvature


def fit(cube: Cube, tosses: Sequence[Toss], *, length: int, horizon: float) -> Fitted:
    """Levenberg-Marquardt on the tosses given, from the nominal parameters.

    Args:
        cube: the body.
        tosses: that are fitted.
        length: number of samples to which the times are padded.
        horizon: time after the first touch that is looked at [s].
    """
    given = nominal(cube)
    x = np.array([getattr(given, name) for name in FITTED], dtype=float)
    damping = 1e-2
    best, gradient, curvature = misfit_and_model(x, cube, given, tosses, length, horizon)
    for _ in range(ITERATIONS):
        damped = curvature + damping * np.diag(np.diag(curvature))
        tried = np.clip(x - TYPICAL * np.linalg.solve(damped, gradient), LEAST, LARGEST)
        misfit, *model = misfit_and_model(tried, cube, given, tosses, length, horizon)
        if np.isfinite(misfit) and misfit < best:
            gained = best - misfit
            x, best, damping = tried, misfit, damping / 5
            gradient, curvature = model
            if gained < 1e-4 * best:
                break
        else:
            damping *= 10
    return Fitted(given._replace(**dict(zip(FITTED, map(float, x), strict=True))), best)


def leave_one_out(
    cube: Cube, tosses: Sequence[Toss], *, length: int, horizon: float
) -> list[Fitted]:
    """For each toss, the fit to all the others."""
    return [
        fit(cube, [other for other in tosses if other is not toss], length=length, horizon=horizon)
        for toss in tosses
    ]
