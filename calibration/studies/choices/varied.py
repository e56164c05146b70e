"""What a study says of the parameters that a sweep varies: a range or a few levels of each."""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.errors import InputError
from calibration.studies.option import ValueKind
from calibration.sweeps.factors import LEVELS as USUAL_LEVELS
from calibration.sweeps.factors import LINEAR, LOGARITHMIC, Factor, Levels, Range

FROM, TO, LEVELS, SCALE = "from", "to", "levels", "scale"
Varied = dict[str, "tuple[float, ...] | dict[str, float | int | str]"]
"""By name: levels, or a range with its ends."""


def factors_of(varied: Mapping[str, Any]) -> list[Factor]:
    """The factors of a sweep.

    Args:
        varied: as ``VARIED`` keeps it.

    Raises:
        InputError: a range or levels that make no factor.
    """
    return [
        Range(
            name,
            float(values[FROM]),
            float(values[TO]),
            scale=str(values.get(SCALE, LINEAR)),
            levels=values.get(LEVELS, USUAL_LEVELS),
        )
        if isinstance(values, Mapping)
        else Levels(name, tuple(values))
        for name, values in varied.items()
    ]


def check_varied(varied: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What is varied.

    Args:
        varied: as ``VARIED`` keeps it; ``None`` where nothing is.

    Raises:
        InputError: nothing is.
    """
    if varied is None:
        raise InputError(
            "nothing is varied",
            remedy="Add --vary restitution=0.5:0.9, or vary = { restitution = { from = 0.5, to = "
            "0.9 } } below [sweep] of a study file.",
        )
    return varied


def smallest_of(varied: Any) -> float:
    """The smallest value of a factor.

    Args:
        varied: what ``VARIED`` keeps of it.
    """
    return float(varied[FROM]) if isinstance(varied, Mapping) else min(varied)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _clean(value: Any) -> Varied | None:
    """Tables in tables are flattened, with dots between the names."""
    if not isinstance(value, Mapping) or not value:
        return None
    flat: Varied = {}
    for key, item in value.items():
        if isinstance(item, Mapping) and not (FROM in item or TO in item):
            inner = _clean(item)
            if inner is None:
                return None
            flat |= {f"{key}.{name}": part for name, part in inner.items()}
        elif isinstance(item, Mapping):
            if not _is_range(item):
                return None
            flat[str(key)] = dict(item)
        elif isinstance(item, list | tuple) and item and all(map(_is_number, item)):
            flat[str(key)] = tuple(map(float, item))
        else:
            return None
    return flat


def _is_range(item: Mapping[str, Any]) -> bool:
    return (
        {FROM, TO} <= set(item) <= {FROM, TO, LEVELS, SCALE}
        and _is_number(item[FROM])
        and _is_number(item[TO])
        and isinstance(item.get(LEVELS, 2), int)
        and isinstance(item.get(SCALE, LINEAR), str)
    )


def _parse(texts: Sequence[str]) -> Varied:
    """``NAME=LOW:HIGH``, ``NAME=LOW:HIGH:5`` with levels, ``:log`` at the end, or ``NAME=1,2,5``.

    Raises:
        InputError: a text that is not understood.
    """
    found: Varied = {}
    for text in texts:
        name, sign, given = (part.strip() for part in text.partition("="))
        try:
            if not (name and sign):
                raise ValueError
            found[name] = _parse_one(given)
        except ValueError:
            raise InputError(
                f"--vary: {text!r} is not understood",
                remedy="Give --vary NAME=LOW:HIGH, NAME=LOW:HIGH:LEVELS or NAME=LOW:HIGH:log, or "
                "levels, NAME=0.1,0.2,0.5.",
            ) from None
    return found


def _parse_one(given: str) -> "tuple[float, ...] | dict[str, float | int | str]":
    parts = given.split(":")
    if len(parts) == 1:
        return tuple(float(part) for part in given.split(","))
    values: dict[str, float | int | str] = {}
    if parts[-1] == LOGARITHMIC:
        values[SCALE] = parts.pop()
    if len(parts) == 3:
        values[LEVELS] = int(parts.pop())
    low, high = map(float, parts)
    return {FROM: low, TO: high, **values}


VARIED = ValueKind(
    "a table of ranges and levels such as { restitution = { from = 0.5, to = 0.9 } }",
    _clean,
    list[str],
    "NAME=LOW:HIGH",
    _parse,
)
