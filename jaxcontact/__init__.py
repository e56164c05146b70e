"""Differentiable contact models: force laws, scenes, and a simulator whose derivatives are true."""

from jaxcontact import laws, surfaces, testing
from jaxcontact.beds.bed import Bed
from jaxcontact.beds.contact_lists import BedSizes
from jaxcontact.beds.contact_models import (
    BedContact,
    BedPairContact,
    HertzMindlin,
    LinearSpringDashpot,
)
from jaxcontact.beds.insertion import insert_spheres, remove_spheres
from jaxcontact.beds.rolling import ElasticPlasticRolling
from jaxcontact.beds.simulate_bed import simulate_bed
from jaxcontact.beds.steps import BedState
from jaxcontact.beds.trajectory import (
    BedContacts,
    BedEnergy,
    BedError,
    BedLedger,
    BedStatus,
    BedTrajectory,
)
from jaxcontact.laws.core.damping_maps import RESTITUTION_LAWS, RestitutionLaw
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.coulomb import Coulomb, NoFriction, RegularizedCoulomb
from jaxcontact.laws.friction.cundall_strack import CundallStrack
from jaxcontact.laws.friction.friction_law import friction_law
from jaxcontact.laws.friction.mindlin import Mindlin
from jaxcontact.laws.friction.rolling import RollingResistance, RollingSpring
from jaxcontact.laws.friction.rolling_law import rolling_law
from jaxcontact.laws.friction.spinning import SpinningFriction
from jaxcontact.laws.friction.spinning_law import spinning_law
from jaxcontact.laws.normal.adhesion import JohnsonKendallRoberts
from jaxcontact.laws.normal.adhesive_plastic import AdhesivePlastic
from jaxcontact.laws.normal.models import (
    HuntCrossley,
    LinearDashpot,
    NewtonRestitution,
    PowerLawHuntCrossley,
    TsujiDashpot,
)
from jaxcontact.laws.normal.normal_law import normal_law
from jaxcontact.laws.normal.plastic import ThorntonPlastic, WaltonBraun
from jaxcontact.laws.normal.restitution import (
    BrokenPowerLawRestitution,
    ExponentialRestitution,
    PowerLawRestitution,
    RationalRestitution,
    RestitutionNode,
    TabulatedRestitution,
    ThorntonRestitution,
)
from jaxcontact.laws.normal.viscoelastic import HertzDashpot, KuwabaraKono, ViscoelasticRestitution
from jaxcontact.parameters import model, parameter, quantity, static
from jaxcontact.scene.anchor_spring import AnchorSpring
from jaxcontact.scene.bodies import Clumps, Spheres, box, clump, cube, spheres, together
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.scene.fluid import MagnusLift, QuadraticDrag
from jaxcontact.scene.scene import Scene, State, state
from jaxcontact.sensitivity import (
    GradientReport,
    check_gradients,
    hessian,
    jacobian,
    value_and_jacobian,
)
from jaxcontact.simulation.simulate import (
    EventAligned,
    FixedStep,
    Impulse,
    SimulationError,
    SimulationWarning,
    Status,
    Trajectory,
    simulate,
)
from jaxcontact.surfaces import (
    Beam,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Facet,
    Funnel,
    Mesh,
    Plane,
    PrescribedMotion,
    Sphere,
    Tube,
)
from jaxcontact.sweep import sweep

__all__ = [
    "RESTITUTION_LAWS",
    "AdhesivePlastic",
    "AnchorSpring",
    "Beam",
    "Bed",
    "BedContact",
    "BedContacts",
    "BedEnergy",
    "BedError",
    "BedLedger",
    "BedPairContact",
    "BedSizes",
    "BedState",
    "BedStatus",
    "BedTrajectory",
    "Box",
    "BrokenPowerLawRestitution",
    "Capsule",
    "Clumps",
    "Cone",
    "ContactModel",
    "Coulomb",
    "CundallStrack",
    "Cylinder",
    "ElasticPlasticRolling",
    "Ellipsoid",
    "EventAligned",
    "ExponentialRestitution",
    "Facet",
    "FixedStep",
    "Funnel",
    "GradientReport",
    "HertzDashpot",
    "HertzMindlin",
    "HuntCrossley",
    "Impulse",
    "JohnsonKendallRoberts",
    "KuwabaraKono",
    "LinearDashpot",
    "LinearSpringDashpot",
    "MagnusLift",
    "Mesh",
    "Mindlin",
    "NewtonRestitution",
    "NoFriction",
    "Plane",
    "PowerLawHuntCrossley",
    "PowerLawRestitution",
    "PrescribedMotion",
    "QuadraticDrag",
    "RationalRestitution",
    "RegularizedCoulomb",
    "RestitutionLaw",
    "RestitutionNode",
    "RollingResistance",
    "RollingSpring",
    "Scene",
    "SimulationError",
    "SimulationWarning",
    "Smoothing",
    "Sphere",
    "Spheres",
    "SpinningFriction",
    "State",
    "Status",
    "TabulatedRestitution",
    "ThorntonPlastic",
    "ThorntonRestitution",
    "Trajectory",
    "TsujiDashpot",
    "Tube",
    "ViscoelasticRestitution",
    "WaltonBraun",
    "box",
    "check_gradients",
    "clump",
    "cube",
    "friction_law",
    "hessian",
    "insert_spheres",
    "jacobian",
    "law",
    "laws",
    "model",
    "normal_law",
    "parameter",
    "quantity",
    "remove_spheres",
    "rolling_law",
    "simulate",
    "simulate_bed",
    "spheres",
    "spinning_law",
    "state",
    "static",
    "surfaces",
    "sweep",
    "testing",
    "together",
    "value_and_jacobian",
]
