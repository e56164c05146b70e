"""The grains of all tests, where they start, and how a bed goes on in pieces."""

import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc

RADIUS = 5e-3
"""Mean radius [m]."""
DIAMETER = 2 * RADIUS
DENSITY = 2500.0
GRAVITY = 9.81

Floats = NDArray[np.float64]


TIME_STEP = 5e-5
"""[s]: 1/36 of the duration of a collision of the lightest."""


def grains(count: int, *, seed: int) -> jc.Spheres:
    """Glass spheres, radii within 10 % of the mean, so that they do not crystallise."""
    radius = RADIUS * np.random.default_rng([seed, 1]).uniform(0.9, 1.1, count)
    return jc.spheres(radius=radius, density=DENSITY)


def speed_left(velocity: Floats) -> float:
    """Root mean square of the speeds of velocities ``(grains, 3)`` [m/s]."""
    return float(np.sqrt(np.mean(np.sum(velocity**2, axis=-1))))


def contact(
    friction: float, rolling: jc.ElasticPlasticRolling | None = None
) -> jc.LinearSpringDashpot:
    """Of stiffness such that ten grains above each other overlap by 1 % of the diameter at most."""
    return jc.LinearSpringDashpot(
        stiffness=1e3, restitution=0.5, coefficient=friction, zeta=0.2, rolling=rolling
    )


def rolling(coefficient: float) -> jc.ElasticPlasticRolling:
    """Rolling resistance; 0 is allowed, and runs the same compiled program."""
    return jc.ElasticPlasticRolling(rolling_coefficient=coefficient, zeta=0.2)


def bed_of(
    spheres: jc.Spheres,
    friction: float,
    rolling_coefficient: float,
    walls: tuple[jc.surfaces.Surface, ...],
    *,
    period: tuple[float | None, float | None, float | None] = (None, None, None),
) -> jc.Bed:
    """Grains that meet each other and the walls alike, with periods [m]."""
    return jc.Bed(
        spheres=spheres,
        contact=contact(friction, rolling(rolling_coefficient)),
        walls=walls,
        period=period,
    )


def heat_of(motion: jc.BedTrajectory) -> float:
    """Energy lost in all contacts until the end, from the ledger [J]."""
    ledger = motion.ledger
    return float(ledger.normal[-1] + ledger.tangential[-1] + ledger.rolling[-1])


def box(width: float, depth: float) -> tuple[jc.Plane, ...]:
    """A floor at z = 0 and four walls around ``(0, 0)`` to ``(width, depth)`` [m]."""
    return (
        jc.Plane(),
        jc.Plane(normal=(1.0, 0.0, 0.0)),
        jc.Plane(normal=(-1.0, 0.0, 0.0), offset=-width),
        jc.Plane(normal=(0.0, 1.0, 0.0)),
        jc.Plane(normal=(0.0, -1.0, 0.0), offset=-depth),
    )


def lattice(columns: Floats, count: int, *, above: float, seed: int) -> jc.State:
    """Grains over each of the ``columns`` ``(n, 2)``, layer on layer, at random within their
    cells, with a random velocity of 5 cm/s.
    """
    numbers = np.random.default_rng([seed, 2])
    layers = -(-count // len(columns))
    height = above + 1.15 * DIAMETER * (np.arange(layers) + 0.5)
    flat = np.tile(columns, (layers, 1))
    place = np.column_stack([flat, np.repeat(height, len(columns))])[:count]
    place = place + numbers.uniform(-0.02, 0.02, place.shape) * DIAMETER
    return jc.state(position=place, velocity=numbers.normal(0.0, 0.05, place.shape))


def columns_in(width: float, depth: float) -> Floats:
    """Places of a square lattice within a box ``(n, 2)`` [m]."""
    along, across = (
        np.linspace(0.0, size, int(size / (1.15 * DIAMETER)) + 1) for size in (width, depth)
    )
    middles = [0.5 * (edge[1:] + edge[:-1]) for edge in (along, across)]
    return np.stack(np.meshgrid(*middles, indexing="ij"), -1).reshape(-1, 2)


def columns_in_cylinder(radius: float) -> Floats:
    """Places of a square lattice within a cylinder about the z axis ``(n, 2)`` [m]."""
    edge = np.arange(-radius, radius, 1.15 * DIAMETER) + 0.3 * DIAMETER
    columns = np.stack(np.meshgrid(edge, edge, indexing="ij"), -1).reshape(-1, 2)
    return columns[np.hypot(*columns.T) < radius - 0.62 * DIAMETER]
