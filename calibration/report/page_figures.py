"""Which figures of a fit stand on its page, with captions and with texts for those who do not see
them.
"""

import dataclasses
from collections.abc import Iterator

from markupsafe import Markup
from matplotlib.figure import Figure

from calibration.report.data_panels import data_figure
from calibration.report.estimates_figure import columns_estimate, columns_figure
from calibration.report.figures import worst
from calibration.report.force_figure import force_figure
from calibration.report.motion import trial_of
from calibration.report.restitution_figure import forest_figure, restitution_figure
from calibration.report.svg import svg
from calibration.results import residuals, sentences
from calibration.results.fitted_data import Fitted, FittedColumn, FittedRecording
from calibration.results.summary import FitSummary

MOST_SHOWN = 24
"""Recordings whose curves are on the page, those that are fitted worst."""

RESTITUTION = "contact.normal.restitution"


@dataclasses.dataclass(frozen=True)
class PageFigure:
    """A figure as it stands on the page.

    Attributes:
        name: what is shown.
        trial: under which it is found in a list of trials; those of one trial are shown together.
        picture: the element ``<svg>``.
        caption: one or two sentences.
    """

    name: str
    trial: str
    picture: Markup
    caption: str

    @classmethod
    def of(cls, figure: Figure, *, name: str, caption: str, text: str) -> "PageFigure":
        """With ``text`` for those who do not see it."""
        return cls(name, trial_of(name), Markup(svg(figure, text)), caption)


def shown_recordings(fit: FitSummary) -> list[FittedRecording]:
    """Whose curves are on the page."""
    return worst(fit.recordings, MOST_SHOWN)


def data_figures(fit: FitSummary) -> Iterator[PageFigure]:
    """Data, fit and residuals of each recording, other measurement and column of a table."""
    fitted: list[Fitted] = [*shown_recordings(fit), *worst(fit.series, MOST_SHOWN), *fit.columns]
    for data in fitted:
        name = sentences.without_unit(data.label) if isinstance(data, FittedColumn) else data.name
        yield PageFigure.of(
            data_figure(data),
            name=name,
            caption=_data_caption(data),
            text=f"{name}: measured points and the fitted curve; below, the residuals.",
        )


def _data_caption(data: Fitted) -> str:
    values = f"{residuals.used(data)} numbers"
    if isinstance(data, FittedRecording):
        values += f", {len(data.bounce_times)} bounces"
    if isinstance(data, FittedColumn):
        return f"{values}. {_column_caption(data)}"
    return f"{values}. Grey points are measured, lines fitted; the band is ±2 sigma."


def _column_caption(column: FittedColumn) -> str:
    fitted = "the line" if column.curve_angle.size else "blue circles"
    aside = column.counted is not None and not column.counted.all()
    return f"Points with bars of one sigma are measured, {fitted} fitted; the band is ±2 sigma." + (
        " Crosses and triangles were set aside." if aside else ""
    )


def result_figures(fit: FitSummary) -> Iterator[PageFigure]:
    """What the fit says of the contact: restitution of impacts, estimates apart, force."""
    impacts = fit.impacts
    if impacts is not None:
        yield PageFigure.of(
            restitution_figure(impacts),
            name="Restitution against impact speed",
            caption=f"Points: single impacts, {impacts.origin}; bars of one standard deviation. "
            "Line: the fitted law.",
            text=f"Restitution of {len(impacts.impacts)} impacts against their speed, with the "
            "fitted law.",
        )
    if impacts is not None and impacts.trials:
        yield PageFigure.of(
            forest_figure(impacts, fit.parameters.get(RESTITUTION)),
            name="Restitution by file and by impact",
            caption="Diamonds: the impacts of a file together. Line and band: the fit of all "
            "files, with its 95 % interval.",
            text="Forest plot: restitution of each file and of its impacts, beside that of all.",
        )
    if columns_estimate(fit):
        yield PageFigure.of(
            columns_figure(fit),
            name="Each column of the table by itself",
            caption="Bars of one standard error; band: all columns together. Columns that "
            "contradict each other ask for another model.",
            text="Estimates from each column of the table alone, beside that of all together.",
        )
    if fit.force_loops:
        yield PageFigure.of(
            force_figure(fit.force_loops),
            name="Force against overlap",
            caption="One impact of the fitted law, up to the right and back: the area inside the "
            "loop is the energy that it loses.",
            text="Normal force against overlap of the slowest and the fastest impact: loops.",
        )
