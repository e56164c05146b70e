"""A spring between a body and an anchor that moves as prescribed: loading and unloading under
control of displacement or force.
"""

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, parameter, static
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion


@model
class AnchorSpring:
    """Linear spring and dashpot from the centre of mass of a body to an anchor: ``F = -k (x - a(t))
    - c (x' - a'(t))``.

    Args:
        body: index of the body.
        stiffness: ``k`` [N/m], one number, or one for each direction of the scene, ``(3,)``: 0
            leaves a direction free.
        damping: ``c`` [N s/m], likewise.
        anchor: motion of the anchor ``a(t)``: that of the reference point.

    Example:
        >>> spring = jc.AnchorSpring(
        ...     stiffness=100.0, anchor=jc.PrescribedMotion(velocity=(0.01, 0.0, 0.0))
        ... )
        >>> force = spring.force(jnp.zeros(3), jnp.zeros(3), time=2.0)
        >>> print(f"{force[0]:.2f} N")
        2.00 N
    """

    body: int = static(default=0)
    stiffness: Real = parameter(
        unit="N/m",
        label="stiffness of the spring",
        symbol="k",
        interval="[0, inf)",
        transform="log",
    )
    damping: Real = parameter(
        unit="N s/m",
        label="damping of the spring",
        symbol="c",
        interval="[0, inf)",
        transform="log",
        default=0.0,
    )
    anchor: PrescribedMotion

    def __post_init__(self) -> None:
        if not isinstance(self.body, int) or self.body < 0:
            raise ValueError(
                f"AnchorSpring: body = {self.body!r} is not the index of a body, a whole "
                "number from 0 on."
            )

    def elongation(self, position: jax.Array, time: Real) -> jax.Array:
        """``x - a(t)`` [m], ``(3,)``."""
        return position - self.anchor.pose(time).position

    def force(self, position: jax.Array, velocity: jax.Array, time: Real) -> jax.Array:
        """Force [N] on the body, ``(3,)``."""
        anchor = self.anchor.pose(time).position
        anchor_velocity = self.anchor.material_velocity(anchor, time)
        return -jnp.asarray(self.stiffness) * (position - anchor) - jnp.asarray(self.damping) * (
            velocity - anchor_velocity
        )

    def energy(self, position: jax.Array, time: Real) -> jax.Array:
        """Elastic energy [J]."""
        return 0.5 * jnp.sum(
            jnp.asarray(self.stiffness) * jnp.square(self.elongation(position, time))
        )
