"""A problem and a fit from another process are equal to those made here, and compile nothing
again.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import jax
import numpy as np
import pytest

from calibration.fitting.fit import fit
from calibration.problem.problem import Problem
from tests.calibration.fitting.test_fit import problem as drops
from tests.calibration.fitting.test_fit import recording
from tests.calibration.synthetic_impacts import DATA, FRICTION, RESTITUTION, scene
from tests.compilations import compilations

ROOT = Path(__file__).parents[3]

SENDER = """
import pickle, sys
import cloudpickle
from calibration.fitting.fit import fit
from tests.calibration.problem.test_pickling import problems

for name, problem in problems().items():
    found = fit(problem)
    for dump in (pickle, cloudpickle):
        with open(f"{sys.argv[1]}/{name}.{dump.__name__}", "wb") as file:
            dump.dump((problem, found), file)
"""


def problems() -> dict[str, Problem]:
    """Impacts of a table; recordings with parameters of each trial."""
    return {
        "impacts": Problem(scene(), [DATA], free=[FRICTION, RESTITUTION]),
        "drops": drops([recording(0), recording(1, height=0.4)]),
    }


@pytest.fixture(scope="module")
def sent(tmp_path_factory) -> Path:
    """Folder with what another process wrote."""
    folder = tmp_path_factory.mktemp("sent")
    subprocess.run(
        [sys.executable, "-c", SENDER, str(folder)],
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    return folder


@pytest.mark.long
@pytest.mark.parametrize("name", ["impacts", "drops"])
def test_copies_from_another_process_are_equal_and_compile_nothing(sent, name):
    here = problems()[name]
    found = fit(here)
    for module in (pickle, cloudpickle):
        problem, sent_fit = module.loads((sent / f"{name}.{module.__name__}").read_bytes())
        assert problem.layout == here.layout
        assert hash(problem.layout) == hash(here.layout)
        assert jax.tree.structure(problem.scene) == jax.tree.structure(here.scene)
        assert jax.tree.structure(problem.data) == jax.tree.structure(here.data)
        assert sent_fit.parameters == found.parameters
        assert str(sent_fit.problem.layout) == str(here.layout)
        np.testing.assert_array_equal(
            sent_fit.assessment.minimum.shared, found.assessment.minimum.shared
        )
        again = []
        assert compilations(lambda: again.append(fit(problem))) == 0  # noqa: B023
        assert again[0].parameters == found.parameters
