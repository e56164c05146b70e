"""What a simulation of a bed returns, and how it ended."""

import enum
from typing import Annotated, NamedTuple

import jax
import numpy as np

from jaxcontact.beds.contact_lists import BedSizes
from jaxcontact.beds.steps import BedState, Work
from jaxcontact.parameters import is_concrete


class BedStatus(enum.IntEnum):
    """Result code of a simulation of a bed. Higher codes are worse; ``advice`` says what to do.

    Example:
        >>> jc.BedStatus.LISTS_FULL.advice
        'A list of neighbours was too short, so that contacts are missing: ...'
    """

    SUCCESS = 0
    DEEP_OVERLAP = 1
    COARSE_STEPS = 2
    LISTS_OUTRUN = 3
    LISTS_FULL = 4
    NOT_FINITE = 5
    NOT_REPEATED = 6

    @property
    def advice(self) -> str:
        """What happened and what to do about it."""
        return _ADVICE[self]


DEEPEST = 0.5
"""Overlap over effective radius (a quarter of it over the diameter of equal spheres) from which a
contact model means nothing.
"""

COARSEST = 0.5
"""Coarseness (``resolution``) from which steps may gain energy in a dense bed. A fiftieth of a
collision has 0.03 with a restitution of 0.5, 0.2 at most where it is 0.1.
"""

_ADVICE = {
    BedStatus.SUCCESS: "Every contact up to the last time was followed.",
    BedStatus.DEEP_OVERLAP: (
        "Two spheres overlap by more than half their effective radius (an eighth of the diameter "
        "of equal ones). Either they did so at the start, or the contact is too soft for the "
        "speeds and loads: raise the stiffness; or the time step is too long: shorten time_step."
    ),
    BedStatus.COARSE_STEPS: (
        "The steps are too long for the damping (or the stiffness) of a contact: in one of them it "
        "turned round the speed that it should take away, and may have made energy. Shorten "
        "time_step. Where that does not help, the damping of the law has no bound: a law that "
        "divides by the approach speed at touch-down damps without end where spheres that "
        "touched slowly are hit; give the least speed by which it divides (minimumImpactVelocity "
        "of Exudyn's contacts)."
    ),
    BedStatus.LISTS_OUTRUN: (
        "A sphere moved further between two makings of the lists than these reach, or a contact "
        "acts or holds further than that: contacts may be missing. Make them more often "
        "(steps_per_list), or let them reach further (skin of sizes). Without steps_per_list they "
        "are made when needed."
    ),
    BedStatus.LISTS_FULL: (
        "A list of neighbours was too short, so that contacts are missing: outside of traced "
        "functions simulate_bed enlarges it and runs again, unless sizes are handed in; inside, "
        "run once outside and hand in sizes=result.sizes. Where that happens outside and without "
        "sizes, too, spheres overlap or fly apart without end: look for a wall that is missing, "
        "or a time step that is too long."
    ),
    BedStatus.NOT_FINITE: (
        "A number in the result is not finite: an input was not, or the time step is too long "
        "for the stiffness and the steps grew without bounds. Nothing in the result is to be "
        "trusted. Leave time_step out, or shorten it."
    ),
    BedStatus.NOT_REPEATED: (
        "The bed cannot repeat itself as its period says: a period is shorter than three times the "
        "largest diameter and the skin of sizes, or a wall is not the same one period further on "
        "or turns about another axis. Take a longer period, or None along that direction."
    ),
}


class BedContacts(NamedTuple):
    """The network of contacts at one time, ``(contacts, ...)``; unused entries have ``touches``
    False.

    Attributes:
        touches: whether this entry is a contact.
        body: number of the sphere on which ``force`` acts.
        partner: number of the other sphere, -1 where it touches a wall.
        wall: number of the wall, -1 where two spheres touch.
        overlap: [m].
        force: ``(contacts, 3)`` [N].
        spring: elongation of the tangential spring ``(contacts, 3)`` [m]; 0 where friction has none
            that ``CundallStrack`` or ``Mindlin`` has.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.00499), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 1e-4])
        >>> isinstance(result.contacts, jc.BedContacts)
        True
        >>> int(result.contacts.touches.sum())
        1
    """

    touches: Annotated[jax.Array, "contacts"]
    body: Annotated[jax.Array, "contacts"]
    partner: Annotated[jax.Array, "contacts"]
    wall: Annotated[jax.Array, "contacts"]
    overlap: Annotated[jax.Array, "contacts"]
    force: Annotated[jax.Array, "contacts 3"]
    spring: Annotated[jax.Array, "contacts 3"]


class BedEnergy(NamedTuple):
    """Energies of a bed at the output times, ``(times,)`` [J].

    Attributes:
        kinetic: of the motion of the centres.
        rotation: of the spins.
        gravity: ``-m g . x``.
        normal: stored in overlaps.
        tangential: stored in tangential springs.
        rolling: stored in rolling springs.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.00499), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 1e-4])
        >>> isinstance(result.energy, jc.BedEnergy)
        True
        >>> print(f"{1e6 * result.energy.normal[0]:.2f} uJ in the overlap of sphere and floor")
        0.50 uJ in the overlap of sphere and floor
    """

    kinetic: Annotated[jax.Array, "times"]
    rotation: Annotated[jax.Array, "times"]
    gravity: Annotated[jax.Array, "times"]
    normal: Annotated[jax.Array, "times"]
    tangential: Annotated[jax.Array, "times"]
    rolling: Annotated[jax.Array, "times"]

    @property
    def of_motion(self) -> jax.Array:
        """Kinetic, of spins and of gravity, ``(times,)`` [J]."""
        return self.kinetic + self.rotation + self.gravity

    @property
    def total(self) -> jax.Array:
        """The sum of all, ``(times,)`` [J]."""
        return self.of_motion + self.normal + self.tangential + self.rolling


class BedLedger(NamedTuple):
    """Where the energy of a bed went since the first output time, ``(times,)`` [J].

    Heat of a mechanism is the work of the bodies on it less what is stored in it. None of the three
    falls, but for the error of the steps (of the second order in their length).

    Attributes:
        normal: heat of the dashpots along the normal.
        tangential: heat of sliding and of the dashpots along the plane.
        rolling: heat of rolling resistance.
        walls: work of moving walls and of periods that change on the bed.
        residual: energy that is there less that expected: error of the books.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.5, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.01), (0.0, 0.001, 0.021)])
        >>> ledger = jc.simulate_bed(bed, start, [0.0, 0.1], ledger=True).ledger
        >>> print(f"{1e6 * ledger.normal[-1]:.0f} uJ into the dashpots along the normal")
        140 uJ into the dashpots along the normal
    """

    normal: Annotated[jax.Array, "times"]
    tangential: Annotated[jax.Array, "times"]
    rolling: Annotated[jax.Array, "times"]
    walls: Annotated[jax.Array, "times"]
    residual: Annotated[jax.Array, "times"]


class BedTrajectory(NamedTuple):
    """Motion of a bed at the requested times.

    Attributes:
        times: ``(times,)`` [s].
        position: of the centres ``(times, spheres, 3)`` [m], in the order in which they were given;
            where the bed repeats itself they go on beyond its period, ``position % period`` is
            within.
        velocity: as ``position`` [m/s].
        spin: as ``position`` [rad/s].
        energy: energies.
        work: in contacts and of walls, with ``ledger=True``, else ``None``; see ``ledger``.
        wall_force: on each wall ``(times, walls, 3)`` [N].
        wall_torque: on each wall, about the point about which it turns, the origin where it does
            not move ``(times, walls, 3)`` [N m].
        virial: sum over all contacts of the force on a sphere times the way to its centre from that
            of the other, or from the wall ``(times, 3, 3)`` [N m]. Over the volume it is the mean
            stress, pressure positive, of a bed that hardly moves (A. E. H. Love, A treatise on the
            mathematical theory of elasticity, 1927; J. Weber 1966).
        contacts: who touches whom at the last time.
        end: state at the last time, with all histories: what ``simulate_bed`` continues from.
        status: code of ``BedStatus``.
        steps: time steps between neighbouring times ``(times - 1,)``.
        sizes: room of the lists.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.00499), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 1e-4])
        >>> result
        <BedTrajectory: 2 times, 2 spheres, SUCCESS>
        >>> result.position.shape
        (2, 2, 3)
        >>> isinstance(result, jc.BedTrajectory)
        True
    """

    times: Annotated[jax.Array, "times"]
    position: Annotated[jax.Array, "times spheres 3"]
    velocity: Annotated[jax.Array, "times spheres 3"]
    spin: Annotated[jax.Array, "times spheres 3"]
    energy: BedEnergy
    work: Work | None
    wall_force: Annotated[jax.Array, "times walls 3"]
    wall_torque: Annotated[jax.Array, "times walls 3"]
    virial: Annotated[jax.Array, "times 3 3"]
    contacts: BedContacts
    end: BedState
    status: Annotated[jax.Array, ""]
    steps: np.ndarray
    sizes: BedSizes

    def __repr__(self) -> str:
        """How much there is of everything, without the numbers."""
        times, spheres = np.shape(self.position)[-3:-1]
        ended = (
            BedStatus(int(np.max(np.asarray(self.status)))).name
            if is_concrete(self.status)
            else "traced"
        )
        return f"<BedTrajectory: {times} times, {spheres} spheres, {ended}>"

    @property
    def advice(self) -> str:
        """Text of ``status``; needs numbers."""
        if not is_concrete(self.status):
            raise TypeError(
                "BedTrajectory.advice needs numbers: read it outside jit, vmap and grad, or use "
                "BedTrajectory.status inside."
            )
        return BedStatus(int(np.max(np.asarray(self.status)))).advice

    @property
    def ledger(self) -> BedLedger:
        """Heat of each mechanism, work of the walls, and what does not add up."""
        if self.work is None:
            raise ValueError("BedTrajectory.ledger: no work was booked. Simulate with ledger=True.")
        since = jax.tree.map(lambda value: value - value[..., :1], (self.energy, self.work))
        energy, work = since
        spent = work.normal + work.tangential + work.rolling
        return BedLedger(
            work.normal - energy.normal,
            work.tangential - energy.tangential,
            work.rolling - energy.rolling,
            work.walls,
            energy.of_motion + spent - work.walls,
        )

    @property
    def succeeded(self) -> jax.Array:
        """Whether the numbers are to be trusted. Also inside ``jit``."""
        return self.status == BedStatus.SUCCESS


class BedError(RuntimeError):
    """A simulation of a bed that did not succeed.

    Attributes:
        trajectory: what was simulated, as ``simulate_bed(..., strict=False)`` returns it.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.0), (0.0, 0.0, 1e-3)])
        >>> try:
        ...     jc.simulate_bed(bed, start, [0.0, 1e-4])
        ... except jc.BedError as error:
        ...     print(jc.BedStatus(int(error.trajectory.status)).name)
        DEEP_OVERLAP
    """

    def __init__(self, trajectory: BedTrajectory):
        super().__init__(
            f"simulate_bed: {BedStatus(int(trajectory.status)).name}. {trajectory.advice} "
            "strict=False returns the trajectory as it is."
        )
        self.trajectory = trajectory
