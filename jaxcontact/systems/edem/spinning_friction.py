"""The Spinning Friction model: resistance to turning about the contact normal, and damping of rocking."""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.field import model, nearest, of, static
from jaxcontact.geometry.contact_disk import disk_radius
from jaxcontact.laws.friction import ROOT, Regularization
from jaxcontact.laws.quantities import QUANTITIES
from jaxcontact.laws.spinning import PRESSURES, limited_spinning_torque, mean_spinning_torque, regularized_spinning_torque
from jaxcontact.materials import effective_mass
from jaxcontact.smooth import Real

DISKS = ("overlap", "hertz")
"""What the contact disk is: the largest section of the overlap (as documented), or Hertz's contact, half as large."""

LIMITS = ("time_step", "regularized", "flow")
"""What happens at small spin; see ``SpinningFriction``."""


def _check(name: str, value: str, choices: Any) -> None:
    if value not in choices:
        raise ValueError(f"SpinningFriction: {name} = {value!r} is not known.{nearest(str(value), choices)}")


@model
class SpinningFriction:
    """Torque ``-2/3 mu F_n R_disk`` against the spin ``w_n``, and ``-(gamma_n/4) R_disk^2 w_t`` against rocking; ``R_disk = sqrt(A/pi)``.

    What happens at small spin:

    - ``limit = "time_step"``, as documented: not more than ``C_safety |w_n| I_min/dt``, ``I_min`` the smallest principal moment of inertia
      of both bodies. What is left of a spin then decays with the number of steps, not with time.
    - ``"regularized"``: ``phi(|w_n|/w_reg)`` times the full torque, whatever the step. An explicit integrator needs
      ``w_reg > M dt/(C I)`` (``laws.spinning.least_spin_velocity``).
    - ``"flow"``: the mean of the former over the step, from its exact solution for a constant load. Any step, any ``w_reg``; two half steps
      give what one step gives.

    Attributes:
        mu: coefficient of spinning friction.
        C_safety: fraction in the limit of the time step.
        w_reg: spin below which the torque is reduced [rad/s]; for the last two forms.
        disk: one of ``DISKS``.
        limit: one of ``LIMITS``.
        pressure: key of ``laws.spinning.PRESSURES``; ``"uniform"`` is the documented factor 2/3.
        regularization: ``phi``.
    """

    mu: Any = of(QUANTITIES["coefficient"])
    C_safety: Any = of(QUANTITIES["safety"], default=0.125)
    w_reg: Any = of(QUANTITIES["spin_velocity"], default=None)
    disk: str = static(default="overlap")
    limit: str = static(default="time_step")
    pressure: str = static(default="uniform")
    regularization: Regularization = static(default=ROOT)

    def __post_init__(self) -> None:
        for name, choices in (("disk", DISKS), ("limit", LIMITS), ("pressure", PRESSURES)):
            _check(name, getattr(self, name), choices)
        if self.limit != "time_step" and self.w_reg is None:
            raise ValueError(f"SpinningFriction: w_reg is missing, which limit = {self.limit!r} needs. Give a spin [rad/s], e.g. 0.01.")


def spinning_friction_torque(
    friction: SpinningFriction, spin: Real, normal_force: Real, *, area: Real, inertia1: Real, inertia2: Real = jnp.inf, time_step: Real
) -> jax.Array:
    """Torque about the normal [N m] on the body with ``spin``; the partner receives the opposite. Elementwise.

    Args:
        friction: parameters.
        spin: ``w_n``, component along the normal of the body's angular velocity against its partner [rad/s].
        normal_force: ``F_n`` [N].
        area: of the contact disk [m^2].
        inertia1: smallest principal moment of inertia of one body [kg m^2].
        inertia2: of the other; infinite, the default, for a geometry, which does not count.
        time_step: ``dt`` [s].
    """
    disk = {"coefficient": friction.mu, "contact_radius": disk_radius(area), "pressure": friction.pressure}
    if friction.limit == "time_step":
        smallest = jnp.minimum(inertia1, inertia2)
        return limited_spinning_torque(spin, normal_force, inertia=smallest, time_step=time_step, safety=friction.C_safety, **disk)
    form = {"spin_velocity": friction.w_reg, "regularization": friction.regularization, **disk}
    if friction.limit == "regularized":
        return regularized_spinning_torque(spin, normal_force, **form)
    return mean_spinning_torque(spin, normal_force, inertia=effective_mass(inertia1, inertia2), time_step=time_step, **form)
