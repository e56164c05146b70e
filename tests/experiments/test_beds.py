"""What the bulk tests measure, on arrangements of grains whose answer is known."""

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from experiments.beds import cell as cells
from experiments.beds import (
    draw_down,
    drum,
    friction_from_draw_down,
    hopper,
    repose,
    settling,
    simple_shear,
    triaxial,
)
from experiments.beds.grains import DIAMETER, RADIUS, contact


def cone(truth, *, count, seed):
    """Grains whose centres lie on a cone."""
    place = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * 1.1 * repose.PLATE
    away = np.hypot(place[:, 0], place[:, 1])
    place[:, 2] = 0.2 - np.tan(np.radians(truth)) * away
    return place, np.full(count, RADIUS)


@pytest.mark.parametrize("truth", [12.0, 38.0])
def test_the_angle_of_a_cone_is_found(truth):
    angle, error = repose.angle_of_repose(*cone(truth, count=3000, seed=4))
    assert abs(angle - truth) < 2.5 * error
    angle, error = repose.angle_of_repose(*cone(truth, count=15000, seed=4))
    assert abs(angle - truth) < 0.1
    assert error < 0.1


def test_grains_that_scatter_about_a_cone_are_within_the_error_that_is_stated():
    numbers = np.random.default_rng(5)
    off = []
    for _ in range(12):
        place = numbers.uniform(-1.0, 1.0, (700, 3)) * [1.2 * repose.PLATE, 1.2 * repose.PLATE, 0.0]
        away = np.hypot(place[:, 0], place[:, 1])
        place[:, 2] = 0.2 - np.tan(np.radians(25.0)) * away + numbers.normal(0, 0.3 * RADIUS, 700)
        angle, error = repose.angle_of_repose(place, np.full(700, RADIUS))
        off.append((angle, error))
    angles, errors = np.transpose(off)
    assert 0.5 < np.std(angles) / np.mean(errors) < 1.8


def test_the_solid_fraction_of_a_cubic_lattice_is_a_sixth_of_pi():
    along = DIAMETER * (np.arange(8) + 0.5)
    place = np.stack(np.meshgrid(along, along, DIAMETER * (np.arange(14) + 0.5)), -1).reshape(-1, 3)
    fraction = settling.solid_fraction(place, np.full(len(place), RADIUS))
    assert fraction == pytest.approx(np.pi / 6, rel=0.02)


def test_a_draw_down_is_measured_on_a_wedge_and_by_what_lies_above():
    """A third of the mass stays above; the rest lies as a wedge of 30 degrees, and the last of it
    left the shelf at an even rate.
    """
    numbers = np.random.default_rng(6)
    count = 9000
    place = numbers.uniform(0.0, 1.0, (count, 3)) * [draw_down.WIDTH, draw_down.DEPTH, 1.0]
    away = np.abs(place[:, 0] - 0.5 * draw_down.WIDTH)
    place[:, 2] = 0.08 - np.tan(np.radians(30.0)) * away
    place[: count // 3, 2] = draw_down.SHELF + RADIUS
    radius = np.full(count, RADIUS)
    times = np.linspace(0.0, 1.0, 11)
    positions = np.repeat(place[None], 11, axis=0)
    leaves = np.linspace(0.0, 1.0, count - count // 3)
    for when, one in zip(times, positions, strict=True):
        one[count // 3 :][leaves > when, 2] = draw_down.SHELF + RADIUS
    found = draw_down.measure(positions, radius, times, speed=0.0)
    assert abs(found.retained - 1.0 / 3.0) < 1e-3
    assert abs(found.time - 0.5) < 0.02
    assert abs(found.slope - 30.0) < 0.5


def test_the_rate_of_an_even_discharge_is_found_in_every_block():
    times = np.linspace(0.0, 2.0, 37)
    out = np.minimum(0.2 * np.maximum(times - 0.1, 0.0), 0.36)
    np.testing.assert_allclose(hopper.rates_of_blocks(times, out), 0.2, rtol=1e-12)
    times = np.linspace(0.0, 4.0, 73)
    rates = hopper.rates_of_blocks(times, np.interp(times, [0.1, 0.85, 3.85], [0.0, 0.15, 0.45]))
    assert rates[0] == pytest.approx(0.2, rel=1e-12)
    assert rates[-1] == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("constants", [(0.58, 1.4), (0.64, 2.5)])
def test_the_constants_of_beverloo_are_found_from_rates_that_follow_the_law(constants):
    coefficient, cut = constants
    openings = DIAMETER * np.array([4.0, 5.0, 6.5])
    rates = coefficient * 1400.0 * np.sqrt(9.81) * (openings - cut * DIAMETER) ** 2.5
    np.testing.assert_allclose(hopper.beverloo(openings, rates, 1400.0), constants, rtol=1e-10)
    if cut == hopper.BEVERLOO[1]:
        assert hopper.exponent(openings, rates) == pytest.approx(2.5, rel=1e-12)


def test_grains_beside_the_hopper_or_under_the_tray_are_lost():
    place = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.03], [0.0, 1.0, 0.1], [0.0, 0.0, -1.0]])
    assert hopper.lost(place) == 2


def test_the_surface_in_a_drum_is_found():
    """The uppermost grains have their centres in a plane."""
    numbers = np.random.default_rng(9)
    slope = np.tan(np.radians(27.0))
    place = numbers.uniform([-drum.DRUM, 0.0, 0.0], [drum.DRUM, drum.LENGTH, 0.02], (12_000, 3))
    place[:, 2] = -0.01 + slope * place[:, 0] - np.where(np.arange(12_000) % 4, 0.0, place[:, 2])
    angle, level = drum.surface_line(place, np.full(len(place), RADIUS))
    assert abs(angle - 27.0) < 0.1
    assert abs(level + 0.01 - RADIUS / np.cos(np.radians(27.0))) < 0.02 * RADIUS


@pytest.mark.slow
def test_draw_downs_of_another_program_give_its_coefficients():
    """Measured in LAMMPS, run by ``simulate_bed``: what is said holds the truth."""
    table = friction_from_draw_down.runs()
    determined = 0
    for truth, measured in friction_from_draw_down.experiments().items():
        found = cal.bulk.calibrate(table, measured)
        assert found.explained
        for one, true in zip(found.coefficients, truth, strict=True):
            assert one.interval[0] < true < one.interval[1]
            determined += one.determined
        alone = cal.bulk.calibrate(table, measured[-1:])
        assert not any(one.determined for one in alone.coefficients)
    assert determined >= 3


def test_the_angle_of_friction_is_that_of_both_stresses():
    side, axial = 1.0, 3.0  # sin a = (3 - 1) / (3 + 1)
    ratio = (axial - side) / ((axial + 2.0 * side) / 3.0)
    assert triaxial.friction_angle(ratio) == pytest.approx(30.0)


def test_the_error_of_a_mean_is_the_scatter_of_its_parts():
    numbers = np.random.default_rng(8)
    series = 0.4 + 0.1 * numbers.normal(size=(200, 800))
    means, errors = np.transpose([simple_shear.mean_and_error(one) for one in series])
    assert abs(np.mean(means) - 0.4) < 1e-3
    assert 0.8 < np.std(means) / np.mean(errors) < 1.25


@pytest.mark.long
def test_a_sheared_gas_of_spheres_flows_at_the_normal_stress_asked_for(monkeypatch):
    monkeypatch.setattr(simple_shear, "WATCHED", 2.0)
    (flow,) = simple_shear.flows(0.5, (0.3,))
    assert abs(flow.normal_stress - 1.0) < 0.1
    assert 0.5 < flow.friction[0] < 0.57
    assert 0.53 < flow.solid_fraction[0] < 0.55


@pytest.mark.long
def test_spheres_that_do_not_touch_are_strained_with_their_cell():
    along = np.arange(cells.SIDE) + 0.5
    place = np.stack(np.meshgrid(along, along, along), -1).reshape(-1, 3) * 1.2 * DIAMETER
    bed = jc.Bed(
        spheres=jc.spheres(radius=np.full(cells.COUNT, RADIUS), density=2500.0),
        contact=contact(0.3),
        gravity=(0.0, 0.0, 0.0),
    )
    ways = np.eye(3)
    lengths = np.full(3, 12.0 * DIAMETER)
    cell = cells.at_rest(bed, jc.state(position=place), lengths)
    for rates, shear in ((np.array([0.2, -0.3, 0.1]), 0.5), (np.array([-0.1, 0.2, 0.4]), -0.8)):
        gradient = np.diag(rates)
        gradient[2, 0] = shear
        ways = ways @ (np.eye(3) + 0.02 * gradient)
        cell = cells.strained(cell, rates, 0.02, shear=shear)
        np.testing.assert_allclose(cell.lengths, np.diag(ways) * lengths)
    order = np.argsort(cell.state.particles.label)
    now = np.stack([np.asarray(x)[order] for x in cell.state.particles.position], -1)
    np.testing.assert_allclose(now, place @ ways, rtol=1e-9)
    assert np.max(np.abs(cell.stress_of_motion)) < 1e-20
    assert cell.solid_fraction == pytest.approx(
        1e3 * np.pi / 6 * DIAMETER**3 / np.prod(cell.lengths)
    )
