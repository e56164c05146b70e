"""The Spinning Friction model: resistance to turning about the contact normal, and damping of
rocking.
"""

from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.contact_disk import disk_radius
from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.coulomb import ROOT, Regularization
from jaxcontact.laws.friction.rolling import rocking_damping_torque
from jaxcontact.laws.friction.slider import smooth_direction
from jaxcontact.laws.friction.spinning import (
    PRESSURES,
    limited_spinning_torque,
    mean_spinning_torque,
    regularized_spinning_torque,
    spinning_torque_limit,
)
from jaxcontact.materials import effective_mass
from jaxcontact.numerics.smooth import Real, smooth_minimum
from jaxcontact.parameters import is_concrete, model, nearest, of, static
from jaxcontact.systems.edem.particle import Particle

DISKS = ("overlap", "hertz")
"""What the contact disk is: the largest section of the overlap (as documented), or Hertz's contact,
half as large.
"""

LIMITS = ("time_step", "regularized", "flow")
"""What happens at small spin; see ``SpinningFriction``."""


def _check(name: str, value: str, choices: Any) -> None:
    if value not in choices:
        raise ValueError(
            f"SpinningFriction: {name} = {value!r} is not known.{nearest(str(value), choices)}"
        )


@model
class SpinningFriction:
    """Torque ``-2/3 mu F_n R_disk`` against the spin ``w_n``, and ``-(gamma_n/4) R_disk^2 w_t``
    against rocking; ``R_disk = sqrt(A/pi)``.

    What happens at small spin:

    - ``limit = "time_step"``, as documented: not more than ``C_safety |w_n| I_min/dt``, ``I_min``
      the smallest principal moment of inertia of both bodies. What is left of a spin then decays
      with the number of steps, not with time.
    - ``"regularized"``: ``phi(|w_n|/w_reg)`` times the full torque, whatever the step. An explicit
      integrator needs ``w_reg > M dt/(C I)`` (``laws.spinning.least_spin_velocity``).
    - ``"flow"``: the mean of the former over the step, from its exact solution for a constant load.
      Any step, any ``w_reg``; two half steps give what one step gives.

    Attributes:
        mu: coefficient of spinning friction.
        C_safety: fraction in the limit of the time step.
        w_reg: spin below which the torque is reduced [rad/s]; for the last two forms.
        disk: one of ``DISKS``.
        limit: one of ``LIMITS``.
        pressure: key of ``laws.spinning.PRESSURES``; ``"uniform"`` is the documented factor 2/3.
        regularization: ``phi``.

    Example:
        >>> from jaxcontact.systems import edem
        >>> friction = edem.SpinningFriction(mu=0.3)
        >>> friction.C_safety
        0.125
    """

    mu: Real = of(QUANTITIES["coefficient"])
    C_safety: Real = of(QUANTITIES["safety"], default=0.125)
    w_reg: Real | None = of(QUANTITIES["spin_velocity"], default=None)
    disk: str = static(default="overlap")
    limit: str = static(default="time_step")
    pressure: str = static(default="uniform")
    regularization: Regularization = static(default=ROOT)

    def __post_init__(self) -> None:
        for name, choices in (("disk", DISKS), ("limit", LIMITS), ("pressure", PRESSURES)):
            _check(name, getattr(self, name), choices)
        if self.limit != "time_step" and self.w_reg is None:
            raise ValueError(
                f"SpinningFriction: w_reg is missing, which limit = {self.limit!r} needs. "
                "Give a spin [rad/s], e.g. 0.01."
            )


class DiskTorques(NamedTuple):
    """Torques of the contact disk on body 1 ``(..., 3)`` [N m]; body 2 receives the opposite.

    Attributes:
        spinning: about the normal.
        rocking: normal to it.

    Example:
        >>> from jaxcontact.systems import edem
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> torques = edem.spinning_friction(
        ...     edem.SpinningFriction(mu=0.3),
        ...     particle,
        ...     None,
        ...     jnp.array([0.0, 0.0, 50.0]),
        ...     normal=jnp.array([0.0, 0.0, 1.0]),
        ...     normal_force=10.0,
        ...     contact_area=1e-6,
        ...     damping=1.0,
        ...     time_step=1e-5,
        ... )
        >>> print(f"{torques.total[2]:.2e} N m")
        -1.13e-03 N m
    """

    spinning: Annotated[jax.Array, "3"]
    rocking: Annotated[jax.Array, "3"]

    @property
    def total(self) -> jax.Array:
        """Their sum."""
        return self.spinning + self.rocking


def smooth_minimum_inertia(inertia1: Real, inertia2: Real, smooth: Smoothing) -> Real:
    """The smaller moment of inertia [kg m^2]; that of a geometry, infinite, does not count."""
    if is_concrete(inertia2) and np.all(np.isinf(inertia2)):
        return inertia1
    return smooth_minimum(inertia1, inertia2, smooth.share)


def smooth_spin(spin: Real, *, zone: Real, effective_radius: Real, smooth: Smoothing) -> jax.Array:
    """Sign of a spin, less than 1 below ``zone`` [rad/s] and ``speed/R*``; ``(...)`` [-]."""
    return smooth_direction(
        jnp.asarray(spin)[..., None],
        zone=zone,
        speed=smooth.speed / effective_radius,
        smoothing=smooth.share,
    )[..., 0]


def spinning_friction_torque(
    friction: SpinningFriction,
    spin: Real,
    normal_force: Real,
    *,
    area: Real,
    inertia1: Real,
    inertia2: Real = jnp.inf,
    time_step: Real,
    smooth: Smoothing | None = None,
    effective_radius: Real = 1.0,
) -> jax.Array:
    """Torque about the normal [N m] on the body with ``spin``; the partner receives the opposite.
    Elementwise.

    Args:
        friction: parameters.
        spin: ``w_n``, component along the normal of the body's angular velocity against its partner
            [rad/s].
        normal_force: ``F_n`` [N].
        area: of the contact disk [m^2].
        inertia1: smallest principal moment of inertia of one body [kg m^2].
        inertia2: of the other; infinite, the default, for a geometry, which does not count.
        time_step: ``dt`` [s].
        smooth: rounds off the limit of the time step, and keeps it above the spin ``speed/R*``;
            ``None``, the default, is the documented form.
        effective_radius: ``R*`` [m], for ``smooth``.

    Returns:
        Torque [N m] about the normal, ``(...)``.

    Example:
        >>> from jaxcontact.systems import edem
        >>> torque = edem.spinning_friction_torque(
        ...     edem.SpinningFriction(mu=0.3), 50.0, 10.0, area=1e-6, inertia1=1e-4, time_step=1e-5
        ... )
        >>> print(f"{torque:.2e} N m")
        -1.13e-03 N m
    """
    disk: dict[str, Any] = {
        "coefficient": friction.mu,
        "contact_radius": disk_radius(area),
        "pressure": friction.pressure,
    }
    if friction.limit == "time_step" and smooth is not None:
        full = spinning_torque_limit(normal_force, **disk)
        inertia = smooth_minimum_inertia(inertia1, inertia2, smooth)
        return -full * smooth_spin(
            spin,
            zone=full * time_step / (friction.C_safety * inertia),
            effective_radius=effective_radius,
            smooth=smooth,
        )
    if friction.limit == "time_step":
        smallest = jnp.minimum(inertia1, inertia2)
        return limited_spinning_torque(
            spin,
            normal_force,
            inertia=smallest,
            time_step=time_step,
            safety=friction.C_safety,
            **disk,
        )
    form = disk | {"spin_velocity": friction.w_reg, "regularization": friction.regularization}
    if friction.limit == "regularized":
        return regularized_spinning_torque(spin, normal_force, **form)
    return mean_spinning_torque(
        spin, normal_force, inertia=effective_mass(inertia1, inertia2), time_step=time_step, **form
    )


_SMALL = Particle(radius=0.05, mass=0.1)
_LARGE = Particle(radius=0.1, mass=0.4)
_EXAMPLE = SpinningFriction(mu=0.5)
_REST = {"rotation_rate": (0.0, 0.0, 0.0)}


@law(
    name="edem.spinning_friction",
    family="EDEM",
    source="Altair EDEM, Spinning Friction Contact Model",
    smoothness=lambda friction, **_: (
        0 if friction.limit == "time_step" else friction.regularization.smoothness
    ),
    example={
        "friction": _EXAMPLE,
        "particle1": _SMALL,
        "particle2": _LARGE,
        "rotation_rate": (1.0, -2.0, 5.0),
        "normal": (0.0, 0.6, 0.8),
        "normal_force": 3.0,
        "contact_area": 1e-3,
        "damping": 12.0,
        "time_step": 1e-5,
    },
    variants=(
        {"particle2": None},
        {"rotation_rate": (1e-3, 2e-3, 5e-3), "time_step": 1e-3},
        {"friction": replace(_EXAMPLE, limit="flow", w_reg=0.5), "time_step": 1e-2},
    ),
    switches=({**_REST, "friction": replace(_EXAMPLE, limit="flow", w_reg=0.5)},),
    corners=(
        _REST,
        {"rotation_rate": (2.0, 0.8, -0.6)},
        {"normal_force": 0.0},
        {"normal_force": 0.0, **_REST},
        {"contact_area": 0.0},
        {"damping": 0.0},
        {"friction": replace(_EXAMPLE, mu=0.0)},
    ),
)
def spinning_friction(
    friction: SpinningFriction,
    particle1: Particle,
    particle2: Particle | None,
    rotation_rate: Real,
    *,
    normal: Real,
    normal_force: Real,
    contact_area: Real,
    damping: Real,
    time_step: Real,
    smooth: Smoothing | None = None,
    effective_radius: Real = 1.0,
) -> DiskTorques:
    """Torques of spinning friction and of rocking damping; see ``SpinningFriction``. Opposite on
    both bodies: keeps angular momentum.

    Smooth but for the limit of the time step, a corner (``"time_step"``), or as the regularisation
    says (other forms). Vanishes with ``F_n`` and, like its root, with the area.

    Args:
        friction: parameters.
        particle1: body 1.
        particle2: body 2; ``None`` is a geometry, whose inertia does not count.
        rotation_rate: ``w1 - w2``, ``(..., 3)`` [rad/s].
        normal: unit normal, ``(..., 3)``; its sign does not matter.
        normal_force: ``F_n``, ``(...)`` [N].
        contact_area: ``A`` of the disk, ``(...)`` [m^2].
        damping: ``gamma_n``, ``(...)``: coefficient of the base model's normal dashpot [N s/m].
        time_step: ``dt`` [s].
        smooth: see ``spinning_friction_torque``.
        effective_radius: ``R*`` [m], for ``smooth``.

    Returns:
        Torques [N m] on body 1, ``(..., 3)``.

    Example:
        >>> from jaxcontact.systems import edem
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> torques = edem.spinning_friction(
        ...     edem.SpinningFriction(mu=0.3),
        ...     particle,
        ...     None,
        ...     jnp.array([0.0, 0.0, 50.0]),
        ...     normal=jnp.array([0.0, 0.0, 1.0]),
        ...     normal_force=10.0,
        ...     contact_area=1e-6,
        ...     damping=1.0,
        ...     time_step=1e-5,
        ... )
        >>> print(f"{torques.spinning[2]:.2e} N m")
        -1.13e-03 N m
    """
    normal = jnp.asarray(normal)
    spin, rocking = normal_and_tangential(jnp.asarray(rotation_rate), normal)
    torque = spinning_friction_torque(
        friction,
        spin,
        normal_force,
        area=contact_area,
        inertia1=particle1.smallest_inertia,
        inertia2=jnp.inf if particle2 is None else particle2.smallest_inertia,
        time_step=time_step,
        smooth=smooth,
        effective_radius=effective_radius,
    )
    return DiskTorques(
        torque[..., None] * normal,
        rocking_damping_torque(rocking, damping=damping, contact_area=contact_area),
    )
