"""What must hold of a problem: it is a value that nothing changes, and others are made from it."""

import dataclasses

import numpy as np
import pytest

import calibration as cal
from calibration.errors import InputError
from calibration.problem.problem import Problem
from tests.calibration.synthetic_impacts import DATA, FRICTION, RESTITUTION, scene


@pytest.fixture(scope="module")
def asked() -> Problem:
    return Problem(scene(), [DATA], free=[FRICTION, RESTITUTION])


def test_no_part_of_a_problem_can_be_assigned(asked):
    for field in dataclasses.fields(asked):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(asked, field.name, None)


def test_replace_builds_the_problem_anew_with_other_arguments(asked):
    fewer = asked.replace(free=[FRICTION])
    assert fewer.layout.names == (FRICTION,)
    assert asked.layout.names == (FRICTION, RESTITUTION)
    assert fewer.trials == asked.trials
    assert asked.replace().layout == asked.layout
    with pytest.raises(InputError, match="nothing to fit"):
        asked.replace(trials=[])
    with pytest.raises(InputError, match="'layout' is no argument"):
        asked.replace(layout=asked.layout)


def test_other_arrays_leave_the_first_problem_as_it_is(asked):
    samples = asked.data[0].samples[0]
    half = samples._replace(weight=np.asarray(samples.weight) / 2)
    other = asked.with_data((asked.data[0]._replace(samples=(half,)),))
    assert other.layout is asked.layout
    assert np.array_equal(other.data[0].samples[0].weight, half.weight)
    assert asked.data[0].samples[0] is samples


def test_structure_and_arrays_follow_from_the_arguments_again(asked):
    estimated = asked.replace(noise=cal.noise.Estimated())
    assert estimated.errors != asked.errors
    assert estimated.layout == asked.layout


@pytest.mark.parametrize("argument", ["trials", "free", "nuisance", "frozen"])
@pytest.mark.parametrize("given", ["contact.normal.restitution", None, 5, DATA])
def test_what_is_a_list_is_given_as_one(argument, given):
    arguments = {"trials": [DATA], "free": [RESTITUTION], argument: given}
    with pytest.raises(InputError, match=rf"{argument} = .* is not a list.*in brackets"):
        Problem(scene(), **arguments)


def test_something_is_to_be_found():
    with pytest.raises(InputError, match=r"nothing is free.*Name what is to be found"):
        Problem(scene(), [DATA], free=[])


def test_a_frozen_name_that_is_not_free_is_refused_at_once():
    with pytest.raises(InputError, match=rf"frozen: .* is not free. Did you mean '{RESTITUTION}'"):
        Problem(scene(), [DATA], free=[RESTITUTION], frozen=[RESTITUTION[:-1]])


@pytest.mark.parametrize("sigma", [None, 1e-3])
def test_a_trial_does_not_count_coordinates_that_never_vary_as_measured(sigma):
    """Two of them made chi-squared per degree of freedom a third of what it was."""
    time = np.arange(60) / 100
    position = np.stack([0.3 * time, np.full(60, 0.5), 1.0 - 9.81 / 2 * (time % 0.3) ** 2], axis=1)
    errors = None if sigma is None else np.full(position.shape, sigma)
    film = cal.Recording(name="film", time=time, position=position, sigma=errors)
    assert cal.Trial(film).axes == ("x", "z")
    still = np.where([True, True, False], 0.0, position)
    assert cal.Trial(cal.Recording(name="film", time=time, position=still)).axes == ("z",)
