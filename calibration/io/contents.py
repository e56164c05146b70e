"""The bytes of a file that a person named; what is no file is refused before it is opened."""

import difflib
import os
import stat
from pathlib import Path

from calibration.errors import InputError


def read_contents(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file.

    A pipe, a device or a socket is refused by what it is, since reading one may wait forever.

    Raises:
        InputError: there is no such file, it is no regular file, or it may not be read.
    """
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise InputError(
                "this is a directory, not a file",
                remedy="Give a file in it, or a pattern such as 'drops/*.csv'.",
                path=path,
            )
        if not stat.S_ISREG(mode):
            raise InputError(
                f"this is {_kind(mode)}, not a file",
                remedy="Save what comes out of it as a file, and give that.",
                path=path,
            )
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(
            "there is no such file", remedy=similar_file(Path(path)), path=path
        ) from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        if isinstance(error, InputError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(
            f"the file cannot be read ({reason})",
            remedy="Check that it is a file that you may read.",
            path=path,
        ) from error


def similar_file(path: Path) -> str:
    """A sentence with the name that was probably meant by one that does not exist."""
    folder = path.parent
    if not folder.is_dir():
        return (
            f"There is no directory {str(folder)!r} either: check the spelling, or the directory "
            "you are in."
        )
    try:
        close = difflib.get_close_matches(path.name, os.listdir(folder), n=1)
    except OSError:  # a directory that may not be listed
        close = []
    if close:
        return f"Did you mean {str(folder / close[0])!r}?"
    return "Check the spelling, or the directory you are in."


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
