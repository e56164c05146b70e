"""Laws whose coordinates are found from their force alone: a simulated impact rebounds with the
restitution that the law tells.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

UNOPTIMIZED = {"xla_backend_optimization_level": 0}
MASS, RADIUS = 0.01, 0.01
SPEEDS = jnp.array([0.5, 3.0])
# A law, and how close the integrated impact comes.
LAWS = {
    "Kuwabara and Kono, to zero overlap": (
        jc.KuwabaraKono(stiffness=1e6, dissipation_time=2e-5, end="zero_overlap"),
        1e-8,
    ),
    "Kuwabara and Kono, to zero force": (
        jc.KuwabaraKono(stiffness=1e6, dissipation_time=2e-5),
        1e-8,
    ),
    "Hertz and dashpot, to zero force": (jc.HertzDashpot(stiffness=1e6, damping=0.5), 1e-8),
    "Hertz and dashpot, to zero overlap": (
        jc.HertzDashpot(stiffness=1e6, damping=0.5, end="zero_overlap"),
        1e-8,
    ),
}


def rebound(law, speed, method):
    """Restitution of one impact on a plane."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.State(
        jnp.array([0.0, 0.0, 1.1 * RADIUS]), jnp.array([0.0, 0.0, -1.0]) * speed, jnp.zeros(3)
    )
    return jc.simulate(scene, start, jnp.array([0.0, 0.05]), method=method).velocity[-1, 2] / speed


@pytest.mark.long(
    "Kuwabara and Kono, to zero overlap",
    "Hertz and dashpot, to zero overlap",
    "Hertz and dashpot, to zero force",
)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if "overlap" in name else ()) for name in LAWS],
)
def test_a_simulated_impact_has_the_restitution_of_the_law(name):
    law, tolerance = LAWS[name]

    @jax.jit(compiler_options=UNOPTIMIZED)
    def simulated(law):
        compliant, rigid = (
            jc.EventAligned(max_contacts=1, skip_unused=False),
            jc.Impulse(max_contacts=1, skip_unused=False),
        )
        return [
            jax.vmap(lambda speed, method=method: rebound(law, speed, method))(SPEEDS)
            for method in (compliant, rigid)
        ]

    expected = law.restitution_at(SPEEDS, mass=MASS)
    compliant, rigid = simulated(law)
    np.testing.assert_allclose(rigid, expected, rtol=1e-12)
    np.testing.assert_allclose(compliant, expected, atol=tolerance)
    assert np.ptp(expected) > 0.01  # it depends on the speed


@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.05])
def test_the_force_of_a_closed_law_alone_rebounds_as_that_law(restitution):
    """From no damping at all, where no speed makes the force vanish, to heavy damping."""
    closed = jc.HuntCrossley(stiffness=3e6, restitution=restitution)
    seen = {"impact_speed": 1.7, "mass": MASS}
    at_rest, pressed = (closed.force(1e-4, rate, **seen) for rate in (0.0, 1.7))
    growth = pressed / at_rest - 1.0  # F = K d^n (1 + chi d')
    alone = jc.normal_law(jc.laws.damping.hunt_crossley_force)(
        stiffness=3e6, exponent=1.5, dissipation=growth / 1.7
    )
    np.testing.assert_allclose(alone.force(1e-4, 1.7, **seen), pressed, rtol=1e-12)
    assert alone.restitution_at(1.7, mass=MASS) == pytest.approx(restitution, abs=1e-9)
    if restitution < 0.95:
        assert alone.phase(**seen).constant == pytest.approx(growth, rel=1e-9)


@pytest.mark.long
def test_a_plastic_law_rebounds_alike_in_every_method():
    law = jc.WaltonBraun(stiffness=1e5, unloading_ratio=1.7, hardening=100.0)
    for method, within in (
        (jc.Impulse(max_contacts=1), 1e-12),
        (jc.EventAligned(max_contacts=1), 1e-8),
    ):
        np.testing.assert_allclose(
            rebound(law, 1.0, method), law.restitution_at(1.0, mass=MASS), rtol=within
        )
