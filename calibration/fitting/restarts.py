"""Where else to begin when a fit has ended far from the data, or on a plateau.

A start with hardly any restitution rests before the second bounce of the recording; one with so
much friction that all impacts stick does not feel the coefficient; one that slides throughout does
not feel its spin. From there no derivative leads to the data; what the recordings show at first
sight does, or a value on the other side.
"""

from collections.abc import Iterator

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.detection import Detection
from calibration.detection.spin_change import find_spin_change
from calibration.fitting.assessment import Assessment
from calibration.fitting.probes import saturating
from calibration.io.impact_table import ImpactTable
from calibration.measurements.spins import Spins
from calibration.optimise.coordinates import Start
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial

FACTOR = 3.0
"""Step of a logarithmic or logistic coordinate (a factor of 20) beyond which a plateau is left."""

RESTITUTION, COEFFICIENT = "contact.normal.restitution", "contact.friction.coefficient"

SPINS = ("spin_x", "spin_y")
"""Names of the initial spins that friction on a level surface changes, by the axis."""


def propose_starts(problem: Problem, began: Start, assessment: Assessment) -> Iterator[Start]:
    """Starts that differ from ``began`` and from each other, most promising first.

    With the spins and the friction that the bounces show; with the restitution that the recordings
    show, from where the fit began and from the scene's values; then on either side of what the data
    did not see where it ended.
    """
    spun = start_with_spins(problem, began)
    if spun is not None:
        yield spun
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


def start_with_spins(problem: Problem, began: Start) -> Start | None:
    """The start with the initial spins and the friction coefficient that the bounces show; ``None``
    where no friction or no spin is to be found.

    No bounce turns more of the velocity sideways than the coefficient times what it turns upwards.
    A ball ends rolling, and each bounce before has changed its spin as it changed its velocity.
    """
    names = [parameter.name for parameter in problem.layout.global_parameters]
    slopes = [
        slope
        for detected in problem.detections
        for slope in sideways_slopes(detected)
        if np.isfinite(slope) and slope > 0
    ]
    local = [np.array(own) for own in began.local]
    spun = False
    for own, batch, members in zip(local, problem.layout.batches, problem.members, strict=True):
        places = [parameter.name for parameter in batch.trial_parameters]
        for row, member in zip(own, members, strict=True):
            shown = spin_shown(problem, member)
            for axis, name in enumerate(SPINS):
                if name in places and name not in problem.frozen and np.isfinite(shown[axis]):
                    place = places.index(name)
                    row[place] = batch.trial_parameters[place].coordinate(shown[axis])
                    spun = True
    if not (spun and slopes and COEFFICIENT in names and COEFFICIENT not in problem.frozen):
        return None
    index = names.index(COEFFICIENT)
    shared = np.array(began.shared)
    shared[index] = problem.layout.global_parameters[index].coordinate(max(slopes))
    return began._replace(shared=shared, local=tuple(local))


def sideways_slopes(detected: Detection | None) -> Iterator[float]:
    """Change of the tangential velocity over that of the normal one, of each bounce on a level
    surface.
    """
    for bounce in detected.bounces if isinstance(detected, DetectedBounces) else ():
        change = np.nan_to_num(bounce.velocity_after - bounce.velocity_before)
        yield float(np.hypot(change[0], change[1]) / change[2])


def spin_shown(problem: Problem, member: int) -> np.ndarray:
    """Spin (3,) in the first flight of a ball that rolls after its last bounce on a level surface
    [rad/s], NaN where the bounces do not show it, or it was measured.
    """
    trial, detected = problem.trials[member], problem.detections[member]
    bounces = detected.bounces if isinstance(detected, DetectedBounces) else ()
    measured = isinstance(trial, Trial) and any(isinstance(item, Spins) for item in trial.measured)
    if not bounces or measured:
        return np.full(3, np.nan)
    ball = problem.scene.bodies
    radius, ratio = (
        float(np.ravel(np.asarray(value))[0]) for value in (ball.radius, ball.inertia_ratio)
    )
    along_x, along_y, _ = bounces[-1].velocity_after / radius
    changes = [find_spin_change(one, radius=radius, inertia_ratio=ratio) for one in bounces]
    return np.array([-along_y, along_x, np.nan]) - np.sum(changes, axis=0)


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
