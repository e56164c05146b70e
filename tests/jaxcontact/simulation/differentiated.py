"""The path of one sphere as a function of every parameter at once, with its derivatives compiled
once for all tests.

The law has a reference speed, so that no leaf of the simplest scene is left out. Compiling a
derivative takes half a minute.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from tests.jaxcontact.simulation import scenes

BASE = {**scenes.BASE, "reference_speed": 1.5, "times": None}
METHOD = jc.EventAligned(max_contacts=16)
LEAVES = tuple(
    name for name in BASE if name not in ("drag", "lift", "fluid_density", "start", "duration")
)


def parameters(**changes: Any) -> dict:
    """Every leaf as an array; changes of fluid and the like, which this scene does not have, are
    ignored.
    """
    times = BASE["start"] + np.linspace(0.0, 1.0, scenes.SAMPLES) * changes.get(
        "duration", BASE["duration"]
    )
    return {
        name: np.asarray({**BASE, "times": times, **changes}[name], dtype=float) for name in LEAVES
    }


def scene(p: dict) -> jc.Scene:
    law = jc.HuntCrossley(
        stiffness=p["stiffness"], restitution=p["restitution"], reference_speed=p["reference_speed"]
    )
    friction = jc.RegularizedCoulomb(coefficient=p["friction"], slip_velocity=p["slip_velocity"])
    return jc.Scene(
        bodies=jc.Spheres(radius=p["radius"], mass=p["mass"], inertia_ratio=p["inertia_ratio"]),
        surfaces=(jc.Plane(normal=p["normal"], offset=p["offset"]),),
        contact=jc.ContactModel(normal=law, friction=friction),
        gravity=p["gravity"],
    )


def trajectory(p: dict) -> jc.Trajectory:
    return jc.simulate(scene(p), scenes.initial(p), p["times"], method=METHOD)


def columns(found: jc.Trajectory) -> jax.Array:
    """Position [m], velocity [m/s] and circumferential speed by spin [m/s] at all times, (samples,
    9).
    """
    return jnp.concatenate([found.position, found.velocity, found.spin * BASE["radius"]], axis=-1)


def path(p: dict) -> jax.Array:
    return columns(trajectory(p))


def misfit(p: dict, target: jax.Array) -> jax.Array:
    """Half the mean square distance of all coordinates from a target."""
    return jnp.mean((path(p) - target) ** 2) / 2


@functools.cache
def compiled(name: str) -> Callable:
    """``trajectory``, or of ``path``: the ``jacobian`` in forward mode, the ``gradient`` of the
    misfit in reverse mode, or the ``second`` derivative along a line.
    """
    return jax.jit(
        {
            "trajectory": trajectory,
            "jacobian": jax.jacfwd(path),
            "gradient": jax.grad(misfit),
            "second": lambda p, along: jax.jvp(
                lambda p: jax.jvp(path, (p,), (along,))[1], (p,), (along,)
            )[1],
        }[name]
    )


def path_at(p: dict) -> np.ndarray:
    """``path`` in numbers."""
    return np.asarray(columns(compiled("trajectory")(p)))
