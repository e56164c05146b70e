"""Angle of repose: a cylinder full of grains on a plate with a rim is lifted, and the heap is
measured. What runs over the rim lies in a tray.
"""

import dataclasses

import numpy as np

import jaxcontact as jc
from experiments.beds.grains import (
    DIAMETER,
    RADIUS,
    TIME_STEP,
    Floats,
    bed_of,
    columns_in_cylinder,
    grains,
    lattice,
    speed_left,
)

COUNT = 650
CYLINDER = 4.0 * DIAMETER
PLATE = 7.0 * DIAMETER
RIM = 1.0 * DIAMETER
TRAY = 13.0 * DIAMETER
LIFT = 0.15
"""Speed of the cylinder [m/s]."""
SECTORS = 12


@dataclasses.dataclass(frozen=True)
class Heap:
    """A heap at rest.

    Attributes:
        position: of the grains ``(grains, 3)`` [m].
        radius: of the grains [m].
        angle: of repose, mean of the sectors [degrees].
        error: standard error of it from the scatter of the sectors [degrees].
        on_plate: grains that lie on the plate.
        speed: of the grains on the plate, what is left [m/s].
        drift: change of the angle in the last 0.3 s [degrees].
    """

    position: Floats
    radius: Floats
    angle: float
    error: float
    on_plate: int
    speed: float
    drift: float


def heap(friction: float, rolling_coefficient: float, *, seed: int = 0) -> Heap:
    """Filled in 0.4 s, lifted for 1.6 s."""
    spheres = grains(COUNT, seed=seed)
    radius = np.asarray(spheres.radius)
    start: jc.State | jc.BedState = lattice(
        columns_in_cylinder(CYLINDER), COUNT, above=0.0, seed=seed
    )
    sizes = jc.BedSizes((26, 26, 22), 14, 2700, 14, 1000, 3, 0.15 * RADIUS)
    for speed, duration in ((0.0, 0.4), (LIFT, 1.6)):
        bed = bed_of(spheres, friction, rolling_coefficient, _plate(speed))
        times = [0.0, duration - 0.3, duration]
        motion = jc.simulate_bed(bed, start, times, time_step=TIME_STEP, sizes=sizes)
        start = motion.end
    before, position = np.asarray(motion.position[1:])
    on_plate = np.hypot(position[:, 0], position[:, 1]) < PLATE
    angle, error = angle_of_repose(position, radius)
    velocity = np.asarray(motion.velocity[-1])[on_plate]
    return Heap(
        position,
        radius,
        angle,
        error,
        int(np.sum(on_plate)),
        speed_left(velocity),
        angle - angle_of_repose(before, radius)[0],
    )


def _plate(speed: float) -> tuple[jc.surfaces.Surface, ...]:
    """Floor, rim, tray, and the cylinder, which stands on the floor at time zero."""
    motion = jc.PrescribedMotion(velocity=(0.0, 0.0, speed))
    bottom = (0.0, 0.0, 0.0)
    return (
        jc.Plane(),
        jc.Tube(start=bottom, end=(0.0, 0.0, RIM), radius=PLATE),
        jc.Tube(start=bottom, end=(0.0, 0.0, 1.0), radius=TRAY),
        jc.Tube(start=bottom, end=(0.0, 0.0, 0.3), radius=CYLINDER, motion=motion),
    )


def surface_heights(position: Floats, radius: Floats, at: Floats) -> Floats:
    """Height of the highest point of any grain over each place ``(n, 2)``; 0 where there is none
    [m].
    """
    aside = np.sum((at[:, None] - position[None, :, :2]) ** 2, axis=-1)
    over = np.sqrt(np.maximum(radius**2 - aside, 0.0))
    return np.max(np.where(aside < radius**2, position[:, 2] + over, 0.0), axis=1)


def angle_of_repose(position: Floats, radius: Floats) -> tuple[float, float]:
    """Angle of the flank and its standard error [degrees].

    Heights of the surface over a fine polar grid, averaged over each of 12 sectors; a line through
    them between 2 diameters from the axis and 1.25 from the rim. The error is the scatter of the 12
    angles over the root of their number: neighbouring sectors share grains, so it is rather small.
    """
    distance = np.arange(2.0 * DIAMETER, PLATE - 1.25 * DIAMETER, 0.25 * DIAMETER)
    angles = []
    for sector in range(SECTORS):
        turn = 2.0 * np.pi / SECTORS * (sector + (np.arange(8) + 0.5) / 8)
        at = np.stack([np.outer(np.cos(turn), distance), np.outer(np.sin(turn), distance)], -1)
        height = surface_heights(position, radius, at.reshape(-1, 2)).reshape(8, -1)
        slope = np.polyfit(distance, height.mean(axis=0), 1)[0]
        angles.append(np.degrees(np.arctan(-slope)))
    return float(np.mean(angles)), float(np.std(angles, ddof=1) / np.sqrt(SECTORS))
