"""What must hold of names of files: every name that a system allows is written as text, and leads
back to its file.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.errors import InputError
from calibration.io.contents import read_contents
from calibration.io.files import make_distinct_names
from calibration.io.folder_lock import LOCK, FolderLock
from calibration.io.names import existing_path, readable_name, text_bytes

ODD = [
    b"drop_\xe9.csv",
    b"\xff\xfe\x80.csv",
    "drop_é.csv".encode(),
    b"back\\slash.csv",
    b"back\\xe9.csv",
    b"new\nline.csv",
    b"$\\frac{a$.csv",
    b"[bold]x[nope].csv",
    b"<script>&.csv",
    b"'\"#=.csv",
    b" blank .csv",
]
"""Names, as bytes."""


@pytest.mark.parametrize("name", ODD)
def test_a_name_is_readable_and_leads_back_to_its_file(tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.write_text(name.hex())
    written = readable_name(str(path))
    assert text_bytes(str(path)).decode() == written
    assert Path(existing_path(written)).read_text() == name.hex()


def test_names_of_recordings_are_text_and_differ():
    paths = [
        Path(os.fsdecode(name)) for name in (b"a/d\xe9.csv", b"b/d\xe9.csv", b"\xff/d\xe9.csv")
    ]
    names = make_distinct_names(paths)
    assert names == ["a-d\\xe9", "b-d\\xe9", "\\xff-d\\xe9"]
    assert all(name.encode() for name in names)


def test_what_is_no_file_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, word in (
        (tmp_path, "directory"),
        (tmp_path / "pipe", "pipe"),
        ("/dev/zero", "device"),
    ):
        with pytest.raises(InputError, match=word):
            read_contents(path)
    with pytest.raises(InputError, match="no such file"):
        read_contents(tmp_path / "absent")
    with pytest.raises(InputError, match="cannot be read"):
        read_contents("zero\0byte")


HOLD = """
import sys
from pathlib import Path
from calibration.io.folder_lock import FolderLock
lock = FolderLock(Path(sys.argv[1]), remedy="")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_is_held_until_the_process_ends_however_it_ends(tmp_path):
    folder = tmp_path / "new" / "result"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(InputError, match=rf"at work in this folder \(process {holder.pid} .*Wait"):
        FolderLock(folder, remedy="Wait.")
    holder.kill()
    holder.communicate()
    assert (folder / LOCK).exists()  # left by the one that was killed
    with FolderLock(folder, remedy="Wait."), pytest.raises(InputError, match=f"{os.getpid()}"):
        FolderLock(folder, remedy="Wait.")
    assert not (folder / LOCK).exists()


def test_a_folder_that_a_lock_has_made_goes_with_it_when_it_is_empty(tmp_path):
    with FolderLock(tmp_path / "new", remedy=""):
        pass
    assert not (tmp_path / "new").exists()
    with FolderLock(tmp_path / "new", remedy=""):
        (tmp_path / "new" / "result").write_text("")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["result"]


def test_a_folder_can_be_used_where_the_system_has_no_locks(tmp_path, monkeypatch):
    """Windows has none, nor what Python calls only with Unix."""
    for name in ("pwrite", "pread", "O_CLOEXEC", "O_NONBLOCK", "getuid", "fork"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr("calibration.io.folder_lock.fcntl", None)
    with FolderLock(tmp_path / "new", remedy=""):
        assert (tmp_path / "new" / LOCK).read_text().startswith(f"process {os.getpid()} on ")
    assert not (tmp_path / "new").exists()
