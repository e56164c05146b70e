"""The motion of a sphere or disc that rolls along a straight track, and of one that spins on its
place: quasi-static, so nothing has to follow the contact itself.

The normal force balances gravity. A body that rolls without slipping obeys

    (m + I/R^2) dv/dt = m g_t + F_air(v) - T(v/R)/R,

``g_t`` gravity along the track and ``T`` the torque of the rolling resistance, of which the law
knows the exact flow. So flow and the rest alternate: exact for a constant torque and pull, of
second order in the length of a step for others, and never unstable where the body comes to rest.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact import Scene
from jaxcontact.numerics.smooth import positive_part

STEPS = 200
"""Steps in which a run is followed; a sample between two of them has a step of its own."""


class Rolled(NamedTuple):
    """Position along the track [m] and speed [m/s], at some times."""

    position: jax.Array
    speed: jax.Array


def normal_force(scene: Scene) -> jax.Array:
    """Weight of the body [N] as far as it presses on the first surface, a plane."""
    normal = scene.surfaces[0].unit_normal  # type: ignore[attr-defined]
    gravity = jnp.asarray(scene.gravity, dtype=float)
    return _number(scene.bodies.mass) * positive_part(-(gravity @ normal))


def roll_along(
    scene: Scene, *, position: jax.Array, speed: jax.Array, start: jax.Array, times: jax.Array
) -> Rolled:
    """Position and speed of a body that rolls along x on the first surface, at ``times`` (n,).

    Args:
        scene: with one sphere, a plane and a rolling law without memory.
        position: along the track at ``start`` [m].
        speed: at ``start`` [m/s].
        start: time at which they hold [s].
        times: not before ``start`` [s].
    """
    bodies, rolling = scene.bodies, scene.contact.rolling_flow
    radius, mass = _number(bodies.radius), _number(bodies.mass)
    inertia = mass * radius**2 * (1.0 + _number(bodies.inertia_ratio))  # about the contact
    load, along = normal_force(scene), jnp.array([1.0, 0.0, 0.0])
    pull = mass * jnp.asarray(scene.gravity, dtype=float)[0]

    def resisted(speed: jax.Array, length: jax.Array) -> jax.Array:
        rate = jnp.stack([jnp.zeros_like(speed), speed / radius, jnp.zeros_like(speed)])
        left = rolling.rotation_after(rate, load * length / inertia, effective_radius=radius)
        return radius * left[1]

    def pushed(speed: jax.Array, length: jax.Array) -> jax.Array:
        def acceleration(speed: jax.Array) -> jax.Array:
            air = 0.0 if scene.drag is None else scene.drag.force(speed * along, radius)[0]
            return (pull + air) * radius**2 / inertia

        return speed + length * acceleration(speed + length / 2 * acceleration(speed))

    def advance(now: Rolled, length: jax.Array) -> Rolled:
        after = resisted(pushed(resisted(now.speed, length / 2), length), length / 2)
        return Rolled(now.position + length * (now.speed + after) / 2, after)

    since = jnp.maximum(times - start, 0.0)
    length = jnp.max(since) / STEPS
    first = Rolled(jnp.asarray(position), jnp.asarray(speed))

    def step(now: Rolled, _: None) -> tuple[Rolled, Rolled]:
        return advance(now, length), now

    _, nodes = jax.lax.scan(step, first, None, length=STEPS)
    width = jnp.where(length > 0, length, 1.0)
    before = jnp.clip(jnp.floor(jax.lax.stop_gradient(since / width)), 0, STEPS - 1).astype(int)
    picked = jax.tree.map(lambda column: column[before], nodes)
    return jax.vmap(advance)(picked, since - before * length)


def spin_down(scene: Scene, *, spin: jax.Array, start: jax.Array, times: jax.Array) -> jax.Array:
    """Spin [rad/s] of a body about the normal of the first surface, on which it stands, at
    ``times`` (n,).

    Args:
        scene: with one sphere, a plane and a spinning law.
        spin: at ``start`` [rad/s].
        start: time at which it holds [s].
        times: not before ``start`` [s].
    """
    bodies, law = scene.bodies, scene.contact.spinning
    assert law is not None  # the measurement asked for it
    radius = _number(bodies.radius)
    inertia = _number(bodies.mass) * radius**2 * _number(bodies.inertia_ratio)
    load = normal_force(scene)
    left = law.rotation_after(
        jnp.stack([jnp.zeros_like(spin), jnp.zeros_like(spin), spin]),
        load * jnp.maximum(times - start, 0.0) / inertia,
        effective_radius=radius,
        overlap=static_overlap(scene),
    )
    return left[:, 2]


def static_overlap(scene: Scene) -> jax.Array:
    """Overlap of the body under its weight [m]; zero where the normal law is rigid."""
    return jnp.asarray(scene.contact.normal.static_overlap(normal_force(scene)))


def _number(of_bodies: object) -> jax.Array:
    """A property of the one body."""
    return jnp.ravel(jnp.asarray(of_bodies, dtype=float))[0]
