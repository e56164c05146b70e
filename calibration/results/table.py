"""The result of a fit as a table for a terminal, a pipe or a file of text."""

import math
import statistics
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from calibration.results import residuals, sentences
from calibration.results.encoding import can_encode
from calibration.results.estimate import Determination, Estimate
from calibration.results.findings import LEADING, findings_of, gathered_remarks
from calibration.results.fitted_data import FittedRecording, FittedSeries
from calibration.results.numbers import (
    found,
    has_interval,
    plain,
    relative_error,
    rounded_like,
    short_status,
)
from calibration.results.residual_check import FAMILY_LEVEL
from calibration.results.summary import FitSummary, spell_summary

_GAP = "  "
_INDENT = "    "
_MAX_WIDTH = 110  # a line of text wider than this is hard to read
_MIN_LABEL_WIDTH = 14
_MAX_PAIRS = 8
_MAX_REMARKS = 8
_MAX_FOLDED = 3

CHECKS = (
    "Residuals (where model and noise are right, any of these fails in at most "
    f"{100 * FAMILY_LEVEL:g} % of fits)"
)

_HEADING = "bold"
_GOOD = "green"
_DOUBT = "yellow"
_BAD = "bold red"

Line = tuple[str, str]  # text and style


@dataclass(frozen=True)
class FitTable:
    """What `fit_table` gives: printed by any rich console, in its width, colour and encoding."""

    fit: FitSummary
    folded: bool = False
    checked: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, with letters that the terminal does not have written out."""
        has = can_encode(options.encoding)
        for text, style in _lines(
            spell_summary(self.fit, has=has, checked=self.checked),
            min(options.max_width, _MAX_WIDTH),
            folded=self.folded,
        ):
            yield Text(text, style=style)


def fit_table(fit: FitSummary, *, folded: bool = False, checked: bool = False) -> FitTable:
    """The table a person reads: parameters with standard errors, how well the model explains the
    data, what is left open.

    A parameter that the data do not determine has no number but the reason. Fits a terminal of 80
    columns.

    Args:
        fit: the result.
        folded: whether the findings that matter most come first, and the rest is only counted.
        checked: whether the checks of the residuals are shown, too.

    Returns:
        something that ``rich.console.Console.print`` takes.
    """
    return FitTable(fit, folded, checked)


def print_fit(
    fit: FitSummary,
    *,
    console: Console | None = None,
    folded: bool = False,
    checked: bool = False,
) -> None:
    """Print the table: in colour on a terminal, plain in a pipe.

    Args:
        fit: the result.
        console: where to; standard output by default.
        folded: whether the findings that matter most come first, and the rest is only counted.
        checked: whether the checks of the residuals are shown, too.
    """
    (console or Console()).print(fit_table(fit, folded=folded, checked=checked))


def fit_text(
    fit: FitSummary, *, width: int = 80, encoding: str = "ascii", folded: bool = False
) -> str:
    """The table as plain text that can be printed anywhere.

    Args:
        fit: the result.
        width: of the longest line, in characters.
        encoding: letters that it does not have are written out (the Greek letter as ``mu``);
            ``"utf-8"`` leaves all as they are.
        folded: whether the findings that matter most come first, and the rest is only counted.
    """
    spelled = spell_summary(fit, has=can_encode(encoding))
    return "".join(f"{text}\n" for text, _ in _lines(spelled, width, folded=folded))


def _lines(fit: FitSummary, width: int, *, folded: bool = False) -> Iterator[Line]:
    yield from _wrapped(sentences.sentence(fit.model), width, style=_HEADING)
    for text in sentences.simulations(fit.simulations):
        yield from _wrapped(text, width, style=_BAD)
    if not fit.converged:
        yield from _wrapped(sentences.sentence(sentences.convergence(fit)), width, style=_BAD)
    findings = findings_of(fit)
    if folded and findings:
        yield "", ""
        for text in findings[:LEADING]:
            yield from _wrapped(text, width, first="- ", indent="  ", style=_DOUBT)
    yield "", ""
    yield from _parameters(fit, width)
    yield "", ""
    yield from _quality(fit, width)
    for heading, lines in (
        (
            "Correlations above 0.5 (such a pair is known less well apart than together)",
            _correlations(fit, width),
        ),
        ("Each column of the table by itself", _columns(fit, width)),
        ("Each recording by itself", _recordings(fit, width, folded=folded)),
        (CHECKS, _checks(fit, width)),
        ("Remarks", () if folded else _general_remarks(fit, width)),
    ):
        body = list(lines)
        if body:
            yield "", ""
            yield from _wrapped(heading, width, style=_HEADING)
            yield from body
    if folded:
        gathered = gathered_remarks(_trials(fit))
        yield from _folded(max(len(findings) - LEADING, 0), max(len(gathered) - _MAX_FOLDED, 0))


def _folded(findings: int, remarks: int) -> Iterator[Line]:
    """One line on what was not printed."""
    more = [
        f"{count} more {word}{'' if count == 1 else 's'}"
        for count, word in ((findings, "finding"), (remarks, "remark"))
        if count
    ]
    if more:
        yield "", ""
        yield f"{' and '.join(more)} in report.html / --verbose", ""


# Parameters


def _parameters(fit: FitSummary, width: int) -> Iterator[Line]:
    """One line a parameter; its note, where it has one, indented below."""
    estimates = list(fit.parameters.values())
    values = _aligned([found(estimate) for estimate in estimates])
    cells = [
        [
            value,
            relative_error(estimate),
            estimate.unit or "-",
            plain(estimate.start),
            short_status(estimate),
        ]
        for value, estimate in zip(values, estimates, strict=True)
    ]
    header = ["value +- sd", "sd", "unit", "start", "status"]
    widths = _widths([header, *cells])
    titles = list(sentences.titles(fit).values())
    room = max(width - sum(widths) - len(_GAP) * len(widths), _MIN_LABEL_WIDTH)
    label_width = min(max(map(len, [*titles, "parameter"])), room)
    yield _row("parameter", header, label_width, widths), _HEADING
    yield "-" * (label_width + sum(widths) + len(_GAP) * len(widths)), ""
    for text, estimate, row in zip(titles, estimates, cells, strict=True):
        style = "" if estimate.status in (Determination.DETERMINED, Determination.FIXED) else _DOUBT
        first, *rest = textwrap.wrap(text, label_width) or [""]
        yield _row(first, row, label_width, widths), style
        yield from ((f"  {part}", style) for part in rest)
        if estimate.note:
            yield from _wrapped(
                sentences.sentence(estimate.note), width, indent=_INDENT, style=style
            )


def _row(label: str, cells: Sequence[str], label_width: int, widths: Sequence[int]) -> str:
    """Label, value and text columns to the left, numbers to the right."""
    value, relative, unit, start, status = cells
    return _GAP.join(
        (
            label.ljust(label_width),
            value.ljust(widths[0]),
            relative.rjust(widths[1]),
            unit.ljust(widths[2]),
            start.rjust(widths[3]),
            status,
        )
    )


def _aligned(texts: Sequence[str]) -> list[str]:
    """The texts with the signs ``+-`` one below the other."""
    before = max((len(text.partition(" +-")[0]) for text in texts), default=0)
    return [
        text.partition(" +-")[0].rjust(before) + "".join(text.partition(" +-")[1:])
        for text in texts
    ]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


# How good the fit is


def _quality(fit: FitSummary, width: int) -> Iterator[Line]:
    yield from _wrapped(
        sentences.sentence(sentences.misfit(fit)), width, style=_GOOD if fit.explained else _BAD
    )
    if fit.doubt is None:
        yield from _wrapped(sentences.capitalised(sentences.error_scale_factor(fit)), width)
    if fit.converged:
        yield from _wrapped(sentences.sentence(sentences.convergence(fit)), width)


def _correlations(fit: FitSummary, width: int) -> Iterator[Line]:
    lines = sentences.correlations(fit)
    for line in lines[:_MAX_PAIRS]:
        yield from _wrapped(line, width, indent="  ")
    if len(lines) > _MAX_PAIRS:
        yield f"  and {len(lines) - _MAX_PAIRS} more", ""


def _checks(fit: FitSummary, width: int) -> Iterator[Line]:
    """One line a check, what it found below, and what to do where it fails."""
    size = max((len(check.name) for check in fit.residual_checks), default=0)
    for check in fit.residual_checks:
        chance = f"chance {check.chance:.3f}" if math.isfinite(check.chance) else ""
        line = f"  {check.name:<{size}}  {check.verdict:<6}  {chance}".rstrip()
        yield line, _BAD if check.passed is False else ""
        yield from _wrapped(sentences.sentence(check.comment), width, indent=_INDENT)
        if check.remedy:
            yield from _wrapped(
                sentences.sentence(check.remedy), width, indent=_INDENT, style=_DOUBT
            )


def _general_remarks(fit: FitSummary, width: int) -> Iterator[Line]:
    for text in fit.warnings:
        yield from _wrapped(sentences.sentence(text), width, first="- ", indent="  ", style=_DOUBT)


# Columns of an impact table


def _columns(fit: FitSummary, width: int) -> Iterator[Line]:
    if not fit.columns:
        return
    rows = [
        (
            sentences.without_unit(column.label),
            str(residuals.used(column)),
            f"{column.chi2:.4g}",
            _per_value(column.chi2, residuals.used(column)),
        )
        for column in fit.columns
    ]
    yield from _grid(("", "values", "chi2", "chi2/values"), rows, width)
    for name, text in sentences.titles(fit).items():
        yield from _column_estimates(fit, name, text, width)


def _column_estimates(fit: FitSummary, name: str, text: str, width: int) -> Iterator[Line]:
    """The joint estimate of a parameter and that of each column which has one."""
    joint = fit.parameters[name]
    alone = [
        (sentences.without_unit(column.label), column.alone[name])
        for column in fit.columns
        if name in column.alone
    ]
    if not alone:
        return
    yield "", ""
    unit = f" [{joint.unit}]" if joint.unit not in ("", "-") else ""
    estimates = [joint, *(estimate for _, estimate in alone)]
    numbers = [
        found(estimate) if found(estimate) != "-" else short_status(estimate)
        for estimate in estimates
    ]
    distances = ["", *(_distance(estimate, joint) for _, estimate in alone)]
    rows = list(
        zip(
            ["all together", *(f"{label} alone" for label, _ in alone)],
            _aligned(numbers),
            distances,
            strict=True,
        )
    )
    yield from _grid((f"{text}{unit}", "value +- sd", "off by"), rows, width, left=(1,))


def _distance(alone: Estimate, joint: Estimate) -> str:
    """From the joint estimate, in standard deviations of the column's own."""
    if not (has_interval(alone) and math.isfinite(joint.value)):
        return "-"
    return f"{(alone.value - joint.value) / alone.sd:+.1f} sd"


def _per_value(chi2: float, count: int) -> str:
    return f"{chi2 / count:.2g}" if count else "-"


# Recordings


def _recordings(fit: FitSummary, width: int, *, folded: bool) -> Iterator[Line]:
    trials = _trials(fit)
    if not trials:
        return
    yield from _nuisance(trials, width)
    size = [(residuals.rms(recording), recording.name) for recording in fit.recordings]
    size = sorted(pair for pair in size if math.isfinite(pair[0]))
    if size:
        median, (worst, name) = statistics.median(value for value, _ in size), size[-1]
        several = (
            f", {sentences.metres(size[0][0])} to {sentences.metres(worst)} (largest: {name})"
            if len(size) > 1
            else ""
        )
        yield from _wrapped(
            f"Residual rms {sentences.metres(median)}{several}.", width, indent="  "
        )
    yield from _remarks(fit, width, folded=folded)


def _trials(fit: FitSummary) -> list[FittedRecording | FittedSeries]:
    """What has nuisance quantities or remarks of its own."""
    return [*fit.recordings, *(one for one in fit.series if one.nuisance)]


def _nuisance(trials: Sequence[FittedRecording | FittedSeries], width: int) -> Iterator[Line]:
    """Value of each nuisance quantity: for one recording with its sd, for several the median, the
    range and the typical sd.
    """
    names = list(
        dict.fromkeys(
            name
            for trial in trials
            for name, estimate in trial.nuisance.items()
            if not estimate.status.withdrawn
        )
    )
    every = {
        name: [trial.nuisance[name] for trial in trials if name in trial.nuisance] for name in names
    }
    if not names:
        return
    if len(trials) == 1:
        values = _aligned([found(estimates[0]) for estimates in every.values()])
        rows = [
            (
                sentences.title(estimates[0]),
                value,
                estimates[0].unit or "-",
                short_status(estimates[0]),
            )
            for value, estimates in zip(values, every.values(), strict=True)
        ]
        yield from _grid(
            (trials[0].name, "value +- sd", "unit", "status"), rows, width, left=(1, 2, 3)
        )
        return
    header = (f"{len(trials)} recordings", "median", "lowest to highest", "typical sd", "unit")
    yield from _grid(
        header, [_summary(estimates) for estimates in every.values()], width, left=(4,)
    )
    left_out = []
    for estimates in every.values():
        doubtful = sum(
            estimate.status not in (Determination.DETERMINED, Determination.FIXED)
            for estimate in estimates
        )
        if doubtful:
            left_out.append(f"{sentences.title(estimates[0])}, {doubtful} of {len(estimates)}")
    if left_out:
        text = f"Left out, not determined, at a bound or never moved: {'; '.join(left_out)}."
        yield from _wrapped(text, width, indent="  ", style=_DOUBT)


def _summary(estimates: Sequence[Estimate]) -> tuple[str, str, str, str, str]:
    """Label, median, range, typical sd and unit of one nuisance quantity over the recordings that
    determine it.
    """
    sure = [one for one in estimates if has_interval(one)] or [
        one for one in estimates if one.status is Determination.FIXED and math.isfinite(one.value)
    ]
    label, unit = sentences.title(estimates[0]), estimates[0].unit or "-"
    if not sure:
        return label, "-", "-", "-", unit
    values = [estimate.value for estimate in sure]
    sd = statistics.median(estimate.sd for estimate in sure)
    return (
        label,
        rounded_like(statistics.median(values), sd),
        sentences.range_of(values, sd),
        f"{sd:.2g}" if sd > 0 else "-",
        unit,
    )


def _remarks(fit: FitSummary, width: int, *, folded: bool) -> Iterator[Line]:
    """What the reading noticed, each kind of remark once with the recordings it was made on."""
    gathered = gathered_remarks(_trials(fit))
    shown = _MAX_FOLDED if folded else _MAX_REMARKS
    for text in gathered[:shown]:
        yield from _wrapped(text, width, first="- ", indent="  ")
    if len(gathered) > shown and not folded:
        yield f"  and {len(gathered) - shown} more remarks", ""


# Layout


def _grid(
    header: Sequence[str], rows: Iterable[Sequence[str]], width: int, *, left: tuple[int, ...] = ()
) -> Iterator[Line]:
    """Columns under their headings; the first and those in ``left`` begin at the left, the others
    end at the right.
    """
    table = [tuple(header), *rows]
    widths = _widths(table)
    room = width - sum(widths[1:]) - len(_GAP) * len(widths)
    widths[0] = min(widths[0], max(room, _MIN_LABEL_WIDTH))
    for index, (label, *cells) in enumerate(table):
        style = _HEADING if index == 0 else ""
        start, *rest = textwrap.wrap(label, widths[0]) or [""]
        padded = [
            cell.ljust(size) if number in left else cell.rjust(size)
            for number, (cell, size) in enumerate(zip(cells, widths[1:], strict=True), start=1)
        ]
        yield (_GAP + _GAP.join((start.ljust(widths[0]), *padded))).rstrip(), style
        yield from ((f"{_GAP}  {part}", style) for part in rest)


def _wrapped(
    text: str, width: int, *, first: str | None = None, indent: str = "", style: str = ""
) -> Iterator[Line]:
    start = indent if first is None else first
    return (
        (line, style)
        for line in textwrap.wrap(text, width, initial_indent=start, subsequent_indent=indent)
    )
