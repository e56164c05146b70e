"""What is in the files and what can be learned from them, for a terminal or a pipe."""

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from calibration.measurements import RollingDecay
from calibration.measurements.decaying_run import mean_slope
from calibration.results.findings import gathered, gathered_remarks
from calibration.results.numbers import value_and_sd
from calibration.results.sentences import metres
from calibration.studies.file_report import FileReport
from calibration.studies.inspection import Verdict, extent
from calibration.studies.plausibility.finding import is_meaningless
from calibration.studies.recording_remarks import sampling_interval
from calibration.studies.steps.inspected import Inspection

Row = tuple[str, ...]
"""Texts of the columns."""

_COLOUR = {"yes": "green", "perhaps": "yellow", "no": "red"}


@dataclasses.dataclass(frozen=True)
class FilesTable:
    """One line for each file of a kind.

    Attributes:
        headings: of the columns.
        rows: texts.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def print_inspection(found: Inspection, *, console: Console) -> None:
    """Print a line for each file, what the reading noticed, what can be learned, and what is wrong
    with which file.

    Args:
        found: in the files.
        console: where to print.
    """
    for files in tables_of(found.reports):
        table = _table(*files.headings)
        for row in files.rows:
            table.add_row(*row)
        console.print(table, soft_wrap=False)
        console.print()
    remarks = remarks_of(found)
    for text in remarks:
        _say(console, f"- {text}")
    if remarks:
        console.print()
    learned = learned_from(found)
    if learned:
        table = _table("What can be learned", "", "")
        for verdict in learned:
            table.add_row(
                verdict.quantity, f"[{_COLOUR[verdict.answer]}]{verdict.answer}[/]", verdict.reason
            )
        console.print(table)
    headline, *problems = problems_of(found) or [""]
    if problems:
        console.print(f"\n{headline}", style="bold red")
        for text in problems:
            _say(console, f"- {text}")
    elif headline:
        _say(console, f"\n{headline}")


def tables_of(reports: Sequence[FileReport]) -> list[FilesTable]:
    """A table for each kind of file, with those that were read."""
    tables = (
        FilesTable(headings, [row for report in reports if (row := row_of(report)) is not None])
        for headings, row_of in _KINDS
    )
    return [table for table in tables if table.rows]


def remarks_of(found: Inspection) -> list[str]:
    """What speaks against the files together, and what the reading noticed."""
    return [
        *(finding.sentence for finding in found.findings),
        *gathered_remarks(found.reports),
    ]


def learned_from(found: Inspection) -> Sequence[Verdict]:
    """What can be learned; nothing where nothing is to be believed."""
    return () if is_meaningless(found.findings) else found.verdicts


def problems_of(found: Inspection) -> list[str]:
    """What is wrong: a headline, and what is wrong with each file; nothing where all can be
    fitted.
    """
    reports = found.reports
    unusable = [report for report in reports if report.problem is not None]
    if unusable:
        return [
            f"{len(unusable)} of {len(reports)} files cannot be used:",
            *_problems(unusable, len(reports)),
        ]
    if found.mixed:
        return [
            "Recordings of one ball and of two bodies, tables of impacts, sounds, forces and runs "
            "to rest are fitted one kind at a time."
        ]
    return []


def _problems(unusable: Sequence[FileReport], count: int) -> list[str]:
    """What is wrong with each file; what is wrong with several alike is said once."""
    told = [(report.path, report.problem) for report in unusable if report.problem is not None]
    alike = [
        (path, f"{problem.problem.removesuffix('.')}. {problem.remedy}".strip())
        for path, problem in told
        if problem.line is None and problem.column is None
    ]
    at_places = [
        str(problem)
        for _, problem in told
        if problem.line is not None or problem.column is not None
    ]
    return at_places + gathered(alike, count, all_named=True)


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(
            heading, overflow="fold", justify="left", no_wrap=number == 0 and len(headings) == 3
        )
    return table


def _recording(report: FileReport) -> Row | None:
    recording, reading = report.recording, report.reading
    if recording is None or reading is None:
        return None
    speeds = [-bounce.velocity_before[2] for bounce in reading.bounces]
    believed = bool(reading.bounces) and report.problem is None
    return (
        report.name,
        str(len(recording.time)),
        f"{1 / sampling_interval(recording):.4g}",
        " ".join(recording.axes),
        str(len(reading.bounces)),
        value_and_sd(reading.restitution, reading.restitution_sd) if believed else "-",
        extent(speeds) if believed else "-",
        metres(
            float(np.nanmax(reading.noise, initial=math.nan))
            if np.isfinite(reading.noise).any()
            else math.nan
        ),
    )


def _impact_table(report: FileReport) -> Row | None:
    if report.table is None:
        return None
    speeds = report.table.impact_speed[np.isfinite(report.table.impact_speed)]
    return (
        report.name,
        str(len(report.table)),
        extent(report.table.impact_angle),
        extent(speeds) if len(speeds) else "not known",
        ", ".join(name.replace("_", " ") for name in report.table.measured),
    )


def _decay(report: FileReport) -> Row | None:
    run = report.decay
    if run is None:
        return None
    (quantity,) = run.quantities
    rate = "m/s^2" if isinstance(run, RollingDecay) else "rad/s^2"
    return (
        report.name,
        str(len(run.time)),
        f"{run.time[-1] - run.time[0]:.3g}",
        quantity,
        f"{abs(mean_slope(run.run)):.3g} {rate}",
        f"{run.run.noise:.2g}",
    )


def _sound(report: FileReport) -> Row | None:
    impacts = report.impacts
    if report.sounds is None or impacts is None:
        return None
    return (
        report.name,
        str(report.sounds.time.size),
        str(len(impacts.bounces)),
        f"about {impacts.restitution:.3g}",
        f"about {impacts.speed:.2g}",
        f"{1e3 * impacts.noise:.2g} ms",
    )


def _force(report: FileReport) -> Row | None:
    if report.force is None:
        return None
    force, time = report.force, report.force.time
    longest = max(time[stop - 1] - time[first] for first, stop in force.pulses)
    return (
        report.name,
        str(time.size),
        f"{1 / np.median(np.diff(time)):.4g}",
        str(len(force.pulses)),
        f"{np.nanmax(force.normal):.3g}",
        f"{1e3 * longest:.2g}",
    )


def _collision(report: FileReport) -> Row | None:
    found = report.collision
    if found is None:
        return None
    recording = report.bodies[0]
    return (
        report.name,
        f"{sum(found.before)}+{sum(found.after)}",
        f"{1 / sampling_interval(recording):.4g}",
        " ".join(recording.axes),
        f"{found.touch:.4g}",
        value_and_sd(found.restitution, found.restitution_sd)
        if math.isfinite(found.restitution)
        else "-",
        f"{found.approach_speed:.3g}",
        f"{found.slip_speed:.3g}",
        value_and_sd(found.impulse_ratio, found.impulse_ratio_sd),
        metres(float(np.max(found.noise))),
    )


_KINDS: tuple[tuple[Row, Callable[[FileReport], Row | None]], ...] = (
    (
        ("recording", "samples", "per s", "axes", "bounces", "restitution", "speed m/s", "noise"),
        _recording,
    ),
    (("table of impacts", "impacts", "angle deg", "speed m/s", "measured"), _impact_table),
    (("times of impacts", "sounds", "impacts", "restitution", "first speed m/s", "noise"), _sound),
    (("force trace", "samples", "per s", "pulses", "largest N", "longest ms"), _force),
    (
        (
            "recording of two",
            "samples",
            "per s",
            "axes",
            "touch s",
            "restitution",
            "speed m/s",
            "across m/s",
            "impulse t/n",
            "noise",
        ),
        _collision,
    ),
    (("run to rest", "samples", "seconds", "measured", "slows by", "noise"), _decay),
)
"""Of each kind of file: the headings of its table, and its row for a file of the kind."""
