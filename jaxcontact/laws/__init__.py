"""Force laws: pure functions of overlap, overlap rate, slip and named parameters, and the parameter
models composed of them.

Here are the interfaces that a law of your own implements, one for each kind of law, and the tables
of the laws that exist.

Example:
    >>> issubclass(jc.HuntCrossley, jc.laws.CompliantLaw)
    True
    >>> issubclass(jc.NewtonRestitution, jc.laws.RigidLaw)
    True
"""

# Importing a module enters its laws into the catalogue.
from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core import damping_maps as restitution
from jaxcontact.laws.core import rigid_impact
from jaxcontact.laws.core.branches import BranchedLaw, OnBranch, Reach
from jaxcontact.laws.core.contact_phase import ClosedPhase, ContactPhase
from jaxcontact.laws.core.friction_interfaces import (
    FrictionLaw,
    FrictionWithMemory,
    ImpulseFriction,
    SlipFriction,
)
from jaxcontact.laws.core.normal_interfaces import CompliantLaw, NormalLaw, RigidLaw, SmoothLaw
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import LAWS, Law, law
from jaxcontact.laws.core.rigid_impact import RigidImpact, deviation_field, duration_field
from jaxcontact.laws.core.rotation_interfaces import (
    RollingFlow,
    RollingLaw,
    RollingWithMemory,
    SpinningLaw,
)
from jaxcontact.laws.friction import continuous as continuous_friction
from jaxcontact.laws.friction import coulomb as friction
from jaxcontact.laws.friction import (
    cundall_strack,
    falling_rebound,
    mindlin,
    rolling,
    spinning,
    stribeck,
)
from jaxcontact.laws.friction import rolling as rocking
from jaxcontact.laws.friction import slider as tangential
from jaxcontact.laws.friction.coulomb import FRICTION_LAWS, REGULARIZATIONS, Regularization
from jaxcontact.laws.friction.friction_law import friction_law
from jaxcontact.laws.friction.rolling_law import rolling_law
from jaxcontact.laws.friction.spinning_law import spinning_law
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
from jaxcontact.laws.normal.models import NORMAL_LAWS
from jaxcontact.laws.normal.normal_law import normal_law

__all__ = [
    "FRICTION_LAWS",
    "LAWS",
    "NORMAL_LAWS",
    "QUANTITIES",
    "REGULARIZATIONS",
    "Action",
    "BranchedLaw",
    "ClosedPhase",
    "CompliantLaw",
    "ContactPhase",
    "FrictionLaw",
    "FrictionWithMemory",
    "ImpulseFriction",
    "Law",
    "LawFromForce",
    "NormalLaw",
    "OnBranch",
    "PairContact",
    "PairMemory",
    "Reach",
    "Regularization",
    "RigidImpact",
    "RigidLaw",
    "RollingFlow",
    "RollingLaw",
    "RollingWithMemory",
    "SlipFriction",
    "SmoothLaw",
    "SpinningLaw",
    "adhesion",
    "adhesive_plastic",
    "continuous_friction",
    "cundall_strack",
    "damping",
    "deviation_field",
    "duration_field",
    "elastic",
    "falling_rebound",
    "friction",
    "friction_law",
    "law",
    "mindlin",
    "normal",
    "normal_law",
    "one_sided_dashpot",
    "plastic",
    "restitution",
    "rigid_impact",
    "rocking",
    "rolling",
    "rolling_law",
    "spinning",
    "spinning_law",
    "stribeck",
    "tangential",
    "velocity_dependent_restitution",
    "viscoelastic",
]
