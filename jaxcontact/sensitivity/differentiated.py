"""One simulation as a function of chosen parameters, compiled once for all scenes that differ in
these only.
"""

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.compilation import quick_jit
from jaxcontact.scene.scene import Scene, State
from jaxcontact.sensitivity.jacobian import jacobian
from jaxcontact.sensitivity.selection import OF_STATE, Component, with_values
from jaxcontact.simulation.simulate import Contacts, FixedStep, Method, Trajectory, simulate

CHUNK = 32
"""Directions that are carried at once: a bound on memory."""


@dataclasses.dataclass(frozen=True, eq=False)
class DifferentiatedSimulation:
    """A simulation as a function of the values of some parameters.

    What is not among the parameters is a number for the compiler, as in a user's own function: so
    an engine chooses as it would there. Two experiments are equal if their compiled code is.

    Attributes:
        scene: with all parameters.
        initial: state at the first time.
        parts: the parameters.
        times: output times ``(n,)`` [s].
        rows: which of them are of interest.
        method: of ``simulate``.
        observable: of a trajectory, an array with a leading axis of times.
    """

    scene: Scene
    initial: State
    parts: tuple[Component, ...]
    times: np.ndarray
    rows: tuple[int, ...]
    method: Method
    observable: Callable[[Trajectory], Any]

    @property
    def values(self) -> jax.Array:
        """Present values of the parameters, ``(parts,)``."""
        return jnp.asarray([part.value for part in self.parts], dtype=float)

    @cached_property
    def _key(self) -> tuple:
        places = tuple((part.path, part.index, part.shape) for part in self.parts)
        scene, initial = with_values(self.scene, self.initial, self.parts, self.values)
        leaves, structure = jax.tree_util.tree_flatten_with_path({"": scene, OF_STATE: initial})
        fixed = []
        for path, leaf in leaves:
            name = path[0].key + ".".join(
                str(getattr(key, "name", getattr(key, "idx", key))) for key in path[1:]
            )
            numbers = np.array(leaf)
            numbers.reshape(-1)[[part.index for part in self.parts if part.path == name]] = 0.0
            fixed.append((numbers.dtype.str, numbers.shape, numbers.tobytes()))
        return (
            places,
            structure,
            tuple(fixed),
            self.times.tobytes(),
            self.rows,
            self.method,
            self.observable,
        )

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DifferentiatedSimulation) and self._key == other._key

    def trajectory(self, values: jax.Array) -> Trajectory:
        """The motion for these values of the parameters."""
        scene, initial = with_values(self.scene, self.initial, self.parts, values)
        return simulate(scene, initial, self.times, method=self.method)

    def observed(self, trajectory: Trajectory) -> jax.Array:
        """The observable at the times of interest, ``(rows, numbers)``."""
        return jnp.reshape(
            jnp.asarray(self.observable(trajectory))[np.asarray(self.rows)], (len(self.rows), -1)
        )


def motion(trajectory: Trajectory) -> jax.Array:
    """Position, velocity and spin of all bodies, ``(times, 3, numbers)``."""
    columns = (trajectory.position, trajectory.velocity, trajectory.spin)
    return jnp.stack(
        [jnp.reshape(column, (len(trajectory.times), -1)) for column in columns], axis=1
    )


Events = tuple[jax.Array, jax.Array, jax.Array]


def events(trajectory: Trajectory) -> Events:
    """Touch-down, lift-off and rebound speed of the contacts; of none where the method keeps no
    list.
    """
    contacts = trajectory.contacts
    none = jnp.zeros((0,))
    return (
        (none, none, none)
        if contacts is None
        else (contacts.touch_down, contacts.lift_off, contacts.rebound_speed)
    )


def _outcomes(
    simulation: DifferentiatedSimulation, points: jax.Array
) -> tuple[jax.Array, Contacts | None, jax.Array]:
    def one(values: jax.Array) -> tuple[jax.Array, Contacts | None, jax.Array]:
        trajectory = simulation.trajectory(values)
        return simulation.observed(trajectory), trajectory.contacts, trajectory.status

    return jax.lax.map(one, points)


def _derivatives(
    simulation: DifferentiatedSimulation, values: jax.Array, mode: str
) -> tuple[jax.Array, Events]:
    def both(values: jax.Array) -> tuple[jax.Array, Events]:
        trajectory = simulation.trajectory(values)
        return simulation.observed(trajectory), events(trajectory)

    if mode == "forward":
        return jacobian(both, mode=mode, chunk=CHUNK)(values)
    # Each output costs in reverse mode, and the events are many.
    by = jacobian(lambda values: both(values)[0], mode=mode, chunk=CHUNK)(values)
    return by, (jnp.zeros((0, len(values))),) * 3


# Compiling takes nearly all the time of a check, except where there are very many steps.
_run = {
    many_steps: (
        quick_jit(_outcomes, static_argnames=("simulation",), optimised=many_steps),
        quick_jit(_derivatives, static_argnames=("simulation", "mode"), optimised=many_steps),
    )
    for many_steps in (False, True)
}


def outcomes(
    simulation: DifferentiatedSimulation, points: jax.Array
) -> tuple[jax.Array, Contacts | None, jax.Array]:
    """Observable, contacts and status for each of the ``points`` ``(n, parts)``, one after the
    other: the program that a user runs.
    """
    return _run[isinstance(simulation.method, FixedStep)][0](simulation, points)


def derivatives(simulation: DifferentiatedSimulation, mode: str) -> tuple[jax.Array, Events]:
    """Derivative of the observable, ``(rows, numbers, parts)``, and in forward mode of the
    ``events``, each ``(contacts, parts)``.
    """
    return _run[isinstance(simulation.method, FixedStep)][1](simulation, simulation.values, mode)


def by_parameter(jacobian: jax.Array) -> np.ndarray:
    """A Jacobian ``(horizons, numbers, parameters)`` with the parameters in front."""
    return np.moveaxis(np.asarray(jacobian), -1, 0)
