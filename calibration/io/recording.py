"""Recordings of a moving body: time, position in a frame with z up, gaps and uncertainty; read from
text files.

A file has one column of time or frame numbers and one to three columns of position. ``z`` is the
vertical; without a ``z``, ``y`` is (a planar video), and a single column of position is the
vertical whatever its name. Lengths are in metres unless the header says otherwise.
"""

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.files import make_distinct_names
from calibration.io.headers import advise_columns
from calibration.io.interval import EVERYTHING, TimeInterval, within
from calibration.io.names import stem_of
from calibration.io.pauses import check_pauses
from calibration.io.rounding import find_even_times
from calibration.io.spin_columns import RecordedSpin, read_spin
from calibration.io.spin_files import find_recordings, spin_file_beside
from calibration.io.tables import Table, read_table
from calibration.io.trajectory_columns import AXES, TrajectoryColumns, find_clock, find_columns

MIN_SAMPLES = 5
"""A recording with fewer samples shows no motion that could be fitted."""

SPIN = "spin"
"""Name of the spin among standard deviations."""

FARTHEST = 1e5
"""Distance from the origin [m] beyond which a position is none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Recording:
    """One recorded motion.

    Attributes:
        name: what the recording is called in tables and figures.
        time: times (n,) [s], strictly increasing.
        position: positions (n, 3) [m], z up; NaN where not measured. The origin is that of the
            file.
        sigma: standard deviations (n, 3) [m], positive wherever a position is measured and NaN
            elsewhere, or ``None`` if not known.
        path: the file it came from, or ``None``.
        unit: the unit of the vertical position in the file.
        scale: metres for one of that unit.
        vertical: the axis of the file that points up, with a minus sign where it counts downwards.
        ignored: the headers of columns that were not used.
        spin: measured spin of the body, or ``None``.
        notes: plain sentences on what the reader of the format of the file decided.

    Raises:
        InputError: wrong shapes, times that do not increase, fewer than 5 samples, a sigma that is
            not positive.

    Example:
        A film of a ball that falls from 0.5 m, in the plane of the picture:

        >>> time = np.arange(0.0, 0.3, 0.01)
        >>> position = np.full((30, 3), np.nan)
        >>> position[:, 0] = 0.0
        >>> position[:, 2] = 0.5 - 9.81 / 2 * time**2
        >>> film = cal.Recording(name="film", time=time, position=position)
        >>> film.axes
        ('x', 'z')
    """

    name: str
    time: Annotated[NDArray[np.float64], "samples"] = field(repr=False)
    position: Annotated[NDArray[np.float64], "samples 3"] = field(repr=False)
    sigma: Annotated[NDArray[np.float64], "samples 3"] | None = field(default=None, repr=False)
    path: str | None = None
    unit: str = "m"
    scale: float = 1.0
    vertical: str = "z"
    ignored: tuple[str, ...] = ()
    spin: RecordedSpin | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        arrays = {"time": self.time, "position": self.position, "sigma": self.sigma}
        for name, values in arrays.items():
            if values is not None:
                object.__setattr__(self, name, np.asarray(values, float))
        self._check()

    def _check(self) -> None:
        if self.time.ndim != 1 or self.position.shape != (*self.time.shape, 3):
            raise self._error(
                f"time has shape {self.time.shape} and position {self.position.shape}",
                remedy="Give time (n,) in s and position (n, 3) in m, NaN where not measured.",
            )
        if not np.all(np.isfinite(self.time)) or np.any(np.diff(self.time) <= 0):
            raise self._error(
                "the times do not increase strictly",
                remedy="Sort the samples by time and leave out repetitions.",
            )
        if np.any(np.isinf(self.position)):
            raise self._error(
                "a position is infinite", remedy="Write NaN where a position is not measured."
            )
        farthest = np.max(np.abs(self.position), initial=0.0, where=np.isfinite(self.position))
        if farthest > FARTHEST:
            raise self._error(
                f"a position lies {farthest:.3g} m from the origin, where nobody sees a ball",
                remedy="Check the unit of the positions, and leave out samples that are none.",
            )
        measured = np.isfinite(self.position)
        count = int(np.sum(measured.any(axis=1)))
        if count < MIN_SAMPLES:
            raise self._error(
                f"{count or 'no'} sample{'' if count == 1 else 's'} with a time and a "
                f"position; at least {MIN_SAMPLES} are needed",
                remedy="Export every frame of the flight and the bounces.",
            )
        if self.sigma is not None and (
            self.sigma.shape != self.position.shape or not _all_positive(self.sigma[measured])
        ):
            raise self._error(
                "sigma is not positive wherever a position is measured",
                remedy="Give the standard deviation of each position in m, shape "
                f"{self.position.shape}.",
            )

    @property
    def axes(self) -> tuple[str, ...]:
        """The measured axes, a subset of ``("x", "y", "z")`` in this order."""
        return tuple(
            axis for index, axis in enumerate(AXES) if np.isfinite(self.position[:, index]).any()
        )

    def _error(self, problem: str, *, remedy: str) -> InputError:
        return InputError(
            problem if self.path else f"recording {self.name!r}: {problem}",
            remedy=remedy,
            path=self.path,
        )


def read_trajectory(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    scale: float | None = None,
    frame_rate: float | None = None,
    vertical: str | None = None,
    sigma: float | Mapping[str, float] | None = None,
    interval: TimeInterval = EVERYTHING,
) -> Recording:
    """Read one recording from a text file: CSV in any dialect, exports of Tracker and spreadsheets,
    output of scripts.

    Columns are recognised by their header, in any case and in several languages: ``t`` or ``time``
    [s], or ``frame``; ``x``, ``y``, ``z`` or ``height`` [m]; ``sigma`` for all axes or ``sigma_x``
    (``x_err``, ``sx``) for one; ``wx``, ``wy``, ``wz`` (``omega_y``, ``spin_z`` ...) for measured
    spin [rad/s]. Spin may also stand in a file beside, ``drop_spin.csv`` with times of its own, or
    in a comment, ``# wy = -150 rad/s``. Units may stand in the header (``x [mm]``, ``y_px``,
    ``t (ms)``) or in a row below it. All other columns are listed in ``Recording.ignored``. Where
    both metres and pixels are present, metres are used, unless ``scale`` asks for the pixels.

    Args:
        path: the file.
        columns: which header holds what, for headers that are not recognised: ``{"t": "Zeitpunkt",
            "z": "Lage der Kugel"}``. Keys are ``t``, ``frame``, ``x``, ``y``, ``z``, ``sigma``,
            ``sigma_x``, ``sigma_y``, ``sigma_z``, ``wx``, ``wy``, ``wz``, ``w``.
        scale: metres per pixel. Positions without a unit are then in pixels.
        frame_rate: frames per second. Times are then taken from the frame numbers.
        vertical: the axis of the file that points up, with a minus sign when it counts downwards:
            ``"z"``, ``"y"``, ``"-y"``, ``"x"`` ... By default ``z``, else ``y`` (downwards in
            pixels, as images count), else the only column of position. The frame stays
            right-handed; ``x`` stays horizontal.
        sigma: standard deviation [m] of every position, or of each axis of the file: ``{"x": 0.002,
            "y": 0.001}``, with ``"spin"`` also of the spin [rad/s]; replaces sigma columns.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> import pathlib, tempfile
        >>> frame = np.arange(6)
        >>> rows = np.stack([frame, 100 + frame**2], axis=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "drop.csv"
        ...     np.savetxt(path, rows, delimiter=";", header="frame;y_px", comments="")
        ...     drop = cal.read_trajectory(path, frame_rate=100.0, scale=0.001)
        >>> drop.name, drop.axes, drop.position[:, 2].round(3).tolist()
        ('drop', ('z',), [-0.1, -0.101, -0.104, -0.109, -0.116, -0.125])
    """
    table = read_table(path)
    beside = spin_file_beside(path)
    of_spin = sigma.get(SPIN) if isinstance(sigma, Mapping) else None
    recording, chosen = recording_of(
        table,
        name=stem_of(path),
        columns=columns,
        scale=scale,
        frame_rate=frame_rate,
        vertical=vertical,
        sigma=_of_positions(sigma),
        interval=interval,
    )
    time = chosen.seconds * table.column(chosen.clock)
    spin, used = read_spin(table, time, chosen, columns=columns or {}, sigma=of_spin)
    if beside is not None and spin is not None:
        raise InputError(
            f"the spin stands in this file and in {beside}",
            remedy="Keep one of them.",
            path=table.path,
        )
    if beside is not None:
        spin = _spin_beside(beside, chosen, frame_rate=frame_rate, sigma=of_spin)
    if spin is not None:
        spin = spin.between(interval)
    texts = {header.text for header in used}
    ignored = tuple(text for text in recording.ignored if text not in texts)
    return dataclasses.replace(recording, spin=spin, ignored=ignored)


def _of_positions(
    sigma: float | Mapping[str, float] | None,
) -> float | Mapping[str, float] | None:
    """The standard deviations without that of the spin."""
    if not isinstance(sigma, Mapping):
        return sigma
    return {name: value for name, value in sigma.items() if name != SPIN} or None


def _spin_beside(
    path: os.PathLike[str],
    axes: TrajectoryColumns,
    *,
    frame_rate: float | None,
    sigma: float | None,
) -> RecordedSpin | None:
    """The spin in a file beside that of the positions, in the axes of these."""
    table = read_table(path)
    clock, seconds = find_clock(table, columns={}, frame_rate=frame_rate)
    time = seconds * table.column(clock)
    check_pauses(table, clock, time)
    wrong = np.flatnonzero(np.diff(time[np.isfinite(time)]) <= 0)
    if wrong.size:
        raise table.error(
            "the times of the spins do not increase",
            remedy="Sort the rows by time and leave out repetitions.",
            row=int(np.flatnonzero(np.isfinite(time))[wrong[0] + 1]),
            header=clock,
        )
    return read_spin(table, time, axes, columns={}, sigma=sigma)[0]


def recording_of(
    table: Table,
    *,
    name: str,
    columns: Mapping[str, str] | None = None,
    scale: float | None = None,
    frame_rate: float | None = None,
    vertical: str | None = None,
    sigma: float | Mapping[str, float] | None = None,
    level: bool = False,
    interval: TimeInterval = EVERYTHING,
) -> tuple[Recording, TrajectoryColumns]:
    """The recording in a table, and the columns that it was read from.

    Args:
        table: rows of a file.
        name: of the recording.
        columns: as for `read_trajectory`; so are the next ones.
        scale: metres per pixel.
        frame_rate: frames per second.
        vertical: the axis of the file that points up.
        sigma: standard deviation [m] of every position, or of each axis of the file.
        level: whether no axis points up, because nothing falls.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do.
    """
    _check_positive(
        table, scale, "scale", remedy="Give the metres per pixel, for example --scale 0.0015."
    )
    _check_positive(
        table,
        frame_rate,
        "frame_rate",
        remedy="Give the frames per second, for example --frame-rate 240.",
    )
    chosen = find_columns(
        table,
        columns=columns or {},
        scale=scale,
        frame_rate=frame_rate,
        vertical=vertical,
        level=level,
    )
    time = chosen.seconds * table.column(chosen.clock)
    position = np.full((len(time), 3), np.nan)
    for axis in chosen.axes:
        position[:, axis.target] = axis.factor * table.column(axis.header)
    _check_samples(table, chosen, time, position)
    if sigma is None:
        deviations = _sigma_from_columns(table, chosen, position)
    else:
        deviations = _sigma_from_numbers(table, chosen, position, sigma)
    rows = within(time, interval, path=table.path)
    even = find_even_times(time[rows])
    recording = Recording(
        name=name,
        time=time[rows] if even is None else even,
        position=position[rows],
        sigma=None if deviations is None else deviations[rows],
        path=table.path,
        unit=chosen.unit,
        scale=abs(chosen.vertical.factor),
        vertical=chosen.upwards,
        ignored=table.list_unused(chosen.used(with_sigma=sigma is None)),
        notes=table.notes if even is None else (*table.notes, _describe_even(even)),
    )
    return recording, chosen


def without_still_axes(recording: Recording) -> Recording:
    """The recording without horizontal coordinates that never vary, and with a note on them: they
    were written, not measured (a film in a plane has zeros in the third column). Taken for
    measurements without errors they would make those of the others look smaller.
    """
    still = [
        axis
        for index, axis in enumerate(AXES[:2])
        if axis in recording.axes
        and np.nanmin(recording.position[:, index]) == np.nanmax(recording.position[:, index])
    ]
    if not still:
        return recording
    kept = np.where(np.isin(list(AXES), still), np.nan, recording.position)
    note = f"{' and '.join(still)} never var{'ies' if len(still) == 1 else 'y'}: not measured"
    return dataclasses.replace(recording, position=kept, notes=(*recording.notes, note))


def _describe_even(time: NDArray[np.float64]) -> str:
    frame = float(np.min(np.diff(time)))
    return (
        f"the times have few digits; they are those of pictures {1e3 * frame:.5g} ms apart "
        f"({1 / frame:.5g} per s), and were taken as such"
    )


def read_recordings(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    scale: float | None = None,
    frame_rate: float | None = None,
    vertical: str | None = None,
    sigma: float | Mapping[str, float] | None = None,
) -> list[Recording]:
    """Read many recordings: files, directories (their ``.csv``, ``.dat``, ``.trc``, ``.tsv``,
    ``.txt`` files) and patterns such as ``drops/*.csv``.

    Every file is read once. Files of the same stem are named apart by their directories or
    suffixes.

    Args:
        paths: files, directories or patterns, one or several.
        columns: as for `read_trajectory`, of every file; so are the other options.
        scale: metres per pixel.
        frame_rate: frames per second.
        vertical: the axis of the files that points up.
        sigma: standard deviation [m] of every position, or of each axis of the files.

    Raises:
        InputError: a pattern that matches nothing, a directory without data files, or what
            `read_trajectory` raises.

    Example:
        >>> import pathlib, tempfile
        >>> time = np.arange(6) / 100
        >>> rows = np.stack([time, 0.5 - 9.81 / 2 * time**2], axis=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("drop_2.csv", "drop_10.csv"):
        ...         path = pathlib.Path(folder) / name
        ...         np.savetxt(path, rows, delimiter=",", header="t (s),z (m)", comments="")
        ...     drops = cal.read_recordings(folder)
        >>> [drop.name for drop in drops]
        ['drop_2', 'drop_10']
    """
    files = find_recordings(paths)
    return [
        dataclasses.replace(
            read_trajectory(
                path,
                columns=columns,
                scale=scale,
                frame_rate=frame_rate,
                vertical=vertical,
                sigma=sigma,
            ),
            name=name,
        )
        for path, name in zip(files, make_distinct_names(files), strict=True)
    ]


def _check_samples(
    table: Table,
    chosen: TrajectoryColumns,
    time: NDArray[np.float64],
    position: NDArray[np.float64],
) -> None:
    """Every position has a time, the times increase, and the vertical was measured at all."""
    untimed = np.flatnonzero(np.isnan(time) & np.isfinite(position).any(axis=1))
    if len(untimed):
        remedy = "Write the time or delete the row."
        raise table.error(
            "the time of this position is missing",
            remedy=remedy,
            row=int(untimed[0]),
            header=chosen.clock,
        )
    rows = np.flatnonzero(np.isfinite(time))
    wrong = np.flatnonzero(np.diff(time[rows]) <= 0)
    if len(wrong):
        before, row = (int(i) for i in rows[wrong[0] : wrong[0] + 2])
        if time[row] == time[before]:
            problem = f"the time {time[row]:g} s repeats that of line {table.lines[before]}"
            remedy = "Delete one of the two rows, or export the time with more digits."
            if len(wrong) > rows.size // 4:
                remedy = (
                    "Most times repeat: there are probably two balls in one file. Put each into a "
                    "file of its own."
                )
        else:
            problem = (
                f"the time goes back from {time[before]:g} s (line {table.lines[before]}) to "
                f"{time[row]:g} s"
            )
            remedy = (
                "Sort the rows by time; if the file holds several recordings, put each into a file "
                "of its own."
            )
        raise table.error(problem, remedy=remedy, row=row, header=chosen.clock)
    check_pauses(table, chosen.clock, time)
    if not np.isfinite(position[:, chosen.vertical.target]).any():
        raise table.header_error(
            "all samples of the vertical position are missing",
            remedy="Export the file again, or say which column is the vertical: "
            f"{advise_columns('z')}.",
            header=chosen.vertical.header,
        )


def _sigma_from_columns(
    table: Table, chosen: TrajectoryColumns, position: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The standard deviations (rows, 3) [m] from their columns, or ``None`` when there are none."""
    columns = [(axis, axis.sigma) for axis in chosen.axes if axis.sigma is not None]
    if not columns:
        return None
    _check_every_axis(table, chosen, {axis.name for axis, _ in columns})
    sigma = np.full_like(position, np.nan)
    for axis, header in columns:
        values = axis.sigma_factor * table.column(header)
        measured = np.isfinite(position[:, axis.target])
        wrong = np.flatnonzero(measured & ~(values > 0))
        if len(wrong):
            row = int(wrong[0])
            fault = f"{values[row] / axis.sigma_factor:g}, not positive"
            if np.isnan(values[row]):
                fault = "missing"
            raise table.error(
                f"the uncertainty of this position is {fault}",
                remedy="Write a positive standard deviation, or delete the column.",
                row=row,
                header=header,
            )
        sigma[:, axis.target] = np.where(measured, values, np.nan)
    return sigma


def _sigma_from_numbers(
    table: Table,
    chosen: TrajectoryColumns,
    position: NDArray[np.float64],
    given: float | Mapping[str, float],
) -> NDArray[np.float64]:
    """The standard deviations (rows, 3) [m] from one number, or one for each axis of the file."""
    names = [axis.name for axis in chosen.axes]
    each = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, value in each.items():
        if name not in names:
            raise InputError(
                f"sigma names {name!r}, which is no axis of this file",
                remedy=f"Use {', '.join(names)}.",
                path=table.path,
            )
        _check_positive(
            table, value, "sigma", remedy="Give the standard deviation of the positions in m."
        )
    _check_every_axis(table, chosen, set(each))
    sigma = np.full_like(position, np.nan)
    for axis in chosen.axes:
        sigma[:, axis.target] = np.where(
            np.isfinite(position[:, axis.target]), each[axis.name], np.nan
        )
    return sigma


def _check_every_axis(table: Table, chosen: TrajectoryColumns, known: set[str]) -> None:
    lacking = [axis.name for axis in chosen.axes if axis.name not in known]
    if lacking:
        raise InputError(
            f"the uncertainty of {', '.join(sorted(known))} is given, but not that of "
            f"{', '.join(lacking)}",
            remedy="Give it for every axis, or one for all: a column 'sigma', or --sigma.",
            path=table.path,
        )


def _check_positive(table: Table, value: float | None, name: str, *, remedy: str) -> None:
    if value is not None and not (np.isfinite(value) and value > 0):
        raise InputError(
            f"{name} = {value} is not a positive number", remedy=remedy, path=table.path
        )


def _all_positive(values: NDArray[np.float64]) -> bool:
    return bool(np.all(np.isfinite(values) & (values > 0)))
