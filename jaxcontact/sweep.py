"""Many simulations of scenes that differ in numbers: in groups, each followed as a single
simulation would be.
"""

import dataclasses
from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.parameters import is_concrete, put
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.methods import EventAligned, Impulse
from jaxcontact.simulation.core.trajectory import Trajectory, warn_of_failures
from jaxcontact.simulation.simulate import (
    Budget,
    Followed,
    check_simulation,
    check_times,
    first_budget,
    is_one_sphere_over_a_plane,
    run_once,
    with_remedy,
)
from jaxcontact.simulation.single_sphere.engine import bounces
from jaxcontact.simulation.single_sphere.flight import SphereMotion

AXIS = "lanes of a sweep"

MOST_ENTRIES = 2**17
"""Largest number of contacts of all lanes of a group together that is tried where no budget is
given: about half a gigabyte.
"""

Inputs = TypeVar("Inputs")
Result = TypeVar("Result")
Indices = NDArray[np.intp]


def sweep(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: ArrayLike,
    *,
    method: EventAligned | Impulse | None = None,
    lanes: int = 128,
) -> Trajectory:
    """Simulate ``make(input)`` for every one of ``inputs``, whatever the scene.

    As ``jax.vmap`` of ``simulate``, with the same result, in groups of ``lanes``: beside the result
    only one group is in memory. Simulations of one sphere over one plane are several times faster
    than mapped ones, which all go through the budget of contacts: here those that are expected to
    have about as many contacts go through it together, and a group stops when it is done. It
    can be differentiated in every mode. Compile it together with what is made of the result
    (``jax.jit(lambda inputs: sweep(make, inputs, times).position)``): what is not used is then not
    computed. A compiled sweep keeps one core of a processor busy; for more, call it with parts of
    the inputs from as many threads.

    How each simulation ended is in ``status`` of the result; ``np.flatnonzero(~result.succeeded)``
    are those that did not succeed. Outside of traced functions each is followed as ``simulate``
    does: those that need a larger budget than was not given, or finer steps, are simulated again,
    and no others. So the numbers of one do not depend on which others are in the sweep. One
    ``SimulationWarning`` says how many did not succeed, and why. Inside, return ``status`` beside
    what is used, and look at it.

    Args:
        make: scene and initial state from one input. Only numbers may differ between inputs.
        inputs: any pytree of arrays whose first axis counts the simulations.
        times: (n,) times of the output in increasing order [s], the same for all.
        method: ``EventAligned()`` (default) or ``Impulse()``.
        lanes: size of a group; on a processor, what fits its cache.

    Returns:
        A trajectory of which every array has a first axis that counts the simulations.

    Raises:
        TypeError: ``method`` is none of the two.
        ValueError: ``lanes`` is not a positive whole number, ``inputs`` have no common first axis,
            or ``simulate`` refuses what ``make`` gives.

    Warns:
        SimulationWarning: some simulations did not succeed.

    Example:
        >>> def make(restitution):
        ...     normal = jc.NewtonRestitution(restitution=restitution)
        ...     scene = jc.Scene(
        ...         bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...         contact=jc.ContactModel(normal=normal),
        ...     )
        ...     return scene, jc.state(position=(0.0, 0.0, 0.3))
        ...
        >>> restitutions = jnp.array([0.5, 0.7, 0.9])
        >>> times = jnp.linspace(0.0, 0.4, 3)
        >>> results = jc.sweep(make, restitutions, times, method=jc.Impulse(max_contacts=2))
        >>> print(results.position[:, -1, 2].round(4))
        [0.0815 0.157  0.2325]
        >>> bool(results.succeeded.all())
        True
    """
    method = EventAligned() if method is None else method
    if not isinstance(method, (EventAligned, Impulse)):
        raise TypeError(f"sweep: method = {method!r} is not EventAligned() or Impulse().")
    if not isinstance(lanes, int) or isinstance(lanes, bool) or lanes < 1:
        raise ValueError(f"sweep: lanes = {lanes!r} is not a whole number >= 1.")
    counts = {jnp.shape(leaf)[:1] for leaf in jax.tree.leaves(inputs)}
    if len(counts) != 1 or () in counts or (0,) in counts:
        raise ValueError(
            f"sweep: the first axes of inputs have the lengths {sorted(counts)}, but must "
            "have one length, at least 1."
        )
    ((count,),) = counts
    check_times(times)
    method = dataclasses.replace(method, lanes=AXIS)
    lanes = min(lanes, count)
    traced = not all(map(is_concrete, (times, *jax.tree.leaves(inputs))))
    moments = jnp.asarray(times, dtype=float)
    inputs = jax.tree.map(jnp.asarray, inputs)
    scene, initial = jax.eval_shape(make, jax.tree.map(lambda column: column[0], inputs))
    budget = first_budget(scene, initial, times, method)
    sort = is_one_sphere_over_a_plane(scene, initial, method)
    if not isinstance(make, Hashable):
        make = partial(_call, make)  # compiled in every call
    results = (
        None if traced else _follow(make, inputs, moments, method, budget, lanes=lanes, sort=sort)
    )
    if results is None:
        return _simulate_mapped(make, inputs, moments, method, budget, lanes=lanes, sort=sort)
    warn_of_failures(results, caller="sweep", stacklevel=3)
    return results


def _call(make: Callable[[Inputs], tuple[Scene, State]], one: Inputs) -> tuple[Scene, State]:
    return make(one)


def _follow(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: jax.Array,
    method: Followed,
    budget: Budget,
    *,
    lanes: int,
    sort: bool,
) -> Trajectory | None:
    """All simulations, each with the method and the budget that it needs; ``None`` where ``make``
    encloses traced numbers.
    """
    count = jax.tree.leaves(inputs)[0].shape[0]
    everything = np.arange(count)
    if sort:
        expect = partial(_expect, make, times=times, contacts=budget.contacts)
        expected = _in_groups(expect, inputs, everything, lanes=lanes)
        if expected is None:
            return None
        everything = np.argsort(expected, kind="stable")
    first = partial(_simulate_group, make, times=times, method=method, budget=budget)
    results = _in_groups(first, inputs, everything, lanes=lanes)
    if results is None:
        return None
    results = jax.tree.map(lambda column: column[np.argsort(everything)], results)
    again = _that_need_more(np.arange(count), results.status, method, budget, lanes=lanes)
    while again:
        index, method, budget = again.pop()
        program = partial(_simulate_group, make, times=times, method=method, budget=budget)
        found = _in_groups(program, inputs, index, lanes=lanes)
        assert found is not None  # as the first ones
        results = _put(results, index, found)
        again += _that_need_more(index, found.status, method, budget, lanes=lanes)
    return jax.tree.map(jnp.asarray, results)


def _in_groups(
    program: Callable[[Inputs], Result], inputs: Inputs, index: Indices, *, lanes: int
) -> Result | None:
    """What a program of groups gives for the inputs of these numbers, as NumPy arrays; ``None``
    where that is traced.
    """
    parts = []
    for start in range(0, index.size, lanes):
        part = index[start : start + lanes]
        picked = np.pad(part, (0, lanes - part.size), mode="edge")
        found = program(jax.tree.map(lambda column, picked=picked: column[picked], inputs))
        if not all(map(is_concrete, jax.tree.leaves(found))):
            return None
        parts.append(jax.tree.map(lambda leaf, size=part.size: np.asarray(leaf)[:size], found))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def _that_need_more(
    index: Indices, status: Indices, method: Followed, budget: Budget, *, lanes: int
) -> list[tuple[Indices, Followed, Budget]]:
    """The simulations that may be followed with more, and with what."""
    found = []
    for code in np.unique(status):
        more = with_remedy(method, budget, int(code))
        if more is not None and more[1].contacts * lanes <= MOST_ENTRIES:
            found.append((index[status == code], *more))
    return found


def _put(whole: Trajectory, index: Indices, part: Trajectory) -> Trajectory:
    """The trajectories with others in the places ``index``, and as many entries for contacts as
    either has.
    """

    def replaced(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        most = np.maximum(old.shape[1:], new.shape[1:])
        wide = [
            np.pad(leaf, [(0, 0), *((0, lacking) for lacking in most - leaf.shape[1:])])
            for leaf in (old, new)
        ]
        wide[0][index] = wide[1]
        return wide[0]

    return jax.tree.map(replaced, whole, part)


def expected_contacts(scene: Scene, initial: State, times: jax.Array, *, budget: int) -> jax.Array:
    """Number of impacts of one sphere up to the last time if they were rigid and without
    friction.
    """
    start = SphereMotion(
        times[0],
        *(jnp.reshape(value, (3,)) for value in (initial.position, initial.velocity, initial.spin)),
    )
    scene = put(scene, "contact.friction", NoFriction())
    last, _, _ = bounces(
        scene, start, times[-1], Impulse(max_contacts=budget, lanes=AXIS), level=True
    )
    return last.done


# Compiled


@partial(jax.jit, static_argnames=("make", "method", "budget"))
def _simulate_group(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: jax.Array,
    method: Followed,
    budget: Budget,
) -> Trajectory:
    """Simulations that go through the budget together."""

    def simulate_one(one: Inputs) -> Trajectory:
        scene, initial = make(one)
        check_simulation(scene, initial, times, method)
        return run_once(scene, initial, times, method, budget)

    return jax.vmap(simulate_one, axis_name=AXIS)(inputs)


@partial(jax.jit, static_argnames=("make", "contacts"))
def _expect(
    make: Callable[[Inputs], tuple[Scene, State]], inputs: Inputs, times: jax.Array, contacts: int
) -> jax.Array:
    """Expected number of contacts of each."""

    def expect_one(one: Inputs) -> jax.Array:
        return expected_contacts(*make(one), times, budget=contacts)

    return jax.vmap(expect_one, axis_name=AXIS)(jax.lax.stop_gradient(inputs))


@partial(jax.jit, static_argnames=("make", "method", "budget", "lanes", "sort"))
def _simulate_mapped(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: jax.Array,
    method: Followed,
    budget: Budget,
    *,
    lanes: int,
    sort: bool,
) -> Trajectory:
    """All simulations with one budget, in groups inside of compiled code."""
    count = jax.tree.leaves(inputs)[0].shape[0]

    def group(index: jax.Array) -> Trajectory:
        picked = jax.tree.map(lambda column: column[index], inputs)
        return _simulate_group(make, picked, times, method, budget)

    expected = _expect(make, inputs, times, budget.contacts) if sort else jnp.zeros(count)
    order = jnp.argsort(expected)
    groups = -(-count // lanes)
    results = jax.lax.map(
        group, jnp.pad(order, (0, groups * lanes - count), mode="edge").reshape(groups, lanes)
    )
    place = jnp.argsort(order)
    return jax.tree.map(lambda column: column.reshape((-1, *column.shape[2:]))[place], results)
