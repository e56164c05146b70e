"""A surface written outside the packages, from public names only: a torus about the z axis."""

from typing import Any

import jax.numpy as jnp

import jaxcontact as jc


@jc.model
class Torus(jc.surfaces.Surface):
    """A torus about the z axis through ``center``: points at ``tube_radius`` from a circle of
    ``radius``.
    """

    center: Any = jc.parameter(
        unit="m", label="centre", symbol="c", shape=(3,), default=(0.0, 0.0, 0.0)
    )
    radius: Any = jc.parameter(
        unit="m", label="radius of the circle", symbol="R", interval="(0, inf)", transform="log"
    )
    tube_radius: Any = jc.parameter(
        unit="m", label="radius of the tube", symbol="r", interval="(0, inf)", transform="log"
    )
    motion: jc.PrescribedMotion | None = None
    hollow: bool = jc.static(default=False)

    def at_rest(self, center):
        """Signed distance [m] and its gradient."""
        at = center - self.center
        from_axis = jnp.sqrt(at[0] ** 2 + at[1] ** 2)
        outward = jnp.array([at[0], at[1], 0.0]) / from_axis
        from_circle = at - self.radius * outward
        distance = jnp.sqrt(jnp.sum(from_circle**2))
        return distance - self.tube_radius, from_circle / distance
