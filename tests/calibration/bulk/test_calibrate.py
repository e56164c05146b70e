"""Coefficients from bulk experiments: truth within what is stated, and what is refused."""

import numpy as np
import pytest
from scipy.stats import norm

import calibration as cal
from calibration.bulk.calibrated import combination
from calibration.errors import InputError

LOW, HIGH = np.array([0.1, 0.0]), np.array([0.9, 0.5])
NAMES = ("friction", "rolling")


def angle(at):
    return 20.0 + 15.0 * np.sqrt(at[..., 0]) + 12.0 * at[..., 1]


def retained(at):
    return 0.1 + 0.5 * at[..., 0] ** 0.7 - 0.3 * at[..., 1] * at[..., 0]


def runs_of(numbers, *, count=40, scatter=(0.8, 0.01)):
    """Runs over both coefficients, each from another packing."""
    at = LOW + (HIGH - LOW) * np.column_stack(
        [(np.argsort(numbers.random(count)) + numbers.random(count)) / count for _ in NAMES]
    )
    quantities = {
        name: of(at) + size * numbers.normal(size=count)
        for name, of, size in (("angle", angle, scatter[0]), ("retained", retained, scatter[1]))
    }
    return cal.bulk.Runs(dict(zip(NAMES, at.T, strict=True)), quantities)


def measured_at(truth, numbers, sigma=(0.3, 0.004)):
    return [
        cal.bulk.Measured(name, float(of(truth) + size * numbers.normal()), size)
        for name, of, size in (("angle", angle, sigma[0]), ("retained", retained, sigma[1]))
    ]


@pytest.fixture(scope="module")
def found():
    numbers = np.random.default_rng(5)
    truth = np.array([0.45, 0.2])
    return truth, cal.bulk.calibrate(runs_of(numbers), measured_at(truth, numbers))


def test_both_are_determined_by_two_quantities(found):
    truth, calibrated = found
    assert calibrated.explained
    for one, true in zip(calibrated.coefficients, truth, strict=True):
        assert one.determined
        assert abs(one.value - true) < 2.5 * one.sd
        assert one.interval[0] < true < one.interval[1]


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 60 experiments, each with runs of its own: the binomial 99.9 % band of 95 %."""
    held, deviations = [], []
    for seed in range(60):
        numbers = np.random.default_rng([7, seed])
        truth = numbers.uniform(LOW + 0.25 * (HIGH - LOW), HIGH - 0.25 * (HIGH - LOW))
        calibrated = cal.bulk.calibrate(runs_of(numbers), measured_at(truth, numbers))
        for one, true in zip(calibrated.coefficients, truth, strict=True):
            if one.determined:
                held.append(one.interval[0] < true < one.interval[1])
                deviations.append((one.value - true) / one.sd)
    assert len(held) > 80
    assert np.mean(held) > 0.95 - norm.isf(5e-4) * np.sqrt(0.95 * 0.05 / len(held))
    assert np.std(deviations) < 1.25


def test_one_quantity_cannot_tell_two_coefficients_apart():
    numbers = np.random.default_rng(1)
    truth = np.array([0.45, 0.2])
    one = cal.bulk.calibrate(runs_of(numbers), measured_at(truth, numbers)[:1])
    assert not any(coefficient.determined for coefficient in one.coefficients)
    assert one.correlation[0, 1] < -0.8
    factors, value, sd = combination(one)
    assert abs(value - factors @ truth) < 3.0 * sd
    assert "friction and rolling compensate each other" in str(one)


def test_what_no_run_reaches_has_no_result():
    numbers = np.random.default_rng(2)
    calibrated = cal.bulk.calibrate(runs_of(numbers), [cal.bulk.Measured("angle", 60.0, 0.5)])
    assert not calibrated.explained
    text = str(calibrated)
    assert "No result" in text
    assert "friction" not in text


def test_what_is_far_outside_of_all_runs_has_no_result():
    numbers = np.random.default_rng(2)
    calibrated = cal.bulk.calibrate(runs_of(numbers), [cal.bulk.Measured("angle", 500.0, 0.5)])
    assert not calibrated.explained
    assert not any(one.determined for one in calibrated.coefficients)


def test_a_coefficient_over_decades_is_followed_by_its_logarithm():
    numbers, off = np.random.default_rng(11), []
    for _ in range(8):
        stiffness = 10.0 ** numbers.permutation(np.linspace(5.0, 8.0, 30))
        overlap = 8.0 - np.log10(stiffness) + 0.02 * numbers.normal(size=30)
        truth = 10.0 ** numbers.uniform(5.8, 7.2)
        value = 8.0 - np.log10(truth) + 0.03 * numbers.normal()
        found = cal.bulk.calibrate(
            cal.bulk.Runs({"stiffness": stiffness}, {"overlap": overlap}),
            [cal.bulk.Measured("overlap", value, 0.03)],
        )
        (one,) = found.coefficients
        assert one.determined
        assert one.range == (pytest.approx(1e5), pytest.approx(1e8))
        assert one.by_logarithm
        off.append(np.log(one.value / truth) / (one.sd / one.value))
    assert np.max(np.abs(off)) < 3.5


def test_what_lies_at_an_end_of_the_range_is_not_determined():
    numbers = np.random.default_rng(3)
    calibrated = cal.bulk.calibrate(
        runs_of(numbers), measured_at(np.array([0.12, 0.2]), numbers, sigma=(0.1, 0.001))
    )
    assert calibrated.coefficients[0].at_end
    assert "up to an end of the range" in str(calibrated)


@pytest.mark.slow
def test_five_coefficients_are_found_from_as_many_quantities():
    numbers = np.random.default_rng(9)
    at, mixed = numbers.uniform(size=(60, 5)), numbers.normal(size=(5, 5))
    names, truth = "abcde", numbers.uniform(0.3, 0.7, 5)
    runs = cal.bulk.Runs(
        dict(zip(names, at.T, strict=True)),
        {f"q{k}": one for k, one in enumerate((np.sin(at) @ mixed).T)},
    )
    measured = [
        cal.bulk.Measured(f"q{k}", float(one), 0.01) for k, one in enumerate(np.sin(truth) @ mixed)
    ]
    found = cal.bulk.calibrate(runs, measured)
    for one, true in zip(found.coefficients, truth, strict=True):
        assert abs(one.value - true) < 2.0 * one.sd


def test_order_of_rows_and_columns_and_units_change_nothing():
    numbers = np.random.default_rng(4)
    runs, measured = runs_of(numbers), measured_at(np.array([0.45, 0.2]), numbers)
    plain = cal.bulk.calibrate(runs, measured)
    order = np.arange(40)[::-1]
    turned = cal.bulk.Runs(
        {name: 100.0 * runs.coefficients[name][order] for name in reversed(NAMES)},
        {name: 1000.0 * one[order] for name, one in runs.quantities.items()},
    )
    thousandfold = [cal.bulk.Measured(m.name, 1000 * m.value, 1000 * m.sigma) for m in measured]
    other = cal.bulk.calibrate(turned, thousandfold[::-1])
    for one in plain.coefficients:
        (same,) = (same for same in other.coefficients if same.name == one.name)
        # The points are others, and the likelihood of a curve is flat at its maximum.
        assert same.value / 100 == pytest.approx(one.value, abs=0.1 * one.sd)
        assert same.sd / 100 == pytest.approx(one.sd, rel=0.1)


def test_further_runs_agree_and_are_apart(found):
    _, calibrated = found
    assert calibrated.next_runs.shape == (8, 2)
    assert all(
        any(np.array_equal(run, draw) for draw in calibrated.draws) for run in calibrated.next_runs
    )
    assert len(np.unique(calibrated.next_runs, axis=0)) == 8


def test_runs_that_do_not_show_a_quantity_are_left_out_of_its_curve():
    numbers = np.random.default_rng(6)
    runs = runs_of(numbers)
    holes = {name: one.copy() for name, one in runs.quantities.items()}
    holes["angle"][::5] = np.nan
    truth = np.array([0.45, 0.2])
    calibrated = cal.bulk.calibrate(
        cal.bulk.Runs(runs.coefficients, holes), measured_at(truth, numbers)
    )
    assert all(
        abs(one.value - true) < 3 * one.sd
        for one, true in zip(calibrated.coefficients, truth, strict=True)
    )


def test_a_curve_that_predicts_badly_says_so():
    """A step that no smooth curve follows."""
    numbers = np.random.default_rng(8)
    friction = np.sort(numbers.uniform(0.1, 0.9, 30))
    step = np.where(friction > 0.5, 30.0, 20.0) + 1e-3 * numbers.normal(size=30)
    step[3] += 40.0
    calibrated = cal.bulk.calibrate(
        cal.bulk.Runs({"friction": friction}, {"angle": step}),
        [cal.bulk.Measured("angle", 30.0, 0.5)],
    )
    (one,) = calibrated.reproduced
    assert one.scatter > 5.0 or one.left_out > 1.5


@pytest.mark.parametrize(
    ("coefficients", "quantities", "says"),
    [
        ({"a": np.linspace(0, 1, 5)}, {"q": np.ones(5)}, "5 runs are too few for 1 coefficients"),
        ({"a": np.ones(12)}, {"q": np.ones(12)}, "the coefficient a is the same in all runs"),
        ({"a": np.arange(12.0)}, {"q": np.ones(11)}, "unequal lengths"),
        ({"a": np.r_[np.nan, np.arange(11.0)]}, {"q": np.ones(12)}, "of run 1 is nan"),
        ({"a": np.arange(9.0)}, {"q": np.ones(9)}, "9 runs are too few for 1 coefficients"),
        ({"a": np.arange(12.0)}, {"q": np.full(12, 1e200)}, "q of run 1 is no number"),
        ({}, {"q": np.ones(12)}, "0 coefficients, 1 quantities"),
        ({c: np.arange(40.0) for c in "abcdef"}, {"q": np.ones(40)}, "at most 5"),
    ],
)
def test_runs_that_say_nothing_are_refused(coefficients, quantities, says):
    with pytest.raises(InputError, match=says):
        cal.bulk.Runs(coefficients, quantities)


def curved(at):
    """Two coefficients give each value."""
    return 20.0 + 10.0 * np.sin(np.pi * at)


def test_two_narrow_islands_are_both_found():
    at = np.linspace(0.0, 1.0, 20)
    runs = cal.bulk.Runs({"a": at}, {"q": curved(at)})
    found = cal.bulk.calibrate(runs, [cal.bulk.Measured("q", float(curved(0.15)), 0.05)])
    (one,) = found.coefficients
    assert not one.determined
    assert np.mean(np.abs(found.draws - 0.15) < 0.02) == pytest.approx(0.5, abs=0.2)
    assert np.mean(np.abs(found.draws - 0.85) < 0.02) == pytest.approx(0.5, abs=0.2)


def test_the_middle_of_two_islands_is_not_called_the_value():
    at = np.linspace(0.0, 1.0, 20)
    runs = cal.bulk.Runs({"a": at}, {"q": curved(at)})
    found = cal.bulk.calibrate(runs, [cal.bulk.Measured("q", float(curved(0.4)), 0.05)])
    (one,) = found.coefficients
    assert one.interval[0] < 0.4 < 0.6 < one.interval[1]
    assert not one.determined
    assert "hardly anything near 0.5" in str(found)


@pytest.mark.parametrize("value", [60.0, 500.0, 1e6, -1e9])
def test_however_far_outside_is_no_result(value):
    at = np.linspace(0.1, 0.9, 15)
    scattered = 20.0 + 15.0 * at + 0.5 * np.random.default_rng(0).normal(size=15)
    runs = cal.bulk.Runs({"a": at}, {"q": scattered})
    found = cal.bulk.calibrate(runs, [cal.bulk.Measured("q", value, 0.5)])
    assert not found.explained
    assert not any(one.determined for one in found.coefficients)
    assert "No result" in str(found)


def test_runs_spread_evenly_are_no_decades():
    for spread in (np.linspace(1e-4, 1.0, 20), np.r_[np.full(14, 0.01), np.linspace(0.1, 1, 6)]):
        assert not cal.bulk.Runs({"a": spread}, {"q": spread}).by_logarithm[0]
    assert cal.bulk.Runs({"a": np.geomspace(1e5, 1e8, 20)}, {"q": np.ones(20)}).by_logarithm[0]


@pytest.mark.parametrize("unit", [1e-30, 1e-13, 1.0, 1e12])
def test_the_unit_of_a_coefficient_changes_nothing(unit):
    at = np.linspace(0.1, 0.9, 15)
    scattered = 15.0 * at + 0.5 * np.random.default_rng(0).normal(size=15)
    runs = cal.bulk.Runs({"a": unit * at}, {"q": scattered})
    (one,) = cal.bulk.calibrate(runs, [cal.bulk.Measured("q", 7.0, 0.5)]).coefficients
    assert one.determined
    assert one.value / unit == pytest.approx(7.0 / 15.0, abs=0.05)


def test_a_coefficient_that_is_the_same_in_what_is_seen_is_refused():
    at = np.random.default_rng(0).uniform(size=(30, 2))
    at[:20, 1] = 0.5
    seen = np.where(np.arange(30) < 20, at[:, 0], np.nan)
    runs = cal.bulk.Runs({"a": at[:, 0], "b": at[:, 1]}, {"q": seen})
    with pytest.raises(InputError, match="b is the same in all runs that show q"):
        cal.bulk.calibrate(runs, [cal.bulk.Measured("q", 0.5, 0.1)])


def test_what_is_found_has_the_digits_of_what_was_measured():
    at = np.linspace(0.1, 0.9, 15)
    runs = cal.bulk.Runs({"a": at}, {"q": 1e6 + 0.01 * at})
    text = str(cal.bulk.calibrate(runs, [cal.bulk.Measured("q", 1e6 + 0.005, 5e-4)]))
    assert "1000000.005" in text.partition("+-")[2].partition("found")[2].split("5.0e-04")[1]


@pytest.mark.parametrize(
    ("text", "name", "value", "sigma"),
    [
        ("modulus=5e+04+-1e+03", "modulus", 5e4, 1e3),
        ("q = -2.5e-3 ± 1e-4", "q", -2.5e-3, 1e-4),
        ("q=+3+-1", "q", 3.0, 1.0),
        ("h/d=2=0.38+-0.004", "h/d=2", 0.38, 0.004),
    ],
)
def test_numbers_and_names_are_read_as_programs_write_them(text, name, value, sigma):
    assert cal.bulk.Measured.written(text) == cal.bulk.Measured(name, value, sigma)


@pytest.mark.parametrize(
    ("coefficients", "quantities"),
    [
        (["friction"], ["angle", "ANGLE"]),
        (["friction"], ["angle", "angle (deg)"]),
        (["friction", "Friction"], ["angle"]),
        (["friction", "angle"], ["angle (deg)"]),
    ],
)
def test_a_column_counts_once_however_it_is_written(tmp_path, coefficients, quantities):
    rows = [f"{0.1 * k},{20 + k}" for k in range(12)]
    (tmp_path / "runs.csv").write_text("\n".join(["friction,angle (deg)", *rows]))
    with pytest.raises(InputError, match="twice"):
        cal.bulk.read_runs(tmp_path / "runs.csv", coefficients, quantities)


@pytest.mark.parametrize(
    "text",
    ["angle", "angle=27", "angle=x+-1", "=27+-1", "angle=27+-0", "angle=27+-nan", "angle=1e200+-1"],
)
def test_a_measured_quantity_needs_a_value_and_an_error(text):
    with pytest.raises(InputError, match=r"\+-"):
        cal.bulk.Measured.written(text)


def test_quantities_are_given_once_and_among_the_runs():
    runs = runs_of(np.random.default_rng(0))
    one = cal.bulk.Measured("angle", 27.0, 1.0)
    with pytest.raises(InputError, match="angle, angle"):
        cal.bulk.calibrate(runs, [one, one])
    with pytest.raises(InputError, match="no quantities"):
        cal.bulk.calibrate(runs, [])
    with pytest.raises(InputError, match="Did you mean"):
        cal.bulk.calibrate(runs, [cal.bulk.Measured("angel", 27.0, 1.0)])
