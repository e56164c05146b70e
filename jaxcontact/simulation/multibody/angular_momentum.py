"""Angular momentum over a step: what the orbit of a body loses, its spin gains.

Contacts push both bodies at one point, so no stage of a Runge-Kutta step changes the angular
momentum of the whole; its sum of stages does, because a Runge-Kutta method does not keep products
of what it integrates. So the angular momentum of each body is integrated, too, and its spin at the
end of the step is what the orbit leaves of it: the correction is an error of the method, in what
would be an error in any case.

Where friction holds, such a spin would slip by more than friction allows. There what touches is
turned as one body instead, which changes no velocity of one against the other.
"""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.inverse import inverse
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.pairs import World, inertia_in_scene, momentum_of_spin


def angular_momentum_rate(
    world: World, start: State, now: State, acceleration: jax.Array, torque: jax.Array
) -> jax.Array:
    """Rate of the angular momentum of each body about its place at the ``start`` of the step [N m],
    ``(bodies, 3)``.
    """
    force = acceleration / world.inverse_mass[:, None]
    return cross(now.position - start.position, force) + torque


def orbital_momentum(world: World, start: State, now: State) -> jax.Array:
    """Angular momentum of the motion of each centre about its place at the ``start`` of the step
    [N m s], ``(bodies, 3)``.
    """
    momentum = now.velocity / world.inverse_mass[:, None]
    return cross(now.position - start.position, momentum)


def gained_momentum(world: World, start: State, now: State) -> jax.Array:
    """Angular momentum that each body has gained since the ``start``, about its place there [N m
    s], ``(bodies, 3)``.
    """
    spun = momentum_of_spin(world, now) - momentum_of_spin(world, start)
    return orbital_momentum(world, start, now) + spun


def with_angular_momentum(world: World, start: State, end: State, gained: jax.Array) -> State:
    """``end`` of a step with the spins of bodies that ``gained`` this angular momentum."""
    left = momentum_of_spin(world, start) + gained - orbital_momentum(world, start, end)
    return end._replace(spin=jnp.einsum("nij,nj->ni", inertia_in_scene(world, end), left))


def connected(bodies: jax.Array, closed: jax.Array) -> jax.Array:
    """Which bodies hang together by ``closed`` contacts, 1 or 0, ``(bodies, bodies)``; of the
    ``bodies`` of each contact, ``(pairs, bodies)``.
    """
    meets = jnp.where(closed, 1.0, 0.0)[:, None]
    linked = bodies.T @ (meets * bodies) + jnp.eye(bodies.shape[1])
    for _ in range(max(1, (bodies.shape[1] - 1).bit_length())):
        linked = jnp.minimum(linked @ linked, 1.0)
    return linked


def turned_as_one(
    world: World, closed: jax.Array, start: State, end: State, gained: jax.Array
) -> State:
    """``end`` of a step with the angular momentum that bodies ``gained`` ``(bodies, 3)``: all that
    hang together by ``closed`` contacts are turned as one, unless a surface holds them.
    """
    bodies = jnp.asarray(world.pairs.first + world.pairs.second)
    linked = jax.lax.stop_gradient(connected(bodies, closed))
    on_surface = closed & jnp.asarray(world.pairs.surface >= 0)
    free = linked @ (bodies.T @ jnp.where(on_surface, 1.0, 0.0)) == 0
    lacks = linked @ (gained - gained_momentum(world, start, end))
    mass = 1 / world.inverse_mass
    centre = (linked @ (mass[:, None] * end.position)) / (linked @ mass)[:, None]
    arm = end.position - centre[:, None]
    own = jax.vmap(inverse)(inertia_in_scene(world, end))
    square = jnp.sum(arm * arm, axis=-1)
    steiner = square[..., None, None] * jnp.eye(3) - arm[..., :, None] * arm[..., None, :]
    inertia = jnp.einsum("ij,ijab->iab", linked, mass[:, None, None] * steiner + own)
    turn = jnp.einsum("iab,ib->ia", jax.vmap(inverse)(inertia), lacks)
    turn = jnp.where(free[:, None], turn, 0.0)
    return end._replace(
        velocity=end.velocity + cross(turn, end.position - centre), spin=end.spin + turn
    )
