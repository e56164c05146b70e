"""What a force that opposes a velocity leaves of it after an impulse, found from the force alone.

A resistance proportional to the normal force, ``-g(s) F_n`` along a slip of size ``s``, changes the
slip by ``ds/dp = -g(s)``, ``p`` the normal impulse over the mass. With the depth ``x = -ln(s/s_0)``
and the rate ``h = g(s)/s`` at which the slip fades,

    p = int_0^x dx'/h(s_0 exp(-x')).

The integrand is smooth over a depth of one however stiff the force is, and constant once the slip
is far below the velocity over which the force rises; so Gauss quadrature on a few panels gives
``p(x)`` to rounding, and Newton's method its inverse.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.interpolation import accumulated
from jaxcontact.numerics.smooth import Real, positive_part, safe_norm

PANELS, POINTS = 48, 8
"""A panel is at most 0.9 deep: there the quadrature of a smooth force is right to 1e-11."""

FADED = 20.0
"""Depth below the velocity over which the force rises, from which on the rate is constant."""

DEEPEST = 48.0
"""Depth that is resolved at most, where the force does not rise linearly."""

SEARCH = 8
"""Newton steps that find the depth in its panel."""

Force = Callable[[jax.Array], jax.Array]


def velocity_after(force: Force, velocity: Real, specific_impulse: Real) -> jax.Array:
    """Velocity ``(..., k)`` after an impulse.

    Args:
        force: per unit of normal force, ``(..., k)`` at velocities ``(..., k)``; opposed to them,
            zero and differentiable at zero.
        velocity: before, ``(..., k)`` [m/s], or [rad/s].
        specific_impulse: normal impulse over what resists, ``(...)``; negative counts as 0.
    """
    velocity = jnp.asarray(velocity)
    impulse = positive_part(specific_impulse)
    if velocity.ndim == 1:
        left = _share_left(force, velocity, jnp.ravel(impulse)).reshape(jnp.shape(impulse))
        return left[..., None] * velocity
    shape = jnp.broadcast_shapes(velocity.shape[:-1], jnp.shape(impulse))
    velocity = jnp.broadcast_to(velocity, (*shape, velocity.shape[-1]))
    each = jax.vmap(partial(_share_left, force))(
        velocity.reshape(-1, velocity.shape[-1]), jnp.broadcast_to(impulse, shape).reshape(-1, 1)
    )
    return each.reshape(*shape, 1) * velocity


def _share_left(force: Force, velocity: jax.Array, impulse: jax.Array) -> jax.Array:
    """Share of one ``velocity`` ``(k,)`` that is left after each impulse ``(impulses,)``."""
    frozen = jax.lax.stop_gradient
    size = safe_norm(velocity)
    # The rate at no velocity is that at the least one: a direction is needed there, any will do.
    least = jnp.finfo(size.dtype).tiny ** 0.2
    moves = size > least
    start = jnp.where(moves, velocity, least * jnp.eye(velocity.size, dtype=velocity.dtype)[0])
    largest = jnp.where(moves, size, least)
    along = start / largest

    def rate(depth: jax.Array) -> jax.Array:
        left = jnp.exp(-depth)
        return -(force(left[..., None] * start) @ along) / (left * largest)

    def opposing(speed: jax.Array) -> jax.Array:
        return -(force(speed * along) @ along)

    nodes, shares = np.polynomial.legendre.leggauss(POINTS)
    points = jnp.asarray((nodes + 1) / 2, size.dtype)
    weights = jnp.asarray(shares / 2, size.dtype)
    _, slope = jax.jvp(opposing, (jnp.zeros_like(size),), (jnp.ones_like(size),))
    rises = slope > 0
    above = largest * jnp.where(rises, slope, 1.0) / _over(opposing(largest))
    span = jnp.where(rises, jnp.log(jnp.maximum(above, 1.0)) + FADED, DEEPEST)
    width = frozen(span) / PANELS
    panels = width * jnp.arange(PANELS, dtype=size.dtype)
    impulses = accumulated(width * (1 / _over(rate(panels[:, None] + width * points))) @ weights)

    def depth_after(impulse: jax.Array) -> jax.Array:
        panel = jnp.clip(jnp.sum(frozen(impulses) <= frozen(impulse)) - 1, 0, PANELS - 1)
        begin, before = panels[panel], impulses[panel]
        beyond = frozen(impulse) >= frozen(impulses[-1])
        inside_panels = jnp.where(beyond, before, impulse)  # no numbers that overflow, if not used

        def improved(depth: jax.Array, before: jax.Array, impulse: jax.Array) -> jax.Array:
            """One Newton step, whose slope is known; also from a rate that is zero."""
            inside = depth - begin
            here = rate(depth)
            ratio = _over(here) / _over(rate(begin + inside * points))
            return depth - inside * (ratio @ weights) - here * (before - impulse)

        def searched(_: int, depth: jax.Array) -> jax.Array:
            better = improved(depth, frozen(before), frozen(inside_panels))
            return frozen(jnp.clip(better, begin, begin + width))

        found = jax.lax.fori_loop(0, SEARCH, searched, begin + width / 2)
        for _ in range(2):  # these carry derivatives of two orders
            found = improved(found, before, inside_panels)
        last = panels[-1] + width
        faded = last + rate(last) * (impulse - impulses[-1])
        return jnp.where(beyond, faded, found)

    return jnp.exp(-jax.vmap(depth_after)(impulse))


def _over(size: jax.Array) -> jax.Array:
    """Where it is zero, and a divisor: so small that all of an impulse goes by."""
    least = jnp.finfo(size.dtype).tiny ** 0.25
    return jnp.where(size > least, size, least)
