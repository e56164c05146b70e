"""A ball with backspin on a level table: it slides, rolls, and comes to rest."""

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import BLUE, DARK, ORANGE, one_panel

RADIUS, MASS, GRAVITY = 0.0286, 0.17, 9.81
FRICTION, ROLLING = 0.2, 0.05
SPEED, SPIN = 2.0, -40.0
LAST = 4.0
STIFFNESS = 1e8


def motion(times: np.ndarray) -> jc.Trajectory:
    """Simulate it, pressed in by its weight from the beginning."""
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=STIFFNESS, restitution=0.5),
        friction=jc.RegularizedCoulomb(coefficient=FRICTION, slip_velocity=1e-4),
        rolling=jc.RollingResistance(rolling_coefficient=ROLLING, rolling_velocity=1e-5),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(0, 0, -GRAVITY)
    )
    sunk = (MASS * GRAVITY / STIFFNESS) ** (2 / 3)
    start = jc.state(position=(0, 0, RADIUS - sunk), velocity=(SPEED, 0, 0), spin=(0, SPIN, 0))
    return jc.simulate(scene, start, jnp.asarray(times))


def stages() -> tuple[float, float, float]:
    """In closed form: when rolling begins [s], at which speed [m/s], and when the ball rests [s].

    Sliding slows the centre by mu g and turns the ball by (5/2) mu g/r, less what rolling
    resistance takes; a rolling solid sphere slows down by (5/7) c g.
    """
    slows, turns = FRICTION * GRAVITY, 2.5 * (FRICTION - ROLLING) * GRAVITY
    turns_backwards = 2.5 * (FRICTION + ROLLING) * GRAVITY
    surface = SPIN * RADIUS
    until_upright = -surface / turns_backwards
    speed = SPEED - slows * until_upright
    begins = until_upright + speed / (slows + turns)
    rolls = SPEED - slows * begins
    return begins, rolls, begins + rolls / (5 / 7 * ROLLING * GRAVITY)


def draw(count: int = 300) -> Figure:
    """Velocity of the centre and of the surface against it."""
    times = np.linspace(0.0, LAST, count)
    found = motion(times)
    begins, rolls, rests = stages()
    figure, axes = one_panel()
    axes.plot(times, found.velocity[:, 0], color=BLUE, label="centre")
    axes.plot(times, RADIUS * found.spin[:, 1], color=ORANGE, label="radius times spin")
    axes.plot(
        [begins, rests],
        [rolls, 0.0],
        "o",
        color=DARK,
        markersize=6,
        mfc="none",
        label="closed form: rolls, rests",
    )
    axes.axhline(0.0, color=DARK, linewidth=0.6)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("velocity [m/s]")
    axes.legend(fontsize=9, frameon=False)
    return figure
