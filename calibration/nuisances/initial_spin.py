"""The spin at first."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from jaxcontact import Scene

AXES = "xyz"


@dataclasses.dataclass(frozen=True)
class InitialSpin:
    """Components of the spin at the start of each trial, whatever else was measured
    (``InitialState(spin=True)`` chooses by the positions).

    Args:
        components: letters of the axes about which it is unknown.
        prior: what is known of each beforehand.
    """

    shared: ClassVar[bool] = False
    components: str = "y"
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if (
            not self.components
            or len(set(self.components)) < len(self.components)
            or set(self.components) - set(AXES)
        ):
            raise InputError(
                f"InitialSpin: components = {self.components!r} are not letters of x, y, z.",
                remedy='Give e.g. "y".',
            )

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The components."""
        return tuple(
            nuisance_unknown(
                f"spin_{x}",
                unit="rad/s",
                label=f"initial spin about {x}",
                symbol=f"w_{x}0",
                prior=self.prior,
            )
            for x in self.components
        )

    def start_of(self, trial: Any) -> np.ndarray:
        """The first measured spin, else that of the known state, else none."""
        for item in trial.measured:
            if hasattr(item, "spin"):
                return np.nan_to_num(item.spin[0])[[AXES.index(x) for x in self.components]]
        known = (
            np.zeros(3)
            if trial.initial is None
            else np.reshape(np.asarray(trial.initial.spin, dtype=float), 3)
        )
        return known[[AXES.index(x) for x in self.components]]

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None."""
        return np.zeros(len(self.components))

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the components."""
        return experiment._replace(
            spin=experiment.spin.at[jnp.array([AXES.index(x) for x in self.components])].set(values)
        )
