"""Discharge of a flat-bottomed hopper through a round opening: the mass flow rate, against which
users of the discrete element method calibrate friction, and which does not depend on how full the
hopper is.

Beverloo, Leniger and van de Velde, Chem. Eng. Sci. 15 (1961) 260-269: ``W = C rho sqrt(g) (D - k
d)^(5/2)`` with the bulk density ``rho``, the diameters ``D`` of the opening and ``d`` of the
grains, ``C = 0.58`` and ``k = 1.4``. The hopper should be wider than 2.5 openings and filled higher
than 1.2 of its diameters (Mankoc et al., Granular Matter 9 (2007) 407-414).
"""

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
    columns_in_cylinder,
    grains,
    heat_of,
    lattice,
)
from experiments.beds.settling import solid_fraction

COUNT = 1600
HOPPER = 6.0 * DIAMETER
"""Radius of the hopper [m]."""
TRAY = 12.0 * DIAMETER
DROP = 8.0 * DIAMETER
"""From the bottom of the hopper to the tray [m]."""
SETTLE = 0.6
PIECE, SAMPLES = 0.4, 21
"""How long the opening is watched at once [s], and times at which what has run out is weighed
meanwhile; it is jammed where that is nothing."""
FULL, EMPTY = 0.05, 0.3
"""Parts of the mass that have run out between which the rate is taken [-]."""
BLOCKS = 5
BEVERLOO = (0.58, 1.4)
"""Constants C and k of Beverloo et al. [-]."""
FILLING = jc.BedSizes((12, 12, 26), 14, 5200, 14, 550, 3, 0.1 * RADIUS)
SIZES = jc.BedSizes((22, 22, 20), 15, 5900, 14, 950, 3, 0.25 * RADIUS)
"""Room of the lists: grains that fall into the tray use up the skin in a few steps."""


@dataclasses.dataclass(frozen=True)
class Filled:
    """A full hopper at rest.

    Attributes:
        bed: with its floor closed.
        motion: from the rain to rest.
        bulk_density: [kg/m^3].
        height: of the filling over the diameter of the hopper [-].
    """

    bed: jc.Bed
    motion: jc.BedTrajectory
    bulk_density: float
    height: float


@dataclasses.dataclass(frozen=True)
class Discharge:
    """What runs out through one opening.

    Attributes:
        opening: its diameter [m].
        times: [s].
        out: mass that has run out ``(times,)`` [kg].
        position: of the grains at the end ``(grains, 3)`` [m].
        radius: of the grains [m].
        rate: mean of the blocks of equal mass [kg/s].
        error: standard error of it from the scatter of the blocks [kg/s].
        trend: growth of the rate from the fullest to the emptiest block by a line through all, over
            the rate [-].
        lost: grains that are neither in the hopper nor in the tray.
        residual: of the books, over the heat [-].
    """

    opening: float
    times: Floats
    out: Floats
    position: Floats
    radius: Floats
    rate: float
    error: float
    trend: float
    lost: int
    residual: float


def fill(friction: float, rolling_coefficient: float, *, seed: int = 0) -> Filled:
    """Grains rain into the closed hopper and come to rest within 0.8 s."""
    spheres = grains(COUNT, seed=seed)
    bed = bed_of(spheres, friction, rolling_coefficient, (_side(), jc.Plane()))
    start = lattice(columns_in_cylinder(HOPPER), COUNT, above=0.0, seed=seed)
    motion = jc.simulate_bed(bed, start, [0.0, SETTLE], time_step=TIME_STEP, sizes=FILLING)
    place, radius = np.asarray(motion.position[-1]), np.asarray(spheres.radius)
    fraction = solid_fraction(place, radius, area=np.pi * HOPPER**2)
    height = float(np.quantile(place[:, 2], 0.98)) / (2.0 * HOPPER)
    return Filled(bed, motion, fraction * DENSITY, height)


def discharge(filled: Filled, opening: float) -> Discharge:
    """Through an opening of a diameter [m], until 30 % of the mass have run out."""
    bed = filled.bed.replace(walls=(_side(), *_open(opening)))
    mass = np.asarray(bed.spheres.mass)
    total, state, piece = float(np.sum(mass)), filled.motion.end, np.linspace(0.0, PIECE, SAMPLES)
    times, positions = np.zeros(1), np.asarray(filled.motion.position[-1:])
    residual, heat = 0.0, 0.0
    while outside(positions[-1], mass) < EMPTY * total:
        motion = jc.simulate_bed(bed, state, piece, time_step=TIME_STEP, sizes=SIZES, ledger=True)
        state = motion.end
        times = np.concatenate([times, times[-1] + piece[1:]])
        positions = np.concatenate([positions, np.asarray(motion.position[1:])])
        if outside(positions[-1], mass) == outside(positions[-SAMPLES], mass):
            raise ValueError(
                f"discharge: opening = {opening} m lets out nothing from {times[-SAMPLES]:.1f} to "
                f"{times[-1]:.1f} s: it is jammed. Give a wider one."
            )
        residual += float(motion.ledger.residual[-1])
        heat += heat_of(motion)
    out = outside(positions, mass)
    rates = rates_of_blocks(times, out / total) * total
    return Discharge(
        opening,
        times,
        out,
        positions[-1],
        np.asarray(bed.spheres.radius),
        float(np.mean(rates)),
        float(np.std(rates, ddof=1) / np.sqrt(BLOCKS)),
        float(np.polyfit(np.linspace(0.0, 1.0, BLOCKS), rates, 1)[0] / np.mean(rates)),
        lost(positions[-1]),
        abs(residual) / heat,
    )


def outside(position: Floats, mass: Floats) -> Floats:
    """Mass of the grains whose centres are below the bottom of the hopper [kg]."""
    return np.sum(mass * (position[..., 2] < 0.0), axis=-1)


def _side() -> jc.Tube:
    return jc.Tube(start=(0.0, 0.0, -RADIUS), end=(0.0, 0.0, 1.0), radius=HOPPER)


def _open(opening: float) -> tuple[jc.surfaces.Surface, ...]:
    """The bottom with its hole, in place of the floor, and the tray."""
    below = (0.0, 0.0, -DROP)
    return (
        jc.Funnel(opening_radius=0.5 * opening, rim_radius=HOPPER + DIAMETER),
        jc.Plane(offset=-DROP),
        jc.Tube(start=below, end=(0.0, 0.0, 0.0), radius=TRAY),
    )


def rates_of_blocks(times: Floats, out: Floats) -> Floats:
    """Rates [1/s] at which equal parts of the mass run out between ``FULL`` and ``EMPTY``, from the
    part that has run out at each of the ``times``, the last above ``EMPTY``.
    """
    level = np.linspace(FULL, EMPTY, BLOCKS + 1)
    after = np.argmax(out >= level[:, None], axis=1)
    before = out[after - 1]
    share = (level - before) / (out[after] - before)
    return np.diff(level) / np.diff(times[after - 1] + share * np.diff(times)[after - 1])


def lost(position: Floats) -> int:
    """Grains that have passed through the side of the hopper, its bottom, or the tray."""
    away, z = np.hypot(position[:, 0], position[:, 1]), position[:, 2]
    held = np.where(z > 0.0, away < HOPPER, (away < TRAY) & (z > -DROP))
    return int(np.sum(~held))


def beverloo(openings: Floats, rates: Floats, bulk_density: float) -> Floats:
    """Constants C and k [-] of Beverloo's law ``(..., 2)``, from a line through the rates ``(...,
    openings)`` to the power 2/5.
    """
    line = rates**0.4 @ np.linalg.pinv(np.vander(openings, 2)).T
    slope, start = np.moveaxis(line, -1, 0)
    coefficient = slope**2.5 / (bulk_density * np.sqrt(GRAVITY))
    return np.stack([coefficient, -start / slope / DIAMETER], -1)


def beverloo_errors(openings: Floats, rates: Floats, errors: Floats, bulk_density: float) -> Floats:
    """Standard errors of C and k [-] ``(2,)`` from those of the rates."""
    draws = np.random.default_rng(0).normal(rates, errors, (4000, len(rates)))
    return np.std(beverloo(openings, draws, bulk_density), axis=0)


def exponent(openings: Floats, rates: Floats) -> float:
    """Power of ``D - 1.4 d`` with which the rates grow."""
    effective = openings - BEVERLOO[1] * DIAMETER
    return float(np.polyfit(np.log(effective), np.log(rates), 1)[0])
