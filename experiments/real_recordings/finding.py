"""What a study finds, set against what the description of the data says beforehand."""

import enum
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Verdict(enum.StrEnum):
    """What the fit says of a statement of ``meta.json``."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    RESPECTED = "respected"
    """A warning that cannot be true or false, followed in the study."""
    NOT_TESTABLE = "not testable with these data"
    NOT_STATED = "not in meta.json"
    """A finding beyond the description."""


class Finding(NamedTuple):
    """One conclusion.

    Attributes:
        says: what the fit found, a sentence with numbers.
        verdict: on the statement.
        statement: of ``meta.json``, in its words; empty for a finding beyond it.
    """

    says: str
    verdict: Verdict = Verdict.NOT_STATED
    statement: str = ""


def if_true(holds: bool | np.bool) -> Verdict:
    """``CONFIRMED`` where it holds."""
    return Verdict.CONFIRMED if holds else Verdict.CONTRADICTED


class Description:
    """``meta.json`` of a set.

    Args:
        folder: of the set.
    """

    def __init__(self, folder: Path) -> None:
        self.meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))

    @property
    def caveats(self) -> tuple[str, ...]:
        """The stated caveats."""
        return tuple(self.meta.get("caveats", ()))

    def statement(self, words: str) -> str:
        """The whole statement that contains ``words``.

        Raises:
            LookupError: no statement does: the description is another one than this study was
                written for.
        """
        for text in _texts(self.meta):
            if words in text:
                return text
        raise LookupError(f"meta.json of {self.meta.get('name')} says nothing of {words!r}.")

    def finding(self, words: str, verdict: Verdict, says: str) -> Finding:
        """A conclusion on the statement that contains ``words``."""
        return Finding(says, verdict, self.statement(words))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item) if isinstance(item, dict | list) else (f"{key}: {item}",)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def findings_text(findings: list[Finding], *, width: int = 110) -> str:
    """The conclusions as a person reads them."""
    lines: list[str] = []
    for number, finding in enumerate(findings, start=1):
        lines += textwrap.wrap(f"{number}. {finding.says}", width, subsequent_indent="   ")
        if finding.statement:
            lines += textwrap.wrap(
                f"[{finding.verdict}] meta.json: {finding.statement}",
                width,
                initial_indent="   ",
                subsequent_indent="      ",
            )
    return "\n".join(lines)


class Outcome(NamedTuple):
    """Result of a study.

    Attributes:
        name: of the set.
        fitted: one sentence: what was fitted to what.
        findings: conclusions.
        numbers: by name, for tests and tables.
    """

    name: str
    fitted: str
    findings: list[Finding]
    numbers: dict[str, Any]
