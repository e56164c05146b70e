"""An option of a study, declared once: its meaning and what it may be. Checks, the comments of a
study file and help texts use that.
"""

import dataclasses
import difflib
import math
import numbers
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import ConvertError

from calibration.errors import InputError
from calibration.runtime.registry import Registry

_KEY = "option"


@dataclasses.dataclass(frozen=True)
class ValueKind:
    """What the values of an option are.

    Attributes:
        allowed: what a value may be, in words that complete "is not"; a function where the words
            are only known when a value is checked.
        clean: the value in the form in which it is kept, ``None`` for a value that is not allowed.
        typed: type of what is typed on the command line.
        metavar: name of the value in help texts.
        parse: the value that is meant by what was typed; by default that itself.
        names: what texts it may be made of, where these are known.
        merged: whether entries of the command line go beside those of a study file, by name.

    Example:
        >>> import calibration as cal
        >>> def even(value):
        ...     return value if isinstance(value, int) and value % 2 == 0 else None
        >>> cal.studies.ValueKind("an even number", clean=even, typed=int).clean(3) is None
        True
    """

    allowed: str | Callable[[], str]
    clean: Callable[[Any], Any]
    typed: Any
    metavar: str = "VALUE"
    parse: Callable[[Any], Any] | None = None
    names: Callable[[], Sequence[str]] | None = None
    merged: bool = False

    def suggest(self, value: object) -> str:
        """A sentence with the name that was probably meant, empty where there is none."""
        known = () if self.names is None else self.names()
        given = [value] if isinstance(value, str) else value if isinstance(value, Iterable) else ()
        for text in given:
            if isinstance(text, str) and text not in known:
                close = difflib.get_close_matches(text, known, n=1)
                return f"Did you mean {close[0]!r}? " if close else ""
        return ""


@dataclasses.dataclass(frozen=True)
class Option:
    """What is known of an option beside its value.

    Attributes:
        about: what it means, with its unit.
        kind: what it may be.
        flags: on the command line; by default made of the name.
        metavar: name of the value in help texts; by default that of its kind.
        default: its value when it is left out; ``None`` where there is none.

    Example:
        >>> import calibration as cal
        >>> from calibration.studies.option import POSITIVE
        >>> height = cal.studies.Option("height of the mark [m]", POSITIVE, default=0.5)
        >>> height.check("height", 0.3)
        0.3
    """

    about: str
    kind: ValueKind
    flags: str | None = None
    metavar: str | None = None
    default: object = None

    def check(
        self, name: str, value: object, *, path: str | None = None, line: int | None = None
    ) -> Any:
        """The cleaned value.

        Args:
            name: of the option.
            value: that was given.
            path: of the file where it was read.
            line: in that file.

        Raises:
            InputError: a value that is not allowed, with the place where it was read.
        """
        try:
            cleaned = self.kind.clean(value)
        except InputError as error:
            raise InputError(
                f"{name}: {error.problem}", remedy=error.remedy, path=path, line=line
            ) from None
        if cleaned is None:
            allowed = (
                self.kind.allowed if isinstance(self.kind.allowed, str) else self.kind.allowed()
            )
            raise InputError(
                f"{name} = {as_toml(value)} is not {allowed}",
                remedy=f"{self.kind.suggest(value)}It means: {self.about}.",
                path=path,
                line=line,
            )
        return cleaned

    def flags_of(self, name: str) -> str:
        """The flags of the command line, ``--frame-rate`` or ``--drag/--no-drag``."""
        if self.flags is not None:
            return self.flags
        flag = name.replace("_", "-")
        return f"--{flag}/--no-{flag}" if self.kind.typed is bool else f"--{flag}"


def option(
    about: str,
    kind: ValueKind,
    *,
    default: object = dataclasses.MISSING,
    flags: str | None = None,
    metavar: str | None = None,
) -> Any:
    """Declare an option of a section, once for study files, the command line and all messages.

    Args:
        about: what it means, with its unit.
        kind: what it may be.
        default: its value when it is not given; with ``None`` it may be left out, without a default
            it must be given.
        flags: on the command line; by default made of the name.
        metavar: name of the value in help texts.
    """
    known = None if default is dataclasses.MISSING else default
    about_it = Option(about, kind, flags, metavar, known)
    return dataclasses.field(default=default, metadata={_KEY: about_it})


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


def as_toml(value: object) -> str:
    """A value as it is written in TOML, for messages; what TOML does not have, as Python writes
    it.
    """
    try:
        return toml_item(value).as_string()
    except ConvertError:
        return repr(value)


def from_toml(text: str) -> Any:
    """The value that a text says in TOML, ``0.02`` or ``{ x = 0.002 }``; else a number or the text
    itself.
    """
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return _value_of(text.strip())


def toml_item(value: Any) -> Any:
    """A value as an item of a TOML document; tables stand in braces, wherever they are."""
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, item in value.items():
            table.append(key, toml_item(item))
        return table
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for item in value:
            array.append(toml_item(item))
        return array
    return tomlkit.item(value)


# Kinds of values


def _positive(value: Any) -> float | None:
    number = (
        float(value)
        if isinstance(value, numbers.Real) and not isinstance(value, bool)
        else math.nan
    )
    return number if math.isfinite(number) and number > 0 else None


def _non_negative(value: Any) -> float | None:
    return _positive(value) or (0.0 if value == 0 and not isinstance(value, bool) else None)


def _number(value: Any) -> float | None:
    """A number of any sign."""
    given = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return float(value) if given and math.isfinite(value) else None


def at_least(least: int, metavar: str = "COUNT") -> ValueKind:
    """A whole number from a smallest one on."""

    def clean(value: Any) -> int | None:
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return int(value) if whole and value >= least else None

    return ValueKind(f"a whole number of at least {least}", clean, int, metavar)


def number_above(limit: float, *, included: bool = False) -> ValueKind:
    """A number above a limit, or from it on."""

    def clean(value: Any) -> float | None:
        number = _number(value)
        good = number is not None and (number > limit or (included and number == limit))
        return number if good else None

    words = "of at least" if included else "above"
    return ValueKind(f"a number {words} {limit:g}", clean, float, "NUMBER")


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


def _moments(value: Any) -> tuple[float, ...] | None:
    """One moment of inertia, or three."""
    found = _numbers([value] if isinstance(value, numbers.Real) else value)
    return found if found is not None and len(found) in (1, 3) else None


def vector_of(size: int) -> Callable[[Any], tuple[float, ...] | None]:
    """What reads so many numbers of any sign from a list of them, and nothing else."""

    def clean(value: Any) -> tuple[float, ...] | None:
        if not isinstance(value, list | tuple) or len(value) != size:
            return None
        each = tuple(_number(item) for item in value)
        return None if None in each else each  # type: ignore[return-value]

    return clean


def _texts(value: Any) -> dict[str, str] | None:
    good = isinstance(value, Mapping) and all(
        isinstance(part, str) and part for pair in value.items() for part in pair
    )
    return dict(value) if good and value else None


def _values(value: Any) -> dict[str, float | str | bool] | None:
    """Tables in tables are flattened, with dots between the names."""
    if not isinstance(value, Mapping) or not value:
        return None
    flat: dict[str, float | str | bool] = {}
    for key, item in value.items():
        inner = _values(item) if isinstance(item, Mapping) else None
        if inner is not None:
            flat |= {f"{key}.{name}": part for name, part in inner.items()}
        elif isinstance(item, bool | str | int | float):
            flat[str(key)] = item
        else:
            return None
    return flat


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


def _one_of(choices: tuple[bool | str, ...]) -> Callable[[Any], bool | str | None]:
    """``True == 1`` in Python, but a study that says 1 means something else."""
    return lambda value: next(
        (one for one in choices if type(one) is type(value) and one == value), None
    )


def one_of(*choices: str, metavar: str = "NAME") -> ValueKind:
    """One of a few texts."""
    words = ", ".join(map(as_toml, choices))
    return ValueKind(f"one of {words}", _one_of(choices), str, metavar, names=lambda: choices)


def name_in(registry: Registry[Any], metavar: str = "NAME") -> ValueKind:
    """The name of an entry of a registry, whatever is registered when the value is checked."""
    return ValueKind(
        lambda: f"one of {', '.join(map(as_toml, registry.names))}",
        lambda value: value if isinstance(value, str) and value in registry else None,
        str,
        metavar,
        names=lambda: registry.names,
    )


def names_in(registry: Registry[Any]) -> ValueKind:
    """Names of entries of a registry, whatever is registered when the value is checked."""

    def clean(value: Any) -> tuple[str, ...] | None:
        names = _names(value)
        return names if names is not None and all(name in registry for name in names) else None

    return ValueKind(
        lambda: f"a list of names among {', '.join(map(as_toml, registry.names))}",
        clean,
        list[str],
        "NAME",
        names=lambda: registry.names,
    )


def parse_columns(texts: Sequence[str]) -> dict[str, str]:
    """``t=Zeit,z=Lage`` as a table; a header may contain commas and equals signs.

    Raises:
        InputError: a text that is not understood.
    """
    pairs = [pair.partition("=") for text in texts for pair in re.split(r",(?=\s*\w+\s*=)", text)]
    for key, sign, header in pairs:
        if not (sign and key.strip() and header.strip()):
            raise InputError(
                f"--columns: {key + sign + header!r} is not KEY=HEADER",
                remedy="Give for example --columns 't=Zeit,z=Lage'.",
            )
    return {key.strip(): header.strip() for key, _, header in pairs}


def parse_sigma(text: str) -> float | dict[str, float]:
    """``0.002`` as a number, ``x=0.002,z=0.001`` as a table.

    Raises:
        InputError: a text that is not understood.
    """
    try:
        if "=" not in text:
            return float(text)
        pairs = [pair.partition("=") for pair in text.split(",")]
        return {key.strip(): float(value) for key, _, value in pairs}
    except ValueError:
        raise InputError(
            f"--sigma: {text!r} is not understood",
            remedy="Give --sigma 0.002 or --sigma x=0.002,z=0.001.",
        ) from None


def parse_values(texts: Sequence[str]) -> dict[str, float | str | bool]:
    """``kn=1e5,dp_mode=1,disk=hertz`` as a table of numbers, flags and texts.

    Raises:
        InputError: a text that is not understood.
    """
    found: dict[str, float | str | bool] = {}
    for pair in ",".join(texts).split(","):
        key, sign, text = (part.strip() for part in pair.partition("="))
        if not (key and sign and text):
            raise InputError(
                f"{pair.strip()!r} is not NAME=VALUE", remedy="Give for example 'kn=1e5,fric=0.3'."
            )
        found[key] = _value_of(text)
    return found


def _value_of(text: str) -> float | str | bool:
    if text in ("true", "false"):
        return text == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


NUMBER = ValueKind("a number", _number, float, "NUMBER")
POSITIVE = ValueKind("a positive number", _positive, float, "NUMBER")
NON_NEGATIVE = ValueKind("zero or a positive number", _non_negative, float, "NUMBER")
WHOLE = at_least(1)
NATURAL = at_least(0, "NUMBER")
FRACTION = ValueKind("a number between 0 and 1", _fraction, float, "FRACTION")
NAMES = ValueKind("a list of names such as ['restitution']", _names, list[str], "NAME")
NUMBERS = ValueKind(
    "a list of positive numbers such as [0.2, 0.5]", _numbers, list[float], "NUMBER"
)
MOMENTS = ValueKind(
    "a positive number or a list of three of them such as [1e-4, 2e-4, 2e-4]",
    _moments,
    list[float],
    "NUMBER",
)
VECTOR = ValueKind(
    "a list of three numbers such as [0.0, 0.0, 0.3]",
    vector_of(3),
    tuple[float, float, float],
    "X Y Z",
)
PLACE = ValueKind(
    "a list of two numbers such as [0.3, 0.2]", vector_of(2), tuple[float, float], "X Z"
)
TEXT = ValueKind(
    "a text", lambda value: value if isinstance(value, str) and value else None, str, "TEXT"
)
FLAG = ValueKind("true or false", _one_of((True, False)), bool, " ")
AUTOMATIC = ValueKind(
    'one of "automatic", true, false', _one_of(("automatic", True, False)), bool, " "
)
TEXTS = ValueKind(
    "a table of texts such as { t = 'Zeit', z = 'Lage' }",
    _texts,
    list[str],
    "t=HEADER,z=HEADER",
    parse_columns,
)
DEVIATIONS = ValueKind(
    "a positive number or a table of them such as { x = 0.002, z = 0.001 }",
    _deviations,
    str,
    "SD or x=SD,z=SD",
    parse_sigma,
)
VALUES = ValueKind(
    "a table of numbers, texts or flags such as { kn = 1e5, fric = 0.3 }",
    _values,
    list[str],
    "NAME=VALUE,...",
    parse_values,
)
FILES = ValueKind("a list of files such as ['drops/*.csv']", _paths, list[str], "FILES")
