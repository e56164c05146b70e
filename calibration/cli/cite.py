"""``jaxcontact cite``."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.cli.application import app, print_lines
from calibration.cli.options import FLAG, RESULT, flag, verb
from calibration.errors import InputError
from calibration.report.exporters import JSON

Result = Annotated[
    str,
    typer.Argument(
        metavar="RESULT",
        help="The folder that jaxcontact fit left, or a file in it.",
        show_default=False,
    ),
]


@verb(app, "jaxcontact cite result", "jaxcontact cite result --bibtex > references.bib")
def cite(
    result: Result,
    bibtex: Annotated[
        bool, flag("--bibtex", "Print the BibTeX entries only.", RESULT, FLAG)
    ] = False,
) -> None:
    """What to write about a fit in a paper, and what to cite: one paragraph on data, model, noise
    and results, the references, and BibTeX.

    Reads fit.json of the results; nothing is fitted again.
    """
    methods = _methods(Path(result).expanduser())
    entries = [one["bibtex"] for one in methods["citations"]]
    if not bibtex:
        references = [
            f"[{place}] {one['text']}" for place, one in enumerate(methods["citations"], start=1)
        ]
        print_lines(methods["text"], "", *references, "")
    print_lines("\n\n".join(entries))


def _methods(given: Path) -> dict[str, Any]:
    """What fit.json says of the methods.

    Raises:
        InputError: there is none, or it is not one of this version.
    """
    path = (given if given.is_dir() else given.parent) / JSON.filename
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found: dict[str, Any] = content["methods"]
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            "there is no result of a fit here",
            remedy="Give the folder that jaxcontact fit left.",
            path=path,
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise InputError(
            "this says nothing of methods",
            remedy="Fit again: jaxcontact fit result/study.toml.",
            path=path,
        ) from None
    return found
