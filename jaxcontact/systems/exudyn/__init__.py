"""Exudyn's contact objects under their own parameter names: sphere and sphere, sphere and triangle,
and the pairs of GeneralContact.

Example:
    >>> from jaxcontact.systems import exudyn
    >>> pair = exudyn.general_contact.general_contact_pair(
    ...     (0.1, 0.1), stiffness=(2e4, 2e4), damping=(10.0, 10.0), friction=0.3
    ... )
    >>> print(f"{pair.contactStiffness:.0f} N/m, friction coefficient {pair.dynamicFriction}")
    10000 N/m, friction coefficient 0.3
"""

from jaxcontact.systems.exudyn import general_contact, sphere_sphere, sphere_triangle
from jaxcontact.systems.exudyn.compatibility import EXUDYN_1_13, Compatibility
from jaxcontact.systems.exudyn.parameters import ObjectContactSphereSphere

__all__ = [
    "EXUDYN_1_13",
    "Compatibility",
    "ObjectContactSphereSphere",
    "general_contact",
    "sphere_sphere",
    "sphere_triangle",
]
