"""The mean position of a body while a picture is exposed, exact across an impact.

Quadrature over the exposure would miss the corner of an impact, and jump in its derivatives when a
node passes it. Flights are nearly parabolas and contacts short, so the mean follows from the states
at both ends of the exposure and from the times of the impact: a flight from the beginning,
forwards, a contact by Hermite's rule, a flight from the end, backwards.
"""

import jax
import jax.numpy as jnp

from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory
from jaxcontact.simulation.core.trajectory import span_on_path


def average_over_exposure(trial_state: TrialState, motion: Trajectory) -> jax.Array:
    """Mean positions (n, 3); ``motion`` is at the n beginnings of the exposures, then at the n
    ends.
    """
    count = motion.times.shape[0] // 2
    begin, end = motion.times[:count], motion.times[count:]
    acceleration = trial_state.scene.acceleration(motion.velocity, motion.spin)
    touch, leave = find_contact(motion, begin, end)
    first = integrate_flight(
        motion.position[:count], motion.velocity[:count], acceleration[:count], touch - begin
    )
    last = integrate_flight(
        motion.position[count:], motion.velocity[count:], acceleration[count:], leave - end
    )
    lasts = (leave - touch)[:, None]
    in_contact = lasts / 2 * (first[1] + last[1]) + lasts**2 / 12 * (first[2] - last[2])
    # The integral of the last flight runs backwards.
    return (first[0] + in_contact - last[0]) / (end - begin)[:, None]


def find_contact(
    motion: Trajectory, begin: jax.Array, end: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """When the (first) contact in each exposure begins and ends inside it; its middle where there
    is none.
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
    return touch, leave


def integrate_flight(
    position: jax.Array, velocity: jax.Array, acceleration: jax.Array, duration: jax.Array
) -> tuple[jax.Array, ...]:
    """Integral of the position over a flight from a state, and position and velocity at its end;
    all (n, 3).
    """
    t = duration[:, None]
    integral = t * (position + t / 2 * (velocity + t / 3 * acceleration))
    return integral, position + t * (velocity + t / 2 * acceleration), velocity + t * acceleration
