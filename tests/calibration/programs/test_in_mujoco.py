"""The block for MuJoCo, run in MuJoCo."""

import pytest

pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install mujoco)")

from tests.calibration.programs import mujoco_impact, targets


@pytest.mark.parametrize(("restitution", "friction", "pair"), targets.CASES)
def test_an_impact_obtains_what_was_fitted(restitution, friction, pair):
    target = targets.target_of(restitution, friction, pair)
    _, block = targets.parameters_and_block("mujoco", target)
    after = mujoco_impact.velocities_after(block, target, targets.spin_before(target))
    targets.check_obtained(target, (0.0, 0.0, -target.speed), *after)


@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_an_impact_that_sticks_leaves_without_slip(restitution):
    target = targets.target_of(restitution, 0.4, pair=False)
    _, block = targets.parameters_and_block("mujoco", target)
    slip = 0.3 * target.speed
    (after,) = mujoco_impact.velocities_after(block, target, slip / target.radius)
    # A solid sphere without slip keeps 2/7 of it as velocity.
    assert abs(after[0]) == pytest.approx(2 / 7 * slip, rel=0.01)
