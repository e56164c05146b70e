"""Force laws: pure functions of overlap, overlap rate, slip and named parameters, and the parameter
models composed of them.
"""

# Importing a module enters its laws into the catalogue.
from jaxcontact.laws.core import damping_maps as restitution
from jaxcontact.laws.core import rigid_impact
from jaxcontact.laws.friction import continuous as continuous_friction
from jaxcontact.laws.friction import coulomb as friction
from jaxcontact.laws.friction import cundall_strack, mindlin, rolling, spinning, stribeck
from jaxcontact.laws.friction import rolling as rocking
from jaxcontact.laws.friction import slider as tangential
from jaxcontact.laws.normal import (
    adhesion,
    adhesive_plastic,
    damping,
    elastic,
    one_sided_dashpot,
    plastic,
    viscoelastic,
)
from jaxcontact.laws.normal import models as normal
from jaxcontact.laws.normal import restitution as velocity_dependent_restitution

__all__ = [
    "adhesion",
    "adhesive_plastic",
    "continuous_friction",
    "cundall_strack",
    "damping",
    "elastic",
    "friction",
    "mindlin",
    "normal",
    "one_sided_dashpot",
    "plastic",
    "restitution",
    "rigid_impact",
    "rocking",
    "rolling",
    "spinning",
    "stribeck",
    "tangential",
    "velocity_dependent_restitution",
    "viscoelastic",
]
