"""The block for LAMMPS, run in LAMMPS."""

import pytest

try:
    from tests.calibration.programs import lammps_impact
except (ImportError, OSError) as absent:  # its library needs one of MPI
    pytest.skip(f"LAMMPS does not start: {absent}", allow_module_level=True)

from tests.calibration.programs import targets


@pytest.mark.parametrize(("restitution", "friction", "pair"), targets.CASES)
def test_an_impact_obtains_what_was_fitted(restitution, friction, pair):
    target = targets.target_of(restitution, friction, pair)
    _, block = targets.parameters_and_block("lammps", target)
    after = lammps_impact.velocities_after(block, target, targets.spin_before(target))
    targets.check_obtained(target, (0.0, 0.0, -target.speed), *after)
