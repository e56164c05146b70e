"""Which columns of a table are time, position and its uncertainty, and what turns them into seconds
and metres in a frame with z up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.errors import InputError
from calibration.io.headers import Header, advise_columns, list_headers
from calibration.io.tables import Table

AXES = ("x", "y", "z")

SPIN_KEYS = ("wx", "wy", "wz", "w")
"""By which a caller says which column is a spin, see `calibration.io.spin_columns`."""

_SYNONYMS = {
    "t": "t time zeit temps tempo tiempo timestamp time_stamp sec secs second seconds",
    "frame": "frame frames frame_number frame_no frame_nr frame_id frame_idx frame_index "
    "framenumber bild bildnummer",
    "x": "x",
    "y": "y",
    "z": "z h height hoehe hauteur altura altezza altitude vertical position pos",
}
_QUANTITY = {name: quantity for quantity, names in _SYNONYMS.items() for name in names.split()}
_FILLERS = {
    "pos",
    "position",
    "coord",
    "coordinate",
    "koordinate",
    "center",
    "centre",
    "centroid",
    "ball",
    "com",
}
_BOX_WIDTH = {"w", "width", "breite"}
_BOX_HEIGHT = {"h", "height", "hoehe"}
_RECOGNISED = (
    "t (or time, frame), x, y, z (or height, h), each with its unit if that is not s or m, such "
    "as 'y (mm)' or 'y_px'"
)

_DROPS = (
    "Heights h1 of drops and h2 of rebounds make a table of impacts, with columns 'speed' "
    "(sqrt(2 g h1), m/s) and 'e_n' (sqrt(h2/h1)); with heights of the lowest point of the ball. "
)
_LOUD = {"amplitude", "sound", "audio", "loudness", "lautstaerke", "volume"}
_SOUND = (
    "Of a sound, give the times of the impacts alone, in one column, as labels of Audacity or "
    "phyphox's (in)elastic collision have them. "
)

_LONGEST_INTERVAL = 0.5
"""The longest sample interval [s] at which times without a unit are believed to be seconds."""

_LARGEST_EXTENT = 20.0
"""The largest extent [m] at which positions without a unit are believed to be metres."""

# For the axis of the file that points up (with its sign): which axis of the file, with which sign,
# becomes x, y and z. All keep handedness.
_FRAMES = {
    "z": (("x", 1), ("y", 1), ("z", 1)),
    "-z": (("x", 1), ("y", -1), ("z", -1)),
    "y": (("x", 1), ("z", -1), ("y", 1)),
    "-y": (("x", 1), ("z", 1), ("y", -1)),
    "x": (("y", 1), ("z", 1), ("x", 1)),
    "-x": (("y", 1), ("z", -1), ("x", -1)),
}


@dataclass(frozen=True)
class Axis:
    """One column of position and where it goes.

    Attributes:
        name: the axis of the file, ``"x"``, ``"y"`` or ``"z"``.
        header: the column.
        target: the axis that it becomes, 0, 1, 2 for x, y, z with z up.
        factor: metres for one unit of the column, negative where the axis is turned round.
        sigma: the column of its standard deviation, or ``None``.
        sigma_factor: metres for one unit of that column.
    """

    name: str
    header: Header
    target: int
    factor: float
    sigma: Header | None = None
    sigma_factor: float = 1.0


@dataclass(frozen=True)
class TrajectoryColumns:
    """The columns of a recording.

    Attributes:
        clock: the column of time or frame numbers.
        seconds: seconds for one unit of it.
        axes: the columns of position.
        unit: the unit of the vertical position.
        frame: which axis of the file, with which sign, becomes x, y and z.
    """

    clock: Header
    seconds: float
    axes: tuple[Axis, ...]
    unit: str
    frame: tuple[tuple[str, int], ...]

    @property
    def vertical(self) -> Axis:
        """The axis that becomes z; without a vertical the first one."""
        return next((axis for axis in self.axes if axis.target == 2), self.axes[0])

    @property
    def upwards(self) -> str:
        """The axis of the file that points up, with a minus sign where it counts downwards."""
        name, sign = self.frame[2]
        return name if sign > 0 else f"-{name}"

    def used(self, *, with_sigma: bool) -> set[Header]:
        """All columns that are read."""
        sigma = {axis.sigma for axis in self.axes if axis.sigma is not None and with_sigma}
        return {self.clock, *(axis.header for axis in self.axes)} | sigma


def identify_quantity(header: Header) -> str | None:
    """What a header names: ``"t"``, ``"frame"``, ``"x"``, ``"y"``, ``"z"`` or ``None``; a time in
    frames is a ``"frame"``.
    """
    words = [word for word in header.name.split("_") if word not in _FILLERS]
    quantity = _QUANTITY.get(header.name) or _QUANTITY.get("_".join(words))
    return (
        "frame"
        if quantity == "t" and header.unit is not None and header.unit.dimension == "frames"
        else quantity
    )


def is_trajectory(headers: Iterable[Header]) -> bool:
    """Whether columns of time (or frames) and of position are among the headers."""
    quantities = {identify_quantity(header) for header in headers if not header.uncertainty}
    return bool(quantities & {"t", "frame"}) and bool(quantities & set(AXES))


def find_columns(
    table: Table,
    *,
    columns: Mapping[str, str],
    scale: float | None,
    frame_rate: float | None,
    vertical: str | None,
    level: bool = False,
) -> TrajectoryColumns:
    """Find the columns of a recording; the arguments are those of
    `calibration.io.recording.read_trajectory`.

    Args:
        table: the file.
        columns: which header holds what.
        scale: metres per pixel.
        frame_rate: frames per second.
        vertical: the axis of the file that points up.
        level: whether no axis points up, because nothing falls: the axes stay those of the file.
    """
    named = _named_columns(table, columns)
    clock, in_frames = _clock(table, named, frame_rate)
    chosen, in_pixels = _position_columns(table, named, scale)
    frame = _FRAMES["z" if level else _upward(table, chosen, in_pixels, vertical)]
    pixel = scale if in_pixels else None
    axes = tuple(
        _axis(table, named, name, chosen[name], target, sign, pixel)
        for target, (name, sign) in enumerate(frame)
        if name in chosen
    )
    up = chosen.get(frame[2][0], next(iter(chosen.values())))
    unit = "px" if in_pixels else (up.unit.symbol if up.unit else "m")
    return TrajectoryColumns(
        clock, _seconds(table, clock, in_frames, frame_rate), axes, unit, frame
    )


def find_clock(
    table: Table, *, columns: Mapping[str, str], frame_rate: float | None
) -> tuple[Header, float]:
    """The column of time or frame numbers, and seconds for one unit of it.

    Args:
        table: the file.
        columns: which header is ``t`` or ``frame``.
        frame_rate: frames per second.
    """
    clock, in_frames = _clock(table, _named_columns(table, columns), frame_rate)
    return clock, _seconds(table, clock, in_frames, frame_rate)


def _named_columns(table: Table, columns: Mapping[str, str]) -> dict[str, Header]:
    """The columns that the caller named, by quantity."""
    keys = ("t", "frame", *AXES, "sigma", *(f"sigma_{axis}" for axis in AXES), *SPIN_KEYS)
    for key in columns:
        if key not in keys:
            raise InputError(
                f"columns names the quantity {key!r}, which no recording has",
                remedy=f"Use {', '.join(keys)}.",
                path=table.path,
            )
    return {key: table.find(text) for key, text in columns.items()}


def _candidates(table: Table, quantity: str, named: Mapping[str, Header]) -> list[Header]:
    """The columns of this name that the caller gave no other meaning. Beside a width, a height is
    the size of a box.
    """
    if quantity in named:
        return [named[quantity]]
    boxed = any(header.name in _BOX_WIDTH for header in table.headers)
    return [
        header
        for header in table.headers
        if identify_quantity(header) == quantity
        and not header.uncertainty
        and header not in named.values()
        and not (boxed and header.name in _BOX_HEIGHT)
    ]


# Time


def _clock(
    table: Table, named: Mapping[str, Header], frame_rate: float | None
) -> tuple[Header, bool]:
    """The column of time or frame numbers, and whether it is frame numbers. Frame numbers win where
    a frame rate is given.
    """
    times, frames = _candidates(table, "t", named), _candidates(table, "frame", named)
    if frames and ("t" not in named) and ("frame" in named or frame_rate is not None or not times):
        return table.choose(frames, "the frame number", key="frame"), True
    if times:
        clock = table.choose(times, "the time", key="t")
        return clock, identify_quantity(clock) == "frame" or (
            frame_rate is not None and clock.unit is None and _whole(table, clock)
        )
    raise table.header_error(
        f"there is no column of time. The columns are {list_headers(table.headers)}",
        remedy="Name one of them 't' (in s) or 'frame', or say which it is: "
        f"{advise_columns('t')}. {_heights_of_drops(table)}{table.nearest}".rstrip(),
    )


def _heights_of_drops(table: Table) -> str:
    """What to do with heights of drops and of rebounds, of which a file without times may be."""
    heights = [header for header in table.headers if "height" in header.name.split("_")]
    return _DROPS if len(heights) > 1 else ""


def _times_of_a_sound(table: Table) -> str:
    """What to do with a sound, of which a file with times and how loud it is may be."""
    loud = any(set(header.name.split("_")) & _LOUD for header in table.headers)
    return _SOUND if loud else ""


def _seconds(table: Table, clock: Header, in_frames: bool, frame_rate: float | None) -> float:
    """Seconds for one unit of the clock."""
    if in_frames and frame_rate is not None:
        return 1.0 / frame_rate
    if in_frames:
        raise table.header_error(
            "the time is given in frames and the frame rate is not known",
            remedy="Give --frame-rate frames-per-second, for example --frame-rate 240 (in Python: "
            "frame_rate=240).",
            header=clock,
        )
    table.check_unit(clock, "time")
    if frame_rate is not None:
        raise table.header_error(
            "a frame rate is given, but this column holds times, not frame numbers",
            remedy="Leave out --frame-rate, or name the column of frame numbers 'frame'.",
            header=clock,
        )
    if clock.unit is None and (
        _whole(table, clock) or _interval(table, clock) >= _LONGEST_INTERVAL
    ):
        raise table.header_error(
            "the times have no unit and look like frame numbers or milliseconds, not seconds",
            remedy="Write the unit into the header: 't (s)' or 't (ms)'; name it 'frame' and give "
            "--frame-rate if it counts frames.",
            header=clock,
        )
    return clock.unit.factor if clock.unit else 1.0


def _whole(table: Table, clock: Header) -> bool:
    """Whether all times are whole numbers."""
    values = table.column(clock)
    values = values[np.isfinite(values)]
    return len(values) > 1 and bool(np.all(values == np.round(values)))


def _interval(table: Table, clock: Header) -> float:
    """The median difference of successive times."""
    values = table.column(clock)
    values = values[np.isfinite(values)]
    return float(np.median(np.diff(values))) if len(values) > 1 else 0.0


# Position


def _position_columns(
    table: Table, named: Mapping[str, Header], scale: float | None
) -> tuple[dict[str, Header], bool]:
    """The column of each axis of the file, and whether they are in pixels.

    Metres win over pixels, unless ``scale`` asks for pixels or the caller named columns in pixels.
    All columns are of one kind.
    """
    candidates = {axis: headers for axis in AXES if (headers := _candidates(table, axis, named))}
    if not candidates:
        raise table.header_error(
            f"there is no column of position. The columns are {list_headers(table.headers)}",
            remedy=f"Recognised are {_RECOGNISED}. Rename one, or say which it is: "
            f"{advise_columns('z')}. {_times_of_a_sound(table)}{table.nearest}".rstrip(),
        )
    explicit = [named[axis] for axis in AXES if axis in named]
    deciding = explicit or [header for headers in candidates.values() for header in headers]
    kinds = {_in_pixels(header, scale) for header in deciding}
    if scale is not None and kinds == {False}:
        raise table.header_error(
            "a scale (metres per pixel) is given, but the positions are in "
            f"{deciding[0].unit.symbol if deciding[0].unit else 'm'}",
            remedy="Leave out --scale, or correct the unit in the header.",
            header=deciding[0],
        )
    in_pixels = kinds == {True} or scale is not None
    alike = {
        axis: [header for header in headers if _in_pixels(header, scale) == in_pixels]
        for axis, headers in candidates.items()
    }
    if (explicit and len(kinds) == 2) or (not explicit and not all(alike.values())):
        raise table.header_error(
            f"some positions are in pixels and some are not: {list_headers(deciding)}",
            remedy=f"Say which to use, all of one kind: {advise_columns('z')}, or write the units "
            "into the header.",
        )
    chosen = {
        axis: table.choose(_declared(headers), f"the position {axis}", key=axis)
        for axis, headers in alike.items()
        if headers
    }
    if in_pixels and scale is None:
        raise table.header_error(
            "the positions are in pixels and the size of a pixel is not known",
            remedy="Give --scale metres-per-pixel, for example --scale 0.0015 (in Python: "
            "scale=0.0015).",
            header=next(iter(chosen.values())),
        )
    return chosen, in_pixels


def _in_pixels(header: Header, scale: float | None) -> bool:
    """Whether a column is in pixels: it says so, or it says nothing and a scale is given."""
    return scale is not None if header.unit is None else header.unit.dimension == "pixels"


def _declared(headers: Sequence[Header]) -> Sequence[Header]:
    """Those that declare a unit, if any does."""
    return [header for header in headers if header.unit is not None] or headers


def _upward(
    table: Table, chosen: Mapping[str, Header], in_pixels: bool, vertical: str | None
) -> str:
    """The axis of the file that points up, with a minus sign if it counts downwards, as the y of
    images does.
    """
    if vertical is None and table.vertical == "?" and len(chosen) > 1:
        raise table.header_error(
            "files of this format do not say which axis points up",
            remedy="Give --vertical y or --vertical z (in Python: vertical='y').",
        )
    if vertical is None and table.vertical is not None and table.vertical[-1] in chosen:
        return table.vertical
    if vertical is None:
        axis = next((axis for axis in ("z", "y") if axis in chosen), next(iter(chosen)))
        rows = axis == "y" or identify_quantity(chosen[axis]) == "y"
        return f"-{axis}" if in_pixels and rows else axis
    given = re.fullmatch(r"\+?(-?([xyz]))", vertical)
    if given is None or given[2] not in chosen:
        signed = ", ".join(f"{axis}, -{axis}" for axis in chosen)
        raise InputError(
            f"the vertical {vertical!r} is no axis of this file",
            remedy=f"Use one of {signed}.",
            path=table.path,
        )
    return given[1]


def _axis(
    table: Table,
    named: Mapping[str, Header],
    name: str,
    header: Header,
    target: int,
    sign: int,
    pixel: float | None,
) -> Axis:
    factor = _metres(table, header, pixel)
    if header.unit is None and pixel is None:
        _check_metres(table, header)
    sigma = _sigma_column(table, named, name, pixel)
    sigma_factor = factor if sigma is None or sigma.unit is None else _metres(table, sigma, pixel)
    return Axis(name, header, target, sign * factor, sigma, sigma_factor)


def _metres(table: Table, header: Header, pixel: float | None) -> float:
    """Metres for one unit of the column; ``pixel`` is the size of a pixel where positions are in
    pixels.
    """
    table.check_unit(header, "length", "pixels")
    if header.unit is None or header.unit.dimension == "pixels":
        return 1.0 if pixel is None else pixel
    return header.unit.factor


class MissingUnit(InputError):
    """Positions without a unit that cannot be metres."""


def _check_metres(table: Table, header: Header) -> None:
    """Numbers without a unit that span tens of metres are none."""
    values = table.column(header)
    values = values[np.isfinite(values)]
    if len(values) and np.ptp(values) > _LARGEST_EXTENT:
        raise MissingUnit(
            f"the positions have no unit and run from {values.min():g} to {values.max():g}: "
            "pixels, centimetres or millimetres rather than metres",
            remedy=f"Write the unit into the header, '{header.text} (mm)' or '{header.text} (m)'; "
            "for pixels, --scale metres-per-pixel.",
            path=table.path,
            line=table.header_line,
            column=header.text,
        )


def _sigma_column(
    table: Table, named: Mapping[str, Header], axis: str, pixel: float | None
) -> Header | None:
    """The column of the uncertainty of one axis, else that of all axes. Uncertainties in pixels
    belong to positions in pixels.
    """
    usable = [
        header
        for header in table.headers
        if header.uncertainty and (pixel is not None or not _in_pixels(header, None))
    ]
    specific = [header for header in usable if header.name and identify_quantity(header) == axis]
    common = [header for header in usable if not header.name]
    for key, headers in ((f"sigma_{axis}", specific), ("sigma", common)):
        if key in named:
            return named[key]
        if headers:
            return table.choose(_declared(headers), f"the uncertainty of {axis}", key=key)
    return None
