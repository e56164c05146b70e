"""Everything a simulation needs of a normal law, from its force alone.

For laws without coordinates of their own. They cost a first pass through each contact, without
derivatives, in which its length is found, and keep the order of the integrator where the force is a
smooth function of ``sqrt(overlap)`` and the overlap rate.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.contact_phase import ContactPhase
from jaxcontact.laws.core.normal_interfaces import SmoothLaw
from jaxcontact.numerics.runge_kutta import CLASSICAL, DORMAND_PRINCE_8, looped_step, looped_steps
from jaxcontact.numerics.smooth import Real, implicit_root

SCALE_STEPS = 12
"""Newton steps, in logarithms, to the overlap scale; a power law needs one."""

SEARCH_STEP, SEARCH_STEPS = 0.2, 40
"""Step and number of steps of the first pass, for contacts up to a length of 8 (restitution above
1e-3 in Hunt and Crossley's law).
"""

FINER = 4
"""Shorter search steps for a restitution, which nothing checks afterwards."""

IMPACT_STEPS, LANDING_STEPS = 24, 6


def _logarithmic_root(law: SmoothLaw, level: Real, power: float, guess: Real) -> jax.Array:
    """``d`` with ``d^power F(d, 0) = level``; elementwise, positive."""

    def residual(logarithm: jax.Array, level: jax.Array, law: SmoothLaw) -> jax.Array:
        force = law.force(
            jnp.exp(logarithm),
            jnp.zeros_like(logarithm),
            impact_speed=jnp.ones_like(logarithm),
            mass=jnp.ones_like(logarithm),
        )
        return jnp.log(force) + power * logarithm - jnp.log(level)

    return jnp.exp(implicit_root(residual, jnp.log(guess), level, law, steps=SCALE_STEPS))


@dataclasses.dataclass(frozen=True)
class PhaseFromForce(ContactPhase):
    """Phase coordinates (``laws.core.contact_phase``) of any smooth force: ``X = sqrt(s)`` and ``w
    = ln(1 + c u)/c``.

    The contact ends at zero overlap or, for a law with ``end = "zero_force"``, where its
    ``uncut_force`` would begin to attract.

    ``c`` is the growth of the force with the rate, ``F(d, v)/F(d, 0) - 1`` at the overlap scale, if
    the force also vanishes at ``u = -1/c`` as Hunt and Crossley's does: then heavy damping is not
    stiff. If not, it is kept below 1, which no rebound reaches.

    Attributes:
        law: with ``force``.
        impact_speed: [m/s].
        mass: [kg].
        overlap_scale: [m].
        time_scale: [s].
        constant: ``c``; a choice of coordinate, without derivative.
        contact_length: in sigma, without load.
    """

    law: "LawFromForce"
    impact_speed: jax.Array
    mass: jax.Array
    overlap_scale: jax.Array
    time_scale: jax.Array
    constant: jax.Array
    contact_length: jax.Array

    @property
    def length(self) -> jax.Array:
        """Length of the contact in sigma without load."""
        return self.contact_length

    @property
    def start(self) -> jax.Array:
        """``w`` at ``u = 1``."""
        return jnp.log1p(self.constant) / self.constant

    def rate(self, w: jax.Array) -> jax.Array:
        """``u = (exp(c w) - 1)/c``."""
        return jnp.expm1(self.constant * w) / self.constant

    def derivative(
        self, position: jax.Array, w: jax.Array, load: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """``(X', w', tau')`` with ``tau' = 2 X G`` and the grading ``G = (X^5 + u^2)^(-1/2)``."""
        u = self.rate(w)
        grading = jax.lax.rsqrt(jax.lax.integer_pow(jnp.abs(position), 5) + u * u)
        time = 2 * position * grading
        return (
            u * grading,
            time * (load - self.reduced_force(position, w)) / (1 + self.constant * u),
            time,
        )

    def reduced_overlap(self, position: jax.Array) -> jax.Array:
        """``s = X^2``."""
        return position * position

    def reduced_force(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """Force over ``mass * impact_speed / time_scale``."""
        overlap, rate = self.overlap_scale * position * position, self.impact_speed * self.rate(w)
        smooth = self.law.uncut_force if self.ends_at_zero_force else self.law.force
        force = smooth(overlap, rate, impact_speed=self.impact_speed, mass=self.mass)
        return force * self.time_scale / (self.mass * self.impact_speed)

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether the law says so."""
        return self.law.ends_at_zero_force

    def event(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """Zero overlap, or zero force (over ``X``, which keeps the slope at the event from being
        small).
        """
        if not self.ends_at_zero_force:
            return position
        inside = position > 0.0
        return jnp.where(
            inside, self.reduced_force(position, w) / jnp.where(inside, position, 1.0), position
        )

    def event_rate(
        self, position: jax.Array, w: jax.Array, position_rate: jax.Array, w_rate: jax.Array
    ) -> jax.Array:
        """Rate of ``event`` at given rates of its arguments."""
        return jax.jvp(self.event, (position, w), (position_rate, w_rate))[1]


class LawFromForce(SmoothLaw):
    """A normal law of which only the force is known; all else is found from it.

    **Implementing a law from its force.** Inherit from ``LawFromForce``, decorate the class with
    ``model``, declare the parameters, and define ``force``: smooth in contact, as a function of
    the square root of the overlap and of the overlap rate. Set ``end = "zero_force"`` if a contact
    ends where the force would begin to attract, and define ``uncut_force``. Define ``scales``,
    ``restitution_at`` and ``static_overlap``, too, where closed forms are known. A function that is
    registered with ``law`` becomes such a class by ``normal_law(function)``.

    Attributes:
        end: where a contact ends, ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> issubclass(jc.KuwabaraKono, jc.laws.LawFromForce)
        True
    """

    end: str = "zero_overlap"

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether ``end`` says so."""
        return self.end == "zero_force"

    def uncut_force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """The force with the attraction that would follow the end of a contact at zero force [N].
        Default: ``force``.
        """
        return self.force(overlap, overlap_rate, impact_speed=impact_speed, mass=mass)

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale ``d`` [m] with ``d F(d, 0) = m v^2``, and time scale ``d/v`` [s], of an
        impact.
        """
        impact_speed = jnp.asarray(impact_speed)
        overlap = _logarithmic_root(self, mass * impact_speed**2, 1.0, 1e-4 * impact_speed)
        return overlap, overlap / impact_speed

    def phase(self, *, impact_speed: Real, mass: Real) -> PhaseFromForce:
        """Coordinates in which an impact at this speed is smooth, for an integrator."""
        return self._phase(impact_speed, mass, finer=1)

    def _phase(self, impact_speed: Real, mass: Real, *, finer: int) -> PhaseFromForce:
        """``phase``, whose length is found in so many times as many steps."""
        overlap, time = self.scales(impact_speed=impact_speed, mass=mass)
        speed = jnp.asarray(impact_speed)
        law, at_speed, m, d = jax.lax.stop_gradient((self, speed, jnp.asarray(mass), overlap))
        constant = _rate_constant(law, at_speed, m, d)
        phase = PhaseFromForce(
            law, at_speed, m, d, jax.lax.stop_gradient(time), constant, jnp.ones_like(speed)
        )
        return PhaseFromForce(
            self,
            speed,
            jnp.asarray(mass),
            overlap,
            time,
            constant,
            jax.lax.stop_gradient(_length(phase, finer=finer)),
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s], by integrating one impact; 0 where
        the damping is so heavy that its end is not found.
        """
        impact_speed, mass = jnp.broadcast_arrays(
            jnp.asarray(impact_speed, dtype=float), jnp.asarray(mass, dtype=float)
        )
        flat = jax.vmap(lambda speed, m: _rebound(self._phase(speed, m, finer=FINER)))
        return flat(impact_speed.ravel(), mass.ravel()).reshape(impact_speed.shape)

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]; 0 for no load."""
        load = jnp.asarray(load)
        pressed = load > 0.0
        overlap = _logarithmic_root(
            self, jnp.where(pressed, load, 1.0), 0.0, jnp.full_like(load, 1e-6)
        )
        return jnp.where(pressed, overlap, 0.0)


def _rates(phase: PhaseFromForce) -> Any:
    def rates(node: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        position_rate, w_rate, _ = phase.derivative(*node, jnp.zeros_like(node[0]))
        return position_rate, w_rate

    return rates


def _rate_constant(
    law: SmoothLaw, impact_speed: jax.Array, mass: jax.Array, overlap: jax.Array
) -> jax.Array:
    """``c`` of the rate coordinate."""

    def force(rate: jax.Array) -> jax.Array:
        return law.force(overlap, rate, impact_speed=impact_speed, mass=mass)

    at_rest = force(jnp.zeros_like(impact_speed))
    growth = jnp.maximum(force(impact_speed) / at_rest - 1.0, 0.05)
    vanishes = jnp.abs(force(-impact_speed / growth)) < 0.05 * at_rest
    return jax.lax.stop_gradient(jnp.where(vanishes, growth, jnp.minimum(growth, 0.9)))


def _length(phase: PhaseFromForce, *, finer: int) -> jax.Array:
    """Length of the contact in sigma without load, to a fraction of ``SEARCH_STEP / finer``."""
    search_step = SEARCH_STEP / finer
    rates, zero = _rates(phase), jnp.zeros_like(phase.start)

    def advance(
        carry: tuple[Any, jax.Array, jax.Array], _: None
    ) -> tuple[tuple[Any, jax.Array, jax.Array], None]:
        node, length, lasts = carry
        after = looped_step(rates, node, search_step, CLASSICAL)
        before, now = phase.event(*node), phase.event(*after)
        leaves = lasts & (now < 0.0) & (phase.rate(after[1]) < 0.0)
        fraction = jnp.where(leaves, before / jnp.where(leaves, before - now, 1.0), 1.0)
        after = jax.tree.map(lambda old, new: jnp.where(lasts, new, old), node, after)
        return (
            after,
            length + jnp.where(lasts, search_step * fraction, 0.0),
            lasts & ~leaves,
        ), None

    start = ((zero, phase.start), zero, jnp.ones_like(zero, dtype=bool))
    (_, length, _), _ = jax.lax.scan(advance, start, None, length=finer * SEARCH_STEPS)
    return length


def _rebound(phase: PhaseFromForce) -> jax.Array:
    """Rebound speed over approach speed, with derivatives."""
    rates = _rates(phase)

    def by_event(node: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        slope = rates(node)
        event_rate = phase.event_rate(*node, *slope)
        return slope[0] / event_rate, slope[1] / event_rate

    ends = phase.length < (SEARCH_STEPS - 1) * SEARCH_STEP
    start = jnp.zeros_like(phase.start), phase.start
    length = jnp.where(ends, phase.length, SEARCH_STEP) / IMPACT_STEPS
    node = looped_steps(rates, start, length, DORMAND_PRINCE_8, steps=IMPACT_STEPS)
    left = jnp.where(ends, phase.event(*node), 0.0) / LANDING_STEPS
    node = looped_steps(by_event, node, -left, CLASSICAL, steps=LANDING_STEPS)
    return jnp.where(ends, -phase.rate(node[1]), 0.0)
