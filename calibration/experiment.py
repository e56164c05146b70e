"""One trial as it is simulated: the scene and the state of the moment, and how the measurement sees them."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact import Scene


class Initial(NamedTuple):
    """A known state of a trial, or with a leading axis of trials: position, velocity, spin (3,) and the time at which it holds."""

    position: Any
    velocity: Any
    spin: Any
    time: Any


class Experiment(NamedTuple):
    """One trial as it is simulated.

    Attributes:
        scene: with the parameters of the moment.
        position, velocity, spin: initial state (3,), in true units, at ``start``.
        start: time at which the motion starts [s], that of the first sample unless a nuisance says otherwise.
        scale: true length over recorded length.
    """

    scene: Scene
    position: jax.Array
    velocity: jax.Array
    spin: jax.Array
    start: jax.Array
    scale: jax.Array


def experiment_from(scene: Scene, initial: Initial) -> Experiment:
    """The trial before any nuisance acts on it."""
    position, velocity, spin = (jnp.asarray(value, dtype=float) for value in initial[:3])
    return Experiment(scene, position, velocity, spin, jnp.asarray(initial.time, dtype=float), jnp.ones(()))
