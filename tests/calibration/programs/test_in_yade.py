"""The block for YADE, run in YADE."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from calibration.programs import PROGRAMS
from tests.calibration.programs import targets

YADE = shutil.which("yade")
if YADE is None:
    pytest.skip("there is no command yade (apt install yade)", allow_module_level=True)


@pytest.fixture(scope="module")
def velocities(tmp_path_factory):
    """Of all cases, from one run of the program."""
    folder = tmp_path_factory.mktemp("yade")
    cases = []
    for case in targets.CASES:
        target = targets.target_of(*case.values)
        _, block = targets.parameters_and_block("yade", target)
        exponent = PROGRAMS["yade"].exponent
        cases.append(
            {
                "block": block,
                "radius": target.radius,
                "mass": target.mass,
                "partner_radius": target.partner_radius,
                "partner_mass": target.partner_mass,
                "speed": target.speed,
                "spin": targets.spin_before(target),
                "time": target.undamped_time(exponent),
                "step": target.step(exponent),
            }
        )
    given, found = folder / "cases.json", folder / "results.json"
    given.write_text(json.dumps(cases))
    script = Path(__file__).parent / "yade_impact.py"
    subprocess.run(
        [YADE, "-x", "-n", "-j1", str(script)],
        env=os.environ | {"YADE_CASES": str(given), "YADE_RESULTS": str(found)},
        check=False,
        capture_output=True,
        timeout=300,
    )
    ids = [case.id for case in targets.CASES]
    return dict(zip(ids, json.loads(found.read_text()), strict=True))


@pytest.mark.parametrize("case", [case.id for case in targets.CASES])
def test_an_impact_obtains_what_was_fitted(velocities, case):
    (values,) = (other.values for other in targets.CASES if other.id == case)
    target = targets.target_of(*values)
    targets.check_obtained(target, (0.0, 0.0, -target.speed), *velocities[case])
