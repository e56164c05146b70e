"""How well the noise of positions is known that was found about smooth flights."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.flight_fit import UP
from calibration.noise.models import FoundNoise

SEEN = 2.0
"""Standard errors by which neighbouring deviations must be correlated before noise has a memory;
white noise of n samples scatters by 1/sqrt(n).
"""

LEAST_LEFT = 0.25
"""Least share of the independent numbers that flights are taken to leave: with less, they follow
the noise, and nothing is known of its size.
"""


def noise_about_flights(detections: Iterable[Any]) -> FoundNoise | None:
    """What the deviations from smooth flights say of noise that lasts for several samples; ``None``
    where it does not.

    With a correlation rho of neighbours, n samples are worth ``n/tau`` independent ones, ``tau =
    (1 + rho)/(1 - rho)``. A flight follows them with two numbers of its own, and all with gravity
    and drag: the square of the deviations is too small by ``(n - tau p)/(n - p)``.

    Only heights are looked at.

    Args:
        detections: of the recordings.
    """
    samples = independent = enlarged = left = 0.0
    for detected in detections:
        if not isinstance(detected, DetectedBounces):
            return None
        count = float(sum(stop - first for first, stop in detected.flights))
        own, rho = 2.0 * len(detected.flights) + 2.0, float(detected.correlation[UP])
        seen = count > own and rho > SEEN / np.sqrt(count)
        tau = (1 + rho) / max(1 - rho, 0.05) if seen else 1.0
        worth = count / tau
        remaining = max(worth - own, LEAST_LEFT * worth)
        samples, independent, left = samples + count, independent + worth, left + remaining
        enlarged += count * max((count - own) / (tau * remaining), 1.0)
    if not samples or independent == samples:
        return None
    return FoundNoise(factor=enlarged / samples, memory=samples / independent, degrees=left)
