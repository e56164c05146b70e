"""The tangential spring of Cundall and Strack: linear spring, dashpot and Coulomb slider.

Example:
    >>> from jaxcontact.laws import cundall_strack, tangential
    >>> memory = tangential.SpringMemory(jnp.array([1e-5, 0.0, 0.0]))
    >>> print(f"{cundall_strack.spring_energy(memory, tangential_stiffness=1e5):.1e} J")
    5.0e-06 J
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.friction.slider import (
    Slider,
    SpringMemory,
    check_limited,
    coulomb_slider,
    return_mapping,
    smooth_coulomb_slider,
    spring_after,
)
from jaxcontact.numerics.smooth import Real, positive_part, positive_power, safe_norm
from jaxcontact.parameters import model, of, static


@describe_arguments
def spring_energy(memory: SpringMemory, *, tangential_stiffness: Real) -> jax.Array:
    """``k_t xi^2/2`` [J], ``(...)``."""
    elongation = jnp.asarray(memory.elongation)
    return jnp.multiply(0.5 * tangential_stiffness, jnp.sum(elongation * elongation, axis=-1))


def _rounded(force: Real, *, limit: Real) -> jax.Array:
    return smooth_coulomb_slider(force, limit=limit, smoothing=0.25)


# The numbers are exact in binary: trial force 4 N = mu F_n at the switch.
@law(
    family="tangential",
    source="Cundall and Strack, Geotechnique 29 (1979) 47-65; Luding, Granular Matter 10 (2008) "
    "235-246",
    smoothness=lambda slider=coulomb_slider, **_: 0 if slider is coulomb_slider else 2,
    example={
        "memory": SpringMemory(np.array([0.25, 0.0, 0.0])),
        "slip_increment": (0.125, 0.0625, -0.03125),
        "normal_force": 8.0,
        "tangential_stiffness": 4.0,
        "tangential_damping": 0.5,
        "coefficient": 0.5,
        "time_step": 0.25,
    },
    variants=(
        {"slip_increment": (2.0, -1.0, 0.5)},
        {"slip_increment": (-1.0, 1.5, 0.5), "limited": "displacement"},
        {"slip_increment": (2.0, -1.0, 0.5), "slider": _rounded},
        {"slip_increment": (0.6, 0.2, 0.1), "slider": _rounded, "limited": "displacement"},
    ),
    switches=(
        {"slip_increment": (0.5, 0.0, 0.0)},
        {"slip_increment": (0.75, 0.0, 0.0), "limited": "displacement"},
        {"slip_increment": (1.0 / 3.0, 0.0, 0.0), "slider": _rounded},
    ),
    corners=(
        {"memory": SpringMemory(np.zeros(3)), "slip_increment": (0.0, 0.0, 0.0)},
        {"normal_force": 0.0},
        {"normal_force": -5.0},
        {"coefficient": 0.0},
        {
            "coefficient": 0.0,
            "memory": SpringMemory(np.zeros(3)),
            "slip_increment": (0.0, 0.0, 0.0),
        },
        {"tangential_stiffness": 0.0},
        {"tangential_damping": 0.0, "tangential_stiffness": 0.0},
    ),
    energy=spring_energy,
    conjugate="slip_increment",
)
def cundall_strack_force(
    memory: SpringMemory,
    slip_increment: Real,
    normal_force: Real,
    *,
    tangential_stiffness: Real,
    tangential_damping: Real,
    coefficient: Real,
    time_step: Real,
    limited: str = "force",
    slider: Slider = coulomb_slider,
) -> tuple[jax.Array, SpringMemory]:
    """Tangential force ``(..., k)`` [N] on the body that slips, after a step, and the memory.

    ``limited = "force"``: ``F = -P(k xi + c xi')``, spring and dashpot behind one slider, so that
    ``|F| <= mu F_n`` always. This is the series that LAMMPS and Chrono limit as a whole; here the
    spring of a sliding contact keeps the elongation that carries the force together with the
    dashpot (backward Euler), so that no energy is made however large the damping. ``limited =
    "displacement"``: ``F = -P(k xi) - c s``, the slider limits the elongation, the dashpot resists
    the slip ``s`` beside it (PFC's ``dp_mode`` 0).

    A load below the limit is held for ever. Without normal force the spring is released. Order of
    smoothness: continuous where sticking turns to sliding (of the order of the slider). With a
    dashpot, the loss of contact makes the memory of a force-limited spring jump and the force of a
    displacement-limited one. The contact plane carries the reaction, so angular momentum is kept
    when both bodies receive the force at one point.

    Args:
        memory: elongation ``xi``, carried with the contact plane.
        slip_increment: slip of the body against its partner in this step, ``(..., k)`` [m].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as no contact.
        tangential_stiffness: ``k`` [N/m].
        tangential_damping: ``c`` [N s/m].
        coefficient: ``mu`` [-].
        time_step: [s].
        limited: key of ``tangential.LIMITED``.
        slider: ``P``: ``coulomb_slider``, or a ``SmoothSlider``.
    """
    check_limited("cundall_strack_force", limited)
    increment = jnp.asarray(slip_increment)
    viscosity = tangential_damping / time_step
    beside_spring = viscosity if limited == "force" else jnp.zeros_like(viscosity)
    carried, slid = return_mapping(
        jnp.asarray(tangential_stiffness)[..., None] * memory.elongation,
        increment,
        stiffness=tangential_stiffness,
        viscosity=beside_spring,
        limit=coefficient * positive_part(normal_force),
        slider=slider,
    )
    force = (
        -carried if limited == "force" else -carried - jnp.asarray(viscosity)[..., None] * increment
    )
    touching = jnp.asarray(jnp.greater(normal_force, 0.0))[..., None]
    elongation = spring_after(
        memory.elongation,
        increment,
        carried,
        slid,
        stiffness=tangential_stiffness,
        viscosity=beside_spring,
        per_length=1.0,
    )
    return jnp.where(touching, force, 0.0), SpringMemory(jnp.where(touching, elongation, 0.0))


@model
class CundallStrack(FrictionWithMemory[SpringMemory]):
    """Friction with a spring in a scene: ``cundall_strack_force`` with a constant stiffness. It
    holds a load for ever, without creep.

    Source: Cundall and Strack, Geotechnique 29 (1979) 47-65; Luding, Granular Matter 10 (2008)
    235-246.

    Args:
        coefficient: ``mu`` [-].
        tangential_stiffness: ``k`` [N/m]; 2/7 of the normal stiffness of a solid sphere gives both
            motions one period.
        tangential_damping: ``c`` [N s/m].
        zeta: more damping, relative to critical: ``2 zeta sqrt(m k)`` with the effective mass of
            the pair [-].
        limited: key of ``tangential.LIMITED``.

    Example:
        >>> friction = jc.CundallStrack(coefficient=0.3, tangential_stiffness=1e5)
        >>> held = jnp.array([2.0, 0.0, 0.0])
        >>> memory = friction.holding(held, overlap=1e-5, effective_radius=0.01)
        >>> print(f"the spring is {1e6 * abs(memory.elongation[0]):.1f} um long")
        the spring is 20.0 um long
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    tangential_stiffness: Real = of(QUANTITIES["tangential_stiffness"])
    tangential_damping: Real = of(QUANTITIES["tangential_damping"], default=0.0)
    zeta: Real = of(QUANTITIES["zeta"], default=0.0)
    limited: str = static(default="force")

    def __post_init__(self) -> None:
        check_limited("CundallStrack", self.limited)

    def unloaded(self, contacts: int) -> SpringMemory:
        """Memory of contacts that begin."""
        return SpringMemory(jnp.zeros((contacts, 3)))

    def after_step(
        self,
        memory: SpringMemory,
        slip_increment: Real,
        *,
        normal_force: Real,
        overlap: Real,
        effective_radius: Real,
        mass: Real,
        time_step: Real,
    ) -> tuple[jax.Array, SpringMemory]:
        """Force on the body that slips [N] at the end of a step, and the memory."""
        return cundall_strack_force(
            memory,
            slip_increment,
            normal_force,
            tangential_stiffness=self.tangential_stiffness,
            tangential_damping=self.tangential_damping
            + critical_fraction(self.zeta, self.tangential_stiffness, mass),
            coefficient=self.coefficient,
            time_step=time_step,
            limited=self.limited,
        )

    def overload(
        self,
        memory: SpringMemory,
        slip_rate: Real,
        *,
        normal_force: Real,
        overlap: Real,
        effective_radius: Real,
        mass: Real,
    ) -> jax.Array:
        """What would act on the slider if it did not slide, less its limit ``mu F_n`` [N]: negative
        while it sticks, ``(...)``.
        """
        trial = jnp.asarray(self.tangential_stiffness)[..., None] * memory.elongation
        if self.limited == "force":
            damping = self.tangential_damping + critical_fraction(
                self.zeta, self.tangential_stiffness, mass
            )
            trial = trial + jnp.asarray(damping)[..., None] * slip_rate
        return safe_norm(trial) - self.coefficient * positive_part(normal_force)

    def holding(self, force: Real, *, overlap: Real, effective_radius: Real) -> SpringMemory:
        """Memory of contacts that hold ``force`` on the body, ``(..., 3)`` [N], at rest."""
        stiff = jnp.greater(self.tangential_stiffness, 0.0)
        compliance = jnp.where(stiff, 1.0 / jnp.where(stiff, self.tangential_stiffness, 1.0), 0.0)
        return SpringMemory(-jnp.asarray(force) * compliance[..., None])

    def energy(self, memory: SpringMemory, *, overlap: Real, effective_radius: Real) -> jax.Array:
        """Energy stored in each contact [J]."""
        return spring_energy(memory, tangential_stiffness=self.tangential_stiffness)


@describe_arguments
def critical_fraction(zeta: Real, stiffness: Real, mass: Real) -> jax.Array:
    """Damping ``2 zeta sqrt(m k)`` [N s/m] with finite derivatives at zero stiffness."""
    return jnp.multiply(2.0 * zeta, positive_power(mass * jnp.asarray(stiffness), 0.5))
