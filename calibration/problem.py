"""What is fitted: a scene with free parameters, recordings, and the nuisance quantities of the measurement.

A problem is split into a *layout* (names, nuisances, method: hashable, part of compiled code) and *arrays* (samples, weights, scene), so
that problems of the same layout and size share one compilation. Recordings are padded to one length and simulated in one ``vmap``.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.first_guess import Reading, read_bounces
from calibration.nuisance import Experiment, Gravity, LengthScale, Nuisance
from calibration.recording import Recording
from calibration.unknown import Unknown, coordinates, values
from jaxcontact.field import get, nearest, parameters, put

AXES = "xyz"


@dataclasses.dataclass(frozen=True)
class Layout:
    """Structure of a problem.

    Attributes:
        free: unknowns of the scene.
        shared, local: nuisances of all recordings together, and of each by itself.
        axes: indices of the measured axes.
        method: of simulation.
    """

    free: tuple[Unknown, ...]
    shared: tuple[Nuisance, ...]
    local: tuple[Nuisance, ...]
    axes: tuple[int, ...]
    method: Any

    @property
    def shared_unknowns(self) -> tuple[Unknown, ...]:
        """Unknowns of all recordings together: material constants first."""
        return self.free + tuple(unknown for nuisance in self.shared for unknown in nuisance.unknowns(self.axes))

    @property
    def local_unknowns(self) -> tuple[Unknown, ...]:
        """Unknowns of each recording."""
        return tuple(unknown for nuisance in self.local for unknown in nuisance.unknowns(self.axes))

    def experiment(self, scene: jc.Scene, shared: jax.Array, local: jax.Array, times: jax.Array) -> Experiment:
        """The experiment at coordinates ``shared`` (S,) and ``local`` (L,)."""
        for unknown, value in zip(self.free, values(self.free, shared), strict=True):
            scene = put(scene, unknown.name, value)
        zero = jnp.zeros(3)
        experiment = Experiment(scene, zero, zero, zero, times[0], times, jnp.ones(()))
        for nuisances, column in ((self.shared, shared[len(self.free) :]), (self.local, local)):
            for nuisance in nuisances:
                unknowns = nuisance.unknowns(self.axes)
                here = jnp.asarray(values(unknowns, column))
                experiment = nuisance.apply(experiment, here, self.axes)
                column = column[len(unknowns) :]
        return experiment

    def trajectory(self, scene: jc.Scene, shared: jax.Array, local: jax.Array, times: jax.Array) -> tuple[jax.Array, jc.Trajectory]:
        """Predicted positions in recorded units (samples, axes), and the simulation behind them."""
        experiment = self.experiment(scene, shared, local, times)
        start = jc.State(experiment.position, experiment.velocity, experiment.spin)
        all_times = jnp.concatenate([experiment.start[None], experiment.times])
        result = jc.simulate(experiment.scene, start, all_times, method=self.method)
        return result.position[1:, jnp.array(self.axes)] / experiment.scale, result

    def until(self, samples: "Samples", ends: jax.Array) -> "Samples":
        """The samples of each recording up to its time in ``ends`` (R,)."""
        return samples._replace(weight=jnp.where(samples.times[..., None] <= ends[:, None, None], samples.weight, 0.0))

    def residual(self, scene: jc.Scene, shared: jax.Array, local: jax.Array, samples: "Samples") -> jax.Array:
        """Weighted residuals of one recording: of its samples, then of what is known of its own unknowns beforehand."""
        predicted, _ = self.trajectory(scene, shared, local, samples.times)
        pieces = [((predicted - samples.measured) * samples.weight).ravel()]
        for nuisance in self.local:
            count = len(nuisance.unknowns(self.axes))
            pieces.append(nuisance.prior(local[:count]))
            local = local[count:]
        return jnp.concatenate(pieces)


class Samples(NamedTuple):
    """Data of all recordings, padded to one length; weight 1/sigma, or 0 where there is no sample."""

    times: Any
    measured: Any
    weight: Any


def over_recordings(function: Callable[..., Any], *columns: Any) -> Any:
    """``vmap`` of ``function`` over the leading axis; for a single recording the plain call, which can skip what is not needed."""
    if jax.tree.leaves(columns)[0].shape[0] > 1:
        return jax.vmap(function)(*columns)
    only = jax.tree.map(lambda column: column[0], columns)
    return jax.tree.map(lambda value: value[None], function(*only))


@partial(jax.jit, static_argnames="layout")
def residuals(layout: Layout, scene: jc.Scene, shared: jax.Array, local: jax.Array, samples: Samples) -> jax.Array:
    """Weighted residuals, (recordings, samples * axes + priors)."""
    return over_recordings(lambda own, data: layout.residual(scene, shared, own, data), local, samples)


@partial(jax.jit, static_argnames="layout")
def jacobians(
    layout: Layout, scene: jc.Scene, shared: jax.Array, local: jax.Array, samples: Samples
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Residuals with their derivatives by shared (R, N, S) and by each recording's own coordinates (R, N, L), in forward mode."""

    def one(own: jax.Array, data: Samples) -> tuple[jax.Array, jax.Array, jax.Array]:
        def both(shared: jax.Array, own: jax.Array) -> tuple[jax.Array, jax.Array]:
            residual = layout.residual(scene, shared, own, data)
            return residual, residual

        (by_shared, by_local), residual = jax.jacfwd(both, argnums=(0, 1), has_aux=True)(shared, own)
        return residual, by_shared, by_local

    return over_recordings(one, local, samples)


@partial(jax.jit, static_argnames="layout")
def predictions(layout: Layout, scene: jc.Scene, shared: jax.Array, local: jax.Array, times: jax.Array) -> tuple[jax.Array, jc.Trajectory]:
    """Predicted positions of all recordings in recorded units (R, samples, axes), and their simulations."""
    return over_recordings(lambda own, time: layout.trajectory(scene, shared, own, time), local, times)


def free_unknown(scene: jc.Scene, path: str) -> Unknown:
    """The unknown at ``path`` of the scene."""
    known = {name: (value, about) for name, value, about in parameters(scene)}
    if path not in known:
        raise InputError(f"free: {path!r} is not a parameter of the scene.{nearest(path, sorted(known))}")
    value, about = known[path]
    if np.size(value) != 1 or about.shape is not None:
        raise InputError(f"free: {path!r} is a vector; free its components through a nuisance such as Gravity().")
    return Unknown(path, about)


def used_samples(recording: Recording, reading: Reading, axes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times from the first used sample on, positions and standard deviations; outliers have none (infinite deviation)."""
    used = slice(reading.release, reading.stop)
    measured = np.asarray(recording.position[used][:, list(axes)], dtype=float)
    # The scatter about smooth flights contains what the tracking does over several samples; the white noise alone would be too small.
    scatter = np.fmax(reading.noise, reading.scatter)[list(axes)]
    noise = np.broadcast_to(scatter, measured.shape) if recording.sigma is None else recording.sigma[used][:, list(axes)]
    sigma = np.where(np.isfinite(measured) & ~reading.outliers[used][:, None], noise, np.inf)
    return np.asarray(recording.time[used]), measured, sigma


class Problem:
    """A fit to be made.

    Args:
        scene: with starting values of the free parameters, and the true values of all others.
        recordings: trajectories.
        free: paths of the parameters to be found, e.g. ``"contact.normal.restitution"``.
        nuisance: quantities of the measurement to be found, e.g. ``[InitialState(), SurfaceHeight(), LengthScale()]``.
        method: of simulation; default ``jaxcontact.Impulse`` with a budget of contacts from the recordings.
        readings: automatic readings of the recordings, when they were already made.
        frozen: names of free parameters that stay at their start; what their first step would be is known after the fit.

    Raises:
        InputError: a recording without a bounce, a path that does not exist, nuisances that exclude each other.
    """

    def __init__(
        self,
        scene: jc.Scene,
        recordings: Sequence[Recording],
        *,
        free: Sequence[str],
        nuisance: Sequence[Nuisance],
        method: Any = None,
        readings: Sequence[Reading] | None = None,
        frozen: Sequence[str] = (),
    ) -> None:
        if not recordings:
            raise InputError("There is no recording to fit.", remedy="Give at least one file.")
        kinds = {type(item) for item in nuisance}
        if {LengthScale, Gravity} <= kinds:
            raise InputError("nuisance: LengthScale and Gravity have the same effect on a recording.", remedy="Keep one of them.")
        radius = float(np.asarray(scene.bodies.radius))
        if readings is None:
            readings = [read_bounces(recording, radius=radius, gravity=_down(scene)) for recording in recordings]
        for recording, reading in zip(recordings, readings, strict=True):
            if not reading.bounces:
                raise InputError(
                    "There is no bounce in this recording.",
                    path=recording.path,
                    remedy="Give a recording that shows the ball before and after at least one impact, or check --vertical and --radius.",
                )
        measured = {recording.axes for recording in recordings}
        if len(measured) > 1:
            raise InputError(
                f"The recordings measure different axes: {', '.join(sorted('/'.join(axes) for axes in measured))}.",
                remedy="Fit them one kind at a time.",
            )
        axes = tuple(AXES.index(name) for name in measured.pop())
        if method is None:
            budget = max(len(reading.bounces) for reading in readings) + 2
            method = jc.Impulse(max_contacts=budget, rest_steps=1, skip_unused=False)
        self.scene, self.recordings, self.readings, self.frozen = scene, tuple(recordings), tuple(readings), tuple(frozen)
        self.layout = Layout(
            free=tuple(free_unknown(scene, path) for path in free),
            shared=tuple(item for item in nuisance if item.shared),
            local=tuple(item for item in nuisance if not item.shared),
            axes=axes,
            method=method,
        )
        parts = [used_samples(recording, reading, axes) for recording, reading in zip(recordings, readings, strict=True)]
        self.samples = _padded(parts)

    @property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of the first guess, shared (S,) and local (R, L)."""
        layout, scene = self.layout, self.scene
        free = coordinates(layout.free, [get(scene, unknown.name) for unknown in layout.free])

        def guess(nuisances: tuple[Nuisance, ...], reading: Reading) -> np.ndarray:
            return np.concatenate(
                [
                    np.zeros(0),
                    *(coordinates(item.unknowns(layout.axes), item.start(reading, scene, layout.axes)) for item in nuisances),
                ]
            )

        shared = np.concatenate([free, guess(layout.shared, self.readings[0])])
        return shared, np.stack([guess(layout.local, reading) for reading in self.readings])

    @property
    def stages(self) -> np.ndarray:
        """Ends of the samples to be fitted first (stages, recordings), after two bounces, four bounces, and all."""
        ends = [[_after_bounce(reading, count) for reading in self.readings] for count in (2, 4)]
        return np.asarray([*(row for row in ends if np.any(np.isfinite(row))), [np.inf] * len(self.readings)])

    @property
    def observations(self) -> int:
        """Number of measured numbers that are used."""
        return int(np.count_nonzero(np.asarray(self.samples.weight)))


def _after_bounce(reading: Reading, count: int) -> float:
    """The middle of the flight after bounce ``count``; infinite when there is no later bounce."""
    times = [bounce.time for bounce in reading.bounces]
    return (times[count - 1] + times[count]) / 2 if len(times) > count else np.inf


def _down(scene: jc.Scene) -> float:
    return float(np.linalg.norm(np.asarray(scene.gravity, dtype=float)))


def _padded(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Samples:
    """Stack recordings of different length: times repeat the last one, weights are zero."""
    longest = max(time.size for time, _, _ in parts)
    # A round number of samples lets data sets of similar size share compiled code.
    size = int(np.ceil(longest / 32) * 32)
    times, measured, weights = [], [], []
    for time, values_, sigma in parts:
        extra = size - time.size
        times.append(np.concatenate([time, np.full(extra, time[-1])]))
        measured.append(np.concatenate([np.nan_to_num(values_), np.zeros((extra, values_.shape[1]))]))
        weights.append(np.concatenate([1 / sigma, np.zeros((extra, values_.shape[1]))]))
    return Samples(*(np.stack(column) for column in (times, measured, weights)))
