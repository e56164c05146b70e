"""Shapes of solids, as far as the contact law knows them: the sphere that stands for the whole
surface, and whether it is flat.

The contact area of a shape is approximated by one mean curvature, that of a sphere of radius
``defaultContactSphereRadius``:

- ``Sphere``, ``Capsule``: ``diameter/2``
- ``Ellipsoid``: ``min(lengthX, lengthY, lengthZ)/2``
- ``Box``, flat: ``min(lengthX, lengthY, lengthZ)/2``
- ``Cylinder``: ``min(diameter, length)/2``
- ``Cone``, with ``topDiameter > 0`` a frustum: ``(diameter + topDiameter)/4``
- ``Beam``, flat: ``min(length, width, thickness)/2``
- ``FileMesh``: ``shortestEdge/2``

Where the lengths of a minimum are equal, its derivative is shared between them. Names and table are
the program's. Orientation (``axis``), smoothing of edges and the geometry of the contact itself are
not here.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, parameter


def _length(label: str, *, symbol: str = "l") -> Any:
    return parameter(unit="m", label=label, symbol=symbol, interval="(0, inf)", transform="log")


def _smallest(*lengths: Real) -> jax.Array:
    smallest = jnp.asarray(lengths[0])
    for length in lengths[1:]:
        smallest = jnp.minimum(smallest, length)
    return smallest


@model
class Sphere:
    """A sphere.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Sphere(diameter=0.5)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.250 m
    """

    diameter: Real = _length("diameter", symbol="d")
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``diameter/2`` [m]."""
        return 0.5 * self.diameter


@model
class Ellipsoid:
    """An ellipsoid with its axes of full length along x, y and z.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Ellipsoid(lengthX=0.5, lengthY=0.2, lengthZ=0.3)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.100 m
    """

    lengthX: Real = _length("length along x")
    lengthY: Real = _length("length along y")
    lengthZ: Real = _length("length along z")
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``min(lengthX, lengthY, lengthZ)/2`` [m]."""
        return 0.5 * _smallest(self.lengthX, self.lengthY, self.lengthZ)


@model
class Box:
    """A box; flat.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Box(lengthX=0.5, lengthY=0.7, lengthZ=0.3)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.150 m
    """

    lengthX: Real = _length("length along x")
    lengthY: Real = _length("length along y")
    lengthZ: Real = _length("length along z")
    isFlat: ClassVar[bool] = True

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``min(lengthX, lengthY, lengthZ)/2`` [m]; only used between two flat shapes."""
        return 0.5 * _smallest(self.lengthX, self.lengthY, self.lengthZ)


@model
class Cylinder:
    """A cylinder.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Cylinder(diameter=0.5, length=0.2)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.100 m
    """

    diameter: Real = _length("diameter", symbol="d")
    length: Real = _length("length")
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``min(diameter, length)/2`` [m]."""
        return 0.5 * _smallest(self.diameter, self.length)


@model
class Cone:
    """A cone, or a frustum of one.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Cone(diameter=0.4, length=1.0, topDiameter=0.2)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.150 m
    """

    diameter: Real = _length("diameter of the base", symbol="d")
    length: Real = _length("length")
    topDiameter: Real = parameter(
        unit="m",
        label="diameter of the top",
        symbol="d_top",
        interval="[0, inf)",
        transform="log",
        default=0.0,
    )
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``(diameter + topDiameter)/4`` [m]."""
        return 0.25 * (self.diameter + self.topDiameter)


@model
class Capsule:
    """A cylinder with half spheres on both ends.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Capsule(diameter=0.4, length=0.1)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.200 m
    """

    diameter: Real = _length("diameter", symbol="d")
    length: Real = _length("length")
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``diameter/2`` [m]."""
        return 0.5 * self.diameter


@model
class Beam:
    """A bar with rounded ends; flat.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.Beam(length=1.0, width=0.2, thickness=0.06)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.030 m
    """

    length: Real = _length("length")
    width: Real = _length("width", symbol="w")
    thickness: Real = _length("thickness", symbol="t")
    isFlat: ClassVar[bool] = True

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``min(length, width, thickness)/2`` [m]; only used between two flat shapes."""
        return 0.5 * _smallest(self.length, self.width, self.thickness)


@model
class FileMesh:
    """A closed triangle mesh; what the contact law takes from it is the length of its shortest
    edge.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> shape = modia3d.FileMesh(shortestEdge=0.02)
        >>> print(f"{shape.defaultContactSphereRadius:.3f} m")
        0.010 m
    """

    shortestEdge: Real = _length("shortest edge of the mesh")
    isFlat: ClassVar[bool] = False

    @property
    def defaultContactSphereRadius(self) -> Real:
        """``shortestEdge/2`` [m]."""
        return 0.5 * self.shortestEdge


Shape = Sphere | Ellipsoid | Box | Cylinder | Cone | Capsule | Beam | FileMesh

SHAPES: dict[str, type] = {
    shape.__name__: shape
    for shape in (Sphere, Ellipsoid, Box, Cylinder, Cone, Capsule, Beam, FileMesh)
}
"""Every shape by its name.

Example:
    >>> from jaxcontact.systems import modia3d
    >>> modia3d.SHAPES["Sphere"](diameter=0.06).isFlat
    False
"""
