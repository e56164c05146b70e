"""Where else to begin when a fit has ended far from the data, or on a plateau.

A start with hardly any restitution rests before the second bounce of the recording; one with so
much friction that all impacts stick does not feel the coefficient. From there no derivative leads
to the data; what the recordings show at first sight does, or a value on the other side.
"""

from collections.abc import Iterator

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.probes import saturating
from calibration.io.impact_table import ImpactTable
from calibration.optimise.coordinates import Start
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial

FACTOR = 3.0
"""Step of a logarithmic or logistic coordinate (a factor of 20) beyond which a plateau is left."""

RESTITUTION = "contact.normal.restitution"


def propose_starts(problem: Problem, began: Start, assessment: Assessment) -> Iterator[Start]:
    """Starts that differ from ``began`` and from each other, most promising first.

    With the restitution that the recordings show, from where the fit began and from the scene's
    values; then on either side of what the data did not see where it ended.
    """
    tried = [began.shared]
    for shared in _candidates(problem, began, assessment):
        if not any(np.array_equal(shared, earlier) for earlier in tried):
            tried.append(shared)
            yield began._replace(shared=shared)


def _candidates(problem: Problem, began: Start, assessment: Assessment) -> Iterator[np.ndarray]:
    shown = restitution_shown(problem)
    if shown is not None:
        yield np.where(shown[0], shown[1], began.shared)
        yield np.where(shown[0], shown[1], problem.start[0])
    parameters = problem.layout.global_parameters
    # The variance of what the data do not see is no number to go by.
    unseen = assessment.formal.open_shared | ~(np.diag(assessment.covariance) < 1.0)
    for index in np.flatnonzero(began.free)[unseen]:
        if parameters[index].about.transform != "identity":
            for shift in (-FACTOR, FACTOR):
                away = shifted(began.shared, index, shift)
                yield away if shown is None else np.where(shown[0], shown[1], away)


def leave_plateaus(assessment: Assessment) -> Iterator[Start]:
    """From where a fit ended, with less of each coefficient that has no effect there because all
    contacts stick.
    """
    minimum = assessment.minimum
    ended = assessment.start._replace(shared=minimum.shared, local=minimum.local)
    names = saturating(assessment.layout)
    for index in np.flatnonzero(assessment.free)[assessment.formal.open_shared]:
        if assessment.layout.names[index] in names:
            yield ended._replace(shared=shifted(minimum.shared, index, -FACTOR))


def leave_slopes(problem: Problem, assessment: Assessment) -> Iterator[Start]:
    """From where a fit ended, with more of each coefficient that has an effect there because
    contacts slide, so that they stick.

    Between the two lies a corner over which no derivative leads: a spin and a small coefficient
    explain a bounce about as well as another spin and a contact that sticks. Not so where
    orientations tell the spin.
    """
    if all(tells_orientation(trial) for trial in problem.trials):
        return
    minimum, names = assessment.minimum, saturating(assessment.layout)
    ended = assessment.start.from_minimum(minimum)
    for index in np.flatnonzero(assessment.free)[~assessment.formal.open_shared]:
        if assessment.layout.names[index] in names:
            yield ended._replace(shared=shifted(minimum.shared, index, FACTOR))


def tells_orientation(trial: Trial | ImpactTable) -> bool:
    """Whether the orientation of the body was measured in a trial."""
    return isinstance(trial, Trial) and any(
        item.first_orientation is not None for item in trial.measured
    )


def shifted(shared: np.ndarray, index: int, shift: float) -> np.ndarray:
    """The coordinates, one of them changed."""
    return np.where(np.arange(len(shared)) == index, shared + shift, shared)


def restitution_shown(problem: Problem) -> tuple[np.ndarray, np.ndarray] | None:
    """Which shared coordinate is the restitution of the normal law, and its median over the
    recordings; ``None`` where none shows it, or where it is frozen.
    """
    parameters = problem.layout.global_parameters
    sought = {RESTITUTION} - set(problem.frozen)
    which = np.asarray([parameter.name in sought for parameter in parameters], dtype=bool)
    values = [
        detected.restitution if detected is not None else np.nan for detected in problem.detections
    ]
    seen = [value for value in values if np.isfinite(value)]
    if not np.any(which) or not seen:
        return None
    median = float(np.clip(np.median(seen), 0.01, 0.99))
    return which, np.asarray(
        [
            float(parameter.coordinate(median)) if here else 0.0
            for parameter, here in zip(parameters, which, strict=True)
        ]
    )
