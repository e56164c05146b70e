"""An ellipsoid."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Vector, implicit_root
from jaxcontact.parameters import model, parameter, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.base import DistanceAndNormal, Surface, in_frame
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion

SEARCH_STEPS = 40
"""Newton steps of the search. 12 suffice to rounding, but within rounding of the rim of the disk of
two equally close points.
"""


@model
class Ellipsoid(Surface):
    """An ellipsoid in any orientation; with ``hollow=True`` the cavity of this form.

    The closest point to ``x`` (in the axes of the ellipsoid) is ``a_i^2 g_i`` with ``g_i = x_i / (t
    + a_i^2)``, where ``t`` is the largest root of ``sum (a_i g_i)^2 = 1`` (Eberly, Distance from a
    Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013). The normal is ``g/|g|`` and the
    signed distance ``t |g|``: neither needs a difference of nearly equal points, on the surface or
    far away.

    Analytic outside and inside, but on a flat part of the plane across the shortest axis (a disk
    with an elliptic rim, between the centres of curvature of the flat sides), where two points are
    equally close. There it is the point on the positive side.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> egg = jc.Ellipsoid(semi_axes=(0.2, 0.2, 0.3))
        >>> distance = jax.jit(lambda center: egg.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.0, 0.0, 0.5])):.2f} m")
        0.20 m
    """

    bounds_convex: ClassVar[bool] = True
    center: Vector = dimensions.point("centre", symbol="c")
    semi_axes: Vector = parameter(
        unit="m", label="semi-axes", symbol="a", interval="(0, inf)", transform="log", shape=(3,)
    )
    orientation: Vector = dimensions.orientation()
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        return in_frame(self._in_own_axes, center, self.center, self.orientation)

    def _in_own_axes(self, point: jax.Array) -> DistanceAndNormal:
        scale = jax.lax.stop_gradient(
            jnp.min(jnp.asarray(self.semi_axes))
        )  # dimensionless numbers: third powers of small lengths underflow
        axes, side = (
            jnp.asarray(self.semi_axes) / scale,
            jnp.where(point >= 0.0, 1.0, -1.0).astype(point.dtype),
        )
        octant = _off_the_middle(side * point / scale, axes)
        # u = t + scale^2, so that t + a_i^2 = u + (a_i^2 - scale^2) keeps its digits where t
        # approaches -scale^2
        longer = (axes - 1.0) * (axes + 1.0)
        lower_bound = jnp.max(axes * octant - longer)
        root = implicit_root(_secular, lower_bound, axes, longer, octant, steps=SEARCH_STEPS)
        gradient, steepness = _gradient(octant, root, longer)
        return scale * _distance(axes, octant, root, longer), side * gradient / steepness


def _gradient(octant: jax.Array, root: jax.Array, longer: jax.Array) -> tuple[jax.Array, jax.Array]:
    """``g`` ``(3,)`` and ``|g|``."""
    gradient = octant / (root + longer)
    return gradient, jnp.sqrt(jnp.sum(gradient * gradient))


@jax.custom_jvp
def _distance(axes: jax.Array, octant: jax.Array, root: jax.Array, longer: jax.Array) -> jax.Array:
    return (root - 1.0) * _gradient(octant, root, longer)[1]


@_distance.defjvp
def _distance_rule(primals: Any, tangents: Any) -> Any:
    """The distance is stationary in the root: ``dd = g/|g| . dx - sum a_i g_i^2 da_i/|g|``.

    Through the derivatives of the root, large where two points are almost equally close, the same
    would come out as a difference of large numbers.
    """
    axes, octant, root, longer = primals
    gradient, steepness = _gradient(octant, root, longer)
    change = jnp.dot(gradient, tangents[1]) - jnp.dot(axes * gradient * gradient, tangents[0])
    return _distance(*primals), change / steepness


def _secular(root: jax.Array, axes: jax.Array, longer: jax.Array, octant: jax.Array) -> jax.Array:
    """``1/|a g(u)| - 1``: increasing, concave and nearly straight, so Newton's method climbs from a
    lower bound without overshoot.
    """
    scaled = axes * octant / (root + longer)
    return 1.0 / jnp.sqrt(jnp.sum(scaled * scaled)) - 1.0


def _off_the_middle(octant: jax.Array, axes: jax.Array) -> jax.Array:
    """The coordinate along the shortest axis moved to at least one unit of rounding: a choice of
    side, and finite derivatives.
    """
    shortest = jnp.arange(3) == jnp.argmin(axes)
    lift = jnp.maximum(jnp.finfo(octant.dtype).eps - octant, 0.0)
    return octant + jax.lax.stop_gradient(jnp.where(shortest, lift, 0.0))
