"""A shot into a cup after three bounces: the one with the least speed, and the one that forgives
most.

The launch (velocity forwards and upwards, topspin) and the time of flight are the design; at its
end the centre of the ball is over the cup. Errors of the launch move the place at which the ball
passes the cup; the second study makes their sum as small as possible. Its objective holds a
derivative through three bounces, so its gradient is a second one.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from experiments.design_studies.constrained import minimise

RADIUS, HEIGHT = 0.02, 0.5
CUP = (3.0, 0.1)
"""Place of the cup, forwards and upwards [m]."""

BOUNCES = 3
SPIN = 100.0
"""Unit of the spin in a design [rad/s]."""

BOUNDS = [(0.3, 8.0), (-5.0, 6.0), (-1.0, 1.0), (0.5, 4.0)]
"""Velocity forwards and upwards [m/s], topspin [100 rad/s], time of flight [s]."""

FIRST_GUESS = (2.0, -1.0, 0.0, 1.6)

ERRORS = (0.01, np.radians(1.0), 0.1)
"""Standard deviations of a launch: of the speed, as a share; of the direction [rad]; of the spin
[100 rad/s].
"""

SCENE = jc.Scene(
    bodies=jc.spheres(radius=RADIUS, mass=2.7e-3, shell=True),
    contact=jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.88), friction=jc.Coulomb(coefficient=0.25)
    ),
    drag=jc.QuadraticDrag(coefficient=0.47),
)
METHOD = jc.Impulse(max_contacts=BOUNCES + 1, sustained_steps=0)


class Shot(NamedTuple):
    """A shot that was found.

    Attributes:
        design: launch and time of flight, (4,).
        spread: standard deviation of the place beside the cup [m].
    """

    design: NDArray[np.float64]
    spread: float

    @property
    def speed(self) -> float:
        """Of the launch [m/s]."""
        return float(np.hypot(*self.design[:2]))


def fly(design: jax.Array, times: jax.Array) -> jc.Trajectory:
    """The motion after a launch."""
    forwards, upwards, topspin, _ = design
    nothing = 0.0 * forwards
    start = jc.state(
        position=(0.0, 0.0, HEIGHT),
        velocity=jnp.stack([forwards, nothing, upwards]),
        spin=jnp.stack([nothing, SPIN * topspin, nothing]),
    )
    return jc.simulate(SCENE, start, times, method=METHOD)


def place(design: jax.Array) -> jax.Array:
    """Forwards and upwards at the end of the flight [m], (2,)."""
    times = jnp.stack([0.0 * design[3], design[3]])
    return fly(design, times).position[-1, jnp.array([0, 2])]


def beside_the_cup(design: jax.Array) -> jax.Array:
    """Distance from the cup, forwards and upwards [m]."""
    return place(design) - jnp.array(CUP)


def spread(design: jax.Array) -> jax.Array:
    """Standard deviation of the place across the path at the cup [m], to first order."""
    by_design = jax.jacfwd(place)(design)
    velocity = by_design[:, 3]
    across = jnp.array([-1.0, 1.0]) * velocity[::-1] / jnp.sqrt(jnp.sum(velocity**2))
    forwards, upwards = design[:2]
    moved = jnp.stack(
        [
            by_design[:, :2] @ jnp.stack([forwards, upwards]),
            by_design[:, :2] @ jnp.stack([-upwards, forwards]),
            by_design[:, 2],
        ]
    )
    return jnp.sqrt(jnp.sum((moved @ across * jnp.array(ERRORS)) ** 2))


def kinetic_energy(design: jax.Array) -> jax.Array:
    """Of the launch, for a unit of mass [J/kg]."""
    return (design[0] ** 2 + design[1] ** 2) / 2


def find_gentle() -> Shot:
    """The shot with the least speed."""
    design = minimise(kinetic_energy, FIRST_GUESS, bounds=BOUNDS, equal=beside_the_cup)
    return Shot(design, float(jax.jit(spread)(design)))


def find_forgiving(begin: Shot) -> Shot:
    """The shot that errors of the launch move least."""
    design = minimise(lambda d: 10 * spread(d), begin.design, bounds=BOUNDS, equal=beside_the_cup)
    return Shot(design, float(jax.jit(spread)(design)))


def disturbed(shot: Shot, *, number: int, seed: int) -> NDArray[np.float64]:
    """Designs with random errors of the launch, (number, 4)."""
    errors = np.random.default_rng(seed).normal(size=(number, 3)) * ERRORS
    speed, direction, topspin = errors.T
    forwards, upwards, spin, time = shot.design
    return np.stack(
        [
            (1 + speed) * (np.cos(direction) * forwards - np.sin(direction) * upwards),
            (1 + speed) * (np.sin(direction) * forwards + np.cos(direction) * upwards),
            spin + topspin,
            np.full(number, time),
        ],
        axis=1,
    )


def scatter(shot: Shot, *, number: int, seed: int) -> NDArray[np.float64]:
    """Place across the path at the cup after launches with random errors [m], (number,)."""
    velocity = np.asarray(jax.jit(jax.jacfwd(place))(shot.design))[:, 3]
    across = np.array([-velocity[1], velocity[0]]) / np.hypot(*velocity)
    launched = disturbed(shot, number=number, seed=seed)
    return np.asarray(jax.jit(jax.vmap(beside_the_cup))(launched)) @ across
