"""What is said of a fit beside its numbers: what matters most, what single files share.

A person reads three sentences, not forty.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from calibration.results.numbers import listed
from calibration.results.sentences import sentence, simulations
from calibration.results.summary import FitSummary

LEADING = 3
"""Findings that are read before the numbers, where there is little room."""

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:, {_NUMBER})*")
_PLURAL = re.compile(r"(?<=[a-z])s\b")


def findings_of(fit: FitSummary) -> list[str]:
    """The warnings of a fit, most important first, without those that its table says anyway (the
    note of a parameter, a simulation that did not succeed).

    Args:
        fit: the result.
    """
    noted = [estimate.note for estimate in fit.parameters.values() if estimate.note]
    said = simulations(fit.simulations)
    return [
        sentence(text)
        for text in fit.warnings
        if text not in said and not any(note in text for note in noted)
    ]


class Remarked(Protocol):
    """What has a name, and remarks that were made on it."""

    @property
    def name(self) -> str:
        """Of the file."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Plain sentences."""


def gathered_remarks(trials: Sequence[Remarked]) -> list[str]:
    """The remarks on single files, those that differ in their numbers only as one, with how many
    files they are made on and which; those on most files first.

    Args:
        trials: recordings, other measurements, or reports on files.
    """
    return gathered(
        [(trial.name, remark) for trial in trials for remark in trial.remarks], len(trials)
    )


def gathered(
    remarks: Sequence[tuple[str, str]], count: int, *, all_named: bool = False
) -> list[str]:
    """As ``gathered_remarks``.

    Args:
        remarks: names of files and what is said of them.
        count: how many files there are.
        all_named: whether every file is named, however many they are.
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, remark in remarks:
        kinds.setdefault(kind_of(name, remark), []).append((name, remark))
    return [
        _of_kind(made, count, all_named=all_named)
        for made in sorted(kinds.values(), key=lambda made: -len({name for name, _ in made}))
    ]


def kind_of(name: str, remark: str) -> str:
    """The remark without what is of one file: its name, its numbers, and whether these are one or
    several.
    """
    alike = re.sub(rf"\b{re.escape(name)}\b", "*", remark)
    return _PLURAL.sub("", _NUMBERS.sub("#", alike))


def _of_kind(made: Sequence[tuple[str, str]], count: int, *, all_named: bool) -> str:
    """One kind of remark, with the names of its files."""
    names = list(dict.fromkeys(name for name, _ in made))
    name, remark = made[0]
    if len(names) == 1:
        return f"{name}: {sentence(remark)}"
    alike = len({text for _, text in made}) == 1
    called = ", ".join(names) if all_named else listed(names)
    where = f"{called} ({len(names)} of {count}{'' if alike else f'; of {name}'})"
    return f"{where}: {sentence(remark)}"
