"""Impacts of a simulated motion in order of time."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.simulation.core.trajectory import Contacts


class Impacts(NamedTuple):
    """For each of ``n`` impacts: whether it happened, when [s], how long it lasted [s] and its
    approach speed [m/s].
    """

    happened: jax.Array
    time: jax.Array
    duration: jax.Array
    speed: jax.Array


def impacts(contacts: Contacts, count: int) -> Impacts:
    """The first ``count`` impacts; those that did not happen stand at the time of the last one,
    where a ball comes to rest.
    """
    order = jnp.argsort(
        jax.lax.stop_gradient(jnp.where(contacts.happened, contacts.touch_down, jnp.inf))
    )
    total = jnp.sum(contacts.happened)
    last = jnp.clip(jnp.minimum(jnp.arange(count), total - 1), 0, order.size - 1)
    place = order[last]
    happened = jnp.arange(count) < total
    duration = contacts.lift_off[place] - contacts.touch_down[place]
    return Impacts(happened, contacts.touch_down[place], duration, contacts.impact_speed[place])
