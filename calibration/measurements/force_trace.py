"""The force of a contact in time, as a force sensor below the surface shows it."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.detection import Detection
from calibration.detection.impacts import DetectedImpact, DetectedImpacts, height_at_impact
from calibration.detection.noise import robust_deviation
from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.io.interval import EVERYTHING, TimeInterval
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import FORCE_SENSOR
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState

THRESHOLD = 0.1
"""Part of the largest force above which the body is taken to be in contact."""

BEFORE_THRESHOLD = 0.08
"""Time from touch-down to that force in Hertz's law, in times above it."""

SEPARATE = 0.2
"""Runs that are closer together than this part of the longest one are one pulse; shorter ones are
noise.
"""

LEAST_NOISE = 1e-3
"""Standard deviation of a force whose noise nothing shows, relative to the largest."""


NO_SLIP = 0.01
"""Slip, relative to the impact speed, at which friction fades."""


@dataclasses.dataclass(frozen=True)
class ContactForce(Observation):
    """The force of the surfaces on the body at times, from the law and the motion.

    Attributes:
        clock: of the sensor.
        tangential: whether the force along x was measured, too.
    """

    clock: str
    tangential: bool

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Those of the samples."""
        return trial_state.trial_time(self.clock, samples.times)

    def predict(
        self, trial_state: TrialState, motion: jc.Trajectory, samples: Samples
    ) -> jax.Array:
        """Normal force, and force of the body on the surface along x, as shown (n, 1 or 2) [N]."""
        normal, friction = compute_contact_forces(trial_state.scene, motion)
        forces = [normal, -friction[:, 0]] if self.tangential else [normal]
        return trial_state.gain * jnp.stack(forces, axis=-1)


def compute_contact_forces(scene: jc.Scene, motion: jc.Trajectory) -> tuple[jax.Array, jax.Array]:
    """Normal force (n,) and friction (n, 3) [N] of planes on a sphere at the times of a motion;
    zero out of contact.

    A sphere that has stopped sliding rolls, and friction has nothing left to do: where the slip is
    next to nothing, so is friction. (The law would multiply the error of that slip.)
    """
    contacts = motion.contacts
    assert contacts is not None
    inside = (
        contacts.happened
        & (contacts.touch_down <= motion.times[:, None])
        & (motion.times[:, None] < contacts.lift_off)
    )
    index, touches = jnp.argmax(inside, axis=1), jnp.any(inside, axis=1)
    normals = jnp.stack([surface.unit_normal for surface in scene.surfaces])
    gaps = jnp.stack(
        [surface.gap(motion.position, scene.bodies.radius) for surface in scene.surfaces], axis=-1
    )
    plane, speed = contacts.surface[index], contacts.impact_speed[index]
    normal = normals[plane]
    overlap = -jnp.take_along_axis(gaps, plane[:, None], axis=1)[:, 0]
    rate = -jnp.sum(motion.velocity * normal, axis=-1)
    force = jnp.where(
        touches,
        scene.contact.compliant.force(overlap, rate, impact_speed=speed, mass=scene.bodies.mass),
        0.0,
    )
    surface_point = motion.velocity - scene.bodies.radius * jnp.cross(motion.spin, normal)
    slip = surface_point - normal * jnp.sum(surface_point * normal, axis=-1, keepdims=True)
    fourth = jnp.sum(slip**2, axis=-1, keepdims=True) ** 2
    slides = fourth / (fourth + (NO_SLIP * speed[:, None]) ** 4 + 1e-30)
    return force, slides * scene.contact.slip_friction.force(slip, force)


class ForceTrace(Measurement):
    """Force of a contact in time.

    It tells the law of the contact: stiffness, exponent and damping, where the impact speed is
    known (a known drop, or positions beside), and ratios of them where it is not. Needs a compliant
    law.

    Args:
        times: increasing [s], (n,).
        normal: force along the normal of the surface, positive when it presses [N], (n,), NaN where
            not measured.
        tangential: force of the body on the surface along x [N], (n,).
        sigma: standard deviation of a force [N], one or (n,); by default from the samples out of
            contact.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: times that do not increase, arrays of other lengths, a sigma that is not
            positive.

    Example:
        A pulse that begins at 1 ms:

        >>> times = np.arange(40) * 1e-4
        >>> force = np.maximum(50.0 * np.sin(np.pi * (times - 1e-3) / 1e-3), 0.0) * (times < 2e-3)
        >>> trace = cal.measurements.ForceTrace(times, force, sigma=0.1)
        >>> trace.pulses  # first sample, and the one after the last
        [(11, 20)]
    """

    needs_force = True
    clock: str

    def __init__(
        self,
        times: Any,
        normal: Any,
        *,
        tangential: Any = None,
        sigma: Any = None,
        clock: str = FORCE_SENSOR,
        name: str = "force trace",
        path: str | None = None,
    ) -> None:
        self.time = check_increasing_times("ForceTrace", times, least=5)
        shape = self.time.shape
        self.normal = check_numbers("ForceTrace", "normal", normal, shape)
        self.tangential = (
            None
            if tangential is None
            else check_numbers("ForceTrace", "tangential", tangential, shape)
        )
        self.sigma = check_deviations("ForceTrace", sigma, shape, unit="N")
        self.clock, self.name, self.path = clock, name, path
        if not np.nanmax(self.normal) > 0:
            raise InputError(
                "ForceTrace: the normal force is nowhere positive.",
                path=path,
                remedy="Turn its sign round.",
            )

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return (
            ("normal force [N]",)
            if self.tangential is None
            else ("normal force [N]", "tangential force [N]")
        )

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def pulses(self) -> list[tuple[int, int]]:
        """First sample and the one after the last of each run above the threshold; noise neither
        splits a pulse nor makes one.
        """
        above = np.nan_to_num(self.normal) > THRESHOLD * np.nanmax(self.normal)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], above.astype(int), [0]])))
        runs = [(int(first), int(stop)) for first, stop in edges.reshape(-1, 2)]
        longest = max(stop - first for first, stop in runs)
        joined = [runs[0]]
        for first, stop in runs[1:]:
            if first - joined[-1][1] < SEPARATE * longest:
                joined[-1] = (joined[-1][0], stop)
            else:
                joined.append((first, stop))
        return [(first, stop) for first, stop in joined if stop - first > SEPARATE * longest]

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviation of each force [N]."""
        if self.sigma is not None:
            return self.sigma
        out = np.ones(self.time.size, bool)
        for first, stop in self.pulses:
            margin = (stop - first) // 4 + 1
            out[max(first - margin, 0) : stop + margin] = False
        quiet = self.normal[out & np.isfinite(self.normal)]
        least = LEAST_NOISE * np.nanmax(self.normal)
        return np.full(
            self.time.shape,
            max(robust_deviation(quiet - np.median(quiet)), least)
            if quiet.size > 10
            else 10 * least,
        )

    def detect(self, scene: jc.Scene) -> DetectedImpacts:
        """Impacts at the pulses of the force; the speed of the first from its impulse ``m v (1 +
        e)``.
        """
        seen, starts = np.nan_to_num(self.normal), []
        for first, stop in self.pulses:
            starts.append(
                self.time[first] - BEFORE_THRESHOLD * (self.time[stop - 1] - self.time[first])
            )
        first, stop = self.pulses[0]
        impulse = float(
            np.trapezoid(
                seen[max(first - 1, 0) : stop + 1], self.time[max(first - 1, 0) : stop + 1]
            )
        )
        mass = float(np.max(np.asarray(scene.bodies.mass)))
        restitution = float(scene.contact.normal.restitution_at(1.0, mass=mass))
        return DetectedImpacts(
            bounces=tuple(DetectedImpact(float(start)) for start in starts),
            numbers=tuple(range(len(starts))),
            speed=impulse / mass / (1 + restitution),
            restitution=restitution,
            noise=float(np.median(np.diff(self.time))),
            height=height_at_impact(scene),
        )

    def observation(self) -> ContactForce:
        """The force on the clock of the sensor."""
        return ContactForce(self.clock, self.tangential is not None)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All samples."""
        measured = np.stack(
            [self.normal] if self.tangential is None else [self.normal, self.tangential], axis=-1
        )
        sigma = np.where(np.isfinite(measured), self.deviation[:, None], np.inf)
        return MeasuredSamples(self.time, measured, sigma)


NORMAL = Column(
    ("normal", "force", "normal_force", "f", "f_n", "fn", "fz", "f_z", "kraft", "normalkraft"),
    "force",
)
TANGENTIAL = Column(
    ("tangential", "tangential_force", "f_t", "ft", "fx", "f_x", "friction", "reibung"), "force"
)


def read_force_trace(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    clock: str = FORCE_SENSOR,
    interval: TimeInterval = EVERYTHING,
) -> ForceTrace:
    """A force trace from a text file with columns of time and force (``t (ms), Fz (N)``).

    Args:
        path: the file.
        columns: which header holds ``times``, ``normal``, ``tangential`` or ``sigma``, where they
            are not recognised.
        sigma: standard deviation of a force [N]; replaces a column of it.
        clock: name of the clock.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> rows = [[0, 0], [0.1, 20], [0.2, 50], [0.3, 20], [0.4, 0]]
        >>> np.savetxt("force.csv", rows, delimiter=",", header="t (ms),Fz (N)", comments="")
        >>> cal.measurements.read_force_trace("force.csv").normal
        array([ 0., 20., 50., 20.,  0.])
    """
    wanted = {"times": TIME, "normal": NORMAL, "tangential": TANGENTIAL, "sigma": NORMAL}
    found, name = read_columns(
        path, wanted, needed=("times", "normal"), columns=columns, interval=interval
    )
    kept = np.isfinite(found["times"])
    given: dict[str, Any] = {key: values[kept] for key, values in found.items()} | (
        {} if sigma is None else {"sigma": sigma}
    )
    return ForceTrace(
        given.pop("times"), given.pop("normal"), clock=clock, name=name, path=str(path), **given
    )
