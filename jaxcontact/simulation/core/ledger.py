"""Where the energy of a simulation is, and where it went."""

from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp

PerStep = Annotated[jax.Array, "steps"]


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

    times: PerStep
    kinetic: PerStep
    potential: PerStep
    springs: PerStep
    in_contact: PerStep
    friction_stored: PerStep
    normal: PerStep
    friction: PerStep
    rolling: PerStep
    spinning: PerStep
    fluid: PerStep
    settled: PerStep
    supplied: PerStep
    momentum: Annotated[jax.Array, "steps 3"]
    angular_momentum: Annotated[jax.Array, "steps 3"]

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
