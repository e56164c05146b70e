"""Data and prediction of every observation of a fit, for figures and residual checks."""

from functools import partial
from typing import Any

import jax
import numpy as np

from calibration.judgement import Judgement
from calibration.layout import Layout, over_trials
from calibration.observations.bounce_times import SoundsOfImpacts
from calibration.observations.positions import Positions
from calibration.problem import Problem
from calibration.result import FittedRecording, FittedSeries
from calibration.trials import Trials


@partial(jax.jit, static_argnames=("layout", "kind"))
def predictions(layout: Layout, kind: int, scene: Any, shared: jax.Array, local: jax.Array, data: Any) -> tuple[Any, Any]:
    """What each observation of the trials of a kind would measure, and the simulations behind it."""

    def one(own: jax.Array, data: Any) -> tuple[Any, Any]:
        trials = layout.kinds[kind]
        here, nuisances = layout.at(trials.known(scene, data), shared)
        return trials.predicted(trials.experiment(here, nuisances, own, data), data)

    return over_trials(one, local, data)


def fitted_recordings(problem: Problem, judgement: Judgement) -> tuple[FittedRecording, ...]:
    """Data and prediction of the positions of each trial."""
    minimum, found = judgement.minimum, {}
    for k, (kind, members) in enumerate(zip(problem.layout.kinds, problem.members, strict=True)):
        if not isinstance(kind, Trials):
            continue
        with jax.enable_x64(True):
            predicted, motions = predictions(problem.layout, k, problem.scene, minimum.shared, minimum.local[k], problem.data[k])
        for i, observation in enumerate(kind.observations):
            if isinstance(observation, Positions):
                for r, member in enumerate(members):
                    found[member, i] = fitted_positions(problem, judgement, (k, r, member, i), predicted[i][r], motions[i].contacts)
    return tuple(found[key] for key in sorted(found))


def fitted_positions(problem: Problem, judgement: Judgement, place: tuple[int, ...], predicted: Any, contacts: Any) -> FittedRecording:
    """Data and prediction of one recording; ``place``: kind, trial of that kind, trial, observation."""
    k, r, member, i = place
    samples = problem.data[k].samples[i]
    measurement, reading = problem.trials[member].measured[i], problem.readings[member]
    count = measurement.samples(reading)[0].size
    weight = samples.weight[r][:count]
    used = weight > 0
    return FittedRecording(
        name=problem.trials[member].name,
        axes=measurement.axes,
        time=np.asarray(samples.times[r][:count]),
        measured=np.where(used, samples.measured[r][:count], np.nan),
        predicted=np.asarray(predicted)[:count],
        sigma=np.where(used, 1 / np.where(used, weight, 1.0), np.nan),
        bounce_times=np.asarray(contacts.touch_down[r])[np.asarray(contacts.happened[r])],
        nuisance=judgement.local(k, r),
        remarks=reading.remarks,
    )


def fitted_series(problem: Problem, judgement: Judgement) -> tuple[FittedSeries, ...]:
    """Every observation of every trial that is not of positions."""
    minimum, found = judgement.minimum, {}
    for k, (kind, members) in enumerate(zip(problem.layout.kinds, problem.members, strict=True)):
        observations = kind.observations if isinstance(kind, Trials) else ()
        others = [i for i, observation in enumerate(observations) if not isinstance(observation, Positions)]
        if not others:
            continue
        with jax.enable_x64(True):
            predicted, _ = predictions(problem.layout, k, problem.scene, minimum.shared, minimum.local[k], problem.data[k])
        for i in others:
            for r, member in enumerate(members):
                nuisance = judgement.local(k, r) if i == 0 else {}
                found[member, i] = one_series(problem, kind.observations[i], (k, r, member, i), predicted[i][r], nuisance)
    return tuple(found[key] for key in sorted(found))


def one_series(problem: Problem, observation: Any, place: tuple[int, ...], predicted: Any, nuisance: dict[str, Any]) -> FittedSeries:
    """Data and prediction of one observation; ``place``: kind, trial of that kind, trial, observation."""
    k, r, member, i = place
    samples, trial = problem.data[k].samples[i], problem.trials[member]
    measurement, reading = trial.measured[i], problem.readings[member]
    count = measurement.samples(reading)[0].size
    weight = np.asarray(samples.weight[r][:count])
    used = weight > 0
    counted = isinstance(observation, SoundsOfImpacts)
    return FittedSeries(
        name=trial.name if len(trial.measured) == 1 else f"{trial.name}, {measurement.name}",
        labels=tuple(measurement.quantities),
        abscissa=np.arange(1.0, count + 1) if counted else np.asarray(samples.times[r][:count]),
        abscissa_label="impact" if counted else "time [s]",
        measured=np.where(used, np.asarray(samples.measured[r][:count]), np.nan),
        predicted=np.asarray(predicted)[:count],
        sigma=np.where(used, 1 / np.where(used, weight, 1.0), np.nan),
        nuisance=nuisance,
        remarks=tuple(getattr(reading, "remarks", ())),
    )
