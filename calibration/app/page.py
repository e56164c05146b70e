"""The page: recordings, what is said of the ball, what check finds, the fit, its answer."""

import asyncio
import contextlib
import io
import os
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nicegui import app, events, ui
from rich.console import Console

from calibration.app.curve import bounces_on_curve
from calibration.app.desk import Desk
from calibration.app.fields import show_fields
from calibration.errors import InputError, words_of
from calibration.results.answer import answer, trust
from calibration.results.findings import findings_of
from calibration.runtime.progress import Progress
from calibration.studies.inspection_table import (
    FilesTable,
    learned_from,
    problems_of,
    remarks_of,
    tables_of,
)
from calibration.studies.steps.inspected import Inspection
from calibration.studies.study import SECTIONS, Ball, Section

if TYPE_CHECKING:
    from calibration.results.result import Fit

Result = TypeVar("Result")

WIDE = 400
"""Characters in a line of the progress, which the browser wraps."""


class Page:
    """One tab of the browser with its study.

    Args:
        open_desk: makes the study that it begins with.
    """

    def __init__(self, open_desk: Callable[[], Desk]) -> None:
        with warnings.catch_warnings(record=True) as changed:
            warnings.simplefilter("always")
            self.desk = open_desk()
        ui.page_title("jaxcontact")
        ui.query(".nicegui-content").classes("items-center")
        with ui.column().classes("w-full max-w-5xl"):
            ui.label("jaxcontact").classes("text-2xl font-bold")
            ui.label(
                "From measured bounces to restitution, drag and friction, each with its "
                "uncertainty. All of it stays on this machine."
            )
            for warning in changed:
                _say(str(warning.message), "text-amber-800")
            self._recordings()
            self._options()
            self._looked_at()
            self._fitted()
        if self.desk.report.exists():
            self._show_files("The results of an earlier fit")

    # What is asked

    def _recordings(self) -> None:
        _heading("1  The recordings")
        ui.upload(
            label="Drop recordings here (CSV and the like), or choose them with +",
            multiple=True,
            auto_upload=True,
            on_upload=self._dropped,
        ).classes("w-full").props("flat bordered")
        self.files = ui.column().classes("w-full gap-0")
        self._list_files()

    async def _dropped(self, event: events.UploadEventArguments) -> None:
        content = await event.file.read()
        with errors_shown(self.files):
            self.desk.drop(event.file.name, content)
            self._list_files()
        self._outdated()

    def _list_files(self) -> None:
        self.files.clear()
        with self.files:
            for file in self.desk.asked.files:
                with ui.row().classes("items-center w-full no-wrap"):
                    ui.label(os.path.relpath(file)).classes("break-all")
                    ui.button(icon="close", on_click=lambda file=file: self._remove(file)).props(
                        f'flat round dense size=sm aria-label="remove {Path(file).name}"'
                    )

    def _remove(self, file: str) -> None:
        self.desk.remove(file)
        self._list_files()
        self._outdated()

    def _options(self) -> None:
        _heading("2  The ball")
        with ui.element("div").classes("grid grid-cols-1 sm:grid-cols-2 gap-4 w-full"):
            self._section(Ball)
        for section in SECTIONS[1:]:
            with (
                ui.expansion(section.panel).classes("w-full border rounded"),
                ui.element("div").classes("grid grid-cols-1 sm:grid-cols-2 gap-4 w-full"),
            ):
                self._section(section)

    def _section(self, section: type[Section]) -> None:
        show_fields(section, self.desk.asked.sections[section], self._changed)

    def _changed(self, section: type[Section], name: str, value: Any) -> None:
        self.desk.set_option(section, name, value)
        self._outdated()

    def _outdated(self) -> None:
        """What was found belongs to other files or options."""
        self.found.clear()
        self.fit_button.disable()

    # What check finds

    def _looked_at(self) -> None:
        _heading("3  What is in the recordings")
        self.check_button = ui.button("Check", on_click=self._check)
        self.found = ui.column().classes("w-full")

    async def _check(self) -> None:
        self._outdated()
        self.check_button.disable()
        with errors_shown(self.found):
            found = await in_background(self.desk.inspect)
            self._show_found(found)
            self.fit_button.set_enabled(not found.wrong)
        self.check_button.enable()

    def _show_found(self, found: Inspection) -> None:
        with self.found:
            for files in tables_of(found.reports):
                _table(files)
            headline, *problems = problems_of(found) or [""]
            if headline:
                _say(headline, "text-red-800 font-bold")
            for text in problems:
                _say(text, "text-red-800")
            for text in remarks_of(found):
                _say(text)
            with ui.element("div").classes("grid grid-cols-1 md:grid-cols-2 gap-2 w-full"):
                for report in found.reports:
                    curve = bounces_on_curve(report)
                    if curve is not None:
                        ui.echart(curve).classes("w-full h-72")
            learned = learned_from(found)
            if learned:
                rows = [(verdict.quantity, verdict.answer, verdict.reason) for verdict in learned]
                _table(FilesTable(("What can be learned", "", "why"), rows))

    # The fit

    def _fitted(self) -> None:
        _heading("4  The fit")
        with ui.row().classes("items-center"):
            self.fit_button = ui.button("Fit", on_click=self._fit)
            self.fit_button.disable()
            self.busy = ui.spinner()
            self.busy.visible = False
            self.replace = ui.checkbox("Replace whatever is there")
            self.replace.visible = self.desk.opened is not None
        self.log = ui.log().classes("w-full h-40")
        self.log.visible = False
        self.answer = ui.column().classes("w-full")

    async def _fit(self) -> None:
        self.answer.clear()
        self.log.clear()
        self.fit_button.disable()
        self.log.visible = self.busy.visible = True
        lines = io.StringIO()
        shown = ui.timer(0.2, lambda: self._follow(lines))
        with errors_shown(self.answer):
            self._show_answer(await in_background(lambda: self._fit_and_write(lines)))
        shown.cancel()
        self._follow(lines)
        self.busy.visible = False
        self.fit_button.enable()

    def _fit_and_write(self, lines: io.StringIO) -> "Fit":
        with Progress(Console(file=lines, width=WIDE), every=0.5) as say:
            return self.desk.fit(progress=say, force=self.replace.value)

    def _follow(self, lines: io.StringIO) -> None:
        """Move the lines that were written since to the page."""
        text = lines.getvalue()
        complete = text.rfind("\n") + 1
        for line in text[:complete].splitlines()[self.log_lines() :]:
            self.log.push(line)

    def log_lines(self) -> int:
        """Lines of the progress that are on the page."""
        return len(self.log.default_slot.children)

    def _show_answer(self, fit: "Fit") -> None:
        believed, why = trust(fit)
        with self.answer:
            ui.label(answer(fit)).classes("text-xl font-bold")
            _say(f"{believed.value[:1].upper()}{believed.value[1:]}. {why}", "font-bold")
            for text in findings_of(fit):
                _say(text)
        self._show_files("The report")

    def _show_files(self, title: str) -> None:
        address = app.add_static_file(local_file=self.desk.report, max_cache_age=0)
        with self.answer:
            _say(f"{title}: {os.path.relpath(self.desk.results)}")
            with ui.row():
                ui.button("Everything (zip)", on_click=self._download_all)
                ui.button("study.toml", on_click=lambda: ui.download.file(self.desk.fitted_study))
                ui.button("report.html", on_click=lambda: ui.download.file(self.desk.report))
                ui.link("Open the report in a tab of its own", address, new_tab=True)
            ui.element("iframe").props(f'src="{address}" title="{title}"').classes(
                "w-full border"
            ).style("height: 80vh")

    def _download_all(self) -> None:
        name, content = self.desk.archive()
        ui.download.content(content, name)


async def in_background(function: Callable[[], Result]) -> Result:
    """The result of a function that runs beside the page, in a thread that does not keep the
    program from ending: a fit that is ended so goes on where it was.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def work() -> None:
        try:
            result = function()
        except Exception as error:
            loop.call_soon_threadsafe(done.set_exception, error)
        else:
            loop.call_soon_threadsafe(done.set_result, result)

    threading.Thread(target=work, daemon=True).start()
    return await done


@contextlib.contextmanager
def errors_shown(element: ui.element) -> Iterator[None]:
    """Errors are shown in an element of the page, in their own words; those that a person cannot
    correct are printed where the program was started, too.
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, InputError | OSError):
            traceback.print_exception(error)
        with element:
            _say(words_of(error), "text-red-800 font-bold")


def _heading(text: str) -> None:
    ui.label(text).classes("text-lg font-bold mt-4")


def _say(text: str, classes: str = "") -> None:
    ui.label(text).classes(f"w-full break-words {classes}")


def _table(files: FilesTable) -> None:
    names: Sequence[str] = [f"column{number}" for number in range(len(files.headings))]
    ui.table(
        columns=[
            {"name": name, "label": heading, "field": name, "align": "left"}
            for name, heading in zip(names, files.headings, strict=True)
        ],
        rows=[dict(zip(names, row, strict=True)) for row in files.rows],
    ).props("dense flat bordered wrap-cells").classes("w-full")
