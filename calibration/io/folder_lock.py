"""A lock on a folder, which one process at a time may hold. The system lets go of it when the
process ends, however it ends, so none is left behind by one that was killed.
"""

import contextlib
import os
import socket
from pathlib import Path

from calibration.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
"""The file in the folder that is locked."""


class FolderLock:
    """Holds a folder until ``release``, or until the process ends.

    Where the file system has no locks (some network drives, Windows), nothing is held.

    Args:
        folder: is made when it does not exist.
        remedy: what to do where another process holds it.

    Raises:
        InputError: another process holds it, the folder cannot be made or written to.
    """

    def __init__(self, folder: Path, *, remedy: str) -> None:
        self._file, self._process = -1, os.getpid()
        self.path = folder / LOCK
        self._made = not folder.exists()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            while self._file < 0:
                self._file = self._acquire(remedy)
            self._say_who()
        except OSError as error:
            self.release()
            raise InputError(
                f"the folder cannot be written to ({error.strerror or error})",
                remedy="Name another folder.",
                path=folder,
            ) from error

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _acquire(self, remedy: str) -> int:
        """The open file, or -1 where it was removed in between by who held it before."""
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 200).decode("utf-8", "replace").strip()
            os.close(file)
            raise InputError(
                f"another computation is at work in this folder ({holder or 'it just began'})",
                remedy=remedy,
                path=self.path.parent,
            ) from None
        except OSError:  # a file system without locks
            return file
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(self.path)):
                return file
        os.close(file)
        return -1

    def _say_who(self) -> None:
        with contextlib.suppress(OSError):  # a full disk: the lock holds without its text
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, f"process {os.getpid()} on {socket.gethostname()}".encode())

    def release(self) -> None:
        """Let go, and remove what the lock has made; a second time does nothing."""
        if self._file < 0:
            return
        own = os.getpid() == self._process  # rather than a copy in a process that was forked
        if own:
            with contextlib.suppress(OSError):
                self.path.unlink()
        os.close(self._file)
        self._file = -1
        if own and self._made:
            with contextlib.suppress(OSError):  # there is something in it now
                self.path.parent.rmdir()

    def __del__(self) -> None:
        self.release()
