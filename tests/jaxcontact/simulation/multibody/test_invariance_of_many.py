"""Clumps and spheres do not care where and how they are described, who comes first, nor where the
simulation is interrupted.

One compiled function serves all: rotations, shifts and times are numbers.
"""

import functools

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies
from scipy.spatial.transform import Rotation

import jaxcontact as jc

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
METHOD = jc.EventAligned(max_contacts=8, sustained_steps=0, max_steps=1200)
TOLERANCE = {"position": 1e-6, "velocity": 2e-5, "spin": 2e-3}
"""[m], [m/s], [rad/s]: what different roundings leave at the default step."""

SQUARE = 0.03 * np.array([(1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0)])
TILTED = Rotation.from_rotvec([0.3, 0.4, 0.1])


def as_quaternion(rotation: Rotation) -> np.ndarray:
    return np.roll(rotation.as_quat(), 1)


BASE = {
    "offset": SQUARE,
    "normal": np.array([0.0, 0.0, 1.0]),
    "height": 0.0,
    "plate_velocity": np.zeros(3),
    "gravity": np.array([0.0, 0.0, -9.81]),
    "position": np.array([(0.0, 0.0, 0.06), (0.035, 0.03, 0.12)]),
    "velocity": np.array([(0.2, 0.1, -0.5), (0.2, 0.1, -1.5)]),
    "spin": np.array([(2.0, -3.0, 4.0), (0.0, 30.0, 5.0)]),
    "orientation": np.stack([as_quaternion(TILTED), [1.0, 0.0, 0.0, 0.0]]),
    "times": np.linspace(0.0, 0.08, 5),
}


@functools.cache
def simulation(first: str = "clump"):
    def run(p: dict) -> jc.Trajectory:
        clump = jc.clump(offset=p["offset"], radius=0.01, mass=0.4, inertia=(2e-4, 2e-4, 3.5e-4))
        sphere = jc.spheres(radius=0.02, mass=0.1)
        scene = jc.Scene(
            bodies=jc.together(clump, sphere) if first == "clump" else jc.together(sphere, clump),
            surfaces=(
                jc.Plane(
                    normal=p["normal"],
                    offset=p["height"],
                    motion=jc.PrescribedMotion(velocity=p["plate_velocity"]),
                ),
            ),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=1e8, restitution=0.7),
                friction=jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.05),
                rolling=jc.RollingResistance(rolling_coefficient=0.01, rolling_velocity=0.1),
                spinning=jc.SpinningFriction(coefficient=0.2, spin_velocity=1.0),
            ),
            gravity=p["gravity"],
        )
        start = jc.State(*(p[name] for name in ("position", "velocity", "spin", "orientation")))
        return jc.simulate(scene, start, p["times"], method=METHOD)

    return FAST(run)


def run(first: str = "clump", **changes) -> jc.Trajectory:
    p = {name: jnp.asarray(value, float) for name, value in {**BASE, **changes}.items()}
    return jax.tree.map(np.array, simulation(first)(p))


@functools.cache
def as_given() -> jc.Trajectory:
    found = run()
    assert int(found.status) == jc.Status.SUCCESS
    assert np.sum(found.contacts.happened) >= 2
    assert np.any(found.contacts.partner[found.contacts.happened] >= 0)
    return found


def assert_alike(found: dict, wanted: dict) -> None:
    for name, within in TOLERANCE.items():
        np.testing.assert_allclose(found[name], wanted[name], rtol=0, atol=within, err_msg=name)


def columns(found: jc.Trajectory) -> dict:
    return {name: getattr(found, name) for name in TOLERANCE}


number = strategies.floats(-2.0, 2.0).map(lambda x: round(x, 3))
few = hypothesis.settings(max_examples=6, deadline=None, derandomize=True, database=None)


@pytest.mark.long
@few
@hypothesis.given(
    angles=strategies.tuples(number, number, number),
    shift=strategies.tuples(number, number, number),
    later=number,
)
@pytest.mark.slow
def test_rotating_and_moving_a_scene_rotates_and_moves_its_motion(angles, shift, later):
    rotation = Rotation.from_rotvec(angles)
    turned = {
        name: rotation.apply(BASE[name]) for name in ("normal", "gravity", "velocity", "spin")
    }
    orientation = [as_quaternion(rotation * TILTED), as_quaternion(rotation)]
    found = run(
        **turned,
        position=rotation.apply(BASE["position"]) + shift,
        height=turned["normal"] @ np.array(shift),
        orientation=orientation,
        times=BASE["times"] + later,
    )
    wanted = {
        name: rotation.apply(value.reshape(-1, 3)).reshape(value.shape)
        for name, value in columns(as_given()).items()
    }
    wanted["position"] = wanted["position"] + shift
    assert_alike(columns(found), wanted)


@pytest.mark.long
@pytest.mark.slow
@few
@hypothesis.given(boost=strategies.tuples(number, number, number))
def test_somebody_who_moves_steadily_sees_the_same(boost):
    found = run(plate_velocity=np.array(boost), velocity=BASE["velocity"] + boost)
    moved = columns(found)
    moved["position"] = moved["position"] - np.array(boost) * found.times[:, None, None]
    moved["velocity"] = moved["velocity"] - np.array(boost)
    assert_alike(moved, columns(as_given()))


@pytest.mark.long("order1")
@pytest.mark.long("order0")
@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2, 3, 0), (3, 1, 0, 2)])
def test_members_may_be_listed_in_any_order(order):
    assert_alike(columns(run(offset=SQUARE[list(order)])), columns(as_given()))


@pytest.mark.long
@pytest.mark.slow
def test_bodies_may_be_listed_in_any_order():
    swapped = {name: BASE[name][::-1] for name in ("position", "velocity", "spin", "orientation")}
    found = columns(run("sphere", **swapped))
    assert_alike({name: value[:, ::-1] for name, value in found.items()}, columns(as_given()))


@pytest.mark.long
@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_clump_turned_by_its_own_symmetry_moves_alike(quarters):
    symmetry = Rotation.from_rotvec([0.0, 0.0, quarters * np.pi / 2])
    found = run(orientation=[as_quaternion(TILTED * symmetry), [1.0, 0.0, 0.0, 0.0]])
    assert_alike(columns(found), columns(as_given()))


@pytest.mark.long
@pytest.mark.parametrize("sample", [1, 2, 3])
def test_a_motion_may_be_interrupted_in_flight(sample):
    whole = as_given()
    time = whole.times[sample]
    contacts = whole.contacts
    if np.any(contacts.happened & (contacts.touch_down <= time) & (time <= contacts.lift_off)):
        pytest.skip("in contact")
    state = {
        name: getattr(whole, name)[sample]
        for name in ("position", "velocity", "spin", "orientation")
    }
    rest = run(**state, times=np.linspace(time, whole.times[-1], 5))
    for name, within in TOLERANCE.items():
        np.testing.assert_allclose(
            getattr(rest, name)[-1], getattr(whole, name)[-1], rtol=0, atol=within, err_msg=name
        )


@pytest.mark.long
def test_output_times_do_not_matter():
    fewer = run(times=np.array([0.0, 0.01, 0.02, 0.03, 0.08]))
    for name, within in TOLERANCE.items():
        np.testing.assert_allclose(
            getattr(fewer, name)[-1],
            getattr(as_given(), name)[-1],
            rtol=0,
            atol=within,
            err_msg=name,
        )


ROWS = {
    "two that meet": np.array([(0.0, 0.0, 0.0), (0.01, 0.005, 0.045)]),
    "two more, at the same time": np.array([(1.0, 0.0, 0.0), (1.012, -0.003, 0.045)]),
    "four that do not": 2.0 + np.array([(0.4 * step, 0.0, 0.0) for step in range(4)]),
    "five at once": 4.0 + np.array([(0.0405 * step, 0.002 * step, 0.0) for step in range(5)]),
}
"""Places of spheres, which meet after some milliseconds."""


@functools.cache
def spheres(friction: str):
    laws = {
        "of the slip": jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.05),
        "with a spring": jc.CundallStrack(coefficient=0.3, tangential_stiffness=3e5),
    }

    def run(state: jc.State) -> tuple:
        count = len(state.position)
        scene = jc.Scene(
            bodies=jc.spheres(radius=(0.02,) * count, mass=(0.1,) * count),
            surfaces=(jc.Plane(offset=-0.03),),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=1e7, restitution=0.7), friction=laws[friction]
            ),
            gravity=(0.0, 0.0, -9.81),
        )
        method = jc.EventAligned(max_contacts=16, sustained_steps=0)
        found = jc.simulate(scene, state, jnp.array([0.0, 0.003, 0.02]), method=method, ledger=True)
        told = found.status, jnp.sum(found.contacts.happened), found.ledger.imbalance
        return (found.position, found.velocity, found.spin), told

    return FAST(run)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("friction", "rows"),
    [
        ("of the slip", [*ROWS][:3]),
        pytest.param("with a spring", [*ROWS][:3], marks=pytest.mark.long),
        pytest.param("of the slip", [*ROWS], marks=pytest.mark.long),
    ],
)
def test_spheres_that_meet_far_away_change_nothing(friction, rows):
    """Few of many, and many of many: the former are stepped alone. Events of the others shorten
    steps, so motions agree as well as steps are exact.
    """

    def start(place: np.ndarray) -> jc.State:
        along = np.linspace(1.0, -1.0, len(place))[:, None]
        ahead = place[-1] - place[0]
        velocity = along * ahead / np.linalg.norm(ahead)
        return jc.state(position=place, velocity=velocity, spin=along * [20.0, -10.0, 30.0])

    parts = [start(place) for place in map(ROWS.get, rows)]
    together = jc.State(*(jnp.concatenate(leaves) for leaves in list(zip(*parts, strict=True))[:3]))
    of_all, (status, touched, imbalance) = spheres(friction)(together)
    assert status == jc.Status.SUCCESS
    assert np.max(np.abs(imbalance)) < 1e-7
    first, total = 0, 0
    for name, part in zip(rows, parts, strict=True):
        last = first + len(part.position)
        if name == "four that do not":
            first = last
            continue
        alone, (status, touches, _) = spheres(friction)(part)
        assert status == jc.Status.SUCCESS
        assert touches > 0
        for found, wanted in zip(of_all, alone, strict=True):
            size = np.max(np.abs(wanted))
            np.testing.assert_allclose(
                found[:, first:last], wanted, rtol=0, atol=1e-7 * size, err_msg=name
            )
        first, total = last, total + touches
    assert touched == total
