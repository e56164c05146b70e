"""Restitution asked is restitution obtained, through a simulated bounce without gravity."""

import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import scenes

RESTITUTIONS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.0)
SPEEDS = (1e-3, 1e-2, 1.0, 10.0)
CASES = [
    {
        "restitution": restitution,
        "gravity": (0.0, 0.0, 0.0),
        "velocity": (0.3 * speed, 0.0, -speed),
        "position": (0.0, 0.0, 0.02 + 1e-3 * speed),
        "duration": 1e3,
    }
    for restitution in RESTITUTIONS
    for speed in SPEEDS
]
# In units of the impact speed, with the default number of steps.
TOLERANCE = {"tsuji_zero_overlap": 2e-6, "tsuji_zero_force": 3e-6}


@pytest.mark.long(
    "linear_zero_overlap",
    "tsuji_zero_overlap",
    "linear_zero_force",
    "tsuji_zero_force",
    "power_law",
)
@pytest.mark.parametrize(
    "law", [scenes.LAWS[0], *(pytest.param(law, marks=pytest.mark.slow) for law in scenes.LAWS[1:])]
)
def test_every_exact_law_gives_the_restitution_asked_at_every_speed(law):
    cases = [
        {**case, "exponent": exponent}
        for case, exponent in zip(CASES, 8 * (1.0, 1.5, 2.0, 3.0), strict=True)
    ]
    contacts = scenes.run(cases, law=law).contacts
    asked = np.array([case["restitution"] for case in cases])
    speeds = -np.array([case["velocity"][2] for case in cases])
    np.testing.assert_allclose(contacts.impact_speed[:, 0], speeds, rtol=1e-12)
    np.testing.assert_allclose(
        contacts.rebound_speed[:, 0] / speeds, asked, rtol=0, atol=TOLERANCE.get(law, 1e-6)
    )
    np.testing.assert_array_equal(contacts.happened.sum(axis=1), 1)


@pytest.mark.long
def test_a_rigid_impact_gives_the_restitution_asked_at_every_speed():
    contacts = scenes.run(
        CASES, law="newton", method=jc.Impulse(max_contacts=2, rest_speed=0.0)
    ).contacts
    asked = np.array([case["restitution"] for case in CASES])
    speeds = -np.array([case["velocity"][2] for case in CASES])
    np.testing.assert_allclose(contacts.rebound_speed[:, 0] / speeds, asked, rtol=1e-13)
