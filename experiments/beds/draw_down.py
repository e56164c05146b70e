"""Draw-down test: grains on a shelf in a narrow box run through a slot in it once its gate is
opened, into the box below. What stays above, how long the rest takes to run out and the slope below
are what users of the discrete element method calibrate friction and rolling resistance against.

Two sloping banks stay above and a heap lies below, as in Roessler, Richter, Katterfeld and Will,
Powder Technol. 343 (2019) 803-812, here with a slot of 5 diameters.
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
    box,
    columns_in,
    grains,
    lattice,
    speed_left,
)
from experiments.beds.repose import surface_heights

COUNT = 600
WIDTH = 20.0 * DIAMETER
DEPTH = 4.0 * DIAMETER
SHELF = 9.0 * DIAMETER
"""Height of the upper face of the shelf over the floor [m]."""
THICKNESS = 1.0 * DIAMETER
SLOT = 5.0 * DIAMETER
HALF = 0.5 * (WIDTH - SLOT)
"""Width of each half of the shelf [m]."""
SETTLE, RUN = 0.4, 1.6
"""How long the grains rain onto the shelf, and how long the gate is open [s]."""
SAMPLES = 81
"""Times at which what lies above is counted."""
COLUMNS = ("friction", "rolling_resistance", "retained", "time", "slope")
"""Of tables of such tests: coefficients and what was seen."""
SIZES = jc.BedSizes((18, 5, 21), 18, 2300, 15, 550, 4, 0.2 * RADIUS)
"""Room of the lists, the same for all: one compiled program. A step costs what there is room for,
and grains that fall through the slot use up the skin in 9 steps."""


@dataclasses.dataclass(frozen=True)
class DrawDown:
    """What a draw-down test shows.

    Attributes:
        position: of the grains at the end ``(grains, 3)`` [m].
        radius: of the grains [m].
        retained: part of the mass that stays on the shelf [-].
        time: until half of what runs out has left the shelf [s].
        slope: of the heap on the floor, mean of both flanks [degrees].
        speed: of the grains, what is left [m/s].
    """

    position: Floats
    radius: Floats
    retained: float
    time: float
    slope: float
    speed: float

    def shown(self) -> list[str]:
        """The last three columns of a table of such tests."""
        return [f"{one:.5g}" for one in (self.retained, self.time, self.slope)]


def draw_down(friction: float, rolling_coefficient: float, *, seed: int = 0) -> DrawDown:
    """Filled in 0.4 s, open for 1.6 s."""
    spheres = grains(COUNT, seed=seed)
    closed = bed_of(spheres, friction, rolling_coefficient, (*walls(), gate()))
    filled = jc.simulate_bed(
        closed, above_the_shelf(seed), [0.0, SETTLE], time_step=TIME_STEP, sizes=SIZES
    )
    times = np.linspace(0.0, RUN, SAMPLES)
    motion = jc.simulate_bed(
        closed.replace(walls=walls()), filled.end, times, time_step=TIME_STEP, sizes=SIZES
    )
    return measure(
        np.asarray(motion.position),
        np.asarray(spheres.radius),
        times,
        speed=speed_left(np.asarray(motion.velocity[-1])),
    )


def above_the_shelf(seed: int) -> jc.State:
    """The grains in layers over the shelf, from where they rain onto it."""
    return lattice(columns_in(WIDTH, DEPTH), COUNT, above=SHELF, seed=seed)


def walls() -> tuple[jc.surfaces.Surface, ...]:
    """The box and both halves of the shelf."""
    return (*box(WIDTH, DEPTH), _plate(0.0, HALF), _plate(WIDTH - HALF, WIDTH))


def gate() -> jc.Box:
    """What closes the slot."""
    return _plate(HALF, WIDTH - HALF)


def _plate(left: float, right: float) -> jc.Box:
    """Part of the shelf, deeper than the box."""
    return jc.Box(
        center=(0.5 * (left + right), 0.5 * DEPTH, SHELF - 0.5 * THICKNESS),
        lengths=(right - left, 2.0 * DEPTH, THICKNESS),
    )


def measure(positions: Floats, radius: Floats, times: Floats, *, speed: float) -> DrawDown:
    """From the positions ``(times, grains, 3)`` since the gate was opened."""
    mass = radius**3 / np.sum(radius**3)
    above = np.sum(mass * (positions[..., 2] > SHELF - 0.5 * THICKNESS), axis=-1)
    half = 0.5 * (above[0] + above[-1])
    after = int(np.argmax(above <= half))
    time = np.interp(half, above[[after, after - 1]], times[[after, after - 1]])
    return DrawDown(
        positions[-1], radius, float(above[-1]), float(time), slope(positions[-1], radius), speed
    )


def slope(position: Floats, radius: Floats) -> float:
    """Of the heap on the floor [degrees]: a line through each flank, from one diameter beside the
    middle to where the surface is lower than a diameter and a half, both averaged.
    """
    below = position[:, 2] < SHELF - 0.5 * THICKNESS
    position, radius = position[below], radius[below]
    along = np.arange(0.25 * DIAMETER, WIDTH, 0.25 * DIAMETER)
    across = np.linspace(0.5 * RADIUS, DEPTH - 0.5 * RADIUS, 15)
    at = np.stack(np.meshgrid(along, across, indexing="ij"), -1).reshape(-1, 2)
    height = surface_heights(position, radius, at).reshape(len(along), -1).mean(axis=1)
    angles = []
    for side in (-1.0, 1.0):
        distance = side * (along - 0.5 * WIDTH)
        flank = (distance > DIAMETER) & (height > 1.5 * DIAMETER)
        angles.append(np.degrees(np.arctan(-np.polyfit(distance[flank], height[flank], 1)[0])))
    return float(np.mean(angles))
