"""A cell of equal spheres that repeats itself in x, y and z, without gravity: strained piece by
piece at rates that a controller chooses.
"""

import dataclasses

import numpy as np

import jaxcontact as jc
from experiments.beds.grains import DENSITY, DIAMETER, RADIUS, TIME_STEP, Floats, contact

SIDE = 10
COUNT = SIDE**3
PRESSURE = 10.0
"""[Pa]: stiffness over pressure and diameter is 1e4, overlaps are 1e-4 diameters."""
DILUTE = 0.45
"""Solid fraction of the gas of spheres that is packed: below that at which they would order."""
SIZES = jc.BedSizes((10, 10, 10), 16, 5 * COUNT, 20, 1, 1, 0.1 * RADIUS)
"""Room of the lists."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell that repeats itself.

    Attributes:
        bed: spheres and their contact.
        state: where they are.
        lengths: of the cell ``(3,)`` [m].
        growth: of the lengths ``(3,)`` [m/s].
        shift: of the repetition above towards x [m].
        sliding: speed of the repetition above towards x [m/s].
        stress: of contacts, pressure positive ``(3, 3)`` [Pa].
        stress_of_motion: flow of momentum by what velocities have beside the strain ``(3, 3)``
            [Pa].
        contacts: of each sphere ``(spheres,)``.
    """

    bed: jc.Bed
    state: jc.State | jc.BedState
    lengths: Floats
    growth: Floats
    shift: float
    sliding: float
    stress: Floats
    stress_of_motion: Floats
    contacts: Floats

    @property
    def solid_fraction(self) -> float:
        """Volume of the spheres over that of the cell [-]."""
        return float(np.sum(np.asarray(self.bed.spheres.mass))) / DENSITY / self.volume

    @property
    def volume(self) -> float:
        """[m^3]."""
        return float(np.prod(self.lengths))

    @property
    def gradient(self) -> Floats:
        """Of the velocities of repetitions ``(3, 3)`` [1/s]: velocity is position times it."""
        rates = np.diag(self.growth / self.lengths)
        rates[2, 0] = (self.sliding - rates[0, 0] * self.shift) / self.lengths[2]
        return rates

    @property
    def pressures(self) -> Floats:
        """Of contacts along x, y and z ``(3,)`` [Pa]."""
        return np.diagonal(self.stress)

    @property
    def coordination(self) -> float:
        """Contacts of a sphere, mean of those that carry: with two, without friction four [-]."""
        least = 2 if float(np.asarray(self.bed.contact.coefficient)) > 0.0 else 4
        carrying = self.contacts >= least
        return float(np.sum(self.contacts)) / max(int(np.sum(carrying)), 1)


def strained(cell: Cell, rates: Floats, duration: float, *, shear: float = 0.0) -> Cell:
    """After a time [s] at rates of strain ``(3,)`` and of shear along x [1/s]; in what these change
    by, all spheres take part at once.
    """
    wanted = np.diag(rates)
    wanted[2, 0] = shear
    change = wanted - cell.gradient
    state: jc.State | jc.BedState
    if isinstance(cell.state, jc.BedState):
        particles = cell.state.particles
        more = change.T @ np.stack([np.asarray(x) for x in particles.position])
        vx, vy, vz = (v + w for v, w in zip(particles.velocity, more, strict=True))
        state = cell.state._replace(particles=particles._replace(velocity=(vx, vy, vz)))
    else:
        velocity = cell.state.velocity + cell.state.position @ change
        state = cell.state._replace(velocity=velocity)
    growth = rates * cell.lengths
    sliding = float(shear * cell.lengths[2] + rates[0] * cell.shift)
    bed = cell.bed.replace(
        period=tuple(cell.lengths),
        period_rate=tuple(growth),
        period_shift=cell.shift,
        period_shift_rate=sliding,
    )
    motion = jc.simulate_bed(bed, state, [0.0, duration], time_step=TIME_STEP, sizes=SIZES)
    touches = np.asarray(motion.contacts.touches)
    ends = [np.asarray(end)[touches] for end in (motion.contacts.body, motion.contacts.partner)]
    ended = dataclasses.replace(
        cell,
        state=motion.end,
        lengths=cell.lengths + growth * duration,
        growth=growth,
        shift=cell.shift + sliding * duration,
        sliding=sliding,
        contacts=np.bincount(np.concatenate(ends), minlength=COUNT).astype(float),
    )
    return dataclasses.replace(
        ended,
        stress=np.asarray(motion.virial[-1]) / ended.volume,
        stress_of_motion=stress_of_motion(ended, motion),
    )


def stress_of_motion(cell: Cell, motion: jc.BedTrajectory) -> Floats:
    """Flow of momentum by what velocities have beside those of the strain ``(3, 3)`` [Pa]."""
    flow = np.asarray(motion.position[-1]) @ cell.gradient
    beside = np.asarray(motion.velocity[-1]) - flow
    beside = beside - np.mean(beside, axis=0)
    mass = np.asarray(cell.bed.spheres.mass)[:, None]
    return (mass * beside).T @ beside / cell.volume


def gas(*, seed: int) -> Cell:
    """Spheres that collide without loss until nothing is left of the lattice they came from."""
    spheres = jc.spheres(radius=np.full(COUNT, RADIUS), density=DENSITY)
    length = (COUNT * np.pi / 6.0 * DIAMETER**3 / DILUTE) ** (1.0 / 3.0)
    numbers = np.random.default_rng([seed, 7])
    grid = np.stack(np.unravel_index(np.arange(COUNT), (SIDE,) * 3), -1)
    velocity = numbers.normal(0.0, 0.2, grid.shape)
    start = jc.state(
        position=(grid + 0.5) * length / SIDE, velocity=velocity - np.mean(velocity, axis=0)
    )
    elastic = contact(0.0).replace(restitution=1.0, zeta=0.0)
    bed = jc.Bed(spheres=spheres, contact=elastic, gravity=(0.0, 0.0, 0.0))
    return strained(at_rest(bed, start, np.full(3, length)), np.zeros(3), 0.5)


def at_rest(bed: jc.Bed, start: jc.State, lengths: Floats) -> Cell:
    """A cell of these lengths ``(3,)`` [m] that is not strained yet."""
    nothing, none = np.zeros(3), np.zeros((3, 3))
    return Cell(bed, start, lengths, nothing, 0.0, 0.0, none, none, np.zeros(COUNT))


def towards(stress: float, rate: float) -> float:
    """Rate of strain that brings a stress to the pressure, at most ``rate`` [1/s]."""
    return rate * float(np.clip(0.5 * (stress / PRESSURE - 1.0), -1.0, 1.0))
