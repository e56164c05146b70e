"""``jaxcontact sweep``."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from calibration.cli.after_fit import write_findings
from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.options import RESULT, Cluster, Force, all_of, flag, verb
from calibration.errors import InputError
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.choices.varied import check_varied
from calibration.studies.extensions import make_loader
from calibration.studies.results_folder import hold_folder
from calibration.studies.steps.asked_options import GivenOptions, ask, study_file
from calibration.studies.study import Ball, ContactOptions, ModelOptions, Partner, SweepOptions

STORE = "sweep.zarr"
INCOMPLETE = 1
"""Exit status."""

PHYSICS = (
    "restitution_law",
    "normal_law",
    "friction_law",
    "surface",
    "gravity",
    "fluid_density",
)
"""What of the model is meant where nothing is found."""


@verb(
    app,
    "jaxcontact sweep study.toml",
    "jaxcontact sweep --radius 0.02 --mass 0.0027 --shell --vary restitution=0.5:0.9 --vary "
    "position_z=0.2:1 --number 1000",
    "jaxcontact sweep study.toml --vary stiffness=1e5:1e8:log --design sobol --number 4096 "
    "--response contact_duration --to stiffness",
    study_options={
        **all_of(Ball, Partner),
        ModelOptions: PHYSICS,
        ContactOptions: ("model", "values"),
        **all_of(SweepOptions),
    },
)
def sweep(
    given: GivenOptions,
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY", help="A study file; its data are not read.", show_default=False
        ),
    ] = None,
    out: Annotated[
        str | None,
        flag(
            "--to, --out",
            "Folder for the results. [default: sweep, beside the study file]",
            RESULT,
            "FOLDER",
        ),
    ] = None,
    cluster: Cluster = None,
    force: Force = False,
) -> int:
    """Simulate many variants of a scene: parameters and initial states over ranges or levels, on a
    grid, a Latin hypercube or Sobol's sequence.

    Nothing is fitted and no data are read. What is not varied has the value of the study or of
    --fixed. Prints how far each response spreads and which parameters it follows, and writes the
    responses of all variants as sweep.zarr, which xarray opens, beside sweep.txt, sweep.json and
    sweep.png. When it is killed, the same command goes on where it was. It needs the extra sweep:
    pip install 'jaxcontact[sweep]'.

    The exit status is 1 when a simulation did not succeed: its responses are missing in the store.
    """
    if study is not None and study_file([study]) is None:
        raise InputError(
            "this is not a study file",
            remedy="Give a study.toml, or no file and all options here.",
            path=study,
        )
    options = ask([] if study is None else [study], given)
    check_varied(options.sections[SweepOptions].get("vary"))
    asked = options.study()
    beside = Path() if study is None else Path(study).parent
    folder = Path(out).expanduser() if out else beside / "sweep"
    with hold_folder(folder):
        with Progress(standard_error()) as say:
            say("Starting")
            prepare_jax()
            from calibration.report.figures import png
            from calibration.report.response_figure import response_figure
            from calibration.runtime.cluster import connect
            from calibration.studies.swept.run import sweep_study
            from calibration.sweeps.store import remove_store
            from calibration.sweeps.summary import summarise
            from jaxcontact import SimulationWarning

            if force:
                remove_store(folder / STORE)
            prepare = make_loader(asked.extensions)
            with warnings.catch_warnings(), connect(cluster, prepare=prepare) as client:
                warnings.simplefilter("ignore", SimulationWarning)  # the table says it
                swept = sweep_study(asked, folder / STORE, progress=say, client=client)
            found = summarise(swept)
            say("Drawing")
            figure = png(response_figure(swept))
        print_lines(str(found))
        write_findings(
            folder,
            "sweep",
            text=str(found),
            numbers=vars(found),
            others={"sweep.png": figure},
        )
        print_lines(f"All variants: {folder / STORE}")
    return INCOMPLETE if found.failures else 0
