"""What a simulation returns."""

import warnings
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.parameters import is_concrete
from jaxcontact.simulation.core.ledger import Ledger
from jaxcontact.simulation.core.status import Status, describe_failures, succeeded

PerContact = Annotated[jax.Array, "contacts"]


class Contacts(NamedTuple):
    """The contacts of a simulation in order of time, each array of shape (max_contacts,); unused
    entries have ``happened`` False.

    Attributes:
        happened: whether this entry is a contact that began before the last time.
        touch_down: time of first touch [s].
        lift_off: time at which the contact ends [s] (that of ``touch_down`` for a rigid impact).
            The engine for several bodies counts a contact that ends at zero force until its overlap
            is gone.
        impact_speed: approach speed along the normal [m/s].
        rebound_speed: speed along the normal after [m/s]; 0 where the contact had not ended at the
            last time.
        surface: index of the surface, -1 where two spheres touch.
        body: index of the sphere.
        partner: index of the other sphere, -1 where a sphere touches a surface.
    """

    happened: PerContact
    touch_down: PerContact
    lift_off: PerContact
    impact_speed: PerContact
    rebound_speed: PerContact
    surface: PerContact
    body: PerContact
    partner: PerContact


def span_on_path(
    touch_down: jax.Array, lift_off: jax.Array, impact_speed: jax.Array, rebound_speed: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """When the path of a body enters a contact, and when it leaves it; all of one shape.

    A fit may try a duration below nothing. Then the flight after the contact begins before the one
    to it has ended, and the path goes from one to the other where they cross: a path that jumped
    at the touch-down would give the fit a wall for each sample beside it.

    Args:
        touch_down: time of first touch [s].
        lift_off: time at which the contact ends [s].
        impact_speed: along the normal [m/s].
        rebound_speed: along the normal [m/s].
    """
    early = lift_off < touch_down
    both = jnp.where(early, impact_speed + rebound_speed, 1.0)
    crossing = touch_down + (lift_off - touch_down) * rebound_speed / both
    return jnp.where(early, crossing, touch_down), jnp.where(early, crossing, lift_off)


class Trajectory(NamedTuple):
    """Motion at the requested times.

    Attributes:
        times: (times,) [s].
        position: (times, 3), or (times, bodies, 3) where the initial state had a body axis [m].
        velocity: as ``position`` [m/s].
        spin: as ``position`` [rad/s].
        contacts: touch-downs and lift-offs.
        status: code of ``jaxcontact.Status``.
        orientation: of clumps, unit quaternions (times, 4) or (times, bodies, 4), scalar first,
            from body axes to those of the scene; ``None`` for spheres.
        ledger: where the energy went, on request (``simulate(..., ledger=True)``), else ``None``.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 0.4, 3)
        >>> result = jc.simulate(scene, start, times, method=jc.Impulse(max_contacts=2))
        >>> result
        <Trajectory: 3 times, 1 contact, SUCCESS>
        >>> result.position.shape
        (3, 3)
        >>> print(f"first impact at {result.contacts.touch_down[0]:.4f} s")
        first impact at 0.2389 s
        >>> result.advice
        'Every contact up to the last time was resolved.'
    """

    times: Annotated[jax.Array, "times"]
    position: Annotated[jax.Array, "times *bodies 3"]
    velocity: Annotated[jax.Array, "times *bodies 3"]
    spin: Annotated[jax.Array, "times *bodies 3"]
    contacts: Contacts | None
    status: Annotated[jax.Array, ""]
    orientation: Any = None
    ledger: Ledger | None = None

    def __repr__(self) -> str:
        """How much there is of everything, without the numbers."""
        parts = [f"{np.shape(self.times)[-1]} times"]
        if np.ndim(self.status):
            parts.insert(0, f"{np.size(self.status)} simulations")
        elif np.ndim(self.position) == 3:
            parts.append(f"{np.shape(self.position)[-2]} bodies")
        if not is_concrete(self.status):
            return f"<Trajectory: {', '.join(parts)}, traced>"
        if self.contacts is not None:
            count = int(np.sum(np.asarray(self.contacts.happened)))
            parts.append(f"{count} contact{'' if count == 1 else 's'}")
        worst = Status(int(np.max(np.asarray(self.status))))
        return f"<Trajectory: {', '.join(parts)}, {worst.name}>"

    @property
    def advice(self) -> str:
        """Text of ``status``; needs a concrete trajectory, e.g. outside ``jit``. Of many
        simulations, that of the worst.
        """
        if not is_concrete(self.status):
            raise TypeError(
                "Trajectory.advice needs numbers: read it outside jit, vmap and grad, or use "
                "Trajectory.status inside."
            )
        return Status(int(np.max(np.asarray(self.status)))).advice

    @property
    def succeeded(self) -> jax.Array:
        """Whether the simulation got to its last time with finite numbers; of many simulations, of
        each. Also inside ``jit``.
        """
        return succeeded(self.status)


class SimulationWarning(UserWarning):
    """Some of many simulations did not succeed: one warning for all of them.

    ``Trajectory.succeeded`` says which, ``Trajectory.status`` why.

    Example:
        >>> def make(restitution):
        ...     law = jc.NewtonRestitution(restitution=restitution)
        ...     scene = jc.Scene(
        ...         bodies=jc.spheres(radius=0.02, mass=2.7e-3), contact=jc.ContactModel(normal=law)
        ...     )
        ...     return scene, jc.state(position=(0.0, 0.0, 0.3))
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as said:
        ...     warnings.simplefilter("always")
        ...     results = jc.sweep(
        ...         make, jnp.array([0.3, 0.9]), [0.0, 0.5], method=jc.Impulse(max_contacts=1)
        ...     )
        >>> len(said), said[0].category is jc.SimulationWarning, results.succeeded.tolist()
        (1, True, [False, True])
    """


def warn_of_failures(statuses: ArrayLike, *, caller: str, stacklevel: int) -> None:
    """One ``SimulationWarning`` for all simulations that did not succeed, if any.

    Args:
        statuses: of many simulations, as numbers.
        caller: what the warning names first.
        stacklevel: of ``warnings.warn``, 2 for the line that calls this.
    """
    said = describe_failures(statuses)
    if said:
        said = f"{caller}: {said} Trajectory.succeeded says which."
        warnings.warn(said, SimulationWarning, stacklevel=stacklevel)


class SimulationError(RuntimeError):
    """A simulation that did not get to its last time, or whose result is not finite.

    Attributes:
        trajectory: what was simulated, as ``simulate(..., strict=False)`` returns it.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> try:
        ...     jc.simulate(scene, start, [0.0, 1.0], method=jc.Impulse(max_contacts=1))
        ... except jc.SimulationError as error:
        ...     print(int(error.trajectory.status) == jc.Status.TOO_FEW_CONTACTS)
        True
    """

    def __init__(self, trajectory: Trajectory):
        super().__init__(
            f"simulate: {Status(int(trajectory.status)).name}. {trajectory.advice} "
            "strict=False returns the trajectory as it is."
        )
        self.trajectory = trajectory
