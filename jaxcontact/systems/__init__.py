"""Contact models of other programs, under their own names, assembled from the shared laws."""

from jaxcontact.systems import exudyn_contact_sphere_sphere

__all__ = ["exudyn_contact_sphere_sphere"]
