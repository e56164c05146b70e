"""Exudyn's contact objects under their own parameter names: sphere and sphere, sphere and triangle,
and the pairs of GeneralContact.
"""

from jaxcontact.systems.exudyn import general_contact, sphere_sphere, sphere_triangle

__all__ = ["general_contact", "sphere_sphere", "sphere_triangle"]
