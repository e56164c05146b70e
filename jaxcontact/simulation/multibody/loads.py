"""Loads of contacts that stay, now and while they oscillate once.

Velocities of settled contacts leave out the rate of their static overlap, and what a load excites
that changes as fast as they oscillate: on a surface that vibrates with frequency ``f``, about
``(f/f_c)^2`` of its speed, where ``f_c`` is that of the contact. So contacts settle under steady
loads only.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import positive_part, safe_norm
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.pairs import (
    World,
    drifted,
    geometry,
    relative_velocity,
    spin_rates,
)
from jaxcontact.simulation.multibody.step import Active, rounding
from jaxcontact.simulation.multibody.sustained_contacts import (
    COMPLIANCE,
    ITERATIONS,
    fastest_motion,
    normal_mobility,
    static_overlap,
    value_and_jacobian,
)

MOMENTS = (0.0, 0.382, 1.0)
"""When loads are looked at, in units of the period of the slowest contact: no vibration repeats
itself at all of them.
"""


class Load(NamedTuple):
    """Of each contact, ``(pairs,)``.

    Attributes:
        present: normal force [N].
        overlap_rate: of the static overlap during one oscillation, the largest [m/s].
        fastest: motion of bodies or surfaces then, ``()`` [m/s].
    """

    present: jax.Array
    overlap_rate: jax.Array
    fastest: jax.Array


def expected_load(world: World, active: Active, state: State, time: jax.Array) -> Load:
    """Load of the closed contacts if none of them moved against its normal, without friction, now
    and after bodies have gone on as they move.
    """

    def later(period: jax.Array, share: jax.Array) -> tuple[jax.Array, Any]:
        then = time + share * period
        moved = drifted(world, state, state.velocity, state.spin, share * period)
        load = loads(world, active.closed, moved, then)
        overlap = static_overlap(world, active, positive_part(load))
        surfaces = jnp.max(safe_norm(geometry(world, moved, then).surface_velocity), initial=0.0)
        speed = speed_of_overlap(world, overlap, active.mass)
        lasts = active.closed & (load > 0)
        oscillation = jnp.where(lasts, overlap / jnp.where(lasts, speed, 1.0), 0.0)
        slowest = 2 * jnp.pi * jax.lax.stop_gradient(jnp.max(oscillation, initial=0.0))
        return jnp.where(share > 0, period, slowest), (load, overlap, speed, surfaces)

    moments = jnp.asarray(MOMENTS, state.position.dtype)
    period, (load, overlap, speed, surfaces) = jax.lax.scan(later, jnp.zeros_like(time), moments)
    fastest = jnp.maximum(jnp.max(surfaces), fastest_motion(world, state.velocity, state.spin))
    lasted = period * jnp.diff(moments)[:, None]
    changes = jnp.abs(jnp.diff(overlap, axis=0)) / jnp.where(lasted > 0, lasted, 1.0)
    overlap_rate = jnp.max(positive_part(changes - rounding(overlap) * speed[:-1]), axis=0)
    return Load(load[0], overlap_rate, fastest)


def loads(world: World, closed: jax.Array, state: State, time: jax.Array) -> jax.Array:
    """Normal force of each contact [N] if none of the ``closed`` ones moved against its normal,
    without friction.
    """
    at = geometry(world, state, time)
    push = world.scene.external_acceleration(state.position, state.velocity, state.spin, time)
    rate = spin_rates(world, state, jnp.zeros_like(state.spin))

    def separation(ahead: jax.Array) -> jax.Array:
        later = drifted(world, state, state.velocity, state.spin, ahead)
        later = later._replace(
            velocity=state.velocity + ahead * push, spin=state.spin + ahead * rate
        )
        then = geometry(world, later, time + ahead)
        return jnp.sum(relative_velocity(world, then, later) * then.normal, axis=-1)

    # Relative accelerations along the normals, with what the turning of the normals adds.
    now = jnp.zeros((), at.gap.dtype)
    _, pull = jax.jvp(separation, (now,), (jnp.ones_like(now),))
    matrix = normal_mobility(world, at, state)
    diagonal = jnp.diag(matrix)
    matrix = matrix + COMPLIANCE * jnp.diag(diagonal)

    def residual(load: jax.Array, pull: jax.Array, matrix: jax.Array) -> jax.Array:
        pushed_away = (pull + matrix @ load) / jnp.diag(matrix)
        return jnp.where(closed, load - positive_part(load - pushed_away), load)

    frozen = jax.lax.stop_gradient((pull, matrix))

    def linearised(load: jax.Array) -> tuple[jax.Array, jax.Array]:
        return value_and_jacobian(lambda load: residual(load, *frozen), load)

    def newton(_: jax.Array, load: jax.Array) -> jax.Array:
        value, jacobian = linearised(load)
        return load - jnp.linalg.solve(jacobian, value)

    # The last step, at the solution, carries the derivatives of all.
    found = jax.lax.fori_loop(0, ITERATIONS - 1, newton, jnp.zeros_like(frozen[0]))
    return found - jnp.linalg.solve(linearised(found)[1], residual(found, pull, matrix))


def speed_of_overlap(world: World, overlap: jax.Array, mass: jax.Array) -> jax.Array:
    """Impact speed [m/s] of which ``overlap`` is the scale; scales are powers of the speed."""
    one, two = (
        world.contact.compliant.scales(impact_speed=v * jnp.ones_like(mass), mass=mass)[0]
        for v in (1.0, 2.0)
    )
    overlaps = overlap > 0
    return jnp.where(
        overlaps,
        (jnp.where(overlaps, overlap, 1.0) / one) ** (jnp.log(2.0) / jnp.log(two / one)),
        0.0,
    )
