"""What must hold of checkpoints: nothing finished is computed twice, nothing of another problem is
taken, a kill changes no number.
"""

import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.optimise.resumable import checkpoint_minima
from calibration.problem.problem import Problem
from calibration.runtime.callbacks import make_reporter
from calibration.runtime.checkpoint import Checkpoint, open_journal
from calibration.runtime.chunks import run_sweep
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.progress import Progress, format_duration
from tests.calibration import synthetic_impacts as impacts

ROOT = Path(__file__).parents[3]


def opened(folder, *, interval=0.0, data=(1.0, 2.0), **options):
    return open_journal(
        Checkpoint(folder, interval=interval),
        work="sums",
        inputs={"the data": np.array(data)},
        options=options,
    )


def test_finished_pieces_are_read_and_not_computed_again(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"a": np.arange(3.0), "b": (np.int64(4), True)}

    for _ in range(2):
        with opened(tmp_path) as kept:
            piece = kept.remember("first", compute, like={"a": 0, "b": (0, 0)})
            np.testing.assert_array_equal(piece["a"], np.arange(3.0))
            assert piece["b"] == (4, True)
    assert len(calls) == 1


def test_pieces_are_written_once_in_an_interval_and_at_the_end(tmp_path):
    with opened(tmp_path, interval=1e6) as kept:
        kept.remember("one", lambda: np.ones(2))
        assert not list((tmp_path / "sums").glob("*.npz"))
        with pytest.raises(KeyboardInterrupt), kept:
            raise KeyboardInterrupt
        assert len(list((tmp_path / "sums").glob("*.npz"))) == 1


def test_another_problem_is_refused_with_what_differs(tmp_path):
    with opened(tmp_path, level=0.95):
        pass
    with pytest.raises(InputError, match=r"level = 0.95 there, 0.9 here.*another folder"):
        opened(tmp_path, level=0.9)
    with pytest.raises(InputError, match="the data is another"):
        opened(tmp_path, data=(1.0, 2.5), level=0.95)
    description = tmp_path / "sums" / "description.json"
    stored = json.loads(description.read_text())
    stored["versions"]["jax"] = "0.0"
    description.write_text(json.dumps(stored))
    with pytest.raises(InputError, match=r"jax 0.0, now"):
        opened(tmp_path, level=0.95)


def test_a_damaged_file_is_named(tmp_path):
    with opened(tmp_path) as kept:
        kept.remember("one", lambda: np.ones(2))
    (tmp_path / "sums" / "000000.npz").write_bytes(b"not a file")
    with pytest.raises(InputError, match=r"000000.npz"):
        opened(tmp_path)


def test_what_a_killed_writer_left_is_removed(tmp_path):
    with opened(tmp_path):
        (tmp_path / "sums" / ".abc.part").write_bytes(b"half")
    with opened(tmp_path):
        pass
    assert not list((tmp_path / "sums").glob(".*.part"))


@pytest.mark.long
def test_a_fingerprint_tells_values_and_functions_apart_and_is_the_same_in_another_process():
    def scaled(factor):
        return lambda x: factor * x

    assert fingerprint(scaled(2.0)) != fingerprint(scaled(3.0))
    assert (
        fingerprint(np.zeros(3))
        != fingerprint(np.zeros(3, dtype=np.float32))
        != fingerprint(np.zeros((3, 1)))
    )
    assert fingerprint({"a": 1, "b": {2, 3}}) == fingerprint({"b": {3, 2}, "a": 1})
    assert fingerprint(functools.partial(max, 1)) != fingerprint(functools.partial(max, 2))
    code = (
        "from calibration.runtime.fingerprint import fingerprint; import jaxcontact as jc; "
        "print(fingerprint(jc.spheres(radius=0.02, mass=0.03)))"
    )
    both = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(both) == 1


SEEN = []


def test_a_sweep_in_chunks_is_the_sweep_and_goes_on(tmp_path):
    seen = SEEN
    seen.clear()

    def function(lanes):
        jax.debug.callback(lambda x: SEEN.append(x.shape[0]), lanes["x"])
        return {"y": lanes["x"] ** 2, "z": jnp.sin(lanes["x"])[:, None]}

    lanes = {"x": np.linspace(0.0, 1.0, 10)}
    found = run_sweep(function, lanes, chunk=4, checkpoint=Checkpoint(tmp_path, interval=0.0))
    jax.effects_barrier()
    np.testing.assert_allclose(found["y"], lanes["x"] ** 2)
    assert found["z"].shape == (10, 1)
    assert seen == [4, 4, 4]
    again = run_sweep(function, lanes, chunk=4, checkpoint=Checkpoint(tmp_path, interval=0.0))
    jax.effects_barrier()
    assert len(seen) == 3
    np.testing.assert_array_equal(again["y"], found["y"])
    with pytest.raises(InputError, match="the lanes"):
        run_sweep(function, {"x": np.linspace(0.0, 2.0, 10)}, chunk=4, checkpoint=tmp_path)
    with pytest.raises(InputError, match="chunk = 0"):
        run_sweep(function, lanes, chunk=0)
    with pytest.raises(InputError, match="one length"):
        run_sweep(function, {"x": np.zeros(3), "y": np.zeros(4)}, chunk=2)


def test_time_left_follows_the_last_steps_and_lines_are_plain(tmp_path):
    log = tmp_path / "log.txt"
    with (
        open(tmp_path / "console.txt", "w") as file,
        Progress(Console(file=file), log=log, every=0.0) as say,
    ):
        say("Working", total=4)
        time.sleep(0.02)
        say.advance(1)
        time.sleep(0.02)
        say.advance(2, "well")
        left = say.seconds_left()
        say.iteration(3, 12.5)
    assert 0.01 < left < 0.5
    lines = log.read_text().splitlines()
    assert lines == (tmp_path / "console.txt").read_text().splitlines()
    assert lines[0].endswith("Working ...")
    assert "2 of 4, well, 0 s left" in lines[2]
    assert "chi2 = 12.5" in lines[3]
    assert format_duration(125.0) == "2 min 5 s"
    assert format_duration(7800.0) == "2 h 10 min"


def test_compiled_code_reports_also_from_every_lane_together():
    seen = []
    report = make_reporter(seen.append)

    def work(steps):
        return jax.lax.while_loop(
            lambda c: c[0] < steps, lambda c: (report(c[0]) + 1, c[1] * 0.5), (0, 1.0)
        )[1]

    assert jax.jit(work)(3) == pytest.approx(0.125)
    jax.effects_barrier()
    assert seen == [0, 1, 2]
    seen.clear()
    np.testing.assert_allclose(jax.jit(jax.vmap(work))(jnp.array([2, 4])), [0.25, 0.0625])
    jax.effects_barrier()
    # A lane that is done stays where it ended, so the one furthest behind is reported.
    assert seen == [0, 1, 2, 2]


WORK = """
import sys, time
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np
from calibration.runtime.checkpoint import Checkpoint
from tests.calibration.synthetic_impacts import DATA, FRICTION, RESTITUTION, scene
from calibration.problem.problem import Problem
from calibration.fitting.fit import fit
from calibration.optimise.resumable import checkpoint_minima
{imports}

problem = Problem(scene(), [DATA], free=[FRICTION, RESTITUTION])
found = fit(problem) if {fitted} else None
keep = Checkpoint({folder!r}, interval=0.0)
{call}
np.savez({result!r}, **result)
"""

CALLS = {
    "sweep": (
        "import jax.numpy as jnp\nfrom calibration.runtime.chunks import run_sweep",
        "lanes = np.linspace(0.1, 1.0, 60)\n"
        "one = run_sweep(lambda x: jax.lax.fori_loop(0, 100000, lambda i, y: jnp.sin(y) + x, "
        "x), lanes, chunk=3, checkpoint=keep)\n"
        "result = dict(found=one)",
    ),
    "fit": (
        "from calibration.optimise import resumable\nfrom calibration.noise.models import "
        "StudentT\nresumable.PIECE = 2\n"
        "problem_of = lambda: Problem(scene(), [DATA], free=[FRICTION, RESTITUTION], "
        "noise=StudentT(4.0, estimated=True))",
        "one = fit(problem_of(), start={FRICTION: 0.6, RESTITUTION: 0.3}, checkpoint=keep)\n"
        "result = dict(found=[one.parameters[name].value for name in one.parameters], "
        "chi2=one.chi2)",
    ),
    "profile": (
        "from calibration.uncertainty.profile import profile_2d",
        "one = profile_2d(found, (FRICTION, RESTITUTION), points=7, checkpoint=keep)\nresult "
        "= dict(rise=one.delta_chi2)",
    ),
    "bootstrap": (
        "from calibration.uncertainty.bootstrap import bootstrap",
        "one = bootstrap(found, count=40, seed=3, lanes=4, checkpoint=keep)\nresult = "
        "dict(draws=one.draws.shared)",
    ),
    "posterior": (
        "from calibration.uncertainty.posterior import posterior",
        "one = posterior(found, samples=60, warmup=60, chains=2, block=10, checkpoint=keep)\n"
        "result = {name: np.asarray(value) for name, value in one.data.posterior.items()}",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("work", CALLS)
def test_killed_at_any_moment_it_goes_on_to_identical_numbers(work, tmp_path):
    imports, call = CALLS[work]

    def start(folder: Path, result: Path) -> subprocess.Popen:
        code = textwrap.dedent(WORK).format(
            imports=imports,
            call=call,
            fitted=work not in ("fit", "sweep"),
            folder=str(folder),
            result=str(result),
        )
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    whole, killed = tmp_path / "whole.npz", tmp_path / "killed.npz"
    process = start(tmp_path / "a", whole)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    written = len(list((tmp_path / "a").glob("*/*.npz")))
    for _ in range(2):  # killed twice, each time after some pieces more
        before = len(list((tmp_path / "b").glob("*/*.npz")))
        process = start(tmp_path / "b", killed)
        while process.poll() is None and len(list((tmp_path / "b").glob("*/*.npz"))) < before + max(
            written // 4, 1
        ):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert 0 < len(list((tmp_path / "b").glob("*/*.npz"))) < written
    assert not killed.exists()
    process = start(tmp_path / "b", killed)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    with np.load(whole) as one, np.load(killed) as two:
        assert set(one) == set(two)
        for name in one:
            np.testing.assert_array_equal(one[name], two[name])


@pytest.mark.slow
def test_a_fit_with_a_checkpoint_is_the_fit_and_goes_on(tmp_path):
    problem = Problem(impacts.scene(), [impacts.DATA], free=[impacts.FRICTION, impacts.RESTITUTION])
    plain = fit(problem)
    kept, again = (fit(problem, checkpoint=tmp_path) for _ in range(2))
    for name, estimate in plain.parameters.items():
        assert kept.parameters[name].value == pytest.approx(estimate.value, rel=1e-6)
        assert kept.parameters[name].value == again.parameters[name].value
        assert kept.parameters[name].sd == again.parameters[name].sd
    with pytest.raises(InputError, match="the problem is another"):
        fit(
            Problem(
                impacts.scene(),
                [impacts.table(seed=8)],
                free=[impacts.FRICTION, impacts.RESTITUTION],
            ),
            checkpoint=tmp_path,
        )


@pytest.mark.slow
def test_pieces_of_a_fit_are_told_and_those_that_were_kept_again(tmp_path):
    problem = Problem(impacts.scene(), [impacts.DATA], free=[impacts.FRICTION, impacts.RESTITUTION])

    def told():
        said = []
        with checkpoint_minima(tmp_path, inputs={}, options={}, told=lambda *one: said.append(one)):
            found = fit(problem)
        return found, said

    found, said = told()
    assert all(count > 0 for count, _ in said)
    assert min(chi2 for _, chi2 in said) == pytest.approx(found.chi2, rel=1e-6)
    assert told()[1] == said


def test_a_checkpoint_wants_an_interval_of_seconds():
    with pytest.raises(InputError, match="interval"):
        Checkpoint("folder", interval=-1.0)
    assert dataclasses.asdict(Checkpoint("folder"))["interval"] == 10.0
