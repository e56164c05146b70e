"""Force against overlap over one impact of a fitted law."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.fitting.assessment import Assessment
from calibration.fitting.shown.fitted_scene import fitted_scene
from calibration.results.contact_force import ForceLoop
from jaxcontact.laws import PairContact, SmoothLaw
from jaxcontact.numerics.runge_kutta import CLASSICAL, step

STEPS = 600
"""Steps of order 4 in which one impact is followed."""

LONGEST = 12.0
"""Duration that is followed, in the law's own scales of time: a contact with restitution 0.1 takes
less.
"""

TOUCHED = 1e-12
"""Overlap just after touch-down, in the law's own scale of lengths."""

ALIKE = 1.05
"""Ratio of the fastest to the slowest impact below which one loop stands for both."""


def is_compliant(scene: jc.Scene) -> bool:
    """Whether the contact of one body has a force without a memory."""
    return (
        not isinstance(scene.contact, PairContact)
        and isinstance(scene.contact.normal, SmoothLaw)
        and np.size(scene.bodies.mass) == 1
    )


def force_loops(assessment: Assessment, speeds: Sequence[float]) -> tuple[ForceLoop, ...]:
    """The loops of the slowest and the fastest of the impacts.

    Args:
        assessment: of a fit whose contact is compliant.
        speeds: normal speeds of its impacts [m/s].
    """
    known = sorted(speed for speed in speeds if speed > 0)
    if not known:
        return ()
    chosen = known[-1:] if known[-1] < ALIKE * known[0] else (known[0], known[-1])

    scene = fitted_scene(assessment)
    mass = jnp.ravel(jnp.asarray(scene.bodies.mass))[0]
    with jax.enable_x64(True):
        paths = [_path(scene.contact.normal, jnp.asarray(speed), mass) for speed in chosen]
    return tuple(
        _until_lift_off(speed, np.asarray(path)) for speed, path in zip(chosen, paths, strict=True)
    )


@jax.jit
def _path(law: SmoothLaw, speed: jax.Array, mass: jax.Array) -> jax.Array:
    """Overlap and force (n, 2) by ``m d'' = -F(d, d')`` from ``d' = v`` just after
    touch-down, where the force of some laws has jumped: the classical Runge-Kutta method.
    """
    length, scale = law.scales(impact_speed=speed, mass=mass)
    length_of_step = LONGEST * scale / STEPS

    def force(state: jax.Array) -> jax.Array:
        inside = jnp.maximum(state[0], 0.0)
        return jnp.where(
            state[0] > 0, law.force(inside, state[1], impact_speed=speed, mass=mass), 0.0
        )

    def rate(state: jax.Array) -> jax.Array:
        return jnp.stack([state[1], -force(state) / mass])

    def advance(state: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        after = step(rate, state, length_of_step, CLASSICAL)
        return after, jnp.stack([after[0], force(after)])

    start = jnp.stack([TOUCHED * length, speed])
    path = jax.lax.scan(advance, start, None, length=STEPS)[1]
    return jnp.concatenate([jnp.stack([start[0], force(start)])[None], path])


def _until_lift_off(speed: float, path: np.ndarray) -> ForceLoop:
    gone = np.flatnonzero(path[:, 0] <= 0)
    closed = [path[: gone[0]], np.zeros((1, 2))] if gone.size else [path]
    overlap, force = np.concatenate([np.zeros((1, 2)), *closed]).T
    return ForceLoop(speed, overlap, force)
