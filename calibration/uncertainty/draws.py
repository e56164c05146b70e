"""Many sets of values of all parameters: fits of redrawn data, or samples of a posterior
distribution.
"""

from typing import NamedTuple

import numpy as np


class Draws(NamedTuple):
    """Coordinates of all parameters.

    Attributes:
        shared: (B, S).
        local: of the trials of each batch, (B, R, L).
    """

    shared: np.ndarray
    local: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return int(self.shared.shape[0])

    def pick(self, which: np.ndarray) -> "Draws":
        """Some of them, by index or mask."""
        return Draws(self.shared[which], tuple(own[which] for own in self.local))
