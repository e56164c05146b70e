"""Which quantities of a measurement go together: those that have the same effect on the data are
refused, before anything is computed.
"""

from collections.abc import Sequence
from typing import Any

from calibration.errors import InputError
from calibration.nuisances.camera import LengthScale
from calibration.nuisances.clocks import TimeOffset
from calibration.nuisances.initial_state import FirstImpact, InitialState, KnownState
from calibration.nuisances.setup import Gravity

SAME_EFFECT = (
    (LengthScale, Gravity, "have the same effect on a recording"),
    (InitialState, TimeOffset, "have the same effect: an unknown state at an unknown time"),
)


def concerns(nuisance: Any, trial: Any) -> bool:
    """Whether a quantity of single trials belongs to this one."""
    return bool(nuisance.concerns(trial)) if hasattr(nuisance, "concerns") else True


def check_nuisances(nuisances: Sequence[Any], trials: Sequence[Any]) -> None:
    """Check the quantities of a problem with the ``trials`` that have a motion.

    Raises:
        InputError: two with the same effect, one that acts on none of the trials, a trial whose
            motion nothing gives.
    """
    kinds = {type(item) for item in nuisances}
    for first, second, why in SAME_EFFECT:
        if {first, second} <= kinds:
            raise InputError(
                f"nuisance: {first.__name__} and {second.__name__} {why}.",
                remedy="Keep one of them.",
            )
    names = [parameter.name for item in nuisances for parameter in item.parameters((0, 2))]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"nuisance: {', '.join(map(repr, twice))} is asked for more than once.",
            remedy="Keep one of them.",
        )
    for item in nuisances:
        if hasattr(item, "check"):
            item.check(trials)
    if kinds & {FirstImpact, KnownState}:
        return
    for trial in trials:
        moves = any(getattr(measured, "needs_motion", True) for measured in trial.measured)
        if moves and not trial.axes and trial.initial is None:
            raise InputError(
                f"Nothing tells the motion of trial {trial.name!r}.",
                path=trial.path,
                remedy="Add nuisance FirstImpact(), or give Trial(..., "
                "initial=jaxcontact.state(...)).",
            )
