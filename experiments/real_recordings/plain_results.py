"""The folder of results of a study that is not one of the command line: the same files without a
study file.
"""

from pathlib import Path

from calibration.report.figures import fit_figure, png
from calibration.report.json import write_json
from calibration.report.page import PageSection, write_page
from calibration.results.result import Fit
from calibration.studies.results_folder import FIGURE, NUMBERS, PAGE
from experiments.real_recordings.finding import Outcome, findings_text

CONCLUSIONS = "What the data tell, and the caveats stated with them"


def write_plain(fit: Fit, outcome: Outcome, folder: Path) -> None:
    """``fit.json``, ``fit.png`` and ``report.html``.

    Args:
        fit: the result.
        outcome: conclusions, for the page.
        folder: where to; it is made when it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(fit, folder / NUMBERS)
    picture = png(fit_figure(fit))
    (folder / FIGURE).write_bytes(picture)
    write_page(
        fit,
        folder / PAGE,
        figure=picture,
        title=outcome.name,
        sections=[PageSection(CONCLUSIONS, findings_text(outcome.findings))],
    )
