"""A parameter of the scene that differs from trial to trial."""

import dataclasses

import jax
import numpy as np

from calibration.model.free import Free
from calibration.model.parameter import Parameter
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import Nuisance, UnfittedTrial


@dataclasses.dataclass(frozen=True)
class PerTrial(Nuisance):
    """A parameter of the scene that differs from trial to trial (``Free(..., each=True)``).

    Args:
        free: the parameter.
        parameter: what a fit knows of it.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> each = cal.Free("contact.normal.restitution", each=True)
        >>> own = cal.nuisances.PerTrial(each, each.parameter(scene))
        >>> own.start(cal.nuisances.UnfittedTrial((), None, None, scene, ()))
        array([0.7])
    """

    free: Free
    parameter: Parameter

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The parameter."""
        return (self.parameter,)

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """The value in the scene, or where the free parameter says."""
        return np.asarray([self.free.initial_value(trial.scene)])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set it."""
        return trial_state._replace(scene=self.free.apply(trial_state.scene, values[0]))
