"""Beds that repeat themselves: lists against all pairs, and what no box without sides may do."""

import functools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.beds.crowds import scattered

pytestmark = pytest.mark.slow

COUNT, STEP, EDGE = 40, 2e-5, 0.04
NUMBERS = np.random.default_rng(7)
RADIUS = NUMBERS.uniform(4e-3, 6e-3, COUNT)
CONTACT = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.5, coefficient=0.4, zeta=0.1)
PERIOD = (EDGE, EDGE, EDGE)


def apart_of_all(place, period):
    first, second = np.triu_indices(len(place), 1)
    apart = place[first] - place[second]
    for axis, length in enumerate(period):
        if length is not None:
            apart[:, axis] -= length * np.round(apart[:, axis] / length)
    return first, second, np.linalg.norm(apart, axis=-1)


PLACE = scattered(RADIUS, EDGE * np.eye(3), NUMBERS)
VELOCITY = NUMBERS.normal(0.0, 0.5, PLACE.shape)
VELOCITY = VELOCITY - np.average(VELOCITY, axis=0, weights=RADIUS**3)
SPIN = NUMBERS.normal(0.0, 10.0, PLACE.shape)


def bed_of(radius=RADIUS, period=PERIOD, **others):
    spheres = jc.spheres(radius=radius, density=2500.0)
    others = {"contact": CONTACT, "gravity": (0.0, 0.0, 0.0), **others}
    return jc.Bed(spheres=spheres, period=period, **others)


def start_at(place=PLACE, velocity=VELOCITY, spin=SPIN):
    return jc.state(position=place, velocity=velocity, spin=spin)


TIMES = np.linspace(0.0, 200 * STEP, 3)


@functools.cache
def moved():
    return jc.simulate_bed(bed_of(), start_at(), TIMES, time_step=STEP, ledger=True)


@pytest.mark.parametrize(
    "period",
    [
        (0.05, 0.04, None),
        pytest.param((None, 0.05, 0.04), marks=pytest.mark.long),
        pytest.param((0.04, None, None), marks=pytest.mark.long),
        (0.05, 0.06, 0.045),
        pytest.param((0.04, 0.04, 0.04), marks=pytest.mark.long),
    ],
)
def test_lists_hold_all_pairs_that_are_near_over_the_period(period):
    numbers = np.random.default_rng(1)
    repeats = np.array([length is not None for length in period])
    place = np.where(
        repeats, numbers.uniform(-0.05, 0.1, (60, 3)), numbers.uniform(0, 0.06, (60, 3))
    )
    radius = numbers.uniform(4e-3, 6e-3, 60)
    result = jc.simulate_bed(bed_of(radius, period), jc.state(position=place), [0.0], strict=False)
    label, pairs = np.asarray(result.end.particles.label), result.end.pairs
    live = np.asarray(pairs.live)
    found = np.sort(np.stack([label[pairs.i], label[pairs.j]])[:, live], axis=0)
    first, second, distance = apart_of_all(place, period)
    near = distance < radius[first] + radius[second] + result.sizes.skin
    assert np.sum(near) > 10
    assert sorted(zip(*found, strict=True)) == sorted(zip(first[near], second[near], strict=True))


def test_no_momentum_is_lost_and_the_books_close():
    result = moved()
    mass = np.asarray(bed_of().spheres.mass)[:, None]
    momentum = np.sum(mass * np.asarray(result.velocity), axis=1)
    assert np.max(np.abs(momentum)) < 1e-13 * np.sum(mass * np.abs(VELOCITY))
    heat = sum(float(part[-1]) for part in result.ledger[:3])
    assert heat > 0.2 * float(result.energy.kinetic[0])
    assert abs(float(result.ledger.residual[-1])) < 1e-6 * heat
    np.testing.assert_array_equal(result.position[0], PLACE)


def test_it_is_all_the_same_which_repetition_a_sphere_is_and_where_the_box_begins():
    repetition = NUMBERS.integers(-3, 4, PLACE.shape)
    shift = EDGE * repetition + np.array([0.0137, -0.02, 0.3])
    other = jc.simulate_bed(
        bed_of(), start_at(PLACE + shift), TIMES, time_step=STEP, sizes=moved().sizes, ledger=True
    )
    np.testing.assert_allclose(other.position[-1] - shift, moved().position[-1], atol=1e-11)
    np.testing.assert_allclose(other.spin[-1], moved().spin[-1], atol=1e-6)


@pytest.mark.parametrize("axis", [0, pytest.param(1, marks=pytest.mark.long), 2])
def test_a_bed_beside_itself_is_the_same_bed(axis):
    step = EDGE * np.eye(3)[axis]
    period = tuple(np.asarray(PERIOD) + step)
    twice = jc.simulate_bed(
        bed_of(np.tile(RADIUS, 2), period),
        start_at(
            np.concatenate([PLACE, PLACE + step]), np.tile(VELOCITY, (2, 1)), np.tile(SPIN, (2, 1))
        ),
        TIMES,
        time_step=STEP,
    )
    for half, shift in ((slice(None, COUNT), 0.0), (slice(COUNT, None), step)):
        np.testing.assert_allclose(
            twice.position[-1, half] - shift, moved().position[-1], atol=1e-11
        )


RATE = (-0.4, 0.3, None)


@functools.cache
def stretched():
    bed = bed_of(period_rate=RATE)
    return jc.simulate_bed(bed, start_at(), TIMES, time_step=STEP, ledger=True)


def test_the_books_close_where_periods_change():
    result = stretched()
    assert np.max(np.abs(result.position[-1] - moved().position[-1])) > 1e-4
    heat = sum(float(part[-1]) for part in result.ledger[:3])
    assert abs(float(result.ledger.walls[-1])) > 0.01 * heat
    assert abs(float(result.ledger.residual[-1])) < 1e-6 * heat


@pytest.mark.parametrize("axis", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_bed_beside_itself_is_the_same_bed_where_periods_change(axis):
    step, speed = EDGE * np.eye(3)[axis], RATE[axis] * np.eye(3)[axis]
    rate = tuple(2.0 * one if index == axis else one for index, one in enumerate(RATE))
    bed = bed_of(np.tile(RADIUS, 2), tuple(np.asarray(PERIOD) + step), period_rate=rate)
    start = start_at(
        np.concatenate([PLACE, PLACE + step]),
        np.concatenate([VELOCITY, VELOCITY + speed]),
        np.tile(SPIN, (2, 1)),
    )
    twice = jc.simulate_bed(bed, start, TIMES, time_step=STEP)
    for half, now in ((slice(None, COUNT), 0.0), (slice(COUNT, None), 1.0)):
        shift = now * (step + TIMES[-1] * speed)
        np.testing.assert_allclose(
            twice.position[-1, half] - shift, stretched().position[-1], atol=1e-11
        )


def test_it_is_all_the_same_how_long_the_lists_hold():
    """Repetitions that move at ten times the speed of spheres at rest."""
    place = jc.state(position=[(0.0, 0.0, 0.0), (0.0251, 0.0, 0.0)])
    bed = bed_of(5e-3, period_rate=(-1.0, None, None))
    times = [0.0, 6e-3]
    some, many = (
        jc.simulate_bed(bed, place, times, time_step=STEP, **others)
        for others in ({}, {"steps_per_list": 1})
    )
    assert np.max(np.abs(some.velocity[-1])) > 0.1
    np.testing.assert_allclose(some.position[-1], many.position[-1], atol=1e-12)


def test_a_bed_that_slides_over_a_floor_has_no_ends():
    """Gravity along the floor speeds up what rests on it without friction, over many periods."""
    spheres = (jc.spheres(radius=5e-3, density=2500.0), CONTACT.replace(coefficient=0.0, zeta=0.0))
    bed = jc.Bed(
        spheres=spheres[0],
        contact=spheres[1],
        walls=(jc.Plane(),),
        period=(EDGE, EDGE, None),
        gravity=(5.0, 0.0, -9.81),
    )
    place = np.array([(0.0, 0.0, 0.005), (0.0101, 0.0, 0.005), (0.0, 0.02, 0.005)])
    result = jc.simulate_bed(bed, jc.state(position=place), [0.0, 0.5, 1.0])
    way = np.asarray(result.position[-1] - place)
    np.testing.assert_allclose(way[:, 0], 0.5 * 5.0, rtol=1e-3)
    assert int(result.end.rebuilds) > 50


def test_derivatives_by_the_period_are_differences_of_the_steps():
    sizes = moved().sizes

    def speed(period):
        result = jc.simulate_bed(
            bed_of(period=(period, EDGE, EDGE)),
            start_at(),
            [0.0, 40 * STEP],
            time_step=STEP,
            steps_per_list=4,
            sizes=sizes,
        )
        return jnp.mean(result.velocity[-1] * np.arange(1, COUNT + 1)[:, None])

    forward, reverse = jax.jit(jax.jacfwd(speed))(EDGE), jax.jit(jax.grad(speed))(EDGE)
    np.testing.assert_allclose(reverse, forward, rtol=1e-8)
    value = jax.jit(speed)
    shift = 1e-8
    apart = (value(EDGE + shift) - value(EDGE - shift)) / (2.0 * shift)
    assert abs(apart / forward - 1.0) < 1e-4


def test_a_drum_may_repeat_itself_along_its_axis_but_not_across():
    turning = jc.PrescribedMotion(angular_velocity=(0.0, 3.0, 0.0))
    drum = jc.Cylinder(
        start=(0.0, -1.0, 0.0), end=(0.0, 2.0, 0.0), radius=0.03, hollow=True, motion=turning
    )
    place = jc.state(position=[(0.0, 0.001, -0.025), (0.0, 0.0311, -0.02499)])
    bed = functools.partial(bed_of, 5e-3, walls=(drum,), gravity=(0.0, 0.0, -9.81))
    result = jc.simulate_bed(bed((None, EDGE, None)), place, [0.0, 1e-5])
    pairs = result.contacts
    assert np.any(np.asarray(pairs.touches) & (np.asarray(pairs.partner) >= 0))
    with pytest.raises(ValueError, match=r"walls\[0\] = Cylinder is not the same one"):
        jc.simulate_bed(bed((EDGE, None, None)), place, [0.0, 1e-5])


def test_what_cannot_repeat_itself_is_refused():
    with pytest.raises(ValueError, match=r"must be at least 0.0377"):
        jc.simulate_bed(bed_of(period=(0.02, None, None)), start_at(), TIMES)
    with pytest.raises(ValueError, match="period in y = -1 m is outside"):
        bed_of(period=(0.1, -1.0, None))
    with pytest.raises(TypeError, match="period in z = 'wide'"):
        bed_of(period=(0.1, 0.1, "wide"))
    with pytest.raises(ValueError, match=r"period_rate in z = 1\.0 m/s, but period in z is None"):
        bed_of(period=(0.1, 0.1, None), period_rate=(None, None, 1.0))
    with pytest.raises(ValueError, match="together with walls"):
        bed_of(walls=(jc.Plane(),), period=(EDGE, EDGE, None), period_rate=(1.0, None, None))
    with pytest.raises(ValueError, match=r"from 0 s to 0.004 s"):
        jc.simulate_bed(bed_of(period_rate=(-0.8, None, None)), start_at(), TIMES)
    with pytest.raises(TypeError, match="no three numbers"):
        bed_of(period=0.1)
    with pytest.raises(ValueError, match=r"walls\[0\] = Plane"):
        jc.simulate_bed(bed_of(walls=(jc.Plane(normal=(1.0, 0.0, 1.0)),)), start_at(), TIMES)
    spun = jc.Plane(motion=jc.PrescribedMotion(angular_velocity=(0.0, 0.0, 1.0)))
    with pytest.raises(ValueError, match="turns about another axis"):
        jc.simulate_bed(bed_of(walls=(spun,), period=(EDGE, EDGE, None)), start_at(), TIMES)


@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_inside_jit_a_status_says_what_cannot_repeat_itself(tilt):
    sizes = jc.BedSizes((3, 3, 3), 12, 12, 2, 3, 1, 5e-4)

    @jax.jit
    def status(tilt, period):
        wall = jc.Plane(normal=(tilt, 0.0, 1.0))
        bed = bed_of(5e-3, (period, None, None), walls=(wall,))
        place = jc.state(position=[(0.0, 0.0, 0.02), (0.0, 0.011, 0.02)])
        return jc.simulate_bed(bed, place, [0.0, 1e-3], time_step=STEP, sizes=sizes).status

    fits = jc.BedStatus.SUCCESS if tilt == 0.0 else jc.BedStatus.NOT_REPEATED
    assert int(status(tilt, EDGE)) == fits
    assert int(status(tilt, 0.02)) == jc.BedStatus.NOT_REPEATED


def test_inside_jit_what_is_known_is_checked_while_other_things_are_traced():
    sizes = jc.BedSizes((3, 3, 3), 12, 12, 2, 3, 1, 5e-4)
    place = jc.state(position=[(0.0, 0.0, 0.02), (0.0, 0.0105, 0.02)])

    @functools.partial(jax.jit, static_argnums=1)
    def speed(restitution, tilt):
        contact = CONTACT.replace(restitution=restitution)
        wall = jc.Plane(normal=(tilt, 0.0, 1.0), offset=-1.0)
        bed = bed_of(5e-3, (EDGE, None, None), walls=(wall,), contact=contact)
        return jc.simulate_bed(bed, place, [0.0, 1e-3], time_step=STEP, sizes=sizes).velocity[-1]

    assert np.all(np.isfinite(speed(0.5, 0.0)))
    with pytest.raises(ValueError, match=r"walls\[0\] = Plane"):
        speed(0.5, 0.5)


ACROSS = 5e-3 * np.array([(1.0, 1.0, 1.0), (-1.0, -1.0, -1.0)]) / np.sqrt(3.001)
"""A pair that touches across the corner of cells: two of a period of 0.08 m end in the middle."""


def pair_at(place, period, first_time=0.0, **others):
    bed = bed_of(5e-3, period, **others)
    times = [first_time, first_time + 20 * STEP]
    velocity = -10.0 * (place - np.mean(place, axis=0))
    return jc.simulate_bed(bed, jc.state(position=place, velocity=velocity), times, time_step=STEP)


@pytest.mark.parametrize("length", [0.004, 0.012, 0.024, 0.033])
def test_a_bed_begins_when_its_periods_have_grown(length):
    grown = (length + 0.08,) * 3
    place = ACROSS + np.asarray(grown) / 2
    wanted = pair_at(place, grown)
    late = pair_at(place, (length,) * 3, 1.0, period_rate=(0.08,) * 3)
    np.testing.assert_allclose(late.position[-1], wanted.position[-1], atol=1e-14)


@pytest.mark.parametrize("cells", [(1, 4, 4), (4, 2, 4), (2, 2, 2)])
def test_cells_that_are_beside_each_other_twice_are_refused(cells):
    result = pair_at(ACROSS, PERIOD)
    with pytest.raises(ValueError, match="at least 3"):
        jc.simulate_bed(
            bed_of(5e-3), jc.state(position=ACROSS), [0.0], sizes=replace(result.sizes, cells=cells)
        )


def test_a_traced_period_that_begins_too_short_has_a_status():
    sizes = replace(moved().sizes, row=60, slots=40, pairs=2000)

    @jax.jit
    def status(length, rate):
        return jc.simulate_bed(
            bed_of(period=(length, EDGE, EDGE), period_rate=(rate, None, None)),
            start_at(),
            [0.0, STEP],
            time_step=STEP,
            sizes=sizes,
            strict=False,
        ).status

    assert int(status(0.5 * EDGE, 0.5 * EDGE / STEP)) == jc.BedStatus.NOT_REPEATED
