"""What is simulated: bodies, surfaces, their contact, and the forces at a distance."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.numerics.smooth import Real, Vector, safe_norm
from jaxcontact.parameters import Replaceable, is_concrete, model, parameter
from jaxcontact.scene.anchor_spring import AnchorSpring
from jaxcontact.scene.bodies import Clumps
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.scene.fluid import MagnusLift, QuadraticDrag
from jaxcontact.surfaces import Plane, Surface
from jaxcontact.surfaces.base import walls_apart


@model
class Scene(Replaceable):
    """Bodies, the surfaces they may touch, how they touch, gravity, and the fluid around them.

    Args:
        bodies: ``spheres(...)``, ``clump(...)``, ``cube(...)``, or several ``together(...)``.
        surfaces: of ``jaxcontact.surfaces``, in any number; a floor at ``z = 0`` where nothing is
            given, none with ``()``.
        contact: laws of every contact, a ``ContactModel``; or a ``PairContact`` such as
            ``systems.exudyn.ObjectContactSphereSphere``, which brings its own kinematics.
        contact_on_surfaces: laws of contacts with surfaces where these differ from those between
            bodies: one ``ContactModel``, or one for each surface. They are of the same kinds as
            those of ``contact``, with other parameters.
        gravity: acceleration of free fall [m/s^2], shape (3,); or one for each body, shape (bodies,
            3).
        drag: quadratic drag or ``None``.
        lift: Magnus lift or ``None``.
        springs: of ``AnchorSpring``, in any number.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3, shell=True),
        ...     surfaces=(jc.Plane(normal=(0.0, 0.0, 1.0)),),
        ...     contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=4e7, restitution=0.9)),
        ...     drag=jc.QuadraticDrag(coefficient=0.47),
        ... )
        >>> scene.has_fluid, scene.gravity
        (True, (0.0, 0.0, -9.81))
    """

    bodies: Any
    surfaces: Sequence[Any] = (Plane(),)
    contact: Any
    contact_on_surfaces: Any = None
    gravity: Vector = parameter(
        unit="m/s^2",
        label="acceleration of free fall",
        symbol="g",
        shape=(3,),
        default=(0.0, 0.0, -9.81),
    )
    drag: QuadraticDrag | None = None
    lift: MagnusLift | None = None
    springs: Sequence[AnchorSpring] = ()

    def __post_init__(self) -> None:
        for name in ("surfaces", "springs"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        for index, surface in enumerate(self.surfaces):
            if not isinstance(surface, Surface):
                raise TypeError(
                    f"Scene: surfaces[{index}] = {surface!r} is not a Surface. Give one of "
                    "jaxcontact.surfaces, or let your class inherit from Surface."
                )
        if not isinstance(self.contact, (ContactModel, PairContact)):
            raise TypeError(
                f"Scene: contact = {_shown(self.contact)} is neither a ContactModel nor a contact "
                "between two bodies. Give jc.ContactModel(normal=...), or a PairContact. That of "
                "another program is exudyn.ObjectContactSphereSphere, pfc.Contact(model=...), "
                "comsol.SphericalContact(contact=...), edem.Contact(base=...) or "
                "modia3d.ElasticContact of jaxcontact.systems."
            )
        if isinstance(self.contact_on_surfaces, PairContact) or (
            isinstance(self.contact, PairContact) and self.contact_on_surfaces is not None
        ):
            raise TypeError(
                "Scene: contact_on_surfaces is for a ContactModel. A contact between two bodies, "
                "such as those of jaxcontact.systems, is the only one of its scene: give it as "
                "contact."
            )
        if isinstance(self.contact_on_surfaces, ContactModel):
            object.__setattr__(
                self, "contact_on_surfaces", (self.contact_on_surfaces,) * len(self.surfaces)
            )
        elif isinstance(self.contact_on_surfaces, list):
            object.__setattr__(self, "contact_on_surfaces", tuple(self.contact_on_surfaces))
        if isinstance(self.contact_on_surfaces, tuple):
            self._check_contacts()
        if isinstance(self.bodies, Clumps) and self.has_fluid:
            raise ValueError(
                "Scene: drag and lift are for spheres, not for clumps. Leave them out."
            )

    def with_walls_apart(self) -> tuple["Scene", np.ndarray]:
        """The scene with each wall of its surfaces (``Surface.walls``) as a surface of its own, and
        of each the number of the surface that it belongs to, ``(walls,)``.
        """
        walls, owner = walls_apart(self.surfaces)
        if len(owner) == len(self.surfaces):
            return self, owner
        contacts = self.contact_on_surfaces
        if contacts is not None:
            contacts = tuple(contacts[index] for index in owner)
        return dataclasses.replace(self, surfaces=walls, contact_on_surfaces=contacts), owner

    def _check_contacts(self) -> None:
        given = self.contact_on_surfaces
        if len(given) != len(self.surfaces):
            raise ValueError(
                f"Scene: contact_on_surfaces holds {len(given)} contacts, but there are "
                f"{len(self.surfaces)} surfaces."
            )
        for index, contact in enumerate(given):
            kinds: tuple[Any, Any] = (jax.tree.structure(contact), jax.tree.structure(self.contact))
            if isinstance(contact, ContactModel) and kinds[0] != kinds[1]:
                raise ValueError(
                    f"Scene: contact_on_surfaces[{index}] is not of the same laws as "
                    "contact; only their parameters may differ. "
                    f"Here {_kinds(contact)}, there {_kinds(self.contact)}."
                )

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

    def external_acceleration(
        self, position: jax.Array, velocity: jax.Array, spin: jax.Array, time: Real
    ) -> jax.Array:
        """Acceleration of every body by gravity, fluid and springs [m/s^2], ``(bodies, 3)``."""
        total = self.acceleration(velocity, spin)
        mass = jnp.asarray(self.bodies.mass)
        for spring in self.springs:
            force = spring.force(position[spring.body], velocity[spring.body], time)
            own_mass = mass if mass.ndim == 0 else mass[spring.body]
            total = total.at[spring.body].add(force / own_mass)
        return total


def _shown(given: object) -> str:
    """A wrong value in an error text, not longer than it helps."""
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def _kinds(contact: ContactModel) -> str:
    laws = (contact.normal, contact.friction, contact.rolling, contact.spinning)
    return " with ".join(type(law).__name__ for law in laws if law is not None)


class State(NamedTuple):
    """How the bodies are placed and how they move, made by ``state``.

    Attributes:
        position: centre of mass [m], ``(3,)`` or ``(bodies, 3)``.
        velocity: of the centre of mass [m/s], same shape.
        spin: angular velocity in the frame of the scene [rad/s], same shape.
        orientation: unit quaternion, scalar first, ``(4,)`` or ``(bodies, 4)``, from body axes to
            those of the scene. ``None`` for spheres, and for clumps whose body axes are those of
            the scene at the start.

    Example:
        >>> start = jc.state(position=(0.0, 0.0, 0.3), velocity=(1.0, 0.0, 0.0))
        >>> isinstance(start, jc.State)
        True
        >>> print(start.position, start.spin)
        [0.  0.  0.3] [0. 0. 0.]
    """

    position: Annotated[jax.Array, "*bodies 3"]
    velocity: Annotated[jax.Array, "*bodies 3"]
    spin: Annotated[jax.Array, "*bodies 3"]
    orientation: Any = None


def state(
    *,
    position: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    spin: ArrayLike = (0.0, 0.0, 0.0),
    orientation: ArrayLike | None = None,
) -> State:
    """Initial state.

    Args:
        position: centre of mass [m], shape (3,) or (bodies, 3).
        velocity: velocity of the centre of mass [m/s], same shape.
        spin: angular velocity in the frame of the scene [rad/s], same shape.
        orientation: quaternion of each clump, scalar first, (4,) or (bodies, 4); of any length, it
            is normalised.

    Returns:
        The state; every array has the common shape.

    Raises:
        ValueError: a value is not finite or has another shape, or a quaternion is zero.

    Example:
        >>> start = jc.state(position=(0.0, 0.0, 0.3), velocity=(1.0, 0.0, 0.0))
        >>> print(start.velocity)
        [1. 0. 0.]
        >>> jc.state(position=(0.0, 0.0, 0.3)).spin.shape
        (3,)
    """
    given = {"position": position, "velocity": velocity, "spin": spin}
    if orientation is not None:
        given["orientation"] = orientation
    for name, value in given.items():
        if is_concrete(value) and not np.all(np.isfinite(np.asarray(value, dtype=float))):
            raise ValueError(f"state: {name} = {np.asarray(value)} is not finite.")
    values = {name: jnp.asarray(value, dtype=float) for name, value in given.items()}
    turned = values.pop("orientation", None)
    for name, value in values.items():
        if value.shape[-1:] != (3,):
            raise ValueError(
                f"state: {name} has shape {value.shape}, but its last axis must hold 3 "
                "components (x, y, z)."
            )
    shape = jnp.broadcast_shapes(*(value.shape for value in values.values()))
    if turned is not None:
        if turned.shape[-1:] != (4,):
            raise ValueError(
                f"state: orientation has shape {turned.shape}, but its last axis must hold a "
                "quaternion (scalar, x, y, z)."
            )
        if is_concrete(orientation) and not np.all(
            np.any(np.asarray(orientation, dtype=float), axis=-1)
        ):
            raise ValueError(
                "state: orientation contains a quaternion of zeros, which is no orientation. "
                "(1, 0, 0, 0) is not turned."
            )
        size = safe_norm(turned)[..., None]
        turned = jnp.broadcast_to(turned / jnp.where(size > 0.0, size, 1.0), (*shape[:-1], 4))
    return State(
        **{name: jnp.broadcast_to(value, shape) for name, value in values.items()},
        orientation=turned,
    )
