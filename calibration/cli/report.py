"""``jaxcontact report``."""

from pathlib import Path

from calibration.cli.after_fit import Out, StudyFile, asked_for, fitted
from calibration.cli.application import app, print_lines, standard_error
from calibration.cli.options import Force, verb
from calibration.runtime.progress import Progress
from calibration.studies.steps.asked_options import GivenOptions

TITLES = {
    "profile": "Intervals from the profile of the likelihood",
    "bootstrap": "Intervals from data drawn anew",
    "posterior": "Posterior distribution",
    "compare": "Which law the data prefer",
    "design": "What to measure next",
}


@verb(app, "jaxcontact report result/study.toml")
def report(study: StudyFile, out: Out = None, force: Force = False) -> None:
    """One page for a browser with everything found so far: the fit, and what profile, bootstrap,
    posterior, compare and design left.

    Fits the study and writes report.html, with its pictures inside, beside the other results.
    """
    from calibration.report.exporter import ExportContext, PageSection
    from calibration.report.exporters import EXPORTERS
    from calibration.studies.results_folder import title_of
    from calibration.studies.toml import study_text

    with asked_for(study, GivenOptions(), out, force=force) as (asked, folder):
        page = EXPORTERS["page"]
        path = folder / page.filename
        with Progress(standard_error()) as say:
            fit = fitted(asked, folder, say)
            say("Writing the page")
            sections = [
                PageSection(
                    title,
                    text=_text(folder / f"{name}.txt"),
                    figure=_text(folder / f"{name}.svg"),
                )
                for name, title in TITLES.items()
                if (folder / f"{name}.txt").exists()
            ]
            folder.mkdir(parents=True, exist_ok=True)
            context = ExportContext(
                title=title_of(asked), study=study_text(asked, folder=folder), sections=sections
            )
            page.write(fit, path, context=context)
        print_lines(f"Results: {path}")


def _text(path: Path) -> str:
    """What is in a file; nothing where there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
