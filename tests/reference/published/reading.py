"""What runners read from published files: numbers that are stated in words, and the files beside
them.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.reference.case import Case, Computed, ReferenceFile, assert_close, failing

NUMBER = r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"


def stated(text: Any, *before: str) -> float:
    """The first number in ``text`` after ``before``, which are searched one after the other."""
    rest = str(text)
    for words in before:
        found = re.search(words, rest)
        if found is None:
            raise ValueError(f"{text!r} states nothing for {' ... '.join(before)!r}")
        rest = rest[found.end() :]
    number = re.search(NUMBER, rest)
    if number is None:
        raise ValueError(f"{text!r} states no number for {' ... '.join(before)!r}")
    return float(number[0])


def beside(file: ReferenceFile, matches: Callable[[Any], bool]) -> Any:
    """The first document beside ``file`` (or in the directory above a sub-directory) that
    ``matches``; ``None`` without one.
    """
    for directory in (file.path.parent, file.path.parent.parent):
        for path in sorted(directory.glob("*.json")):
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            if matches(document):
                return document
    return None


def only(file: ReferenceFile, document: Mapping[str, Any], *known: str) -> Iterable[Case]:
    """One failing test for each entry that nobody would read."""
    for entry in document:
        if entry not in known:
            yield failing(
                f"{file.name}/{entry}",
                f"{file.path}: unknown kind {entry!r} of entry. Known: {', '.join(known)}.",
            )


def within(name: str, compute: Callable[[], Any], expected: Any, limit: float) -> Case:
    """A test that the numbers of ``compute()`` are within ``limit`` of ``expected``."""

    def check(compute: Callable[[], Any]) -> None:
        assert_close(Computed(compute(), rtol=0.0, atol=limit), expected)

    return Case(name, partial(check, compute))


def mean_square_within(name: str, compute: Callable[[], Any], expected: Any, limit: float) -> Case:
    """A test that the root of the mean square of the deviations is at most ``limit``."""

    def check(compute: Callable[[], Any]) -> None:
        deviation = np.asarray(compute(), dtype=float) - np.asarray(expected, dtype=float)
        assert_close(Computed(np.sqrt(np.mean(deviation**2)), rtol=0.0, atol=limit), 0.0)

    return Case(name, partial(check, compute))


def columns(points: Sequence[Sequence[float]]) -> np.ndarray:
    """Abscissae and ordinates of points."""
    return np.asarray(points, dtype=float).T
