"""A contact of two spherical particles, or of one with a plane geometry: base model, rolling
friction and spinning friction together.
"""

from typing import Annotated, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_disk import hertz_area
from jaxcontact.geometry.contact_plane import (
    ContactPlane,
    carried_with_plane,
    mean_spin,
)
from jaxcontact.geometry.relative_motion import RelativeMotion, relative_motion
from jaxcontact.geometry.rigid_motion import (
    Motion,
    Partner,
    PlaneMotion,
    Wrench,
    wrench_at,
)
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.smoothing import Smoothing, check_smoothing, gated, onset_of
from jaxcontact.laws.friction.rolling import constant_rolling_torque
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.materials import effective_mass, effective_radius
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model
from jaxcontact.systems.edem import contact_modes
from jaxcontact.systems.edem.base import EffectivePair, NormalContact
from jaxcontact.systems.edem.hertz_mindlin import HertzMindlin
from jaxcontact.systems.edem.linear_spring import LinearSpring
from jaxcontact.systems.edem.particle import Particle
from jaxcontact.systems.edem.spinning_friction import (
    DiskTorques,
    SpinningFriction,
    spinning_friction,
)


@model
class Contact(PairContact):
    """Two bodies in contact: parameters.

    ``Scene(contact=Contact(...))`` simulates it in the limit of short steps, between two spheres,
    between one and a ``jaxcontact.Sphere`` that is held, or on a ``jaxcontact.Plane``: particle 1
    is the first body, particle 2 the second one or the sphere that is held. Their masses must be
    those of the scene. ``contact_modes`` says what the limit is.

    Attributes:
        particle1: body 1.
        particle2: body 2; ``None``, the default, is a plane geometry.
        base: base model.
        spinning: spinning friction; ``None``, the default, is none, and no damping of rocking
            either.
        smooth: a ``jaxcontact.Smoothing``, for two continuous derivatives; ``None``, the default,
            is the documented form.

    Example:
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.HertzMindlin(
        ...     solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.5
        ... )
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> contact = edem.Contact(particle1=particle, particle2=particle, base=base)
        >>> print(f"effective radius {contact.effective.radius:.3f} m")
        effective radius 0.025 m
    """

    particle1: Particle
    particle2: Particle | None = None
    base: HertzMindlin | LinearSpring
    spinning: SpinningFriction | None = None
    smooth: Smoothing | None = None
    switches: ClassVar[tuple[str, ...]] = contact_modes.SWITCHES
    on_a_plane: ClassVar[str] = "edem.Contact without particle2"

    def __post_init__(self) -> None:
        check_smoothing("Contact", self.smooth)
        spinning = self.spinning
        if self.smooth is None or spinning is None or spinning.limit == "time_step":
            return
        if spinning.regularization.smoothness < 2:
            raise ValueError(
                f"Contact: spinning.regularization = {spinning.regularization.name!r} has a corner "
                "that smooth does not round off. Take 'root' or 'tanh'."
            )

    @property
    def grading(self) -> int:
        """That of the base model."""
        return self.base.grading

    @property
    def onset(self) -> Real | None:
        """``smooth.overlap`` [m]; ``None`` without ``smooth``."""
        return onset_of(self.smooth)

    @property
    def flow_scale(self) -> jax.Array:
        """What counts as little of the elongation of the tangential spring [m]."""
        return contact_modes.flow_scale(self)

    def check(self) -> None:
        """Raises where the limit of short steps is not followed."""
        contact_modes.check_followed(self)

    def radii(self) -> tuple[Any, Any]:
        """Of the two particles [m]; ``None`` that of a geometry."""
        return self.particle1.radius, None if self.particle2 is None else self.particle2.radius

    def masses(self) -> tuple[Any, Any]:
        """Of the two particles [kg]; ``None`` that of a geometry."""
        return self.particle1.mass, None if self.particle2 is None else self.particle2.mass

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """A spring without load, and what the motion says."""
        return contact_modes.begun(self, body0, body1)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Gap [m], negative in overlap."""
        return contact_modes.plane_of(self, body0, body1).gap

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and torques in the present mode."""
        return contact_modes.act(self, memory, body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """Of ``switches``."""
        return contact_modes.signs(self, memory, body0, body1)

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What is remembered from an event on."""
        return contact_modes.crossed(self, switch, memory, body0, body1)

    @property
    def effective(self) -> EffectivePair:
        """``R*`` and ``m*``."""
        one, two = self.particle1, self.particle2
        if two is None:
            return EffectivePair(effective_radius(one.radius), effective_mass(one.mass))
        return EffectivePair(
            effective_radius(one.radius, two.radius), effective_mass(one.mass, two.mass)
        )


class ContactMemory(NamedTuple):
    """What a contact remembers; ``new_memory`` begins it.

    Attributes:
        spring: elongation of the tangential spring, ``(..., 3)`` [m], of body 1 against body 2 in
            global axes.
        normal: of the last step, ``(..., 3)``.

    Example:
        >>> from jaxcontact.systems import edem
        >>> memory = edem.new_memory()
        >>> isinstance(memory, edem.ContactMemory)
        True
    """

    spring: SpringMemory
    normal: Real


class ContactForces(NamedTuple):
    """Forces of a contact by body and by cause; vectors are ``(..., 3)``, scalars ``(...)``.

    Attributes:
        body1: force and torque on body 1 about its centre [N, N m].
        body2: the same on body 2; of a geometry about its reference point.
        normal_force: spring and dashpot along the normal [N], positive when it repels.
        tangential_force: on body 1 [N].
        spinning_torque: on body 1 [N m]; its opposite on body 2.
        rocking_torque: on body 1 [N m]; its opposite on body 2.
        rolling_torque1: on body 1 [N m].
        rolling_torque2: on body 2 [N m]; not the opposite of the former.
        overlap: [m].
        normal: unit vector from body 1 to body 2.
        location: of the contact, in the middle of the overlap [m].

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.HertzMindlin(
        ...     solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.5
        ... )
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> contact = edem.Contact(particle1=particle, particle2=particle, base=base)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.099, 0.0, 0.0]), jnp.array([-0.5, 0.0, 0.0]), jnp.zeros(3))
        >>> forces, memory = edem.sphere_sphere(
        ...     edem.new_memory(), contact, first, second, time_step=1e-5
        ... )
        >>> print(f"overlap {1e3 * forces.overlap:.1f} mm")
        overlap 1.0 mm
    """

    body1: Wrench
    body2: Wrench
    normal_force: Annotated[jax.Array, ""]
    tangential_force: Annotated[jax.Array, "3"]
    spinning_torque: Annotated[jax.Array, "3"]
    rocking_torque: Annotated[jax.Array, "3"]
    rolling_torque1: Annotated[jax.Array, "3"]
    rolling_torque2: Annotated[jax.Array, "3"]
    overlap: Annotated[jax.Array, ""]
    normal: Annotated[jax.Array, "3"]
    location: Annotated[jax.Array, "3"]


def new_memory() -> ContactMemory:
    """Memory of a contact that has not begun.

    Returns:
        The memory of a contact that begins: springs without load.

    Example:
        >>> from jaxcontact.systems import edem
        >>> memory = edem.new_memory()
        >>> print(memory.spring.elongation)
        [0. 0. 0.]
    """
    return ContactMemory(SpringMemory(jnp.zeros(3)), jnp.zeros(3))


def sphere_sphere(
    memory: ContactMemory, parameters: Contact, motion1: Motion, motion2: Motion, *, time_step: Real
) -> tuple[ContactForces, ContactMemory]:
    """Forces and torques between two particles, and the memory after a step.

    The base model's forces act at the middle of the overlap; spinning and rocking torques are
    opposite on both bodies: angular momentum is conserved to rounding by these. Standard rolling
    friction, ``-mu_r F_n R_i w_i/|w_i|`` with each body's own angular velocity, does **not**
    conserve it, as documented; ``rolling_friction = 0`` switches it off.

    Hard: continuous at zero overlap with the Hertz-Mindlin base (the linear one jumps), corners at
    the friction limit and at the limit of the time step, jump of the rolling torque where an
    angular velocity vanishes. ``F_n`` in these limits is the spring's part of the normal force.
    With ``smooth`` two continuous derivatives for a given memory.

    Args:
        memory: of the last step.
        parameters: of the contact, ``particle2`` given.
        motion1: of the centre of body 1.
        motion2: of the centre of body 2.
        time_step: ``dt`` [s].

    Returns:
        Forces and torques by body and by cause, and the memory after the step.

    Raises:
        ValueError: ``particle2`` is missing.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.HertzMindlin(
        ...     solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.5
        ... )
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> contact = edem.Contact(particle1=particle, particle2=particle, base=base)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.099, 0.0, 0.0]), jnp.array([-0.5, 0.0, 0.0]), jnp.zeros(3))
        >>> forces, memory = edem.sphere_sphere(
        ...     edem.new_memory(), contact, first, second, time_step=1e-5
        ... )
        >>> print(f"{forces.normal_force:.1f} N")
        43.1 N
    """
    if parameters.particle2 is None:
        raise ValueError(
            "edem.sphere_sphere: parameters.particle2 is missing. Give it, or call sphere_geometry."
        )
    return _contact_forces(memory, parameters, motion1, motion2, time_step)


def sphere_geometry(
    memory: ContactMemory,
    parameters: Contact,
    motion1: Motion,
    geometry: Motion,
    *,
    normal: Real,
    time_step: Real,
) -> tuple[ContactForces, ContactMemory]:
    """Forces and torques between a particle and a plane geometry, and the memory after a step; see
    ``sphere_sphere``.

    Args:
        memory: of the last step.
        parameters: of the contact, without ``particle2``.
        motion1: of the centre of the particle.
        geometry: of a point of the plane, which moves as a rigid body.
        normal: unit normal of the plane, towards the particle, ``(..., 3)``.
        time_step: ``dt`` [s].

    Returns:
        Forces and torques by body and by cause, and the memory after the step.

    Raises:
        ValueError: ``particle2`` is given; a geometry is no particle.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.HertzMindlin(
        ...     solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.5
        ... )
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> contact = edem.Contact(particle1=particle, base=base)
        >>> ball = Motion(jnp.array([0.0, 0.0, 0.049]), jnp.array([0.0, 0.0, -0.5]), jnp.zeros(3))
        >>> floor = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> forces, memory = edem.sphere_geometry(
        ...     edem.new_memory(), contact, ball, floor, normal=(0.0, 0.0, 1.0), time_step=1e-5
        ... )
        >>> print(f"{forces.normal_force:.1f} N")
        63.0 N
    """
    if parameters.particle2 is not None:
        raise ValueError(
            "edem.sphere_geometry: parameters.particle2 is given, but a geometry is no "
            "particle. Leave it out."
        )
    plane = PlaneMotion(*geometry, jnp.asarray(normal))
    return _contact_forces(memory, parameters, motion1, plane, time_step)


def _contact_forces(
    memory: ContactMemory,
    parameters: Contact,
    motion1: Motion,
    motion2: Partner,
    time_step: Real,
) -> tuple[ContactForces, ContactMemory]:
    plane = contact_modes.plane_of(parameters, motion1, motion2)
    base, pair, overlap = parameters.base, parameters.effective, overlap_of(parameters, plane)
    section = contact_modes.section_area(parameters, overlap)
    smooth = parameters.smooth
    motion = relative_motion(motion1, motion2, location=plane.location, normal=plane.normal)
    normal = base.normal(overlap, -motion.normal, pair, smooth=smooth)
    tangential, spring = _tangential(
        memory, parameters, motion1, motion2, plane, -motion.shear, normal.load, time_step
    )
    disk = _disk_torques(parameters, motion, plane, normal, section, time_step)
    rolling1 = _rolling(parameters, parameters.particle1, motion1, normal.load)
    rolling2 = _rolling(parameters, parameters.particle2, motion2, normal.load)
    along, tangential, *torques = gated(
        smooth, -plane.gap, normal.force, tangential, *disk, rolling1, rolling2
    )
    disk, rolling1, rolling2 = DiskTorques(*torques[:2]), *torques[2:]
    force = tangential - along[..., None] * plane.normal
    on1 = wrench_at(force, plane.location - jnp.asarray(motion1.position))
    on2 = wrench_at(-force, plane.location - jnp.asarray(motion2.position))
    forces = ContactForces(
        body1=Wrench(on1.force, on1.torque + disk.total + rolling1),
        body2=Wrench(on2.force, on2.torque - disk.total + rolling2),
        normal_force=along,
        tangential_force=tangential,
        spinning_torque=disk.spinning,
        rocking_torque=disk.rocking,
        rolling_torque1=rolling1,
        rolling_torque2=rolling2,
        overlap=-plane.gap,
        normal=plane.normal,
        location=plane.location,
    )
    return forces, ContactMemory(spring, plane.normal)


def _tangential(
    memory: ContactMemory,
    parameters: Contact,
    motion1: Motion,
    motion2: Partner,
    plane: ContactPlane,
    slip: jax.Array,
    load: jax.Array,
    time_step: Real,
) -> tuple[jax.Array, SpringMemory]:
    """The base model's tangential force, its spring carried with the contact plane first."""
    turn = mean_spin(plane.normal, motion1.angular_velocity, motion2.angular_velocity) * time_step
    carried = SpringMemory(
        carried_with_plane(memory.spring.elongation, memory.normal, plane.normal, turn=turn)
    )
    return parameters.base.tangential(
        carried,
        slip * time_step,
        load,
        overlap_of(parameters, plane),
        parameters.effective,
        time_step=time_step,
        smooth=parameters.smooth,
    )


def overlap_of(parameters: Contact, plane: ContactPlane) -> jax.Array:
    """``d`` [m], ``(...)``."""
    overlap = -plane.gap
    return overlap if parameters.smooth is None else parameters.smooth.within(overlap)


def _disk_torques(
    parameters: Contact,
    motion: RelativeMotion,
    plane: ContactPlane,
    normal: NormalContact,
    section: jax.Array,
    time_step: Real,
) -> DiskTorques:
    """Spinning friction and damping of rocking on body 1."""
    friction, rotation = parameters.spinning, -motion.rotational_velocity
    if friction is None:
        return DiskTorques(jnp.zeros_like(rotation), jnp.zeros_like(rotation))
    return spinning_friction(
        friction,
        parameters.particle1,
        parameters.particle2,
        rotation,
        normal=plane.normal,
        normal_force=normal.load,
        contact_area=section
        if friction.disk == "overlap"
        else hertz_area(
            overlap_of(parameters, plane), effective_radius=parameters.effective.radius
        ),
        damping=normal.damping,
        time_step=time_step,
        smooth=parameters.smooth,
        effective_radius=parameters.effective.radius,
    )


def _rolling(
    parameters: Contact, particle: Particle | None, motion: Partner, load: jax.Array
) -> jax.Array:
    """Standard rolling friction ``(..., 3)`` [N m] on a particle; none on a geometry."""
    if particle is None:
        return jnp.zeros_like(jnp.asarray(motion.angular_velocity))
    law = {
        "rolling_coefficient": parameters.base.rolling_friction,
        "effective_radius": particle.radius,
    }
    if parameters.smooth is not None:
        return contact_modes.smooth_rolling_torque(parameters.smooth, motion, load, **law)
    return constant_rolling_torque(jnp.asarray(motion.angular_velocity), load, **law)
