"""A measurement of one body out of several."""

import dataclasses

import jax

from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.path import Path
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory


@dataclasses.dataclass(frozen=True)
class SeenOfBody(Observation):
    """What an instrument sees of one of several bodies.

    Attributes:
        body: its number in the scene, from 0.
        seen: how the instrument sees a body that is alone.
    """

    body: int
    seen: Observation

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Those of the instrument."""
        return self.seen.times(self._alone(trial_state), samples)

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """What the instrument would show."""
        alone = motion._replace(
            position=motion.position[:, self.body],
            velocity=motion.velocity[:, self.body],
            spin=motion.spin[:, self.body],
            orientation=None if motion.orientation is None else motion.orientation[:, self.body],
        )
        return self.seen.predict(self._alone(trial_state), alone, samples)

    def _alone(self, trial_state: TrialState) -> TrialState:
        return trial_state._replace(
            position=trial_state.position[self.body],
            velocity=trial_state.velocity[self.body],
            spin=trial_state.spin[self.body],
            orientation=trial_state.orientation[self.body],
        )


class OfBody(Measurement):
    """What was measured of one body, in a trial of several: ``Trial(OfBody(0, ...), OfBody(1, ...),
    initial=...)``. All measurements of a motion will do, those of impacts and of forces not: they
    are of a pair.

    Args:
        body: its number in the scene, from 0.
        measured: a ``Recording``, ``Path``, ``Spins``, ``Orientations`` ...
        name: what the measurement is called in tables; by default that of what is measured, with
            the number of the body, which words count from 1.

    Raises:
        InputError: a body that cannot be, or a measurement of impacts or forces.

    Example:
        >>> spins = cal.measurements.Spins([0.0, 0.01], [[0.0, 50.0, 0.0], [0.0, 49.0, 0.0]])
        >>> of_second = cal.measurements.OfBody(1, spins)
        >>> of_second.quantities[1], of_second.name
        ('spin about y [rad/s]', 'spins of body 2')
    """

    body: int

    def __init__(
        self, body: int, measured: Recording | Measurement, *, name: str | None = None
    ) -> None:
        if not isinstance(body, int) or isinstance(body, bool) or body < 0:
            raise InputError(
                f"OfBody: body = {body!r} is no number of a body.", remedy="Give 0, 1, ..."
            )
        alone = Path.of(measured) if isinstance(measured, Recording) else measured
        if not isinstance(alone, Measurement):
            raise InputError(
                f"OfBody: {type(measured).__name__} is not a measurement.",
                remedy="Give a Recording, Path, Spins or Orientations.",
            )
        if alone.body is not None or not alone.of_motion:
            raise InputError(
                f"OfBody: {type(alone).__name__} is not of the motion of one body.",
                remedy="Give a Recording, Path, Spins or Orientations.",
            )
        self.body, self.alone = body, alone
        self.name = f"{alone.name} of body {body + 1}" if name is None else name
        self.path = alone.path
        self.clock, self.noise, self.until_rest = alone.clock, alone.noise, alone.until_rest

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return self.alone.quantities

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.alone.stated

    @property
    def guessed(self) -> bool:
        """As of the measurement of one body."""
        return self.alone.guessed

    @property
    def noise_classes(self) -> tuple[type, ...]:
        """Its own, and those of what is measured."""
        return (type(self), *self.alone.noise_classes)

    @property
    def kind(self) -> str:
        """That of what is measured, and the number of the body, as another may be seen worse."""
        return f"{self.alone.kind} of body {self.body + 1}"

    def observation(self) -> SeenOfBody:
        """How the instrument sees this body."""
        return SeenOfBody(self.body, self.alone.observation())

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """Those of the instrument."""
        return self.alone.samples(detected)
