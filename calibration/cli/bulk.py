"""``jaxcontact bulk``."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from calibration.cli.after_fit import write_findings
from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.exit_status import NOT_DETERMINED, NOT_EXPLAINED
from calibration.cli.options import RESULT, Force, flag, verb
from calibration.errors import InputError
from calibration.runtime.progress import Progress
from calibration.studies.results_folder import hold_folder

RUNS, EXPERIMENT = "The runs", "The experiment"
"""Panels of the help text."""


@verb(
    app,
    "jaxcontact bulk runs.csv --coefficient friction --coefficient rolling "
    "--measured angle=27.5+-0.8 --measured retained=0.34+-0.01",
)
def bulk(
    runs: Annotated[
        str,
        typer.Argument(
            metavar="RUNS",
            help="A table of runs of any program (CSV and the like, Excel): a row for each, with "
            "what went in and what came out.",
            show_default=False,
        ),
    ],
    coefficient: Annotated[
        list[str],
        flag("--coefficient", "Column of what was varied; once for each.", RUNS, "COLUMN"),
    ],
    measured: Annotated[
        list[str],
        flag(
            "--measured",
            "Column of what was seen, and what the experiment gave with its standard error, "
            "angle=27.5+-0.8; once for each.",
            EXPERIMENT,
            "COLUMN=VALUE+-SIGMA",
        ),
    ],
    out: Annotated[
        str | None,
        flag(
            "--to, --out",
            "Folder for the results. [default: bulk, beside the runs]",
            RESULT,
            "FOLDER",
        ),
    ] = None,
    force: Force = False,
) -> int:
    """Friction, rolling resistance and the like from bulk experiments (an angle of repose, a
    draw-down test, a shear cell), by a table of runs of any program of the discrete element method.

    A curve through the runs stands in for the simulation. Prints each coefficient with its
    uncertainty, or that it is not determined and what compensates it, and whether the simulation
    gives what was measured at all. Writes bulk.txt, bulk.json, bulk.png and next_runs.csv, the runs
    that would tell most.

    The exit status is 4 when nothing within the ranges of the runs gives all that was measured, 6
    when a coefficient is not determined.
    """
    folder = Path(out).expanduser() if out else Path(runs).expanduser().parent / "bulk"
    if not force and (folder / "bulk.json").exists():
        raise InputError(
            "there are results of bulk experiments already",
            remedy="Name another folder with --to, or replace them with --force.",
            path=folder,
        )
    with hold_folder(folder):
        with Progress(standard_error()) as say:
            say("Fitting curves through the runs")
            from calibration.bulk.calibrate import calibrate
            from calibration.bulk.measured import Measured
            from calibration.bulk.runs import read_runs
            from calibration.report.bulk_figure import bulk_figure
            from calibration.report.figures import png

            quantities = [Measured.written(one) for one in measured]
            table = read_runs(runs, coefficient, [one.name for one in quantities])
            found = calibrate(table, quantities)
            figure = png(bulk_figure(found, table))
        print_lines(str(found))
        numbers = {
            "explained": found.explained,
            "coefficients": [
                vars(one) | {"determined": one.determined} for one in found.coefficients
            ],
            "correlation": found.correlation,
            "measured": [vars(one) | {"off": one.off} for one in found.reproduced],
            "runs": found.runs,
        }
        write_findings(
            folder,
            "bulk",
            text=str(found),
            numbers=numbers,
            others={"bulk.png": figure, "next_runs.csv": _csv(table.names, found.next_runs)},
        )
    if not found.explained:
        return NOT_EXPLAINED
    return 0 if all(one.determined for one in found.coefficients) else NOT_DETERMINED


def _csv(names: Sequence[str], rows: np.ndarray) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([names, *rows.tolist()])
    return text.getvalue().encode()
