"""Phase coordinates of laws for which they are known: Hunt and Crossley, linear, Tsuji.

The notation is that of ``laws.core.contact_phase``.
"""

import dataclasses

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.contact_phase import ClosedPhase, ContactPhase, Similarity
from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.numerics.smooth import Real, polynomial, positive_power

# Length of a Hunt-Crossley contact without load, fitted to a numerical integration for exponents 1
# to 3 and damping ratios 0 to 100; largest error 0.0075. Rows: powers of ln(1 + a); columns: powers
# of 1/n.
_HUNT_CROSSLEY_LENGTH = (
    (2.77013, 0.039772, -0.194175),
    (-0.009665, -0.641264, 0.246952),
    (-0.063652, 0.001777, 0.019388),
    (0.068073, 0.007077, -0.011828),
    (-0.011663, -0.003155, 0.0025),
    (0.00097, -0.000164, 3.4e-05),
)


# Load from which on a Hunt-Crossley contact does not lift off, times a^(q/3), q = 2 n/(n + 1): its
# logarithm, fitted to bisections with a numerical integration for exponents 1 to 3 and damping
# ratios 0.001 to 10; largest error 0.011. Rows and columns as above.
_HUNT_CROSSLEY_LARGEST_LOAD = (
    (-1.090208, 0.602783, -0.13933),
    (-1.256129, 0.166739, -0.007876),
    (1.097451, 0.139021, -0.093707),
    (-1.157744, -0.011891, 0.041637),
    (0.448126, 0.048189, -0.031836),
    (-0.061985, -0.014204, 0.007166),
)
UNIVERSAL = 10.0
"""Damping ratio from which on the end of a contact depends on ``a^q load`` alone: the sphere creeps
out at the speed ``1/a``, until its inertia frees it.
"""

HEAVY = 30.0
"""Damping ratio (restitution 0.033) from which gravity and air are left out during a contact in
steps.
"""

HEAVIEST = 100.0
"""Largest damping ratio of contacts in steps; their length grows with it."""

HEAVY_AT_ONCE = 3.5
"""Damping ratio (restitution 0.27) from which the load of a contact that is solved for at once acts
through ``slowing`` only: the sphere creeps out, force and load in balance, which is a corner on the
orbit.
"""

HEAVY_IN_TIME = 1000.0
"""Damping ratio (restitution 0.001) from which a contact in time follows from one of this damping
ratio.

The equation of motion is the same for another impact speed, and a creep forgets its beginning: the
rebound speed is right to 1e-8, but the way in is not, and durations are wrong by 1e-3. So it does
not count as resolved.
"""


@dataclasses.dataclass(frozen=True)
class HuntCrossleyPhase(ClosedPhase):
    """Phase of ``F = K d^n (1 + a u)``: ``X = sqrt(s)`` and ``w = ln(1 + c u)/c`` with ``c = a``,
    or a small number where ``a`` is less.

    ``dw/dtau = (load - s^n (1 + a u))/(1 + c u)``: with ``c = a`` the damping has left the equation
    of motion, so no damping ratio makes it stiff. The solution does not depend on ``c``, a mere
    choice of coordinate, so it carries no derivative.
    """

    damping_ratio: Real
    exponent: Real
    overlap_scale: jax.Array
    time_scale: jax.Array

    @property
    def solved_at_once(self) -> bool:
        """Always."""
        return True

    @property
    def in_steps(self) -> "HuntCrossleyPhase":
        """What a few steps can resolve, with a restitution of 0.01 where it is less."""
        return dataclasses.replace(self, damping_ratio=jnp.minimum(self.damping_ratio, HEAVIEST))

    @property
    def nodes_per_step(self) -> int:
        """Nodes for what steps of order 8 would give; more where the exponent may be larger than
        2.
        """
        return 2 if isinstance(self.exponent, (int, float)) and self.exponent <= 2.0 else 3

    @property
    def coordinate_constant(self) -> jax.Array:
        """``c``; large enough that ``(exp(c w) - 1)/c`` keeps its digits."""
        return jnp.maximum(jax.lax.stop_gradient(self.damping_ratio), 0.05)

    @property
    def start(self) -> jax.Array:
        """``w`` at touch-down."""
        constant = self.coordinate_constant
        return jnp.log1p(constant) / constant

    @property
    def length(self) -> jax.Array:
        """Estimated length of the contact in sigma."""
        x = jnp.log1p(jax.lax.stop_gradient(self.damping_ratio))
        return polynomial([polynomial(row, 1 / self.exponent) for row in _HUNT_CROSSLEY_LENGTH], x)

    def rate(self, w: jax.Array) -> jax.Array:
        """``u = (exp(c w) - 1)/c``."""
        constant = self.coordinate_constant
        return jnp.expm1(constant * w) / constant

    def largest_overlap(self, load: jax.Array) -> jax.Array:
        """Largest reduced overlap, exact without load."""
        constant, power = self.coordinate_constant, self.exponent + 1.0
        energy, load = (constant - jnp.log1p(constant)) / constant**2, jnp.maximum(load, 0.0)
        # One Newton iteration for s^(n+1)/(n+1) = energy + load s from above.
        above = jnp.multiply(power, energy) ** (1.0 / power)
        above = above + (power * load) ** (1.0 / self.exponent)
        force = above**self.exponent
        return above - (above * force / power - energy - load * above) / (force - load)

    @property
    def largest_load(self) -> jax.Array:
        """Load from which on there is no lift-off, to 1 %."""
        ratio = jnp.maximum(jax.lax.stop_gradient(self.damping_ratio), 1e-3)
        power = 2.0 * self.exponent / (self.exponent + 1.0)
        near = jnp.minimum(ratio, UNIVERSAL)
        fitted = polynomial(
            [polynomial(row, 1 / self.exponent) for row in _HUNT_CROSSLEY_LARGEST_LOAD],
            jnp.log1p(near),
        )
        return jnp.exp(fitted) * (near * (ratio / near) ** 3) ** (-power / 3.0)

    @property
    def restitution(self) -> jax.Array:
        """Restitution without load, to 5 %."""
        a = jnp.asarray(jax.lax.stop_gradient(self.damping_ratio))
        return (1.0 + 0.2 * a) / (1.0 + a * (0.87 + 0.2 * a))

    def slowing(self, height: jax.Array, load: jax.Array) -> jax.Array:
        """Speed of the way out at ``height`` times the largest overlap, relative to that without
        load, where the orbit leaves the load out.

        Its square at lift-off falls almost linearly with the load, to 0 at the largest one: fitted
        like that to integrations, to 1e-3.
        """
        a, inverse = jnp.maximum(self.damping_ratio, HEAVY_AT_ONCE), 1.0 / self.exponent
        near = jnp.minimum(a, UNIVERSAL)
        early = jnp.exp(-0.42388 - near * (0.76315 + 0.015077 * near)) * (
            2.02861 - 1.45471 * inverse
        )
        largest = polynomial((0.41016, -0.088934, 0.198657, -0.078849), inverse) * (1.0 - early)
        share = (
            jnp.where(self.damping_ratio > HEAVY_AT_ONCE, load, 0.0)
            * a ** (2.0 / (1.0 + inverse))
            / largest
        )
        curvature = polynomial((0.0, 0.039151, 0.154588, -0.074227), inverse) * polynomial(
            (0.89604, 0.103406, 0.20628), share
        )
        squared = 1.0 - share * (1.0 + curvature * (1.0 - 5.0 * early**0.855) * (1.0 - share))
        return height + (1.0 - height) * jnp.sqrt(jnp.maximum(squared, 1e-3))

    @property
    def duration(self) -> jax.Array:
        """Estimated duration without load."""
        a = jax.lax.stop_gradient(self.damping_ratio)
        largest = self.largest_overlap(jnp.zeros_like(a))
        return largest * (1.5 + (1.0 + 0.5 / (1.0 + a)) / self.restitution)

    def swing(self, load: jax.Array) -> jax.Array:
        """``u^2/2 = load s - s^(n+1)/(n+1)`` at ``s^n = load``."""
        power = (self.exponent + 1.0) / self.exponent
        return jnp.sqrt(2.0 / power) * positive_power(load, power / 2.0)

    @property
    def beginning(self) -> jax.Array:
        """Way in and way out are as ``1 : a``."""
        return 1.0 / jnp.maximum(jax.lax.stop_gradient(self.damping_ratio), 0.1)

    def force_at(self, overlap: jax.Array, rate: jax.Array) -> jax.Array:
        """``s^n (1 + a u)``."""
        return positive_power(overlap, self.exponent) * (1.0 + self.damping_ratio * rate)

    @property
    def similar(self) -> tuple["HuntCrossleyPhase", Similarity]:
        """With a restitution of 0.001 where it is less. Speeds on the way out are as ``1/a``."""
        excess = jnp.maximum(self.damping_ratio / HEAVY_IN_TIME, 1.0)
        root = excess ** (1.0 / (self.exponent + 1.0))
        lighter = dataclasses.replace(self, damping_ratio=self.damping_ratio / excess)
        return lighter, Similarity((excess / root) ** 2, 1.0 / root, 1.0 / excess)

    def position_at(self, overlap: jax.Array) -> jax.Array:
        """``X = sqrt(s)``."""
        return jnp.sqrt(overlap)

    def w_rate(
        self, position: jax.Array, w: jax.Array, load: jax.Array, largest_overlap: jax.Array
    ) -> jax.Array:
        """``dw/dtau``."""
        slowness = 1.0 / jnp.maximum(
            1.0 + self.coordinate_constant * self.rate(w), jnp.finfo(w.dtype).eps
        )
        share = self.damping_ratio / self.coordinate_constant
        # On its way out the sphere is never slower than where load and force balance, so the bound
        # is not met in any contact; it keeps an iteration that is slower from throwing the next one
        # back.
        load = jnp.where(self.damping_ratio > HEAVY_AT_ONCE, 0.0, load)
        bound = 2.0 * largest_overlap**self.exponent
        push = jnp.clip(load * slowness, -bound, bound)
        return push - self._power(position, 2.0 * self.exponent) * (
            share + (1.0 - share) * slowness
        )

    def _power(self, position: jax.Array, exponent: Real) -> jax.Array:
        # Whole powers stay polynomials through X = 0, where a step may overshoot; any other power
        # is 0 below.
        if isinstance(exponent, float) and exponent.is_integer():
            return jax.lax.integer_pow(position, int(exponent))
        return positive_power(position, exponent)

    def derivative(
        self, position: jax.Array, w: jax.Array, load: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """``(X', w', tau')`` with ``tau' = 2 X G`` and the grading ``G = (X^(2n+2) +
        u^2)^(-1/2)``.
        """
        u = self.rate(w)
        force = self._power(position, 2.0 * self.exponent + 1.0)
        grading = jax.lax.rsqrt(jnp.maximum(position * force, 0.0) + u * u)
        # On its way out a heavily damped sphere creeps, its force balanced by the load: stiff. The
        # load is left out there, an error of load * time_scale in the rebound speed, a thousandth
        # of it where the load is small enough for a rebound.
        load = jnp.where(self.damping_ratio > HEAVY, 0.0, load)
        # 1 + c u is exp(c w): computed from u, which nears -1/c on the way out, it would be rounded
        # to nothing, and 1 + a u with it.
        constant = self.coordinate_constant
        share, shrunk = (
            self.damping_ratio / constant,
            jnp.maximum(jnp.exp(constant * w), jnp.finfo(w.dtype).eps),
        )
        acceleration = (position * load - (1 - share) * force) / shrunk - share * force
        return u * grading, 2 * acceleration * grading, 2 * position * grading

    def reduced_overlap(self, position: jax.Array) -> jax.Array:
        """``s = X^2``."""
        return position * position

    def reduced_force(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """``s^n (1 + a u)``."""
        return self._power(position, 2.0 * self.exponent) * (1 + self.damping_ratio * self.rate(w))

    def event(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """The contact ends at zero overlap, where the force is zero, too."""
        return position

    def event_rate(
        self, position: jax.Array, w: jax.Array, position_rate: jax.Array, w_rate: jax.Array
    ) -> jax.Array:
        """Rate of ``event`` at given rates of its arguments."""
        return position_rate


# Length of a Tsuji contact, fitted to a numerical integration for e of 0.01 to 1; largest error
# 0.005. Polynomials in -ln e, and with the zero-force end in (-ln e)^(1/5).
_TSUJI_LENGTH = {
    "zero_overlap": (
        2.3620932,
        -0.2365656,
        0.0744588,
        -0.0075949,
        -0.0007192,
        0.0002496,
        -1.78e-05,
    ),
    "zero_force": (2.3622833, -0.9368346, 0.0057371, 0.0158665, -0.1173755),
}


_LINEAR_LARGEST_LOAD = (-1.26697978, 0.36092044, 1.28983479, -3.64137402, 3.72509784, -1.48864138)


def _loss_exponent(restitution: jax.Array) -> jax.Array:
    return -jnp.log(jnp.clip(jax.lax.stop_gradient(restitution), 0.01, 1.0))


@dataclasses.dataclass(frozen=True)
class LinearPhase(ClosedPhase):
    """Phase of the linear dashpot, ``reduced force = s + 2 zeta u``: ``X = s``, ``w = u``, and
    ``sigma`` is ``tau``.

    The motion is smooth in time, and heavy damping is not stiff: the zero-force end is then early,
    and the other end needs ``zeta < 1``.
    """

    damping: jax.Array
    end: str
    overlap_scale: jax.Array
    time_scale: jax.Array

    @property
    def solved_at_once(self) -> bool:
        """If it ends at zero overlap."""
        return self.end == "zero_overlap"

    @property
    def nodes_per_step(self) -> int:
        """More than for Hunt and Crossley's law, because the force jumps at both ends."""
        return 3

    @property
    def start(self) -> jax.Array:
        """``u = 1``."""
        return jnp.ones_like(self.damping)

    @property
    def length(self) -> jax.Array:
        """Length of the contact in sigma without load."""
        return CONTACT_ENDS[self.end].duration(jax.lax.stop_gradient(self.damping))

    def largest_overlap(self, load: jax.Array) -> jax.Array:
        """Largest reduced overlap, to 20 %."""
        load = jnp.maximum(load, 0.0)
        return (load + jnp.sqrt(1.0 + load * load)) / (1.0 + jax.lax.stop_gradient(self.damping))

    @property
    def largest_load(self) -> jax.Array:
        """Load from which on there is no lift-off, to 0.5 % (``e/sqrt(zeta)`` times a polynomial
        fitted to bisections).
        """
        zeta = jnp.maximum(jax.lax.stop_gradient(self.damping), 1e-3)
        return self.restitution / jnp.sqrt(zeta) * jnp.exp(polynomial(_LINEAR_LARGEST_LOAD, zeta))

    @property
    def restitution(self) -> jax.Array:
        """Restitution without load, of the end at zero overlap."""
        zeta = jnp.minimum(jax.lax.stop_gradient(self.damping), 0.999)
        return jnp.exp(-jnp.pi * zeta / jnp.sqrt(1.0 - zeta * zeta))

    def slowing(self, height: jax.Array, load: jax.Array) -> jax.Array:
        """1: the orbit has the load in it."""
        return jnp.ones_like(height)

    @property
    def duration(self) -> jax.Array:
        """Duration without load."""
        return CONTACT_ENDS["zero_overlap"].duration(
            jnp.minimum(jax.lax.stop_gradient(self.damping), 0.999)
        )

    def swing(self, load: jax.Array) -> jax.Array:
        """``u^2/2 = load s - s^2/2`` at ``s = load``."""
        return jnp.maximum(load, 0.0)

    @property
    def beginning(self) -> jax.Array:
        """All of it, since the motion is as smooth at any time."""
        return jnp.full_like(self.damping, 10.0)

    def force_at(self, overlap: jax.Array, rate: jax.Array) -> jax.Array:
        """``s + 2 zeta u``."""
        return self.reduced_force(overlap, rate)

    def position_at(self, overlap: jax.Array) -> jax.Array:
        """``X = s``."""
        return overlap

    def w_rate(
        self, position: jax.Array, w: jax.Array, load: jax.Array, largest_overlap: jax.Array
    ) -> jax.Array:
        """``du/dtau``."""
        return load - self.reduced_force(position, w)

    def rate(self, w: jax.Array) -> jax.Array:
        """``u = w``."""
        return w

    def derivative(
        self, position: jax.Array, w: jax.Array, load: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """``(X', w', tau')`` with ``tau' = 1``."""
        return w, load - self.reduced_force(position, w), jnp.ones_like(position)

    def reduced_overlap(self, position: jax.Array) -> jax.Array:
        """``s = X``."""
        return position

    def reduced_force(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """``s + 2 zeta u``."""
        return position + 2 * self.damping * w

    def event(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """Zero overlap, or zero force."""
        return position if self.end == "zero_overlap" else self.reduced_force(position, w)

    def event_rate(
        self, position: jax.Array, w: jax.Array, position_rate: jax.Array, w_rate: jax.Array
    ) -> jax.Array:
        """Rate of ``event`` at given rates of its arguments."""
        return (
            position_rate
            if self.end == "zero_overlap"
            else self.reduced_force(position_rate, w_rate)
        )


@dataclasses.dataclass(frozen=True)
class TsujiPhase(ContactPhase):
    """Phase of Tsuji's law, ``reduced force = s^(3/2) + alpha s^(1/4) u``: ``X = s^(1/4)`` and ``w
    = u``. It goes in steps, which ``s^(1/4)`` needs.
    """

    damping: jax.Array
    restitution: jax.Array
    end: str
    overlap_scale: jax.Array
    time_scale: jax.Array

    @property
    def start(self) -> jax.Array:
        """``u = 1``."""
        return jnp.ones_like(self.damping)

    @property
    def length(self) -> jax.Array:
        """Estimated length of the contact in sigma."""
        loss = _loss_exponent(self.restitution)
        return polynomial(
            _TSUJI_LENGTH[self.end], loss if self.end == "zero_overlap" else loss**0.2
        )

    def rate(self, w: jax.Array) -> jax.Array:
        """``u = w``."""
        return w

    def derivative(
        self, position: jax.Array, w: jax.Array, load: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """``(X', w', tau')`` with ``tau' = 4 X^3 G`` and the grading ``G = (X^10 +
        u^2)^(-1/2)``.
        """
        cube = position * position * position
        grading = jax.lax.rsqrt(jax.lax.integer_pow(position, 10) + w * w)
        return (
            w * grading,
            4 * cube * (load - self.reduced_force(position, w)) * grading,
            4 * cube * grading,
        )

    def reduced_overlap(self, position: jax.Array) -> jax.Array:
        """``s = X^4``."""
        return jax.lax.integer_pow(position, 4)

    def reduced_force(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """``s^(3/2) + alpha s^(1/4) u``."""
        return jax.lax.integer_pow(position, 6) + self.damping * position * w

    def event(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """Zero overlap, or zero force: ``X^5 = -alpha u``, its fifth root taken so that the slope
        at the event is not small.
        """
        if self.end == "zero_overlap":
            return position
        return position - positive_power(-self.damping * w, 0.2)

    def event_rate(
        self, position: jax.Array, w: jax.Array, position_rate: jax.Array, w_rate: jax.Array
    ) -> jax.Array:
        """Rate of ``event`` at given rates of its arguments."""
        if self.end == "zero_overlap":
            return position_rate
        return position_rate + 0.2 * self.damping * positive_power(-self.damping * w, -0.8) * w_rate
