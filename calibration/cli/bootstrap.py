"""``jaxcontact bootstrap``."""

from calibration.cli.after_fit import (
    Out,
    StudyFile,
    asked_for,
    checkpoint_of,
    fitted,
    report_findings,
)
from calibration.cli.application import app, standard_error
from calibration.cli.options import Cluster, Force, all_of, verb
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.extensions import make_loader
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import BootstrapOptions


@verb(
    app,
    "jaxcontact bootstrap result/study.toml",
    "jaxcontact bootstrap result/study.toml --count 2000",
    study_options=all_of(BootstrapOptions),
)
def bootstrap(
    study: StudyFile,
    given: GivenOptions,
    out: Out = None,
    cluster: Cluster = None,
    force: Force = False,
) -> int:
    """Intervals from fits to data drawn anew: they need no formula, only that the residuals are
    what noise looks like.

    Prints the intervals and writes bootstrap.txt and bootstrap.json. When it is killed, the same
    command goes on where it was.
    """
    with asked_for(study, given, out, force=force) as (asked, folder):
        options = asked.bootstrap
        with Progress(standard_error()) as say:
            say("Starting")
            prepare_jax()
            from calibration.runtime.cluster import connect
            from calibration.studies.pipeline import check_enough_to_draw
            from calibration.uncertainty.bootstrap import bootstrap as drawn

            if options.kind == "trial":
                check_enough_to_draw(asked)
            with connect(cluster, prepare=make_loader(asked.extensions)) as client:
                fit = fitted(asked, folder, say)
                found = drawn(
                    fit,
                    count=options.count,
                    seed=options.seed,
                    kind=options.kind,
                    progress=say,
                    checkpoint=str(checkpoint_of(asked, folder, "bootstrap")),
                    client=client,
                )
        numbers = {
            "intervals": found.intervals,
            "kind": found.kind,
            "count": found.count,
            "failed": found.failed,
            "warnings": found.warnings,
        }
        return report_findings(fit, folder, "bootstrap", text=str(found), numbers=numbers)
