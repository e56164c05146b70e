"""Each normal law does in an impact what it says: the restitution asked for, the end stated, the
scales given.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jaxcontact.laws.core.damping_maps import RESTITUTION_LAWS
from jaxcontact.laws.friction.coulomb import FRICTION_LAWS
from jaxcontact.laws.normal.models import (
    NORMAL_LAWS,
    HuntCrossley,
    LinearDashpot,
    NewtonRestitution,
    PowerLawHuntCrossley,
    TsujiDashpot,
)
from jaxcontact.parameters import declared_parameters

STIFFNESS, MASS, SPEED = 3e6, 0.02, 1.7
LAWS = {
    "Hunt-Crossley": HuntCrossley(stiffness=STIFFNESS, restitution=0.62),
    "Hunt-Crossley, heavily damped": HuntCrossley(stiffness=STIFFNESS, restitution=0.05),
    "Hunt-Crossley, elastic": HuntCrossley(stiffness=STIFFNESS, restitution=1.0),
    "Hunt-Crossley, linear": HuntCrossley(stiffness=STIFFNESS, restitution=0.62, exponent=1.0),
    "Hunt-Crossley, odd exponent": HuntCrossley(
        stiffness=STIFFNESS, restitution=0.62, exponent=1.2
    ),
    "Hunt-Crossley, constant damping": HuntCrossley(
        stiffness=STIFFNESS, restitution=0.62, reference_speed=0.4
    ),
    "Hunt-Crossley, nominal": HuntCrossley(
        stiffness=STIFFNESS, restitution=0.62, restitution_law=RESTITUTION_LAWS["flores_2011"]
    ),
    "power law": PowerLawHuntCrossley(stiffness=STIFFNESS, restitution=0.62, exponent=1.37),
    "linear dashpot to zero overlap": LinearDashpot(stiffness=STIFFNESS, restitution=0.62),
    "linear dashpot to zero force": LinearDashpot(
        stiffness=STIFFNESS, restitution=0.62, end="zero_force"
    ),
    "linear dashpot, beyond critical": LinearDashpot(
        stiffness=STIFFNESS, restitution=0.08, end="zero_force"
    ),
    "Tsuji to zero overlap": TsujiDashpot(stiffness=STIFFNESS, restitution=0.62),
    "Tsuji to zero force": TsujiDashpot(stiffness=STIFFNESS, restitution=0.62, end="zero_force"),
}
IMPACT = {"impact_speed": SPEED, "mass": MASS}


def impact(law):
    """An impact integrated in the coordinates of its phase: the phase, and the path (nodes, 2) of X
    and w up to the end of contact.
    """
    phase = law.phase(**IMPACT)
    slopes = jax.jit(lambda X, w: jnp.stack(phase.derivative(X, w, jnp.zeros(()))[:2]))
    end = jax.jit(phase.event)

    def left(sigma, state):
        return float(end(*state)) if sigma > 0.1 else 1.0

    left.terminal, left.direction = True, -1
    run = solve_ivp(
        lambda _, state: slopes(*state),
        (0, 20),
        [0.0, float(phase.start)],
        "DOP853",
        events=left,
        rtol=1e-11,
        atol=1e-13,
    )
    return phase, np.append(run.y.T, run.y_events[0], axis=0), run.t_events[0][0]


@pytest.mark.long("Hunt-Crossley, heavily damped")
@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_an_integrated_impact_has_the_restitution_and_force_that_the_law_tells(name):
    law = LAWS[name]
    phase, path, length = impact(law)
    assert -phase.rate(path[-1, 1]) == pytest.approx(
        float(law.restitution_at(SPEED, mass=MASS)), abs=3e-10
    )
    if "constant damping" not in name and "nominal" not in name:
        assert law.restitution_at(SPEED, mass=MASS) == pytest.approx(law.restitution, rel=1e-14)
    assert float(phase.length) == pytest.approx(length, abs=0.02)
    overlap_scale, time_scale = law.scales(**IMPACT)
    assert time_scale == pytest.approx(float(overlap_scale) / SPEED, rel=1e-15)
    for X, w in path[2:-1:3]:
        force = law.force(overlap_scale * phase.reduced_overlap(X), SPEED * phase.rate(w), **IMPACT)
        assert phase.reduced_force(X, w) * MASS * SPEED / time_scale == pytest.approx(
            float(force), rel=1e-9, abs=1e-9
        )


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_load_slows_a_heavily_damped_lift_off_as_an_integration_says(exponent):
    for restitution in (0.05, 0.25):
        law = HuntCrossley(stiffness=STIFFNESS, restitution=restitution, exponent=exponent)
        phase = law.phase(**IMPACT)
        loads = (0.0, 0.001, 0.2 * restitution)
        speeds = [lift_off_speed(exponent, float(phase.damping_ratio), load) for load in loads]
        found = [float(phase.slowing(jnp.zeros(()), jnp.asarray(load))) for load in loads]
        np.testing.assert_allclose(found, np.array(speeds) / speeds[0], atol=1.5e-3)
        assert found[-1] < 0.95


def lift_off_speed(exponent, damping_ratio, load):
    """Of ``s'' = load - s^n (1 + a s')`` from ``s = 0, s' = 1``."""

    def leaves(time, state):
        return state[0] if time > 0.1 else 1.0

    leaves.terminal, leaves.direction = True, -1

    def rates(_, state):
        return [state[1], load - abs(state[0]) ** exponent * (1 + damping_ratio * state[1])]

    run = solve_ivp(rates, (0, 100), [0.0, 1.0], "DOP853", events=leaves, rtol=1e-9, atol=1e-12)
    return -run.y_events[0][0][1]


@pytest.mark.parametrize("name", LAWS)
def test_the_static_overlap_carries_the_load(name):
    law = LAWS[name]
    assert law.force(law.static_overlap(9.81 * MASS), 0.0, **IMPACT) == pytest.approx(
        9.81 * MASS, rel=1e-13
    )
    assert law.static_overlap(0.0) == 0


@pytest.mark.parametrize("name", LAWS)
def test_the_rate_of_what_ends_a_contact_is_its_derivative(name):
    phase = LAWS[name].phase(**IMPACT)
    at, rates = (0.3, -0.4), (0.7, -1.1)
    _, rate = jax.jvp(phase.event, at, rates)
    assert phase.event_rate(*at, *rates) == pytest.approx(float(rate), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_a_contact_pushes_only_unless_it_says_otherwise(name):
    law = LAWS[name]
    attracts = getattr(law, "end", None) == "zero_overlap"
    assert (law.force(1e-9, -0.9 * SPEED * law.restitution, **IMPACT) < 0) == attracts
    assert (law.force(1e-3, -1e6, **IMPACT) < 0) == attracts
    assert law.force(0.0, SPEED, **IMPACT) == 0
    assert law.force(-1e-3, SPEED, **IMPACT) == 0


def test_constant_damping_gives_the_restitution_at_its_reference_speed_and_less_above():
    law = LAWS["Hunt-Crossley, constant damping"]
    speeds = jnp.array([1e-6, 0.1, 0.4, 1.7, 50.0])
    obtained = law.restitution_at(speeds, mass=MASS)
    assert obtained[2] == pytest.approx(0.62, rel=1e-14)
    assert np.all(np.diff(obtained) < 0)
    assert obtained[0] == pytest.approx(1, abs=1e-5)
    # its force needs no knowledge of the impact speed
    force = [law.force(1e-4, 0.3, impact_speed=speed, mass=MASS) for speed in (0.2, 5.0)]
    assert force[0] == pytest.approx(float(force[1]), rel=1e-15)


@pytest.mark.long("law0")
@pytest.mark.slow
@pytest.mark.parametrize("law", [*LAWS.values(), NewtonRestitution(restitution=0.5)])
def test_a_gradient_in_a_law_has_the_shape_of_the_law(law):
    slope = jax.grad(lambda law: law.restitution_at(SPEED, mass=MASS))(law)
    assert type(slope) is type(law)
    assert jax.tree.structure(slope) == jax.tree.structure(law)
    assert slope.restitution > 0


def test_every_law_lists_its_parameters_with_units_and_ranges():
    for name, law in {**NORMAL_LAWS, **FRICTION_LAWS}.items():
        assert law.__name__ == name
        assert law.__doc__
    found = [path for path, _, _ in declared_parameters(LAWS["Hunt-Crossley"])]
    assert found == ["stiffness", "restitution"]  # the optional reference speed is left out
    found = [
        (path, about.unit, str(about.interval), about.transform)
        for path, _, about in declared_parameters(LAWS["Hunt-Crossley, constant damping"])
    ]
    assert found == [
        ("stiffness", "N/m^n", "(0, inf)", "log"),
        ("restitution", "-", "(0, 1]", "logit"),
        ("reference_speed", "m/s", "(0, inf)", "log"),
    ]


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: HuntCrossley(stiffness=0.0, restitution=0.9),
            "HuntCrossley: stiffness = 0 N/m^n is outside (0, inf)",
        ),
        (
            lambda: HuntCrossley(stiffness=1.0, restitution=1.1),
            "restitution = 1.1 - is outside (0, 1] (restitution). It is the ratio",
        ),
        (
            lambda: HuntCrossley(stiffness=1.0, restitution=0.0),
            "restitution = 0 - is outside (0, 1]",
        ),
        (
            lambda: HuntCrossley(stiffness=1.0, restitution=0.5, reference_speed=-1.0),
            "reference_speed = -1 m/s is outside (0, inf)",
        ),
        (
            lambda: HuntCrossley(stiffness=1.0, restitution=0.5, exponent=0.5),
            "PowerLawHuntCrossley has it as a parameter",
        ),
        (
            lambda: HuntCrossley(stiffness=1.0, restitution=0.5, restitution_law="flores"),
            "Take one from RESTITUTION_LAWS: exact, hunt",
        ),
        (
            lambda: PowerLawHuntCrossley(stiffness=1.0, restitution=0.5, exponent=0.9),
            "exponent = 0.9 - is outside [1, inf)",
        ),
        (
            lambda: LinearDashpot(stiffness=1.0, restitution=0.5, end="zero_forces"),
            "Did you mean 'zero_force'?",
        ),
        (
            lambda: TsujiDashpot(stiffness=1.0, restitution=0.5, end=3),
            "Valid: zero_overlap, zero_force.",
        ),
        (
            lambda: NewtonRestitution(restitution=2.0),
            "NewtonRestitution: restitution = 2 - is outside (0, 1]",
        ),
    ],
)
def test_a_wrong_parameter_is_named_with_its_range(build, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        build()
    assert text in str(caught.value)
