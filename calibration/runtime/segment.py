"""A segment: one file of finished pieces, sealed by a digest of all its bytes, so that a file in
which anything has changed is refused instead of believed.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from calibration.io.atomic import write_atomically
from calibration.io.contents import read_contents
from calibration.runtime.checkpoint_faults import DamagedCheckpoint

SUFFIX = ".npz"
_NAMES = "names"
_DIGEST = hashlib.sha256().digest_size

Pieces = dict[str, list[np.ndarray]]
"""Arrays of each piece, by its name."""


def write_segment(path: Path, pieces: Mapping[str, Sequence[np.ndarray]], *, owner: str) -> None:
    """Write pieces into a file that was not there, all or none.

    Args:
        path: of the file.
        pieces: arrays of each piece, by its name.
        owner: what tells the computation from others; the seal holds for it alone.

    Raises:
        OSError: the folder may not be written to, the disk is full.
    """
    # Array j of piece i is stored under the name "i:j".
    arrays = {_NAMES: np.asarray(list(pieces))}
    for i, leaves in enumerate(pieces.values()):
        arrays |= {f"{i}:{j}": leaf for j, leaf in enumerate(leaves)}
    content = io.BytesIO()
    # The stub of savez takes every name for one of its own options.
    np.savez(content, **arrays)  # type: ignore[arg-type]
    write_atomically(path, content.getvalue() + _seal(content.getvalue(), owner))


def read_segment(path: Path, *, owner: str) -> Pieces:
    """The pieces in a file that ``write_segment`` wrote for the same owner.

    Raises:
        DamagedCheckpoint: anything else is in the file.
        InputError: it cannot be read.
    """
    stored = read_contents(path)
    content, seal = stored[:-_DIGEST], stored[-_DIGEST:]
    if seal != _seal(content, owner):
        raise DamagedCheckpoint(
            "this file of a checkpoint is damaged",
            remedy="Remove it: what was in it is computed again.",
            path=path,
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        pieces: Pieces = {str(name): [] for name in arrays[_NAMES]}
        for i, leaves in enumerate(pieces.values()):
            while f"{i}:{len(leaves)}" in arrays:
                leaves.append(arrays[f"{i}:{len(leaves)}"])
        return pieces


def _seal(content: bytes, owner: str) -> bytes:
    return hashlib.sha256(owner.encode() + b"\0" + content).digest()
