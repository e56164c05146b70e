"""What a contact model of PFC answers to a contact state: forces, moment, slip states and energies;
and the dashpots that models share.

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
    >>> model = pfc.Linear(kn=1e6, ks=1e6, fric=0.5)
    >>> response, memory = pfc.linear.linear_contact(
    ...     pfc.linear.NEW_LINEAR_CONTACT, state, model=model
    ... )
    >>> isinstance(response, pfc.response.Response)
    True
    >>> print(f"{response.energies.strain:.4f} J")
    0.0050 J
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.smoothing import Smoothing, gated
from jaxcontact.laws.friction.slider import Slider, SmoothSlider, coulomb_slider
from jaxcontact.numerics.smooth import (
    Real,
    eased_positive_part,
    positive_part,
    positive_power,
    safe_norm,
    smooth_step,
)
from jaxcontact.systems.pfc.state import ContactState

DASHPOT_MODES = (0, 1, 2, 3)
"""PFC's ``dp_mode``: 0 full; 1 no tension from spring and dashpot together; 2 no shear dashpot
while the contact slips; 3 both.
"""


class Energies(NamedTuple):
    """Energies of a contact [J], ``(...)``.

    Attributes:
        strain: stored in the springs, PFC's ``estrain``.
        slip: lost by sliding in this step; PFC's ``eslip`` is its sum.
        dashpot: lost in the dashpots in this step; PFC's ``edashpot`` is its sum.
        rolling_strain: stored in the rolling spring, ``errstrain``.
        rolling_slip: lost by rolling slip in this step; ``errslip`` is its sum.
    """

    strain: jax.Array
    slip: jax.Array
    dashpot: jax.Array
    rolling_strain: jax.Array
    rolling_slip: jax.Array


class Response(NamedTuple):
    """Forces and moment on piece 2 along the axes of the contact plane; on piece 1 they are
    opposite.

    Attributes:
        active: whether the contact acts, ``(...)``.
        normal_force: of the spring, positive in compression [N], ``(...)``.
        shear_force: of the spring along ``s`` and ``t`` [N], ``(..., 2)``.
        dashpot_normal_force: [N], ``(...)``.
        dashpot_shear_force: [N], ``(..., 2)``.
        rolling_moment: along ``s`` and ``t`` [N m], ``(..., 2)``.
        slips: whether the shear force is at its limit, ``(...)``.
        rolling_slips: whether the rolling moment is, ``(...)``.
        energies: of this step.
    """

    active: jax.Array
    normal_force: jax.Array
    shear_force: jax.Array
    dashpot_normal_force: jax.Array
    dashpot_shear_force: jax.Array
    rolling_moment: jax.Array
    slips: jax.Array
    rolling_slips: jax.Array
    energies: Energies

    def gated(self, smooth: Smoothing | None, overlap: jax.Array) -> "Response":
        """The same with its forces behind the gate of ``smooth`` at ``overlap`` [m]. The energies
        stay those of springs and dashpots without it.
        """
        normal, shear, dashpot_normal, dashpot_shear = gated(
            smooth,
            overlap,
            self.normal_force,
            self.shear_force,
            self.dashpot_normal_force,
            self.dashpot_shear_force,
        )
        return self._replace(
            normal_force=normal,
            shear_force=shear,
            dashpot_normal_force=dashpot_normal,
            dashpot_shear_force=dashpot_shear,
        )

    def force(self, state: ContactState) -> jax.Array:
        """Contact force on body 2 in global axes [N], ``(..., 3)``, for
        ``pfc.state.body_wrenches``.
        """
        return state.in_space(
            self.normal_force + self.dashpot_normal_force,
            self.shear_force + self.dashpot_shear_force,
        )

    def moment(self, state: ContactState) -> jax.Array:
        """Contact moment on body 2 in global axes [N m], ``(..., 3)``."""
        return state.in_space(jnp.zeros_like(self.normal_force), self.rolling_moment)


def dashpot_coefficient(ratio: Real, *, contact_mass: Real, stiffness: Real) -> jax.Array:
    """``2 beta sqrt(m_c k)`` [N s/m] of a dashpot. Elementwise.

    Args:
        ratio: ``beta``, ``dp_nratio`` or ``dp_sratio`` [-].
        contact_mass: ``m_c`` [kg].
        stiffness: tangent stiffness ``k`` [N/m] in its direction.
    """
    return jnp.multiply(2.0 * ratio, positive_power(contact_mass * stiffness, 0.5))


def slider_of(owner: str, slider: Slider, smooth: Smoothing | None) -> Slider:
    """The ``slider`` of a model, or the smooth one."""
    if smooth is None:
        return slider
    if slider is not coulomb_slider:
        raise ValueError(f"{owner}: smooth takes the place of slider = {slider!r}. Give either.")
    return SmoothSlider(smooth.share)  # type: ignore[arg-type]


def below_limit(force: Real, limit: Real, smooth: Smoothing) -> jax.Array:
    """1 while ``|force|`` is well below the ``limit`` of a slider, 0 where it is reached, with two
    continuous derivatives over the ``share`` below it; ``(...)`` [-].
    """
    width = jnp.multiply(smooth.share, limit)
    holds = width > 0.0
    reached = smooth_step(safe_norm(force) - (limit - width), jnp.where(holds, width, 1.0))
    return jnp.where(holds, 1.0 - reached, 0.0)


def without_tension(
    dashpot: jax.Array, spring: Real, damping: jax.Array, smooth: Smoothing | None
) -> jax.Array:
    """The ``dashpot``'s force [N], not below ``-spring``. Smooth, the sum of both sets in over the
    ``share`` of the spring's force, and of the dashpot's at ``speed``.
    """
    if smooth is None:
        return jnp.where(dashpot < -spring, -spring, dashpot)
    width = smooth.share * (spring + damping * smooth.speed)
    return eased_positive_part(spring + dashpot, width) - spring


def dashpot_forces(
    state: ContactState,
    *,
    normal_force: Real,
    slips: jax.Array,
    kn: Real,
    ks: Real,
    dp_nratio: Real,
    dp_sratio: Real,
    dp_mode: int,
    sticks: jax.Array | None = None,
    smooth: Smoothing | None = None,
) -> tuple[jax.Array, jax.Array]:
    """``F_dn = -2 beta_n sqrt(m_c k_n) delta_dot_n`` ``(...)`` and ``F_ds`` with shear quantities
    ``(..., 2)`` [N], after ``dp_mode``.

    Args:
        state: of the contact.
        normal_force: ``F_n`` of the spring [N]; in modes 1 and 3 ``F_dn >= -F_n``.
        slips: whether the shear spring is at its limit; in modes 2 and 3 ``F_ds = 0`` then.
        kn: normal (tangent) stiffness [N/m].
        ks: shear (tangent) stiffness [N/m].
        dp_nratio: ``beta_n`` [-].
        dp_sratio: ``beta_s`` [-].
        dp_mode: one of ``DASHPOT_MODES``.
        sticks: instead of ``slips``, from 1 to 0 as the limit is reached, ``(...)``.
        smooth: how the rest is rounded off.
    """
    mass = state.contact_mass
    along = dashpot_coefficient(dp_nratio, contact_mass=mass, stiffness=kn)
    across = dashpot_coefficient(dp_sratio, contact_mass=mass, stiffness=ks)
    normal = -along * state.normal_velocity
    shear = -across[..., None] * state.shear_velocity
    if dp_mode in (1, 3):
        normal = without_tension(normal, normal_force, along, smooth)
    if dp_mode in (2, 3) and sticks is not None:
        shear = sticks[..., None] * shear
    elif dp_mode in (2, 3):
        shear = jnp.where(slips[..., None], 0.0, shear)
    return normal, shear


def slip_energy(
    before: Real,
    after: Real,
    increment: Real,
    *,
    old_stiffness: Real,
    stiffness: Real,
    slips: jax.Array,
) -> jax.Array:
    """Energy ``max(0, -(F + F')/2 . (ddelta + F'/k' - F/k))`` [J] lost by slip in a step in which
    the contact slips, else 0; ``(...)``.

    The program's rule: the mean force times that part of the motion which the spring did not take.
    0 without stiffness. A contact that opens counts as one that slips: it loses what its spring
    still held.

    Args:
        before: spring force (or moment) on piece 2 before, ``(..., 2)``.
        after: and after the step.
        increment: of displacement (or rotation) of piece 2, ``(..., 2)``.
        old_stiffness: ``k`` of the spring before, ``(...)``.
        stiffness: ``k'`` after the step.
        slips: whether the limit is reached, ``(...)``.
    """
    before, after = jnp.asarray(before), jnp.asarray(after)
    slid = (
        increment
        + after * _compliance(stiffness)[..., None]
        - before * _compliance(old_stiffness)[..., None]
    )
    return jnp.where(slips, positive_part(-0.5 * jnp.sum((before + after) * slid, axis=-1)), 0.0)


def _compliance(stiffness: Real) -> jax.Array:
    """``1/k``, 0 without stiffness."""
    stiff = jnp.asarray(jnp.greater(stiffness, 0.0))
    return jnp.where(stiff, 1.0 / jnp.where(stiff, stiffness, 1.0), 0.0)


def spring_strain_energy(force: Real, *, stiffness: Real) -> jax.Array:
    """``F^2/(2 k)`` [J] of a vector ``(..., 2)``; 0 without stiffness."""
    return 0.5 * jnp.sum(jnp.square(force), axis=-1) * _compliance(stiffness)


def check_mode(owner: str, name: str, value: int, allowed: tuple[int, ...]) -> None:
    """Raise ``ValueError`` when a mode is not one of the program's."""
    if isinstance(value, bool) or value not in allowed:
        raise ValueError(
            f"{owner}: {name} = {value!r} is not one of {', '.join(map(str, allowed))}."
        )
