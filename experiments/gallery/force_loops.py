"""Force against overlap over one impact, by laws that give back the same speed."""

import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import SERIES, one_panel

MASS, RADIUS, SPEED, RESTITUTION = 0.01, 0.01, 1.0, 0.6
DEPTH = 1e-4
"""Largest overlap [m] without damping."""
LONGEST = 7e-4
"""Time [s] by which every contact has ended."""

LINEAR = MASS * SPEED**2 / DEPTH**2
HERTZ = 1.25 * MASS * SPEED**2 / DEPTH**2.5

LAWS: dict[str, jc.laws.SmoothLaw | jc.WaltonBraun] = {
    "linear, dashpot": jc.LinearDashpot(
        stiffness=LINEAR, restitution=RESTITUTION, end="zero_force"
    ),
    "Hertz, Hunt and Crossley": jc.HuntCrossley(stiffness=HERTZ, restitution=RESTITUTION),
    "Hertz, Tsuji": jc.TsujiDashpot(stiffness=HERTZ, restitution=RESTITUTION, end="zero_force"),
    "plastic, Walton and Braun": jc.WaltonBraun(
        stiffness=LINEAR, unloading_ratio=1 / RESTITUTION**2
    ),
}


def loop(
    law: jc.laws.SmoothLaw | jc.WaltonBraun, count: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Overlap [m] and force [N] from touch-down to lift-off, and the restitution that was obtained.

    The force of a law with a memory is mass times acceleration.
    """
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(0.0, 0.0, -SPEED))
    times = np.linspace(0.0, LONGEST, count)
    motion = jc.simulate(scene, start, times, method=jc.EventAligned(max_contacts=1))
    assert motion.contacts is not None
    inside = times <= float(motion.contacts.lift_off[0])
    overlap, speed = RADIUS - np.asarray(motion.position[:, 2]), np.asarray(motion.velocity[:, 2])
    if isinstance(law, jc.laws.SmoothLaw):
        force = np.asarray(law.force(overlap, -speed, impact_speed=SPEED, mass=MASS))
    else:
        force = MASS * np.gradient(speed, times)
    return overlap[inside], force[inside], float(speed[-1]) / SPEED


def draw(count: int = 4001) -> Figure:
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
