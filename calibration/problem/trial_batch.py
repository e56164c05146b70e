"""A batch of trials (the same observations, axes and nuisance quantities), simulated in one
``vmap``.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxcontact as jc
from calibration.measurements.base import Observation
from calibration.model.parameter import Parameter, evaluate_priors, to_values
from calibration.model.samples import Samples
from calibration.model.trial_state import Initial, TrialState, make_trial_state
from calibration.noise.whitening import whiten
from calibration.nuisances import Nuisance
from jaxcontact.parameters import put

MOTION = ("times", "position", "velocity", "spin", "orientation")
"""What a trajectory holds for each time."""


class TrialData(NamedTuple):
    """Arrays of the trials of one kind, with a leading axis of trials: samples of each observation,
    known states, known values.
    """

    samples: tuple[Samples, ...]
    initial: Initial
    values: Any


@dataclasses.dataclass(frozen=True)
class TrialBatch:
    """Structure of trials of one kind. Hashable: part of compiled code.

    Attributes:
        observations: of each trial.
        own: nuisance quantities of each trial.
        paths: of the scene parameters whose known values differ between trials.
        axes: indices of the measured axes.
        method: of simulation.
    """

    observations: tuple[Observation, ...]
    own: tuple[Nuisance, ...]
    paths: tuple[str, ...]
    axes: tuple[int, ...]
    method: Any

    @property
    def trial_parameters(self) -> tuple[Parameter, ...]:
        """Parameters of each trial."""
        return tuple(
            parameter for nuisance in self.own for parameter in nuisance.parameters(self.axes)
        )

    def known(self, scene: jc.Scene, data: TrialData) -> jc.Scene:
        """The scene with the known values of a trial."""
        for path, value in (
            zip(self.paths, jnp.asarray(data.values), strict=True) if self.paths else ()
        ):
            scene = put(scene, path, value)
        return scene

    def trial_state(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> TrialState:
        """The trial at given values of the shared nuisance quantities, and coordinates ``local``
        (L,) of its own.
        """
        trial_state = make_trial_state(scene, data.initial)
        for nuisance, here in shared:
            trial_state = nuisance.apply(trial_state, here, self.axes)
        for nuisance in self.own:
            parameters = nuisance.parameters(self.axes)
            trial_state = nuisance.apply(
                trial_state, jnp.asarray(to_values(parameters, local)), self.axes
            )
            local = local[len(parameters) :]
        return trial_state

    def motions(self, trial_state: TrialState, data: TrialData) -> tuple[jc.Trajectory, ...]:
        """The motion as each observation needs it, from one simulation."""
        asked = [
            observation.times(trial_state, samples)
            for observation, samples in zip(self.observations, data.samples, strict=True)
        ]
        times = jnp.concatenate([trial_state.start[None], *asked])
        simulated = jnp.maximum(times, trial_state.start)
        if len(asked) == 1 and trial_state.camera.exposure is None:
            order = back = jnp.arange(times.size)
        else:
            order = jnp.argsort(jax.lax.stop_gradient(simulated))
            back = jnp.argsort(order)
        turned = (
            trial_state.orientation if isinstance(trial_state.scene.bodies, jc.Clumps) else None
        )
        start = jc.State(trial_state.position, trial_state.velocity, trial_state.spin, turned)
        result = jc.simulate(trial_state.scene, start, simulated[order], method=self.method)
        found, first = [], 1
        for part in asked:
            picked = back[first : first + part.size]
            names = [name for name in MOTION if getattr(result, name) is not None]
            motion = result._replace(**{name: getattr(result, name)[picked] for name in names})
            found.append(continued_back(trial_state, motion, part))
            first += part.size
        return tuple(found)

    def predict(
        self, trial_state: TrialState, data: TrialData
    ) -> tuple[tuple[jax.Array, ...], tuple[jc.Trajectory, ...]]:
        """What each observation would measure, and the motions behind it."""
        motions = self.motions(trial_state, data)
        pieces = zip(self.observations, motions, data.samples, strict=True)
        return tuple(
            observation.predict(trial_state, motion, samples)
            for observation, motion, samples in pieces
        ), motions

    def expected(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> tuple[jax.Array, ...]:
        """What each observation of one trial would measure, without noise."""
        return self.predict(self.trial_state(scene, shared, local, data), data)[0]

    def residual(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> jax.Array:
        """Weighted residuals of one trial: of each observation in turn, then of what is known of
        its own parameters beforehand.
        """
        expected = self.expected(scene, shared, local, data)
        pieces = [
            weighted(values_, samples)
            for values_, samples in zip(expected, data.samples, strict=True)
        ]
        return jnp.concatenate([*pieces, evaluate_priors(self.trial_parameters, local)])

    @staticmethod
    def until(data: TrialData, ends: jax.Array) -> TrialData:
        """The samples of each trial up to its time in ``ends`` (R,)."""
        return data._replace(samples=tuple(_until(samples, ends) for samples in data.samples))


def continued_back(
    trial_state: TrialState, motion: jc.Trajectory, times: jax.Array
) -> jc.Trajectory:
    """The motion at ``times``, before the start as a flight under the acceleration at the start."""
    before = jnp.minimum(times - trial_state.start, 0.0)[:, None]
    acceleration = trial_state.scene.acceleration(trial_state.velocity, trial_state.spin)
    return motion._replace(
        times=times,
        position=motion.position + before * (trial_state.velocity + before / 2 * acceleration),
        velocity=motion.velocity + before * acceleration,
    )


def weighted(predicted: jax.Array, samples: Samples) -> jax.Array:
    """Residuals in standard deviations, made white where the noise is correlated, under their loss,
    as one vector.
    """
    residual = (predicted - samples.measured) * samples.weight
    if samples.whitening is not None:
        residual = whiten(residual, samples.whitening)
    if samples.loss is not None:
        residual = samples.loss.residual(residual)
    return residual.ravel()


def _until(samples: Samples, ends: jax.Array) -> Samples:
    return samples._replace(
        weight=jnp.where(samples.times[..., None] <= ends[:, None, None], samples.weight, 0.0)
    )
