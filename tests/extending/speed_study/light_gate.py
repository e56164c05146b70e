"""A light gate below a ball that falls on a ring, for study files: its files, what it shows when
nothing moves, the law of the ball and the ring. The classes are those of the modules beside it.
"""

import numpy as np
from overlap_dashpot import LogarithmicRestitution
from rebound_speeds import ReboundSpeeds
from speed_offset import SpeedOffset
from torus import Torus

import calibration as cal
import jaxcontact as jc

RADIUS, RING, TUBE, FALL = 0.02, 0.3, 0.1, 0.5
"""Of the ball, of the circle in the ring and of its tube; height of fall [m]."""


class SpeedFiles(cal.studies.MeasurementFiles):
    """Files with one column ``speed [m/s]``: after impact 1, 2, 3 ..."""

    name = "rebound speeds of a light gate"

    def recognises(self, path, headers):
        """Whether the only column is that of the gate."""
        return [header.name for header in headers] == ["speed"]

    def read(self, path, options):
        """The speeds of a ball that was released above the crest of the ring."""
        speed = np.loadtxt(path, skiprows=1)
        sigma = options.one_sigma("the gate [m/s]", example="0.01") or 0.01
        release = jc.state(position=(RING, 0.0, TUBE + RADIUS + FALL))
        return cal.Trial(ReboundSpeeds(speed, sigma=sigma, until=2.5), initial=release)


def make_ring():
    """The ring about the origin."""
    return Torus(radius=RING, tube_radius=TUBE)


def make_table():
    """A table as high as the crest of the ring."""
    return jc.Plane(offset=TUBE)


def make_offset():
    """The offset of the gate, which its maker says is below 0.02 m/s."""
    return SpeedOffset(prior=cal.Normal(0.0, 0.02))


def start_law(restitution, speed):
    """A restitution that falls with the speed."""
    return LogarithmicRestitution(restitution=restitution, velocity_exponent=0.1)


cal.studies.FILE_KINDS.register(SpeedFiles())
cal.studies.SURFACES.register(cal.studies.SurfaceChoice(name="ring", make=make_ring))
cal.studies.SURFACES.register(cal.studies.SurfaceChoice(name="level table", make=make_table))
cal.studies.NUISANCES.register(cal.studies.NuisanceChoice(name="gate offset", make=make_offset))
cal.studies.RESTITUTION_LAWS.register(
    cal.studies.RestitutionChoice(
        name="logarithmic", free=("contact.normal.restitution",), make=start_law
    )
)
