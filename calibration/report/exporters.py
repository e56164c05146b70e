"""The exporters of this package. A new one is a file with its class, and a line here."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from calibration.io.atomic import write_atomically
from calibration.io.names import text_bytes
from calibration.report.exporter import EXPORTERS, ExportContext, Exporter

if TYPE_CHECKING:
    from calibration.results.summary import FitSummary


class JSON(Exporter):
    """All numbers, for other programs."""

    name: ClassVar[str] = "json"
    filename: ClassVar[str] = "fit.json"
    about: ClassVar[str] = "all numbers, for other programs"
    always: ClassVar[bool] = True

    def write(self, fit: "FitSummary", path: Path, *, context: ExportContext) -> None:
        """Write the numbers (``write_json``)."""
        from calibration.report.json import write_json

        write_json(fit, path)


class Picture(Exporter):
    """Data, fitted curve and residuals."""

    name: ClassVar[str] = "figure"
    filename: ClassVar[str] = "fit.png"
    about: ClassVar[str] = "data, fitted curve and residuals"
    always: ClassVar[bool] = True

    def write(self, fit: "FitSummary", path: Path, *, context: ExportContext) -> None:
        """Draw the figure (``save_figure``)."""
        from calibration.report.figures import save_figure  # slow to import

        save_figure(fit, path)


class Page(Exporter):
    """Answer, findings, figures and methods on one page for a browser."""

    name: ClassVar[str] = "page"
    filename: ClassVar[str] = "report.html"
    about: ClassVar[str] = "answer, findings and figures on one page that can be mailed"
    always: ClassVar[bool] = True

    def write(self, fit: "FitSummary", path: Path, *, context: ExportContext) -> None:
        """Write the page (``write_page``)."""
        from calibration.report.page import write_page  # slow to import

        write_page(fit, path, title=context.title, sections=context.sections, study=context.study)


class TableText(Exporter):
    """The table as it is printed."""

    name: ClassVar[str] = "table"
    filename: ClassVar[str] = "fit.txt"
    about: ClassVar[str] = "the table as it is printed"

    def write(self, fit: "FitSummary", path: Path, *, context: ExportContext) -> None:
        """Write the table in UTF-8 (``fit_text``)."""
        from calibration.results.table import fit_text

        write_atomically(path, text_bytes(fit_text(fit, width=100, encoding="utf-8")))


EXPORTERS.register(JSON())
EXPORTERS.register(Picture())
EXPORTERS.register(Page())
EXPORTERS.register(TableText())
