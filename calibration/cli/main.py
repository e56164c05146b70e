"""The command ``jaxcontact``: its verbs are in ``calibration.cli``."""

import importlib
import os
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TextIO

import typer

from calibration.cli.application import app
from calibration.cli.options import FLAG
from calibration.errors import InputError, first_line, words_of
from calibration.runtime.checkpoint_faults import CheckpointNotWritten
from calibration.runtime.compilation_cache import silence_hints_of_xla
from calibration.runtime.versions import installed_versions
from calibration.studies.toml import ChangedData

DEBUG = "JAXCONTACT_DEBUG"
WRONG_INPUT, DEFECT, INTERRUPTED = 2, 70, 130
"""Exit statuses beside 0 and those of the verbs."""

VERBS = (
    "app",
    "track",
    "init",
    "check",
    "fit",
    "profile",
    "bootstrap",
    "posterior",
    "compare",
    "design",
    "report",
    "cite",
    "export",
    "simulate",
    "sweep",
    "bulk",
)
"""The verbs in the order of the help text. A new verb is a file of its name in this folder, with a
function below ``@verb(app, ...)``, and a line here.
"""

for _name in VERBS:
    importlib.import_module(f"calibration.cli.{_name}")


@app.callback()
def _for_all(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=FLAG,
            help="Print the version.",
            callback=lambda wanted: _version(wanted),
            is_eager=True,
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            metavar=FLAG,
            help=f"Show where an error comes from; so does {DEBUG}=1.",
            show_default=False,
        ),
    ] = False,
) -> None:
    """From measured bounces to restitution, drag and friction, each with its uncertainty."""


def _version(wanted: bool) -> None:
    if wanted:
        print(
            "jaxcontact "
            f"{installed_versions()['jaxcontact'] or '(not installed, run from its source)'}"
        )
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the entry point of ``jaxcontact``.

    Args:
        arguments: without the name of the program; by default those of the process.

    Returns:
        The exit status: 0, 1 for unusable files and for simulations that did not succeed, 2 for
            wrong input, 3 to 6 for a fit in doubt and for what it does not determine
            (``calibration.cli.exit_status``), 70 for an error of this program, 130 after Ctrl-C.
    """
    silence_hints_of_xla()
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or os.environ.get(DEBUG, "0") not in ("", "0")
    given = [argument for argument in given if argument != "--debug"] or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="replace"
            )  # a terminal may lack letters that the name of a file has
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")
            for category in (ChangedData, CheckpointNotWritten):
                warnings.simplefilter("always", category)
            warnings.showwarning = _show_warning
            status = typer.main.get_command(app).main(
                args=given, prog_name="jaxcontact", standalone_mode=False
            )
    except (InputError, OSError) as error:
        return _wrong_input(words_of(error), error, debug=debug)
    except typer.TyperException as error:
        chosen = next((f"{argument} " for argument in given if argument in VERBS), "")
        return _wrong_input(
            f"{error.format_message().rstrip('.')}. See jaxcontact {chosen}--help.",
            error,
            debug=debug,
        )
    except Exception as error:
        return _defect(error, debug=debug)
    if status == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    return int(status or 0)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _wrong_input(text: str, error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    print(f"error: {text}", file=sys.stderr)
    return WRONG_INPUT


def _defect(error: Exception, *, debug: bool) -> int:
    place = _place_in_extension(error)
    if place:
        return _wrong_input(
            f"{place}: {first_line(error)}. This is in an extension of the study; --debug shows "
            "how it came there.",
            error,
            debug=debug,
        )
    if debug:
        traceback.print_exception(error)
    print(f"error: {words_of(error)}", file=sys.stderr)
    return DEFECT


def _place_in_extension(error: Exception) -> str:
    """File and line where an error was raised by, or below, code that is neither of this program
    nor of a library; else nothing.
    """
    packages = [sys.modules[name] for name in ("calibration", "jaxcontact") if name in sys.modules]
    own = [Path(package.__path__[0]).resolve() for package in packages]
    libraries = [Path(path).resolve() for path in sysconfig.get_paths().values()]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if any(file.resolve().is_relative_to(folder) for folder in own):
            return ""
        if file.is_file() and not any(file.resolve().is_relative_to(path) for path in libraries):
            return f"{frame.filename}, line {frame.lineno}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
