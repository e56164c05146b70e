"""Beds whose repetitions slide over each other: what no simple shear may depend on."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.beds.crowds import nearest, scattered

pytestmark = pytest.mark.slow

COUNT, STEP = 40, 2e-5
LENGTHS = np.array([0.04, 0.043, 0.041])
SHIFT, SLIDING = 0.013, 3.0
NUMBERS = np.random.default_rng(3)
RADIUS = NUMBERS.uniform(4e-3, 6e-3, COUNT)
TIMES = np.linspace(0.0, 200 * STEP, 3)


def lattice(shift, lengths=LENGTHS):
    """Rows are the ways to the next repetitions."""
    ways = np.diag(lengths)
    ways[2, 0] = shift
    return ways


PLACE = scattered(RADIUS, lattice(SHIFT), NUMBERS)
VELOCITY = NUMBERS.normal(0.0, 0.5, PLACE.shape)
VELOCITY = VELOCITY - np.average(VELOCITY, axis=0, weights=RADIUS**3)
SPIN = NUMBERS.normal(0.0, 10.0, PLACE.shape)


def bed_of(radius=RADIUS, lengths=LENGTHS, shift=SHIFT, sliding=SLIDING, **others):
    return jc.Bed(
        spheres=jc.spheres(radius=radius, density=2500.0),
        contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.5, coefficient=0.4, zeta=0.1),
        period=tuple(lengths),
        period_shift=shift,
        period_shift_rate=sliding,
        gravity=(0.0, 0.0, 0.0),
        **others,
    )


def moved_from(place, velocity, **others):
    start = jc.state(position=place, velocity=velocity, spin=SPIN)
    sizes = moved().sizes
    return jc.simulate_bed(bed_of(**others), start, TIMES, time_step=STEP, sizes=sizes, ledger=True)


@functools.cache
def moved():
    start = jc.state(position=PLACE, velocity=VELOCITY, spin=SPIN)
    return jc.simulate_bed(bed_of(), start, TIMES, time_step=STEP, ledger=True)


ROOMY = jc.BedSizes((3, 3, 3), 60, 800, 40, 1, 1, 5e-4)


@pytest.mark.parametrize("y", [0.043, pytest.param(None, marks=pytest.mark.long)])
def test_lists_hold_all_pairs_that_are_near_over_sheared_periods(y):
    for seed in range(5):
        numbers = np.random.default_rng(seed)
        lengths = (numbers.uniform(0.038, 0.06), y, numbers.uniform(0.038, 0.06))
        ways = lattice(numbers.uniform(-0.3, 0.3), [lengths[0], y or 1e3, lengths[2]])
        place, radius = numbers.uniform(-0.15, 0.2, (60, 3)), numbers.uniform(4e-3, 6e-3, 60)
        bed = bed_of(radius, lengths, shift=ways[2, 0], sliding=None)
        result = jc.simulate_bed(bed, jc.state(position=place), [0.0], sizes=ROOMY, strict=False)
        label, pairs = np.asarray(result.end.particles.label), result.end.pairs
        found = np.sort(np.stack([label[pairs.i], label[pairs.j]])[:, np.asarray(pairs.live)], 0)
        first, second = np.triu_indices(60, 1)
        distance = np.linalg.norm(nearest(place[first] - place[second], ways), axis=-1)
        near = distance < radius[first] + radius[second] + result.sizes.skin
        assert np.sum(near) > 10
        assert int(result.status) != jc.BedStatus.LISTS_FULL
        assert sorted(zip(*found, strict=True)) == sorted(
            zip(first[near], second[near], strict=True)
        )


def test_no_momentum_is_lost_and_the_books_close():
    result = moved()
    mass = np.asarray(bed_of().spheres.mass)[:, None]
    momentum = np.sum(mass * np.asarray(result.velocity), axis=1)
    assert np.max(np.abs(momentum)) < 1e-13 * np.sum(mass * np.abs(VELOCITY))
    heat = sum(float(part[-1]) for part in result.ledger[:3])
    assert abs(float(result.ledger.walls[-1])) > 0.1 * heat
    assert abs(float(result.ledger.residual[-1])) < 1e-6 * heat
    assert int(result.end.rebuilds) < 100


def test_it_is_all_the_same_which_repetition_a_sphere_is():
    images = NUMBERS.integers(-3, 4, PLACE.shape)
    sliding = images[:, 2, None] * np.array([SLIDING, 0.0, 0.0])
    other = moved_from(PLACE + images @ lattice(SHIFT) + [0.0137, -0.02, 0.3], VELOCITY + sliding)
    ways = lattice(SHIFT + SLIDING * TIMES[-1])
    back = other.position[-1] - images @ ways - np.array([0.0137, -0.02, 0.3])
    np.testing.assert_allclose(back, moved().position[-1], atol=1e-11)
    np.testing.assert_allclose(other.velocity[-1] - sliding, moved().velocity[-1], atol=1e-9)


def test_a_shift_by_whole_periods_is_none():
    other = moved_from(PLACE, VELOCITY, shift=SHIFT - 7 * LENGTHS[0])
    np.testing.assert_allclose(other.position[-1], moved().position[-1], atol=1e-12)


def test_a_common_velocity_changes_nothing():
    along = np.array([4.0, -3.0, 5.0])
    other = moved_from(PLACE, VELOCITY + along)
    back = other.position[-1] - along * TIMES[-1]
    np.testing.assert_allclose(back, moved().position[-1], atol=1e-11)


def test_a_bed_above_itself_is_the_same_bed():
    step, above = lattice(SHIFT)[2], np.array([SLIDING, 0.0, 0.0])
    twice = jc.simulate_bed(
        bed_of(np.tile(RADIUS, 2), LENGTHS * [1, 1, 2], shift=2 * SHIFT, sliding=2 * SLIDING),
        jc.state(
            position=np.concatenate([PLACE, PLACE + step]),
            velocity=np.concatenate([VELOCITY, VELOCITY + above]),
            spin=np.tile(SPIN, (2, 1)),
        ),
        TIMES,
        time_step=STEP,
    )
    for half, now in ((slice(None, COUNT), 0.0), (slice(COUNT, None), 1.0)):
        back = twice.position[-1, half] - now * (step + TIMES[-1] * above)
        np.testing.assert_allclose(back, moved().position[-1], atol=1e-11)


def test_it_is_all_the_same_how_long_the_lists_hold():
    """Repetitions that pass each other fast, of spheres at rest and of those that flow with them,
    while the cell is stretched.
    """
    place = np.array([(0.0, 0.0, 0.0), (0.008, 0.0, 0.0325), (0.02, 0.02, 0.1)])
    for flow in (0.0, 1.0):
        bed = bed_of(5e-3, shift=0.0, sliding=5.0, period_rate=(1.0, None, -0.5))
        velocity = flow * place @ np.array([[25.0, 0, 0], [0, 0, 0], [122.0, 0, -12.2]])
        start = jc.state(position=place, velocity=velocity)
        some, many = (
            jc.simulate_bed(bed, start, [0.0, 8e-3], time_step=STEP, **others)
            for others in ({}, {"steps_per_list": 1})
        )
        assert np.max(np.abs(some.velocity[-1] - velocity)) > 0.1
        np.testing.assert_allclose(some.position[-1], many.position[-1], atol=1e-12)


@functools.cache
def speed_by_the_rate_of_shear():
    sizes = moved().sizes

    def speed(sliding):
        result = jc.simulate_bed(
            bed_of(sliding=sliding),
            jc.state(position=PLACE, velocity=VELOCITY, spin=SPIN),
            [0.0, 120 * STEP],
            time_step=STEP,
            steps_per_list=4,
            sizes=sizes,
        )
        return jnp.mean(result.velocity[-1] * np.arange(1, COUNT + 1)[:, None])

    return speed, jax.jit(jax.jacfwd(speed))(SLIDING)


def test_repetitions_do_not_jump_where_a_bed_goes_on_at_another_rate():
    end, now = moved().end, float(TIMES[-1])
    go_on = functools.partial(jc.simulate_bed, time_step=STEP, sizes=moved().sizes)
    with pytest.raises(ValueError, match=r"shift of 0\.025 m.*repetitions would jump"):
        go_on(bed_of(sliding=-SLIDING), end, [now, now + STEP])
    with pytest.raises(ValueError, match="repetitions would jump"):
        go_on(bed_of(period_rate=(0.1, None, None)), end, [now, now + STEP])
    with pytest.raises(ValueError, match="repetitions would jump"):
        go_on(bed_of(), end, [0.0, STEP])
    turned = bed_of(shift=SHIFT + SLIDING * now - 3 * LENGTHS[0], sliding=-SLIDING)
    stays = bed_of(shift=SHIFT + SLIDING * now, sliding=SLIDING)
    one = go_on(stays, end, [0.0, STEP])
    other = go_on(bed_of(), end, [now, now + STEP])
    np.testing.assert_allclose(one.position, other.position, rtol=0, atol=1e-12)
    back = go_on(turned, end, [0.0, 1e-9])
    assert abs(float(back.energy.normal[-1] / moved().energy.normal[-1]) - 1.0) < 1e-3


def test_derivatives_by_the_rate_of_shear_are_differences_of_the_steps():
    speed, forward = speed_by_the_rate_of_shear()
    value = jax.jit(speed)
    apart = (value(SLIDING + 1e-5) - value(SLIDING - 1e-5)) / 2e-5
    assert abs(apart / forward - 1.0) < 1e-5


@pytest.mark.long
def test_reverse_is_forward_by_the_rate_of_shear():
    speed, forward = speed_by_the_rate_of_shear()
    np.testing.assert_allclose(jax.jit(jax.grad(speed))(SLIDING), forward, rtol=1e-8)


def test_what_cannot_slide_is_refused():
    with pytest.raises(
        ValueError, match=r"period_shift = 0\.013 is given, but period = \(0\.04, 0"
    ):
        bed_of(lengths=(0.04, 0.04, None), sliding=None)
    with pytest.raises(ValueError, match="period_shift_rate = inf"):
        bed_of(sliding=np.inf)
    with pytest.raises(TypeError, match="period_shift = 'far'"):
        bed_of(shift="far")
    with pytest.raises(ValueError, match="given together with walls"):
        bed_of(walls=(jc.Plane(normal=(0.0, 1.0, 0.0)),))
