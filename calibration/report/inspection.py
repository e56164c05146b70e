"""What is in the files and what can be learned from them, for a terminal or a pipe."""

import math
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from calibration.inspection import FileReport, Verdict, extent, interval
from calibration.report.quantity import value_and_sd
from calibration.report.sentences import metres, sentence

MOST_NAMES = 4
_COLOUR = {"yes": "green", "perhaps": "yellow", "no": "red"}


def print_inspection(reports: Sequence[FileReport], verdicts: Sequence[Verdict], *, console: Console) -> None:
    """Print a line for each file, what the reading noticed, what can be learned, and what is wrong with which file."""
    for table in (_recordings(reports), _impact_tables(reports)):
        if table.row_count:
            console.print(table, soft_wrap=False)
            console.print()
    remarks: dict[str, list[str]] = {}
    for report in reports:
        for remark in report.remarks:
            remarks.setdefault(remark, []).append(report.name)
    for remark, names in remarks.items():
        _say(console, f"- {', '.join(names) if len(names) <= MOST_NAMES else f'{len(names)} files'}: {sentence(remark)}")
    if remarks:
        console.print()
    if verdicts:
        table = _table("What can be learned", "", "")
        for verdict in verdicts:
            table.add_row(verdict.quantity, f"[{_COLOUR[verdict.answer]}]{verdict.answer}[/]", verdict.reason)
        console.print(table)
    unusable = [report for report in reports if report.problem is not None]
    if unusable:
        console.print(f"\n{len(unusable)} of {len(reports)} files cannot be used:", style="bold red")
        for report in unusable:
            _say(console, f"- {report.problem}")
    elif {report.table is None for report in reports} == {True, False}:
        _say(console, "\nRecordings and tables of impacts are fitted one kind at a time.")


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", justify="left", no_wrap=number == 0 and len(headings) == 3)
    return table


def _recordings(reports: Sequence[FileReport]) -> Table:
    table = _table("recording", "samples", "per s", "axes", "bounces", "restitution", "speed m/s", "noise")
    for report in reports:
        recording, reading = report.recording, report.reading
        if recording is None or reading is None:
            continue
        speeds = [-bounce.velocity_before[2] for bounce in reading.bounces]
        table.add_row(
            report.name,
            str(len(recording.time)),
            f"{1 / interval(recording):.4g}",
            " ".join(recording.axes),
            str(len(reading.bounces)),
            value_and_sd(reading.restitution, reading.restitution_sd) if reading.bounces else "-",
            extent(speeds) if speeds else "-",
            metres(float(np.nanmax(reading.noise, initial=math.nan)) if np.isfinite(reading.noise).any() else math.nan),
        )
    return table


def _impact_tables(reports: Sequence[FileReport]) -> Table:
    table = _table("table of impacts", "impacts", "angle deg", "speed m/s", "measured")
    for report in reports:
        if report.table is None:
            continue
        speeds = report.table.impact_speed[np.isfinite(report.table.impact_speed)]
        table.add_row(
            report.name,
            str(len(report.table)),
            extent(report.table.impact_angle),
            extent(speeds) if len(speeds) else "not known",
            ", ".join(name.replace("_", " ") for name in report.table.measured),
        )
    return table
