"""What is asked of any run that decays: columns with units, numbers from one smooth motion."""

import itertools
import os
from collections.abc import Mapping

import numpy as np

from calibration.detection.decay import Kind, Run, find_break, fit_side
from calibration.errors import InputError
from calibration.io.columns import Column
from calibration.io.headers import list_units
from calibration.io.tables import read_table

BEGINNING = 10
"""A run begins with this share of its samples, at least six."""

SURE, SLOW = 4.0, 0.1
"""Standard deviations, and share of the largest rate, from which on a rate has a sign."""


def first_rate(run: Run) -> float:
    """The rate at the first sample, at first sight."""
    count = max(6, len(run.time) // BEGINNING)
    return fit_side(run.part(0, count), float(run.time[0])).rate


def mean_slope(run: Run) -> float:
    """Slope of the rate where it moves, at first sight: a half of the run from where it is
    fastest.
    """
    half = len(run.time) // 2
    faster = run.part(0, half) if _is_faster_first(run) else run.part(half, len(run.time))
    return fit_side(faster, float(np.mean(faster.time))).slope


def directions(run: Run) -> set[float]:
    """1 where the rate is positive somewhere, -1 where it is negative somewhere, as far as quarters
    of the run are sure of it.
    """
    edges = np.linspace(0, len(run.time), 5).astype(int)
    pieces = [run.part(first, stop) for first, stop in itertools.pairwise(edges)]
    rates = [
        fit_side(piece, float(moment))
        for piece in pieces
        if len(piece.time) > run.degree
        for moment in (piece.time[0], piece.time[-1])
    ]
    largest = max(abs(rate.rate) for rate in rates)
    return {
        float(np.sign(one.rate))
        for one in rates
        if abs(one.rate) > max(SURE * one.rate_sd, SLOW * largest)
    }


def _is_faster_first(run: Run) -> bool:
    quarter = max(4, len(run.time) // 4)
    ends = run.part(0, quarter), run.part(len(run.time) - quarter, len(run.time))
    first, last = (abs(fit_side(end, float(np.mean(end.time))).rate) for end in ends)
    return first >= last


def check_unbroken(run: Run, *, path: str | None, rate: tuple[str, str], bends: str) -> None:
    """Raise ``InputError`` where a run jumps or bends.

    Args:
        run: what was measured.
        path: of the file.
        rate: what decays, and its unit.
        bends: what else slows down in this way.
    """
    found = find_break(run)
    if found is None:
        return
    name, unit = rate
    moment, before, after = found.time, found.before, found.after
    if found.kind is Kind.JUMP:
        raise InputError(
            f"at t = {moment:.4g} s the {name} jumps from {before.rate:.3g} to {after.rate:.3g} "
            f"{unit}, as at an end stop or at a push",
            path=path,
            remedy=f"Keep the part before or after t = {moment:.4g} s, in which nothing but the "
            "contact acts.",
        )
    raise InputError(
        f"at t = {moment:.4g} s the {name} changes its slope at once, from {before.slope:.3g} to "
        f"{after.slope:.3g} {unit}/s, {bends}",
        path=path,
        remedy=f"Keep the part in which the contact alone acts, after t = {moment:.4g} s if it "
        "slides before.",
    )


def check_units(
    path: str | os.PathLike[str], column: Column, key: str, columns: Mapping[str, str] | None
) -> None:
    """Raise ``InputError`` where the column of what decays names no unit: a wrong one would change
    the result by its factor, and nothing else in such a run would tell.
    """
    table = read_table(path)
    named = (columns or {}).get(key)
    for header in table.headers:
        is_meant = header.text == named if named else header.name in column.names
        of_it = header.uncertainty and header.name in (*column.names, "")
        if (is_meant or of_it) and header.unit is None:
            units = list_units(column.dimension)
            raise table.header_error(
                f"{header.text!r} has no unit, and nothing else in a run that decays tells it",
                remedy=f"Write it behind the name, {header.text} [{units.split(', ')[0]}]; known "
                f"are {units}.",
                header=header,
            )
