"""COMSOL Multiphysics, Multibody Dynamics: Rigid Body Contact with its Friction feature, spherical
formulations.

The vendor's pages say in words how the friction force is made; their formulas are images. What
stands here is reconstructed from the words, and where they leave a choice the docstring says so.
Names of parameters follow the symbols of the pages.

Source: COMSOL Multiphysics 5.6 to 6.3, Multibody Dynamics Module, Theory of Friction in Rigid Body
Contact.

Example:
    >>> from jaxcontact.systems import comsol
    >>> contact = comsol.RigidBodyContact(k_pen=1e4, c_pen=20.0)
    >>> force, power = comsol.contact_force(contact, -1e-3, 0.0)
    >>> print(f"{force:.1f} N")
    10.0 N
"""

from jaxcontact.systems.comsol.contact_force import RigidBodyContact, contact_force
from jaxcontact.systems.comsol.friction import (
    Friction,
    dissipation_rate,
    friction_force,
    friction_magnitude,
)
from jaxcontact.systems.comsol.quaternion_moment import quaternion_moment
from jaxcontact.systems.comsol.spherical_to_arbitrary import (
    ArbitraryContact,
    spherical_to_arbitrary,
)
from jaxcontact.systems.comsol.spherical_to_spherical import (
    SphericalContact,
    spherical_to_spherical,
)

__all__ = [
    "ArbitraryContact",
    "Friction",
    "RigidBodyContact",
    "SphericalContact",
    "contact_force",
    "dissipation_rate",
    "friction_force",
    "friction_magnitude",
    "quaternion_moment",
    "spherical_to_arbitrary",
    "spherical_to_spherical",
]
