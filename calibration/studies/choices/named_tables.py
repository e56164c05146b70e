"""Names with values of their own, as a study gives them.

One entry is a name, ``"rolling shutter"``, or a table with a name, ``{ name = "exposure", known =
0.001 }``; on the command line it is ``"exposure: known=0.001"``. A table of entries has a table of
values for each name, ``{ "drag.coefficient" = { mean = 0.45, sd = 0.05 } }``; on the command line
``"drag.coefficient: mean=0.45, sd=0.05"``, once for each.
"""

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from calibration.errors import InputError
from calibration.runtime.registry import Registry, nearest_name
from calibration.studies.option import Option, ValueKind, as_toml

Schema = Mapping[str, Option]
"""What values there are, by key."""

Entry = str | Mapping[str, Any]
"""A name, or a table with a name and values."""

NAME, VALUE = "name", "value"
"""The key of the name in a table, and the key that a number alone stands for."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """An entry of a registry that takes values.

    Attributes:
        name: in study files and on the command line.
        make: what it stands for, from its values as keyword arguments.
        values: that it takes, by key.
        needs: keys that must be given.
    """

    name: str
    make: Callable[..., Any]
    values: Schema = dataclasses.field(default_factory=dict)
    needs: tuple[str, ...] = ()


def name_of(entry: Entry) -> str:
    """The name of an entry."""
    return entry if isinstance(entry, str) else str(entry[NAME])


def values_of(entry: Entry) -> dict[str, Any]:
    """The values of an entry, without its name."""
    return {} if isinstance(entry, str) else {k: v for k, v in entry.items() if k != NAME}


def check_values(given: Mapping[str, Any], schema: Schema, *, of: str) -> dict[str, Any]:
    """The values in the form in which they are kept.

    Args:
        given: by key.
        schema: what there may be.
        of: whose they are, for messages.

    Raises:
        InputError: an unknown key with the one that was probably meant, a value that is not
            allowed.
    """
    for key in given:
        if key not in schema:
            known = nearest_name(key, tuple(schema)) if schema else "It takes no values."
            raise InputError(f"{of!r} has no {key!r}", remedy=known)
    return {key: schema[key].check(f"{key} of {of!r}", value) for key, value in given.items()}


def check_entry(given: Any, registry: Registry[Any]) -> Entry:
    """One entry in the form in which it is kept.

    Raises:
        InputError: neither a name nor a table with one, a name that is not registered, values that
            are not allowed or lacking.
    """
    named = isinstance(given, Mapping) and isinstance(given.get(NAME), str)
    if not (named or (isinstance(given, str) and given)):
        raise InputError(
            f"{as_toml(given)} is neither the name of a {registry.title} nor a table with a name",
            remedy=f"There are {', '.join(map(as_toml, registry.names))}.",
        )
    choice: Choice = registry[name_of(given)]
    values = check_values(values_of(given), choice.values, of=choice.name)
    for key in choice.needs:
        if key not in values:
            raise InputError(
                f"{choice.name!r} needs {key!r}, {choice.values[key].about}",
                remedy=f"Write {{ name = {choice.name!r}, {key} = ... }}, on the command line "
                f"'{choice.name}: {key}=...'.",
            )
    return {NAME: choice.name, **values} if values else choice.name


def entry_in(registry: Registry[Any]) -> ValueKind:
    """One entry of a registry."""
    return ValueKind(
        lambda: f"one of {', '.join(map(as_toml, registry.names))}",
        lambda value: check_entry(value, registry),
        str,
        "NAME",
        parse_entry,
        lambda: registry.names,
    )


def entries_in(registry: Registry[Any]) -> ValueKind:
    """A list of entries of a registry; one may come twice, with other values."""

    def clean(value: Any) -> tuple[Entry, ...] | None:
        if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
            return None
        return tuple(check_entry(item, registry) for item in value) or None

    return ValueKind(
        lambda: f"a list of names among {', '.join(map(as_toml, registry.names))}",
        clean,
        list[str],
        "NAME",
        lambda texts: [parse_entry(text) for text in texts],
        lambda: registry.names,
    )


def tables_by_name(
    schema: Callable[[], Schema],
    *,
    example: str,
    metavar: str,
    check: Callable[[str, Mapping[str, Any]], None],
) -> ValueKind:
    """A table of values for each of several names, which only the data tell.

    Args:
        schema: what values there may be.
        example: in TOML.
        metavar: on the command line.
        check: raises ``InputError`` where values of a name do not go together.
    """

    def clean(value: Any) -> dict[str, dict[str, Any]] | None:
        if not isinstance(value, Mapping) or not value:
            return None
        found = {}
        for name, given in _flat(value, tuple(schema())).items():
            found[name] = check_values(given, schema(), of=name)
            check(name, found[name])
        return found

    return ValueKind(
        f"a table such as {example}", clean, list[str], metavar, _parse_tables, merged=True
    )


def _flat(value: Mapping[str, Any], keys: Sequence[str], before: str = "") -> dict[str, Any]:
    """Tables by their full names: without quotation marks, TOML takes dots for tables in tables."""
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = f"{before}{key}"
        if not isinstance(item, Mapping):
            found[name] = {VALUE: item}
        elif not set(item) & set(keys) and (VALUE in keys or _holds_tables(item)):
            found |= _flat(item, keys, f"{name}.")
        else:
            found[name] = item
    return found


def _holds_tables(item: Mapping[str, Any]) -> bool:
    return all(isinstance(one, Mapping) for one in item.values())


# On the command line

_ENTRY = re.compile(r"(?P<name>.+?)\s*:\s*(?P<values>\w+\s*=.*)", re.DOTALL)
_PART = re.compile(r"""(?:"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^,"'\[{]|["'\[{])+""")


def parse_entry(text: str) -> Entry:
    """``"exposure: known=0.001"`` as a table with a name, ``"rolling shutter"`` as a name.

    Raises:
        InputError: values that are not understood.
    """
    found = _ENTRY.fullmatch(text.strip())
    return {NAME: found["name"], **_parse_values(found["values"])} if found else text.strip()


def _parse_tables(texts: Sequence[str]) -> dict[str, Any]:
    """``"NAME: key=value, key=value"`` or ``NAME=VALUE``, one for each text."""
    tables: dict[str, Any] = {}
    for text in texts:
        entry = parse_entry(text)
        if isinstance(entry, str):
            name, sign, value = (part.strip() for part in entry.rpartition("="))
            if not (name and sign and value):
                raise InputError(
                    f"{text!r} is not understood",
                    remedy="Give 'NAME: key=value, key=value', or NAME=VALUE.",
                )
            entry = {NAME: name, VALUE: parse_value(value)}
        tables.setdefault(name_of(entry), {}).update(values_of(entry))
    return tables


def _parse_values(text: str) -> dict[str, Any]:
    found = {}
    for part in _PART.findall(text):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not (key and sign and value):
            raise InputError(
                f"{part.strip()!r} is not KEY=VALUE",
                remedy="Give for example 'exposure: known=0.001'.",
            )
        found[key] = parse_value(value)
    return found


def parse_value(text: str) -> Any:
    """A value as TOML has it; a word without quotation marks is a text.

    Args:
        text: that was typed.
    """
    try:
        return tomllib.loads(f"value = {text}")[VALUE]
    except tomllib.TOMLDecodeError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
