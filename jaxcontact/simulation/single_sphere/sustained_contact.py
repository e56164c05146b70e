"""Sustained contact: a sphere that has stopped bouncing slides, sticks or rolls on its plane.

The normal force is quasi-static (it balances gravity and fluid), so the cost does not depend on the
stiffness. Friction over a step is exact in the normal impulse of the step, whatever the slip
velocity of its regularisation; it alternates with the tangential part of gravity and fluid (Strang
splitting, order 2, exact where these vanish).
"""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.friction_interfaces import SlipFriction
from jaxcontact.numerics.interpolation import Segments
from jaxcontact.numerics.smooth import positive_part
from jaxcontact.parameters import put
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.single_sphere.flight import SphereMotion
from jaxcontact.simulation.single_sphere.tangential_path import after_friction, split


def static_overlap(scene: Scene, load: jax.Array) -> jax.Array:
    """Overlap under the normal force ``load`` [N]; zero for a rigid law."""
    return scene.contact.normal.static_overlap(load)


def sustained_contact(
    scene: Scene,
    start: SphereMotion,
    normal: jax.Array,
    gap: jax.Array,
    horizon: jax.Array,
    *,
    steps: int,
    level: bool,
) -> Segments:
    """Motion from ``start`` (at touch-down) to ``horizon`` in contact with the plane of unit
    ``normal``, in ``steps`` pieces.

    The sphere is put on the plane, its approach speed spent, and the friction of that impulse
    included; it settles to its static overlap within the first piece. With ``level`` nothing pushes
    it sideways, and the slip is a closed function of the normal impulse at all times.
    """
    bodies, friction = scene.bodies, scene.contact.impulse_friction
    by_impulse = not isinstance(friction, SlipFriction)
    # What rebounds in an impact does not in a sustained contact.
    resting = put(scene, "contact.friction", friction.in_sustained_contact())
    duration = jnp.maximum(horizon - start.time, 0.0) / steps
    along, tangential = split(start.velocity, normal)
    landing = positive_part(-along)

    def pressed(tangential: jax.Array, spin: jax.Array) -> tuple[jax.Array, jax.Array]:
        outside, sideways = split(scene.acceleration(tangential, spin), normal)
        return positive_part(-outside), sideways

    count = jnp.arange(steps + 1)
    before, spin = tangential, start.spin
    if by_impulse or not level:
        before, spin = after_friction(scene, tangential, start.spin, normal, landing)
        landing = jnp.zeros_like(landing)
    if level:
        load, _ = pressed(before, spin)
        impulse = landing + load * duration * count
        velocities, spins = jax.vmap(
            lambda impulse: after_friction(resting, before, spin, normal, impulse)
        )(impulse)
        loads = jnp.broadcast_to(load, count.shape)
    else:

        def advance(carry: tuple[jax.Array, jax.Array], _: None) -> Any:
            before, spin = carry
            load, kick = pressed(before, spin)
            impulse = load * duration
            tangential, spin = after_friction(resting, before, spin, normal, impulse / 2)
            after = after_friction(resting, tangential + duration * kick, spin, normal, impulse / 2)
            return after, after

        _, later = jax.lax.scan(advance, (before, spin), None, length=steps)
        velocities, spins = jax.tree.map(
            lambda head, tail: jnp.concatenate([head[None], tail]), (before, spin), later
        )
        loads, _ = jax.vmap(pressed)(velocities, spins)
    sideways = jnp.cumsum(duration / 2 * (velocities[1:] + velocities[:-1]), axis=0)
    sideways = jnp.concatenate([jnp.zeros_like(sideways[:1]), sideways])
    depth = gap + static_overlap(scene, bodies.mass * loads)
    position = start.position + sideways - depth[:, None] * normal
    time = start.time + duration * count
    mean_acceleration = (velocities[1:] - velocities[:-1]) / jnp.where(duration > 0, duration, 1.0)
    mean_spin_rate = (spins[1:] - spins[:-1]) / jnp.where(duration > 0, duration, 1.0)
    return Segments(
        time[:-1],
        time[1:],
        position[:-1],
        position[1:],
        velocities[:-1],
        velocities[1:],
        mean_acceleration,
        mean_acceleration,
        spins[:-1],
        spins[1:],
        mean_spin_rate,
        mean_spin_rate,
    )
