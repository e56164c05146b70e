"""The force of a compliant law over one impact."""

import dataclasses
from typing import Annotated

import numpy as np


@dataclasses.dataclass(frozen=True)
class ForceLoop:
    """Normal force against overlap over one impact of the fitted law, from touch-down to lift-off:
    the area inside the loop is the energy that is lost.

    Attributes:
        speed: normal speed of the impact [m/s].
        overlap: (n,) [m].
        force: (n,) [N].

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> overlap = np.array([0.0, 1e-4, 0.0])
        >>> loop = cal.results.ForceLoop(1.0, overlap, force=np.array([0.0, 40.0, 0.0]))
        >>> float(loop.force.max())
        40.0
    """

    speed: float
    overlap: Annotated[np.ndarray, "instants"]
    force: Annotated[np.ndarray, "instants"]
