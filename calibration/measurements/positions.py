"""Positions of the centre of a sphere on the pictures of a camera."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.exposure import mean_over_exposure
from calibration.model.apparatus import CAMERA
from calibration.model.samples import Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, Trajectory

AXES = "xyz"


@dataclasses.dataclass(frozen=True)
class Positions:
    """The centre of the body at the time of each picture, in recorded units.

    Attributes:
        axes: indices of the measured axes.
        clock: of the camera.
    """

    axes: tuple[int, ...]
    clock: str = CAMERA

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Those of the pictures: their middles, or the begin and the end of each exposure."""
        middle = trial_state.trial_time(self.clock, samples.times)
        if trial_state.camera.exposure is None:
            return middle
        half = trial_state.camera.exposure / 2
        return jnp.concatenate([middle - half, middle + half])

    def predicted(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Positions (n, axes)."""
        position = (
            motion.position
            if trial_state.camera.exposure is None
            else mean_over_exposure(trial_state, motion)
        )
        return trial_state.camera.project(position, trial_state.scale)[:, jnp.array(self.axes)]


@dataclasses.dataclass(frozen=True, eq=False)
class TrackedPositions:
    """A recording as a measurement of positions.

    Attributes:
        recording: of the centre of a sphere.
        detected: its bounces, where they were detected already.
        clock: of the camera, where there are several instruments.
    """

    recording: Recording
    detected: DetectedBounces | None = None
    clock: str = CAMERA

    @property
    def name(self) -> str:
        """That of the recording."""
        return self.recording.name

    @property
    def path(self) -> str | None:
        """The file it came from."""
        return self.recording.path

    @property
    def axes(self) -> tuple[str, ...]:
        """The measured axes."""
        return self.recording.axes

    @property
    def stated(self) -> bool:
        """Whether the standard deviations came with the recording; else they are guessed from its
        scatter.
        """
        return self.recording.sigma is not None

    def read(self, scene: Scene) -> DetectedBounces:
        """Flights and bounces."""
        detected = self.detected
        if detected is None:
            gravity = float(np.linalg.norm(np.asarray(scene.gravity, dtype=float)))
            detected = read_bounces(
                self.recording, radius=float(np.asarray(scene.bodies.radius)), gravity=gravity
            )
        if not detected.bounces:
            raise InputError(
                "There is no bounce in this recording.",
                path=self.recording.path,
                remedy="Give a recording that shows the ball before and after at least one impact, "
                "or check --vertical and --radius.",
            )
        return detected

    def observation(self) -> Positions:
        """Positions on the measured axes."""
        return Positions(tuple(AXES.index(name) for name in self.recording.axes), self.clock)

    def samples(self, detected: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """From the first used sample on; outliers have an infinite deviation."""
        recording, axes = self.recording, [AXES.index(name) for name in self.recording.axes]
        used = slice(detected.release, detected.stop)
        measured = np.asarray(recording.position[used][:, axes], dtype=float)
        # The scatter about smooth flights contains what the tracking does over several samples; the
        # white noise alone would be too small.
        scatter = np.fmax(detected.noise, detected.scatter)[axes]
        noise = (
            np.broadcast_to(scatter, measured.shape)
            if recording.sigma is None
            else recording.sigma[used][:, axes]
        )
        sigma = np.where(np.isfinite(measured) & ~detected.outliers[used][:, None], noise, np.inf)
        return np.asarray(recording.time[used]), measured, sigma
