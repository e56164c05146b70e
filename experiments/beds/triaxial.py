"""Triaxial compression of equal spheres without walls: a cell that repeats itself in x, y and z is
packed under an isotropic pressure, then shortened along z while the pressure along x and y stays.

Solid fraction and contacts of the packing, stress ratio and dilation under shear are those of the
material: no wall is near.
"""

import dataclasses

import numpy as np

from experiments.beds.cell import PRESSURE, Cell, gas, strained, towards
from experiments.beds.grains import DENSITY, DIAMETER, TIME_STEP, Floats, contact

PIECE = 200 * TIME_STEP
"""So long the rates of strain stay [s]."""
SLOW = 1e-3
"""Inertial number, rate of strain times ``sqrt(m / (P d))``: shear and flow hardly know a rate."""
RATE = SLOW / float(np.sqrt(np.pi / 6.0 * DENSITY * DIAMETER**2 / PRESSURE))
"""[1/s]."""
STRAIN = 0.2
"""Along z, logarithmic."""


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


def pack(friction: float, *, seed: int = 0, most: int = 6000) -> Cell:
    """The gas, with friction and loss, compressed until the pressure has stayed for 0.6 s."""
    cell = gas(seed=seed)
    cell = dataclasses.replace(cell, bed=cell.bed.replace(contact=contact(friction)))
    quiet = 0
    for _ in range(most):
        mean = float(np.mean(cell.pressures))
        rate = RATE if mean < 0.3 * PRESSURE else 0.3 * RATE
        cell = strained(cell, np.full(3, towards(mean, rate)), PIECE)
        quiet = quiet + 1 if abs(np.mean(cell.pressures) / PRESSURE - 1.0) < 2e-3 else 0
        if quiet == 60:
            return cell
    raise RuntimeError(f"the pressure is not {PRESSURE} Pa after {most * PIECE} s")


def shear(packed: Cell) -> Sheared:
    """Shortened along z by ``STRAIN``, at the pressure along x and y, by a controller with a
    proportional and an integral part.
    """
    cell, rows, steady = packed, [], 0.0
    for _ in range(int(STRAIN / (RATE * PIECE))):
        side = float(np.mean(cell.pressures[:2]))
        across = towards(side, 4.0 * RATE)
        steady += 0.03 * across
        across += steady
        cell = strained(cell, np.array([across, across, -RATE]), PIECE)
        rows.append((cell.lengths, cell.pressures, cell.solid_fraction))
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
