"""Rotating drum: grains in a slowly turning cylinder between end walls that turn with it. The slope
of their surface, the dynamic angle of repose, is what users of the discrete element method
calibrate friction and rolling resistance against.

At a Froude number ``w^2 R / g`` of 0.0065 the grains roll down in a thin layer, and the rest turns
with the drum: the rolling regime, 1e-4 to 1e-2 (Mellmann, Powder Technol. 118 (2001) 251-270).
"""

import dataclasses

import numpy as np

import jaxcontact as jc
from experiments.beds.grains import (
    DIAMETER,
    GRAVITY,
    RADIUS,
    TIME_STEP,
    Floats,
    bed_of,
    grains,
    heat_of,
)
from experiments.beds.repose import surface_heights

COUNT = 800
DRUM = 10.0 * DIAMETER
"""Radius of the drum [m]."""
LENGTH = 6.0 * DIAMETER
TURNING = 0.8
"""Angular velocity [rad/s]."""
RISE, WATCH = 1.5, 3.0
"""How long the surface has to become steady, and how long it is watched [s]."""
SAMPLES = 61
BLOCKS = 6
SIZES = jc.BedSizes((19, 7, 19), 14, 3000, 16, 420, 3, 0.15 * RADIUS)
"""Room of the lists."""


@dataclasses.dataclass(frozen=True)
class Drum:
    """What a drum shows while it turns steadily.

    Attributes:
        position: of the grains at the end ``(grains, 3)`` [m].
        radius: of the grains [m].
        speed: of the grains at the end ``(grains,)`` [m/s].
        angle: dynamic angle of repose, mean of the blocks of time [degrees].
        error: standard error of it from the scatter of the blocks [degrees].
        level: of the surface over the axis [m].
        drift: of the angle from the first to the second half of the time [degrees].
        torque: of drum and end walls on the grains, from their work [N m].
        moment: of the weight of the grains about the axis, mean over time [N m].
        spun_up: growth of the angular momentum over the time [N m].
        carried: angular velocity of the grains at the wall, over that of the drum [-].
        heat: of the contacts over the work of the walls [-].
        residual: of the books, over that work [-].
    """

    position: Floats
    radius: Floats
    speed: Floats
    angle: float
    error: float
    level: float
    drift: float
    torque: float
    moment: float
    spun_up: float
    carried: float
    heat: float
    residual: float


def turn(
    friction: float,
    rolling_coefficient: float,
    *,
    seed: int = 0,
    backwards: float = 0.0,
    endless: bool = False,
) -> Drum:
    """Filled in 0.4 s, turned ``backwards`` [s], then forwards for 1.5 s, and watched for 3 s; an
    ``endless`` drum repeats itself along its axis instead of having end walls.
    """
    spheres = grains(COUNT, seed=seed)
    period = (None, LENGTH if endless else None, None)
    state: jc.State | jc.BedState = _start(seed)
    for angular_velocity, duration in ((0.0, 0.4), (-TURNING, backwards), (TURNING, RISE)):
        if duration > 0.0:
            bed = bed_of(
                spheres,
                friction,
                rolling_coefficient,
                walls(angular_velocity, endless=endless),
                period=period,
            )
            state = jc.simulate_bed(
                bed, state, [0.0, duration], time_step=TIME_STEP, sizes=SIZES
            ).end
    times = np.linspace(0.0, WATCH, SAMPLES)
    motion = jc.simulate_bed(bed, state, times, time_step=TIME_STEP, sizes=SIZES, ledger=True)
    return measure(motion, spheres)


def _start(seed: int) -> jc.State:
    """The lowest places of a cubic lattice in the drum, at random within their cells."""
    pitch = 1.15 * DIAMETER
    along = pitch * np.arange(-10, 11)
    x, y, z = (
        np.stack(np.meshgrid(along, pitch * (np.arange(5) + 0.6), along, indexing="ij"), -1)
        .reshape(-1, 3)
        .T
    )
    inside = np.flatnonzero(np.hypot(x, z) < DRUM - 0.6 * DIAMETER)
    lowest = inside[np.argsort(z[inside], kind="stable")[:COUNT]]
    numbers = np.random.default_rng([seed, 2])
    place = np.stack([x, y, z], -1)[lowest]
    place = place + numbers.uniform(-0.02, 0.02, place.shape) * DIAMETER
    return jc.state(position=place, velocity=numbers.normal(0.0, 0.05, place.shape))


def walls(angular_velocity: float, *, endless: bool) -> tuple[jc.surfaces.Surface, ...]:
    """The drum about the y axis and its ends, whose lowest points move along x."""
    motion = jc.PrescribedMotion(angular_velocity=(0.0, -angular_velocity, 0.0))
    cylinder = jc.Cylinder(  # ends out of reach
        start=(0.0, -9.0 * LENGTH, 0.0),
        end=(0.0, 10.0 * LENGTH, 0.0),
        radius=DRUM,
        hollow=True,
        motion=motion,
    )
    if endless:
        return (cylinder,)
    return (
        cylinder,
        jc.Plane(normal=(0.0, 1.0, 0.0), motion=motion),
        jc.Plane(normal=(0.0, -1.0, 0.0), offset=-LENGTH, motion=motion),
    )


def measure(motion: jc.BedTrajectory, spheres: jc.Spheres) -> Drum:
    """From the motion of grains in the drum that turns steadily."""
    mass, radius = np.asarray(spheres.mass), np.asarray(spheres.radius)
    position, velocity, spin = map(np.array, (motion.position, motion.velocity, motion.spin))
    position[..., 1] %= LENGTH  # an endless drum repeats itself
    duration = float(motion.times[-1] - motion.times[0])
    angles, levels = np.transpose([surface_line(place, radius) for place in position])
    blocks = np.array([np.mean(block) for block in np.array_split(angles, BLOCKS)])
    moment = GRAVITY * position[..., 0] @ mass
    about_axis = position[..., 0] * velocity[..., 2] - position[..., 2] * velocity[..., 0]
    momentum = about_axis @ mass - spin[..., 1] @ (0.4 * mass * radius**2)
    ledger = motion.ledger
    work = float(ledger.walls[-1])
    away = np.hypot(position[..., 0], position[..., 2])
    at_wall = away > DRUM - 1.2 * radius
    return Drum(
        position[-1],
        radius,
        np.linalg.norm(velocity[-1], axis=-1),
        float(np.mean(blocks)),
        float(np.std(blocks, ddof=1) / np.sqrt(BLOCKS)),
        float(np.mean(levels)),
        float(np.mean(blocks[BLOCKS // 2 :]) - np.mean(blocks[: BLOCKS // 2])),
        work / (TURNING * duration),
        float(np.trapezoid(moment, motion.times) / duration),
        float((momentum[-1] - momentum[0]) / duration),
        float(np.mean((about_axis / away**2)[at_wall]) / TURNING),
        heat_of(motion) / work,
        float(np.max(np.abs(ledger.residual)) / work),
    )


def surface_line(position: Floats, radius: Floats) -> tuple[float, float]:
    """Slope of the surface [degrees] and its height over the axis [m]: a line through the heights,
    averaged along the axis, within half a radius of the drum from the middle.
    """
    along = np.arange(-0.5 * DRUM, 0.51 * DRUM, 0.25 * DIAMETER)
    across = np.linspace(0.25 * DIAMETER, LENGTH - 0.25 * DIAMETER, 12)
    at = np.stack(np.meshgrid(along, across, indexing="ij"), -1).reshape(-1, 2)
    lifted = position + np.array([0.0, 0.0, DRUM])  # heights over the lowest point
    height = surface_heights(lifted, radius, at).reshape(len(along), -1).mean(axis=1)
    slope, level = np.polyfit(along, height, 1)
    return float(np.degrees(np.arctan(slope))), float(level - DRUM)
