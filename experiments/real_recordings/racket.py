"""``tt_rackets_racket_01``: impacts of a table-tennis ball on one rubber, velocity and spin before
and after.
"""

from pathlib import Path

import numpy as np

import calibration as cal
from calibration.fitting.fit import fit as fit_problem
from calibration.selection.impact_baselines import LeftOutErrors, predict_left_out
from calibration.studies.choices.friction_laws import FALLING
from calibration.studies.pipeline import problems_to_compare
from experiments.real_recordings.drops import RESTITUTION
from experiments.real_recordings.finding import Description, Finding, Outcome, Verdict, if_true
from experiments.real_recordings.fitted_files import TABLE_TENNIS, files_of, fitted, write

REBOUND = "contact.friction.tangential_restitution"
EXPONENTS = ("contact.normal.velocity_exponent", "contact.friction.slip_exponent")
LAWS = ("constant", "power law")
BEST = f"power law, {FALLING}"


def study_of(folder: Path) -> cal.studies.Study:
    """The table as a study of the command line, with the laws that fall with speed and slip."""
    return cal.studies.Study(
        files=files_of(folder / "csv", "*.csv"),
        ball=TABLE_TENNIS,
        model=cal.studies.ModelOptions(restitution_law="power law", friction_law=FALLING),
    )


def left_out(folder: Path) -> LeftOutErrors:
    """Errors of laws and curves on impacts that are left out."""
    study = cal.studies.Study(files=files_of(folder / "csv", "*.csv"), ball=TABLE_TENNIS)
    problems = problems_to_compare(study, LAWS)
    found = {name: fit_problem(problem).assessment for name, problem in problems.items()}
    return predict_left_out(problems, found)


def imbalance(table: cal.ImpactTable) -> float:
    """Root mean square of what the spin gains beyond what friction takes from the velocity, ``dw +
    3/(2 R) dv`` of a thin shell [rad/s].
    """
    before, after = np.radians(table.impact_angle), np.radians(table.rebound_angle)
    down = table.impact_speed * np.cos(before)
    along = table.normal_restitution * down * np.tan(after) - table.impact_speed * np.sin(before)
    gained = table.spin_after - table.spin_before + 1.5 / TABLE_TENNIS.radius * along
    return float(np.sqrt(np.mean(gained**2)))


def findings_of(
    fit: cal.Fit, errors: LeftOutErrors, table: cal.ImpactTable, description: Description
) -> list[Finding]:
    """What the impacts tell.

    Args:
        fit: with the laws that fall with speed and slip.
        errors: on impacts left out.
        table: of the impacts.
        description: of the set.
    """
    values = fit.parameters
    of = {
        name: dict(zip(errors.quantities, row, strict=True)) for name, row in errors.errors.items()
    }
    law, curve = of[BEST], of["Gaussian process"]
    unbalanced = imbalance(table)
    return [
        Finding(
            f"Restitution {values[RESTITUTION].value:.3f} at 1 m/s falls with the speed to the "
            f"power {values[EXPONENTS[0]].value:.3f} ± {values[EXPONENTS[0]].sd:.3f}; the "
            f"tangential restitution {values[REBOUND].value:.2f} at a slip of 1 m/s falls with it "
            f"(exponent {values[EXPONENTS[1]].value:.2f} ± {values[EXPONENTS[1]].sd:.2f})."
        ),
        Finding(
            f"Impacts left out: these five numbers miss the restitution by "
            f"{law['normal_restitution']:.3f} and the rebound angle by {law['rebound_angle']:.2f} "
            f"degrees, a Gaussian process by {curve['normal_restitution']:.3f} and "
            f"{curve['rebound_angle']:.2f}, the spin by {law['spin_after']:.0f} and "
            f"{curve['spin_after']:.0f} rad/s."
        ),
        description.finding(
            "not a Coulomb contact",
            if_true(values[REBOUND].value > 0.5),
            "Nearly all impacts end sticking and give back more than half of their slip.",
        ),
        description.finding(
            "w_x is about",
            if_true(table.across > 0),
            f"Spins about the direction of motion up to {table.across:.0f} rad/s are left out: an "
            "impact is seen in one plane.",
        ),
        description.finding(
            "exactly level with the racket",
            Verdict.NOT_TESTABLE,
            f"What the spin gains beyond what friction takes from the velocity is "
            f"{unbalanced:.0f} rad/s (root mean square): a tilt, or errors of the spin. Curves "
            "learn it, no law can.",
        ),
        description.finding(
            "at least one row is an outlier", Verdict.RESPECTED, "It was kept, with all others."
        ),
        *(
            description.finding(words, Verdict.RESPECTED, says)
            for words, says in (
                ("table of impacts, no positions", "It is fitted as a table of impacts."),
                ("v_y was projected away", "Only the plane of motion is used."),
            )
        ),
        *(
            description.finding(words, Verdict.NOT_TESTABLE, says)
            for words, says in (
                ("differs with the sign of s_x", "The laws know no direction along the rubber."),
                ("whether the racket was held rigidly", "Restitution contains the mount."),
                ("test split only", "No other impacts are here."),
            )
        ),
    ]


def run(folder: Path, result: Path) -> Outcome:
    """Fit the table, and predict impacts that are left out.

    Args:
        folder: of the set.
        result: folder for the results.
    """
    study, description = study_of(folder), Description(folder)
    fit, errors = fitted(study), left_out(folder)
    table = cal.read_impact_table(study.files[0])
    outcome = Outcome(
        description.meta["name"],
        f"{len(table)} impacts together: restitution by speed, friction, tangential restitution by "
        "slip; laws and curves on impacts left out.",
        findings_of(fit, errors, table, description),
        {
            "restitution": (fit.parameters[RESTITUTION].value, fit.parameters[RESTITUTION].sd),
            "rebound": (fit.parameters[REBOUND].value, fit.parameters[REBOUND].sd),
            "exponents": [
                (fit.parameters[name].value, fit.parameters[name].sd) for name in EXPONENTS
            ],
            "left_out": {
                name: dict(zip(errors.quantities, row, strict=True))
                for name, row in errors.errors.items()
            },
        },
    )
    write(fit, study, outcome, result)
    return outcome
