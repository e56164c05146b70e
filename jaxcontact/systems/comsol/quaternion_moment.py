"""The moment that belongs to the quaternion of a body as generalised coordinate."""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rotation import quaternion_product
from jaxcontact.numerics.smooth import Real

FRAMES = ("global", "body")


def quaternion_moment(moment: Real, quaternion: Real, *, frame: str = "global") -> jax.Array:
    """Quaternion moment ``(..., 4)`` [N m]: ``M_q . dq/dt = M . w`` for every rate of the
    quaternion, and ``M_q . q = 0``.

    For a moment in global axes ``M_q = 2 (0, M) q/|q|^2``, in body axes ``M_q = 2 q (0,
    M_b)/|q|^2``, in quaternion products. The rotation is that of ``q/|q|``, so that ``q`` need not
    have unit length. For ``q = 0``, which is no rotation, the result is 0.

    Args:
        moment: ``(..., 3)`` [N m].
        quaternion: ``q``, ``(..., 4)``, scalar first, from body axes to global ones.
        frame: of the moment, ``"global"`` or ``"body"``.

    Returns:
        Generalised moment [N m], ``(..., 4)``.

    Raises:
        ValueError: ``frame`` is unknown.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> moment = comsol.quaternion_moment(
        ...     jnp.array([0.0, 0.0, 1.0]), jnp.array([1.0, 0.0, 0.0, 0.0])
        ... )
        >>> print(moment)
        [0. 0. 0. 2.]
    """
    if frame not in FRAMES:
        raise ValueError(
            f"quaternion_moment: frame = {frame!r} is not one of {', '.join(map(repr, FRAMES))}."
        )
    moment, quaternion = jnp.asarray(moment), jnp.asarray(quaternion)
    pure = jnp.concatenate([jnp.zeros_like(moment[..., :1]), moment], axis=-1)
    product = (
        quaternion_product(pure, quaternion)
        if frame == "global"
        else quaternion_product(quaternion, pure)
    )
    squared = jnp.sum(quaternion * quaternion, axis=-1, keepdims=True)
    turns = squared > 0.0
    return jnp.where(turns, 2.0 * product / jnp.where(turns, squared, 1.0), 0.0)
