"""The result of a fit as one page for a browser, with its pictures inside: a file that can be
mailed, read on a phone, and printed.
"""

import math
import os
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from calibration.io.atomic import write_atomically
from calibration.io.names import text_bytes
from calibration.report.exporter import PageSection
from calibration.report.motion import BALL, HEIGHT, WIDTH, motions
from calibration.report.page_figures import data_figures, result_figures, shown_recordings
from calibration.results import sentences
from calibration.results.answer import answers, interval_of, next_steps, trust, value_of
from calibration.results.estimate import Determination, Estimate
from calibration.results.findings import findings_of, gathered_remarks
from calibration.results.methods import citations, methods_paragraph, noise_sentence
from calibration.results.modification import Decision
from calibration.results.numbers import (
    agrees_with_zero,
    plain,
    relative_error,
    short_status,
    unit_of,
)
from calibration.results.summary import FitSummary
from calibration.results.table import CHECKS, fit_text
from calibration.runtime.versions import installed_versions

_TEMPLATE, _STYLE, _SCRIPT = "page.html", "page.css", "page.js"
_WIDTH = 100
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def write_page(
    fit: FitSummary,
    path: str | os.PathLike[str],
    *,
    title: str = "Fit",
    sections: Sequence[PageSection] = (),
    study: str = "",
) -> None:
    """Write the page, as a whole or not at all.

    Args:
        fit: the result.
        path: of the file; its folder must exist.
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
    write_atomically(path, text_bytes(page_text(fit, title=title, sections=sections, study=study)))


def page_text(
    fit: FitSummary,
    *,
    title: str = "Fit",
    sections: Sequence[PageSection] = (),
    study: str = "",
) -> str:
    """What ``write_page`` writes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("calibration.report", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["signs"] = _with_signs
    verdict, why = trust(fit)
    shown = shown_recordings(fit)
    return environment.get_template(_TEMPLATE).render(
        title=title,
        style=_part(_STYLE),
        script=_part(_SCRIPT),
        answers=[_row(fit, one) for one in answers(fit)],
        verdict=verdict,
        why=why,
        findings=findings_of(fit),
        remarks=gathered_remarks([*fit.recordings, *fit.series]),
        steps=next_steps(fit),
        parameters=[_row(fit, one) for one in fit.parameters.values()],
        model=sentences.sentence(fit.model) if fit.model else "",
        about_errors=[
            *([] if fit.doubt else [sentences.capitalised(sentences.error_scale_factor(fit))]),
            sentences.sentence(sentences.convergence(fit)),
        ],
        result_figures=list(result_figures(fit)),
        data_figures=list(data_figures(fit)),
        left_out=len(fit.recordings) - len(shown),
        motions=motions(shown, fit),
        picture={"width": WIDTH, "height": HEIGHT, "ball": BALL},
        noise=[noise_sentence(one) for one in fit.noise],
        noise_models=list(dict.fromkeys(sentences.sentence(one.about) for one in fit.noise)),
        correlations=_correlations(fit),
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
        unchanged=_unchanged(fit),
        sections=[
            {"title": item.title, "text": item.text, "figure": Markup(item.figure)}
            for item in sections
        ],
        methods=methods_paragraph(fit),
        citations=citations(fit),
        table=fit_text(fit, width=_WIDTH, encoding="utf-8"),
        study=study,
        versions=", ".join(
            f"{name} {version}" for name, version in installed_versions().items() if version
        ),
    )


def _with_signs(text: str) -> Any:
    """The text with its signs as in print, and options of the command line that do not break
    across lines.
    """
    from markupsafe import Markup, escape

    safe = str(escape(sentences.with_signs(text)))
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', safe))


def _part(name: str) -> str:
    """A file of this folder that goes into the page."""
    from markupsafe import Markup

    return Markup(resources.files("calibration.report").joinpath(name).read_text(encoding="utf-8"))


def _row(fit: FitSummary, estimate: Estimate) -> dict[str, Any]:
    good = estimate.status in (Determination.DETERMINED, Determination.FIXED)
    return {
        "title": sentences.titles(fit)[estimate.name],
        "note": sentences.sentence(estimate.note) if estimate.note else "",
        "value": value_of(estimate),
        "unit": unit_of(estimate) if math.isfinite(estimate.value) else "",
        "interval": interval_of(estimate),
        "relative": relative_error(estimate).removeprefix("-"),
        "status": short_status(estimate),
        "good": good,
    }


def _correlations(fit: FitSummary) -> dict[str, Any] | None:
    """Names and rows of the correlation matrix, where there is more than one."""
    if len(fit.names) < 2 or not np.isfinite(fit.correlation).all():
        return None
    called = sentences.titles(fit)
    return {
        "names": [called.get(name, name) for name in fit.names],
        "rows": fit.correlation.tolist(),
        "strong": sentences.STRONG_CORRELATION,
    }


def _unchanged(fit: FitSummary) -> list[str]:
    """A sentence for all that was looked for, or held, and changes nothing in the answer."""
    said = [
        f"{one.name}: nothing shows ({one.says})"
        for one in fit.modifications
        if one.decision is Decision.NOT_NEEDED
    ]
    for one in fit.parameters.values():
        held = " ".join(filter(None, (plain(one.value), unit_of(one))))
        if one.status is Determination.FIXED:
            said.append(f"{sentences.title(one)}: held at {held}")
        elif one.status is Determination.AT_START:
            said.append(f"{sentences.title(one)}: never moved from {held}, no datum depends on it")
        elif one.status is Determination.NOT_DETERMINED:
            said.append(f"{sentences.title(one)}: these data do not tell it")
        elif agrees_with_zero(one):
            said.append(f"{sentences.title(one)}: agrees with zero")
    return [sentences.sentence(text) for text in said]
