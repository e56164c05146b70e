"""Impacts of a simulated motion in order of time."""

from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.simulation.core.trajectory import Contacts

PerImpact = Annotated[jax.Array, "impacts"]


class Impacts(NamedTuple):
    """The first ``n`` impacts of a motion, in order of time; each (n,).

    Attributes:
        happened: whether it happened.
        time: of first touch [s].
        duration: [s].
        speed: of approach, along the normal [m/s].
        rebound_speed: along the normal [m/s].

    Example:
        Two impacts, the second without rebound; ``take_impacts`` makes them of a simulation:

        >>> speed = jnp.array([2.0, 1.5])
        >>> impacts = cal.measurements.Impacts(
        ...     happened=jnp.ones(2, bool),
        ...     time=jnp.array([0.2, 0.5]),
        ...     duration=jnp.zeros(2),
        ...     speed=speed,
        ...     rebound_speed=jnp.array([1.5, 0.0]),
        ... )
        >>> print(impacts.rebound_speed / impacts.speed)
        [0.75 0.  ]
    """

    happened: PerImpact
    time: PerImpact
    duration: PerImpact
    speed: PerImpact
    rebound_speed: PerImpact


def take_impacts(contacts: Contacts | None, count: int) -> Impacts:
    """The first ``count`` impacts of a motion.

    Those that did not happen repeat the last one that did, where a ball comes to rest.

    Args:
        contacts: of a simulation, ``motion.contacts``.
        count: how many.

    Raises:
        ValueError: a simulation without contacts.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.8)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> start = jc.state(position=(0, 0, 0.52))
        >>> motion = jc.simulate(scene, start, jnp.array([0.0, 2.0]), method=jc.Impulse())
        >>> first = cal.measurements.take_impacts(motion.contacts, 2)
        >>> print((first.rebound_speed / first.speed).round(3))
        [0.8 0.8]
    """
    if contacts is None:
        raise ValueError("take_impacts: this simulation has no contacts.")
    order = jnp.argsort(
        jax.lax.stop_gradient(jnp.where(contacts.happened, contacts.touch_down, jnp.inf))
    )
    total = jnp.sum(contacts.happened)
    last = jnp.clip(jnp.minimum(jnp.arange(count), total - 1), 0, order.size - 1)
    place = order[last]
    happened = jnp.arange(count) < total
    return Impacts(
        happened,
        contacts.touch_down[place],
        contacts.lift_off[place] - contacts.touch_down[place],
        contacts.impact_speed[place],
        contacts.rebound_speed[place],
    )
