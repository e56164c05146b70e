"""Impacts that are given as vectors: velocity and spin before and after, each by its components.

``v_in_x``, ``vz_before``, ``spin_after_y``, ``w_out_z`` and the like. The surface faces along the
axis in which every impact turns the velocity round. Each impact is seen in the plane of its normal
and of the velocity before.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.io.headers import Header
from calibration.io.tables import Table
from calibration.io.trajectory_columns import AXES

_KINDS = {
    **dict.fromkeys(("v", "vel", "velocity"), "velocity"),
    **dict.fromkeys(("w", "omega", "spin", "angular_velocity"), "spin"),
}
_PLACES = {
    **dict.fromkeys(("in", "before", "incoming", "incident", "pre"), "before"),
    **dict.fromkeys(("out", "after", "outgoing", "rebound", "post"), "after"),
}
_DIMENSION = {"velocity": "speed", "spin": "angular velocity"}
_COMPONENT = re.compile(r"(?P<kind>[a-z]+?)(?P<axis>[xyz])")

HEAD_ON = 1e-9
"""Tangential over normal velocity below which the velocity has no direction along the surface."""

TURNS = 0.9
"""Least share of the impacts that turn the velocity along the normal round."""


class VectorColumn(NamedTuple):
    """What a column holds: ``"velocity"`` or ``"spin"``, ``"before"`` or ``"after"``, and about or
    along which axis.
    """

    kind: str
    place: str
    axis: str


class ImpactVectors(NamedTuple):
    """Impacts in their planes, as `calibration.io.impact_table.ImpactTable` has them (n,).

    Attributes:
        values: by name of the quantity.
        headers: that were read.
        across: largest spin about the direction of motion along the surface, before and after
            [rad/s], which impacts in a plane do not have.
    """

    values: dict[str, NDArray[np.float64]]
    headers: tuple[Header, ...]
    across: float


def identify_component(header: Header) -> VectorColumn | None:
    """What a header names, or ``None``.

    Args:
        header: of a column.
    """
    words = header.name.replace("angular_velocity", "omega").split("_")
    places = [_PLACES[word] for word in words if word in _PLACES]
    rest = [word for word in words if word not in _PLACES]
    if len(places) != 1 or not 1 <= len(rest) <= 2:
        return None
    if len(rest) == 1:
        joined = _COMPONENT.fullmatch(rest[0])
        rest = [joined["kind"], joined["axis"]] if joined else rest
    axes = [word for word in rest if word in AXES]
    kinds = [_KINDS[word] for word in rest if word in _KINDS]
    if len(axes) != 1 or len(kinds) != 1:
        return None
    return VectorColumn(kinds[0], places[0], axes[0])


def are_impact_vectors(headers: Iterable[Header]) -> bool:
    """Whether there are components of the velocity before and after.

    Args:
        headers: of a file.
    """
    found = [identify_component(header) for header in headers if not header.uncertainty]
    axes = [
        {item.axis for item in found if item is not None and item[:2] == ("velocity", place)}
        for place in ("before", "after")
    ]
    return len(axes[0] & axes[1]) > 1


def read_impact_vectors(table: Table) -> ImpactVectors:
    """The impacts of a table of vectors.

    Args:
        table: rows of a file.

    Raises:
        InputError: two columns for one component, a unit that is none, a velocity that is missing,
            no axis along which the impacts turn the velocity round.
    """
    columns: dict[VectorColumn, Header] = {}
    for header in table.headers:
        component = identify_component(header)
        if component is None or header.uncertainty:
            continue
        if component in columns:
            both = [columns[component], header]
            table.choose(both, f"{component.kind} {component.place}", key=component.axis)
        table.check_unit(header, _DIMENSION[component.kind])
        columns[component] = header
    before, after = (_vectors(table, columns, "velocity", place) for place in ("before", "after"))
    spins = [_vectors(table, columns, "spin", place) for place in ("before", "after")]
    spun = [any(item[:2] == ("spin", place) for item in columns) for place in ("before", "after")]
    normal = _normal(table, before, after)
    down, up = -(before @ normal), after @ normal
    _check_turned(table, down, up, columns)
    along, side = _directions(before, spins[0], normal)
    measured = {
        "impact_speed": np.linalg.norm(before, axis=1),
        "impact_angle": np.degrees(np.arctan2(_dot(before, along), down)),
        "spin_before": _dot(spins[0], side),
        "normal_restitution": up / down,
        "rebound_angle": np.degrees(np.arctan2(_dot(after, along), up)),
    }
    if spun[1]:
        measured["spin_after"] = _dot(spins[1], side)
    across = max(float(np.max(np.abs(_dot(spin, along)), initial=0.0)) for spin in spins)
    return ImpactVectors(measured, tuple(columns.values()), across)


def _dot(vectors: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sum(vectors * directions, axis=1))


def _vectors(
    table: Table, columns: Mapping[VectorColumn, Header], kind: str, place: str
) -> NDArray[np.float64]:
    """Vectors (n, 3) in m/s or rad/s, zero along axes without a column."""
    found = np.zeros((len(table.lines), 3))
    for index, axis in enumerate(AXES):
        header = columns.get(VectorColumn(kind, place, axis))
        if header is None:
            continue
        found[:, index] = table.column(header) * (header.unit.factor if header.unit else 1.0)
        missing = np.flatnonzero(np.isnan(found[:, index]))
        if missing.size:
            raise table.error(
                f"this component of the {kind} {place} the impact is missing",
                remedy="Fill it in, or delete the row.",
                row=int(missing[0]),
                header=header,
            )
    return found


def _normal(
    table: Table, before: NDArray[np.float64], after: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Unit vector along which the surface faces: of the axes whose velocity all impacts turn round,
    z if it is one of them, else y, else x.
    """
    turned = np.mean(before * after < 0, axis=0)
    for index in (2, 1, 0):
        outwards = np.mean(after[:, index] > 0)
        if turned[index] >= TURNS and (outwards >= TURNS or outwards <= 1 - TURNS):
            unit = np.zeros(3)
            unit[index] = 1.0 if outwards >= TURNS else -1.0
            return unit
    raise table.header_error(
        "along no axis do the impacts turn the velocity round, as along the normal of a surface",
        remedy="Give the velocities in axes of which one is the normal of the surface.",
    )


def _check_turned(
    table: Table,
    down: NDArray[np.float64],
    up: NDArray[np.float64],
    columns: Mapping[VectorColumn, Header],
) -> None:
    wrong = np.flatnonzero(~((down > 0) & (up > 0)))
    if wrong.size:
        raise table.error(
            "this impact does not turn the velocity along the normal round",
            remedy="Correct the row, or delete it.",
            row=int(wrong[0]),
            header=next(iter(columns.values())),
        )


def _directions(
    velocity: NDArray[np.float64], spin: NDArray[np.float64], normal: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Unit vectors (n, 3) along the surface in which each sphere moves, or which its spin makes it
    roll, and about which it rolls when it moves so.
    """

    def level(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        return vectors - np.outer(vectors @ normal, normal)

    along, rolling = level(velocity), np.cross(level(spin), normal)
    still = np.linalg.norm(along, axis=1) < HEAD_ON * np.linalg.norm(velocity, axis=1)
    along = np.where(still[:, None], rolling, along)
    lost = np.linalg.norm(along, axis=1) < 1e-12
    any_way = np.roll(normal, 1)
    along = np.where(lost[:, None], any_way, along)
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    return along, np.cross(normal, along)
