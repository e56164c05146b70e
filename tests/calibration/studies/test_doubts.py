"""What a study of trajectories says of a wrong radius, length scale or frame rate."""

from types import SimpleNamespace

import pytest

from calibration.results.estimate import Determination, Estimate
from calibration.studies.plausibility.results import sunken_surface
from calibration.studies.trajectories import scale_sentence


def fitted(*heights):
    return SimpleNamespace(
        recordings=[
            SimpleNamespace(nuisance={"surface_height": SimpleNamespace(value=height)})
            for height in heights
        ]
    )


@pytest.mark.parametrize(
    ("heights", "doubted"),
    [
        ((-0.017, -0.0205), True),  # the diameter, 40 mm, for the radius
        ((0.0028, 0.0031), False),
        ((-0.0004,), False),
        ((-0.31, -0.32), False),  # heights from elsewhere
        ((-0.017, 0.003), False),
        ((), False),
    ],
)
def test_a_surface_below_zero_by_half_the_radius_is_doubted(heights, doubted):
    said = list(sunken_surface(fitted(*heights), 0.04))
    assert len(said) == doubted
    assert all("diameter" in finding.sentence for finding in said)


def scale(value, sd):
    return Estimate(
        name="length_scale",
        label="true over recorded length",
        symbol="lambda",
        unit="-",
        value=value,
        sd=sd,
        start=1.0,
        status=Determination.DETERMINED,
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.25, "300 +- 16 % too long (or gravity is 39.2 +- 1.6 m/s^2"),
        (0.25, "the recorded times are 2 times too short: check the frame rate"),
        (4.0, "the recorded times are 2 times too long: check the frame rate"),
        (4.0, "% too short (or gravity is"),
        (1.001, "agrees with gravity"),
    ],
)
def test_a_wrong_scale_is_said_of_lengths_gravity_and_times(value, said):
    assert said in scale_sentence(scale(value, 0.01), 9.81)
