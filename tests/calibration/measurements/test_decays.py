"""Runs that roll or spin to rest: predictions against closed forms and an independent integration,
fits against a truth in NumPy.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import calibration as cal
import jaxcontact as jc
from calibration.measurements.rolling_motion import roll_along, spin_down

pytestmark = pytest.mark.slow

GRAVITY, RADIUS, MASS, BALL = 9.81, 0.02, 0.03, 0.4
TIMES = np.linspace(0.0, 6.0, 97)
ROLLING = "contact.rolling.rolling_coefficient"
LEVER = "contact.spinning.spinning_lever"
RIGID = jc.NewtonRestitution(restitution=0.5)
Lever = jc.spinning_law(jc.laws.spinning.lever_spinning_torque)
Viscous = jc.rolling_law(jc.laws.rolling.viscous_rolling_torque)


def scene(*, slope=0.0, drag=None, inertia=BALL, **laws):
    """A body on a plane whose track goes down towards x by ``slope`` [rad]."""
    return jc.Scene(
        bodies=jc.Spheres(radius=RADIUS, mass=MASS, inertia_ratio=inertia),
        contact=jc.ContactModel(normal=RIGID, **laws),
        gravity=(GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)),
        drag=drag,
    )


def constant(speed, coefficient, slope=0.0, inertia=BALL, times=TIMES):
    """Position and speed of a body that does not turn round."""
    along = np.sign(speed)
    pull = np.sin(slope) - along * coefficient * np.cos(slope)
    slowing = GRAVITY * pull / (1 + inertia)
    end = np.minimum(times, -speed / slowing if speed * slowing < 0 else np.inf)
    return speed * end + slowing * end**2 / 2, np.where(end < times, 0.0, speed + slowing * end)


def rolled(where, speed, position=0.0):
    return jax.jit(roll_along)(where, position=position, speed=speed, start=0.0, times=TIMES)


@pytest.mark.parametrize("inertia", [2 / 5, 1 / 2, 2 / 3], ids=["ball", "disc", "shell"])
def test_a_constant_resistance_slows_down_evenly(inertia):
    law = jc.RollingResistance(rolling_coefficient=0.01, rolling_velocity=1e-6)
    for speed, slope in ((0.5, 0.0), (-0.5, 0.0), (0.3, 0.004), (-0.3, 0.004), (0.1, 0.02)):
        found = rolled(scene(rolling=law, slope=slope, inertia=inertia), speed, 0.2)
        position, expected = constant(speed, 0.01, slope, inertia)
        np.testing.assert_allclose(found.speed, expected, atol=1e-9)
        np.testing.assert_allclose(found.position, 0.2 + position, atol=2e-5)


def test_viscous_resistance_slope_and_air_are_those_of_an_integration():
    law, air = Viscous(viscous_coefficient=0.03), jc.QuadraticDrag(coefficient=0.5)
    found = rolled(scene(rolling=law, drag=air, slope=-0.01), 0.8)
    thrust = 0.5 * 1.2 * 0.5 * np.pi * RADIUS**2

    def rates(_, y):
        load = MASS * GRAVITY * np.cos(0.01)
        torque = 0.03 * load * RADIUS * y[1]  # c F R^2 w
        force = -MASS * GRAVITY * np.sin(0.01) - thrust * abs(y[1]) * y[1] - torque / RADIUS
        return [y[1], force / (MASS * (1 + BALL))]

    done = solve_ivp(rates, (0, 6), [0.0, 0.8], t_eval=TIMES, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.position, done.y[0], atol=2e-5)
    np.testing.assert_allclose(found.speed, done.y[1], atol=1e-5)


def test_on_a_slope_it_turns_round():
    law = jc.RollingResistance(rolling_coefficient=0.005, rolling_velocity=1e-6)
    found = rolled(scene(rolling=law, slope=0.02), -0.3)
    up, down = (GRAVITY / 1.4 * (np.sin(0.02) + s * 0.005 * np.cos(0.02)) for s in (1, -1))
    turn = 0.3 / up
    expected = np.where(turn > TIMES, -0.3 + up * TIMES, down * (TIMES - turn))
    np.testing.assert_allclose(found.speed, expected, atol=1e-3)


def test_derivatives_are_those_of_differences():
    def last(values):
        coefficient, speed, slope = values
        where = scene(rolling=jc.RollingResistance(rolling_coefficient=coefficient))
        pull = jnp.stack([GRAVITY * jnp.sin(slope), 0.0 * slope, -GRAVITY * jnp.cos(slope)])
        found = rolled(where.replace(gravity=pull), speed)
        return jnp.stack([found.speed[40], found.position[40], found.speed[-1]])

    last = jax.jit(last)
    at = np.array([0.01, 0.3, 0.001])
    slopes = np.asarray(jax.jit(jax.jacfwd(last))(at))
    steps = 1e-6 * np.eye(3)
    differences = np.stack([(last(at + h) - last(at - h)) / 2e-6 for h in steps], axis=1)
    np.testing.assert_allclose(slopes, differences, rtol=1e-4, atol=1e-4)
    assert np.all(np.isfinite(slopes))


def test_a_spin_falls_by_friction_times_the_size_of_the_contact():
    stiffness, mu = 1e8, 0.2
    overlap = (MASS * GRAVITY / stiffness) ** (2 / 3)
    lever = 3 * np.pi / 16 * mu * np.sqrt(RADIUS * overlap)
    normal = jc.HuntCrossley(stiffness=stiffness, restitution=0.5)
    friction = jc.SpinningFriction(coefficient=mu, pressure="hertz", spin_velocity=1e-7)
    where = scene()
    where = where.replace(contact=jc.ContactModel(normal=normal, spinning=friction))
    found = spin_down(where, spin=jnp.asarray(-6.0), start=0.0, times=TIMES)
    slowing = lever * GRAVITY / (BALL * RADIUS**2)
    expected = -np.maximum(6.0 - slowing * TIMES, 0.0)
    assert 0.0 in expected
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.long
def test_predictions_are_those_of_a_simulation():
    """A ball placed on the plane, in contact all the time, with friction that lets it roll."""
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e7, restitution=0.5),
        friction=jc.RegularizedCoulomb(coefficient=0.5),
        rolling=jc.RollingResistance(rolling_coefficient=0.01),
    )
    where = scene().replace(contact=contact)
    overlap = float(contact.normal.static_overlap(MASS * GRAVITY))
    start = jc.state(
        position=(0, 0, RADIUS - overlap), velocity=(0.3, 0, 0), spin=(0, 0.3 / RADIUS, 0)
    )
    times = np.linspace(0.0, 6.0, 13)
    motion = jc.simulate(where, start, times)
    found = roll_along(where, position=0.0, speed=0.3, start=0.0, times=jnp.asarray(times))
    np.testing.assert_allclose(motion.velocity[:, 0], found.speed, atol=2e-4)
    np.testing.assert_allclose(motion.position[:, 0], found.position, atol=5e-4)


def rolling_fit(quantity, seed, *, inertia=BALL, coefficient=0.008, slope=0.002):
    random = np.random.default_rng(seed)
    noise, runs = {"speed": 2e-3, "position": 1e-3}[quantity], []
    for speed in (0.5, -0.45, 0.3):
        position, velocity = constant(speed, coefficient, slope, inertia)
        values = velocity if quantity == "speed" else position + 0.1
        values = values + noise * random.normal(size=TIMES.size)
        runs.append(cal.measurements.RollingDecay(TIMES, **{quantity: values}))
    law = jc.RollingResistance(rolling_coefficient=0.02)
    nuisance = [cal.nuisances.RollingSpeed(), cal.nuisances.TrackSlope()]
    nuisance += [cal.nuisances.TrackPosition()] if quantity == "position" else []
    where = scene(rolling=law, inertia=inertia)
    return cal.fit(cal.Problem(where, runs, free=[ROLLING], nuisance=nuisance))


@pytest.mark.long("position")
@pytest.mark.parametrize("quantity", ["speed", "position"])
def test_rolling_resistance_and_slope_are_found(quantity):
    fits = [rolling_fit(quantity, seed) for seed in range(6)]
    for name, true in ((ROLLING, 0.008), ("track_slope", 0.002)):
        pulls = [
            (found.parameters[name].value - true) / found.parameters[name].sd for found in fits
        ]
        assert np.max(np.abs(pulls)) < 3
        assert np.sum(np.abs(pulls) > 2) <= 1
    assert all(0.7 < found.chi2 / found.dof < 1.3 for found in fits)
    assert 0.8 < np.mean([found.chi2 / found.dof for found in fits]) < 1.2


@pytest.mark.long
def test_the_lever_of_spinning_is_found():
    lever, pulls, ratios = 2.4e-5, [], []
    for seed in range(6):
        random = np.random.default_rng(seed)
        spin = np.maximum(8.0 - lever * GRAVITY / (BALL * RADIUS**2) * TIMES, 0.0)
        run = cal.measurements.SpinDecay(TIMES, spin + 0.05 * random.normal(size=TIMES.size))
        where = scene(spinning=Lever(spinning_lever=1e-5, spin_velocity=1e-3))
        problem = cal.Problem(where, [run], free=[LEVER], nuisance=[cal.nuisances.FirstSpin()])
        found = cal.fit(problem)
        pulls.append((found.parameters[LEVER].value - lever) / found.parameters[LEVER].sd)
        ratios.append(found.chi2 / found.dof)
    assert np.max(np.abs(pulls)) < 3
    assert np.sum(np.abs(pulls) > 2) <= 1
    assert 0.8 < np.mean(ratios) < 1.2


def test_runs_in_one_direction_do_not_tell_resistance_from_a_slope():
    """Whether they come to rest or not."""
    law = jc.RollingResistance(rolling_coefficient=0.02)
    random = np.random.default_rng(1)
    runs = [
        cal.measurements.RollingDecay(
            TIMES, speed=constant(speed, 0.008)[1] + 2e-3 * random.normal(size=TIMES.size)
        )
        for speed in (0.5, 0.45, 0.3)
    ]
    nuisance = [cal.nuisances.RollingSpeed(), cal.nuisances.TrackSlope()]
    with pytest.raises(cal.InputError, match=r"in one direction.*prior"):
        cal.Problem(scene(rolling=law), runs, free=[ROLLING], nuisance=nuisance)
    nuisance[1] = cal.nuisances.TrackSlope(prior=cal.Normal(0.0, 1e-3))
    assert cal.Problem(scene(rolling=law), runs, free=[ROLLING], nuisance=nuisance)


def test_what_cannot_be_is_refused():
    times, speed = TIMES, 0.5 - 0.05 * TIMES
    run = cal.measurements.RollingDecay(times, speed=speed)
    with pytest.raises(cal.InputError, match="either speed or position"):
        cal.measurements.RollingDecay(times)
    with pytest.raises(cal.InputError, match="has no rolling resistance"):
        run.detect(scene())
    spring = jc.RollingSpring(rolling_coefficient=0.01, rolling_stiffness=1.0)
    with pytest.raises(cal.InputError, match=r"RollingSpring remembers.*RollingResistance"):
        run.detect(scene(rolling=spring))
    top = cal.measurements.SpinDecay(times, 10.0 - times)
    with pytest.raises(cal.InputError, match="no spinning friction"):
        top.detect(scene())
    with pytest.raises(cal.InputError, match=r"no disk.*lever_spinning_torque"):
        top.detect(scene(spinning=jc.SpinningFriction(coefficient=0.2)))
    with pytest.raises(cal.InputError, match=r"TrackSlope\(\) without a RollingDecay"):
        cal.nuisances.TrackSlope().check([cal.Trial(top)])
