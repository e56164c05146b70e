"""Data with less noise than any instrument has, as a person computes them to try the program: what
is left of them by digits and by the search tells neither the size nor the shape of errors.
"""

import tracemalloc

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.linearised import linearise
from calibration.io.rounding import decimal_step, find_even_times
from calibration.model.samples import Samples, rounding_deviation
from calibration.noise.models import Automatic, Errors
from calibration.problem.residuals import Block
from calibration.problem.trial_batch import TrialData
from calibration.results.answer import Trust, trust
from calibration.results.estimate import Determination
from calibration.results.table import fit_text

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
GRAVITY, RADIUS = 9.81, 0.02
E = 0.7987654321


def height(time, restitution, drop):
    """A ball that is dropped at 0 s, and bounces."""
    fall, reached = np.sqrt(2 * drop / GRAVITY), np.empty_like(time)
    speed, began = GRAVITY * fall, fall
    reached[time < fall] = drop - GRAVITY / 2 * time[time < fall] ** 2
    while began < time[-1]:
        speed = restitution * speed
        own = time >= began
        reached[own] = speed * (time[own] - began) - GRAVITY / 2 * (time[own] - began) ** 2
        began += 2 * speed / GRAVITY
    return reached + RADIUS


def scene(**changes):
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.75), **changes)
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=0.03), contact=contact)


def drop(*, noise=0.0, decimals=None, sigma=None, count=300):
    """The problem of a recorded drop of 0.5 m, of restitution 0.8."""
    time = np.arange(count) / 240
    seen = height(time, 0.8, 0.5) + noise * np.random.default_rng(2).standard_normal(count)
    position = np.full((count, 3), np.nan)
    position[:, 2] = seen if decimals is None else np.round(seen, decimals)
    deviation = None if sigma is None else np.where(np.isfinite(position), sigma, np.nan)
    film = cal.Recording(name="drop", time=time, position=position, sigma=deviation)
    return cal.Problem(
        scene(),
        [film],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
    )


@pytest.fixture(scope="module")
def exact():
    return cal.fit(drop())


def test_what_was_computed_is_believed_and_said_to_be_computed(exact):
    assert exact.residual_checks == ()
    assert trust(exact)[0] is Trust.FULL
    assert [one.origin for one in exact.noise] == ["finest"]
    assert "they look computed" in " ".join(fit_text(exact).split())
    assert not any("correlated" in text for text in exact.warnings)


def test_intervals_do_not_depend_on_what_is_left_of_computed_data(exact):
    """The errors assumed are the same, whether 1e-9 m or nothing is added: so are the intervals."""
    other = cal.fit(drop(noise=1e-9))
    assert other.parameters[RESTITUTION].sd == pytest.approx(
        exact.parameters[RESTITUTION].sd, rel=0.02
    )
    for one, two in zip(exact.recordings, other.recordings, strict=True):
        for name, estimate in one.nuisance.items():
            assert estimate.sd == pytest.approx(two.nuisance[name].sd, rel=0.02)
            # Nothing is found that is not there.
            assert abs(two.nuisance[name].value - estimate.value) < estimate.sd


@pytest.mark.parametrize(
    ("sigma", "left", "computed"),
    [
        (1e-4, 1e-7, True),
        (1e-4, 1e-4, False),  # errors of the size that was assumed
        (1e-4, 2e-5, False),  # smaller ones, but such that an instrument may have
        (1e-7, 1e-8, False),  # believed although no instrument is as fine
    ],
)
def test_what_is_closer_than_instruments_see_was_computed(sigma, left, computed):
    """A mean of numbers from 0 to 1, which are known to 1e-5 at best."""
    rng = np.random.default_rng(0)
    measured, weight = np.linspace(0.0, 1.0, 50).reshape(1, 50, 1), np.full((1, 50, 1), 1 / sigma)
    residual = left / sigma * rng.standard_normal((1, 50))
    blocks = (Block(residual, np.ones((1, 50, 1)), np.zeros((1, 50, 0))),)
    errors = ((Errors(Automatic(), ("z",), (True,), series=True),),)
    samples = Samples(np.arange(50.0)[None], measured, weight)
    parts = linearise(blocks, (TrialData((samples,), None, None),), errors)
    assert parts.computed.tolist() == [computed]


@pytest.mark.parametrize("aside", [0.0, 0.5])
def test_a_coordinate_that_does_not_vary_has_the_digits_of_the_others(aside):
    """Zeros are whole numbers, 0.5 has one decimal: the height was said to be known to metres."""
    numbers = np.column_stack([np.full(300, aside), height(np.arange(300) / 240, 0.8, 0.5)])
    used = np.ones_like(numbers, dtype=bool)
    rounded = np.round(numbers, 4)
    np.testing.assert_array_equal(rounding_deviation(numbers, used), 0.0)
    np.testing.assert_allclose(rounding_deviation(rounded, used), 1e-4 / np.sqrt(12))
    assert rounding_deviation(np.zeros((9, 1)), used[:9, :1], from_zero=True) == 0.0


def times_of_impacts(restitution, speed, count):
    flights = 2 * speed * restitution ** np.arange(1, count) / GRAVITY
    return 0.3 + np.concatenate([[0.0], np.cumsum(flights)])


def fit_times(times, restitution):
    problem = cal.Problem(
        scene(),
        [cal.measurements.BounceTimes(times)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
    )
    return cal.fit(problem, start={RESTITUTION: restitution})


def test_a_start_that_is_the_minimum_is_found_not_left():
    """Of computed data the first guess may be exact: that it did not move is no sign that it does
    not act.
    """
    times = times_of_impacts(0.8, 3.0, 8)
    for _ in range(3):
        found = fit_times(times, 0.8).parameters[RESTITUTION]
    assert found.value == pytest.approx(0.8, abs=1e-9)
    assert found.status is Determination.DETERMINED


def test_few_rounded_times_are_not_known_better_than_their_digits():
    """Some of them lie by chance closer to a curve than rounding allows for: of 95 % intervals more
    than half missed. Each set has 3 degrees of freedom.
    """
    missed, sizes = 0, []
    for speed in np.linspace(2.6, 3.4, 12):
        found = fit_times(np.round(times_of_impacts(0.8, speed, 6), 3), 0.79)
        estimate = found.parameters[RESTITUTION]
        low, high = estimate.interval()
        missed += not low < 0.8 < high
        sizes.append(estimate.sd)
    assert missed <= 1
    assert max(sizes) < 4 * min(sizes)


def table(values, decimals=None, noise=0.0):
    """Impacts that slide, of restitution E and friction 0.1."""
    angle, rng = np.linspace(45.0, 75.0, 10), np.random.default_rng(1)
    along, down = np.sin(np.deg2rad(angle)), np.cos(np.deg2rad(angle))
    columns = {
        "normal_restitution": np.full(10, E),
        "tangential_restitution": 1 - 0.1 * (1 + E) * down / along,
    }
    made = {name: columns[name] * (1 + noise * rng.standard_normal(10)) for name in values}
    if decimals is not None:
        made = {name: np.round(column, decimals) for name, column in made.items()}
    return cal.ImpactTable(
        name="impacts", impact_angle=angle, impact_speed=np.full(10, 2.0), **made
    )


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-7])
def test_a_table_without_noise_is_known_as_well_as_the_finest_instrument_sees(noise):
    problem = cal.Problem(
        scene(friction=jc.Coulomb(coefficient=0.12)),
        [table(["normal_restitution", "tangential_restitution"], noise=noise)],
        free=[RESTITUTION, FRICTION],
    )
    found = cal.fit(problem).parameters
    assert 1e-7 < found[FRICTION].sd < 1e-4
    assert abs(found[FRICTION].value - 0.1) < 2 * found[FRICTION].sd
    assert abs(found[RESTITUTION].value - E) < 2 * found[RESTITUTION].sd


def test_pictures_are_even_where_their_rounded_times_are():
    frames = np.delete(np.arange(200), [40, 41, 120])
    for rate, decimals in ((240.0, 3), (239.76, 3), (60.0, 3), (29.97, 2), (24.0, 2)):
        even = 0.3 + frames / rate
        found = find_even_times(np.round(even, decimals))
        assert np.ptp(found - even) < 0.05 * 10.0**-decimals, rate
        assert decimal_step(np.round(even, decimals)) == 10.0**-decimals


def test_a_long_recording_needs_no_more_room_for_even_times_than_for_its_times():
    even = np.arange(200_000) / 30_000
    tracemalloc.start()
    found = find_even_times(np.round(even, 5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.ptp(found - even) < 0.05e-5
    assert peak < 20 * even.nbytes


def test_times_that_are_not_even_or_have_their_digits_stay():
    rng = np.random.default_rng(0)
    uneven = np.cumsum(rng.uniform(0.003, 0.006, 200))
    assert find_even_times(np.round(uneven, 3)) is None
    assert find_even_times(np.arange(200) / 240) is None
    assert find_even_times(np.arange(200) / 250) is None
    assert find_even_times(np.round(np.arange(200) / 480, 3)) is None  # a gap is not told
    assert decimal_step(np.arange(3) / 7) == 0.0


def test_a_file_with_times_in_milliseconds_is_read_with_even_times(tmp_path):
    time = np.arange(300) / 240
    rows = [f"{1e3 * t:.0f},{z:.6f}" for t, z in zip(time, height(time, 0.8, 0.5), strict=True)]
    file = tmp_path / "drop.csv"
    file.write_text("\n".join(["t (ms),z (m)", *rows]))
    film = cal.read_trajectory(file)
    assert np.ptp(film.time - time) < 1e-6
    assert any("4.1667 ms apart" in note for note in film.notes)
