"""``jaxcontact init``."""

import os
from typing import Annotated

from calibration.cli.application import app, print_lines
from calibration.cli.options import FLAG, RESULT, STUDY, Files, Force, flag, verb
from calibration.studies.steps.asked_options import GivenOptions, ask


@verb(
    app,
    "jaxcontact init drops/*.csv --radius 0.02 --mass 0.0027 --shell",
    "jaxcontact init sounds/*.csv --radius 0.02 --mass 0.0027 --out clicks.toml",
    study_options=STUDY,
)
def init(
    files: Files,
    given: GivenOptions,
    out: Annotated[
        str, flag("--out", "The study file.", RESULT, "FILE", show_default=True)
    ] = "study.toml",
    force: Force = False,
    patterns: Annotated[
        bool,
        flag(
            "--patterns",
            "Keep patterns and folders, so that later files belong to the study, too.",
            RESULT,
            FLAG,
        ),
    ] = False,
) -> None:
    """Write a study file: which data, which ball, and every option with its meaning, to be edited
    by hand.

    The data are looked at with jaxcontact check study.toml and fitted with jaxcontact fit
    study.toml.
    """
    from calibration.studies.steps.begun import begin_study  # what reads and writes TOML

    count = begin_study(ask(files, given).study(), out, force=force, patterns=patterns)
    shown = os.fspath(out)
    print_lines(
        f"{count} file{'' if count == 1 else 's'}: {shown}",
        f"Next: jaxcontact check {shown}",
    )
