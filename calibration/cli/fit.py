"""``jaxcontact fit``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from calibration.cli.application import app, print_lines, standard_error, standard_output
from calibration.cli.exit_status import status_of
from calibration.cli.options import FLAG, RESULT, Files, Force, all_of, flag, verb
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions, ask, study_file
from calibration.studies.steps.resumed_fit import resume_fit
from calibration.studies.study import SECTIONS, ExportOptions

if TYPE_CHECKING:
    from calibration.results.result import Fit


@verb(
    app,
    "jaxcontact fit drops/*.csv --radius 0.02 --mass 0.0027 --shell",
    "jaxcontact fit tracked.txt --frame-rate 240 --scale 0.0015 --radius 0.02 --mass 0.0027",
    "jaxcontact fit impacts.csv --speed 3.9 --radius 0.0025 --mass 0.00025 --out glass",
    "jaxcontact fit shots/*.csv --radius 0.02 --mass 0.05 --partner-radius 0.03 --partner-mass "
    "0.12 --gravity 0",
    "jaxcontact fit result/study.toml --no-drag --out without_drag",
    study_options=all_of(*SECTIONS, ExportOptions),
)
def fit(
    files: Files,
    given: GivenOptions,
    out: Annotated[
        str | None,
        flag(
            "--out",
            "Folder for the results. [default: result; for a study file, result beside it]",
            RESULT,
            "FOLDER",
        ),
    ] = None,
    force: Force = False,
    quiet: Annotated[bool, flag("--quiet", "Print the table only.", RESULT, FLAG)] = False,
    verbose: Annotated[
        bool,
        flag(
            "--verbose",
            "Print every remark, not the first ones, and the checks of the residuals.",
            RESULT,
            FLAG,
        ),
    ] = False,
) -> int:
    """Fit all files together: restitution, drag and what else they can tell, each with its
    uncertainty.

    Prints a table and writes fit.json (the numbers), fit.png (data, fitted curve, residuals),
    report.html (the answer, findings and figures on one page) and study.toml (all options, to be
    fitted again, with fingerprints of the data). They are written when everything has succeeded,
    and replace only earlier results of the same study. One command at a time works in a folder.
    When it is killed, the same command goes on where it was.

    A study file may hold every option; what is given here comes before it.

    The exit status is 0 where the fit is good. Else no value is called determined, and it is 1
    where a simulation at the minimum did not succeed, 3 where the search did not converge, 4 where
    the model does not explain the data, 5 where the result is implausible; the table says why.
    """
    study = ask(files, given).study()
    from calibration.studies.results_folder import default_folder
    from calibration.studies.steps.results import results_of

    folder = Path(out).expanduser() if out else default_folder(study_file(files))
    with results_of(study, folder, force=force) as write:
        with Progress(standard_error(), quiet=quiet) as say:
            say("Starting")
            prepare_jax()
            from calibration.results.table import print_fit

            result = resume_fit(study, folder, progress=say, told=say.iteration)
        if not quiet:
            print_lines(*lines_on_data(result), "")
        print_fit(result, console=standard_output(), folded=not verbose, checked=verbose)
        written = write(result)
    if not quiet:
        print_lines("", f"Results: {', '.join(map(str, written))}")
    return status_of(result)


def lines_on_data(fit: "Fit") -> Iterator[str]:
    """A line for each recording, other measurement or column."""
    from calibration.results import residuals

    for recording in fit.recordings:
        bounces, span = len(recording.bounce_times), recording.time[-1] - recording.time[0]
        plural = "" if bounces == 1 else "s"
        yield (
            f"{recording.name}: {len(recording.time)} samples in {span:.2f} s, "
            f"{bounces} bounce{plural}"
        )
    for series in fit.series:
        yield f"{series.name}: {residuals.used(series)} of {', '.join(series.labels)}"
    for column in fit.columns:
        yield f"{column.label}: {len(column.measured)} impacts"
