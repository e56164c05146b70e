"""Many simulations of one sphere: their numbers differ, and the batch is as quick as if all took
equally long.
"""

import dataclasses
from collections.abc import Callable, Hashable
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.parameters import is_concrete, put
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.methods import EventAligned, Impulse, made_exact
from jaxcontact.simulation.core.status import Status
from jaxcontact.simulation.core.trajectory import Trajectory, warn_of_failures
from jaxcontact.simulation.simulate import (
    MORE_CONTACTS,
    check_times,
    is_one_sphere_over_a_plane,
    simulate,
)
from jaxcontact.simulation.single_sphere.engine import bounces
from jaxcontact.simulation.single_sphere.flight import SphereMotion

AXIS = "lanes of a sweep"

MOST_ENTRIES = 2**17
"""Largest number of contacts of all lanes of a group together that is tried where no budget is
given: about half a gigabyte.
"""

Inputs = TypeVar("Inputs")


def expected_contacts(scene: Scene, initial: State, times: jax.Array, *, budget: int) -> jax.Array:
    """Number of impacts up to the last time if they were rigid and without friction."""
    start = SphereMotion(
        times[0],
        *(jnp.reshape(value, (3,)) for value in (initial.position, initial.velocity, initial.spin)),
    )
    scene = put(scene, "contact.friction", NoFriction())
    last, _, _ = bounces(
        scene, start, times[-1], Impulse(max_contacts=budget, lanes=AXIS), level=True
    )
    return last.done


def sweep(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: ArrayLike,
    *,
    method: EventAligned | Impulse | None = None,
    lanes: int = 128,
) -> Trajectory:
    """Simulate ``make(input)`` for every one of ``inputs``.

    As ``jax.vmap`` of ``simulate``, with the same result, but several times faster: mapped
    simulations all go through the budget of contacts, whereas here those that are expected to have
    about as many contacts go through it together, in groups, and a group stops when it is done. It
    can be differentiated in every mode. Compile it together with what is made of the result
    (``jax.jit(lambda inputs: sweep(make, inputs, times).position)``): what is not used is then not
    computed. A compiled sweep keeps one core of a processor busy; for more, call it with parts of
    the inputs from as many threads.

    How each simulation ended is in ``status`` of the result; ``np.flatnonzero(~result.succeeded)``
    are those that did not succeed. Outside of traced functions, a budget of contacts that is not
    given grows until it suffices, contacts and flights that are inexact are followed once more (as
    ``simulate`` does), and one ``SimulationWarning`` says how many did not succeed, and
    why. Inside, return ``status`` beside what is used, and look at it.

    Args:
        make: scene and initial state of one sphere over a fixed plane from one input.
        inputs: any pytree of arrays whose first axis counts the simulations.
        times: (n,) times of the output in increasing order [s], the same for all.
        method: ``EventAligned()`` (default) or ``Impulse()``.
        lanes: size of a group; on a processor, what fits its cache.

    Returns:
        A trajectory of which every array has a first axis that counts the simulations.

    Raises:
        TypeError: ``method`` is none of the two.
        ValueError: ``lanes`` is not a positive whole number, ``inputs`` have no common first axis,
            or ``make`` gives a scene that is not one sphere over one fixed plane.

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
    moments = jnp.asarray(times, dtype=float)
    method = dataclasses.replace(method, lanes=AXIS)
    inputs = jax.tree.map(jnp.asarray, inputs)

    if not is_one_sphere_over_a_plane(
        *jax.eval_shape(make, jax.tree.map(lambda column: column[0], inputs))
    ):
        raise ValueError(
            "sweep: make gives a scene that is not one sphere over one fixed plane. Use "
            "jax.vmap of simulate for others."
        )

    lanes = min(lanes, count)

    check_times(times)
    # Compiled once for a function ``make``; what has no hash is compiled in every call.
    grouped = _run_compiled if isinstance(make, Hashable) else _run

    def run(method: EventAligned | Impulse) -> Trajectory:
        return grouped(make, inputs, moments, method, lanes)

    most = 0 if method.max_contacts is not None else MOST_ENTRIES // lanes
    method = dataclasses.replace(method, max_contacts=method.contact_budget)
    results = run(method)
    while (better := _with_remedy(method, results, most_contacts=most)) is not None:
        method = better
        results = run(method)
    if is_concrete(results.status):
        warn_of_failures(results, caller="sweep", stacklevel=3)
    return results


def _with_remedy(
    method: EventAligned | Impulse, results: Trajectory, *, most_contacts: int
) -> EventAligned | Impulse | None:
    """A method that may follow simulations that this one did not; ``None`` where there is none, or
    the results are traced.
    """
    if not is_concrete(results.status):
        return None
    found = {int(code) for code in np.unique(results.status)}
    contacts = MORE_CONTACTS * method.contact_budget
    if Status.TOO_FEW_CONTACTS in found and contacts <= most_contacts:
        return dataclasses.replace(method, max_contacts=contacts)
    for status in found:
        exact = made_exact(method, status)
        if exact is not None:
            return exact
    return None


def _run(
    make: Callable[[Inputs], tuple[Scene, State]],
    inputs: Inputs,
    times: jax.Array,
    method: EventAligned | Impulse,
    lanes: int,
) -> Trajectory:
    """All simulations with the budget of the method, in groups of about as many contacts."""
    count = jax.tree.leaves(inputs)[0].shape[0]

    def expected(one: Inputs) -> jax.Array:
        return expected_contacts(*make(one), times, budget=method.contact_budget)

    def simulate_one(one: Inputs) -> Trajectory:
        return simulate(*make(one), times, method=method)

    def group(index: jax.Array) -> Trajectory:
        picked = jax.tree.map(lambda column: column[index], inputs)
        return jax.vmap(simulate_one, axis_name=AXIS)(picked)

    order = jnp.argsort(jax.vmap(expected, axis_name=AXIS)(jax.lax.stop_gradient(inputs)))
    groups = -(-count // lanes)
    results = jax.lax.map(
        group, jnp.pad(order, (0, groups * lanes - count), mode="edge").reshape(groups, lanes)
    )
    place = jnp.argsort(order)
    return jax.tree.map(lambda column: column.reshape((-1, *column.shape[2:]))[place], results)


_run_compiled = jax.jit(_run, static_argnames=("make", "method", "lanes"))
