"""Rigid clumps of spheres: full inertia, orientation, impacts at the end of an arm."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import jaxcontact as jc
from jaxcontact.geometry.rotation import rotate_by_quaternion

LAW = jc.HuntCrossley(stiffness=1e9, restitution=0.7)
FRICTION = jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=1e-2)


def inertia_tensor() -> np.ndarray:
    axes, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    return axes @ np.diag([2e-4, 3e-4, 4.5e-4]) @ axes.T


def dumbbell(**changes) -> jc.Clumps:
    given = {
        "offset": ((-0.03, 0.0, 0.0), (0.03, 0.0, 0.0), (0.0, 0.02, 0.01)),
        "radius": 0.01,
        "mass": 0.4,
        "inertia": inertia_tensor(),
    }
    return jc.clump(**{**given, **changes})


@pytest.mark.long
def test_a_free_body_keeps_energy_and_angular_momentum():
    """Unequal moments of inertia: the spin changes all the time."""
    scene = jc.Scene(
        bodies=dumbbell(),
        surfaces=(jc.Plane(offset=-9.0),),
        contact=jc.ContactModel(normal=LAW),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=(0.0, 0.0, 0.0),
        velocity=(0.1, 0.2, 0.3),
        spin=(3.0, -8.0, 5.0),
        orientation=(0.5, 0.1, -0.7, 0.2),
    )
    found = jc.simulate(
        scene,
        start,
        jnp.linspace(0.0, 1.0, 5),
        ledger=True,
        method=jc.EventAligned(max_contacts=4, max_steps=400),
    )
    ledger = found.ledger
    assert found.status == jc.Status.SUCCESS
    np.testing.assert_allclose(ledger.kinetic, ledger.kinetic[0], rtol=1e-6)
    np.testing.assert_allclose(ledger.angular_momentum - ledger.angular_momentum[0], 0.0, atol=1e-8)
    assert np.ptp(found.spin[:, 0]) > 1.0


@functools.cache
def drop(method, friction):
    """Of a dumbbell that stands on one ball at an angle, on a plane."""

    def run(spin, velocity) -> jc.Trajectory:
        contact = jc.ContactModel(normal=LAW, friction=friction)
        scene = jc.Scene(bodies=dumbbell(), contact=contact, gravity=(0.0, 0.0, 0.0))
        start = jc.state(
            position=(0.0, 0.0, 0.06),
            velocity=velocity,
            spin=spin,
            orientation=(0.9, 0.2, 0.5, -0.1),
        )
        return jc.simulate(scene, start, jnp.linspace(0.0, 0.05, 3), method=method)

    return jax.jit(run)


METHODS = pytest.mark.parametrize(
    "method", [jc.Impulse(max_contacts=3), jc.EventAligned(max_contacts=3)], ids=["rigid", "soft"]
)


@pytest.mark.long("soft")
@METHODS
@pytest.mark.slow
def test_a_smooth_impact_off_centre_rebounds_with_the_restitution_asked_for(method):
    """``J = (1 + e) v m_eff`` with ``1/m_eff = 1/m + (r x n) . I^-1 (r x n)``."""
    spin, velocity = np.zeros(3), np.array([0.1, 0.0, -1.0])
    found = drop(method, jc.NoFriction())(spin, velocity)
    assert int(np.sum(found.contacts.happened)) == 1
    turn = np.array([0.9, 0.2, 0.5, -0.1]) / np.linalg.norm([0.9, 0.2, 0.5, -0.1])
    offsets = np.asarray(rotate_by_quaternion(np.array(dumbbell().offset), turn))
    lowest = offsets[np.argmin(offsets[:, 2])]
    axes = np.asarray(rotate_by_quaternion(np.eye(3), turn)).T
    inverse = axes @ np.linalg.inv(inertia_tensor()) @ axes.T
    normal = np.array([0.0, 0.0, 1.0])
    moment = np.cross(lowest - 0.01 * normal, normal)
    mass = 1 / (1 / 0.4 + moment @ inverse @ moment)
    impulse = 1.7 * mass
    within = (
        1e-9 if isinstance(method, jc.Impulse) else 2e-3
    )  # the body turns a little while it touches
    np.testing.assert_allclose(found.velocity[-1], velocity + impulse / 0.4 * normal, atol=within)
    # Free of torque after the impact, but with unequal moments: compare the angular momentum.
    after = np.asarray(rotate_by_quaternion(np.eye(3), found.orientation[-1])).T
    momentum = after @ inertia_tensor() @ after.T @ np.asarray(found.spin[-1])
    np.testing.assert_allclose(momentum, impulse * moment, atol=1e-9 if within < 1e-6 else 1e-4)
    assert found.contacts.rebound_speed[0] == pytest.approx(
        0.7, rel=1e-6 if within < 1e-6 else 3e-2
    )


@pytest.mark.long
def test_a_clump_of_one_member_is_a_sphere():
    contact = jc.ContactModel(normal=LAW, friction=FRICTION)
    sphere = jc.spheres(radius=0.02, mass=0.03)
    times = jnp.linspace(0.0, 0.4, 5)
    start = {"position": (0.0, 0.0, 0.08), "velocity": (0.5, 0.1, 0.0), "spin": (3.0, -20.0, 9.0)}
    method = jc.EventAligned(max_contacts=8, sustained_steps=0)
    one = jc.simulate(
        jc.Scene(bodies=jc.together(sphere), contact=contact),
        jc.state(**start),
        times,
        method=method,
    )
    other = jc.simulate(
        jc.Scene(bodies=sphere, contact=contact), jc.state(**start), times, method=method
    )
    np.testing.assert_allclose(one.position, other.position, atol=1e-7)
    np.testing.assert_allclose(one.spin, other.spin, atol=1e-5)


def test_bodies_of_different_make_share_a_scene():
    both = jc.together(
        jc.spheres(radius=(0.01, 0.02), mass=0.1),
        jc.cube(half_width=0.05, mass=0.3),
        jc.spheres(radius=0.03, mass=0.2),
    )
    assert both.of_body == (0, 1, *(2,) * 8, 3)
    np.testing.assert_allclose(both.mass, [0.1, 0.1, 0.3, 0.2])
    np.testing.assert_allclose(both.inertia[2], 2 / 3 * 0.3 * 0.05**2 * np.eye(3))
    np.testing.assert_allclose(np.abs(both.offset[2:10]), 0.0475)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: jc.clump(offset=(0.0, 0.0, 0.0), radius=0.1, mass=1.0, inertia=1.0),
            "offset has shape",
        ),
        (lambda: jc.clump(offset=np.zeros((2, 3)), radius=-0.1, mass=1.0, inertia=1.0), "radius"),
        (
            lambda: jc.clump(offset=np.zeros((2, 3)), radius=0.1, mass=1.0, inertia=(1.0, 2.0)),
            "inertia",
        ),
        (
            lambda: jc.clump(
                offset=np.zeros((2, 3)), radius=0.1, mass=1.0, inertia=(1.0, 2.0, -3.0)
            ),
            "positive definite",
        ),
        (lambda: jc.cube(half_width=0.1, mass=1.0, corner_radius=0.2), "corner_radius"),
        (lambda: jc.together(), "at least one body"),
        (
            lambda: jc.state(position=(0.0, 0.0, 1.0), orientation=(0.0, 0.0, 0.0, 0.0)),
            "orientation",
        ),
        (lambda: jc.state(position=(0.0, 0.0, 1.0), orientation=(1.0, 0.0, 0.0)), "orientation"),
        (
            lambda: jc.Scene(
                bodies=dumbbell(), contact=jc.ContactModel(normal=LAW), drag=jc.QuadraticDrag()
            ),
            "drag",
        ),
        (lambda: jc.AnchorSpring(body=-1, stiffness=1.0, anchor=jc.PrescribedMotion()), "body"),
    ],
)
def test_bad_bodies_are_said_before_anything_is_traced(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.long
@pytest.mark.slow
def test_the_spin_of_a_free_body_is_that_of_eulers_equations_between_steps_too():
    inertia, spin = np.array([1e-6, 2e-6, 2.7e-6]), np.array([20.0, 30.0, 10.0])
    body = jc.clump(
        offset=((0.01, 0.0, 0.0), (-0.01, 0.0, 0.0)), radius=0.005, mass=0.02, inertia=inertia
    )
    law = jc.HuntCrossley(stiffness=1e7, restitution=0.8)
    scene = jc.Scene(
        bodies=body, surfaces=(jc.Plane(offset=-10.0),), contact=jc.ContactModel(normal=law)
    )
    times = np.linspace(0.0, 0.35, 28)
    expected = solve_ivp(
        lambda _, w: -np.cross(w, inertia * w) / inertia,
        (0.0, times[-1]),
        spin,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=times,
    ).y.T
    found = jc.simulate(
        scene,
        jc.state(position=(0.0, 0.0, 0.0), spin=spin, orientation=(1.0, 0.0, 0.0, 0.0)),
        times,
        method=jc.EventAligned(max_contacts=1),
    )
    turned = Rotation.from_quat(np.array(found.orientation), scalar_first=True)
    own = turned.inv().apply(np.array(found.spin))
    np.testing.assert_allclose(own, expected, rtol=0, atol=1e-6 * np.linalg.norm(spin))


@pytest.mark.long
def test_steps_that_do_not_suffice_for_a_turning_body_are_said_and_nothing_is_nan():
    scene = jc.Scene(
        bodies=dumbbell(), contact=jc.ContactModel(normal=LAW), gravity=(0.0, 0.0, 0.0)
    )
    start = jc.state(position=(0.0, 0.0, 9.0), spin=(30.0, -80.0, 50.0))
    method = jc.EventAligned(max_contacts=1, max_steps=16)
    found = jc.simulate(scene, start, jnp.linspace(0.0, 10.0, 5), method=method, strict=False)
    assert found.status == jc.Status.TOO_FEW_STEPS
    assert all(np.all(np.isfinite(x)) for x in (found.position, found.velocity, found.spin))
