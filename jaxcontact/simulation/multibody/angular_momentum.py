"""Angular momentum over a step: what the orbit of a body loses, its spin gains.

Contacts push both bodies at one point, so no stage of a Runge-Kutta step changes the angular
momentum of the whole; its sum of stages does, because a Runge-Kutta method does not keep products
of what it integrates. So the angular momentum of each body is integrated, too, and its spin at the
end of the step is what the orbit leaves of it: the correction is an error of the method, in what
would be an error in any case.
"""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
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
