"""How long contacts last, as a closed circuit, a force sensor or a high-speed camera tells."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.columns import Column, read_columns
from calibration.measurements.base import Abscissa, Measurement, Observation
from calibration.measurements.contact_sequence import take_impacts
from calibration.measurements.validation import check_deviations, check_numbers
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact.laws import RigidLaw

UNKNOWN_SIGMA = 0.02
"""Standard deviation of a duration whose noise is not given, relative to the median."""

LONGEST = 20.0
"""Horizon of a single impact, in measured durations."""


@dataclasses.dataclass(frozen=True)
class DurationsOfKnownImpacts(Observation):
    """Durations of impacts of known speeds; each is one impact by itself, and the motion of the
    trial does not matter.
    """

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """None."""
        return jnp.zeros(0)

    def predict(
        self, trial_state: TrialState, motion: jc.Trajectory, samples: Samples
    ) -> jax.Array:
        """Durations (n, 1) [s]."""
        speed, horizon = samples.reference[:, 0], LONGEST * jnp.max(samples.measured)

        def simulate(one: jax.Array) -> jax.Array:
            return simulate_duration(trial_state.scene, one, horizon)

        return jax.vmap(simulate)(speed)[:, None]


def simulate_duration(scene: jc.Scene, speed: jax.Array, horizon: jax.Array) -> jax.Array:
    """Duration [s] of one impact on the first surface, a plane, at an approach speed [m/s]."""
    law, plane = scene.contact.normal, scene.surfaces[0]
    if isinstance(law, RigidLaw):
        return jnp.asarray(law.duration_at(speed))
    normal = plane.unit_normal
    start = jc.State(normal * (plane.offset + scene.bodies.radius), -speed * normal, jnp.zeros(3))
    method = jc.EventAligned(max_contacts=1, flight_steps=4, rest_steps=1, skip_unused=False)
    times = jnp.stack([jnp.zeros_like(horizon), horizon])
    contacts = jc.simulate(scene, start, times, method=method, strict=False).contacts  # the first
    assert contacts is not None
    return contacts.lift_off[0] - contacts.touch_down[0]


@dataclasses.dataclass(frozen=True)
class DurationsOfImpacts(Observation):
    """Durations of the impacts of a motion; row k is the k-th impact."""

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """None: the impacts are those of the motion that other measurements follow, or of its whole
        budget.
        """
        return (trial_state.start + samples.reference[0, 0])[None]

    def predict(
        self, trial_state: TrialState, motion: jc.Trajectory, samples: Samples
    ) -> jax.Array:
        """Durations (n, 1) [s]."""
        return take_impacts(motion.contacts, samples.times.shape[0]).duration[:, None]


class ContactDurations(Measurement):
    """Durations of contacts, each with its impact speed, or those of the impacts of a motion.

    The duration tells the stiffness: in Hertz's law it goes with ``(m^2/(K^2 v))^(1/5)``.

    Args:
        duration: of each contact [s], (n,).
        speed: approach speed of each [m/s], (n,); by default the contacts are those of the trial's
            motion, in order of time.
        sigma: standard deviation of a duration [s], one or (n,); by default 2 % of the median.
        impacts: which impact of the motion each is, from 1, where there is no ``speed``; by default
            1, 2, 3 ...
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: a duration or speed that is not positive, different lengths.

    Example:
        >>> durations = cal.measurements.ContactDurations([9e-5, 8.3e-5], speed=[1.0, 1.5])
        >>> durations.quantities, durations.needs_motion
        (('contact duration [s]',), False)
    """

    quantities = ("contact duration [s]",)
    needs_duration = True

    def __init__(
        self,
        duration: Any,
        *,
        speed: Any = None,
        sigma: Any = None,
        impacts: Any = None,
        name: str = "contact durations",
        path: str | None = None,
    ) -> None:
        given = np.atleast_1d(np.asarray(duration, dtype=float))
        self.duration = check_numbers("ContactDurations", "duration", given, (given.size,))
        self.speed = (
            None
            if speed is None
            else check_numbers("ContactDurations", "speed", np.atleast_1d(speed), given.shape)
        )
        self.sigma = check_deviations("ContactDurations", sigma, given.shape, unit="s")
        self.name, self.path = name, path
        for label, values in (("duration", self.duration), ("speed", self.speed)):
            if values is not None and not np.all(values > 0):
                raise InputError(
                    f"ContactDurations: a {label} is not positive.",
                    path=path,
                    remedy="Leave out what was not measured.",
                )
        found = (
            np.arange(1, given.size + 1) if impacts is None else np.atleast_1d(np.asarray(impacts))
        )
        if (
            found.shape != given.shape
            or np.any(found < 1)
            or np.any(np.diff(found) <= 0)
            or np.any(found != np.round(found))
        ):
            raise InputError(
                "ContactDurations: impacts is not one whole number from 1 for each, increasing.",
                path=path,
            )
        self.impacts = found.astype(int)

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given."""
        return self.sigma is None

    @property
    def abscissa(self) -> Abscissa:
        """The impacts of a motion, or no order where the speeds are known."""
        return Abscissa.IMPACT if self.speed is None else Abscissa.NUMBER

    @property
    def needs_motion(self) -> bool:
        """Whether the speeds are those of a motion."""
        return self.speed is None

    @property
    def contacts(self) -> int:
        """Contacts of the motion that it counts."""
        return int(self.impacts[-1]) if self.speed is None else 0

    def observation(self) -> DurationsOfKnownImpacts | DurationsOfImpacts:
        """At known speeds, or along the motion."""
        return DurationsOfImpacts() if self.speed is None else DurationsOfKnownImpacts()

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """One row for each contact; no times. The reference is the speed [m/s], or the time [s] by
        which a motion is over.
        """
        sigma = (
            np.full(self.duration.shape, UNKNOWN_SIGMA * np.median(self.duration))
            if self.sigma is None
            else self.sigma
        )
        if self.speed is not None:
            return MeasuredSamples(
                np.zeros(self.duration.shape),
                self.duration[:, None],
                sigma[:, None],
                self.speed[:, None],
            )
        rows = self.impacts - 1
        measured, deviation = (
            np.full((self.contacts, 1), np.median(self.duration)),
            np.full((self.contacts, 1), np.inf),
        )
        measured[rows, 0], deviation[rows, 0] = self.duration, sigma
        return MeasuredSamples(
            np.zeros(self.contacts), measured, deviation, np.full((self.contacts, 1), HORIZON)
        )


HORIZON = 60.0
"""Time [s] by which all contacts of a motion have happened that nothing but their durations
follows.
"""

DURATION = Column(
    ("duration", "contact_duration", "contact_time", "tc", "t_c", "kontaktdauer"), "time"
)
SPEED = Column(
    ("speed", "velocity", "v", "impact_speed", "impact_velocity", "v_in", "vi", "geschwindigkeit"),
    "speed",
)


def read_contact_durations(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
) -> ContactDurations:
    """Contact durations from a text file with a column ``duration`` (or ``contact_time``), and one
    of impact speeds if they are known.

    Args:
        path: the file.
        columns: which header holds ``duration``, ``speed`` or ``sigma``, where they are not
            recognised.
        sigma: standard deviation of a duration [s]; replaces a column of it.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> rows = [[90, 1], [83, 1.5]]
        >>> header = "contact_time (us),v (m/s)"
        >>> np.savetxt("contacts.csv", rows, delimiter=",", header=header, comments="")
        >>> cal.measurements.read_contact_durations("contacts.csv").speed
        array([1. , 1.5])
    """
    wanted = {"duration": DURATION, "speed": SPEED, "sigma": DURATION}
    found, name = read_columns(path, wanted, needed=("duration",), columns=columns)
    kept = np.all([np.isfinite(values) for values in found.values()], axis=0)
    given: dict[str, Any] = {key: values[kept] for key, values in found.items()} | (
        {} if sigma is None else {"sigma": sigma}
    )
    return ContactDurations(given.pop("duration"), name=name, path=str(path), **given)
