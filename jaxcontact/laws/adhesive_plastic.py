"""Adhesive elasto-plastic normal force: three branches between loading, unloading and sticking, with a plastic overlap as memory.

With the overlap ``d``, its plastic part ``d_p`` and the plasticity ratio ``l``::

    virgin loading         L = K d^n,
    unloading, reloading   U = K/(1 - l) (d^n - d_p^n),
    adhesion               A = -K_a d^m,

    F = min(L, max(U, A)) - F_0    for d > 0, else 0,     d_p = l^(1/n) max d since touch-down.

Beyond the largest overlap so far ``U > L``, so ``L`` acts; from there on the contact unloads along ``U``, which is stiffer by ``1/(1 - l)``
and ends on ``A``. Nothing is remembered of the adhesive branch: it is retraced on reloading.

Source: Thakur, Morrissey, Sun, Chen and Ooi, Granular Matter 16 (2014) 383-400 (Edinburgh elasto-plastic adhesion model), as Exudyn has it.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.catalogue import law
from jaxcontact.laws.elastic import power_law_force
from jaxcontact.smooth import Real, positive_power, safe_norm


class PlasticOverlap(NamedTuple):
    """What the contact remembers; zero before touch-down.

    Attributes:
        plastic_overlap: ``d_p >= 0`` [m].
    """

    plastic_overlap: Real = 0.0


class Branches(NamedTuple):
    """The forces [N] between which the law chooses: ``L``, ``U`` and ``A`` above."""

    virgin: jax.Array
    unloading: jax.Array
    adhesion: jax.Array


def _odd_power(overlap: Real, exponent: Real) -> jax.Array:
    """``sign(d) |d|^n``."""
    return jnp.sign(overlap) * positive_power(jnp.abs(overlap), exponent)


def branches(
    memory: PlasticOverlap,
    overlap: Real,
    *,
    stiffness: Real,
    exponent: Real,
    plasticity_ratio: Real,
    adhesion_stiffness: Real,
    adhesion_exponent: Real,
) -> Branches:
    """The three branches, continued to negative overlap as odd functions of it (for callers that decide otherwise what a contact is)."""
    power = _odd_power(overlap, exponent)
    return Branches(
        stiffness * power,
        stiffness / (1.0 - plasticity_ratio) * (power - positive_power(memory.plastic_overlap, exponent)),
        -adhesion_stiffness * _odd_power(overlap, adhesion_exponent),
    )


def active_branch(choices: Branches) -> jax.Array:
    """``min(L, max(U, A))`` [N], and ``L`` wherever ``U >= L``."""
    virgin, unloading, adhesion = choices
    return jnp.where(unloading >= virgin, virgin, jnp.where(unloading > adhesion, unloading, adhesion))


def updated_plastic_overlap(memory: PlasticOverlap, overlap: Real, *, exponent: Real, plasticity_ratio: Real) -> PlasticOverlap:
    """``max(l^(1/n) d, d_p)`` in contact, 0 without."""
    reached = positive_power(plasticity_ratio, 1.0 / exponent) * overlap
    grown = jnp.where(reached > memory.plastic_overlap, reached, memory.plastic_overlap)
    return PlasticOverlap(jnp.where(jnp.greater(overlap, 0.0), grown, 0.0))


# Unloading; K/(1 - l) = 2e4 N/m, so that U = A at d = d_p/2 and U = L at d = 2 d_p.
_EXAMPLE = {
    "memory": PlasticOverlap(1e-3),
    "overlap": 1.4e-3,
    "stiffness": 1e4,
    "exponent": 1.0,
    "plasticity_ratio": 0.5,
    "adhesion_stiffness": 2e4,
    "adhesion_exponent": 1.0,
    "pull_off_force": 2.0,
}
_OTHER_BRANCHES = (
    {"overlap": 3e-3},
    {"overlap": 2e-4},
    {"exponent": 1.5, "overlap": 1.25e-3},
    {"exponent": 1.5, "adhesion_exponent": 2.0, "overlap": 3e-4},
)
_SWITCHES = ({"overlap": 0.0}, {"overlap": 2e-3}, {"overlap": 5e-4})
_CORNERS = (
    {"overlap": -1e-3},
    {"overlap": 1e-6},
    {"overlap": 0.0, "memory": PlasticOverlap(0.0)},
    {"memory": PlasticOverlap(0.0)},
    {"plasticity_ratio": 0.0},
    {"plasticity_ratio": 0.0, "exponent": 1.5, "memory": PlasticOverlap(0.0)},
    {"plasticity_ratio": 0.99},
    {"adhesion_stiffness": 0.0, "overlap": 1e-4},
    {"adhesion_exponent": 0.0, "overlap": 1e-4},
    {"stiffness": 0.0},
)


@law(
    family="plastic and adhesive",
    source="Thakur et al., Granular Matter 16 (2014) 383-400",
    smoothness=lambda overlap, **_: -1 if overlap == 0.0 else 0,
    example=_EXAMPLE,
    variants=_OTHER_BRANCHES,
    switches=_SWITCHES,
    corners=(*_CORNERS, {"overlap": 1e-20}),
)
def adhesive_plastic_force(
    memory: PlasticOverlap,
    overlap: Real,
    *,
    stiffness: Real,
    exponent: Real,
    plasticity_ratio: Real,
    adhesion_stiffness: Real,
    adhesion_exponent: Real,
    pull_off_force: Real,
) -> tuple[jax.Array, PlasticOverlap]:
    """``F = min(L, max(U, A)) - F_0`` [N], positive when it repels, and the memory after. Elementwise.

    Jumps to ``-F_0`` at touch-down; continuous with kinks where the branches meet.

    Args:
        memory: plastic overlap before.
        overlap: ``d`` [m].
        stiffness: ``K`` of first loading [N/m^n].
        exponent: ``n > 0`` [-].
        plasticity_ratio: ``l`` in [0, 1) [-]; 0 is elastic.
        adhesion_stiffness: ``K_a >= 0`` [N/m^m].
        adhesion_exponent: ``m >= 0`` [-].
        pull_off_force: ``F_0 >= 0`` [N].
    """
    choices = branches(
        memory,
        overlap,
        stiffness=stiffness,
        exponent=exponent,
        plasticity_ratio=plasticity_ratio,
        adhesion_stiffness=adhesion_stiffness,
        adhesion_exponent=adhesion_exponent,
    )
    force = jnp.where(jnp.greater(overlap, 0.0), active_branch(choices) - pull_off_force, 0.0)
    return force, updated_plastic_overlap(memory, overlap, exponent=exponent, plasticity_ratio=plasticity_ratio)


def _smooth_maximum(a: Real, b: Real, width: Real) -> jax.Array:
    """``(a + b + sqrt((a - b)^2 + w^2))/2``: above ``max(a, b)`` by at most ``w/2``, at ``a = b``."""
    return 0.5 * (a + b + safe_norm(jnp.stack([a - b, width], axis=-1)))


@law(
    family="plastic and adhesive",
    source="smooth form of adhesive_plastic_force",
    smoothness=lambda overlap, **_: -1 if overlap == 0.0 else math.inf,
    example=_EXAMPLE | {"smoothing": 0.05},
    variants=_OTHER_BRANCHES,
    switches=({"overlap": 0.0}, {"overlap": 5e-4}),
    corners=(*_CORNERS, {"overlap": 2e-3}),
    approximates="adhesive_plastic_force",
    within=lambda overlap, stiffness, exponent, smoothing, **_: (
        0.5 * smoothing * power_law_force(overlap, stiffness=stiffness, exponent=exponent)
    ),
)
def smooth_adhesive_plastic_force(
    memory: PlasticOverlap,
    overlap: Real,
    *,
    stiffness: Real,
    exponent: Real,
    plasticity_ratio: Real,
    adhesion_stiffness: Real,
    adhesion_exponent: Real,
    pull_off_force: Real,
    smoothing: Real,
) -> tuple[jax.Array, PlasticOverlap]:
    """``adhesive_plastic_force`` with rounded corners between the branches: in contact, derivatives of every order. Elementwise.

    Minimum and maximum become ``(a + b -+ sqrt((a - b)^2 + (h L)^2))/2``. The result differs from the hard form by at most ``h L/2``,
    half the fraction ``h`` of the force of first loading at this overlap: at ``U = L`` and ``U = A``; elsewhere by ``h^2`` times forces.

    The force is smooth for a given memory. The memory after it is the hard form's, a running maximum with its corner. The jump to
    ``-F_0`` at touch-down remains.

    Args:
        memory: plastic overlap before.
        overlap: ``d`` [m].
        stiffness: ``K`` of first loading [N/m^n].
        exponent: ``n > 0`` [-].
        plasticity_ratio: ``l`` in [0, 1) [-].
        adhesion_stiffness: ``K_a >= 0`` [N/m^m].
        adhesion_exponent: ``m >= 0`` [-].
        pull_off_force: ``F_0 >= 0`` [N].
        smoothing: ``h > 0`` [-], e.g. 0.01.
    """
    virgin, unloading, adhesion = branches(
        memory,
        overlap,
        stiffness=stiffness,
        exponent=exponent,
        plasticity_ratio=plasticity_ratio,
        adhesion_stiffness=adhesion_stiffness,
        adhesion_exponent=adhesion_exponent,
    )
    width = smoothing * virgin
    hysteretic = -_smooth_maximum(-virgin, -_smooth_maximum(unloading, adhesion, width), width)
    force = jnp.where(jnp.greater(overlap, 0.0), hysteretic - pull_off_force, 0.0)
    return force, updated_plastic_overlap(memory, overlap, exponent=exponent, plasticity_ratio=plasticity_ratio)
