"""Contacts of other programs between a sphere and a plane: against plain formulas integrated by
SciPy, against the motion that a program has stored, and as the limit of ever larger spheres.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

RADIUS, MASS = 0.05, 0.1
INERTIA = 0.4 * MASS * RADIUS**2
YOUNG, POISSON = 1e7, 0.25
SOLID = Solid(youngs_modulus=YOUNG, poisson_ratio=POISSON)
PLAIN = pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1, dp_sratio=0.1)
START = {"position": (0.0, 0.0, RADIUS + 0.01), "velocity": (0.5, 0.1, -0.3), "spin": (3, 4, 5)}
TIMES = jnp.array([0.0, 0.05, 0.1, 0.2])
CONTACTS = ("edem", "edem linear", "pfc", "pfc hertz", "modia3d", "comsol", "comsol midpoint")


def edem_contact(partner=None, **changes):
    base = edem.HertzMindlin(
        solid1=SOLID,
        solid2=SOLID,
        **{"coefficient_of_restitution": 0.6, "static_friction": 0.3, **changes},
    )
    return edem.Contact(
        particle1=edem.Particle(radius=RADIUS, mass=MASS),
        particle2=None if partner is None else edem.Particle(radius=partner, mass=1e15),
        base=base,
        spinning=edem.SpinningFriction(mu=0.3),
    )


def linear_edem_contact(partner=None):
    base = edem.LinearSpring(
        solid1=SOLID,
        solid2=SOLID,
        coefficient_of_restitution=0.6,
        characteristic_velocity=1.0,
        static_friction=0.3,
        end="zero_force",
    )
    return edem_contact(partner).replace(
        base=base, spinning=edem.SpinningFriction(mu=0.2, w_reg=2.0, limit="flow", disk="hertz")
    )


def pfc_contact(partner=None, model=None):
    model = pfc.RollingResistanceLinear(linear=PLAIN, rr_fric=0.1) if model is None else model
    return pfc.Contact(model=model, radius1=RADIUS, mass1=MASS, radius2=partner)


def modia3d_contact(partner=None):
    ball = modia3d.Solid(shape=modia3d.Sphere(diameter=2 * RADIUS), solidMaterial="Steel")
    shape = (
        modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=0.1)
        if partner is None
        else modia3d.Sphere(diameter=2 * partner)
    )
    other = modia3d.Solid(shape=shape, solidMaterial="Steel")
    return modia3d.elastic_contact(ball, other, elasticContactReductionFactor=1e-4)


def comsol_contact(partner=None, arms="undeformed"):
    given = {
        "r_s": RADIUS,
        "contact": comsol.RigidBodyContact(k_pen=1e5, c_pen=20.0),
        "friction": comsol.Friction(mu=0.3, v0=0.02),
        "arms": arms,
    }
    if partner is None:
        return comsol.ArbitraryContact(**given)
    return comsol.SphericalContact(r_d=partner, **given)


def contact_of(name, partner=None):
    makers = {
        "edem": edem_contact,
        "edem linear": linear_edem_contact,
        "pfc": pfc_contact,
        "pfc hertz": lambda partner: pfc_contact(
            partner, pfc.Hertz(hz_shear=4e6, hz_poiss=0.25, fric=0.3, dp_nratio=0.1, dp_mode=1)
        ),
        "modia3d": modia3d_contact,
        "comsol": comsol_contact,
        "comsol midpoint": lambda partner: comsol_contact(partner, "midpoint"),
    }
    return makers[name](partner)


EXACT = jc.EventAligned(accuracy=1e-9)


def moved(contact, surface=None, gravity=(0.0, 0.0, -9.81), times=TIMES, method=EXACT, **changes):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=[jc.Plane() if surface is None else surface],
        contact=contact,
        gravity=gravity,
    )
    return jc.simulate(scene, jc.state(**{**START, **changes}), times, method=method)


def columns(found):
    """Position, velocity, and spin as speed of the surface."""
    return np.stack([found.position, found.velocity, RADIUS * np.asarray(found.spin)])


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTACTS)
def test_a_plane_is_the_limit_of_ever_larger_spheres(name):
    times = TIMES[:-1]  # rounding of places 1 km from a centre ends longer runs
    plane = columns(moved(contact_of(name), times=times))
    spheres = [
        columns(
            moved(contact_of(name, size), jc.Sphere(center=(0, 0, -size), radius=size), times=times)
        )
        for size in (100.0, 1000.0)
    ]
    errors = [np.max(np.abs(sphere - plane)) for sphere in spheres]
    assert errors[0] < 2e-3
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.02)
    limit = (10 * spheres[1] - spheres[0]) / 9
    np.testing.assert_allclose(plane, limit, rtol=0, atol=5e-7)


def hertz_mindlin_on_a_plane(restitution, friction, rolling, spinning):
    """Rates of place, velocity, spin and elongation over ``z = 0``, from EDEM's formulas."""
    modulus = YOUNG / (2 * (1 - POISSON**2))
    shear = YOUNG / (4 * (1 + POISSON) * (2 - POISSON))
    beta = -np.log(restitution) / np.hypot(np.log(restitution), np.pi)
    up = np.array([0.0, 0.0, 1.0])

    def rates(_, y):
        x, v, w, xi = y.reshape(4, 3)
        overlap = max(RADIUS - x[2], 1e-30)
        arm = -(RADIUS - overlap / 2) * up
        slip = v + np.cross(w, arm)
        slip[2] = 0.0
        load = 4 / 3 * modulus * np.sqrt(RADIUS) * overlap**1.5
        normal = 2 * modulus * np.sqrt(RADIUS * overlap)
        k = 8 * shear * np.sqrt(RADIUS * overlap)
        damping, c = (2 * np.sqrt(5 / 6) * beta * np.sqrt(s * MASS) for s in (normal, k))
        trial = k * xi + c * slip
        held = trial * min(1.0, friction * load / np.linalg.norm(trial))
        disk = np.sqrt(2 * RADIUS * overlap - overlap**2)
        torque = -2 / 3 * spinning * load * disk * np.sign(w[2]) * up
        torque = torque - damping / 4 * disk**2 * np.array([w[0], w[1], 0.0])
        torque = torque - rolling * load * RADIUS * w / np.linalg.norm(w)
        force = (load - damping * v[2]) * up - held
        turning = (np.cross(arm, force) + torque) / INERTIA
        stretch = (held - k * xi) / c + np.cross(w[2] / 2 * up, xi)
        return np.concatenate([v, force / MASS - 9.81 * up, turning, stretch])

    return rates


def linear_on_a_plane(kn, ks, friction, ratios):
    """The same from PFC's: a spring that slides along its force ``F = mu k_n d u``."""
    c_n, c_s = (2 * ratio * np.sqrt(MASS * k) for ratio, k in zip(ratios, (kn, ks), strict=True))
    up = np.array([0.0, 0.0, 1.0])

    def rates(_, y):
        x, v, w, spring = y.reshape(4, 3)
        overlap = RADIUS - x[2]
        arm = -(RADIUS - overlap / 2) * up
        slip = v + np.cross(w, arm)
        slip[2] = 0.0
        rate = -ks * slip + np.cross(w[2] / 2 * up, spring)
        limit, size = friction * kn * overlap, np.linalg.norm(spring)
        if size >= limit > 0:  # follows its limit, unless it falls faster by itself
            along = spring / size
            beyond = rate @ along + friction * kn * v[2] + 1e6 * (size - limit)
            rate = rate - max(beyond, 0.0) * along
        force = (kn * overlap - c_n * v[2]) * up + spring - c_s * slip - MASS * 9.81 * up
        turning = np.cross(arm, spring - c_s * slip) / INERTIA
        return np.concatenate([v, force / MASS, turning, rate])

    return rates


def in_contact(rates, start, *, accuracy=1e-11, step=np.inf):
    """From a touch-down at time 0 to the lift-off: time, velocity and speed of the surface."""

    def gap(_, y):
        return y[2] - RADIUS

    gap.terminal, gap.direction = True, 1.0
    y = np.concatenate([start["position"], start["velocity"], start["spin"], np.zeros(3)])
    run = solve_ivp(
        rates, (0.0, 0.1), y, "DOP853", events=gap, rtol=accuracy, atol=1e-13, max_step=step
    )
    assert run.status == 1
    return np.array([run.t[-1], *run.y[3:6, -1], *(RADIUS * run.y[6:9, -1])])


def touching(velocity, spin):
    return {"position": np.array([0.0, 0.0, RADIUS]), "velocity": velocity, "spin": spin}


@pytest.mark.parametrize("velocity", [(0.5, 0.1, -0.8), (0.05, -0.02, -0.8)])
def test_hertz_mindlin_on_a_plane_is_that_of_plain_formulas(velocity):
    start = touching(np.array(velocity), np.array([3.0, 4.0, 5.0]))
    contact = edem_contact(rolling_friction=0.01, static_friction=0.3)
    expected = in_contact(hertz_mindlin_on_a_plane(0.6, 0.3, 0.01, 0.3), start)
    found = moved(contact, times=jnp.array([0.0, expected[0]]), **start)
    end = [found.contacts.lift_off[0], *found.velocity[-1], *(RADIUS * found.spin[-1])]
    np.testing.assert_allclose(end, expected, rtol=0, atol=2e-8)


@pytest.mark.parametrize(
    ("velocity", "tolerance"), [((0.5, 0.1, -0.8), 2e-5), ((0.0, 0.0, -0.8), 1e-8)]
)
def test_a_linear_spring_on_a_facet_is_that_of_plain_formulas(velocity, tolerance):
    """The formulas hold the force at its limit by a stiff pull, which is not quite at it."""
    start = touching(np.array(velocity), np.array([1.0, 2.0, 5.0]))
    rates = linear_on_a_plane(1e5, 5e4, 0.3, (0.1, 0.1))
    expected = in_contact(rates, start, accuracy=1e-9, step=1e-6)
    found = moved(pfc_contact(model=PLAIN), times=jnp.array([0.0, expected[0]]), **start)
    end = [found.contacts.lift_off[0], *found.velocity[-1], *(RADIUS * found.spin[-1])]
    np.testing.assert_allclose(end, expected, rtol=0, atol=tolerance)


@pytest.mark.slow
def test_a_bouncing_sphere_moves_as_the_program_stored():
    """Modia3D's test model BouncingSphere, six bounces on the plane of its floor."""
    ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.2), solidMaterial="Steel")
    floor = modia3d.Solid(
        shape=modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=0.1), solidMaterial="Steel"
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.1, mass=0.001),
        surfaces=[jc.Plane()],
        contact=modia3d.elastic_contact(ball, floor, contactEpsilon=1e-13, tension=True),
    )
    start = jc.state(position=(0.0, 0.0, 1.1))
    found = jc.simulate(scene, start, jnp.array([0.0, 2.2]))
    assert found.contacts.happened.sum() == 6
    end = [found.velocity[-1, 2], found.position[-1, 2] - 0.1]
    np.testing.assert_allclose(end, [-0.4417983315849275, 0.0003869217525311367], atol=5e-5)


@pytest.mark.parametrize("name", ["edem", "pfc", "modia3d", "comsol"])
def test_the_motion_turns_with_the_scene(name):
    turn = Rotation.from_euler("xyz", [0.4, -0.7, 0.2])
    normal, shift = turn.apply((0.0, 0.0, 1.0)), np.array([0.3, -0.2, 0.1])
    level = columns(moved(contact_of(name)))
    start = {
        "position": turn.apply(START["position"]) + shift,
        "velocity": turn.apply(START["velocity"]),
        "spin": turn.apply(START["spin"]),
    }
    plane = jc.Plane(normal=3.0 * normal, offset=normal @ shift)
    found = moved(contact_of(name), plane, turn.apply((0.0, 0.0, -9.81)), **start)
    turned = columns(found) - np.array([shift, np.zeros(3), np.zeros(3)])[:, None]
    expected = turn.apply(level.reshape(-1, 3)).reshape(level.shape)
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edem", "pfc", "modia3d", "comsol"])
def test_derivatives_are_those_of_differences(name):
    """By a velocity, the slope of the plane and its height; forward and reverse."""
    method = EXACT.replace(max_steps=1024, max_contacts=4)
    times = jnp.array([0.0, 0.15])

    def end(inputs):
        plane = jc.Plane(normal=(inputs[0], 0.05, 1.0), offset=inputs[1])
        velocity = (0.5, inputs[2], -0.3)
        found = moved(contact_of(name), plane, times=times, method=method, velocity=velocity)
        return jnp.concatenate([found.velocity[-1], RADIUS * found.spin[-1], found.status[None]])

    at = jnp.array([0.02, -0.001, 0.1])
    forward = jax.jit(jax.jacfwd(end))(at)
    both = jax.jit(jax.vmap(end))
    steps = 1e-4 * np.eye(3)
    assert end(at)[-1] == 0
    points = both(jnp.concatenate([at + k * steps for k in (2, 1, -1, -2)]))
    twice, once, back, far = np.split(np.asarray(points), 4)
    differences = ((8 * (once - back) - (twice - far)) / (12 * 1e-4)).T
    np.testing.assert_allclose(forward, differences, rtol=0, atol=2e-5)
    reverse = jax.jit(jax.jacrev(end))(at)
    np.testing.assert_allclose(reverse, forward, rtol=0, atol=1e-9)


def test_a_ball_that_lies_on_a_plane_sinks_in_by_its_weight():
    found = moved(
        pfc_contact(model=PLAIN),
        times=jnp.array([0.0, 2.0]),
        position=(0.0, 0.0, RADIUS),
        velocity=(0.0, 0.0, 0.0),
        spin=(0.0, 0.0, 0.0),
    )
    overlap = RADIUS - float(found.position[-1, 2])
    assert overlap == pytest.approx(MASS * 9.81 / 1e5, rel=1e-6)
    np.testing.assert_allclose(found.velocity[-1], 0.0, atol=1e-8)


@pytest.mark.parametrize("base", [edem.LinearSpring, edem.HertzMindlin])
@pytest.mark.parametrize(("overlap", "speed"), [(1e-4, 1.0), (5e-7, 3e-3)])
def test_a_start_in_overlap_is_held_by_the_dashpot_as_it_parts(base, overlap, speed):
    """Up to zero overlap, the default end. It had no normal force for good, and fell through."""
    constants = {"coefficient_of_restitution": 0.2, "static_friction": 0.3}
    if base is edem.LinearSpring:
        constants["characteristic_velocity"] = 1.0
    law = base(solid1=SOLID, solid2=SOLID, **constants)
    contact = edem.Contact(particle1=edem.Particle(radius=RADIUS, mass=MASS), base=law)
    modulus = YOUNG / (2 * (1 - POISSON**2))
    beta = -np.log(0.2) / np.hypot(np.log(0.2), np.pi)
    linear = 16 / 15 * np.sqrt(RADIUS) * modulus
    linear *= (15 * MASS / (16 * np.sqrt(RADIUS) * modulus)) ** 0.2

    def rates(_, y):
        deep = max(RADIUS - y[0], 0.0)
        if base is edem.LinearSpring:
            spring, stiffness, share = linear * deep, linear * (deep > 0), 1.0
        else:
            spring = 4 / 3 * modulus * np.sqrt(RADIUS) * deep**1.5
            stiffness, share = 2 * modulus * np.sqrt(RADIUS * deep), np.sqrt(5 / 6)
        force = spring - 2 * share * beta * np.sqrt(stiffness * MASS) * y[1]
        return [y[1], force / MASS - 9.81]

    run = solve_ivp(
        rates, (0, 0.05), [RADIUS - overlap, speed], "DOP853", rtol=1e-10, atol=1e-14, max_step=1e-5
    )
    found = moved(
        contact,
        times=jnp.array([0.0, 0.05]),
        position=(0.0, 0.0, RADIUS - overlap),
        velocity=(0.0, 0.0, speed),
        spin=(0.0, 0.0, 0.0),
    )
    end = [found.position[-1, 2], found.velocity[-1, 2]]
    np.testing.assert_allclose(end, run.y[:, -1], rtol=0, atol=1e-6)


def test_rounding_does_not_decide_how_a_ball_that_lies_starts_to_slide():
    """A normal velocity of rounding was a touch-down long ago, and the spring at its limit."""
    deep, times = MASS * 9.81 / 1e5, jnp.array([0.0, 2e-3])
    ends = [
        moved(
            pfc_contact(model=PLAIN),
            times=times,
            position=(0.0, 0.0, RADIUS - deep),
            velocity=(1e-3, 0.0, speed),
            spin=(0.0, 0.0, 0.0),
        ).velocity[-1]
        for speed in (0.0, -1e-20, 1e-20)
    ]
    np.testing.assert_allclose(ends[1:], [ends[0], ends[0]], rtol=0, atol=1e-12)


def test_a_centre_behind_the_plane_is_no_start():
    with pytest.raises(jc.SimulationError, match="start"):
        moved(pfc_contact(), position=(0.0, 0.0, -RADIUS / 10))


BALL = exudyn.ObjectContactSphereSphere(spheresRadii=(RADIUS, RADIUS), contactStiffness=1e5)


@pytest.mark.parametrize(
    ("contact", "surfaces", "words"),
    [
        (edem_contact(RADIUS), [jc.Plane()], "two spheres.*on a plane: edem.Contact without"),
        (pfc_contact(RADIUS), [jc.Plane()], "on a plane: pfc.Contact without radius2"),
        (modia3d_contact(RADIUS), [jc.Plane()], "on a plane: modia3d.elastic_contact with a"),
        (comsol_contact(RADIUS), [jc.Plane()], "on a plane: comsol.ArbitraryContact"),
        (BALL, [jc.Plane()], "on a plane: a jc.ContactModel"),
        (edem_contact(), [jc.Sphere(radius=1.0)], "a sphere and a plane.*one jc.Plane at rest"),
        (pfc_contact(), [], "one jc.Plane at rest"),
        (pfc_contact(), [jc.Plane(), jc.Plane(normal=(1, 0, 0), offset=-1)], "one jc.Plane"),
        (
            comsol_contact(),
            [jc.Plane(motion=jc.PrescribedMotion(amplitude=(0, 0, 1e-3), frequency=9.0))],
            "one jc.Plane at rest",
        ),
    ],
)
def test_what_a_contact_is_not_between_is_refused(contact, surfaces, words):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=surfaces, contact=contact
    )
    with pytest.raises(ValueError, match=f"(?s){words}|surfaces is empty"):
        jc.simulate(scene, jc.state(position=(0, 0, 2.0)), TIMES)


def test_two_spheres_are_not_a_sphere_and_a_plane():
    scene = jc.Scene(
        bodies=jc.spheres(radius=[RADIUS, RADIUS], mass=[MASS, MASS]),
        surfaces=[jc.Plane()],
        contact=edem_contact(),
    )
    state = jc.state(position=[(0, 0, 1.0), (1, 0, 1.0)])
    with pytest.raises(ValueError, match="a sphere and a plane, but the scene has 2 spheres"):
        jc.simulate(scene, state, TIMES)


def test_a_facet_has_no_mass():
    with pytest.raises(ValueError, match=r"mass2 = 0.1, but radius2 is missing"):
        pfc.Contact(model=PLAIN, radius1=RADIUS, mass1=MASS, mass2=0.1)


@pytest.mark.parametrize("number", [1, 2])
def test_a_solid_that_is_neither_a_sphere_nor_flat_is_refused(number):
    odd = modia3d.Solid(shape=modia3d.Capsule(diameter=0.06, length=0.1), solidMaterial="Steel")
    ball = modia3d.Solid(shape=modia3d.Sphere(diameter=2 * RADIUS), solidMaterial="Steel")
    solids = (odd, ball) if number == 1 else (ball, odd)
    with pytest.raises(ValueError, match=rf"solid{number}.shape = .* a modia3d.Sphere"):
        moved(modia3d.elastic_contact(*solids))
