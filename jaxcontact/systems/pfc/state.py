"""The contact state variables of PFC: what contact resolution hands to a contact model, and where
the model's answer acts.

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
    >>> isinstance(state, pfc.state.ContactState)
    True
    >>> print(state.normal)
    [0. 0. 1.]
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Wrench, wrench_at
from jaxcontact.numerics.smooth import Real, Vector


class ContactState(NamedTuple):
    """PFC's table of contact state variables.

    Scalars have the shape ``(...)``, vectors in global axes ``(..., 3)``, pairs along the ``s`` and
    ``t`` axes ``(..., 2)``.

    Piece 1 is a ball or a pebble, piece 2 a ball, a pebble or a facet. Relative motion is that of
    piece 2 against piece 1, and ``normal`` points from piece 1 to piece 2, so a positive normal
    velocity separates them. In two dimensions the ``s`` components, the twist and the ``t``
    component of the bend are zero, and the bend about ``z`` is minus its ``s`` component.

    Attributes:
        contact_mass: effective inertial mass ``m_c`` [kg].
        effective_radius: ``1/(1/R1 + 1/R2)`` of the surfaces at the contact [m]; ``R1`` at a facet.
        location: point ``x_c`` in the middle of the gap or overlap [m].
        normal: unit vector ``n_c``; zero if the centres coincide, where it does not exist.
        s_axis: unit vector ``s_c``, ``n = s x t``.
        t_axis: unit vector ``t_c``.
        gap: ``g_c`` [m], negative in overlap.
        translational_velocity: ``delta_dot`` [m/s], of the two bodies at ``location``.
        rotational_velocity: ``theta_dot`` [rad/s].
        normal_increment: relative normal displacement of this step [m].
        shear_increment: relative shear displacement of this step ``(ss, st)`` [m].
        twist_increment: relative rotation of this step about the normal [rad].
        bend_increment: relative rotation of this step about the axes ``(bs, bt)`` [rad].
    """

    contact_mass: Real
    effective_radius: Real
    location: Real
    normal: Real
    s_axis: Real
    t_axis: Real
    gap: Real
    translational_velocity: Real
    rotational_velocity: Real
    normal_increment: Real
    shear_increment: Real
    twist_increment: Real
    bend_increment: Real

    @property
    def normal_velocity(self) -> jax.Array:
        """Rate of the gap [m/s], positive on separation; ``(...)``."""
        return jnp.sum(self.translational_velocity * self.normal, axis=-1)

    @property
    def shear_velocity(self) -> jax.Array:
        """Slip velocity in the ``s``, ``t`` axes [m/s]; ``(..., 2)``."""
        return self.in_plane(self.translational_velocity)

    @property
    def twist_velocity(self) -> jax.Array:
        """Relative angular velocity about the normal [rad/s]; ``(...)``."""
        return jnp.sum(self.rotational_velocity * self.normal, axis=-1)

    @property
    def bend_velocity(self) -> jax.Array:
        """Relative angular velocity in the ``s``, ``t`` axes [rad/s]; ``(..., 2)``."""
        return self.in_plane(self.rotational_velocity)

    def in_plane(self, vector: Real) -> jax.Array:
        """Components ``(..., 2)`` of a global ``vector`` ``(..., 3)`` along ``s`` and ``t``."""
        return jnp.stack(
            [jnp.sum(vector * self.s_axis, axis=-1), jnp.sum(vector * self.t_axis, axis=-1)],
            axis=-1,
        )

    def in_space(self, normal: Real, tangential: Real) -> jax.Array:
        """The global vector ``(..., 3)`` with the components ``normal`` ``(...)`` and
        ``tangential`` ``(..., 2)``.
        """
        normal, tangential = jnp.asarray(normal), jnp.asarray(tangential)
        return (
            normal[..., None] * self.normal
            + tangential[..., :1] * self.s_axis
            + tangential[..., 1:] * self.t_axis
        )


def body_wrenches(
    state: ContactState, *, force: Real, moment: Real, reference1: Vector, reference2: Vector
) -> tuple[Wrench, Wrench]:
    """Forces and torques on body 1 and body 2 of the contact force and moment.

    ``F2 = F``, ``M2 = (x_c - x2) x F + M``; ``F1 = -F``, ``M1 = -(x_c - x1) x F - M``. Momentum and
    angular momentum of the pair are conserved, whatever the force: both act at one point.

    Args:
        state: of the contact.
        force: contact force *on body 2* in global axes [N], ``(..., 3)``; compression is along
            ``+normal``.
        moment: contact moment on body 2 in global axes [N m], ``(..., 3)``.
        reference1: reference point of body 1 [m], ``(..., 3)``: the centroid of a ball or a clump.
        reference2: reference point of body 2 [m], ``(..., 3)``: the centroid, or the centre of
            rotation of a wall.

    Returns:
        The wrenches on body 1 and on body 2, each about its reference point.
    """
    on1, on2 = (
        wrench_at(-force, state.location - jnp.asarray(reference1)),
        wrench_at(force, state.location - jnp.asarray(reference2)),
    )
    return Wrench(on1.force, on1.torque - moment), Wrench(on2.force, on2.torque + moment)
