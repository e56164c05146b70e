"""A fit as a notebook shows it: a small table of HTML."""

from html import escape

from calibration.results import sentences
from calibration.results.answer import interval_of, value_of
from calibration.results.numbers import short_status, unit_of
from calibration.results.summary import FitSummary


def fit_html(fit: FitSummary) -> str:
    """Parameters with value, unit, 95 % interval and status; below, whether the model explains the
    data.

    Args:
        fit: the result.
    """
    header = ("parameter", "value ± standard error", "unit", "95 % interval", "status")
    titles = sentences.titles(fit)
    rows = [
        (titles[name], value_of(one), unit_of(one), interval_of(one), short_status(one))
        for name, one in fit.parameters.items()
    ]
    return (
        f"<table><thead>{_row('th', header)}</thead>"
        f"<tbody>{''.join(_row('td', row) for row in rows)}</tbody></table>"
        f"<p>{escape(sentences.sentence(sentences.misfit(fit)))}</p>"
    )


def _row(tag: str, cells: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
