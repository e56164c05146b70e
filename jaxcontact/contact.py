"""How two surfaces touch: the normal law and the friction law of a contact."""

from typing import Any

from jaxcontact.field import model
from jaxcontact.laws.friction import NoFriction


@model
class ContactModel:
    """Laws of a contact, composed.

    Args:
        normal: a law of ``jaxcontact.laws.normal`` (``HuntCrossley``, ``LinearDashpot``, ``TsujiDashpot``; ``NewtonRestitution`` for the
            rigid-impulse method only).
        friction: a law of ``jaxcontact.laws.friction`` (``RegularizedCoulomb``, ``NoFriction``; ``Coulomb`` for the rigid-impulse
            method only).
    """

    normal: Any
    friction: Any = NoFriction()
