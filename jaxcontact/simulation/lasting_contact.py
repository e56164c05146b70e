"""Lasting contact: a sphere that has stopped bouncing slides, sticks or rolls on its plane.

The normal force is quasi-static (it balances gravity and fluid), so the cost does not depend on the stiffness. Friction over a step is
exact in the normal impulse of the step, whatever the slip velocity of its regularisation; it alternates with the tangential part of
gravity and fluid (Strang splitting, order 2, exact where these vanish).
"""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.field import put
from jaxcontact.laws.friction import Coulomb
from jaxcontact.scene import Scene
from jaxcontact.simulation.compliant_contact import after_friction, split
from jaxcontact.simulation.dense_output import Segments
from jaxcontact.simulation.flight import Motion
from jaxcontact.smooth import positive_part


def static_overlap(scene: Scene, load: jax.Array) -> Any:
    """Overlap under the normal force ``load`` [N]; zero for a rigid law."""
    law = scene.contact.normal
    return law.static_overlap(load) if hasattr(law, "static_overlap") else jnp.zeros_like(load)


def landed(scene: Scene, motion: Motion, normal: jax.Array, gap: jax.Array) -> Motion:
    """Start of a lasting contact: the sphere on the plane, its approach speed spent, and the friction of that impulse included."""
    along, tangential = split(motion.velocity, normal)
    tangential, spin = after_friction(scene, tangential, motion.spin, normal, positive_part(-along))
    return Motion(motion.time, motion.position - gap * normal, tangential, spin)


def lasting_contact(scene: Scene, start: Motion, normal: jax.Array, horizon: jax.Array, *, steps: int) -> Segments:
    """Motion from ``start`` (at touch-down) to ``horizon`` in contact with the plane of unit ``normal``, in ``steps`` pieces.

    The sphere settles to its static overlap within the first piece.
    """
    bodies = scene.bodies
    if isinstance(scene.contact.friction, Coulomb):  # what rebounds in an impact does not in a lasting contact
        scene = put(scene, "contact.friction.tangential_restitution", 0.0)
    duration = jnp.maximum(horizon - start.time, 0.0) / steps

    def pressed(tangential: jax.Array, spin: jax.Array) -> tuple[jax.Array, jax.Array]:
        outside, sideways = split(scene.acceleration(tangential, spin), normal)
        return positive_part(-outside), sideways

    def advance(carry: tuple[jax.Array, jax.Array, jax.Array], _: None) -> Any:
        position, before, spin = carry
        load, kick = pressed(before, spin)
        impulse = load * duration
        tangential, spin = after_friction(scene, before, spin, normal, impulse / 2)
        after, spin = after_friction(scene, tangential + duration * kick, spin, normal, impulse / 2)
        position = position + duration / 2 * (before + after)
        return (position, after, spin), (position, after, spin)

    _, tangential = split(start.velocity, normal)
    first = (start.position, tangential, start.spin)
    _, later = jax.lax.scan(advance, first, None, length=steps)
    position, velocity, spin = jax.tree.map(lambda head, tail: jnp.concatenate([head[None], tail]), first, later)
    load, _ = jax.vmap(pressed)(velocity, spin)
    resting = position - static_overlap(scene, bodies.mass * load)[:, None] * normal
    time = start.time + duration * jnp.arange(steps + 1)
    mean_acceleration = (velocity[1:] - velocity[:-1]) / jnp.where(duration > 0, duration, 1.0)
    mean_spin_rate = (spin[1:] - spin[:-1]) / jnp.where(duration > 0, duration, 1.0)
    return Segments(
        time[:-1],
        time[1:],
        resting[:-1],
        resting[1:],
        velocity[:-1],
        velocity[1:],
        mean_acceleration,
        mean_acceleration,
        spin[:-1],
        spin[1:],
        mean_spin_rate,
        mean_spin_rate,
    )
