"""Simple shear of equal spheres without walls: repetitions above slide over those below while the
cell breathes such that the normal stress across the shear stays.

Friction of the flow and its solid fraction against the inertial number: at small ones the friction
and density of the critical state, whatever the packing was before.
"""

import dataclasses

import numpy as np

from experiments.beds.cell import PRESSURE, Cell, gas, strained, towards
from experiments.beds.grains import DENSITY, DIAMETER, Floats, contact

PIECE = 0.005
"""Shear strain of a piece."""
SETTLING = 2.0
"""Shear strain until the flow has forgotten what was before; from the gas twice as much."""
WATCHED = 4.0
"""Shear strain over which means are taken."""
PARTS = 8
"""Of the strain that is watched: their scatter gives the errors of means."""


@dataclasses.dataclass(frozen=True)
class Flow:
    """A steady flow.

    Attributes:
        inertial_number: rate of shear times diameter and ``sqrt(density / normal stress)`` [-].
        friction: shear stress over normal stress, mean and its error [-].
        solid_fraction: mean and its error [-].
        normal_stress: mean over what was asked for [-].
        strain: of the whole shear ``(pieces,)`` [-].
        ratio: shear stress over normal stress asked for ``(pieces,)`` [-].
        fraction: solid fraction ``(pieces,)`` [-].
    """

    inertial_number: float
    friction: tuple[float, float]
    solid_fraction: tuple[float, float]
    normal_stress: float
    strain: Floats
    ratio: Floats
    fraction: Floats


def rate_of(inertial_number: float) -> float:
    """Rate of shear [1/s]."""
    return inertial_number / DIAMETER * float(np.sqrt(PRESSURE / DENSITY))


def mean_and_error(values: Floats) -> tuple[float, float]:
    """Of a series whose parts hardly know of each other."""
    parts = np.array([np.mean(part) for part in np.array_split(values, PARTS)])
    return float(np.mean(values)), float(np.std(parts, ddof=1) / np.sqrt(PARTS))


def sheared(cell: Cell, inertial_number: float, settling: float = SETTLING) -> tuple[Cell, Flow]:
    """The flow at an inertial number, and the cell after it."""
    rate, rows, steady = rate_of(inertial_number), [], 0.0
    stress = cell.stress + cell.stress_of_motion
    for _ in range(round((settling + WATCHED) / PIECE)):
        apart = towards(float(stress[2, 2]), 0.2 * rate)
        steady += 0.01 * apart
        rates = np.array([0.0, 0.0, apart + steady])
        cell = strained(cell, rates, PIECE / rate, shear=rate)
        stress = cell.stress + cell.stress_of_motion
        rows.append((-stress[2, 0], stress[2, 2], cell.solid_fraction))
    shear_stress, normal, fraction = (np.array(column) for column in zip(*rows, strict=True))
    watched = slice(round(settling / PIECE), None)
    along, error = mean_and_error(shear_stress[watched])
    across = float(np.mean(normal[watched]))
    flow = Flow(
        inertial_number,
        (along / across, error / across),
        mean_and_error(fraction[watched]),
        across / PRESSURE,
        PIECE * np.arange(1.0, len(rows) + 1.0),
        shear_stress / PRESSURE,
        fraction,
    )
    return cell, flow


def flows(friction: float, inertial_numbers: tuple[float, ...], *, seed: int = 0) -> list[Flow]:
    """One after the other, from the gas."""
    cell = gas(seed=seed)
    cell = dataclasses.replace(cell, bed=cell.bed.replace(contact=contact(friction)))
    found: list[Flow] = []
    for number in inertial_numbers:
        cell, flow = sheared(cell, number, SETTLING if found else 2.0 * SETTLING)
        found.append(flow)
    return found
