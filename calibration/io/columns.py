"""Columns of a text file by the names that people give them, in SI units."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.errors import InputError
from calibration.io.headers import Header, listed
from calibration.io.tables import Table, read_table


class Column(NamedTuple):
    """A column that a measurement may have: headers in lower case by which it is known, its
    dimension, and the factor from the unit that this dimension is read in to that of the
    measurement.
    """

    names: tuple[str, ...]
    dimension: str
    factor: float = 1.0


TIME = Column(
    (
        "t",
        "time",
        "zeit",
        "temps",
        "onset",
        "impact",
        "impact_time",
        "bounce_time",
        "bounce",
        "click",
    ),
    "time",
)


def read_columns(
    path: str | os.PathLike[str],
    wanted: Mapping[str, Column],
    *,
    needed: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
) -> tuple[dict[str, np.ndarray], str]:
    """The columns of a file that are there, and the name of the file without suffix.

    Args:
        path: of the file.
        wanted: what may be there, by the name of the argument that takes it.
        needed: what must be there.
        columns: headers that are called otherwise, by the name of the argument.

    Raises:
        InputError: with the file, line and column, and what to do.
    """
    table, found = read_table(path), {}
    for key in columns or {}:
        if key not in wanted:
            raise InputError(
                f"columns names {key!r}, which is not read here",
                remedy=f"Use {', '.join(wanted)}.",
                path=table.path,
            )
    for key, column in wanted.items():
        header = (
            table.find(columns[key]) if columns and key in columns else _header(table, key, column)
        )
        if header is not None:
            table.check_unit(header, column.dimension)
            factor = (
                header.unit.factor if header.unit is not None else 1.0 / column.factor
            ) * column.factor
            found[key] = factor * table.column(header)
    missing = [key for key in needed if key not in found]
    if missing:
        raise table.header_error(
            f"there is no column of {', '.join(missing)}. The columns are {listed(table.headers)}",
            remedy=f"Rename one to {wanted[missing[0]].names[0]!r}, or say which it is: "
            f"columns={{{missing[0]!r}: ...}}.",
        )
    return found, Path(path).stem


def _header(table: Table, key: str, column: Column) -> Header | None:
    """The column that is called so; where the file has a single one, that."""
    uncertain = key.startswith("sigma")
    fits = [
        header
        for header in table.headers
        if header.name in (*column.names, "" * uncertain) and header.uncertainty == uncertain
    ]
    if not fits and not uncertain and len(table.headers) == 1:
        return table.headers[0]
    return table.only(fits, key, key=key) if fits else None
