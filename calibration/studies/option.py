"""An option of a study, declared once: its meaning and what it may be. Checks, the comments of a
study file and help texts use that.
"""

import dataclasses
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tomlkit

from calibration.errors import InputError

_KEY = "option"
ValueKind = tuple[str, Callable[[Any], Any]]


@dataclasses.dataclass(frozen=True)
class Option:
    """What is known of an option beside its value.

    Attributes:
        about: what it means, with its unit.
        allowed: what it may be, in words that complete "is not".
        clean: the value in the form in which it is kept, ``None`` for a value that is not allowed.
    """

    about: str
    allowed: str
    clean: Callable[[Any], Any]

    def checked(
        self, name: str, value: Any, *, path: str | None = None, line: int | None = None
    ) -> Any:
        """The cleaned value; raises `InputError` for one that is not allowed, with the place where
        it was read.
        """
        cleaned = self.clean(value)
        if cleaned is None:
            raise InputError(
                f"{name} = {as_toml(value)} is not {self.allowed}",
                remedy=f"It means: {self.about}.",
                path=path,
                line=line,
            )
        return cleaned


def option(about: str, kind: ValueKind, *, default: Any = dataclasses.MISSING) -> Any:
    """Declare an option of a section; with the default ``None`` it may be left out."""
    return dataclasses.field(default=default, metadata={_KEY: Option(about, *kind)})


def options(section: type) -> dict[str, Option]:
    """The options of a section (a dataclass) by name, in order of declaration."""
    return {
        field.name: field.metadata[_KEY]
        for field in dataclasses.fields(section)
        if _KEY in field.metadata
    }


def required(section: type) -> tuple[str, ...]:
    """The options without a default."""
    return tuple(
        field.name for field in dataclasses.fields(section) if field.default is dataclasses.MISSING
    )


def as_toml(value: Any) -> str:
    """A value as it is written in TOML, for messages; what TOML does not have, as Python writes
    it.
    """
    return (
        tomlkit.item(value).as_string()
        if isinstance(value, bool | int | float | str | list)
        else repr(value)
    )


# Kinds of values


def _positive(value: Any) -> float | None:
    number = (
        float(value)
        if isinstance(value, numbers.Real) and not isinstance(value, bool)
        else math.nan
    )
    return number if math.isfinite(number) and number > 0 else None


def _whole(value: Any) -> int | None:
    whole = int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else 0
    return whole if whole >= 1 else None


def _natural(value: Any) -> int | None:
    whole = (
        int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else -1
    )
    return whole if whole >= 0 else None


def _fraction(value: Any) -> float | None:
    number = _positive(value)
    return number if number is not None and number < 1 else None


def _names(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return None
    names = tuple(value)
    return names if names and all(isinstance(name, str) and name for name in names) else None


def _numbers(value: Any) -> tuple[float, ...] | None:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return None
    each = tuple(_positive(item) for item in value)
    return each if each and None not in each else None  # type: ignore[return-value]


def _texts(value: Any) -> dict[str, str] | None:
    good = isinstance(value, Mapping) and all(
        isinstance(part, str) and part for pair in value.items() for part in pair
    )
    return dict(value) if good and value else None


def _deviations(value: Any) -> float | dict[str, float] | None:
    if not isinstance(value, Mapping):
        return _positive(value)
    each = {
        key: number
        for key, item in value.items()
        if isinstance(key, str) and (number := _positive(item)) is not None
    }
    return each if value and len(each) == len(value) else None


def _paths(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return None
    paths = tuple(os.fspath(item) if isinstance(item, str | os.PathLike) else "" for item in value)
    return paths if paths and all(paths) else None


def one_of(*choices: bool | str) -> ValueKind:
    """One of a few values. ``True == 1`` in Python, but a study that says 1 means something
    else.
    """
    words = ", ".join(map(as_toml, choices))
    return f"one of {words}", lambda value: next(
        (one for one in choices if type(one) is type(value) and one == value), None
    )


POSITIVE: ValueKind = ("a positive number", _positive)
WHOLE: ValueKind = ("a whole number of at least 1", _whole)
NATURAL: ValueKind = ("a whole number of at least 0", _natural)
FRACTION: ValueKind = ("a number between 0 and 1", _fraction)
NAMES: ValueKind = ("a list of names such as ['restitution']", _names)
NUMBERS: ValueKind = ("a list of positive numbers such as [0.2, 0.5]", _numbers)
FLAG: ValueKind = ("true or false", one_of(True, False)[1])
TEXTS: ValueKind = ("a table of texts such as { t = 'Zeit', z = 'Lage' }", _texts)
DEVIATIONS: ValueKind = (
    "a positive number or a table of them such as { x = 0.002, z = 0.001 }",
    _deviations,
)
FILES: ValueKind = ("a list of files such as ['drops/*.csv']", _paths)
