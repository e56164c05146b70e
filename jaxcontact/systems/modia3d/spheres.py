"""The response of a sphere against a sphere, and against a plane, in one call."""

import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.modia3d.contact_pair_material import ElasticContactPairMaterial
from jaxcontact.systems.modia3d.elastic_contact import ElasticContact
from jaxcontact.systems.modia3d.response import ContactMemory, Response, contact_response
from jaxcontact.systems.modia3d.shape import Sphere
from jaxcontact.systems.modia3d.solid import Solid
from jaxcontact.systems.modia3d.solid_material import SolidMaterial
from jaxcontact.systems.modia3d.sphere_planes import sphere_flat_plane, sphere_sphere_plane

_EXAMPLE_CONTACT = ElasticContact(
    solid1=Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel"),
    solid2=Solid(shape=Sphere(diameter=0.3), solidMaterial="Steel"),
    solidMaterial1=SolidMaterial(density=1e3, YoungsModulus=1e6, PoissonsRatio=0.3),
    solidMaterial2=SolidMaterial(density=1e3, YoungsModulus=2e6, PoissonsRatio=0.4),
    pairMaterial=ElasticContactPairMaterial(
        coefficientOfRestitution=0.7,
        slidingFrictionCoefficient=0.5,
        rotationalResistanceCoefficient=0.01,
        vsmall=0.125,
        wsmall=0.125,
    ),
)
_NO_SPIN = (0.0, 0.0, 0.0)
_FIRST_AT_REST = Motion((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), _NO_SPIN)


def _along_x(
    position: float,
    *,
    velocity: tuple[float, float, float] = (-0.5, 0.0, 0.0),
    spin: tuple = _NO_SPIN,
) -> dict[str, Motion]:
    """Sphere 1 at rest in the origin, sphere 2 on the x axis; the spheres touch at a distance of
    0.25 m.
    """
    return {"motion1": _FIRST_AT_REST, "motion2": Motion((position, 0.0, 0.0), velocity, spin)}


def _arrays(motion: Motion) -> Motion:
    return Motion(*(jnp.asarray(vector) for vector in motion))


def _radius(contact: ElasticContact, number: int) -> Real:
    shape = (contact.solid1, contact.solid2)[number - 1].shape
    if not isinstance(shape, Sphere):
        raise TypeError(
            f"solid{number}.shape is a {type(shape).__name__}, but must be a Sphere here. "
            "For other shapes find the ContactPlane and call"
            " contact_response."
        )
    return 0.5 * shape.diameter


@law(
    name="modia3d_sphere_sphere_response",
    family="Modia3D",
    source="Modia3D, Contact Force Law; Neumayr and Otter, EOOLT 2019, 57-65",
    smoothness=2,
    example={
        "memory": ContactMemory(0.75),
        "contact": _EXAMPLE_CONTACT,
        "motion1": Motion((0.01, -0.02, 0.03), (0.8, 0.4, -0.2), (1.0, -3.0, 2.0)),
        "motion2": Motion((0.21, 0.03, 0.06), (-0.1, 0.2, 0.6), (-2.0, 1.0, 1.5)),
    },
    switches=(
        _along_x(0.21, velocity=(-0.5, 0.125, 0.0), spin=(0.125, 0.0, 0.0)),
        _along_x(0.21, velocity=(0.0, 0.0, 0.0)),
    ),
    corners=(
        _along_x(0.21),
        _along_x(0.21, velocity=(0.0, 0.3, 0.4)),
        {"memory": ContactMemory(0.0), **_along_x(0.25)},
        {"memory": ContactMemory(), **_along_x(0.25)},
        {"memory": ContactMemory(), **_along_x(0.24, velocity=(0.0, 0.0, 0.0))},
        _along_x(0.5),
        _along_x(0.01),
        _along_x(0.0),
        _along_x(0.21, velocity=(50.0, 0.0, 0.0)),
    ),
)
def sphere_sphere_response(
    memory: ContactMemory, contact: ElasticContact, motion1: Motion, motion2: Motion
) -> tuple[Response, ContactMemory]:
    """Forces and torques between two spheres, and the memory afterwards; see ``contact_response``.
    Conserves angular momentum.

    Args:
        memory: of this pair; ``ContactMemory()`` at first.
        contact: parameters; both shapes are spheres.
        motion1: of the centre of sphere 1.
        motion2: of the centre of sphere 2.

    Returns:
        Forces and torques on both solids, and the memory after the step.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> response, memory = modia3d.sphere_sphere_response(
        ...     modia3d.ContactMemory(), contact, first, second
        ... )
        >>> print(f"{response.normal_force:.0f} N")
        30250 N
    """
    motion1, motion2 = _arrays(motion1), _arrays(motion2)
    plane = sphere_sphere_plane(
        motion1, motion2, radius1=_radius(contact, 1), radius2=_radius(contact, 2)
    )
    return contact_response(memory, contact, motion1, motion2, plane)


def sphere_flat_response(
    memory: ContactMemory,
    contact: ElasticContact,
    motion1: Motion,
    motion2: Motion,
    *,
    surface_normal: Real,
) -> tuple[Response, ContactMemory]:
    """Forces and torques between a sphere and a plane surface, and the memory afterwards; see
    ``contact_response``.

    Conserves angular momentum.

    Args:
        memory: of this pair; ``ContactMemory()`` at first.
        contact: parameters; ``solid1`` is a sphere.
        motion1: of the centre of the sphere.
        motion2: of a point of solid 2 on the plane; its torque is about this point.
        surface_normal: direction out of solid 2, ``(..., 3)``, of any length.

    Returns:
        Forces and torques on both solids, and the memory after the step.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> table = modia3d.Solid(
        ...     shape=modia3d.Box(lengthX=3.0, lengthY=0.5, lengthZ=0.02), solidMaterial="DryWood"
        ... )
        >>> steel = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> ball = Motion(jnp.array([0.0, 0.0, 0.0299]), jnp.zeros(3), jnp.zeros(3))
        >>> floor = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> response, memory = modia3d.sphere_flat_response(
        ...     modia3d.ContactMemory(),
        ...     modia3d.elastic_contact(steel, table),
        ...     ball,
        ...     floor,
        ...     surface_normal=(0.0, 0.0, 1.0),
        ... )
        >>> print(f"{response.normal_force:.0f} N")
        2854 N
    """
    motion1, motion2 = _arrays(motion1), _arrays(motion2)
    plane = sphere_flat_plane(
        motion1, motion2, radius1=_radius(contact, 1), surface_normal=surface_normal
    )
    return contact_response(memory, contact, motion1, motion2, plane)
