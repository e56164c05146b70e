"""Models are equal to their copies from another process, and use the same compiled code."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest

import jaxcontact as jc
from tests.jaxcontact.pickled_objects import everything, scenes, simulated

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_a_copy_in_another_process_is_equal_and_compiles_nothing(tmp_path):
    held = {**everything(), "trajectory": simulated(scenes()[0])}
    file = tmp_path / "copies.pickle"
    file.write_bytes(pickle.dumps([pickle.dumps(held), cloudpickle.dumps(held)]))
    run = subprocess.run(
        [sys.executable, "-m", "tests.jaxcontact.pickled_objects", str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.stdout.strip() == "equal", run.stderr


def test_a_law_that_another_process_cannot_find_is_named():
    law = jc.normal_law(jc.laws.elastic.hertz_force)(stiffness=1.0)
    text = pickle.dumps(law).replace(b"hertz_force", b"other_force")
    with pytest.raises(ValueError, match="is not registered at the top of the module"):
        pickle.loads(text)
