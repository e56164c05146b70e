"""Altair EDEM: the Spinning Friction contact model, on a Hertz-Mindlin or a linear spring base with
standard rolling friction.

Source: Altair EDEM documentation, Spinning Friction Contact Model, Hertz-Mindlin (no slip), Linear
Spring, Standard Rolling Friction. The page of spinning friction does not say how the area of
contact of spheres is found; both ways in use are offered.

Example:
    >>> from jaxcontact.systems import edem
    >>> particle = edem.Particle(radius=0.05, mass=0.1)
    >>> print(f"{particle.smallest_inertia:.1e} kg m^2")
    1.0e-04 kg m^2
"""

from jaxcontact.systems.edem.contact import (
    Contact,
    ContactForces,
    ContactMemory,
    new_memory,
    sphere_geometry,
    sphere_sphere,
)
from jaxcontact.systems.edem.hertz_mindlin import HertzMindlin
from jaxcontact.systems.edem.linear_spring import LinearSpring
from jaxcontact.systems.edem.particle import Particle
from jaxcontact.systems.edem.spinning_friction import (
    DiskTorques,
    SpinningFriction,
    spinning_friction,
    spinning_friction_torque,
)

__all__ = [
    "Contact",
    "ContactForces",
    "ContactMemory",
    "DiskTorques",
    "HertzMindlin",
    "LinearSpring",
    "Particle",
    "SpinningFriction",
    "new_memory",
    "sphere_geometry",
    "sphere_sphere",
    "spinning_friction",
    "spinning_friction_torque",
]
