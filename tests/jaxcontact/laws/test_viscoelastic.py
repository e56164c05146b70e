"""Viscoelastic contacts: restitution against an independent integration, both ways, at both ends of
the contact.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import gamma

from jaxcontact.laws.normal import viscoelastic as law

QUICK = {"xla_backend_optimization_level": 0}
ENDS = ("zero_force", "zero_overlap")
MAPS = {
    "kuwabara_kono": (0.5, law.kuwabara_kono_restitution, law.kuwabara_kono_beta),
    "hertz_dashpot": (0.0, law.hertz_dashpot_restitution, law.hertz_dashpot_beta),
}
RESTITUTION = {
    (name, end): jax.jit(lambda beta, f=forward, end=end: f(beta, end=end), compiler_options=QUICK)
    for name, (_, forward, _) in MAPS.items()
    for end in ENDS
}
BETA = {
    (name, end): jax.jit(lambda e, f=inverse, end=end: f(e, end=end), compiler_options=QUICK)
    for name, (_, _, inverse) in MAPS.items()
    for end in ENDS
}


def integrated(power, beta, end):
    """Restitution of ``x'' + x^(3/2) + beta x^power x' = 0``, with equations and method of its
    own.
    """

    def force(x, u):
        return max(x, 0.0) ** 1.5 + beta * max(x, 0.0) ** power * u

    def ends(_, state):
        return state[0] if end == "zero_overlap" else force(*state)

    ends.terminal, ends.direction = True, -1
    motion = solve_ivp(
        lambda _, state: [state[1], -force(*state)],
        (0, 1e4),
        [1e-14, 1.0],
        method="DOP853",
        rtol=3e-13,
        atol=1e-15,
        events=ends,
    )
    return -motion.y[1, -1] if motion.status == 1 else 0.0


@pytest.mark.slow
@pytest.mark.long("hertz_dashpot-zero_overlap", "hertz_dashpot-zero_force")
@pytest.mark.parametrize(("name", "end"), RESTITUTION)
def test_the_restitution_is_that_of_an_integrated_impact(name, end):
    betas = [1e-5, 0.02, 0.13, 0.4, 0.9, 1.12, 1.9, 3.3, 5.5, 30.0]
    expected = [integrated(MAPS[name][0], beta, end) for beta in betas]
    np.testing.assert_allclose(
        RESTITUTION[name, end](np.array(betas)), expected, rtol=2e-7, atol=2e-10
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "end"), RESTITUTION)
def test_the_damping_for_a_restitution_gives_it(name, end):
    restitution = np.concatenate([np.geomspace(1e-3, 0.5, 40), np.linspace(0.5, 1.0, 41)])
    beta = BETA[name, end](restitution)
    np.testing.assert_allclose(RESTITUTION[name, end](beta), restitution, rtol=1e-10)
    assert beta[-1] == pytest.approx(0, abs=1e-15)
    assert np.all(np.diff(beta) <= 0)


@pytest.mark.parametrize(("name", "end"), RESTITUTION)
def test_the_restitution_falls_smoothly_with_the_damping_and_its_pieces_meet(name, end):
    function = RESTITUTION[name, end]
    beta = np.geomspace(1e-10, 1e5, 3000)
    values = np.asarray(function(beta))
    assert np.all(np.diff(values) <= 1e-15)
    slope = jax.jit(jax.vmap(jax.grad(lambda b: MAPS[name][1](b, end=end))), compiler_options=QUICK)
    for joint in (1e-3, 1e-6, 7.0, 125.0, 400.0):
        sides = joint * np.array([1 - 1e-12, 1 + 1e-12])
        np.testing.assert_allclose(*function(sides), rtol=1e-10)
        np.testing.assert_allclose(*slope(sides), rtol=2e-6)


@pytest.mark.parametrize(("name", "end"), RESTITUTION)
def test_the_slope_agrees_with_differences(name, end):
    function = RESTITUTION[name, end]
    beta = np.array([0.01, 0.3, 1.0])
    slope = jax.jit(
        jax.vmap(jax.grad(lambda b: MAPS[name][1](b, end=end))), compiler_options=QUICK
    )(beta)
    h = 1e-3 * beta
    differences = (
        sum(
            w * (function(beta + k * h) - function(beta - k * h))
            for k, w in ((1, 0.75), (2, -0.15), (3, 1 / 60))
        )
        / h
    )
    np.testing.assert_allclose(slope, differences, rtol=1e-9)


@pytest.mark.slow
def test_the_series_begins_with_the_published_coefficients():
    # Ramirez et al. (1999): C_1 in closed form, and C_2 = (3/5) C_1^2.
    first = gamma(0.6) * np.sqrt(np.pi) / (2**0.2 * 5**0.4 * gamma(2.1))
    assert law.SCHWAGER_POESCHEL[2] == pytest.approx(-first, rel=1e-14)
    assert law.SCHWAGER_POESCHEL[4] == pytest.approx(0.6 * first**2, rel=1e-14)
    exact = law.kuwabara_kono_restitution
    for beta, bound in ((1e-3, 1e-14), (1e-2, 1e-10), (0.05, 1.5e-6)):
        assert law.kuwabara_kono_restitution_series(beta) == pytest.approx(
            float(exact(beta)), abs=bound
        )
    derivatives = [exact, jax.grad(exact), jax.grad(jax.grad(exact))]
    np.testing.assert_allclose(
        [f(0.0) for f in derivatives], [1, -first, 1.2 * first**2], rtol=1e-12
    )
    for order in (-1, 10, 11):
        with pytest.raises(ValueError, match=rf"order = {order} is outside \[0, 9\]"):
            law.kuwabara_kono_restitution_series(0.1, order=order)


def test_a_linear_dashpot_beyond_critical_damping_never_returns():
    critical = law.CRITICAL_HERTZ_DASHPOT
    function = RESTITUTION["hertz_dashpot", "zero_overlap"]
    assert function(critical) == function(2 * critical) == 0
    assert 0 < function(0.999 * critical) < 1e-3
    assert RESTITUTION["hertz_dashpot", "zero_force"](critical) > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_the_dissipation_time_gives_the_restitution_at_its_speed_over_four_decades(end):
    pair = {"mass": 0.02, "stiffness": 3e7}
    for restitution, speed in ((0.95, 0.01), (0.6, 1.0), (0.1, 100.0)):
        time = law.dissipation_time(restitution, impact_speed=speed, end=end, **pair)
        model = law.KuwabaraKono(stiffness=3e7, dissipation_time=time, end=end)
        assert model.restitution_at(speed, mass=0.02) == pytest.approx(restitution, rel=1e-10)
        rigid = law.ViscoelasticRestitution(restitution=restitution, reference_speed=speed, end=end)
        speeds = speed * np.array([0.01, 0.5, 3.0])
        np.testing.assert_allclose(
            rigid.restitution_at(speeds, mass=7.0),
            model.restitution_at(speeds, mass=0.02),
            rtol=1e-10,
        )


def test_at_rest_a_viscoelastic_sphere_is_elastic_and_a_linear_dashpot_kills_the_rebound():
    speed = jnp.array([0.0, 1e-12, 1e12])
    viscoelastic = law.KuwabaraKono(stiffness=1e6, dissipation_time=1e-5)
    dashpot = law.HertzDashpot(stiffness=1e6, damping=3.0)
    assert viscoelastic.restitution_at(0.0, mass=0.1) == 1
    assert dashpot.restitution_at(0.0, mass=0.1) == 0
    assert np.all(np.diff(viscoelastic.restitution_at(speed, mass=0.1)) < 0)
    assert np.all(np.diff(dashpot.restitution_at(speed, mass=0.1)) > 0)
    for model in (viscoelastic, dashpot):
        slope = jax.grad(lambda v, model=model: model.restitution_at(v, mass=0.1))
        assert np.isfinite(slope(0.0))
        assert np.isfinite(jax.grad(slope)(0.0))


def test_an_unknown_end_is_an_error_with_the_nearest():
    with pytest.raises(
        ValueError,
        match=r"end = 'zero-force' is not a way to end a contact\. Did you mean 'zero_force'",
    ):
        law.KuwabaraKono(stiffness=1e6, dissipation_time=1e-5, end="zero-force")
