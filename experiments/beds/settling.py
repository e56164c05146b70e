"""Grains rain into a box and come to rest: bulk density, weight on the floor, creep, the books."""

import dataclasses

import numpy as np

import jaxcontact as jc
from experiments.beds.grains import (
    DENSITY,
    DIAMETER,
    GRAVITY,
    RADIUS,
    TIME_STEP,
    Floats,
    bed_of,
    box,
    columns_in,
    grains,
    heat_of,
    lattice,
    speed_left,
)

WIDTH = 8.0 * DIAMETER
COUNT = 640
CREEP_TIME = 10.0
"""How long the settled bed is watched [s]."""


@dataclasses.dataclass(frozen=True)
class Settled:
    """A bed at rest.

    Attributes:
        bed: as it was simulated.
        motion: from the rain to rest.
        solid_fraction: of the volume, away from floor and free surface [-].
        bulk_density: [kg/m^3].
        weight_error: force on the floor and the walls, upwards, over the weight, less 1 [-].
        residual: of the books, over the heat [-].
        speed: what is left [m/s].
    """

    bed: jc.Bed
    motion: jc.BedTrajectory
    solid_fraction: float
    bulk_density: float
    weight_error: float
    residual: float
    speed: float


def settle(friction: float, rolling_coefficient: float, *, seed: int = 0) -> Settled:
    """A bed of 640 grains, 8 diameters wide, after 2 s."""
    spheres = grains(COUNT, seed=seed)
    bed = bed_of(spheres, friction, rolling_coefficient, box(WIDTH, WIDTH))
    start = lattice(columns_in(WIDTH, WIDTH), COUNT, above=0.0, seed=seed)
    motion = jc.simulate_bed(
        bed, start, np.linspace(0.0, 2.0, 21), time_step=TIME_STEP, ledger=True
    )
    weight = float(np.sum(spheres.mass)) * GRAVITY
    fraction = solid_fraction(np.asarray(motion.position[-1]), np.asarray(spheres.radius))
    return Settled(
        bed,
        motion,
        fraction,
        fraction * DENSITY,
        float(-np.sum(motion.wall_force[-1, :, 2]) / weight - 1.0),
        float(np.max(np.abs(motion.ledger.residual)) / heat_of(motion)),
        speed_left(np.asarray(motion.velocity[-1])),
    )


def solid_fraction(position: Floats, radius: Floats, *, area: float = WIDTH**2) -> float:
    """Of the layer between 3 diameters over the floor and 3 below the highest centre, wall to wall,
    over the ``area`` of the floor [m^2]: each sphere counts with the part of its volume within the
    layer.
    """
    low, high = 3.0 * DIAMETER, float(np.max(position[:, 2])) - 3.0 * DIAMETER

    def below(level: float) -> Floats:
        """Volume of each sphere under a level."""
        cap = np.clip(level - position[:, 2] + radius, 0.0, 2.0 * radius)
        return np.pi * cap**2 * (3.0 * radius - cap) / 3.0

    return float(np.sum(below(high) - below(low)) / (area * (high - low)))


def creep(settled: Settled) -> tuple[float, float]:
    """Farthest way of a grain in the first and in the second 5 s of rest [radii]."""
    motion = settled.motion
    times = [0.0, 0.5 * CREEP_TIME, CREEP_TIME]
    later = jc.simulate_bed(settled.bed, motion.end, times, time_step=TIME_STEP, sizes=motion.sizes)
    way = np.linalg.norm(np.diff(np.asarray(later.position), axis=0), axis=-1)
    first, second = np.max(way, axis=1) / RADIUS
    return float(first), float(second)
