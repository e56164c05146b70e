"""Contact models of other programs, under their own names, assembled from the shared laws."""

from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

__all__ = ["comsol", "edem", "exudyn", "modia3d", "pfc"]
