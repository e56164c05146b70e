"""The checks of residuals: statistics against textbooks, drawn residuals with the covariance of a
fit's own, the right check failing for the right reason.
"""

import io
import re
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import calibration as cal
from calibration.fitting.residual_checks.checks import largest
from calibration.fitting.residual_checks.standardised import Series, draw_residuals, scores
from calibration.fitting.residual_checks.statistics import (
    autocorrelate,
    correlate_quantiles,
    correlate_speed,
    count_runs,
    outcome,
)
from calibration.report.json import fit_numbers
from calibration.report.page import page_text
from calibration.results.residual_check import FAMILY_LEVEL
from calibration.results.table import fit_text, print_fit
from experiments.residual_checks.scenarios import SCENARIOS

pytestmark = pytest.mark.slow

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
ROWS = 60


def series(first: np.ndarray, *, seed: int = 0, in_time: bool = True) -> Series:
    """Residuals beside white ones."""
    drawn = np.random.default_rng(seed).standard_normal((499, first.size))
    values = np.concatenate([first[None], drawn])[:, None, :, None]
    return Series(
        values,
        np.ones((1, first.size, 1), dtype=bool),
        0.01 * np.arange(first.size)[None],
        np.linspace(0.5, 4.0, first.size)[None],
        in_time,
        np.ones(1, dtype=bool),
    )


def white(seed: int) -> np.ndarray:
    return np.random.default_rng([7, seed]).standard_normal(ROWS)


def failing(name: str, seed: int) -> set[str]:
    """Checks that fail on one fit of a scenario."""
    fit = cal.fit(BY_NAME[name].problem(np.random.default_rng(seed)))
    return {check.name.split()[0] for check in fit.residual_checks if check.passed is False}


@pytest.mark.parametrize(
    "statistic",
    [
        count_runs,
        lambda one: autocorrelate(one).outcome,
        correlate_quantiles,
        correlate_speed,
    ],
)
def test_a_chance_is_uniform_for_white_residuals(statistic):
    chances = [statistic([series(white(seed), seed=seed)]).chance for seed in range(60)]
    # Runs are few whole numbers, so their chances are at least as large as uniform ones.
    assert np.mean(np.asarray(chances) <= 0.1) <= 0.2
    assert np.median(chances) > 0.35


def test_the_number_of_runs_is_that_of_wald_and_wolfowitz():
    signs = np.asarray([1, 1, -1, 1, -1, -1, -1, 1, 1, -1], dtype=float)
    found = count_runs([series(signs)])
    assert found.value == 6
    several = np.random.default_rng(0).choice([-1.0, 1.0], size=40)
    many = count_runs([series(several)])
    # Of independent signs one more than half of the pairs of neighbours.
    assert many.typical == pytest.approx(1 + 39 / 2, abs=1.0)


def test_a_gap_in_time_is_no_neighbour():
    """An alternation that a missing frame interrupts is found at the lags where it is."""
    wave = np.cos(np.pi * np.arange(ROWS))
    one = series(wave)
    used = one.used.copy()
    used[0, 20:23] = False
    found = autocorrelate([one._replace(used=used)])
    assert found.outcome.chance <= 1 / 500
    assert found.largest == pytest.approx((-1.0) ** found.lag)
    assert found.seconds == pytest.approx(0.01 * found.lag)


def test_times_that_do_not_increase_have_no_lag():
    one = series(white(0))
    assert autocorrelate([one]) is not None
    turned = one.times.copy()
    turned[0, [10, 11]] = turned[0, [11, 10]]
    assert autocorrelate([one._replace(times=turned)]) is None


def test_the_straightness_of_the_plot_is_that_of_scipy():
    values = white(3)
    expected = stats.probplot(values)[1][2]
    assert correlate_quantiles([series(values)]).value == pytest.approx(expected, abs=1e-9)


def test_the_correlation_with_speed_is_that_of_scipy():
    values = white(4)
    expected = stats.spearmanr(np.abs(values), np.linspace(0.5, 4.0, ROWS)).statistic
    assert correlate_speed([series(values)]).value == pytest.approx(expected, abs=1e-9)


def test_the_largest_residual_is_that_of_all_measurements():
    every = [series(size * np.cos(np.arange(9.0))) for size in (2.0, -3.0, 0.5)]
    assert largest(every) == 3.0


def test_a_statistic_that_does_not_vary_says_nothing():
    assert outcome(np.ones(10), side=1) is None


def test_normal_scores_of_students_t_are_normal_whatever_its_size():
    drawn = 2.5 * np.random.default_rng(0).standard_t(4, (1, 2000, 1))
    piece = SimpleNamespace(deviation=drawn, component=np.array([1]))
    component = SimpleNamespace(model=cal.noise.StudentT(4.0))
    noise = SimpleNamespace(variance_components=SimpleNamespace(size=np.array([1.0, 2.5])))
    assert stats.kstest(scores(piece, 0, component, noise)[0], "norm").pvalue > 0.05


def test_drawn_residuals_have_the_covariance_of_those_of_the_fit():
    """``1 - H`` of a mean: variances 1 - 1/n, covariances -1/n."""
    fit = cal.fit(BY_NAME["table of 25 impacts"].problem(np.random.default_rng(0)))
    with jax.enable_x64(True):
        drawn = draw_residuals(fit.assessment, 4000, np.random.default_rng(0))[0][:, 0]
    count = drawn.shape[1]
    covariance = np.cov(drawn.T)
    assert np.mean(np.diag(covariance)) == pytest.approx(1 - 1 / count, abs=0.02)
    others = covariance[~np.eye(count, dtype=bool)]
    assert np.mean(others) == pytest.approx(-1 / count, abs=0.01)
    np.testing.assert_allclose(drawn.sum(axis=1), 0.0, atol=1e-6)


def test_what_is_wrong_fails_the_check_of_its_name():
    assert "autocorrelation" in failing("one drop, noise of 1.5 frames", 1)
    assert failing("one drop, 3 % outliers", 1) == {"normality"}
    assert "equal" in failing("one drop, noise grows with speed", 1)
    assert "runs" in failing("table, e falls as v^-0.03", 1)


def test_the_table_names_what_to_do_and_stands_in_the_text_where_it_is_asked_for():
    fit = cal.fit(BY_NAME["table, e falls as v^-0.03"].problem(np.random.default_rng(1)))
    checks = {check.name.split()[0]: check for check in fit.residual_checks}
    assert checks["runs"].passed is False
    assert "compare" in checks["runs"].remedy
    assert checks["runs"].chance <= FAMILY_LEVEL / 5
    assert checks["autocorrelation"].passed is None
    assert "FAILS" not in fit_text(fit)
    stream = io.StringIO()
    print_fit(fit, console=Console(file=stream, width=100), checked=True)
    assert "FAILS" in stream.getvalue()
    assert "another --restitution-law" in stream.getvalue()
    numbers = {check.name: check for check in fit_numbers(fit)["residual_checks"]}
    assert numbers["runs"].passed is False
    # The page keeps an option in one piece with an element around it.
    assert "another --restitution-law" in re.sub(r"<[^>]*>", "", page_text(fit))
