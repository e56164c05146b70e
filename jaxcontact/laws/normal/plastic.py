"""Elastic-plastic normal contact: first loading, and an elastic unloading that depends on the
largest overlap so far.

The memory is the largest overlap ``D``. Below it the contact is elastic: with ``F*`` the force of
first loading at ``D`` and ``c`` the overlap that it gets back::

    F = F* (1 - (D - d)/c)^p   for d > D - c, else 0
    energy stored = F* c/(p + 1) (1 - (D - d)/c)^(p + 1)

What the first loading took beyond this is dissipated. Walton and Braun's law has ``p = 1``,
Thornton's ``p = 3/2`` (Hertz).

Example:
    >>> from jaxcontact.laws import plastic
    >>> speed = plastic.thornton_yield_speed(
    ...     mass=0.03, effective_modulus=1e11, effective_radius=0.01, yield_pressure=2e9
    ... )
    >>> print(f"yields from {speed:.3f} m/s on")
    yields from 0.330 m/s on
"""

import abc
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.branches import BranchedLaw, OnBranch, Reach
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.normal.elastic import elastic_energy, hertz_force, linear_force, static_overlap
from jaxcontact.materials import hertz_stiffness
from jaxcontact.numerics.smooth import Real, positive_part, positive_power
from jaxcontact.parameters import model, of

_WALTON = "Walton and Braun, J. Rheol. 30 (1986) 949-980"
_THORNTON = "Thornton, J. Appl. Mech. 64 (1997) 383-386"


class PlasticContact(NamedTuple):
    """Memory of a plastic contact: ``largest_overlap`` so far [m], ``(...)``; 0 for bodies that
    have not touched.
    """

    largest_overlap: Real = 0.0


class _Unloading(NamedTuple):
    """Elastic unloading from the largest overlap: its force ``F*`` [N], the overlap ``c`` [m] it
    gets back, and the power ``p``.
    """

    force: jax.Array
    recovery: jax.Array
    power: float


def _larger(overlap: Real, memory: PlasticContact) -> jax.Array:
    """The largest overlap after this one; where both are equal, the contact is loading."""
    return jnp.where(
        jnp.greater_equal(overlap, memory.largest_overlap),
        positive_part(overlap),
        memory.largest_overlap,
    )


def _fraction(overlap: Real, largest: Real, unloading: _Unloading) -> jax.Array:
    """``1 - (D - d)/c``: 1 while loading, 0 where the contact has got back what it can."""
    deformed = jnp.greater(unloading.recovery, 0.0)
    return jnp.where(
        deformed, 1.0 - (largest - overlap) / jnp.where(deformed, unloading.recovery, 1.0), 0.0
    )


def _force(overlap: Real, largest: Real, unloading: _Unloading) -> jax.Array:
    return unloading.force * positive_power(_fraction(overlap, largest, unloading), unloading.power)


def _energy(overlap: Real, largest: Real, unloading: _Unloading) -> jax.Array:
    order = unloading.power + 1.0
    return (
        unloading.force
        * unloading.recovery
        / order
        * positive_power(_fraction(overlap, largest, unloading), order)
    )


def _remembered(largest: jax.Array, overlap: Real, permanent: bool) -> PlasticContact:
    """With ``permanent`` deformation the next contact meets it; otherwise it is forgotten where the
    bodies part.
    """
    return PlasticContact(
        largest if permanent else jnp.where(jnp.greater(overlap, 0.0), largest, 0.0)
    )


# Walton and Braun: straight lines.


@describe_arguments
def walton_braun_largest_overlap(impact_speed: Real, *, mass: Real, stiffness: Real) -> jax.Array:
    """Largest overlap ``v sqrt(m/k_1)`` [m] of an impact on virgin surfaces. Elementwise. Arguments
    as for ``walton_braun_restitution``.
    """
    return jnp.multiply(impact_speed, jnp.sqrt(mass / jnp.asarray(stiffness)))


def _walton_braun_unloading(
    largest: Real, stiffness: Real, unloading_ratio: Real, hardening: Real
) -> _Unloading:
    force = linear_force(largest, stiffness=stiffness)
    return _Unloading(force, force / (unloading_ratio * stiffness + hardening * force), 1)


@describe_arguments
def walton_braun_energy(
    memory: PlasticContact,
    overlap: Real,
    *,
    stiffness: Real,
    unloading_ratio: Real,
    hardening: Real,
) -> jax.Array:
    """Elastic energy ``F^2/(2 k_2)`` [J] stored at ``overlap``, after the largest overlap in
    ``memory`` (which it may exceed). Elementwise.

    Arguments as for ``walton_braun_force``.
    """
    largest = _larger(overlap, memory)
    return _energy(
        overlap, largest, _walton_braun_unloading(largest, stiffness, unloading_ratio, hardening)
    )


@describe_arguments
def walton_braun_dissipation(
    memory: PlasticContact, *, stiffness: Real, unloading_ratio: Real, hardening: Real
) -> jax.Array:
    """Energy dissipated so far [J]: that of first loading to the largest overlap, less what is
    stored there. Elementwise.

    Arguments as for ``walton_braun_force``.
    """
    largest = jnp.asarray(memory.largest_overlap)
    stored = walton_braun_energy(
        memory, largest, stiffness=stiffness, unloading_ratio=unloading_ratio, hardening=hardening
    )
    return elastic_energy(largest, stiffness=stiffness, exponent=1) - stored


@law(
    family="plastic",
    source=_WALTON,
    smoothness=0,
    example={
        "memory": PlasticContact(1e-4),
        "overlap": 0.8e-4,
        "stiffness": 1e6,
        "unloading_ratio": 1.7,
        "hardening": 100.0,
        "permanent": True,
    },
    variants=({"overlap": 1.5e-4}, {"permanent": False}, {"memory": PlasticContact(0.0)}),
    switches=({"overlap": 1e-4},),
    corners=(
        {"overlap": 0.0},
        {"memory": PlasticContact(0.0), "overlap": 0.0},
        {"overlap": -1e-4},
        {"unloading_ratio": 1.0},
    ),
)
def walton_braun_force(
    memory: PlasticContact,
    overlap: Real,
    *,
    stiffness: Real,
    unloading_ratio: Real,
    hardening: Real,
    permanent: bool = False,
) -> tuple[jax.Array, PlasticContact]:
    """``F = k_1 d`` on first loading, ``F = max(0, F* - k_2 (D - d))`` below the largest overlap
    ``D``, and the new memory. Elementwise.

    ``k_2 = ratio k_1 + S F*``: constant for ``S = 0``, else growing with the largest force ``F* =
    k_1 D``. Continuous, with a corner at ``D`` and one where the force ends, at the residual
    overlap ``D - F*/k_2``; never attractive. Restitution: ``walton_braun_restitution``.

    Source: Walton and Braun, J. Rheol. 30 (1986) 949-980.

    Args:
        memory: what was returned before; ``PlasticContact()`` for bodies that have not touched.
        overlap: ``d`` [m], from the surfaces as they were before they yielded.
        stiffness: ``k_1`` [N/m].
        unloading_ratio: ``k_2/k_1 >= 1`` [-] at small force.
        hardening: ``S`` [1/m].
        permanent: whether the residual overlap is there at the next contact (static); otherwise
            every contact is the first.
    """
    largest = _larger(overlap, memory)
    force = _force(
        overlap, largest, _walton_braun_unloading(largest, stiffness, unloading_ratio, hardening)
    )
    return force, _remembered(largest, overlap, permanent)


def _rounded(x: Real) -> jax.Array:
    """``max(x, 0)`` with its corner rounded between -1 and 1, ``(1 + x)^3 (3 - x)/16``: two
    derivatives, at most 3/16 more.
    """
    between = jnp.abs(x) < 1.0
    inside = jnp.where(between, x, 0.0)
    return jnp.where(between, (1.0 + inside) ** 3 * (3.0 - inside) / 16.0, positive_part(x))


@law(
    family="plastic",
    source=_WALTON + ", smoothed",
    smoothness=2,
    example={
        "memory": PlasticContact(1e-4),
        "overlap": 0.7e-4,
        "stiffness": 1e6,
        "unloading_ratio": 1.7,
        "width": 2e-5,
        "permanent": True,
    },
    variants=({"overlap": 1.5e-4}, {"permanent": False}, {"overlap": 1.05e-4}),
    switches=({"overlap": 0.8e-4},),
    corners=(
        {"overlap": 0.0},
        {"memory": PlasticContact(0.0), "overlap": 0.0},
        {"overlap": -1e-4},
        {"overlap": 1e-4},
    ),
)
def smooth_walton_braun_force(
    memory: PlasticContact,
    overlap: Real,
    *,
    stiffness: Real,
    unloading_ratio: Real,
    width: Real,
    permanent: bool = False,
) -> tuple[jax.Array, PlasticContact]:
    """``walton_braun_force`` without hardening, the corners rounded over ``width`` of the overlap.
    Elementwise.

    The largest overlap and the force each have two continuous derivatives. For the same memory the
    force differs from the hard one by at most ``(3/16) (k_2 - k_1) width`` from the first corner
    and ``(3/16) k_2 width`` from the second; the memory is at most ``(3/16) width`` larger. A
    contact at rest does not creep. Other arguments as for ``walton_braun_force``.

    Args:
        memory: what was returned before.
        overlap: ``d`` [m].
        stiffness: ``k_1`` [N/m].
        unloading_ratio: ``k_2/k_1 >= 1`` [-].
        width: [m]; a fraction of the overlaps, e.g. 0.01.
        permanent: whether the residual overlap is there at the next contact (static).
    """
    above = _rounded((overlap - memory.largest_overlap) / width)
    largest = jnp.add(memory.largest_overlap, width * above)
    unloading_stiffness = unloading_ratio * stiffness
    residual = largest * (1.0 - 1.0 / unloading_ratio)
    force = jnp.multiply(unloading_stiffness * width, _rounded((overlap - residual) / width))
    return force, _remembered(largest, overlap, permanent)


@law(
    family="plastic",
    source=_WALTON,
    smoothness=math.inf,
    example={
        "impact_speed": 2.0,
        "mass": 0.01,
        "stiffness": 1e6,
        "unloading_ratio": 1.7,
        "hardening": 100.0,
    },
    corners=({"impact_speed": 0.0}, {"hardening": 0.0}, {"unloading_ratio": 1.0}),
)
def walton_braun_restitution(
    impact_speed: Real, *, mass: Real, stiffness: Real, unloading_ratio: Real, hardening: Real
) -> jax.Array:
    """Restitution ``sqrt(k_1/k_2)`` [-] with ``k_2 = ratio k_1 + S v sqrt(m k_1)``: it falls with
    speed where ``S > 0``. Elementwise.

    Source: Walton and Braun, J. Rheol. 30 (1986) 949-980.

    Args:
        impact_speed: ``v`` [m/s].
        mass: effective mass ``m`` [kg].
        stiffness: ``k_1`` [N/m].
        unloading_ratio: ``k_2/k_1 >= 1`` [-] at small force.
        hardening: ``S`` [1/m].
    """
    largest = walton_braun_largest_overlap(impact_speed, mass=mass, stiffness=stiffness)
    return 1.0 / jnp.sqrt(unloading_ratio + hardening * largest)


# Thornton: Hertz until the pressure in the middle reaches a limit, which then spreads.


class _Yield(NamedTuple):
    """What follows from the yield pressure: overlap [m] and force [N] at first yield, and the slope
    ``pi p_y R`` [N/m] after it.
    """

    overlap: jax.Array
    force: jax.Array
    slope: Real


def _yield(effective_modulus: Real, effective_radius: Real, yield_pressure: Real) -> _Yield:
    overlap = (
        jnp.asarray(effective_radius) * (0.5 * math.pi * yield_pressure / effective_modulus) ** 2
    )
    slope = math.pi * yield_pressure * effective_radius
    return _Yield(overlap, jnp.multiply(2.0 / 3.0 * slope, overlap), slope)


def contact_yield_pressure(yield_stress: Real) -> Real:
    """Pressure ``p_y = 1.60 Y`` [Pa] in the middle of the contact at which a solid of yield stress
    ``Y`` [Pa] first yields. Elementwise.

    Von Mises' criterion at Poisson's ratio 0.3. Source: Johnson, Contact Mechanics (1985), equation
    6.9.
    """
    return 1.60 * yield_stress


@describe_arguments
def thornton_yield_speed(
    *, mass: Real, effective_modulus: Real, effective_radius: Real, yield_pressure: Real
) -> jax.Array:
    """Approach speed ``(pi/(2 E*))^2 (8 pi R^3/(15 m))^(1/2) p_y^(5/2)`` [m/s] from which an impact
    yields. Elementwise.

    Arguments as for ``thornton_restitution``, its source.
    """
    first = _yield(effective_modulus, effective_radius, yield_pressure)
    return jnp.sqrt(0.8 * first.force * first.overlap / mass)


def _thornton_loading(
    overlap: Real, effective_modulus: Real, effective_radius: Real, yield_pressure: Real
) -> jax.Array:
    """Hertz's force up to the first yield, then its tangent [N]: one continuous derivative."""
    first = _yield(effective_modulus, effective_radius, yield_pressure)
    beyond = positive_part(overlap - first.overlap)
    return (
        hertz_force(
            overlap - beyond, stiffness=hertz_stiffness(effective_modulus, effective_radius)
        )
        + first.slope * beyond
    )


def _thornton_unloading(
    largest: Real, effective_modulus: Real, effective_radius: Real, yield_pressure: Real
) -> _Unloading:
    """Hertz's law with the radius that the flattened contact of radius ``sqrt(R D)`` has: ``c = 3
    F*/(4 E* sqrt(R D))``.
    """
    force = _thornton_loading(largest, effective_modulus, effective_radius, yield_pressure)
    flattened = positive_power(effective_radius * largest, 0.5)
    touched = flattened > 0.0
    recovery = jnp.where(
        touched, 0.75 * force / (effective_modulus * jnp.where(touched, flattened, 1.0)), 0.0
    )
    return _Unloading(force, recovery, 1.5)


@describe_arguments
def thornton_energy(
    memory: PlasticContact,
    overlap: Real,
    *,
    effective_modulus: Real,
    effective_radius: Real,
    yield_pressure: Real,
) -> jax.Array:
    """Elastic energy [J] stored at ``overlap``, after the largest overlap in ``memory`` (which it
    may exceed). Elementwise.

    Arguments as for ``thornton_plastic_force``.
    """
    largest = _larger(overlap, memory)
    return _energy(
        overlap,
        largest,
        _thornton_unloading(largest, effective_modulus, effective_radius, yield_pressure),
    )


@describe_arguments
def thornton_dissipation(
    memory: PlasticContact, *, effective_modulus: Real, effective_radius: Real, yield_pressure: Real
) -> jax.Array:
    """Energy dissipated so far [J]: that of first loading to the largest overlap, less what is
    stored there. Elementwise.

    Arguments as for ``thornton_plastic_force``.
    """
    solid = {
        "effective_modulus": effective_modulus,
        "effective_radius": effective_radius,
        "yield_pressure": yield_pressure,
    }
    largest = jnp.asarray(memory.largest_overlap)
    first = _yield(**solid)
    beyond = positive_part(largest - first.overlap)
    elastic = elastic_energy(
        largest - beyond,
        stiffness=hertz_stiffness(effective_modulus, effective_radius),
        exponent=1.5,
    )
    return (
        elastic
        + beyond * (first.force + 0.5 * first.slope * beyond)
        - thornton_energy(memory, largest, **solid)
    )


_SOLID = {"effective_modulus": 1e11, "effective_radius": 5e-3, "yield_pressure": 1e9}
_YIELD_OVERLAP = 5e-3 * (0.5 * math.pi * 1e9 / 1e11) ** 2
_YIELD_SPEED = math.sqrt(0.8 * 2.0 / 3.0 * math.pi * 1e9 * 5e-3 * _YIELD_OVERLAP**2 / 4e-3)
"""``thornton_yield_speed`` of ``_SOLID`` and 4 g, without JAX: an import computes nothing."""


@law(
    family="plastic",
    source=_THORNTON,
    smoothness=0,
    example={"memory": PlasticContact(1e-5), "overlap": 0.9e-5, **_SOLID, "permanent": True},
    variants=(
        {"overlap": 1.5e-5},
        {"permanent": False},
        {"memory": PlasticContact(0.0), "overlap": 1e-6},
    ),
    switches=({"overlap": 1e-5},),
    corners=(
        *(
            {"overlap": 0.0},
            {"memory": PlasticContact(0.0), "overlap": 0.0},
            {"overlap": -1e-5},
            {"overlap": 1e-30},
        ),
        {"memory": PlasticContact(0.0), "overlap": 5e-3 * (0.5 * math.pi * 1e-2) ** 2},
    ),
)
def thornton_plastic_force(
    memory: PlasticContact,
    overlap: Real,
    *,
    effective_modulus: Real,
    effective_radius: Real,
    yield_pressure: Real,
    permanent: bool = False,
) -> tuple[jax.Array, PlasticContact]:
    """Force [N] of an elastic and perfectly plastic sphere, and the new memory. Elementwise.

    First loading: Hertz up to ``d_y = R (pi p_y/(2 E*))^2``, then ``F_y + pi p_y R (d - d_y)``; the
    slope is continuous there. Below the largest overlap ``D``: Hertz with the larger radius ``R_p =
    4 E* (R D)^(3/2)/(3 F*)`` of the flattened surface, ``F = (4/3) E* sqrt(R_p) (d - d_p)^(3/2)``,
    down to the residual overlap ``d_p = D - R D/R_p``. The slope jumps at ``D`` once it has
    yielded. Restitution: ``thornton_restitution``.

    Source: Thornton, J. Appl. Mech. 64 (1997) 383-386.

    Args:
        memory: what was returned before; ``PlasticContact()`` for bodies that have not touched.
        overlap: ``d`` [m], from the surfaces as they were before they yielded.
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        yield_pressure: ``p_y`` [Pa], e.g. ``contact_yield_pressure(yield_stress)``.
        permanent: whether the residual overlap is there at the next contact (static); otherwise
            every contact is the first.
    """
    largest = _larger(overlap, memory)
    force = _force(
        overlap,
        largest,
        _thornton_unloading(largest, effective_modulus, effective_radius, yield_pressure),
    )
    return force, _remembered(largest, overlap, permanent)


@law(
    family="plastic",
    source=_THORNTON,
    smoothness=1,
    example={"impact_speed": 1.0, "mass": 4e-3, **_SOLID},
    variants=({"impact_speed": 30.0},),
    switches=({"impact_speed": _YIELD_SPEED},),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e-6}),
)
def thornton_restitution(
    impact_speed: Real,
    *,
    mass: Real,
    effective_modulus: Real,
    effective_radius: Real,
    yield_pressure: Real,
) -> jax.Array:
    """Restitution [-] of ``thornton_plastic_force``: 1 up to the yield speed ``v_y``, then falling
    to ``v^(-1/4)``. Elementwise.

    ``e^2 = (6 sqrt(3)/5) (1 - r^2/6) (r/(r + 2 sqrt(6/5 - r^2/5)))^(1/2)``, ``r = v_y/v <= 1``.
    Source: Thornton, J. Appl. Mech. 64 (1997) 383-386.

    Args:
        impact_speed: ``v`` [m/s].
        mass: effective mass ``m`` [kg].
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        yield_pressure: ``p_y`` [Pa].
    """
    solid = {
        "effective_modulus": effective_modulus,
        "effective_radius": effective_radius,
        "yield_pressure": yield_pressure,
    }
    return restitution_above_yield(impact_speed, thornton_yield_speed(mass=mass, **solid))


@law(
    family="plastic",
    source=_THORNTON,
    smoothness=1,
    example={"impact_speed": 1.0, "yield_speed": 0.3},
    variants=({"impact_speed": 0.1},),
    switches=({"impact_speed": 0.3},),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}),
)
def restitution_above_yield(impact_speed: Real, yield_speed: Real) -> jax.Array:
    """``thornton_restitution`` [-] as a function of the speed ``v`` and the speed ``v_y`` [m/s]
    from which impacts yield. Elementwise.
    """
    yields = jnp.greater(impact_speed, yield_speed)
    r = jnp.where(yields, yield_speed / jnp.where(yields, impact_speed, 1.0), 1.0)
    squared = (
        1.2
        * math.sqrt(3.0)
        * (1.0 - r * r / 6.0)
        * jnp.sqrt(r / (r + 2.0 * jnp.sqrt((6.0 - r * r) / 5.0)))
    )
    return jnp.where(yields, jnp.sqrt(squared), 1.0)


@describe_arguments
def thornton_largest_overlap(
    impact_speed: Real,
    *,
    mass: Real,
    effective_modulus: Real,
    effective_radius: Real,
    yield_pressure: Real,
) -> jax.Array:
    """Largest overlap [m] of an impact on virgin surfaces: where the first loading has taken ``m
    v^2/2``. Elementwise.

    Arguments as for ``thornton_restitution``.
    """
    first = _yield(effective_modulus, effective_radius, yield_pressure)
    energy = 0.5 * mass * jnp.asarray(impact_speed) ** 2
    at_yield = 0.4 * first.force * first.overlap
    plastic = positive_part(energy - at_yield)
    elastic = first.overlap * positive_power((energy - plastic) / at_yield, 0.4)
    # The positive root of slope x^2/2 + force x = plastic, without cancellation where little has
    # yielded.
    return elastic + 2.0 * plastic / (
        first.force + jnp.sqrt(first.force**2 + 2.0 * first.slope * plastic)
    )


LOADING, ELASTIC, EMPTY, VIRGIN = range(4)
"""Branches: first loading, unloading and loading again, no force in the dent, first loading before
it yields.
"""


class _Plastic(BranchedLaw[PlasticContact]):
    """What a plastic law does with its parameters; in a simulation its branches are
    ``laws.core.branches``. Every contact is the first.
    """

    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N] in an impact on virgin surfaces: first loading while the overlap grows,
        unloading from the largest one after.
        """
        largest = self.largest_overlap(impact_speed, mass=mass)
        memory = PlasticContact(jnp.where(jnp.greater_equal(overlap_rate, 0.0), 0.0, largest))
        return self.force_with_memory(memory, overlap)[0]

    @abc.abstractmethod
    def largest_overlap(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Largest overlap [m] of an impact on virgin surfaces."""

    @abc.abstractmethod
    def _loading(self, overlap: Real) -> jax.Array:
        """Force [N] of first loading."""

    @abc.abstractmethod
    def _unloading(self, largest: Real) -> _Unloading:
        """Unloading from the largest overlap."""

    def _yields_at(self) -> Real:
        """Overlap [m] up to which the first loading is elastic."""
        return 0.0

    def unloaded(self, contacts: int) -> PlasticContact:
        """Memory of contacts that begin."""
        return PlasticContact(jnp.zeros(contacts))

    def energy(self, memory: PlasticContact, overlap: Real) -> jax.Array:
        """Elastic energy [J] stored at ``overlap``."""
        largest = _larger(overlap, memory)
        return _energy(overlap, largest, self._unloading(largest))

    def begun(self, memory: PlasticContact, overlap: Real) -> OnBranch:
        """Contacts that begin at ``overlap``."""
        return OnBranch(jnp.where(jnp.less(overlap, self._yields_at()), VIRGIN, LOADING), memory)

    def branch_force(self, on: OnBranch, overlap: Real) -> jax.Array:
        """Normal force [N] on the present branch."""
        largest = jnp.asarray(on.memory.largest_overlap)
        elastic = _force(overlap, largest, self._unloading(largest))
        first = (on.branch == LOADING) | (on.branch == VIRGIN)
        return jnp.where(
            first, self._loading(overlap), jnp.where(on.branch == ELASTIC, elastic, 0.0)
        )

    def reach(self, on: OnBranch) -> Reach:
        """How far the present branch goes."""
        largest = jnp.asarray(on.memory.largest_overlap)
        residual = largest - self._unloading(largest).recovery
        elastic, empty = on.branch == ELASTIC, on.branch == EMPTY
        upper = jnp.where(elastic, largest, jnp.where(empty, residual, jnp.inf))
        upper = jnp.where(on.branch == VIRGIN, self._yields_at(), upper)
        lower = jnp.where(elastic, residual, -jnp.inf)
        return Reach(lower, upper, on.branch == LOADING, jnp.where(elastic, residual, 0.0))

    def switched(self, on: OnBranch, overlap: Real, falls: Real) -> OnBranch:
        """The branch after the present one has ended at ``overlap``."""
        turns = on.branch == LOADING
        down = jnp.where(turns, ELASTIC, EMPTY)
        up = jnp.where(on.branch == EMPTY, ELASTIC, LOADING)
        largest = jnp.where(turns, overlap, on.memory.largest_overlap)
        return OnBranch(jnp.where(falls, down, up), PlasticContact(largest))

    def end_overlap(self, on: OnBranch) -> jax.Array:
        """Overlap [m] at which the contact ends."""
        return jnp.zeros_like(on.memory.largest_overlap)

    def resting(self, on: OnBranch, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]: on the way back from the largest overlap, or
        beyond that by first loading.
        """
        largest = jnp.asarray(on.memory.largest_overlap)
        force, recovery, power = self._unloading(largest)
        loaded = jnp.greater(load, 0.0)
        held = jnp.greater(force, load) & loaded
        fraction = positive_power(
            jnp.where(held, load / jnp.where(held, force, 1.0), 1.0), 1.0 / power
        )
        back = largest - recovery * (1.0 - fraction)
        return jnp.where(
            held, back, jnp.where(loaded, self.static_overlap(load), largest - recovery)
        )

    def rested(self, on: OnBranch, overlap: Real) -> OnBranch:
        """Memory of a contact that has come to rest at ``overlap``."""
        return OnBranch(
            jnp.full_like(on.branch, ELASTIC), PlasticContact(_larger(overlap, on.memory))
        )


@model
class WaltonBraun(_Plastic):
    """``walton_braun_force``: linear loading, stiffer unloading; restitution ``sqrt(k_1/k_2)``,
    falling with speed where ``hardening > 0``.

    Source: Walton and Braun, J. Rheol. 30 (1986) 949-980.

    Example:
        >>> ball = jc.WaltonBraun(stiffness=1e5, unloading_ratio=4.0)
        >>> print(f"{ball.restitution_at(1.0, mass=0.01):.2f}")
        0.50
    """

    stiffness: Real = of(QUANTITIES["stiffness"])
    unloading_ratio: Real = of(QUANTITIES["unloading_ratio"])
    hardening: Real = of(QUANTITIES["hardening"], default=0.0)

    def _law(self) -> dict[str, Any]:
        return {
            "stiffness": self.stiffness,
            "unloading_ratio": self.unloading_ratio,
            "hardening": self.hardening,
        }

    def force_with_memory(
        self, memory: PlasticContact, overlap: Real
    ) -> tuple[jax.Array, PlasticContact]:
        """Normal force [N] of ``overlap`` [m] after what is in the memory, and the new memory."""
        return walton_braun_force(memory, overlap, **self._law())

    def largest_overlap(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Largest overlap [m] of an impact on virgin surfaces."""
        return walton_braun_largest_overlap(impact_speed, mass=mass, stiffness=self.stiffness)

    def _loading(self, overlap: Real) -> jax.Array:
        return linear_force(overlap, stiffness=self.stiffness)

    def _unloading(self, largest: Real) -> _Unloading:
        return _walton_braun_unloading(largest, **self._law())

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] of an impact and time scale [s] of its unloading, the faster part."""
        overlap = self.largest_overlap(impact_speed, mass=mass)
        unloading = self.unloading_ratio * jnp.asarray(
            self.stiffness
        ) + self.hardening * linear_force(overlap, stiffness=self.stiffness)
        return overlap, jnp.sqrt(mass / unloading)

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N] on virgin surfaces."""
        return static_overlap(load, stiffness=self.stiffness, exponent=1)

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s] with an effective mass [kg]."""
        return walton_braun_restitution(impact_speed, mass=mass, **self._law())


@model
class ThorntonPlastic(_Plastic):
    """``thornton_plastic_force``: Hertz until the contact yields; restitution 1 up to a yield
    speed, then falling to ``v^(-1/4)``.

    Source: Thornton, J. Appl. Mech. 64 (1997) 383-386.

    Example:
        >>> ball = jc.ThorntonPlastic(
        ...     effective_modulus=1e11, effective_radius=0.01, yield_pressure=2e9
        ... )
        >>> print(f"{ball.restitution_at(1.0, mass=0.03):.3f}")
        0.861
    """

    effective_modulus: Real = of(QUANTITIES["effective_modulus"])
    effective_radius: Real = of(QUANTITIES["effective_radius"])
    yield_pressure: Real = of(QUANTITIES["yield_pressure"])

    def _law(self) -> dict[str, Any]:
        return {
            "effective_modulus": self.effective_modulus,
            "effective_radius": self.effective_radius,
            "yield_pressure": self.yield_pressure,
        }

    def force_with_memory(
        self, memory: PlasticContact, overlap: Real
    ) -> tuple[jax.Array, PlasticContact]:
        """Normal force [N] of ``overlap`` [m] after what is in the memory, and the new memory."""
        return thornton_plastic_force(memory, overlap, **self._law())

    def largest_overlap(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Largest overlap [m] of an impact on virgin surfaces."""
        return thornton_largest_overlap(impact_speed, mass=mass, **self._law())

    def _loading(self, overlap: Real) -> jax.Array:
        return _thornton_loading(overlap, **self._law())

    def _unloading(self, largest: Real) -> _Unloading:
        return _thornton_unloading(largest, **self._law())

    def _yields_at(self) -> Real:
        return _yield(**self._law()).overlap

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] and time scale [s] of an elastic impact: a plastic one is deeper, its
        unloading hardly faster.
        """
        stiffness = hertz_stiffness(self.effective_modulus, self.effective_radius)
        overlap = (jnp.multiply(mass, jnp.square(impact_speed)) / stiffness) ** 0.4
        return overlap, overlap / impact_speed

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N] on virgin surfaces."""
        first = _yield(**self._law())
        beyond = positive_part(load - first.force)
        return static_overlap(
            load - beyond,
            stiffness=hertz_stiffness(self.effective_modulus, self.effective_radius),
            exponent=1.5,
        ) + (beyond / first.slope)

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s] with an effective mass [kg]."""
        return thornton_restitution(impact_speed, mass=mass, **self._law())


_IMPACT: dict[str, Any] = {
    "overlap": 0.8e-5,
    "overlap_rate": 0.3,
    "impact_speed": 0.7,
    "mass": 4e-3,
}

law(
    name="WaltonBraun",
    family="normal law",
    source=_WALTON,
    smoothness=0,
    example={"self": WaltonBraun(stiffness=1e6, unloading_ratio=1.7, hardening=100.0), **_IMPACT},
    variants=({"overlap": 4e-5, "overlap_rate": -0.1},),
    switches=({"overlap": 0.0},),
    corners=(
        {"overlap": -1e-5},
        {"overlap_rate": 0.0},
        {"impact_speed": 0.0},
        {"impact_speed": 0.0, "overlap_rate": -0.1},
    ),
)(WaltonBraun.force)
law(
    name="ThorntonPlastic",
    family="normal law",
    source=_THORNTON,
    smoothness=1,
    example={"self": ThorntonPlastic(**_SOLID), **_IMPACT},
    variants=({"overlap": 1.2e-5, "overlap_rate": -0.1},),
    switches=({"overlap": 0.0},),
    corners=(
        {"overlap": -1e-5},
        {"overlap_rate": 0.0},
        {"impact_speed": 0.0},
        {"impact_speed": 0.0, "overlap_rate": -0.1},
    ),
)(ThorntonPlastic.force)
