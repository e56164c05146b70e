"""Tables of impacts of a sphere on a surface: one impact in each row, what went in and what came
out.

The angle counts from the normal of the surface, so 0 is a head-on impact. Spin and tangential
velocity are in the plane of impact: the spin is positive in the sense in which friction turns a
sphere that slides forwards, as in rolling forwards.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.headers import Header, advise_columns, list_headers
from calibration.io.impact_vectors import are_impact_vectors, read_impact_vectors
from calibration.io.names import stem_of
from calibration.io.tables import Table, read_table
from calibration.io.trajectory_columns import identify_quantity, is_trajectory

INPUTS = ("impact_speed", "impact_angle", "spin_before")
OUTPUTS = (
    "rebound_speed",
    "rebound_angle",
    "spin_after",
    "normal_restitution",
    "tangential_restitution",
)

_DIMENSION = {
    "impact_speed": "speed",
    "impact_angle": "angle",
    "spin_before": "angular velocity",
    "rebound_speed": "speed",
    "rebound_angle": "angle",
    "spin_after": "angular velocity",
    "normal_restitution": "ratio",
    "tangential_restitution": "ratio",
}

_SPEEDS = "speed velocity v"
_ANGLES = "angle theta alpha"
_SPINS = "spin omega angular_velocity angular_speed"
_BEFORE = "in i before impact incident incoming initial incidence"
_AFTER = "out r after rebound reflected outgoing final"


def _combine_words(words: str, places: str) -> list[str]:
    """``v_in`` and ``in_v`` for every word and place."""
    return [
        name
        for word in words.split()
        for place in places.split()
        for name in (f"{word}_{place}", f"{place}_{word}")
    ]


def _restitution(direction: str) -> list[str]:
    """``normal_restitution``, ``normal_restitution_coefficient``,
    ``coefficient_of_normal_restitution`` ...
    """
    patterns = (
        "{}restitution",
        "{}restitution_coefficient",
        "{}coefficient_of_restitution",
        "coefficient_of_{}restitution",
    )
    return [pattern.format(f"{direction}_" if direction else "") for pattern in patterns]


_NAMES = {
    "impact_speed": [
        *_SPEEDS.split(),
        *_combine_words(_SPEEDS, _BEFORE),
        "vi",
        "v0",
        "v1",
        "geschwindigkeit",
        "aufprallgeschwindigkeit",
    ],
    "impact_angle": [
        *_ANGLES.split(),
        *_combine_words(_ANGLES, _BEFORE),
        "angle_of_incidence",
        "winkel",
        "aufprallwinkel",
        "einfallswinkel",
    ],
    "spin_before": [*_combine_words(_SPINS, _BEFORE), "omega0", "omega_0", "w0"],
    "rebound_speed": [*_combine_words(_SPEEDS, _AFTER), "vr", "v2", "rueckprallgeschwindigkeit"],
    "rebound_angle": [
        *_combine_words(_ANGLES, _AFTER),
        "angle_of_reflection",
        "rueckprallwinkel",
        "ausfallswinkel",
    ],
    "spin_after": [*_SPINS.split(), *_combine_words(_SPINS, _AFTER)],
    "normal_restitution": [
        "e_n",
        "en",
        "e",
        "cor",
        "stosszahl",
        *_restitution("normal"),
        *_restitution(""),
    ],
    "tangential_restitution": ["e_t", "et", *_restitution("tangential")],
}
_QUANTITY = {name: quantity for quantity, names in _NAMES.items() for name in names}
_RECOGNISED = (
    "rebound_speed (v_out), rebound_angle (theta_out), spin_after (omega), normal_restitution "
    "(e_n), tangential_restitution (e_t)"
)

_LARGEST_RATIO = 1.5
"""Above it a restitution is a percentage or a mistake, not scatter."""


def _not_given() -> NDArray[np.float64]:
    return np.empty(0)


PerImpact = Annotated[NDArray[np.float64], "impacts"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ImpactTable:
    """Impacts of a sphere on a surface, one in each row; all arrays have shape (n,), NaN where a
    quantity was not measured. Only the angle must be given.

    Attributes:
        name: what the table is called in reports.
        impact_angle: angle of the velocity before, from the normal [deg], in [0, 90).
        impact_speed: speed of the centre before [m/s], NaN where it is not known.
        spin_before: spin before [rad/s], by default 0.
        rebound_speed: speed of the centre after [m/s].
        rebound_angle: angle of the velocity after, from the normal [deg], negative when thrown
            back.
        spin_after: spin after [rad/s].
        normal_restitution: normal velocity of the centre after / before [-].
        tangential_restitution: tangential velocity of the centre after / before [-].
        sigma: standard deviation (n,) of each measured quantity that has one, by name, in the same
            unit; NaN where not given.
        source: for each row the name of the file it came from.
        line: (n,) for each row the line in that file.
        path: the file, or ``None``.
        ignored: the headers of columns that were not used.
        across: largest spin about the direction of motion along the surface [rad/s], which impacts
            in a plane do not have and which is left out.

    Raises:
        InputError: arrays of different lengths, a sigma or a speed that is not positive, an angle
            outside [0, 90), a number that is infinite.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="steel on glass",
        ...     impact_angle=np.array([20.0, 40.0, 60.0]),
        ...     impact_speed=np.full(3, 3.9),
        ...     tangential_restitution=np.array([0.61, 0.65, 0.78]),
        ...     sigma={"tangential_restitution": np.full(3, 0.01)},
        ... )
        >>> len(table), table.measured
        (3, ('tangential_restitution',))
    """

    name: str
    impact_angle: PerImpact = field(repr=False)
    impact_speed: PerImpact = field(default_factory=_not_given, repr=False)
    spin_before: PerImpact = field(default_factory=_not_given, repr=False)
    rebound_speed: PerImpact = field(default_factory=_not_given, repr=False)
    rebound_angle: PerImpact = field(default_factory=_not_given, repr=False)
    spin_after: PerImpact = field(default_factory=_not_given, repr=False)
    normal_restitution: PerImpact = field(default_factory=_not_given, repr=False)
    tangential_restitution: PerImpact = field(default_factory=_not_given, repr=False)
    sigma: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    source: tuple[str, ...] = field(default=(), repr=False)
    line: Annotated[NDArray[np.int64], "impacts"] = field(
        default_factory=lambda: np.empty(0, int), repr=False
    )
    path: str | None = None
    ignored: tuple[str, ...] = ()
    across: float = 0.0

    def __post_init__(self) -> None:
        rows = len(self.impact_angle)
        absent: dict[str, Any] = dict.fromkeys((*INPUTS, *OUTPUTS), np.full(rows, np.nan)) | {
            "spin_before": np.zeros(rows)
        }
        absent |= {"source": (self.name,) * rows, "line": np.arange(1, rows + 1)}
        for quantity, value in absent.items():
            given = getattr(self, quantity)
            numbers = given if quantity in ("source", "line") else np.asarray(given, dtype=float)
            object.__setattr__(self, quantity, value if len(given) == 0 else numbers)
        sigma = {name: np.asarray(values, dtype=float) for name, values in self.sigma.items()}
        object.__setattr__(self, "sigma", sigma)
        for quantity, values in {
            **{name: getattr(self, name) for name in absent},
            **{f"sigma of {name}": sigma for name, sigma in self.sigma.items()},
        }.items():
            if len(values) != rows:
                raise InputError(
                    f"table {self.name!r}: {quantity} has {len(values)} values and "
                    f"impact_angle {rows}",
                    remedy="Give every quantity one value for each impact, NaN where it was not "
                    "measured.",
                )
        self._check_numbers()

    def _check_numbers(self) -> None:
        """Every number is one that can be; NaN was not measured."""
        for quantity, values in self.sigma.items():
            if quantity not in OUTPUTS:
                raise InputError(
                    f"table {self.name!r}: sigma of {quantity!r}, which is no output",
                    remedy=f"Outputs are {', '.join(OUTPUTS)}.",
                )
            self._check_each(
                f"sigma of {quantity}", np.isnan(values) | (values > 0), values, "a positive number"
            )
        speed, angle = self.impact_speed, self.impact_angle
        self._check_each("impact_speed", np.isnan(speed) | (speed > 0), speed, "positive, in m/s")
        self._check_each(
            "impact_angle", (angle >= 0) & (angle < 90), angle, "in [0, 90) deg, known"
        )
        for quantity in (*INPUTS, *OUTPUTS):
            values = getattr(self, quantity)
            self._check_each(quantity, ~np.isinf(values), values, "finite")

    def _check_each(
        self, quantity: str, good: NDArray[np.bool_], values: NDArray[np.float64], allowed: str
    ) -> None:
        if not np.all(good):
            row = int(np.argmin(good))
            raise InputError(
                f"table {self.name!r}: {quantity} = {values[row]:g} in row {row + 1}",
                remedy=f"It must be {allowed}; write NaN for what was not measured.",
                path=self.path,
            )

    def __len__(self) -> int:
        return len(self.impact_angle)

    @property
    def measured(self) -> tuple[str, ...]:
        """The outputs that were measured in at least one row."""
        return tuple(name for name in OUTPUTS if np.isfinite(getattr(self, name)).any())


def read_impact_table(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    speed: float | None = None,
    sigma: Mapping[str, float] | None = None,
) -> ImpactTable:
    """Read a table of impacts from a text file (CSV in any dialect).

    Columns are recognised by their header in any case: ``speed`` or ``v_in`` [m/s], ``theta`` or
    ``angle`` [deg], ``omega_in`` [rad/s], ``v_out``, ``theta_rebound``, ``omega`` or
    ``spin_after``, ``e_n``, ``e_t`` and the like, each with its unit (``theta_deg``, ``omega
    (rpm)``) and, for the outputs, its standard deviation (``sigma_e_t``, ``omega_err``). Without a
    column of angle the impacts are head-on; without a column of spin before, the sphere did not
    spin. Rows without any output are left out. Velocities and spins before and after may also be
    given by their components, ``v_in_x``, ``v_out_z``, ``spin_before_y``, ``w_after_y``, in
    right-handed axes of which one is the normal of the surface.

    Args:
        path: the file.
        columns: which header holds what, for headers that are not recognised: ``{"impact_angle":
            "phi (deg)"}``; keys are the attributes of `ImpactTable` for inputs and outputs, and
            ``sigma_`` before an output.
        speed: impact speed [m/s] where the file has none.
        sigma: standard deviation of outputs, in the units of `ImpactTable`: ``{"spin_after":
            10.0}``; replaces sigma columns.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> import pathlib, tempfile
        >>> rows = [[20.0, 0.61], [40.0, 0.65], [60.0, 0.78]]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "impacts.csv"
        ...     np.savetxt(path, rows, delimiter=",", header="theta (deg),e_t", comments="")
        ...     table = cal.read_impact_table(path, speed=3.9)
        >>> table.impact_angle.tolist(), table.impact_speed.tolist(), table.measured
        ([20.0, 40.0, 60.0], [3.9, 3.9, 3.9], ('tangential_restitution',))
    """
    table = read_table(path)
    if are_impact_vectors(table.headers) and not columns:
        return _table_of_vectors(table, speed, dict(sigma or {}))
    if speed is not None and not (np.isfinite(speed) and speed > 0):
        raise InputError(
            f"speed = {speed} is not a positive number",
            remedy="Give the impact speed in m/s.",
            path=table.path,
        )
    given = dict(sigma or {})
    replaced = {f"sigma_{name}" for name in given}
    chosen = {
        key: header
        for key, header in _find_columns(table, columns or {}).items()
        if key not in replaced
    }
    if not any(name in chosen for name in OUTPUTS):
        raise table.header_error(
            "there is no column of anything measured after the impact. The columns are "
            f"{list_headers(table.headers)}",
            remedy=f"Recognised are {_RECOGNISED}. Rename one, or say which it is: "
            f"{advise_columns('spin_after')}.",
        )
    _check_angle_known(table, chosen)
    values = {
        name: _values(table, chosen[name], name) for name in (*INPUTS, *OUTPUTS) if name in chosen
    }
    nothing, zero = np.full(len(table.lines), np.nan), np.zeros(len(table.lines))
    values = {
        "impact_angle": zero,
        "spin_before": zero,
        **dict.fromkeys(("impact_speed", *OUTPUTS), nothing),
    } | values
    if speed is not None:
        values["impact_speed"] = np.where(
            np.isnan(values["impact_speed"]), speed, values["impact_speed"]
        )
    rows = np.asarray(np.isfinite([values[name] for name in OUTPUTS]).any(axis=0))
    if not rows.any():
        raise table.header_error(
            "no row holds anything measured after the impact",
            remedy=f"Fill in at least one of {_RECOGNISED}.",
        )
    _check_values(table, chosen, values, rows)
    deviations = _sigma(table, chosen, values, given)
    measured: dict[str, Any] = {name: column[rows] for name, column in values.items()}
    return ImpactTable(
        name=stem_of(path),
        **measured,
        sigma={name: column[rows] for name, column in deviations.items()},
        source=(stem_of(path),) * int(rows.sum()),
        line=table.lines[rows],
        path=table.path,
        ignored=table.list_unused(chosen.values()),
    )


def _table_of_vectors(table: Table, speed: float | None, sigma: Mapping[str, float]) -> ImpactTable:
    """The impacts of a table of velocities and spins before and after."""
    if speed is not None:
        raise table.header_error(
            "an impact speed is given, but this table has the velocities before the impacts",
            remedy="Leave --speed out.",
        )
    vectors = read_impact_vectors(table)
    deviations = _sigma(
        table,
        dict.fromkeys(OUTPUTS, vectors.headers[0]),
        {name: vectors.values.get(name, np.full(len(table.lines), np.nan)) for name in OUTPUTS},
        sigma,
    )
    name = stem_of(table.path)
    ignored = list(table.list_unused(vectors.headers))
    return ImpactTable(
        name=name,
        **vectors.values,
        sigma={key: column for key, column in deviations.items() if key in sigma},
        source=(name,) * len(table.lines),
        line=table.lines,
        path=table.path,
        ignored=tuple(ignored),
        across=vectors.across,
    )


def is_impact_table(path: str | os.PathLike[str]) -> bool:
    """Whether the header of a file is that of a table of impacts (rather than of a recording, with
    time and position).
    """
    headers = [header for header in read_table(path).headers if not header.uncertainty]
    if are_impact_vectors(headers) and not is_trajectory(headers):
        return True
    timed = any(identify_quantity(header) in ("t", "frame") for header in headers)
    names = {_QUANTITY.get(header.name) for header in headers}
    return (
        bool(names & set(OUTPUTS))
        and not is_trajectory(headers)
        and (not timed or bool(names & {"impact_speed", "impact_angle"}))
    )


def merge_tables(tables: Sequence[ImpactTable], *, name: str | None = None) -> ImpactTable:
    """Merge tables of impacts into one with the rows of all, each row with the outputs it had.

    Args:
        tables: at least one.
        name: of the merged table; by default the names joined by ``+``.

    Raises:
        InputError: there is no table.
    """
    if not tables:
        raise InputError("there is no table to merge", remedy="Give at least one table of impacts.")
    quantities: dict[str, Any] = {
        quantity: np.concatenate([getattr(table, quantity) for table in tables])
        for quantity in (*INPUTS, *OUTPUTS)
    }
    with_sigma = [
        quantity for quantity in OUTPUTS if any(quantity in table.sigma for table in tables)
    ]
    return ImpactTable(
        name=name or " + ".join(table.name for table in tables),
        **quantities,
        sigma={
            quantity: np.concatenate(
                [table.sigma.get(quantity, np.full(len(table), np.nan)) for table in tables]
            )
            for quantity in with_sigma
        },
        source=tuple(source for table in tables for source in table.source),
        line=np.concatenate([table.line for table in tables]),
        ignored=tuple(dict.fromkeys(header for table in tables for header in table.ignored)),
        across=max(table.across for table in tables),
    )


# Columns


def _find_columns(table: Table, columns: Mapping[str, str]) -> dict[str, Header]:
    """The column of each quantity, and of each uncertainty under ``sigma_<quantity>``."""
    keys = (*INPUTS, *OUTPUTS, *(f"sigma_{name}" for name in OUTPUTS))
    for key in columns:
        if key not in keys:
            raise InputError(
                f"columns names the quantity {key!r}, which no table of impacts has",
                remedy=f"Use {', '.join(keys)}.",
                path=table.path,
            )
    chosen = {key: table.find(text) for key, text in columns.items()}
    free = [header for header in table.headers if header not in chosen.values()]
    for key in keys:
        name = key.removeprefix("sigma_")
        headers = [
            header
            for header in free
            if _QUANTITY.get(header.name) == name and header.uncertainty == (name != key)
        ]
        if key not in chosen and headers:
            chosen[key] = table.choose(headers, f"the {key.replace('_', ' ')}", key=key)
    outputs = [name for name in OUTPUTS if name in chosen]
    common = [header for header in free if header.uncertainty and not header.name]
    if len(outputs) == 1 and common and f"sigma_{outputs[0]}" not in chosen:
        chosen[f"sigma_{outputs[0]}"] = table.choose(
            common, f"the sigma of {outputs[0]}", key=f"sigma_{outputs[0]}"
        )
    return chosen


def _values(table: Table, header: Header, name: str) -> NDArray[np.float64]:
    """The column of a quantity in the unit of `ImpactTable`."""
    table.check_unit(header, _DIMENSION[name])
    values = table.column(header)
    if name.endswith("angle") and header.unit is None:
        _check_degrees(table, header, values)
    return values * (header.unit.factor if header.unit else 1.0)


def _check_degrees(table: Table, header: Header, values: NDArray[np.float64]) -> None:
    """Angles without a unit that could all be radians below a right angle are not believed to be
    degrees.
    """
    largest = np.max(np.abs(values[np.isfinite(values)]), initial=0.0)
    if 0.0 < largest <= np.pi / 2.0:
        raise table.header_error(
            f"the angles have no unit and none is larger than {largest:g}: they may be "
            "degrees or radians",
            remedy=f"Write the unit into the header: '{header.text} (deg)' or "
            f"'{header.text} (rad)'.",
            header=header,
        )


def _sigma(
    table: Table,
    chosen: Mapping[str, Header],
    values: Mapping[str, NDArray[np.float64]],
    given: Mapping[str, float],
) -> dict[str, NDArray[np.float64]]:
    """The standard deviation of each output that has one, in the unit of `ImpactTable`, NaN where
    the output is.
    """
    for name, value in given.items():
        if name not in OUTPUTS:
            raise InputError(
                f"sigma names {name!r}, which is nothing measured after an impact",
                remedy=f"Use {', '.join(OUTPUTS)}.",
                path=table.path,
            )
        if not (np.isfinite(value) and value > 0):
            raise InputError(
                f"sigma of {name} = {value} is not a positive number",
                remedy="Give the standard deviation.",
                path=table.path,
            )
    deviations = {}
    for name in (name for name in OUTPUTS if name in chosen):
        measured = np.isfinite(values[name])
        if name in given:
            deviations[name] = np.where(measured, given[name], np.nan)
        elif f"sigma_{name}" in chosen:
            deviations[name] = np.where(
                measured,
                _sigma_column(table, chosen[f"sigma_{name}"], chosen[name], name, measured),
                np.nan,
            )
    return deviations


def _sigma_column(
    table: Table, header: Header, quantity: Header, name: str, measured: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """A column of standard deviations; without a unit of its own it has that of the quantity."""
    table.check_unit(header, _DIMENSION[name])
    unit = header.unit or quantity.unit
    values = table.column(header)
    wrong = np.flatnonzero(measured & ~(values > 0))
    if len(wrong):
        said = (
            "is missing" if np.isnan(values[wrong[0]]) else f"is {values[wrong[0]]:g}, not positive"
        )
        raise table.error(
            f"the uncertainty of this {_words(name)} {said}",
            remedy="Write a positive standard deviation, or delete the column.",
            row=int(wrong[0]),
            header=header,
        )
    return values * (unit.factor if unit else 1.0)


# Checks


def _check_angle_known(table: Table, chosen: Mapping[str, Header]) -> None:
    oblique = [
        name for name in ("rebound_angle", "spin_after", "tangential_restitution") if name in chosen
    ]
    if oblique and "impact_angle" not in chosen:
        raise table.header_error(
            f"there is a column of {_words(oblique[0])}, but none of the impact angle",
            remedy="Add a column 'theta_deg' (the angle from the normal), or say which it is: "
            f"{advise_columns('impact_angle')}.",
            header=chosen[oblique[0]],
        )


def _check_values(
    table: Table,
    chosen: Mapping[str, Header],
    values: Mapping[str, NDArray[np.float64]],
    rows: NDArray[np.bool_],
) -> None:
    """Raise at the first row whose value cannot be."""
    for name, wrong, fault, remedy in _faults(values):
        at = np.flatnonzero(rows & wrong)
        if len(at):
            value = values[name][at[0]]
            shown = "" if np.isnan(value) else f" {value:g}"
            raise table.error(
                f"the {_words(name)}{shown} {fault}",
                remedy=remedy,
                row=int(at[0]),
                header=chosen[name],
            )


def _faults(
    values: Mapping[str, NDArray[np.float64]],
) -> Iterator[tuple[str, NDArray[np.bool_], str, str]]:
    """Each thing that can be wrong with a quantity: its name, the rows where it is, what to say and
    what to do.
    """
    angle, spin, speed = values["impact_angle"], values["spin_before"], values["impact_speed"]
    normal, tangential = values["normal_restitution"], values["tangential_restitution"]
    from_normal = (
        "The angle counts from the normal, 0 for a head-on impact: take 90 minus it if yours "
        "counts from the surface."
    )
    ratio = "Write the ratio of the velocities after and before (0.8, not 80), or '%' as the unit."
    give_speed = (
        "Add a column 'speed (m/s)', or give --speed metres-per-second (in Python: speed=...)."
    )
    yield "impact_angle", np.isnan(angle), "is missing", from_normal
    yield "impact_angle", (angle < 0) | (angle >= 90), "is outside [0, 90) deg", from_normal
    yield (
        "spin_before",
        np.isnan(spin),
        "is missing",
        "Write the spin before the impact, 0 if there was none.",
    )
    yield "impact_speed", speed <= 0, "is not positive", "Write the speed before the impact in m/s."
    for name in ("rebound_speed", "spin_after"):
        yield (
            name,
            np.isfinite(values[name]) & np.isnan(speed),
            "was measured, but the impact speed is not known",
            give_speed,
        )
    yield (
        "rebound_speed",
        values["rebound_speed"] < 0,
        "is negative",
        "Write the magnitude of the velocity after the impact.",
    )
    yield (
        "rebound_angle",
        np.abs(values["rebound_angle"]) >= 90,
        "is outside (-90, 90) deg",
        from_normal,
    )
    yield (
        "normal_restitution",
        (normal < 0) | (normal > _LARGEST_RATIO),
        f"is outside [0, {_LARGEST_RATIO}]",
        ratio,
    )
    head_on = "belongs to a head-on impact, which has no tangential velocity"
    yield (
        "tangential_restitution",
        np.isfinite(tangential) & (angle == 0),
        head_on,
        "Leave the cell empty.",
    )
    # With spin before the impact the ratio has no bound: spin can throw a slow sphere forwards or
    # back.
    too_large = (np.abs(tangential) > _LARGEST_RATIO) & (spin == 0)
    yield (
        "tangential_restitution",
        too_large,
        f"is outside [-{_LARGEST_RATIO}, {_LARGEST_RATIO}]",
        ratio,
    )


def _words(name: str) -> str:
    return name.replace("_", " ")
