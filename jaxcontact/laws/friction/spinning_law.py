"""The parameter model of a function of spinning friction, for scenes and fits."""

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
from jaxcontact.laws.core.rotation_interfaces import SpinningLaw
from jaxcontact.numerics.smooth import Real, positive_power, safe_norm

MOTION = ("spin", "normal_force", "contact_radius")
"""Arguments that a scene knows; all others are parameters of the law."""

ANY_CONTACT = {"effective_radius": 0.01, "overlap": 1e-6}
"""Contact at which an instance is asked whether its torque opposes the spin [m]."""


def spinning_law(
    function: Callable[..., jax.Array], *, corner: str | None = None
) -> type[SpinningLaw]:
    """A class whose fields are the parameters of ``function``, to be used as
    ``ContactModel(spinning=...)``, with every method of simulation.

    The disk of the contact has Hertz's radius ``sqrt(R* d)`` of the present overlap ``d``. The spin
    after an impulse, which a simulation needs as well, is found from the torque: ``p = int
    dw/g(w)`` for a torque ``-g(w) F_n``, by quadrature to 1e-11 where the torque is smooth.

    Numbers become differentiable parameters, with unit, interval and transform of ``QUANTITIES``;
    other arguments (a form of regularisation) become static fields, with the default of the
    function, or the value in the law's example where it has none.

    Args:
        function: a registered law that returns a torque ``(...)`` [N m] from ``spin`` ``(...)``
            [rad/s], ``normal_force`` ``(...)`` [N] and, if it needs it, ``contact_radius``
            ``(...)`` [m]: proportional to the normal force, opposed to the spin, the same in both
            directions, and rising continuously from none. Elementwise.
        corner: name of the parameter, ``"spin_velocity"`` say, that is the spin [rad/s] at which
            the torque has a corner: steps of several bodies then end there. Those that pass it
            leave derivatives by 1e-4 off. Ignored where the law's static arguments make it smooth.

    Returns:
        A frozen model named like the function, in capitals without underscores; for one function
        and corner always the same class. Its instances are pickled with the name of the law, so
        that a copy in another process is equal to the original: the function must be registered at
        the top of a module that can be imported there.

    Raises:
        ValueError: ``function`` is not registered, does not take spin and normal force, has a
            memory, or jumps. An instance: the torque is not proportional to the normal force, or
            does not oppose the spin, or has a corner that is not ``corner`` (where it is registered
            with one, ``smoothness=0``).

    Example:
        >>> from jaxcontact.laws import spinning
        >>> Lever = jc.spinning_law(spinning.lever_spinning_torque)
        >>> friction = Lever(spinning_lever=2e-5, spin_velocity=1e-3)
        >>> spin = jnp.array([0.0, 0.0, 50.0])
        >>> left = friction.rotation_after(spin, 1e6, effective_radius=0.02, overlap=0.0)
        >>> print(f"50 rad/s are slowed down to {left[2]:.3f} rad/s")
        50 rad/s are slowed down to 30.000 rad/s
    """
    return _class_of_law(function, corner)


@functools.cache
def _class_of_law(function: Callable[..., jax.Array], corner: str | None) -> type[SpinningLaw]:
    law = registered("spinning_law", function, takes=MOTION[:2])
    if law.smoothness_at() < 0:
        raise ValueError(
            f"spinning_law: {law.name} jumps where nothing spins, so no motion follows from it "
            "there. Take a form whose torque rises over a small spin."
        )
    taken = arguments_of(law)

    def torque(
        self: Any,
        rotation_rate: Real,
        normal_force: Real,
        *,
        effective_radius: Real,
        overlap: Real,
    ) -> jax.Array:
        rate = jnp.asarray(rotation_rate)
        spin = safe_norm(rate)
        # The ratio at no spin is that at the least one.
        spin = jnp.maximum(spin, jnp.finfo(spin.dtype).tiny ** 0.2)
        disk = positive_power(effective_radius * overlap, 0.5)
        motion = dict(zip(MOTION, (spin, normal_force, disk), strict=True))
        size = function(
            **{name: motion[name] if name in motion else getattr(self, name) for name in taken}
        )
        return jnp.expand_dims(size / spin, -1) * rate

    def per_load(
        self: Any, effective_radius: Real, overlap: Real
    ) -> Callable[[jax.Array], jax.Array]:
        return lambda rate: torque(
            self,
            rate,
            jnp.ones(rate.shape[:-1], rate.dtype),
            effective_radius=effective_radius,
            overlap=overlap,
        )

    @jax.jit  # many small operations, traced once
    def rotation_after(
        self: Any,
        rotation_rate: Real,
        specific_impulse: Real,
        *,
        effective_radius: Real,
        overlap: Real,
    ) -> jax.Array:
        if jnp.ndim(effective_radius) == jnp.ndim(overlap) == 0:
            force = per_load(self, effective_radius, overlap)
            return velocity_after(force, rotation_rate, specific_impulse)

        def of_one(rate: Any, impulse: Any, radius: Any, depth: Any) -> jax.Array:
            return velocity_after(per_load(self, radius, depth), rate, impulse)

        each = jnp.vectorize(of_one, signature="(k),(),(),()->(k)")
        return each(rotation_rate, specific_impulse, effective_radius, overlap)

    def limit(self: Any, *, effective_radius: Real, overlap: Real) -> jax.Array:
        @jnp.vectorize
        def of_one(radius: jax.Array, depth: jax.Array) -> jax.Array:
            return largest_ratio(
                functools.partial(torque, self, effective_radius=radius, overlap=depth)
            )

        return of_one(*(jnp.asarray(one, dtype=float) for one in (effective_radius, overlap)))

    def check(self: Any) -> None:
        of_spin = functools.partial(torque, self, **ANY_CONTACT)
        check_opposing(self, of_spin, velocity="spin")
        check_corner("spinning_law", law, self, of_spin, velocity="spin")

    members: dict[str, Any] = {
        "corner": corner_of("spinning_law", law, corner),
        "__post_init__": check,
        "torque": torque,
        "rotation_after": rotation_after,
        "limit": limit,
    }
    return class_of_function(
        law,
        base=SpinningLaw,
        motion=MOTION,
        members=members,
        maker=spinning_law,
        options={"corner": corner},
    )
