"""Impacts of published benchmarks through ``jaxcontact.simulate``; every structure of a scene is
compiled once.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.friction.coulomb import LINEAR
from jaxcontact.scene.scene import State
from tests.reference.motion import along_z, floor_and_ceiling

SAMPLES = 129
MAX_CONTACTS = 8
SLIP_VELOCITY = 1e-9
"""Of the regularisation [m/s]: impacts that slide to their end do not know it."""

quickly_compiled = partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


class Body(NamedTuple):
    """Radius [m], mass [kg], velocity [m/s] and spin [rad/s] of a sphere."""

    radius: Any
    mass: Any
    velocity: Any
    spin: Any = (0.0, 0.0, 0.0)


def body(
    *,
    radius: float,
    mass: Any = None,
    density: Any = None,
    velocity: Any,
    spin: Any = (0.0, 0.0, 0.0),
) -> Body:
    """A solid sphere of given mass or density, as arrays of float64: Python numbers and arrays
    share a compilation.
    """
    mass = jc.spheres(radius=radius, density=density).mass if mass is None else mass
    return Body(*(jnp.asarray(value, dtype=float) for value in (radius, mass, velocity, spin)))


def as_arrays(law: Any) -> Any:
    return jax.tree.map(lambda value: jnp.asarray(value, dtype=float), law)


class Motion(NamedTuple):
    """State at the times of the output, (times, ..., 3) each, the contacts, and the code of how it
    ended.
    """

    state: State
    contacts: Any
    status: Any


# One sphere over a floor at z = 0, perhaps below a ceiling.


@partial(quickly_compiled, static_argnames=("rigid",))
def _over_floor(
    sphere: Body,
    height: Any,
    ceiling: Any,
    normal: Any,
    coefficient: Any,
    gravity: Any,
    times: Any,
    rigid: bool,
) -> Motion:
    friction = jc.Coulomb(coefficient=coefficient) if rigid else regularized(coefficient)
    scene = jc.Scene(
        bodies=jc.spheres(radius=sphere.radius, mass=sphere.mass),
        surfaces=floor_and_ceiling(0.0, ceiling),
        contact=jc.ContactModel(normal=normal, friction=friction),
        gravity=along_z(-gravity),
    )
    compliant = jc.EventAligned(max_contacts=MAX_CONTACTS, contact_steps=24, level=True)
    method = jc.Impulse(max_contacts=MAX_CONTACTS, rest_speed=0.0) if rigid else compliant
    start = jc.state(position=along_z(height), velocity=sphere.velocity, spin=sphere.spin)
    end = jc.simulate(scene, start, times, method=method)
    return Motion(State(end.position, end.velocity, end.spin), end.contacts, end.status)


def regularized(coefficient: Any) -> jc.RegularizedCoulomb:
    return jc.RegularizedCoulomb(
        coefficient=coefficient, slip_velocity=SLIP_VELOCITY, regularization=LINEAR
    )


def complete(motion: Motion) -> Motion:
    """The same, unless it ran out of its budget."""
    assert int(motion.status) < jc.Status.TOO_FEW_CONTACTS, jc.Status(int(motion.status)).advice
    return motion


def first_contacts(*arguments: Any, **scene: Any) -> Any:
    """The first ``MAX_CONTACTS`` contacts of ``over_floor``, after which there may be more."""
    return _motion_over_floor(*arguments, **scene).contacts


def over_floor(*arguments: Any, **scene: Any) -> Motion:
    """``_motion_over_floor`` with at most ``MAX_CONTACTS`` contacts."""
    return complete(_motion_over_floor(*arguments, **scene))


def _motion_over_floor(
    sphere: Body,
    normal: Any,
    *,
    times: Any,
    height: Any = None,
    ceiling: float | None = None,
    coefficient: float = 0.0,
    gravity: float = 0.0,
    rigid: bool = False,
) -> Motion:
    """Motion of a sphere whose centre starts at ``height`` (that of touching, where none is given)
    at time 0, at most ``SAMPLES`` times.
    """
    numbers = as_arrays((sphere.radius if height is None else height, ceiling))
    motion = _over_floor(
        sphere,
        *numbers,
        as_arrays(normal),
        *map(jnp.asarray, (coefficient, gravity)),
        padded(times),
        rigid=rigid,
    )
    return at_given_times(motion, times)


def padded(times: Any) -> jax.Array:
    """The start, ``times``, and the last of them repeated: always the same number, so that all
    share a compilation.
    """
    times = np.asarray(times, dtype=float)
    return jnp.asarray(np.concatenate([[0.0], times, np.full(SAMPLES - len(times), times[-1])]))


def at_given_times(motion: Motion, times: Any) -> Motion:
    """The states that were asked for."""
    return motion._replace(
        state=jax.tree.map(lambda value: np.asarray(value)[1 : len(times) + 1], motion.state)
    )


# Two spheres that meet on the x axis.


@partial(quickly_compiled, static_argnames=("method",))
def _two_spheres(
    spheres: Body, position: Any, normal: Any, coefficient: Any, times: Any, method: jc.EventAligned
) -> Motion:
    scene = jc.Scene(
        bodies=jc.spheres(radius=spheres.radius, mass=spheres.mass),
        surfaces=(),
        contact=jc.ContactModel(normal=normal, friction=regularized(coefficient)),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=position, velocity=spheres.velocity, spin=spheres.spin)
    end = jc.simulate(scene, start, times, method=method)
    return Motion(State(end.position, end.velocity, end.spin), end.contacts, end.status)


ONE_IMPACT = jc.EventAligned(max_contacts=2, graded_step=0.02)


def two_spheres(
    first: Body,
    second: Body,
    normal: Any,
    *,
    times: Any,
    gap: float = 0.0,
    coefficient: float = 0.0,
    method: jc.EventAligned = ONE_IMPACT,
) -> Motion:
    """Motion of two spheres, the first at negative x, that touch (or have ``gap`` between them) at
    time 0.
    """
    both = jax.tree.map(lambda *values: jnp.stack(values), first, second)
    position = jnp.asarray(
        [[-first.radius - gap / 2, 0.0, 0.0], [second.radius + gap / 2, 0.0, 0.0]], dtype=float
    )
    motion = _two_spheres(
        both,
        position,
        as_arrays(normal),
        jnp.asarray(coefficient, dtype=float),
        padded(times),
        method,
    )
    return complete(at_given_times(motion, times))


# What is read from an impact.


class Impact(NamedTuple):
    """A normal impact from touch-down at time 0 to lift-off."""

    duration: float
    largest_overlap: float
    time_of_largest_overlap: float
    restitution: float
    overlap: Callable[[Any], np.ndarray]
    """As a function of at most ``SAMPLES`` times."""


def measured(
    overlap_and_rate: Callable[[Any], tuple[np.ndarray, np.ndarray]], contacts: Any
) -> Impact:
    """The impact whose overlap [m] and its rate [m/s] are functions of time."""
    duration = float(contacts.lift_off[0] - contacts.touch_down[0])
    times = np.linspace(0.0, duration, SAMPLES)
    overlap, rate = overlap_and_rate(times)
    after = int(np.argmax(rate <= 0.0))
    times = np.linspace(times[after - 1], times[after], SAMPLES)
    overlap, rate = overlap_and_rate(times)
    after = int(np.argmax(rate <= 0.0))
    turning = times[after] + rate[after] * (times[after] - times[after - 1]) / (
        rate[after - 1] - rate[after]
    )
    return Impact(
        duration=duration,
        largest_overlap=float(np.max(overlap)),
        time_of_largest_overlap=float(turning),
        restitution=float(contacts.rebound_speed[0] / contacts.impact_speed[0]),
        overlap=lambda times: overlap_and_rate(times)[0],
    )


def after_impact(normal: Any, mass: Any, speed: Any) -> float:
    """A time [s] at which an impact is over, whatever its restitution."""
    return 200.0 * float(normal.scales(impact_speed=speed, mass=mass)[1])


def impact_on_floor(*, radius: float, mass: Any, speed: float, normal: Any) -> Impact:
    sphere = body(radius=radius, mass=mass, velocity=(0.0, 0.0, -speed))

    def overlap_and_rate(times: Any) -> tuple[np.ndarray, np.ndarray]:
        motion = over_floor(sphere, normal, times=times)
        return radius - motion.state.position[:, 2], -motion.state.velocity[:, 2]

    return measured(
        overlap_and_rate,
        over_floor(sphere, normal, times=(after_impact(normal, mass, speed),)).contacts,
    )


def impact_of_twins(*, radius: float, mass: Any, speed: float, normal: Any) -> Impact:
    """Two identical spheres, each with ``speed``."""
    twins = [
        body(radius=radius, mass=mass, velocity=(sign * speed, 0.0, 0.0)) for sign in (1.0, -1.0)
    ]

    def overlap_and_rate(times: Any) -> tuple[np.ndarray, np.ndarray]:
        state = two_spheres(*twins, normal, times=times).state
        return 2 * radius - (state.position[:, 1, 0] - state.position[:, 0, 0]), state.velocity[
            :, 0, 0
        ] - state.velocity[:, 1, 0]

    return measured(
        overlap_and_rate,
        two_spheres(*twins, normal, times=(after_impact(normal, mass / 2, 2 * speed),)).contacts,
    )
