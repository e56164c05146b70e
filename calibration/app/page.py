"""The page: recordings, what is said of the ball, what check finds, the fit, its answer."""

import asyncio
import contextlib
import json
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import app, events, ui
from nicegui.elements.mixins.value_element import ValueElement

from calibration.app.background import in_background
from calibration.app.desk import Desk, earlier_studies, results_of_study
from calibration.app.fields import show_fields
from calibration.app.running_fit import RunningFit, fit_into
from calibration.app.used_part import show_curve
from calibration.app.wording import REPLACE, on_page
from calibration.errors import InputError, words_of
from calibration.io.contents import read_contents
from calibration.io.interval import TimeInterval
from calibration.results.answer import answer, trust
from calibration.results.findings import findings_of
from calibration.results.sentences import sentence, with_signs
from calibration.studies.inspection_table import (
    learned_from,
    problems_of,
    remarks_of,
    tables_of,
)
from calibration.studies.option import as_toml
from calibration.studies.steps.asked_options import AskedOptions
from calibration.studies.steps.inspected import Inspection
from calibration.studies.study import SECTIONS, Ball, ReadingOptions, Section
from calibration.studies.toml import ChangedData

if TYPE_CHECKING:
    from calibration.results.result import Fit

_FRAMED = "w-full border border-gray-300 rounded"
_WRONG = "wrong font-bold"
_CHANGED = "changed"
_FAINT = "opacity-40"

STYLE = Path(__file__).with_name("style.css")
"""Style sheet of the page."""

OTHER = (
    "What follows does not answer what is asked above: files or fields have changed since. Check "
    "and fit again."
)
"""Is said of an answer to something else."""

BEGUN_ELSEWHERE = "A fit of this study is running, which another page began."
"""Is said until it has ended."""


class Page:
    """One tab of the browser with its study.

    Args:
        open_desk: makes the study that it begins with.
    """

    def __init__(self, open_desk: Callable[[], Desk]) -> None:
        self.checked: AskedOptions | None = None
        self.answered: AskedOptions | None = None
        self.running: RunningFit | None = None
        self.fields: dict[type[Section], dict[str, ValueElement]] = {}
        ui.page_title("jaxcontact")
        ui.add_css(STYLE.read_text(encoding="utf-8"))
        with ui.column().classes("w-full max-w-5xl mx-auto") as self.column:
            _heading("jaxcontact", level=1)
            ui.label(
                "From measured bounces to restitution, drag and friction, each with its "
                "uncertainty. All of it stays on this machine."
            )
            with errors_shown(self.column):
                self.desk = _opened(open_desk)
                self._show()

    def _show(self) -> None:
        self._recordings()
        self._options()
        self._looked_at()
        self._fitted()
        running = None if self.desk.folder is None else fit_into(self.desk.results)
        if running is not None:
            ui.timer(0, partial(self._watch, running), once=True)
        elif self.desk.has_results:
            self._show_earlier()
        self._refresh()
        if self.desk.asked.files:
            ui.timer(0, self._check, once=True)

    # What is asked

    def _recordings(self) -> None:
        _heading("1  The recordings")
        upload = ui.upload(
            label="Drop recordings here (CSV and the like)",
            multiple=True,
            auto_upload=True,
            on_multi_upload=self._dropped,
        )
        upload.classes("w-full").props("flat bordered")
        choose = f"() => getElement({upload.id}).$refs.qRef.pickFiles()"
        ui.button("Choose files").props("no-caps").on("click", js_handler=choose)
        self.files = ui.column().classes("w-full gap-0")
        self._list_files()
        earlier = [] if self.desk.folder else earlier_studies(self.desk.studies)
        if earlier:
            with ui.row().classes("gap-3"):
                ui.label("Earlier studies:")
                for name in earlier:
                    runs = fit_into(results_of_study(self.desk.studies, name)) is not None
                    ui.link(f"{name} (is being fitted)" if runs else name, f"/?study={name}")

    async def _dropped(self, event: events.MultiUploadEventArguments) -> None:
        contents = [(file.name, await file.read()) for file in event.files]
        self.files.clear()
        for name, content in contents:
            with errors_shown(self.files):
                self.desk.drop(name, content)
        self._list_files()
        self._outdated()

    def _list_files(self) -> None:
        with self.files:
            for file in self.desk.asked.files:
                with ui.row().classes("items-center w-full no-wrap"):
                    ui.label(file).classes("break-all")
                    ui.button(icon="close", on_click=partial(self._remove, file)).props(
                        f'flat round dense size=sm aria-label="remove {Path(file).name}"'
                    )

    def _remove(self, file: str) -> None:
        self.files.clear()
        with errors_shown(self.files):
            if self.running is not None:
                raise InputError(
                    "the recordings are being fitted", remedy="Wait until the fit has ended."
                )
            self.desk.remove(file)
        self._list_files()
        self._outdated()

    def _options(self) -> None:
        _heading("2  The ball")
        with _grid("sm:grid-cols-2 gap-4"):
            self._section(Ball)
        panels: dict[str, list[type[Section]]] = {}
        for section in SECTIONS[1:]:
            panels.setdefault(section.panel, []).append(section)
        with ui.expansion("More, which most recordings of a ball do not need").classes(_FRAMED):
            for panel, sections in panels.items():
                with ui.expansion(panel).classes(_FRAMED), _grid("sm:grid-cols-2 gap-4"):
                    for section in sections:
                        self._section(section)

    def _section(self, section: type[Section]) -> None:
        given = self.desk.asked.sections[section]
        self.fields[section] = show_fields(section, given, self._changed)

    def _changed(self, section: type[Section], name: str, value: Any) -> None:
        self.desk.set_option(section, name, value)
        self._outdated()

    def _outdated(self) -> None:
        """What was found belongs to other files or options."""
        self.found.clear()
        self._refresh()

    def _refresh(self) -> None:
        """Only what was checked is fitted, one fit after the other; and an answer to something else
        says so.
        """
        fresh = self.checked is self.desk.asked
        answers = self.answered is self.desk.asked
        self.other.visible = not answers and bool(self.answer.default_slot.children)
        self.answer.classes(add="" if answers else _FAINT, remove=_FAINT if answers else "")
        self.hint.visible = not fresh
        self.fit_button.set_enabled(fresh and self.running is None)

    # What check finds

    def _looked_at(self) -> None:
        _heading("3  What is in the recordings")
        with ui.row().classes("items-center"):
            self.check_button = _button("Check", self._check)
            self.reading = ui.spinner()
            self.reading.visible = False
        self.found = ui.column().classes("w-full")

    async def _check(self) -> None:
        self.checked = None
        self._outdated()
        asked = self.desk.asked
        self.check_button.disable()
        self.reading.visible = True
        with errors_shown(self.found):
            found = await in_background(self.desk.inspect)
            if asked is self.desk.asked:  # else the fields have changed meanwhile
                self._show_found(found)
                self.checked = None if found.wrong else asked
                self._keep()
        self.reading.visible = False
        self.check_button.enable()
        self._refresh()

    def _keep(self) -> None:
        """The study is found again when the page is loaded anew."""
        name = self.desk.keep()
        if name is not None:
            ui.run_javascript(f"history.replaceState(null, '', {json.dumps(f'/?study={name}')})")

    def _show_found(self, found: Inspection) -> None:
        with self.found:
            for files in tables_of(found.reports):
                _table(files.headings, files.rows)
            headline, *problems = problems_of(found) or [""]
            if headline:
                _say(headline, _WRONG)
            _list(problems, _WRONG)
            _list(remarks_of(found))
            with _grid("md:grid-cols-2 gap-2"):
                for report in found.reports:
                    part = self.desk.part_of(report.path)
                    show_curve(report, part, partial(self._use, report.path))
            learned = learned_from(found)
            if learned:
                _table(
                    ("What can be learned", "", ""),
                    [(verdict.quantity, verdict.answer, verdict.reason) for verdict in learned],
                )

    def _use(self, file: str, part: TimeInterval) -> None:
        """Look again at a part of a recording."""
        with errors_shown(self.found):
            said = self.desk.said_with_part(file, part)
            self.fields[ReadingOptions]["files"].value = as_toml(said) if said else ""
            with self.column:  # what was clicked is there no more
                ui.timer(0, self._check, once=True)

    # The fit

    def _fitted(self) -> None:
        _heading("4  The fit")
        with ui.row().classes("items-center"):
            self.fit_button = _button("Fit", self._fit)
            self.hint = ui.label("What Check finds nothing wrong with can be fitted.")
            self.busy = ui.spinner()
            self.busy.visible = False
            self.elsewhere = ui.label(BEGUN_ELSEWHERE)
            self.elsewhere.visible = False
            self.stage = ui.label()
            self.replace = ui.checkbox(REPLACE)
            self.replace.visible = self.desk.opened is not None
        self.log = ui.log().classes("w-full h-44")
        self.log.visible = False
        self.other = ui.label(OTHER).classes(f"w-full {_WRONG}")
        self.answer = ui.column().classes("w-full")

    async def _fit(self) -> None:
        self.answer.clear()
        self.answered = self.desk.asked
        with errors_shown(self.answer):
            await self._follow_to_end(RunningFit(self.desk, force=self.replace.value))

    async def _watch(self, running: RunningFit) -> None:
        """Show a fit that another page began, and what it answers."""
        self.elsewhere.visible = True
        await self._follow_to_end(running)
        self.elsewhere.visible = False
        if not self.desk.difference():
            self.answered = self.desk.asked
        self._refresh()

    async def _follow_to_end(self, running: RunningFit) -> None:
        self.running = running
        self.log.clear()
        self.log.visible = self.busy.visible = True
        self._refresh()
        shown = ui.timer(0.5, lambda: self._follow(running))
        await asyncio.wait([running.outcome])
        self.running = None
        self.answer.clear()
        with errors_shown(self.answer):
            self._show_answer(running.outcome.result())
        shown.cancel()
        self._follow(running)
        self.busy.visible = False
        self._refresh()

    def _follow(self, running: RunningFit) -> None:
        """Move what was written since to the page."""
        written = running.lines.getvalue()
        complete = written[: written.rfind("\n") + 1].splitlines()
        for line in complete[len(self.log.default_slot.children) :]:
            self.log.push(line)
        stage = running.stage
        self.stage.text = (
            "" if stage is None else f"{stage[0]}: {time.perf_counter() - stage[1]:.0f} s"
        )

    def _show_answer(self, fit: "Fit") -> None:
        believed, why = trust(fit)
        with self.answer:
            ui.label(answer(fit)).classes("text-xl font-bold")
            _say(f"{believed.value[:1].upper()}{believed.value[1:]}. {why}", "font-bold")
            _list(findings_of(fit))
        self._show_files("The report")

    def _show_earlier(self) -> None:
        """What is in the folder of the results, and whether it is of what is asked."""
        difference = self.desk.difference()
        if difference:
            with self.answer:
                _say(sentence(difference), _WRONG)
        else:
            self.answered = self.desk.asked
        self._show_files("The results of an earlier fit")

    def _show_files(self, title: str) -> None:
        shown = read_contents(self.desk.fitted_study)
        address = app.add_static_file(local_file=self.desk.report, max_cache_age=0)
        with self.answer:
            _say(f"{title}, in {self.desk.results}")
            with ui.row().classes("items-center"):
                _button("Everything (zip)", partial(self._download, self.desk.archive, shown))
                for path in (self.desk.fitted_study, self.desk.report):
                    _button(path.name, partial(self._download, partial(_file, path), shown))
                ui.link("The report in a tab of its own", address, new_tab=True)
            ui.element("iframe").props(f'src="{address}" title="{title}"').classes(
                "w-full border border-gray-300"
            ).style("height: 80vh")

    def _download(self, made: Callable[[], tuple[str, bytes]], shown: bytes) -> None:
        """What is made, as long as the results are of the study file that is shown."""
        with errors_shown(self.answer):
            if read_contents(self.desk.fitted_study) != shown:
                raise InputError(
                    "another fit has replaced these results",
                    remedy="Load the page again to see them.",
                    path=self.desk.results,
                )
            name, content = made()
            ui.download.content(content, name)


def _file(path: Path) -> tuple[str, bytes]:
    return path.name, read_contents(path)


def _opened(open_desk: Callable[[], Desk]) -> Desk:
    """The study of the page, and what is to be said of its data when it is read."""
    with warnings.catch_warnings(record=True) as changed:
        warnings.simplefilter("always", ChangedData)
        desk = open_desk()
    for warning in changed:
        if warning.category is ChangedData:
            _say(str(warning.message), _CHANGED)
    return desk


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
            _say(words_of(error), _WRONG)


def _heading(text: str, level: int = 2) -> None:
    size = "text-2xl" if level == 1 else "text-lg mt-4"
    ui.label(text).classes(f"{size} font-bold").props(f"role=heading aria-level={level}")


def _say(text: str, classes: str = "") -> None:
    ui.label(with_signs(on_page(text))).classes(f"w-full break-words {classes}")


def _list(texts: Sequence[str], classes: str = "") -> None:
    with ui.column().classes("w-full gap-1"):
        for text in texts:
            _say(f"- {text}", f"pl-3 -indent-3 {classes}")


def _button(text: str, action: Callable[[], Any]) -> ui.button:
    return ui.button(text, on_click=action).props("no-caps")


def _grid(classes: str) -> ui.element:
    return ui.element("div").classes(f"grid grid-cols-1 w-full {classes}")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    names = [f"column{number}" for number in range(len(headings))]
    ui.table(
        columns=[
            {"name": name, "label": heading, "field": name, "align": "left"}
            for name, heading in zip(names, headings, strict=True)
        ],
        rows=[
            dict(zip(names, [with_signs(on_page(cell)) for cell in row], strict=True))
            for row in rows
        ],
    ).props("dense flat bordered wrap-cells").classes("w-full")
