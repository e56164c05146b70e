"""What is simulated: spheres, surfaces, their contact, and the forces at a distance."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.contact import ContactModel
from jaxcontact.field import is_concrete, model, parameter
from jaxcontact.smooth import safe_norm
from jaxcontact.surfaces import Plane

SOLID_SPHERE = 2 / 5
THIN_SHELL = 2 / 3


@model
class Spheres:
    """Rigid spheres; every parameter a scalar (one sphere) or one value for each sphere.

    The moment of inertia about any axis through the centre is ``inertia_ratio * mass * radius**2``: 2/5 for a solid sphere, 2/3 for a
    thin shell such as a table-tennis ball.
    """

    radius: Any = parameter(unit="m", label="radius", symbol="R", interval="(0, inf)", transform="log")
    mass: Any = parameter(unit="kg", label="mass", symbol="m", interval="(0, inf)", transform="log")
    inertia_ratio: Any = parameter(
        unit="-",
        label="moment of inertia over m R^2",
        symbol="kappa",
        interval="(0, 0.6666666666666667]",
        transform="logit",
        default=SOLID_SPHERE,
        remedy="A solid sphere has 2/5, a thin shell 2/3.",
    )

    @property
    def moment_of_inertia(self) -> Any:
        """Moment of inertia about the centre [kg m^2]."""
        return self.inertia_ratio * self.mass * self.radius**2

    @property
    def tangential_mass(self) -> Any:
        """Mass that resists a tangential impulse at the contact point, ``m_t = 1 / (1/m + R^2/I)`` [kg]."""
        return self.mass * self.inertia_ratio / (1 + self.inertia_ratio)


def spheres(*, radius: Any, mass: Any = None, density: Any = None, shell: bool = False) -> Spheres:
    """Spheres of given ``radius`` [m] and either ``mass`` [kg] or ``density`` [kg/m^3].

    Args:
        radius: radius [m].
        mass: mass [kg].
        density: density of a solid sphere [kg/m^3]; excludes ``mass`` and ``shell``.
        shell: thin spherical shell (table-tennis ball) instead of a solid sphere.
    """
    if (mass is None) == (density is None):
        raise ValueError("spheres: give exactly one of mass [kg] and density [kg/m^3].")
    if density is not None and shell:
        raise ValueError("spheres: density = ... with shell=True is ambiguous, the wall thickness is unknown. Give mass [kg] instead.")
    if density is not None:
        if is_concrete(density) and not np.all(np.asarray(density) > 0):
            raise ValueError(f"spheres: density = {density} kg/m^3 is outside (0, inf).")
        mass = density * (4 / 3 * math.pi) * radius**3
    return Spheres(radius=radius, mass=mass, inertia_ratio=THIN_SHELL if shell else SOLID_SPHERE)


@model
class QuadraticDrag:
    """Air drag ``F = -1/2 rho C_D pi R^2 |v| v``. Valid where C_D is constant: Reynolds number about 1e3 to 2e5 for a smooth sphere."""

    coefficient: Any = parameter(unit="-", label="drag coefficient", symbol="C_D", interval="[0, inf)", transform="log", default=0.47)
    fluid_density: Any = parameter(unit="kg/m^3", label="density of the fluid", symbol="rho", interval="[0, inf)", default=1.2)

    def force(self, velocity: jax.Array, radius: Any) -> jax.Array:
        """Drag force [N] at ``velocity`` [m/s], shape (..., 3)."""
        area = math.pi * jnp.asarray(radius) ** 2
        return -0.5 * self.fluid_density * self.coefficient * (area * safe_norm(velocity))[..., None] * velocity


@model
class MagnusLift:
    """Lift of a spinning sphere, ``F = 1/2 rho C_M pi R^3 spin x v``.

    It is the lift coefficient ``C_L = C_M S`` written with the spin parameter ``S = R |spin| / |v|``: linear in S, valid for S below
    about 0.5 (Cross, Am. J. Phys. 80 (2012) 289-294). C_M is 1 to 2 for smooth spheres in inviscid estimates, 0.5 to 1.2 measured.
    """

    coefficient: Any = parameter(unit="-", label="Magnus coefficient", symbol="C_M", interval="[0, inf)", transform="log", default=1.0)
    fluid_density: Any = parameter(unit="kg/m^3", label="density of the fluid", symbol="rho", interval="[0, inf)", default=1.2)

    def force(self, velocity: jax.Array, spin: jax.Array, radius: Any) -> jax.Array:
        """Lift force [N] at ``velocity`` [m/s] and ``spin`` [rad/s], shapes (..., 3)."""
        cube = jnp.asarray(radius)[..., None] ** 3
        return 0.5 * self.fluid_density * self.coefficient * math.pi * cube * jnp.cross(spin, velocity)


@model
class Scene:
    """Bodies, the surfaces they may touch, how they touch, gravity, and the fluid around them.

    Args:
        bodies: the spheres.
        surfaces: of ``jaxcontact.surfaces``, in any number.
        contact: normal and tangential law of every contact.
        gravity: acceleration of free fall [m/s^2], shape (3,); or one for each body, shape (bodies, 3).
        drag: quadratic drag or ``None``.
        lift: Magnus lift or ``None``.
    """

    bodies: Spheres
    surfaces: tuple[Any, ...] = (Plane(),)
    contact: ContactModel
    gravity: Any = parameter(unit="m/s^2", label="acceleration of free fall", symbol="g", shape=(3,), default=(0.0, 0.0, -9.81))
    drag: QuadraticDrag | None = None
    lift: MagnusLift | None = None

    def __post_init__(self) -> None:
        if isinstance(self.surfaces, list):
            object.__setattr__(self, "surfaces", tuple(self.surfaces))

    @property
    def has_fluid(self) -> bool:
        """Whether free flight needs integration (drag or lift) or is a parabola."""
        return self.drag is not None or self.lift is not None

    def acceleration(self, velocity: jax.Array, spin: jax.Array) -> jax.Array:
        """Acceleration of a sphere by gravity and fluid [m/s^2]; shapes (..., 3)."""
        total = jnp.broadcast_to(jnp.asarray(self.gravity, dtype=velocity.dtype), velocity.shape)
        mass = jnp.asarray(self.bodies.mass)[..., None]
        if self.drag is not None:
            total = total + self.drag.force(velocity, self.bodies.radius) / mass
        if self.lift is not None:
            total = total + self.lift.force(velocity, spin, self.bodies.radius) / mass
        return total


class State(NamedTuple):
    """Position [m], velocity [m/s] and spin [rad/s] of the bodies, each of shape (3,) or (bodies, 3)."""

    position: jax.Array
    velocity: jax.Array
    spin: jax.Array


def state(*, position: Any, velocity: Any = (0.0, 0.0, 0.0), spin: Any = (0.0, 0.0, 0.0)) -> State:
    """Initial state.

    Args:
        position: centre [m], shape (3,) or (bodies, 3).
        velocity: velocity of the centre [m/s], same shape.
        spin: angular velocity in the frame of the scene [rad/s], same shape.
    """
    given = {"position": position, "velocity": velocity, "spin": spin}
    for name, value in given.items():
        if is_concrete(value) and not np.all(np.isfinite(np.asarray(value, dtype=float))):
            raise ValueError(f"state: {name} = {value} is not finite.")
    values = {name: jnp.asarray(value, dtype=float) for name, value in given.items()}
    for name, value in values.items():
        if value.shape[-1:] != (3,):
            raise ValueError(f"state: {name} has shape {value.shape}, but its last axis must hold 3 components (x, y, z).")
    shape = jnp.broadcast_shapes(*(value.shape for value in values.values()))
    return State(*(jnp.broadcast_to(value, shape) for value in values.values()))
