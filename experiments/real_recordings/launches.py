"""``aimy_mn5008_*``: a table-tennis ball shot onto a table by a machine with three wheels: no spin,
backspin, topspin.
"""

from pathlib import Path

import numpy as np

import calibration as cal
from experiments.real_recordings.drops import DRAG, RESTITUTION
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.fitted_files import TABLE_TENNIS, files_of, fitted, write
from experiments.real_recordings.oblique_impacts import FRICTION

LIFT = "lift.coefficient"
STATED_HEIGHT = 0.760
"""Height of the centre at the bounce in the coordinates of the files [m]."""
ENOUGH = 10
"""Samples with which a parabola can be drawn through a flight."""
GRAVITY = 9.81
LOWEST_STATED, HIGHEST_STATED = -9.1, -8.4
"""Vertical acceleration before the bounce, of the description [m/s^2]."""
NOT_A_PARABOLA = 0.2
"""Deviation of a vertical acceleration from gravity [m/s^2] that its noise, about 0.1 m/s^2, does
not explain.
"""
LEAST_DRAG_ERROR = 1e-3
"""Relative; samples of 1 mm noise on flights of 3 m, ten of them, do not tell the deceleration by
drag better.
"""


def study_of(folder: Path) -> cal.studies.Study:
    """The launches as a study of the command line."""
    return cal.studies.Study(files=files_of(folder, "csv/*.csv"), ball=TABLE_TENNIS)


def height_of_centre(recording: cal.results.FittedRecording, scale: float) -> float:
    """Height of the centre at a bounce in recorded lengths [m]."""
    return recording.nuisance["surface_height"].value + TABLE_TENNIS.radius / scale


def samples_after(recording: cal.results.FittedRecording) -> int:
    """Samples after the last bounce."""
    return (
        int(np.count_nonzero(recording.time > recording.bounce_times[-1]))
        if recording.bounce_times.size
        else 0
    )


def vertical_acceleration(recording: cal.results.FittedRecording, *, after: bool) -> float:
    """Of a parabola through the heights before the first, or after the last bounce [m/s^2]; NaN
    where there are too few.
    """
    axis = recording.axes.index("z")
    time, height = recording.time, recording.measured[:, axis]
    flight = (
        time > recording.bounce_times[-1] if after else time < recording.bounce_times[0]
    ) & np.isfinite(height)
    if np.count_nonzero(flight) < ENOUGH:
        return float("nan")
    return float(2 * np.polynomial.polynomial.polyfit(time[flight], height[flight], 2)[2])


def residual_sizes(fit: cal.Fit) -> dict[str, float]:
    """Median over the recordings of the rms residual along each axis [m]."""
    sizes: dict[str, list[float]] = {}
    for recording in fit.recordings:
        for axis, column in zip(
            recording.axes, (recording.measured - recording.predicted).T, strict=True
        ):
            sizes.setdefault(axis, []).append(float(np.sqrt(np.nanmean(column**2))))
    return {axis: float(np.median(values)) for axis, values in sizes.items()}


def uneven(fit: cal.Fit) -> float:
    """Standard deviation of the intervals between samples over their median, the largest of all
    recordings.
    """
    return float(
        max(np.std(np.diff(one.time)) / np.median(np.diff(one.time)) for one in fit.recordings)
    )


def spin_sentence(fit: cal.Fit) -> str:
    """The initial spins about the axis across the flight."""
    spins = [
        one.nuisance[name]
        for one in fit.recordings
        for name in one.nuisance
        if name.startswith("spin_y")
    ]
    told = [item for item in spins if item.status is cal.Determination.DETERMINED]
    if not told:
        return f"None of the {len(spins)} initial spins about y is determined"
    values = [item.value for item in told]
    text = (
        f"{len(told)} of {len(spins)} initial spins about y are told: {min(values):.0f} to "
        f"{max(values):.0f} rad/s"
    )
    return f"{text}, each ± {np.median([item.sd for item in told]):.0f}" + (
        " (mostly of the Magnus coefficient, which they share)" if LIFT in fit.parameters else ""
    )


def friction_finding(fit: cal.Fit, description: Description) -> Finding:
    """What can be said of friction where nobody measured the spin."""
    friction = fit.parameters[FRICTION]
    if friction.status is cal.Determination.DETERMINED:
        low, high = friction.interval()
        says = (
            f"Friction {friction.value:.3f} ± {friction.sd:.3f} (95 %: {low:.3f} to "
            f"{high:.3f}): these "
            "balls slide throughout the impact."
        )
    else:
        says = f"Friction is not determined: {friction.note or friction.status.value}."
    return description.finding("not measured", Verdict.RESPECTED, f"{says} {spin_sentence(fit)}.")


def restitution_finding(fit: cal.Fit) -> Finding:
    """Restitution, and how far it is to be trusted."""
    restitution = fit.parameters[RESTITUTION]
    if restitution.status.withdrawn:
        says = (
            f"Restitution about {restitution.value:.2f}, without an error "
            f"({restitution.status.value})"
        )
    elif restitution.status is not cal.Determination.DETERMINED:
        says = (
            "Restitution is not determined: too little of the flight after the bounce was recorded"
        )
    else:
        says = f"Restitution {restitution.value:.3f} ± {restitution.sd:.3f}"
    misfit = "the model does not explain the data, and the standard errors are not to be trusted"
    trust = "the model explains the data" if fit.explained else misfit
    return Finding(f"{says}. chi2/dof {fit.chi2_per_dof:.2f}: {trust}.")


def scale_finding(fit: cal.Fit) -> list[Finding]:
    """A length scale far from one, of cameras that were calibrated, is lift under another name."""
    if "length_scale" not in fit.parameters:
        return []
    scale = fit.parameters["length_scale"]
    return [
        Finding(
            f"Lengths would be {100 * abs(scale.value - 1):.1f} % too "
            f"{'short' if scale.value > 1 else 'long'},"
            " which calibrated cameras exclude: lift by a spin that nobody measured acts as "
            "another gravity does. The scale is no result."
        )
    ]


def findings_of(fit: cal.Fit, description: Description, *, files: int) -> list[Finding]:
    """What the launches tell.

    Args:
        fit: of all launches.
        description: of the set.
        files: number of recordings, with those left out.
    """
    drag = fit.parameters[DRAG]
    scale = fit.parameters["length_scale"].value if "length_scale" in fit.parameters else 1.0
    heights = [height_of_centre(one, scale) for one in fit.recordings]
    before, after = (
        np.array([vertical_acceleration(one, after=late) for one in fit.recordings])
        for late in (False, True)
    )
    counts = [samples_after(one) for one in fit.recordings]
    sizes = ", ".join(f"{axis} {1e3 * size:.1f} mm" for axis, size in residual_sizes(fit).items())
    lifted = LIFT in fit.parameters
    doubt = (
        " (far below what these samples can tell: not to be trusted)"
        if drag.sd < LEAST_DRAG_ERROR * drag.value
        else ""
    )
    size = f" ± {drag.sd:.2g}" if np.isfinite(drag.sd) else ", without an error"
    used = (
        f"{files - len(fit.recordings)} of {files} recordings show no bounce and were left out; "
        if files > len(fit.recordings)
        else ""
    )
    return [
        restitution_finding(fit),
        *scale_finding(fit),
        friction_finding(fit, description),
        description.finding(
            "drag and Magnus matter",
            if_true(
                (drag.value > 3 * drag.sd or drag.status.withdrawn)
                and abs(np.nanmedian(before) + GRAVITY) > NOT_A_PARABOLA
            ),
            f"Drag coefficient {drag.value:.3f}{size}{doubt}; lift by spin was "
            f"{'needed' if lifted else 'not adopted'}. Parabolas"
            f" through the heights give {np.nanmedian(before):.1f} m/s^2 before the bounce"
            + (
                f" and {np.nanmedian(after):.1f} m/s^2 after it"
                if np.any(np.isfinite(after))
                else ""
            )
            + f" (medians), not {-GRAVITY}: drag and lift matter. The stated value before the "
            "bounce"
            " "
            f"was{'' if LOWEST_STATED <= np.nanmedian(before) <= HIGHEST_STATED else ' not'} "
            "found again.",
        ),
        description.finding(
            "few files have usable samples",
            if_true(files > len(fit.recordings) or min(counts) < ENOUGH)
            if "no_spin" not in description.meta["name"]
            else Verdict.RESPECTED,
            f"{used}{int(np.median(counts))} samples after the bounce in the middle "
            f"recording ({min(counts)} to {max(counts)}).",
        ),
        description.finding(
            "about 0.760",
            if_true(abs(np.median(heights) - STATED_HEIGHT) < 5e-3),
            f"The centre is at {np.median(heights):.4f} m at the bounce ({min(heights):.4f} "
            f"to {max(heights):.4f} m); the height of the"
            " table was an unknown of each recording.",
        ),
        description.finding(
            "jitter",
            if_true(uneven(fit) > 0.05),
            f"Intervals between samples vary by {100 * uneven(fit):.0f} %; the time stamps "
            "were used.",
        ),
        description.finding(
            "quadratic fit residual",
            Verdict.RESPECTED,
            f"Residuals of the fit: {sizes} (rms, median of the recordings).",
        ),
        description.finding(
            "standard values",
            Verdict.NOT_TESTABLE,
            "Radius, mass and the thin shell are those of the rules of the sport.",
        ),
    ]


def run(folder: Path, result: Path) -> Outcome:
    """Fit all launches of a set together.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    study, description = study_of(folder), Description(folder)
    fit = fitted(study)
    friction = fit.parameters[FRICTION]
    outcome = Outcome(
        description.meta["name"],
        f"{len(fit.recordings)} launches together: restitution, friction, "
        f"drag{', lift' if LIFT in fit.parameters else ''}; initial state,"
        " spin and height of the table of each.",
        findings_of(fit, description, files=len(study.files)),
        {
            "restitution": (fit.parameters[RESTITUTION].value, fit.parameters[RESTITUTION].sd),
            "friction": (friction.value, friction.sd),
            "restitution_determined": fit.parameters[RESTITUTION].status
            is cal.Determination.DETERMINED,
            "friction_determined": friction.status is cal.Determination.DETERMINED,
            "drag": (fit.parameters[DRAG].value, fit.parameters[DRAG].sd),
            "lift": LIFT in fit.parameters,
            "recordings": len(fit.recordings),
            "files": len(study.files),
            "samples_after": [samples_after(one) for one in fit.recordings],
            "chi2_per_dof": fit.chi2_per_dof,
            "converged": fit.converged,
            "warnings": fit.warnings,
        },
    )
    write(fit, study, outcome, result)
    return outcome
