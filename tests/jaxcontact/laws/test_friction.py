"""Friction: closed solutions of the regularised laws, and the impulse of a rigid impact."""

import json
from decimal import Decimal, localcontext

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws.friction import coulomb as friction
from jaxcontact.laws.friction.coulomb import (
    REGULARIZATIONS,
    Coulomb,
    NoFriction,
    RegularizedCoulomb,
)

pytestmark = pytest.mark.slow

NAMES = list(REGULARIZATIONS)


@pytest.fixture(scope="module")
def analytic(reference_dir):
    return json.loads((reference_dir / "closed_form" / "analytic_solutions.json").read_text())


FORCE = {
    "linear": lambda x: np.minimum(x, 1),
    "root": lambda x: x / np.hypot(1, x),
    "tanh": np.tanh,
    "exponential": lambda x: -np.expm1(-x),
    "modia3d": lambda x: np.where(
        x < 1, x / (np.minimum(x, 1) ** 2 * (1 - np.minimum(x, 1) / 3) + 1 / 3), 1
    ),
}


def falling(name, x):
    """A function of ``x``, in many digits, that falls by exactly ``p`` along the flow: the integral
    of ``dx/phi``.
    """
    root = (1 + x * x).sqrt()
    return {
        "linear": lambda: x - 1 if x > 1 else x.ln(),
        "root": lambda: root - ((1 + root) / x).ln(),
        "tanh": lambda: ((x.exp() - (-x).exp()) / 2).ln(),
        "exponential": lambda: (x.exp() - 1).ln(),
        "modia3d": lambda: x - 1 + Decimal(7) / 18 if x > 1 else x**2 / 2 - x**3 / 9 + x.ln() / 3,
    }[name]()


@pytest.mark.parametrize("name", NAMES)
def test_the_force_follows_its_formula_up_to_any_slip(name):
    law = REGULARIZATIONS[name]
    x = np.concatenate([[0.0], np.geomspace(1e-9, 1e8, 120), [1.0]])
    np.testing.assert_allclose(law.ratio(x), FORCE[name](x), rtol=3e-15)
    assert jax.jacfwd(law.ratio)(0.0) == law.slope


@pytest.mark.parametrize("name", NAMES)
def test_the_flow_has_all_digits(name):
    flow = jax.jit(REGULARIZATIONS[name].flow)
    for x in (1e-12, 1e-3, 0.3, 0.99, 1.01, 3.0, 40.0):
        for fraction in (1e-9, 0.1, 0.9, 0.999, 1.0, 1.2, 3.0):
            p = fraction * max(x, 1.0)
            with localcontext() as context:
                context.prec = 60
                level = falling(name, Decimal(x)) - Decimal(p)
                low, high = (
                    Decimal(x) * (-Decimal(p * REGULARIZATIONS[name].slope)).exp() / 2,
                    Decimal(x),
                )  # no law decays faster than exp(-slope p)
                for _ in range(120):
                    middle = (low * high).sqrt()
                    low, high = (low, middle) if falling(name, middle) > level else (middle, high)
                exact = float(high / Decimal(x))
            # A slip far above its scale that stops within p = x is the difference of two large
            # numbers.
            assert flow(x, p) == pytest.approx(exact, rel=1e-14 * max(1, x / max(exact, 1e-3)))


@pytest.mark.parametrize("name", NAMES)
def test_the_flow_solves_its_differential_equation_everywhere(name):
    law = REGULARIZATIONS[name]
    grid = np.concatenate([[1e-12], np.geomspace(1e-6, 1e8, 60)])
    x, p = (axis.ravel() for axis in np.meshgrid(grid, np.concatenate([[0.0], grid])))
    after, slope = jax.jit(
        jax.vmap(lambda x, p: jax.jvp(lambda p: x * law.flow(x, p), (p,), (1.0,)))
    )(x, p)
    np.testing.assert_allclose(slope, -law.ratio(after), rtol=1e-12, atol=1e-300)
    twice = jax.jit(lambda x, p: law.flow(x, p) * law.flow(x * law.flow(x, p), p))(x, p)
    once = law.flow(x, 2 * p)
    away = (
        np.asarray(x * once) > 1e-2
    )  # what is left of a great slip after it has stopped is rounding
    np.testing.assert_allclose(twice[away], once[away], rtol=1e-6, atol=0)
    np.testing.assert_allclose(law.flow(x, 0.0 * p), 1, rtol=2e-15)
    assert np.all((after >= 0) & (after <= x * (1 + 1e-15)))


@pytest.mark.parametrize("name", NAMES)
def test_no_slip_decays_exponentially(name):
    law = REGULARIZATIONS[name]
    p = np.array([0.0, 0.5, 3.0, 1e8])
    np.testing.assert_allclose(law.flow(0.0, p), np.exp(-law.slope * p), rtol=1e-15)
    np.testing.assert_allclose(law.flow(1e-14, p), np.exp(-law.slope * p), rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_the_derivative_of_the_flow_in_its_start_is_the_ratio_of_the_forces(name):
    # x_after depends on G(x) - p alone, and dG/dx = 1/phi(x): so d x_after/dx =
    # phi(x_after)/phi(x).
    law = REGULARIZATIONS[name]
    x, p = (
        axis.ravel()
        for axis in np.meshgrid([1e-9, 0.02, 0.5, 0.97, 1.04, 5.0, 60.0], [0.0, 0.3, 2.0, 30.0])
    )
    after, slope = jax.jit(
        jax.vmap(lambda x, p: jax.jvp(lambda x: x * law.flow(x, p), (x,), (1.0,)))
    )(x, p)
    np.testing.assert_allclose(slope, law.ratio(after) / law.ratio(x), rtol=1e-11)


def test_a_block_under_tanh_friction_agrees_with_its_analytic_case(analytic):
    for case in analytic["regularised_coulomb"]["cases"]:
        law = RegularizedCoulomb(
            coefficient=case["mu"], slip_velocity=case["vs"], regularization=friction.TANH
        )
        slip = [law.slip_after(jnp.array([case["v0"]]), case["g"] * t)[0] for t in case["t"]]
        np.testing.assert_allclose(slip, case["v_tanh"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_slip_keeps_its_direction_and_force_opposes_it(name):
    law = RegularizedCoulomb(
        coefficient=0.3, slip_velocity=0.1, regularization=REGULARIZATIONS[name]
    )
    slip = jnp.array([[0.3, -0.4], [0.03, -0.04], [0.0, 0.0]])
    size = np.array([5.0, 0.5, 0.0])
    force = law.force(slip, jnp.array([10.0, 10.0, 10.0]))
    np.testing.assert_allclose(
        force, -3.0 * FORCE[name](size)[:, None] * np.array([0.6, -0.8]), rtol=1e-14
    )
    after = law.slip_after(slip, 0.2)
    np.testing.assert_allclose(after[:, 0] * slip[:, 1], after[:, 1] * slip[:, 0], atol=1e-17)
    np.testing.assert_allclose(
        after, slip * np.asarray(law.regularization.flow(size, 0.6))[:, None], rtol=1e-14
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_short_impulse_is_the_force_over_a_short_time(name):
    law = RegularizedCoulomb(
        coefficient=0.3, slip_velocity=0.1, regularization=REGULARIZATIONS[name]
    )
    slip = jnp.array([0.13, -0.02, 0.05])
    change = jax.jvp(lambda impulse: law.slip_after(slip, impulse), (0.0,), (1.0,))[1]
    np.testing.assert_allclose(change, law.force(slip, 1.0), rtol=1e-13)


def test_tension_carries_no_friction():
    for law in (RegularizedCoulomb(coefficient=0.3), Coulomb(coefficient=0.3)):
        slip = jnp.array([0.3, 0.4])
        np.testing.assert_allclose(law.slip_after(slip, -1.0), slip, rtol=1e-15)
    assert not np.any(RegularizedCoulomb(coefficient=0.3).force(slip, -1.0))


def test_a_rigid_oblique_impact_agrees_with_the_analytic_cases(analytic):
    for case in analytic["walton_oblique"]["cases"]:
        law = Coulomb(coefficient=case["mu"], tangential_restitution=case["beta0"])
        slip = jnp.array([case["vt"] + case["r_omega"]])
        # a solid sphere on a plane: the slip changes by 7/2 of the tangential velocity
        after = law.slip_after(slip, 3.5 * (1 + case["e"]) * case["vn"])
        change = (after - slip)[0] / 3.5
        assert after[0] == pytest.approx(case["slip_out"], rel=1e-13, abs=1e-14)
        assert case["vt"] + change == pytest.approx(case["vt_out"], rel=1e-13, abs=1e-14)
        assert case["r_omega"] + 2.5 * change == pytest.approx(
            case["r_omega_out"], rel=1e-13, abs=1e-14
        )


@pytest.mark.parametrize("smoothing", [0.01, 0.1, 0.3])
def test_the_smooth_rigid_impact_stays_within_its_bound(smoothing):
    slip = jnp.asarray(np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 500), [1.0]]))[:, None]
    law = {"coefficient": 0.7, "tangential_restitution": 0.4}
    hard = -np.asarray(friction.tangential_impulse(slip, 2.0, **law))[:, 0]
    smooth = -np.asarray(friction.smooth_tangential_impulse(slip, 2.0, smoothing=smoothing, **law))[
        :, 0
    ]
    assert np.all(smooth <= hard)
    assert np.all(smooth >= (1 - smoothing) * hard * (1 - 1e-14))
    assert smooth[-1] == pytest.approx(
        hard[-1] * (1 - smoothing), rel=1e-14
    )  # where sliding and sticking meet
    assert smooth[1] / hard[1] == pytest.approx(1 - smoothing**2, rel=1e-5)


def test_without_friction_nothing_changes():
    slip = jnp.array([[0.3, -0.4], [0.0, 0.0]])
    for law in (
        NoFriction(),
        RegularizedCoulomb(coefficient=0.0),
        Coulomb(coefficient=0.0),
        Coulomb(coefficient=0.0, smoothing=0.1),
    ):
        np.testing.assert_allclose(law.slip_after(slip, 2.0), slip, rtol=2e-15)
    assert not np.any(NoFriction().force(slip, 2.0))
    assert not np.any(RegularizedCoulomb(coefficient=0.0).force(slip, 2.0))


def test_the_force_is_continuous_to_the_order_it_states():
    for law in REGULARIZATIONS.values():
        orders = [lambda x, law=law: x * law.secant(jnp.abs(x))]
        for _ in range(2):
            orders.append(jax.grad(orders[-1]))
        sides = np.array([[-1e-10, 1e-10], [1 - 1e-10, 1 + 1e-10]])
        values = jax.jit(jax.vmap(lambda x, orders=orders: [f(x) for f in orders]))(sides.ravel())
        jump = {
            order: np.max(np.abs(np.diff(np.reshape(value, sides.shape))))
            for order, value in enumerate(values)
        }
        for order, size in jump.items():
            assert order > law.smoothness or size < 1e-7
            assert order != law.smoothness + 1 or size > 0.1


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: RegularizedCoulomb(coefficient=-0.1),
            "coefficient = -0.1 - is outside [0, inf) (friction coefficient)",
        ),
        (
            lambda: RegularizedCoulomb(coefficient=0.1, slip_velocity=0.0),
            "slip_velocity = 0 m/s is outside (0, inf)",
        ),
        (
            lambda: RegularizedCoulomb(coefficient=0.1, regularization="tanh"),
            "Take one of REGULARIZATIONS: linear, root, tanh, exponential",
        ),
        (
            lambda: Coulomb(coefficient=0.1, tangential_restitution=1.5),
            "tangential_restitution = 1.5 - is outside [-1, 1]",
        ),
        (
            lambda: Coulomb(coefficient=0.1, smoothing=1.0),
            "smoothing = 1.0 is not a number in [0, 1)",
        ),
        (lambda: Coulomb(coefficient=float("nan")), "coefficient = nan - is outside"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_range(build, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        build()
    assert text in str(caught.value)
