"""Pictures that take time: a moving ball leaves a streak, and its middle is what is tracked."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class Exposure:
    """Exposure time of the pictures, for all recordings; the time of a picture is the middle of its
    exposure.

    A position is averaged over the exposure. In free flight that is a shift of ``g t^2/24``, which
    nobody sees; beside an impact it is up to ``(1 + e) v t/8``.

    Args:
        known: the exposure time [s]; by default it is found.
        prior: what is known of it beforehand.
        guess: where the search begins [s].
    """

    shared: ClassVar[bool] = True
    known: float | None = None
    prior: Prior | None = None
    guess: float = 2e-3

    def __post_init__(self) -> None:
        for name in ("known", "guess"):
            value = getattr(self, name)
            if value is not None and not 0 < value < np.inf:
                raise InputError(
                    f"Exposure: {name} = {value!r} is not a positive number.",
                    remedy="Give it in s.",
                )

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without pictures."""
        if not any(trial.axes for trial in trials):
            raise InputError(
                "nuisance: Exposure needs recordings of positions.", remedy="Leave it out."
            )

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The exposure time, where it is not known."""
        if self.known is not None:
            return ()
        return (
            nuisance_unknown(
                "exposure",
                unit="s",
                label="exposure time",
                symbol="t_e",
                transform="log",
                late=True,
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """The guess."""
        return np.zeros(0) if self.known is not None else np.asarray([self.guess])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the exposure time."""
        exposure = jnp.asarray(self.known) if self.known is not None else values[0]
        return experiment._replace(camera=experiment.camera._replace(exposure=exposure))
