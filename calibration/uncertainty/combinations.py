"""Combinations of parameters with a physical meaning of their own: what a measurement sees of
parameters that it cannot tell apart.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc

PARALLEL = 0.02
"""Cosine below which the change of a known quantity along a direction counts as none."""


class KnownCombination(NamedTuple):
    """A quantity that several parameters act through.

    Attributes:
        words: e.g. ``"the contact time"``.
        value: of the scene; positive.
        parts: beginnings of the paths of the parameters that it may depend on.
    """

    words: str
    value: Callable[[jc.Scene], Any]
    parts: tuple[str, ...]


TYPICAL_SPEED = 1.0
"""Impact speed [m/s] at which combinations that depend on it are compared."""


def _mass(scene: jc.Scene) -> Any:
    return jnp.ravel(jnp.asarray(scene.bodies.mass))[0]


def _radius(scene: jc.Scene) -> Any:
    return jnp.ravel(jnp.asarray(scene.bodies.radius))[0]


def _restitution(scene: jc.Scene) -> Any:
    return scene.contact.normal.restitution_at(jnp.asarray(TYPICAL_SPEED), mass=_mass(scene))


def _sliding_impulse(scene: jc.Scene) -> Any:
    return scene.contact.friction.coefficient * (1 + _restitution(scene))


def _contact_time(scene: jc.Scene) -> Any:
    """From a head-on impact on the horizontal plane, integrated."""
    alone = dataclasses.replace(scene, surfaces=(jc.Plane(),), drag=None, lift=None)
    above = jnp.array([0.0, 0.0, 1.001]) * _radius(scene)
    start = jc.State(above, jnp.array([0.0, 0.0, -TYPICAL_SPEED]), jnp.zeros(3))
    first, times = jc.EventAligned(max_contacts=1), jnp.array([0.0, 1.0])
    contacts: Any = jc.simulate(alone, start, times, method=first, strict=False).contacts
    return contacts.lift_off[0] - contacts.touch_down[0]


def _drag_deceleration(scene: jc.Scene) -> Any:
    drag: Any = scene.drag
    return drag.coefficient * drag.fluid_density * _radius(scene) ** 2 / _mass(scene)


def _lift_acceleration(scene: jc.Scene) -> Any:
    lift: Any = scene.lift
    return lift.coefficient * lift.fluid_density * _radius(scene) ** 3 / _mass(scene)


KNOWN = (
    KnownCombination(
        "the impulse of a sliding impact, mu (1 + e)", _sliding_impulse, ("contact.",)
    ),
    KnownCombination("the restitution", _restitution, ("contact.normal.", "bodies.")),
    KnownCombination("the contact time", _contact_time, ("contact.normal.", "bodies.")),
    KnownCombination(
        "the deceleration by drag, C_D rho R^2/m", _drag_deceleration, ("drag.", "bodies.")
    ),
    KnownCombination(
        "the acceleration by lift, C_M rho R^3/m", _lift_acceleration, ("lift.", "bodies.")
    ),
)

APPARENT_GRAVITY = ({"gravity", "length_scale"}, "the apparent gravity g/scale")


def acting_through(
    names: tuple[str, ...],
    direction: np.ndarray,
    scene_at: Callable[[jax.Array], jc.Scene],
    natural: np.ndarray,
) -> Iterator[str]:
    """Quantities that do not change along a direction though they depend on every parameter in it:
    all that the data see of these.

    Args:
        names: of the parameters in the direction, (n,).
        direction: in natural coordinates (logarithms of positive quantities), (n,).
        scene_at: the scene as a function of these coordinates.
        natural: the coordinates, (n,).
    """
    if set(names) == APPARENT_GRAVITY[0]:
        yield APPARENT_GRAVITY[1]
    for known in KNOWN:
        if not all(name.startswith(known.parts) for name in names):
            continue

        def logarithm(at: jax.Array, known: KnownCombination = known) -> jax.Array:
            return jnp.log(known.value(scene_at(at)))

        try:
            gradient = np.asarray(jax.jacfwd(logarithm)(jnp.asarray(natural)))
        except (
            AttributeError,
            TypeError,
            ValueError,
            NotImplementedError,
        ):  # a law without that quantity
            continue
        size = float(np.linalg.norm(gradient))
        if (
            not np.all(np.isfinite(gradient))
            or np.any(np.abs(gradient) < PARALLEL * size)
            or size == 0
        ):
            continue
        if abs(gradient @ direction) < PARALLEL * size * np.linalg.norm(direction):
            yield known.words
