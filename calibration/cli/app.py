"""``jaxcontact app``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from calibration.cli.application import app as command
from calibration.cli.application import print_lines
from calibration.cli.options import FLAG, RESULT, flag, verb
from calibration.errors import InputError
from calibration.studies.steps.asked_options import study_file


@verb(command, "jaxcontact app", "jaxcontact app result/study.toml")
def app(
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]",
            help="A study file to begin with; a new study when left out.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str, flag("--out", "Folder of new studies.", RESULT, "FOLDER", show_default=True)
    ] = "studies",
    port: Annotated[
        int | None,
        flag("--port", "Port of this machine. [default: 8642, or a free one]", RESULT, "NUMBER"),
    ] = None,
    browser: Annotated[
        bool, flag("--browser/--no-browser", "Open the page in the browser.", RESULT, FLAG)
    ] = True,
) -> None:
    """A page in the browser instead of a terminal: recordings are dropped onto it, looked at as
    check does and fitted as fit does.

    The page is served by this machine to itself, and sends nothing anywhere. A new study has a
    folder with its recordings, its study.toml and its result, which the other commands read. It
    needs the extra app: pip install 'jaxcontact[app]'. Ctrl-C ends it; a fit that was under way
    goes on where it was when it is asked for again.
    """
    from calibration.app.serve import HOST, check_installed, desks, port_for, serve

    check_installed()
    if study is not None and study_file([study]) is None:
        raise InputError(
            "this is not a study file",
            remedy="Recordings are dropped onto the page; give a study.toml, or nothing.",
            path=study,
        )
    open_desk = desks(study, Path(out).expanduser())
    port = port_for(port)
    print_lines(f"The page is at http://{HOST}:{port} (Ctrl-C ends it)")
    sys.stdout.flush()
    serve(open_desk, port=port, browser=browser)
