"""``pingpong_drop_table``: a table-tennis ball dropped on a table, tracked in a phone video."""

import math
from pathlib import Path

import numpy as np

import calibration as cal
from calibration.studies.tables import OBLIQUE
from calibration.studies.trajectories import steepness
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.fitted_files import TABLE_TENNIS, files_of, fitted, write

RESTITUTION, DRAG, SCALE = "contact.normal.restitution", "drag.coefficient", "length_scale"
GRAVITY, AIR_DENSITY = 9.81, 1.2
STATED_GRAVITY = 9.53
"""Apparent gravity of free fits with drag [m/s^2], of the description of the data."""
STATED_TERMINAL_SPEED = 8.4
"""[m/s], of the description; stated without an uncertainty, so that 10 % are agreement."""


def study_of(folder: Path, *, drag: bool = True) -> cal.studies.Study:
    """The drops as a study of the command line: heights alone, since the balls drift sideways in
    ways that no model of a round ball explains; a constant restitution and no fault of the camera,
    as in the description of the data.
    """
    return cal.studies.Study(
        files=files_of(folder, "csv/*.csv"),
        ball=TABLE_TENNIS,
        model=cal.studies.ModelOptions(
            drag=drag, friction=False, camera="calibrated", restitution_law="constant"
        ),
    )


def terminal_speed(drag: cal.Estimate) -> tuple[float, float]:
    """``sqrt(2 m g/(rho C_D pi R^2))`` [m/s] and its standard error."""
    area = math.pi * TABLE_TENNIS.radius**2
    value = math.sqrt(2 * TABLE_TENNIS.mass * GRAVITY / (AIR_DENSITY * drag.value * area))
    return value, 0.5 * value * drag.sd / drag.value


def apparent_gravity(scale: cal.Estimate) -> tuple[float, float]:
    """Gravity in recorded lengths [m/s^2] and its standard error."""
    value = GRAVITY / scale.value
    return value, value * scale.sd / scale.value


def held_samples(fit: cal.Fit) -> list[int]:
    """Samples before the release, of each recording."""
    return [reading.release for reading in fit.problem.detections]


def within(value: float, sd: float, truth: float) -> bool:
    """Whether a value agrees with another to three standard errors."""
    return abs(value - truth) <= 3 * sd


def findings_of(fit: cal.Fit, without_drag: cal.Fit, description: Description) -> list[Finding]:
    """What the drops tell.

    Args:
        fit: with drag.
        without_drag: the same drops as parabolas.
        description: of the set.
    """
    restitution, drag, scale = (fit.parameters[name] for name in (RESTITUTION, DRAG, SCALE))
    plain, plain_scale = (without_drag.parameters[name] for name in (RESTITUTION, SCALE))
    gravity, gravity_sd = apparent_gravity(scale)
    speed, speed_sd = terminal_speed(drag)
    held = held_samples(fit)
    needed = drag.status is cal.Determination.DETERMINED and drag.value > 5 * drag.sd
    improved = without_drag.chi2 / without_drag.dof > fit.chi2 / fit.dof
    low, high = restitution.interval()
    return [
        Finding(
            f"Restitution {restitution.value:.4f} ± {restitution.sd:.4f} (95 %: {low:.3f} to "
            f"{high:.3f}) at impacts of 3 to 6 m/s."
        ),
        description.finding(
            "length scale is 3-5 % short",
            if_true(scale.value > 1 and within(gravity, gravity_sd, STATED_GRAVITY)),
            f"Recorded lengths are {100 * (scale.value - 1):.1f} ± {100 * scale.sd:.1f} % "
            f"short: apparent gravity {gravity:.2f} ±"
            f" {gravity_sd:.2f} m/s^2, with drag in the model. The stated value of the "
            f"table, {STATED_GRAVITY} m/s^2, agrees; it is the"
            " lower end of the stated 3 to 5 %. Without drag the lengths would seem "
            f"{100 * (plain_scale.value - 1):.1f} % short.",
        ),
        description.finding(
            "drag must be modelled",
            if_true(needed and improved and abs(speed / STATED_TERMINAL_SPEED - 1) < 0.1),
            f"Drag coefficient {drag.value:.3f} ± {drag.sd:.3f}, terminal speed {speed:.2f} "
            f"± {speed_sd:.2f} m/s. Parabolas give"
            f" restitution {plain.value:.3f} instead of {restitution.value:.3f}, and "
            f"chi2/dof {without_drag.chi2_per_dof:.1f} instead of"
            f" {fit.chi2_per_dof:.1f}.",
        ),
        description.finding(
            "held in the hand",
            if_true(any(held)),
            f"{np.count_nonzero(held)} of {len(held)} recordings begin with a ball that is "
            f"held: up to {max(held)} samples before the"
            " release were left out.",
        ),
        description.finding(
            "friction not identifiable",
            if_true(
                not any("friction" in name for name in fit.parameters)
                and steepness(fit.problem.detections) < OBLIQUE
            ),
            "Every impact is nearly normal. Only heights were fitted, and no friction "
            "coefficient is stated.",
        ),
        description.finding(
            "brand",
            Verdict.NOT_TESTABLE,
            "Radius, mass and the thin shell are those of the rules of the sport.",
        ),
        Finding(
            "The standard errors come from the scatter between the drops. The contact "
            "stiffness is not determined: at 100 frames/s only an"
            " upper limit of the contact duration follows."
        ),
    ]


def run(folder: Path, result: Path) -> Outcome:
    """Fit the drops, with drag and without.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    study, description = study_of(folder), Description(folder)
    fit, without_drag = fitted(study), fitted(study_of(folder, drag=False))
    restitution, drag, scale = (fit.parameters[name] for name in (RESTITUTION, DRAG, SCALE))
    outcome = Outcome(
        description.meta["name"],
        f"{len(fit.recordings)} drops together: restitution, drag, length scale; initial "
        "state, height of the table and deviations of"
        " single impacts of each.",
        findings_of(fit, without_drag, description),
        {
            "restitution": (restitution.value, restitution.sd),
            "restitution_without_drag": (
                without_drag.parameters[RESTITUTION].value,
                without_drag.parameters[RESTITUTION].sd,
            ),
            "drag": (drag.value, drag.sd),
            "length_scale": (scale.value, scale.sd),
            "chi2_per_dof": fit.chi2_per_dof,
            "chi2_per_dof_without_drag": without_drag.chi2_per_dof,
        },
    )
    write(fit, study, outcome, result)
    return outcome
