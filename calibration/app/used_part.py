"""A curve on the page with its bounces, and the part of it that is used: what a study says of a
file by ``from`` and ``until``. A bounce is left out with all before it or all after it, as what
lies between two bounces that are used is used.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

from nicegui import events, ui

from calibration.app.curve import BOUNCE, bounces_on_curve
from calibration.io.interval import EVERYTHING, TimeInterval
from calibration.studies.file_report import FileReport

Use = Callable[[TimeInterval], None]
"""Is called with the first and the last time that is to be used [s], infinite for no end."""

HINT = "Click a bounce to leave it out, with all before it or all after it."


def show_curve(report: FileReport, used: TimeInterval, use: Use) -> None:
    """The curve of a trajectory; of another file what part of it was asked for, if any.

    Args:
        report: on the file.
        used: which part was asked for.
        use: called when another part is asked for.
    """
    curve, reading = bounces_on_curve(report), report.reading
    moments = [] if reading is None else [bounce.time for bounce in reading.bounces]
    if curve is None and used == EVERYTHING:
        return

    def offer(clicked: events.EChartPointClickEventArguments) -> None:
        if clicked.series_name == BOUNCE:
            _offer(moments, clicked.data_index, used, use)

    with ui.column().classes("w-full gap-0"):
        if curve is not None:
            ui.echart(curve, on_point_click=offer).classes("w-full h-72")
        else:
            ui.label(report.name)
        with ui.row().classes("items-end gap-4"):
            _end("use from [s]", used[0], lambda time: use((time, used[1])), nowhere=-math.inf)
            _end("use until [s]", used[1], lambda time: use((used[0], time)), nowhere=math.inf)
            ui.label(HINT if len(moments) > 1 else "").classes("small")


def _end(label: str, time: float, change: Callable[[float], None], *, nowhere: float) -> None:
    """A field for an end of the part, which holds when it is left, or with the key Enter; empty
    where the part has no end.
    """
    field = ui.number(label=label, value=None if time == nowhere else time)
    field.props("dense").classes("w-28")

    def hold() -> None:
        given = nowhere if field.value is None else field.value
        if given != time:
            change(given)

    field.on("blur", hold).on("keydown.enter", hold)


def _offer(moments: Sequence[float], clicked: int, used: TimeInterval, use: Use) -> None:
    """Ask what is left out with a bounce."""

    def chosen(part: TimeInterval) -> None:
        dialog.close()
        use(part)

    with ui.dialog() as dialog, ui.card():
        ui.label(f"The bounce at {moments[clicked]:.4g} s").classes("font-bold")
        for text, part in parts_without(moments, clicked, used).items():
            ui.button(text, on_click=partial(chosen, part)).props("no-caps")
        ui.button("Keep it", on_click=dialog.close).props("no-caps flat")
    dialog.open()


def parts_without(
    moments: Sequence[float], left_out: int, used: TimeInterval
) -> dict[str, TimeInterval]:
    """The parts of a recording that do not hold a bounce, but another one, in words; they end in
    the middle of a flight.

    Args:
        moments: of all bounces [s].
        left_out: place of the bounce among them.
        used: the present part.
    """
    parts = {}
    if left_out + 1 < len(moments):
        middle = (moments[left_out] + moments[left_out + 1]) / 2
        parts["Leave it out, and all before it"] = (float(f"{middle:.6g}"), used[1])
    if left_out > 0:
        middle = (moments[left_out - 1] + moments[left_out]) / 2
        parts["Leave it out, and all after it"] = (used[0], float(f"{middle:.6g}"))
    return parts
