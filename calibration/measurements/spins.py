"""Angular velocities, as read from the markers on a ball by whatever program tracked them."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.detection import Detection
from calibration.detection.flight_fit import Bounce
from calibration.detection.spin_change import find_spin_change, flight_of
from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.io.headers import advise_columns
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Spheres, Trajectory

AXES = "xyz"

UNKNOWN_SIGMA = 0.02
"""Standard deviation of a spin whose noise is not given, relative to the largest."""


@dataclasses.dataclass(frozen=True)
class SpinComponents(Observation):
    """Components of the angular velocity in axes of the scene.

    Attributes:
        components: indices of the measured ones.
        clock: of the instrument.
    """

    components: tuple[int, ...]
    clock: str

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Those of the samples."""
        return trial_state.trial_time(self.clock, samples.times)

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Spins (n, components) [rad/s]."""
        return motion.spin[:, jnp.array(self.components)]


class Spins(Measurement):
    """Angular velocity at times, in axes of the scene; any subset of its components.

    Args:
        times: increasing [s], (n,).
        spin: [rad/s], (n, 3), NaN where not measured.
        sigma: standard deviation [rad/s], one or (n, 3); by default 2 % of the largest spin.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: times that do not increase, another shape, a sigma that is not positive.

    Example:
        Only the spin about y was seen:

        >>> nan = np.nan
        >>> spins = cal.measurements.Spins([0.0, 0.01], [[nan, 50.0, nan], [nan, 49.0, nan]])
        >>> spins.quantities
        ('spin about y [rad/s]',)
    """

    clock: str

    def __init__(
        self,
        times: Any,
        spin: Any,
        *,
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "spins",
        path: str | None = None,
    ) -> None:
        self.time = check_increasing_times("Spins", times)
        self.spin = check_numbers("Spins", "spin", spin, (self.time.size, 3))
        self.sigma = check_deviations("Spins", sigma, self.spin.shape, unit="rad/s")
        self.clock, self.name, self.path = clock, name, path

    @property
    def components(self) -> tuple[int, ...]:
        """Indices of the measured components."""
        return tuple(i for i in range(3) if np.any(np.isfinite(self.spin[:, i])))

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return tuple(f"spin about {AXES[i]} [rad/s]" for i in self.components)

    @property
    def first_spin(self) -> np.ndarray:
        """Of the first sample (3,) [rad/s], zero where a component was not measured."""
        return np.nan_to_num(self.spin[0])

    def in_first_flight(
        self, bounces: Sequence[Bounce], ball: Spheres
    ) -> tuple[np.ndarray, np.ndarray]:
        """Spin (3,) in the first flight in which each component was measured, and by how much the
        bounces before changed it as the velocities say (3,) [rad/s]; zeros where a component was
        not measured.

        Args:
            bounces: of the trial.
            ball: with radius and moment of inertia.
        """
        radius = float(np.ravel(np.asarray(ball.radius))[0])
        ratio = float(np.ravel(np.asarray(ball.inertia_ratio))[0])
        flight, found, changed = flight_of(self.time, bounces), np.zeros(3), np.zeros(3)
        changes = [find_spin_change(one, radius=radius, inertia_ratio=ratio) for one in bounces]
        for axis in self.components:
            seen = np.isfinite(self.spin[:, axis])
            first = int(flight[seen].min())
            changed[axis] = sum(float(np.nan_to_num(one[axis])) for one in changes[:first])
            found[axis] = np.median(self.spin[seen & (flight == first), axis])
        return found, changed

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given."""
        return self.sigma is None

    def observation(self) -> SpinComponents:
        """The measured components."""
        return SpinComponents(self.components, self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All of them."""
        measured = self.spin[:, list(self.components)]
        least = max(UNKNOWN_SIGMA * float(np.nanmax(np.abs(self.spin))), 1e-3)
        sigma = (
            np.full(measured.shape, least)
            if self.sigma is None
            else self.sigma[:, list(self.components)]
        )
        return MeasuredSamples(self.time, measured, np.where(np.isfinite(measured), sigma, np.inf))


def _component(axis: str) -> Column:
    names = (
        f"w{axis}",
        f"w_{axis}",
        f"omega_{axis}",
        f"omega{axis}",
        f"spin_{axis}",
        f"angular_velocity_{axis}",
    )
    return Column(names, "angular velocity")


def read_spins(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    clock: str = CAMERA,
) -> Spins:
    """Spins from a text file with columns ``t`` and ``wx``, ``wy``, ``wz`` (``omega_y``, ``spin_z``
    ...), or some of them.

    Args:
        path: the file.
        columns: which header holds ``times``, ``x``, ``y`` or ``z``, where they are not recognised.
        sigma: standard deviation [rad/s].
        clock: name of the clock.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> rows = [[0, 600], [0.01, 594]]
        >>> np.savetxt("spin.csv", rows, delimiter=",", header="t (s),wy (rpm)", comments="")
        >>> cal.measurements.read_spins("spin.csv").spin[:, 1].round(2)
        array([62.83, 62.2 ])
    """
    found, name = read_columns(
        path,
        {"times": TIME, **{axis: _component(axis) for axis in AXES}},
        needed=("times",),
        columns=columns,
    )
    if not set(found) & set(AXES):
        raise InputError(
            "there is no column of a spin",
            path=str(path),
            remedy=f"Name one of them wx, wy or wz, or give {advise_columns('x')}.",
        )
    nothing = np.full(found["times"].shape, np.nan)
    spin = np.stack([found.get(axis, nothing) for axis in AXES], axis=-1)
    kept = np.isfinite(found["times"])
    return Spins(
        found["times"][kept], spin[kept], sigma=sigma, clock=clock, name=name, path=str(path)
    )
