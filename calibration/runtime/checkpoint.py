"""Work that survives being killed: a journal of finished pieces on disk, from which the same
computation goes on.

A long computation is a fixed sequence of pieces (a point of a profile, a chunk of replicates, a
block of samples), each of which depends on the inputs and on earlier pieces only. Whoever starts it
again runs the same program; pieces that the journal holds are read instead of computed. So the
final numbers are those of an uninterrupted run, to the last bit.
"""

import dataclasses
import io
import json
import os
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import jax
import numpy as np

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.versions import installed_versions

DESCRIPTION = "description.json"
_NAMES = "names"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """Where a long computation keeps what it has finished.

    Args:
        folder: is made when it does not exist. Several kinds of work (a profile, a bootstrap) may
            share it; each kind holds one problem.
        interval: finished pieces are written at least so often [s]. A process that is killed loses
            them and the piece it was at.
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
    ``journal``.

    Args:
        folder: of this kind of work, ``None`` to keep nothing.
        interval: between writes [s].
        pieces: those of an earlier process.
        segments: number of files that hold them.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        interval: float,
        pieces: dict[str, list[np.ndarray]],
        segments: int,
    ) -> None:
        self.folder, self.interval, self.pieces, self.segments = folder, interval, pieces, segments
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
        self.write()

    def remember(self, name: str, compute: Callable[[], Any], *, like: Any = None) -> Any:
        """The piece ``name``: read when it is there, else ``compute()``.

        Args:
            name: of the piece, unique in the computation.
            compute: returns a pytree of arrays.
            like: a pytree of the same structure; by default the piece is a flat list of arrays.

        Returns:
            The piece as NumPy arrays.
        """
        if name not in self.pieces:
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(compute())]
            if self.folder is None:
                return _shaped(leaves, like)
            self.pieces[name] = leaves
            self.pending.append(name)
            if time.monotonic() - self.written >= self.interval:
                self.write()
        return _shaped(self.pieces[name], like)

    def write(self) -> None:
        """Write the pieces that are not on disk yet, all or none."""
        if self.folder is not None and self.pending:
            arrays = {
                f"{i}:{j}": leaf
                for i, name in enumerate(self.pending)
                for j, leaf in enumerate(self.pieces[name])
            }
            content = io.BytesIO()
            arrays[_NAMES] = np.asarray(self.pending)
            np.savez(content, **arrays)  # type: ignore[arg-type]  # its stub takes every name for its own option
            write_atomically(self.folder / f"{self.segments:06d}.npz", content.getvalue())
            self.segments += 1
            self.pending = []
        self.written = time.monotonic()


def _shaped(leaves: list[np.ndarray], like: Any) -> Any:
    return leaves if like is None else jax.tree.unflatten(jax.tree.structure(like), leaves)


def open_journal(
    checkpoint: Checkpoint | str | os.PathLike[str] | None,
    *,
    work: str,
    inputs: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Journal:
    """The journal of a computation.

    Args:
        checkpoint: where it is kept; ``None``: nowhere.
        work: kind of computation, e.g. ``"profile"``; the name of its folder inside that of the
            checkpoint.
        inputs: what goes in, by what it is called in an error message: data, scene, the minimum.
        options: arguments that decide on the numbers: counts, seeds, levels.

    Raises:
        InputError: the folder holds the same kind of work on other inputs, with other options, or
            of other versions of the programs.
    """
    if checkpoint is None:
        return Journal(None, interval=0.0, pieces={}, segments=0)
    place = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    folder = Path(place.folder) / work
    identity = {
        "work": work,
        "inputs": {name: fingerprint(value) for name, value in inputs.items()},
        "options": {name: repr(value) for name, value in options.items()},
        "versions": installed_versions(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    description = folder / DESCRIPTION
    if description.exists():
        _check_same(_read_description(description), identity, folder)
    else:
        write_atomically(description, (json.dumps(identity, indent=2) + "\n").encode())
    for unfinished in folder.glob(".*.part"):  # of a process that was killed while it wrote
        unfinished.unlink(missing_ok=True)
    files = sorted(folder.glob("*.npz"))
    pieces = {name: piece for file in files for name, piece in _read_segment(file).items()}
    return Journal(folder, interval=place.interval, pieces=pieces, segments=len(files))


def _read_description(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _unreadable(path) from error


def _read_segment(path: Path) -> dict[str, list[np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as stored:
            pieces: dict[str, list[np.ndarray]] = {str(name): [] for name in stored[_NAMES]}
            for i, leaves in enumerate(pieces.values()):
                while f"{i}:{len(leaves)}" in stored:
                    leaves.append(stored[f"{i}:{len(leaves)}"])
            return pieces
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise _unreadable(path) from error


def _unreadable(path: Path) -> InputError:
    return InputError(
        "this is not a file of a checkpoint",
        remedy="Remove the folder of the checkpoint to begin anew.",
        path=path,
    )


def _check_same(there: Any, here: dict[str, Any], folder: Path) -> None:
    """Raise with what differs between a checkpoint and the computation that wants to go on from
    it.
    """
    found = []
    for group, about in (
        ("inputs", "{name} is another"),
        ("options", "{name} = {old} there, {new} here"),
        ("versions", "{name} {old}, now {new}"),
    ):
        old, new = there.get(group, {}), here[group]
        found += [
            about.format(name=name, old=old.get(name), new=new.get(name))
            for name in dict.fromkeys((*old, *new))
            if old.get(name) != new.get(name)
        ]
    if found:
        raise InputError(
            f"This checkpoint belongs to another {here['work']}: {'; '.join(found)}",
            remedy="Name another folder, or remove this one to begin anew.",
            path=folder,
        )
