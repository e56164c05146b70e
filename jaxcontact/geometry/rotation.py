"""Finite rotations of vectors, and quaternions.

A rotation vector ``r`` turns by the angle ``|r|`` [rad] about ``r/|r|``. Quaternions ``(a, b1, b2,
b3)`` have the scalar first and turn body axes into global ones.
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Real, Vector, polynomial, removable_singularity

_SINC = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(9))
_VERSINE = tuple((-1) ** k / math.factorial(2 * k + 2) for k in range(9))


def _sine_ratio(squared: Real) -> jax.Array:
    """``sin(x)/x`` as a function of ``x^2``: analytic at 0."""
    return removable_singularity(
        squared,
        lambda s: jnp.sin(jnp.sqrt(s)) / jnp.sqrt(s),
        lambda s: polynomial(_SINC, s),
        below=1.0,
    )


def _versine_ratio(squared: Real) -> jax.Array:
    """``(1 - cos x)/x^2`` as a function of ``x^2``: analytic at 0."""
    return removable_singularity(
        squared,
        lambda s: (1.0 - jnp.cos(jnp.sqrt(s))) / s,
        lambda s: polynomial(_VERSINE, s),
        below=1.0,
    )


def rotate(vector: Vector, rotation: Vector) -> jax.Array:
    """``vector`` ``(..., 3)`` turned by the rotation vector ``rotation`` ``(..., 3)`` [rad]
    (Rodrigues), analytic at zero rotation.

    Args:
        vector: ``(..., 3)``.
        rotation: rotation vector [rad], ``(..., 3)``.

    Returns:
        The turned vector, ``(..., 3)``.
    """
    vector, rotation = jnp.asarray(vector), jnp.asarray(rotation)
    squared = jnp.sum(rotation * rotation, axis=-1)[..., None]
    once = cross(rotation, vector)
    return vector + _sine_ratio(squared) * once + _versine_ratio(squared) * cross(rotation, once)


def rotate_between(vector: Vector, normal: Vector, new_normal: Vector) -> jax.Array:
    """``vector`` ``(..., 3)`` turned by the smallest rotation that takes the unit ``normal`` to the
    unit ``new_normal``.

    With ``c = n . n'`` and ``w = n x n'`` it is ``v + w x v + w x (w x v)/(1 + c)``: no angle, no
    square root, analytic unless the normals are opposite (where no smallest rotation exists; the
    vector then stays).

    Args:
        vector: ``(..., 3)``.
        normal: unit vector, ``(..., 3)``.
        new_normal: unit vector, ``(..., 3)``.

    Returns:
        The turned vector, ``(..., 3)``.
    """
    vector, normal, new_normal = (jnp.asarray(v) for v in (vector, normal, new_normal))
    denominator = 1.0 + jnp.sum(normal * new_normal, axis=-1)[..., None]
    defined = denominator > 1e-12
    turn = cross(normal, new_normal)
    once = cross(turn, vector)
    turned = vector + once + cross(turn, once) / jnp.where(defined, denominator, 1.0)
    return jnp.where(defined, turned, vector)


def rotation_between(normal: Vector, new_normal: Vector) -> jax.Array:
    """The rotation of ``rotate_between`` as a matrix, for many vectors.

    Args:
        normal: unit vector, ``(..., 3)``.
        new_normal: unit vector, ``(..., 3)``.

    Returns:
        The matrix, ``(..., 3, 3)``; it multiplies the vectors from the left.
    """
    normal = jnp.asarray(normal)
    return jax.vmap(lambda unit: rotate_between(unit, normal, new_normal), out_axes=-1)(
        jnp.eye(3, dtype=normal.dtype)
    )


def quaternion_product(first: Vector, second: Vector) -> jax.Array:
    """The product of two quaternions; as a rotation, ``second`` acts first.

    Args:
        first: quaternion, scalar first, ``(..., 4)``.
        second: likewise.

    Returns:
        Their product, ``(..., 4)``.
    """
    first, second = jnp.asarray(first), jnp.asarray(second)
    a, b = first[..., :1], first[..., 1:]
    c, d = second[..., :1], second[..., 1:]
    return jnp.concatenate(
        [a * c - jnp.sum(b * d, axis=-1, keepdims=True), a * d + c * b + cross(b, d)], axis=-1
    )


def quaternion_rate(orientation: Vector, spin: Vector) -> jax.Array:
    """The rate of quaternions that turn, ``q' = (0, w) q / 2``.

    Args:
        orientation: quaternion, scalar first, ``(..., 4)``.
        spin: angular velocity ``w`` in fixed axes [rad/s], ``(..., 3)``.

    Returns:
        The rate [1/s], ``(..., 4)``.
    """
    spin = jnp.asarray(spin)
    pure = jnp.concatenate([jnp.zeros_like(spin[..., :1]), spin], axis=-1)
    return 0.5 * quaternion_product(pure, orientation)


def rotation_to_quaternion(rotation: Vector) -> jax.Array:
    """Unit quaternion ``(cos(x/2), r/x sin(x/2))``, ``x = |r|``, of the rotation vector ``(...,
    3)`` [rad]; ``(..., 4)``, analytic at 0.

    Args:
        rotation: rotation vector [rad], ``(..., 3)``.

    Returns:
        Unit quaternion, scalar first, ``(..., 4)``.
    """
    rotation = jnp.asarray(rotation)
    quarter = 0.25 * jnp.sum(rotation * rotation, axis=-1, keepdims=True)  # squared half angle
    return jnp.concatenate(
        [1.0 - quarter * _versine_ratio(quarter), 0.5 * _sine_ratio(quarter) * rotation], axis=-1
    )


def rotate_by_quaternion(vector: Real, quaternion: Vector) -> jax.Array:
    """``vector`` ``(..., 3)`` in body axes, in global axes; ``quaternion`` ``(..., 4)`` of unit
    length.

    Args:
        vector: in body axes, ``(..., 3)``.
        quaternion: of unit length, scalar first, from body to global axes, ``(..., 4)``.

    Returns:
        The vector in global axes, ``(..., 3)``.
    """
    quaternion = jnp.asarray(quaternion)
    a, b = quaternion[..., :1], quaternion[..., 1:]
    twice = 2.0 * cross(b, vector)
    return jnp.add(vector, a * twice) + cross(b, twice)
