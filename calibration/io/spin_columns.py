"""Measured spin beside positions: columns of the same file, a file beside it, or one value that a
comment of the file states.

A spin is a vector in the axes of the file, which are right-handed: positive about z turns x towards
y. Where the file has two axes, a spin without an axis (``omega``) turns the first of them towards
the second.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.headers import Header, parse_header
from calibration.io.interval import TimeInterval
from calibration.io.tables import Table
from calibration.io.trajectory_columns import AXES, SPIN_KEYS, TrajectoryColumns

SPINS = {
    f"{word}{axis}": axis
    for word in ("w", "w_", "omega", "omega_", "spin_", "angular_velocity_")
    for axis in AXES
} | dict.fromkeys(("w", "omega", "spin", "angular_velocity"), "")
"""Headers of spins, and about which axis they are; ``""`` is about the normal of two axes."""

_NORMALS = {("x", "y"): ("z", 1), ("x", "z"): ("y", -1), ("y", "z"): ("x", 1)}
_NUMBER = r"[-+\u2212]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?"
_STATED = re.compile(
    rf"(?P<name>[^\W\d][\w .]*?)\s*[:=]\s*(?P<value>{_NUMBER})"
    rf"(?:\s*(?:\+/?-|\u00b1)\s*(?P<sigma>{_NUMBER}))?\s*(?P<unit>\S.*)?"
)
_ALIKE = 3
"""So many rows with one value are one measurement, written into each of them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordedSpin:
    """Angular velocities of a recorded body, in the axes of its positions (z up).

    Attributes:
        time: of each [s], on the clock of the positions.
        spin: [rad/s], NaN where a component was not measured.
        sigma: standard deviations [rad/s], or ``None`` if not known.
        once: whether it is one value for the whole recording, the spin at its beginning.
        columns: what it was read from, as written.
        unit: in which it was written, rad/s where nothing was said.
        path: the file.
    """

    time: Annotated[NDArray[np.float64], "spins"] = field(repr=False)
    spin: Annotated[NDArray[np.float64], "spins 3"] = field(repr=False)
    sigma: Annotated[NDArray[np.float64], "spins 3"] | None = field(default=None, repr=False)
    once: bool = False
    columns: tuple[str, ...] = ()
    unit: str = "rad/s"
    path: str | None = None

    def between(self, interval: TimeInterval) -> "RecordedSpin | None":
        """Those inside of an interval of time, ``None`` where there is none; one for the whole
        recording stays.
        """
        first, last = interval
        rows = (self.time >= first) & (self.time <= last)
        if self.once or np.all(rows):
            return self
        if not np.any(rows):
            return None
        sigma = None if self.sigma is None else self.sigma[rows]
        return replace(self, time=self.time[rows], spin=self.spin[rows], sigma=sigma)


class _SpinColumn(NamedTuple):
    """A column of spin: which component it becomes, with which factor to rad/s."""

    target: int
    header: Header
    factor: float
    sigma: Header | None
    sigma_factor: float


def is_spin(header: Header) -> bool:
    """Whether a header names a spin. ``w`` alone is the width of a box unless its unit says
    otherwise.
    """
    turning = header.unit is not None and header.unit.dimension == "angular velocity"
    return header.name in SPINS and (header.name != "w" or turning)


def read_spin(
    table: Table,
    time: NDArray[np.float64],
    axes: TrajectoryColumns,
    *,
    columns: Mapping[str, str],
    sigma: float | None,
) -> tuple[RecordedSpin | None, set[Header]]:
    """The spin that a table holds, and the headers that it was read from.

    Args:
        table: rows of a file.
        time: of each row [s].
        axes: columns of the positions.
        columns: which header holds ``wx``, ``wy``, ``wz`` or ``w``.
        sigma: standard deviation of every spin [rad/s].

    Raises:
        InputError: two columns for one component, a spin without an axis beside one or three axes,
            a unit that is none of a spin, an uncertainty that is not positive.
    """
    found = list(_find_columns(table, axes, columns))
    if not found:
        return _stated_spin(table, time, axes, sigma), set()
    spin = np.full((time.size, 3), np.nan)
    deviation = np.full_like(spin, np.nan)
    for column in found:
        spin[:, column.target] = column.factor * table.column(column.header)
        if sigma is not None:
            deviation[:, column.target] = sigma
        elif column.sigma is not None:
            deviation[:, column.target] = column.sigma_factor * table.column(column.sigma)
            _check_deviations(table, column, spin, deviation)
    headers = {column.header for column in found}
    headers |= {column.sigma for column in found if column.sigma is not None}
    kept = np.isfinite(time) & np.isfinite(spin).any(axis=1)
    if not np.any(kept):
        return None, headers
    known = np.isfinite(deviation) | ~np.isfinite(spin)
    if not np.all(known[kept]) and np.any(np.isfinite(deviation[kept])):
        raise table.header_error(
            "the uncertainty of some components of the spin is given, but not that of all",
            remedy="Give it for each, one for all (sigma_spin), or for none.",
            header=found[0].header,
        )
    time, spin, deviation = time[kept], spin[kept], deviation[kept]
    once = time.size >= _ALIKE and bool(np.all((spin == spin[0]) | np.isnan(spin)))
    rows = slice(0, 1) if once else slice(None)
    recorded = RecordedSpin(
        time=time[rows],
        spin=spin[rows],
        sigma=deviation[rows] if np.all(known[kept]) and np.any(np.isfinite(deviation)) else None,
        once=once,
        columns=tuple(column.header.text for column in found),
        unit=_unit(found[0].header),
        path=table.path,
    )
    return recorded, headers


def _find_columns(
    table: Table, axes: TrajectoryColumns, columns: Mapping[str, str]
) -> Iterator[_SpinColumn]:
    """The columns of spin, each with the component that it becomes."""
    named = {key: table.find(columns[key]) for key in SPIN_KEYS if key in columns}
    spins = [header for header in table.headers if is_spin(header)]
    common = [header for header in spins if header.uncertainty and not SPINS[header.name]]
    for axis in (*AXES, ""):
        fits = [header for header in spins if SPINS[header.name] == axis and not header.uncertainty]
        key = f"w{axis}"
        if key not in named and not fits:
            continue
        header = named.get(key) or table.choose(fits, f"the spin about {axis or 'it'}", key=key)
        errors = [one for one in spins if SPINS[one.name] == axis and one.uncertainty] or common
        error = table.choose(errors, f"the uncertainty of {key}", key=key) if errors else None
        target, sign = _component(table, axis, axes, header)
        unit = header.unit if error is None or error.unit is None else error.unit
        yield _SpinColumn(
            target,
            header,
            sign * _per_second(table, header),
            error,
            1.0 if unit is None else unit.factor,
        )


def _per_second(table: Table, header: Header) -> float:
    """Radians per second for one unit of a column."""
    table.check_unit(header, "angular velocity")
    return 1.0 if header.unit is None else header.unit.factor


def _unit(header: Header) -> str:
    return "rad/s" if header.unit is None else header.unit.symbol


def _component(
    table: Table, axis: str, axes: TrajectoryColumns, header: Header | None
) -> tuple[int, int]:
    """Which component (z up) a spin about an axis of the file becomes, and with which sign. The
    axes keep handedness, so a spin turns with them.
    """
    turned = 1
    if not axis:
        recorded = tuple(sorted(item.name for item in axes.axes))
        if recorded not in _NORMALS:
            raise table.header_error(
                "this spin does not say about which axis it is, and the positions are not in a "
                "plane of two axes",
                remedy="Call it wx, wy or wz, by the axis of the file about which it turns.",
                header=header,
            )
        axis, turned = _NORMALS[recorded]
    target = next(place for place, (name, _) in enumerate(axes.frame) if name == axis)
    return target, turned * axes.frame[target][1]


def _check_deviations(
    table: Table,
    column: _SpinColumn,
    spin: NDArray[np.float64],
    deviation: NDArray[np.float64],
) -> None:
    measured = np.isfinite(spin[:, column.target])
    wrong = np.flatnonzero(measured & ~(deviation[:, column.target] > 0))
    if len(wrong) and column.sigma is not None:
        raise table.error(
            "the uncertainty of this spin is missing or not positive",
            remedy="Write a positive standard deviation, or delete the column.",
            row=int(wrong[0]),
            header=column.sigma,
        )


def _stated_spin(
    table: Table, time: NDArray[np.float64], axes: TrajectoryColumns, sigma: float | None
) -> RecordedSpin | None:
    """The spin that a comment or a title states: ``# wy = -150 +- 5 rad/s``."""
    spin, deviation = np.full((1, 3), np.nan), np.full((1, 3), np.nan)
    texts = list(_stated(table, (*table.comments, *table.preamble)))
    for header, value, error in texts:
        target, sign = _component(table, SPINS[header.name], axes, header)
        factor = _per_second(table, header)
        spin[0, target] = sign * factor * value
        deviation[0, target] = np.nan if error is None else factor * error
    if not texts:
        return None
    if sigma is not None:
        deviation = np.where(np.isfinite(spin), sigma, np.nan)
    known = np.isfinite(spin) == np.isfinite(deviation)
    return RecordedSpin(
        time=time[np.isfinite(time)][:1],
        spin=spin,
        sigma=deviation if np.all(known) else None,
        once=True,
        columns=tuple(header.text for header, *_ in texts),
        unit=_unit(texts[0][0]),
        path=table.path,
    )


def _stated(table: Table, texts: Iterable[str]) -> Iterator[tuple[Header, float, float | None]]:
    """Each spin that a line of text states: what, its number, and its standard deviation."""
    for text in texts:
        for part in re.split(r"[;,]\s+|;", text):
            found = _STATED.fullmatch(part.strip())
            if found is None:
                continue
            header = parse_header(found["name"], unit=found["unit"])
            if not is_spin(header) or header.uncertainty:
                continue
            if found["unit"] is not None and header.unit is None:
                raise InputError(
                    f"{found['unit']!r} is no unit of a spin known here",
                    remedy=f"Write it as in '# {found['name']} = {found['value']} rad/s'.",
                    path=table.path,
                )
            error = found["sigma"]
            yield header, _float(found["value"]), None if error is None else _float(error)


def _float(text: str) -> float:
    return float(text.replace(",", ".").replace("\u2212", "-"))
