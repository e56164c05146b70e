"""A batch of trials (the same observations, axes and nuisance quantities), simulated in one
``vmap``.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxcontact as jc
from calibration.measurements.base import Observation
from calibration.measurements.contact_sequence import take_impacts
from calibration.measurements.rules import ask_prediction, ask_times
from calibration.model.knowledge import KnownParameters, inform
from calibration.model.parameter import Parameter, evaluate_priors, to_values
from calibration.model.samples import Samples
from calibration.model.trial_state import Initial, TrialState, make_trial_state
from calibration.noise.whitening import whiten
from calibration.nuisances import Nuisance
from calibration.nuisances.checks import ask_applied
from jaxcontact.parameters import put

A_LITTLE = 0.1
"""Overlap at the start that counts as an error of measurement, in units of the radius."""

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
        by_impact: which observations see impacts only: their row k is impact k, and the time that
            they ask for says only that all have happened.
        knowledge: of parameters beside what they bring, by name.
    """

    simulates = True

    observations: tuple[Observation, ...]
    own: tuple[Nuisance, ...]
    paths: tuple[str, ...]
    axes: tuple[int, ...]
    method: Any
    by_impact: tuple[bool, ...]
    knowledge: KnownParameters = ()

    @property
    def trial_parameters(self) -> tuple[Parameter, ...]:
        """Parameters of each trial."""
        own = (one for nuisance in self.own for one in nuisance.parameters(self.axes))
        return inform(tuple(own), self.knowledge)

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
            trial_state = ask_applied(nuisance, trial_state, here, self.axes)
        rest = to_values(self.trial_parameters, local)
        for nuisance in self.own:
            count = len(nuisance.parameters(self.axes))
            values = jnp.asarray(rest[:count])
            trial_state = ask_applied(nuisance, trial_state, values, self.axes)
            rest = rest[count:]
        return trial_state

    def motions(self, trial_state: TrialState, data: TrialData) -> tuple[jc.Trajectory, ...]:
        """The motion as each observation needs it, from one simulation."""
        asked = [
            ask_times(observation, trial_state, samples)
            for observation, samples in zip(self.observations, data.samples, strict=True)
        ]
        if not any(part.size for part in asked):
            return tuple(_no_motion(trial_state) for _ in asked)
        times = jnp.concatenate([trial_state.start[None], *asked])
        simulated = jnp.maximum(times, trial_state.start)
        camera = trial_state.camera
        if len(asked) == 1 and camera.exposure is None and camera.line_time is None:
            order = back = jnp.arange(times.size)
        else:
            order = jnp.argsort(jax.lax.stop_gradient(simulated))
            back = jnp.argsort(order)
        result = self._simulate(trial_state, simulated[order])
        found, first = [], 1
        for part in asked:
            picked = back[first : first + part.size]
            names = [name for name in MOTION if getattr(result, name) is not None]
            motion = result._replace(**{name: getattr(result, name)[picked] for name in names})
            found.append(continued_back(trial_state, motion, part))
            first += part.size
        return tuple(found)

    def _simulate(self, trial_state: TrialState, times: jax.Array) -> jc.Trajectory:
        """The simulation of a trial at increasing ``times``, the first of which is its start."""
        turned = (
            trial_state.orientation if isinstance(trial_state.scene.bodies, jc.Clumps) else None
        )
        start = jc.State(trial_state.position, trial_state.velocity, trial_state.spin, turned)
        return jc.simulate(trial_state.scene, start, times, method=self.method)

    def status(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> jax.Array:
        """How the simulation of one trial ended (a code of ``jaxcontact.Status``), up to what was
        measured of it: what comes after the last number that is used does not matter.
        """
        if isinstance(self.method, jc.FixedStep):  # has no budget that could be used up
            return jnp.asarray(jc.Status.SUCCESS)
        trial_state = self._begun_on_surface(self.trial_state(scene, shared, local, data))
        seen = self._times_seen(trial_state, data)
        if seen.size == 0:
            return jnp.asarray(jc.Status.SUCCESS)
        last = jnp.maximum(jnp.max(seen), trial_state.start)
        return self._simulate(trial_state, jnp.stack([trial_state.start, last])).status

    def _begun_on_surface(self, trial_state: TrialState) -> TrialState:
        """The trial with a rigid sphere on the plane where it begins a little inside and leaves: so
        errors of measurement have it in a recording that begins at a bounce, and what follows is
        the same flight.
        """
        scene = trial_state.scene
        plane = scene.surfaces[0] if scene.surfaces else None
        rigid = isinstance(self.method, jc.Impulse) and isinstance(scene.bodies, jc.Spheres)
        alone = trial_state.position.ndim == 1
        if not (rigid and alone and isinstance(plane, jc.Plane)):
            return trial_state
        radius, normal = jnp.ravel(jnp.asarray(scene.bodies.radius))[0], plane.unit_normal
        gap = jnp.ravel(plane.gap(trial_state.position, radius))[0]
        leaves = (trial_state.velocity @ normal > 0) & (gap < 0) & (gap > -A_LITTLE * radius)
        return trial_state._replace(
            position=trial_state.position - jnp.where(leaves, gap, 0.0) * normal
        )

    def _times_seen(self, trial_state: TrialState, data: TrialData) -> jax.Array:
        """Times by which the observations have seen the last number of theirs that is used."""
        seen = [jnp.zeros(0)]
        for observation, by_impact, samples in zip(
            self.observations, self.by_impact, data.samples, strict=True
        ):
            used = jnp.any(samples.weight > 0, axis=-1)
            if by_impact:
                late = ask_times(observation, trial_state, samples)
                until = jnp.stack([trial_state.start, jnp.max(late, initial=trial_state.start)])
                impacts = take_impacts(
                    self._simulate(trial_state, until).contacts, samples.times.shape[0]
                )
                row = jnp.maximum(_rows_used(samples) - 1, 0)
                ended = impacts.time[row] + impacts.duration[row]
                seen.append(jnp.where(impacts.happened[row], ended, until[1])[None])
            else:
                last = jnp.max(jnp.where(used, samples.times, samples.times[0]))
                cut = samples._replace(times=jnp.minimum(samples.times, last))
                seen.append(ask_times(observation, trial_state, cut))
        return jnp.concatenate(seen)

    def predict(
        self, trial_state: TrialState, data: TrialData
    ) -> tuple[tuple[jax.Array, ...], tuple[jc.Trajectory, ...]]:
        """What each observation would measure, and the motions behind it."""
        motions = self.motions(trial_state, data)
        pieces = zip(self.observations, motions, data.samples, strict=True)
        return tuple(
            ask_prediction(observation, trial_state, motion, samples)
            for observation, motion, samples in pieces
        ), motions

    def expected_and_status(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> tuple[tuple[jax.Array, ...], jax.Array]:
        """What each observation of one trial would measure, without noise, and how the simulation
        behind it ended.

        That is a success where ``status`` is one, but may also tell of what comes after the last
        number that is used.
        """
        expected, motions = self.predict(self.trial_state(scene, shared, local, data), data)
        return expected, self._status_of(motions, data)

    def residual_and_status(
        self,
        scene: jc.Scene,
        shared: tuple[tuple[Nuisance, Any], ...],
        local: jax.Array,
        data: TrialData,
    ) -> tuple[jax.Array, jax.Array]:
        """Weighted residuals of one trial (of each observation in turn, then of what is known of
        its own parameters beforehand), and how the simulation behind them ended.
        """
        expected, status = self.expected_and_status(scene, shared, local, data)
        pieces = [
            weighted(values_, samples)
            for values_, samples in zip(expected, data.samples, strict=True)
        ]
        return jnp.concatenate([*pieces, evaluate_priors(self.trial_parameters, local)]), status

    def _status_of(self, motions: tuple[jc.Trajectory, ...], data: TrialData) -> jax.Array:
        """The status of the simulation that the fit makes. Where only impacts are seen, a budget
        that reaches to the last of them is enough.
        """
        if not any(motion.times.size for motion in motions):
            return jnp.asarray(jc.Status.SUCCESS)
        status = jax.lax.stop_gradient(motions[0].status)
        contacts = motions[0].contacts
        if contacts is None or not all(self.by_impact):
            return status
        needed = jnp.stack([_rows_used(samples) for samples in data.samples])
        short = (status == jc.Status.TOO_FEW_CONTACTS) | (status == jc.Status.TOO_FEW_STEPS)
        enough = jnp.sum(contacts.happened) >= jnp.max(needed)
        return jnp.where(short & enough, jc.Status.SUCCESS, status)

    @staticmethod
    def until(data: TrialData, ends: jax.Array) -> TrialData:
        """The samples of each trial up to its time in ``ends`` (R,)."""
        return data._replace(samples=tuple(_until(samples, ends) for samples in data.samples))


def _no_motion(trial_state: TrialState) -> jc.Trajectory:
    """A motion of which nobody asks for a time: nothing is simulated."""
    nothing = jnp.zeros((0, *trial_state.position.shape))
    status = jnp.asarray(jc.Status.SUCCESS)
    return jc.Trajectory(jnp.zeros(0), nothing, nothing, nothing, None, status)


def continued_back(
    trial_state: TrialState, motion: jc.Trajectory, times: jax.Array
) -> jc.Trajectory:
    """The motion at ``times``, before the start as a flight under the acceleration at the start."""
    before = jnp.minimum(times - trial_state.start, 0.0)
    before = before.reshape(-1, *(1,) * trial_state.position.ndim)
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


def _rows_used(samples: Samples) -> jax.Array:
    """Number of rows up to the last one that is used."""
    used = jnp.any(samples.weight > 0, axis=-1)
    return jnp.max(jnp.where(used, jnp.arange(1, used.shape[0] + 1), 0), initial=0)


def _until(samples: Samples, ends: jax.Array) -> Samples:
    return samples._replace(
        weight=jnp.where(samples.times[..., None] <= ends[:, None, None], samples.weight, 0.0)
    )
