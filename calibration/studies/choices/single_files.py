"""What a study says of single files, by their names or patterns."""

import math
import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from calibration.errors import InputError

FROM, UNTIL, LEFT_OUT = "from", "until", "left_out"
"""Keys of what is said of one file alone."""


def check_one_file(name: str, values: Mapping[str, Any]) -> None:
    """Check what is said of one file.

    Args:
        name: of the file.
        values: by key.

    Raises:
        InputError: nothing is said, or an interval ends before it begins.
    """
    if not values:
        raise InputError(f"nothing is said of {name!r}", remedy="Give for example { until = 1.5 }.")
    first, last = values.get(FROM, -math.inf), values.get(UNTIL, math.inf)
    if not first < last:
        raise InputError(
            f"from = {first:g} of {name!r} is not below until = {last:g}",
            remedy="Give the first time first [s].",
        )


def is_meant(name: str, path: str | os.PathLike[str]) -> bool:
    """Whether a name or a pattern means a file: its last parts are those of the path.

    Args:
        name: such as ``"drop_3.csv"``, ``"monday/drop_*.csv"``.
        path: of the file.
    """
    return bool(name) and (PurePath(path).name == name or PurePath(path).match(name))
