"""Which nuisances go together, and whether a problem gives the motion of each trial: checked before
anything is computed.
"""

from collections.abc import Sequence

from calibration.errors import InputError
from calibration.nuisances.base import MeasuredTrial, Nuisance


def check_nuisances(nuisances: Sequence[Nuisance], trials: Sequence[MeasuredTrial]) -> None:
    """Check the nuisances of a problem with the ``trials`` that have a motion.

    Raises:
        InputError: what is not a nuisance, two with the same effect, one that acts on none of the
            trials, a trial whose motion nothing gives.
    """
    for nuisance in nuisances:
        if not isinstance(nuisance, Nuisance):
            raise InputError(
                f"nuisance: {nuisance!r} is not a nuisance",
                remedy="Give instances of classes of calibration.nuisances, e.g. InitialState(), "
                "or of a class that inherits from calibration.nuisances.Nuisance.",
            )
    for nuisance in nuisances:
        for other in nuisances:
            if isinstance(other, nuisance.same_effect_as):
                raise InputError(
                    f"nuisance: {type(nuisance).__name__} and {type(other).__name__} have the "
                    "same effect on the data.",
                    remedy="Keep one of them.",
                )
    names = [parameter.name for nuisance in nuisances for parameter in nuisance.parameters((0, 2))]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"nuisance: {', '.join(map(repr, twice))} is asked for more than once.",
            remedy="Keep one of them.",
        )
    for nuisance in nuisances:
        nuisance.check(trials)
    if any(nuisance.sets_motion for nuisance in nuisances):
        return
    for trial in trials:
        moves = any(measurement.needs_motion for measurement in trial.measured)
        if moves and not trial.axes and trial.initial is None:
            raise InputError(
                f"Nothing tells the motion of trial {trial.name!r}.",
                path=trial.path,
                remedy="Add nuisance FirstImpact(), or give Trial(..., "
                "initial=jaxcontact.state(...)).",
            )
