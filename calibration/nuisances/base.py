"""What a nuisance must offer: a quantity of the measurement that a fit must find beside the
material constants.

Each nuisance names its unknowns, guesses them from the automatic reading of a recording, and
applies their values to an ``Experiment``. Nuisances are hashable, so that problems of the same
structure share compiled code.
"""

from typing import Any, Protocol

import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene

AXES = "xyz"


class Nuisance(Protocol):
    """What a nuisance must offer; ``shared`` tells whether all recordings have one value or each
    its own.
    """

    @property
    def shared(self) -> bool: ...

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]: ...
    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray: ...
    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment: ...
