"""The damping ratio of Exudyn's ``impactModel`` 2 without its corner at ``e = 1/3``."""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.damping_maps import carvalho_martins, gonthier
from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real, smooth_step

MEETS = 1.0 / 3.0
"""Restitution at which the formulas of the model give the same."""


def _half_the_difference(restitution: Real, smoothing: Real) -> jax.Array:
    near = jnp.abs(restitution - MEETS) <= smoothing * MEETS
    apart = jnp.abs(carvalho_martins(restitution) - gonthier(restitution))
    return jnp.where(near, 0.5 * apart, 0.0)


@law(
    name="exudyn_smooth_mixed_damping_ratio",
    family="Exudyn",
    source="smooth form of the damping ratio of impactModel 2",
    smoothness=2,
    example={"restitution": 0.6, "smoothing": 0.1},
    variants=({"restitution": 0.05}, {"restitution": 0.34}, {"restitution": 0.97}),
    switches=({"restitution": 0.5, "smoothing": 0.5}, {"restitution": 0.25, "smoothing": 0.25}),
    corners=({"restitution": 1.0}, {"restitution": 1e-3}, {"restitution": MEETS}),
    approximates="exudyn_mixed",
    within=_half_the_difference,
)
def smooth_mixed_damping_ratio(restitution: Real, *, smoothing: Real) -> jax.Array:
    """``a(e)`` of Carvalho and Martins above ``e = (1 + h)/3``, of Gonthier below ``(1 - h)/3``,
    and from the one to the other by ``smooth_step`` between. Elementwise.

    Two continuous derivatives. It differs from the hard form by at most half the difference of
    both formulas, between these restitutions only: less than ``0.1 h`` for ``h <= 0.2``.

    Args:
        restitution: ``e`` in (0, 1] [-].
        smoothing: ``h`` in (0, 1) [-].
    """
    above = smooth_step(restitution - MEETS * (1.0 - smoothing), 2.0 * smoothing * MEETS)
    low = gonthier(restitution)
    return low + (carvalho_martins(restitution) - low) * above
