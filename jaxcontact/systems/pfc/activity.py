"""Which contacts act, and which may soon: both enter the estimate of the time step.

Example:
    >>> from jaxcontact.geometry.rigid_motion import Motion
    >>> from jaxcontact.systems import pfc
    >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
    >>> second = Motion(jnp.array([0.0, 0.0, 0.99e-2]), jnp.array([0.0, 0.0, -1.0]), jnp.zeros(3))
    >>> ball1 = pfc.pieces.ball(first, radius=5e-3, mass=1.3e-3)
    >>> ball2 = pfc.pieces.ball(second, radius=5e-3, mass=1.3e-3)
    >>> state, axes = pfc.contact_resolution.ball_ball_contact(
    ...     pfc.contact_resolution.NEW_CONTACT, ball1, ball2, time_step=1e-6
    ... )
    >>> activity = pfc.activity.activity(state, time_step=1e-6)
    >>> bool(activity.active)
    True
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.pfc.state import ContactState


class Activity(NamedTuple):
    """Truth values ``(...)``; they have no derivatives.

    Attributes:
        active: the contact model acts.
        could_be_active: it does not, but may within the steps looked ahead.
    """

    active: jax.Array
    could_be_active: jax.Array

    @property
    def in_time_step_estimate(self) -> jax.Array:
        """Whether the stiffness of the contact counts in the time step."""
        return self.active | self.could_be_active


def surface_gap(state: ContactState, *, reference_gap: Real = 0.0) -> jax.Array:
    """``g_s = g_c - g_r`` [m]: what the models linear, rolling resistance linear and Hertz take for
    the gap between the surfaces.

    Args:
        state: of the contact.
        reference_gap: ``g_r`` [m], PFC's ``rgap``; positive where the model's surface stands out of
            the piece.
    """
    return jnp.asarray(state.gap - reference_gap)


def activity(
    state: ContactState, *, time_step: Real, reference_gap: Real = 0.0, steps_ahead: int = 10
) -> Activity:
    """Active: ``g_s <= 0``. Could be active: ``g_s + min(delta_dot_n, 0) k dt <= 0``: it closes
    within ``k`` steps at this rate.

    The second rule is a choice of this library; the program has one but does not publish it.

    Args:
        state: of the contact.
        time_step: ``dt`` [s].
        reference_gap: ``g_r`` [m].
        steps_ahead: ``k``, not negative.
    """
    if steps_ahead < 0:
        raise ValueError(
            f"activity: steps_ahead = {steps_ahead} is negative. 10 is usual; 0 looks at the "
            "active contacts alone."
        )
    gap = surface_gap(state, reference_gap=reference_gap)
    active = gap <= 0.0
    closing = gap + jnp.minimum(state.normal_velocity, 0.0) * (steps_ahead * time_step) <= 0.0
    return Activity(active, closing & ~active)
