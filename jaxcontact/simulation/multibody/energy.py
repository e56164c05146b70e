"""What the steps of a simulation leave behind, and the ledger of energy made of it."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.interpolation import accumulated
from jaxcontact.scene.scene import State
from jaxcontact.simulation.core.ledger import Ledger
from jaxcontact.simulation.multibody.pairs import World, kinetic_energy, momenta
from jaxcontact.simulation.multibody.step import Active, Work
from jaxcontact.simulation.multibody.sustained_contacts import Slopes


class StepRecord(NamedTuple):
    """What one step of a simulation leaves behind.

    Attributes:
        time: of its start [s].
        before, duration, after: its ends.
        touches, leaves: the event at its end, ``(pairs,)``.
        rate: of every gap at its end [m/s], before a rigid impact.
        work: in the step.
        stored: energy in the springs of friction at its end [J].
        rolled: energy in the springs of rolling at its end [J].
        elastic: energy that contacts with hysteresis could give back at its end [J].
        lack: what the relative velocity of each pair may lack [m/s], ``(pairs,)``.
        active: contacts in the step.
        repeats: whether the bodies within the step are where a shorter one takes them.
        rests: whether its contacts have settled.
        slopes: accelerations at its ends where they have; ``None`` where none may.
        error: what velocities may lack then, in units of the fastest motion so far.
    """

    time: jax.Array
    before: State
    duration: jax.Array
    after: State
    touches: jax.Array
    leaves: jax.Array
    rate: jax.Array
    work: Work
    stored: jax.Array
    rolled: jax.Array
    elastic: jax.Array
    lack: jax.Array
    active: Active
    repeats: jax.Array
    rests: jax.Array
    slopes: Slopes | None
    error: jax.Array


def ledger_of(world: World, record: StepRecord) -> Ledger:
    """The ledger of the steps of a simulation, from the start of the first on."""
    scene = world.scene
    states = jax.tree.map(
        lambda first, rest: jnp.concatenate([first[:1], rest]), record.before, after_impacts(record)
    )
    times = jnp.concatenate([record.time[:1], record.time + record.duration])
    pull = jnp.asarray(scene.gravity) / world.inverse_mass[:, None]
    potential = -jnp.einsum(
        "tni,ni->t", states.position, jnp.broadcast_to(pull, states.position.shape[1:])
    )
    springs = jnp.zeros_like(times)
    for spring in scene.springs:
        springs = springs + jax.vmap(spring.energy)(states.position[:, spring.body], times)

    work = jax.tree.map(accumulated, record.work)
    taken = work.normal[1:]

    def ended(lost: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        lost = jnp.where(now[1], now[0], lost)
        return lost, lost

    over = record.leaves if not world.rigid else jnp.ones_like(record.leaves)
    if world.has_hysteresis:
        normal = jnp.sum(work.normal, axis=1) - jnp.concatenate(
            [jnp.zeros((1,), record.elastic.dtype), record.elastic]
        )
    else:
        _, lost = jax.lax.scan(ended, jnp.zeros_like(taken[0]), (taken, over))
        normal = jnp.concatenate([jnp.zeros((1,), lost.dtype), jnp.sum(lost, axis=1)])
    stored = jnp.concatenate([jnp.zeros((1,), record.stored.dtype), record.stored])
    rolled = jnp.concatenate([jnp.zeros((1,), record.rolled.dtype), record.rolled])
    linear, angular = jax.vmap(lambda state: momenta(world, state))(states)
    return Ledger(
        times=times,
        kinetic=jax.vmap(lambda state: kinetic_energy(world, state))(states),
        potential=potential,
        springs=springs,
        in_contact=jnp.sum(work.normal, axis=1) - normal,
        friction_stored=stored + rolled,
        normal=normal,
        friction=work.friction - stored,
        rolling=work.rolling - rolled,
        spinning=work.spinning,
        fluid=work.fluid,
        settled=work.settled,
        supplied=work.supplied,
        momentum=linear,
        angular_momentum=angular,
    )


def after_impacts(record: StepRecord) -> State:
    """State at the end of each step; after a rigid impact that is where the next step starts."""
    return jax.tree.map(
        lambda starts, ends: jnp.concatenate([starts[1:], ends[-1:]]), record.before, record.after
    )
