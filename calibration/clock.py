"""Clocks of the instruments: a camera, a microphone and a force sensor that were not started
together do not run together.
"""

from typing import Any, NamedTuple

import jax

CAMERA, MICROPHONE, FORCE_SENSOR = "camera", "microphone", "force sensor"
"""Clocks that measurements are on unless they are given another name."""


class Clock(NamedTuple):
    """How an instrument's clock stands to that of the trial: ``t_trial = t + offset + drift (t -
    origin)``.

    Attributes:
        offset: to be added to what the clock shows [s].
        drift: relative error of its rate [-].
    """

    offset: Any = 0.0
    drift: Any = 0.0

    def trial_time(self, shown: Any, origin: Any) -> jax.Array:
        """Time on the clock of the trial when this one shows ``shown`` [s]; ``origin``: when both
        differ by the offset alone [s].
        """
        return shown + self.offset + self.drift * (shown - origin)

    def shown(self, trial_time: Any, origin: Any) -> jax.Array:
        """What the clock shows at a time of the trial [s]: the inverse of ``trial_time``."""
        return (trial_time - self.offset + self.drift * origin) / (1.0 + self.drift)
