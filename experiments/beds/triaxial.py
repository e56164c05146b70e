"""Triaxial compression of equal spheres without walls: a cell that repeats itself in x, y and z is
packed under an isotropic pressure, then shortened along z while the pressure along x and y stays.

Solid fraction and contacts of the packing, stress ratio and dilation under shear are those of the
material: no wall is near.
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
PIECE = 200 * TIME_STEP
"""So long the rates of strain stay [s]."""
SLOW = 1e-3
"""Inertial number, rate of strain times ``sqrt(m / (P d))``: shear and flow hardly know a rate."""
RATE = SLOW / float(np.sqrt(np.pi / 6.0 * DENSITY * DIAMETER**2 / PRESSURE))
"""[1/s]."""
STRAIN = 0.2
"""Along z, logarithmic."""
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
        stress: along x, y and z, pressure positive ``(3,)`` [Pa].
        contacts: of each sphere ``(spheres,)``.
    """

    bed: jc.Bed
    state: jc.State | jc.BedState
    lengths: Floats
    growth: Floats
    stress: Floats
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
    def coordination(self) -> float:
        """Contacts of a sphere, mean of those that carry: with two, without friction four [-]."""
        least = 2 if float(np.asarray(self.bed.contact.coefficient)) > 0.0 else 4
        carrying = self.contacts >= least
        return float(np.sum(self.contacts)) / max(int(np.sum(carrying)), 1)


@dataclasses.dataclass(frozen=True)
class Sheared:
    """Triaxial compression.

    Attributes:
        packed: the cell before.
        strain: shortening along z, logarithmic ``(pieces,)`` [-].
        ratio: ``(s_z - s_x) / p`` of the mean ``s_x`` of both sides and the mean stress ``p`` [-].
        side: ``s_x`` over the pressure asked for [-].
        volume: volumetric strain, dilation positive, logarithmic [-].
        solid_fraction: [-].
    """

    packed: Cell
    strain: Floats
    ratio: Floats
    side: Floats
    volume: Floats
    solid_fraction: Floats

    @property
    def peak_angle(self) -> float:
        """Angle of internal friction at the largest stress ratio [degrees]."""
        return friction_angle(float(np.max(smooth(self.ratio))))

    @property
    def late_ratio(self) -> float:
        """Mean stress ratio over the second half of the strain [-]."""
        return float(np.mean(self.ratio[self.strain > 0.5 * STRAIN]))


def smooth(ratio: Floats, width: int = 21) -> Floats:
    """Running mean."""
    return np.convolve(ratio, np.full(width, 1.0 / width), mode="valid")


def friction_angle(ratio: float) -> float:
    """``sin a = (s_z - s_x) / (s_z + s_x) = 3 q / (6 + q)`` of the ratio ``q`` to the mean stress
    ``(s_z + 2 s_x) / 3``, in degrees.
    """
    return float(np.degrees(np.arcsin(3.0 * ratio / (6.0 + ratio))))


def strained(cell: Cell, rates: Floats, duration: float = PIECE) -> Cell:
    """After a time [s] at rates of strain ``(3,)`` [1/s]; in what these change by, all spheres take
    part at once.
    """
    change = rates - cell.growth / cell.lengths
    state: jc.State | jc.BedState
    if isinstance(cell.state, jc.BedState):
        particles = cell.state.particles
        vx, vy, vz = (
            v + more * x
            for v, x, more in zip(particles.velocity, particles.position, change, strict=True)
        )
        state = cell.state._replace(particles=particles._replace(velocity=(vx, vy, vz)))
    else:
        state = cell.state._replace(velocity=cell.state.velocity + change * cell.state.position)
    growth = rates * cell.lengths
    bed = cell.bed.replace(period=tuple(cell.lengths), period_rate=tuple(growth))
    motion = jc.simulate_bed(bed, state, [0.0, duration], time_step=TIME_STEP, sizes=SIZES)
    lengths = cell.lengths + growth * duration
    touches = np.asarray(motion.contacts.touches)
    ends = [np.asarray(end)[touches] for end in (motion.contacts.body, motion.contacts.partner)]
    return dataclasses.replace(
        cell,
        state=motion.end,
        lengths=lengths,
        growth=growth,
        stress=np.diagonal(np.asarray(motion.virial[-1])) / np.prod(lengths),
        contacts=np.bincount(np.concatenate(ends), minlength=COUNT).astype(float),
    )


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
    nothing = np.zeros(3)
    cell = Cell(bed, start, np.full(3, length), nothing, nothing, np.zeros(COUNT))
    return strained(cell, nothing, 0.5)


def towards(stress: float, rate: float) -> float:
    """Rate of strain that brings a stress to the pressure [1/s]."""
    return rate * float(np.clip(0.5 * (stress / PRESSURE - 1.0), -1.0, 1.0))


def pack(friction: float, *, seed: int = 0, most: int = 6000) -> Cell:
    """The gas, with friction and loss, compressed until the pressure has stayed for 0.6 s."""
    cell = gas(seed=seed)
    cell = dataclasses.replace(cell, bed=cell.bed.replace(contact=contact(friction)))
    quiet = 0
    for _ in range(most):
        mean = float(np.mean(cell.stress))
        rate = RATE if mean < 0.3 * PRESSURE else 0.3 * RATE
        cell = strained(cell, np.full(3, towards(mean, rate)))
        quiet = quiet + 1 if abs(np.mean(cell.stress) / PRESSURE - 1.0) < 2e-3 else 0
        if quiet == 60:
            return cell
    raise RuntimeError(f"the pressure is not {PRESSURE} Pa after {most * PIECE} s")


def shear(packed: Cell) -> Sheared:
    """Shortened along z by ``STRAIN``, at the pressure along x and y, by a controller with a
    proportional and an integral part.
    """
    cell, rows, steady = packed, [], 0.0
    for _ in range(int(STRAIN / (RATE * PIECE))):
        side = float(np.mean(cell.stress[:2]))
        across = towards(side, 4.0 * RATE)
        steady += 0.03 * across
        across += steady
        cell = strained(cell, np.array([across, across, -RATE]))
        rows.append((cell.lengths, cell.stress, cell.solid_fraction))
    lengths, stress, fraction = (np.array(column) for column in zip(*rows, strict=True))
    lateral = np.mean(stress[:, :2], axis=1)
    return Sheared(
        packed,
        -np.log(lengths[:, 2] / packed.lengths[2]),
        (stress[:, 2] - lateral) / np.mean(stress, axis=1),
        lateral / PRESSURE,
        np.log(np.prod(lengths, axis=1) / packed.volume),
        fraction,
    )
