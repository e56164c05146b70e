"""The mean position of a body while a picture is exposed, exact across an impact.

Quadrature over the exposure would miss the corner of an impact, and jump in its derivatives when a
node passes it. Flights are nearly parabolas and contacts short, so the mean follows from the states
at both ends of the exposure and from the times of the impact: a flight from the beginning,
forwards, a contact by Hermite's rule and what a force that grows and fades adds to it, a flight
from the end, backwards.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory
from jaxcontact.numerics.blocks import in_blocks
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.simulation.core.trajectory import span_on_path


class End(NamedTuple):
    """One end of each exposure: times (n,), and the motion then, (n, 3) each."""

    time: jax.Array
    position: jax.Array
    velocity: jax.Array
    spin: jax.Array


class ContactInPicture(NamedTuple):
    """The contact that each picture shows, arrays (n,): times at which the path enters and leaves
    it [s], speeds along the normal before and after [m/s].
    """

    entered: jax.Array
    left: jax.Array
    impact_speed: jax.Array
    rebound_speed: jax.Array


def average_over_exposure(trial_state: TrialState, motion: Trajectory) -> jax.Array:
    """Mean positions (n, 3); ``motion`` is at the n beginnings of the exposures, then at the n
    ends.
    """
    count = motion.times.shape[0] // 2
    columns = motion.times, motion.position, motion.velocity, motion.spin
    begins = End(*(column[:count] for column in columns))
    ends = End(*(column[count:] for column in columns))
    return in_blocks(partial(average_of_each, trial_state, motion), (begins, ends))


def average_of_each(
    trial_state: TrialState, motion: Trajectory, exposures: tuple[End, End]
) -> jax.Array:
    """Mean positions (m, 3) in some exposures of the ``motion``."""
    first_end, last_end = exposures
    begin, end = first_end.time, last_end.time
    touch, leave, contact = find_contact(motion, begin, end)
    first = fly(trial_state, first_end, touch - begin)
    last = fly(trial_state, last_end, leave - end)
    lasts = (leave - touch)[:, None]
    gained = last[2] - first[2]
    speed = safe_norm(gained)[:, None]
    normal = gained / jnp.where(speed > 0, speed, 1.0)
    in_contact = lasts / 2 * (first[1] + last[1]) - lasts**2 / 12 * gained
    in_contact -= beyond_hermite(touch, leave, contact)[:, None] * normal
    # The integral of the last flight runs backwards.
    return (first[0] + in_contact - last[0]) / (end - begin)[:, None]


def find_contact(
    motion: Trajectory, begin: jax.Array, end: jax.Array
) -> tuple[jax.Array, jax.Array, ContactInPicture]:
    """When the (first) contact in each exposure begins and ends inside it, and that contact; the
    middle of the exposure where there is none.
    """
    contacts = motion.contacts
    assert contacts is not None
    entered, left = span_on_path(
        contacts.touch_down, contacts.lift_off, contacts.impact_speed, contacts.rebound_speed
    )
    inside = contacts.happened & (entered < end[:, None]) & (left > begin[:, None])
    index = jnp.argmax(inside, axis=1)
    met, middle = jnp.any(inside, axis=1), (begin + end) / 2
    touch = jnp.where(met, jnp.maximum(entered[index], begin), middle)
    leave = jnp.where(met, jnp.minimum(left[index], end), middle)
    columns = (entered, left, contacts.impact_speed, contacts.rebound_speed)
    return touch, leave, ContactInPicture(*(column[index] for column in columns))


def beyond_hermite(touch: jax.Array, leave: jax.Array, contact: ContactInPicture) -> jax.Array:
    """What the rule with positions and velocities at both ends lacks of the integral of the depth,
    along the normal, (n,) [m s]. The depth is the quintic between the velocities without force at
    either end, for which the rule with accelerations is exact.
    """
    duration = contact.left - contact.entered
    lasts = jnp.where(duration > 0, duration, 1.0)
    before, after = contact.impact_speed, contact.rebound_speed
    third, fourth, fifth = 6 * before - 4 * after, 7 * after - 8 * before, 3 * (before - after)

    def along(time: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = (time - contact.entered) / lasts
        velocity = -before + x**2 * (3 * third + x * (4 * fourth + x * 5 * fifth))
        acceleration = x * (6 * third + x * (12 * fourth + x * 20 * fifth)) / lasts
        return velocity, acceleration

    (velocity, force), (later_velocity, later_force) = along(touch), along(leave)
    shown = leave - touch
    lacking = shown**2 / 60 * (later_velocity - velocity) - shown**3 / 120 * (force + later_force)
    return jnp.where((duration > 0) & (shown > 0), lacking, 0.0)


def fly(trial_state: TrialState, end: End, duration: jax.Array) -> tuple[jax.Array, ...]:
    """Integral of the position over a flight from one end, and position and velocity where it
    leads; all (n, 3).
    """
    position, velocity = end.position, end.velocity
    acceleration = trial_state.scene.acceleration(velocity, end.spin)
    t = duration[:, None]
    integral = t * (position + t / 2 * (velocity + t / 3 * acceleration))
    return integral, position + t * (velocity + t / 2 * acceleration), velocity + t * acceleration
