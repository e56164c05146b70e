"""Spinning (drilling) friction: the torque of a disk of contact that turns about the normal.

Every point of the disk slides, so its friction has the moment ``M_c = f mu F_n a`` about the
centre, ``a`` the radius of the disk and ``f`` the mean distance from the centre, weighted with the
pressure, over ``a``:

- ``f = 2/3`` for a uniform pressure,
- ``f = 3 pi/16`` for Hertz's, ``p ~ sqrt(1 - r^2/a^2)``,
- ``f = 1`` for a ring, all of the load at the rim.

The torque on a body is ``-M_c sign(w)``, ``w`` its spin against the partner. That is Coulomb
friction with the spin as slip and the coefficient ``f a mu``, so the regularised law and its flow
are those of ``laws.friction``.

Torques are in N m, spins in rad/s; everything is elementwise. Tension carries no friction.

Example:
    >>> from jaxcontact.laws import spinning
    >>> limit = spinning.spinning_torque_limit(10.0, coefficient=0.3, contact_radius=1e-4)
    >>> print(f"{limit:.1e} N m")
    2.0e-04 N m
"""

import math
from typing import Any, overload

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.core.rotation_interfaces import SpinningLaw
from jaxcontact.laws.friction.coulomb import (
    EXPONENTIAL,
    ROOT,
    TANH,
    Regularization,
    friction_force,
    slip_after_impulse,
)
from jaxcontact.numerics.smooth import Real, positive_part, positive_power
from jaxcontact.parameters import model, nearest, of, static

PRESSURES: dict[str, float] = {"uniform": 2.0 / 3.0, "hertz": 3.0 * math.pi / 16.0, "ring": 1.0}
"""``f``: the integral of ``p r dA`` over ``a`` times that of ``p dA``. Johnson, Contact Mechanics
(1985), section 7.2 for ``hertz``.
"""

_SOURCE = "EDEM spinning friction (uniform); Johnson, Contact Mechanics (1985), section 7.2 (hertz)"
# Exact in binary, so that spin = 1 lies exactly on the switch of the limited form.
_EXAMPLE = {
    "spin": 3.0,
    "normal_force": 8.0,
    "coefficient": 0.5,
    "contact_radius": 0.25,
    "pressure": "ring",
}
_STEP = {"inertia": 0.125, "time_step": 0.015625}
_OTHER_PRESSURES = ({"pressure": "uniform"}, {"pressure": "hertz", "spin": -2.0})
_NO_TORQUE = (
    {"normal_force": 0.0},
    {"contact_radius": 0.0},
    {"coefficient": 0.0},
    {"spin": 0.0, "coefficient": 0.0},
)


def _torque_coefficient(coefficient: Real, contact_radius: Real, pressure: str) -> Real:
    """``f mu a`` [m]: torque over normal force."""
    if pressure not in PRESSURES:
        raise ValueError(
            f"pressure = {pressure!r} is not a distribution of "
            f"pressure.{nearest(str(pressure), PRESSURES)}"
        )
    return PRESSURES[pressure] * coefficient * contact_radius


@law(
    family="spinning",
    source=_SOURCE,
    smoothness=0,
    example={name: value for name, value in _EXAMPLE.items() if name != "spin"},
    variants=({"pressure": "uniform"}, {"pressure": "hertz"}, {"normal_force": -8.0}),
    switches=({"normal_force": 0.0},),
    corners=({"contact_radius": 0.0}, {"coefficient": 0.0}),
)
def spinning_torque_limit(
    normal_force: Real, *, coefficient: Real, contact_radius: Real, pressure: str = "uniform"
) -> jax.Array:
    """Torque of the sliding disk ``M_c = f mu F_n a`` [N m], for ``F_n > 0``, else 0. Elementwise.

    Args:
        normal_force: ``F_n`` [N].
        coefficient: ``mu >= 0`` [-].
        contact_radius: ``a >= 0`` [m], e.g. from ``geometry.contact_disk``.
        pressure: key of ``PRESSURES``.
    """
    lever = _torque_coefficient(coefficient, contact_radius, pressure)
    return jnp.multiply(lever, positive_part(normal_force))


@law(
    family="spinning",
    source=_SOURCE,
    smoothness=-1,
    example=_EXAMPLE,
    variants=_OTHER_PRESSURES,
    switches=({"spin": 0.0},),
    corners=_NO_TORQUE,
    conjugate="spin",
)
def coulomb_spinning_torque(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    pressure: str = "uniform",
) -> jax.Array:
    """The hard law ``-M_c sign(w)`` [N m], 0 without spin. It jumps by ``2 M_c`` where the spin
    reverses. Elementwise.

    Args:
        spin: ``w``, about the normal, of the body against its partner [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        contact_radius: ``a >= 0`` [m].
        pressure: key of ``PRESSURES``.
    """
    return -spinning_torque_limit(
        normal_force, coefficient=coefficient, contact_radius=contact_radius, pressure=pressure
    ) * jnp.sign(spin)


def _regularization_deficit(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    spin_velocity: Real,
    pressure: str = "uniform",
    regularization: Regularization = ROOT,
) -> jax.Array:
    """``M_c (1 - phi(|w|/w_s))``."""
    limit = spinning_torque_limit(
        normal_force, coefficient=coefficient, contact_radius=contact_radius, pressure=pressure
    )
    return limit * (1.0 - regularization.ratio(jnp.abs(spin) / spin_velocity))


@law(
    family="spinning",
    source="regularisation of the law above; exponential: Bauchau",
    smoothness=lambda regularization=ROOT, **_: regularization.smoothness,
    example={**_EXAMPLE, "spin_velocity": 2.0, "regularization": ROOT},
    variants=(*_OTHER_PRESSURES, {"regularization": TANH}, {"regularization": EXPONENTIAL}),
    switches=({"spin": 0.0}, {"spin": 0.0, "regularization": EXPONENTIAL}),
    corners=(*_NO_TORQUE, {"spin": 1e6}),
    approximates="coulomb_spinning_torque",
    within=_regularization_deficit,
    conjugate="spin",
)
def regularized_spinning_torque(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    spin_velocity: Real,
    pressure: str = "uniform",
    regularization: Regularization = ROOT,
) -> jax.Array:
    """``-M_c phi(|w|/w_s) sign(w)`` [N m]: no jump, and no dependence on a time step. Elementwise.

    As smooth in the spin as the regularisation says: ``tanh`` and ``root`` without end,
    ``exponential`` once. It is smaller than the hard law by ``M_c (1 - phi(|w|/w_s))``: below 1 %
    of ``M_c`` beyond 2.7 ``w_s`` for ``tanh``, 4.7 ``w_s`` for ``exponential``, 7.1 ``w_s`` for
    ``root``.

    An explicit step ``dt`` of a body with inertia ``I`` about the normal is stable for ``w_s > M_c
    dt slope/(2 I)``, and never reverses the spin for ``w_s > M_c dt slope/I``; see
    ``least_spin_velocity``. ``spin_after_step`` needs neither.

    Args:
        spin: ``w``, about the normal, of the body against its partner [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        contact_radius: ``a >= 0`` [m].
        spin_velocity: ``w_s > 0`` [rad/s].
        pressure: key of ``PRESSURES``.
        regularization: ``phi``.
    """
    lever = _torque_coefficient(coefficient, contact_radius, pressure)
    slip = jnp.asarray(spin)[..., None]
    return friction_force(
        slip,
        normal_force,
        coefficient=lever,
        slip_velocity=spin_velocity,
        regularization=regularization,
    )[..., 0]


@law(
    family="spinning",
    source="torsional friction as a length, e.g. of MuJoCo's contacts; regularised",
    smoothness=lambda regularization=ROOT, **_: regularization.smoothness,
    example={
        "spin": 3.0,
        "normal_force": 8.0,
        "spinning_lever": 0.125,
        "spin_velocity": 2.0,
        "regularization": ROOT,
    },
    variants=({"regularization": TANH},),
    switches=({"spin": 0.0},),
    corners=(
        {"normal_force": 0.0},
        {"spinning_lever": 0.0},
        {"spin": 0.0, "spinning_lever": 0.0},
        {"spin": 1e6},
    ),
    conjugate="spin",
)
def lever_spinning_torque(
    spin: Real,
    normal_force: Real,
    *,
    spinning_lever: Real,
    spin_velocity: Real,
    regularization: Regularization = ROOT,
) -> jax.Array:
    """``-lambda F_n phi(|w|/w_s) sign(w)`` [N m]: what a spin that decays tells where nobody knows
    the disk of the contact. Elementwise.

    Of a disk ``lambda = f mu a``. ``spinning_law`` makes a model for scenes of it.

    Args:
        spin: ``w``, about the normal, of the body against its partner [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        spinning_lever: ``lambda >= 0`` [m].
        spin_velocity: ``w_s > 0`` [rad/s].
        regularization: ``phi``.
    """
    return friction_force(
        jnp.asarray(spin)[..., None],
        normal_force,
        coefficient=spinning_lever,
        slip_velocity=spin_velocity,
        regularization=regularization,
    )[..., 0]


def _limiting_deficit(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    inertia: Real,
    time_step: Real,
    safety: Real = 0.125,
    pressure: str = "uniform",
) -> jax.Array:
    """What the documented limit takes away."""
    stopping = stopping_torque(jnp.abs(spin), inertia=inertia, time_step=time_step, safety=safety)
    limit = spinning_torque_limit(
        normal_force, coefficient=coefficient, contact_radius=contact_radius, pressure=pressure
    )
    return positive_part(limit - stopping)


@law(
    family="spinning",
    source="EDEM spinning friction",
    smoothness=0,
    example={**_EXAMPLE, **_STEP, "safety": 0.125},
    variants=(*_OTHER_PRESSURES, {"spin": 0.5}),
    switches=({"spin": 1.0},),
    corners=({"spin": 0.0}, *_NO_TORQUE),
    approximates="coulomb_spinning_torque",
    within=_limiting_deficit,
    conjugate="spin",
)
def limited_spinning_torque(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    inertia: Real,
    time_step: Real,
    safety: Real = 0.125,
    pressure: str = "uniform",
) -> jax.Array:
    """``-min(M_c, C |w| I/dt) sign(w)`` [N m]: not more than the fraction ``C`` of what stops the
    spin in one time step. Elementwise.

    The limit keeps an explicit integration from reversing the spin. The end of a spin-down becomes
    a numerical law: the spin decays by the factor ``1 - C`` in each step, whatever the step is.
    Continuous, with a corner at ``|w| = M_c dt/(C I)``.

    It is ``regularized_spinning_torque`` with the ``linear`` regularisation and ``w_s = M_c dt/(C
    I)``.

    Source: EDEM, spinning friction contact model.

    Args:
        spin: ``w``, about the normal, of the body against its partner [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        contact_radius: ``a >= 0`` [m].
        inertia: ``I``, smallest principal moment of inertia of either body [kg m^2].
        time_step: ``dt`` [s].
        safety: ``C`` in (0, 1] [-].
        pressure: key of ``PRESSURES``.
    """
    limit = spinning_torque_limit(
        normal_force, coefficient=coefficient, contact_radius=contact_radius, pressure=pressure
    )
    return -jnp.clip(
        stopping_torque(spin, inertia=inertia, time_step=time_step, safety=safety), -limit, limit
    )


@overload
def stopping_torque(
    spin: jax.Array, *, inertia: Real, time_step: Real, safety: Real = 1.0
) -> jax.Array: ...
@overload
def stopping_torque(spin: Real, *, inertia: Real, time_step: Real, safety: Real = 1.0) -> Real: ...
@describe_arguments
def stopping_torque(spin: Real, *, inertia: Real, time_step: Real, safety: Real = 1.0) -> Real:
    """``C I w/dt`` [N m]: the fraction ``C`` of the torque that stops the spin ``w`` in one time
    step. Elementwise.
    """
    return safety * inertia / time_step * spin


def least_spin_velocity(
    torque_limit: Real, *, inertia: Real, time_step: Real, safety: Real = 0.125
) -> Real:
    """``w_s = M_c dt/(C I)`` [rad/s], at which a law of slope 1 takes the fraction ``C`` of a small
    spin in one explicit step. Elementwise.

    A fixed ``w_s`` above it keeps the stability of the documented limit without its dependence on
    the step.

    Args:
        torque_limit: ``M_c`` [N m].
        inertia: ``I`` about the normal [kg m^2].
        time_step: ``dt`` [s].
        safety: ``C`` in (0, 1] [-].
    """
    return torque_limit * time_step / (safety * inertia)


@law(
    family="spinning",
    source="closed solution of the regularised law",
    smoothness=lambda regularization=ROOT, **_: regularization.smoothness,
    example={**_EXAMPLE, **_STEP, "spin_velocity": 2.0, "regularization": ROOT},
    variants=({"regularization": TANH}, {"regularization": TANH, "spin": -0.2}),
    switches=({"spin": 0.0},),
    corners=(*_NO_TORQUE, {"spin": 1e-3, "spin_velocity": 1e-6}),
)
def spin_after_step(
    spin: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    contact_radius: Real,
    inertia: Real,
    time_step: Real,
    spin_velocity: Real,
    pressure: str = "uniform",
    regularization: Regularization = ROOT,
) -> jax.Array:
    """Spin [rad/s] after a step under the regularised torque: the exact solution of ``I dw/dt =
    -M_c phi(w/w_s)``. Elementwise.

    Two steps give what one step of both lengths gives, for any step and any ``w_s``: no limit is
    needed, and ``mu`` is that of the material. The spin never reverses. In a step the normal force
    and the disk are taken as constant.

    Args:
        spin: ``w`` at the beginning of the step [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        contact_radius: ``a >= 0`` [m].
        inertia: ``I`` about the normal, ``1/(1/I1 + 1/I2)`` of two free bodies [kg m^2].
        time_step: ``dt`` [s].
        spin_velocity: ``w_s > 0`` [rad/s]; may be as small as one likes.
        pressure: key of ``PRESSURES``.
        regularization: ``phi``.
    """
    lever = _torque_coefficient(coefficient, contact_radius, pressure)
    slip, impulse = jnp.asarray(spin)[..., None], normal_force * time_step / inertia
    return slip_after_impulse(
        slip, impulse, coefficient=lever, slip_velocity=spin_velocity, regularization=regularization
    )[..., 0]


def mean_spinning_torque(
    spin: Real, normal_force: Real, *, inertia: Real, time_step: Real, **law: Any
) -> jax.Array:
    """Mean torque ``I (w_after - w)/dt`` [N m] over a step, ``w_after`` from ``spin_after_step``.
    Elementwise.

    An integrator that applies it for one step obtains the exact spin, with any step and any
    ``w_s``. For ``dt -> 0`` it is ``regularized_spinning_torque``. As a difference it has the
    rounding of the spin: relative to ``M_c``, that of ``I w/dt`` over ``M_c``.

    Args:
        spin: ``w`` at the beginning of the step [rad/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        inertia: ``I`` about the normal, ``1/(1/I1 + 1/I2)`` of two free bodies [kg m^2].
        time_step: ``dt`` [s].
        law: the other arguments of ``spin_after_step``.
    """
    after = spin_after_step(spin, normal_force, inertia=inertia, time_step=time_step, **law)
    return stopping_torque(after - spin, inertia=inertia, time_step=time_step)


@model
class SpinningFriction(SpinningLaw):
    """Spinning friction of a contact in a scene: ``regularized_spinning_torque`` on Hertz's disk,
    integrated through its closed flow.

    The disk has Hertz's radius ``sqrt(R* d)`` of the present overlap ``d``.

    Source: EDEM spinning friction (``"uniform"``); Johnson, Contact Mechanics (1985), section 7.2
    (``"hertz"``).

    Args:
        pressure: distribution of pressure on the disk; key of ``PRESSURES``.
        regularization: how the torque rises with the spin: ``LINEAR``, ``ROOT``, ``TANH``,
            ``EXPONENTIAL`` or ``MODIA3D`` of ``laws.friction``.

    Example:
        >>> spinning = jc.SpinningFriction(coefficient=0.3)
        >>> lever = spinning.limit(effective_radius=0.01, overlap=1e-6)
        >>> print(f"at most {10.0 * lever:.2e} N m at 10 N")
        at most 2.00e-04 N m at 10 N
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    spin_velocity: Real = of(QUANTITIES["spin_velocity"], default=1e-3)
    pressure: str = static(default="uniform")
    regularization: Regularization = static(default=ROOT)

    def __post_init__(self) -> None:
        if self.pressure not in PRESSURES:
            raise ValueError(
                f"SpinningFriction: pressure = {self.pressure!r} is not a distribution of "
                f"pressure.{nearest(str(self.pressure), PRESSURES)}"
            )

    @property
    def corner(self) -> Real | None:
        """Spin [rad/s] at which the torque has a corner, of the linear form."""
        return self.regularization.corner(self.spin_velocity)

    def limit(self, *, effective_radius: Real, overlap: Real) -> Real:
        """Largest torque over normal force [m]."""
        return _torque_coefficient(
            self.coefficient, positive_power(effective_radius * overlap, 0.5), self.pressure
        )

    def torque(
        self, rotation_rate: Real, normal_force: Real, *, effective_radius: Real, overlap: Real
    ) -> jax.Array:
        """Torque ``(..., k)`` [N m] on the body that spins at ``rotation_rate`` ``(..., k)``
        [rad/s] against its partner.
        """
        lever = self.limit(effective_radius=effective_radius, overlap=overlap)
        return friction_force(
            rotation_rate,
            normal_force,
            coefficient=lever,
            slip_velocity=self.spin_velocity,
            regularization=self.regularization,
        )

    def rotation_after(
        self, rotation_rate: Real, specific_impulse: Real, *, effective_radius: Real, overlap: Real
    ) -> jax.Array:
        """Spin ``(..., k)`` [rad/s] after a normal impulse over the inertia about the normal
        ``(...)`` [1/(m s)].
        """
        return slip_after_impulse(
            rotation_rate,
            specific_impulse,
            coefficient=self.limit(effective_radius=effective_radius, overlap=overlap),
            slip_velocity=self.spin_velocity,
            regularization=self.regularization,
        )
