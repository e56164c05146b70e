"""The end of the overlap over which the forces of a smooth contact set in, as one more event.

Such a layer may be thin beside the overlaps of a collision. Between the nodes of a step that begins
or ends at touch-down it would be passed over, and no estimate of the step's error sees that; so
steps end where it ends, on the way in and on the way out.
"""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.parameters import model

BEYOND = 1
"""Last number of the mode while the overlap is larger than the onset."""


def with_onset_as_event(contact: PairContact) -> PairContact:
    """The same contact; where its forces set in over an overlap, the end of that is a switch."""
    return contact if contact.onset is None else StagedContact(contact=contact)


@model
class StagedContact(PairContact):
    """A ``contact`` with one more switch, the last one: its overlap passes the onset. What acts is
    the same on both sides.
    """

    contact: PairContact

    @property
    def switches(self) -> tuple[str, ...]:  # type: ignore[override]  # those of the contact, and one
        return (*self.contact.switches, "onset")

    @property
    def punctual(self) -> tuple[int, ...]:
        return (*self.contact.punctual, len(self.contact.switches))

    @property
    def grading(self) -> int:
        return self.contact.grading

    @property
    def flow_scale(self) -> Any:
        return self.contact.flow_scale

    def radii(self) -> tuple[Any, Any]:
        return self.contact.radii()

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        beyond = self._excess(body0, body1) > 0
        return _with_stage(self.contact.begun(body0, body1), beyond)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        return self.contact.gap(body0, body1)

    def _excess(self, body0: Motion, body1: Partner) -> jax.Array:
        """Overlap beyond the onset [m]."""
        return -self.contact.gap(body0, body1) - jnp.asarray(self.contact.onset)

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        return self.contact.act(_without_stage(memory), body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        own = self.contact.signs(_without_stage(memory), body0, body1)
        excess = self._excess(body0, body1)
        return jnp.append(own, jnp.where(memory.mode[-1] == BEYOND, excess, -excess))

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        inner, stage = _without_stage(memory), memory.mode[-1]
        passes = switch == len(self.contact.switches)
        own = self.contact.crossed(jnp.where(passes, 0, switch), inner, body0, body1)
        after = jax.tree.map(lambda new, old: jnp.where(passes, old, new), own, inner)
        stage = jnp.where(passes, 1 - stage, jnp.where(switch == 0, 0, stage))
        return _with_stage(after, stage)


def _with_stage(memory: PairMemory, beyond: jax.Array) -> PairMemory:
    return memory._replace(mode=jnp.append(memory.mode, beyond.astype(memory.mode.dtype)))


def _without_stage(memory: PairMemory) -> PairMemory:
    return memory._replace(mode=memory.mode[:-1])
