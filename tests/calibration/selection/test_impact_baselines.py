"""Impacts that are left out, predicted by laws and by curves that know no mechanics."""

import dataclasses

import numpy as np
import pytest

import calibration as cal
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.selection.impact_baselines import (
    by_curve,
    is_table_to_predict,
    predict_gaussian_process,
    predict_left_out,
    predict_mean,
    predict_polynomial,
)
from calibration.studies.tables import ImpactTables
from tests.calibration.io.test_impact_vectors import impacts, write

pytestmark = pytest.mark.slow

CURVES = [predict_mean, predict_polynomial, predict_gaussian_process]


def inputs(count, seed=0):
    """Normal and tangential velocity and spin of impacts."""
    return np.random.default_rng(seed).uniform([2, 0, -200], [6, 3, 200], (count, 3))


def test_a_polynomial_predicts_one_of_second_degree_exactly():
    x, new = inputs(30), inputs(5, seed=1)

    def true(x):
        return 1.0 + 0.2 * x[:, 0] ** 2 - 0.01 * x[:, 1] * x[:, 2]

    np.testing.assert_allclose(predict_polynomial(x, true(x), new), true(new), atol=1e-8)


def test_a_gaussian_process_predicts_what_no_polynomial_does():
    x, new = inputs(60), inputs(20, seed=1)

    def true(x):
        return np.abs(x[:, 2]) / 50 + np.sin(2 * x[:, 1])

    def error(predict):
        return np.sqrt(np.mean((predict(x, true(x), new) - true(new)) ** 2))

    assert error(predict_gaussian_process) < 0.5 * error(predict_polynomial)


@pytest.mark.parametrize("predict", CURVES)
def test_no_impact_helps_to_predict_itself(predict):
    x, part = inputs(20), np.arange(20) % 5
    output = x[:, 0] + 0.01 * x[:, 2]
    other = output + 5.0 * (part == 2)
    plain, changed = (by_curve(predict, x, one, part) for one in (output, other))
    np.testing.assert_array_equal(plain[part == 2], changed[part == 2])
    assert not np.allclose(plain[part != 2], changed[part != 2])


def test_an_impact_that_was_not_measured_is_not_learned_from():
    x, part = inputs(20), np.arange(20) % 5
    output = x[:, 0].copy()
    output[3] = np.nan
    assert np.all(np.isfinite(by_curve(predict_polynomial, x, output, part)))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A table of impacts with Coulomb friction and a little noise."""
    folder = tmp_path_factory.mktemp("impacts")
    vectors, rng = impacts(40), np.random.default_rng(5)
    for one, noise in zip(vectors[2:], (0.01, 1.0), strict=True):
        one += noise * rng.standard_normal(one.shape)
    return cal.studies.Study(
        files=(str(write(folder / "a.csv", vectors)),),
        ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True),
    )


@pytest.mark.long
def test_a_right_law_predicts_better_than_curves(study):
    problem = ImpactTables().problem(study)
    found = predict_left_out({"law": problem}, {"law": fit(problem).assessment})
    assert found.impacts == 40
    law, spins = found.errors["law"], found.quantities.index("spin_after")
    assert law[spins] < 3.0
    for name, errors in found.errors.items():
        assert np.all(np.array(law) <= 1.1 * np.array(errors)), name
    assert "Gaussian process" in str(found)


def test_too_few_impacts_or_several_tables_are_refused(study):
    problem = ImpactTables().problem(study)
    table = problem.trials[0]
    several = problem.replace(trials=[table, dataclasses.replace(table, name="b")])
    assert not is_table_to_predict({"law": several})
    with pytest.raises(InputError, match="one table of 20 impacts"):
        predict_left_out({"law": several}, {})


def test_laws_of_oblique_tables_are_compared_with_a_rebound_that_falls(study):
    names = list(ImpactTables().problems(study, ["constant"]))
    assert names == ["constant", "constant, rebound that falls with slip"]
