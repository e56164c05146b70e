"""Motion of rigid spheres under Exudyn's contact forces, integrated without the program's time
stepping.

The force functions of jaxcontact are smooth while the data node says the same about contact and
sticking. So between two events (a contact closes or opens, sticks or slides, or turns from
compression to decompression, where its plastic overlap is fixed) SciPy's DOP853 integrates with
errors far below the tolerances of the references; at the events, found to rounding, the data node
is updated.
"""

import dataclasses
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems.exudyn.data_node import DataNode


class Bodies(NamedTuple):
    """``(bodies,)`` each; the inverses are zero for what does not move."""

    inverse_mass: np.ndarray
    inverse_inertia: np.ndarray


class Pairs(NamedTuple):
    """Contacts between ``first`` and ``second``, indices ``(pairs,)``; ``parameters`` has the pairs
    as first axis of its leaves.
    """

    parameters: Any
    first: np.ndarray
    second: np.ndarray
    force: Callable
    update: Callable


class Drive(NamedTuple):
    """A spring from a body to a point that moves along ``axis``, linearly between ``position`` at
    ``time``; and a damper to the ground.
    """

    body: int
    axis: np.ndarray
    stiffness: float
    damping: float
    time: np.ndarray
    position: np.ndarray

    def __call__(self, t: float, state: np.ndarray) -> np.ndarray:
        position, velocity = self.axis @ state[self.body, 0:3], self.axis @ state[self.body, 3:6]
        return self.axis * (
            self.stiffness * (np.interp(t, self.time, self.position) - position)
            - self.damping * velocity
        )


class Contacts(NamedTuple):
    """What is known of each pair at an instant; ``(pairs,)`` or ``(pairs, 3)``."""

    gap: Any
    slip: Any
    rate: Any
    force_on_first: Any
    torque_on_first: Any


class Recorded(NamedTuple):
    """State and its rate at the sample times ``(times, bodies, 9)``; of the pairs ``(times, pairs,
    ...)``; times of events ``(events,)``; time, pair and approach speed when a contact closed
    ``(impacts, 3)``.
    """

    state: np.ndarray
    rate: np.ndarray
    contacts: Contacts
    data: DataNode
    events: np.ndarray
    impacts: np.ndarray


def _motion(state: jax.Array) -> Motion:
    return Motion(state[:, 0:3], state[:, 3:6], state[:, 6:9])


@cache
def compiled(force: Callable, update: Callable) -> Callable:
    """For one pair law: what is known of the contacts and what they do to the bodies."""

    @jax.jit
    def evaluate(
        parameters: Any, first: Any, second: Any, data: DataNode, state: Any
    ) -> tuple[Contacts, DataNode, Any, Any]:
        one, other = _motion(state[first]), _motion(state[second])
        result = jax.vmap(force)(parameters, one, other, data)
        after = jax.vmap(update)(parameters, one, other, data)
        with_spin = parameters.replace(
            compatibility=dataclasses.replace(parameters.compatibility, spin_needs_friction=False)
        )
        slip = jax.vmap(update)(with_spin, one, other, data).tangential_velocity
        normal, centres = result.outputs.Director1, other.velocity - one.velocity
        contacts = Contacts(
            after.gap,
            slip,
            jnp.sum(normal * centres, axis=-1),
            result.on_0.force,
            result.on_0.torque,
        )
        forces = (
            jnp.zeros_like(state[:, 0:3])
            .at[first]
            .add(result.on_0.force)
            .at[second]
            .add(result.on_1.force)
        )
        torques = (
            jnp.zeros_like(forces)
            .at[first]
            .add(result.on_0.torque)
            .at[second]
            .add(result.on_1.torque)
        )
        return contacts, after, forces, torques

    return evaluate


class Stepper:
    """The present regime of all contacts, and the right-hand side while it lasts."""

    def __init__(
        self,
        bodies: Bodies,
        pairs: Pairs,
        data: DataNode,
        state: np.ndarray,
        gravity: np.ndarray,
        drive: Drive | None,
    ) -> None:
        self.bodies, self.pairs, self.gravity, self.drive = bodies, pairs, gravity, drive
        # What stays the same is handed over to JAX once: that took most of the time of a call.
        self._evaluate = partial(
            compiled(pairs.force, pairs.update),
            *jax.device_put((pairs.parameters, pairs.first, pairs.second)),
        )
        self.zone = np.asarray(pairs.parameters.frictionProportionalZone)
        self.rubs = np.asarray(pairs.parameters.dynamicFriction) > 0.0
        self.plastic = (
            np.asarray(
                getattr(pairs.parameters, "contactPlasticityRatio", np.zeros_like(self.zone))
            )
            > 0.0
        )
        self.closed = np.asarray(data.gap) < 0.0
        self.memory = data
        self.sticks = self.compresses = np.zeros_like(self.closed)
        self.data = self.data_of_regime()
        contacts, _ = self.evaluate(state)
        self.sticks, self.compresses = contacts.slip < self.zone, contacts.rate < 0.0
        self.data = self.data_of_regime()

    def data_of_regime(self) -> DataNode:
        """A data node that names the regime."""
        data: DataNode = jax.device_put(
            self.memory._replace(
                gap=np.where(self.closed, -1.0, 1.0),
                tangential_velocity=np.where(self.sticks, 0.0, 2.0 * self.zone + 1.0),
            )
        )
        return data

    def evaluate(self, state: np.ndarray) -> tuple[Contacts, DataNode]:
        return jax.tree.map(np.asarray, self._evaluate(self.data, state)[:2])

    def rates(self, t: float, flat: np.ndarray) -> np.ndarray:
        state = flat.reshape(-1, 9)
        forces, torques = map(np.asarray, self._evaluate(self.data, state)[2:])
        if self.drive is not None:
            forces = forces.copy()
            forces[self.drive.body] += self.drive(t, state)
        acceleration = forces * self.bodies.inverse_mass[:, None] + self.gravity * (
            self.bodies.inverse_mass[:, None] > 0.0
        )
        return np.concatenate(
            [state[:, 3:6], acceleration, torques * self.bodies.inverse_inertia[:, None]], axis=1
        ).ravel()

    def watched(self) -> list[tuple[str, int, float]]:
        """What may end the regime: kind, pair and sign of the crossing."""
        events = []
        for pair, closed in enumerate(self.closed):
            events.append(("gap", pair, 1.0 if closed else -1.0))
            if closed and self.rubs[pair] and self.zone[pair] > 0.0:
                events.append(("slip", pair, 1.0 if self.sticks[pair] else -1.0))
            if closed and self.plastic[pair]:
                events.append(("rate", pair, 1.0 if self.compresses[pair] else -1.0))
        return events

    def pass_event(self, kind: str, pair: int, state: np.ndarray) -> None:
        """Enter the regime after an event."""
        contacts, after = self.evaluate(state)
        memory = DataNode(*(np.array(value) for value in self.memory))
        if kind == "slip":
            self.sticks[pair] = not self.sticks[pair]
        elif kind == "rate":
            self.compresses[pair] = not self.compresses[pair]
            memory.plastic_overlap[pair] = after.plastic_overlap[pair]
        else:
            self.closed[pair] = not self.closed[pair]
            memory.plastic_overlap[pair] = 0.0
            if self.closed[pair]:
                memory.impact_velocity[pair] = -contacts.rate[pair]
        self.memory = memory
        if kind == "gap":
            self.sticks[pair], self.compresses[pair] = (
                contacts.slip[pair] < self.zone[pair],
                contacts.rate[pair] < 0.0,
            )
        self.data = self.data_of_regime()

    def events(self) -> list[Callable]:
        """The functions of ``watched`` for SciPy; one evaluation serves all of them."""
        last: dict[bytes, Contacts] = {}

        def value(t: float, flat: np.ndarray, kind: str, pair: int) -> float:
            key = flat.tobytes()
            if key not in last:
                last.clear()
                last[key] = self.evaluate(flat.reshape(-1, 9))[0]
            found = last[key]
            return float(
                found.slip[pair] - self.zone[pair] if kind == "slip" else getattr(found, kind)[pair]
            )

        functions = []
        for kind, pair, direction in self.watched():
            function = partial(value, kind=kind, pair=pair)
            function.terminal, function.direction = True, direction  # type: ignore[attr-defined]
            functions.append(function)
        return functions


def integrate(
    bodies: Bodies,
    pairs: Pairs,
    data: DataNode,
    state: np.ndarray,
    *,
    times: np.ndarray,
    gravity: np.ndarray,
    drive: Drive | None = None,
    rtol: float = 1e-10,
) -> Recorded:
    """The motion from ``state`` ``(bodies, 9)`` at ``times[0]``, sampled at ``times``."""
    stepper = Stepper(bodies, pairs, data, state, gravity, drive)
    stops = np.unique(np.concatenate([times[-1:], drive.time if drive else []]))
    # In flight the error allows any step; an impact shorter than the step would be jumped over.
    longest = np.min(np.diff(times))
    t, flat, events, impacts, samples = times[0], state.ravel(), [], [], []
    while len(samples) < len(times):
        stop = next((later for later in stops if later > t), times[-1])
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # in trial steps that are far too long, and rejected
            solution = solve_ivp(
                stepper.rates,
                (t, stop),
                flat,
                method="DOP853",
                rtol=rtol,
                atol=1e-2 * rtol,
                max_step=longest,
                events=stepper.events(),
                dense_output=True,
            )
        assert solution.success, solution.message
        while len(samples) < len(times) and times[len(samples)] <= solution.t[-1]:
            now = times[len(samples)]
            sampled = solution.sol(now) if solution.t[-1] > t else flat
            contacts, after = stepper.evaluate(sampled.reshape(-1, 9))
            samples.append(
                (
                    sampled.reshape(-1, 9),
                    stepper.rates(now, sampled).reshape(-1, 9),
                    contacts,
                    after,
                )
            )
        t, flat = solution.t[-1], solution.y[:, -1]
        for (kind, pair, _), found in zip(stepper.watched(), solution.t_events, strict=True):
            if found.size:
                events.append(t)
                stepper.pass_event(kind, pair, flat.reshape(-1, 9))
                if kind == "gap" and stepper.closed[pair]:
                    impacts.append((t, pair, stepper.memory.impact_velocity[pair]))
        assert len(events) < 10_000, f"{len(events)} events until {t} s"
    recorded = (
        jax.tree.map(lambda *leaves: np.stack(leaves), *part) for part in zip(*samples, strict=True)
    )
    return Recorded(*recorded, np.array(events), np.array(impacts).reshape(-1, 3))
