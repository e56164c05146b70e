"""How the simulation of a trial ended at the minimum of a fit."""

import dataclasses
from collections.abc import Sequence

import jaxcontact as jc
from calibration.errors import InputError
from calibration.results.numbers import listed
from jaxcontact.simulation.core.status import succeeded


@dataclasses.dataclass(frozen=True)
class SimulatedTrial:
    """How the simulation of one trial ended, up to the last number that was measured of it.

    Attributes:
        name: of the trial.
        status: how it ended.

    Example:
        >>> import calibration as cal
        >>> import jaxcontact as jc
        >>> drop = cal.results.SimulatedTrial("drop", jc.Status.TOO_FEW_CONTACTS)
        >>> drop.succeeded
        False
    """

    name: str
    status: jc.Status

    @property
    def succeeded(self) -> bool:
        """Whether the simulation followed the motion as far as it was measured."""
        return bool(succeeded(self.status))


def check_simulated(trials: Sequence[SimulatedTrial], *, caller: str) -> None:
    """Refuse to go on from a fit of which a simulation did not succeed.

    Args:
        trials: of the fit.
        caller: what an error names first.

    Raises:
        InputError: with the trials and the advice.
    """
    failed = [trial for trial in trials if not trial.succeeded]
    if failed:
        worst = max(trial.status for trial in failed)
        raise InputError(
            f"{caller}: the fit is not to be used, as the simulation of "
            f"{listed([trial.name for trial in failed])} did not succeed ({worst.name})",
            remedy=worst.advice,
        )
