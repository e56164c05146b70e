"""Recordings from columns that are in memory: a table of pandas, arrays by name."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.errors import InputError
from calibration.io.headers import parse_header
from calibration.io.recording import Recording, recording_of
from calibration.io.rows import TextRows
from calibration.io.tables import Table


class Columns(Protocol):
    """Columns by their headers: a ``DataFrame`` of pandas, a dictionary of arrays."""

    def keys(self) -> Iterable[str]:
        """The headers."""
        ...

    def __getitem__(self, header: str, /) -> ArrayLike:
        """The numbers (rows,) of a column."""
        ...


def recording_from(
    table: Columns,
    *,
    name: str,
    columns: Mapping[str, str] | None = None,
    scale: float | None = None,
    frame_rate: float | None = None,
    vertical: str | None = None,
    sigma: float | Mapping[str, float] | None = None,
) -> Recording:
    """The recording in columns that are in memory, by the rules of ``read_trajectory``.

    Args:
        table: numbers (rows,) by headers such as ``"t (s)"`` and ``"z (mm)"``, NaN for gaps: a
            ``DataFrame`` of pandas, or a dictionary of arrays.
        name: of the recording.
        columns: which header holds what, as for ``read_trajectory``; so are the next ones.
        scale: metres per pixel.
        frame_rate: frames per second.
        vertical: the axis that points up.
        sigma: standard deviation [m] of every position, or of each axis.

    Raises:
        InputError: columns of different lengths, or what ``read_trajectory``
            raises.

    Example:
        >>> time = np.arange(6) / 100
        >>> film = {"t (s)": time, "z (mm)": 500 - 9810 / 2 * time**2}
        >>> drop = cal.recording_from(film, name="film")
        >>> drop.position[:2, 2].round(6).tolist()
        [0.5, 0.49951]
    """
    headers = [str(header) for header in table.keys()]  # noqa: SIM118, a DataFrame iterates too
    values = [np.asarray(table[header]) for header in headers]
    lengths = {column.shape for column in values}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        raise InputError(
            f"recording {name!r}: the columns have shapes {', '.join(map(str, sorted(lengths)))}",
            remedy="Give columns (rows,) of one length, NaN where nothing was measured.",
        )
    rows = tuple(zip(*map(_texts, values), strict=True))
    made = Table(
        path=name,
        headers=tuple(map(parse_header, headers)),
        blocks=(TextRows(rows),),
        lines=np.arange(1, len(rows) + 1),
        header_line=0,
        preamble=(),
        comments=(),
        decimal=".",
    )
    recording, _ = recording_of(
        made,
        name=name,
        columns=columns,
        scale=scale,
        frame_rate=frame_rate,
        vertical=vertical,
        sigma=sigma,
    )
    return dataclasses.replace(recording, path=None)


def _texts(column: NDArray[Any]) -> list[str]:
    """The cells of a column: numbers with all their digits, NaN as a gap, all else as it is."""
    if column.dtype.kind in "iuf":
        return ["" if np.isnan(value) else repr(float(value)) for value in column]
    return [str(value) for value in column]
