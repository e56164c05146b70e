"""What every surface has in common: its motion, its free side, and how a point on it is
reported.
"""

import abc
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rotation import rotate
from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import Undecorated
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion


class SurfacePoint(NamedTuple):
    """Where a surface is closest to the centre of a sphere; everything in the frame of the scene.

    Attributes:
        distance: signed distance [m] from the surface to the centre, positive on the free side,
            ``()``. The gap of a sphere of radius ``R`` is ``distance - R``.
        normal: unit vector from the surface towards the free side, the gradient of ``distance`` by
            the centre, ``(3,)``. A repelling contact force on the sphere has this direction.
        point: the closest point ``center - distance normal`` [m], ``(3,)``.
        velocity: of the surface's material at this point [m/s], ``(3,)``.

    Example:
        >>> point = jc.Plane().closest((0.3, 0.0, 0.5), time=0.0)
        >>> print(point.distance, point.normal, point.point)
        0.5 [0. 0. 1.] [0.3 0.  0. ]
    """

    distance: Annotated[jax.Array, ""]
    normal: Annotated[jax.Array, "3"]
    point: Annotated[jax.Array, "3"]
    velocity: Annotated[jax.Array, "3"]


DistanceAndNormal = tuple[jax.Array, jax.Array]


class Borders(NamedTuple):
    """Where the parts of a surface end: the curvature under the centre of a sphere jumps there, and
    with it how the force changes.

    Attributes:
        distance: signed distances [m] of the centre from its borders, of different sign on both
            sides and with a slope at zero, ``(k,)``.
        ends: whether each is a border of the part that is closest to the centre, ``(k,)``.

    Example:
        The wall of a capsule along z ends 0.1 m from its middle, at either end:

        >>> capsule = jc.surfaces.Capsule(start=(0, 0, -0.1), end=(0, 0, 0.1), radius=0.05)
        >>> borders = capsule.borders(jnp.array([0.2, 0.0, 0.07]), 0.0)
        >>> print(borders.distance, borders.ends)
        [ 0.17 -0.03] [ True  True]
    """

    distance: jax.Array
    ends: jax.Array

    @staticmethod
    def between_all(*distances: jax.Array) -> "Borders":
        """Borders ``()`` each of which ends whatever part is closest."""
        stacked = jnp.stack(distances)
        return Borders(stacked, jnp.ones(stacked.shape, dtype=bool))


class Surface(Undecorated, abc.ABC):
    """A rigid surface. A shape declares its parameters and gives ``at_rest``; ``closest`` adds
    motion and side.

    Attributes:
        bounds_convex: whether the shape is the boundary of a convex body; of the class.
        motion: prescribed motion; ``None`` for a fixed surface.
        hollow: whether the free side of a closed shape is its inside.

    Example:
        >>> plane = jc.Plane(normal=(0.0, 0.0, 1.0), offset=0.1)
        >>> isinstance(plane, jc.surfaces.Surface)
        True
        >>> print(f"{plane.closest((0.0, 0.0, 0.5), time=0.0).distance:.2f} m")
        0.40 m
    """

    bounds_convex: ClassVar[bool] = False
    motion: PrescribedMotion | None = None
    hollow: bool = False

    @property
    def is_convex(self) -> bool:
        """Whether the free side surrounds a convex body, so that the distance is a convex function
        of the centre: flights towards it need fewer steps.
        """
        return self.bounds_convex and not self.hollow

    @abc.abstractmethod
    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        """Signed distance of ``center`` ``(3,)`` from the surface as it is described, positive
        outside, and its gradient ``(3,)``.
        """

    def borders_at_rest(self, center: jax.Array) -> Borders:
        """Where the parts of the surface as it is described end, seen from ``center`` ``(3,)``.
        Simulations land on them, so that derivatives are right where a contact passes from one part
        to the next. By default there is one part.
        """
        return Borders(jnp.zeros(0, center.dtype), jnp.zeros(0, dtype=bool))

    def walls(self) -> tuple["Surface", ...]:
        """What a sphere may touch at once, each with a contact of its own: of a room its walls, so
        that in its corner each of them pushes. By default the surface itself.
        """
        return (self,)

    def borders(self, center: Real, time: Real) -> Borders:
        """Where its parts end, seen from the centre of a sphere.

        Args:
            center: [m], ``(3,)``.
            time: [s], ``()``.
        """
        center = 1.0 * jnp.asarray(center)
        shape = _as_type(self, center.dtype)
        motion = shape.motion
        if motion is None:
            return shape.borders_at_rest(center)
        pose = motion.pose(jnp.asarray(time, center.dtype))
        here = to_frame(center, pose.position, pose.rotation) + motion.reference_point
        return shape.borders_at_rest(here)

    def _described(self, center: jax.Array) -> DistanceAndNormal:
        """``at_rest``, with its shapes checked."""
        found = self.at_rest(center)
        shapes = [np.shape(part) for part in found] if isinstance(found, tuple) else None
        if shapes != [(), (3,)]:
            one = "one array" if isinstance(found, (jax.Array, np.ndarray)) else f"{found!r}"
            said = one if shapes is None else f"shapes {shapes}"
            raise TypeError(
                f"{type(self).__name__}.at_rest returned {said}. Return the distance () and its "
                "gradient (3,): return distance, normal."
            )
        return found

    def closest(self, center: Real, time: Real) -> SurfacePoint:
        """The point that is closest to the centre of a sphere; computed in the floating-point type
        of ``center``.

        Args:
            center: [m], ``(3,)``.
            time: [s], ``()``.
        """
        center = 1.0 * jnp.asarray(center)
        shape = _as_type(self, center.dtype)
        time = jnp.asarray(time, center.dtype)
        motion = shape.motion
        if motion is None:
            distance, normal = shape._described(center)
        else:
            pose = motion.pose(time)
            distance, normal = in_frame(
                lambda x: shape._described(x + motion.reference_point),
                center,
                pose.position,
                pose.rotation,
            )
        if self.hollow:
            distance, normal = -distance, -normal
        point = center - distance * normal
        velocity = (
            jnp.zeros_like(point) if motion is None else motion.material_velocity(point, time)
        )
        return SurfacePoint(distance, normal, point, velocity)


def walls_apart(surfaces: Sequence[Surface]) -> tuple[tuple[Surface, ...], np.ndarray]:
    """The walls of all surfaces, and of each the number of the surface that it belongs to,
    ``(walls,)``.
    """
    walls = [surface.walls() for surface in surfaces]
    owner = np.repeat(np.arange(len(walls)), [len(each) for each in walls])
    return tuple(wall for each in walls for wall in each), owner


def in_frame(
    shape: Callable[[jax.Array], DistanceAndNormal],
    center: jax.Array,
    origin: Vector,
    rotation: Vector,
) -> DistanceAndNormal:
    """Signed distance and normal of a shape that is described in a frame at ``origin``, turned by
    the rotation vector ``rotation``.
    """
    distance, normal = shape(to_frame(center, origin, rotation))
    return distance, rotate(normal, rotation)


def to_frame(center: jax.Array, origin: Vector, rotation: Vector) -> jax.Array:
    """``center`` in a frame at ``origin``, turned by the rotation vector ``rotation``."""
    return rotate(center - jnp.asarray(origin), -jnp.asarray(rotation))


def _as_type(surface: Any, dtype: Any) -> Any:
    """The parameters as arrays of one type: tuples and Python numbers would otherwise widen single
    precision.
    """
    return jax.tree.map(
        lambda value: jnp.asarray(value, dtype),
        surface,
        is_leaf=lambda value: isinstance(value, (tuple, list)),
    )
