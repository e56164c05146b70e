"""Oblique impacts of alumina on glass, measured and from published constants, nothing fitted.

Measured by Kharaz, Gorham and Salman, Powder Technology 120 (2001) 281-291, whose restitution and
friction are taken, with the elastic constants of both materials.
"""

import math
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import BLUE, DARK, ORANGE, plain
from jaxcontact import materials

DATA = Path(__file__).parents[1] / "data" / "kharaz2001"
COLUMNS = {
    "rebound angle [deg]": "rebound_angle.csv",
    "spin after [rad/s]": "rebound_angular_velocity.csv",
    "tangential restitution\nof the centre [-]": "tangential_restitution.csv",
}
RADIUS, DENSITY, SPEED = 0.0025, 4000.0, 3.85
RESTITUTION, FRICTION = 0.98, 0.092
ALUMINA = materials.Solid(youngs_modulus=380e9, poisson_ratio=0.23)
GLASS = materials.Solid(youngs_modulus=70e9, poisson_ratio=0.25)


def rigid() -> tuple[jc.ContactModel, jc.Impulse]:
    """Newton's restitution and Coulomb's friction: a contact slides, or sticks at its end."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=RESTITUTION),
        friction=jc.Coulomb(coefficient=FRICTION),
    )
    return contact, jc.Impulse(max_contacts=1)


def elastic() -> tuple[jc.ContactModel, jc.EventAligned]:
    """Hertz's contact with Mindlin's tangential spring."""
    stiffness = materials.hertz_stiffness(materials.effective_modulus(ALUMINA, GLASS), RADIUS)
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=stiffness, restitution=RESTITUTION),
        friction=jc.Mindlin(
            coefficient=FRICTION,
            effective_shear_modulus=materials.effective_shear_modulus(ALUMINA, GLASS),
        ),
    )
    return contact, jc.EventAligned(max_contacts=1)


def rebounds(
    contact: jc.ContactModel, method: jc.Impulse | jc.EventAligned, angles: np.ndarray
) -> list[np.ndarray]:
    """The three columns at angles from the normal [deg]."""
    mass = 4 / 3 * math.pi * RADIUS**3 * DENSITY
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=mass), contact=contact, gravity=(0.0, 0.0, 0.0)
    )

    @jax.jit
    @jax.vmap
    def after(angle: jax.Array) -> tuple[jax.Array, jax.Array]:
        velocity = SPEED * jnp.stack([jnp.sin(angle), 0.0 * angle, -jnp.cos(angle)])
        start = jc.State(jnp.array([0.0, 0.0, 1.001 * RADIUS]), velocity, jnp.zeros(3))
        motion = jc.simulate(scene, start, jnp.array([0.0, 1e-3]), method=method)
        return motion.velocity[-1], motion.spin[-1]

    velocity, spin = map(np.asarray, after(jnp.radians(angles)))
    along = SPEED * np.sin(np.radians(angles))
    back = np.degrees(np.arctan2(velocity[:, 0], velocity[:, 2]))
    return [back, spin[:, 1], velocity[:, 0] / along]


def draw(count: int = 60) -> Figure:
    """A panel for each measured quantity."""
    angles = np.linspace(1.0, 62.0, count)
    found: dict[str, tuple[jc.ContactModel, jc.Impulse | jc.EventAligned, str, str]] = {
        "rigid": (*rigid(), ORANGE, "--"),
        "elastic": (*elastic(), BLUE, "-"),
    }
    figure = Figure(figsize=(5.4, 7.2), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    curves = {
        name: (rebounds(contact, method, angles), colour, style)
        for name, (contact, method, colour, style) in found.items()
    }
    for number, (axes, (label, file)) in enumerate(zip(panels, COLUMNS.items(), strict=True)):
        plain(axes)
        for name, (columns, colour, style) in curves.items():
            axes.plot(angles, columns[number], style, color=colour, label=name)
        measured = np.loadtxt(DATA / file, delimiter=",", skiprows=1)
        axes.plot(*measured.T, "o", color=DARK, markersize=5, label="measured")
        axes.set_ylabel(label)
    panels[0].legend(fontsize=9, frameon=False)
    panels[-1].set_xlabel("impact angle from the normal [deg]")
    return figure
