"""Floors so soft that the static overlap is a visible part of the radius: bouncing ends where a
fine integration in time says it does.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import in_time

RADIUS, MASS, GRAVITY = 0.02, 0.01, 9.81
# Deeper than by default a body may rest: where the bouncing ends is what is looked at here.
METHOD = jc.EventAligned(max_contacts=20, rest_overlap=0.5, in_time=True)
SHARES = (1e-4, 1e-3, 1e-2, 1e-1)  # static overlap over radius
NORMAL = {
    "hunt_crossley": lambda k, e: in_time.hunt_crossley(k, e),
    "linear": lambda k, e: in_time.linear_dashpot(k, e, MASS, "zero_overlap"),
}


def stiffness_of(law, share):
    """That with which the static overlap is ``share`` of the radius."""
    return MASS * GRAVITY / (share * RADIUS) ** {"hunt_crossley": 1.5, "linear": 1.0}[law]


def fallen(law, p, times):
    """Height of the sphere's centre at ``times``, and the trajectory, for (ln stiffness,
    restitution, initial height).
    """
    stiffness, restitution, height = jnp.exp(p[0]), p[1], p[2]
    kind = jc.HuntCrossley if law == "hunt_crossley" else jc.LinearDashpot
    contact = jc.ContactModel(normal=kind(stiffness=stiffness, restitution=restitution))
    scene = jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)
    found = jc.simulate(
        scene, jc.state(position=jnp.stack([0.0, 0.0, height])), times, method=METHOD
    )
    return found.position[:, 2], found


def integrated(law, p, times):
    sphere = in_time.Sphere(NORMAL[law](np.exp(p[0]), p[1]), radius=RADIUS, mass=MASS)
    return in_time.integrate(sphere, np.array([0.0, 0.0, p[2], *np.zeros(6)]), times)


@pytest.mark.long("linear")
@pytest.mark.slow
@pytest.mark.parametrize("law", [pytest.param("hunt_crossley", marks=pytest.mark.long), "linear"])
def test_the_bouncing_ends_in_the_contact_that_does_not_lift_off(law):
    times = np.linspace(0.0, 0.6, 41)
    cases = [
        (np.log(stiffness_of(law, share)), e, 0.04, share)
        for e in (0.3, 0.6, 0.8)
        for share in SHARES
    ]
    heights, found = jax.jit(jax.vmap(lambda p: fallen(law, p, times)))(np.array(cases)[:, :3])
    for i, case in enumerate(cases):
        static, expected = case[3] * RADIUS, integrated(law, case[:3], times)
        assert found.status[i] == jc.Status.CAME_TO_REST, case
        happened = found.contacts.happened[i]
        # A last bounce may be lower than a fifth of the static overlap; the last contact of all
        # does not end.
        assert len(expected.contacts) - 2 <= np.sum(happened) <= len(expected.contacts) - 1, case
        bounces = times <= np.max(found.contacts.lift_off[i], where=happened, initial=0.0)
        error = np.abs(heights[i] - expected.states[:, 2])
        assert np.max(error[bounces], initial=0.0) < 1e-2 * static, case
        # From then on the ringing about the static overlap is left out, the depth of the last
        # touch-down at most.
        last_speed = expected.contacts[-1, 2]
        assert np.max(error[~bounces], initial=0.0) < 2.0 * static + last_speed * np.sqrt(
            static / GRAVITY
        ), case


@pytest.mark.long("hunt_crossley")
@pytest.mark.slow
@pytest.mark.parametrize("law", ["hunt_crossley", pytest.param("linear", marks=pytest.mark.long)])
def test_derivatives_of_soft_bounces_are_those_of_an_integration_in_time(law):
    cases = [
        (np.log(stiffness_of(law, 1e-2)), 0.8, 0.1, 0.45),
        (np.log(stiffness_of(law, 1e-1)), 0.95, 0.06, 0.55),
    ]
    derivative = jax.jit(lambda p, times: jax.jacfwd(lambda p: fallen(law, p, times)[0])(p))
    for *p, last in cases:
        times = np.linspace(0.0, last, 12)
        found = derivative(np.array(p), times)
        for k, step in enumerate((1e-4, 1e-4, 1e-5)):
            up, down = ([x + s * step * (i == k) for i, x in enumerate(p)] for s in (1, -1))
            expected = (
                integrated(law, up, times).states[:, 2] - integrated(law, down, times).states[:, 2]
            ) / (2 * step)
            np.testing.assert_allclose(
                found[:, k], expected, rtol=0, atol=2e-4 * max(np.max(np.abs(expected)), 1e-2)
            )
