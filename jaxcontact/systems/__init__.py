"""Contact models of other programs: their names and parameters, assembled from the shared laws.

Example:
    >>> from jaxcontact.systems import edem
    >>> ball = edem.Particle(radius=0.05, mass=0.1)
    >>> print(f"{ball.smallest_inertia:.1e} kg m^2")
    1.0e-04 kg m^2
"""

from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

__all__ = ["comsol", "edem", "exudyn", "modia3d", "pfc"]
