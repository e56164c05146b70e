"""Itasca PFC: contact resolution, and the contact models that consume its state table.

Names are those of the program's documentation: a contact between the *pieces* of two *bodies* (a
ball, a pebble of a clump, a facet of a wall), its contact plane with the axes ``n``, ``s``, ``t``,
the contact gap, relative displacement and rotation increments.

Source: Itasca Consulting Group, PFC documentation, "Contact Resolution" and the pages of the
contact models.

Example:
    >>> from jaxcontact.systems import pfc
    >>> model = pfc.Linear(kn=1e6, ks=1e6, fric=0.5)
    >>> model.replace(dp_nratio=0.2).dp_nratio
    0.2
"""

from jaxcontact.systems.pfc import (
    activity,
    contact,
    contact_resolution,
    hertz,
    linear,
    pieces,
    response,
    rolling_resistance_linear,
    state,
    time_step,
)
from jaxcontact.systems.pfc.contact import Contact
from jaxcontact.systems.pfc.hertz import Hertz
from jaxcontact.systems.pfc.linear import Linear
from jaxcontact.systems.pfc.rolling_resistance_linear import RollingResistanceLinear

__all__ = [
    "Contact",
    "Hertz",
    "Linear",
    "RollingResistanceLinear",
    "activity",
    "contact",
    "contact_resolution",
    "hertz",
    "linear",
    "pieces",
    "response",
    "rolling_resistance_linear",
    "state",
    "time_step",
]
