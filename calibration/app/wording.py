"""Sentences that name options of the command line, in the words of the page: its fields."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from calibration.app.fields import FLAG_WORDS, label_of
from calibration.studies.option import Option, options
from calibration.studies.study import SECTIONS, Ball, Section

REPLACE = "Replace the results that are there"
"""The box by which results of something else are replaced."""

_BOXES = {"--force": f'the box "{REPLACE}"'}
_FLAG = r"(?<![\w-])(?P<flag>--[a-z][a-z-]*)"
_VALUE = r"(?P<given>[ =](?P<value>'[^']*'|(?:[^\s,;)'\"]|,(?=\S))*[^\s,;)'\".:]))?"
_ADVISED = re.compile(rf"(?P<command>jaxcontact [^,;)]*)|{_FLAG}{_VALUE}")
_PYTHON = re.compile(r" \(in Python:? (?:[^()]|\([^()]*\))*\)")
_STANDS_FOR_ONE = re.compile(r".*\d.*|[a-z]+-per-[a-z]+|'.*'")


class Field(NamedTuple):
    """A field of the page.

    Attributes:
        label: above it.
        panel: in which it is, empty where it is always seen.
        word: that its flag means without a value, empty where it needs one.
        words: of which its value may be one.
    """

    label: str
    panel: str
    word: str
    words: tuple[str, ...]


def on_page(text: str) -> str:
    """The text with fields of the page in the place of options of the command line; of what is only
    there it says so, and what is for Python is left out.

    Example:
        >>> from calibration.app.wording import on_page
        >>> on_page("Give --mass 0.03, or --vertical y (in Python: vertical='y').")
        'Give "mass" = 0.03, or "vertical" = y under "Reading the files".'
    """
    panels: set[str] = set()

    def worded(advised: re.Match[str]) -> str:
        if advised["command"]:
            return advised[0]
        flag, given, value = advised["flag"], advised["given"] or "", advised["value"] or ""
        field = fields_by_flag().get(flag)
        if field is None:
            return _BOXES.get(flag, f"{flag} of the command line") + given
        where = f' under "{field.panel}"' if field.panel not in {"", *panels} else ""
        panels.add(field.panel)
        if field.word:
            return f'"{field.label}" = {field.word}{where}{given}'
        if value in field.words or _STANDS_FOR_ONE.fullmatch(value):
            return f'"{field.label}" = {value.strip(chr(39))}{where}'
        return f'"{field.label}"{where}{given}'

    return _ADVISED.sub(worded, _PYTHON.sub("", text))


@functools.cache
def fields_by_flag() -> dict[str, Field]:
    """The fields by what sets them at the command line."""
    return {
        flag: field
        for section in reversed(SECTIONS)
        for name, option in options(section).items()
        for flag, field in _fields(section, name, option)
    }


def _fields(section: type[Section], name: str, option: Option) -> Iterator[tuple[str, Field]]:
    """The flags of an option, each with its field."""
    panel = "" if section is Ball else section.panel
    words = () if option.kind.names is None else tuple(option.kind.names())
    for flag, meant in zip(option.flags_of(name).split("/"), (True, False), strict=False):
        word = FLAG_WORDS[meant] if option.kind.typed is bool else ""
        yield flag, Field(label_of(name), panel, word, words)
