"""What springs with memory have in common: a slider that limits what they carry, and the work of
one step.

A *slider* in series with a spring carries at most ``F_max``. In one step of the return mapping the
spring first takes all of the motion; what the slider does not carry is then given back as motion of
the slider. Without motion nothing changes: a load below the limit is held for ever, without creep.
This is what tells these laws from friction regularised in the slip velocity.

Vectors have any number of components in the last axis: two in axes of the contact plane, three in
global axes. In global axes carry the memory with the contact plane before each step
(``geometry.contact_plane.carried_with_plane``).

Example:
    >>> from jaxcontact.laws import tangential
    >>> print(tangential.coulomb_slider(jnp.array([3.0, 0.0, 4.0]), limit=1.0))
    [0.6 0.  0.8]
"""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real, positive_part, rounded_absolute, safe_norm

Slider = Callable[..., jax.Array]
"""``slider(force, *, limit)``: what of a vector of force (or torque) is carried."""

LIMITED = ("force", "displacement")
"""What the slider limits, spring and dashpot together or the spring alone."""


class SpringMemory(NamedTuple):
    """Memory of a spring.

    Attributes:
        elongation: ``xi``, ``(..., k)`` [m]; zero when a contact begins.
    """

    elongation: Real


class StepWork(NamedTuple):
    """Work [J] done on a spring with slider and dashpot in one step, by where it went.

    Attributes:
        stored: gain of the energy of the spring.
        slider: heat of the slider, never negative.
        dashpot: heat of the dashpot, never negative.
    """

    stored: jax.Array
    slider: jax.Array
    dashpot: jax.Array

    @property
    def total(self) -> jax.Array:
        """Work done on the contact [J]."""
        return self.stored + self.slider + self.dashpot


def _carries_numbers(size: jax.Array) -> jax.Array:
    """Whether ``1/size^3``, which second derivatives contain, is representable: above 3e-103 in
    float64, 2e-13 in float32.
    """
    return size > jnp.finfo(size.dtype).tiny ** (1.0 / 3.0)


# Numbers exact in binary, so that the switch is met exactly.
@law(
    family="tangential",
    source=(
        "Coulomb; return mapping as in PFC, LAMMPS and Luding, Granular Matter 10 (2008) 235-246"
    ),
    smoothness=0,
    example={"force": (3.0, -1.0, 0.5), "limit": 2.0},
    variants=({"force": (1.0, 0.3, -0.2)},),
    switches=({"force": (2.0, 0.0, 0.0)},),
    corners=(
        {"force": (0.0, 0.0, 0.0)},
        {"limit": 0.0},
        {"force": (0.0, 0.0, 0.0), "limit": 0.0},
        {"force": (1e-20, 0.0, 0.0), "limit": 0.0},
    ),
)
def coulomb_slider(force: Real, *, limit: Real) -> jax.Array:
    """The part ``f min(1, F_max/|f|)`` of a force that a slider carries, ``(..., k)`` [N]; hard,
    continuous.

    The nearest point to ``f`` of the ball of radius ``F_max`` (radial return). Forces too small for
    their inverse cube to be representable (2e-13 N in float32) pass whatever the limit.

    Args:
        force: ``f``, ``(..., k)`` [N].
        limit: ``F_max >= 0``, ``(...)`` [N].
    """
    force = jnp.asarray(force)
    size = safe_norm(force)
    slides = (size > limit) & _carries_numbers(size)
    fraction = jnp.where(slides, limit / jnp.where(slides, size, 1.0), 1.0)
    return force * fraction[..., None]


@law(
    family="tangential",
    source="coulomb_slider with its corner rounded by a polynomial",
    smoothness=2,
    example={"force": (3.0, -1.0, 0.5), "limit": 2.0, "smoothing": 0.25},
    variants=(
        {"force": (1.0, 0.3, -0.2)},
        {"force": (2.0, 0.2, 0.1)},
        {"force": (1.7, 0.2, 0.1)},
        {"force": (2.0, 0.0, 0.0)},
    ),
    switches=({"force": (1.5, 0.0, 0.0)}, {"force": (2.5, 0.0, 0.0)}),
    corners=(
        {"force": (0.0, 0.0, 0.0)},
        {"limit": 0.0},
        {"force": (0.0, 0.0, 0.0), "limit": 0.0},
        {"force": (1e-20, 0.0, 0.0), "limit": 0.0},
        {"force": (1e-20, 0.0, 0.0), "limit": 1e-20},
    ),
    approximates="coulomb_slider",
    within=lambda limit, smoothing, **_: 3.0 / 16.0 * smoothing * limit,
)
def smooth_coulomb_slider(force: Real, *, limit: Real, smoothing: Real) -> jax.Array:
    """``coulomb_slider`` with two continuous derivatives, ``(..., k)`` [N].

    With ``x = |f|/F_max`` the carried fraction of ``F_max`` is ``min(x, 1) = (x + 1 - |x - 1|)/2``
    in which ``|x - 1| = h |u|`` becomes ``h (3 + 6 u^2 - u^4)/8`` for ``|u| < 1``. It is exact
    outside ``1 - h < x < 1 + h`` and too small by at most ``3 h/16 F_max``, at ``x = 1``. As a
    limit of a spring: loads up to ``(1 - h) F_max`` are held for ever as by the hard slider; steady
    sliding meets a resistance between ``(1 - h) F_max`` (small steps) and ``F_max`` (large steps).

    Args:
        force: ``f``, ``(..., k)`` [N].
        limit: ``F_max >= 0``, ``(...)`` [N].
        smoothing: ``h`` in (0, 1) [-].
    """
    force = jnp.asarray(force)
    size = safe_norm(force)
    width = smoothing * jnp.asarray(limit)
    slides = (size > limit - width) & _carries_numbers(size)
    rounds = slides & (size - limit < width) & _carries_numbers(jnp.asarray(width, size.dtype))
    safe_size = jnp.where(slides, size, 1.0)
    excess = rounded_absolute(jnp.where(rounds, size - limit, 1.0), jnp.where(rounds, width, 0.0))
    rounded = 0.5 * (safe_size + limit - excess)
    fraction = jnp.where(slides, jnp.where(rounds, rounded, limit) / safe_size, 1.0)
    return force * fraction[..., None]


def smooth_direction(velocity: Real, *, zone: Real, speed: Real, smoothing: Real) -> jax.Array:
    """``v/max(|v|, z)`` with two continuous derivatives, ``(..., k)`` [-]: the direction of a
    velocity, and a part of it below ``z``.

    ``smooth_coulomb_slider`` of ``v/s`` at the limit 1, ``s = sqrt(zone^2 + speed^2)``. From
    ``|v| = (1 + h) s`` on it is the unit vector; below it differs from the hard form, in which
    ``z`` is the ``zone``, by at most ``3 h/16 + 1 - zone/s``.

    Args:
        velocity: ``v``, ``(..., k)`` [m/s] or [rad/s].
        zone: ``(...)``, the unit of ``v``, not negative: that of the hard form; 0 is the unit
            vector, which jumps.
        speed: ``(...)``, the unit of ``v``, positive.
        smoothing: ``h`` in (0, 1) [-].
    """
    scale = jnp.sqrt(jnp.square(zone) + jnp.square(speed))
    return smooth_coulomb_slider(
        jnp.asarray(velocity) / scale[..., None], limit=jnp.ones_like(scale), smoothing=smoothing
    )


@dataclasses.dataclass(frozen=True)
class SmoothSlider:
    """``smooth_coulomb_slider`` with its smoothing filled in: a ``Slider`` for the laws below.

    Two of the same smoothing are equal, also in another process; two ``functools.partial`` are not.

    Attributes:
        smoothing: ``h`` in (0, 1) [-].
    """

    smoothing: float

    def __call__(self, force: Real, *, limit: Real) -> jax.Array:
        """What of ``force`` ``(..., k)`` [N] is carried at the limit ``(...)`` [N]."""
        return smooth_coulomb_slider(force, limit=limit, smoothing=self.smoothing)


def return_mapping(
    spring_force: Real,
    increment: Real,
    *,
    stiffness: Real,
    viscosity: Real,
    limit: Real,
    slider: Slider,
) -> tuple[jax.Array, jax.Array]:
    """One step of a spring and a dashpot side by side, in series with a slider (backward Euler).

    With the trial force ``f = T + (k + c/dt) dxi``, ``T`` the spring force before, the contact
    carries ``P(f)`` and the slider moves by ``(f - P(f))/(k + c/dt)``. The spring takes the rest of
    the increment. Passive for every step size: the work done is at least the gain of ``|T|^2/(2
    k)``.

    Args:
        spring_force: ``T``, ``(..., k)`` [N].
        increment: ``dxi``, ``(..., k)`` [m].
        stiffness: ``k``, ``(...)`` [N/m].
        viscosity: damping over time step ``c/dt``, ``(...)`` [N/m].
        limit: largest force that the slider carries, ``(...)`` [N].
        slider: ``P``.

    Returns:
        Carried force [N] and motion of the slider [m], both ``(..., k)``.
    """
    series = jnp.asarray(stiffness + viscosity)[..., None]
    elastic = series > 0.0
    trial = spring_force + series * increment
    carried = slider(trial, limit=limit)
    return carried, jnp.where(elastic, (trial - carried) / jnp.where(elastic, series, 1.0), 0.0)


def spring_after(
    before: Real,
    increment: Real,
    carried: Real,
    slid: Real,
    *,
    stiffness: Real,
    viscosity: Real,
    per_length: Real,
) -> jax.Array:
    """What a spring has after the step of ``return_mapping``: ``q + u (dxi - slid)``, ``(..., k)``.

    Where the slider moves, ``(c/dt q + u P(f))/(k + c/dt)``, the same without the small difference
    of two motions: next to no load the spring is far shorter than what the slider moves by.

    Args:
        before: ``q``, elongation [m] or force [N], ``(..., k)``.
        increment: ``dxi``, ``(..., k)`` [m].
        carried: ``P(f)``, ``(..., k)`` [N].
        slid: motion of the slider, ``(..., k)`` [m].
        stiffness: ``k``, ``(...)`` [N/m].
        viscosity: ``c/dt``, ``(...)`` [N/m].
        per_length: ``u``, ``(...)``: 1 for an elongation [-], ``k`` for a force [N/m].
    """
    unit = jnp.asarray(per_length)[..., None]
    viscous = jnp.asarray(viscosity)[..., None]
    moves = jnp.any(jnp.not_equal(slid, 0.0), axis=-1, keepdims=True)
    series = jnp.where(moves, jnp.asarray(stiffness)[..., None] + viscous, 1.0)
    return jnp.where(moves, (viscous * before + unit * carried) / series, before + unit * increment)


def check_limited(owner: str, limited: str) -> None:
    """Raise ``ValueError`` when ``limited`` is not one of ``LIMITED``."""
    if limited not in LIMITED:
        raise ValueError(
            f"{owner}: limited = {limited!r} is not one of {', '.join(map(repr, LIMITED))}. "
            "It says what the slider limits."
        )


def step_work(
    elongation: Real,
    new_elongation: Real,
    increment: Real,
    *,
    stiffness: Real,
    damping: Real = 0.0,
    time_step: Real = 1.0,
    limited: str = "force",
) -> StepWork:
    """Work of one step by where it went, ``(...)`` [J].

    With the elastic motion ``e = xi' - xi``, that of the slider ``p = dxi - e``, the mean and the
    last force on the slider ``F_m`` and ``F``: ``stored = k (xi'^2 - xi^2)/2``, ``slider = max(F_m
    . p, F . p)``, ``dashpot = c |e|^2/dt`` (``c |dxi|^2/dt`` where the slider limits the
    displacement). The total is the work of the mean force, ``F_m . dxi``, unless the slip turns
    within the step; then it is that of a contact that sticks first and slides afterwards, exact
    along a line under a constant limit.

    Args:
        elongation: before the step, carried with the contact plane, ``(..., k)`` [m].
        new_elongation: after the step, ``(..., k)`` [m].
        increment: slip of the step, ``(..., k)`` [m].
        stiffness: of the step, ``(...)`` [N/m].
        damping: [N s/m].
        time_step: [s]; matters for the dashpot only.
        limited: key of ``LIMITED``.
    """
    check_limited("step_work", limited)
    before, after, increment = (
        jnp.asarray(vector) for vector in (elongation, new_elongation, increment)
    )
    stretched = after - before
    slid = increment - stretched

    def dot(first: jax.Array, second: jax.Array) -> jax.Array:
        return jnp.sum(first * second, axis=-1)

    moved = stretched if limited == "force" else increment
    resisting = (
        dot(stretched, slid) * damping / time_step
        if limited == "force"
        else jnp.zeros_like(dot(slid, slid))
    )
    return StepWork(
        stored=jnp.multiply(0.5 * stiffness, dot(after, after) - dot(before, before)),
        slider=resisting
        + stiffness * (dot(after, slid) + 0.5 * positive_part(dot(before - after, slid))),
        dashpot=jnp.multiply(damping / time_step, dot(moved, moved)),
    )
