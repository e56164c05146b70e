"""What must hold of a command that is killed at any moment: started again, it ends with the numbers
of one that was not, and nothing of the killed ones is left.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]

FIT = """
import sys
from calibration.cli.main import main
from calibration.optimise import resumable
from calibration.runtime.checkpoint import Checkpoint

resumable.PIECE = 8  # many pieces, each written at once
Checkpoint.__init__.__defaults__ = (0.0,)
sys.exit(main(["fit", "clicks.csv", "--radius", "0.02", "--mass", "0.03", "--no-drag",
               "--out", sys.argv[1]]))
"""


def started(folder, cache):
    return subprocess.Popen(
        [sys.executable, "-c", FIT, folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT), "JAXCONTACT_CACHE": str(cache)},
    )


def numbers(folder):
    written = json.loads(Path(folder, "fit.json").read_text())
    return written["parameters"], written["fit"]["chi2"], written["recordings"], written["series"]


@pytest.mark.long
@pytest.mark.slow
def test_a_fit_that_is_killed_at_random_moments_ends_with_the_same_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(5)
    flights = 2 * 2.5 * 0.85 ** np.arange(1, 9) / 9.81
    times = 0.3 + np.concatenate([[0.0], np.cumsum(flights)])
    times += 1e-4 * generator.standard_normal(times.size)
    Path("clicks.csv").write_text("\n".join(["t (s)", *(f"{t:.7f}" for t in times), ""]))
    for _ in range(2):  # the second one knows the compiled code
        began = time.monotonic()
        whole = started("whole", tmp_path / "cache")
        _, err = whole.communicate(timeout=300)
        assert whole.returncode == 0, err
    lasts = time.monotonic() - began
    fit = started("killed", tmp_path / "cache")
    while fit.poll() is None and not any(Path("killed").rglob("*.npz")):
        time.sleep(1e-3)
    fit.send_signal(signal.SIGKILL)  # amid the fit
    fit.communicate()
    kills, kept = 0, [len(list(Path("killed").rglob("*.npz")))]
    while kills < 3:
        fit = started("killed", tmp_path / "cache")
        try:
            _, err = fit.communicate(timeout=generator.uniform(0.2, 1.0) * lasts)
        except subprocess.TimeoutExpired:
            fit.send_signal(signal.SIGKILL)
            fit.communicate()
            kills += 1
            kept.append(len(list(Path("killed").rglob("*.npz"))))
        else:  # it was quicker: the next one begins anew
            assert fit.returncode == 0, err
            assert numbers("killed") == numbers("whole")
            shutil.rmtree("killed")
    assert max(kept) > 0
    fit = started("killed", tmp_path / "cache")
    _, err = fit.communicate(timeout=300)
    assert fit.returncode == 0, err
    assert numbers("killed") == numbers("whole")
    assert sorted(path.name for path in Path("killed").iterdir()) == sorted(
        path.name for path in Path("whole").iterdir()
    )
