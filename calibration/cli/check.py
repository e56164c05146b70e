"""``jaxcontact check``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from calibration.cli.application import app, print_lines, standard_error, standard_output
from calibration.cli.options import FLAG, RESULT, STUDY, Files, flag, verb
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions, ask, study_file
from calibration.studies.study import Study

if TYPE_CHECKING:
    from calibration.studies.file_report import FileReport

UNUSABLE_FILE = 1
"""Exit status."""


def passes(study: Study, reports: "Sequence[FileReport]") -> bool:
    """Print what can be told before a fit; whether the derivatives are right."""
    with Progress(standard_error()) as say:
        say("Compiling the fit")
        prepare_jax()
        from calibration.studies.derivative_check import check_derivatives
        from calibration.studies.pipeline import problem_to_fit
        from calibration.uncertainty.identifiability import identify

        problem = problem_to_fit(study, reports)
        derivatives = check_derivatives(problem)
        say("Looking at what can be told apart")
        told = identify(problem, probe=False)
    print_lines("", str(derivatives), str(told))
    return derivatives.passed


def explicit_study(study: Study) -> str:
    """The study as a file in the current directory, which gives the same fit."""
    with Progress(standard_error()) as say:
        say("Reading")
        prepare_jax()
        from calibration.studies.asked.listing import list_parameters
        from calibration.studies.pipeline import problem_to_fit
        from calibration.studies.toml import study_text

        parameters = list_parameters(problem_to_fit(study))
        return study_text(study, folder="", fitted=False, remarks=parameters).rstrip()


@verb(
    app,
    "jaxcontact check drops/*.csv --radius 0.02 --mass 0.0027",
    "jaxcontact check drops/*.csv --radius 0.02 --mass 0.0027 --print-study > study.toml",
    "jaxcontact check shots/*.csv --radius 0.02 --partner-radius 0.03 --gravity 0",
    "jaxcontact check study.toml",
    study_options=STUDY,
)
def check(
    files: Files,
    given: GivenOptions,
    gate: Annotated[
        bool | None,
        flag(
            "--gate/--no-gate",
            "Also check derivatives and what can be told apart. [default: for a study file]",
            RESULT,
            FLAG,
        ),
    ] = None,
    print_study: Annotated[
        bool,
        flag(
            "--print-study",
            "Print nothing but a study file: all options with their defaults, and the parameters "
            "of the fit with what is known of them.",
            RESULT,
            FLAG,
        ),
    ] = False,
) -> int:
    """Say what is in these files, and what can be learned from them. Nothing is written.

    The exit status is 1 when a file cannot be used, when files are of several kinds or contradict
    each other, or when the derivatives of the fit are not right. The mass is not needed; with it,
    drag is given as a drag coefficient, and compared with that of a sphere. Of a study file, the
    problem is built as fit would build it: its derivatives are compared with differences, and its
    information says which parameters and combinations these data determine.
    """
    asked = ask(files, given)
    if print_study:
        print_lines(explicit_study(asked.study()))
        return 0
    with Progress(standard_error()) as say:
        say("Reading")
        from calibration.studies.inspection_table import print_inspection
        from calibration.studies.steps.inspected import inspect_asked

        found = inspect_asked(asked)
    print_inspection(found, console=standard_output())
    if (
        (study_file(files) is not None if gate is None else gate)
        and found.usable
        and not passes(asked.study(), found.reports)
    ):
        return UNUSABLE_FILE
    return UNUSABLE_FILE if found.wrong else 0
