"""Errors with heavy tails, which flights show before anything is fitted.

Taken as normal, such errors are larger than the median of their sizes tells: the model then seems
not to explain the data, and what is left is sought in the camera and in the impacts. Student's t
takes nothing away from the physics, and where errors are normal the evidence against it grows with
every sample.
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.noise import TAIL_DEGREES
from calibration.fitting.autocorrelation import exceeds_chance
from calibration.fitting.policy import DEFAULT_POLICY
from calibration.io.recording import Recording
from calibration.studies.choices.named_tables import name_of
from calibration.studies.choices.noise_models import AUTOMATIC, STUDENT_T
from calibration.studies.study import Study

SURE = math.log(1000.0)
"""Evidence for heavy tails from which on they are taken as seen: normal errors come so far once in
a thousand experiments at most.
"""

HEAVY_TAILS = (
    "The errors have heavy tails: deviations from smooth flights look like Student's t with "
    f"{TAIL_DEGREES:g} degrees of freedom, not like normal errors. The fit takes them as such, as "
    f"--noise 'student t: degrees={TAIL_DEGREES:g}' does; --noise estimated takes them as normal."
)


def shows_heavy_tails(
    study: Study,
    recordings: Sequence[Recording],
    detections: Sequence[DetectedBounces],
    *,
    axes: str,
) -> bool:
    """Whether errors of which nothing was said have heavy tails. Deviations that last for several
    samples are no errors of single pictures: nothing is concluded from them.

    Args:
        study: which names a noise model, or none.
        recordings: of it.
        detections: what was detected in them.
        axes: letters of those along which the ball moves. Where it does not move along one, the
            rounding of its places makes tails.
    """
    named = name_of(study.model.noise) != AUTOMATIC
    if named or any(recording.sigma is not None for recording in recordings):
        return False
    moving = ["xyz".index(axis) for axis in axes]
    evidence = [float(np.nansum(detected.tails[moving])) for detected in detections]
    return sum(evidence) > SURE and not any(lasts(detected, moving) for detected in detections)


def lasts(detected: DetectedBounces, axes: Sequence[int]) -> bool:
    """Whether neighbouring deviations from flights along any of the axes resemble each other."""
    count = sum(stop - first for first, stop in detected.flights)
    neighbours = np.nan_to_num(detected.correlation[list(axes)])
    limit = DEFAULT_POLICY.neighbour_correlation
    return bool(np.any(exceeds_chance(neighbours, count, least=limit)))


def with_heavy_tails(study: Study) -> Study:
    """The study with errors of Student's t."""
    named = {"name": STUDENT_T, "degrees": TAIL_DEGREES}
    return dataclasses.replace(study, model=dataclasses.replace(study.model, noise=named))
