"""Files fitted as the command line fits them, and the folder of results it would write, with the
conclusions on the page.
"""

from pathlib import Path

from calibration.report.page import PageSection, write_page
from calibration.results.result import Fit
from calibration.studies.results_folder import FIGURE, PAGE, write_results
from calibration.studies.study import Ball, Study
from calibration.studies.trajectories import fit_study
from experiments.real_recordings.finding import Outcome, findings_text
from experiments.real_recordings.plain_results import CONCLUSIONS

TABLE_TENNIS = Ball(radius=0.02, mass=0.0027, shell=True)
"""As stated in ``meta.json`` of the drops and the launches."""


def fitted(study: Study) -> Fit:
    """The fit of ``jaxcontact fit``, with a line for each stage."""
    return fit_study(study, progress=lambda sentence: print(f"  {sentence} ...", flush=True))


def files_of(folder: Path, pattern: str) -> tuple[str, ...]:
    """The data files of a set, in order of their names.

    Raises:
        FileNotFoundError: there is none.
    """
    files = tuple(map(str, sorted(folder.glob(pattern))))
    if not files:
        raise FileNotFoundError(f"{folder.name}: no file {pattern}.")
    return files


def write(fit: Fit, study: Study, outcome: Outcome, folder: Path) -> None:
    """``fit.json``, ``fit.png``, ``report.html`` and ``study.toml``.

    Args:
        fit: the result.
        study: that led to it.
        outcome: conclusions, for the page.
        folder: where to.
    """
    write_results(fit, study, folder, inputs=study.files)
    section = PageSection(CONCLUSIONS, findings_text(outcome.findings))
    write_page(
        fit,
        folder / PAGE,
        figure=(folder / FIGURE).read_bytes(),
        title=outcome.name,
        sections=[section],
    )
