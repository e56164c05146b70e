"""One trial as it is simulated: the scene and the state of the moment, and how the measurements see
them.
"""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from calibration.model.apparatus import Camera, Clock, Real
from jaxcontact import Scene


class Initial(NamedTuple):
    """A known state of a trial, or of several with a leading axis of trials.

    Attributes:
        position: of the centre (3,) [m].
        velocity: of the centre (3,) [m/s].
        spin: angular velocity (3,) [rad/s].
        time: at which the state holds [s].
        orientation: quaternion (4,), scalar first.
    """

    position: ArrayLike
    velocity: ArrayLike
    spin: ArrayLike
    time: ArrayLike
    orientation: ArrayLike


class TrialState(NamedTuple):
    """One trial as it is simulated: what nuisances change and measurements read.

    Attributes:
        scene: with the parameters of the moment.
        position, velocity, spin: initial state (3,), in true units, at ``start``.
        start: time at which the motion starts [s], that of the first sample unless a nuisance says
            otherwise.
        scale: true length over recorded length.
        orientation: at ``start``, quaternion (4,), scalar first.
        origin: time at which clocks that drift are right [s], that of the first sample.
        marker: angle of a marker at ``start`` [rad].
        gain: shown force over true force [-].
        camera: how positions show in pictures.
        clocks: of the instruments, by name; one that is not there shows the time of the trial.
        quantities: what nuisances written elsewhere tell measurements written elsewhere, by name.

    Example:
        What a nuisance does, and what an observation asks for:

        >>> zero = jnp.zeros(())
        >>> vector = jnp.zeros(3)
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> state = cal.nuisances.TrialState(
        ...     scene, vector, vector, vector, zero, zero + 1, jnp.zeros(4), zero
        ... )
        >>> later = state._replace(start=zero + 0.1).with_quantity("offset", zero + 0.02)
        >>> float(later.start), float(later.quantity("offset")), float(state.quantity("offset"))
        (0.1, 0.02, 0.0)
    """

    scene: Scene
    position: Annotated[jax.Array, "3"]
    velocity: Annotated[jax.Array, "3"]
    spin: Annotated[jax.Array, "3"]
    start: Annotated[jax.Array, ""]
    scale: Annotated[jax.Array, ""]
    orientation: Annotated[jax.Array, "4"]
    origin: Annotated[jax.Array, ""]
    marker: Real = 0.0
    gain: Real = 1.0
    camera: Camera = Camera()
    clocks: Mapping[str, Clock] = {}
    quantities: Mapping[str, jax.Array] = {}

    def trial_time(self, clock: str, shown: Real) -> jax.Array:
        """Time on the clock of the trial when an instrument's clock shows ``shown`` [s]."""
        if clock in self.clocks:
            shown = self.clocks[clock].trial_time(shown, self.origin)
        return jnp.asarray(shown)

    def shown_time(self, clock: str, time: Real) -> jax.Array:
        """What an instrument's clock shows at a time of the trial [s]."""
        if clock in self.clocks:
            time = self.clocks[clock].shown_time(time, self.origin)
        return jnp.asarray(time)

    def with_clock(self, name: str, **changed: Real) -> "TrialState":
        """The state with another ``offset`` or ``drift`` of a clock."""
        clock = self.clocks.get(name, Clock())._replace(**changed)
        return self._replace(clocks={**self.clocks, name: clock})

    def quantity(self, name: str, default: float = 0.0) -> jax.Array:
        """What a nuisance set by ``with_quantity``, or ``default`` where none did."""
        return jnp.asarray(self.quantities.get(name, default))

    def with_quantity(self, name: str, value: jax.Array) -> "TrialState":
        """With a quantity that measurements can ask for by name."""
        return self._replace(quantities={**self.quantities, name: value})


def make_trial_state(scene: Scene, initial: Initial) -> TrialState:
    """The trial before any nuisance acts on it."""
    position, velocity, spin, time, orientation = (
        jnp.asarray(value, dtype=float) for value in initial
    )
    return TrialState(scene, position, velocity, spin, time, jnp.ones(()), orientation, time)
