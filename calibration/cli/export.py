"""``jaxcontact export``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from calibration.cli.after_fit import Out, asked_for, fitted
from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.exit_status import NOT_DETERMINED, status_of
from calibration.cli.options import RESULT, Force, flag, verb
from calibration.programs.programs import PROGRAMS
from calibration.programs.target import check_given
from calibration.runtime.progress import Progress
from calibration.studies.results_folder import STUDY
from calibration.studies.steps.asked_options import GivenOptions

THE_CONTACT = "The contact"
"""Panel of the help text."""


@verb(
    app,
    "jaxcontact export result --to exudyn",
    "jaxcontact export result --to mujoco --speed 2 --friction 0.2",
    "jaxcontact export result --to lammps --contact-time 1e-4 --draws 100",
)
def export(
    result: Annotated[
        str,
        typer.Argument(
            metavar="RESULT",
            help="The folder of a fit, result, or its study file.",
            show_default=False,
        ),
    ],
    to: Annotated[
        str, flag("--to", f"The program: {', '.join(PROGRAMS.names)}.", RESULT, "PROGRAM")
    ],
    speed: Annotated[
        float | None,
        flag(
            "--speed",
            "Impact speed at which the restitution is taken [m/s]. [default: the median of the "
            "measured ones]",
            THE_CONTACT,
            "M/S",
        ),
    ] = None,
    friction: Annotated[
        float | None,
        flag(
            "--friction",
            "Friction coefficient instead of that of the fit, which may have none.",
            THE_CONTACT,
            "NUMBER",
        ),
    ] = None,
    contact_time: Annotated[
        float | None,
        flag(
            "--contact-time",
            "Duration of an undamped contact at this speed [s]. [default: that of the stiffness, "
            "where it was measured; else overlaps of 1 % of the radius]",
            THE_CONTACT,
            "SECONDS",
        ),
    ] = None,
    draws: Annotated[
        int,
        flag(
            "--draws",
            "Also write so many sets of parameters, drawn from the covariance of the fit.",
            RESULT,
            "NUMBER",
        ),
    ] = 0,
    seed: Annotated[int, flag("--seed", "Another number, other draws.", RESULT, "NUMBER")] = 0,
    out: Out = None,
    force: Force = False,
) -> int:
    """The fitted contact in the parameters of another simulation program, so that impacts there
    obtain the restitution and the friction of the fit.

    Fits the study, prints the block with all that the program does not have of it, and writes it,
    exudyn.py or the like, beside the other results; with --draws also exudyn_draws.csv.

    The exit status is that of the fit, 1, 3, 4 or 5, where it is in doubt, and 6 where the data do
    not determine what is to be exported; then nothing is written.
    """
    check_given(speed=speed, friction=friction, contact_time=contact_time, draws=draws)
    study = str(Path(result) / STUDY) if Path(result).is_dir() else result
    with asked_for(study, GivenOptions(), out, force=force) as (asked, folder):
        PROGRAMS[to]  # raises where there is none, before the fit
        with Progress(standard_error()) as say:
            fit = fitted(asked, folder, say)
            say("Reading the contact off the fit")
            from calibration.programs.export import export as exported
            from calibration.programs.fitted_contact import NotDetermined

            try:
                block = exported(
                    fit,
                    to,
                    speed=speed,
                    friction=friction,
                    contact_time=contact_time,
                    draws=draws,
                    seed=seed,
                )
            except NotDetermined as refusal:
                print(f"error: {refusal}", file=sys.stderr)
                return status_of(fit) or NOT_DETERMINED
            written = block.write(folder)
        print_lines(block.text.rstrip(), "", f"Results: {', '.join(map(str, written))}")
        return 0
