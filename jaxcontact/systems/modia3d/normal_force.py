"""The force along the normal."""

import jax

from jaxcontact.laws.core.registry import law
from jaxcontact.laws.normal.damping import hunt_crossley_force, no_tension
from jaxcontact.laws.normal.elastic import elastic_energy
from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.modia3d.geometry_factors import N_GEO


@law(
    name="modia3d_normal_force",
    family="Modia3D",
    source="Modia3D, Contact Force Law, and its program",
    smoothness=lambda overlap, tension=False, **_: 1 if overlap == 0.0 else 0,
    example={"overlap": 1e-3, "overlap_rate": -0.25, "stiffness": 1e7, "dissipation": 0.5},
    variants=({"overlap_rate": 0.25}, {"overlap_rate": -3.0}),
    switches=({"overlap": 0.0}, {"overlap": 0.0, "tension": True}, {"overlap_rate": -2.0}),
    corners=(
        {"overlap": -1e-3},
        {"overlap": -1e-3, "tension": True},
        {"tension": True},
        {"dissipation": 0.0},
        {"stiffness": 0.0},
        {"overlap_rate": 0.0},
    ),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=N_GEO),
    conjugate="overlap_rate",
)
def normal_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, dissipation: Real, tension: bool = False
) -> jax.Array:
    """``F_n = max(0, K d^1.5 (1 + c d'))`` [N], ``K = c_res c_geo``. Elementwise.

    That is the documented force. The program has no maximum and continues oddly, ``K d sqrt(|d|) (1
    + c d')``, until an event ends the contact: with ``tension`` the force is that one. They are the
    same in a free impact, which never reaches ``d' < -1/c``.

    One continuous derivative at ``d = 0``; a kink at ``d' = -1/c``, which ``tension`` does not
    have.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s], positive while compressing.
        stiffness: ``K`` [N/m^1.5].
        dissipation: ``c`` [s/m].
        tension: leave out the maximum, as the program does.

    Returns:
        Normal force [N].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> force = modia3d.normal_force(1e-3, 0.25, stiffness=1e7, dissipation=0.5)
        >>> print(f"{force:.1f} N")
        355.8 N
    """
    force = hunt_crossley_force(
        overlap, overlap_rate, stiffness=stiffness, exponent=N_GEO, dissipation=dissipation
    )
    if not tension:
        return no_tension(force)
    return force - hunt_crossley_force(
        -overlap, overlap_rate, stiffness=stiffness, exponent=N_GEO, dissipation=dissipation
    )
