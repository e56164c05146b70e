"""What a film of a bouncing ball tells of its restitution and of the air, before it is taken."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc

RADIUS, MASS, HEIGHT = 0.02, 0.0027, 0.5
RESTITUTION, DRAG = 0.9, 0.45
PER_SECOND, NOISE = 240.0, 5e-4
"""Pictures in a second, and standard deviation of a position [m]."""


class Film(NamedTuple):
    """A film from the release on.

    Attributes:
        times: of the pictures [s].
        bounces: times of the impacts [s].
        slope: (n, 5) change of each height over the noise, with restitution, drag coefficient,
            height at release, velocity at release, and relative length scale.
    """

    times: np.ndarray
    bounces: np.ndarray
    slope: np.ndarray


@functools.cache
def film(seconds: float) -> Film:
    """Simulate it with derivatives."""
    times = np.arange(0.0, seconds, 1 / PER_SECOND)
    method = jc.Impulse(max_contacts=14)

    def run(unknown: jax.Array) -> jc.Trajectory:
        restitution, drag, height, velocity = unknown[:4]
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution)),
            drag=jc.QuadraticDrag(coefficient=drag),
        )
        start = jc.State(
            jnp.zeros(3).at[2].set(height), jnp.zeros(3).at[2].set(velocity), jnp.zeros(3)
        )
        return jc.simulate(scene, start, times, method=method)

    def heights(unknown: jax.Array) -> tuple[jax.Array, jax.Array]:
        motion = run(unknown)
        assert motion.contacts is not None
        # A recorded length is the true one over the scale; heights are above the lowest centre.
        recorded = (motion.position[:, 2] - RADIUS) / unknown[4]
        return recorded, motion.contacts.touch_down

    at = jnp.array([RESTITUTION, DRAG, HEIGHT, 0.0, 1.0])
    slope, bounces = jax.jit(jax.jacfwd(heights, has_aux=True))(at)
    seen = np.asarray(bounces)
    return Film(times, seen[(seen > 0) & (seen < seconds)], np.asarray(slope) / NOISE)


def covariance(film: Film, until: float, *, scale: bool) -> np.ndarray:
    """Of restitution and drag coefficient (2, 2), from the pictures up to a time [s].

    Args:
        film: the film.
        until: its last time.
        scale: whether the length scale is to be found, too.
    """
    slope = film.slope[film.times <= until][:, : 5 if scale else 4]
    return np.linalg.inv(slope.T @ slope)[:2, :2]
