"""Impacts that do not repeat exactly."""

import dataclasses

import jax
import jax.numpy as jnp

from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Normal
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import Nuisance
from jaxcontact.parameters import put

FACTOR = "restitution_scatter_factor"
"""Name of the factor on all deviations."""

FIRST_GUESS = 0.22
"""Standard deviation of ``ln(e/(1 - e))`` that is taken where none is given."""

DEVIATION = "restitution_deviation_"
"""Beginning of the name of each deviation."""


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
    sd: float = FIRST_GUESS

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The deviation of each impact."""
        return tuple(
            nuisance_parameter(
                f"{DEVIATION}{i}",
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
        deviations = jnp.append(values, 0.0) * trial_state.quantity(FACTOR, 1.0)
        return trial_state._replace(
            scene=put(trial_state.scene, "contact.normal.deviation", deviations)
        )


@dataclasses.dataclass(frozen=True)
class ScatterSize(Nuisance):
    """How much larger the deviations of ``RestitutionScatter`` are than its ``sd`` says, one factor
    for all recordings.

    Freeze it, ``Problem(frozen=["restitution_scatter_factor"])``: least squares would make it as
    large as they may. The automatic fits of trajectories find it as a variance component, by
    restricted maximum likelihood.

    Example:
        >>> (factor,) = cal.nuisances.ScatterSize().parameters(())
        >>> factor.name, float(factor.value(0.0))
        ('restitution_scatter_factor', 1.0)
    """

    shared = True

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The factor."""
        return (
            nuisance_parameter(
                FACTOR,
                unit="-",
                label="scatter of impacts over its first guess",
                symbol="f_e",
                transform="log",
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Tell it to ``RestitutionScatter``, which acts later."""
        return trial_state.with_quantity(FACTOR, values[0])
