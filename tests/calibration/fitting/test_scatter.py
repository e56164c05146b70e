"""The scatter of impacts is a variance component: its size and degrees of freedom are those of a
balanced analysis of variance where there is one, and an order is told from scatter.
"""

import numpy as np
import pytest
from scipy import optimize

from calibration.fitting.impacts.order import Deviations, find_order, rank_order
from calibration.fitting.scatter import (
    LEAST,
    ScatteringProblem,
    degrees_of_scatter,
    find_factor,
    least_deviance,
)
from calibration.problem.residuals import Block

GROUPS, EACH = 8, 30
"""Impacts, and samples that show the restitution of each."""


def one_way(scatter: float, *, noise: float = 1.0, seed: int = 0) -> tuple[Block, np.ndarray]:
    """Samples of a mean that deviates from group to group, with one prior of 1 for each deviation;
    and the samples (groups, each).
    """
    rng = np.random.default_rng(seed)
    samples = (
        5 + scatter * rng.standard_normal((GROUPS, 1)) + noise * rng.standard_normal((GROUPS, EACH))
    )
    rows = GROUPS * EACH + GROUPS
    by_local = np.zeros((rows, GROUPS))
    by_local[: GROUPS * EACH] = np.repeat(np.eye(GROUPS), EACH, axis=0)
    by_local[GROUPS * EACH :] = np.eye(GROUPS)
    by_shared = np.zeros((rows, 1))
    by_shared[: GROUPS * EACH] = 1.0
    residual = np.append(-samples.ravel(), np.zeros(GROUPS))
    return Block(residual[None], by_shared[None], by_local[None]), samples


def posed(block: Block, *, noise: float = 1.0) -> ScatteringProblem:
    deviating = GROUPS * EACH + np.arange(GROUPS)
    return ScatteringProblem((block,), (GROUPS * EACH,), (deviating,), noise, 1.0)


@pytest.mark.parametrize("noise", [1.0, 3.0])
def test_the_size_of_the_scatter_is_that_of_an_analysis_of_variance(noise: float) -> None:
    block, samples = one_way(0.8 * noise, noise=noise)
    between = np.var(samples.mean(axis=1), ddof=1)
    expected = np.sqrt(between - noise**2 / EACH)
    assert find_factor(posed(block, noise=noise)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("factor", [1.2e-3, 3.0, 28.0])
def test_the_size_of_the_scatter_is_found_up_to_the_ends_of_its_range(factor: float) -> None:
    block, samples = one_way(0.8)
    unit = factor / np.sqrt(np.var(samples.mean(axis=1), ddof=1) - 1 / EACH)
    scaled = Block(unit * block.residual, block.by_shared, block.by_local)
    assert find_factor(posed(scaled, noise=unit)) == pytest.approx(factor, rel=1e-3)


def test_the_least_deviance_is_that_of_maximum_likelihood() -> None:
    """``-2 ln L`` of groups with ``V = s^2 Z Z' + 1``, least by the mean and s: differences of two
    data sets.
    """
    groups = np.repeat(np.eye(GROUPS), EACH, axis=0)

    def textbook(samples: np.ndarray) -> float:
        def deviance(logarithm: float) -> float:
            whole = np.exp(2 * logarithm) * groups @ groups.T + np.eye(len(groups))
            solved = np.linalg.solve(
                whole, np.column_stack([samples.ravel(), np.ones(len(groups))])
            )
            mean = solved[:, 0].sum() / solved[:, 1].sum()
            left = samples.ravel() - mean
            return float(np.linalg.slogdet(whole)[1] + left @ (solved[:, 0] - mean * solved[:, 1]))

        return float(optimize.minimize_scalar(deviance, bounds=(-3, 3), method="bounded").fun)

    made = [one_way(0.8, seed=1), one_way(2.0, seed=2)]
    mine = [least_deviance(posed(block)) for block, _ in made]
    theirs = [textbook(samples) for _, samples in made]
    assert mine[1] - mine[0] == pytest.approx(theirs[1] - theirs[0], abs=0.01)


def test_degrees_of_freedom_are_those_of_the_groups() -> None:
    block, samples = one_way(0.8)
    factor = find_factor(posed(block))
    scaled = posed(block).scaled(factor)[0]
    at_best = ScatteringProblem(
        (Block(scaled.residual, scaled.by_shared, scaled.by_local),),
        (GROUPS * EACH,),
        (GROUPS * EACH + np.arange(GROUPS),),
        1.0,
        factor,
    )
    assert degrees_of_scatter(at_best)[0] == pytest.approx(GROUPS - 1, rel=0.01)
    mean = samples.mean(axis=1)
    assert at_best.variances(0.0)[0] == pytest.approx(np.var(mean, ddof=1) / GROUPS, rel=1e-3)


def test_no_scatter_is_found_as_none() -> None:
    block, _ = one_way(0.0, seed=3)
    assert find_factor(posed(block)) < 0.15
    flat = Block(np.zeros_like(block.residual), block.by_shared, block.by_local)
    assert find_factor(posed(flat)) == LEAST


def deviations(value: np.ndarray, speed: np.ndarray) -> Deviations:
    count = value.size
    return Deviations(value, speed, np.arange(count) % 6, np.arange(count) // 6)


def test_an_order_is_told_from_scatter() -> None:
    rng = np.random.default_rng(0)
    speed = rng.uniform(1.0, 4.0, 18)
    ordered = find_order(
        deviations(-0.2 * np.log(speed) + 0.02 * rng.standard_normal(18), speed), chance=0.01
    )
    assert ordered is not None
    assert "speed" in ordered.by
    assert ordered.correlation < -0.8


def test_scatter_is_called_ordered_as_seldom_as_stated() -> None:
    rng = np.random.default_rng(1)
    trials = 100
    false = sum(
        find_order(deviations(rng.standard_normal(12), rng.uniform(1.0, 4.0, 12)), chance=0.05)
        is not None
        for _ in range(trials)
    )
    assert false <= 11


def test_the_chance_of_a_rank_correlation_is_that_of_all_orders() -> None:
    assert rank_order("", np.arange(6.0), np.arange(6.0)).chance == pytest.approx(2 / 720)
    swapped = np.array([1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    # Rank correlations of at least 1 - 6 2/504: the order and its 7 swaps of neighbours.
    assert rank_order("", swapped, np.arange(8.0)).chance == pytest.approx(16 / 40320, abs=1e-3)
    assert rank_order("", np.ones(6), np.arange(6.0)).chance == 1.0


def test_a_coordinate_that_ran_to_where_it_has_no_effect_changes_no_scatter() -> None:
    """Followed linearly, its logarithm would stand for negative values that explain the groups."""
    block, samples = one_way(0.8)
    faint = np.zeros_like(block.residual)
    faint[:, : GROUPS * EACH] = 1e-4 * np.repeat(samples.mean(axis=1) - samples.mean(), EACH)
    by_shared = np.concatenate([block.by_shared, faint[..., None]], axis=-1)
    wider = posed(Block(block.residual, by_shared, block.by_local))
    assert find_factor(wider) == pytest.approx(find_factor(posed(block)), rel=1e-6)
    assert least_deviance(wider) == pytest.approx(least_deviance(posed(block)), abs=1e-6)
