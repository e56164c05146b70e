"""The store of a sweep: a zarr group that xarray opens, filled from its first variant to its last.

A variant is there once its ``status`` is, which is written last; a process that is killed leaves no
half of one. What is not known (the responses of a variant that did not succeed, an impact that did
not happen) is the fill value of its array, which xarray reads as missing. No number is NaN.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.errors import InputError
from calibration.runtime.identity import Identity, check_identity, parse_identity
from calibration.sweeps.grid import RESPONSES_KEPT, SCALE
from calibration.sweeps.responses import AXIS, BODY, IMPACT, VARIANT, Response
from calibration.sweeps.variables import AXES, Variable
from jaxcontact.simulation.core.status import succeeded

if TYPE_CHECKING:
    import xarray
    import zarr

FILL, WHOLE_FILL, NOT_COMPUTED = 9.969209968386869e36, -2147483647, -1
"""Fill values: those of netCDF for numbers and whole numbers, and that of a status."""

FEWEST_ROWS, MOST_ROWS, FILES = 64, 8192, 64
"""Variants in one file of an array: from the first to the second, for about so many files."""

STATUS, IDENTITY, DIMENSIONS = "status", "identity", "_ARRAY_DIMENSIONS"


class Column(NamedTuple):
    """An array of the store.

    Attributes:
        values: of the variants that are written.
        dimensions: names of its axes.
        about: its attributes.
        is_factor: whether it is a factor's.
    """

    values: NDArray[Any]
    dimensions: tuple[str, ...]
    about: Mapping[str, Any]
    is_factor: bool = False


def response_column(
    response: Response, values: NDArray[np.float64], status: NDArray[Any], *, bodies: bool
) -> Column:
    """The values of a response, filled where they are not known or a variant did not succeed.

    Args:
        response: which one.
        values: (variants, ...), NaN where they are not known.
        status: (variants,).
        bodies: whether the initial state has an axis of bodies.

    Raises:
        InputError: another number of axes than the response says.
    """
    axes = tuple(axis for axis in response.axes if bodies or axis != BODY)
    if values.ndim != 1 + len(axes) or values.shape[0] != status.shape[0]:
        raise InputError(
            f"sweep: the response {response.name!r} has the shape {values.shape}, but its axes "
            f"are {(VARIANT, *axes)}",
            remedy="Name the axes that follow that of the variants.",
        )
    known = np.isfinite(values) & succeeded(status).reshape(-1, *(1,) * len(axes))
    if response.whole:
        filled = np.where(known, values, WHOLE_FILL).astype(np.int32)
    else:
        filled = np.where(known, values, FILL)
    about = {"units": response.unit, "long_name": response.label}
    return Column(filled, (VARIANT, *axes), about)


def variable_column(variable: Variable, values: NDArray[np.float64], *, scale: str) -> Column:
    """The values of a factor that is spread on a scale."""
    about = {"units": variable.about.unit, "long_name": variable.about.label, SCALE: scale}
    return Column(values, (VARIANT,), about, is_factor=True)


def status_column(status: NDArray[Any]) -> Column:
    """How the simulations ended, with the names of the codes."""
    about = {
        "long_name": "status of the simulation",
        "flag_values": [int(code) for code in jc.Status],
        "flag_meanings": " ".join(code.name for code in jc.Status),
    }
    return Column(status.astype(np.int8), (VARIANT,), about)


class Store:
    """A store for a number of variants, made by its first chunk.

    Args:
        path: of the folder.
        identity: of the sweep.
        variants: number of them.
        about: attributes for people.

    Raises:
        InputError: the folder holds something else, or another sweep.
    """

    def __init__(
        self, path: Path, *, identity: Identity, variants: int, about: Mapping[str, Any]
    ) -> None:
        _import_zarr()
        self.path, self.identity, self.variants = path, identity, variants
        self.about = about
        self.group: zarr.Group | None = None
        if path.exists():
            self.group = _open(path)
            stored = _identity(self.group, path)
            check_identity(stored, identity, what="This store is of another sweep", folder=path)
            for unfinished in path.glob("**/*.partial"):  # of a process that was killed
                unfinished.unlink(missing_ok=True)

    def done(self) -> int:
        """Number of variants that are there."""
        lacking = self.status() == NOT_COMPUTED
        return int(np.argmax(lacking)) if lacking.any() else self.variants

    def status(self) -> NDArray[np.int8]:
        """The status of each variant."""
        if self.group is None:
            return np.full(self.variants, NOT_COMPUTED, dtype=np.int8)
        return np.asarray(self.group[STATUS])

    def write(self, start: int, columns: Mapping[str, Column], status: NDArray[Any]) -> None:
        """Write the variants from ``start`` on."""
        everything = {**columns, STATUS: status_column(status)}
        if self.group is None:
            self.group = self._make(everything)
        for name, column in everything.items():  # the status last
            array: Any = self.group[name]  # zarr's type is that of an array or a group
            array[start : start + status.size] = column.values

    def _make(self, columns: Mapping[str, Column]) -> "zarr.Group":
        """All arrays, empty; the folder is there with all of them, or not at all."""
        import zarr

        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_name(f".{self.path.name}.part")
        shutil.rmtree(beside, ignore_errors=True)  # of a process that was killed
        group = zarr.open_group(beside, mode="w", zarr_format=2)
        rows = min(max(-(-self.variants // FILES), FEWEST_ROWS), MOST_ROWS)
        for name, column in columns.items():
            trailing = column.values.shape[1:]
            fill = {"f": FILL, "i": WHOLE_FILL}[column.values.dtype.kind]
            group.create_array(
                name,
                shape=(self.variants, *trailing),
                chunks=(rows, *trailing),
                dtype=column.values.dtype,
                fill_value=None if name == STATUS else fill,
                attributes={DIMENSIONS: list(column.dimensions), **column.about},
            )
        status: Any = group[STATUS]
        status[...] = NOT_COMPUTED  # no fill value: a status is never missing
        for name, values in _coordinates(columns).items():
            array = group.create_array(
                name,
                shape=values.shape,
                dtype=values.dtype,
                fill_value=None,
                attributes={DIMENSIONS: [name]},
            )
            array[...] = values
        factors = [name for name, column in columns.items() if column.is_factor]
        group.attrs.update(
            {**self.about, "coordinates": " ".join(factors), IDENTITY: json.dumps(self.identity)}
        )
        zarr.consolidate_metadata(group.store)
        beside.rename(self.path)
        return _open(self.path)


def _coordinates(columns: Mapping[str, Column]) -> dict[str, NDArray[Any]]:
    """Labels of the axes that have some."""
    sizes = {
        axis: size
        for column in columns.values()
        for axis, size in zip(column.dimensions, column.values.shape, strict=True)
    }
    labels = {
        IMPACT: np.arange(1, sizes.get(IMPACT, 0) + 1),
        BODY: np.arange(sizes.get(BODY, 0)),
        AXIS: np.array(list(AXES)),
    }
    return {axis: values for axis, values in labels.items() if axis in sizes}


def _open(path: Path) -> "zarr.Group":
    import zarr

    try:
        group = zarr.open_group(path, mode="r+", zarr_format=2, use_consolidated=False)
    except (OSError, ValueError, KeyError) as error:
        raise _not_a_sweep(path) from error
    if IDENTITY not in group.attrs or STATUS not in group:
        raise _not_a_sweep(path)
    return group


def _identity(group: "zarr.Group", path: Path) -> Identity:
    try:
        return parse_identity(str(group.attrs[IDENTITY]))
    except (ValueError, RecursionError) as error:
        raise _not_a_sweep(path) from error


def _not_a_sweep(path: Path) -> InputError:
    return InputError("this is not the store of a sweep", remedy="Name another folder.", path=path)


def remove_store(path: Path) -> None:
    """Remove the store of a sweep, whichever.

    Raises:
        InputError: the folder is something else.
    """
    if path.exists():
        _import_zarr()
        _open(path)
        shutil.rmtree(path)


def open_store(path: Path) -> "xarray.Dataset":
    """The store as a dataset, read when it is used, with the responses in their order."""
    xarray = _import_zarr()
    swept = xarray.open_zarr(path, chunks=None)
    return swept[[*swept.attrs[RESPONSES_KEPT], STATUS]]


def count_statuses(status: NDArray[Any]) -> dict[str, int]:
    """How many variants ended in which way, by the name of the code."""
    codes, counts = np.unique(status, return_counts=True)
    return {
        jc.Status(int(code)).name: int(count) for code, count in zip(codes, counts, strict=True)
    }


def _import_zarr() -> Any:
    """The module ``xarray``, which needs ``zarr``."""
    try:
        import xarray
        import zarr  # noqa: F401
    except ImportError as error:
        raise InputError(
            "sweeps are stored with xarray and zarr, which are not installed",
            remedy="Install them: pip install 'jaxcontact[sweep]'.",
        ) from error
    return xarray
