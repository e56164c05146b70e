"""Distance along the plane of a contact that begins to stick.

There the slip has a corner, as narrow as the friction is stiff, which no polynomial through the
nodes of a contact follows. But friction alone gives the slip at any time, as a closed function of
the normal impulse: its integral is taken by quadrature whose points crowd from both sides at the
corner. What external forces add to it is integrated from node to node.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.interpolation import cubic, displacement
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.single_sphere.tangential_path import (
    PushNode,
    impulse_after,
    slip_velocity,
    split,
)

SHARP = 0.25
"""Fall of the friction coefficient between two nodes, as a share of the largest one, up to which
the nodes resolve it.
"""

POINTS = 20
"""Of quadrature on each side of the corner."""

SMALL = 1e-9
"""Slip in which friction is in proportion to it, as a share of that at touch-down."""

STIFFEST = 1e8
"""Largest length of a side, in units of the width of the corner, that its points are graded for."""


def friction_coefficients(scene: Scene, slips: jax.Array) -> jax.Array:
    """Friction force over normal force at ``slips`` (..., 3)."""
    force = scene.contact.slip_friction.force(slips, jnp.ones(slips.shape[:-1], slips.dtype))
    return safe_norm(force)


def have_sharp_corners(scene: Scene, slips: jax.Array) -> jax.Array:
    """Which contacts begin to stick so suddenly that their nodes, at which the ``slips`` are
    (contacts, nodes, 3), do not resolve it.
    """
    coefficients = friction_coefficients(scene, slips)
    falls = -jnp.min(jnp.diff(coefficients), axis=-1)
    return falls > SHARP * jnp.max(coefficients)


def graded(length: jax.Array, width: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Points and weights of a quadrature from 0 to ``length``, (POINTS,) each, graded towards 0
    where the integrand changes over ``width``.
    """
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    share, weight = (
        jnp.asarray(column, dtype=length.dtype) for column in ((nodes + 1) / 2, weights / 2)
    )
    ratio = jax.lax.stop_gradient(length) / jnp.where(width > 0, width, 1.0)
    span = jnp.arcsinh(jnp.clip(ratio, 1.0, STIFFEST))
    scale = length / jnp.sinh(span)
    return scale * jnp.sinh(span * share), scale * span * jnp.cosh(span * share) * weight


def corner(scene: Scene, nodes: PushNode, slips: jax.Array) -> tuple[jax.Array, ...]:
    """Node before the steepest fall of friction, time after it at which what slides there would
    halt, and how long friction then takes to fall.
    """
    per_mass = scene.bodies.mass / scene.bodies.tangential_mass
    least = jnp.finfo(slips.dtype).tiny
    tiny = SMALL * slips[:1]
    *_, of_tiny = coefficients = friction_coefficients(scene, jnp.concatenate([slips, tiny]))
    first = jnp.argmin(jnp.diff(coefficients[:-1]))
    begin, end = nodes.history.time[first], nodes.history.time[first + 1]
    push = jnp.maximum(nodes.history.impulse[first + 1] - nodes.history.impulse[first], least)
    to_halt = safe_norm(slips[first]) / jnp.maximum(coefficients[first] * per_mass, least)
    slowness = (end - begin) / push
    # time as a function of the impulse, which grows faster than in no time
    steepest = 3 * slowness
    before, after = (
        jnp.minimum(1 / jnp.maximum(nodes.force[node], least), steepest)
        for node in (first, first + 1)
    )
    time = cubic(jnp.minimum(to_halt / push, 1.0), push, begin, end, before, after)
    to_fall = safe_norm(tiny[0]) / jnp.maximum(of_tiny * per_mass, least)
    return first, time, to_fall * slowness


def distance_along_plane(
    scene: Scene,
    normal: jax.Array,
    nodes: PushNode,
    acceleration: jax.Array,
    *,
    level: bool,
) -> jax.Array:
    """Distance along the plane from touch-down to each of the ``nodes`` of a contact with a sharp
    corner, (nodes, 3).

    Args:
        scene: sphere, friction and external forces.
        normal: unit normal of the plane, (3,).
        nodes: the contact.
        acceleration: along the plane at the nodes, (nodes, 3).
        level: whether no external force has a component along the plane.
    """
    bodies, law, times = scene.bodies, scene.contact.slip_friction, nodes.history.time
    velocity, spin = nodes.motion
    slips = slip_velocity(scene, velocity, spin, normal)
    first, time, width = jax.lax.stop_gradient(corner(scene, nodes, slips))
    before, weights_before = graded(time, width)
    after, weights_after = graded(times[-1] - time, width)
    points = jnp.concatenate([time - before, time + after])
    weights = jnp.concatenate([weights_before, weights_after])
    known = jax.lax.stop_gradient(jnp.sum(times[1:-1] <= points[:, None], axis=1))

    to_specific = bodies.mass / bodies.tangential_mass
    slip, impulses, alone = slips[0], impulse_after(nodes, known, points), slips
    share = 1 / to_specific  # of what slip changes by, that of the centre
    rates = acceleration * to_specific
    if not level:  # the slip with which friction alone has the same corner
        slip = slip + time * split(scene.acceleration(velocity[0], spin[0]), normal)[1]
        alone = law.slip_after(slip, nodes.history.impulse * to_specific)
        rates = law.force(alone, nodes.force * bodies.mass) / bodies.tangential_mass
    whole = weights @ law.slip_after(slip, impulses * to_specific)
    missed = share * (whole - displacement(times, alone, rates)[-1])
    later = (jnp.arange(len(times)) > first)[:, None]
    return displacement(times, velocity, acceleration) + jnp.where(later, missed, 0.0)
