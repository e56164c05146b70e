r"""Names of files as text. A system may allow bytes in a name that are no letters; Python holds
each as half a letter, which no file of text can. Such a byte is written ``\xe9``.
"""

import os
import re
from pathlib import Path

_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
_LOW, _HIGH = "\udc80", "\udcff"
"""The halves of letters that stand for the bytes 0x80 to 0xff (PEP 383)."""


def readable_name(name: str) -> str:
    r"""A name with each byte that is no letter written out, as ``drop_\xe9``.

    Args:
        name: of a file, as Python gives it.
    """
    return "".join(_readable(letter) for letter in name)


def stem_of(path: str | os.PathLike[str]) -> str:
    """What a recording in a file is called: the name of the file, readable, without its ending."""
    return readable_name(Path(path).stem)


def existing_path(path: str) -> str:
    r"""The path as the system knows it, of one that was written by ``readable_name``.

    Args:
        path: as it was written. Where something is there by just this name, it is meant.
    """
    if os.path.lexists(path) or not _BYTE.search(path):
        return path
    return _BYTE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), path)


def text_bytes(text: str) -> bytes:
    """A text in UTF-8, with names in it readable."""
    return readable_name(text).encode()


def _readable(letter: str) -> str:
    if _LOW <= letter <= _HIGH:
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter
