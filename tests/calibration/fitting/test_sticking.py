"""Where contacts stick, a friction coefficient is not determined: any larger one does the same."""

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.results.estimate import Determination

RESTITUTION = "contact.normal.restitution"
FRICTION, TRUTH = "contact.friction.coefficient", 0.6
ANGLES = np.radians(np.linspace(20.0, 40.0, 6))
"""From the normal; all stick: ``tan(angle) < 3.5 mu (1 + e)``."""

SIGMA = 0.5


def steep_impacts(seed):
    """Solid spheres that roll off: the tangential velocity falls to 5/7."""
    normal, along = np.cos(ANGLES), np.sin(ANGLES)
    leaving = np.degrees(np.arctan2(along * 5 / 7, 0.8 * normal))
    noise = np.random.default_rng(seed).normal(size=(2, ANGLES.size))
    return cal.ImpactTable(
        name="steep",
        impact_angle=np.degrees(ANGLES),
        impact_speed=np.ones(ANGLES.size),
        rebound_angle=leaving + SIGMA * noise[0],
        normal_restitution=0.8 + 0.01 * noise[1],
        sigma={
            "rebound_angle": np.full(ANGLES.size, SIGMA),
            "normal_restitution": np.full(ANGLES.size, 0.01),
        },
    )


def guess(friction):
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=0.75), friction=jc.Coulomb(coefficient=friction)
        ),
    )


@pytest.mark.long
def test_no_noise_makes_a_sticking_contact_slide():
    """One in forty is two standard deviations on the side of those that slide."""
    called = 0
    for seed in range(120):
        problem = cal.Problem(
            guess(friction=0.02),
            [steep_impacts(seed)],
            free=[RESTITUTION, FRICTION],
            noise=cal.noise.Known(),
        )
        friction = cal.fit(problem).parameters[FRICTION]
        called += friction.status is Determination.DETERMINED and (
            abs(friction.value - TRUTH) > 4 * friction.sd
        )
    assert called == 0


@pytest.mark.parametrize("sigma", [0.1, 4.0], ids=["far from the data", "not far from them"])
def test_a_start_that_sticks_finds_friction_that_slides(sigma):
    """There no derivative leads to it, however well or badly the plateau explains the data."""
    angles = np.radians(np.linspace(40.0, 75.0, 8))
    normal, along = np.cos(angles), np.sin(angles)
    left = np.maximum(along - 0.15 * 1.8 * normal, along * 5 / 7)
    noise = np.random.default_rng(0).normal(size=angles.size)
    table = cal.ImpactTable(
        name="slides",
        impact_angle=np.degrees(angles),
        impact_speed=np.ones(angles.size),
        rebound_angle=np.degrees(np.arctan2(left, 0.8 * normal)) + sigma * noise,
        normal_restitution=np.full(angles.size, 0.8),
        sigma={
            "rebound_angle": np.full(angles.size, sigma),
            "normal_restitution": np.full(angles.size, 0.01),
        },
    )
    near, far = (
        cal.fit(
            cal.Problem(
                guess(friction=friction),
                [table],
                free=[RESTITUTION, FRICTION],
                noise=cal.noise.Known(),
            )
        )
        for friction in (0.15, 1.5)
    )
    assert far.chi2 <= near.chi2 * (1 + 1e-6)
    found, expected = far.parameters[FRICTION], near.parameters[FRICTION]
    assert abs(found.value - expected.value) < 0.1 * expected.sd
