"""Tangential contact of elastic spheres after Mindlin.

Without slip a circular contact of radius ``a = sqrt(R* d)`` has the tangential stiffness ``k_t = 8
G* a``, ``1/G* = (2 - nu1)/G1 + (2 - nu2)/G2``. As the overlap changes so does the stiffness, and
what becomes of the load carried already is a matter of choice:

===============================  ======  ==========================================================
form                             memory  when the overlap changes
===============================  ======  ==========================================================
displacement, ``mindlin_force``  ``xi``  the force follows the stiffness, ``F = k_t(d) xi``
``incremental_mindlin_force``    ``F``   the force stays, only the increment sees the new stiffness
the same, ``rescaled``           ``F``   on unloading the force falls with the stiffness, as the
                                         area that separates lets go
===============================  ======  ==========================================================

Only the last makes no energy in any cycle of normal and tangential load (Elata and Berryman, Mech.
Mater. 24 (1996) 229-240).

Example:
    >>> from jaxcontact.laws import mindlin
    >>> stiffness = mindlin.mindlin_stiffness(
    ...     1e-6, effective_radius=0.01, effective_shear_modulus=1e10
    ... )
    >>> print(f"{stiffness:.2e} N/m")
    8.00e+06 N/m
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.friction.cundall_strack import critical_fraction, cundall_strack_force
from jaxcontact.laws.friction.slider import (
    Slider,
    SpringMemory,
    coulomb_slider,
    return_mapping,
    smooth_coulomb_slider,
    spring_after,
)
from jaxcontact.numerics.smooth import Real, positive_part, positive_power, safe_norm
from jaxcontact.parameters import model, nearest, of, static

# In the examples the numbers are exact in binary: k_t = 4 N/m, and the trial force is 4 N = mu F_n
# at the switch.
_SPHERES = {"overlap": 0.25, "effective_radius": 0.25, "effective_shear_modulus": 2.0}
_STEP = {
    "slip_increment": (0.125, 0.0625, -0.03125),
    "normal_force": 8.0,
    "tangential_damping": 0.5,
    "coefficient": 0.5,
    "time_step": 0.25,
}
_LIMITS = (
    {"normal_force": 0.0},
    {"normal_force": -5.0},
    {"coefficient": 0.0},
    {"overlap": 0.0},
    {"overlap": -0.25},
    {"overlap": 1e-20},
)


class MindlinMemory(NamedTuple):
    """Memory of the incremental form.

    Attributes:
        force: tangential force of the spring that resists the slip, ``(..., k)`` [N]; zero when a
            contact begins.
        stiffness: ``k_t`` of the last step, ``(...)`` [N/m]; zero when a contact begins.
    """

    force: Real
    stiffness: Real

    @property
    def elongation(self) -> jax.Array:
        """Of a spring of this stiffness that carries the force, ``(..., k)`` [m]; 0 without."""
        stiff = jnp.greater(self.stiffness, 0.0)
        compliance = jnp.where(stiff, 1.0 / jnp.where(stiff, self.stiffness, 1.0), 0.0)
        return compliance[..., None] * jnp.asarray(self.force)


@law(
    family="tangential",
    source="Mindlin, J. Appl. Mech. 16 (1949) 259-268; Johnson, Contact Mechanics (1985), section "
    "7.2",
    smoothness=0,
    example=_SPHERES,
    switches=({"overlap": 0.0},),
    corners=({"overlap": -0.25}, {"overlap": 1e-20}),
)
def mindlin_stiffness(
    overlap: Real, *, effective_radius: Real, effective_shear_modulus: Real
) -> jax.Array:
    """Tangential stiffness without slip, ``8 G* sqrt(R* d)`` [N/m], for ``d > 0``, else 0.
    Elementwise.

    Continuous; its slope at zero overlap is infinite.

    Args:
        overlap: ``d`` [m].
        effective_radius: ``R*`` [m].
        effective_shear_modulus: ``G*`` [Pa].
    """
    return jnp.multiply(
        8.0 * effective_shear_modulus, positive_power(effective_radius * overlap, 0.5)
    )


@describe_arguments
def mindlin_energy(
    memory: SpringMemory, *, overlap: Real, effective_radius: Real, effective_shear_modulus: Real
) -> jax.Array:
    """``k_t xi^2/2`` [J] of the displacement form, ``(...)``."""
    stiffness = mindlin_stiffness(
        overlap, effective_radius=effective_radius, effective_shear_modulus=effective_shear_modulus
    )
    return 0.5 * stiffness * jnp.sum(jnp.square(memory.elongation), axis=-1)


def incremental_mindlin_energy(memory: MindlinMemory) -> jax.Array:
    """``F^2/(2 k_t)`` [J] of the incremental form, ``(...)``; 0 without stiffness."""
    stiff = jnp.greater(memory.stiffness, 0.0)
    squared = jnp.sum(jnp.square(memory.force), axis=-1)
    return jnp.where(stiff, 0.5 * squared / jnp.where(stiff, memory.stiffness, 1.0), 0.0)


def _rounded(force: Real, *, limit: Real) -> jax.Array:
    return smooth_coulomb_slider(force, limit=limit, smoothing=0.25)


@law(
    family="tangential",
    source="Mindlin (1949) with a slider; the displacement form of LAMMPS (mindlin)",
    smoothness=lambda slider=coulomb_slider, **_: 0 if slider is coulomb_slider else 2,
    example={"memory": SpringMemory(np.array([0.25, 0.0, 0.0])), **_STEP, **_SPHERES},
    variants=(
        {"slip_increment": (2.0, -1.0, 0.5)},
        {"slip_increment": (0.6, 0.2, 0.1), "slider": _rounded},
    ),
    switches=(
        {"slip_increment": (0.5, 0.0, 0.0)},
        {"slip_increment": (1.0 / 3.0, 0.0, 0.0), "slider": _rounded},
    ),
    corners=(*_LIMITS, {"memory": SpringMemory(np.zeros(3)), "slip_increment": (0.0, 0.0, 0.0)}),
    energy=mindlin_energy,
    conjugate="slip_increment",
)
def mindlin_force(
    memory: SpringMemory,
    slip_increment: Real,
    normal_force: Real,
    overlap: Real,
    *,
    effective_radius: Real,
    effective_shear_modulus: Real,
    tangential_damping: Real,
    coefficient: Real,
    time_step: Real,
    slider: Slider = coulomb_slider,
) -> tuple[jax.Array, SpringMemory]:
    """Displacement form: ``F = -P(k_t(d) xi + c xi')``, ``(..., k)`` [N] on the body that slips,
    and the memory.

    ``cundall_strack_force`` with the stiffness of the present overlap. At constant elongation the
    force falls and rises with the overlap, and so does the stored energy.

    Args:
        memory: elongation ``xi``, carried with the contact plane.
        slip_increment: slip of the body against its partner in this step, ``(..., k)`` [m].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as no contact.
        overlap: ``d``, ``(...)`` [m].
        effective_radius: ``R*`` [m].
        effective_shear_modulus: ``G*`` [Pa].
        tangential_damping: ``c`` [N s/m].
        coefficient: ``mu`` [-].
        time_step: [s].
        slider: ``P``: ``coulomb_slider``, or a ``SmoothSlider``.
    """
    return cundall_strack_force(
        memory,
        slip_increment,
        normal_force,
        tangential_stiffness=mindlin_stiffness(
            overlap,
            effective_radius=effective_radius,
            effective_shear_modulus=effective_shear_modulus,
        ),
        tangential_damping=tangential_damping,
        coefficient=coefficient,
        time_step=time_step,
        slider=slider,
    )


@law(
    family="tangential",
    source="Mindlin (1949); Thornton, Cummins and Cleary, Powder Technol. 233 (2013) 30-46; LAMMPS "
    "(mindlin/force, mindlin_rescale/force)",
    smoothness=0,
    example={
        "memory": MindlinMemory(np.array([1.0, 0.0, 0.0]), np.array(3.0)),
        **_STEP,
        **_SPHERES,
    },
    variants=(
        {"memory": MindlinMemory(np.array([1.0, 0.5, 0.0]), np.array(8.0))},
        {
            "memory": MindlinMemory(np.array([1.0, 0.5, 0.0]), np.array(8.0)),
            "slip_increment": (2.0, -1.0, 0.5),
        },
        {"memory": MindlinMemory(np.array([1.0, 0.0, 0.0]), np.array(3.0)), "rescaled": False},
        {
            "memory": MindlinMemory(np.array([1.0, 0.5, 0.0]), np.array(8.0)),
            "slip_increment": (0.6, 0.2, 0.1),
            "slider": _rounded,
        },
    ),
    switches=(
        {"slip_increment": (0.5, 0.0, 0.0)},
        {"slip_increment": (0.5, 0.0, 0.0), "rescaled": False},
        {"memory": MindlinMemory(np.array([1.0, 0.0, 0.0]), np.array(4.0))},
    ),
    corners=(
        *_LIMITS,
        {"memory": MindlinMemory(np.zeros(3), np.array(0.0)), "slip_increment": (0.0, 0.0, 0.0)},
    ),
    energy=incremental_mindlin_energy,
    conjugate="slip_increment",
)
def incremental_mindlin_force(
    memory: MindlinMemory,
    slip_increment: Real,
    normal_force: Real,
    overlap: Real,
    *,
    effective_radius: Real,
    effective_shear_modulus: Real,
    tangential_damping: Real,
    coefficient: Real,
    time_step: Real,
    rescaled: bool = True,
    slider: Slider = coulomb_slider,
) -> tuple[jax.Array, MindlinMemory]:
    """Incremental form: ``T += k_t(d) ds``, ``F = -P(T + c xi')``, ``(..., k)`` [N] on the body
    that slips, and the memory.

    ``rescaled``: while the overlap falls the force is first multiplied by the ratio of the
    stiffnesses, new over old. Continuous where sticking turns to sliding and where unloading
    begins; a load below the limit is held for ever under constant overlap.

    Args:
        memory: force ``T`` of the spring, carried with the contact plane, and its stiffness.
        slip_increment: slip of the body against its partner in this step, ``(..., k)`` [m].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as no contact.
        overlap: ``d``, ``(...)`` [m].
        effective_radius: ``R*`` [m].
        effective_shear_modulus: ``G*`` [Pa].
        tangential_damping: ``c`` [N s/m].
        coefficient: ``mu`` [-].
        time_step: [s].
        rescaled: whether the force falls with the stiffness on unloading.
        slider: ``P``: ``coulomb_slider``, or a ``SmoothSlider``.
    """
    increment = jnp.asarray(slip_increment)
    stiffness = mindlin_stiffness(
        overlap, effective_radius=effective_radius, effective_shear_modulus=effective_shear_modulus
    )
    before = jnp.asarray(memory.force)
    if rescaled:
        unloads = jnp.less(stiffness, memory.stiffness)
        before = (
            before
            * jnp.where(unloads, stiffness / jnp.where(unloads, memory.stiffness, 1.0), 1.0)[
                ..., None
            ]
        )
    carried, slid = return_mapping(
        before,
        increment,
        stiffness=stiffness,
        viscosity=tangential_damping / time_step,
        limit=coefficient * positive_part(normal_force),
        slider=slider,
    )
    after = spring_after(
        before,
        increment,
        carried,
        slid,
        stiffness=stiffness,
        viscosity=tangential_damping / time_step,
        per_length=stiffness,
    )
    touching = jnp.greater(normal_force, 0.0)
    return -carried, MindlinMemory(
        jnp.where(jnp.asarray(touching)[..., None], after, 0.0),
        jnp.where(touching, stiffness, 0.0),
    )


_DISK = {"coefficient": 0.5, "contact_radius": 0.25, "effective_shear_modulus": 3.0}


@law(
    family="tangential",
    source="Mindlin (1949); Mindlin and Deresiewicz (1953); Johnson, Contact Mechanics (1985), "
    "equation 7.42",
    smoothness=1,
    example={"tangential_displacement": (0.1, -0.3, 0.2), "normal_force": 8.0, **_DISK},
    variants=({"tangential_displacement": (1.0, -3.0, 0.2)},),
    switches=(
        {"tangential_displacement": (1.0, 0.0, 0.0)},
        {"tangential_displacement": (0.0, 0.0, 0.0)},
    ),
    corners=(
        {"normal_force": 0.0},
        {"normal_force": -1.0},
        {"coefficient": 0.0},
        {"contact_radius": 0.0},
    ),
)
def mindlin_partial_slip_force(
    tangential_displacement: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    effective_shear_modulus: Real,
) -> jax.Array:
    """First tangential loading under a constant normal force, with an annulus of slip: ``(..., k)``
    [N] on the displaced body.

    ``F = -mu F_n (1 - (1 - x)^(3/2)) xi/|xi|``, ``x = |xi|/xi_max < 1``, ``xi_max = 3 mu F_n/(16 G*
    a)``; full slip ``-mu F_n xi/|xi|`` from there on. No memory: it holds for growing displacement
    in one direction from an unloaded contact. Initial stiffness ``8 G* a``. One continuous
    derivative at zero displacement and at full slip.

    Args:
        tangential_displacement: ``xi``, ``(..., k)`` [m].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        coefficient: ``mu`` [-].
        contact_radius: ``a`` [m].
        effective_shear_modulus: ``G*`` [Pa].
    """
    displacement = jnp.asarray(tangential_displacement)
    limit = coefficient * positive_part(normal_force)
    rate = 16.0 / 3.0 * effective_shear_modulus * contact_radius
    size = safe_norm(displacement)
    sticks = rate * size < limit
    held = jnp.where(sticks, 1.0 - rate * size / jnp.where(sticks, limit, 1.0), 0.0)  # 1 - x
    # (1 - (1 - x)^(3/2))/x = 1 + (1 - x)/(1 + sqrt(1 - x)), without the difference of nearly equal
    # numbers at x = 0.
    secant = rate * (1.0 + held / (1.0 + positive_power(held, 0.5)))
    moves = (size > 0.0) & ~sticks
    return (
        -displacement
        * jnp.where(sticks, secant, jnp.where(moves, limit / jnp.where(moves, size, 1.0), 0.0))[
            ..., None
        ]
    )


@law(
    family="tangential",
    source="Mindlin (1949); Johnson, Contact Mechanics (1985), equation 7.42",
    smoothness=0,
    example={"tangential_force": 1.5, "normal_force": 8.0, **_DISK},
    corners=(
        {"tangential_force": 0.0},
        {"tangential_force": 4.0},
        {"tangential_force": 5.0},
        {"normal_force": 0.0},
        {"coefficient": 0.0},
        {"contact_radius": 0.0},
    ),
)
def mindlin_partial_slip_displacement(
    tangential_force: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    effective_shear_modulus: Real,
) -> jax.Array:
    """Inverse of ``mindlin_partial_slip_force`` along a line: ``xi = xi_max (1 - (1 - F_t/(mu
    F_n))^(2/3))`` [m]. Elementwise.

    Forces from ``mu F_n`` on give ``xi_max``, where the slope is infinite (as a derivative 0 is
    returned there).

    Args:
        tangential_force: ``F_t >= 0`` [N].
        normal_force: ``F_n`` [N].
        coefficient: ``mu`` [-].
        contact_radius: ``a`` [m]; 0 gives 0.
        effective_shear_modulus: ``G*`` [Pa].
    """
    limit = coefficient * positive_part(normal_force)
    loaded = limit > 0.0
    held = jnp.where(loaded, 1.0 - tangential_force / jnp.where(loaded, limit, 1.0), 0.0)
    rate = 16.0 / 3.0 * effective_shear_modulus * jnp.asarray(contact_radius)
    elastic = rate > 0.0
    return jnp.where(elastic, limit / jnp.where(elastic, rate, 1.0), 0.0) * (
        1.0 - positive_power(held, 2.0 / 3.0)
    )


FORMS = ("displacement", "force", "rescaled")
"""``displacement``: ``mindlin_force``; ``force``, ``rescaled``: ``incremental_mindlin_force``,
without and with rescaling on unloading.
"""


Spring = SpringMemory | MindlinMemory
"""The elongation, or the force and the stiffness at the last step."""


@model
class Mindlin(FrictionWithMemory[Spring]):
    """Friction with Mindlin's no-slip spring in a scene. It holds a load for ever, without creep.

    Source: Mindlin, J. Appl. Mech. 16 (1949) 259-268; Johnson, Contact Mechanics (1985), section
    7.2; ``form = "rescaled"`` as Elata and Berryman, Mech. Mater. 24 (1996) 229-240.

    Args:
        coefficient: ``mu`` [-].
        effective_shear_modulus: ``1/G* = (2 - nu1)/G1 + (2 - nu2)/G2`` [Pa].
        tangential_damping: ``c`` [N s/m].
        zeta: more damping, relative to critical: ``2 zeta sqrt(m k_t)`` with the present stiffness
            and the effective mass of the pair [-].
        form: key of ``FORMS``.

    Example:
        >>> friction = jc.Mindlin(coefficient=0.3, effective_shear_modulus=1e10)
        >>> print(f"{friction.stiffness(1e-6, effective_radius=0.01):.2e} N/m")
        8.00e+06 N/m
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    effective_shear_modulus: Real = of(QUANTITIES["effective_shear_modulus"])
    tangential_damping: Real = of(QUANTITIES["tangential_damping"], default=0.0)
    zeta: Real = of(QUANTITIES["zeta"], default=0.0)
    form: str = static(default="rescaled")

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(
                f"Mindlin: form = {self.form!r} is not a form of the "
                f"spring.{nearest(str(self.form), FORMS)}"
            )

    def stiffness(self, overlap: Real, effective_radius: Real) -> jax.Array:
        """Tangential stiffness [N/m]."""
        return mindlin_stiffness(
            overlap,
            effective_radius=effective_radius,
            effective_shear_modulus=self.effective_shear_modulus,
        )

    def unloaded(self, contacts: int) -> Spring:
        """Memory of contacts that begin."""
        zero = jnp.zeros((contacts, 3))
        return (
            SpringMemory(zero) if self.form == "displacement" else MindlinMemory(zero, zero[:, 0])
        )

    def after_step(
        self,
        memory: Spring,
        slip_increment: Real,
        *,
        normal_force: Real,
        overlap: Real,
        effective_radius: Real,
        mass: Real,
        time_step: Real,
    ) -> tuple[jax.Array, Spring]:
        """Force on the body that slips [N] at the end of a step, and the memory."""
        damping = self.tangential_damping + critical_fraction(
            self.zeta, self.stiffness(overlap, effective_radius), mass
        )
        if isinstance(memory, SpringMemory):
            return mindlin_force(
                memory,
                slip_increment,
                normal_force,
                overlap,
                effective_radius=effective_radius,
                effective_shear_modulus=self.effective_shear_modulus,
                tangential_damping=damping,
                coefficient=self.coefficient,
                time_step=time_step,
            )
        return incremental_mindlin_force(
            memory,
            slip_increment,
            normal_force,
            overlap,
            effective_radius=effective_radius,
            effective_shear_modulus=self.effective_shear_modulus,
            tangential_damping=damping,
            coefficient=self.coefficient,
            time_step=time_step,
            rescaled=self.form == "rescaled",
        )

    def overload(
        self,
        memory: Spring,
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
        stiffness = self.stiffness(overlap, effective_radius)
        spring = (
            stiffness[..., None] * memory.elongation
            if isinstance(memory, SpringMemory)
            else jnp.asarray(memory.force)
        )
        damping = self.tangential_damping + critical_fraction(self.zeta, stiffness, mass)
        trial = spring + jnp.asarray(damping)[..., None] * slip_rate
        return safe_norm(trial) - self.coefficient * positive_part(normal_force)

    def holding(self, force: Real, *, overlap: Real, effective_radius: Real) -> Spring:
        """Memory of contacts that hold ``force`` on the body, ``(..., 3)`` [N], at rest."""
        stiffness = self.stiffness(overlap, effective_radius)
        if self.form != "displacement":
            return MindlinMemory(-jnp.asarray(force), stiffness)
        stiff = stiffness > 0.0
        return SpringMemory(
            -jnp.asarray(force)
            * jnp.where(stiff, 1.0 / jnp.where(stiff, stiffness, 1.0), 0.0)[..., None]
        )

    def energy(self, memory: Spring, *, overlap: Real, effective_radius: Real) -> jax.Array:
        """Energy stored in each contact [J]."""
        if isinstance(memory, MindlinMemory):
            return incremental_mindlin_energy(memory)
        return mindlin_energy(
            memory,
            overlap=overlap,
            effective_radius=effective_radius,
            effective_shear_modulus=self.effective_shear_modulus,
        )
