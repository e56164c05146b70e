"""Differentiable contact models: force laws, scenes, and a simulator whose derivatives are true."""

from jaxcontact.contact import ContactModel
from jaxcontact.laws.friction import Coulomb, NoFriction, RegularizedCoulomb
from jaxcontact.laws.normal import HuntCrossley, LinearDashpot, NewtonRestitution, PowerLawHuntCrossley, TsujiDashpot
from jaxcontact.laws.restitution import RESTITUTION_LAWS, RestitutionLaw
from jaxcontact.scene import MagnusLift, Plane, QuadraticDrag, Scene, Spheres, State, spheres, state
from jaxcontact.simulation import EventAligned, FixedStep, Impulse, Status, Trajectory, simulate

__all__ = [
    "RESTITUTION_LAWS",
    "ContactModel",
    "Coulomb",
    "EventAligned",
    "FixedStep",
    "HuntCrossley",
    "Impulse",
    "LinearDashpot",
    "MagnusLift",
    "NewtonRestitution",
    "NoFriction",
    "Plane",
    "PowerLawHuntCrossley",
    "QuadraticDrag",
    "RegularizedCoulomb",
    "RestitutionLaw",
    "Scene",
    "Spheres",
    "State",
    "Status",
    "Trajectory",
    "TsujiDashpot",
    "simulate",
    "spheres",
    "state",
]
