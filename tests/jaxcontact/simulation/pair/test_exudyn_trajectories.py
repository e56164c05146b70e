"""Exudyn's contact between two spheres, through ``simulate``: trajectories computed by the program,
and what must hold of any motion.
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import exudyn
from jaxcontact.systems.exudyn.compatibility import EXUDYN_1_13

DIRECTORY = Path("exudyn")
LONG = (
    "drop_m0_damped_plane",
    "drop_m1_e0.9_plane",
    "drop_m2_e0.8_n1.5",
    "drop_m2_settle",
    "fric_gross_slip",
    "fric_oblique_equal",
    "hollow_bounce",
)
"""Those that compile a program of their own, as another one of their kind does."""

NAMES = (
    "drop_m0_damped_plane",
    "drop_m1_e0.9_plane",
    "drop_m2_e0.8_n1.5",
    "drop_m2_settle",
    "eepa_n1_collision",
    "eepa_n1_sticks",
    "fric_bounce_topspin",
    "fric_eepa",
    "fric_gross_slip",
    "fric_hertz_damped",
    "fric_oblique_equal",
    "fric_slide_to_roll",
    "fric_spin_unequal",
    "hollow_bounce",
    "m0_n15_damped",
    "m0_n15_elastic",
    "m0_n1_damped",
    "m0_n1_elastic",
    "m1_e0.7_n1",
    "m1_e0.9_n1.5",
    "m1_e0.9_n1",
    "m1_minvel",
    "m2_e0.05_n1",
    "m2_e0.1_n1.5",
    "m2_e0.2_n1",
    "m2_e0.333_n1",
    "m2_e0.5_n1.5",
    "m2_e0.5_n1",
    "m2_e0.8_n1",
)

COLUMNS = {"position": "position", "velocity": "velocity", "angularVelocity": "spin"}


def read(directory: Path, name: str) -> tuple[dict, float]:
    """A trajectory, and the error that its maker allows at its end."""
    document = json.loads((directory / f"traj_{name}.json").read_text())
    manifest = json.loads((directory / "manifest.json").read_text())
    return document, manifest[f"traj_{name}.json"]["suggested_final_atol"]


def scene_of(document: dict) -> tuple[jc.Scene, jc.State, list[int]]:
    """The scene, its start, and which of the document's bodies move. A body that is held is a ball
    among the surfaces, and then sphere 1 of the contact.
    """
    contact = exudyn.parameters.ObjectContactSphereSphere(
        **document["contact"], compatibility=EXUDYN_1_13
    )
    bodies, radii = document["bodies"], document["contact"]["spheresRadii"]
    moving = [index for index, body in enumerate(bodies) if not body.get("fixed")]
    surfaces: tuple = ()
    for held in set(range(2)) - set(moving):
        surfaces = (
            jc.Sphere(
                center=tuple(bodies[held]["position"]),
                radius=radii[held],
                hollow=contact.isHollowSphere1,
            ),
        )
        contact = contact.replace(spheresRadii=(radii[1 - held], radii[held]))
    scene = jc.Scene(
        bodies=jc.spheres(
            radius=np.array([radii[index] for index in moving]),
            mass=np.array([bodies[index]["mass"] for index in moving]),
        ),
        surfaces=surfaces,
        contact=contact,
        gravity=jnp.array(document.get("gravity", (0.0, 0.0, 0.0)), float),
    )
    start = {
        own: [bodies[index].get(theirs, (0.0, 0.0, 0.0)) for index in moving]
        for theirs, own in COLUMNS.items()
    }
    return scene, jc.state(**start), moving


@pytest.fixture(scope="module")
def directory(reference_dir):
    found = reference_dir / DIRECTORY
    if not found.is_dir():
        pytest.skip(f"{found} is not there")
    return found


@pytest.mark.long(*LONG, "fric_bounce_topspin", "m2_e0.05_n1", "fric_spin_unequal", "m1_e0.7_n1")
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_motion_is_that_of_the_program(directory, name):
    document, allowed = read(directory, name)
    scene, start, moving = scene_of(document)
    samples = document["samples"]
    times = np.array(samples["t"])[np.linspace(0, len(samples["t"]) - 1, 6).astype(int)]
    found = jc.simulate(scene, start, times)
    for place, index in enumerate(moving):
        for theirs, own in COLUMNS.items():
            if f"{theirs}{index}" in document["final"]:
                np.testing.assert_allclose(
                    getattr(found, own)[-1, place],
                    document["final"][f"{theirs}{index}"],
                    rtol=0,
                    atol=allowed,
                    err_msg=f"{theirs}{index}",
                )
    for (time, speed), touch, approach in zip(
        document.get("impacts_reference", ()),
        found.contacts.touch_down,
        found.contacts.impact_speed,
        strict=False,
    ):
        step = document["meta"]["stepSize"]
        np.testing.assert_allclose(touch, time, rtol=0, atol=allowed + step)
        np.testing.assert_allclose(approach, speed, rtol=0, atol=allowed + 10 * step)


OBLIQUE = exudyn.parameters.ObjectContactSphereSphere(
    spheresRadii=(0.1, 0.15),
    contactStiffness=1e5,
    contactStiffnessExponent=1.5,
    dynamicFriction=0.3,
    frictionProportionalZone=5e-3,
    restitutionCoefficient=0.6,
    impactModel=2,
)
MASS = np.array([1.0, 2.0])
RADIUS = np.array([0.1, 0.15])
START = {
    "position": np.array([(0.0, 0.0, 0.0), (0.27, 0.06, 0.02)]),
    "velocity": np.array([(1.0, 0.1, 0.0), (-0.5, 0.0, 0.2)]),
    "spin": np.array([(0.0, 2.0, 5.0), (1.0, 0.0, -3.0)]),
}


def collide(contact, times=(0.0, 0.02, 0.05), method=None, gravity=(0.0, 0.0, 0.0), **changes):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=(), contact=contact, gravity=gravity
    )
    return jc.simulate(scene, jc.state(**{**START, **changes}), jnp.array(times), method=method)


def last(contact):
    found = collide(contact, method=jc.EventAligned(accuracy=1e-8))
    return jnp.concatenate([jnp.ravel(part[-1]) for part in (found.velocity, found.spin / 10)])


FITTED = (
    "contactStiffness",
    "restitutionCoefficient",
    "dynamicFriction",
    "frictionProportionalZone",
)


def by_logarithms(logarithms):
    changes = {
        name: getattr(OBLIQUE, name) * jnp.exp(logarithms[index])
        for index, name in enumerate(FITTED)
    }
    return last(OBLIQUE.replace(**changes))


@pytest.mark.long
def test_both_momenta_are_kept():
    found = collide(OBLIQUE)
    inertia = 0.4 * MASS * RADIUS**2
    momentum = np.einsum("b,tbi->ti", MASS, found.velocity)
    orbit = np.sum(np.cross(found.position, MASS[:, None] * found.velocity), axis=1)
    spin = np.einsum("b,tbi->ti", inertia, found.spin)
    np.testing.assert_allclose(momentum - momentum[0], 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(orbit + spin - (orbit + spin)[0], 0.0, rtol=0, atol=1e-12)
    assert found.contacts.happened.sum() == 1


@pytest.mark.long
@pytest.mark.slow
def test_derivatives_are_those_of_differences():
    run, zero, step = jax.jit(by_logarithms), jnp.zeros(len(FITTED)), 1e-3
    columns = []
    for unit in np.eye(len(FITTED)):
        near, far = (run(k * step * unit) - run(-k * step * unit) for k in (1, 2))
        columns.append((8 * near - far) / (12 * step))
    expected = np.stack(columns, axis=1)
    found = jax.jit(jax.jacfwd(by_logarithms))(zero)
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-6)


@pytest.mark.long
def test_derivatives_in_reverse_mode_are_those_in_forward_mode():
    zero, weights = jnp.zeros(len(FITTED)), jnp.linspace(0.5, 1.0, 12)
    forward = jax.jit(jax.jacfwd(by_logarithms))(zero)
    reverse = jax.jit(jax.grad(lambda p: weights @ by_logarithms(p)))(zero)
    np.testing.assert_allclose(reverse, weights @ forward, rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_second_derivatives_are_those_of_differences():
    first, zero, step = jax.jit(jax.jacfwd(by_logarithms)), jnp.zeros(len(FITTED)), 1e-3
    found = jax.jit(jax.jacfwd(jax.jacfwd(by_logarithms)))(zero)
    columns = []
    for unit in np.eye(len(FITTED)):
        near, far = (first(k * step * unit) - first(-k * step * unit) for k in (1, 2))
        columns.append((8 * near - far) / (12 * step))
    expected = np.stack(columns, axis=-1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.max(np.abs(expected)))


@pytest.mark.long
def test_extending_the_times_changes_nothing():
    early, late = collide(OBLIQUE), collide(OBLIQUE, times=(0.0, 0.02, 30.0))
    np.testing.assert_allclose(late.position[1], early.position[1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(late.velocity[1], early.velocity[1], rtol=0, atol=1e-8)


@pytest.mark.long
@pytest.mark.slow
def test_lanes_move_as_they_do_alone():
    stiffness = jnp.array([3e4, 1e5, 1e6])

    def run(stiffness):
        return collide(OBLIQUE.replace(contactStiffness=stiffness)).velocity

    together = jax.jit(jax.vmap(run))(stiffness)
    for value, lane in zip(stiffness, together, strict=True):
        np.testing.assert_allclose(lane, run(value), rtol=0, atol=1e-9)


@pytest.mark.long("0.001")
@pytest.mark.parametrize("depth", [1e-3, 1e-6])
def test_spheres_that_graze_each_other_are_seen(depth):
    """They come from far and touch by a share ``depth`` of a radius only, for a moment of a long
    step.
    """
    contact = OBLIQUE.replace(contactStiffness=1e3, dynamicFriction=0.0)
    found = collide(
        contact,
        times=(0.0, 2.5, 4.0),
        position=np.array([(0.0, 0.0, 0.0), (20.0, 0.25 - 0.1 * depth, 0.0)]),
        velocity=np.array([(10.0, 0.0, 0.0), (0.0, 0.0, 0.0)]),
        spin=np.zeros((2, 3)),
    )
    assert found.contacts.happened.sum() == 1


@pytest.mark.slow
def test_a_start_in_overlap_is_the_first_output_and_a_contact():
    found = collide(OBLIQUE, position=np.array([(0.0, 0.0, 0.0), (0.249, 0.0, 0.0)]))
    np.testing.assert_array_equal(found.position[0, 1], (0.249, 0.0, 0.0))
    assert found.contacts.touch_down[0] == 0.0
    assert found.contacts.lift_off[0] > 0.0


TWO = jc.Scene(
    bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=(), contact=OBLIQUE, gravity=(0, 0, 0)
)


SPRINGS = (jc.AnchorSpring(body=0, anchor=jc.PrescribedMotion(), stiffness=1.0),)


@pytest.mark.parametrize(
    ("changes", "method", "says"),
    [
        ({}, jc.Impulse(), "Impulse cannot follow ObjectContactSphereSphere"),
        ({"bodies": jc.spheres(radius=[0.1, 0.2], mass=1.0)}, None, "radius 0.15 m"),
        ({"surfaces": (jc.Plane(),)}, None, "Give two spheres and surfaces="),
        ({"springs": SPRINGS}, None, r"scene\.springs are not followed"),
    ],
)
def test_what_is_not_followed_is_said(changes, method, says):
    with pytest.raises(ValueError, match=says):
        jc.simulate(TWO.replace(**changes), jc.state(**START), [0.0, 0.1], method=method)


def test_one_sphere_needs_a_ball_that_is_held():
    start = jc.state(position=(0.0, 0.0, 0.3))
    with pytest.raises(ValueError, match=r"or one and a jc\.Sphere at rest"):
        jc.simulate(TWO.replace(surfaces=(jc.Plane(),)), start, [0.0, 0.1])


def test_the_ledger_is_not_kept():
    with pytest.raises(ValueError, match="ledger=True"):
        jc.simulate(TWO, jc.state(**START), [0.0, 0.1], ledger=True)


def test_friction_that_jumps_back_and_forth_is_said():
    contact = OBLIQUE.replace(frictionProportionalZone=0.0)
    with pytest.raises(jc.SimulationError, match="slip velocity"):
        collide(contact)
