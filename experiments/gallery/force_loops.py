"""Force against overlap over one impact, by laws that give back the same speed."""

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import SERIES, one_panel

MASS, RADIUS, SPEED, RESTITUTION = 0.01, 0.01, 1.0, 0.6
DEPTH = 1e-4
"""Largest overlap [m] without damping."""

LINEAR = MASS * SPEED**2 / DEPTH**2
HERTZ = 1.25 * MASS * SPEED**2 / DEPTH**2.5

LAWS = {
    "linear, dashpot": jc.LinearDashpot(
        stiffness=LINEAR, restitution=RESTITUTION, end="zero_force"
    ),
    "Hertz, Hunt and Crossley": jc.HuntCrossley(stiffness=HERTZ, restitution=RESTITUTION),
    "Hertz, Tsuji": jc.TsujiDashpot(stiffness=HERTZ, restitution=RESTITUTION, end="zero_force"),
    "plastic, Walton and Braun": jc.WaltonBraun(
        stiffness=LINEAR, unloading_ratio=1 / RESTITUTION**2
    ),
}


def loop(law: object, count: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Overlap [m] and force [N], mass times acceleration, from touch-down to lift-off, and the
    restitution that was obtained.
    """
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(0.0, 0.0, -SPEED))
    method = jc.EventAligned(max_contacts=1)
    contacts = jc.simulate(scene, start, jnp.array([0.0, 0.01]), method=method).contacts
    assert contacts is not None
    times = float(contacts.lift_off[0]) * np.linspace(0.0, 1.0, count)
    motion = jc.simulate(scene, start, times, method=method)
    speed = np.asarray(motion.velocity[:, 2])
    force = MASS * np.gradient(speed, times, edge_order=2)
    return RADIUS - np.asarray(motion.position[:, 2]), force, float(speed[-1]) / SPEED


def draw(count: int = 400) -> Figure:
    """The loops."""
    figure, axes = one_panel()
    for (name, law), colour in zip(LAWS.items(), SERIES, strict=False):
        overlap, force, _ = loop(law, count)
        axes.plot(1e6 * overlap, force, color=colour, label=name)
    axes.set_xlabel("overlap [µm]")
    axes.set_ylabel("force [N]")
    axes.set_title(f"restitution {RESTITUTION:g}: each loop encloses the same energy", fontsize=10)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return figure
