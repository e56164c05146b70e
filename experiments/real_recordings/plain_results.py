"""The folder of results of a study that is not one of the command line: the same files without a
study file.
"""

from dataclasses import replace
from pathlib import Path

import calibration as cal
from experiments.real_recordings.finding import Outcome, findings_text

CONCLUSIONS = "What the data tell, and the caveats stated with them"


def write_plain(fit: cal.Fit, outcome: Outcome, folder: Path) -> None:
    """``fit.json``, ``fit.png`` and ``report.html``.

    Args:
        fit: the result.
        outcome: conclusions, for the page.
        folder: where to; it is made when it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    context = context_of(outcome)
    for exporter in cal.report.EXPORTERS:
        if exporter.always:
            path = folder / exporter.filename
            exporter.write(fit, path, context=context)
            context = replace(context, written={**context.written, exporter.name: path})


def context_of(outcome: Outcome) -> cal.report.ExportContext:
    """Title and conclusions, for the page."""
    section = cal.report.PageSection(CONCLUSIONS, findings_text(outcome.findings))
    return cal.report.ExportContext(title=outcome.name, sections=[section])
