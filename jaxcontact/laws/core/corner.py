"""The corner of a resistance that is a function of the velocity, where its slope jumps, as that of
``min(|s|/v, 1)`` does at ``|s| = v``. A simulation of several bodies has to know it: derivatives
are right only where no step passes it.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.model_of_function import arguments_of
from jaxcontact.laws.core.opposing_force import DIRECTION, Force
from jaxcontact.laws.core.registry import Law, is_number
from jaxcontact.parameters import is_concrete

SEARCHED, SPACING = np.logspace(-8, 4, 1201), 10**0.01
"""Velocities [m/s] or [rad/s] from which to the next corners are looked for."""

BISECTIONS = 15
"""Of each of these intervals, to 1e-6 of the velocity."""

JUMP = 1e-2
"""Of the logarithmic slope of the force, from which on a corner counts."""

SAME = 1e-3
"""Relative difference of a corner and the parameter that is it."""


def corner_of(maker: str, law: Law, parameter: str | None) -> property:
    """The attribute ``corner`` of a law that has one at the velocity ``parameter``, unless its
    static arguments make it smooth.

    Raises:
        ValueError: the function has no such argument.
    """
    if parameter is not None and parameter not in arguments_of(law):
        raise ValueError(
            f"{maker}: corner = {parameter!r} is not an argument of {law.name}. Take one of "
            f"{', '.join(arguments_of(law))}: the velocity at which the law has its corner."
        )

    def corner(self: Any) -> Any:
        return None if parameter is None or is_smooth(law, self) else vars(self)[parameter]

    return property(corner)


def is_smooth(law: Law, model: Any) -> bool:
    """Whether the ``law`` is registered as smooth with the static arguments of its ``model``."""
    values = vars(model)
    kept = {
        name: values[name]
        for name, example in law.example.items()
        if name in values and not is_number(example)
    }
    return law.smoothness_at(**kept) >= 1


def check_corner(maker: str, law: Law, model: Any, force: Force, *, velocity: str) -> None:
    """Raise ``ValueError`` where a force that is registered with a corner has one that its
    ``model`` does not tell; nothing where values are not known.

    Args:
        maker: of the class of the model.
        law: whose function it is.
        model: for its name, its corner and its parameters.
        force: ``(..., 3)`` by velocity and normal force.
        velocity: what it is called.
    """
    if is_smooth(law, model) or not all(map(is_concrete, jax.tree.leaves(model))):
        return
    told = None if model.corner is None else float(model.corner)
    for place in corners(force):
        if told is None or abs(place - told) > SAME * told:
            numbers = {
                name: float(value)
                for name, value in vars(model).items()
                if is_number(law.example.get(name))
            }
            same = [n for n, value in numbers.items() if abs(place - value) <= SAME * place]
            remedy = (
                f"That is its {' or '.join(same)}: {maker}({law.name}, corner={same[-1]!r})."
                if same
                else "Take a form without one, or one whose corner is a parameter, and name it: "
                f"{maker}({law.name}, corner=...)."
            )
            raise ValueError(
                f"{type(model).__name__}: the force has a corner at a {velocity} of {place:.6g} "
                "that the law does not tell. Derivatives of a simulation of several bodies would "
                f"be wrong, and nothing would say so. {remedy}"
            )


def corners(force: Force) -> list[float]:
    """Velocities at which the slope of a ``force`` jumps, in order."""

    def elasticity(speed: jax.Array) -> np.ndarray:
        """Logarithmic slope of the force; 0 where there is none."""

        def size(speed: jax.Array) -> jax.Array:
            load = jnp.ones_like(speed)
            return -(force(speed[:, None] * DIRECTION, load) @ DIRECTION)

        value, slope = map(np.asarray, jax.jvp(size, (speed,), (speed,)))
        return np.where(value > 0, slope / np.where(value > 0, value, 1.0), 0.0)

    low = jnp.asarray(SEARCHED)
    high = low * SPACING
    before, after = elasticity(low), elasticity(high)
    for _ in range(BISECTIONS):
        middle = jnp.sqrt(low * high)
        here = elasticity(middle)
        first = np.abs(here - before) > np.abs(after - here)
        low, high = jnp.where(first, low, middle), jnp.where(first, middle, high)
        before, after = np.where(first, before, here), np.where(first, here, after)
    jumps = np.abs(after - before) > JUMP
    found = np.asarray(jnp.sqrt(low * high))[jumps]
    # At the end of an interval it is in both.
    new = np.diff(found, prepend=0.0) > SAME * found
    return [float(place) for place in found[new]]
