"""Recordings of two bodies in one file: which column is of which body, and the positions, spins and
angles of each.

The bodies are numbered in the headers, ``x1, y1, x2, y2``, or lettered, ``xa, ya, xb, yb``. What is
left without the number is read as in a file of one body.
"""

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.headers import Header, list_headers
from calibration.io.interval import EVERYTHING, TimeInterval, within
from calibration.io.names import stem_of
from calibration.io.recording import Recording, recording_of
from calibration.io.spin_columns import SPINS
from calibration.io.tables import Table, read_table
from calibration.io.trajectory_columns import AXES, TrajectoryColumns, identify_quantity

SCHEMES = (("1", "2"), ("a", "b"), ("0", "1"))
"""How the two bodies are called in headers."""

_BODIES = {
    "ball",
    "body",
    "disc",
    "disk",
    "glider",
    "marble",
    "object",
    "particle",
    "puck",
    "sphere",
    "track",
}
_NUMBERED = re.compile(r"(?P<rest>[a-z]*?)(?P<body>[0-9]+|[ab])")
_ANGLES = {"angle", "orientation", "rotation", "marker_angle", "theta", "phi"}
_NAMING = (
    "Number the columns of both bodies, as in t, x1, y1, x2, y2 (also x_1, ball1_x, xa and xb), "
    "or say which is which: --columns 't=...,x1=...,y1=...,x2=...,y2=...'"
)


class BodyColumn(NamedTuple):
    """What a column holds of which body.

    Attributes:
        quantity: ``"x"``, ``"y"``, ``"z"``, ``"wx"``, ``"wy"``, ``"wz"``, ``"w"`` or ``"angle"``.
        body: its number or letter in the header.
    """

    quantity: str
    body: str


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class TwoBodies:
    """The recorded motion of two bodies.

    Attributes:
        name: in tables and figures.
        bodies: positions of each, at the same times.
        spin: angular velocities (n, 2, 3) [rad/s] in the axes of the positions, NaN where not
            measured.
        spin_sigma: standard deviations of the same shape, or ``None`` if not known.
        angle: angles (n, 2) of a mark on each body [rad], about the normal of the plane in which
            they move, NaN where not measured.
        read: headers of the columns that were understood.
        ignored: headers of those that were not.
    """

    name: str
    bodies: tuple[Recording, Recording]
    spin: Annotated[NDArray[np.float64], "samples 2 3"]
    spin_sigma: Annotated[NDArray[np.float64], "samples 2 3"] | None
    angle: Annotated[NDArray[np.float64], "samples 2"]
    read: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def path(self) -> str | None:
        """The file."""
        return self.bodies[0].path

    @property
    def time(self) -> NDArray[np.float64]:
        """Times (n,) of the samples [s]."""
        return self.bodies[0].time

    @property
    def position(self) -> NDArray[np.float64]:
        """Positions (n, 2, 3) [m], NaN where not measured."""
        return np.stack([body.position for body in self.bodies], axis=1)

    @property
    def axes(self) -> tuple[str, ...]:
        """The measured axes, the same of both."""
        return self.bodies[0].axes


def identify_body(header: Header) -> BodyColumn | None:
    """What a header such as ``x1``, ``x_2``, ``ball1_y``, ``xa`` or ``wz2`` holds of which body;
    ``None`` where it names no body.

    Args:
        header: of a column.
    """
    words = header.name.split("_")
    for index, word in enumerate(words):
        numbered = _NUMBERED.fullmatch(word)
        if numbered is None:
            continue
        rest = "" if numbered["rest"] in _BODIES else numbered["rest"]
        others = [item for item in words[:index] if item not in _BODIES]
        quantity = _quantity("_".join(filter(None, [*others, rest, *words[index + 1 :]])))
        if quantity is not None:
            return BodyColumn(quantity, numbered["body"])
    return None


def _quantity(name: str) -> str | None:
    if name in SPINS:
        return f"w{SPINS[name]}"
    if name in _ANGLES:
        return "angle"
    position = identify_quantity(Header(name, name)) if name else None
    return position if position in AXES else None


def is_of_two_bodies(headers: Iterable[Header]) -> bool:
    """Whether there are positions of numbered bodies: of several, or of one where no column is a
    position without a number.
    """
    known = [header for header in headers if not header.uncertainty]
    found = [column for column in map(identify_body, known) if column is not None]
    bodies = {column.body for column in found if column.quantity in AXES}
    plain = any(identify_quantity(header) in AXES for header in known)
    return len(bodies) > 1 or (len(bodies) == 1 and not plain)


def read_two_bodies(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    scale: float | None = None,
    frame_rate: float | None = None,
    vertical: str | None = None,
    sigma: float | Mapping[str, float] | None = None,
    level: bool = False,
    interval: TimeInterval = EVERYTHING,
) -> TwoBodies:
    """Read a recording of two bodies.

    Args:
        path: the file.
        name: in tables; by default that of the file without its suffix.
        columns: which header holds what, for headers that are not recognised; keys are ``t``,
            ``frame``, and ``x1``, ``wz1``, ``angle1``, ``sigma_x1`` and the like of both bodies.
        scale: metres per pixel.
        frame_rate: frames per second.
        vertical: the axis of the file that points up.
        sigma: standard deviation [m] of every position, or of each axis of the file.
        level: whether no axis points up, because nothing falls: the axes stay those of the file.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: columns of one body only, of three, in two ways of naming, or what
            ``calibration.read_trajectory`` raises.
    """
    table = _named(read_table(path), columns or {})
    found = {header: identify_body(header) for header in table.headers}
    _check_bodies(table, found)
    bodies = _two_bodies(table, found)
    shown = stem_of(path) if name is None else name
    read = [
        recording_of(
            _of_body(table, found, body),
            name=f"{shown}, body {number}",
            scale=scale,
            frame_rate=frame_rate,
            vertical=vertical,
            sigma=sigma,
            level=level,
            interval=interval,
        )
        for number, body in enumerate(bodies, start=1)
    ]
    (first, chosen), (second, _) = read
    if first.axes != second.axes:
        of_first, of_second = (
            ", ".join(axis.name for axis in sorted(columns_of.axes, key=lambda axis: axis.name))
            for _, columns_of in read
        )
        raise table.header_error(
            f"there are {of_first} of body {bodies[0]}, but {of_second} of body {bodies[1]}",
            remedy="Give the same coordinates of both, and leave cells empty where one was not "
            "seen.",
        )
    used = {header.text for _, columns_of in read for header in columns_of.used(with_sigma=True)}
    used |= {header.text for header, column in found.items() if column is not None}
    unused = [header for header in table.headers if header.text not in used]
    time = chosen.seconds * table.column(_own(table, chosen.clock))
    rows = within(time, interval, path=table.path)
    spin, spin_sigma = _spins(table, found, bodies, chosen, first.axes)
    return TwoBodies(
        name=shown,
        bodies=(first, second),
        spin=spin[rows],
        spin_sigma=None if spin_sigma is None else spin_sigma[rows],
        angle=_angles(table, found, bodies)[rows],
        read=tuple(header.text for header in table.headers if header not in unused),
        ignored=tuple(header.text for header in unused if not table.is_empty(header)),
    )


def named_headers(headers: Sequence[Header], columns: Mapping[str, str]) -> tuple[Header, ...]:
    """The headers, those that a person named under the names that were given to them.

    Args:
        headers: of a file.
        columns: header by name, as for `read_two_bodies`.
    """
    given = {" ".join(text.split()).lower(): key for key, text in columns.items()}
    renamed = []
    for header in headers:
        key = given.get(header.text.lower())
        taken = identify_body(header)
        if key is not None:
            uncertain = key.startswith("sigma")
            name = key.removeprefix("sigma").removeprefix("_") if uncertain else key
            header = dataclasses.replace(header, name=name, uncertainty=uncertain)
        elif taken is not None and f"{taken.quantity}{taken.body}" in columns:
            header = dataclasses.replace(header, name="")  # another column was given its name
        renamed.append(header)
    return tuple(renamed)


def _named(table: Table, columns: Mapping[str, str]) -> Table:
    """The table with the columns that a person named under these names.

    Raises:
        InputError: a name that no recording of two bodies has, a header that is not there.
    """
    for key in columns:
        name = key.removeprefix("sigma_")
        if key not in ("t", "frame", "sigma") and identify_body(Header(key, name)) is None:
            raise InputError(
                f"columns names the quantity {key!r}, which no recording of two bodies has",
                remedy="Use t, frame, x1, y1, z1, wx1, wy1, wz1, angle1, sigma_x1 and so on, and "
                "the same of body 2.",
                path=table.path,
            )
    exact = {key: table.find(text).text for key, text in columns.items()}
    return dataclasses.replace(table, headers=named_headers(table.headers, exact))


def _check_bodies(table: Table, found: Mapping[Header, BodyColumn | None]) -> None:
    """Check that no position is of an unnamed body.

    Raises:
        InputError: naming the columns.
    """
    plain = [
        header
        for header, column in found.items()
        if column is None and not header.uncertainty and identify_quantity(header) in AXES
    ]
    if plain:
        numbered = [header for header, column in found.items() if column is not None]
        raise table.header_error(
            f"{list_headers(plain)} does not say of which body it is, but {list_headers(numbered)} "
            f"{'does' if len(numbered) == 1 else 'do'}",
            remedy=_NAMING,
        )


def _two_bodies(table: Table, found: Mapping[Header, BodyColumn | None]) -> tuple[str, str]:
    """How the two bodies are called in the headers.

    Raises:
        InputError: one body, more than two, or bodies called in two ways.
    """
    bodies = {column.body for column in found.values() if column is not None}
    moving = {
        column.body for column in found.values() if column is not None and column.quantity in AXES
    }
    columns = list_headers(header for header, column in found.items() if column is not None)
    for scheme in SCHEMES:
        if moving == set(scheme):
            if bodies == moving:
                return scheme
            break
        if len(moving) == 1 and moving <= set(scheme):
            (lacking,) = set(scheme) - moving
            raise table.header_error(
                f"there are positions of body {min(moving)} only: {columns}",
                remedy=f"Add those of body {lacking}. {_NAMING}.",
            )
    if bodies & {"a", "b"} and bodies - {"a", "b"}:
        raise table.header_error(
            f"bodies are numbered in some columns and lettered in others: {columns}",
            remedy=f"Call them in one way. {_NAMING}.",
        )
    raise table.header_error(
        f"there are columns of {len(bodies)} bodies ({', '.join(sorted(bodies))}): {columns}",
        remedy="Leave two bodies in the file. Call them 1 and 2, a and b, or 0 and 1.",
    )


def _of_body(table: Table, found: Mapping[Header, BodyColumn | None], body: str) -> Table:
    """The table as one of this body alone."""
    headers = []
    for header in table.headers:
        column = found[header]
        if column is None:
            headers.append(header)
            continue
        mine = column.body == body and column.quantity in AXES
        # What is of no meaning here keeps its place, under a name that means nothing.
        name, uncertain = (column.quantity, header.uncertainty) if mine else ("of_another", False)
        headers.append(dataclasses.replace(header, name=name, uncertainty=uncertain))
    return dataclasses.replace(table, headers=tuple(headers))


def _own(table: Table, header: Header) -> Header:
    """The header of the table with the text of one of another table."""
    return next(own for own in table.headers if own.text == header.text)


def _column_of(
    table: Table,
    found: Mapping[Header, BodyColumn | None],
    wanted: BodyColumn,
    *,
    uncertainty: bool = False,
) -> Header | None:
    """The column that holds a quantity of a body, where there is one."""
    fits = [
        header
        for header, column in found.items()
        if column == wanted and header.uncertainty == uncertainty
    ]
    name = f"{wanted.quantity}{wanted.body}"
    return table.choose(fits, name, key=name) if fits else None


def _spins(
    table: Table,
    found: Mapping[Header, BodyColumn | None],
    bodies: tuple[str, str],
    chosen: TrajectoryColumns,
    axes: tuple[str, ...],
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Angular velocities (rows, 2, 3) [rad/s] in the axes of the positions, and their standard
    deviations. The axes keep handedness, so a spin turns with them.
    """
    spin = np.full((len(table.lines), 2, 3), np.nan)
    sigma = np.full_like(spin, np.nan)
    normal = {axis.name for axis in chosen.axes} == {"x", "y"}
    for index, body in enumerate(bodies):
        for target, (axis, sign) in enumerate(chosen.frame):
            # "w" alone is about the normal of the plane of x and y, from x towards y.
            quantities = (f"w{axis}", "w") if axis == "z" and normal else (f"w{axis}",)
            for quantity in quantities:
                wanted = BodyColumn(quantity, body)
                header = _column_of(table, found, wanted)
                if header is None:
                    continue
                table.check_unit(header, "angular velocity")
                factor = 1.0 if header.unit is None else header.unit.factor
                spin[:, index, target] = sign * factor * table.column(header)
                error = _column_of(table, found, wanted, uncertainty=True)
                if error is not None:
                    unit = header.unit if error.unit is None else error.unit
                    factor = 1.0 if unit is None else unit.factor
                    sigma[:, index, target] = factor * table.column(error)
    known = np.isfinite(sigma) & (sigma > 0)
    return spin, sigma if np.all(known[np.isfinite(spin)]) and known.any() else None


def _angles(
    table: Table, found: Mapping[Header, BodyColumn | None], bodies: tuple[str, str]
) -> NDArray[np.float64]:
    """Angles (rows, 2) [rad] of a mark on each body."""
    angle = np.full((len(table.lines), 2), np.nan)
    for index, body in enumerate(bodies):
        header = _column_of(table, found, BodyColumn("angle", body))
        if header is not None:
            table.check_unit(header, "angle")
            degrees = 1.0 if header.unit is None else header.unit.factor
            angle[:, index] = np.radians(degrees * table.column(header))
    return angle
