"""Springs of rolling (EPSD) and of friction in scenes: oscillation, sliding, holding on a slope;
and holding and sliding by turns within one contact, against an integration by scipy.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

import jaxcontact as jc

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
RADIUS, MASS, STIFFNESS, GRAVITY = 0.01, 0.01, 1e4, 9.81
INERTIA = 0.4 * MASS * RADIUS**2
TIMES = np.linspace(0.0, 0.02, 5)


def rocking(rolling_stiffness, *, coefficient, method, spin=0.1, ledger=False):
    """A ball on a smooth plane, pressed on by its weight, that turns on the spot against its
    rolling spring.
    """
    contact = jc.ContactModel(
        normal=jc.LinearDashpot(stiffness=STIFFNESS, restitution=1.0),
        rolling=jc.RollingSpring(
            rolling_coefficient=coefficient, rolling_stiffness=rolling_stiffness
        ),
    )
    scene = jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)
    start = jc.state(
        position=(0.0, 0.0, RADIUS - MASS * GRAVITY / STIFFNESS), spin=(0.0, spin, 0.0)
    )
    return jc.simulate(scene, start, TIMES, method=method, ledger=ledger)


STEPS = jc.EventAligned(max_contacts=1, sustained_steps=0, max_steps=1500)
FREQUENCY = 400.0
ROLLING = INERTIA * FREQUENCY**2


@pytest.mark.long
@pytest.mark.slow
def test_a_ball_swings_on_its_rolling_spring():
    def spins(stiffness):
        found = rocking(stiffness, coefficient=10.0, method=STEPS, ledger=True)
        return found.spin[:, 1], found

    spin, slope, found = FAST(lambda k: jax.jvp(spins, (k,), (k,), has_aux=True))(ROLLING)
    phase = FREQUENCY * TIMES
    assert found.status == jc.Status.SUCCESS
    np.testing.assert_allclose(spin, 0.1 * np.cos(phase), atol=1e-4)
    np.testing.assert_allclose(slope, -0.05 * phase * np.sin(phase), atol=3e-4)
    assert found.ledger.imbalance < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "velocity_verlet", "runge_kutta_4"])
def test_fixed_steps_swing_alike(scheme):
    found = rocking(ROLLING, coefficient=10.0, method=jc.FixedStep(step=2e-6, scheme=scheme))
    np.testing.assert_allclose(found.spin[:, 1], 0.1 * np.cos(FREQUENCY * TIMES), atol=5e-4)


@pytest.mark.long
def test_a_spring_that_slides_slows_down_by_its_limit():
    coefficient, spin = 1e-3, 20.0
    found = FAST(functools.partial(rocking, coefficient=coefficient, method=STEPS, spin=spin))(
        ROLLING
    )
    loss = coefficient * RADIUS * MASS * GRAVITY / INERTIA
    # But for what the spring takes before it slides.
    np.testing.assert_allclose(found.spin[:, 1], spin - loss * TIMES, atol=1e-2 * loss * TIMES[-1])


@pytest.mark.long
@pytest.mark.slow
def test_a_ball_is_held_on_a_slope_below_its_coefficient_and_rolls_above():
    def moved(coefficient):
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e7, restitution=0.5),
            friction=jc.CundallStrack(coefficient=0.8, tangential_stiffness=1e6),
            rolling=jc.RollingSpring(rolling_coefficient=coefficient, rolling_stiffness=1.0),
        )
        slope = 0.1
        gravity = GRAVITY * jnp.array([np.sin(slope), 0.0, -np.cos(slope)])
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=gravity
        )
        start = jc.state(position=(0.0, 0.0, RADIUS))
        return jc.simulate(
            scene, start, jnp.array([0.0, 0.1, 1.0]), method=jc.EventAligned(max_contacts=8)
        ).position[:, 0]

    run = FAST(moved)
    held, rolls = run(0.12), run(0.05)
    assert abs(held[2] - held[1]) < 1e-12
    acceleration = 5 / 7 * GRAVITY * (np.sin(0.1) - 0.05 * np.cos(0.1))
    np.testing.assert_allclose(rolls[2], acceleration / 2, rtol=1e-2)


STEP = 1e-4
"""Of differences, in units of the parameters."""


def truth(parameters, times, inertia, rolls=(0.0, 0.0, 0.0)):
    """Rate [m/s or rad/s] against the spring at ``times`` from touch-down on, in an elastic impact.

    It holds (a linear spring), or slides with the largest force that the load allows; it slides
    until that limit grows faster than what the spring would bear. Beside it a torque resists what
    ``rolls``: over the load [m], a dashpot [N m s], and the spin at first [rad/s].
    """
    hertz, spring, coefficient, approach, rate = parameters

    def load(y):
        overlap = max(y[0], 0.0)
        return hertz * overlap**1.5, 1.5 * hertz * np.sqrt(overlap) * y[1]

    def motion(y, force, stretching):
        torque = -rolls[0] * load(y)[0] - rolls[1] * y[4]
        slowed, turned = -force / inertia - RADIUS * torque / INERTIA, RADIUS * force + torque
        return [y[1], -load(y)[0] / MASS, slowed, stretching, turned / INERTIA]

    def held(_, y):
        return motion(y, spring * y[3], y[2])

    def overloaded(_, y):
        return abs(spring * y[3]) - coefficient * load(y)[0]

    overloaded.terminal, overloaded.direction = True, 1
    now, y, slides, sign = 0.0, np.array([0.0, approach, rate, 0.0, rolls[2]]), True, np.sign(rate)
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
        rates.extend(part.sol(t)[2] for t in times[inside])
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


MOBILIZED = (1e-4, 1e-4, 60.0)
"""Torque over the load [m] and dashpot [N m s] of a spring of rolling that slides all the time, and
the spin at first [rad/s].
"""


def sliding_beside_a_dashpot(p):
    rolling = jc.RollingSpring(
        rolling_coefficient=MOBILIZED[0] / RADIUS,
        rolling_stiffness=50.0,
        rolling_damping=MOBILIZED[1],
        mobilized_damping=1.0,
    )
    friction, moving = sliding_on_a_spring(p)
    ahead = moving["velocity"] + jnp.array([RADIUS * MOBILIZED[2], 0.0, 0.0])
    return {**friction, "rolling": rolling}, {
        "velocity": ahead,
        "spin": jnp.array([0.0, MOBILIZED[2], 0.0]),
    }


SLIDING = 1 / (1 / MASS + RADIUS**2 / INERTIA)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spring", "beside", "parameters"),
    [
        (sliding_on_a_spring, (SLIDING,), (1e5, 5e3, 0.2, 0.5, 0.2)),
        (rolling_on_a_spring, (INERTIA,), (1e5, 0.8, 5e-4, 0.5, 3.0)),
        (sliding_beside_a_dashpot, (SLIDING, MOBILIZED), (1e5, 2e3, 0.2, 0.5, -0.4)),
    ],
)
def test_the_motion_is_that_of_an_independent_integration_with_its_derivatives(
    spring, beside, parameters
):
    hertz, approach = parameters[0], parameters[3]
    deepest = (5 / 4 * MASS * approach**2 / hertz) ** 0.4
    times = 2.94 * deepest / approach * np.array([0.1, 0.3, 0.5, 0.7, 0.9])

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
        return (slip if "friction" in contact else found.spin[1:, 1]), found.status

    p = jnp.asarray(parameters)
    along = p * jnp.array([0.3, -0.8, 0.5, 0.4, 1.0])
    rate, slope, status = jax.jit(
        lambda p, along: jax.jvp(simulated, (p,), (along,), has_aux=True)
    )(p, along)
    ends = [truth(p + share * STEP * along, times, *beside) for share in (-2, -1, 1, 2)]
    expected = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * STEP)
    assert status == jc.Status.SUCCESS
    np.testing.assert_allclose(rate, truth(p, times, *beside), atol=1e-6 * abs(parameters[4]))
    np.testing.assert_allclose(slope, expected, atol=5e-5 * np.max(np.abs(expected)))


def on_a_spring_that_stiffens(parameters, times):
    """Slip velocity [m/s] at ``times`` from touch-down on, in an elastic impact on Mindlin's spring
    that never slides: its force falls with its stiffness while the overlap falls.
    """
    hertz, shear, approach, rate = parameters

    def motion(falls):
        def right(_, y):
            overlap = max(y[0], 1e-30)
            stretching = 8 * shear * np.sqrt(RADIUS * overlap) * y[2]
            rescaled = y[3] * y[1] / (2 * overlap) if falls else 0.0
            return [y[1], -hertz * overlap**1.5 / MASS, -y[3] / SLIDING, stretching + rescaled]

        return right

    def deepest(_, y):
        return y[1]

    deepest.terminal = True
    tight = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-17, "dense_output": True}
    begun = np.array([0.0, approach, rate, 0.0])
    falls = scipy.integrate.solve_ivp(
        motion(False), (0.0, times[-1]), begun, events=deepest, max_step=times[-1] / 200, **tight
    )
    turn = falls.t[-1]
    rises = scipy.integrate.solve_ivp(
        motion(True), (turn, times[-1]), falls.y[:, -1], max_step=times[-1] / 200, **tight
    )
    return np.array([(falls if t < turn else rises).sol(t)[2] for t in times])


@pytest.mark.long
@pytest.mark.slow
def test_a_spring_that_softens_while_it_unloads_has_its_derivatives():
    p = np.array([1e5, 2e5, 0.5, 0.2])
    along = p * np.array([0.3, -0.8, 0.4, 1.0])
    deepest = (5 / 4 * MASS * p[2] ** 2 / p[0]) ** 0.4
    times = 2.94 * deepest / p[2] * np.array([0.3, 0.52, 0.6, 0.75, 0.9])

    def simulated(p):
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=p[0], restitution=1.0),
                friction=jc.Mindlin(coefficient=1e3, effective_shear_modulus=p[1]),
            ),
            gravity=(0.0, 0.0, 0.0),
        )
        moving = jnp.zeros(3).at[0].set(p[3]) - jnp.zeros(3).at[2].set(p[2])
        found = jc.simulate(
            scene,
            jc.state(position=(0.0, 0.0, RADIUS), velocity=moving),
            jnp.asarray([0.0, *times]),
            method=jc.EventAligned(max_contacts=2, sustained_steps=0),
        )
        return found.velocity[1:, 0] - RADIUS * found.spin[1:, 1]

    slip, slope = FAST(lambda p, along: jax.jvp(simulated, (p,), (along,)))(p, along)
    ends = [on_a_spring_that_stiffens(p + e * STEP * along, times) for e in (-2, -1, 1, 2)]
    expected = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * STEP)
    np.testing.assert_allclose(slip, on_a_spring_that_stiffens(p, times), atol=1e-6 * p[3])
    np.testing.assert_allclose(slope, expected, atol=1e-5 * np.max(np.abs(expected)))


def stepped(step, *, stiffness, spring, damping, coefficient, friction, slip_velocity, belt, spin):
    """Spin of a ball after an elastic impact on a belt, by small explicit steps: the dashpot acts
    while the spring holds.
    """
    height, velocity, torque, across = 0.0, -0.3, 0.0, 0.0
    while height <= 0.0:
        load = stiffness * (-height) ** 1.5
        trial, limit = torque + spring * spin * step, coefficient * RADIUS * load
        torque = max(-limit, min(limit, trial))
        resisting = torque + (damping * spin if abs(trial) <= limit else 0.0)
        slip = across - RADIUS * spin - belt
        force = -friction * load * slip / np.hypot(slip, slip_velocity)
        across += step * force / MASS
        spin -= step * (resisting + RADIUS * force) / INERTIA
        velocity += step * load / MASS
        height += step * velocity
    return spin


@pytest.mark.long
@pytest.mark.slow
def test_the_dashpot_of_a_spring_that_slides_back_does_not_act():
    """Where the limit falls faster than what the spring would bear it slides, though it turns
    back.
    """
    values = {"spring": 0.2, "damping": 6e-5, "coefficient": 0.05, "friction": 0.3, "belt": 0.3}
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e6, restitution=1.0),
        friction=jc.RegularizedCoulomb(coefficient=values["friction"], slip_velocity=0.1),
        rolling=jc.RollingSpring(
            rolling_coefficient=values["coefficient"],
            rolling_stiffness=values["spring"],
            rolling_damping=values["damping"],
        ),
    )
    belt = jc.Plane(motion=jc.PrescribedMotion(velocity=(values["belt"], 0.0, 0.0)))
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(belt,),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(0.0, 0.0, -0.3), spin=(0.0, 40.0, 0.0))
    found = jc.simulate(scene, start, [0.0, 0.02])
    coarse, fine = (
        stepped(step, stiffness=1e6, slip_velocity=0.1, spin=40.0, **values)
        for step in (4e-7, 2e-7)
    )
    assert abs(found.spin[1, 1] - (2 * fine - coarse)) < 2e-3


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("spring", ["friction", "rolling"])
def test_a_dashpot_beside_a_slider_resists_fully_until_the_contact_ends(spring):
    """What slides on a slider that bears next to nothing is slowed by its dashpot alone,
    exponentially; and so is the derivative by the restitution, which moves the end.
    """
    damping, approach = (0.5 if spring == "friction" else 2e-5), 0.4

    def simulated(restitution):
        law = (
            jc.CundallStrack(
                coefficient=1e-9,
                tangential_stiffness=1e3,
                tangential_damping=damping,
                limited="displacement",
            )
            if spring == "friction"
            else jc.RollingSpring(
                rolling_coefficient=1e-9,
                rolling_stiffness=1.0,
                rolling_damping=damping,
                mobilized_damping=1.0,
            )
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=1e5, restitution=restitution), **{spring: law}
            ),
            gravity=(0.0, 0.0, 0.0),
        )
        start = jc.State(
            jnp.array([0.0, 0.0, RADIUS]),
            -approach * jnp.array([0.0, 0.0, 1.0]),
            jnp.array([0.0, 10.0, 0.0]),
        )
        method = jc.EventAligned(max_contacts=2, general=True)
        found = jc.simulate(scene, start, jnp.array([0.0, 0.1]), method=method, strict=False)
        slip = found.velocity[1, 0] - RADIUS * found.spin[1, 1]
        left = slip / (-RADIUS * 10.0) if spring == "friction" else found.spin[1, 1] / 10.0
        return left, found.contacts.lift_off[0]

    run = FAST(lambda e: jax.jvp(simulated, (e,), (1.0,)))
    rate = damping * (1 / MASS + RADIUS**2 / INERTIA) if spring == "friction" else damping / INERTIA
    for restitution in (0.3, 0.45, 0.6, 0.95):
        (left, ended), (slope, moved) = run(restitution)
        np.testing.assert_allclose(left, np.exp(-rate * ended), rtol=1e-7)
        np.testing.assert_allclose(slope, -rate * moved * left, rtol=1e-5)


NORMALS = np.array([[np.sin(0.6), np.cos(0.6)], [-np.sin(0.8), np.cos(0.8)]])
"""Of the two sides of a groove, in x and z."""


def in_a_groove(parameters, times):
    """Velocity [m/s] and spin [rad/s] of a ball in a groove on springs of friction with dashpots:
    the slider of each moves by what spring and dashpot together would bear too much.
    """
    hertz, spring, damping, coefficient, fall, spin, along = parameters

    def motion(_, y):
        place, velocity, turning, stretch = y[:2], y[2:4], y[4], y[5:]
        push, torque, stretching = np.zeros(2), 0.0, np.zeros(2)
        for side, normal in enumerate(NORMALS):
            overlap = RADIUS - normal @ place
            if overlap <= 0:
                continue
            tangent = np.array([normal[1], -normal[0]])
            load, slip = hertz * overlap**1.5, velocity @ tangent - RADIUS * turning
            trial = spring * stretch[side] + damping * slip
            beyond = np.sign(trial) * max(abs(trial) - coefficient * load, 0.0)
            stretching[side] = slip - beyond / damping
            push += load * normal - (trial - beyond) * tangent
            torque += RADIUS * (trial - beyond)
        return np.concatenate([velocity, push / MASS, [torque / INERTIA], stretching])

    start = np.concatenate([at_the_sides(), [along, -fall, spin, 0.0, 0.0]])
    found = scipy.integrate.solve_ivp(
        motion, (0.0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-15, max_step=5e-6
    )
    return found.y[2:5].T


def at_the_sides():
    """Centre of a ball that meets one side first."""
    return np.linalg.solve(NORMALS, RADIUS + np.array([1e-4, 3e-4]))


@pytest.mark.long
@pytest.mark.slow
def test_springs_that_hold_and_slide_beside_each_other_have_their_derivatives():
    times = np.array([0.0, 0.003, 0.006])
    p = jnp.array([1e6, 3e4, 3.0, 0.4, 0.5, 40.0, 0.1])
    along = p * jnp.array([0.3, -0.8, 0.5, 0.4, 1.0, 0.7, -0.6])

    def simulated(p):
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            surfaces=tuple(jc.Plane(normal=(x, 0.0, z)) for x, z in NORMALS),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=p[0], restitution=1.0),
                friction=jc.CundallStrack(
                    coefficient=p[3], tangential_stiffness=p[1], tangential_damping=p[2]
                ),
            ),
            gravity=(0.0, 0.0, 0.0),
        )
        x, z = at_the_sides()
        start = jc.State(
            jnp.array([x, 0.0, z]),
            jnp.array([1.0, 0.0, 0.0]) * p[6] - jnp.array([0.0, 0.0, 1.0]) * p[4],
            jnp.array([0.0, 1.0, 0.0]) * p[5],
        )
        found = jc.simulate(
            scene, start, times, method=jc.EventAligned(max_contacts=6), strict=False
        )
        return jnp.stack([*found.velocity[:, ::2].T, found.spin[:, 1]], axis=1), found.status

    value, slope, status = FAST(lambda p, along: jax.jvp(simulated, (p,), (along,), has_aux=True))(
        p, along
    )
    ends = [in_a_groove(np.asarray(p + share * STEP * along), times) for share in (-2, -1, 1, 2)]
    expected = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * STEP)
    assert status == jc.Status.SUCCESS
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(value / scale, in_a_groove(np.asarray(p), times) / scale, atol=1e-6)
    np.testing.assert_allclose(slope / scale, expected / scale, atol=1e-5)


@pytest.mark.long
@pytest.mark.slow
def test_what_was_lost_never_comes_back():
    """Springs held 4/3 of what they did for an instant where their contact ceased to press: of 40
    impacts the column of friction fell in 9, by up to 4e-3 of the kinetic energy.
    """
    radius, mass = 0.01, 0.01

    def impact(constants, velocity, spin):
        ratio, coefficient, damping, rolling_coefficient, stiffness, rolling_damping = constants
        contact = jc.ContactModel(
            normal=jc.WaltonBraun(stiffness=1e4, unloading_ratio=ratio),
            friction=jc.CundallStrack(
                coefficient=coefficient, tangential_stiffness=7e3, tangential_damping=damping
            ),
            rolling=jc.RollingSpring(
                rolling_coefficient=rolling_coefficient,
                rolling_stiffness=stiffness,
                rolling_damping=rolling_damping,
            ),
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=radius, mass=mass), contact=contact, gravity=(0, 0, 0)
        )
        start = jc.state(position=(0, 0, radius + 1e-5), velocity=velocity, spin=spin)
        found = jc.simulate(
            scene,
            start,
            jnp.array([0.0, 0.02]),
            method=jc.EventAligned(max_contacts=1),
            ledger=True,
            strict=False,
        )
        return found.ledger, found.status

    random, run = np.random.default_rng(0), jax.jit(impact)
    for _ in range(20):
        constants = random.uniform((1.2, 0.1, 0.1, 0.02, 0.01, 0.0), (4, 0.6, 1.5, 0.2, 0.5, 1e-4))
        velocity, spin = random.normal(size=3) * (0.7, 0.7, 0), random.normal(size=3) * 70
        ledger, status = run(constants, velocity - (0, 0, 1), spin)
        assert status == jc.Status.SUCCESS
        for lost in (ledger.friction, ledger.rolling, ledger.normal, ledger.dissipated):
            assert np.min(np.diff(lost)) >= -1e-10 * ledger.kinetic[0]
