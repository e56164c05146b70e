"""One reference case as a test: it runs, is skipped for something named, or fails because nobody
knows its kind.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.reference.not_yet import NOT_YET


@dataclass(frozen=True)
class Case:
    """``name`` as printed by pytest; ``check`` raises what pytest understands."""

    name: str
    check: Callable[[], None]


@dataclass(frozen=True)
class ReferenceFile:
    """A file that was read: ``name`` is its path below the reference directory without suffix."""

    path: Path
    name: str
    document: Any
    suggestions: Mapping[str, Any] = field(default_factory=dict)
    """What a manifest beside the file says about it."""


@dataclass(frozen=True)
class FileKind:
    """A format: ``matches`` looks at the content alone, ``cases`` reads it."""

    name: str
    matches: Callable[[Any], bool]
    cases: Callable[[ReferenceFile], Iterable[Case]]


class Computed(NamedTuple):
    """What jaxcontact says, and how far the reference may be from it."""

    value: Any
    rtol: float
    atol: float = 0.0


def skipped(name: str, reason: str) -> Case:
    return Case(name, partial(pytest.skip, reason))


def failing(name: str, message: str) -> Case:
    return Case(name, partial(pytest.fail, message, pytrace=False))


def missing(name: str, kind: str) -> Case:
    """A case that is known but cannot run yet."""
    return skipped(name, f"not in this version: {NOT_YET[kind]}")


def dispatch(
    file: ReferenceFile, name: str, kind: str, runners: Mapping[str, Callable[[], Iterable[Case]]]
) -> Iterable[Case]:
    """The cases of ``kind``, from its runner, or one test that says why there are none. Kinds are
    ``family/name``.
    """
    if kind in runners:
        return runners[kind]()
    if kind in NOT_YET:
        return [missing(name, kind)]
    family = kind.rpartition("/")[0] + "/"
    known = sorted(other for other in {*runners, *NOT_YET} if other.startswith(family))
    return [
        failing(name, f"{file.path}: unknown kind {kind!r} of case. Known: {', '.join(known)}.")
    ]


def stated_tolerance(document: Mapping[str, Any], default: float = 1e-6) -> float:
    """The first number in the tolerance that a file states."""
    found = re.search(r"\d+(\.\d+)?(e-?\d+)?", str(document.get("tolerance", "")).replace("e_", ""))
    return float(found[0]) if found else default


def assert_close(computed: Computed, expected: Any) -> None:
    """Text must be equal. Of a list, every entry must be close on the scale of the largest."""
    if isinstance(expected, str):
        assert computed.value == expected
        return
    value, reference = np.asarray(computed.value, dtype=float), np.asarray(expected, dtype=float)
    assert value.shape == reference.shape
    limit = computed.rtol * np.max(np.abs(reference), initial=0.0) + computed.atol
    error = np.max(np.abs(value - reference), initial=0.0)
    assert error <= limit, (
        f"computed {value}, reference {reference}: differ by {error:.3g}, allowed {limit:.3g}"
    )


def quantities(
    file: ReferenceFile,
    name: str,
    case: Mapping[str, Any],
    inputs: Iterable[str],
    compute: Callable[..., Mapping[str, Computed | list[Computed]]],
) -> Iterable[Case]:
    """One test for each entry of ``case`` that is not an input; ``compute(**inputs)`` runs once,
    when the first of them is tested.
    """
    given = {key: case[key] for key in inputs if key in case}

    @cache
    def computed() -> Mapping[str, Computed | list[Computed]]:
        absent = [key for key in inputs if key not in given]
        assert not absent, f"{file.path}: {name} lacks the input {', '.join(absent)}"
        return compute(**given)

    def check(quantity: str) -> None:
        found = computed()
        assert quantity in found, (
            f"{file.path}: {name} expects the unknown quantity {quantity!r}. Known: "
            f"{', '.join(found)}."
        )
        ways = found[quantity]
        for way in ways if isinstance(ways, list) else [ways]:
            assert_close(way, case[quantity])

    for quantity, expected in case.items():
        if (
            quantity not in given and expected is not None
        ):  # null: the quantity does not exist in this case
            yield Case(f"{name}/{quantity}", partial(check, quantity))
