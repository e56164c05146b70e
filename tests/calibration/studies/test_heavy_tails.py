"""Errors with heavy tails are seen before anything is fitted, and taken as Student's t; those of
a noise model that is named are weighed as it says.
"""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import calibration as cal
from calibration.detection.bounces import read_bounces
from calibration.detection.noise import tail_evidence
from calibration.io.recording import Recording
from calibration.studies.doubts.tails import HEAVY_TAILS, SURE, shows_heavy_tails
from calibration.studies.pipeline import fit_study
from tests.calibration.studies.newcomers import DRAG, MASS, RADIUS, RESTITUTION, drop, write

AUTOMATIC = cal.studies.Study(files=("drop.csv",), ball=cal.studies.Ball(radius=RADIUS, mass=MASS))


def heavy(size, rng):
    """Errors of Student's t with three degrees of freedom and of variance 1, some of them gross."""
    gross = 1 + 9 * (rng.random(size) < 0.01)
    return gross * rng.standard_t(3, size) / np.sqrt(3)


@pytest.mark.parametrize("count", [8, 30, 300, 2000])
def test_normal_errors_are_hardly_ever_taken_for_heavy_tails(count):
    rng = np.random.default_rng(count)
    found = [tail_evidence(rng.standard_normal(count)) for _ in range(2000)]
    assert np.mean(np.asarray(found) > SURE) < 0.001
    assert np.mean(found) < 0


@pytest.mark.parametrize("kind", ["uniform", "rounded", "correlated", "two sizes"])
def test_errors_that_are_not_normal_for_other_reasons_have_no_heavy_tails(kind):
    """Whole pixels, neighbours that resemble each other, noise that doubles with the speed."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        normal = rng.standard_normal(1000)
        errors = {
            "uniform": rng.uniform(-1, 1, 1000),
            "rounded": np.round(normal),
            "correlated": np.convolve(normal, 0.7 ** np.arange(20), mode="same"),
            "two sizes": normal * np.linspace(1, 2, 1000),
        }[kind]
        assert tail_evidence(errors) < SURE


def test_heavy_tails_are_seen_in_one_recording():
    missed = [tail_evidence(heavy(400, np.random.default_rng(seed))) < SURE for seed in range(300)]
    assert np.mean(missed) < 0.05


def test_nothing_and_rounding_alone_have_no_tails():
    few = np.zeros(100)
    few[3] = 1.0
    assert tail_evidence(np.zeros(0)) == tail_evidence(few) == 0.0


def film(errors, *, sigma=None, standing=None):
    """A drop with these errors of its heights [m]; a ``standing`` coordinate beside them."""
    times, measured = drop(noise=0.0)
    position = np.full((times.size, 3), np.nan)
    position[:, 2] = measured + errors(times.size)
    if standing is not None:
        position[:, 0] = standing(times.size)
    recording = Recording(name="drop", time=times, position=position, sigma=sigma)
    return [recording], [read_bounces(recording, radius=RADIUS)]


def shown(*seen, axes="z", study=AUTOMATIC):
    return shows_heavy_tails(study, *seen, axes=axes)


def test_tails_are_looked_for_where_nothing_was_said_of_errors():
    seen = film(lambda n: 5e-4 * heavy(n, np.random.default_rng(1)))
    assert shown(*seen)
    named = cal.studies.ModelOptions(noise="estimated")
    assert not shown(*seen, study=dataclasses.replace(AUTOMATIC, model=named))
    told = [SimpleNamespace(sigma=np.full((1, 3), 5e-4))]
    assert not shown(told, seen[1])


def test_rounding_of_a_coordinate_that_stands_still_makes_no_tails():
    """A pixel off now and then."""

    def flicker(size):
        rng = np.random.default_rng(2)
        return np.round(0.3 + 4e-4 * rng.standard_normal(size), 3) + 1e-4 * rng.random(size)

    seen = film(lambda n: 5e-4 * np.random.default_rng(1).standard_normal(n), standing=flicker)
    assert not shown(*seen)


def test_deviations_that_last_are_no_errors_of_single_pictures():
    def slow(size):
        return np.repeat(5e-4 * heavy(size // 3 + 1, np.random.default_rng(3)), 3)[:size]

    seen = film(slow)
    assert not shown(*seen)


@pytest.mark.long
@pytest.mark.slow
def test_a_fit_to_heavy_tails_is_that_with_the_noise_model_named(tmp_path):
    """Three drops were not explained, and nothing was determined."""
    files = []
    for seed, release in enumerate((0.6, 0.5, 0.4)):
        times, measured = drop(noise=0.0, release=release)
        measured = measured + 5e-4 * heavy(times.size, np.random.default_rng(seed))
        files.append(str(write(tmp_path / f"{seed}.csv", "t,z", times, measured)))
    ball = cal.studies.Ball(radius=RADIUS, mass=MASS, shell=True)

    def fitted(**model):
        options = cal.studies.ModelOptions(**model)
        return fit_study(cal.studies.Study(files=tuple(files), ball=ball, model=options))

    found, named = fitted(), fitted(noise={"name": "student t", "degrees": 4.0})
    assert found.doubt is None
    assert HEAVY_TAILS in found.warnings
    assert HEAVY_TAILS not in named.warnings
    for name, truth in (("contact.normal.restitution", RESTITUTION), ("drag.coefficient", DRAG)):
        one, other = found.parameters[name], named.parameters[name]
        assert (one.value, one.sd) == pytest.approx((other.value, other.sd), rel=1e-9)
        assert one.value == pytest.approx(truth, abs=3 * one.sd)


@pytest.mark.long
@pytest.mark.slow
def test_a_study_weighs_by_the_correlation_that_its_noise_model_finds(tmp_path):
    """Values were those of independent errors, beside the narrower intervals of the weights that
    were never used.
    """
    files = []
    for seed, release in enumerate((0.6, 0.5, 0.4)):
        times, measured = drop(noise=0.0, release=release)
        white = np.random.default_rng(seed).standard_normal(times.size + 30)
        lasting = np.convolve(white, 0.7 ** np.arange(30))[30 : 30 + times.size]
        measured = measured + 5e-4 * np.sqrt(1 - 0.7**2) * lasting
        files.append(str(write(tmp_path / f"{seed}.csv", "t,z", times, measured)))
    asked = cal.studies.Study(
        files=tuple(files),
        ball=cal.studies.Ball(radius=RADIUS, mass=MASS, shell=True),
        model=cal.studies.ModelOptions(noise="correlated"),
    )
    found = fit_study(asked)
    again = cal.fit(found.problem, start=found)
    assert found.doubt is None
    for name, truth in (("contact.normal.restitution", RESTITUTION), ("drag.coefficient", DRAG)):
        one, other = found.parameters[name], again.parameters[name]
        assert one.value == pytest.approx(other.value, abs=0.05 * one.sd)
        assert one.sd == pytest.approx(other.sd, rel=0.02)
        assert one.value == pytest.approx(truth, abs=3 * one.sd)
