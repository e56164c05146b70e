"""A kind of file written outside the packages: when a ball broke the light gate at the table, in
milliseconds after its release from a known height.
"""

import numpy as np

import calibration as cal
import jaxcontact as jc

HEIGHT = 0.3
"""Of the lowest point of the ball above the origin at its release [m]."""

RADIUS = 0.02
"""Of the ball [m]."""


class GateTimes(cal.studies.MeasurementFiles):
    """Files with one column ``gate [ms]``."""

    name = "times of a light gate"

    def recognises(self, path, headers):
        """Whether the only column is that of the gate."""
        return [header.name for header in headers] == ["gate"]

    def read(self, path, options):
        """The impacts, with the resolution of the gate unless the person gave another."""
        milliseconds = np.loadtxt(path, skiprows=1)
        sigma = options.one_sigma("the gate [s]", example="0.0001") or 1e-4
        times = cal.measurements.BounceTimes(1e-3 * milliseconds, sigma=sigma, path=path)
        release = jc.state(position=(0.0, 0.0, HEIGHT + RADIUS))
        return cal.Trial(times, initial=release, time=0.0)


cal.studies.FILE_KINDS.register(GateTimes())
