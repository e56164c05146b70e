"""Files fitted as the command line fits them, and the folder of results it would write, with the
conclusions on the page.
"""

from dataclasses import replace
from pathlib import Path

import calibration as cal
from experiments.real_recordings.finding import Outcome
from experiments.real_recordings.plain_results import context_of

TABLE_TENNIS = cal.studies.Ball(radius=0.02, mass=0.0027, shell=True)
"""As stated in ``meta.json`` of the drops and the launches."""


def fitted(study: cal.studies.Study) -> cal.Fit:
    """The fit of ``jaxcontact fit``, with a line for each stage."""
    return cal.studies.fit_study(
        study, progress=lambda sentence: print(f"  {sentence} ...", flush=True)
    )


def files_of(folder: Path, pattern: str) -> tuple[str, ...]:
    """The data files of a set, in order of their names.

    Raises:
        FileNotFoundError: there is none.
    """
    files = tuple(map(str, sorted(folder.glob(pattern))))
    if not files:
        raise FileNotFoundError(f"{folder.name}: no file {pattern}.")
    return files


def write(fit: cal.Fit, study: cal.studies.Study, outcome: Outcome, folder: Path) -> None:
    """``fit.json``, ``fit.png``, ``report.html`` and ``study.toml``.

    Args:
        fit: the result.
        study: that led to it.
        outcome: conclusions, for the page.
        folder: where to.
    """
    cal.studies.write_results(fit, study, folder, inputs=study.files)
    page, figure = cal.report.EXPORTERS["page"], cal.report.EXPORTERS["figure"]
    written = {figure.name: folder / figure.filename}
    page.write(fit, folder / page.filename, context=replace(context_of(outcome), written=written))
