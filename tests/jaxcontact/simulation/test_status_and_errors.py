"""How a simulation ends is said by its status, and what it cannot do by an error before anything is
traced.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

TIMES = np.linspace(0.0, 1.0, 11)


def scene(**changes):
    """A ball above a plane."""
    contact = jc.ContactModel(
        normal=changes.pop("normal", jc.HuntCrossley(stiffness=1e7, restitution=0.8)),
        friction=changes.pop("friction", jc.NoFriction()),
    )
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact, **changes)


def drop(height=0.3, **changes):
    """The ball at rest, its lowest point at ``height``."""
    return jc.state(position=(0, 0, 0.02 + height), **changes)


@pytest.mark.long
def test_a_budget_that_is_too_small_is_said_and_flight_is_extrapolated():
    enough = jc.simulate(scene(), drop(), TIMES)
    method = jc.EventAligned(max_contacts=1)
    with pytest.raises(jc.SimulationError, match="Raise max_contacts"):
        jc.simulate(scene(), drop(), TIMES, method=method)
    short = jc.simulate(scene(), drop(), TIMES, method=method, strict=False)
    assert int(enough.status) == jc.Status.SUCCESS
    assert int(short.status) == jc.Status.TOO_FEW_CONTACTS
    assert "max_contacts" in short.advice
    np.testing.assert_allclose(short.position[:6], enough.position[:6], atol=1e-9)
    assert np.all(np.isfinite(short.position))


@pytest.mark.long
def test_a_ball_that_comes_to_rest_lies_at_its_static_overlap():
    found = jc.simulate(
        scene(normal=jc.HuntCrossley(stiffness=1e7, restitution=0.3)),
        drop(0.05),
        np.linspace(0, 2, 21),
    )
    assert int(found.status) == jc.Status.CAME_TO_REST
    overlap = (0.03 * 9.81 / 1e7) ** (2 / 3)
    assert found.position[-1, 2] == pytest.approx(0.02 - overlap, abs=1e-12)
    assert np.all(np.asarray(found.velocity[-1]) == 0)


def test_a_ball_that_slides_to_a_roll_keeps_five_sevenths_of_its_speed():
    friction = jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=1e-4)
    found = jc.simulate(
        scene(friction=friction), jc.state(position=(0, 0, 0.02), velocity=(1, 0, 0)), TIMES
    )
    assert found.velocity[-1, 0] == pytest.approx(5 / 7, rel=1e-9)
    assert found.spin[-1, 1] * 0.02 == pytest.approx(5 / 7, rel=1e-9)


@pytest.mark.slow
def test_a_ball_rolls_down_an_incline_with_five_sevenths_of_the_acceleration():
    angle = np.radians(10)
    gravity = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    for friction, method in (
        # What holds it creeps by a quarter of the slip velocity.
        (jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=1e-6), jc.EventAligned()),
        (jc.Coulomb(coefficient=0.2, tangential_restitution=0.5), jc.Impulse()),
    ):
        found = jc.simulate(
            scene(friction=friction, gravity=gravity),
            jc.state(position=(0, 0, 0.02)),
            TIMES,
            method=method,
        )
        assert found.velocity[-1, 0] == pytest.approx(5 / 7 * 9.81 * np.sin(angle), rel=1e-6)
        assert found.position[-1, 0] == pytest.approx(5 / 14 * 9.81 * np.sin(angle), rel=1e-6)


def test_stiff_contacts_tend_to_rigid_impacts():
    rigid = jc.simulate(
        scene(normal=jc.NewtonRestitution(restitution=0.8)), drop(), TIMES, method=jc.Impulse()
    ).position
    gaps = [
        float(
            jnp.max(
                jnp.abs(
                    jc.simulate(
                        scene(normal=jc.HuntCrossley(stiffness=k, restitution=0.8)), drop(), TIMES
                    ).position
                    - rigid
                )
            )
        )
        for k in (1e8, 1e10, 1e12)
    ]
    assert gaps[2] < 1e-4
    # The gap is the contact duration, which falls as k^(-2/5).
    assert gaps[0] / gaps[1] == pytest.approx(100**0.4, rel=0.1)


def test_one_sphere_may_carry_a_body_axis():
    found = jc.simulate(scene(), jc.state(position=[(0, 0, 0.3)]), TIMES)
    assert found.position.shape == (11, 1, 3)


@pytest.mark.long
def test_a_state_may_be_made_of_traced_components():
    height = jax.jvp(
        lambda z: jc.simulate(scene(), jc.state(position=(0, 0, z)), TIMES[:2]).position[-1, 2],
        (0.3,),
        (1.0,),
    )[1]
    assert height == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: jc.simulate(scene(), drop(), [0.0, 0.2, 0.1]), ValueError, "backwards"),
        (lambda: jc.simulate(scene(), drop(), [0.0, np.nan]), ValueError, "not finite"),
        (lambda: jc.simulate(scene(), drop(), 1.0), ValueError, "shape"),
        (lambda: jc.simulate(scene(), drop(), TIMES, method="rigid"), TypeError, "EventAligned"),
        (
            lambda: jc.simulate(scene(normal=jc.NewtonRestitution(restitution=0.8)), drop(), TIMES),
            ValueError,
            "Impulse",
        ),
        (
            lambda: jc.simulate(scene(friction=jc.Coulomb(coefficient=0.1)), drop(), TIMES),
            ValueError,
            "RegularizedCoulomb",
        ),
        (lambda: jc.simulate(scene(surfaces=()), drop(), TIMES), ValueError, "at least one Plane"),
        (
            lambda: jc.spheres(radius=0.02, mass=-1.0),
            ValueError,
            r"mass = -1 kg is outside \(0, inf\)",
        ),
        (lambda: jc.spheres(radius=float("nan"), mass=1.0), ValueError, "radius = nan m"),
        (lambda: jc.spheres(radius=0.02), ValueError, "exactly one of mass"),
        (
            lambda: jc.HuntCrossley(stiffness=1e7, restitution=1.2),
            ValueError,
            r"restitution = 1.2 - is outside \(0, 1\]",
        ),
        (lambda: jc.Plane(normal=(0, 0, 0)), ValueError, "no direction"),
        (lambda: scene().replace(gravty=(0, 0, 0)), TypeError, "gravity"),
        (lambda: jc.state(position=(0, 0)), ValueError, "3 components"),
        (lambda: jc.EventAligned(max_contacts=0), ValueError, "whole number"),
        (lambda: jc.FixedStep(step=-1.0), ValueError, "outside"),
        (lambda: jc.FixedStep(step=1e-4, scheme="rk4"), ValueError, "runge_kutta_4"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_traced(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_codes_of_stored_results_keep_their_meaning():
    assert [status.name for status in map(jc.Status, range(len(jc.Status)))] == [
        "SUCCESS",
        "CAME_TO_REST",
        "SIMULTANEOUS_IMPACTS",
        "INEXACT_FLIGHT",
        "INEXACT_CONTACT",
        "INEXACT_STEPS",
        "TOO_FEW_CONTACTS",
        "TOO_FEW_STEPS",
        "NOT_FINITE",
        "UNRESOLVED_CONTACT",
        "IMPOSSIBLE_START",
        "UNSOLVED_STEP",
    ]
    assert len({status.advice for status in jc.Status}) == len(jc.Status)


def test_jit_gives_the_numbers_of_a_plain_call():
    """Wrong on the CPU in jax 0.10.2 (issue 39103): thousands of these lanes."""
    rng = np.random.default_rng(0)
    matrix, vectors = (
        rng.standard_normal((3, 3)).astype(np.float32),
        rng.standard_normal((40_000, 3)).astype(np.float32),
    )
    found = jax.jit(jax.vmap(lambda vector: jnp.sum((matrix @ vector) ** 2)))(vectors)
    np.testing.assert_allclose(found, np.sum((vectors @ matrix.T) ** 2, axis=1), rtol=1e-4)
