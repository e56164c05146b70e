"""PFC's estimate of the time step: no body moves farther than allowed, and no body vibrates faster
than the step can follow.

Both limits are written as rates, which are finite for bodies at rest and bodies without contacts:
1/dt of the kinematic limit, and the highest angular frequency of a body on the springs of its
contacts.

Example:
    >>> from jaxcontact.systems import pfc
    >>> stiffness = pfc.time_step.effective_stiffness(1e6, zeta=0.2)
    >>> print(f"{stiffness:.3e} N/m")
    1.488e+06 N/m
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real, positive_power

SAFETY_FACTOR = 0.8
"""Fraction of the critical time step that the program takes by default."""


@law(
    family="PFC",
    source="Itasca PFC, timestep determination",
    smoothness=math.inf,
    example={"body_speed": 0.4, "body_acceleration": 30.0, "displacement_limit": 1e-3},
    corners=(
        {"body_speed": 0.0},
        {"body_acceleration": 0.0},
        {"body_speed": 0.0, "body_acceleration": 0.0},
    ),
)
def kinematic_rate(
    body_speed: Real, *, body_acceleration: Real, displacement_limit: Real
) -> jax.Array:
    """``1/dt`` [1/s] of the largest step in which a body moves no farther than allowed: ``a dt^2/2
    + v dt = eps``. Elementwise.

    ``1/dt = (v + sqrt(v^2 + 2 a eps))/(2 eps)``; 0, no limit, for a body at rest without
    acceleration.

    Args:
        body_speed: ``v`` [m/s].
        body_acceleration: ``a = |F + m g + F_app|/m`` [m/s^2].
        displacement_limit: ``eps`` [m].
    """
    root = positive_power(
        body_speed * body_speed + 2.0 * body_acceleration * displacement_limit, 0.5
    )
    return jnp.add(body_speed, root) / (2.0 * displacement_limit)


def translational_stiffness(
    normal: Real, *, normal_stiffness: Real, shear_stiffness: Real
) -> jax.Array:
    """Diagonal ``k_n n_i^2 + k_s (1 - n_i^2)`` [N/m] of what a contact adds to the stiffness of a
    body, ``(..., 3)``.

    Args:
        normal: unit normal of the contact, ``(..., 3)``.
        normal_stiffness: ``k_n`` [N/m], ``(...)``.
        shear_stiffness: ``k_s`` [N/m], ``(...)``.
    """
    along = jnp.square(jnp.asarray(normal))
    return jnp.asarray(normal_stiffness)[..., None] * along + jnp.asarray(shear_stiffness)[
        ..., None
    ] * (1.0 - along)


def rotational_stiffness(
    normal: Real,
    *,
    arm: Real,
    shear_stiffness: Real,
    twist_stiffness: Real = 0.0,
    bend_stiffness: Real = 0.0,
) -> jax.Array:
    """Diagonal ``R^2 k_s (1 - n_i^2) + k_twist n_i^2 + k_bend (1 - n_i^2)`` [N m] of the stiffness
    of a body in rotation, ``(..., 3)``.

    Args:
        normal: unit normal of the contact, ``(..., 3)``.
        arm: ``R``, from the centroid to the contact [m], ``(...)``.
        shear_stiffness: ``k_s`` [N/m], ``(...)``.
        twist_stiffness: [N m], ``(...)``.
        bend_stiffness: [N m], ``(...)``.
    """
    return translational_stiffness(
        normal,
        normal_stiffness=twist_stiffness,
        shear_stiffness=arm * arm * shear_stiffness + bend_stiffness,
    )


@law(
    family="PFC",
    source="Itasca PFC, contact models: effective stiffness with dashpots",
    smoothness=math.inf,
    example={"stiffness": 1e6, "zeta": 0.3},
    corners=({"zeta": 0.0}, {"stiffness": 0.0}),
)
def effective_stiffness(stiffness: Real, *, zeta: Real) -> jax.Array:
    """``k/(sqrt(1 + beta^2) - beta)^2`` [N/m]: the undamped spring with the critical time step of a
    spring with a dashpot. Elementwise.

    Written as ``k (sqrt(1 + beta^2) + beta)^2``.

    Args:
        stiffness: ``k`` [N/m].
        zeta: critical damping ratio ``beta`` of the dashpot.
    """
    return jnp.multiply(stiffness, jnp.square(jnp.sqrt(1.0 + zeta * zeta) + zeta))


def highest_frequency(
    *, mass: Real, inertia: Real, translational: Real, rotational: Real
) -> jax.Array:
    """``max_i sqrt(k_i/m)`` over the axes of translation and rotation [rad/s], ``(...)``; the
    critical time step is its inverse.

    Args:
        mass: [kg], ``(...)``.
        inertia: about the global axes [kg m^2], ``(...)`` of a ball or ``(..., 3)``.
        translational: sum of ``translational_stiffness`` over the contacts of the body, ``(...,
            3)``.
        rotational: sum of ``rotational_stiffness``, ``(..., 3)``.
    """
    mass, inertia = jnp.asarray(mass), jnp.asarray(inertia)
    inertia = inertia if inertia.ndim == jnp.ndim(rotational) else inertia[..., None]
    squared = jnp.concatenate([translational / mass[..., None], rotational / inertia], axis=-1)
    return positive_power(jnp.max(squared, axis=-1), 0.5)


def stable_time_step(
    *, frequencies: Real, kinematic_rates: Real, maximum: Real, safety_factor: Real = SAFETY_FACTOR
) -> jax.Array:
    """``min(f/w, dt_kinematic, maximum)`` [s] over all bodies, ``()``.

    The step is a choice of the computation, not a property of the bodies: no derivative flows
    through it.

    Args:
        frequencies: ``highest_frequency`` of each body [rad/s].
        kinematic_rates: ``kinematic_rate`` of each body [1/s].
        maximum: what to take when nothing else limits the step [s], positive.
        safety_factor: ``f``.
    """
    rates = jnp.maximum(
        jnp.max(jnp.asarray(frequencies)) / safety_factor, jnp.max(jnp.asarray(kinematic_rates))
    )
    return jax.lax.stop_gradient(1.0 / jnp.maximum(rates, 1.0 / jnp.asarray(maximum)))
