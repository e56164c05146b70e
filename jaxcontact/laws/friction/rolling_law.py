"""The parameter model of a function of rolling resistance, for scenes and fits."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.corner import check_corner, corner_of
from jaxcontact.laws.core.flow_of_force import velocity_after
from jaxcontact.laws.core.model_of_function import (
    arguments_of,
    class_of_function,
    registered,
)
from jaxcontact.laws.core.opposing_force import check_opposing, largest_ratio
from jaxcontact.laws.core.rotation_interfaces import RollingFlow
from jaxcontact.numerics.smooth import Real

MOTION = ("rotation_rate", "normal_force", "effective_radius")
"""Arguments that a scene knows; all others are parameters of the law."""

ANY_RADIUS = 0.01
"""Effective radius [m] at which an instance is asked whether its torque opposes the rolling."""


def rolling_law(
    function: Callable[..., jax.Array], *, corner: str | None = None
) -> type[RollingFlow]:
    """A class whose fields are the parameters of ``function``, to be used as
    ``ContactModel(rolling=...)``, with every method of simulation.

    The rotation rate after an impulse, which a simulation needs as well, is found from the torque:
    ``p = int dw/g(w)`` for a torque ``-g(w) F_n``, by quadrature to 1e-11 where the torque is
    smooth.

    Numbers become differentiable parameters, with unit, interval and transform of ``QUANTITIES``;
    other arguments (a form of regularisation) become static fields, with the default of the
    function, or the value in the law's example where it has none.

    Args:
        function: a registered law that returns a torque ``(..., k)`` [N m] from ``rotation_rate``
            ``(..., k)`` [rad/s], ``normal_force`` ``(...)`` [N] and, if it needs it,
            ``effective_radius`` ``(...)`` [m]: proportional to the normal force, opposed to the
            rotation, and rising continuously from none.
        corner: name of the parameter, ``"rolling_velocity"`` say, that is the rotation rate
            [rad/s] at which the torque has a corner: steps of several bodies then end there. Those
            that pass it leave derivatives by 1e-4 off. Ignored where the law's static arguments
            make it smooth.

    Returns:
        A frozen model named like the function, in capitals without underscores; for one function
        and corner always the same class. Its instances are pickled with the name of the law, so
        that a copy in another process is equal to the original: the function must be registered at
        the top of a module that can be imported there.

    Raises:
        ValueError: ``function`` is not registered, does not take rotation rate and normal force,
            has a memory, or jumps. An instance: the torque is not proportional to the normal force,
            does not oppose the rotation, or has a corner that is not ``corner`` (where it is
            registered with one, ``smoothness=0``).

    Example:
        >>> from jaxcontact.laws import rolling
        >>> Viscous = jc.rolling_law(rolling.viscous_rolling_torque)
        >>> resistance = Viscous(viscous_coefficient=0.02)
        >>> rate = jnp.array([0.0, 50.0, 0.0])
        >>> left = resistance.rotation_after(rate, 1e3, effective_radius=0.02)
        >>> print(f"50 rad/s are slowed down to {left[1]:.3f} rad/s")
        50 rad/s are slowed down to 49.602 rad/s
    """
    return _class_of_law(function, corner)


@functools.cache
def _class_of_law(function: Callable[..., jax.Array], corner: str | None) -> type[RollingFlow]:
    law = registered("rolling_law", function, takes=MOTION[:2])
    if law.smoothness_at() < 0:
        raise ValueError(
            f"rolling_law: {law.name} jumps where nothing rolls, so no motion follows from it "
            "there. Take a form whose torque rises over a small angular velocity."
        )
    taken = arguments_of(law)

    def torque(
        self: Any, rotation_rate: Real, normal_force: Real, *, effective_radius: Real
    ) -> jax.Array:
        motion = dict(zip(MOTION, (rotation_rate, normal_force, effective_radius), strict=True))
        return function(
            **{name: motion[name] if name in motion else getattr(self, name) for name in taken}
        )

    def per_load(self: Any, effective_radius: Real) -> Callable[[jax.Array], jax.Array]:
        return lambda rate: torque(
            self,
            rate,
            jnp.ones(rate.shape[:-1], rate.dtype),
            effective_radius=effective_radius,
        )

    @jax.jit  # many small operations, traced once
    def rotation_after(
        self: Any, rotation_rate: Real, specific_impulse: Real, *, effective_radius: Real
    ) -> jax.Array:
        if jnp.ndim(effective_radius) == 0:
            return velocity_after(per_load(self, effective_radius), rotation_rate, specific_impulse)

        def of_one(rate: jax.Array, impulse: jax.Array, radius: jax.Array) -> jax.Array:
            return velocity_after(per_load(self, radius), rate, impulse)

        each = jnp.vectorize(of_one, signature="(k),(),()->(k)")
        return each(rotation_rate, specific_impulse, effective_radius)

    def limit(self: Any, *, effective_radius: Real) -> jax.Array:
        @jnp.vectorize
        def of_one(radius: jax.Array) -> jax.Array:
            return largest_ratio(functools.partial(torque, self, effective_radius=radius))

        return of_one(jnp.asarray(effective_radius, dtype=float))

    def check(self: Any) -> None:
        force = functools.partial(torque, self, effective_radius=ANY_RADIUS)
        check_opposing(self, force, velocity="rotation rate")
        check_corner("rolling_law", law, self, force, velocity="rotation rate")

    members: dict[str, Any] = {
        "corner": corner_of("rolling_law", law, corner),
        "__post_init__": check,
        "torque": torque,
        "rotation_after": rotation_after,
        "limit": limit,
    }
    return class_of_function(
        law,
        base=RollingFlow,
        motion=MOTION,
        members=members,
        maker=rolling_law,
        options={"corner": corner},
    )
