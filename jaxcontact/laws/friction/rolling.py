"""Rolling resistance: torques that oppose the rolling of one body on another.

The argument ``rotation_rate`` (or ``rotation_increment``) is the *rolling part* of the relative
angular velocity of the body against its partner, that normal to the contact normal
(``geometry.motion.normal_and_tangential``); the torque on the body is opposite to it, the partner
receives the opposite torque. Both together have no force and no net torque, so momentum and angular
momentum of the pair are kept.

=========================  ================================  ==================  ================
law                        torque                            rolls to rest       holds on a slope
=========================  ================================  ==================  ================
constant, hard             ``mu_r R* F_n``                   yes, then chatters  no
constant, regularised      ``mu_r R* F_n phi(|w|/w_s)``      exponentially       no, creeps
viscous                    proportional to ``w``             exponentially       no
spring with memory (EPSD)  ``k_r`` times the rotation, at    yes                 yes
                           most ``mu_r R* F_n``
=========================  ================================  ==================  ================

Types A, B and C of Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282. Torques in N m;
tension carries none.

Example:
    >>> from jaxcontact.laws import rolling
    >>> rotation_rate = jnp.array([0.0, 50.0, 0.0])
    >>> torque = rolling.constant_rolling_torque(
    ...     rotation_rate, 10.0, rolling_coefficient=0.01, effective_radius=0.02
    ... )
    >>> print(f"{torque[1]:.4f} N m")
    -0.0020 N m
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.core.rotation_interfaces import RollingFlow, RollingWithMemory
from jaxcontact.laws.friction.coulomb import (
    LINEAR,
    ROOT,
    TANH,
    Regularization,
    friction_force,
    slip_after_impulse,
)
from jaxcontact.laws.friction.slider import Slider, coulomb_slider, return_mapping
from jaxcontact.numerics.smooth import Real, positive_part, safe_norm
from jaxcontact.parameters import model, of, static


@law(
    family="spinning",
    source="EDEM spinning friction",
    smoothness=float("inf"),
    example={"rotation_rate": (0.3, -2.0, 0.7), "damping": 12.0, "contact_area": 3e-4},
    corners=({"rotation_rate": (0.0, 0.0, 0.0)}, {"damping": 0.0}, {"contact_area": 0.0}),
    conjugate="rotation_rate",
)
def rocking_damping_torque(rotation_rate: Real, *, damping: Real, contact_area: Real) -> jax.Array:
    """``-(gamma/4) (A/pi) w_t`` [N m], ``(..., k)``, on the body that rocks with ``w_t`` against
    its partner.

    The area enters instead of the radius: no root, and finite derivatives of every order at zero
    overlap. Source: EDEM, spinning friction contact model.

    Args:
        rotation_rate: ``w_t``, ``(..., k)``: relative angular velocity normal to the contact normal
            [rad/s].
        damping: ``gamma``, ``(...)``: coefficient of the normal dashpot [N s/m].
        contact_area: ``A``, ``(...)`` [m^2].
    """
    return -jnp.expand_dims(jnp.asarray(damping * contact_area / (4.0 * jnp.pi)), -1) * jnp.asarray(
        rotation_rate
    )


_SOURCE = "Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282"
# Exact in binary: mu_r R* F_n = 1 N m.
_LIMIT = {"normal_force": 8.0, "rolling_coefficient": 0.5, "effective_radius": 0.25}
_NO_TORQUE = ({"normal_force": 0.0}, {"normal_force": -5.0}, {"rolling_coefficient": 0.0})


class RollingMemory(NamedTuple):
    """Memory of the rolling spring.

    Attributes:
        torque: of the spring that resists the rolling, ``(..., k)`` [N m]; zero when a contact
            begins.
    """

    torque: Real


@describe_arguments
def rolling_torque_limit(
    normal_force: Real, *, rolling_coefficient: Real, effective_radius: Real
) -> jax.Array:
    """``mu_r R* F_n`` [N m] for ``F_n > 0``, else 0. Elementwise."""
    return jnp.multiply(rolling_coefficient * effective_radius, positive_part(normal_force))


@law(
    family="rolling",
    source=f"type A of {_SOURCE}",
    smoothness=-1,
    example={"rotation_rate": (0.3, -0.2, 0.1), **_LIMIT},
    switches=({"rotation_rate": (0.0, 0.0, 0.0)},),
    corners=(
        *_NO_TORQUE,
        {"rotation_rate": (1e-20, 0.0, 0.0)},
        {"rotation_rate": (0.0, 0.0, 0.0), "rolling_coefficient": 0.0},
    ),
    conjugate="rotation_rate",
)
def constant_rolling_torque(
    rotation_rate: Real, normal_force: Real, *, rolling_coefficient: Real, effective_radius: Real
) -> jax.Array:
    """Constant torque ``-mu_r R* F_n w/|w|``, ``(..., k)`` [N m]; hard, 0 with zero derivative at
    ``w = 0``, where it jumps.

    A solid sphere that rolls on a plane is slowed down by ``5/7 mu_r g``.

    Args:
        rotation_rate: ``w``, rolling part of the relative angular velocity, ``(..., k)`` [rad/s].
        normal_force: ``F_n``, ``(...)`` [N].
        rolling_coefficient: ``mu_r`` [-].
        effective_radius: ``R*`` [m].
    """
    rate = jnp.asarray(rotation_rate)
    limit = rolling_torque_limit(
        normal_force, rolling_coefficient=rolling_coefficient, effective_radius=effective_radius
    )
    speed = safe_norm(rate)
    rolls = speed > jnp.finfo(speed.dtype).tiny ** (1.0 / 3.0)  # second derivatives contain 1/|w|^3
    return -rate * jnp.where(rolls, limit / jnp.where(rolls, speed, 1.0), 0.0)[..., None]


def _distance_from_constant_torque(
    rotation_rate: Real,
    normal_force: Real,
    *,
    rolling_coefficient: Real,
    effective_radius: Real,
    rolling_velocity: Real,
    regularization: Regularization,
) -> jax.Array:
    """Bound [N m] on the difference between the regularised torque and the constant one."""
    limit = rolling_torque_limit(
        normal_force, rolling_coefficient=rolling_coefficient, effective_radius=effective_radius
    )
    speed = safe_norm(jnp.asarray(rotation_rate))
    rounding = 1e-15
    return limit * (1.0 + rounding - regularization.ratio(speed / rolling_velocity))


@law(
    family="rolling",
    source=f"type A of {_SOURCE}, regularised",
    smoothness=lambda regularization, **_: regularization.smoothness,
    example={
        "rotation_rate": (0.3, -0.2, 0.1),
        **_LIMIT,
        "rolling_velocity": 0.125,
        "regularization": ROOT,
    },
    variants=(
        {"regularization": LINEAR},
        {"regularization": TANH},
        {"rotation_rate": (0.03, -0.02, 0.01)},
    ),
    switches=(
        {"rotation_rate": (0.0, 0.0, 0.0)},
        {"rotation_rate": (0.125, 0.0, 0.0), "regularization": LINEAR},
    ),
    corners=(*_NO_TORQUE, {"rotation_rate": (0.0, 0.0, 0.0), "rolling_coefficient": 0.0}),
    conjugate="rotation_rate",
    approximates="constant_rolling_torque",
    within=_distance_from_constant_torque,
)
def regularized_rolling_torque(
    rotation_rate: Real,
    normal_force: Real,
    *,
    rolling_coefficient: Real,
    effective_radius: Real,
    rolling_velocity: Real,
    regularization: Regularization,
) -> jax.Array:
    """``-mu_r R* F_n phi(|w|/w_s) w/|w|``, ``(..., k)`` [N m]; as smooth as ``phi``, 0 at ``w =
    0``.

    Coulomb friction with the rolling velocity as slip. It differs from the hard form by ``mu_r R*
    F_n (1 - phi(|w|/w_s))``.

    Args:
        rotation_rate: ``w``, rolling part of the relative angular velocity, ``(..., k)`` [rad/s].
        normal_force: ``F_n``, ``(...)`` [N].
        rolling_coefficient: ``mu_r`` [-].
        effective_radius: ``R*`` [m].
        rolling_velocity: ``w_s > 0`` [rad/s].
        regularization: ``phi``, of ``laws.friction``.
    """
    coefficient = rolling_coefficient * effective_radius
    return friction_force(
        rotation_rate,
        normal_force,
        coefficient=coefficient,
        slip_velocity=rolling_velocity,
        regularization=regularization,
    )


@law(
    family="rolling",
    source=f"type B of {_SOURCE}; Zhou, Wright, Yang, Xu and Yu, Physica A 269 (1999) 536-553",
    smoothness=0,
    example={
        "rotation_rate": (0.3, -0.2, 0.1),
        "normal_force": 8.0,
        "viscous_coefficient": 0.5,
        "effective_radius": 0.25,
    },
    switches=({"normal_force": 0.0},),
    corners=(
        {"rotation_rate": (0.0, 0.0, 0.0)},
        {"normal_force": -5.0},
        {"viscous_coefficient": 0.0},
    ),
    conjugate="rotation_rate",
)
def viscous_rolling_torque(
    rotation_rate: Real, normal_force: Real, *, viscous_coefficient: Real, effective_radius: Real
) -> jax.Array:
    """``-c F_n R*^2 w``, ``(..., k)`` [N m]: the coefficient ``c R* |w|`` grows with the rolling
    velocity ``R* |w|``.

    Analytic in ``w``, continuous where the contact opens.

    Args:
        rotation_rate: ``w``, rolling part of the relative angular velocity, ``(..., k)`` [rad/s].
        normal_force: ``F_n``, ``(...)`` [N].
        viscous_coefficient: ``c`` [s/m].
        effective_radius: ``R*`` [m].
    """
    torque_rate = (
        viscous_coefficient * positive_part(normal_force) * effective_radius * effective_radius
    )
    return -jnp.asarray(torque_rate)[..., None] * jnp.asarray(rotation_rate)


@describe_arguments
def ai_rolling_stiffness(
    stiffness: Real, *, rolling_coefficient: Real, effective_radius: Real
) -> Real:
    """``k_r = 9/4 k_n mu_r^2 R*^2`` [N m/rad] of a normal stiffness ``k_n`` [N/m]. Source: Ai et
    al. (2011).
    """
    return 2.25 * stiffness * (rolling_coefficient * effective_radius) ** 2


@describe_arguments
def iwashita_oda_rolling_stiffness(tangential_stiffness: Real, *, effective_radius: Real) -> Real:
    """``k_r = k_t R*^2`` [N m/rad]. Source: Iwashita and Oda, J. Eng. Mech. 124 (1998) 285-292;
    PFC's rolling resistance linear model.
    """
    return tangential_stiffness * effective_radius * effective_radius


@describe_arguments
def critical_rolling_damping(rolling_stiffness: Real, *, inertia: Real) -> jax.Array:
    """``2 sqrt(I_r k_r)`` [N m s]; EPSD takes a fraction of it as ``rolling_damping``.

    ``1/I_r = 1/(I1 + m1 R1^2) + 1/(I2 + m2 R2^2)``, moments of inertia about the contact point.
    Source: Ai et al. (2011).
    """
    return 2.0 * jnp.sqrt(inertia * rolling_stiffness)


@describe_arguments
def rolling_energy(memory: RollingMemory, *, rolling_stiffness: Real) -> jax.Array:
    """``M^2/(2 k_r)`` [J], ``(...)``; 0 without stiffness."""
    stiff = jnp.greater(rolling_stiffness, 0.0)
    squared = jnp.sum(jnp.square(memory.torque), axis=-1)
    return jnp.where(stiff, 0.5 * squared / jnp.where(stiff, rolling_stiffness, 1.0), 0.0)


@law(
    family="rolling",
    source=f"type C (EPSD) of {_SOURCE}",
    smoothness=-1,
    example={
        "memory": RollingMemory(np.array([0.25, 0.0, 0.0])),
        "rotation_increment": (0.03125, 0.015625, 0.0),
        **_LIMIT,
        "rolling_stiffness": 4.0,
        "rolling_damping": 0.5,
        "mobilized_damping": 0.0,
        "time_step": 0.25,
    },
    variants=(
        {"rotation_increment": (2.0, -1.0, 0.5)},
        {"rotation_increment": (2.0, -1.0, 0.5), "mobilized_damping": 1.0},
    ),
    switches=({"rotation_increment": (0.1875, 0.0, 0.0)},),
    corners=(
        *_NO_TORQUE,
        {"memory": RollingMemory(np.zeros(3)), "rotation_increment": (0.0, 0.0, 0.0)},
        {
            "memory": RollingMemory(np.zeros(3)),
            "rotation_increment": (0.0, 0.0, 0.0),
            "rolling_coefficient": 0.0,
        },
        {"rolling_stiffness": 0.0},
        {"rolling_damping": 0.0},
    ),
    energy=rolling_energy,
    conjugate="rotation_increment",
)
def epsd_rolling_torque(
    memory: RollingMemory,
    rotation_increment: Real,
    normal_force: Real,
    *,
    rolling_stiffness: Real,
    rolling_damping: Real,
    rolling_coefficient: Real,
    effective_radius: Real,
    time_step: Real,
    mobilized_damping: Real = 0.0,
    slider: Slider = coulomb_slider,
) -> tuple[jax.Array, RollingMemory]:
    """Elastic-plastic spring with dashpot (EPSD): torque ``(..., k)`` [N m] on the body that rolls,
    and the memory.

    ``T = P(T + k_r dtheta)``, ``|T| <= mu_r R* F_n``; torque ``-T - C_r w``, where the spring is
    fully mobilised ``-T - f C_r w``. Without rolling the spring torque stays, so a body rests on a
    slope for ever while the torque on it is below the limit. With ``f < 1`` and a dashpot the
    torque jumps where the spring becomes fully mobilised; with ``f = 1`` or no dashpot it is
    continuous there (of the order of the slider).

    Args:
        memory: spring torque ``T``, carried with the contact plane.
        rotation_increment: ``dtheta``, rolling part of the relative rotation in this step, ``(...,
            k)`` [rad].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as no contact.
        rolling_stiffness: ``k_r`` [N m/rad], e.g. ``ai_rolling_stiffness``.
        rolling_damping: ``C_r`` [N m s].
        rolling_coefficient: ``mu_r`` [-].
        effective_radius: ``R*`` [m].
        time_step: [s].
        mobilized_damping: ``f`` in [0, 1], the fraction of the dashpot that acts on a fully
            mobilised spring [-]; Ai et al. take 0.
        slider: ``P``: ``coulomb_slider``, or a ``SmoothSlider``.
    """
    increment = jnp.asarray(rotation_increment)
    limit = rolling_torque_limit(
        normal_force, rolling_coefficient=rolling_coefficient, effective_radius=effective_radius
    )
    stiffness = jnp.asarray(rolling_stiffness)
    carried, _ = return_mapping(
        memory.torque,
        increment,
        stiffness=stiffness,
        viscosity=jnp.zeros_like(stiffness),
        limit=limit,
        slider=slider,
    )
    mobilized = safe_norm(memory.torque + stiffness[..., None] * increment) > limit
    dashpot = (
        jnp.where(mobilized, mobilized_damping, 1.0)
        * rolling_damping
        / time_step
        * jnp.greater(normal_force, 0.0)
    )
    return -carried - jnp.asarray(dashpot)[..., None] * increment, RollingMemory(carried)


@model
class RollingSpring(RollingWithMemory[RollingMemory]):
    """Rolling resistance with a spring that remembers, in a scene: ``epsd_rolling_torque``. It
    holds a body on a slope for ever.

    A rigid impact leaves no time to roll, so there it does nothing.

    Source: Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282 (type C, EPSD).

    Args:
        rolling_coefficient: ``mu_r`` [-].
        rolling_stiffness: ``k_r`` [N m/rad], e.g. ``ai_rolling_stiffness``.
        rolling_damping: ``C_r`` [N m s/rad].
        mobilized_damping: ``f``, the fraction of the dashpot that acts on a fully mobilised spring
            [-].

    Example:
        >>> rolling = jc.RollingSpring(rolling_coefficient=0.01, rolling_stiffness=5.0)
        >>> print(f"holds {10.0 * rolling.limit(effective_radius=0.02):.4f} N m at 10 N")
        holds 0.0020 N m at 10 N
    """

    rolling_coefficient: Real = of(QUANTITIES["rolling_coefficient"])
    rolling_stiffness: Real = of(QUANTITIES["rolling_stiffness"])
    rolling_damping: Real = of(QUANTITIES["rolling_damping"], default=0.0)
    mobilized_damping: Real = of(QUANTITIES["mobilized_damping"], default=0.0)

    def unloaded(self, contacts: int) -> RollingMemory:
        """Memory of contacts that begin."""
        return RollingMemory(jnp.zeros((contacts, 3)))

    def limit(self, *, effective_radius: Real) -> Real:
        """Largest torque of the spring over normal force [m]."""
        return self.rolling_coefficient * effective_radius

    def after_step(
        self,
        memory: RollingMemory,
        rotation_increment: Real,
        *,
        normal_force: Real,
        effective_radius: Real,
        time_step: Real,
    ) -> tuple[jax.Array, RollingMemory]:
        """Torque on the body that rolls [N m] at the end of a step, and the memory."""
        return epsd_rolling_torque(
            memory,
            rotation_increment,
            normal_force,
            rolling_stiffness=self.rolling_stiffness,
            rolling_damping=self.rolling_damping,
            rolling_coefficient=self.rolling_coefficient,
            effective_radius=effective_radius,
            time_step=time_step,
            mobilized_damping=self.mobilized_damping,
        )

    def overload(
        self,
        memory: RollingMemory,
        rotation_rate: Real,
        *,
        normal_force: Real,
        effective_radius: Real,
    ) -> jax.Array:
        """Torque of the spring less its limit ``mu_r R* F_n`` [N m]: negative while it holds,
        ``(...)``. The dashpot is beside the slider.
        """
        return safe_norm(jnp.asarray(memory.torque)) - rolling_torque_limit(
            normal_force,
            rolling_coefficient=self.rolling_coefficient,
            effective_radius=effective_radius,
        )

    def holding(self, torque: Real) -> RollingMemory:
        """Memory of contacts that hold ``torque`` on the body, ``(..., 3)`` [N m], at rest."""
        return RollingMemory(-jnp.asarray(torque))

    def energy(self, memory: RollingMemory) -> jax.Array:
        """Energy stored in each contact [J]."""
        return rolling_energy(memory, rolling_stiffness=self.rolling_stiffness)


@model
class RollingResistance(RollingFlow):
    """Rolling resistance of a contact in a scene: ``regularized_rolling_torque``, integrated
    through its closed flow.

    No regularisation is too sharp: a small ``rolling_velocity`` costs nothing.

    Source: Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282 (type A, regularised).

    Args:
        regularization: how the torque rises with the angular velocity: ``LINEAR``, ``ROOT``,
            ``TANH``, ``EXPONENTIAL`` or ``MODIA3D`` of ``laws.friction``.

    Example:
        >>> rolling = jc.RollingResistance(rolling_coefficient=0.01)
        >>> torque = rolling.torque(
        ...     jnp.array([0.0, 50.0, 0.0]), normal_force=10.0, effective_radius=0.02
        ... )
        >>> print(f"{torque[1]:.2e} N m")
        -2.00e-03 N m
    """

    rolling_coefficient: Real = of(QUANTITIES["rolling_coefficient"])
    rolling_velocity: Real = of(QUANTITIES["rolling_velocity"], default=1e-3)
    regularization: Regularization = static(default=ROOT)

    @property
    def corner(self) -> Real | None:
        """Rotation rate [rad/s] at which the torque has a corner, of the linear form."""
        return self.regularization.corner(self.rolling_velocity)

    def torque(
        self, rotation_rate: Real, normal_force: Real, *, effective_radius: Real
    ) -> jax.Array:
        """Torque ``(..., k)`` [N m] on the body that rolls at ``rotation_rate`` ``(..., k)``
        [rad/s] against its partner.
        """
        return regularized_rolling_torque(
            rotation_rate,
            normal_force,
            rolling_coefficient=self.rolling_coefficient,
            effective_radius=effective_radius,
            rolling_velocity=self.rolling_velocity,
            regularization=self.regularization,
        )

    def limit(self, *, effective_radius: Real) -> Real:
        """Largest torque over normal force [m]."""
        return self.rolling_coefficient * effective_radius

    def rotation_after(
        self, rotation_rate: Real, specific_impulse: Real, *, effective_radius: Real
    ) -> jax.Array:
        """Rotation rate ``(..., k)`` [rad/s] after a normal impulse over the inertia against
        rolling ``(...)`` [1/(m s)].
        """
        return slip_after_impulse(
            rotation_rate,
            specific_impulse,
            coefficient=self.limit(effective_radius=effective_radius),
            slip_velocity=self.rolling_velocity,
            regularization=self.regularization,
        )
