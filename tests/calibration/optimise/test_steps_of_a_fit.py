"""How a minimisation steps and ends: coordinates stay within their reach, kinks are ends, and what
the data lose holds nothing up.
"""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import lineax
import numpy as np
import optimistix
import pytest
from scipy.optimize import lsq_linear

import jaxcontact as jc
from calibration.fitting.fit import fit
from calibration.nuisances import InitialState, SurfaceHeight
from calibration.optimise.box_descent import BoxConstrainedDescent
from calibration.optimise.termination import StepTerminatedSolver
from calibration.optimise.trust_region import GradualTrustRegion
from calibration.problem.problem import Problem
from tests.calibration.fitting.test_large_problems import METHOD, UNKNOWNS, throws


@pytest.mark.parametrize("reach", [np.inf, 0.3])
def test_the_step_is_the_best_one_in_its_box(reach):
    rng = np.random.default_rng(4)
    jacobian, residual = rng.standard_normal((9, 4)), rng.standard_normal(9)
    jacobian[:, 0] *= 1e-3  # would go far
    limits = np.array([reach, np.inf, np.inf, np.inf])
    descent = BoxConstrainedDescent(
        optimistix.DampedNewtonDescent(lineax.QR()), jnp.asarray(limits)
    )
    info = optimistix.FunctionInfo.ResidualJac(
        jnp.asarray(residual), lineax.MatrixLinearOperator(jnp.asarray(jacobian))
    )
    found, _ = descent.step(jnp.asarray(1e14), descent.query(jnp.zeros(4), info, None))
    np.testing.assert_allclose(
        found, lsq_linear(jacobian, -residual, bounds=(-limits, limits)).x, rtol=1e-5
    )
    assert reach == np.inf or abs(found[0]) == pytest.approx(reach)


def minimum(residual, start, *, atol=1e-5, steps=100):
    """Where a search as that of a fit ends, and whether it has settled."""
    inner = optimistix.LevenbergMarquardt(rtol=0.0, atol=0.0, linear_solver=lineax.QR())
    inner = eqx.tree_at(lambda solver: solver.search, inner, GradualTrustRegion())

    def with_slope(x, _):
        return residual(x), jax.jacfwd(residual)(x)

    def lengths(slope):
        return jnp.sqrt(jnp.sum(slope**2, axis=0))

    solver = StepTerminatedSolver(
        inner=inner,
        lengths=lengths,
        atol=atol,
        rtol=1e-10,
        norm=optimistix.max_norm,
        steps=steps,
    )
    found = optimistix.least_squares(
        with_slope, solver, jnp.asarray(start), has_aux=True, max_steps=None, throw=False
    )
    return (
        np.asarray(found.value),
        found.result == optimistix.RESULTS.successful,
        int(found.stats["num_steps"]),
    )


@pytest.mark.parametrize("slopes", [(1.0, -1.0), (3.0, -0.2)])
def test_a_kink_is_an_end(slopes):
    def residual(x):
        return 2.0 + jnp.where(x > 0.3, slopes[0], slopes[1]) * (x - 0.3)

    found, settled, steps = minimum(residual, [2.0])
    assert settled
    assert steps < 60
    assert found[0] == pytest.approx(0.3, abs=1e-4)


def test_the_logarithm_of_something_that_is_not_there_holds_nothing_up():
    def residual(x):
        return jnp.stack([0.1 + jnp.exp(x[0]), x[1] ** 3 - 8.0, x[1] - 2.0 + 0.01 * jnp.exp(x[0])])

    found, settled, steps = minimum(residual, [0.0, 5.0])
    assert settled
    assert steps < 60
    assert np.exp(found[0]) < 1e-3
    assert found[1] == pytest.approx(2.0, abs=1e-4)


def test_a_search_that_leads_nowhere_is_given_up():
    found, settled, steps = minimum(
        lambda x: jnp.stack([1.0 + 1e-9 * jnp.sin(1e9 * x[0]), 1e-6 * x[0]]), [1.0], atol=1e-12
    )
    assert not settled
    assert steps < 60
    assert np.all(np.isfinite(found))


def test_a_search_ends_with_its_steps():
    _, settled, steps = minimum(lambda x: jnp.stack([x[0] ** 2 - 4.0]), [50.0], steps=3)
    assert not settled
    assert steps == 3


@pytest.mark.long
@pytest.mark.slow
def test_recordings_without_drag_are_fitted_with_drag():
    known = throws(3)
    scene = dataclasses.replace(known.scene, drag=jc.QuadraticDrag(coefficient=0.4))
    nuisance = [InitialState(), SurfaceHeight()]
    found = fit(
        Problem(
            scene,
            known.trials,
            free=(*UNKNOWNS, "drag.coefficient"),
            nuisance=nuisance,
            method=METHOD,
        )
    )
    assert found.converged
    assert found.iterations < 100
    restitution = found.parameters["contact.normal.restitution"]
    assert abs(restitution.value - 0.8) < 4 * restitution.sd
    assert not np.isfinite(found.parameters["drag.coefficient"].sd)
