"""The gain that a full step promises is that of dense linear least squares."""

from types import SimpleNamespace

import numpy as np
import pytest

from calibration.model.parameter import nuisance_parameter
from calibration.optimise.convergence import is_an_end, predicted_reduction
from calibration.optimise.coordinates import Start
from calibration.problem.residuals import Block


def parameter(name, transform):
    return nuisance_parameter(name, unit="m", label=name, symbol=name, transform=transform)


def layout(transform):
    """Two shared parameters, three of each trial."""
    own = SimpleNamespace(trial_parameters=tuple(parameter(name, transform) for name in "cde"))
    return SimpleNamespace(
        global_parameters=(parameter("a", transform), parameter("b", transform)), batches=(own,)
    )


@pytest.mark.parametrize("frozen", [(False, False), (True, False)])
def test_the_promised_gain_is_that_of_dense_least_squares(frozen):
    rng = np.random.default_rng(0)
    trials = Block(
        rng.standard_normal((4, 9)), rng.standard_normal((4, 9, 2)), rng.standard_normal((4, 9, 3))
    )
    known = Block(rng.standard_normal((1, 2)), rng.standard_normal((1, 2, 2)), np.zeros((1, 2, 0)))
    jacobian = np.zeros((38, 14))
    for k in range(4):
        jacobian[9 * k : 9 * k + 9, :2] = trials.by_shared[k]
        jacobian[9 * k : 9 * k + 9, 2 + 3 * k : 5 + 3 * k] = trials.by_local[k]
    jacobian[36:, :2] = known.by_shared[0]
    residual = np.concatenate([trials.residual.ravel(), known.residual.ravel()])
    free = jacobian[:, np.flatnonzero(~np.append(frozen, np.zeros(12, dtype=bool)))]
    step = np.linalg.lstsq(free, -residual, rcond=None)[0]
    start = Start(
        np.zeros(2), (np.zeros((4, 3)),), np.asarray(frozen), (np.zeros(3, dtype=bool),), None
    )
    gain = residual @ residual - np.sum((residual + free @ step) ** 2)
    assert predicted_reduction(layout("identity"), (trials, known), start) == pytest.approx(
        gain, rel=1e-12
    )


@pytest.mark.parametrize(("transform", "promises"), [("identity", 1.0), ("log", 0.0)])
def test_a_logarithm_that_the_data_have_lost_promises_nothing(transform, promises):
    column = np.array([1e-3, 0.0, 0.0])[None, :, None]
    block = Block(np.array([[1.0, 0.0, 0.0]]), np.zeros((1, 3, 0)), column)
    start = Start(
        np.zeros(0), (np.zeros((1, 1)),), np.zeros(0, dtype=bool), (np.zeros(1, dtype=bool),), None
    )
    here = SimpleNamespace(
        global_parameters=(),
        batches=(SimpleNamespace(trial_parameters=(parameter("a", transform),)),),
    )
    assert predicted_reduction(here, (block,), start) == pytest.approx(promises)


@pytest.mark.parametrize("part", ["residual", "by_shared", "by_local"])
def test_a_point_that_is_not_finite_is_no_end(part):
    block = Block(np.zeros((1, 3)), np.ones((1, 3, 1)), np.ones((1, 3, 1)))
    broken = block._replace(**{part: np.full_like(getattr(block, part), np.nan)})
    start = Start(
        np.zeros(1), (np.zeros((1, 1)),), np.zeros(1, dtype=bool), (np.zeros(1, dtype=bool),), None
    )
    stopped = SimpleNamespace(converged=False)
    assert not is_an_end(layout("identity"), stopped, (broken,), start)
