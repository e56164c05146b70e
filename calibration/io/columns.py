"""Columns of a text file by the names that people give them, in the units of a measurement."""

import os
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from calibration.errors import InputError
from calibration.io.headers import Header, advise_columns, list_headers
from calibration.io.interval import EVERYTHING, TimeInterval, within
from calibration.io.names import stem_of
from calibration.io.pauses import check_pauses
from calibration.io.tables import Table, read_table


class Column(NamedTuple):
    """A column that a measurement may have: headers in lower case by which it is known, its
    dimension, the factor from the unit that this dimension is read in to that of the measurement,
    and headers by which it is known where no other one is there.
    """

    names: tuple[str, ...]
    dimension: str
    factor: float = 1.0
    else_names: tuple[str, ...] = ()


TIME = Column(
    (
        "t",
        "time",
        "zeit",
        "temps",
        "onset",
        "impact_time",
        "bounce_time",
    ),
    "time",
    else_names=("impact", "bounce", "click"),  # beside times, they count
)


def read_columns(
    path: str | os.PathLike[str],
    wanted: Mapping[str, Column],
    *,
    needed: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
    interval: TimeInterval = EVERYTHING,
) -> tuple[dict[str, np.ndarray], str]:
    """Read the columns of a file that a measurement knows.

    Args:
        path: the file.
        wanted: columns that may be there, by the name of the argument that takes them.
        needed: names of those that must be there.
        columns: headers that are called otherwise, by the name of the argument.
        interval: first and last time of the samples that are used [s], as the file has them.

    Returns:
        The columns that are there, in the units of the measurement, by name; and the name of the
        file without suffix.

    Raises:
        InputError: with the file, line and column, and what to do.
    """
    table = read_table(path)
    values: dict[str, np.ndarray] = {}
    for key in columns or {}:
        if key not in wanted:
            raise InputError(
                f"columns names {key!r}, which is not read here",
                remedy=f"Use {', '.join(wanted)}.",
                path=table.path,
            )
    for key, column in wanted.items():
        if columns and key in columns:
            header: Header | None = table.find(columns[key])
        else:
            header = _find_header(table, key, column)
        if header is None:
            continue
        table.check_unit(header, column.dimension)
        # A column without a unit is in that of the measurement already.
        unit = header.unit.factor if header.unit is not None else 1.0 / column.factor
        values[key] = unit * column.factor * table.column(header)
        if column is TIME and not header.uncertainty:
            check_pauses(table, header, values[key])
    missing = [key for key in needed if key not in values]
    if missing:
        raise table.header_error(
            f"there is no column of {', '.join(missing)}. The columns are "
            f"{list_headers(table.headers)}",
            remedy=f"Rename one to {wanted[missing[0]].names[0]!r}, or say which it is: "
            f"{advise_columns(missing[0])}.",
        )
    if interval != EVERYTHING and "times" in values:
        rows = within(values["times"], interval, path=table.path)
        values = {key: column[rows] for key, column in values.items()}
    return values, stem_of(path)


def _find_header(table: Table, key: str, column: Column) -> Header | None:
    """The column with one of the names; where the file has a single column, that one."""
    uncertain = key.startswith("sigma")

    def called(names: tuple[str, ...]) -> list[Header]:
        return [
            header
            for header in table.headers
            if header.name in names and header.uncertainty == uncertain
        ]

    fits = called((*column.names, "" * uncertain)) or called(column.else_names)
    if not fits and not uncertain and len(table.headers) == 1:
        return table.headers[0]
    return table.choose(fits, key, key=key) if fits else None
