"""Adhesive elasto-plastic normal force: three branches between loading, unloading and sticking,
with a plastic overlap as memory.

With the overlap ``d``, its plastic part ``d_p`` and the plasticity ratio ``l``::

    virgin loading         L = K d^n,
    unloading, reloading   U = K/(1 - l) (d^n - d_p^n),
    adhesion               A = -K_a d^m,

    F = min(L, max(U, A)) - F_0    for d > 0, else 0,     d_p = l^(1/n) max d since touch-down.

Beyond the largest overlap so far ``U > L``, so ``L`` acts; from there on the contact unloads along
``U``, which is stiffer by ``1/(1 - l)`` and ends on ``A``. Nothing is remembered of the adhesive
branch: it is retraced on reloading.

Source: Thakur, Morrissey, Sun, Chen and Ooi, Granular Matter 16 (2014) 383-400 (Edinburgh
elasto-plastic adhesion model), as Exudyn has it.

Example:
    >>> from jaxcontact.laws import adhesive_plastic
    >>> powder = adhesive_plastic.AdhesivePlastic(stiffness=1e3, plasticity_ratio=0.5)
    >>> print(f"{powder.force(1e-5, 0.0, impact_speed=0.1, mass=1e-6):.4f} N")
    0.0100 N
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.branches import BranchedLaw, OnBranch, Reach
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.normal.elastic import power_law_force
from jaxcontact.numerics.smooth import Real, implicit_root, positive_part, positive_power, safe_norm
from jaxcontact.parameters import model, of


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


@describe_arguments
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
    """The three branches, continued to negative overlap as odd functions of it (for callers that
    decide otherwise what a contact is).
    """
    power = _odd_power(overlap, exponent)
    return Branches(
        jnp.multiply(stiffness, power),
        jnp.multiply(
            stiffness / (1.0 - plasticity_ratio),
            power - positive_power(memory.plastic_overlap, exponent),
        ),
        jnp.multiply(-adhesion_stiffness, _odd_power(overlap, adhesion_exponent)),
    )


def active_branch(choices: Branches) -> jax.Array:
    """``min(L, max(U, A))`` [N], and ``L`` wherever ``U >= L``."""
    virgin, unloading, adhesion = choices
    return jnp.where(
        unloading >= virgin, virgin, jnp.where(unloading > adhesion, unloading, adhesion)
    )


@describe_arguments
def updated_plastic_overlap(
    memory: PlasticOverlap, overlap: Real, *, exponent: Real, plasticity_ratio: Real
) -> PlasticOverlap:
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
    """``F = min(L, max(U, A)) - F_0`` [N], positive when it repels, and the memory after.
    Elementwise.

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
    return force, updated_plastic_overlap(
        memory, overlap, exponent=exponent, plasticity_ratio=plasticity_ratio
    )


def _smooth_maximum(a: Real, b: Real, width: Real) -> jax.Array:
    """``(a + b + sqrt((a - b)^2 + w^2))/2``: above ``max(a, b)`` by at most ``w/2``, at ``a =
    b``.
    """
    return 0.5 * jnp.add(a + b, safe_norm(jnp.stack([a - b, width], axis=-1)))


def smooth_active_branch(choices: Branches, width: Real) -> jax.Array:
    """``min(L, max(U, A))`` [N] with both corners rounded off: within ``width/2`` [N] of
    ``active_branch``, with derivatives of every order where ``width`` is positive.
    """
    virgin, unloading, adhesion = choices
    return -_smooth_maximum(-virgin, -_smooth_maximum(unloading, adhesion, width), width)


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
    """``adhesive_plastic_force`` with rounded corners between the branches: in contact, derivatives
    of every order. Elementwise.

    Minimum and maximum become ``(a + b -+ sqrt((a - b)^2 + (h L)^2))/2``. The result differs from
    the hard form by at most ``h L/2``, half the fraction ``h`` of the force of first loading at
    this overlap: at ``U = L`` and ``U = A``; elsewhere by ``h^2`` times forces.

    The force is smooth for a given memory. The memory after it is the hard form's, a running
    maximum with its corner. The jump to ``-F_0`` at touch-down remains.

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
    choices = branches(
        memory,
        overlap,
        stiffness=stiffness,
        exponent=exponent,
        plasticity_ratio=plasticity_ratio,
        adhesion_stiffness=adhesion_stiffness,
        adhesion_exponent=adhesion_exponent,
    )
    hysteretic = smooth_active_branch(choices, smoothing * choices.virgin)
    force = jnp.where(jnp.greater(overlap, 0.0), hysteretic - pull_off_force, 0.0)
    return force, updated_plastic_overlap(
        memory, overlap, exponent=exponent, plasticity_ratio=plasticity_ratio
    )


LOADING, ELASTIC, ADHESIVE, DRAWN, SLACK = range(5)
"""Branches: ``L`` and ``U`` while they press, ``A``, and ``L`` and ``U`` while the force draws."""

BISECTIONS, ENERGY_STEPS = 50, 60


@describe_arguments
def adhesive_overlap(
    plastic_overlap: Real,
    *,
    stiffness: Real,
    exponent: Real,
    plasticity_ratio: Real,
    adhesion_stiffness: Real,
    adhesion_exponent: Real,
) -> jax.Array:
    """Overlap [m] at which unloading meets adhesion, ``U = A``; 0 where it never does. Elementwise.

    With ``x = d/d_p``: ``x^n - 1 + c x^m = 0``, ``c = (1 - l) K_a d_p^(m - n)/K``. Arguments as for
    ``adhesive_plastic_force``.
    """
    plastic = jnp.greater(plastic_overlap, 0.0) & jnp.greater(stiffness, 0.0)
    scale = jnp.where(plastic, plastic_overlap, 1.0)
    ratio = (1.0 - plasticity_ratio) * adhesion_stiffness / jnp.where(plastic, stiffness, 1.0)
    ratio = ratio * scale**adhesion_exponent / scale**exponent

    def left(
        x: jax.Array, ratio: jax.Array, exponent: jax.Array, adhesion_exponent: jax.Array
    ) -> jax.Array:
        return x**exponent - 1.0 + ratio * x**adhesion_exponent

    parameters = jnp.broadcast_arrays(
        *(jnp.asarray(value, ratio.dtype) for value in (ratio, exponent, adhesion_exponent))
    )
    frozen = jax.lax.stop_gradient(parameters)

    def halve(_: Any, ends: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        middle = (ends[0] + ends[1]) / 2
        beyond = left(middle, *frozen) > 0.0
        return jnp.where(beyond, ends[0], middle), jnp.where(beyond, middle, ends[1])

    _, guess = jax.lax.fori_loop(
        0, BISECTIONS, halve, (jnp.zeros_like(ratio), jnp.ones_like(ratio))
    )
    meets = plastic & (guess > 1e-9)
    root = implicit_root(
        left,
        jnp.where(meets, guess, 1.0),
        *(jnp.where(meets, value, 1.0) for value in parameters),
        steps=1,
    )
    return jnp.where(meets, plastic_overlap * root, 0.0)


def _is_virgin(on: OnBranch) -> jax.Array:
    return (on.branch == LOADING) | (on.branch == DRAWN)


@model
class AdhesivePlastic(BranchedLaw[PlasticOverlap]):
    """``adhesive_plastic_force``: first loading, stiffer unloading, and adhesion that grows with
    the plastic overlap. No damping.

    With ``exponent = adhesion_exponent = 1`` the straight lines of Walton and Braun with adhesion.
    A contact whose deformation takes too much of its energy sticks. Every contact is the first.

    Source: Thakur, Morrissey, Sun, Chen and Ooi, Granular Matter 16 (2014) 383-400.

    Args:
        stiffness: ``K`` of first loading [N/m^n].
        exponent: ``n`` [-].
        plasticity_ratio: ``l`` [-]; 0 is elastic.
        adhesion_stiffness: ``K_a`` [N/m^m].
        adhesion_exponent: ``m`` [-].
        pull_off_force: ``F_0`` [N].

    Example:
        >>> powder = jc.AdhesivePlastic(
        ...     stiffness=1e3, plasticity_ratio=0.5, adhesion_stiffness=200.0
        ... )
        >>> print(f"{powder.force(1e-5, 0.0, impact_speed=0.1, mass=1e-6):.4f} N")
        0.0100 N
    """

    stiffness: Real = of(QUANTITIES["stiffness"])
    exponent: Real = of(QUANTITIES["exponent"], default=1.0)
    plasticity_ratio: Real = of(QUANTITIES["plasticity_ratio"])
    adhesion_stiffness: Real = of(QUANTITIES["adhesion_stiffness"], default=0.0)
    adhesion_exponent: Real = of(QUANTITIES["adhesion_exponent"], default=1.0)
    pull_off_force: Real = of(QUANTITIES["pull_off_force"], default=0.0)

    def _branches(self) -> dict[str, Any]:
        return {
            "stiffness": self.stiffness,
            "exponent": self.exponent,
            "plasticity_ratio": self.plasticity_ratio,
            "adhesion_stiffness": self.adhesion_stiffness,
            "adhesion_exponent": self.adhesion_exponent,
        }

    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N] in an impact on virgin surfaces: first loading while the overlap grows,
        unloading from the largest one after.
        """
        largest = self.largest_overlap(impact_speed, mass=mass)
        remembered = jnp.where(jnp.greater_equal(overlap_rate, 0.0), 0.0, self._plastic(largest))
        return self.force_with_memory(PlasticOverlap(remembered), overlap)[0]

    def _plastic(self, largest: Real) -> jax.Array:
        return positive_power(self.plasticity_ratio, 1.0 / jnp.asarray(self.exponent)) * largest

    def unloaded(self, contacts: int) -> PlasticOverlap:
        """Memory of contacts that begin."""
        return PlasticOverlap(jnp.zeros(contacts))

    def force_with_memory(
        self, memory: PlasticOverlap, overlap: Real
    ) -> tuple[jax.Array, PlasticOverlap]:
        """Normal force [N] of ``overlap`` [m] after what is in the memory, and the new memory."""
        return adhesive_plastic_force(
            memory, overlap, **self._branches(), pull_off_force=self.pull_off_force
        )

    def _meets(self, plastic: Real) -> jax.Array:
        return adhesive_overlap(plastic, **self._branches())

    def energy(self, memory: PlasticOverlap, overlap: Real) -> jax.Array:
        """What the contact gives back on its way out from ``overlap`` [J], along ``U`` and ``A``;
        negative where that takes work.
        """
        plastic = updated_plastic_overlap(
            memory, overlap, exponent=self.exponent, plasticity_ratio=self.plasticity_ratio
        ).plastic_overlap
        inside = positive_part(overlap)
        meets = jnp.minimum(self._meets(plastic), inside)
        n, m = jnp.asarray(self.exponent), jnp.asarray(self.adhesion_exponent)
        adhesive = self.adhesion_stiffness * positive_power(meets, m + 1.0) / (m + 1.0)
        raised = (positive_power(inside, n + 1.0) - positive_power(meets, n + 1.0)) / (n + 1.0)
        elastic = jnp.multiply(
            self.stiffness / (1.0 - self.plasticity_ratio),
            raised - positive_power(plastic, n) * (inside - meets),
        )
        return elastic - adhesive - self.pull_off_force * inside

    def begun(self, memory: PlasticOverlap, overlap: Real) -> OnBranch:
        """Contacts that begin at ``overlap``."""
        draws = jnp.less(overlap, self._first_pressing())
        return OnBranch(jnp.where(draws, DRAWN, LOADING), memory)

    def branch_force(self, on: OnBranch, overlap: Real) -> jax.Array:
        """Normal force [N] on the present branch."""
        virgin, unloading, adhesion = branches(on.memory, overlap, **self._branches())
        force = jnp.where(
            _is_virgin(on), virgin, jnp.where(on.branch == ADHESIVE, adhesion, unloading)
        )
        return force - self.pull_off_force

    def _first_pressing(self) -> jax.Array:
        """Overlap [m] from which on first loading presses."""
        draws = jnp.greater(self.pull_off_force, 0.0)
        ratio = jnp.where(draws, self.pull_off_force, 1.0) / jnp.asarray(self.stiffness)
        return jnp.where(draws, positive_power(ratio, 1.0 / jnp.asarray(self.exponent)), 0.0)

    def _largest(self, on: OnBranch) -> jax.Array:
        """Largest overlap so far [m], infinite where nothing has yielded."""
        plastic = jnp.asarray(on.memory.plastic_overlap)
        deformed = plastic > 0.0
        share = self._plastic(1.0)
        return jnp.where(deformed, plastic / jnp.where(deformed, share, 1.0), jnp.inf)

    def reach(self, on: OnBranch) -> Reach:
        """How far the present branch goes."""
        plastic = jnp.asarray(on.memory.plastic_overlap)
        meets, presses = self._meets(plastic), self.resting(on, 0.0)
        lower = jnp.where(on.branch == ELASTIC, jnp.maximum(meets, presses), meets)
        unloads = (on.branch == ELASTIC) | (on.branch == SLACK)
        upper = jnp.select(
            [on.branch == ELASTIC, on.branch == SLACK, on.branch == ADHESIVE, on.branch == DRAWN],
            [
                self._largest(on),
                jnp.minimum(self._largest(on), presses),
                meets,
                jnp.broadcast_to(self._first_pressing(), plastic.shape),
            ],
            jnp.inf,
        )
        return Reach(
            jnp.where(unloads & (lower > 0.0), lower, -jnp.inf),
            upper,
            _is_virgin(on),
            jnp.zeros_like(plastic),
        )

    def switched(self, on: OnBranch, overlap: Real, falls: Real) -> OnBranch:
        """The branch after the present one has ended at ``overlap``."""
        turns = _is_virgin(on) & falls
        plastic = jnp.where(turns, self._plastic(overlap), on.memory.plastic_overlap)
        # Without adhesion unloading ends where it draws no more, on the branch of no force.
        slack = self.resting(on, 0.0) > self._meets(on.memory.plastic_overlap)
        down = jnp.select(
            [on.branch == LOADING, on.branch == DRAWN, (on.branch == ELASTIC) & slack],
            [ELASTIC, SLACK, SLACK],
            ADHESIVE,
        )
        pressed = self._largest(on) > self._first_pressing()
        up = jnp.select(
            [(on.branch == ADHESIVE) & slack, on.branch == ADHESIVE, on.branch == SLACK],
            [SLACK, ELASTIC, jnp.where(pressed, ELASTIC, DRAWN)],
            LOADING,
        )
        return OnBranch(jnp.where(falls, down, up), PlasticOverlap(plastic))

    def end_overlap(self, on: OnBranch) -> jax.Array:
        """Overlap [m] at which the contact ends."""
        return jnp.zeros_like(on.memory.plastic_overlap)

    def resting(self, on: OnBranch, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]: on the way back from the largest overlap, or
        beyond that by first loading.
        """
        n, held = jnp.asarray(self.exponent), jnp.asarray(load) + self.pull_off_force
        plastic = positive_power(on.memory.plastic_overlap, n)
        back = positive_power(
            plastic + held * (1.0 - self.plasticity_ratio) / self.stiffness, 1.0 / n
        )
        # Each is the other's continuation beyond the largest overlap, where both are equal.
        return jnp.maximum(back, positive_power(held / jnp.asarray(self.stiffness), 1.0 / n))

    def rested(self, on: OnBranch, overlap: Real) -> OnBranch:
        """Memory of a contact that has come to rest at ``overlap``."""
        memory = updated_plastic_overlap(
            on.memory, overlap, exponent=self.exponent, plasticity_ratio=self.plasticity_ratio
        )
        return OnBranch(jnp.full_like(on.branch, ELASTIC), memory)

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] of an impact, at least that of the pull-off force alone, and time scale
        [s] of its unloading.
        """
        order = jnp.asarray(self.exponent) + 1.0
        stiffness = jnp.asarray(self.stiffness)
        energy = jnp.multiply(mass, jnp.square(impact_speed)) + stiffness * positive_power(
            self.pull_off_force / stiffness, order / (order - 1.0)
        )
        overlap = (energy / stiffness) ** (1.0 / order)
        return overlap, overlap * jnp.sqrt(mass / energy * (1.0 - self.plasticity_ratio))

    def largest_overlap(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Largest overlap [m] of an impact on virgin surfaces: where first loading has taken ``m
        v^2/2``.
        """
        order = jnp.asarray(self.exponent) + 1.0
        speed, mass = jnp.asarray(impact_speed), jnp.asarray(mass)
        free = positive_power(order * mass * speed**2 / (2.0 * self.stiffness), 1.0 / order)
        moves = (free > 0.0) | jnp.greater(self.pull_off_force, 0.0)
        drawn = positive_power(
            order * self.pull_off_force / jnp.asarray(self.stiffness),
            1.0 / jnp.asarray(self.exponent),
        )

        def left(depth: jax.Array, energy: jax.Array, law: "AdhesivePlastic") -> jax.Array:
            taken = law.stiffness * positive_power(depth, law.exponent + 1.0) / (law.exponent + 1.0)
            return jnp.where(moves, taken - law.pull_off_force * depth - energy, depth - 1.0)

        # From above, where the work of loading is convex, Newton's method cannot miss.
        depth = implicit_root(
            left,
            jnp.where(moves, free + drawn, 1.0),
            mass * speed**2 / 2.0,
            self,
            steps=ENERGY_STEPS,
        )
        return jnp.where(moves, depth, 0.0)

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s]: from what unloading gives back; 0
        where the bodies stick.
        """
        largest = self.largest_overlap(impact_speed, mass=mass)
        back = self.energy(PlasticOverlap(self._plastic(largest)), largest)
        moves = jnp.greater(impact_speed, 0.0)
        return jnp.where(
            moves,
            positive_power(2.0 * back / (mass * jnp.where(moves, impact_speed, 1.0) ** 2), 0.5),
            0.0,
        )


law(
    name="AdhesivePlastic",
    family="normal law",
    source="Thakur, Morrissey, Sun, Chen and Ooi, Granular Matter 16 (2014) 383-400",
    smoothness=0,
    example={
        "self": AdhesivePlastic(stiffness=1e5, plasticity_ratio=0.5, adhesion_stiffness=2e4),
        "overlap": 5e-5,
        "overlap_rate": 0.3,
        "impact_speed": 0.7,
        "mass": 4e-3,
    },
    variants=({"overlap": 1.3e-4, "overlap_rate": -0.1}, {"overlap": 2e-5, "overlap_rate": -0.1}),
    switches=({"overlap": 0.0},),
    corners=(
        {"overlap": -1e-5},
        {"overlap_rate": 0.0},
        {"impact_speed": 0.0},
        {"impact_speed": 0.0, "overlap_rate": -0.1},
    ),
)(AdhesivePlastic.force)
