"""Normal laws with a memory in scenes: plastic and adhesive contacts against closed forms,
differences, fixed steps, and their ledger.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.laws.normal.adhesion import jkr_pull_off_force, jkr_work_of_separation

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
RADIUS, MASS = 0.01, 0.01
LAWS = {
    "Walton and Braun": jc.WaltonBraun(stiffness=1e5, unloading_ratio=4.0),
    "Walton and Braun, hardening": jc.WaltonBraun(
        stiffness=1e5, unloading_ratio=1.7, hardening=100.0
    ),
    "Thornton": jc.ThorntonPlastic(
        effective_modulus=1e11, effective_radius=RADIUS, yield_pressure=1e9
    ),
    "adhesive plastic": jc.AdhesivePlastic(
        stiffness=1e7,
        exponent=1.5,
        plasticity_ratio=0.4,
        adhesion_stiffness=2e4,
        adhesion_exponent=1.2,
        pull_off_force=0.5,
    ),
    "Johnson, Kendall and Roberts": jc.JohnsonKendallRoberts(
        effective_modulus=1e7, effective_radius=RADIUS, work_of_adhesion=50.0
    ),
}
SPEEDS = dict.fromkeys(LAWS, (0.5, 3.0)) | {
    "Thornton": (0.001, 3.0),
    "Johnson, Kendall and Roberts": (0.28, 1.0),
}
EACH_LAW = pytest.mark.parametrize("name", LAWS)


def impact(law, speed, mass, method, *, ledger=False):
    """Of one sphere on a plane, with friction and without gravity."""
    contact = jc.ContactModel(
        normal=law, friction=jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=0.01)
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=mass), contact=contact, gravity=(0.0, 0.0, 0.0)
    )
    start = jc.State(
        jnp.array([0.0, 0.0, 1.001 * RADIUS]), jnp.array([0.3, 0.0, -1.0]) * speed, jnp.zeros(3)
    )
    return jc.simulate(scene, start, jnp.array([0.0, 0.05]), method=method, ledger=ledger)


@functools.cache
def along():
    """Rebound, with its slope along a direction in (law, speed, mass); and the whole simulation."""

    def found(p):
        result = impact(*p, jc.EventAligned(max_contacts=1), ledger=True)
        return result.velocity[-1, 2] / p[1], result

    return FAST(lambda p, direction: jax.jvp(found, (p,), (direction,), has_aux=True))


def parameters(name, speed):
    p = LAWS[name], speed, MASS
    return jax.tree.map(lambda value: jnp.asarray(value, float), p)


@pytest.mark.long
@EACH_LAW
def test_the_restitution_is_that_of_the_closed_form_and_the_ledger_closes(name):
    for speed in SPEEDS[name]:
        p = parameters(name, speed)
        rebound, _, found = along()(p, jax.tree.map(jnp.zeros_like, p))
        expected = p[0].restitution_at(speed, mass=MASS)
        assert found.status == jc.Status.SUCCESS
        np.testing.assert_allclose(rebound, expected, rtol=0, atol=2e-7)
        assert found.ledger.imbalance < 1e-6
        # What deformation and adhesion took is booked as that, and nothing of it is left in the
        # contact.
        energy = MASS * speed**2 / 2
        np.testing.assert_allclose(
            found.ledger.normal[-1], energy * (1 - expected**2), rtol=0, atol=1e-6 * energy
        )
        assert found.ledger.in_contact[-1] == 0
        assert np.all(np.diff(found.ledger.normal) >= -1e-6 * energy)


@pytest.mark.long
@EACH_LAW
def test_slopes_by_every_parameter_are_those_of_the_closed_form_and_of_differences(name):
    p = parameters(name, SPEEDS[name][1])
    zero = jax.tree.map(jnp.zeros_like, p)
    closed = FAST(
        lambda p, direction: jax.jvp(
            lambda p: p[0].restitution_at(p[1], mass=p[2]), (p,), (direction,)
        )[1]
    )
    leaves, structure = jax.tree.flatten(p)
    step = 1e-4
    for index, leaf in enumerate(leaves):
        if leaf == 0:
            continue
        direction = jax.tree.unflatten(
            structure,
            [leaf if other == index else jnp.zeros_like(leaf) for other in range(len(leaves))],
        )
        _, slope, _ = along()(p, direction)
        np.testing.assert_allclose(slope, closed(p, direction), rtol=0, atol=1e-6)
        values = {
            k: along()(jax.tree.map(lambda at, d, k=k: at + k * step * d, p, direction), zero)[0]
            for k in (-2, -1, 1, 2)
        }
        near, far = ((values[k] - values[-k]) / (2 * k * step) for k in (1, 2))
        np.testing.assert_allclose(slope, (4 * near - far) / 3, rtol=0, atol=1e-7)


@pytest.mark.long
@pytest.mark.slow
def test_second_derivatives_of_many_impacts_at_once_are_those_of_the_closed_form():
    """Of contacts with three branches, under ``vmap``: one tears, one does not, by speed, mass and
    all parameters of the law.
    """

    def rebound(p):
        return impact(*p, jc.EventAligned(max_contacts=1)).velocity[-1, 2] / p[1]

    def restitution(p):
        return p[0].restitution_at(p[1], mass=p[2])

    def all_derivatives(function, p, one, other):
        return jax.jvp(lambda p: jax.jvp(function, (p,), (one,)), (p,), (other,))

    name, speeds = "adhesive plastic", (0.5, 1.3, 3.0)
    p = jax.tree.map(
        lambda *values: jnp.stack(values), *(parameters(name, speed) for speed in speeds)
    )
    one = jax.tree.map(lambda leaf: leaf * jnp.cos(1e3 * jnp.arange(leaf.size)), p)
    other = jax.tree.map(lambda leaf: leaf * jnp.array([1.0, -0.5, 0.3]), p)
    found, wanted = (
        FAST(jax.vmap(functools.partial(all_derivatives, f)))(p, one, other)
        for f in (rebound, restitution)
    )
    (value, slope), (_, second) = found
    (exact, exact_slope), (_, exact_second) = wanted
    np.testing.assert_allclose(value, exact, rtol=0, atol=2e-7)
    np.testing.assert_allclose(slope, exact_slope, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        second, exact_second, rtol=0, atol=2e-5 * np.max(np.abs(exact_second))
    )
    for index, speed in enumerate(speeds):
        alone = along()(parameters(name, speed), jax.tree.map(lambda leaf, at=index: leaf[at], one))
        np.testing.assert_allclose(value[index], alone[0], rtol=1e-10)
        np.testing.assert_allclose(slope[index], alone[1], rtol=0, atol=1e-9)


@pytest.mark.long("1.0")
@pytest.mark.long("3.0")
@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_single_precision_stays_single_and_is_right_to_its_rounding(speed):
    expected = LAWS["adhesive plastic"].restitution_at(speed, mass=MASS)
    with jax.enable_x64(False):
        p = jax.tree.map(
            lambda value: jnp.asarray(value, jnp.float32), (LAWS["adhesive plastic"], speed, MASS)
        )
        rebound, slope, found = along()(p, jax.tree.map(jnp.ones_like, p))
    assert found.position.dtype == rebound.dtype == jnp.float32
    assert found.status == jc.Status.SUCCESS
    assert np.all(np.isfinite(slope))
    np.testing.assert_allclose(rebound, expected, rtol=0, atol=2e-3)


def slip_in_time(work, speed, slip):
    """Slip [m/s] of a sphere that a JKR contact with friction has let go, by scipy, with plain
    forces: what presses rubs, what pulls does not.
    """
    modulus = 1e7
    pull = np.sqrt(2 * np.pi * work / modulus)
    least = (RADIUS * pull / 4) ** (2 / 3)  # contact radius at which it is torn apart
    torn = least**2 / RADIUS - pull * np.sqrt(least)

    def force(overlap):
        radius = np.sqrt(RADIUS * max(overlap, 0.0)) + 2 * (RADIUS * pull) ** (2 / 3)
        for _ in range(60):
            lacks = radius**2 / RADIUS - pull * np.sqrt(radius) - overlap
            slope = 2 * radius / RADIUS - pull / 2 / np.sqrt(radius)
            radius = max(radius - lacks / slope, least) if slope > 0 else least
        attraction = np.sqrt(8 * np.pi * work * modulus * radius**3)
        return 4 * modulus * radius**3 / (3 * RADIUS) - attraction

    def rates(_, state):
        overlap, rate, slip = state
        push = force(overlap)
        rubs = 0.2 * max(push, 0.0) * slip / np.sqrt(slip**2 + 0.01**2)
        return [rate, -push / MASS, -3.5 * rubs / MASS]

    def sign(_, state):
        return force(state[0])

    def torn_apart(_, state):
        return state[0] - torn * (1 - 1e-9)

    # It pulls from touch-down on, then presses, then pulls until it is torn apart.
    time, state = 0.0, [0.0, speed, slip]
    for event, direction in ((sign, 1), (sign, -1), (torn_apart, -1)):
        event.terminal, event.direction = True, direction
        found = solve_ivp(
            rates, (time, 0.05), state, method="DOP853", rtol=1e-11, atol=1e-14, events=event,
            first_step=1e-7,
        )  # fmt: skip
        time, state = found.t[-1], found.y[:, -1]
    return state[2]


@pytest.mark.long
@pytest.mark.slow
def test_adhesion_that_pulls_does_not_rub():
    """Where the force of an adhesive contact changes its sign, friction has a corner."""
    speed, slip, work, step = 0.5, 1.5, 50.0, 0.05

    def left(work):
        law = jc.JohnsonKendallRoberts(
            effective_modulus=1e7, effective_radius=RADIUS, work_of_adhesion=work
        )
        contact = jc.ContactModel(
            normal=law, friction=jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=0.01)
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(0.0, 0.0, 0.0)
        )
        start = jc.state(position=(0.0, 0.0, 1.001 * RADIUS), velocity=(slip, 0.0, -speed))
        found = jc.simulate(
            scene, start, jnp.array([0.0, 0.05]), method=jc.EventAligned(max_contacts=1)
        )
        return found.velocity[-1, 0] - RADIUS * found.spin[-1, 1], found.status

    slope_of = FAST(lambda work: jax.jvp(left, (work,), (jnp.ones_like(work),), has_aux=True))
    value, slope, status = slope_of(jnp.asarray(work))
    assert status == jc.Status.SUCCESS
    assert value > 0.1  # it slides to the end
    assert value == pytest.approx(slip_in_time(work, speed, slip), abs=1e-6)
    near, far = (
        (slip_in_time(work + k, speed, slip) - slip_in_time(work - k, speed, slip)) / (2 * k)
        for k in (step, 2 * step)
    )
    assert slope == pytest.approx((4 * near - far) / 3, rel=1e-5)


def test_the_restitution_of_straight_lines_does_not_depend_on_the_speed():
    for speed in (1e-3, 0.1, 10.0):
        p = parameters("Walton and Braun", speed)
        rebound, _, _ = along()(p, jax.tree.map(jnp.zeros_like, p))
        assert rebound == pytest.approx(0.5, abs=1e-8)


@pytest.mark.slow
@pytest.mark.long(
    "runge_kutta_4-Thornton",
    "runge_kutta_4-Walton and Braun",
    "runge_kutta_4-Walton and Braun, hardening",
    "runge_kutta_4-Johnson, Kendall and Roberts",
    "velocity_verlet-adhesive plastic",
)
@EACH_LAW
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "velocity_verlet", "runge_kutta_4"])
def test_fixed_steps_tend_to_the_same_motion(name, scheme):
    law, speed = LAWS[name], SPEEDS[name][1]
    expected = law.restitution_at(speed, mass=MASS)
    _, time = law.scales(impact_speed=speed, mass=MASS)
    errors = []
    for parts in (100, 400):
        step = float(time) / parts
        method = jc.FixedStep(step=step, scheme=scheme)
        contact = jc.ContactModel(normal=law)
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(0.0, 0.0, 0.0)
        )
        start = jc.state(position=(0.0, 0.0, RADIUS + 1e-7), velocity=(0.0, 0.0, -speed))
        found = jc.simulate(scene, start, np.array([0.0, 12 * float(time)]), method=method)
        errors.append(abs(float(found.velocity[-1, 2] / speed - expected)))
    assert errors[-1] < 2e-3
    assert errors[-1] < 0.6 * errors[0] + 1e-9


def resting(law, *, speed, gravity=9.81, time=1.0):
    contact = jc.ContactModel(
        normal=law, friction=jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=1e-2)
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(0.0, 0.0, -gravity)
    )
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(0.2, 0.0, -speed))
    run = FAST(functools.partial(jc.simulate, method=jc.EventAligned(max_contacts=40), ledger=True))
    return run(scene, start, jnp.linspace(0.0, time, 6))


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["Walton and Braun", "Walton and Braun, hardening", "adhesive plastic"]
)
def test_a_bouncing_sphere_comes_to_rest_and_rolls(name):
    found = resting(LAWS[name], speed=0.6)
    assert found.status == jc.Status.CAME_TO_REST
    assert found.ledger.imbalance < 1e-6
    np.testing.assert_allclose(found.velocity[-1], (0.2 * 5 / 7, 0.0, 0.0), atol=1e-6)
    load = LAWS[name].force_with_memory(LAWS[name].unloaded(1), RADIUS - found.position[-1, 2])[0]
    assert RADIUS > found.position[-1, 2] > RADIUS - 5e-4
    assert load >= 0


@pytest.mark.long
@pytest.mark.slow
def test_adhesion_holds_what_is_slower_than_the_sticking_speed():
    law = jc.JohnsonKendallRoberts(
        effective_modulus=1e8, effective_radius=RADIUS, work_of_adhesion=5.0
    )
    speed = float(law.sticking_speed(mass=MASS))
    lost = jkr_work_of_separation(
        effective_modulus=1e8, effective_radius=RADIUS, work_of_adhesion=5.0
    )
    assert MASS * speed**2 / 2 == pytest.approx(float(lost), rel=1e-12)
    for factor, sticks in ((0.99, True), (1.01, False)):
        p = jax.tree.map(jnp.asarray, (law, factor * speed, MASS))
        _, _, found = along()(p, jax.tree.map(jnp.zeros_like, p))
        assert bool(jnp.isinf(found.contacts.lift_off[0])) == sticks
    found = resting(law, speed=0.8 * speed)
    assert found.status == jc.Status.CAME_TO_REST
    assert np.sum(found.contacts.happened) == 1
    assert found.ledger.imbalance < 1e-6


@pytest.mark.long
def test_a_sphere_hangs_from_the_ceiling_up_to_the_pull_off_force():
    """A sphere that touches a ceiling, in gravity just below and above what adhesion can hold
    (quasi-static: the energy balance).
    """
    law = jc.JohnsonKendallRoberts(
        effective_modulus=1e8, effective_radius=RADIUS, work_of_adhesion=5.0
    )
    pull_off = jkr_pull_off_force(effective_radius=RADIUS, work_of_adhesion=5.0)

    def lowest(load):
        ceiling = jc.Plane(normal=(0.0, 0.0, -1.0), offset=0.0)
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            surfaces=(ceiling,),
            contact=jc.ContactModel(normal=law),
            gravity=jnp.array([0.0, 0.0, -1.0]) * load / MASS,
        )
        start = jc.state(position=(0.0, 0.0, -RADIUS + 1e-7))
        return jc.simulate(
            scene, start, jnp.array([0.0, 0.01]), method=jc.EventAligned(max_contacts=2)
        ).position[-1, 2]

    run = FAST(lowest)
    assert run(0.3 * pull_off) > -1.05 * RADIUS
    assert run(1.05 * pull_off) < -1.05 * RADIUS


@pytest.mark.long
@pytest.mark.slow
def test_three_plastic_spheres_keep_momentum_and_energy_and_have_slopes():
    """Contacts that overlap in time, load and unload again."""

    def after(p):
        law = jc.WaltonBraun(stiffness=p["stiffness"], unloading_ratio=p["ratio"])
        places = jnp.array(
            [[0.0, 0.0, 0.0], [2.0005 * RADIUS, 0.0, 0.0], [4.001 * RADIUS, 0.0, 0.0]]
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=p["mass"]),
            surfaces=(),
            contact=jc.ContactModel(normal=law),
            gravity=(0.0, 0.0, 0.0),
        )
        velocity = jnp.zeros((3, 3)).at[:, 0].set(p["velocity"])
        found = jc.simulate(
            scene,
            jc.State(places, velocity, jnp.zeros((3, 3))),
            jnp.array([0.0, 0.02]),
            ledger=True,
            method=method,
        )
        return found.velocity[-1, :, 0], found

    method = jc.EventAligned(max_contacts=8)
    p = {
        "stiffness": 1e5,
        "ratio": 2.0,
        "mass": jnp.array([0.03, 0.01, 0.04]),
        "velocity": jnp.array([1.0, 0.0, -0.4]),
    }
    p = jax.tree.map(lambda value: jnp.asarray(value, float), p)
    run = FAST(lambda p, direction: jax.jvp(after, (p,), (direction,), has_aux=True))
    zero = jax.tree.map(jnp.zeros_like, p)
    value, _, found = run(p, zero)
    assert found.status == jc.Status.SUCCESS
    assert np.sum(found.contacts.happened) >= 2
    assert found.ledger.imbalance < 1e-6
    np.testing.assert_allclose(
        jnp.sum(p["mass"] * value), jnp.sum(p["mass"] * p["velocity"]), rtol=1e-12
    )
    for leaf in p:
        direction = zero | {leaf: p[leaf] * np.cos(np.arange(p[leaf].size)).reshape(p[leaf].shape)}
        slope = run(p, direction)[1]
        values = {
            k: run(jax.tree.map(lambda at, d, k=k: at + k * 1e-4 * d, p, direction), zero)[0]
            for k in (-2, -1, 1, 2)
        }
        near, far = ((values[k] - values[-k]) / (2e-4 * k) for k in (1, 2))
        np.testing.assert_allclose(slope, (4 * near - far) / 3, rtol=0, atol=1e-6, err_msg=leaf)


ADHESIVE = {
    "adhesive plastic": jc.AdhesivePlastic(
        stiffness=1e5, plasticity_ratio=0.4, adhesion_stiffness=2e4, pull_off_force=2.0
    ),
    "Johnson, Kendall and Roberts": jc.JohnsonKendallRoberts(
        effective_modulus=1e7, effective_radius=RADIUS, work_of_adhesion=20.0
    ),
}


def rebound_on_a_spring(parameters):
    """Tangential velocity after an oblique impact, by a spring that acts while the force
    presses.
    """
    law, stiffness, coefficient, speed = parameters
    spring = jc.CundallStrack(coefficient=coefficient, tangential_stiffness=stiffness)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law, friction=spring),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.State(
        jnp.array([0.0, 0.0, 1.001 * RADIUS]), jnp.array([0.3, 0.0, -1.0]) * speed, jnp.zeros(3)
    )
    method = jc.EventAligned(max_contacts=1, sustained_steps=0)
    return jc.simulate(scene, start, jnp.array([0.0, 0.05]), method=method).velocity[-1, 0]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", ADHESIVE)
def test_a_spring_begins_where_an_adhesive_force_begins_to_press(name):
    """The instant at which it does moves with the parameters, and so do derivatives."""
    p = jax.tree.map(lambda value: jnp.asarray(value, float), (ADHESIVE[name], 2e4, 3.0, 1.0))
    program = FAST(lambda p, direction: jax.jvp(rebound_on_a_spring, (p,), (direction,)))
    step = 2e-4
    for index, leaf in enumerate(jax.tree.leaves(p)):
        leaves, structure = jax.tree.flatten(jax.tree.map(jnp.zeros_like, p))
        leaves[index] = leaf
        direction = jax.tree.unflatten(structure, leaves)
        slope = program(p, direction)[1]
        less, more = (
            program(jax.tree.map(lambda x, d, s=s: x + s * d, p, direction), direction)[0]
            for s in (-step, step)
        )
        np.testing.assert_allclose(slope, (more - less) / (2 * step), atol=2e-6)
