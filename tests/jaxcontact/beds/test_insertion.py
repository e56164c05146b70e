"""Spheres that come into a bed and leave it."""

import jax
import numpy as np
import pytest

import jaxcontact as jc

pytestmark = pytest.mark.slow

CONTACT = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.5, coefficient=0.4, zeta=0.1)
NUMBERS = np.random.default_rng(9)
RADIUS = NUMBERS.uniform(4e-3, 5e-3, 12)
PLACE = (np.stack(np.unravel_index(np.arange(12), (2, 2, 3)), -1) + 0.55) * 0.0101
VELOCITY = NUMBERS.normal(0.0, 0.2, (12, 3)) - 0.2
WALLS = (jc.Plane(), jc.Plane(normal=(1.0, 0.0, 0.0)), jc.Plane(normal=(0.0, 1.0, 0.0)))
STEP = 2e-5


def bed_of(rows, kind=None):
    return jc.Bed(
        spheres=jc.spheres(radius=RADIUS[rows], density=2500.0),
        contact=CONTACT if kind is None else ((CONTACT,), (CONTACT, CONTACT)),
        walls=WALLS,
        kind=kind,
    )


def start_of(rows, far=0.0):
    return jc.state(position=np.add(PLACE[rows], (far, 0.0, 0.0)), velocity=VELOCITY[rows])


def run(bed, start, times):
    return jc.simulate_bed(bed, start, times, time_step=STEP)


def assert_same(one, other, ours, theirs):
    for name in ("position", "velocity", "spin"):
        a, b = np.asarray(getattr(one, name)[-1])[ours], np.asarray(getattr(other, name)[-1])
        np.testing.assert_allclose(a, b[theirs], rtol=0, atol=1e-12 * np.max(np.abs(b)))


FEW, REST = np.arange(8), np.arange(8, 12)


@pytest.mark.parametrize("kinds", [pytest.param(False, marks=pytest.mark.long), True])
def test_spheres_that_come_in_far_away_change_nothing_and_fall_as_if_alone(kinds):
    bed = bed_of(FEW, kind=np.arange(8) % 2 if kinds else None)
    first = run(bed, start_of(FEW), [0.0, 0.02])
    assert int(first.contacts.touches.sum()) > 0
    more, start = jc.insert_spheres(
        bed,
        first.end,
        jc.spheres(radius=RADIUS[REST], density=2500.0),
        start_of(REST, far=1.0),
        kind=[1, 0, 1, 1] if kinds else None,
    )
    together = run(more, start, [0.02, 0.04])
    assert_same(together, run(bed, first.end, [0.02, 0.04]), FEW, FEW)
    alone = run(bed_of(REST), start_of(REST, far=1.0), [0.02, 0.04])
    assert_same(together, alone, REST, np.arange(4))
    assert together.position.shape == (2, 12, 3)
    if kinds:
        np.testing.assert_array_equal(more.kind, [*(np.arange(8) % 2), 1, 0, 1, 1])


def test_spheres_that_leave_and_touched_nothing_change_nothing():
    order = NUMBERS.permutation(12)
    position = np.where(np.arange(12)[:, None] < 8, PLACE, np.add(PLACE, (1.0, 0.0, 0.0)))
    all_of = jc.Bed(
        spheres=jc.spheres(radius=RADIUS[order], density=2500.0), contact=CONTACT, walls=WALLS
    )
    start = jc.state(position=position[order], velocity=VELOCITY[order])
    first = run(all_of, start, [0.0, 0.02])
    leaves = np.flatnonzero(order >= 8)
    bed, start = jc.remove_spheres(all_of, first.end, leaves)
    stays = np.flatnonzero(order < 8)
    ours = run(bed, start, [0.02, 0.04])
    theirs = run(all_of, first.end, [0.02, 0.04])
    assert int(ours.contacts.touches.sum()) > 0
    assert_same(ours, theirs, np.arange(8), stays)
    np.testing.assert_allclose(bed.spheres.radius, RADIUS[order][stays])


@pytest.mark.long
def test_a_sphere_that_is_taken_away_lets_its_neighbours_go():
    """The lower of two in a column is taken away: the upper one falls freely."""
    bed = jc.Bed(spheres=jc.spheres(radius=5e-3, density=2500.0), contact=CONTACT, walls=WALLS[:1])
    start = jc.state(position=[(0.0, 0.0, 5e-3), (0.0, 0.0, 1.5e-2)])
    first = run(bed, start, [0.0, 0.5])
    left, goes_on = jc.remove_spheres(bed, first.end, [0])
    later = run(left, goes_on, [0.5, 0.52])
    fallen = first.position[-1, 1, 2] - later.position[-1, 0, 2]
    assert abs(fallen / (0.5 * 9.81 * 0.02**2) - 1.0) < 0.01
    back, again = jc.insert_spheres(
        left,
        later.end,
        jc.spheres(radius=5e-3, density=2500.0),
        jc.state(position=[(0.0, 0.0, 3e-2)]),
    )
    assert run(back, again, [0.52, 0.53]).succeeded


@pytest.mark.parametrize("laws", [False, True], ids=["springs", "laws"])
def test_spheres_that_come_in_touching_begin_as_in_a_bed_that_begins_so(laws):
    """Their contacts with spheres and walls have loads and energy from the first instant on."""
    rows = np.arange(2)
    contact = CONTACT.of_pair(radius=1.0) if laws else CONTACT
    place = [(0.1, 0.1, RADIUS[0]), (0.1, 0.1, RADIUS[0])]
    for depth, succeeds in ((0.01, True), (0.4, False)):
        place[1] = (0.1 + (1.0 - depth) * np.sum(RADIUS[rows]), 0.1, 0.99 * RADIUS[1])
        states = [
            jc.state(position=place[i : i + 1], velocity=[(0.1, -0.2, 0.0)], spin=[(0.0, 3.0, 5.0)])
            for i in rows
        ]
        first, second, both = (
            bed_of(which).replace(contact=contact) for which in (rows[:1], rows[1:], rows)
        )
        end = run(first, states[0], [0.02]).end
        more, start = jc.insert_spheres(first, end, second.spheres, states[1])
        at_once = jc.state(
            **{
                name: np.concatenate([getattr(state, name) for state in states])
                for name in ("position", "velocity", "spin")
            }
        )
        ours, theirs = (
            jc.simulate_bed(bed, at, [0.02, 0.021], time_step=1e-6, strict=False, ledger=True)
            for bed, at in ((more, start), (both, at_once))
        )
        assert bool(ours.succeeded) == bool(theirs.succeeded) == succeeds
        assert float(theirs.energy.normal[0]) > 0.0
        assert_same(ours, theirs, rows, rows)
        for one, other in zip(ours.energy, theirs.energy, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-15)


@pytest.mark.filterwarnings("error")
def test_a_bed_in_single_precision_goes_on_in_it():
    with jax.enable_x64(False):
        bed = bed_of(FEW[:1]).replace(contact=CONTACT.of_pair(radius=1.0))
        first = run(bed, start_of(FEW[:1]), [0.0, 1e-3])
        later = run(bed, first.end, [1e-3, 2e-3])
    assert later.velocity.dtype == np.float32


def test_input_that_cannot_be_is_refused_by_name():
    bed = bed_of(FEW)
    end = run(bed, start_of(FEW), [0.0, 1e-3]).end
    one = jc.spheres(radius=5e-3, density=2500.0)
    with pytest.raises(TypeError, match="start = tuple is no State"):
        jc.insert_spheres(bed, end, one, (0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match=r"spheres\.radius has 2 values, but start has 4"):
        jc.insert_spheres(
            bed, end, jc.spheres(radius=[5e-3, 4e-3], density=2500.0), start_of(REST, far=1.0)
        )
    with pytest.raises(ValueError, match="bed has 12 spheres, but end has 8"):
        jc.insert_spheres(bed_of(np.arange(12)), end, one, start_of(REST, far=1.0))
    with pytest.raises(ValueError, match="into a bed of 1 kinds"):
        jc.insert_spheres(bed, end, one, start_of(REST, far=1.0), kind=[0] * 4)
    with pytest.raises(ValueError, match="kind goes from 2 to 2"):
        jc.insert_spheres(
            bed_of(FEW, kind=[0] * 8), end, one, start_of(REST, far=1.0), kind=[2] * 4
        )
    turned = jc.state(position=PLACE[REST], orientation=(1.0, 0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="orientation is given"):
        jc.insert_spheres(bed, end, one, turned)
    for numbers in (np.arange(8) > 3, [0.0, 1.0]):
        with pytest.raises(TypeError, match="must hold whole numbers"):
            jc.remove_spheres(bed, end, numbers)
    with pytest.raises(ValueError, match="numbers goes from 3 to 8"):
        jc.remove_spheres(bed, end, [3, 8])
    with pytest.raises(ValueError, match="names every sphere"):
        jc.remove_spheres(bed, end, FEW)
    with pytest.raises(TypeError, match="end = BedTrajectory is no BedState"):
        jc.remove_spheres(bed, run(bed, start_of(FEW), [0.0, 1e-3]), [0])
