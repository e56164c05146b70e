"""Springs of friction and of rolling that hold and slide by turns within one contact, against an
integration by scipy: motion and derivatives.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

import jaxcontact as jc

RADIUS, MASS = 0.02, 0.03
INERTIA = 0.4 * MASS * RADIUS**2
STEP = 1e-4
"""Of differences, in units of the parameters."""


def truth(parameters, times, inertia):
    """Rate [m/s or rad/s] against the spring at ``times`` from touch-down on, in an elastic impact.

    It holds (a linear spring), or slides with the largest force that the load allows; it slides
    until that limit grows faster than what the spring would bear.
    """
    hertz, spring, coefficient, approach, rate = parameters

    def load(y):
        overlap = max(y[0], 0.0)
        return hertz * overlap**1.5, 1.5 * hertz * np.sqrt(overlap) * y[1]

    def motion(y, force, stretching):
        return [y[1], -load(y)[0] / MASS, -force / inertia, stretching]

    def held(_, y):
        return motion(y, spring * y[3], y[2])

    def overloaded(_, y):
        return abs(spring * y[3]) - coefficient * load(y)[0]

    overloaded.terminal, overloaded.direction = True, 1
    now, y, slides, sign = 0.0, np.array([0.0, approach, rate, 0.0]), True, np.sign(rate)
    rates = []
    while now < times[-1]:
        if slides:

            def right(_, y, sign=sign):
                return motion(y, sign * coefficient * load(y)[0], 0.0)

            def event(_, y, sign=sign):
                return sign * spring * y[2] - coefficient * load(y)[1]

            event.terminal, event.direction = True, -1
        else:
            right, event = held, overloaded
        part = scipy.integrate.solve_ivp(
            right,
            (now, times[-1]),
            y,
            events=event,
            method="DOP853",
            rtol=1e-13,
            atol=1e-17,
            dense_output=True,
            max_step=times[-1] / 50,
        )
        inside = (times >= now) & ((times < part.t[-1]) | (part.t[-1] == times[-1]))
        rates.extend(part.sol(times[inside])[2])
        now, y = part.t[-1], part.y[:, -1].copy()
        if part.status == 1:
            if slides:
                y[3] = sign * coefficient * load(y)[0] / spring
            else:
                sign = np.sign(y[3])
            slides = not slides
    return np.array(rates)


def sliding_on_a_spring(p):
    friction = jc.CundallStrack(coefficient=p[2], tangential_stiffness=p[1], limited="displacement")
    slipping = jnp.zeros(3).at[0].set(p[4])
    return {"friction": friction}, {"velocity": slipping - jnp.zeros(3).at[2].set(p[3])}


def rolling_on_a_spring(p):
    rolling = jc.RollingSpring(rolling_coefficient=p[2] / RADIUS, rolling_stiffness=p[1])
    turning = jnp.zeros(3).at[1].set(p[4])
    return {"rolling": rolling}, {"velocity": -jnp.zeros(3).at[2].set(p[3]), "spin": turning}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spring", "inertia", "parameters"),
    [
        (sliding_on_a_spring, 1 / (1 / MASS + RADIUS**2 / INERTIA), (1e5, 3e3, 0.3, 0.5, 0.2)),
        (rolling_on_a_spring, INERTIA, (1e5, 0.3, 1e-3, 0.5, 3.0)),
    ],
)
def test_the_motion_is_that_of_an_independent_integration_with_its_derivatives(
    spring, inertia, parameters
):
    duration = 2.94 * (MASS / (2 / 2.5 * 1e5)) ** 0.4 * 0.5**-0.2 * 1.25**0.4
    times = duration * np.array([0.1, 0.3, 0.5, 0.7, 0.9])

    def simulated(p):
        contact, moving = spring(p)
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=p[0], restitution=1.0), **contact
            ),
            gravity=(0.0, 0.0, 0.0),
        )
        start = jc.state(position=(0.0, 0.0, RADIUS), **moving)
        found = jc.simulate(
            scene, start, jnp.asarray([0.0, *times]), method=jc.EventAligned(max_contacts=2)
        )
        slip = found.velocity[1:, 0] - RADIUS * found.spin[1:, 1]
        return (found.spin[1:, 1] if "rolling" in contact else slip), found.status

    p = jnp.asarray(parameters)
    along = p * jnp.array([0.3, -0.8, 0.5, 0.4, 1.0])
    rate, slope, status = jax.jit(
        lambda p, along: jax.jvp(simulated, (p,), (along,), has_aux=True)
    )(p, along)
    ends = [truth(p + share * STEP * along, times, inertia) for share in (-2, -1, 1, 2)]
    expected = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * STEP)
    assert status == jc.Status.SUCCESS
    np.testing.assert_allclose(rate, truth(p, times, inertia), atol=1e-6 * abs(parameters[4]))
    np.testing.assert_allclose(slope, expected, atol=2e-5 * np.max(np.abs(expected)))
