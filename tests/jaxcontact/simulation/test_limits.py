"""Limits: rigid for stiff contacts, the same for short fixed steps; and energy is lost only."""

import jax
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.trajectory import span_on_path
from tests.jaxcontact.simulation import differentiated, scenes
from tests.jaxcontact.simulation.test_values import RESTITUTIONS, random_case

DROP = {"velocity": np.zeros(3), "spin": np.zeros(3), "friction": 0.0}


def test_the_derivative_of_a_stiff_contact_tends_to_that_of_a_rigid_impact():
    """The gap is of the order of the contact duration, which falls with the stiffness to the power
    -2/5.
    """
    fall, gaps = 0.1, []
    impact, time = np.sqrt(2 * 9.81 * fall), np.sqrt(2 * fall / 9.81)
    for stiffness in (1e7, 1e9, 1e11):
        p = differentiated.parameters(
            **DROP, stiffness=stiffness, reference_speed=impact, duration=0.3
        )
        # z = R + e v late - g late^2/2
        gaps.append(
            abs(
                differentiated.compiled("jacobian")(p)["restitution"][-1, 2]
                - impact * (p["times"][-1] - time)
            )
        )
    assert gaps[0] / gaps[1] == pytest.approx(100**0.4, rel=0.05)
    assert gaps[1] / gaps[2] == pytest.approx(100**0.4, rel=0.05)
    assert gaps[2] < 1e-4


def at_fixed_steps(p: dict, *, step: float, scheme: str = "semi_implicit_euler") -> jax.Array:
    """Height at the last time."""
    start, times = scenes.initial(p), np.array([0.0, p["times"][-1]])
    return jc.simulate(
        differentiated.scene(p), start, times, method=jc.FixedStep(step=step, scheme=scheme)
    ).position[-1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "steps"),
    [
        ("semi_implicit_euler", (1e-4, 1e-5)),
        ("velocity_verlet", (1e-4, 1e-5)),
        ("runge_kutta_4", (1e-4, 2.5e-5)),
    ],
)
def test_short_fixed_steps_tend_to_the_event_aligned_trajectory(scheme, steps):
    p = differentiated.parameters(**DROP)
    exact = differentiated.path_at(p)[-1, 2]
    coarse, fine = (abs(at_fixed_steps(p, step=step, scheme=scheme) - exact) for step in steps)
    assert fine < coarse / 4
    assert fine < 1e-5


def test_the_derivative_of_a_fixed_step_is_wrong_where_its_trajectory_is_right():
    """A few stiff bounces with the step of 1e-5 s that is usual: why EventAligned exists."""
    p = differentiated.parameters(**DROP, stiffness=1e8, duration=1.0)
    exact, slope = (
        differentiated.path_at(p)[-1, 2],
        differentiated.compiled("jacobian")(p)["restitution"][-1, 2],
    )
    plain, plain_slope = jax.jit(
        lambda e: jax.jvp(
            lambda e: at_fixed_steps({**p, "restitution": e}, step=1e-5), (e,), (1.0,)
        )
    )(p["restitution"])
    assert abs(plain - exact) < 1e-3
    assert abs(plain_slope / slope - 1) > 1


@pytest.mark.long
@pytest.mark.parametrize(
    "law", [scenes.LAWS[0], *(pytest.param(law, marks=pytest.mark.slow) for law in scenes.LAWS[1:])]
)
def test_energy_is_lost_only(law):
    rng = np.random.default_rng(4)
    cases = [
        {**random_case(rng, restitution, tilt=0.2), "duration": 0.5}
        for restitution in (*RESTITUTIONS, 0.3, 0.1)
    ]
    found = scenes.run(cases, law=law)
    for i, case in enumerate(cases):
        p = {**scenes.BASE, **case}
        kinetic = np.sum(found.velocity[i] ** 2, axis=-1) / 2
        turning = p["inertia_ratio"] * p["radius"] ** 2 * np.sum(found.spin[i] ** 2, axis=-1) / 2
        total = kinetic + turning - found.position[i] @ p["gravity"]
        contacts, times = found.contacts, found.times[i]
        begins, ends = contacts.touch_down[i], contacts.lift_off[i]
        touching = contacts.happened[i] & (begins <= times[:, None]) & (times[:, None] <= ends)
        # Elastic energy is not counted: in a contact the sum is only bounded from above by that
        # before.
        flying = total[~np.any(touching, axis=1)]
        assert np.all(np.diff(flying) <= 1e-6 * np.ptp(total) + 1e-9)
        assert np.all(total <= total[0] + 1e-6 * np.ptp(total) + 1e-9)


@pytest.mark.long("0.45")
@pytest.mark.parametrize("drag", [0.0, 0.45])
def test_a_path_has_no_jump_whatever_duration_a_fit_tries(drag):
    """A search for the duration of an impact may go below nothing. A jump in the path is a wall for
    it at each sample that the touch-down passes.
    """
    times = np.concatenate([[0.0], np.arange(0.2, 0.3, 2e-5)])

    def motion(duration):
        law = jc.NewtonRestitution(restitution=0.8, duration=duration)
        scene = jc.Scene(
            bodies=jc.spheres(radius=0.02, mass=0.0027),
            surfaces=[jc.Plane()],
            contact=jc.ContactModel(normal=law),
            drag=jc.QuadraticDrag(coefficient=drag) if drag else None,
        )
        method = jc.Impulse(max_contacts=2)
        return jc.simulate(scene, jc.state(position=(0, 0, 0.35)), times, method=method)

    paths = jax.jit(jax.vmap(motion))(np.array([-6e-3, -1e-3, 0.0, 1e-3]))
    steps = np.diff(paths.position[:, 1:, 2], axis=1)
    fastest = np.max(paths.contacts.impact_speed)
    # Flights that cross are a little apart where a straight line would cross: g t^2.
    assert np.max(np.abs(steps)) < 1.01 * fastest * 2e-5 + 9.81 * 6e-3**2
    assert np.all(np.max(steps, axis=1) > 0.7 * fastest * 2e-5)  # it does bounce


def test_a_path_that_skips_a_contact_changes_flights_where_they_are_equally_high():
    impact, rebound, touch_down = np.array([[2.0, 0.5], [1.0, 0.5], [0.3, 0.3]])
    entered, left = span_on_path(touch_down, touch_down - 0.01, impact, rebound)
    np.testing.assert_array_equal(entered, left)
    falls, rises = -impact * (entered - touch_down), rebound * (entered - touch_down + 0.01)
    np.testing.assert_allclose(falls, rises, rtol=1e-12)
    assert np.all(rises > 0)


@pytest.mark.long
def test_a_rigid_impact_that_lasts_is_as_deep_as_a_contact_with_springs():
    """Pictures of a soft ball show it inside its contact: too shallow a path there would make the
    duration, and the stiffness that follows from it, that of a softer ball.
    """
    speed, mass = 3.0, 0.0027
    times = np.concatenate([[0.0], 1e-3 + np.linspace(0.0, 1e-2, 41)])

    def motion(law, method):
        scene = jc.Scene(
            bodies=jc.spheres(radius=0.02, mass=mass),
            surfaces=[jc.Plane()],
            contact=jc.ContactModel(normal=law),
        )
        start = jc.state(position=(0, 0, 0.02 + 1e-3 * speed), velocity=(0, 0, -speed))
        found = jc.simulate(scene, start, times, method=method)
        lasts = found.contacts.lift_off[0] - found.contacts.touch_down[0]
        return np.maximum(0.02 - np.asarray(found.position[:, 2]), 0.0), float(lasts)

    for restitution in (0.75, 0.99):
        spring = jc.HuntCrossley(stiffness=5e3, restitution=restitution)
        soft, lasts = motion(spring, jc.EventAligned(max_contacts=1))
        assert 7e-3 < lasts < 1e-2
        # A duration is that of an impact at 1 m/s.
        rigid = jc.NewtonRestitution(restitution=restitution, duration=lasts * speed**0.2)
        depth, duration = motion(rigid, jc.Impulse(max_contacts=1))
        assert duration == pytest.approx(lasts, rel=1e-2)
        assert np.max(np.abs(depth - soft)) < 0.15 * np.max(soft), restitution
