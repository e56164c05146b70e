"""The contact force of Rigid Body Contact: penalty, and dynamic penalty.

The program's formulation "Penalty" is ``k_pen`` alone, "Penalty, dynamic" ``k_pen`` with ``c_pen``,
its "Viscous only" ``c_pen`` with ``k_pen = 0``.

``F_n = k_pen max(-g, 0) + [g < 0] c_pen max(-g', 0)`` for the gap ``g``. The program gives the
dashpot by a characteristic time ``tau``: ``c_pen = k_pen tau``. It has no coefficient of
restitution; what the dashpot gives is ``laws.one_sided_dashpot.one_sided_restitution`` (the page
does not say whether its dashpot also acts on separation; here it does not, so that a contact never
attracts).
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.normal.one_sided_dashpot import one_sided_dashpot_force, ramped_dashpot_force
from jaxcontact.numerics.smooth import Real, eased_positive_part, smooth_step
from jaxcontact.parameters import model, of

ARMS = ("undeformed", "midpoint")
"""Where the arms of velocities and moments end, on the surface of each body, as documented, or both
at the middle of the overlap.
"""


def check_arms(owner: str, arms: str) -> None:
    """Raise ``ValueError`` unless ``arms`` is one of ``ARMS``."""
    if arms not in ARMS:
        raise ValueError(f"{owner}: arms = {arms!r} is not one of {', '.join(map(repr, ARMS))}.")


@model
class RigidBodyContact:
    """Parameters of the contact force.

    Attributes:
        k_pen: penalty factor, the stiffness of a spring between the boundaries [N/m].
        c_pen: viscous penalty factor [N s/m]; 0, the default, is the static formulation.
        ramp_overlap: overlap over which the forces set in [m]; ``None``, the default, is the hard
            form of the program.
        ramp_speed: approach speed over which the dashpot sets in [m/s]; to be given together with
            ``ramp_overlap``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.RigidBodyContact(k_pen=1e4, c_pen=20.0)
        >>> contact.replace(ramp_overlap=5e-4, ramp_speed=0.1).ramp_speed
        0.1
    """

    k_pen: Real = of(QUANTITIES["stiffness"].called("k_pen"))
    c_pen: Real = of(QUANTITIES["damping"].called("c_pen"), default=0.0)
    ramp_overlap: Real | None = of(QUANTITIES["ramp_overlap"].called("ramp_overlap"), default=None)
    ramp_speed: Real | None = of(QUANTITIES["ramp_speed"].called("ramp_speed"), default=None)

    def __post_init__(self) -> None:
        if (self.ramp_overlap is None) != (self.ramp_speed is None):
            raise ValueError(
                f"RigidBodyContact: ramp_overlap = {self.ramp_overlap!r} and ramp_speed = "
                f"{self.ramp_speed!r}, but the smooth form"
                " needs both. Give both, or neither for the hard form."
            )


def contact_force(
    contact: RigidBodyContact, gap: Real, gap_rate: Real, *, smooth: Smoothing | None = None
) -> tuple[jax.Array, jax.Array]:
    """Contact force ``F_n`` [N], positive when it repels, and how far there is contact (0 to 1).
    Elementwise.

    Hard, contact is ``g < 0``: the dashpot's force, and the friction's additional resistance, jump
    there, and ``F_n`` has a corner. With ramps both have two continuous derivatives, and ``F_n`` is
    smaller by at most ``k_pen ramp_overlap/2 + c_pen ramp_speed/2`` where the overlap exceeds
    ``ramp_overlap``.

    With ``smooth``, ``F_n = s (k_pen d + c_pen p(d'))`` for the overlap ``d = -g``, ``s`` the gate
    of ``Smoothing`` and ``p`` ``numerics.smooth.eased_positive_part``: two continuous derivatives.
    From ``d = smooth.overlap`` on it is smaller than the hard form by at most ``0.274 c_pen
    smooth.speed``, while ``0 < d' < smooth.speed``, and the same elsewhere.

    Args:
        contact: parameters.
        gap: ``g`` [m], negative in overlap.
        gap_rate: ``g'`` [m/s], negative on approach.
        smooth: instead of ramps; ``None``, the default, is what the parameters say.

    Returns:
        Contact force [N], and how far there is contact, from 0 to 1 [-].

    Example:
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.RigidBodyContact(k_pen=1e4, c_pen=20.0)
        >>> force, closed = comsol.contact_force(contact, -1e-3, -0.1)
        >>> print(f"{force:.1f} N")
        12.0 N
    """
    overlap, overlap_rate = -jnp.asarray(gap), -jnp.asarray(gap_rate)
    if smooth is not None:
        dashpot = contact.c_pen * eased_positive_part(overlap_rate, smooth.speed)
        gate = smooth.gate(overlap)
        return gate * (contact.k_pen * overlap + dashpot), gate
    law = {"stiffness": contact.k_pen, "damping": contact.c_pen}
    if contact.ramp_overlap is None or contact.ramp_speed is None:
        return one_sided_dashpot_force(overlap, overlap_rate, **law), jnp.where(
            overlap > 0.0, 1.0, jnp.zeros_like(overlap)
        )
    force = ramped_dashpot_force(
        overlap,
        overlap_rate,
        ramp_overlap=contact.ramp_overlap,
        ramp_speed=contact.ramp_speed,
        **law,
    )
    return force, smooth_step(overlap, contact.ramp_overlap)
