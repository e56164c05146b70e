"""What is in contact in PFC: pieces (balls, pebbles, facets) and the bodies they belong to (balls,
clumps, walls).

Example:
    >>> from jaxcontact.geometry.rigid_motion import Motion
    >>> from jaxcontact.systems import pfc
    >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
    >>> second = Motion(jnp.array([0.0, 0.0, 0.99e-2]), jnp.array([0.0, 0.0, -1.0]), jnp.zeros(3))
    >>> ball1 = pfc.pieces.ball(first, radius=5e-3, mass=1.3e-3)
    >>> ball2 = pfc.pieces.ball(second, radius=5e-3, mass=1.3e-3)
    >>> print(f"{ball1.radius} m, {ball2.mass} kg")
    0.005 m, 0.0013 kg
"""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rigid_motion import Motion, velocity_at
from jaxcontact.geometry.rotation import (
    quaternion_product,
    rotate,
    rotate_by_quaternion,
    rotation_to_quaternion,
)
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real, Vector, Vectors
from jaxcontact.parameters import is_concrete, model, of, parameter


@model
class SphericalPiece:
    """A ball, or a pebble of a clump: they have the same shape and take part in contacts alike.
    Made by ``ball`` and ``Clump.pebbles``.

    Attributes:
        centre: of the sphere [m], ``(..., 3)``.
        radius: [m], ``(...)``; in two dimensions that of a disk.
        mass: of the body, for a pebble that of its clump [kg], ``(...)``.
        motion: of the centroid of the body.
    """

    centre: Vector = parameter(unit="m", label="centre", symbol="x", shape=(3,))
    radius: Real = of(QUANTITIES["radius"].called("radius"))
    mass: Real = parameter(
        unit="kg", label="mass of the body", symbol="m", interval="(0, inf)", transform="log"
    )
    motion: Motion


def ball(motion: Motion, *, radius: Real, mass: Real) -> SphericalPiece:
    """The piece of a ball: its body turns about the centre of the sphere."""
    return SphericalPiece(centre=motion.position, radius=radius, mass=mass, motion=motion)


@model
class Clump:
    """A rigid body made of pebbles, in motion about its centroid.

    Attributes:
        motion: of the centroid, shapes ``(3,)``.
        orientation: unit quaternion ``(a, b1, b2, b3)`` from body axes to global ones, ``(4,)``.
        mass: [kg].
        inertia: tensor about the centroid in body axes [kg m^2], ``(3, 3)``.
        pebble_positions: centres of the pebbles from the centroid in body axes [m], ``(n, 3)``.
        pebble_radii: [m], ``(n,)``.
    """

    motion: Motion
    orientation: Vector = parameter(
        unit="-", label="orientation", symbol="q", shape=(4,), default=(1.0, 0.0, 0.0, 0.0)
    )
    mass: Real = parameter(
        unit="kg", label="mass", symbol="m", interval="(0, inf)", transform="log"
    )
    inertia: Vectors = parameter(unit="kg m^2", label="inertia tensor", symbol="I", shape=(3, 3))
    pebble_positions: Vectors = parameter(
        unit="m", label="positions of the pebbles", symbol="x_p", shape=(3,)
    )
    pebble_radii: Real = parameter(
        unit="m", label="radii of the pebbles", symbol="R_p", interval="(0, inf)"
    )

    @classmethod
    def of_spheres(
        cls, centres: Real, *, radii: Real, density: Real, velocity: Real, angular_velocity: Real
    ) -> "Clump":
        """The clump whose mass, centroid and inertia are the sums over its pebbles: what pebbles
        share counts twice.

        ``m = sum m_p``, ``I = sum (2/5) m_p R_p^2 1 + m_p (r.r 1 - r r)``, ``m_p = (4/3) pi R_p^3
        rho``.

        Args:
            centres: of the pebbles, in global axes [m], ``(n, 3)``; the body axes are parallel to
                these.
            radii: [m], ``(n,)``.
            density: [kg/m^3], ``()`` or ``(n,)``.
            velocity: of the centroid [m/s], ``(3,)``.
            angular_velocity: [rad/s], ``(3,)``.
        """
        centres, radii = jnp.asarray(centres), jnp.asarray(radii)
        masses = 4.0 / 3.0 * jnp.pi * radii**3 * density
        mass = jnp.sum(masses)
        centroid = masses @ centres / mass
        arms = centres - centroid
        isotropic = jnp.sum(masses * (0.4 * radii**2 + jnp.sum(arms * arms, axis=-1)))
        inertia = isotropic * jnp.eye(3, dtype=arms.dtype) - jnp.einsum(
            "p,pi,pj->ij", masses, arms, arms
        )
        motion = Motion(centroid, velocity, angular_velocity)
        return cls(
            motion=motion, mass=mass, inertia=inertia, pebble_positions=arms, pebble_radii=radii
        )

    @property
    def arms(self) -> jax.Array:
        """From the centroid to the centres of the pebbles in global axes [m], ``(n, 3)``."""
        return rotate_by_quaternion(jnp.asarray(self.pebble_positions), self.orientation)

    @property
    def global_inertia(self) -> jax.Array:
        """Inertia tensor about the centroid in global axes [kg m^2], ``(3, 3)``."""
        axes = rotate_by_quaternion(
            jnp.eye(3, dtype=jnp.asarray(self.inertia).dtype), self.orientation
        )  # rows: body axes
        return axes.T @ jnp.asarray(self.inertia) @ axes

    @property
    def pebble_velocities(self) -> jax.Array:
        """Velocities ``v + w x arm`` of the centres of the pebbles [m/s], ``(n, 3)``."""
        return velocity_at(self.motion, self.arms)

    @property
    def angular_momentum(self) -> jax.Array:
        """About the centroid [kg m^2/s], ``(3,)``."""
        return self.global_inertia @ jnp.asarray(self.motion.angular_velocity)

    def pebbles(self) -> SphericalPiece:
        """Its pieces, every array with the leading axis ``(n, ...)``; all have the mass and the
        motion of the clump.
        """
        count = jnp.shape(self.pebble_radii)[0]
        shared = jax.tree.map(
            lambda x: jnp.broadcast_to(jnp.asarray(x), (count, *jnp.shape(x))),
            (self.mass, self.motion),
        )
        return SphericalPiece(
            centre=jnp.asarray(self.motion.position) + self.arms,
            radius=self.pebble_radii,
            mass=shared[0],
            motion=shared[1],
        )

    def moved(self, time_step: Real) -> "Clump":
        """After ``time_step`` [s] with constant velocities: an exact rotation about the
        centroid.
        """
        turn = rotation_to_quaternion(jnp.asarray(self.motion.angular_velocity) * time_step)
        position = jnp.asarray(self.motion.position) + jnp.asarray(self.motion.velocity) * time_step
        return replace(
            self,
            motion=self.motion._replace(position=position),
            orientation=quaternion_product(turn, self.orientation),
        )


@model
class Facet:
    """A facet of a wall: a triangle, or in two dimensions a segment. Two-sided; its normal follows
    the right-hand rule of its vertices.

    Attributes:
        vertices: [m], ``(..., 3, 3)``; of a segment in the xy plane ``(..., 2, 3)``, whose normal
            is ``k x (V2 - V1)``.
        motion: of the wall: ``position`` is its centre of rotation.
    """

    vertices: Vectors = parameter(unit="m", label="vertices", symbol="V", shape=(3,))
    motion: Motion

    def __post_init__(self) -> None:
        _check_vertices("Facet", self.vertices)


@model
class Wall:
    """Facets that move together about a centre of rotation.

    Attributes:
        vertices: of the facets [m], ``(n, 3, 3)``, or ``(n, 2, 3)`` for segments.
        motion: ``position`` is the centre of rotation, ``velocity`` and ``angular_velocity`` are
            prescribed; shapes ``(3,)``.
    """

    vertices: Vectors = parameter(unit="m", label="vertices", symbol="V", shape=(3,))
    motion: Motion

    def __post_init__(self) -> None:
        _check_vertices("Wall", self.vertices)

    def facet(self, index: jax.Array | int) -> Facet:
        """The facet with an index, which may be traced."""
        return Facet(vertices=jnp.asarray(self.vertices)[index], motion=self.motion)

    @property
    def vertex_velocities(self) -> jax.Array:
        """``v + w x (V - x_w)`` [m/s], the shape of ``vertices``."""
        return velocity_at(
            self.motion, jnp.asarray(self.vertices) - jnp.asarray(self.motion.position)
        )

    def moved(self, time_step: Real) -> "Wall":
        """After ``time_step`` [s] with constant velocities: an exact rotation about the moving
        centre.
        """
        start, turn = (
            jnp.asarray(self.motion.position),
            jnp.asarray(self.motion.angular_velocity) * time_step,
        )
        position = start + jnp.asarray(self.motion.velocity) * time_step
        arms = jnp.asarray(self.vertices) - start
        vertices = position + rotate(arms, jnp.broadcast_to(turn, arms.shape))
        return replace(self, motion=self.motion._replace(position=position), vertices=vertices)


def planar_motion(position: Real, velocity: Real, angular_velocity: Real) -> Motion:
    """Motion in the xy plane, as PFC's two-dimensional models have it: ``(..., 2)``, ``(..., 2)``
    and the rotation about z ``(...)``.
    """
    return Motion(
        in_plane(position),
        in_plane(velocity),
        jnp.asarray(angular_velocity)[..., None] * jnp.array([0.0, 0.0, 1.0]),
    )


def in_plane(vector: Real) -> jax.Array:
    """``(..., 2)`` as a vector ``(..., 3)`` without z component."""
    vector = jnp.asarray(vector)
    return jnp.concatenate([vector, jnp.zeros_like(vector[..., :1])], axis=-1)


def _check_vertices(owner: str, vertices: Any) -> None:
    if is_concrete(vertices) and np.shape(vertices)[-2:] not in ((3, 3), (2, 3)):
        raise ValueError(
            f"{owner}: vertices has shape {np.shape(vertices)}, but its last axes must be "
            "(3, 3) for triangles or (2, 3) for segments"
            " in the xy plane: vertices by components."
        )
