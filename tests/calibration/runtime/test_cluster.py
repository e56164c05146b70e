"""What a cluster computes is what one process computes, to the last bit, whatever happens to its
workers.
"""

import logging
import os
import pickle
import signal
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.runtime import cluster, sources
from calibration.runtime.cluster import connect, pieces_in_order
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.progress import Progress
from calibration.runtime.versions import installed_versions
from calibration.studies.extensions import carry_extensions, load_carried, load_extensions

HEIGHTS = np.linspace(0.1, 0.5, 40)


def fall(heights):
    """Speed after a fall, of numbers that single precision does not have."""
    return {"speed": jnp.sqrt(2 * 9.81 * heights), "third": heights / 3}


@pytest.fixture(scope="module")
def client():
    """Of a cluster of threads in this process."""
    from distributed import Client, LocalCluster

    here = LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
    )
    with here, Client(here) as client:
        yield client


def assert_same(found, expected):
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert jax.tree.map(lambda leaf: leaf.dtype, found) == {"speed": float, "third": float}


def test_a_sweep_on_a_cluster_is_that_of_one_process(client):
    assert_same(
        cal.run_sweep(fall, HEIGHTS, chunk=7, client=client), cal.run_sweep(fall, HEIGHTS, chunk=7)
    )


def test_pieces_come_in_their_order_and_only_a_few_are_given_out(client):
    given = []

    def pieces():
        for number in range(30):
            given.append(number)
            yield np.asarray(number)

    def late_first(number):
        time.sleep(0.002 * (30 - int(number)))
        return number

    for expected, found in enumerate(pieces_in_order(late_first, pieces(), client=client)):
        assert found == expected
        assert len(given) <= expected + cluster.AHEAD * 2 + 1


def test_an_error_of_a_piece_is_raised_as_it_is(client):
    def refuse(number):
        raise InputError(f"piece {int(number)} cannot be", remedy="Leave it out.")

    with pytest.raises(InputError, match=r"piece 0 cannot be\. Leave it out\."):
        next(pieces_in_order(refuse, [np.asarray(0)], client=client))


def test_what_is_there_is_not_computed_again(client, tmp_path, monkeypatch):
    checkpoint = cal.Checkpoint(tmp_path, interval=0.0)
    first = cal.run_sweep(fall, HEIGHTS, chunk=7, checkpoint=checkpoint, client=client)
    monkeypatch.setattr(cluster, "compute_piece", None)
    assert_same(cal.run_sweep(fall, HEIGHTS, chunk=7, checkpoint=checkpoint, client=client), first)


def test_a_worker_with_other_versions_is_refused(client, monkeypatch):
    monkeypatch.setattr(cluster, "installed_versions", lambda: {"jax": "0.1"})
    task = cluster.compute_piece
    with pytest.raises(InputError, match=r"a worker has jax 0\.1, not 9\.9"):
        task(b"", np.asarray(0), True, {"jax": "9.9"}, {})


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("local:none", "'none' is no number of workers"),
        ("tcp://127.0.0.1:9", "no scheduler answers"),
        ("somewhere", "no scheduler answers"),
        ("absent.json", "this is no file of a scheduler"),
    ],
)
def test_a_cluster_that_is_none_is_refused(where, says, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", "1 s")
    with pytest.raises(InputError, match=says), connect(where):
        pass


@pytest.mark.long
def test_a_killed_worker_loses_and_doubles_nothing(tmp_path):
    """Scheduler and two workers are processes; one of them is killed in the middle."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.0027),
        contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8)),
    )
    asked = {
        "scene": scene,
        "state": jc.state(position=(0.0, 0.0, 0.3)),
        "factors": [cal.sweeps.Range("contact.normal.restitution", 0.5, 0.9)],
        "design": cal.sweeps.Design("sobol", number=512),
        "duration": 0.6,
        "chunk": 16,
        "lanes": 16,
    }
    alone = cal.sweeps.sweep(store=tmp_path / "alone.zarr", **asked)
    with connect("local:2") as client:
        killed = threading.Thread(target=_kill_one, args=(client, tmp_path / "killed.zarr"))
        killed.start()
        together = cal.sweeps.sweep(store=tmp_path / "killed.zarr", client=client, **asked)
        killed.join()
    assert together.equals(alone)
    assert int((together.status == jc.Status.SUCCESS).sum()) == 512


def _kill_one(client, store):
    """Kill a worker as soon as something is stored."""
    workers = list(client.run(os.getpid).values())
    while not store.exists():
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)


@pytest.mark.long
def test_a_bootstrap_on_a_cluster_is_that_of_one_process(tmp_path):
    rng = np.random.default_rng(0)
    table = cal.ImpactTable(
        name="drops",
        impact_angle=np.zeros(30),
        impact_speed=np.linspace(1.0, 4.0, 30),
        normal_restitution=0.8 + 0.01 * rng.standard_normal(30),
        sigma={"normal_restitution": np.full(30, 0.01)},
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7)),
    )
    fit = cal.fit(cal.Problem(scene, [table], free=["contact.normal.restitution"]))
    alone = cal.bootstrap(fit, count=400, lanes=10)
    folder = tmp_path / "kept"
    with connect("local:2") as client:
        killed = threading.Thread(target=_kill_one, args=(client, folder))
        killed.start()
        together = cal.bootstrap(fit, count=400, lanes=10, client=client, checkpoint=str(folder))
        killed.join()
    np.testing.assert_array_equal(together.draws.shared, alone.draws.shared)
    assert together.intervals == alone.intervals


def test_code_that_a_study_names_counts_by_its_source(tmp_path):
    """A law that is edited is another one, to the store of a sweep as to the piece on a worker."""
    file = tmp_path / "law_of_mine.py"
    file.write_text("class Mine:\n    factor = 1.0\n")
    (name,) = load_extensions([str(file)])
    (carried,) = carry_extensions([name])
    before = fingerprint(sys.modules["law_of_mine"].Mine)
    del sys.modules["law_of_mine"]
    file.write_text("class Mine:\n    factor = 2.0\n")
    load_extensions([str(file)])
    assert fingerprint(sys.modules["law_of_mine"].Mine) != before
    del sys.modules["law_of_mine"]
    assert carried.source == b"class Mine:\n    factor = 1.0\n"


def test_a_worker_needs_no_file_of_a_module_that_a_study_names(tmp_path, monkeypatch):
    """It may run in another folder, or on another machine."""
    file = tmp_path / "law_of_another.py"
    file.write_text("def double(piece):\n    return 2 * piece\n")
    monkeypatch.chdir(tmp_path)
    carried = carry_extensions(load_extensions(["law_of_another.py"]))
    del sys.modules["law_of_another"]
    monkeypatch.setattr(sources, "_SOURCES", {})
    file.unlink()
    monkeypatch.chdir("/")
    load_carried(carried)
    assert sys.modules.pop("law_of_another").double(3) == 6


def test_a_worker_that_knows_a_module_as_it_was_is_refused(monkeypatch):
    """It would compute by the old law, and nobody would see it."""
    monkeypatch.setattr(sources, "_SOURCES", {"law_of_mine": "old"})
    task = pickle.dumps(abs)
    with pytest.raises(InputError, match=r"(?s)another 'law_of_mine'.*Start the workers anew"):
        cluster.compute_piece(task, np.ones(2), True, installed_versions(), {"law_of_mine": "new"})
    piece = cluster.compute_piece(
        task, -np.ones(2), True, installed_versions(), {"law_of_mine": "old"}
    )
    np.testing.assert_array_equal(piece, np.ones(2))


def test_a_cluster_without_workers_says_so_and_one_that_is_gone_is_an_error(monkeypatch, tmp_path):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(cluster, "GLANCE", 0.2)
    said = []

    class Heard(Progress):
        def remark(self, note):
            said.append(note)
            scheduler.close()

    empty = LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0")
    with empty as scheduler, Client(empty) as client:
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        with pytest.raises(InputError, match=r"(?s)connection to the scheduler is lost.*goes on"):
            next(pieces_in_order(fall, [HEIGHTS], client=client, progress=Heard(quiet=True)))
    assert "no worker is there" in said[0]
