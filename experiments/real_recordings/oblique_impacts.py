"""``kharaz2001_table``: oblique impacts of an aluminium oxide sphere on glass, three columns read
off published figures.
"""

import math
from pathlib import Path

import numpy as np

import calibration as cal
from experiments.real_recordings.drops import RESTITUTION, within
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.fitted_files import files_of, fitted, write

FRICTION = "contact.friction.coefficient"
SPEED, OTHER_SPEED = 3.85, 3.9
"""Impact speed [m/s] as quoted from the paper, and as later simulations take it."""
SIGMA = {"rebound_angle": 0.3, "spin_after": 7.5, "tangential_restitution": 0.01}
"""Digitising errors stated with the data [deg], [rad/s], [-]."""


def study_of(folder: Path, *, speed: float = SPEED) -> cal.studies.Study:
    """The three tables as a study of the command line."""
    meta = Description(folder).meta
    radius, density = meta["radius_m"], meta["density_kg_m3"]
    ball = cal.studies.Ball(radius=radius, mass=4 / 3 * math.pi * radius**3 * density)
    return cal.studies.Study(
        files=files_of(folder, "*.csv"),
        ball=ball,
        reading=cal.studies.ReadingOptions(speed=speed, sigma=SIGMA),
    )


def sliding_friction(
    column: cal.results.FittedColumn, *, restitution: float, radius: float, speed: float = SPEED
) -> float:
    """Mean friction coefficient of the impacts of one column that slide throughout, by the closed
    form of rigid sliding.

    ``mu = (tan a - e tan a')/(1 + e) = 2 R w'/(5 (1 + e) v cos a) = (1 - e_t) tan a/(1 + e)`` for a
    solid sphere without spin before.

    Args:
        column: of the fit; those of its impacts that were counted are taken.
        restitution: normal restitution.
        radius: of the sphere [m].
        speed: of the impacts [m/s].
    """
    slides = np.ones_like(column.angle, dtype=bool) if column.counted is None else column.counted
    angle, measured = np.radians(column.angle[slides]), column.measured[slides]
    if column.name == "rebound_angle":
        each = (np.tan(angle) - restitution * np.tan(np.radians(measured))) / (1 + restitution)
    elif column.name == "spin_after":
        each = 2 * radius * measured / (5 * (1 + restitution) * speed * np.cos(angle))
    else:
        each = (1 - measured) * np.tan(angle) / (1 + restitution)
    return float(np.mean(each))


def angles_set_aside(fit: cal.Fit) -> np.ndarray:
    """Impact angles [deg] of the values that took no part in the fit."""
    return np.concatenate(
        [column.angle[~column.counted] for column in fit.columns if column.counted is not None]
    )


def said(estimate: cal.Estimate) -> str:
    """A value with its standard error, where the fit stands by it."""
    if np.isfinite(estimate.sd):
        return f"{estimate.value:.4f} ± {estimate.sd:.4f}"
    return f"about {estimate.value:.3f}, without an error ({estimate.status.value})"


def agreement(estimate: cal.Estimate, published: float) -> Verdict:
    """Whether a value agrees with a published one, as far as the fit stands by it."""
    if not np.isfinite(estimate.sd):
        return Verdict.NOT_TESTABLE
    return if_true(within(estimate.value, estimate.sd, published))


def findings_of(fit: cal.Fit, faster: cal.Fit, description: Description) -> list[Finding]:
    """What the impacts tell.

    Args:
        fit: at the quoted impact speed.
        faster: at the other one.
        description: of the set.
    """
    published = description.meta["published"]
    radius = description.meta["radius_m"]
    restitution, friction = fit.parameters[RESTITUTION], fit.parameters[FRICTION]
    alone = {column.label: column.alone[FRICTION] for column in fit.columns}
    closed = {
        column.label: sliding_friction(column, restitution=published["e_n"], radius=radius)
        for column in fit.columns
    }
    aside = angles_set_aside(fit)
    each = "; ".join(f"{label} {one.value:.4f} ± {one.sd:.4f}" for label, one in alone.items())
    by_hand = ", ".join(f"{value:.3f}" for value in closed.values())
    other = faster.parameters[FRICTION]
    return [
        Finding(
            f"Rigid impacts explain only impacts that slide throughout: {aside.size} values, "
            f"at up to {aside.max():.0f} degrees from the"
            " normal, were set aside. There the tangential compliance of the contact matters."
        ),
        Finding(
            f"The columns disagree on friction: {each}. By the closed form of sliding with "
            f"the published restitution {published['e_n']}:"
            f" {by_hand}. chi2/dof is {fit.chi2_per_dof:.1f}, and the fit says that it does "
            "not explain the data."
        ),
        description.finding(
            "e_n: ",
            agreement(restitution, published["e_n"]),
            f"Restitution {said(restitution)}.",
        ),
        description.finding(
            "mu: ",
            agreement(friction, published["mu"]),
            f"Friction {said(friction)} from all columns; the published value is "
            f"{published['mu']}, which the tangential restitution by itself gives.",
        ),
        description.finding(
            "3.85 in the paper",
            Verdict.RESPECTED,
            f"{SPEED} m/s was taken. {OTHER_SPEED} m/s changes friction from "
            f"{friction.value:.4f} to {other.value:.4f}, less than the columns differ.",
        ),
        description.finding(
            "digitising",
            if_true(not fit.explained),
            f"With these errors the residuals are {math.sqrt(fit.chi2_per_dof):.1f} times as "
            "large as stated: the columns differ by more"
            " than the digitising.",
        ),
    ]


def run(folder: Path, result: Path) -> Outcome:
    """Fit the three tables, with both impact speeds that are quoted.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    study, description = study_of(folder), Description(folder)
    fit, faster = fitted(study), fitted(study_of(folder, speed=OTHER_SPEED))
    outcome = Outcome(
        description.meta["name"],
        f"{sum(column.angle.size for column in fit.columns)} measured values in three "
        "columns together: restitution, friction, tangential"
        " restitution; then each column by itself.",
        findings_of(fit, faster, description),
        {
            "restitution": (fit.parameters[RESTITUTION].value, fit.parameters[RESTITUTION].sd),
            "friction": (fit.parameters[FRICTION].value, fit.parameters[FRICTION].sd),
            "friction_alone": {
                column.name: (column.alone[FRICTION].value, column.alone[FRICTION].sd)
                for column in fit.columns
            },
            "friction_closed_form": {
                column.name: sliding_friction(
                    column,
                    restitution=description.meta["published"]["e_n"],
                    radius=description.meta["radius_m"],
                )
                for column in fit.columns
            },
            "set_aside_deg": float(angles_set_aside(fit).max()),
            "explained": fit.explained,
        },
    )
    write(fit, study, outcome, result)
    return outcome
