"""What an observation must offer: how a simulated motion shows in a measurement."""

from typing import Any, Protocol

import jax
import numpy as np

from calibration.model.samples import Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, Trajectory


class Observation(Protocol):
    """How a motion is seen, without the data: hashable, part of compiled code."""

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Times on the clock of the simulation at which the motion is needed, (m,) (perhaps only
        the last one).
        """

    def predicted(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """What would be measured, (n, k); ``motion`` is at ``times``, its contacts are those of the
        whole simulation.
        """


class Measurement(Protocol):
    """Data of one observation of one trial, as a person gives them."""

    name: str
    path: str | None

    @property
    def axes(self) -> tuple[str, ...]:
        """The measured axes; empty where the measurement has none."""

    def read(self, scene: Scene) -> Any:
        """A first guess of the motion (``calibration.detection.bounces.DetectedBounces``), or ``None``.

        Raises:
            InputError: data that show nothing that can be fitted.
        """

    def observation(self) -> Observation:
        """How it sees a motion."""

    def samples(self, detected: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (n,), numbers (n, k) and their standard deviations (n, k), infinite where a number
        is not used.
        """
