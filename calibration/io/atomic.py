"""Writing a file whole or not at all."""

import contextlib
import os
import secrets
from pathlib import Path

from calibration.errors import InputError

UNFINISHED = ".part"
"""Ending of a file that is being written."""


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` beside ``path`` under another name and then put it in its place.

    Whoever reads ``path`` finds the earlier content or all of the new one. After an error or an
    interruption the earlier content is still there and the other name is gone. A link is followed;
    a device or a pipe is written to directly.

    Raises:
        InputError: ``path`` is a folder, or its folder does not exist.
        OSError: the folder may not be written to, the disk is full.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError("this is a folder, not a file", remedy="Name a file in it.", path=path)
    if not target.parent.is_dir():
        raise InputError(
            "the folder of this file does not exist",
            remedy=f"Make the folder {target.parent}, or name another.",
            path=path,
        )
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    beside = target.with_name(f".{secrets.token_hex(8)}{UNFINISHED}")
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        os.replace(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError):  # which names the file beside
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def check_replaceable(
    path: str | os.PathLike[str], *, mark: str, writer: str, force: bool = False
) -> None:
    """Raise unless ``path`` is a free name in a folder or holds an earlier file of the same writer:
    other data are not replaced by mistake.

    Args:
        path: what is to be written.
        mark: with which files of this writer begin.
        writer: who it is, for the message.
        force: whether any file may be replaced.

    Raises:
        InputError: it is not.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(
            "the folder of this file does not exist",
            remedy="Make it, or name another file with --out.",
            path=path,
        )
    if force or not target.is_file():
        return
    with open(target, "rb") as file:
        if file.read(len(mark)) != mark.encode():
            raise InputError(
                f"this file was not written by {writer}",
                remedy="Name another with --out, or replace it with --force.",
                path=path,
            )
