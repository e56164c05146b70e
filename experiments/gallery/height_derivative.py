"""The derivative of the height of a bouncing ball with respect to its restitution: true, and that
of a program with a fixed time step.
"""

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import jaxcontact as jc
from experiments.drawing import BLUE, ORANGE, plain

RADIUS, DENSITY, STIFFNESS, RESTITUTION = 0.01, 2700.0, 1e8, 0.8
HEIGHT, LAST = 0.31, 1.6


def height_and_derivative(
    method: jc.EventAligned | jc.FixedStep, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Height [m] and its derivative with respect to the restitution [m]."""

    def height(restitution: jax.Array) -> jax.Array:
        normal = jc.HuntCrossley(stiffness=STIFFNESS, restitution=restitution)
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, density=DENSITY),
            contact=jc.ContactModel(normal=normal),
        )
        start = jc.state(position=(0.0, 0.0, HEIGHT))
        return jc.simulate(scene, start, times, method=method).position[:, 2]

    found = jax.jit(lambda at: jax.jvp(height, (at,), (jnp.ones_like(at),)))(
        jnp.asarray(RESTITUTION)
    )
    return np.asarray(found[0]), np.asarray(found[1])


def draw(count: int = 400, step: float = 1e-5) -> Figure:
    """Heights above, derivatives below."""
    times = np.linspace(0.0, LAST, count + 1)
    true = height_and_derivative(jc.EventAligned(max_contacts=12), times)
    fixed = height_and_derivative(jc.FixedStep(step=step), times)
    figure = Figure(figsize=(5.4, 5.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for axes in (above, below):
        plain(axes)
    above.plot(times, fixed[0], color=ORANGE, linewidth=3.0)
    above.plot(times, true[0], color=BLUE, linewidth=1.2)
    above.set_ylabel("height [m]")
    above.set_title("the motions agree ...", fontsize=10, loc="left")
    name = f"fixed step of {1e6 * step:g} µs, differentiated"
    below.plot(times, fixed[1], color=ORANGE, linewidth=1.0, label=name)
    below.plot(times, true[1], color=BLUE, linewidth=1.6, label="steps end at events: true")
    below.set_yscale("symlog", linthresh=1.0)
    below.set_ylabel("d height / d restitution [m]")
    below.set_title("... their derivatives do not", fontsize=10, loc="left")
    below.set_xlabel("time [s]")
    below.legend(fontsize=8, frameon=False, loc="lower left")
    return figure
