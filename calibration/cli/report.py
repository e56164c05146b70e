"""``jaxcontact report``."""

from pathlib import Path

from calibration.cli.after_fit import Out, StudyFile, asked_for, fitted
from calibration.cli.app import app, print_lines, standard_error
from calibration.cli.options import Force, verb
from calibration.runtime.progress import Progress

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
    from calibration.studies.results_folder import PAGE, title_of

    asked, folder = asked_for(study, out, force=force)
    with Progress(standard_error()) as say:
        fit = fitted(asked, folder, say)
        say("Writing the page")
        from calibration.report.figures import fit_figure, png
        from calibration.report.page import PageSection, write_page
        from calibration.studies.toml import study_text

        sections = [
            PageSection(
                title, text=_text(folder / f"{name}.txt"), figure=_picture(folder / f"{name}.png")
            )
            for name, title in TITLES.items()
            if (folder / f"{name}.txt").exists()
        ]
        folder.mkdir(parents=True, exist_ok=True)
        figure = png(fit_figure(fit)) if fit.recordings or fit.columns or fit.series else None
        text = study_text(asked, folder=folder)
        write_page(
            fit, folder / PAGE, figure=figure, title=title_of(asked), sections=sections, study=text
        )
    print_lines(f"Results: {folder / PAGE}")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _picture(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
