"""Positions of the centre of a sphere on the pictures of a camera."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.exposure import average_over_exposure
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, Trajectory

AXES = "xyz"
UP = 2
"""Index of the vertical axis."""


@dataclasses.dataclass(frozen=True)
class Positions(Observation):
    """The centre of the body at the time of each picture, in recorded units.

    Attributes:
        axes: indices of the measured axes.
        clock: of the camera.
    """

    axes: tuple[int, ...]
    clock: str = CAMERA

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Of the pictures: their middles, or the begin and the end of each exposure. A rolling
        shutter reads each point when its own line comes, so far below ``z = 0`` as it was seen.
        """
        middle = trial_state.trial_time(self.clock, samples.times)
        if trial_state.camera.line_time is not None and UP in self.axes:
            column = self.axes.index(UP)
            seen = samples.weight[:, column] > 0
            height = jnp.where(seen, samples.measured[:, column], 0.0)
            middle = middle - trial_state.camera.line_time * height
        if trial_state.camera.exposure is None:
            return middle
        half = trial_state.camera.exposure / 2
        return jnp.concatenate([middle - half, middle + half])

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Positions (n, axes)."""
        position = (
            motion.position
            if trial_state.camera.exposure is None
            else average_over_exposure(trial_state, motion)
        )
        picture = trial_state.camera.project(position, trial_state.scale)
        if trial_state.camera.drift is not None:
            since = trial_state.trial_time(self.clock, samples.times) - trial_state.start
            picture = picture + since[:, None] * trial_state.camera.drift
        return picture[:, jnp.array(self.axes)]


class TrackedPositions(Measurement):
    """A recording as a measurement of positions. ``Trial(recording)`` makes one by itself.

    Args:
        recording: of the centre of a sphere.
        detected: its bounces, where they were detected already.
        clock: of the camera, where there are several instruments.

    Example:
        >>> time = np.arange(120) / 240
        >>> phase = (time + 0.1) % 0.3
        >>> height = 0.02 + 9.81 / 2 * phase * (0.3 - phase)
        >>> position = np.stack([0 * time, np.full(120, np.nan), height], axis=1)
        >>> film = cal.Recording(name="film", time=time, position=position)
        >>> tracked = cal.measurements.TrackedPositions(film)
        >>> tracked.axes
        ('x', 'z')
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> [round(bounce.time, 3) for bounce in tracked.detect(scene).bounces]
        [0.2]
    """

    clock: str

    def __init__(
        self,
        recording: Recording,
        detected: DetectedBounces | None = None,
        clock: str = CAMERA,
    ) -> None:
        self.recording, self.detected, self.clock = recording, detected, clock
        self.name, self.path = recording.name, recording.path

    @property
    def axes(self) -> tuple[str, ...]:
        """The measured axes."""
        return self.recording.axes

    @property
    def quantities(self) -> tuple[str, ...]:
        """The measured axes."""
        return self.recording.axes

    @property
    def stated(self) -> bool:
        """Whether the standard deviations came with the recording; else they are guessed from its
        scatter.
        """
        return self.recording.sigma is not None

    @property
    def noise_classes(self) -> tuple[type, ...]:
        """Its own class, and that of the recording."""
        return (type(self), type(self.recording))

    def detect(self, scene: Scene) -> DetectedBounces:
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

    def given(self, detected: Detection | None = None) -> np.ndarray:
        """Positions along each axis, those before the release and outliers included."""
        axes = [AXES.index(name) for name in self.recording.axes]
        return np.isfinite(self.recording.position[:, axes]).sum(axis=0)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """From the first used sample on; outliers have an infinite deviation.

        Raises:
            ValueError: without the bounces of this recording.
        """
        if not isinstance(detected, DetectedBounces):
            raise ValueError("TrackedPositions: samples needs what detect(scene) returns.")
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
        return MeasuredSamples(np.asarray(recording.time[used]), measured, sigma)
