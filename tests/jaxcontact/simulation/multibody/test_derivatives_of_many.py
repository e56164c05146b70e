"""Derivatives of clumps, moving surfaces, springs to anchors and friction with memory, against
differences and smaller steps.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.laws.friction import coulomb

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
STEP = 1e-4


def along(f):
    """``(value, slope)`` of ``f`` at ``p`` along a direction; one compilation for all."""
    return FAST(lambda p, direction: jax.jvp(f, (p,), (direction,)))


def arrays(p: dict) -> dict:
    return {name: jnp.asarray(value, float) for name, value in p.items()}


def error_of_slopes(f, p: dict) -> dict:
    """By each parameter, along a fixed direction of its size: largest difference from differences,
    over the largest slope.

    Slopes below 1e-2 count as that: differences of the motion have a rounding of 1e-9.
    """
    p, rng = arrays(p), np.random.default_rng(0)
    value, zero = along(f), jax.tree.map(jnp.zeros_like, p)
    errors = {}
    for name, at in p.items():
        size = jnp.where(at == 0, 0.1, jnp.abs(at))
        direction = size * (rng.normal(size=at.shape) if at.ndim else 1.0)
        slope = np.asarray(value(p, {**zero, name: direction})[1])
        moved = {
            h: np.asarray(value({**p, name: at + h * direction}, zero)[0])
            for h in (-2 * STEP, -STEP, STEP, 2 * STEP)
        }
        near, far = ((moved[h] - moved[-h]) / (2 * h) for h in (STEP, 2 * STEP))
        errors[name] = np.max(np.abs(slope - (4 * near - far) / 3)) / max(
            np.max(np.abs(slope)), 1e-2
        )
    return errors


CLUMP = {
    "offset": ((-0.03, 0.0, 0.0), (0.03, 0.0, 0.0), (0.0, 0.02, 0.01)),
    "radius": (0.01, 0.012, 0.009),
    "mass": 0.4,
    "inertia": (3e-4, 2e-4, 4e-4),
    "stiffness": 1e8,
    "restitution": 0.7,
    "friction": 0.3,
    "slip_velocity": 0.02,
    "gravity": (0.0, 0.0, -9.81),
    "position": (0.0, 0.0, 0.06),
    "velocity": (0.3, 0.1, -1.0),
    "spin": (2.0, -3.0, 5.0),
    "orientation": (0.9, 0.2, 0.5, -0.1),
}


def clump_impact(p: dict) -> jax.Array:
    scene = jc.Scene(
        bodies=jc.clump(
            offset=p["offset"], radius=p["radius"], mass=p["mass"], inertia=p["inertia"]
        ),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=p["stiffness"], restitution=p["restitution"]),
            friction=jc.RegularizedCoulomb(
                coefficient=p["friction"], slip_velocity=p["slip_velocity"]
            ),
        ),
        gravity=p["gravity"],
    )
    start = jc.state(
        position=p["position"], velocity=p["velocity"], spin=p["spin"], orientation=p["orientation"]
    )
    method = jc.EventAligned(max_contacts=2, sustained_steps=0, max_steps=240)
    found = jc.simulate(scene, start, jnp.array([0.0, 0.05]), method=method)
    return jnp.concatenate(
        [found.position[-1], found.velocity[-1], 0.03 * found.spin[-1], found.orientation[-1]]
    )


PLATE = {
    "radius": 0.02,
    "mass": 0.03,
    "restitution": 0.7,
    "friction": 0.3,
    "amplitude": (0.5e-3, 2e-4, 1e-3),
    "frequency": 25.0,
    "phase": 0.3,
    "plate_velocity": (0.1, -0.05, 0.02),
    "plate_spin": (0.1, 0.2, 3.0),
    "rolling": 0.01,
    "spinning": 0.2,
    "spring": 1.5,
    "dashpot": 0.01,
    "position": (0.0, 0.0, 0.06),
    "velocity": (0.3, 0.1, 0.0),
    "spin": (1.0, 2.0, 30.0),
}


def ball_on_plate(p: dict) -> jax.Array:
    """On a spring, above a plate that shakes, drifts and turns; rolling resistance and spinning
    friction.
    """
    plate = jc.PrescribedMotion(
        reference_point=(0.05, 0.0, 0.0),
        velocity=p["plate_velocity"],
        angular_velocity=p["plate_spin"],
        amplitude=p["amplitude"],
        frequency=p["frequency"],
        phase=p["phase"],
    )
    anchor = jc.PrescribedMotion(
        reference_point=(0.0, 0.0, 0.1), amplitude=p["amplitude"], frequency=p["frequency"] / 2
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=p["radius"], mass=p["mass"]),
        surfaces=(jc.Plane(motion=plate),),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e8, restitution=p["restitution"]),
            friction=jc.RegularizedCoulomb(coefficient=p["friction"], slip_velocity=1e-2),
            rolling=jc.RollingResistance(rolling_coefficient=p["rolling"], rolling_velocity=1e-2),
            spinning=jc.SpinningFriction(coefficient=p["spinning"], spin_velocity=0.1),
        ),
        springs=(
            jc.AnchorSpring(body=0, stiffness=p["spring"], damping=p["dashpot"], anchor=anchor),
        ),
    )
    start = jc.state(position=p["position"], velocity=p["velocity"], spin=p["spin"])
    method = jc.EventAligned(max_contacts=3, sustained_steps=0, max_steps=500)
    found = jc.simulate(scene, start, jnp.array([0.0, 0.2]), method=method)
    return jnp.concatenate(
        [found.position[-1], found.velocity[-1], 0.02 * found.spin[-1], found.contacts.touch_down]
    )


CORNERS = {
    "restitution": 0.7,
    "friction": 0.3,
    "slip_velocity": 0.1,
    "spinning": 2.0,
    "velocity": (0.3, 0.2, -1.0),
}


def spheres_with_corners(p: dict) -> jax.Array:
    """Two spheres whose slip and spin fall through corners of what resists them: within a step,
    that left 7e-3 of the slope by the slip velocity.
    """
    normal = jc.HuntCrossley(stiffness=1e7, restitution=p["restitution"])
    friction = jc.RegularizedCoulomb(
        coefficient=p["friction"], slip_velocity=p["slip_velocity"], regularization=coulomb.LINEAR
    )
    spinning = jc.SpinningFriction(
        coefficient=p["spinning"], spin_velocity=3.0, regularization=coulomb.LINEAR
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=(0.03, 0.05)),
        surfaces=(),
        contact=jc.ContactModel(normal=normal, friction=friction, spinning=spinning),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=((0.0, 0.0, 0.0), (0.004, 0.002, 0.045)),
        velocity=jnp.stack([jnp.zeros(3), p["velocity"]]),
        spin=((10.0, 5.0, 8.0), (-20.0, 10.0, 3.0)),
    )
    method = jc.EventAligned(max_contacts=1, sustained_steps=0)
    found = jc.simulate(scene, start, jnp.array([0.0, 0.02]), method=method)
    return jnp.concatenate([found.position[-1], found.velocity[-1], 0.02 * found.spin[-1]])


@pytest.mark.long("plate", "clump")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("motion", "p"),
    [(clump_impact, CLUMP), (ball_on_plate, PLATE), (spheres_with_corners, CORNERS)],
    ids=["clump", "plate", "corners"],
)
def test_slopes_are_those_of_differences(motion, p):
    errors = error_of_slopes(motion, p)
    assert max(errors.values()) < 1e-6, errors


# Friction with a spring: sticking, sliding, and both in one impact.

SPRING = {
    "friction": 0.2,
    "stiffness": 2e5,
    "zeta": 0.05,
    "restitution": 0.8,
    "velocity": (0.5, 0.02, -1.0),
}
IMPACTS = {
    "sticks": {"velocity": (0.05, 0.02, -1.0)},
    "sticks and slides": {},
    "slides": {"velocity": (3.0, 0.02, -1.0)},
    "without a dashpot": {"velocity": (0.25, 0.1, -1.0), "zeta": 0.0},
    "rough": {"velocity": (0.9, -0.1, -1.0), "friction": 0.35},
}


SPRINGS = {
    "Cundall and Strack": lambda p: jc.CundallStrack(
        coefficient=p["friction"], tangential_stiffness=p["stiffness"], zeta=p["zeta"]
    ),
    "Mindlin": lambda p: jc.Mindlin(
        coefficient=p["friction"], effective_shear_modulus=1e3 * p["stiffness"], zeta=p["zeta"]
    ),
}


def sprung_impacts(law: str, graded_step: float) -> tuple[dict, dict]:
    """Velocities after each impact, and their slopes by the logarithms of the coefficient and the
    approach velocity.
    """
    method = jc.EventAligned(
        max_contacts=1,
        graded_step=graded_step,
        sustained_steps=0,
        max_steps=int(4 / graded_step) + 20,
    )

    def after(p: dict) -> jax.Array:
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e8, restitution=p["restitution"]),
            friction=SPRINGS[law](p),
        )
        scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.011), contact=contact)
        start = jc.state(position=(0.0, 0.0, 0.0101), velocity=p["velocity"], spin=(3.0, 5.0, -4.0))
        found = jc.simulate(scene, start, jnp.array([0.0, 1e-3]), method=method)
        return jnp.concatenate([found.velocity[-1], 0.01 * found.spin[-1]])

    value, slopes = along(after), {}
    values = {}
    for case, changes in IMPACTS.items():
        p = arrays({**SPRING, **changes})
        zero = jax.tree.map(jnp.zeros_like, p)
        for name in ("friction", "velocity"):
            values[case], slopes[case, name] = map(np.asarray, value(p, {**zero, name: p[name]}))
    return values, slopes


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "law", ["Cundall and Strack", pytest.param("Mindlin", marks=pytest.mark.long)]
)
def test_impacts_with_a_friction_spring_are_resolved(law):
    """The motion to 1e-5 and its slopes to 1e-4 of the approach speed, also where sticking turns to
    sliding and back.
    """
    (coarse, coarse_slopes), (fine, fine_slopes) = (
        sprung_impacts(law, 0.04),
        sprung_impacts(law, 0.02),
    )
    for case in IMPACTS:
        np.testing.assert_allclose(coarse[case], fine[case], rtol=0, atol=1e-5, err_msg=case)
    for case, slope in fine_slopes.items():
        np.testing.assert_allclose(coarse_slopes[case], slope, rtol=0, atol=1e-4, err_msg=str(case))


@pytest.mark.long
@pytest.mark.slow
def test_the_instant_of_sticking_of_a_spring_without_a_dashpot_moves():
    """While such a spring slides no overload tells when it will stick: slopes by coefficient and
    stiffness were off by up to 2e-3 of the approach speed.
    """

    def slopes(graded_step: float) -> np.ndarray:
        method = jc.EventAligned(
            max_contacts=1,
            graded_step=graded_step,
            sustained_steps=0,
            max_steps=int(4 / graded_step) + 20,
        )

        def after(logarithms: jax.Array) -> jax.Array:
            coefficient, stiffness = jnp.exp(logarithms)
            contact = jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=1e8, restitution=0.8),
                friction=jc.CundallStrack(coefficient=coefficient, tangential_stiffness=stiffness),
            )
            scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.011), contact=contact)
            start = jc.state(position=(0.0, 0.0, 0.0101), velocity=(0.7, 0.1, -1.0))
            found = jc.simulate(scene, start, jnp.array([0.0, 1e-3]), method=method)
            return jnp.concatenate([found.velocity[-1], 0.01 * found.spin[-1]])

        at, value = jnp.log(jnp.array([0.3, 3e6])), along(after)
        return np.stack([value(at, direction)[1] for direction in jnp.eye(2)])

    np.testing.assert_allclose(slopes(0.04), slopes(0.02), rtol=0, atol=3e-5)
