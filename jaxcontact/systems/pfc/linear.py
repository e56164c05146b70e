"""PFC's linear contact model: normal and shear springs, a slider, dashpots.

With the surface gap ``g_s = g_c - g_r`` the contact is active when ``g_s <= 0``; force on piece 2
along the contact axes, compression positive, increments of piece 2 against piece 1:

======================  =======================================================================
part                    equation
======================  =======================================================================
normal, ``lin_mode`` 0  ``F_n = max(0, -k_n g_s)``
normal, ``lin_mode`` 1  ``F_n = max(0, F_n - k_n a ddelta_n)``
shear                   ``F_s = P(F_s - k_s a ddelta_s)``, ``|F_s| <= mu F_n``
dashpots                ``F_dn = -2 beta_n sqrt(m_c k_n) delta_dot_n``, likewise in shear,
                        changed by ``dp_mode``
======================  =======================================================================

``a`` is the part of a contact's first active step that it spent in contact, ``g_s/ddelta_n`` (1
where that is negative), and else 1.

Source: Itasca Consulting Group, PFC documentation, linear model, and the vendor's template of a
contact model.

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
    >>> print(f"{response.normal_force:.1f} N")
    100.0 N
"""

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.slider import Slider, coulomb_slider
from jaxcontact.laws.normal.elastic import linear_force
from jaxcontact.numerics.smooth import Real, positive_part, safe_norm
from jaxcontact.parameters import model, of, parameter, static
from jaxcontact.systems.pfc.activity import surface_gap
from jaxcontact.systems.pfc.response import (
    DASHPOT_MODES,
    Energies,
    Response,
    below_limit,
    check_mode,
    dashpot_forces,
    slider_of,
    slip_energy,
    spring_strain_energy,
)
from jaxcontact.systems.pfc.state import ContactState

NORMAL_MODES = (0, 1)
"""PFC's ``lin_mode``: normal force from the gap (0, absolute) or from its increments (1)."""


@model
class Linear:
    """Properties of the linear model, under the program's names.

    ``slider``: ``coulomb_slider`` as in the program, or ``smooth_coulomb_slider`` with its
    smoothing filled in.

    Example:
        >>> from jaxcontact.systems import pfc
        >>> pfc.Linear(kn=1e5, fric=0.3).replace(dp_nratio=0.1).dp_nratio
        0.1
    """

    kn: Real = of(QUANTITIES["stiffness"].called("kn"))
    ks: Real = of(QUANTITIES["tangential_stiffness"].called("ks"), default=0.0)
    fric: Real = of(QUANTITIES["coefficient"].called("fric"), default=0.0)
    dp_nratio: Real = of(QUANTITIES["zeta"].called("dp_nratio"), default=0.0)
    dp_sratio: Real = of(QUANTITIES["zeta"].called("dp_sratio"), default=0.0)
    rgap: Real = parameter(unit="m", label="reference gap", symbol="rgap", default=0.0)
    lin_mode: int = static(default=0)
    dp_mode: int = static(default=0)
    slider: Slider = static(default=coulomb_slider)

    def __post_init__(self) -> None:
        check_mode(type(self).__name__, "lin_mode", self.lin_mode, NORMAL_MODES)
        check_mode(type(self).__name__, "dp_mode", self.dp_mode, DASHPOT_MODES)


class LinearMemory(NamedTuple):
    """Memory of the linear model; ``NEW_LINEAR_CONTACT`` at first.

    Attributes:
        normal_force: ``F_n`` [N], ``(...)``.
        shear_force: ``F_s`` along the axes ``s`` and ``t`` [N], ``(..., 2)``: it turns with them.
        active: whether the contact was active in the last step, ``(...)``.
    """

    normal_force: Real
    shear_force: Real
    active: Any


NEW_LINEAR_CONTACT = LinearMemory(np.zeros(()), np.zeros(2), np.zeros((), bool))


def series_stiffness(stiffness: Real, partner: Real) -> jax.Array:
    """``k1 k2/(k1 + k2)`` [N/m] of the stiffnesses of two pieces; where one is 0 the other.
    Elementwise.
    """
    stiffness, partner = jnp.asarray(stiffness), jnp.asarray(partner)
    total = stiffness + partner
    both = (stiffness > 0.0) & (partner > 0.0)
    return jnp.where(both, stiffness * partner / jnp.where(both, total, 1.0), total)


def pair_friction(fric: Real, partner: Real) -> jax.Array:
    """``min(mu1, mu2)`` of two pieces; also for ``rr_fric``. Elementwise."""
    return jnp.minimum(fric, partner)


def deformability_stiffness(
    emod: Real, kratio: Real, *, radius: Real, partner: Real | None = None, dimension: int = 3
) -> tuple[Real, Real]:
    """``k_n = A E*/L`` and ``k_s = k_n/kappa*`` [N/m] of the deformability method.

    ``A = pi r^2`` (2D: ``2 r`` times unit thickness). Two balls: ``r = min(R1, R2)``, ``L = R1 +
    R2``; ball and facet: ``r = L = R1``.

    Args:
        emod: effective modulus ``E*`` of the method [Pa] (not that of Hertz).
        kratio: normal-to-shear stiffness ratio ``kappa*`` [-].
        radius: ``R1`` [m].
        partner: ``R2`` [m], none for a facet.
        dimension: 3, or 2 for disks.
    """
    if dimension not in (2, 3):
        raise ValueError(f"deformability_stiffness: dimension = {dimension!r} is neither 2 nor 3.")
    smaller, length = (
        (radius, radius) if partner is None else (jnp.minimum(radius, partner), radius + partner)
    )
    area = jnp.pi * smaller * smaller if dimension == 3 else 2.0 * smaller
    normal = area * emod / length
    return normal, normal / kratio


def share_in_contact(state: ContactState, *, overlap: Real, activated: jax.Array) -> jax.Array:
    """``a``: part of the normal increment that a contact activated in this step spent in contact,
    ``(...)``; else 1.
    """
    closing = -jnp.asarray(state.normal_increment)
    counts = activated & (
        closing > jnp.finfo(closing.dtype).tiny ** (1.0 / 3.0)
    )  # second derivatives contain 1/ddelta_n^3
    return jnp.where(counts, overlap / jnp.where(counts, closing, 1.0), 1.0)


# A state in which the numbers are exact in binary and the shear force meets its limit exactly.
_STATE = ContactState(
    contact_mass=0.25,
    effective_radius=0.5,
    location=np.array([0.0, 0.0, 0.5]),
    normal=np.array([0.0, 0.0, 1.0]),
    s_axis=np.array([1.0, 0.0, 0.0]),
    t_axis=np.array([0.0, 1.0, 0.0]),
    gap=-0.125,
    translational_velocity=np.array([0.5, -0.25, 0.25]),
    rotational_velocity=np.array([0.5, 1.0, 0.25]),
    normal_increment=0.03125,
    shear_increment=np.array([0.0625, -0.03125]),
    twist_increment=0.03125,
    bend_increment=np.array([0.0625, 0.125]),
)
_AT_REST = _STATE._replace(
    translational_velocity=np.zeros(3),
    rotational_velocity=np.zeros(3),
    normal_increment=0.0,
    shear_increment=np.zeros(2),
    twist_increment=0.0,
    bend_increment=np.zeros(2),
)
_MEMORY = LinearMemory(np.array(7.0), np.array([-1.0, 0.0]), np.array(True))
_CLOSING = _STATE._replace(
    normal_increment=-0.25, translational_velocity=np.array([0.5, -0.25, -2.0])
)
_SLIDING = _STATE._replace(shear_increment=np.array([0.5, 0.125]))
_MODEL = Linear(kn=64.0, ks=16.0, fric=0.5, dp_nratio=0.25, dp_sratio=0.5)
EXAMPLE_STATES: dict[str, ContactState] = {
    "sticking": _STATE,
    "at rest": _AT_REST,
    "closing": _CLOSING,
    "sliding": _SLIDING,
}
"""Contact states for the contract of the models of this package."""


@law(
    family="PFC",
    source="Itasca PFC, linear contact model",
    smoothness=lambda model, **_: -1 if model.dp_nratio != 0.0 or model.dp_sratio != 0.0 else 0,
    example={"memory": _MEMORY, "state": _STATE, "model": _MODEL},
    variants=(
        {"state": _SLIDING},
        {"model": replace(_MODEL, lin_mode=1, dp_mode=3), "state": _SLIDING},
        {"model": replace(_MODEL, lin_mode=1, dp_mode=3, dp_nratio=3.0)},
        {"memory": NEW_LINEAR_CONTACT, "state": _CLOSING},
    ),
    switches=(
        {"state": _STATE._replace(gap=0.0)},
        {"state": _STATE._replace(gap=0.0), "model": replace(_MODEL, dp_nratio=0.0, dp_sratio=0.0)},
        {
            "state": _STATE._replace(shear_increment=np.array([0.1875, 0.0])),
            "model": replace(_MODEL, dp_nratio=0.0, dp_sratio=0.0),
        },
    ),
    corners=(
        {"state": _AT_REST},
        {"state": _AT_REST, "memory": NEW_LINEAR_CONTACT},
        {"state": _STATE._replace(gap=0.25)},
        {"state": _STATE._replace(normal=np.zeros(3), s_axis=np.zeros(3), t_axis=np.zeros(3))},
        {"model": replace(_MODEL, fric=0.0)},
        {"model": replace(_MODEL, kn=0.0, ks=0.0)},
        {"state": _AT_REST, "model": replace(_MODEL, fric=0.0)},
        {"state": _STATE._replace(gap=0.0), "memory": NEW_LINEAR_CONTACT},
        {"state": _STATE._replace(gap=0.0), "model": replace(_MODEL, lin_mode=1, dp_mode=3)},
    ),
)
def linear_contact(
    memory: LinearMemory, state: ContactState, *, model: Linear, smooth: Smoothing | None = None
) -> tuple[Response, LinearMemory]:
    """Response of the linear model to a contact state, and its memory: one step.

    Order of smoothness: continuous where the contact starts to slip, and where it opens provided
    that there are no dashpots; these jump at zero surface gap. ``Response.force`` and
    ``pfc.state.body_wrenches`` give forces and torques on the bodies; they conserve momentum and
    angular momentum.

    Args:
        memory: of the last step.
        state: from contact resolution.
        model: properties.
        smooth: for two continuous derivatives of the forces for a given memory; ``None``, the
            default, is the program's form.
    """
    slider = slider_of("linear_contact", model.slider, smooth)
    depth = -surface_gap(state, reference_gap=model.rgap)
    active = depth >= 0.0
    overlap = depth if smooth is None else smooth.within(depth)
    kn, ks = jnp.asarray(model.kn), jnp.asarray(model.ks)
    share = share_in_contact(state, overlap=overlap, activated=active & ~jnp.asarray(memory.active))
    normal = linear_force(overlap, stiffness=kn)
    if model.lin_mode == 1:
        normal = jnp.where(
            active, positive_part(memory.normal_force - kn * share * state.normal_increment), 0.0
        )
    limit = model.fric * normal
    trial = memory.shear_force - (ks * share)[..., None] * state.shear_increment
    slips = active & (safe_norm(trial) > limit)
    shear = jnp.where(active[..., None], slider(trial, limit=limit), 0.0)
    dashpot_normal, dashpot_shear = dashpot_forces(
        state,
        normal_force=normal,
        slips=slips,
        kn=kn,
        ks=ks,
        dp_nratio=model.dp_nratio,
        dp_sratio=model.dp_sratio,
        dp_mode=model.dp_mode,
        sticks=None if smooth is None else below_limit(trial, limit, smooth),
        smooth=smooth,
    )
    dashpot_normal = jnp.where(active, dashpot_normal, 0.0)
    dashpot_shear = jnp.where(active[..., None], dashpot_shear, 0.0)
    energies = Energies(
        strain=spring_strain_energy(normal[..., None], stiffness=kn)
        + spring_strain_energy(shear, stiffness=ks),
        slip=slip_energy(
            memory.shear_force,
            shear,
            state.shear_increment,
            old_stiffness=ks,
            stiffness=ks,
            slips=slips | ~active,
        ),
        dashpot=-dashpot_normal * state.normal_increment
        - jnp.sum(dashpot_shear * state.shear_increment, axis=-1),
        rolling_strain=jnp.zeros_like(normal),
        rolling_slip=jnp.zeros_like(normal),
    )
    response = Response(
        active=active,
        normal_force=normal,
        shear_force=shear,
        dashpot_normal_force=dashpot_normal,
        dashpot_shear_force=dashpot_shear,
        rolling_moment=jnp.zeros_like(shear),
        slips=slips,
        rolling_slips=jnp.zeros_like(active),
        energies=energies,
    )
    return response.gated(smooth, depth), LinearMemory(normal, shear, active)
