"""``jaxcontact posterior``."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.cli.after_fit import (
    Out,
    StudyFile,
    asked_for,
    checkpoint_of,
    fitted,
    report_findings,
)
from calibration.cli.application import app, standard_error
from calibration.cli.options import Force, all_of, verb
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import PosteriorOptions

if TYPE_CHECKING:
    from calibration.uncertainty.posterior import Posterior


@verb(
    app,
    "jaxcontact posterior result/study.toml",
    "jaxcontact posterior result/study.toml --samples 4000 --seed 1",
    study_options=all_of(PosteriorOptions),
)
def posterior(
    study: StudyFile,
    given: GivenOptions,
    out: Out = None,
    force: Force = False,
) -> int:
    """Samples of the posterior distribution of all parameters (NUTS). Needs the extra: pip install
    "jaxcontact[posterior]".

    Prints the intervals and writes posterior.txt, posterior.json and posterior.nc, which ArviZ
    reads. When it is killed, the same command goes on where it was.
    """
    with asked_for(study, given, out, force=force) as (asked, folder):
        options = asked.posterior
        with Progress(standard_error()) as say:
            say("Starting")
            prepare_jax()
            from calibration.uncertainty.posterior import import_samplers
            from calibration.uncertainty.posterior import posterior as sampled

            import_samplers()  # raises before the fit where they are not installed
            fit = fitted(asked, folder, say)
            found = sampled(
                fit,
                samples=options.samples,
                warmup=options.warmup,
                chains=options.chains,
                seed=options.seed,
                progress=say,
                checkpoint=str(checkpoint_of(asked, folder, "posterior")),
            )
        numbers = {
            "intervals": found.intervals,
            "level": found.level,
            "rhat": found.rhat,
            "ess": found.ess,
            "divergences": found.divergences,
            "warnings": found.warnings,
        }
        return report_findings(
            fit,
            folder,
            "posterior",
            text=str(found),
            numbers=numbers,
            others=lambda: {"posterior.nc": _netcdf(found)},
        )


def _netcdf(found: "Posterior") -> bytes:
    """The samples as a file that ArviZ reads."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "posterior.nc")
        found.data.to_netcdf(file)
        return Path(file).read_bytes()
