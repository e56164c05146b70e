"""Random scenes against an integration that shares nothing with the package (``integration``): a
motion that is called a success is right, in value and derivative.

Scenes are of spheres or clumps, start in flight or in overlap, and are compared at random times,
also inside contacts. What has come to rest is compared up to then, and within the micro motion that
rest leaves out from then on.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation.multibody import integration
from tests.jaxcontact.simulation.multibody.equations_of_contact import Kind
from tests.jaxcontact.simulation.multibody.integration import Motion, integrate
from tests.jaxcontact.simulation.multibody.known_defects import (
    REFUSED,
    WRONG_DERIVATIVES,
    WRONG_VALUES,
    Defect,
)
from tests.jaxcontact.simulation.multibody.random_scenes import KINDS, drawn
from tests.jaxcontact.simulation.multibody.random_scenes_in_the_package import Found, followed

LARGEST_ERROR, LARGEST_SLOPE_ERROR = 1e-6, 1e-5
"""Of values and derivatives, in units of the motion."""

LARGEST_SHARE_UNKNOWN = 0.5
"""Of scenes that are refused, or whose truth is not known: the integration disagrees with itself,
or the law does not say what happens.
"""

SHORT, LONG = {"spheres": 4, "clump and sphere": 3}, 8
"""Scenes of each kind."""


def errors(kind: Kind, p: dict, found, right, units) -> np.ndarray:
    """Of each time: the largest, in units of length, speed and angle, ``(times,)``."""
    length, speed, angle = units
    size = float(np.min(p["radius"]))
    off = np.abs(found - right)
    parts = [off[..., :3] / length, off[..., 7:10] / speed, off[..., 10:] * size / speed]
    if kind.clumps:
        parts.append(off[..., 3:7] / angle)
    return np.max(np.concatenate(parts, axis=-1), axis=(1, 2))


def value_errors(kind: Kind, p: dict, found: np.ndarray, truth: Motion) -> np.ndarray:
    """In units of the distance at the fastest speed so far, and of that speed."""
    size, _, _ = integration.units(kind, p)
    fastest = max(
        np.max(np.linalg.norm(truth.states[..., 7:10], axis=-1)),
        size * np.max(np.linalg.norm(truth.states[..., 10:], axis=-1)),
    )
    return errors(kind, p, found, truth.states, (fastest * p["duration"], fastest, 1.0))


def slope_errors(kind: Kind, p: dict, found: np.ndarray, truth: Motion) -> np.ndarray:
    """In units of the largest derivative of all bodies at that time, or of the direction."""
    size, speed, _ = integration.units(kind, p)
    largest = np.abs(truth.slopes).max(axis=1)
    length = np.maximum(np.max(largest[:, :3], axis=-1), size)[:, None, None]
    rate = np.maximum(np.max(largest[:, 7:10], axis=-1), size * np.max(largest[:, 10:], axis=-1))
    angle = np.maximum(np.max(largest[:, 3:7], axis=-1), 1.0)[:, None, None]
    return errors(
        kind, p, found, truth.slopes, (length, np.maximum(rate, speed)[:, None, None], angle)
    )


class Outcome(NamedTuple):
    """Of one scene: errors, NaN where it is refused or its truth is not known."""

    seed: int
    status: jc.Status
    error: float
    slope_error: float


def compared(kind: Kind, seed: int) -> Outcome:
    """One scene. Where the two disagree, the integration must first agree with itself."""
    p, along, moments = drawn(kind, seed)
    found = followed(kind, p, along, moments)
    if found.status > jc.Status.CAME_TO_REST:
        return Outcome(seed, found.status, math.nan, math.nan)
    truth = integrate(kind, p, along, moments)
    if truth.is_pushed:
        return Outcome(seed, found.status, math.nan, math.nan)
    moves = moments < found.rests_from
    error, slope_error = both_errors(kind, p, found, truth)
    if np.any(((error > LARGEST_ERROR) | (slope_error > LARGEST_SLOPE_ERROR)) & moves):
        again = integrate(kind, p, along, moments, rtol=1e-12)
        own_error, own_slope_error = both_errors(kind, p, truth, again)
        sure = own_error < LARGEST_ERROR / 10
        sure_slope = sure & (own_slope_error < LARGEST_SLOPE_ERROR / 10)
        error, slope_error = both_errors(kind, p, found, again)
        error[~sure], slope_error[~sure_slope] = math.nan, math.nan
        truth = again
    at_rest = resting_error(kind, p, found, truth, moves)
    return Outcome(
        seed, found.status, largest(np.append(error[moves], at_rest)), largest(slope_error[moves])
    )


def both_errors(
    kind: Kind, p: dict, found: Found | Motion, truth: Motion
) -> tuple[np.ndarray, np.ndarray]:
    return value_errors(kind, p, found.states, truth), slope_errors(kind, p, found.slopes, truth)


def resting_error(kind: Kind, p: dict, found: Found, truth: Motion, moves) -> float:
    """Of positions at rest, beyond four static overlaps, which is what rest may leave out; NaN
    where nothing rests.
    """
    if np.all(moves):
        return math.nan
    exponent = 1.0 if kind.law == "linear" else p["law"][2]
    load = np.sum(p["mass"]) * np.linalg.norm(p["gravity"])
    allowed = 4 * (load / p["law"][0]) ** (1 / exponent)
    off = np.abs(found.states - truth.states)[~moves][..., :3]
    way = np.linalg.norm(p["velocity"], axis=-1).max() * p["duration"]
    return max(np.max(off) - allowed, 0.0) / way


def largest(values: np.ndarray) -> float:
    return float(np.nanmax(values)) if np.any(np.isfinite(values)) else math.nan


@functools.cache
def outcomes(name: str, count: int) -> list[Outcome]:
    return [compared(KINDS[name], seed) for seed in range(count)]


def wrong(found: list[Outcome], seeds, quantity: str, most: float) -> list[Outcome]:
    return [one for one in found if one.seed in seeds and getattr(one, quantity) > most]


def kinds(known: dict[str, Defect]) -> list:
    """Each with the seeds to look at; those with a known defect by themselves."""
    cases = []
    for name in KINDS:
        group = pytest.mark.xdist_group(f"random scenes: {name}")
        defect = known.get(name, Defect((), ""))
        others = sorted({*range(LONG)} - {*defect.seeds})
        cases.append(pytest.param(name, others, id=name, marks=group))
        if defect.seeds:
            expected = pytest.mark.xfail(strict=True, reason=defect.reason)
            cases.append(
                pytest.param(name, defect.seeds, id=f"{name}, known", marks=(group, expected))
            )
    return cases


@pytest.mark.long("clump and sphere-3")
@pytest.mark.long("spheres-4")
@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), SHORT.items())
def test_a_success_is_right(name, count):
    found = outcomes(name, count)
    assert all(one.status == jc.Status.SUCCESS for one in found)
    assert all(one.error < LARGEST_ERROR for one in found)
    assert all(one.slope_error < LARGEST_SLOPE_ERROR for one in found)


@pytest.mark.long
@pytest.mark.parametrize(("name", "seeds"), kinds(WRONG_VALUES))
def test_values_of_every_kind(name, seeds):
    assert not wrong(outcomes(name, LONG), seeds, "error", LARGEST_ERROR)


@pytest.mark.long
@pytest.mark.parametrize(("name", "seeds"), kinds(WRONG_DERIVATIVES))
def test_derivatives_of_every_kind(name, seeds):
    assert not wrong(outcomes(name, LONG), seeds, "slope_error", LARGEST_SLOPE_ERROR)


@pytest.mark.long
@pytest.mark.parametrize(("name", "seeds"), kinds(REFUSED))
def test_scenes_of_every_kind_are_followed(name, seeds):
    assert all(outcomes(name, LONG)[seed].status <= jc.Status.CAME_TO_REST for seed in seeds)


@pytest.mark.long
@pytest.mark.parametrize(("name", "_"), kinds({}))
def test_most_scenes_of_every_kind_are_judged(name, _):
    unknown = [one for one in outcomes(name, LONG) if math.isnan(one.error)]
    assert len(unknown) <= LARGEST_SHARE_UNKNOWN * LONG


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_later_last_time_changes_nothing_before_it(seed):
    kind = KINDS["spheres"]
    p, along, moments = drawn(kind, seed)
    later = np.append(moments[:-1], 1.5 * moments[-1])
    before, after = (followed(kind, p, along, times).states[:-1] for times in (moments, later))
    scales = np.max(np.abs(before), axis=(0, 1)) + 1e-300
    assert np.max(np.abs(after - before) / scales) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_bodies_changes_nothing(seed):
    kind, order = KINDS["spheres"], np.array([2, 0, 1])
    p, along, moments = drawn(kind, seed)
    of_bodies = ("position", "velocity", "spin", "radius", "mass")
    p_other, along_other = (
        {name: given[name][order] if name in of_bodies else given[name] for name in given}
        for given in (p, along)
    )
    one, other = followed(kind, p, along, moments), followed(kind, p_other, along_other, moments)
    for found, right in ((other.states, one.states), (other.slopes, one.slopes)):
        scales = np.max(np.abs(right), axis=(0, 1)) + 1e-300
        assert np.max(np.abs(found - right[:, order]) / scales) < 1e-9


@pytest.mark.long("column", "spheres, linear")
@pytest.mark.parametrize(
    "name",
    ["column", "clump in a hollow sphere", "spheres, linear", "spheres, rolling and spinning"],
)
def test_the_integration_has_the_derivative_of_its_own_motion(name):
    kind, step = KINDS[name], 1e-6
    p, along, moments = drawn(kind, 1)
    truth = integrate(kind, p, along, moments)
    ends = [
        integrate(kind, {n: p[n] + k * along[n] for n in p}, along, moments).states
        for k in (-step, step)
    ]
    difference = (ends[1] - ends[0]) / (2 * step)
    assert np.max(slope_errors(kind, p, difference, truth)) < LARGEST_SLOPE_ERROR / 10
