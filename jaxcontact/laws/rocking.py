"""Rocking damping: the normal dashpot of a contact, spread over its disk, resists tilting.

A disk of radius ``a`` with the damping ``gamma/(pi a^2)`` per area, tilting at the rate ``w``, has
the moment ``integral of gamma/(pi a^2) (w y) y dA = (gamma/4) a^2 w`` about a diameter.
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.catalogue import law
from jaxcontact.numerics.smooth import Real


@law(
    family="spinning",
    source="EDEM spinning friction",
    smoothness=float("inf"),
    example={"rotation_rate": (0.3, -2.0, 0.7), "damping": 12.0, "contact_area": 3e-4},
    corners=({"rotation_rate": (0.0, 0.0, 0.0)}, {"damping": 0.0}, {"contact_area": 0.0}),
    conjugate="rotation_rate",
)
def rocking_damping_torque(rotation_rate: Real, *, damping: Real, contact_area: Real) -> jax.Array:
    """``-(gamma/4) (A/pi) w_t`` [N m], ``(..., k)``, on the body that rocks with ``w_t`` against
    its partner.

    The area enters instead of the radius: no root, and finite derivatives of every order at zero
    overlap. Source: EDEM, spinning friction contact model.

    Args:
        rotation_rate: ``w_t``, ``(..., k)``: relative angular velocity normal to the contact normal
            [rad/s].
        damping: ``gamma``, ``(...)``: coefficient of the normal dashpot [N s/m].
        contact_area: ``A``, ``(...)`` [m^2].
    """
    return -jnp.expand_dims(jnp.asarray(damping * contact_area / (4.0 * jnp.pi)), -1) * jnp.asarray(
        rotation_rate
    )
