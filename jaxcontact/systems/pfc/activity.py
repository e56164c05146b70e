"""Which contacts act, and which may soon: both enter the estimate of the time step."""

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
