"""A ball spins on the spot and is stopped by the friction of its small disk of contact."""

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import DARK, SERIES, one_panel

RADIUS, MASS, GRAVITY, SPIN, FRICTION = 0.02, 0.09, 9.81, 60.0, 0.3
STIFFNESSES = (1e6, 1e7, 1e8)


def scene_of(stiffness: float) -> jc.Scene:
    """A ball on a table, with spinning friction."""
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=stiffness, restitution=0.5),
        friction=jc.RegularizedCoulomb(coefficient=FRICTION, slip_velocity=1e-4),
        spinning=jc.SpinningFriction(coefficient=FRICTION, spin_velocity=1e-5, pressure="hertz"),
    )
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(0, 0, -GRAVITY)
    )


def sinks(stiffness: float) -> float:
    """Overlap [m] under the weight."""
    return (MASS * GRAVITY / stiffness) ** (2 / 3)


def stopping_time(stiffness: float) -> float:
    """``(2/5) m r^2 spin/(3 pi/16 mu a m g)`` with the disk ``a = sqrt(r d)`` [s]."""
    disk = np.sqrt(RADIUS * sinks(stiffness))
    return 0.4 * RADIUS**2 * SPIN / (3 * np.pi / 16 * FRICTION * disk * GRAVITY)


def draw(count: int = 200) -> Figure:
    """Spin against time for three stiffnesses."""
    times = np.linspace(0.0, 1.1 * stopping_time(STIFFNESSES[-1]), count)
    figure, axes = one_panel()
    for stiffness, colour in zip(STIFFNESSES, SERIES, strict=False):
        start = jc.state(position=(0, 0, RADIUS - sinks(stiffness)), spin=(0, 0, SPIN))
        found = jc.simulate(scene_of(stiffness), start, jnp.asarray(times))
        disk = 1e6 * np.sqrt(RADIUS * sinks(stiffness))
        axes.plot(times, found.spin[:, 2], color=colour, label=f"disk of {disk:.0f} µm")
        axes.plot(stopping_time(stiffness), 0.0, "o", color=colour, mfc="white", zorder=5)
    axes.plot([], [], "o", color=DARK, mfc="white", label="closed form")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("spin about the vertical [rad/s]")
    axes.legend(fontsize=9, frameon=False, loc="upper right")
    return figure
