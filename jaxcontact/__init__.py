"""Differentiable contact models: force laws, scenes, and a simulator whose derivatives are true."""

from jaxcontact.contact import ContactModel
from jaxcontact.laws.catalogue import law
from jaxcontact.laws.friction import Coulomb, NoFriction, RegularizedCoulomb
from jaxcontact.laws.model_of_law import normal_law
from jaxcontact.laws.normal import HuntCrossley, LinearDashpot, NewtonRestitution, PowerLawHuntCrossley, TsujiDashpot
from jaxcontact.laws.plastic import ThorntonPlastic, WaltonBraun
from jaxcontact.laws.restitution import RESTITUTION_LAWS, RestitutionLaw
from jaxcontact.laws.viscoelastic import HertzDashpot, KuwabaraKono, ViscoelasticRestitution
from jaxcontact.scene import MagnusLift, QuadraticDrag, Scene, Spheres, State, spheres, state
from jaxcontact.simulation import EventAligned, FixedStep, Impulse, Status, Trajectory, simulate
from jaxcontact.surfaces import Beam, Box, Capsule, Cone, Cylinder, Ellipsoid, Facet, Mesh, Plane, Sphere

__all__ = [
    "RESTITUTION_LAWS",
    "Beam",
    "Box",
    "Capsule",
    "Cone",
    "ContactModel",
    "Coulomb",
    "Cylinder",
    "Ellipsoid",
    "EventAligned",
    "Facet",
    "FixedStep",
    "HertzDashpot",
    "HuntCrossley",
    "Impulse",
    "KuwabaraKono",
    "LinearDashpot",
    "MagnusLift",
    "Mesh",
    "NewtonRestitution",
    "NoFriction",
    "Plane",
    "PowerLawHuntCrossley",
    "QuadraticDrag",
    "RegularizedCoulomb",
    "RestitutionLaw",
    "Scene",
    "Sphere",
    "Spheres",
    "State",
    "Status",
    "ThorntonPlastic",
    "Trajectory",
    "TsujiDashpot",
    "ViscoelasticRestitution",
    "WaltonBraun",
    "law",
    "normal_law",
    "simulate",
    "spheres",
    "state",
]
