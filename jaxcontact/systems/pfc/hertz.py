"""PFC's Hertz contact model: a nonlinear normal spring, a shear spring of the present stiffness, a
slider, dashpots.

With the overlap ``d = -g_s`` of the surfaces and ``R = 2/(1/R1 + 1/R2)`` (``2 R1`` at a facet):

==========  ========================================================================
part        equation
==========  ========================================================================
normal      ``F_n = h_n d^alpha``, ``h_n = 2 G sqrt(2 R)/(3 (1 - nu))``
stiffness   ``k_n = alpha h_n d^(alpha - 1)``, ``k_s = 2 (1 - nu)/(2 - nu) k_n``
shear       ``F_s = P(F_s - k_s ddelta_s)``, ``|F_s| <= mu F_n``
dashpots    ``F_dn = -2 beta_n sqrt(m_c k_n) d^alpha_d delta_dot_n``, likewise in
            shear, changed by ``dp_mode``
==========  ========================================================================

The normal force is Hertz's between equal bodies, ``4/3 E* sqrt(R*) d^(3/2)`` with ``E* = G/(1 -
nu)``; the shear stiffness is Mindlin's without slip. With ``hz_mode = 1`` the shear force is first
multiplied by ``k_s/k_s,old`` while the normal force falls.

Source: Itasca Consulting Group, PFC documentation, Hertz model; details from plug-ins built on the
vendor's template.

Example:
    >>> from jaxcontact.systems import pfc
    >>> h_n = pfc.hertz.normal_coefficient(1e9, 0.25, effective_radius=5e-3)
    >>> print(f"{h_n:.3e} N/m^1.5")
    1.257e+08 N/m^1.5
"""

from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.slider import Slider, coulomb_slider
from jaxcontact.laws.normal.elastic import elastic_energy, power_law_force
from jaxcontact.materials import Solid, effective_modulus, effective_shear_modulus, hertz_stiffness
from jaxcontact.numerics.smooth import Real, positive_power, safe_norm
from jaxcontact.parameters import model, of, parameter, static
from jaxcontact.systems.pfc.activity import surface_gap
from jaxcontact.systems.pfc.linear import EXAMPLE_STATES
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

SHEAR_MODES = (0, 1)
"""PFC's ``hz_mode``: the shear force stays (0) or falls with the stiffness (1) on unloading."""


@model
class Hertz:
    """Properties of the Hertz model, under the program's names; ``slider`` as for ``Linear``.

    Example:
        >>> from jaxcontact.systems import pfc
        >>> pfc.Hertz(hz_shear=4e6, hz_poiss=0.3).hz_alpha
        1.5
    """

    hz_shear: Real = parameter(
        unit="Pa", label="shear modulus", symbol="hz_shear", interval="(0, inf)", transform="log"
    )
    hz_poiss: Real = parameter(
        unit="-",
        label="Poisson's ratio",
        symbol="hz_poiss",
        interval="(-1, 0.5]",
        transform="logit",
    )
    hz_alpha: Real = parameter(
        unit="-",
        label="exponent of the overlap",
        symbol="hz_alpha",
        interval="[1, inf)",
        default=1.5,
    )
    fric: Real = of(QUANTITIES["coefficient"].called("fric"), default=0.0)
    dp_nratio: Real = of(QUANTITIES["zeta"].called("dp_nratio"), default=0.0)
    dp_sratio: Real = of(QUANTITIES["zeta"].called("dp_sratio"), default=0.0)
    dp_alpha: Real = parameter(
        unit="-",
        label="exponent of the overlap in the dashpots",
        symbol="dp_alpha",
        interval="[0, inf)",
        default=0.0,
    )
    rgap: Real = parameter(unit="m", label="reference gap", symbol="rgap", default=0.0)
    hz_mode: int = static(default=0)
    dp_mode: int = static(default=0)
    slider: Slider = static(default=coulomb_slider)

    def __post_init__(self) -> None:
        check_mode("Hertz", "hz_mode", self.hz_mode, SHEAR_MODES)
        check_mode("Hertz", "dp_mode", self.dp_mode, DASHPOT_MODES)


class HertzMemory(NamedTuple):
    """Memory of the Hertz model; ``NEW_HERTZ_CONTACT`` at first.

    Attributes:
        shear_force: ``F_s`` along the axes ``s`` and ``t`` [N], ``(..., 2)``.
        shear_stiffness: ``k_s`` of the last step [N/m], ``(...)``.
    """

    shear_force: Real
    shear_stiffness: Real


NEW_HERTZ_CONTACT = HertzMemory(np.zeros(2), np.zeros(()))


def pair_elasticity(solid1: Solid, solid2: Solid) -> tuple[Real, Real]:
    """``G = 2 G* (2 - nu)`` [Pa], ``nu = (4 G* - E*)/(2 G* - E*)``: the solid whose equal pairs
    have the ``E*`` and ``G*`` of this pair.

    Of very unequal solids ``nu`` may fall outside (-1, 0.5], and then ``Hertz`` rejects it.
    """
    modulus, shear = effective_modulus(solid1, solid2), effective_shear_modulus(solid1, solid2)
    poisson_ratio = (4.0 * shear - modulus) / (2.0 * shear - modulus)
    return 2.0 * shear * (2.0 - poisson_ratio), poisson_ratio


def normal_coefficient(hz_shear: Real, hz_poiss: Real, *, effective_radius: Real) -> jax.Array:
    """``h_n = 2 G sqrt(2 R)/(3 (1 - nu))`` [N/m^1.5], ``R`` twice the effective radius ``1/(1/R1 +
    1/R2)``.
    """
    return hertz_stiffness(hz_shear / (1.0 - hz_poiss), effective_radius)


def shear_ratio(hz_poiss: Real) -> Real:
    """``k_s/k_n = 2 (1 - nu)/(2 - nu)`` of tangent stiffnesses [-]."""
    return 2.0 * (1.0 - hz_poiss) / (2.0 - hz_poiss)


def tangent_stiffnesses(
    overlap: Real, *, h_n: Real, hz_poiss: Real, hz_alpha: Real
) -> tuple[jax.Array, jax.Array]:
    """``k_n = alpha h_n d^(alpha - 1)`` and ``k_s`` [N/m], 0 for ``d <= 0``."""
    normal = jnp.multiply(hz_alpha * h_n, positive_power(overlap, hz_alpha - 1.0))
    return normal, jnp.multiply(shear_ratio(hz_poiss), normal)


_MODEL = Hertz(hz_shear=30.0, hz_poiss=0.25, fric=0.5, dp_nratio=0.25, dp_sratio=0.5)
_UNDAMPED = replace(_MODEL, dp_nratio=0.0, dp_sratio=0.0)
_MEMORY = HertzMemory(np.array([-0.25, 0.125]), np.array(16.0))
_STATE, _AT_REST = (
    EXAMPLE_STATES["sticking"]._replace(shear_increment=np.array([0.01, -0.02])),
    EXAMPLE_STATES["at rest"],
)


@law(
    family="PFC",
    source="Itasca PFC, Hertz contact model",
    smoothness=0,
    example={"memory": _MEMORY, "state": _STATE, "model": _MODEL},
    variants=(
        {"state": EXAMPLE_STATES["sliding"]},
        {
            "model": replace(_MODEL, hz_mode=1, dp_mode=3, dp_alpha=0.25),
            "memory": _MEMORY._replace(shear_stiffness=np.array(40.0)),
        },
    ),
    switches=({"state": _STATE._replace(gap=0.0)},),
    corners=(
        {"state": _AT_REST, "memory": NEW_HERTZ_CONTACT},
        {"state": _STATE._replace(gap=0.25)},
        {
            "state": _AT_REST,
            "memory": NEW_HERTZ_CONTACT,
            "model": replace(_MODEL, hz_mode=1, dp_mode=3, dp_alpha=0.25),
        },
        {
            "state": _STATE._replace(gap=0.0),
            "memory": NEW_HERTZ_CONTACT,
            "model": replace(_MODEL, hz_mode=1, dp_mode=3, dp_alpha=0.25),
        },
        {"state": _STATE._replace(gap=-1e-12), "memory": NEW_HERTZ_CONTACT, "model": _UNDAMPED},
        {"model": replace(_MODEL, fric=0.0)},
        {"state": _AT_REST, "model": replace(_MODEL, fric=0.0)},
    ),
)
def hertz_contact(
    memory: HertzMemory, state: ContactState, *, model: Hertz, smooth: Smoothing | None = None
) -> tuple[Response, HertzMemory]:
    """Response of the Hertz model to a contact state, and its memory: one step.

    Continuous, also where the contact opens: the dashpots vanish there with the stiffness, like
    ``d^((alpha - 1)/2)``, with an infinite slope. Angular momentum is conserved, as for
    ``linear_contact``. Rolling and twisting meet no resistance.

    Args:
        memory: of the last step.
        state: from contact resolution.
        model: properties.
        smooth: for two continuous derivatives of the forces for a given memory; ``None``, the
            default, is the program's form.
    """
    slider = slider_of("hertz_contact", model.slider, smooth)
    depth = -surface_gap(state, reference_gap=model.rgap)
    active = depth >= 0.0
    overlap = depth if smooth is None else smooth.within(depth)
    h_n = normal_coefficient(
        model.hz_shear, model.hz_poiss, effective_radius=state.effective_radius
    )
    kn, ks = tangent_stiffnesses(overlap, h_n=h_n, hz_poiss=model.hz_poiss, hz_alpha=model.hz_alpha)
    normal = power_law_force(overlap, stiffness=h_n, exponent=model.hz_alpha)
    before = jnp.asarray(memory.shear_force)
    if model.hz_mode == 1:
        unloads = ks < memory.shear_stiffness
        before = (
            before
            * jnp.where(unloads, ks / jnp.where(unloads, memory.shear_stiffness, 1.0), 1.0)[
                ..., None
            ]
        )
    limit = model.fric * normal
    trial = before - ks[..., None] * state.shear_increment
    slips = active & (safe_norm(trial) > limit)
    shear = jnp.where(active[..., None], slider(trial, limit=limit), 0.0)
    damped = positive_power(overlap, model.dp_alpha)
    dashpot_normal, dashpot_shear = dashpot_forces(
        state,
        normal_force=normal,
        slips=slips,
        kn=kn,
        ks=ks,
        dp_nratio=model.dp_nratio * damped,
        dp_sratio=model.dp_sratio * damped,
        dp_mode=model.dp_mode,
        sticks=None if smooth is None else below_limit(trial, limit, smooth),
        smooth=smooth,
    )
    # The second derivative of 1/k_s grows like d^(-5/2): below 4e-12 m in float32 the elongation of
    # the spring counts as 0.
    spring = jnp.where(overlap > jnp.finfo(overlap.dtype).tiny ** 0.3, ks, 0.0)
    energies = Energies(
        strain=elastic_energy(overlap, stiffness=h_n, exponent=model.hz_alpha)
        + spring_strain_energy(shear, stiffness=spring),
        slip=slip_energy(
            memory.shear_force,
            shear,
            state.shear_increment,
            old_stiffness=memory.shear_stiffness,
            stiffness=spring,
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
    return response.gated(smooth, depth), HertzMemory(shear, ks)
