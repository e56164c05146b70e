"""Checkpoints: a journal of finished pieces on disk, from which a computation that was killed goes
on.

A long computation is a fixed sequence of pieces (a point of a profile, a chunk of replicates, a
block of samples), each of which depends on the inputs and on earlier pieces only. Whoever starts it
again runs the same program; pieces that the journal holds are read instead of computed. So the
final numbers are those of an uninterrupted run, to the last bit.
"""

import dataclasses
import json
import os
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import jax
import numpy as np

from calibration.errors import InputError
from calibration.io.atomic import UNFINISHED, write_atomically
from calibration.io.contents import read_contents
from calibration.io.folder_lock import FolderLock
from calibration.runtime.checkpoint_faults import CheckpointNotWritten, DamagedCheckpoint
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.identity import check_identity, identify, parse_identity
from calibration.runtime.segment import SUFFIX, read_segment, write_segment

DESCRIPTION = "description.json"

Tree = TypeVar("Tree")  # nested containers of arrays, whose structure jax.tree knows


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """The folder in which a long computation keeps what it has finished.

    Args:
        folder: is made when it does not exist. Several kinds of work (a profile, a bootstrap) may
            share it; each kind holds one problem.
        interval: longest time between two writes [s], 0 for a write after each piece. A process
            that is killed loses the pieces since the last write.

    Raises:
        InputError: an interval that is negative or no number.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     checkpoint = cal.Checkpoint(folder, interval=0.0)
        ...     squares = cal.run_sweep(jnp.square, np.arange(4.0), chunk=2, checkpoint=checkpoint)
        ...     again = cal.run_sweep(jnp.square, np.arange(4.0), chunk=2, checkpoint=checkpoint)
        >>> squares.tolist() == again.tolist()
        True
    """

    folder: str | os.PathLike[str]
    interval: float = 10.0

    def __post_init__(self) -> None:
        if not self.interval >= 0:
            raise InputError(
                f"checkpoint: interval = {self.interval!r} s",
                remedy="Give a number of seconds, 0 for after each piece.",
            )


class Journal:
    """Finished pieces of one computation; a context that writes what is left when it ends. Made by
    ``open_journal``.

    Args:
        folder: of this kind of work, ``None`` to keep nothing.
        interval: longest time between two writes [s].
        pieces: those of an earlier process, by name.
        segment: number of the next file.
        owner: what tells the computation from others.
        lock: on the folder, held until the journal ends.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        interval: float = 0.0,
        pieces: dict[str, list[np.ndarray]] | None = None,
        segment: int = 0,
        owner: str = "",
        lock: FolderLock | None = None,
    ) -> None:
        self.folder, self.interval, self.pieces = folder, interval, pieces or {}
        self.segment, self.owner, self.lock = segment, owner, lock
        self.pending: list[str] = []
        self.written = time.monotonic()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.write()
        finally:
            if self.lock is not None:
                self.lock.release()

    def remember(self, name: str, compute: Callable[[], Tree], *, like: Tree | None = None) -> Tree:
        """Read the piece ``name`` where the journal holds it, else compute it.

        Args:
            name: of the piece, unique in the computation.
            compute: returns a pytree of arrays.
            like: a pytree of the same structure; by default the piece is a flat list of arrays.

        Returns:
            The piece, with NumPy arrays as leaves.
        """
        if name not in self.pieces:
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(compute())]
            if self.folder is None:
                return _unflatten(leaves, like)
            self.pieces[name] = leaves
            self.pending.append(name)
            if time.monotonic() - self.written >= self.interval:
                self.write()
        return _unflatten(self.pieces[name], like)

    def write(self) -> None:
        """Write the pieces that are not on disk yet, all or none. Where that fails they stay in
        memory, and the next write tries again.

        Warns:
            CheckpointNotWritten: the disk is full, the folder is gone.
        """
        self.written = time.monotonic()
        if self.folder is None or not self.pending:
            return
        pending = {name: self.pieces[name] for name in self.pending}
        try:
            write_segment(self.folder / f"{self.segment:06d}{SUFFIX}", pending, owner=self.owner)
        except (OSError, InputError) as error:
            reason = error.strerror or error if isinstance(error, OSError) else error.problem
            warnings.warn(
                f"{self.folder}: the checkpoint cannot be written ({reason}). The computation goes "
                "on; if it is killed, it begins anew.",
                CheckpointNotWritten,
                stacklevel=3,
            )
            return
        self.segment += 1
        self.pending = []


def _unflatten(leaves: list[np.ndarray], like: object) -> Any:
    return leaves if like is None else jax.tree.unflatten(jax.tree.structure(like), leaves)


def open_journal(
    checkpoint: Checkpoint | str | os.PathLike[str] | None,
    *,
    work: str,
    inputs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Journal:
    """Open the journal of a computation, with the pieces that an earlier process has finished.

    Args:
        checkpoint: folder where it is kept, ``None`` to keep nothing.
        work: kind of computation, e.g. ``"profile"``; the name of its folder inside that of the
            checkpoint.
        inputs: what goes in (data, scene, the minimum), by its name in an error text.
        options: arguments that decide on the numbers: counts, seeds, levels.

    Raises:
        InputError: the folder holds the same kind of work on other inputs, with other options, or
            of other versions of the programs; another process is at work in it.
        DamagedCheckpoint: a file in it is not as it was written.
    """
    if checkpoint is None:
        return Journal(None)
    place = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    folder = Path(place.folder) / work
    identity = {"work": work, **identify(inputs, options)}
    lock = FolderLock(folder, remedy="Wait until it has ended, or name another folder.")
    try:
        description = folder / DESCRIPTION
        if description.exists():
            check_identity(
                _read_description(description),
                identity,
                what=f"This checkpoint belongs to another {work}",
                folder=folder,
            )
        else:
            write_atomically(description, (json.dumps(identity, indent=2) + "\n").encode())
        for unfinished in folder.glob(
            f".*{UNFINISHED}"
        ):  # of a process that was killed while it wrote
            unfinished.unlink(missing_ok=True)
        files = sorted(file for file in folder.glob(f"*{SUFFIX}") if file.stem.isdecimal())
        owner = fingerprint(identity)
        pieces: dict[str, list[np.ndarray]] = {}
        for file in files:
            pieces |= read_segment(file, owner=owner)
    except OSError as error:
        lock.release()
        raise InputError(
            f"the checkpoint cannot be written ({error.strerror or error})",
            remedy="Name another folder.",
            path=folder,
        ) from error
    except BaseException:
        lock.release()
        raise
    return Journal(
        folder,
        interval=place.interval,
        pieces=pieces,
        segment=int(files[-1].stem) + 1 if files else 0,
        owner=owner,
        lock=lock,
    )


def _read_description(path: Path) -> Any:
    try:
        return parse_identity(read_contents(path).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise DamagedCheckpoint(
            "this file of a checkpoint is damaged",
            remedy="Remove the folder of the checkpoint to start again.",
            path=path,
        ) from error
