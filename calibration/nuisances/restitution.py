"""Impacts that do not repeat exactly."""

import dataclasses

import jax
import jax.numpy as jnp

from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Normal
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import Nuisance
from jaxcontact.parameters import put


@dataclasses.dataclass(frozen=True)
class RestitutionScatter(Nuisance):
    """Restitution that differs from impact to impact: repeated impacts on one table do not repeat
    exactly.

    The deviation of each impact is normally distributed about the common value, on the logistic
    scale of the restitution; there the standard deviation ``sd`` is 1/(e (1 - e)) times that of the
    restitution itself. Without it, a handful of deviating impacts would bend every other quantity
    to explain them. Needs a law for rigid impacts (``laws.rigid_impact``), whether its restitution
    depends on the speed or not.

    Args:
        impacts: the largest number of impacts in a recording.
        sd: of the deviation of ``ln(e/(1 - e))``; the default is 0.02 in a restitution of 0.9.

    Example:
        >>> scatter = cal.nuisances.RestitutionScatter(impacts=2)
        >>> [parameter.name for parameter in scatter.parameters(())]
        ['restitution_deviation_1', 'restitution_deviation_2']
    """

    impacts: int
    sd: float = 0.22

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The deviation of each impact."""
        return tuple(
            nuisance_parameter(
                f"restitution_deviation_{i}",
                unit="-",
                label=f"deviation of impact {i} in ln(e/(1 - e))",
                symbol=f"d_e{i}",
                late=True,
                prior=Normal(0.0, self.sd),
            )
            for i in range(1, self.impacts + 1)
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the deviations; impacts that the recording does not show have none."""
        return trial_state._replace(
            scene=put(trial_state.scene, "contact.normal.deviation", jnp.append(values, 0.0))
        )
