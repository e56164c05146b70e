"""The contact of a sphere with another one, or a plane, piece by piece: its dashpot acts while
they approach, and friction may be at its maximum.

With ``smooth``, or with ramps and a smooth maximum, the forces are smooth, and these pieces are
one.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench, wrench_at
from jaxcontact.laws.core.pair_contact import Action, PairMemory
from jaxcontact.systems.comsol.contact_force import contact_force
from jaxcontact.systems.comsol.friction import Friction, optional_friction
from jaxcontact.systems.comsol.spherical_geometry import SphericalGeometry, geometry_between

SWITCHES = ("gap", "turn", "maximum")

OPEN, CLOSED = 0, 1
APPROACHES, SEPARATES = 0, 1
BELOW, AT_MAXIMUM = 0, 1


class Mode(NamedTuple):
    """What ``PairMemory.mode`` says, by name."""

    closed: Any
    separates: Any
    saturated: Any


def is_limited(parameters: Any) -> bool:
    """Whether friction has a corner at its maximum."""
    friction: Friction | None = parameters.friction
    if friction is None or friction.Ff_max is None:
        return False
    return friction.smoothing is None and parameters.smooth is None


def is_gradual(parameters: Any) -> bool:
    """Whether the contact force sets in without a corner."""
    return parameters.contact.ramp_overlap is not None or parameters.smooth is not None


def load_in(parameters: Any, separates: Any, seen: SphericalGeometry) -> jax.Array:
    """The contact force of a closed contact [N]."""
    contact = parameters.contact
    if is_gradual(parameters):
        smooth = parameters.smooth
        return contact_force(contact, seen.plane.gap, -seen.approach, smooth=smooth)[0]
    dashpot = jnp.where(separates == APPROACHES, contact.c_pen, 0.0)
    return -contact.k_pen * seen.plane.gap + dashpot * seen.approach


def begun(parameters: Any, source: Motion, destination: Partner) -> PairMemory:
    """What the motion says; nothing is remembered."""
    seen = geometry_between(parameters, source, destination)
    return _memory(parameters, seen, seen.plane.gap < 0)


def _memory(parameters: Any, seen: SphericalGeometry, closed: Any) -> PairMemory:
    separates = (seen.approach < 0).astype(int)
    above = jnp.zeros_like(separates)
    if is_limited(parameters):
        above = (limit_sign(parameters, separates, seen) < 0).astype(int)
    none = jnp.zeros(0, seen.approach.dtype)
    return PairMemory(jnp.stack([jnp.asarray(closed).astype(int), separates, above]), none, none)


def limit_sign(parameters: Any, separates: Any, seen: SphericalGeometry) -> jax.Array:
    """Positive while friction is below its maximum."""
    friction = parameters.friction
    load = load_in(parameters, separates, seen)
    return 1 - (friction.mu * load + friction.Ff_r) / friction.Ff_max


def act(parameters: Any, memory: PairMemory, source: Motion, destination: Partner) -> Action:
    """Forces and moments in the present mode."""
    mode = Mode(*memory.mode)
    seen = geometry_between(parameters, source, destination)
    load = load_in(parameters, mode.separates, seen)
    friction, touching, smooth = parameters.friction, jnp.ones_like(load), parameters.smooth
    if is_gradual(parameters):
        _, touching = contact_force(
            parameters.contact, seen.plane.gap, -seen.approach, smooth=smooth
        )
    if is_limited(parameters):
        at_maximum = mode.saturated == AT_MAXIMUM
        friction = friction.replace(
            mu=jnp.where(at_maximum, 0.0, friction.mu),
            Ff_r=jnp.where(at_maximum, friction.Ff_max, friction.Ff_r),
            Ff_max=None,
        )
    rubs = optional_friction(friction, seen.slip, load, touching, smooth)
    push = load * seen.plane.normal
    on_source, on_destination = (
        wrench_at(rubs, seen.arm_source),
        wrench_at(-rubs, seen.arm_destination),
    )
    acts = mode.closed == CLOSED

    def where_closed(friction: Wrench, push: jax.Array) -> Wrench:
        return Wrench(
            jnp.where(acts, friction.force + push, 0.0), jnp.where(acts, friction.torque, 0.0)
        )

    return Action(
        where_closed(on_source, -push),
        where_closed(on_destination, push),
        jnp.zeros(0, load.dtype),
    )


def signs(parameters: Any, memory: PairMemory, source: Motion, destination: Partner) -> jax.Array:
    """Of ``SWITCHES``."""
    mode = Mode(*memory.mode)
    seen = geometry_between(parameters, source, destination)
    closed, one = mode.closed == CLOSED, jnp.ones_like(seen.approach)
    gap = jnp.where(closed, -seen.plane.gap, seen.plane.gap)
    turn = jnp.where(mode.separates == APPROACHES, seen.approach, -seen.approach)
    if is_gradual(parameters):
        turn = one
    maximum = one
    if is_limited(parameters):
        maximum = limit_sign(parameters, mode.separates, seen)
        maximum = jnp.where(mode.saturated == BELOW, maximum, -maximum)
    return jnp.stack([gap, jnp.where(closed, turn, one), jnp.where(closed, maximum, one)])


def crossed(
    parameters: Any, switch: jax.Array, memory: PairMemory, source: Motion, destination: Partner
) -> PairMemory:
    """From an event on; where the dashpot sets in or ends, friction may leave its maximum."""
    mode = Mode(*memory.mode)
    seen = geometry_between(parameters, source, destination)
    at_gap = _memory(parameters, seen, 1 - mode.closed)
    separates = jnp.where(switch == 1, 1 - mode.separates, mode.separates)
    saturated = jnp.where(switch == 2, 1 - mode.saturated, mode.saturated)
    within = memory._replace(mode=jnp.stack([mode.closed, separates, saturated]))
    return jax.tree.map(lambda new, old: jnp.where(switch == 0, new, old), at_gap, within)
