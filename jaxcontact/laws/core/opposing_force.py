"""What is asked of a resistance before a simulation: that it opposes the velocity, in proportion to
the normal force.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import is_concrete

VELOCITIES = np.logspace(-6, 2, 17)
"""[m/s], or [rad/s], at which a law is asked."""

LOADS = (1.0, 1e3)
"""Normal forces [N] at which it is asked."""

ROUNDING = 1e-5
"""Relative difference that single precision makes."""

DIRECTION = np.array([0.6, 0.8, 0.0])

Force = Callable[[Real, Real], jax.Array]


def check_opposing(law: object, force: Force, *, velocity: str) -> None:
    """Raise ``ValueError`` where ``force(velocity, normal_force)`` is not finite, does not oppose
    the velocity, or is not proportional to the normal force; nothing where values are not known.

    Args:
        law: for its name and its parameters.
        force: ``(..., 3)``.
        velocity: what it is called.
    """
    if not all(map(is_concrete, jax.tree.leaves(law))):
        return
    name, slips = type(law).__name__, VELOCITIES[:, None] * DIRECTION
    one, other = (np.asarray(force(slips, np.full(len(slips), load))) for load in LOADS)
    one, other = one / LOADS[0], other / LOADS[1]
    for slip, force_there in zip(VELOCITIES, one, strict=True):
        if not np.all(np.isfinite(force_there)):
            raise ValueError(f"{name}: the force is {force_there} at a {velocity} of {slip:g}.")
        along = force_there @ DIRECTION
        aside = np.linalg.norm(force_there - along * DIRECTION)
        if along > 0.0 or aside > ROUNDING * abs(along):
            raise ValueError(
                f"{name}: at a {velocity} of {slip:g} the force does not oppose it: {force_there} "
                f"along {DIRECTION}. It must be -g F_n times the unit vector of the {velocity}, "
                "with g >= 0."
            )
    differs = np.linalg.norm(one - other, axis=-1) > ROUNDING * np.linalg.norm(one, axis=-1)
    if np.any(differs):
        slip = VELOCITIES[differs][0]
        raise ValueError(
            f"{name}: at a {velocity} of {slip:g} the force is not proportional to the normal "
            f"force. A load of {LOADS[1]:g} N has {np.linalg.norm(other[differs][0]):.6g} of it, "
            f"one of {LOADS[0]:g} N {np.linalg.norm(one[differs][0]):.6g}. What resists by an "
            "offset or up to a cap is followed by the contact of a program: "
            "jaxcontact.systems.comsol."
        )


def largest_ratio(force: Force) -> jax.Array:
    """Largest force over the normal force, at the velocities that are asked."""
    slips = VELOCITIES[:, None] * DIRECTION
    return jnp.max(-(force(slips, np.ones(len(slips))) @ DIRECTION))
