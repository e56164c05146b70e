"""Text for terminals and fonts that do not have every letter."""

import dataclasses
import enum
import unicodedata
from collections.abc import Callable
from typing import Any

_SIGNS = {
    "±": "+-",
    "−": "-",
    "–": "-",
    "—": "-",
    "×": "x",
    "·": " ",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "°": " deg",
}


def spell(text: str, *, has: Callable[[str], bool]) -> str:
    """``text`` with every letter for which ``has`` is false written out: μ as mu, ± as +-, é as e,
    else a question mark.
    """
    return "".join(letter if has(letter) else _spelled(letter) for letter in text)


def spell_all(value: Any, *, has: Callable[[str], bool]) -> Any:
    """The same dataclass, tuple or dict with every text in it spelled; keys and named tuples stay
    as they are.
    """
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return spell(value, has=has)
    if type(value) is tuple:
        return tuple(spell_all(item, has=has) for item in value)
    if isinstance(value, dict):
        return {key: spell_all(item, has=has) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(
            value,
            **{
                field.name: spell_all(getattr(value, field.name), has=has)
                for field in dataclasses.fields(value)
            },
        )
    return value


def can_encode(encoding: str) -> Callable[[str], bool]:
    """Whether a letter can be written in this encoding."""

    def has(letter: str) -> bool:
        try:
            letter.encode(encoding)
        except UnicodeEncodeError:
            return False
        return True

    return has


def _spelled(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    base = unicodedata.normalize("NFKD", letter)
    name = unicodedata.name(base[0], "")
    if name.startswith("GREEK ") and " LETTER " in name:
        greek = name.partition(" LETTER ")[2].split()[0].lower()
        return greek.capitalize() if "CAPITAL" in name else greek
    plain = "".join(part for part in base if part.isascii() and part.isprintable())
    if plain or unicodedata.combining(letter):
        return plain
    return "?"
