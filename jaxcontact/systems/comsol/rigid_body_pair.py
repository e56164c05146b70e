"""What the contacts of a source sphere have in common, whatever its destination."""

import jax

from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.smoothing import Smoothing, onset_of
from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.comsol import spherical_modes
from jaxcontact.systems.comsol.contact_force import RigidBodyContact
from jaxcontact.systems.comsol.spherical_geometry import geometry_between


class RigidBodyPair(PairContact):
    """A contact between a source sphere, the first body, and a destination, for ``simulate``."""

    contact: RigidBodyContact
    smooth: Smoothing | None
    switches = spherical_modes.SWITCHES
    on_a_plane = "comsol.ArbitraryContact"

    @property
    def punctual(self) -> tuple[int, ...]:
        """But the dashpot, which acts on the way in alone: a ball at rest swings without end."""
        return 0, 2

    @property
    def onset(self) -> Real | None:
        """``contact.ramp_overlap`` or ``smooth.overlap`` [m]; ``None`` in the hard form."""
        return self.contact.ramp_overlap if self.smooth is None else onset_of(self.smooth)

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """What the motion says; nothing is remembered."""
        return spherical_modes.begun(self, body0, body1)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Gap [m], negative in overlap."""
        return geometry_between(self, body0, body1).plane.gap

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and moments in the present mode."""
        return spherical_modes.act(self, memory, body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """Of ``switches``."""
        return spherical_modes.signs(self, memory, body0, body1)

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What the mode is from an event on."""
        return spherical_modes.crossed(self, switch, memory, body0, body1)
