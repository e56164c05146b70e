"""``Contact`` piece by piece: which smooth branch acts, when it ends, and what it remembers then.

The step functions of this package, ``sphere_sphere``, in the limit of short steps. The mode says
whether the contact is closed, whether the tangential spring slides, whether the normal force is cut
(``end = "zero_force"``), and which rotations are resisted in full. The spring's elongation ``xi``
has a rate. With the slip velocity ``v`` of body 1 and the bound ``mu_s F_n``::

    sticks    F = S_t xi + c_t v                              xi' = v
    slides    F = mu_s F_n (S_t xi + c_t v)/|S_t xi + c_t v|  xi' = (F - S_t xi)/c_t

and both turn with the contact plane. So the slider needs a dashpot, ``coefficient_of_restitution``
below 1.

Two torques jump where a rotation ends: standard rolling friction, and spinning friction with
``limit = "time_step"``. They hold the rotation then; here they rise linearly over rotations below
``RESOLVED`` of the speed of the impact, and so hold it up to a creep below that.

With ``smooth`` only the gap is a switch: the slider carries ``F = P(S_t xi + c_t v)``, and its
elongation has the rate ``(F - S_t xi)/c_t`` throughout.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.contact_disk import (
    disk_radius,
    hertz_area,
    largest_section_area,
    sphere_plane_area,
)
from jaxcontact.geometry.contact_plane import ContactPlane, plane_between
from jaxcontact.geometry.relative_motion import RelativeMotion, plane_spin, relative_motion
from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench, wrench_at
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.pair_contact import Action, PairMemory
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.rolling import rocking_damping_torque, rolling_torque_limit
from jaxcontact.laws.friction.slider import smooth_direction
from jaxcontact.laws.friction.spinning import regularized_spinning_torque, spinning_torque_limit
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.parameters import is_concrete
from jaxcontact.systems.edem.base import TangentialSpring, slider_of
from jaxcontact.systems.edem.spinning_friction import smooth_spin

SWITCHES = ("gap", "slider", "tension", "spin", "rolling 1", "rolling 2")

OPEN, CLOSED = 0, 1
STICKS, SLIDES = 0, 1
PUSHES, CUT = 0, 1
RESTS, TURNS = 0, 1

RESOLVED = 1e-7
"""Share of the speed of an impact below which a rotation counts as ended."""

STILL = 1e-12
"""Share of the natural speed ``sqrt(F_n(R*) R*/m*)`` that no switch resolves."""

LEAST = 1e-30
"""Least overlap [m] of a closed contact, of which every power has derivatives."""


class Mode(NamedTuple):
    """What ``PairMemory.mode`` says, by name."""

    closed: Any
    slides: Any
    cut: Any
    spins: Any
    rolls1: Any
    rolls2: Any


class Touch(NamedTuple):
    """A contact in one state of motion.

    Attributes:
        plane: its location, normal and gap.
        motion: of body 2 against body 1 there.
        overlap: at least ``LEAST`` [m].
        load: ``F_n`` [N], of the spring alone.
        damping: of the normal dashpot [N s/m].
        spring: the tangential one and its dashpot.
    """

    plane: ContactPlane
    motion: RelativeMotion
    overlap: jax.Array
    load: jax.Array
    damping: jax.Array
    spring: TangentialSpring

    @property
    def slip(self) -> jax.Array:
        """Of body 1 against body 2 [m/s], ``(3,)``."""
        return -self.motion.shear


def plane_of(contact: Any, body1: Motion, body2: Partner) -> ContactPlane:
    """Of two particles, or of one and a geometry."""
    radius1, radius2 = contact.radii()
    return plane_between(body1, body2, radius1=radius1, radius2=radius2)


def section_area(contact: Any, overlap: jax.Array) -> jax.Array:
    """Area [m^2] of the largest section of the region in which particles overlap, or one and a
    geometry.
    """
    one, two = contact.particle1, contact.particle2
    if two is None:
        return sphere_plane_area(overlap, radius=one.radius)
    return largest_section_area(overlap, radius1=one.radius, radius2=two.radius)


def touch_of(contact: Any, body1: Motion, body2: Partner) -> Touch:
    """Of two particles, or of one and a geometry, whether they touch or not."""
    plane, pair = plane_of(contact, body1, body2), contact.effective
    motion = relative_motion(body1, body2, location=plane.location, normal=plane.normal)
    overlap = (
        jnp.maximum(-plane.gap, LEAST)
        if contact.smooth is None
        else contact.smooth.within(-plane.gap)
    )
    normal = contact.base.normal(overlap, jnp.zeros_like(overlap), pair)
    spring = contact.base.tangential_spring(overlap, pair)
    return Touch(plane, motion, overlap, normal.load, normal.damping, spring)


def natural_speed(contact: Any) -> jax.Array:
    """``sqrt(F_n R*/m*)`` [m/s] at the overlap ``R*``."""
    pair = contact.effective
    still = jnp.zeros_like(jnp.asarray(pair.radius))
    load = contact.base.normal(pair.radius, still, pair).load
    return jnp.sqrt(load * pair.radius / pair.mass)


def check_followed(contact: Any) -> None:
    """Raises where the limit of short steps of ``contact`` is not followed."""
    name = "edem.Contact in jaxcontact.simulate"
    restitution = contact.base.coefficient_of_restitution
    if is_concrete(restitution) and np.any(np.equal(restitution, 1.0)):
        raise ValueError(
            f"{name}: coefficient_of_restitution = 1 leaves no dashpot beside the tangential "
            "spring, which its slider needs in the limit of short steps. Take 0.999, say."
        )
    spinning = contact.spinning
    if spinning is None or spinning.limit == "time_step":
        return
    if contact.smooth is None and spinning.regularization.smoothness < float("inf"):
        raise ValueError(
            f"{name}: spinning.regularization = {spinning.regularization.name!r} has corners, "
            "which are no switches here. Take 'root' or 'tanh'."
        )


def begun(contact: Any, body1: Motion, body2: Partner) -> PairMemory:
    """At the start, with springs without load."""
    touch = touch_of(contact, body1, body2)
    return touching(contact, touch, body1, body2, touch.plane.gap < 0)


def touching(
    contact: Any, touch: Touch, body1: Motion, body2: Partner, closed: jax.Array
) -> PairMemory:
    """The memory of a contact that begins, or of none. It keeps the slowest speed of a rotation
    that is told from rest [m/s].
    """
    spins = [safe_norm(jnp.asarray(body.angular_velocity)) for body in (body1, body2)]
    speed = safe_norm(touch.motion.translational_velocity) + contact.effective.radius * sum(spins)
    least = jnp.maximum(RESOLVED * speed, 1e-2 * RESOLVED * natural_speed(contact))
    kept = jax.lax.stop_gradient(least)[None]
    flow = jnp.zeros(3, touch.overlap.dtype)
    over, bound = sliding_speeds(contact, touch, flow)
    turns = [rotation > 0 for rotation in rotations_above(contact, touch, kept, body1, body2)]
    cut = (normal_speed(touch) < 0) & (contact.base.end == "zero_force")
    mode = jnp.stack([jnp.asarray(part) for part in (closed, over > bound, cut, *turns)])
    return PairMemory(mode.astype(int), kept, flow)


def normal_speed(touch: Touch) -> jax.Array:
    """Normal force over its dashpot [m/s]: negative where they would attract, and other than zero
    where the contact opens.
    """
    return touch.load / touch.damping - touch.motion.normal


def sliding_speeds(contact: Any, touch: Touch, elongation: jax.Array) -> tuple[jax.Array, ...]:
    """``|S_t xi + c_t v|/c_t`` and ``mu_s F_n/c_t`` [m/s], squared: the spring slides where the
    first one is larger. Unlike forces they are not zero together where the contact opens.
    """
    stiffness, damping = touch.spring
    damped = damping > 0
    safe = jnp.where(damped, damping, 1.0)
    trial = jnp.where(damped, stiffness / safe, 0.0) * elongation + touch.slip
    bound = contact.base.static_friction * touch.load / safe
    return jnp.sum(trial**2), bound**2 + (STILL * natural_speed(contact)) ** 2


def rotations_above(
    contact: Any, touch: Touch, kept: jax.Array, body1: Motion, body2: Partner
) -> list[jax.Array]:
    """Spin and rolling of either body as speeds of their surfaces, above the least one [m/s]; a
    geometry has none.
    """
    spin = contact.effective.radius * jnp.abs(touch.motion.twist)
    rolling = [
        jnp.zeros_like(spin)
        if radius is None
        else radius * safe_norm(jnp.asarray(body.angular_velocity))
        for radius, body in zip(contact.radii(), (body1, body2), strict=True)
    ]
    return [speed - kept[0] for speed in (spin, *rolling)]


def act(contact: Any, memory: PairMemory, body1: Motion, body2: Partner) -> Action:
    """Forces and torques; the base model's act at the middle of the overlap."""
    touch, mode = touch_of(contact, body1, body2), Mode(*memory.mode)
    pushes = normal_force(contact, mode, touch)
    tangential, rate = tangential_force(contact, mode, touch, memory.flow)
    rate = rate + cross(plane_spin(body1, body2, normal=touch.plane.normal), memory.flow)
    force = -tangential - pushes * touch.plane.normal
    disk = disk_torque(contact, mode, touch, memory.kept)
    rolling1, rolling2 = (
        rolling_torque(contact, rolls, particle, body, touch.load, memory.kept)
        for rolls, particle, body in (
            (mode.rolls1, contact.particle1, body1),
            (mode.rolls2, contact.particle2, body2),
        )
    )
    on1 = wrench_at(force, touch.plane.location - jnp.asarray(body1.position))
    on2 = wrench_at(-force, touch.plane.location - jnp.asarray(body2.position))
    wrenches = (
        Wrench(on1.force, on1.torque + disk + rolling1),
        Wrench(on2.force, on2.torque - disk + rolling2),
    )
    if contact.smooth is not None:
        gate = contact.smooth.gate(-touch.plane.gap)
        wrenches = jax.tree.map(lambda part: gate * part, wrenches)
    action = Action(*wrenches, rate)
    return jax.tree.map(lambda part: jnp.where(mode.closed == CLOSED, part, 0.0), action)


def normal_force(contact: Any, mode: Mode, touch: Touch) -> jax.Array:
    """Of spring and dashpot [N], in the present mode or smooth."""
    if contact.smooth is None:
        return jnp.where(mode.cut == CUT, 0.0, touch.load - touch.damping * touch.motion.normal)
    rate = -touch.motion.normal
    return contact.base.normal(touch.overlap, rate, contact.effective, smooth=contact.smooth).force


def tangential_force(
    contact: Any, mode: Mode, touch: Touch, elongation: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """What spring and slider carry against body 1 [N], and the rate of the elongation [m/s] in the
    plane; ``(3,)``.
    """
    stiffness, damping = touch.spring
    trial = stiffness * elongation + damping * touch.slip
    size = safe_norm(trial)
    bound = contact.base.static_friction * touch.load
    if contact.smooth is not None:
        held = slider_of(contact.smooth)(trial, limit=bound)
        return held, (held - stiffness * elongation) / jnp.where(damping > 0, damping, 1.0)
    held = bound * trial / jnp.where(size > 0, size, 1.0)
    taken = (held - stiffness * elongation) / jnp.where(damping > 0, damping, 1.0)
    slides = mode.slides == SLIDES
    return jnp.where(slides, held, trial), jnp.where(slides, taken, touch.slip)


def disk_torque(contact: Any, mode: Mode, touch: Touch, kept: jax.Array) -> jax.Array:
    """Spinning friction and damping of rocking on body 1 [N m], ``(3,)``."""
    friction, pair = contact.spinning, contact.effective
    if friction is None:
        return jnp.zeros_like(touch.slip)
    if friction.disk == "hertz":
        area = hertz_area(touch.overlap, effective_radius=pair.radius)
    else:
        area = section_area(contact, touch.overlap)
    spin, rocking = -touch.motion.twist, -touch.motion.bend
    disk: dict[str, Any] = {
        "coefficient": friction.mu,
        "contact_radius": disk_radius(area),
        "pressure": friction.pressure,
    }
    if friction.limit == "time_step" and contact.smooth is not None:
        share = smooth_spin(
            spin, zone=jnp.zeros_like(spin), effective_radius=pair.radius, smooth=contact.smooth
        )
        torque = -spinning_torque_limit(touch.load, **disk) * share
    elif friction.limit == "time_step":
        least = kept[0] / pair.radius
        scale = jnp.where(mode.spins == TURNS, jnp.abs(spin), least)
        share = spin / jnp.where(scale > 0, scale, 1.0)
        torque = -spinning_torque_limit(touch.load, **disk) * share
    else:
        torque = regularized_spinning_torque(
            spin,
            touch.load,
            spin_velocity=friction.w_reg,
            regularization=friction.regularization,
            **disk,
        )
    damped = rocking_damping_torque(rocking, damping=touch.damping, contact_area=area)
    return torque * touch.plane.normal + damped


def rolling_torque(
    contact: Any, rolls: jax.Array, particle: Any, body: Partner, load: jax.Array, kept: jax.Array
) -> jax.Array:
    """Standard rolling friction on a particle [N m], ``(3,)``; none on a geometry."""
    if particle is None:
        return jnp.zeros(3, load.dtype)
    if contact.smooth is not None:
        return smooth_rolling_torque(
            contact.smooth,
            body,
            load,
            rolling_coefficient=contact.base.rolling_friction,
            effective_radius=particle.radius,
        )
    limit = rolling_torque_limit(
        load,
        rolling_coefficient=contact.base.rolling_friction,
        effective_radius=particle.radius,
    )
    rotation = jnp.asarray(body.angular_velocity)
    scale = jnp.where(rolls == TURNS, safe_norm(rotation), kept[0] / particle.radius)
    return -limit * rotation / jnp.where(scale > 0, scale, 1.0)


def smooth_rolling_torque(
    smooth: Smoothing,
    body: Partner,
    load: jax.Array,
    *,
    rolling_coefficient: Real,
    effective_radius: Real,
) -> jax.Array:
    """Standard rolling friction on a particle [N m], ``(..., 3)``, less below ``speed``."""
    limit = rolling_torque_limit(
        load, rolling_coefficient=rolling_coefficient, effective_radius=effective_radius
    )
    direction = smooth_direction(
        jnp.asarray(body.angular_velocity),
        zone=jnp.zeros_like(limit),
        speed=smooth.speed / effective_radius,
        smoothing=smooth.share,
    )
    return -limit[..., None] * direction


def signs(contact: Any, memory: PairMemory, body1: Motion, body2: Partner) -> jax.Array:
    """Of ``SWITCHES``."""
    touch, mode = touch_of(contact, body1, body2), Mode(*memory.mode)
    one, closed = jnp.ones_like(touch.overlap), mode.closed == CLOSED
    distance = jnp.where(closed, -touch.plane.gap, touch.plane.gap)
    if contact.smooth is not None:
        # without a dashpot the slider has no rate: see below
        slides = jnp.where(touch.spring.damping > 0, one, jnp.nan)
        return jnp.stack([distance, jnp.where(closed, slides, one), *4 * [one]])
    over, bound = sliding_speeds(contact, touch, memory.flow)
    rubs = touch.spring.damping > 0
    # Without a dashpot, which ``check_followed`` refuses where it can, nothing tells when the
    # spring slides: no step is solved then.
    sliding = jnp.where(mode.slides == SLIDES, over - bound, bound - over)
    slider = jnp.where(rubs, sliding, jnp.nan)
    pushes = normal_speed(touch)
    tension = (
        jnp.where(mode.cut == CUT, -pushes, pushes) if contact.base.end == "zero_force" else one
    )
    turning = rotations_above(contact, touch, memory.kept, body1, body2)
    matters = [
        jnp.asarray(contact.spinning is not None and contact.spinning.limit == "time_step"),
        jnp.greater(contact.base.rolling_friction, 0.0),
        (contact.particle2 is not None) & jnp.greater(contact.base.rolling_friction, 0.0),
    ]
    rotations = [
        jnp.where(resisted, jnp.where(turns == TURNS, above, -above), one)
        for resisted, turns, above in zip(matters, mode[3:], turning, strict=True)
    ]
    inside = [jnp.where(closed, sign, one) for sign in (slider, tension, *rotations)]
    return jnp.stack([distance, *inside])


def crossed(
    contact: Any, switch: jax.Array, memory: PairMemory, body1: Motion, body2: Partner
) -> PairMemory:
    """From an event on."""
    touch = touch_of(contact, body1, body2)
    at_gap = touching(contact, touch, body1, body2, memory.mode[0] == OPEN)
    other = jnp.where(jnp.arange(len(SWITCHES)) == switch, 1 - memory.mode, memory.mode)
    within = PairMemory(other, memory.kept, memory.flow)
    return jax.tree.map(lambda new, old: jnp.where(switch == 0, new, old), at_gap, within)


def flow_scale(contact: Any) -> jax.Array:
    """What counts as little of the elongation [m]."""
    return 1e-4 * jnp.asarray(contact.effective.radius)
