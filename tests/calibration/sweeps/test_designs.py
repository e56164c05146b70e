"""Factors and designs: which values, which combinations."""

import itertools

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.sweeps import Design, Levels, Range

SPEED = Range("velocity_x", 1.0, 3.0, levels=3)
STIFFNESS = Range("contact.normal.stiffness", 1e4, 1e8, scale="log", levels=5)
FRICTION = Levels("contact.friction.coefficient", (0.3, 0.1, 0.2))
FACTORS = [SPEED, FRICTION, STIFFNESS]
BY_NAME = [FRICTION, STIFFNESS, SPEED]


def test_a_grid_holds_every_level_with_every_other():
    table = Design("grid").table(FACTORS)
    levels = ((0.1, 0.2, 0.3), (1e4, 1e5, 1e6, 1e7, 1e8), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(table, list(itertools.product(*levels)), rtol=1e-12)


def test_the_ends_of_a_range_are_exact():
    for low, high in ((0.1, 0.7), (1e-7, 3e9), (0.3, 0.30000000000000004)):
        for scale in ("linear", "log"):
            grid = Range("x", low, high, scale=scale, levels=7).grid()
            assert (grid[0], grid[-1]) == (low, high)
            assert np.all((grid >= low) & (grid <= high))


def test_a_latin_hypercube_has_one_variant_in_each_stratum_of_each_factor():
    table = Design("latin hypercube", number=60, seed=3).table(FACTORS)
    friction, stiffness, speed = table.T
    strata = (
        np.floor(60 * (speed - 1.0) / 2.0),
        np.floor(60 * np.log(stiffness / 1e4) / np.log(1e4)),
    )
    for found in strata:
        np.testing.assert_array_equal(np.sort(found), np.arange(60))
    assert np.unique(friction, return_counts=True)[1].tolist() == [20, 20, 20]


def test_sobols_sequence_fills_every_box_alike_and_goes_on():
    """Of 2^(2k) points of two factors, one lies in each of the 2^k by 2^k boxes."""
    factors = [Range("a", 0.0, 1.0), Range("b", 0.0, 1.0)]
    table = Design("sobol", number=256, seed=5).table(factors)
    boxes = np.floor(16 * table) @ (16, 1)
    np.testing.assert_array_equal(np.sort(boxes), np.arange(256))
    np.testing.assert_array_equal(Design("sobol", number=256, seed=5).table(factors), table)
    np.testing.assert_array_equal(Design("sobol", number=200, seed=5).table(factors), table[:200])


@pytest.mark.parametrize(
    "design", [Design("grid"), Design("sobol", number=8), Design("latin hypercube", number=8)]
)
def test_the_order_of_the_factors_changes_nothing(design):
    np.testing.assert_array_equal(design.table(FACTORS), design.table(BY_NAME))


def test_another_seed_is_another_design():
    first, second = (Design("sobol", number=8, seed=seed).table(FACTORS) for seed in (0, 1))
    assert np.all(np.any(first != second, axis=0))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Range("x", 2.0, 1.0), "x from 2.0 to 1.0 is no range"),
        (lambda: Range("x", 0.0, np.inf), "finite"),
        (lambda: Range("x", 0.0, 1.0, scale="log"), "Begin above zero"),
        (lambda: Range("x", 0.0, 1.0, scale="cubic"), '"linear" or "log"'),
        (lambda: Range("x", 0.0, 1.0, levels=1), "from 2 on"),
        (lambda: Levels("x", ()), "one or more"),
        (lambda: Levels("x", (1.0, 1.0)), "each once"),
        (lambda: Levels("x", (np.nan,)), "finite"),
        (lambda: Design("star"), "'sobol'"),
        (lambda: Design("grid", number=3), "that of its levels"),
        (lambda: Design("sobol"), "from 1 on"),
        (lambda: Design("sobol", number=0), "from 1 on"),
        (lambda: Design("grid").table([]), "nothing is varied"),
        (lambda: Design("grid").table([SPEED, SPEED]), "velocity_x is varied twice"),
    ],
)
def test_what_is_no_design_is_refused_with_the_remedy(make, said):
    with pytest.raises(InputError, match=said):
        make()
