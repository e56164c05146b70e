"""A ball or a disc that rolls along a straight track and slows down: its speed, or its position, by
time.
"""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.decay import Run, make_run
from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.io.headers import advise_columns
from calibration.io.interval import EVERYTHING, TimeInterval
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.decaying_run import (
    check_unbroken,
    check_units,
    directions,
    first_rate,
)
from calibration.measurements.rolling_motion import roll_along
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Plane, Scene, Spheres, Trajectory
from jaxcontact.laws import RollingFlow

Quantity = Literal["speed", "position"]

LEAST = 8
"""Numbers of a run from which its noise can be told."""

SPEED = Column(
    ("v", "speed", "velocity", "rolling_speed", "track_speed", "geschwindigkeit", "vitesse"),
    "speed",
)
POSITION = Column(
    ("s", "x", "distance", "path", "track", "position", "track_position", "weg", "strecke"),
    "length",
)


@dataclasses.dataclass(frozen=True)
class RollingAlongTrack(Observation):
    """Speed or position of a body that rolls along x, positive where x grows.

    Attributes:
        quantity: ``"speed"`` or ``"position"``.
        clock: of the instrument.
    """

    quantity: Quantity
    clock: str = CAMERA

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """None: nothing needs to be simulated."""
        return jnp.zeros(0)

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Speeds [m/s] or positions [m], (n, 1)."""
        rolled = roll_along(
            trial_state.scene,
            position=trial_state.position[0],
            speed=trial_state.velocity[0],
            start=trial_state.start,
            times=trial_state.trial_time(self.clock, samples.times),
        )
        return (rolled.speed if self.quantity == "speed" else rolled.position)[:, None]


class RollingDecay(Measurement):
    """Speeds or positions of a ball or a disc that rolls along a straight track, without slipping
    and in contact all the time.

    With ``RollingSpeed`` (and ``TrackPosition`` of positions) as nuisances, it tells the rolling
    resistance ``contact.rolling``, and ``TrackSlope`` where runs go in both directions. The scene
    has one sphere on a plane; its inertia ratio says whether it is a ball or a disc. Air acts as
    ``scene.drag`` says.

    Args:
        times: (n,) [s].
        speed: along the track (n,) [m/s], NaN where nothing was seen; or
        position: along it (n,) [m].
        sigma: standard deviation, one or (n,) [m/s] or [m]; by default that which neighbouring
            numbers show.
        clock: name of the clock.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: both or none of speed and position, fewer than eight numbers, times that do not
            increase.

    Example:
        >>> times = np.linspace(0.0, 4.0, 9)
        >>> run = cal.measurements.RollingDecay(times, speed=0.5 - 0.07 * times, sigma=1e-3)
        >>> run.quantities, run.needs_motion
        (('speed [m/s]',), False)
    """

    clock: str

    def __init__(
        self,
        times: Any,
        *,
        speed: Any = None,
        position: Any = None,
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "rolling decay",
        path: str | None = None,
    ) -> None:
        if (speed is None) == (position is None):
            raise InputError(
                "RollingDecay: give either speed or position.", path=path, remedy="Leave out one."
            )
        self.quantity: Quantity = "position" if speed is None else "speed"
        self.time = check_increasing_times("RollingDecay", times, least=LEAST)
        given = position if speed is None else speed
        self.value = check_numbers("RollingDecay", self.quantity, given, self.time.shape)
        unit = "m" if speed is None else "m/s"
        self.sigma = check_deviations("RollingDecay", sigma, self.time.shape, unit=unit)
        self.clock, self.name, self.path = clock, name, path
        if np.count_nonzero(np.isfinite(self.value)) < LEAST:
            raise InputError(
                f"RollingDecay: fewer than {LEAST} numbers.",
                path=path,
                remedy="Give a longer run.",
            )

    @property
    def run(self) -> Run:
        """What was measured, with the noise that it shows."""
        return make_run(self.time, self.value, of_path=self.quantity == "position")

    @property
    def first_speed(self) -> float:
        """Speed at the first sample [m/s], at first sight."""
        return first_rate(self.run)

    @property
    def directions(self) -> set[float]:
        """1 where it rolls towards larger positions, -1 where towards smaller ones, or both."""
        return directions(self.run)

    @property
    def first_position(self) -> float:
        """The first position [m]; 0 where speeds were measured."""
        return float(self.run.values[0]) if self.quantity == "position" else 0.0

    @property
    def needs_motion(self) -> bool:
        """Not of impacts, as a body that rolls has none."""
        return False

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit."""
        return ("speed [m/s]",) if self.quantity == "speed" else ("position along the track [m]",)

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    def detect(self, scene: Scene) -> Detection | None:
        """No impacts.

        Raises:
            InputError: a scene without a rolling law, or with one that does not describe a run; a
                run that jumps or bends.
        """
        _check_scene(scene, self.path)
        self.check_unbroken()
        return None

    def check_unbroken(self) -> None:
        """Raise ``InputError`` where the run jumps or bends, which no contact does by itself."""
        check_unbroken(
            self.run,
            path=self.path,
            rate=("speed", "m/s"),
            bends="as a ball does that slides before it rolls, or that is still pushed",
        )

    def observation(self) -> RollingAlongTrack:
        """The quantity."""
        return RollingAlongTrack(self.quantity, self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All of them."""
        sigma = np.full(self.time.shape, self.run.noise) if self.sigma is None else self.sigma
        seen = np.isfinite(self.value)
        return MeasuredSamples(
            self.time, self.value[:, None], np.where(seen, sigma, np.inf)[:, None]
        )


def _check_scene(scene: Scene, path: str | None) -> None:
    rolling = scene.contact.rolling
    if rolling is None:
        raise InputError(
            "RollingDecay: the contact of the scene has no rolling resistance.",
            path=path,
            remedy="Give one: jc.ContactModel(normal=..., rolling=jc.RollingResistance("
            "rolling_coefficient=0.01)).",
        )
    if not isinstance(rolling, RollingFlow):
        raise InputError(
            f"RollingDecay: {type(rolling).__name__} remembers how it began, which no run tells.",
            path=path,
            remedy="Take jc.RollingResistance: its coefficient is that of a spring that is fully "
            "mobilised.",
        )
    one_on_a_plane(scene, "RollingDecay", path)


def one_on_a_plane(scene: Scene, owner: str, path: str | None) -> None:
    """Raise ``InputError`` unless the scene is one sphere on a plane at rest."""
    plane = scene.surfaces[0] if scene.surfaces else None
    alone = isinstance(scene.bodies, Spheres) and np.size(scene.bodies.radius) == 1
    if not alone or not isinstance(plane, Plane) or plane.motion is not None:
        raise InputError(
            f"{owner}: the scene is not one sphere on a plane at rest.",
            path=path,
            remedy="Give jc.Scene(bodies=jc.spheres(...), surfaces=(jc.Plane(),), ...).",
        )


def read_rolling_decay(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    clock: str = CAMERA,
    interval: TimeInterval = EVERYTHING,
) -> RollingDecay:
    """A run from a text file with columns ``t`` and ``v [m/s]`` or ``s [m]`` (``x``, ``distance``
    ...). Where there are both, the speed is taken.

    Args:
        path: the file.
        columns: which header holds ``times``, ``speed`` or ``position``, where they are not
            recognised.
        sigma: standard deviation [m/s] or [m]; replaces a column of it.
        clock: name of the clock.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do; a speed or position without a
            unit.

    Example:
        >>> rows = [[t, 50.0 - 7.0 * t] for t in range(8)]
        >>> np.savetxt("run.csv", rows, delimiter=",", header="t (s),v (cm/s)", comments="")
        >>> cal.measurements.read_rolling_decay("run.csv").value[:2]
        array([0.5 , 0.43])
    """
    wanted = {
        "times": TIME,
        "speed": SPEED,
        "position": POSITION,
        "sigma_speed": SPEED,
        "sigma_position": POSITION,
    }
    found, name = read_columns(path, wanted, needed=("times",), columns=columns, interval=interval)
    quantity = next((key for key in ("speed", "position") if key in found), None)
    if quantity is None:
        raise InputError(
            "there is no column of a speed or a position",
            path=str(path),
            remedy=f"Name one of them 'v [m/s]' or 's [m]', or give {advise_columns('speed')}.",
        )
    check_units(path, wanted[quantity], quantity, columns)
    kept = np.isfinite(found["times"]) & np.isfinite(found[quantity])
    of_file = found.get(f"sigma_{quantity}")
    return RollingDecay(
        found["times"][kept],
        **{quantity: found[quantity][kept]},
        sigma=of_file[kept] if sigma is None and of_file is not None else sigma,
        clock=clock,
        name=name,
        path=str(path),
    )
