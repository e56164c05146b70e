"""Forces of the fluid around a sphere: drag and lift."""

import math

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.parameters import model, parameter


@model
class QuadraticDrag:
    """Air drag ``F = -1/2 rho C_D pi R^2 |v| v``. Valid where C_D is constant: Reynolds number
    about 1e3 to 2e5 for a smooth sphere.

    Example:
        >>> drag = jc.QuadraticDrag(coefficient=0.47)
        >>> force = drag.force(jnp.array([0.0, 0.0, -5.0]), radius=0.02)
        >>> print(f"{force[2]:.4f} N")
        0.0089 N
    """

    coefficient: Real = parameter(
        unit="-",
        label="drag coefficient",
        symbol="C_D",
        interval="[0, inf)",
        transform="log",
        default=0.47,
    )
    fluid_density: Real = parameter(
        unit="kg/m^3", label="density of the fluid", symbol="rho", interval="[0, inf)", default=1.2
    )

    def force(self, velocity: jax.Array, radius: Real) -> jax.Array:
        """Drag force [N] at ``velocity`` [m/s], shape (..., 3)."""
        area = math.pi * jnp.asarray(radius) ** 2
        return (
            jnp.multiply(
                -0.5 * self.fluid_density * self.coefficient,
                (area * safe_norm(velocity))[..., None],
            )
            * velocity
        )


@model
class MagnusLift:
    """Lift of a spinning sphere, ``F = 1/2 rho C_M pi R^3 spin x v``.

    It is the lift coefficient ``C_L = C_M S`` written with the spin parameter ``S = R |spin| /
    |v|``: linear in S, valid for S below about 0.5 (Cross, Am. J. Phys. 80 (2012) 289-294). C_M is
    1 to 2 for smooth spheres in inviscid estimates, 0.5 to 1.2 measured.

    Example:
        >>> lift = jc.MagnusLift(coefficient=1.0)
        >>> velocity, spin = jnp.array([5.0, 0.0, 0.0]), jnp.array([0.0, -100.0, 0.0])
        >>> force = lift.force(velocity, spin, radius=0.02)
        >>> print(f"{force[2]:.4f} N upwards")
        0.0075 N upwards
    """

    coefficient: Real = parameter(
        unit="-",
        label="Magnus coefficient",
        symbol="C_M",
        interval="[0, inf)",
        transform="log",
        default=1.0,
    )
    fluid_density: Real = parameter(
        unit="kg/m^3", label="density of the fluid", symbol="rho", interval="[0, inf)", default=1.2
    )

    def force(self, velocity: jax.Array, spin: jax.Array, radius: Real) -> jax.Array:
        """Lift force [N] at ``velocity`` [m/s] and ``spin`` [rad/s], shapes (..., 3)."""
        cube = jnp.asarray(radius)[..., None] ** 3
        return jnp.multiply(0.5 * self.fluid_density * self.coefficient * math.pi, cube) * cross(
            spin, velocity
        )
