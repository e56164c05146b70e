"""Files that hold the same numbers under several names: one recording, which must not count
twice.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from calibration.errors import InputError
from calibration.io.tables import read_table


class Repetition(NamedTuple):
    """A file that holds what an earlier one holds.

    Attributes:
        path: of the file.
        earlier: path of the first file with these numbers.
    """

    path: str
    earlier: str

    def error(self) -> InputError:
        """What to say of it."""
        return InputError(
            f"this is the same recording as {self.earlier}, which would count twice",
            remedy="Leave one of the two files out.",
            path=self.path,
        )


def find_repetitions(paths: Sequence[str | os.PathLike[str]]) -> Iterator[Repetition]:
    """The files whose rows are those of an earlier one, number by number; headers, comments, line
    ends and separators do not matter. Files that cannot be read are passed over.

    Args:
        paths: of text files of columns.
    """
    first: dict[bytes, str] = {}
    for path in [os.fspath(path) for path in paths] if len(paths) > 1 else []:
        try:
            digest = _digest(path)
        except InputError:
            continue
        earlier = first.setdefault(digest, path)
        if earlier != path:
            yield Repetition(path, earlier)


def check_distinct(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Raise where two files hold the same numbers.

    Raises:
        InputError: naming both.
    """
    for repetition in find_repetitions(paths):
        raise repetition.error()


def _digest(path: str) -> bytes:
    cells = hashlib.sha256()
    for block in read_table(path).blocks:
        for row in block.texts():
            cells.update("\0".join(map(_normal, row)).encode("utf-8", "replace") + b"\1")
    return cells.digest()


def _normal(cell: str) -> str:
    """A number as Python writes it, any other text as it is."""
    try:
        return repr(float(cell.replace(",", ".").replace("\u2212", "-")))
    except ValueError:
        return cell
