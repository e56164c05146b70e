"""``ElasticContact`` between two spheres, or a sphere and a flat solid, piece by piece: which
smooth branch acts, when it ends, and what it remembers then.

The mode says whether the contact is closed, whether its normal force is cut (``tension=False``),
and whether slip and relative rotation are at least ``vsmall`` and ``wsmall``, where ``reg`` has its
corners. Kept is the damping, which follows from the normal velocity of the moment at which the
contact starts, as in the program. With ``smooth`` only the gap is a switch.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import ContactPlane, plane_between
from jaxcontact.geometry.relative_motion import RelativeMotion, relative_motion
from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairMemory
from jaxcontact.systems.modia3d.response import contact_start, response_calculation
from jaxcontact.systems.modia3d.response_material import (
    ElasticContactPairResponseMaterial,
    damping_of,
    lasting_material,
)
from jaxcontact.systems.modia3d.shape import Sphere

if TYPE_CHECKING:
    from jaxcontact.systems.modia3d.elastic_contact import ElasticContact

SWITCHES = ("gap", "tension", "slip", "rotation")

OPEN, CLOSED = 0, 1
PUSHES, CUT = 0, 1
SLOW, FAST = 0, 1

BEYOND = 1e-3
"""Share of ``vsmall`` and ``wsmall`` below which the branch of larger velocities ends."""

PULLS = -1e-6
"""``1 + d_res d'`` below which a contact that pushes pulls: where damping is strong it is zero for
most of the contact, but for rounding.
"""


class Mode(NamedTuple):
    """What ``PairMemory.mode`` says, by name."""

    closed: Any
    cut: Any
    slides: Any
    turns: Any


class Touch(NamedTuple):
    """A contact in one state of motion: plane, motion of body 2 against body 1 there, and the
    coefficients that last as long as it does.
    """

    plane: ContactPlane
    motion: RelativeMotion
    material: ElasticContactPairResponseMaterial


def check_followed(contact: "ElasticContact") -> None:
    """Raises where a simulation does not follow ``contact``."""
    name = "modia3d.ElasticContact in jaxcontact.simulate"
    one, two = contact.solid1.shape, contact.solid2.shape
    if not isinstance(one, Sphere):
        raise ValueError(f"{name}: solid1.shape = {one!r}, but must be a modia3d.Sphere. Give one.")
    if not (isinstance(two, Sphere) or two.isFlat):
        raise ValueError(
            f"{name}: solid2.shape = {two!r} is neither a modia3d.Sphere nor flat. Give a sphere, "
            "or a modia3d.Box for a plane."
        )


def radii(contact: "ElasticContact") -> tuple[Any, Any]:
    """Of the two spheres [m]; ``None`` that of a flat solid."""
    one, two = contact.solid1.shape, contact.solid2.shape
    return 0.5 * one.diameter, None if two.isFlat else 0.5 * two.diameter


def plane_of(contact: "ElasticContact", body1: Motion, body2: Partner) -> ContactPlane:
    """Of the two spheres, or of the sphere and the flat solid."""
    radius1, radius2 = radii(contact)
    return plane_between(body1, body2, radius1=radius1, radius2=radius2)


def gap(contact: "ElasticContact", body1: Motion, body2: Partner) -> jax.Array:
    """Of which contacts start and end [m]: less by ``contactEpsilon`` than that of the surfaces."""
    return plane_of(contact, body1, body2).gap - contact.contactEpsilon


def touch_of(contact: "ElasticContact", damping: jax.Array, body1: Motion, body2: Partner) -> Touch:
    """Of two solids, whether they touch or not."""
    plane = plane_of(contact, body1, body2)
    motion = relative_motion(body1, body2, location=plane.location, normal=plane.normal)
    return Touch(plane, motion, lasting_material(contact, damping))


def begun(contact: "ElasticContact", body1: Motion, body2: Partner) -> PairMemory:
    """At the start; a contact that there is starts then."""
    closed = gap(contact, body1, body2) < 0
    return touching(contact, body1, body2, closed)


def touching(
    contact: "ElasticContact", body1: Motion, body2: Partner, closed: jax.Array
) -> PairMemory:
    """The memory of a contact that starts, or of none."""
    start = contact_start(body1, body2, plane_of(contact, body1, body2))
    damping = damping_of(contact, start.impact_speed)
    touch = touch_of(contact, damping, body1, body2)
    cut = (not contact.tension) & (push_sign(touch) < 0)
    mode = Mode(closed, cut, *(sign > 0 for sign in excesses(touch)))
    kept = jnp.asarray(damping)[None]
    return PairMemory(
        jnp.stack([jnp.asarray(part).astype(int) for part in mode]),
        kept,
        jnp.zeros(0, touch.plane.gap.dtype),
    )


def push_sign(touch: Touch) -> jax.Array:
    """``1 + d_res d'``, negative where the contact would pull."""
    return 1 - jnp.multiply(touch.material.d_res, touch.motion.normal)


def excesses(touch: Touch) -> tuple[jax.Array, jax.Array]:
    """Squares of slip over ``vsmall`` and of the relative angular velocity over ``wsmall``, above
    1.
    """
    material, motion = touch.material, touch.motion
    return (
        jnp.sum(motion.shear**2) / material.vsmall**2 - 1,
        jnp.sum(motion.rotational_velocity**2) / material.wsmall**2 - 1,
    )


def act(contact: "ElasticContact", memory: PairMemory, body1: Motion, body2: Partner) -> Action:
    """Forces and torques of ``response_calculation`` in the present mode."""
    mode = Mode(*memory.mode)
    plane = plane_of(contact, body1, body2)
    material = lasting_material(contact, memory.kept[0])
    smooth, acts = contact.smooth, mode.closed == CLOSED
    if smooth is None:
        # far below the velocity reg is the velocity: so that branch goes on beyond its end
        vsmall, wsmall = (
            jnp.where(fast == FAST, BEYOND, 1.0) * small
            for fast, small in ((mode.slides, material.vsmall), (mode.turns, material.wsmall))
        )
        material = material._replace(vsmall=vsmall, wsmall=wsmall)
        acts = acts & (mode.cut == PUSHES)
    response = response_calculation(
        material,
        body1,
        body2,
        plane,
        contactEpsilon=contact.contactEpsilon,
        tension=smooth is None or contact.tension,
        smooth=smooth,
    )
    on1, on2 = jax.tree.map(
        lambda part: jnp.where(acts, part, 0.0), (response.wrench1, response.wrench2)
    )
    return Action(on1, on2, jnp.zeros(0, plane.gap.dtype))


def signs(
    contact: "ElasticContact", memory: PairMemory, body1: Motion, body2: Partner
) -> jax.Array:
    """Of ``SWITCHES``."""
    mode = Mode(*memory.mode)
    touch = touch_of(contact, memory.kept[0], body1, body2)
    distance = touch.plane.gap - contact.contactEpsilon
    closed, one = mode.closed == CLOSED, jnp.ones_like(distance)
    if contact.smooth is not None:
        return jnp.stack([jnp.where(closed, -distance, distance), one, one, one])
    push = push_sign(touch)
    tension = one if contact.tension else jnp.where(mode.cut == CUT, -push, push - PULLS)
    slip, rotation = (
        jnp.where(jnp.greater(coefficient, 0.0), jnp.where(fast == FAST, above, -above), one)
        for coefficient, fast, above in zip(
            (touch.material.mu_k, touch.material.mu_r),
            (mode.slides, mode.turns),
            excesses(touch),
            strict=True,
        )
    )
    inside = [jnp.where(closed, sign, one) for sign in (tension, slip, rotation)]
    return jnp.stack([jnp.where(closed, -distance, distance), *inside])


def crossed(
    contact: "ElasticContact",
    switch: jax.Array,
    memory: PairMemory,
    body1: Motion,
    body2: Partner,
) -> PairMemory:
    """From an event on."""
    at_gap = touching(contact, body1, body2, memory.mode[0] == OPEN)
    other = jnp.where(jnp.arange(len(SWITCHES)) == switch, 1 - memory.mode, memory.mode)
    within = memory._replace(mode=other)
    return jax.tree.map(lambda new, old: jnp.where(switch == 0, new, old), at_gap, within)
