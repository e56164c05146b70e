"""Laws with a dashpot at every damping, by the engine for one sphere and by the one for several
bodies: what is called a success is what scipy finds from the force written out.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.simulation.core.status import succeeded

RADIUS, MASS, STIFFNESS, SPEED, HEIGHT = 0.02, 2.7e-3, 1e6, 1.0, 0.01
START = jc.state(position=(0.0, 0.0, RADIUS + HEIGHT), velocity=(0.0, 0.0, -SPEED))
END = 0.03

LAWS = {
    "Kuwabara and Kono": lambda time: jc.KuwabaraKono(stiffness=STIFFNESS, dissipation_time=time),
    "Hertz": lambda damping: jc.HertzDashpot(stiffness=STIFFNESS, damping=damping),
    "Tsuji": lambda restitution: jc.TsujiDashpot(stiffness=STIFFNESS, restitution=restitution),
    "Tsuji, to zero force": lambda restitution: jc.TsujiDashpot(
        stiffness=STIFFNESS, restitution=restitution, end="zero_force"
    ),
}
DAMPINGS = {
    "Kuwabara and Kono": np.array([1e-6, 1e-4, 4e-4, 9e-4, 2e-3, 2.17e-3, 3e-3]),
    "Hertz": np.array([0.1, 1.0, 3.0, 5.0, 12.0, 31.35, 34.53, 82.4]),
    "Tsuji": np.array([0.95, 0.7, 0.4, 0.2, 0.1, 0.05]),
    "Tsuji, to zero force": np.array([0.95, 0.5, 0.2, 0.05, 0.0069, 0.0028, 0.0022]),
}
QUICK = jc.EventAligned(max_contacts=10)
FOR_SEVERAL = jc.EventAligned(max_contacts=10, general=True)


def force_of(name, damping):
    """Written out, of overlap and overlap rate."""
    if name.startswith("Tsuji"):
        share = float(LAWS[name](damping).alpha) * np.sqrt(MASS * STIFFNESS)
        least = -np.inf if name == "Tsuji" else 0.0
        return lambda d, rate: max(STIFFNESS * d**1.5 + share * d**0.25 * rate, least)
    if name == "Hertz":
        return lambda d, rate: max(STIFFNESS * d**1.5 + damping * rate, 0.0)
    return lambda d, rate: max(STIFFNESS * (d**1.5 + 1.5 * damping * d**0.5 * rate), 0.0)


def expected(name, damping, gravity):
    """Height and velocity at the end."""
    force = force_of(name, damping)

    def rates(_, y):
        overlap = RADIUS - y[0]
        push = force(overlap, -y[1]) if overlap > 0 else 0.0
        return [y[1], push / MASS - gravity]

    first = (np.sqrt(SPEED**2 + 2 * gravity * HEIGHT) - SPEED) / gravity if gravity else HEIGHT
    start = [RADIUS - 1e-13, -SPEED - gravity * first]
    found = solve_ivp(
        rates, (first, END), start, method="Radau", rtol=1e-9, atol=1e-12, max_step=5e-5
    )
    return found.y[:, -1]


@partial(jax.jit, static_argnames=("name", "method"))
def ended(name, dampings, gravity, method):
    """Heights and velocities at the end, and statuses."""

    def one(damping):
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(normal=LAWS[name](damping)),
            gravity=jnp.array([0.0, 0.0, -1.0]) * gravity,
        )
        found = jc.simulate(scene, START, jnp.array([0.0, END]), method=method)
        return found.position[-1, 2], found.velocity[-1, 2], found.status

    return jax.vmap(one)(dampings)


@pytest.mark.long
@pytest.mark.parametrize("name", LAWS)
def test_the_quick_way_is_right_where_it_says_so(name):
    weightless = ended(name, DAMPINGS[name], 0.0, QUICK)
    right = succeeded(np.asarray(weightless[2]))
    assert right[:4].all()
    for damping, speed, success in zip(DAMPINGS[name], weightless[1], right, strict=True):
        if success:
            assert speed == pytest.approx(expected(name, damping, 0.0)[1], abs=2e-6 * SPEED)
    heights, _, statuses = ended(name, DAMPINGS[name], 9.81, QUICK)
    for damping, height, status in zip(DAMPINGS[name], heights, np.asarray(statuses), strict=True):
        if succeeded(status):
            left_out = 2e-3 * RADIUS if status == jc.Status.CAME_TO_REST else 0.0
            there = expected(name, damping, 9.81)[0]
            assert height == pytest.approx(there, abs=left_out + 1e-7), damping


@pytest.mark.long("Tsuji")
@pytest.mark.long("Hertz", "Kuwabara and Kono", "Tsuji, to zero force")
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.slow
def test_usual_steps_of_several_bodies_resolve_corners_and_steep_forces(name):
    _, speeds, statuses = ended(name, DAMPINGS[name][:4], 0.0, FOR_SEVERAL)
    assert succeeded(np.asarray(statuses)).all()
    for damping, speed in zip(DAMPINGS[name], speeds, strict=False):
        assert speed == pytest.approx(expected(name, damping, 0.0)[1], abs=1e-6 * SPEED)


@pytest.mark.long
@pytest.mark.slow
def test_a_plain_call_follows_what_the_quick_way_does_not():
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=LAWS["Kuwabara and Kono"](3e-3)),
        gravity=(0.0, 0.0, 0.0),
    )
    found = jc.simulate(scene, START, jnp.array([0.0, END]))
    there = expected("Kuwabara and Kono", 3e-3, 0.0)
    np.testing.assert_allclose(found.velocity[-1, 2], there[1], atol=1e-6)
    np.testing.assert_allclose(found.position[-1, 2], there[0], atol=1e-8)
