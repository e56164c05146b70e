"""The smooth forms of the contacts of all programs: two continuous derivatives at every corner of
the documented forms, and a bounded difference from them that vanishes with the smoothing.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import comsol, exudyn, modia3d, pfc
from tests.jaxcontact.systems.smooth_contacts import (
    DOCUMENTED,
    SMOOTH,
    TOUCH,
    along_a_line,
    arguments,
    as_vector,
    force_of_vector,
    line,
    motion,
)

SLOW = ("edem hertz", "edem linear", "pfc rolling", "pfc hertz")
"""Contacts that take longer to compile."""


def by_contact(*names):
    return [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in names or DOCUMENTED
    ]


DEEP = TOUCH - 5e-3
PARTS = motion(DEEP, (3.0, 0.2, 0.1))
APART = {"moved": motion(TOUCH + 2e-4)}
IN_TOUCH = {"moved": motion(TOUCH - 1.3e-3)}


def sliding(*velocity, spin=(0.0, 0.0, 0.0)):
    return {"moved": motion(DEEP, velocity, spin)}


CORNERS = {
    **{f"{name}: touch": (name, APART, IN_TOUCH) for name in DOCUMENTED},
    "exudyn impact: zone": (
        "exudyn impact",
        sliding(-0.5, -0.3, 0.0),
        sliding(-0.5, 0.5, 0.0),
    ),
    "exudyn impact: restitution 1/3": (
        "exudyn impact",
        {"contact__restitutionCoefficient": 0.25},
        {"contact__restitutionCoefficient": 0.45},
    ),
    "exudyn impact: least impact velocity": (
        "exudyn impact",
        {"memory__impact_velocity": -0.1},
        {"memory__impact_velocity": 0.3},
    ),
    "exudyn impact: tension": (
        "exudyn impact",
        {"moved": motion(DEEP, (0.3, 0.3, 0.1))},
        {"moved": motion(DEEP, (0.9, 0.3, 0.1))},
    ),
    "exudyn plastic: branches": (
        "exudyn plastic",
        {"moved": motion(TOUCH - 1.0e-3)},
        {"moved": motion(TOUCH - 5e-3)},
    ),
    "exudyn plastic: plasticity ratio 0": (
        "exudyn plastic",
        {"contact__contactPlasticityRatio": 0.0},
        {"contact__contactPlasticityRatio": 0.2},
    ),
    "exudyn cut: zero force": (
        "exudyn cut",
        {"moved": motion(DEEP, (0.3, 0.3, 0.1))},
        {"moved": motion(DEEP, (0.9, 0.3, 0.1))},
    ),
    "comsol: dashpot": ("comsol", sliding(-0.1, 0.3, 0.0), sliding(0.1, 0.3, 0.0)),
    "comsol: maximum": (
        "comsol",
        {"contact__friction__Ff_max": 150.0},
        {"contact__friction__Ff_max": 400.0},
    ),
    "comsol: no slip": (
        "comsol",
        sliding(-0.5, -0.3, 0.0),
        sliding(-0.5, 0.3, 0.0),
    ),
    "edem hertz: zero force": (
        "edem hertz",
        {"moved": motion(TOUCH - 1e-3, (0.0, 0.3, 0.1))},
        {"moved": motion(TOUCH - 1e-3, (4.0, 0.3, 0.1))},
    ),
    "edem hertz: slider": ("edem hertz", sliding(-0.1, -5.0, 0.0), sliding(-0.1, 5.0, 0.0)),
    "edem hertz: rotations": (
        "edem hertz",
        sliding(-0.1, 0.0, 0.0, spin=(-3.0, -2.0, 0.0)),
        sliding(-0.1, 0.0, 0.0, spin=(3.0, 2.0, 0.0)),
    ),
    "pfc rolling: no tension": (
        "pfc rolling",
        {"moved": motion(TOUCH - 1e-3, (0.0, 0.3, 0.1))},
        {"moved": motion(TOUCH - 1e-3, (2.0, 0.3, 0.1))},
    ),
    "pfc rolling: slider": (
        "pfc rolling",
        {"memory__linear__shear_force": jnp.array([-220.0, 8.0])},
        {"memory__linear__shear_force": jnp.array([220.0, 8.0])},
    ),
    "pfc rolling: moment": (
        "pfc rolling",
        {"memory__moment": jnp.array([-4.0, 0.0])},
        {"memory__moment": jnp.array([4.0, 0.0])},
    ),
    "modia3d: no tension": (
        "modia3d",
        sliding(0.1, 0.3, 0.0),
        sliding(1.5, 0.3, 0.0),
    ),
    "modia3d: vsmall": (
        "modia3d",
        {"memory__impact_speed": 0.0},
        {"memory__impact_speed": 0.2, "contact__maximumContactDamping": 20.0},
    ),
}
"""Lines of arguments that cross a corner of the documented form, with its contact."""

COARSE, FINER = 3001, 8


def largest_steps(values, places):
    """Largest change between neighbours, over the largest value."""
    change = np.max(np.abs(np.diff(values, axis=0)))
    return change / np.max(np.abs(values))


def steps_of(name, start, end, *, smooth):
    """Largest steps of value, first and second derivative at two resolutions."""
    found = []
    z, dz = line(name, start, end, smooth=smooth)
    for count in (COARSE, FINER * (COARSE - 1) + 1):
        places = jnp.linspace(0.0, 1.0, count)
        found.append([largest_steps(part, places) for part in along_a_line(name, smooth)(places, z, dz)])
    return np.array(found)


@pytest.mark.parametrize(
    "corner",
    [
        pytest.param(corner, marks=[pytest.mark.slow] if CORNERS[corner][0] in SLOW else [])
        for corner in CORNERS
    ],
)
def test_two_derivatives_are_continuous_where_the_documented_form_has_a_corner(corner):
    """Steps of a continuous function shrink with the resolution, those of a broken one do not."""
    coarse, fine = steps_of(*CORNERS[corner], smooth=True)
    assert np.all(fine < 0.3 * coarse), (coarse, fine)
    assert np.all(np.isfinite(coarse))
