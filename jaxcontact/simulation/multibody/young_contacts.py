"""Contacts that begin or end at the same instant, or nearly, under a force that rises like a root.

The damping of Tsuji goes with the power 1/4 of the overlap, that of Kuwabara and Kono with 1/2: its
slope is infinite where a contact begins. Of a single one this does no harm, as its overlap has no
derivative there. Of several that begin together only the last one has none, and a step from where
an overlap is next to nothing would make any number of the derivatives of the others.

So the step next to such a place is one in which a contact does nothing but begin, or end, earlier
or later: its impulse changes by the force times the time by which it is shifted, however steep the
force is. The steps beside it are a share of the time from or to there, as an integrable root asks
for.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.numerics.search import without_derivatives
from jaxcontact.numerics.smooth import positive_part
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.pairs import (
    World,
    drifted,
    force_and_torque,
    gap_rates,
    geometry,
    inertia_in_scene,
    spin_rates,
)
from jaxcontact.simulation.multibody.step import (
    SLOWEST,
    Active,
    Stepped,
    normal_forces,
    relative_spins,
    resistances,
    resists,
    slips,
)

SHARE = 0.3
"""Longest step in units of the time from or to the nearest end of a contact, or the nearest begin
or end but one: that of the nearest begin alone has no derivative.
"""

SHIFTED = 1e-7
"""Length of the step next to there in units of the time scale of an impact. What it leaves out is
of the order of the impulse in it, a smaller share of the whole one still.
"""

STEEPER = 1.1
"""Slope of a force at half an overlap, in units of that at the whole, from which on it rises like a
root.
"""

SHALLOW = 1e-12
"""Overlap in units of its scale at which the slope is looked at, at least."""

MORE_STEPS = 96
"""Steps of a contact beside those of usual length: as many times ``SHARE`` is added or taken away
between the shortest steps and the usual ones.
"""


class Young(NamedTuple):
    """Contacts next to their begin or end.

    Attributes:
        longest: step that they allow [s], infinite where there are none, ``()``.
        shifts: whether the step is the one next to there, ``()``.
        steep: whose force rises like a root, ``(pairs,)``.
    """

    longest: jax.Array
    shifts: jax.Array
    steep: jax.Array


def may_begin_together(world: World) -> bool:
    """Whether there are several contacts whose force may rise like a root."""
    if world.rigid or world.has_hysteresis or len(world.pairs.surface) < 2:
        return False
    law = world.contact.compliant
    return law.is_steep or isinstance(law, LawFromForce)


def young_contacts(world: World, active: Active, gap: jax.Array, gap_rate: jax.Array) -> Young:
    """Of contacts at these gaps [m] and rates [m/s], ``(pairs,)``."""

    def told() -> Young:
        moves = jnp.abs(gap_rate) > SLOWEST
        speed = jnp.where(moves, jnp.abs(gap_rate), 1.0)
        scale, time_scale = world.contact.compliant.scales(impact_speed=speed, mass=active.mass)
        every = active._replace(closed=jnp.ones_like(active.closed))

        def slope(overlap: jax.Array) -> jax.Array:
            return jax.jvp(
                lambda overlap: normal_forces(world, every, -overlap, gap_rate),
                (overlap,),
                (jnp.ones_like(overlap),),
            )[1]

        overlap = jnp.maximum(jnp.abs(gap), SHALLOW * scale)
        steep = moves & (jnp.abs(slope(overlap / 2)) > STEEPER * jnp.abs(slope(overlap)))
        apart = jnp.where(steep, jnp.abs(gap) / speed, jnp.inf)
        second = jnp.argsort(apart)[1]
        to_end = jnp.where(active.closed & (gap_rate > 0), apart, jnp.inf)
        end = jnp.argmin(to_end)
        nearest = jnp.where(to_end[end] < apart[second], end, second)
        first = SHIFTED * time_scale[nearest]
        shifts = apart[nearest] < first / 2
        longest = jnp.where(shifts, first, SHARE * apart[nearest])
        steep = active.closed & steep
        return Young(jnp.where(jnp.any(steep), longest, jnp.inf), shifts & jnp.any(steep), steep)

    return without_derivatives(told)


def with_shifts(
    world: World,
    active: Active,
    state: State,
    time: jax.Array,
    length: jax.Array,
    young: Young,
    stepped: Stepped,
) -> Stepped:
    """``stepped``, with the derivatives of a step that only shifts contacts where it is one.

    A contact that begins or ends earlier by ``dt``, in a step that is longer by ``dl``, gains the
    impulse ``F(end) dl + (F(end) - F(begin)) dt``.
    """
    frozen = jax.lax.stop_gradient
    before, end = geometry(world, state, time), frozen(stepped.state)
    after = frozen(geometry(world, end, time + length))
    rate = frozen(gap_rates(world, before, state))
    forces = (
        frozen(normal_forces(world, active, before.gap, rate)),
        frozen(normal_forces(world, active, after.gap, gap_rates(world, after, end))),
    )
    # Zero, with derivatives.
    longer = length - frozen(length)
    earlier = (before.gap - frozen(before.gap)) / jnp.where(young.steep, rate, jnp.inf)

    def impulse(first: jax.Array, last: jax.Array) -> jax.Array:
        return last * longer + (last - first) * earlier

    force = impulse(*forces)[:, None] * after.normal
    twist = jnp.zeros_like(force)
    if resists(world):
        load = impulse(*map(positive_part, forces))[:, None]
        slip, turning = slips(world, after, end), relative_spins(world, after, end)
        acting = frozen(resistances(world, after, slip, turning, jnp.ones_like(rate)))
        force = force + load * acting.friction
        twist = load * (acting.rolling + acting.spinning)
    push, torque = force_and_torque(world, after, force, twist)
    pull = frozen(world.scene.external_acceleration(end.position, end.velocity, end.spin, time))
    turned = frozen(spin_rates(world, end, jnp.zeros_like(end.spin)))
    inertia = frozen(inertia_in_scene(world, end))
    shifted = drifted(world, state, state.velocity, state.spin, length)._replace(
        velocity=state.velocity + push * world.inverse_mass[:, None] + longer * pull,
        spin=state.spin + jnp.einsum("nij,nj->ni", inertia, torque) + longer * turned,
    )

    def with_derivatives_of(like: jax.Array, value: jax.Array) -> jax.Array:
        return frozen(value) + (like - frozen(like))

    only_shifted = frozen(stepped)._replace(
        state=jax.tree.map(with_derivatives_of, shifted, stepped.state),
        memory=jax.tree.map(with_derivatives_of, active.memory, stepped.memory),
        rolling=jax.tree.map(with_derivatives_of, active.rolling, stepped.rolling),
    )
    return jax.tree.map(
        lambda one, other: jnp.where(young.shifts, one, other), only_shifted, stepped
    )
