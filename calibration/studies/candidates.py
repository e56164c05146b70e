"""The experiments that a study's options stand for: drops and throws, filmed or heard."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from calibration.instruments import Film, ForceSensor, Sound
from calibration.planning.candidate import Candidate
from calibration.results.fitted_data import FittedRecording, FittedSeries
from calibration.results.result import Fit
from calibration.studies.study import DesignOptions
from jaxcontact.laws import CompliantLaw

CLICK = 1e-4
"""Standard deviation of the time of an impact in a sound recording [s]."""

FORCE_RATE = 50e3
"""Samples per second of a force sensor."""

WATCHED = 1.5
"""How long an experiment is watched [s]."""


def experiments_at_hand(options: DesignOptions, fit: Fit) -> list[Candidate]:
    """Every drop and throw with every instrument; the camera's noise is that of the recordings at
    hand.
    """
    sigma = position_noise(fit)
    instruments: list = [
        *(Film(rate=rate, sigma=sigma) for rate in options.frame_rates),
        Sound(sigma=CLICK),
    ]
    # A rigid impact has no force that a sensor could show.
    if isinstance(fit.problem.scene.contact.normal, CompliantLaw):
        instruments.append(ForceSensor(rate=FORCE_RATE, sigma=force_noise(fit)))
    gravity = float(np.linalg.norm(np.asarray(fit.problem.scene.gravity, dtype=float)))
    throws = [(height, 0.0, -90.0) for height in options.heights]
    for height, angle in itertools.product(options.heights, options.angles or ()):
        # Thrown level, so fast that it lands at this angle from the normal.
        throws.append(
            (height, math.sqrt(2 * gravity * height) * math.tan(math.radians(angle)), 0.0)
        )
    return [
        Candidate(
            instruments=(instrument,),
            height=height,
            speed=speed,
            angle=angle,
            duration=WATCHED,
            repeats=options.repeats,
        )
        for (height, speed, angle), instrument in itertools.product(throws, instruments)
    ]


def force_noise(fit: Fit) -> float:
    """Median standard deviation of the forces at hand [N]; a newton where there are none."""
    return median_sigma(
        [series for series in fit.series if series.labels[0].endswith("[N]")], default=1.0
    )


def position_noise(fit: Fit) -> float:
    """Median standard deviation of the positions at hand [m]; half a millimetre where there are
    none.
    """
    return median_sigma(fit.recordings, default=5e-4)


def median_sigma(
    observations: Sequence[FittedRecording | FittedSeries], *, default: float
) -> float:
    """Median standard deviation of all that was measured."""
    known = [item.sigma[np.isfinite(item.sigma)] for item in observations]
    values = np.concatenate([np.zeros(0), *known])
    return float(np.median(values)) if values.size else default
