"""One bad recording among several is named, with the result without it; alike ones are not."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.outlying import Pulls, find_outlying, measure_influence
from calibration.fitting.policy import DEFAULT_POLICY
from calibration.io.impact_table import ImpactTable
from calibration.model.parameter import Parameter
from calibration.optimise.normal_equations import NormalEquations
from calibration.problem.residuals import Block
from calibration.results.estimate import Determination, Estimate
from jaxcontact.parameters import Interval, Quantity

pytestmark = pytest.mark.slow

RESTITUTION = "contact.normal.restitution"


def drops(seed: int, *, tables: int = 6, odd: float = 0.0, between: float = 0.003) -> list:
    """Tables of head-on impacts whose restitutions scatter between tables; that of the third is
    off by ``odd``.
    """
    rng = np.random.default_rng(seed)
    found = []
    for k in range(tables):
        true = 0.8 + between * rng.standard_normal() + (odd if k == 2 else 0.0)
        found.append(
            ImpactTable(
                name=f"table {k}",
                impact_angle=np.zeros(8),
                impact_speed=np.full(8, 2.0),
                normal_restitution=true + 0.005 * rng.standard_normal(8),
                sigma={"normal_restitution": np.full(8, 0.005)},
            )
        )
    return found


def fit(tables: list) -> cal.Fit:
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7))
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    return cal.fit(cal.Problem(scene, tables, free=[RESTITUTION]))


@pytest.mark.parametrize("tables", [5, 12])
def test_the_bad_recording_is_named_with_the_result_without_it(tables: int) -> None:
    measured = drops(1, tables=tables, odd=-0.12)
    found = fit(measured)
    (odd,) = found.outlying
    assert odd.trial == "table 2"
    without = fit([own for own in measured if own.name != "table 2"]).parameters[RESTITUTION]
    assert odd.without == pytest.approx(without.value, abs=1e-3)
    assert odd.value == found.parameters[RESTITUTION].value
    assert odd.sd == pytest.approx(np.hypot(0.003, 0.005 / np.sqrt(8)) / np.sqrt(tables), rel=0.6)
    assert found.warnings[0].startswith("table 2 does not agree with the others: without it")


def test_it_stands_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fit.json"
    cal.report.write_json(fit(drops(1, odd=-0.12)), path)
    (odd,) = json.loads(path.read_text())["outlying"]
    assert odd["trial"] == "table 2"
    assert odd["parameter"] == RESTITUTION


@pytest.mark.parametrize("between", [0.0, 0.01])
def test_recordings_that_are_alike_are_not_named(between: float) -> None:
    named = sum(bool(fit(drops(seed, between=between)).outlying) for seed in range(40))
    assert named <= 2


@pytest.mark.parametrize("rows", [(5, 5, 5, 5), (30, 2, 2, 2)])
def test_of_few_alike_trials_one_is_named_as_seldom_as_stated(rows: tuple[int, ...]) -> None:
    """By a chance of 1 %, in 500 common means of four trials; of the interval alone it were 5 %."""
    anything = Interval(-math.inf, math.inf, False, False)
    about = Quantity("m", anything, "identity", "x", "x", "", None)
    problem = SimpleNamespace(
        members=[[0, 1, 2, 3]], trials=[SimpleNamespace(name=name) for name in "abcd"]
    )
    used = (np.arange(max(rows)) < np.asarray(rows)[:, None]).astype(float)
    named = 0
    for seed in range(500):
        numbers = np.random.default_rng(seed).standard_normal(used.shape)
        mean = float(np.sum(used * numbers) / used.sum())
        block = Block(used * (mean - numbers), used[..., None], np.zeros((*used.shape, 0)))
        assessment = SimpleNamespace(
            equations=NormalEquations.of((block,)),
            data=(None,),
            free=np.array([True]),
            policy=DEFAULT_POLICY,
            minimum=SimpleNamespace(shared=np.array([mean])),
            layout=SimpleNamespace(names=["x"], global_parameters=(Parameter("x", about),)),
        )
        estimate = Estimate("x", "x", "x", "m", mean, 0.1, 0.0, Determination.DETERMINED)
        named += bool(find_outlying(problem, assessment, {"x": estimate}))
    assert named <= 12


def test_three_recordings_do_not_tell_which_is_wrong() -> None:
    assert fit(drops(1, tables=3, odd=-0.12)).outlying == ()


def linear_trials(count: int) -> tuple[SimpleNamespace, list[np.ndarray], list[np.ndarray]]:
    """The assessment of a linear problem of trials with two shared columns and an own one; columns
    (8, 2 + count) and measured numbers (8,) of each.
    """
    rng = np.random.default_rng(6)
    by_shared = rng.standard_normal((count, 8, 2))
    by_local = rng.standard_normal((count, 8, 1))
    numbers = rng.standard_normal((count, 8))
    columns = [
        np.concatenate([by_shared[r], by_local[r] * np.eye(count)[r]], axis=1) for r in range(count)
    ]
    whole = np.concatenate(columns)
    best = np.linalg.lstsq(whole, numbers.ravel(), rcond=None)[0]
    residual = (whole @ best).reshape(count, 8) - numbers
    equations = NormalEquations.of((Block(residual, by_shared, by_local),))
    return SimpleNamespace(equations=equations, data=(None,)), columns, list(numbers)


def test_leverage_and_cook_s_distance_are_those_of_fits_without_each_trial():
    assessment, columns, numbers = linear_trials(5)
    whole = np.linalg.inv(np.concatenate(columns).T @ np.concatenate(columns))
    information = np.linalg.inv(whole[:2, :2])
    best = np.linalg.lstsq(np.concatenate(columns), np.concatenate(numbers), rcond=None)[0][:2]
    moves, cook, leverage, variance = [], [], [], []
    for r in range(5):
        rest = np.concatenate(columns[:r] + columns[r + 1 :])
        kept = np.arange(7) != 2 + r
        left = np.linalg.inv(rest[:, kept].T @ rest[:, kept])[:2, :2]
        found = np.linalg.lstsq(
            rest[:, kept], np.concatenate(numbers[:r] + numbers[r + 1 :]), rcond=None
        )[0][:2]
        moves.append(found - best)
        cook.append(moves[-1] @ information @ moves[-1] / 2)
        leverage.append(np.trace(np.eye(2) - whole[:2, :2] @ np.linalg.inv(left)) / 2)
        variance.append(np.diag(left))
    found = measure_influence(assessment)
    np.testing.assert_allclose(found.cook, cook, rtol=1e-8)
    np.testing.assert_allclose(found.leverage, leverage, rtol=1e-8)
    pulls = Pulls.of(assessment)
    for position in range(2):
        move, expected, left = pulls.moves(position)
        np.testing.assert_allclose(move, np.stack(moves)[:, position], rtol=1e-8)
        np.testing.assert_allclose(left, np.stack(variance)[:, position], rtol=1e-8)
        np.testing.assert_allclose(expected, left - whole[position, position], rtol=1e-8)
    # Without the second one, the others are what a problem of theirs is.
    fewer = pulls.without(1)
    np.testing.assert_allclose(fewer.score.sum(axis=0), 0.0, atol=1e-10)
    assert measure_influence(linear_trials(3)[0]) is None
