"""The friction laws that a study can name. A new one is an entry here, or in a module that a study
names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.errors import InputError
from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc

FRICTION = "contact.friction.coefficient"
"""Path of the friction coefficient in a scene."""

TANGENTIAL = "contact.friction.tangential_restitution"
"""Path of the tangential restitution of rigid impacts."""

SLIP_EXPONENT = "contact.friction.slip_exponent"
"""Path of the exponent with which a tangential restitution falls with slip."""

COULOMB, REBOUNDING = "coulomb", "coulomb with tangential restitution"
FALLING = "rebound that falls with slip"
"""Names of laws."""

GUESSED_FRICTION = 0.2
"""Friction coefficient of the first guess."""


@dataclasses.dataclass(frozen=True)
class FrictionChoice:
    """A friction law as a study names it.

    Attributes:
        name: in study files and on the command line.
        free: paths of the parameters that are found.
        make: the law with starting values; its argument tells whether impacts are rigid.

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> ice = cal.studies.FrictionChoice(
        ...     name="ice",
        ...     free=("contact.friction.coefficient",),
        ...     make=lambda rigid: jc.Coulomb(coefficient=0.02),
        ... )
        >>> ice.make(True).coefficient
        0.02
    """

    name: str
    free: tuple[str, ...]
    make: Callable[[bool], Any]


FRICTION_LAWS: Registry[FrictionChoice] = Registry(FrictionChoice, "friction law")
"""By name; study files choose one with ``friction_law``.

Example:
    >>> import calibration as cal
    >>> cal.studies.FRICTION_LAWS.names
    ('coulomb', 'coulomb with tangential restitution', 'rebound that falls with slip', 'stribeck')
"""


def _coulomb(rigid: bool) -> "jc.Coulomb | jc.RegularizedCoulomb":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    if rigid:
        return jc.Coulomb(coefficient=GUESSED_FRICTION)
    return jc.RegularizedCoulomb(coefficient=GUESSED_FRICTION)


def _check_rigid(rigid: bool, law: str) -> None:
    if not rigid:
        raise InputError(
            f"friction_law = {law!r} is of rigid impacts, but normal_law names a law with a force",
            remedy="Leave normal_law out, or take the friction law 'coulomb'.",
        )


def _rebounding(rigid: bool) -> "jc.Coulomb":
    import jaxcontact as jc

    _check_rigid(rigid, REBOUNDING)
    return jc.Coulomb(coefficient=GUESSED_FRICTION)


def _falling(rigid: bool) -> "jc.laws.ImpulseFriction":
    import jaxcontact as jc

    _check_rigid(rigid, FALLING)
    # Begun where nothing slides: what friction does not limit tells the rebound first.
    return jc.laws.falling_rebound.FallingRebound(
        coefficient=3 * GUESSED_FRICTION, tangential_restitution=0.5, slip_exponent=0.3
    )


def _stribeck(rigid: bool) -> "jc.laws.SlipFriction":
    import jaxcontact as jc

    Stribeck = jc.friction_law(jc.laws.stribeck.regularized_stribeck_force)
    return Stribeck(
        static_coefficient=1.5 * GUESSED_FRICTION,
        coefficient=GUESSED_FRICTION,
        stribeck_velocity=0.3,
        viscous_coefficient=0.0,
        slip_velocity=1e-3,
    )


FRICTION_LAWS.register(FrictionChoice(COULOMB, (FRICTION,), _coulomb))
FRICTION_LAWS.register(FrictionChoice(REBOUNDING, (FRICTION, TANGENTIAL), _rebounding))
FRICTION_LAWS.register(FrictionChoice(FALLING, (FRICTION, TANGENTIAL, SLIP_EXPONENT), _falling))
FRICTION_LAWS.register(
    FrictionChoice(
        "stribeck",
        (FRICTION, "contact.friction.static_coefficient", "contact.friction.stribeck_velocity"),
        _stribeck,
    )
)
