"""A bed of a few dozen spheres of unequal radii between walls: what must hold of every bed."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

pytestmark = pytest.mark.slow

SIDE, COUNT, STEP = 3, 27, 2e-5
WIDTH = 0.0105 * SIDE
NUMBERS = np.random.default_rng(0)
RADIUS = NUMBERS.uniform(4e-3, 6e-3, COUNT)
PLACE = (np.stack(np.unravel_index(np.arange(COUNT), (SIDE,) * 3), -1) + 0.5) * 0.0105
PLACE = PLACE + NUMBERS.uniform(-3e-4, 3e-4, PLACE.shape)
VELOCITY = NUMBERS.normal(0.0, 0.3, PLACE.shape)
SPIN = NUMBERS.normal(0.0, 10.0, PLACE.shape)
CONTACT = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.3, coefficient=0.4, zeta=0.1)
WALLS = (
    jc.Plane(normal=(1.0, 0.0, 0.0)),
    jc.Plane(normal=(-1.0, 0.0, 0.0), offset=-WIDTH),
    jc.Plane(normal=(0.0, 1.0, 0.0)),
    jc.Plane(normal=(0.0, -1.0, 0.0), offset=-WIDTH),
    jc.Plane(),
)


def box(contact=CONTACT, radius=RADIUS):
    return jc.Bed(spheres=jc.spheres(radius=radius, density=2500.0), contact=contact, walls=WALLS)


START = jc.state(position=PLACE, velocity=VELOCITY, spin=SPIN)


@functools.cache
def settled():
    return jc.simulate_bed(box(), START, [0.0, 0.02, 2.5], time_step=STEP)


@pytest.mark.long
def test_floor_and_walls_carry_the_weight_of_a_settled_bed():
    result = settled()
    weight = np.sum(box().spheres.mass) * 9.81
    assert abs(-np.sum(result.wall_force[-1, :, 2]) / weight - 1.0) < 1e-6
    assert np.max(np.abs(np.sum(result.wall_force[-1, :, :2], axis=0))) < 1e-6 * weight


@pytest.mark.long
def test_contacts_balance_each_sphere_at_rest():
    result = settled()
    contacts = jax.tree.map(np.asarray, result.contacts)
    force = np.where(contacts.touches[:, None], contacts.force, 0.0)
    total = np.zeros((COUNT, 3))
    np.add.at(total, contacts.body, force)
    between = contacts.partner >= 0
    np.add.at(total, contacts.partner[between], -force[between])
    total[:, 2] -= np.asarray(box().spheres.mass) * 9.81
    assert np.max(np.abs(total)) < 1e-5 * np.sum(box().spheres.mass) * 9.81


@pytest.mark.long
def test_the_virial_of_a_bed_at_rest_is_that_of_what_acts_from_outside():
    """``sum f l = -sum F x`` of the weights and of what the walls do, at the points where they
    act.
    """
    result = settled()
    place, contacts = np.asarray(result.position[-1]), jax.tree.map(np.asarray, result.contacts)
    weight = np.asarray(box().spheres.mass)[:, None] * [0.0, 0.0, -9.81]
    at_walls = contacts.touches & (contacts.wall >= 0)
    normals = np.array([wall.normal for wall in WALLS])[contacts.wall[at_walls]]
    body = contacts.body[at_walls]
    point = place[body] - (RADIUS[body] - contacts.overlap[at_walls])[:, None] * normals
    outside = weight.T @ place + contacts.force[at_walls].T @ point
    np.testing.assert_allclose(result.virial[-1], -outside, atol=1e-5 * np.max(np.abs(outside)))


def test_energy_is_only_lost():
    total = np.asarray(settled().energy.total)
    assert total[0] > total[1] > total[2] > 0.0
    assert settled().energy.kinetic[-1] < 1e-6 * settled().energy.kinetic[0]


def test_renumbering_changes_nothing_beyond_rounding():
    order = np.random.default_rng(1).permutation(COUNT)
    times = [0.0, 0.01, 0.02]  # as long a list as above: compiled once
    other = jc.state(position=PLACE[order], velocity=VELOCITY[order], spin=SPIN[order])
    first = jc.simulate_bed(box(), START, times, time_step=STEP)
    second = jc.simulate_bed(box(radius=RADIUS[order]), other, times, time_step=STEP)
    np.testing.assert_allclose(second.position[-1], first.position[-1][order], atol=1e-12)


def test_a_bed_that_goes_on_is_the_bed_in_one_go():
    whole = jc.simulate_bed(box(), START, [0.0, 0.01, 0.02], time_step=STEP)
    first = jc.simulate_bed(box(), START, [0.0, 0.005, 0.01], time_step=STEP, sizes=whole.sizes)
    second = jc.simulate_bed(
        box(), first.end, [0.01, 0.015, 0.02], time_step=STEP, sizes=whole.sizes
    )
    np.testing.assert_allclose(second.position[-1], whole.position[-1], atol=1e-12)
    np.testing.assert_allclose(second.velocity[-1], whole.velocity[-1], atol=1e-9)


@pytest.mark.long
def test_reverse_is_forward_and_both_are_differences_of_the_steps():
    sizes = settled().sizes

    def height(parameters, steps_per_list):
        coefficient, speed = parameters
        result = jc.simulate_bed(
            box(CONTACT.replace(coefficient=coefficient)),
            START._replace(velocity=speed * VELOCITY),
            [0.0, 40 * STEP],
            time_step=STEP,
            steps_per_list=steps_per_list,
            sizes=sizes,
        )
        mean = jnp.mean(result.position[-1] * np.arange(1, COUNT + 1)[:, None])
        return mean + jnp.mean(result.spin[-1] ** 2)

    at = (0.4, 1.0)
    reverse = jax.jit(jax.grad(functools.partial(height, steps_per_list=4)))(at)
    forward = jax.jit(jax.jacfwd(functools.partial(height, steps_per_list=4)))(at)
    np.testing.assert_allclose(reverse, forward, rtol=1e-8)
    values = jax.jit(functools.partial(height, steps_per_list=4))
    for index in range(2):
        shift = 1e-6 * np.eye(2)[index]
        apart = values(tuple(at + shift)) - values(tuple(at - shift))
        assert abs(apart / 2e-6 / forward[index] - 1.0) < 1e-5


@pytest.mark.long
@pytest.mark.parametrize("steps_per_list", [None, 2])
def test_the_status_does_not_hang_on_the_output_times(steps_per_list):
    """Two soft spheres pass through each other between two of them."""
    bed = jc.Bed(
        spheres=jc.spheres(radius=5e-3, density=2500.0),
        contact=jc.LinearSpringDashpot(stiffness=1.0, restitution=1.0, coefficient=0.3),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (0.012, 1e-3, 0.0)], velocity=[(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]
    )
    for times in ([0.0, 0.02], np.linspace(0.0, 0.02, 21)):
        result = jc.simulate_bed(
            bed, start, times, time_step=1e-4, steps_per_list=steps_per_list, strict=False
        )
        assert int(result.status) == jc.BedStatus.DEEP_OVERLAP
        assert np.linalg.norm(result.position[-1, 0] - result.position[-1, 1]) > 0.01
    later = jc.simulate_bed(bed, result.end, [0.02, 0.021], time_step=1e-4)
    assert later.succeeded


def test_lists_that_are_too_short_say_so_and_are_repaired():
    small = jc.BedSizes((3, 3, 3), 2, 5, 2, 3, 1, 5e-4)
    short = jc.simulate_bed(
        box(), START, [0.0, 1e-3, 2e-3], time_step=STEP, sizes=small, strict=False
    )
    assert int(short.status) == jc.BedStatus.LISTS_FULL
    assert "sizes=result.sizes" in short.advice
    with pytest.raises(jc.BedError, match="LISTS_FULL"):
        jc.simulate_bed(box(), START, [0.0, 1e-3, 2e-3], time_step=STEP, sizes=small)


def test_numbers_may_be_those_of_numpy_and_jax():
    start = jc.state(position=[(0.015, 0.015, 0.0)])
    bed = box(radius=5e-3)
    runs = [
        jc.simulate_bed(bed, start, [0.0, 1e-4], time_step=step, steps_per_list=block, strict=False)
        for step, block in ((2.0**-16, 2), (jnp.asarray(2.0**-16), np.int64(2)))
    ]
    np.testing.assert_array_equal(runs[0].position, runs[1].position)


def test_input_that_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match="radius has 27 values, but the initial state has 2"):
        jc.simulate_bed(box(), jc.state(position=PLACE[:2]), [0.0, 1.0])
    with pytest.raises(ValueError, match="times must increase"):
        jc.simulate_bed(box(), START, [1.0, 0.0])
    with pytest.raises(ValueError, match="time_step = -1"):
        jc.simulate_bed(box(), START, [0.0, 1.0], time_step=-1)
    with pytest.raises(ValueError, match="steps_per_list = 0"):
        jc.simulate_bed(box(), START, [0.0, 1.0], steps_per_list=0)
    with pytest.raises(ValueError, match=r"must be \(spheres, 3\)"):
        jc.simulate_bed(box(), jc.state(position=(0.0, 0.0, 0.0)), [0.0, 1.0])
    with pytest.raises(TypeError, match="is no contact of a bed"):
        jc.Bed(
            spheres=jc.spheres(radius=1.0, mass=1.0), contact=jc.NewtonRestitution(restitution=1)
        )
    with pytest.raises(TypeError, match="walls"):
        jc.Bed(
            spheres=jc.spheres(radius=1.0, mass=1.0),
            contact=CONTACT,
            walls=(jc.spheres(radius=1.0, mass=1.0),),
        )
    with pytest.raises(ValueError, match="convention = 'chrono'"):
        CONTACT.replace(convention="chrono")
    for sizes in ((2, 2, 2), settled()):
        with pytest.raises(TypeError, match="is no BedSizes"):
            jc.simulate_bed(box(), START, [0.0, 1e-3], sizes=sizes)
    for step in (True, [1e-5, 2e-5]):
        with pytest.raises(TypeError, match="is no number known before tracing"):
            jc.simulate_bed(box(), START, [0.0, 1e-3], time_step=step)


@pytest.mark.parametrize(
    ("name", "value"),
    [("pairs", 0), ("slots", 2.0), ("cells", (2, 2)), ("cells", (2, 0, 2)), ("row", -1)]
    + [("skin", value) for value in (0.0, -1e-3, float("nan"))],
)
def test_sizes_that_cannot_be_are_refused_by_name(name, value):
    room = {"row": 1, "pairs": 1, "slots": 1, "wall_contacts": 1, "wall_slots": 1}
    with pytest.raises((TypeError, ValueError), match=f"BedSizes: {name}"):
        jc.BedSizes(**{"cells": (1, 1, 1), "skin": 1e-3, **room, name: value})
