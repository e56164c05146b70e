"""The responses of a sweep as columns: one number for each variant."""

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.sweeps.factors import LINEAR
from calibration.sweeps.grid import RESPONSES_KEPT, SCALE, factors_of
from calibration.sweeps.responses import IMPACT, VARIANT

if TYPE_CHECKING:
    import xarray


class SweptColumn(NamedTuple):
    """A number of each variant.

    Attributes:
        name: of the factor or the response, with the places of the number in it:
            ``final_velocity_0_z``, of the second impact ``rebound_speed_2``.
        label: what it is, in words.
        unit: of the values.
        scale: on which they are spread, of a factor.
        values: (variants,), NaN where they are not known.
    """

    name: str
    label: str
    unit: str
    scale: str
    values: NDArray[np.float64]


def factor_columns(swept: "xarray.Dataset") -> list[SweptColumn]:
    """The factors.

    Args:
        swept: what ``sweep`` returned.
    """
    return [column for name in factors_of(swept) for column in _columns(swept[name])]


def response_columns(swept: "xarray.Dataset") -> list[SweptColumn]:
    """The responses, those of impacts with a column for each of the first ones.

    Args:
        swept: what ``sweep`` returned.
    """
    return [column for name in swept.attrs[RESPONSES_KEPT] for column in _columns(swept[name])]


def _columns(array: "xarray.DataArray") -> list[SweptColumn]:
    axes = [str(axis) for axis in array.dims if axis != VARIANT]
    values = np.asarray(array.transpose(VARIANT, *axes).values, dtype=float)
    labels = [
        [""]
        if axis == IMPACT and array.sizes[axis] == 1
        else [f"_{label}" for label in array[axis].values]
        for axis in axes
    ]
    about = (
        str(array.attrs["long_name"]),
        str(array.attrs["units"]),
        str(array.attrs.get(SCALE, LINEAR)),
    )
    return [
        SweptColumn(f"{array.name}{''.join(places)}", *about, values[(slice(None), *index)])
        for index, places in zip(
            np.ndindex(values.shape[1:]), itertools.product(*labels), strict=True
        )
    ]
