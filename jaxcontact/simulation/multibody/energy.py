"""Where the energy of a simulation is, and where it went."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.pairs import World, kinetic_energy, momenta
from jaxcontact.simulation.multibody.step import Work


class Step(NamedTuple):
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


class Ledger(NamedTuple):
    """Energy [J] at the ends of the simulation's own steps, each ``(steps,)``, and momentum.
    ``total`` does not change.

    Attributes:
        times: [s], in increasing order; steps of no length repeat their time.
        kinetic: of translation and rotation.
        potential: in gravity, zero at the origin.
        springs: stored in springs to anchors.
        in_contact: taken up by the normal motion of contacts that have not ended: stored in them,
            and lost so far. Where the normal law has hysteresis: stored in them.
        friction_stored: in the springs of friction and rolling with memory.
        normal: lost along the normals of contacts that have ended; where the normal law has
            hysteresis, of all, as it is lost.
        friction: lost to slip.
        rolling: lost to rolling resistance.
        spinning: lost to spinning resistance.
        fluid: lost to drag and to the dashpots of springs.
        settled: lost where contacts came to rest: the remains of their bouncing.
        supplied: done on the bodies by surfaces and anchors that move as prescribed.
        momentum: ``(steps, 3)`` [N s].
        angular_momentum: about the origin, ``(steps, 3)`` [N m s].
    """

    times: jax.Array
    kinetic: jax.Array
    potential: jax.Array
    springs: jax.Array
    in_contact: jax.Array
    friction_stored: jax.Array
    normal: jax.Array
    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array
    fluid: jax.Array
    settled: jax.Array
    supplied: jax.Array
    momentum: jax.Array
    angular_momentum: jax.Array

    @property
    def dissipated(self) -> jax.Array:
        """Lost up to each time."""
        return (
            self.normal + self.friction + self.rolling + self.spinning + self.fluid + self.settled
        )

    @property
    def total(self) -> jax.Array:
        """All of it together, constant up to the error of the integration."""
        stored = (
            self.kinetic + self.potential + self.springs + self.in_contact + self.friction_stored
        )
        return stored + self.dissipated - self.supplied

    @property
    def imbalance(self) -> jax.Array:
        """Largest change of ``total`` over the largest energy that was there or was turned over,
        ``()`` [-].
        """
        scale = (
            jnp.max(jnp.abs(self.kinetic))
            + jnp.max(jnp.abs(self.potential - self.potential[0]))
            + jnp.max(jnp.abs(self.supplied))
        )
        change = jnp.max(jnp.abs(self.total - self.total[0]))
        return change / jnp.where(scale > 0, scale, 1.0)


def ledger_of(world: World, record: Step) -> Ledger:
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

    def up_to(column: jax.Array) -> jax.Array:
        return jnp.concatenate([jnp.zeros_like(column[:1]), jnp.cumsum(column, axis=0)])

    work = jax.tree.map(up_to, record.work)
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


def after_impacts(record: Step) -> State:
    """State at the end of each step; after a rigid impact that is where the next step starts."""
    return jax.tree.map(
        lambda starts, ends: jnp.concatenate([starts[1:], ends[-1:]]), record.before, record.after
    )
