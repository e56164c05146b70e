"""The parameter model of a friction function, for scenes and fits."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.corner import check_corner, corner_of
from jaxcontact.laws.core.flow_of_force import velocity_after
from jaxcontact.laws.core.friction_interfaces import SlipFriction
from jaxcontact.laws.core.model_of_function import (
    arguments_of,
    class_of_function,
    registered,
)
from jaxcontact.laws.core.opposing_force import check_opposing, largest_ratio
from jaxcontact.numerics.smooth import Real

MOTION = ("slip", "normal_force")
"""Arguments that a scene knows; all others are parameters of the law."""


def friction_law(
    function: Callable[..., jax.Array], *, corner: str | None = None
) -> type[SlipFriction]:
    """A class whose fields are the parameters of ``function``, to be used as
    ``ContactModel(friction=...)``, with every method of simulation.

    The slip after an impulse, which a simulation needs as well, is found from the force: ``p =
    int ds/g(s)`` for a force ``-g(s) F_n``, by quadrature to 1e-11 where the force is smooth.

    Numbers become differentiable parameters, with unit, interval and transform of ``QUANTITIES``;
    other arguments (a form of regularisation) become static fields, with the default of the
    function, or the value in the law's example where it has none.

    Args:
        function: a registered law that returns a friction force ``(..., k)`` [N] from ``slip``
            ``(..., k)`` [m/s] and ``normal_force`` ``(...)`` [N]: proportional to the latter,
            opposed to the slip, and rising continuously from zero slip.
        corner: name of the parameter, ``"slip_velocity"`` say, that is the slip [m/s] at which the
            force has a corner: steps of several bodies then end there. Those that pass it leave
            derivatives by 1e-4 off. Ignored where the law's static arguments make it smooth.

    Returns:
        A frozen model named like the function, in capitals without underscores; for one function
        and corner always the same class. Its instances are pickled with the name of the law, so
        that a copy in another process is equal to the original: the function must be registered at
        the top of a module that can be imported there.

    Raises:
        ValueError: ``function`` is not registered, does not take both arguments, has a memory, or
            jumps. An instance: the force is not proportional to the normal force, or does not
            oppose the slip, or has a corner that is not ``corner`` (where it is registered with
            one, ``smoothness=0``).

    Example:
        >>> from jaxcontact.laws import stribeck
        >>> Stribeck = jc.friction_law(stribeck.regularized_stribeck_force)
        >>> friction = Stribeck(
        ...     static_coefficient=0.4,
        ...     coefficient=0.3,
        ...     stribeck_velocity=0.1,
        ...     viscous_coefficient=0.0,
        ...     slip_velocity=1e-3,
        ... )
        >>> left = friction.slip_after(jnp.array([0.5, 0.0, 0.0]), specific_impulse=1.0)
        >>> print(f"a slip of 0.5 m/s is slowed down to {left[0]:.4f} m/s")
        a slip of 0.5 m/s is slowed down to 0.1999 m/s
    """
    return _class_of_law(function, corner)


@functools.cache
def _class_of_law(function: Callable[..., jax.Array], corner: str | None) -> type[SlipFriction]:
    law = registered("friction_law", function, takes=MOTION)
    if law.smoothness_at() < 0:
        raise ValueError(
            f"friction_law: {law.name} jumps where the slip is zero, so no motion follows from it "
            "there. Take a form whose force rises over a small slip velocity."
        )
    taken = arguments_of(law)

    def force(self: Any, slip: Real, normal_force: Real) -> jax.Array:
        motion = {"slip": slip, "normal_force": normal_force}
        return function(
            **{name: motion[name] if name in motion else getattr(self, name) for name in taken}
        )

    @jax.jit  # many small operations, traced once
    def slip_after(self: Any, slip: Real, specific_impulse: Real) -> jax.Array:
        return velocity_after(
            lambda slip: force(self, slip, jnp.ones(slip.shape[:-1], slip.dtype)),
            slip,
            specific_impulse,
        )

    def check(self: Any) -> None:
        of_slip = functools.partial(force, self)
        check_opposing(self, of_slip, velocity="slip")
        check_corner("friction_law", law, self, of_slip, velocity="slip")

    members: dict[str, Any] = {
        "corner": corner_of("friction_law", law, corner),
        "__post_init__": check,
        "force": force,
        "slip_after": slip_after,
    }
    if "coefficient" not in taken:
        members["coefficient"] = property(
            lambda self: largest_ratio(functools.partial(force, self))
        )
    return class_of_function(
        law,
        base=SlipFriction,
        motion=MOTION,
        members=members,
        maker=friction_law,
        options={"corner": corner},
    )
