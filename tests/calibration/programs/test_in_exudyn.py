"""The block for Exudyn, run in Exudyn."""

import pytest

pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install exudyn)")

from tests.calibration.programs import exudyn_impact, targets


@pytest.mark.parametrize(("restitution", "friction", "pair"), targets.CASES)
def test_an_impact_obtains_what_was_fitted(restitution, friction, pair):
    target = targets.target_of(restitution, friction, pair)
    _, block = targets.parameters_and_block("exudyn", target)
    after = exudyn_impact.velocities_after(
        block, target, targets.spin_before(target), step=target.step(1.5)
    )
    targets.check_obtained(target, (0.0, 0.0, -target.speed), *after)


@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_an_impact_that_sticks_leaves_without_slip(restitution):
    target = targets.target_of(restitution, 0.4, pair=False)
    _, block = targets.parameters_and_block("exudyn", target)
    slip = 0.3 * target.speed
    (after,) = exudyn_impact.velocities_after(
        block, target, slip / target.radius, step=target.step(1.5)
    )
    # A solid sphere without slip keeps 2/7 of it as velocity.
    assert abs(after[0]) == pytest.approx(2 / 7 * slip, rel=0.01)
