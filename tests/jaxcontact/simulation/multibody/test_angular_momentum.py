"""A contact pushes both bodies at one point: what that conserves, and that Exudyn does the same."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

DATA = Path(__file__).parents[3] / "reference" / "data" / "exudyn"

RADIUS, MASS = np.array([0.02, 0.03]), np.array([0.03, 0.2])
FRICTIONS = {
    "coulomb": jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.02),
    "spring": jc.CundallStrack(coefficient=0.3, tangential_stiffness=1e6),
}
METHODS = {
    "event aligned": jc.EventAligned(max_contacts=2),
    "rigid": jc.Impulse(max_contacts=2),
    **{
        scheme: jc.FixedStep(step=1e-6, scheme=scheme)
        for scheme in ("semi_implicit_euler", "velocity_verlet", "runge_kutta_4")
    },
}


def collided(method, friction) -> jc.Trajectory:
    """Two soft spheres that meet obliquely within a millisecond."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e7, restitution=0.8), friction=friction
        ),
    )
    start = jc.state(
        position=((-0.025, 0.012, 0.004), (0.0235, -0.005, 0.0)),
        velocity=((1.2, 0.1, -0.05), (-0.6, 0.05, 0.1)),
        spin=((20.0, -40.0, 60.0), (-10.0, 30.0, 5.0)),
    )
    return jc.simulate(scene, start, np.array([0.0, 0.006]), method=method)


def momenta(found: jc.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and angular momentum, (times, 3)."""
    inertia = 0.4 * MASS * RADIUS**2
    linear = MASS[:, None] * np.asarray(found.velocity)
    angular = np.cross(found.position, linear) + inertia[:, None] * np.asarray(found.spin)
    return np.sum(linear, axis=1), np.sum(angular, axis=1)


@pytest.mark.long("event aligned-spring")
@pytest.mark.slow
@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("method", METHODS)
def test_a_collision_with_friction_keeps_both_momenta(method, friction):
    if (method, friction) == ("rigid", "spring"):
        pytest.skip("a rigid impact has no friction with a memory")
    found = collided(METHODS[method], FRICTIONS[friction])
    assert np.max(np.abs(found.spin[1] - found.spin[0])) > 1.0
    for value in momenta(found):
        np.testing.assert_allclose(value[1], value[0], rtol=0, atol=1e-12 * np.max(np.abs(value)))


@pytest.mark.long
def test_clumps_that_collide_keep_both_momenta():
    clump = jc.clump(
        offset=((-0.03, 0.0, 0.0), (0.03, 0.0, 0.0)),
        radius=0.01,
        mass=0.4,
        inertia=((2e-4, 0.0, 0.0), (0.0, 3e-4, 5e-5), (0.0, 5e-5, 4.5e-4)),
    )
    scene = jc.Scene(
        bodies=jc.together(clump, jc.spheres(radius=0.02, mass=0.1)),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e7, restitution=0.8), friction=FRICTIONS["coulomb"]
        ),
    )
    start = jc.state(
        position=((0.0, 0.0, 0.0), (0.03, 0.004, 0.033)),
        velocity=((0.0, 0.0, 0.0), (0.3, 0.0, -1.0)),
        spin=((3.0, -1.0, 2.0), (20.0, 0.0, 5.0)),
    )
    method = jc.EventAligned(max_contacts=2, max_steps=600)
    ledger = jc.simulate(scene, start, np.array([0.0, 0.01]), method=method, ledger=True).ledger
    assert ledger is not None
    assert ledger.normal[-1] > 0
    size = np.max(np.abs(ledger.angular_momentum))
    # Flights of clumps keep theirs to the error of the integration.
    np.testing.assert_allclose(
        ledger.angular_momentum - ledger.angular_momentum[0], 0.0, atol=1e-9 * size
    )
    # To rounding, which adds up over the steps.
    rounding = len(ledger.momentum) * np.finfo(float).eps * np.max(np.abs(ledger.momentum))
    np.testing.assert_allclose(ledger.momentum - ledger.momentum[0], 0.0, atol=rounding)


LAWS = {1: "hunt_crossley_1975", 2: "exudyn_mixed"}
EXUDYN = ("fric_oblique_equal", "fric_spin_unequal", "fric_gross_slip", "fric_bounce_topspin")


@pytest.mark.long("fric_gross_slip")
@pytest.mark.slow
@pytest.mark.parametrize("name", EXUDYN)
def test_oblique_impacts_are_those_of_exudyn(name):
    document = json.loads((DATA / f"traj_{name}.json").read_text(encoding="utf-8"))
    manifest = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    bodies, given = document["bodies"], document["contact"]
    fixed = np.array([body.get("fixed", False) for body in bodies])
    gravity = np.where(fixed[:, None], 0.0, document.get("gravity") or np.zeros(3))
    scene = jc.Scene(
        bodies=jc.spheres(
            radius=given["spheresRadii"], mass=[body.get("mass", 1e12) for body in bodies]
        ),
        surfaces=(),
        gravity=gravity,
        contact=jc.ContactModel(
            normal=jc.PowerLawHuntCrossley(
                stiffness=given["contactStiffness"],
                restitution=given["restitutionCoefficient"],
                exponent=given["contactStiffnessExponent"],
                restitution_law=jc.RESTITUTION_LAWS[LAWS[given["impactModel"]]],
            ),
            friction=jc.RegularizedCoulomb(
                coefficient=given["dynamicFriction"],
                slip_velocity=given["frictionProportionalZone"],
                regularization=jc.laws.friction.LINEAR,
            ),
        ),
    )
    start = jc.State(
        *(
            jnp.array([body.get(key, (0.0, 0.0, 0.0)) for body in bodies], dtype=float)
            for key in ("position", "velocity", "angularVelocity")
        )
    )
    # Friction and normal force take turns, an error of second order in the spin.
    method = jc.EventAligned(max_contacts=4, graded_step=2.5e-3, sustained_steps=0)
    found = jc.simulate(scene, start, np.array([0.0, document["tEnd"]]), method=method)
    assert int(found.status) == jc.Status.SUCCESS
    within = manifest[f"traj_{name}.json"]["suggested_final_atol"]
    for body in np.flatnonzero(~fixed):
        for value, key in (
            (found.position, "position"),
            (found.velocity, "velocity"),
            (found.spin, "angularVelocity"),
        ):
            np.testing.assert_allclose(
                jax.device_get(value)[-1, body],
                document["final"][f"{key}{body}"],
                rtol=0,
                atol=within,
                err_msg=key,
            )
