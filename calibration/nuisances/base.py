"""What a nuisance must offer: a quantity of the measurement that a fit must find beside the
material constants.

Each nuisance names its parameters, guesses them from the automatic reading of a recording, and
applies their values to an ``TrialState``. Nuisances are hashable, so that problems of the same
structure share compiled code.
"""

from typing import Any, Protocol

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.model.parameter import Parameter
from calibration.model.trial_state import TrialState
from jaxcontact import Scene

AXES = "xyz"
"""The axes of position, in their order.

Example:
    >>> cal.nuisances.AXES.index("z")
    2
"""


class Nuisance(Protocol):
    """What a nuisance must offer; ``shared`` tells whether all recordings have one value or each
    its own.
    """

    @property
    def shared(self) -> bool: ...

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]: ...
    def start(
        self, detected: DetectedBounces, scene: Scene, axes: tuple[int, ...]
    ) -> np.ndarray: ...
    def apply(self, trial_state: TrialState, values: Any, axes: tuple[int, ...]) -> TrialState: ...
