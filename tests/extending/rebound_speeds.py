"""A measurement written outside the packages: speeds after impacts, as a light gate shows them."""

import dataclasses

import numpy as np

import calibration as cal

SPEED_OFFSET = "light_gate_offset"
"""What ``SpeedOffset`` sets and the light gate adds."""


@dataclasses.dataclass(frozen=True)
class SpeedsAfterImpacts(cal.measurements.Observation):
    """Speeds after the impacts of a motion; row k is impact k."""

    until: float

    def times(self, trial_state, samples):
        """A time by which all impacts have happened."""
        return (trial_state.start + self.until)[None]

    def predict(self, trial_state, motion, samples):
        """Speeds (n, 1) [m/s]."""
        impacts = cal.measurements.take_impacts(motion.contacts, samples.times.shape[0])
        return (impacts.rebound_speed + trial_state.quantity(SPEED_OFFSET))[:, None]


class ReboundSpeeds(cal.measurements.Measurement):
    """Speeds after the first impacts of a ball released at a known height.

    Args:
        speed: after impact 1, 2, 3 ... [m/s], (n,); NaN where the gate showed none.
        sigma: standard deviation of a speed [m/s].
        until: all impacts have happened so long after the start [s].
        name: what the measurement is called in tables.
    """

    quantities = ("rebound speed [m/s]",)
    abscissa = cal.measurements.Abscissa.IMPACT

    def __init__(self, speed, *, sigma=0.01, until=60.0, name="rebound speeds"):
        self.speed = np.asarray(speed, dtype=float)
        self.sigma, self.until, self.name = sigma, until, name

    def observation(self):
        """The light gate."""
        return SpeedsAfterImpacts(self.until)

    def samples(self, detected=None):
        """One row for each impact."""
        measured = self.speed[:, None]
        sigma = np.where(np.isfinite(measured), self.sigma, np.inf)
        return cal.measurements.MeasuredSamples(np.zeros(self.speed.size), measured, sigma)
