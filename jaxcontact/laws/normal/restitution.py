"""Restitution that depends on the approach speed, for rigid impacts: plastic, viscoelastic and
empirical laws ``e(v)``.

Steel on steel yields above some mm/s and then follows ``v^(-1/4)``; rubber and polymers lose by
viscosity, ``1 - e`` growing with ``v^(1/5)`` (``laws.viscoelastic.ViscoelasticRestitution``); where
no mechanism is known, a decay or a table through nodes describes what was measured. All stay in (0,
1] and have finite derivatives from rest to any speed, so that they can be fitted to tables ``e(v)``
and through the whole motion of a ball alike.

Example:
    >>> from jaxcontact.laws import velocity_dependent_restitution
    >>> restitution = velocity_dependent_restitution.exponential_restitution(
    ...     2.0, restitution=0.9, decay_speed=2.0, limit_restitution=0.4
    ... )
    >>> print(f"{restitution:.3f}")
    0.584
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.rigid_impact import RigidImpact, deviation_field, duration_field
from jaxcontact.laws.normal.plastic import restitution_above_yield
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import is_concrete, model, of, static

SLOWEST = 1e-12
"""Slower impacts, relative to the speed a law is scaled with, count as this fast, as powers have no
finite derivative at rest.
"""

LEAST = 1e-9
"""Restitution of a law that has decayed completely."""


def _log_ratio(speed: Real, scale: Real) -> jax.Array:
    """``ln(v/v_0)``, of at least ``SLOWEST``."""
    return jnp.log(jnp.maximum(jnp.asarray(speed) / scale, SLOWEST))


_JOHNSON = (
    "Johnson, Contact Mechanics (1985), section 11.4; Kuwabara and Kono, Jpn. J. Appl. Phys. 26 "
    "(1987) 1230-1233"
)


@law(
    family="restitution",
    source=_JOHNSON,
    smoothness=0,
    example={
        "impact_speed": 2.0,
        "restitution": 0.7,
        "reference_speed": 1.3,
        "velocity_exponent": 0.25,
    },
    variants=({"impact_speed": 0.1},),
    switches=({"impact_speed": 1.3 * 0.7**4},),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}),
)
def power_law_restitution(
    impact_speed: Real, *, restitution: Real, reference_speed: Real, velocity_exponent: Real
) -> jax.Array:
    """``min(1, e_1 (v/v_1)^(-q))`` [-]: impacts that yield, ``q = 1/4`` when all of the contact
    does. Elementwise.

    Args:
        impact_speed: ``v`` [m/s].
        restitution: ``e_1`` at the speed ``reference_speed``.
        reference_speed: ``v_1`` [m/s].
        velocity_exponent: ``q``.
    """
    return jnp.exp(
        jnp.minimum(
            0.0, _log_power_law(impact_speed, restitution, reference_speed, velocity_exponent)
        )
    )


def _log_power_law(
    impact_speed: Real, restitution: Real, reference_speed: Real, velocity_exponent: Real
) -> jax.Array:
    return jnp.log(restitution) - velocity_exponent * _log_ratio(impact_speed, reference_speed)


@law(
    family="restitution",
    source=_JOHNSON,
    smoothness=math.inf,
    example={
        "impact_speed": 2.0,
        "restitution": 0.7,
        "reference_speed": 1.3,
        "velocity_exponent": 0.25,
        "sharpness": 4.0,
    },
    variants=({"impact_speed": 0.1}, {"sharpness": 2.0}),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}, {"restitution": 1.0}),
    approximates="power_law_restitution",
    within=lambda velocity_exponent, sharpness, **_: (
        -math.expm1(-math.log(2.0) * velocity_exponent / sharpness)
    ),
)
def smooth_power_law_restitution(
    impact_speed: Real,
    *,
    restitution: Real,
    reference_speed: Real,
    velocity_exponent: Real,
    sharpness: Real,
) -> jax.Array:
    """``(1 + (v/v_y)^n)^(-q/n)`` [-], ``v_y = v_1 e_1^(1/q)``: ``power_law_restitution`` without
    its corner. Elementwise.

    Below it by at most ``1 - 2^(-q/n)``, at the speed ``v_y`` where the other reaches 1; far above
    ``v_y`` both agree.

    Args:
        impact_speed: ``v`` [m/s].
        restitution: ``e_1`` of the power law, which this one approaches, at the speed
            ``reference_speed``.
        reference_speed: ``v_1`` [m/s].
        velocity_exponent: ``q``.
        sharpness: ``n``, at least 2.
    """
    width = velocity_exponent / sharpness
    excess = -_log_power_law(impact_speed, restitution, reference_speed, velocity_exponent) / width
    return jnp.exp(-width * jnp.logaddexp(0.0, excess))


@law(
    family="restitution",
    source="empirical: a smoothly broken power law, whose halves are those of yielding contacts",
    smoothness=0,
    example={
        "impact_speed": 2.0,
        "restitution": 0.7,
        "reference_speed": 1.3,
        "mean_exponent": 0.1,
        "exponent_change": 0.1,
    },
    variants=({"exponent_change": -0.1}, {"mean_exponent": -0.1, "impact_speed": 0.9}),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}),
)
def broken_power_law_restitution(
    impact_speed: Real,
    *,
    restitution: Real,
    reference_speed: Real,
    mean_exponent: Real,
    exponent_change: Real,
) -> jax.Array:
    """``min(1, e_1 (v/v_1)^(-q) cosh(ln(v/v_1))^(-c))`` [-]: powers of the speed far below and far
    above ``v_1``, with the exponents ``q - c`` and ``q + c``. Elementwise.

    ``q = c = 1/8`` is elastic far below ``v_1`` and fully plastic far above; ``c = 0`` is
    ``power_law_restitution``.

    Args:
        impact_speed: ``v`` [m/s].
        restitution: ``e_1`` at the speed ``reference_speed``.
        reference_speed: ``v_1`` [m/s].
        mean_exponent: ``q`` at this speed, of either sign.
        exponent_change: ``c``, of either sign.
    """
    power = _log_power_law(impact_speed, restitution, reference_speed, mean_exponent)
    ratio = _log_ratio(impact_speed, reference_speed)
    log_cosh = jnp.logaddexp(ratio, -ratio) - math.log(2.0)
    return jnp.exp(jnp.minimum(0.0, power - exponent_change * log_cosh))


@law(
    family="restitution",
    source="empirical: exponential decay to a limit",
    smoothness=math.inf,
    example={"impact_speed": 2.0, "restitution": 0.9, "decay_speed": 5.0, "limit_restitution": 0.3},
    variants=({"limit_restitution": 0.0},),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}, {"restitution": 1.0}),
)
def exponential_restitution(
    impact_speed: Real, *, restitution: Real, decay_speed: Real, limit_restitution: Real
) -> jax.Array:
    """``e_inf + (e_0 - e_inf) exp(-v/v_c)`` [-], at least 1e-9. Elementwise.

    Args:
        impact_speed: ``v`` [m/s].
        restitution: ``e_0`` of slow impacts.
        decay_speed: ``v_c`` [m/s].
        limit_restitution: ``e_inf`` of fast impacts.
    """
    return jnp.maximum(
        LEAST,
        limit_restitution
        + (restitution - limit_restitution) * jnp.exp(-jnp.asarray(impact_speed) / decay_speed),
    )


@law(
    family="restitution",
    source="empirical: rational decay to a limit",
    smoothness=math.inf,
    example={
        "impact_speed": 2.0,
        "restitution": 0.9,
        "decay_speed": 5.0,
        "steepness": 2.5,
        "limit_restitution": 0.3,
    },
    variants=({"steepness": 1.0, "limit_restitution": 0.0},),
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e12}, {"restitution": 1.0}),
)
def rational_restitution(
    impact_speed: Real,
    *,
    restitution: Real,
    decay_speed: Real,
    steepness: Real,
    limit_restitution: Real,
) -> jax.Array:
    """``e_inf + (e_0 - e_inf)/(1 + (v/v_c)^n)`` [-], at least 1e-9. Elementwise.

    Args:
        impact_speed: ``v`` [m/s].
        restitution: ``e_0`` of slow impacts.
        decay_speed: ``v_c`` [m/s], at which half of the decay is done.
        steepness: ``n``, at least 1.
        limit_restitution: ``e_inf`` of fast impacts.
    """
    remains = jax.nn.sigmoid(-steepness * _log_ratio(impact_speed, decay_speed))
    return jnp.maximum(LEAST, limit_restitution + (restitution - limit_restitution) * remains)


def _end_slope(first: Real, second: Real, first_secant: Real, second_secant: Real) -> jax.Array:
    """Three-point slope at an end, limited so that the curve stays monotone in the first interval
    (Fritsch and Carlson).
    """
    slope = ((2.0 * first + second) * first_secant - first * second_secant) / (first + second)
    slope = jnp.where(slope * first_secant > 0, slope, 0.0)
    turns = (first_secant * second_secant < 0) & (jnp.abs(slope) > 3.0 * jnp.abs(first_secant))
    return jnp.where(turns, 3.0 * first_secant, slope)


def _monotone_slopes(widths: jax.Array, secants: jax.Array) -> jax.Array:
    """Slopes at the nodes: weighted harmonic means of the secants, 0 where these change sign."""
    if secants.shape[0] == 1:
        return jnp.broadcast_to(secants, (2,))
    left, right = secants[:-1], secants[1:]
    alike = left * right > 0
    near, far = 2.0 * widths[1:] + widths[:-1], widths[1:] + 2.0 * widths[:-1]
    inverse = near / jnp.where(alike, left, 1.0) + far / jnp.where(alike, right, 1.0)
    inner = jnp.where(alike, (near + far) / inverse, 0.0)
    first = _end_slope(widths[0], widths[1], secants[0], secants[1])
    last = _end_slope(widths[-1], widths[-2], secants[-1], secants[-2])
    return jnp.concatenate([first[None], inner, last[None]])


@law(
    family="restitution",
    source="Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304: monotone cubic "
    "interpolation",
    smoothness=0,
    example={
        "impact_speed": 3.7,
        "node_speed": np.array([2.0, 3.0, 4.5, 6.0]),
        "node_restitution": np.array([0.95, 0.9, 0.7, 0.5]),
    },
    variants=(
        {"impact_speed": 2.5},
        {"impact_speed": 1.2},
        {"node_restitution": np.array([0.9, 0.8, 0.85, 0.6])},
    ),
    switches=({"impact_speed": 2.0}, {"impact_speed": 6.0}),
    corners=(
        {"impact_speed": 0.0},
        {"impact_speed": 3.0},
        {"impact_speed": 1e12},
        {"node_restitution": np.array([0.9, 0.9, 0.9, 0.9])},
    ),
)
def tabulated_restitution(
    impact_speed: Real, *, node_speed: jax.Array, node_restitution: jax.Array
) -> jax.Array:
    """Monotone cubic through nodes, in ``ln v``; constant outside. Elementwise in the speed.

    Between two nodes it never leaves the interval of their values, so it stays in (0, 1]. One
    continuous derivative between the first and the last node.

    Args:
        impact_speed: ``v`` [m/s].
        node_speed: increasing speeds [m/s], ``(n,)``, ``n >= 2``.
        node_restitution: restitution at each, ``(n,)``.
    """
    nodes, values = jnp.log(jnp.asarray(node_speed)), jnp.asarray(node_restitution)
    place = jnp.clip(_log_ratio(impact_speed, 1.0), nodes[0], nodes[-1])
    widths = jnp.diff(nodes)
    secants = jnp.diff(values) / widths
    slopes = _monotone_slopes(widths, secants)
    i = jnp.clip(
        jnp.searchsorted(jax.lax.stop_gradient(nodes), jax.lax.stop_gradient(place), side="right")
        - 1,
        0,
        widths.shape[0] - 1,
    )
    step = place - nodes[i]
    bend = (3.0 * secants[i] - 2.0 * slopes[i] - slopes[i + 1]) / widths[i]
    twist = (slopes[i] + slopes[i + 1] - 2.0 * secants[i]) / widths[i] ** 2
    return values[i] + step * (slopes[i] + step * (bend + step * twist))


@model
class PowerLawRestitution(RigidImpact):
    """A rigid impact with ``power_law_restitution``; with ``sharpness`` its form without a corner.

    Source: Johnson, Contact Mechanics (1985), section 11.4; Kuwabara and Kono, Jpn. J. Appl. Phys.
    26 (1987) 1230-1233.

    Args:
        restitution: ``e_1`` at ``reference_speed``.
        reference_speed: ``v_1`` [m/s].
        velocity_exponent: ``q``; 1/4 is fully plastic.
        duration, deviation: as in ``NewtonRestitution``.
        sharpness: ``n`` of ``smooth_power_law_restitution``, at least 2 (static).

    Example:
        >>> ball = jc.PowerLawRestitution(restitution=0.8, reference_speed=1.0)
        >>> print(f"{ball.restitution_at(16.0, mass=1.0):.3f}")
        0.400
    """

    restitution: Real = of(QUANTITIES["restitution"])
    reference_speed: Real = of(QUANTITIES["reference_speed"], default=1.0)
    velocity_exponent: Real = of(QUANTITIES["velocity_exponent"], default=0.25)
    duration: Real = duration_field()
    deviation: Real = deviation_field()
    sharpness: float | None = static(default=None)

    def __post_init__(self) -> None:
        if self.sharpness is not None and not (
            isinstance(self.sharpness, (int, float)) and 2 <= self.sharpness < math.inf
        ):
            raise ValueError(
                f"PowerLawRestitution: sharpness = {self.sharpness!r} is not None or a "
                "number in [2, inf)."
            )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        known = {
            "restitution": self.restitution,
            "reference_speed": self.reference_speed,
            "velocity_exponent": self.velocity_exponent,
        }
        if self.sharpness is None:
            return power_law_restitution(impact_speed, **known)
        return smooth_power_law_restitution(impact_speed, **known, sharpness=self.sharpness)


@model
class BrokenPowerLawRestitution(RigidImpact):
    """A rigid impact with ``broken_power_law_restitution``: an exponent that changes with the
    speed, for balls of which no law is known.

    Source: empirical, a smoothly broken power law.

    Args:
        restitution: ``e_1`` at ``reference_speed``.
        reference_speed: ``v_1`` [m/s].
        mean_exponent: ``q`` at this speed, of either sign; 0 is a constant restitution.
        exponent_change: ``c``, by which the exponent is smaller far below and larger far above.
        duration, deviation: as in ``NewtonRestitution``.

    Example:
        >>> ball = jc.BrokenPowerLawRestitution(
        ...     restitution=0.8, mean_exponent=0.125, exponent_change=0.125
        ... )
        >>> print(f"{ball.restitution_at(16.0, mass=1.0):.3f}")
        0.436
    """

    restitution: Real = of(QUANTITIES["restitution"])
    reference_speed: Real = of(QUANTITIES["reference_speed"], default=1.0)
    mean_exponent: Real = of(QUANTITIES["mean_exponent"], default=0.0)
    exponent_change: Real = of(QUANTITIES["exponent_change"], default=0.0)
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        return broken_power_law_restitution(
            impact_speed,
            restitution=self.restitution,
            reference_speed=self.reference_speed,
            mean_exponent=self.mean_exponent,
            exponent_change=self.exponent_change,
        )


@model
class ExponentialRestitution(RigidImpact):
    """A rigid impact with ``exponential_restitution``: ``e_0`` at rest, falling over
    ``decay_speed`` to ``limit_restitution``.

    ``duration`` and ``deviation`` as in ``NewtonRestitution``.

    Source: empirical, an exponential decay to a limit.

    Example:
        >>> ball = jc.ExponentialRestitution(
        ...     restitution=0.9, decay_speed=2.0, limit_restitution=0.4
        ... )
        >>> print(f"{ball.restitution_at(2.0, mass=1.0):.3f}")
        0.584
    """

    restitution: Real = of(QUANTITIES["restitution"])
    decay_speed: Real = of(QUANTITIES["decay_speed"])
    limit_restitution: Real = of(QUANTITIES["limit_restitution"], default=0.0)
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        return exponential_restitution(
            impact_speed,
            restitution=self.restitution,
            decay_speed=self.decay_speed,
            limit_restitution=self.limit_restitution,
        )


@model
class RationalRestitution(RigidImpact):
    """A rigid impact with ``rational_restitution``: ``e_0`` at rest, half of the decay at
    ``decay_speed``.

    ``duration`` and ``deviation`` as in ``NewtonRestitution``.

    Source: empirical, a rational decay to a limit.

    Example:
        >>> ball = jc.RationalRestitution(restitution=0.9, decay_speed=2.0)
        >>> print(f"{ball.restitution_at(2.0, mass=1.0):.3f}")
        0.450
    """

    restitution: Real = of(QUANTITIES["restitution"])
    decay_speed: Real = of(QUANTITIES["decay_speed"])
    steepness: Real = of(QUANTITIES["steepness"], default=1.0)
    limit_restitution: Real = of(QUANTITIES["limit_restitution"], default=0.0)
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        return rational_restitution(
            impact_speed,
            restitution=self.restitution,
            decay_speed=self.decay_speed,
            steepness=self.steepness,
            limit_restitution=self.limit_restitution,
        )


@model
class ThorntonRestitution(RigidImpact):
    """A rigid impact of an elastic, perfectly plastic sphere: 1 up to ``yield_speed``, then falling
    to ``v^(-1/4)``.

    The one number of ``laws.plastic.thornton_restitution``, for fits in which stiffness, mass and
    yield pressure have no other effect. ``duration`` and ``deviation`` as in ``NewtonRestitution``.
    Source: Thornton, J. Appl. Mech. 64 (1997) 383-386.

    Example:
        >>> ball = jc.ThorntonRestitution(yield_speed=0.05)
        >>> print(f"{ball.restitution_at(1.0, mass=1.0):.3f}")
        0.557
    """

    yield_speed: Real = of(QUANTITIES["yield_speed"])
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        return restitution_above_yield(impact_speed, self.yield_speed)


@model
class RestitutionNode:
    """A point of ``TabulatedRestitution``: the restitution at a speed.

    Example:
        >>> slow = jc.RestitutionNode(speed=0.5, restitution=0.95)
        >>> fast = jc.RestitutionNode(speed=5.0, restitution=0.80)
        >>> table = jc.TabulatedRestitution(nodes=(slow, fast))
        >>> print(f"{table.restitution_at(0.5, mass=1.0):.2f}")
        0.95
    """

    speed: Real = of(QUANTITIES["node_speed"])
    restitution: Real = of(QUANTITIES["restitution"])


@model
class TabulatedRestitution(RigidImpact):
    """A rigid impact with ``tabulated_restitution``: a monotone curve through nodes, each of which
    can be fitted.

    The restitution of node 2 is the parameter ``"contact.normal.nodes.2.restitution"``.
    ``TabulatedRestitution.through`` builds it from two lists. ``duration`` and ``deviation`` as in
    ``NewtonRestitution``.

    Source: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304 (monotone cubic).

    Args:
        nodes: ``RestitutionNode`` in order of speed.

    Example:
        >>> ball = jc.TabulatedRestitution.through([0.5, 5.0], [0.95, 0.80])
        >>> print(f"{ball.restitution_at(0.5, mass=1.0):.2f}")
        0.95
    """

    nodes: tuple[RestitutionNode, ...]
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def __post_init__(self) -> None:
        nodes = self.nodes
        if not isinstance(nodes, tuple) or not all(
            isinstance(node, RestitutionNode) for node in nodes
        ):
            return  # a placeholder of a tree operation
        if len(nodes) < 2:
            raise ValueError(
                f"TabulatedRestitution: {len(nodes)} nodes; give at least 2. One restitution "
                "is NewtonRestitution."
            )
        speeds = [node.speed for node in nodes]
        if is_concrete(speeds) and np.any(np.diff(np.asarray(speeds), axis=0) <= 0):
            raise ValueError(
                "TabulatedRestitution: the speeds "
                f"{', '.join(f'{speed:g}' for speed in speeds)} m/s do not increase."
            )

    @classmethod
    def through(
        cls, speeds: Sequence[float], restitutions: Sequence[float], **others: float
    ) -> "TabulatedRestitution":
        """The law through nodes at ``speeds`` [m/s], increasing, with ``restitutions``.

        Raises:
            ValueError: lists of different length, fewer than two nodes, speeds that do not
                increase, a restitution outside (0, 1].
        """
        if len(speeds) != len(restitutions):
            raise ValueError(
                f"TabulatedRestitution: {len(speeds)} speeds and {len(restitutions)} "
                "restitutions; give as many."
            )
        pairs = zip(speeds, restitutions, strict=True)
        return cls(
            nodes=tuple(
                RestitutionNode(speed=speed, restitution=restitution)
                for speed, restitution in pairs
            ),
            **others,
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        speeds = jnp.stack([jnp.asarray(node.speed) for node in self.nodes])
        restitutions = jnp.stack([jnp.asarray(node.restitution) for node in self.nodes])
        return tabulated_restitution(impact_speed, node_speed=speeds, node_restitution=restitutions)
