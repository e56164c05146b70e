"""Surfaces that spheres touch: where each is closest to a centre, how far, in which direction, and
how fast it moves there.

Every surface is a model with a method ``closest(center, time)``, another one that tells where its
parts end, ``borders``, and an optional prescribed ``motion``. There are no forces here.

Example:
    >>> from jaxcontact import surfaces
    >>> ball = surfaces.Sphere(radius=0.5)
    >>> point = ball.closest((0.0, 0.0, 0.75), time=0.0)
    >>> print(f"distance {point.distance:.2f} m, closest point {point.point}")
    distance 0.25 m, closest point [0.  0.  0.5]
"""

from jaxcontact.surfaces.base import Borders, Surface, SurfacePoint
from jaxcontact.surfaces.beam import Beam
from jaxcontact.surfaces.box import Box
from jaxcontact.surfaces.capsule import Capsule
from jaxcontact.surfaces.cone import Cone
from jaxcontact.surfaces.cylinder import Cylinder
from jaxcontact.surfaces.ellipsoid import Ellipsoid
from jaxcontact.surfaces.facet import Facet
from jaxcontact.surfaces.funnel import Funnel
from jaxcontact.surfaces.mesh import Mesh
from jaxcontact.surfaces.plane import Plane
from jaxcontact.surfaces.prescribed_motion import Pose, PrescribedMotion
from jaxcontact.surfaces.sphere import Sphere
from jaxcontact.surfaces.tube import Tube

__all__ = [
    "Beam",
    "Borders",
    "Box",
    "Capsule",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Facet",
    "Funnel",
    "Mesh",
    "Plane",
    "Pose",
    "PrescribedMotion",
    "Sphere",
    "Surface",
    "SurfacePoint",
    "Tube",
]
