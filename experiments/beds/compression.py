"""A settled bed under a lid that comes down and goes up again: stress against strain."""

import dataclasses
from functools import partial

import numpy as np

import jaxcontact as jc
from experiments.beds.grains import GRAVITY, TIME_STEP, Floats
from experiments.beds.settling import WIDTH, Settled

SPEED = 5e-3
"""Of the lid [m/s]."""
STROKE = 2.5e-3
"""From the highest grain [m]."""


@dataclasses.dataclass(frozen=True)
class Compressed:
    """A cycle of loading and unloading.

    Attributes:
        strain: of the lid over the height of the bed at first contact [-].
        stress: on the lid [Pa].
        floor: on the floor, less that before [Pa].
        turn: index of the largest strain.
        modulus: tangent of the loading curve from half the largest stress on [Pa].
        unloading: tangent of the first tenth of the unloading curve [Pa].
        balance: largest sum of the vertical forces of lid, floor, walls and weight, over that of
            the lid, where that is over half the largest [-]: what accelerates the bed.
        work_error: work of the lid from force and way, over that of the books, less 1 [-].
        residual: of the books, over the work [-].
    """

    strain: Floats
    stress: Floats
    floor: Floats
    turn: int
    modulus: float
    unloading: float
    balance: float
    work_error: float
    residual: float


def compress(settled: Settled) -> Compressed:
    """Down by 2.5 mm and up again at 5 mm/s."""
    bed, start = settled.bed, settled.motion.end
    place = np.asarray(settled.motion.position[-1])
    top = float(np.max(place[:, 2] + np.asarray(bed.spheres.radius)))
    times = np.linspace(0.0, STROKE / SPEED, 51)
    pushed_by = partial(jc.simulate_bed, times=times, time_step=TIME_STEP, ledger=True)
    down = pushed_by(_under(bed, top, -SPEED), start)
    up = pushed_by(_under(bed, top - STROKE, SPEED), down.end, sizes=down.sizes)
    force = np.concatenate([down.wall_force, up.wall_force[1:]])
    way = np.concatenate([SPEED * times, STROKE - SPEED * times[1:]])
    stress = force[:, -1, 2] / WIDTH**2
    strain = way / top
    turn = len(times) - 1
    upper = np.flatnonzero(stress[: turn + 1] > 0.5 * stress[turn])
    weight = float(np.sum(bed.spheres.mass)) * GRAVITY
    ledgers = (down.ledger, up.ledger)
    booked = float(ledgers[0].walls[-1])
    pushed = float(np.trapezoid(force[: turn + 1, -1, 2], way[: turn + 1]))
    residual = max(float(np.max(np.abs(ledger.residual))) for ledger in ledgers)
    return Compressed(
        strain,
        stress,
        -(force[:, 0, 2] - force[0, 0, 2]) / WIDTH**2,
        turn,
        float(np.polyfit(strain[upper], stress[upper], 1)[0]),
        float(np.polyfit(strain[turn : turn + 6], stress[turn : turn + 6], 1)[0]),
        float(np.max(np.abs(np.sum(force[upper, :, 2], axis=1) + weight) / force[upper, -1, 2])),
        pushed / booked - 1.0,
        residual / abs(booked),
    )


def _under(bed: jc.Bed, height: float, velocity: float) -> jc.Bed:
    """With a lid that is at a height [m] at time zero."""
    motion = jc.PrescribedMotion(velocity=(0.0, 0.0, velocity))
    lid = jc.Plane(normal=(0.0, 0.0, -1.0), offset=-height, motion=motion)
    return bed.replace(walls=(*bed.walls, lid))
