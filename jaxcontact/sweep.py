"""Many simulations of scenes that differ in numbers: in groups, each followed as a single
simulation would be.
"""

import dataclasses
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar, overload

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
Outputs = TypeVar("Outputs")
Indices = NDArray[np.intp]
Make = Callable[[Inputs], tuple[Scene, State]]


def usual_lanes() -> int:
    """Size of a group where none is asked for: 128 on a processor, whose cache it fits; 16384 on an
    accelerator, which it fills (an H100 follows 22 times as many bounces with it).
    """
    return 128 if jax.default_backend() == "cpu" else 16_384


@overload
def sweep(
    make: Make[Inputs],
    inputs: Inputs,
    times: ArrayLike,
    *,
    method: EventAligned | Impulse | None = None,
    keep: None = None,
    lanes: int | None = None,
) -> Trajectory: ...


@overload
def sweep(
    make: Make[Inputs],
    inputs: Inputs,
    times: ArrayLike,
    *,
    method: EventAligned | Impulse | None = None,
    keep: Callable[[Trajectory], Outputs],
    lanes: int | None = None,
) -> Outputs: ...


def sweep(
    make: Make[Inputs],
    inputs: Inputs,
    times: ArrayLike,
    *,
    method: EventAligned | Impulse | None = None,
    keep: Callable[[Trajectory], Outputs] | None = None,
    lanes: int | None = None,
) -> Trajectory | Outputs:
    """Simulate ``make(input)`` for every one of ``inputs``, whatever the scene.

    As ``jax.vmap`` of ``simulate``, with the same result, in groups of ``lanes``: beside the result
    only one group is in memory, and with ``keep`` the result is what is wanted of each motion.
    Simulations of one sphere over one plane are several times faster
    than mapped ones, which all go through the budget of contacts: here those that are expected to
    have about as many contacts go through it together, and a group stops when it is done. It
    can be differentiated in every mode. What is not kept is not computed; nor is what is not used
    where the sweep is compiled together with what is made of it (``jax.jit(lambda inputs:
    sweep(make, inputs, times).position)``). A compiled sweep keeps one core of a processor busy;
    for more, call it with parts of the inputs from as many threads.

    How each simulation ended is in ``status`` of the result; ``np.flatnonzero(~result.succeeded)``
    are those that did not succeed. Outside of traced functions each is followed as ``simulate``
    does: those that need finer steps, or a larger budget where none is given, are simulated again,
    and no others. So the numbers of one depend neither on which others are in the sweep nor on
    ``lanes`` (but for the last bits, which compiled code may round otherwise). One
    ``SimulationWarning`` says how many did not succeed, and why. Inside, return ``status`` beside
    what is used, and look at it.

    Args:
        make: scene and initial state from one input. Only numbers may differ between inputs.
        inputs: any pytree of arrays whose first axis counts the simulations.
        times: (n,) times of the output in increasing order [s], the same for all.
        method: ``EventAligned()`` (default) or ``Impulse()``.
        keep: what is kept of each motion, any pytree of arrays of one ``Trajectory``; by default
            all of it, of which the contacts take as much room as in the motion with the most.
            Compiled once for a function, so give one that has a name.
        lanes: size of a group; by default ``usual_lanes()``.

    Returns:
        A trajectory, or what is kept of it, of which every array has a first axis that counts the
        simulations.

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

        Two spheres that collide, and only how fast the second one is in the end:

        >>> def collide(mass):
        ...     scene = jc.Scene(
        ...         bodies=jc.spheres(radius=0.02, mass=jnp.stack([0.1, mass])),
        ...         surfaces=(),
        ...         contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=1.0)),
        ...         gravity=(0.0, 0.0, 0.0),
        ...     )
        ...     apart = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
        ...     return scene, jc.state(position=apart, velocity=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
        >>> def last_speed(motion):
        ...     return motion.velocity[-1, 1, 0]
        >>> masses = jnp.array([0.1, 0.3])
        >>> speeds = jc.sweep(collide, masses, [0.0, 0.2], method=jc.Impulse(), keep=last_speed)
        >>> print(speeds)
        [1.  0.5]
    """
    method = EventAligned() if method is None else method
    if not isinstance(method, (EventAligned, Impulse)):
        raise TypeError(f"sweep: method = {method!r} is not EventAligned() or Impulse().")
    lanes = usual_lanes() if lanes is None else lanes
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
    traced = not all(map(is_concrete, (times, *jax.tree.leaves(inputs))))
    moments = jnp.asarray(times, dtype=float)
    inputs = jax.tree.map(jnp.asarray, inputs)
    scene, initial = jax.eval_shape(make, jax.tree.map(lambda column: column[0], inputs))
    budget = first_budget(scene, initial, times, method)
    if not isinstance(make, Hashable):
        make = partial(_call, make)  # compiled in every call
    several = _Sweep(
        make,
        _everything if keep is None else keep,
        min(lanes, count),
        is_one_sphere_over_a_plane(scene, initial, method),
    )
    found = None if traced else _follow(several, inputs, moments, method, budget)
    if found is None:
        return _simulate_mapped(several, inputs, moments, method, budget)
    status, results = found
    warn_of_failures(status, caller="sweep", stacklevel=3)
    return results


@dataclasses.dataclass(frozen=True)
class _Sweep:
    """What is the same for all simulations.

    Attributes:
        make: scene and initial state of one input.
        keep: what is kept of one motion.
        lanes: size of a group.
        sort: whether to sort by the expected number of contacts.
    """

    make: Callable[[Any], tuple[Scene, State]]
    keep: Callable[[Trajectory], Any]
    lanes: int
    sort: bool


def _call(make: Make[Inputs], one: Inputs) -> tuple[Scene, State]:
    return make(one)


def _everything(motion: Trajectory) -> Trajectory:
    return motion


def _follow(
    several: _Sweep, inputs: Inputs, times: jax.Array, method: Followed, budget: Budget
) -> tuple[NDArray[Any], Any] | None:
    """The status of each simulation and what is kept of it, each with the method and the budget
    that it needs; ``None`` where ``make`` encloses traced numbers.
    """
    count = jax.tree.leaves(inputs)[0].shape[0]
    order = np.arange(count)
    if several.sort:
        expect = partial(_expect, several, times=times, contacts=budget.contacts)
        expected: list[NDArray[Any]] = []
        if _fill(expected, expect, inputs, order, lanes=several.lanes) is None:
            return None
        order = np.argsort(expected[0], kind="stable")
    results: list[NDArray[Any]] = []
    first = partial(_simulate_group, several, times=times, method=method, budget=budget)
    structure = _fill(results, first, inputs, order, lanes=several.lanes)
    if structure is None:
        return None
    again = _that_need_more(np.arange(count), results[0], method, budget)
    while again:
        index, method, budget = again.pop()
        program = partial(_simulate_group, several, times=times, method=method, budget=budget)
        fewer = min(several.lanes, max(1, MOST_ENTRIES // budget.contacts))
        _fill(results, program, inputs, index, lanes=fewer)
        again += _that_need_more(index, results[0][index], method, budget)
    status, arrays = results[0], []
    while results:  # one after the other takes little memory beside them
        arrays.append(jnp.asarray(results.pop(0)))
    return status, jax.tree.unflatten(structure, arrays)[1]


def _fill(
    whole: list[NDArray[Any]],
    program: Callable[[Inputs], Any],
    inputs: Inputs,
    index: Indices,
    *,
    lanes: int,
) -> Any:
    """Put what a program of groups gives for the inputs of these numbers in their places of the
    arrays ``whole``, which it makes where there are none. The structure of what it gives, or
    ``None`` where that is traced.
    """
    structure = None
    count = jax.tree.leaves(inputs)[0].shape[0]
    for start in range(0, index.size, lanes):
        part = index[start : start + lanes]
        picked = np.pad(part, (0, lanes - part.size), mode="edge")
        found = program(jax.tree.map(lambda column, picked=picked: column[picked], inputs))
        leaves, structure = jax.tree.flatten(found)
        if not all(map(is_concrete, leaves)):
            return None
        if not whole:
            whole += [np.zeros((count, *leaf.shape[1:]), leaf.dtype) for leaf in leaves]
        for place, leaf in enumerate(leaves):
            whole[place] = _put(whole[place], part, np.asarray(leaf)[: part.size])
    return structure


def _put(whole: NDArray[Any], index: Indices, part: NDArray[Any]) -> NDArray[Any]:
    """Others in the places ``index``, and as many entries (for contacts) as either has."""
    most = np.maximum(whole.shape[1:], part.shape[1:])
    if np.any(most > whole.shape[1:]):
        lacking = most - whole.shape[1:]
        whole = np.pad(whole, [(0, 0), *((0, int(size)) for size in lacking)])
    wide = np.zeros((index.size, *most), whole.dtype)
    wide[tuple(map(slice, part.shape))] = part
    whole[index] = wide
    return whole


def _that_need_more(
    index: Indices, status: NDArray[Any], method: Followed, budget: Budget
) -> list[tuple[Indices, Followed, Budget]]:
    """The simulations that may be followed with more, and with what."""
    found = []
    for code in np.unique(status):
        more = with_remedy(method, budget, int(code))
        if more is not None:
            found.append((index[status == code], *more))
    return found


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


@partial(jax.jit, static_argnames=("several", "method", "budget"))
def _simulate_group(
    several: _Sweep, inputs: Any, times: jax.Array, method: Followed, budget: Budget
) -> tuple[jax.Array, Any]:
    """The status of simulations that go through the budget together, and what is kept of each."""

    def simulate_one(one: Any) -> tuple[jax.Array, Any]:
        scene, initial = several.make(one)
        check_simulation(scene, initial, times, method)
        motion = run_once(scene, initial, times, method, budget)
        return motion.status, several.keep(motion)

    return jax.vmap(simulate_one, axis_name=AXIS)(inputs)


@partial(jax.jit, static_argnames=("several", "contacts"))
def _expect(several: _Sweep, inputs: Any, times: jax.Array, contacts: int) -> jax.Array:
    """Expected number of contacts of each."""

    def expect_one(one: Any) -> jax.Array:
        return expected_contacts(*several.make(one), times, budget=contacts)

    return jax.vmap(expect_one, axis_name=AXIS)(jax.lax.stop_gradient(inputs))


@partial(jax.jit, static_argnames=("several", "method", "budget"))
def _simulate_mapped(
    several: _Sweep, inputs: Any, times: jax.Array, method: Followed, budget: Budget
) -> Any:
    """What is kept of all simulations with one budget, in groups inside of compiled code."""
    count = jax.tree.leaves(inputs)[0].shape[0]
    lanes = several.lanes

    def group(index: jax.Array) -> Any:
        picked = jax.tree.map(lambda column: column[index], inputs)
        return _simulate_group(several, picked, times, method, budget)[1]

    expected = (
        _expect(several, inputs, times, budget.contacts) if several.sort else jnp.zeros(count)
    )
    order = jnp.argsort(expected)
    groups = -(-count // lanes)
    results = jax.lax.map(
        group, jnp.pad(order, (0, groups * lanes - count), mode="edge").reshape(groups, lanes)
    )
    place = jnp.argsort(order)
    return jax.tree.map(lambda column: column.reshape((-1, *column.shape[2:]))[place], results)
