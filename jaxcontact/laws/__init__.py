"""Force laws: pure functions of overlap, overlap rate, slip and named parameters, and the parameter
models composed of them.
"""

# Importing a module enters its laws into the catalogue.
from jaxcontact.laws import (
    adhesion,
    adhesive_plastic,
    continuous_friction,
    cundall_strack,
    damping,
    elastic,
    friction,
    mindlin,
    normal,
    one_sided_dashpot,
    plastic,
    restitution,
    rigid_impact,
    rocking,
    rolling,
    spinning,
    stribeck,
    tangential,
    velocity_dependent_restitution,
    viscoelastic,
)

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
