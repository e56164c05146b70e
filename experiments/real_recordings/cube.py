"""``contactnets_cube``: tosses of an acrylic cube, a quick study of a few of them with the tools of
``experiments.cube_tosses``.
"""

from pathlib import Path

import jax
import numpy as np

import calibration as cal
from experiments.cube_tosses.errors import errors_over, summary
from experiments.cube_tosses.fit import FITTED, Fitted, fit, looked_at
from experiments.cube_tosses.simulated import nominal, simulate
from experiments.cube_tosses.tosses import RATE, Cube, Toss, lowest_corner, read_tosses
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.plain_results import write_plain

TOSSES = 3
"""The first ones, in order of their names."""
HORIZON = 0.2
"""Time after the first touch that a fit looks at [s]."""
SYMBOLS = {"friction": "mu", "restitution": "e", "height": "h"}


def velocity_mismatch(toss: Toss) -> float:
    """Root mean square of recorded velocity minus difference of the recorded positions to the
    sample before, over that of the velocity.
    """
    difference = np.diff(toss.position, axis=0) * RATE
    return float(
        np.sqrt(np.mean((toss.velocity[1:] - difference) ** 2) / np.mean(toss.velocity[1:] ** 2))
    )


def height_at_first_touch(cube: Cube, toss: Toss) -> float:
    """Height of the centre over half the width when the lowest corner first comes near the
    table.
    """
    return float(
        toss.position[np.argmax(lowest_corner(toss, cube.half_width) < 2e-3), 2] / cube.half_width
    )


def estimate(name: str, each: list[Fitted], start: float) -> cal.Estimate:
    """Mean over fits of single tosses, with the standard error from their scatter."""
    values = np.array([getattr(one.given, name) for one in each])
    sd = float(np.std(values, ddof=1) / np.sqrt(values.size))
    unit = "m" if name == "height" else "-"
    label = "height of the table" if name == "height" else name
    note = (
        f"mean of {values.size} fits of one toss each, {values.min():.3g} to "
        f"{values.max():.3g}; the "
        "standard error is from their scatter"
    )
    return cal.Estimate(
        name=name,
        label=label,
        symbol=SYMBOLS[name],
        unit=unit,
        value=float(values.mean()),
        sd=sd,
        start=start,
        status=cal.Determination.DETERMINED,
        note=note,
        degrees=values.size - 1,
    )


def fit_of(cube: Cube, tosses: list[Toss], each: list[Fitted], length: int) -> cal.Fit:
    """The quick study in the form of every other result."""
    given = nominal(cube)
    parameters = {name: estimate(name, each, float(getattr(given, name))) for name in FITTED}
    recordings, chi2, values = [], 0.0, 0
    for toss, one in zip(tosses, each, strict=True):
        until = toss.times <= looked_at(toss, cube.half_width, HORIZON)
        found = np.asarray(
            simulate(cube, one.given, toss, method="compliant", length=length).position
        )[: len(toss.times)]
        recordings.append(
            cal.results.FittedRecording(
                name=toss.name,
                axes=("x", "y", "z"),
                time=toss.times[until],
                measured=toss.position[until],
                predicted=found[until],
                sigma=np.full((int(np.sum(until)), 3), np.nan),
                bounce_times=np.array([]),
                nuisance={},
                remarks=(
                    f"fitted by itself: friction {one.given.friction:.3f}, restitution "
                    f"{one.given.restitution:.3f}",
                ),
            )
        )
        chi2, values = chi2 + 2 * one.misfit * int(np.sum(until)), values + 6 * int(np.sum(until))
    return cal.Fit(
        parameters=parameters,
        names=(),
        correlation=np.zeros((0, 0)),
        chi2=chi2,
        dof=values - len(FITTED) * len(tosses),
        error_scale_factor=1.0,
        converged=True,
        iterations=0,
        seconds=0.0,
        method="Levenberg-Marquardt, pseudo-Huber",
        model=f"Cube with compliant corners (EventAligned), {len(tosses)} tosses, each to "
        f"{HORIZON:g} s after the first touch",
        warnings=("Misfit is in units of 5 mm and 0.1 rad, which are scales, not noise.",),
        predictions=cal.results.StoredPredictions(tuple(recordings)),
    )


def findings_of(
    cube: Cube,
    tosses: list[Toss],
    found: cal.Fit,
    untuned: tuple[float, float],
    description: Description,
) -> tuple[list[Finding], dict[str, float]]:
    """What the tosses tell, and the numbers.

    Args:
        cube: the body.
        tosses: recordings.
        found: the quick fit.
        untuned: errors with nominal parameters: position in percent of the width, rotation in
            degrees.
        description: of the set.
    """
    friction, restitution, height = (found.parameters[name] for name in FITTED)
    mismatch = max(velocity_mismatch(toss) for toss in tosses)
    touch = [height_at_first_touch(cube, toss) for toss in tosses]
    rest = [float(toss.position[-1, 2]) for toss in tosses]
    offset = 1e3 * (cube.half_width - np.mean(rest))
    values = [
        float(part)
        for part in restitution.note.partition("each, ")[2].partition(";")[0].split(" to ")
    ]
    return [
        Finding(
            f"With nominal friction {cube.friction} and restitution {cube.restitution}, "
            "nothing fitted, the rigid cube follows the"
            f" recordings to {untuned[0]:.0f} % of its width (mean) and {untuned[1]:.0f} "
            "degrees (median)."
        ),
        description.finding(
            "mu_contactnets_params",
            if_true(abs(friction.value - cube.friction) < 0.03),
            f"Friction {friction.value:.3f} ± {friction.sd:.3f} (scatter between "
            f"{len(tosses)} tosses).",
        ),
        description.finding(
            "restitution_contactnets_params",
            Verdict.NOT_TESTABLE,
            f"Restitution {values[0]:.2f} to {values[1]:.2f} in single tosses: the cube "
            "hardly bounces, and tosses do not agree.",
        ),
        description.finding(
            "velocities are derived",
            if_true(mismatch < 0.05),
            "The recorded velocity is the difference of the positions to the sample before, "
            f"to {100 * mismatch:.2f} %: it adds nothing to"
            " them, and no noise can be read off smoothed poses. The fit uses poses only, "
            "and states no noise.",
        ),
        description.finding(
            "corners, not a sphere",
            if_true(max(touch) > 1.1),
            f"At the first touch the centre is {min(touch):.2f} to {max(touch):.2f} half "
            "widths above the table: corners or edges touch.",
        ),
        description.finding(
            "offset near 1 mm",
            if_true(0.5 < offset < 2.0),
            f"At rest the centre is {1e3 * np.mean(rest):.1f} mm high, {offset:.1f} mm less "
            "than half the width. The height of the table is"
            f" found {1e3 * height.value:.1f} ± {1e3 * height.sd:.1f} mm off.",
        ),
    ], {
        "rest_offset_mm": float(offset),
        "velocity_mismatch": mismatch,
        "height_at_touch": max(touch),
    }


def run(folder: Path, result: Path) -> Outcome:
    """Simulate a few tosses with nominal parameters, and fit each by itself.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    description = Description(folder)
    with jax.enable_x64(True):
        cube, tosses = read_tosses(folder)
        tosses = tosses[:TOSSES]
        length = max(len(toss.times) for toss in tosses)
        nothing_fitted = summary(
            errors_over(cube, nominal(cube), tosses, method="rigid", length=length),
            2 * cube.half_width,
        )
        each = []
        for toss in tosses:
            print(f"  Fitting {toss.name} ...", flush=True)
            each.append(fit(cube, [toss], length=length, horizon=HORIZON))
        found = fit_of(cube, tosses, each, length)
    untuned = (nothing_fitted.position, nothing_fitted.rotation_median)
    findings, numbers = findings_of(cube, tosses, found, untuned, description)
    outcome = Outcome(
        description.meta["name"],
        f"friction, restitution and height of the table from each of {len(tosses)} tosses by "
        f"itself, up to {HORIZON:g} s after the first"
        " touch; beside that a simulation with nothing fitted.",
        findings,
        {
            **{name: (found.parameters[name].value, found.parameters[name].sd) for name in FITTED},
            "untuned_position_percent": untuned[0],
            **numbers,
        },
    )
    write_plain(found, outcome, result)
    return outcome
