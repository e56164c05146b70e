"""Two balls collide off centre: friction throws the struck one from the line of the centres."""

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import SERIES, one_panel

RADIUS, MASS, SPEED, RESTITUTION = 0.0286, 0.17, 1.0, 0.95
COEFFICIENTS = (0.02, 0.06, 0.2)


def thrown(coefficient: float, cuts: np.ndarray) -> np.ndarray:
    """Angle [deg] of the velocity of the struck ball from the line of the centres, by the angle
    [deg] of this line from the velocity of the other ball.
    """
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=RESTITUTION),
        friction=jc.Coulomb(coefficient=coefficient),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=jnp.full(2, RADIUS), mass=jnp.full(2, MASS)),
        surfaces=(),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )

    @jax.jit
    @jax.vmap
    def struck(cut: jax.Array) -> jax.Array:
        line = jnp.stack([jnp.cos(cut), jnp.sin(cut), 0.0 * cut])
        velocity = jnp.array([[SPEED, 0.0, 0.0], [0.0, 0.0, 0.0]])
        apart = 2 * RADIUS * line + jnp.array([1e-3, 0.0, 0.0])  # a millimetre before they touch
        position = jnp.stack([-apart, jnp.zeros(3)])
        start = jc.State(position, velocity, jnp.zeros((2, 3)))
        method = jc.Impulse(max_contacts=1)
        return jc.simulate(scene, start, jnp.array([0.0, 0.02]), method=method).velocity[-1, 1]

    radians = np.radians(cuts)
    velocity = np.asarray(struck(jnp.asarray(radians)))
    return np.degrees(radians - np.arctan2(velocity[:, 1], velocity[:, 0]))


def closed_form(coefficient: float, cuts: np.ndarray) -> np.ndarray:
    """Sliding throughout the angle of friction; else the impulse that ends the slip, of which two
    solid spheres have 1/7 in each: ``tan = min(mu, 2 tan(cut)/(7 (1 + e)))``.
    """
    sticks = 2 * np.tan(np.radians(cuts)) / (7 * (1 + RESTITUTION))
    return np.degrees(np.arctan(np.minimum(coefficient, sticks)))


def draw(count: int = 60) -> Figure:
    """Throw against cut, and the closed form."""
    figure, axes = one_panel()
    cuts, few = np.linspace(1.0, 80.0, count), np.linspace(5.0, 80.0, 16)
    for coefficient, colour in zip(COEFFICIENTS, SERIES, strict=False):
        axes.plot(cuts, thrown(coefficient, cuts), color=colour, label=f"friction {coefficient:g}")
        axes.plot(few, closed_form(coefficient, few), "o", color=colour, markersize=4, mfc="white")
    axes.plot([], [], "o", color="black", markersize=4, mfc="white", label="closed form")
    axes.set_xlabel("cut angle [deg]")
    axes.set_ylabel("throw of the struck ball [deg]")
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    return figure
