"""The disk over which two bodies touch: by the region in which they overlap, and by Hertz's theory.

For a small overlap ``d`` of spheres of effective radius ``R*`` the region of overlap has the radius
``sqrt(2 R* d)``, ``sqrt(2)`` times Hertz's ``sqrt(R* d)``: elastic bodies yield outside the contact
as well, undeformed ones do not.

Areas vanish linearly with the overlap and are safe to differentiate there. Radii vanish like its
root: their true slope at zero overlap is infinite, and value and derivatives are set to 0 there.
Multiply them by a force that vanishes at least as fast.
"""

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real


def circle_of_intersection_area(overlap: Real, *, radius1: Real, radius2: Real) -> jax.Array:
    """Area [m^2] of the circle in which two spherical surfaces intersect; ``pi min(R1, R2)^2`` when
    one holds the other. Elementwise.

    With the distance ``l = R1 + R2 - d`` of the centres, ``A = pi d (l + R1 - R2) (l - R1 + R2) (R1
    + R2 + l)/(4 l^2)``, which is ``pi (R1^2 - h^2)``, ``h = (l^2 + R1^2 - R2^2)/(2 l)``, without
    the difference of nearly equal numbers.

    The circle is largest where it is a great circle of the smaller sphere, and shrinks to a point
    as that sinks into the other; the area then jumps to that of the sphere held.
    ``largest_section_area`` does neither.

    Args:
        overlap: ``d`` [m]; not positive without contact.
        radius1: ``R1 > 0`` [m].
        radius2: ``R2 > 0`` [m].
    """
    smaller, larger = jnp.minimum(radius1, radius2), jnp.maximum(radius1, radius2)
    held = jnp.greater_equal(overlap, 2.0 * smaller)
    crosses = jnp.greater(overlap, 0.0) & ~held
    d = jnp.where(crosses, overlap, smaller)
    distance = smaller + larger - d
    # l + R1 - R2 and l - R1 + R2 are 2 R1 - d and 2 R2 - d.
    circle = (
        jnp.pi
        * d
        * (2.0 * smaller - d)
        * (2.0 * larger - d)
        * (smaller + larger + distance)
        / (4.0 * distance * distance)
    )
    return jnp.where(crosses, circle, jnp.where(held, jnp.pi * smaller * smaller, 0.0))


def largest_section_area(overlap: Real, *, radius1: Real, radius2: Real) -> jax.Array:
    """Area [m^2] of the largest section, normal to the line of centres, of the region in which two
    spheres overlap. Elementwise.

    The circle of intersection until that is a great circle of the smaller sphere, and ``pi min(R1,
    R2)^2`` from there on. It never shrinks as the overlap grows, and has a continuous derivative
    (not a second one) where the two forms meet; at zero overlap it is continuous.

    Args:
        overlap: ``d`` [m]; not positive without contact.
        radius1: ``R1 > 0`` [m].
        radius2: ``R2 > 0`` [m].
    """
    smaller, larger = jnp.minimum(radius1, radius2), jnp.maximum(radius1, radius2)
    saturated = jnp.square(smaller + larger - overlap) <= (larger - smaller) * (larger + smaller)
    full = saturated | jnp.greater_equal(overlap, smaller + larger)
    partial = circle_of_intersection_area(
        jnp.where(full, 0.0, overlap), radius1=radius1, radius2=radius2
    )
    return jnp.where(full, jnp.pi * smaller * smaller, partial)


def sphere_plane_area(overlap: Real, *, radius: Real) -> jax.Array:
    """Area [m^2] of the largest section, parallel to the plane, of the part of a sphere beyond a
    plane. Elementwise.

    ``pi (2 R d - d^2)`` up to ``d = R``, ``pi R^2`` from there on: the limit of
    ``largest_section_area`` for one large sphere.

    Args:
        overlap: ``d`` [m]; not positive without contact.
        radius: ``R > 0`` [m].
    """
    d = jnp.where(jnp.greater(overlap, 0.0), overlap, 0.0)
    return jnp.pi * jnp.where(d < radius, d * (2.0 * radius - d), jnp.square(radius))


def hertz_area(overlap: Real, *, effective_radius: Real) -> jax.Array:
    """Area ``pi R* d`` [m^2] of Hertz's contact, 0 without overlap. Elementwise.

    Source: Johnson, Contact Mechanics (1985), section 4.2.

    Args:
        overlap: ``d`` [m].
        effective_radius: ``R*`` [m].
    """
    return jnp.multiply(
        jnp.pi * effective_radius, jnp.where(jnp.greater(overlap, 0.0), overlap, 0.0)
    )


def disk_radius(area: Real) -> jax.Array:
    """``sqrt(A/pi)`` [m], with value and derivatives 0 at ``A = 0``. Elementwise.

    Areas below the root of the smallest normal number (1e-154 m^2 in float64, 1e-19 m^2 in float32)
    count as zero: the second derivative must stay representable.

    Args:
        area: ``A >= 0`` [m^2].
    """
    area = jnp.asarray(area)
    inside = area > jnp.sqrt(jnp.finfo(area.dtype).tiny)
    return jnp.where(inside, jnp.sqrt(jnp.where(inside, area, 1.0) / jnp.pi), 0.0)
