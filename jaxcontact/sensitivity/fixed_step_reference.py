"""What a fixed-step simulation is judged by: the same motion with its events, and the rule applied
to them.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.normal_interfaces import CompliantLaw
from jaxcontact.numerics.smooth import Real
from jaxcontact.sensitivity.differentiated import (
    DifferentiatedSimulation,
    by_parameter,
    derivatives,
    outcomes,
)
from jaxcontact.simulation.simulate import Contacts, EventAligned, Impulse

FACTOR = 0.2
TOO_COARSE = 0.1
"""Relative error of a derivative from which a fixed step is too coarse for it."""


def uncancelled(step: float, duration: Real) -> np.ndarray:
    """Part of the large derivative inside a contact that stays after it, ``0.2 (dt/T)^1.5`` [-]."""
    return FACTOR * (step / np.asarray(duration)) ** 1.5


def relative_error(step: float, *, impact_speed: Real, duration: Real, gravity: Real) -> Real:
    """Relative error of a derivative over one bounce under ``gravity`` [m/s^2], ``0.2 v/(g T)
    (dt/T)^1.5`` [-].
    """
    return uncancelled(step, duration) * impact_speed / (gravity * np.asarray(duration))


def velocity_error(
    step: float, *, impact_speed: np.ndarray, duration: Real, arrival_shift: np.ndarray
) -> np.ndarray:
    """Error of the derivative of the velocity after a contact, for the derivative of its
    touch-down, ``arrival_shift``.
    """
    return uncancelled(step, duration) * impact_speed / np.asarray(duration) * np.abs(arrival_shift)


@dataclasses.dataclass(frozen=True)
class Reference:
    """Contacts of a fixed-step simulation by another method: ``contacts``, the derivatives of their
    ``touch_down`` ``(contacts, parts)``, and that of the observable where the method simulates the
    same forces.
    """

    contacts: Contacts
    arrival_shift: np.ndarray
    derivative: np.ndarray | None


def reference_of(simulation: DifferentiatedSimulation) -> Reference | None:
    """The same motion with its events, by the best method that can simulate it; ``None`` if none
    can.
    """
    for method in (EventAligned(), Impulse()):
        twin = dataclasses.replace(
            simulation, method=method, times=simulation.times[[0, *simulation.rows]]
        )
        twin = dataclasses.replace(twin, rows=tuple(range(1, len(twin.times))))
        try:
            _, contacts, _ = outcomes(twin, twin.values[None])
        except (ValueError, TypeError, NotImplementedError):
            continue
        by, of_events = derivatives(twin, "forward")
        same_forces = by_parameter(by) if isinstance(method, EventAligned) else None
        return Reference(
            jax.tree.map(lambda column: np.asarray(column)[0], contacts),
            np.asarray(of_events[0]),
            same_forces,
        )
    return None


def contact_times(simulation: DifferentiatedSimulation, contacts: Contacts) -> np.ndarray | None:
    """Time scale ``T`` of each contact [s]; ``None`` for a law that has none."""
    law = simulation.scene.contact.normal
    speed = jnp.where(contacts.happened & (contacts.impact_speed > 0), contacts.impact_speed, 1.0)
    bodies = np.size(np.asarray(simulation.initial.position)) // 3
    inverse = 1 / jnp.broadcast_to(
        jnp.asarray(simulation.scene.bodies.mass, dtype=float), (bodies,)
    )
    between = contacts.partner >= 0
    mass = 1 / (inverse[contacts.body] + jnp.where(between, inverse[contacts.partner], 0.0))
    if not isinstance(law, CompliantLaw):
        return None
    return np.asarray(law.scales(impact_speed=speed, mass=mass)[1])


def strength_of_gravity(simulation: DifferentiatedSimulation) -> float:
    """Acceleration of free fall [m/s^2], the largest of the bodies."""
    return float(
        np.max(
            np.linalg.norm(
                np.atleast_2d(np.asarray(simulation.scene.gravity, dtype=float)), axis=-1
            )
        )
    )


def expected_error(
    simulation: DifferentiatedSimulation, reference: Reference, step: float
) -> np.ndarray | None:
    """Error of the derivatives of positions that the rule expects, ``(parameters, horizons)``,
    without its growth from contact to contact.

    The error of each velocity after a contact, times the time that is left. ``None`` where no
    contact or no time scale is known.
    """
    contacts = reference.contacts
    duration = contact_times(simulation, contacts)
    used = np.asarray(contacts.happened)
    if duration is None or not np.any(used):
        return None
    speed, touch_down = (
        np.asarray(contacts.impact_speed)[used, None],
        np.asarray(contacts.touch_down)[used, None],
    )
    shift = np.where(np.isfinite(reference.arrival_shift[used]), reference.arrival_shift[used], 0.0)
    left = np.maximum(simulation.times[np.asarray(simulation.rows)] - touch_down, 0.0)
    return (
        velocity_error(
            step, impact_speed=speed, duration=duration[used, None], arrival_shift=shift
        ).T
        @ left
    )


def warning(simulation: DifferentiatedSimulation, reference: Reference, step: float) -> str | None:
    """What the rule says of the worst contact, if that is more than ``TOO_COARSE``."""
    contacts = reference.contacts
    duration, gravity = contact_times(simulation, contacts), strength_of_gravity(simulation)
    if duration is None or not gravity:
        return None
    each = relative_error(
        step, impact_speed=np.asarray(contacts.impact_speed), duration=duration, gravity=gravity
    )
    each = np.where(np.asarray(contacts.happened), each, 0.0)
    i = int(np.argmax(each))
    if not each[i] > TOO_COARSE:
        return None
    enough = step * (TOO_COARSE / each[i]) ** (2 / 3)
    return (
        f"the step of {step:.2g} s is too coarse for derivatives by what shifts the time of "
        f"an impact: a relative error of {each[i]:.2g} is"
        f" expected of each contact (impact at {float(contacts.impact_speed[i]):.3g} m/s, "
        f"contact time scale {duration[i]:.2g} s), and it"
        f" multiplies from contact to contact. A step of {enough:.1g} s would bring it to "
        f"{TOO_COARSE:g}; EventAligned() has no such error."
    )
