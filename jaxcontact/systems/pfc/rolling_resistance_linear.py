"""PFC's rolling resistance linear model: the linear model, and a moment that resists the relative
bending of the pieces.

``M = P(M - k_r dtheta_b)``, ``|M| <= mu_r R F_n``, ``k_r = k_s R^2``, ``1/R = 1/R1 + 1/R2`` (``R1``
at a facet), along the axes of the contact plane; twist meets no resistance.

Source: Itasca Consulting Group, PFC documentation, rolling resistance linear model; Iwashita and
Oda, J. Eng. Mech. 124 (1998) 285-292; Ai et al., Powder Technol. 206 (2011) 269-282.

Example:
    >>> from jaxcontact.systems import pfc
    >>> linear = pfc.Linear(kn=1e6, ks=1e6, fric=0.5)
    >>> model = pfc.RollingResistanceLinear(linear=linear, rr_fric=0.1)
    >>> model.rr_fric
    0.1
"""

from dataclasses import replace
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing, gated
from jaxcontact.laws.friction.rolling import (
    RollingMemory,
    epsd_rolling_torque,
    iwashita_oda_rolling_stiffness,
    rolling_torque_limit,
)
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.parameters import model, of
from jaxcontact.systems.pfc.activity import surface_gap
from jaxcontact.systems.pfc.linear import (
    EXAMPLE_STATES,
    NEW_LINEAR_CONTACT,
    Linear,
    LinearMemory,
    linear_contact,
)
from jaxcontact.systems.pfc.response import (
    Response,
    slider_of,
    slip_energy,
    spring_strain_energy,
)
from jaxcontact.systems.pfc.state import ContactState


@model
class RollingResistanceLinear:
    """Properties of the rolling resistance linear model: those of the linear model, and
    ``rr_fric``, the coefficient ``mu_r``.

    Example:
        >>> from jaxcontact.systems import pfc
        >>> rolling = pfc.RollingResistanceLinear(linear=pfc.Linear(kn=1e5), rr_fric=0.05)
        >>> rolling.linear.kn
        100000.0
    """

    linear: Linear
    rr_fric: Real = of(QUANTITIES["rolling_coefficient"].called("rr_fric"), default=0.0)


class RollingResistanceLinearMemory(NamedTuple):
    """Memory of the model; ``NEW_ROLLING_RESISTANCE_LINEAR_CONTACT`` at first.

    Attributes:
        linear: of the linear model.
        moment: ``M`` on piece 2 along the axes ``s`` and ``t`` [N m], ``(..., 2)``.
    """

    linear: LinearMemory
    moment: Real


NEW_ROLLING_RESISTANCE_LINEAR_CONTACT = RollingResistanceLinearMemory(
    NEW_LINEAR_CONTACT, np.zeros(2)
)

_MODEL = RollingResistanceLinear(
    linear=Linear(kn=64.0, ks=16.0, fric=0.5, dp_nratio=0.25, dp_sratio=0.5), rr_fric=0.25
)
_UNDAMPED = RollingResistanceLinear(linear=Linear(kn=64.0, ks=16.0, fric=0.5), rr_fric=0.25)
_MEMORY = RollingResistanceLinearMemory(
    LinearMemory(np.array(7.0), np.array([-1.0, 0.0]), np.array(True)), np.array([0.125, 0.0])
)
_STATE, _AT_REST = EXAMPLE_STATES["sticking"], EXAMPLE_STATES["at rest"]


@law(
    family="PFC",
    source="Itasca PFC, rolling resistance linear contact model",
    smoothness=lambda model, **_: (
        -1 if model.linear.dp_nratio != 0.0 or model.linear.dp_sratio != 0.0 else 0
    ),
    example={"memory": _MEMORY, "state": _STATE, "model": _MODEL},
    variants=(
        {"state": _STATE._replace(bend_increment=np.array([0.75, -0.5]))},
        {"model": _UNDAMPED, "state": EXAMPLE_STATES["sliding"]},
    ),
    switches=(
        {"state": _STATE._replace(gap=0.0)},
        {"state": _STATE._replace(bend_increment=np.array([0.28125, 0.0])), "model": _UNDAMPED},
        {"state": _STATE._replace(gap=0.0), "model": _UNDAMPED},
    ),
    corners=(
        {"state": _AT_REST, "memory": NEW_ROLLING_RESISTANCE_LINEAR_CONTACT},
        {"state": _STATE._replace(gap=0.25)},
        {"model": replace(_MODEL, rr_fric=0.0)},
        {
            "state": _AT_REST,
            "memory": NEW_ROLLING_RESISTANCE_LINEAR_CONTACT,
            "model": replace(_MODEL, rr_fric=0.0),
        },
    ),
)
def rolling_resistance_linear_contact(
    memory: RollingResistanceLinearMemory,
    state: ContactState,
    *,
    model: RollingResistanceLinear,
    smooth: Smoothing | None = None,
) -> tuple[Response, RollingResistanceLinearMemory]:
    """Response of the rolling resistance linear model to a contact state, and its memory: one step.

    The moment is that of ``laws.rolling.epsd_rolling_torque`` without dashpot. Smoothness and
    conservation as for ``linear_contact``.

    Args:
        memory: of the last step.
        state: from contact resolution.
        model: properties.
        smooth: as for ``linear_contact``.
    """
    response, linear = linear_contact(memory.linear, state, model=model.linear, smooth=smooth)
    normal = jnp.asarray(linear.normal_force)
    radius = {"effective_radius": state.effective_radius}
    stiffness = iwashita_oda_rolling_stiffness(jnp.asarray(model.linear.ks), **radius)
    moment, _ = epsd_rolling_torque(
        RollingMemory(-jnp.asarray(memory.moment)),
        state.bend_increment,
        normal,
        rolling_stiffness=stiffness,
        rolling_damping=0.0,
        rolling_coefficient=model.rr_fric,
        **radius,
        time_step=1.0,
        slider=slider_of("rolling_resistance_linear_contact", model.linear.slider, smooth),
    )
    trial = memory.moment - jnp.asarray(stiffness)[..., None] * state.bend_increment
    limit = rolling_torque_limit(normal, rolling_coefficient=model.rr_fric, **radius)
    slips = response.active & (safe_norm(trial) > limit)
    energies = response.energies._replace(
        rolling_strain=spring_strain_energy(moment, stiffness=stiffness),
        rolling_slip=slip_energy(
            memory.moment,
            moment,
            state.bend_increment,
            old_stiffness=stiffness,
            stiffness=stiffness,
            slips=slips | ~response.active,
        ),
    )
    depth = -surface_gap(state, reference_gap=model.linear.rgap)
    (acting,) = gated(smooth, depth, moment)
    answer = response._replace(rolling_moment=acting, rolling_slips=slips, energies=energies)
    return answer, RollingResistanceLinearMemory(linear, moment)
