"""``Contact`` piece by piece: which smooth branch acts, when it ends, and what it remembers then.

The step functions of this package, ``linear_contact``, ``hertz_contact`` and
``rolling_resistance_linear_contact``, in the limit of short steps. With the overlap ``d = -g_s``,
the shear velocity ``v`` of piece 2 against piece 1 and the angular velocity ``W`` of the contact
plane, the shear force ``F`` on piece 2 obeys::

    sticks    F' = -k_s v + W x F
    slides    F = mu F_n u,    u' = -k_s (v - (v . u) u)/(mu F_n) + W x u

the limit of ``P(F - k_s ddelta_s)`` along axes that turn with the plane. It begins to slide at
``|F| = mu F_n``, and sticks again when ``-k_s v . u = mu F_n'``, from where on the trial force of a
step is below its limit. ``k_s`` is the present one: in the Hertz model it goes like
``d^(alpha - 1)``, and ``F`` stays on unloading (``hz_mode = 0``) or gains ``F k_s'/k_s`` then
(``hz_mode = 1``). A contact that touches slides from the start where ``k_s |v| > mu k_n d'``.

The rolling spring is the same with ``M/R``, ``k_r/R^2``, ``mu_r`` and the rolling speed
``R theta_b'``. With ``dp_mode`` 1 or 3 the total normal force is cut at 0; with 2 or 3 the shear
dashpot ends while the shear force slides.

With ``smooth`` forces and moments set in gradually, and the cut and the end of the shear dashpot
are no switches. A slider stays one: its corner is that of its memory.

A simulation that starts in overlap remembers what the program does after its first step: the linear
model scales the shear increment by the time since touch-down, ``d/d'`` while it closes, so that
``F = -k_s v d/d'``, limited; all else starts at 0.

The limit is a reconstruction: the program documents steps, not rates.
"""

from typing import Any, NamedTuple, Protocol, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.contact_plane import ContactPlane, plane_between
from jaxcontact.geometry.relative_motion import RelativeMotion, plane_spin, relative_motion
from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench, wrench_at
from jaxcontact.geometry.vectors import cross, distance_and_direction
from jaxcontact.laws.core.pair_contact import Action, PairMemory
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.rolling import iwashita_oda_rolling_stiffness
from jaxcontact.laws.friction.slider import coulomb_slider
from jaxcontact.laws.normal.elastic import linear_force, power_law_force
from jaxcontact.numerics.smooth import Real, positive_power, safe_norm
from jaxcontact.parameters import is_concrete
from jaxcontact.systems.pfc.hertz import (
    Hertz,
    normal_coefficient,
    shear_ratio,
    tangent_stiffnesses,
)
from jaxcontact.systems.pfc.linear import Linear
from jaxcontact.systems.pfc.response import below_limit, dashpot_coefficient, without_tension
from jaxcontact.systems.pfc.rolling_resistance_linear import RollingResistanceLinear

ContactModel: TypeAlias = Linear | Hertz | RollingResistanceLinear
"""The models that are followed."""

SWITCHES = ("gap", "slider", "rolling", "tension", "turn")

OPEN, CLOSED = 0, 1
STICKS, SLIDES = 0, 1
PUSHES, CUT = 0, 1
LOADS, UNLOADS = 0, 1

NO_TENSION, NO_SHEAR_DASHPOT = (1, 3), (2, 3)
"""Values of ``dp_mode``."""

LEAST = 1e-30
"""Least overlap [m] of a closed contact, of which every power has derivatives."""

LITTLE = 1e-3
"""Overlap over the effective radius at which a force counts as little."""

DIRECTION = 1e-5
"""Length of a direction that is remembered, in units of what counts as little force. Near the end
of a contact it turns like a fractional power of the time, which matters the less the less force is
left. Shorter, Newton's method no longer solves for it; longer, it takes steps for nothing.
"""

UNRESOLVED = 1e-8
"""Overlap over the effective radius below which a direction turns at a bounded rate. This changes
the impulse of a contact by the square of its ratio to the largest overlap.
"""

STILL = 1e-12
"""Force, in units of what counts as little of it, that is rounding. It does not make a spring slide
where the contact ends and its limit is 0, too.
"""


class BallContact(Protocol):
    """What these functions take of a ``Contact``, which is built on them: its properties of the
    same names.
    """

    @property
    def model(self) -> ContactModel:
        """The contact model."""

    @property
    def radius1(self) -> Real:
        """Of ball 1 [m]."""

    @property
    def radius2(self) -> Real | None:
        """Of ball 2 [m]; ``None`` of a facet."""

    @property
    def smooth(self) -> Smoothing | None:
        """How corners are rounded off."""

    @property
    def contact_mass(self) -> Real:
        """``m_c`` [kg]."""

    @property
    def effective_radius(self) -> Real:
        """``1/(1/R1 + 1/R2)`` [m]; ``R1`` on a facet."""


class Mode(NamedTuple):
    """What ``PairMemory.mode`` says, by name."""

    closed: Any
    slides: Any
    rolls: Any
    cut: Any
    unloads: Any


class Touch(NamedTuple):
    """A contact in one state of motion.

    Attributes:
        plane: its location, normal and contact gap.
        motion: of body 2 against body 1 there.
        gap: of the surfaces [m].
        overlap: at least ``LEAST`` [m].
        load: ``F_n`` [N], of the spring alone.
        kn: tangent stiffness [N/m].
        ks: shear stiffness [N/m].
    """

    plane: ContactPlane
    motion: RelativeMotion
    gap: jax.Array
    overlap: jax.Array
    load: jax.Array
    kn: jax.Array
    ks: jax.Array


class Spring(NamedTuple):
    """A spring behind a slider.

    Attributes:
        stiffness: [N/m].
        ratio: of it to the normal tangent stiffness [-].
        coefficient: ``mu``: the slider carries ``mu F_n``.
        velocity: of what pulls the spring [m/s], ``(3,)``.
    """

    stiffness: jax.Array
    ratio: Real
    coefficient: Real
    velocity: jax.Array


def properties(contact: BallContact) -> Linear | Hertz:
    """Of springs, slider and dashpots."""
    model = contact.model
    return model.linear if isinstance(model, RollingResistanceLinear) else model


def normal_spring(contact: BallContact, overlap: Real) -> tuple[jax.Array, jax.Array, jax.Array]:
    """``F_n`` [N], ``k_n`` and ``k_s`` [N/m] at an ``overlap`` [m]."""
    given = properties(contact)
    if isinstance(given, Linear):
        kn, ks = jnp.asarray(given.kn), jnp.asarray(given.ks)
        return linear_force(overlap, stiffness=kn), kn, ks
    h_n = normal_coefficient(
        given.hz_shear, given.hz_poiss, effective_radius=contact.effective_radius
    )
    kn, ks = tangent_stiffnesses(overlap, h_n=h_n, hz_poiss=given.hz_poiss, hz_alpha=given.hz_alpha)
    return power_law_force(overlap, stiffness=h_n, exponent=given.hz_alpha), kn, ks


def stiffness_ratio(contact: BallContact) -> Real:
    """``k_s/k_n`` [-], at any overlap."""
    given = properties(contact)
    return shear_ratio(given.hz_poiss) if isinstance(given, Hertz) else given.ks / given.kn


def exponent(contact: BallContact) -> Real:
    """``alpha``: the normal force is like ``d^alpha``."""
    given = properties(contact)
    return given.hz_alpha if isinstance(given, Hertz) else 1.0


def grading(contact: BallContact) -> int:
    """Power ``p`` such that the motion after touch-down is smooth in ``time^(1/p)``: Hertz's
    dashpots grow like ``d^(1/4)``.
    """
    return 4 if isinstance(contact.model, Hertz) else 1


def flow_scale(contact: BallContact) -> jax.Array:
    """What counts as little of a spring's force [N]."""
    return normal_spring(contact, LITTLE * contact.effective_radius)[0]


def check_followed(contact: BallContact) -> None:
    """Raises where the limit of short steps of ``contact`` is not followed."""
    name = "pfc.Contact in jaxcontact.simulate"
    if not isinstance(contact.model, ContactModel):
        raise ValueError(
            f"{name}: model = {contact.model!r} is not followed. Give a Linear, Hertz or "
            "RollingResistanceLinear."
        )
    given = properties(contact)
    if given.slider is not coulomb_slider:
        raise ValueError(
            f"{name}: slider = {given.slider!r} is not followed: events say where sliding begins. "
            "Leave slider out; coulomb_slider is the program's."
        )
    if isinstance(given, Hertz):
        return
    if given.lin_mode != 0:
        raise ValueError(
            f"{name}: lin_mode = {given.lin_mode} is not followed, only 0. Take lin_mode=0: it is "
            "the same motion, but for contacts that are in overlap at the start."
        )
    if is_concrete(given.kn) and np.any(np.equal(given.kn, 0.0)):
        raise ValueError(
            f"{name}: kn = 0 holds nothing apart. Give a positive stiffness, or no contact."
        )


def touch_of(contact: BallContact, body1: Motion, body2: Partner) -> Touch:
    """Of two balls, or of one and a facet, whether they touch or not."""
    plane = plane_between(body1, body2, radius1=contact.radius1, radius2=contact.radius2)
    motion = relative_motion(body1, body2, location=plane.location, normal=plane.normal)
    gap = plane.gap - properties(contact).rgap
    smooth = contact.smooth
    overlap = jnp.maximum(-gap, LEAST) if smooth is None else smooth.within(-gap)
    return Touch(plane, motion, gap, overlap, *normal_spring(contact, overlap))


def springs_of(contact: BallContact, touch: Touch) -> list[Spring]:
    """Of shear; and of rolling, where the model has it."""
    ratio, shear = stiffness_ratio(contact), touch.motion.shear
    springs = [Spring(touch.ks, ratio, properties(contact).fric, shear)]
    if isinstance(contact.model, RollingResistanceLinear):
        radius = jnp.asarray(contact.effective_radius)
        stiffness = jnp.asarray(iwashita_oda_rolling_stiffness(touch.ks, effective_radius=radius))
        rolling = radius * touch.motion.bend
        springs.append(Spring(stiffness / radius**2, ratio, contact.model.rr_fric, rolling))
    return springs


def dashpots_of(contact: BallContact, touch: Touch) -> tuple[jax.Array, jax.Array]:
    """Normal and shear coefficient [N s/m]."""
    given, mass = properties(contact), contact.contact_mass
    damped = positive_power(touch.overlap, given.dp_alpha) if isinstance(given, Hertz) else 1.0
    normal = dashpot_coefficient(given.dp_nratio, contact_mass=mass, stiffness=touch.kn)
    shear = dashpot_coefficient(given.dp_sratio, contact_mass=mass, stiffness=touch.ks)
    return damped * normal, damped * shear


def begun(contact: BallContact, body1: Motion, body2: Partner) -> PairMemory:
    """As after the program's first step."""
    touch = touch_of(contact, body1, body2)
    springs, closing = springs_of(contact, touch), -touch.motion.normal
    rounding = 1e3 * jnp.finfo(touch.gap.dtype).eps
    closes = closing > rounding * safe_norm(touch.motion.translational_velocity)
    elapsed = jnp.where(closes, touch.overlap / jnp.where(closes, closing, 1.0), 0.0)
    since = [jnp.zeros_like(elapsed) for _ in springs]
    if not isinstance(contact.model, Hertz):
        since[0] = elapsed
    forces = [
        -spring.stiffness * time * spring.velocity
        for spring, time in zip(springs, since, strict=True)
    ]
    over = [
        safe_norm(force) > spring.coefficient * touch.load
        for force, spring in zip(forces, springs, strict=True)
    ]
    return beginning(contact, touch, forces, over, touch.gap < 0)


def touching(contact: BallContact, touch: Touch, closed: jax.Array) -> PairMemory:
    """The memory of a contact that begins without overlap, or of none."""
    springs, closing = springs_of(contact, touch), -touch.motion.normal
    over = [
        jnp.greater(spring.ratio * safe_norm(spring.velocity), spring.coefficient * closing)
        for spring in springs
    ]
    return beginning(contact, touch, [jnp.zeros(3) for _ in springs], over, closed)


def beginning(
    contact: BallContact,
    touch: Touch,
    forces: list[jax.Array],
    over: list[jax.Array],
    closed: jax.Array,
) -> PairMemory:
    """Memory of springs that carry ``forces`` [N], or, where they are ``over`` the limit, slide
    against their velocity.
    """
    flows = [
        jnp.where(slides, -direction_length(contact) * unit(spring.velocity), force)
        for force, slides, spring in zip(forces, over, springs_of(contact, touch), strict=True)
    ]
    slides, rolls = over if len(over) > 1 else (over[0], jnp.zeros_like(over[0]))
    cut = normal_speed(contact, touch) < 0
    mode = Mode(closed, slides, rolls, cut, touch.motion.normal > 0)
    flow = jnp.where(closed, jnp.concatenate(flows), 0.0)
    whole = jnp.stack([jnp.asarray(part).astype(int) for part in mode])
    return PairMemory(whole, jnp.zeros(0, flow.dtype), flow)


def unit(vector: jax.Array) -> jax.Array:
    """Its direction; of none 0."""
    return distance_and_direction(vector)[1]


def direction_length(contact: BallContact) -> jax.Array:
    """Of a flow of which only the direction counts [N]."""
    return jax.lax.stop_gradient(DIRECTION * flow_scale(contact))


def normal_speed(contact: BallContact, touch: Touch) -> jax.Array:
    """Normal force over its dashpot [m/s]: negative where they would attract, and other than zero
    where the contact opens; 1 without dashpot.
    """
    damping, _ = dashpots_of(contact, touch)
    damped = damping > 0
    force = touch.load / jnp.where(damped, damping, 1.0) - touch.motion.normal
    return jnp.where(damped, force, 1.0)


def depth_of(contact: BallContact, touch: Touch) -> jax.Array:
    """``F_n/k_n = d/alpha`` [m], rounded off where it ends."""
    least = UNRESOLVED * jnp.asarray(contact.effective_radius)
    return jnp.sqrt((touch.overlap / exponent(contact)) ** 2 + least**2)


def stiffening(contact: BallContact, touch: Touch, mode: Mode) -> jax.Array:
    """``k_s'/k_s`` [1/s] by which the shear force falls on unloading with ``hz_mode = 1``, else
    0.
    """
    given = properties(contact)
    if isinstance(given, Linear) or given.hz_mode == 0:
        return jnp.zeros_like(touch.gap)
    rate = -(1.0 - 1.0 / given.hz_alpha) * touch.motion.normal / depth_of(contact, touch)
    return jnp.where(mode.unloads == UNLOADS, rate, 0.0)


def carried(
    contact: BallContact,
    touch: Touch,
    spring: Spring,
    slides: jax.Array,
    flow: jax.Array,
    falls: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Force on body 2 [N], and the rate of the flow [N/s] in the plane; ``(3,)``. ``falls``:
    ``k_s'/k_s`` where the force changes with it.
    """
    along, limit = unit(flow), spring.coefficient * touch.load
    across = spring.velocity - jnp.sum(spring.velocity * along) * along
    turns = spring.coefficient * depth_of(contact, touch)
    rubs = turns > 0
    turn = spring.ratio * across / jnp.where(rubs, turns, 1.0)
    held = -spring.stiffness * spring.velocity + falls * flow
    moves = jnp.where(rubs, -safe_norm(flow)[..., None] * turn, 0.0)
    slides = slides == SLIDES
    return jnp.where(slides, limit * along, flow), jnp.where(slides, moves, held)


def carried_by_all(
    contact: BallContact, memory: PairMemory, touch: Touch
) -> tuple[list[jax.Array], jax.Array]:
    """Forces of the springs, and the rate of the flow in the plane."""
    mode, springs = Mode(*memory.mode), springs_of(contact, touch)
    falls = stiffening(contact, touch, mode), jnp.zeros_like(touch.gap)
    pairs = [
        carried(contact, touch, spring, slides, memory.flow[3 * k : 3 * k + 3], falls[k])
        for k, (spring, slides) in enumerate(zip(springs, mode[1:3], strict=False))
    ]
    return [force for force, _ in pairs], jnp.concatenate([rate for _, rate in pairs])


def act(contact: BallContact, memory: PairMemory, body1: Motion, body2: Partner) -> Action:
    """Forces and torques: the contact force acts in the middle of the overlap."""
    touch, mode, given = touch_of(contact, body1, body2), Mode(*memory.mode), properties(contact)
    forces, rate = carried_by_all(contact, memory, touch)
    normal_damping, shear_damping = dashpots_of(contact, touch)
    smooth, damping = contact.smooth, -normal_damping * touch.motion.normal
    push = touch.load + damping
    if given.dp_mode in NO_TENSION and smooth is not None:
        push = touch.load + without_tension(damping, touch.load, normal_damping, smooth)
    elif given.dp_mode in NO_TENSION:
        push = jnp.where(mode.cut == CUT, 0.0, push)
    dashpot = -shear_damping * touch.motion.shear
    if given.dp_mode in NO_SHEAR_DASHPOT:
        sticks = jnp.where(mode.slides == SLIDES, 0.0, 1.0)
        if smooth is not None:
            sticks = sticks * below_limit(forces[0], jnp.asarray(given.fric) * touch.load, smooth)
        dashpot = sticks * dashpot
    force = push * touch.plane.normal + forces[0] + dashpot
    radius = jnp.asarray(contact.effective_radius)
    moment = radius * forces[1] if len(forces) > 1 else jnp.zeros_like(force)
    spin = plane_spin(body1, body2, normal=touch.plane.normal)
    rate = rate + cross(spin, memory.flow.reshape(-1, 3)).ravel()
    on1 = wrench_at(-force, touch.plane.location - jnp.asarray(body1.position))
    on2 = wrench_at(force, touch.plane.location - jnp.asarray(body2.position))
    wrenches = Wrench(on1.force, on1.torque - moment), Wrench(on2.force, on2.torque + moment)
    if smooth is not None:
        wrenches = jax.tree.map(lambda part: smooth.gate(-touch.gap) * part, wrenches)
    action = Action(*wrenches, rate)
    return jax.tree.map(lambda part: jnp.where(mode.closed == CLOSED, part, 0.0), action)


def slider_sign(
    contact: BallContact,
    touch: Touch,
    mode: Mode,
    spring: Spring,
    slides: jax.Array,
    flow: jax.Array,
) -> jax.Array:
    """Positive while a spring goes on to stick, ``(mu F_n)^2 - |F|^2``, or to slide,
    ``-v . u k_s/k_n - mu F_n'/k_n``.
    """
    limit = spring.coefficient * touch.load
    holds = limit**2 - jnp.sum(flow**2) + (STILL * flow_scale(contact)) ** 2
    rises = -touch.motion.normal - stiffening(contact, touch, mode) * depth_of(contact, touch)
    pulls = -spring.ratio * jnp.sum(spring.velocity * unit(flow))
    sign = jnp.where(slides == SLIDES, pulls - spring.coefficient * rises, holds)
    return jnp.where(jnp.greater(spring.coefficient, 0.0), sign, 1.0)


def signs(contact: BallContact, memory: PairMemory, body1: Motion, body2: Partner) -> jax.Array:
    """Of ``SWITCHES``."""
    touch, mode, given = touch_of(contact, body1, body2), Mode(*memory.mode), properties(contact)
    one = jnp.ones_like(touch.gap)
    sliders = [
        slider_sign(contact, touch, mode, spring, slides, memory.flow[3 * k : 3 * k + 3])
        for k, (spring, slides) in enumerate(
            zip(springs_of(contact, touch), mode[1:3], strict=False)
        )
    ]
    slider, rolling = sliders if len(sliders) > 1 else (sliders[0], one)
    tension = turn = one
    if given.dp_mode in NO_TENSION and contact.smooth is None:
        pushes = normal_speed(contact, touch)
        tension = jnp.where(mode.cut == CUT, -pushes, pushes)
    if isinstance(given, Hertz) and given.hz_mode == 1:
        parts = touch.motion.normal
        turn = jnp.where(mode.unloads == UNLOADS, parts, -parts)
    closed = mode.closed == CLOSED
    inside = [jnp.where(closed, sign, one) for sign in (slider, rolling, tension, turn)]
    return jnp.stack([jnp.where(closed, -touch.gap, touch.gap), *inside])


def crossed(
    contact: BallContact, switch: jax.Array, memory: PairMemory, body1: Motion, body2: Partner
) -> PairMemory:
    """From an event on; a spring that begins to slide remembers the direction of its force, one
    that sticks again the force.
    """
    touch = touch_of(contact, body1, body2)
    at_gap = touching(contact, touch, memory.mode[0] == OPEN)
    forces, _ = carried_by_all(contact, memory, touch)
    flows = [
        jnp.where(
            switch == k, converted(contact, memory.mode[k], force), memory.flow[3 * k - 3 : 3 * k]
        )
        for k, force in enumerate(forces, start=1)
    ]
    other = jnp.where(jnp.arange(len(SWITCHES)) == switch, 1 - memory.mode, memory.mode)
    within = PairMemory(other, memory.kept, jnp.concatenate(flows))
    return jax.tree.map(lambda new, old: jnp.where(switch == 0, new, old), at_gap, within)


def converted(contact: BallContact, slides: jax.Array, force: jax.Array) -> jax.Array:
    """What is remembered of a spring's ``force`` where its slider changes from the mode
    ``slides``.
    """
    return jnp.where(slides == SLIDES, force, direction_length(contact) * unit(force))
