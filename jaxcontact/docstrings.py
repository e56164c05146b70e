"""Docstrings in Google style, completed from what is declared in code: a unit and an interval are
written once and appear in ``help()`` and in the reference.
"""

import inspect
import re
import textwrap
from collections.abc import Mapping

_WIDTH = 96
_INDENT = "    "
_ORDER = ("Args", "Parameters", "Attributes", "Returns", "Raises", "Example")


def with_entries(docstring: str | None, section: str, entries: Mapping[str, str]) -> str:
    """A docstring whose ``section`` also has ``entries``; what it says of a name already stays.

    Args:
        docstring: as written, of any indentation.
        section: heading without colon: ``"Args"``, ``"Parameters"``, ``"Attributes"``,
            ``"Raises"``. If it is not there, it is made and put in this order, before the examples.
        entries: description of each name.

    Returns:
        The docstring without common indentation.

    Example:
        >>> from jaxcontact.docstrings import with_entries
        >>> print(with_entries("A force.", "Args", {"overlap": "overlap [m]."}))
        A force.
        <BLANKLINE>
        Args:
            overlap: overlap [m].
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    heading = f"{section}:"
    if heading in lines:
        start = lines.index(heading) + 1
        end = start
        while end < len(lines) and (not lines[end] or lines[end].startswith(_INDENT)):
            end += 1
        while not lines[end - 1]:
            end -= 1
        described = _described(lines[start:end])
        new = _written({name: text for name, text in entries.items() if name not in described})
        return "\n".join([*lines[:end], *new, *lines[end:]])
    if not entries:
        return "\n".join(lines)
    later = [f"{name}:" for name in _ORDER[_ORDER.index(section) + 1 :]]
    place = next((i for i, line in enumerate(lines) if line in later), len(lines))
    before = "\n".join(lines[:place]).rstrip("\n")
    after = "\n".join(lines[place:])
    parts = [before, "\n".join([heading, *_written(entries)]), after]
    return "\n\n".join(part for part in parts if part)


def with_source(docstring: str | None, source: str) -> str:
    """A docstring that tells its source; one that does so already stays.

    Args:
        docstring: as written, of any indentation.
        source: publication or program.

    Returns:
        The docstring without common indentation, with the source before the first section.

    Example:
        >>> from jaxcontact.docstrings import with_source
        >>> print(with_source("A force.", "Hertz (1882)"))
        A force.
        <BLANKLINE>
        Source: Hertz (1882).
    """
    text = inspect.cleandoc(docstring or "")
    if "Source:" in text:
        return text
    lines = text.splitlines()
    headings = [f"{name}:" for name in _ORDER]
    place = next((i for i, line in enumerate(lines) if line in headings), len(lines))
    sentence = textwrap.fill(f"Source: {source}.", width=_WIDTH, break_on_hyphens=False)
    parts = ["\n".join(lines[:place]).rstrip("\n"), sentence, "\n".join(lines[place:])]
    return "\n\n".join(part for part in parts if part)


def _described(lines: list[str]) -> set[str]:
    """The names that a section describes: ``a`` and ``b`` in the line ``a, b: what they are``."""
    names: set[str] = set()
    for line in lines:
        entry = re.match(rf"{_INDENT}(?! )([\w*., ]+?)(?: \([^)]*\))?:", line)
        if entry:
            names.update(name.strip().lstrip("*") for name in entry[1].split(","))
    return names


def _written(entries: Mapping[str, str]) -> list[str]:
    """The lines of some entries."""
    lines: list[str] = []
    for name, text in entries.items():
        lines += textwrap.wrap(
            f"{name}: {text}",
            width=_WIDTH,
            initial_indent=_INDENT,
            subsequent_indent=2 * _INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines
