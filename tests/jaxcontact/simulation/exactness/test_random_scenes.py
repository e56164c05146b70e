"""Random scenes of one sphere over one plane, over decades of every parameter, against an
integration by scipy: a motion that is called a success is right, in value and derivative.
"""

import dataclasses
import functools

import jax
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.status import succeeded
from tests.jaxcontact.simulation import in_time, scenes
from tests.jaxcontact.simulation.test_values import reference

QUICK = jc.EventAligned(max_contacts=24)
EXACT = dataclasses.replace(QUICK, in_time=True, flight_steps=64)
"""What a plain call takes where the quick way is not exact."""

DIFFERENTIATED = [
    "restitution",
    "stiffness",
    "friction",
    "slip_velocity",
    "radius",
    "mass",
    "inertia_ratio",
    "gravity",
    "position",
    "velocity",
    "spin",
]
STEP = 1e-4
"""Of differences, in units of the parameters."""


def random_scene(rng: np.random.Generator, *, exponent: float | None, light: bool) -> dict:
    """A throw onto a plane, level or not, soft to stiff, of a bubble or a stone."""
    radius, gravity = 10 ** rng.uniform(-3, -1), 9.81 * 10 ** rng.uniform(-1, 0.5)
    tilt = rng.choice([0.0, rng.uniform(0.0, 0.5)])
    normal = np.array([tilt * rng.normal(), tilt * rng.normal(), 1.0])
    normal /= np.linalg.norm(normal)
    density = 10 ** (rng.uniform(1.0, 3.5) if light else rng.uniform(2.0, 4.0))
    mass = density * 4 / 3 * np.pi * radius**3
    speed, gap = 10 ** rng.uniform(-0.5, 1), rng.uniform(0.5, 10) * radius
    overlap = 10 ** rng.uniform(-4, -1.3) * radius
    velocity = 0.7 * speed * rng.normal(size=3)
    velocity -= (velocity @ normal + abs(rng.normal()) * speed) * normal
    return {
        "restitution": rng.choice([rng.uniform(0.01, 0.3), rng.uniform(0.3, 0.99)]),
        "stiffness": mass * (speed**2 + 2 * gravity * gap) / overlap**2.5,
        "exponent": rng.uniform(1.0, 3.0) if exponent is None else exponent,
        "friction": rng.uniform(0.0, 0.8),
        "slip_velocity": speed * 10 ** rng.uniform(-3, -1),
        "radius": radius,
        "mass": mass,
        "inertia_ratio": rng.choice([0.4, 2 / 3]),
        "gravity": (0.0, 0.0, -gravity),
        "normal": normal,
        "position": (radius + gap) * normal,
        "velocity": velocity,
        "spin": rng.normal(size=3) * speed / radius * rng.choice([0.0, 0.3, 1.0]),
        "duration": 2 * gap / speed + rng.uniform(0.2, 1.5) * speed / gravity,
        "drag": rng.uniform(0.0, 0.6),
        "lift": rng.uniform(0.0, 1.0),
    }


@functools.cache
def with_slope(law: str, fluid: bool, method: jc.EventAligned):
    """Trajectory, and the derivative of its columns along a direction, of ``LANES`` cases."""

    def both(p, along):
        def columns(changed):
            found = scenes.simulated({**p, **changed}, law=law, fluid=fluid, method=method)
            return scenes.columns(found), found

        return jax.jvp(columns, ({name: p[name] for name in along},), (along,), has_aux=True)

    return jax.jit(jax.vmap(both))


def followed(p: dict, along: dict, *, law: str, fluid: bool):
    """As a plain call does: the quick way, and the exact one where that is not exact."""
    values, slopes, found = with_slope(law, fluid, QUICK)(p, along)
    inexact = (found.status == jc.Status.INEXACT_CONTACT) | (
        found.status == jc.Status.INEXACT_FLIGHT
    )
    quick = (values, slopes, found)
    if not np.any(inexact):
        return jax.tree.map(np.asarray, quick)

    def chosen(a, b):
        return np.where(np.reshape(inexact, (-1,) + (1,) * (np.ndim(a) - 1)), b, a)

    return jax.tree.map(chosen, quick, with_slope(law, fluid, EXACT)(p, along))


def until_rest(p: dict, found: jc.Trajectory) -> np.ndarray:
    """Durations that end before the last lift-off of those that come to rest: what follows has no
    ringing, but the reference does.
    """
    last = np.max(np.where(found.contacts.happened, found.contacts.lift_off, 0.0), axis=1)
    rests = (found.status == jc.Status.CAME_TO_REST) & (last > 0.0)
    return np.where(rests, 0.98 * last, p["duration"])


def relative(difference: np.ndarray, to: np.ndarray, times: np.ndarray, contacts) -> float:
    """Largest difference of positions, and of velocities outside of contacts, in units of the
    largest.
    """
    down, up = contacts.T[:2, :, None]
    flies = ~np.any((times > down) & (times < up), axis=0)
    positions = np.max(np.abs(difference[:, :3])) / np.max(np.abs(to[:, :3]))
    velocities = np.max(np.abs(difference[flies, 3:6])) / np.max(np.abs(to[flies, 3:6]))
    return max(positions, velocities)


def differences(case: dict, along: dict, expected: in_time.Path, *, law: str, fluid: bool):
    """Derivative by differences of order 4; ``None`` where they cross the edge of a parameter or a
    contact more or less.
    """
    states = {}
    for share in (-2, -1, 1, 2):
        moved = {**case, **{k: np.asarray(case[k]) + share * STEP * along[k] for k in along}}
        if not 0.0 < moved["restitution"] < 1.0 or moved["friction"] < 0.0:
            return None
        path = reference(moved, law=law, fluid=fluid)
        if len(path.contacts) != len(expected.contacts):
            return None
        states[share] = path.states
    return (8.0 * (states[1] - states[-1]) - (states[2] - states[-2])) / (12.0 * STEP)


def compare(law: str, count: int, *, seed: int, fluid: bool = False, slopes: bool) -> tuple:
    """Errors of values and of derivatives of the scenes that succeed, and the statuses of all."""
    rng, errors, slope_errors, statuses = np.random.default_rng(seed), [], [], []
    exponent = None if law == "power_law" else 1.5
    for _ in range(count // scenes.LANES):
        cases = [random_scene(rng, exponent=exponent, light=fluid) for _ in range(scenes.LANES)]
        p = scenes.stacked(cases)
        along = {
            name: p[name] * rng.normal(size=(scenes.LANES,) + (1,) * (p[name].ndim - 1))
            for name in (DIFFERENTIATED if slopes else ())
        }
        *_, found = followed(p, along, law=law, fluid=fluid)
        p["duration"] = until_rest(p, found)
        _, slope, found = followed(p, along, law=law, fluid=fluid)
        statuses.extend(found.status)
        for i in np.flatnonzero(found.status == jc.Status.SUCCESS):
            case = {**cases[i], "duration": p["duration"][i]}
            expected = reference(case, law=law, fluid=fluid)
            assert np.sum(found.contacts.happened[i]) == len(expected.contacts), case
            values = np.concatenate([found.position[i], found.velocity[i], found.spin[i]], axis=1)
            at = found.times[i], expected.contacts
            errors.append(relative(values - expected.states, expected.states, *at))
            own = {name: value[i] for name, value in along.items()}
            if (
                slopes
                and (by := differences(case, own, expected, law=law, fluid=fluid)) is not None
            ):
                slope_errors.append(relative(slope[i] - by, by, *at))
    return np.array(errors), np.array(slope_errors), np.array(statuses)


@pytest.mark.slow
def test_what_is_called_a_success_is_right():
    errors, _, statuses = compare("hunt_crossley", 2 * scenes.LANES, seed=1, slopes=False)
    assert np.mean(succeeded(statuses)) > 0.9  # the others have more contacts than the budget
    assert np.max(errors) < 2e-5
    assert np.mean(errors < 1e-6) > 0.9


@pytest.mark.long
@pytest.mark.parametrize("fluid", [False, True], ids=["vacuum", "air"])
@pytest.mark.parametrize("law", scenes.LAWS)
def test_what_is_called_a_success_is_right_and_so_are_its_derivatives(law, fluid):
    errors, slope_errors, statuses = compare(law, 144, seed=2, fluid=fluid, slopes=True)
    assert np.mean(succeeded(statuses)) > 0.9
    # Bubbles that sink in deep meet the air at their mean velocity in the contact.
    assert np.max(errors) < (3e-3 if fluid else 2e-4)
    assert np.mean(errors < 3e-5) > 0.9
    assert np.median(slope_errors) < 1e-5
    assert np.mean(slope_errors < 1e-3) > 0.95
