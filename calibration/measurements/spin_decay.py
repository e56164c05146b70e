"""A ball, a disc or a top that spins on its place and slows down: its spin by time."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.decay import Run, make_run
from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.io.interval import EVERYTHING, TimeInterval
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.decaying_run import check_unbroken, check_units, first_rate
from calibration.measurements.rolling_decay import LEAST, one_on_a_plane
from calibration.measurements.rolling_motion import spin_down, static_overlap
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, SpinningFriction, Trajectory

SPIN = Column(
    (
        "omega",
        "w",
        "spin",
        "spin_rate",
        "angular_velocity",
        "rotation_rate",
        "rotation",
        "wz",
        "w_z",
        "omega_z",
        "spin_z",
        "drehzahl",
    ),
    "angular velocity",
)


@dataclasses.dataclass(frozen=True)
class SpinOnPlace(Observation):
    """Spin about the normal of the surface on which a body stands.

    Attributes:
        clock: of the instrument.
    """

    clock: str = CAMERA

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """None: nothing needs to be simulated."""
        return jnp.zeros(0)

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Spins [rad/s], (n, 1)."""
        return spin_down(
            trial_state.scene,
            spin=trial_state.spin[2],
            start=trial_state.start,
            times=trial_state.trial_time(self.clock, samples.times),
        )[:, None]


class SpinDecay(Measurement):
    """Spins of a ball, a disc or a top that turns on its contact about the normal, which is
    vertical.

    With ``FirstSpin`` as a nuisance, it tells the spinning friction ``contact.spinning``: its lever
    (torque over normal force), or its coefficient where the disk of the contact is known, from the
    normal law. Friction of the air is left out.

    Args:
        times: (n,) [s].
        spin: (n,) [rad/s], NaN where nothing was seen.
        sigma: standard deviation, one or (n,) [rad/s]; by default that which neighbouring numbers
            show.
        clock: name of the clock.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: fewer than eight numbers, times that do not increase.

    Example:
        >>> times = np.linspace(0.0, 4.0, 9)
        >>> top = cal.measurements.SpinDecay(times, 100.0 - 8.0 * times, sigma=0.1)
        >>> top.quantities, round(top.first_rate, 1)
        (('spin [rad/s]',), 100.0)
    """

    quantities = ("spin [rad/s]",)
    clock: str

    def __init__(
        self,
        times: Any,
        spin: Any,
        *,
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "spin decay",
        path: str | None = None,
    ) -> None:
        self.time = check_increasing_times("SpinDecay", times, least=LEAST)
        self.spin = check_numbers("SpinDecay", "spin", spin, self.time.shape)
        self.sigma = check_deviations("SpinDecay", sigma, self.time.shape, unit="rad/s")
        self.clock, self.name, self.path = clock, name, path
        if np.count_nonzero(np.isfinite(self.spin)) < LEAST:
            raise InputError(
                f"SpinDecay: fewer than {LEAST} numbers.", path=path, remedy="Give a longer run."
            )

    @property
    def run(self) -> Run:
        """What was measured, with the noise that it shows."""
        return make_run(self.time, self.spin, of_path=False)

    @property
    def first_rate(self) -> float:
        """Spin at the first sample [rad/s], at first sight."""
        return first_rate(self.run)

    @property
    def needs_motion(self) -> bool:
        """Not of a path, as a body that spins on its place has none."""
        return False

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    def detect(self, scene: Scene) -> Detection | None:
        """No impacts.

        Raises:
            InputError: a scene without a spinning law, or whose contact has no disk; a spin that
                jumps or bends.
        """
        _check_scene(scene, self.path)
        self.check_unbroken()
        return None

    def check_unbroken(self) -> None:
        """Raise ``InputError`` where the run jumps or bends, which no contact does by itself."""
        check_unbroken(
            self.run,
            path=self.path,
            rate=("spin", "rad/s"),
            bends="as of a body that wobbles or wanders first, or that is still held",
        )

    def observation(self) -> SpinOnPlace:
        """The spin."""
        return SpinOnPlace(self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All of them."""
        sigma = np.full(self.time.shape, self.run.noise) if self.sigma is None else self.sigma
        seen = np.isfinite(self.spin)
        return MeasuredSamples(
            self.time, self.spin[:, None], np.where(seen, sigma, np.inf)[:, None]
        )


def _check_scene(scene: Scene, path: str | None) -> None:
    law = scene.contact.spinning
    if law is None:
        raise InputError(
            "SpinDecay: the contact of the scene has no spinning friction.",
            path=path,
            remedy="Give one: jc.ContactModel(normal=..., spinning=jc.SpinningFriction("
            "coefficient=0.3)).",
        )
    one_on_a_plane(scene, "SpinDecay", path)
    if isinstance(law, SpinningFriction) and not float(static_overlap(scene)) > 0:
        raise InputError(
            "SpinDecay: under its weight the contact of the scene has no disk, on which the "
            "friction of SpinningFriction acts.",
            path=path,
            remedy="Give a normal law with a stiffness, or the lever of the friction: "
            "jc.spinning_law(jc.laws.spinning.lever_spinning_torque)(...).",
        )


def read_spin_decay(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    clock: str = CAMERA,
    interval: TimeInterval = EVERYTHING,
) -> SpinDecay:
    """Spins from a text file with columns ``t`` and ``omega [rad/s]`` (``spin [rpm]``, ``w``
    ...).

    Args:
        path: the file.
        columns: which header holds ``times`` or ``spin``, where they are not recognised.
        sigma: standard deviation [rad/s]; replaces a column of it.
        clock: name of the clock.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do; a spin without a unit.

    Example:
        >>> rows = [[t, 600 - 60 * t] for t in range(8)]
        >>> np.savetxt("top.csv", rows, delimiter=",", header="t (s),spin (rpm)", comments="")
        >>> cal.measurements.read_spin_decay("top.csv").spin[:2].round(2)
        array([62.83, 56.55])
    """
    wanted = {"times": TIME, "spin": SPIN, "sigma": SPIN}
    found, name = read_columns(
        path, wanted, needed=("times", "spin"), columns=columns, interval=interval
    )
    check_units(path, SPIN, "spin", columns)
    kept = np.isfinite(found["times"]) & np.isfinite(found["spin"])
    of_file = found.get("sigma")
    return SpinDecay(
        found["times"][kept],
        found["spin"][kept],
        sigma=of_file[kept] if sigma is None and of_file is not None else sigma,
        clock=clock,
        name=name,
        path=str(path),
    )
