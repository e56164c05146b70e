"""The result of a fit as one page for a browser, with its pictures inside: a file that can be
mailed.
"""

import base64
import math
import os
from collections.abc import Sequence
from importlib import resources
from typing import Any

from calibration.io.atomic import write_atomically
from calibration.io.names import text_bytes
from calibration.report.exporter import PageSection
from calibration.results import sentences
from calibration.results.estimate import Determination, Estimate
from calibration.results.numbers import (
    found,
    has_interval,
    plain,
    rounded_like,
    short_status,
    unit_of,
)
from calibration.results.summary import FitSummary
from calibration.results.table import CHECKS, fit_text
from calibration.runtime.versions import installed_versions

TEMPLATE = "page.html"
_WIDTH = 100


def write_page(
    fit: FitSummary,
    path: str | os.PathLike[str],
    *,
    figure: bytes | None = None,
    title: str = "Fit",
    sections: Sequence[PageSection] = (),
    study: str = "",
) -> None:
    """Write the page, as a whole or not at all.

    Args:
        fit: the result.
        path: of the file; its folder must exist.
        figure: of the fit, the bytes of a PNG.
        title: of the page.
        sections: what belongs on it beside the fit.
        study: text of the study file that repeats it.

    Raises:
        InputError: ``path`` is a folder, or its folder does not exist.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "report.html"
        >>> cal.report.write_page(fit, file, title="Drops of a ball")
        >>> "Drops of a ball" in file.read_text()
        True
    """
    write_atomically(
        path,
        text_bytes(page_text(fit, figure=figure, title=title, sections=sections, study=study)),
    )


def page_text(
    fit: FitSummary,
    *,
    figure: bytes | None = None,
    title: str = "Fit",
    sections: Sequence[PageSection] = (),
    study: str = "",
) -> str:
    """What ``write_page`` writes."""
    from jinja2 import Environment, StrictUndefined

    template = resources.files("calibration.report").joinpath(TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    versions = ", ".join(
        f"{name} {version}" for name, version in installed_versions().items() if version
    )
    return environment.from_string(template).render(
        title=title,
        model=sentences.sentence(fit.model),
        explained=fit.doubt is None,
        quality=sentences.sentence(sentences.misfit(fit)),
        parameters=_rows(fit),
        remarks=[
            *([] if fit.doubt else [sentences.capitalised(sentences.error_scale_factor(fit))]),
            sentences.sentence(sentences.convergence(fit)),
        ],
        warnings=[sentences.sentence(text) for text in fit.warnings],
        figure=_encoded(figure),
        checks_title=CHECKS,
        checks=[
            {
                "name": check.name,
                "verdict": check.verdict,
                "failed": check.passed is False,
                "chance": f"{check.chance:.3f}" if math.isfinite(check.chance) else "-",
                "comment": sentences.sentence(check.comment),
                "remedy": sentences.sentence(check.remedy) if check.remedy else "",
            }
            for check in fit.residual_checks
        ],
        sections=[
            {"title": item.title, "text": item.text, "figure": _encoded(item.figure)}
            for item in sections
        ],
        table=fit_text(fit, width=_WIDTH, encoding="utf-8"),
        study=study,
        footer=versions,
    )


def _rows(fit: FitSummary) -> list[dict[str, Any]]:
    rows = []
    for name, text in sentences.titles(fit).items():
        estimate = fit.parameters[name]
        good = estimate.status in (Determination.DETERMINED, Determination.FIXED)
        rows.append(
            {
                "title": text,
                "note": sentences.sentence(estimate.note) if estimate.note else "",
                "value": found(estimate, plus_minus="±"),
                "unit": unit_of(estimate),
                "interval": _interval(estimate),
                "status": short_status(estimate),
                "good": good,
            }
        )
    return rows


def _interval(estimate: Estimate) -> str:
    if not has_interval(estimate):
        return "-"
    ends = [
        rounded_like(end, estimate.sd) if abs(end) > estimate.sd else plain(float(f"{end:.2g}"))
        for end in estimate.interval()
    ]
    return " to ".join(ends)


def _encoded(picture: bytes | None) -> str | None:
    return None if picture is None else base64.b64encode(picture).decode("ascii")
