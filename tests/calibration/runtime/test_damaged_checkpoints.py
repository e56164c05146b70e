"""What must hold of a checkpoint that is not as it was written: it is refused by the name of the
file, or gives the same numbers; nothing is lost without a word, and nothing else is ever raised.
"""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.runtime.checkpoint import Checkpoint, open_journal
from calibration.runtime.checkpoint_faults import CheckpointNotWritten, DamagedCheckpoint

PIECES = {
    "first": [np.arange(12.0).reshape(3, 4), np.array(True), np.zeros((0, 2))],
    "second": [np.arange(5), np.array(["one", "two"])],
    "third": [np.linspace(0.0, 1.0, 100)],
}


def kept(folder):
    return open_journal(
        Checkpoint(folder, interval=0.0), work="sums", inputs={"the data": 1}, options={"seed": 2}
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A checkpoint as it was written, three segments and a description."""
    folder = tmp_path_factory.mktemp("whole")
    with kept(folder) as journal:
        for name, arrays in PIECES.items():
            journal.remember(name, lambda arrays=arrays: arrays)
    return folder


def damage(content: bytes, generator: np.random.Generator) -> bytes:
    """One of the ways in which files suffer."""
    kind, place = generator.integers(7), int(generator.integers(len(content)))
    some = generator.integers(0, 256, generator.integers(1, 40), dtype=np.uint8).tobytes()
    if kind == 0:  # a bit flips
        return (
            content[:place]
            + bytes([content[place] ^ 1 << generator.integers(8)])
            + content[place + 1 :]
        )
    if kind == 1:  # a page is lost, and read as zeros
        return content[:place] + bytes(len(content) - place)
    if kind == 2:  # the end is missing
        return content[:place]
    if kind == 3:  # a piece is missing
        return content[:place] + content[place + len(some) :]
    if kind == 4:  # a piece is overwritten
        return content[:place] + some + content[place + len(some) :]
    if kind == 5:  # something is inserted
        return content[:place] + some + content[place:]
    return [b"", b"null", b"[]", b"{}", b"5", some, b"\xff", b"[" * 100_000][generator.integers(8)]


def outcome(folder: Path) -> str:
    """Whether an opened checkpoint refuses or gives what was put in."""
    try:
        journal = kept(folder)
    except InputError as error:
        return "refused" if str(folder) in str(error) and error.remedy else "refused badly"
    with journal:
        for name, arrays in PIECES.items():
            found = journal.remember(name, lambda arrays=arrays: arrays)
            for one, two in zip(found, arrays, strict=True):
                np.testing.assert_array_equal(one, two)
    return "the same"


def mutate(whole: Path, folder: Path, count: int) -> dict[str, int]:
    """How many of the damaged checkpoints ended in which way."""
    ended = {"refused": 0, "the same": 0}
    for seed in range(count):
        generator = np.random.default_rng(seed)
        place = folder / f"{seed}"
        shutil.copytree(whole, place)
        files = sorted((place / "sums").iterdir())
        file = files[generator.integers(len(files))]
        before = file.read_bytes()
        after = damage(before, generator)
        file.write_bytes(after)
        found = outcome(place)
        assert found == "refused" or after == before or file.suffix == ".json"
        ended[found] += 1
        shutil.rmtree(place)
    return ended


def test_no_damage_to_a_file_is_believed_or_ends_in_another_error(whole, tmp_path):
    ended = mutate(whole, tmp_path, 120)
    assert ended["refused"] > 100


@pytest.mark.long
def test_nor_does_any_of_thousands(whole, tmp_path):
    ended = mutate(whole, tmp_path, 6000)
    assert ended["refused"] > 5000


def test_a_file_of_another_computation_is_no_file_of_this_one(whole, tmp_path):
    with open_journal(
        Checkpoint(tmp_path / "other", interval=0.0),
        work="sums",
        inputs={"the data": 5},
        options={"seed": 2},
    ) as journal:
        journal.remember("first", lambda: [np.zeros(3)])
    shutil.copytree(whole, tmp_path / "here")
    shutil.copy(tmp_path / "other" / "sums" / "000000.npz", tmp_path / "here" / "sums")
    with pytest.raises(DamagedCheckpoint, match=r"000000.npz.*damaged"):
        kept(tmp_path / "here")


@pytest.mark.parametrize("lost", range(3))
def test_a_file_that_is_removed_is_computed_again_and_replaces_no_other(whole, tmp_path, lost):
    shutil.copytree(whole, tmp_path / "here")
    folder = tmp_path / "here" / "sums"
    (folder / f"{lost:06d}.npz").unlink()
    others = {file: file.read_bytes() for file in folder.glob("*.npz")}
    computed = []
    with kept(tmp_path / "here") as journal:
        for name, arrays in PIECES.items():
            journal.remember(name, lambda name=name, arrays=arrays: computed.append(name) or arrays)
    assert computed == [list(PIECES)[lost]]
    assert all(file.read_bytes() == content for file, content in others.items())
    assert outcome(tmp_path / "here") == "the same"


@pytest.mark.parametrize("name", ["000001.npz", "description.json"])
def test_what_is_no_file_is_refused(whole, tmp_path, name):
    for make in (os.mkdir, os.mkfifo, lambda path: os.symlink("nowhere", path)):
        shutil.copytree(whole, tmp_path / "here")
        (tmp_path / "here" / "sums" / name).unlink()
        make(tmp_path / "here" / "sums" / name)
        if name == "description.json" and not (tmp_path / "here" / "sums" / name).exists():
            assert outcome(tmp_path / "here") == "the same"  # a link to nowhere is filled
        else:
            assert outcome(tmp_path / "here") == "refused"
        shutil.rmtree(tmp_path / "here")


def test_a_description_that_says_nothing_is_refused_by_its_name(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "here")
    description = tmp_path / "here" / "sums" / "description.json"
    for content in ("null", "[]", "{}", json.dumps({"inputs": 5, "options": {}, "versions": {}})):
        description.write_text(content)
        with pytest.raises(DamagedCheckpoint, match=r"description.json.*Remove the folder"):
            kept(tmp_path / "here")


def test_a_full_disk_costs_the_checkpoint_and_not_the_computation(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with kept(tmp_path) as journal:
        with monkeypatch.context() as disk:
            disk.setattr("calibration.runtime.segment.write_atomically", full)
            with pytest.warns(CheckpointNotWritten, match="No space left"):
                found = journal.remember("first", lambda: [np.arange(3)])
        np.testing.assert_array_equal(found[0], np.arange(3))
        journal.remember("second", lambda: [np.arange(4)])
    with kept(tmp_path) as journal:  # once there is room, nothing is missing
        assert list(journal.pieces) == ["first", "second"]


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_computed(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Name another folder"):
        kept(tmp_path / "file" / "below")


def test_two_computations_do_not_share_a_checkpoint(tmp_path):
    with kept(tmp_path) as journal:
        journal.remember("first", lambda: [np.arange(3)])
        with pytest.raises(InputError, match=rf"at work in this folder \(process {os.getpid()}"):
            kept(tmp_path)
        journal.remember("second", lambda: [np.arange(3)])
    with kept(tmp_path) as journal:
        assert list(journal.pieces) == ["first", "second"]
    assert not list(tmp_path.glob("*/.lock"))
