"""Data and prediction of every observation of a fit, for figures and residual checks."""

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import jax
import numpy as np

import jaxcontact as jc
from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_trial, withdraw_doubted
from calibration.fitting.residual_checks.checks import check_residuals
from calibration.fitting.shown.assumed_noise import assumed_noise
from calibration.fitting.shown.contact_force import force_loops, is_compliant
from calibration.fitting.shown.restitutions import restitutions_of_impacts
from calibration.measurements.base import Abscissa, Measurement
from calibration.problem.problem import Problem
from calibration.problem.residuals import Layout, over_trials
from calibration.problem.trial import Trial
from calibration.problem.trial_batch import TrialData
from calibration.results.assumed_noise import AssumedNoise
from calibration.results.contact_force import ForceLoop
from calibration.results.estimate import Estimate
from calibration.results.fitted_data import FittedRecording, FittedSeries
from calibration.results.impacts import ImpactRestitutions
from calibration.results.outlying import OutlyingTrial
from calibration.results.residual_check import ResidualCheck
from jaxcontact.numerics.compilation import quick_jit


def _predictions_traced(
    layout: Layout,
    batch: int,
    scene: jc.Scene,
    shared: jax.Array,
    local: jax.Array,
    data: TrialData,
) -> tuple[tuple[jax.Array, ...], tuple[jc.Trajectory, ...]]:
    """What each observation of the trials of a batch would measure, and the simulations behind
    it.
    """

    def one(
        own: jax.Array, data: TrialData
    ) -> tuple[tuple[jax.Array, ...], tuple[jc.Trajectory, ...]]:
        trials = layout.batches[batch]
        return trials.predict(
            trials.trial_state(*layout.at_trial(batch, scene, shared, data), own, data), data
        )

    return over_trials(one, local, data, scene=scene)


predictions = quick_jit(_predictions_traced, static_argnames=("layout", "batch"), optimised=False)


class Shown(NamedTuple):
    """One observation of one trial, with what the fit predicts.

    Attributes:
        trial: position of the trial in the problem.
        first: whether this is its first observation.
        measurement: the data.
        measured, predicted, sigma: (n, k); NaN in ``measured`` and ``sigma`` where nothing was
            measured or used.
        times: (n,) of the samples.
        contacts: of the fitted motion.
        nuisance: values of the nuisance quantities of the trial.
    """

    trial: int
    first: bool
    measurement: Measurement
    times: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    sigma: np.ndarray
    contacts: Any
    nuisance: dict[str, Estimate]


def shown(
    problem: Problem, assessment: Assessment, chosen: Callable[[Measurement], bool]
) -> list[Shown]:
    """The measurements that are ``chosen``, in the order of the trials; batches without one are not
    simulated.
    """
    minimum, found = assessment.minimum, {}
    for k, members in enumerate(problem.members):
        first = problem.trials[members[0]]
        picked = (
            [i for i, measurement in enumerate(first.measured) if chosen(measurement)]
            if isinstance(first, Trial)
            else []
        )
        if not picked:
            continue
        with jax.enable_x64(True):
            predicted, motions = predictions(
                problem.layout, k, problem.scene, minimum.shared, minimum.local[k], problem.data[k]
            )
        for i in picked:
            samples = problem.data[k].samples[i]
            for r, member in enumerate(members):
                trial = problem.trials[member]
                assert isinstance(trial, Trial)
                measurement = trial.measured[i]
                count = measurement.samples(problem.detections[member]).times.size
                weight = np.asarray(samples.weight[r][:count])
                used = weight > 0
                found[member, i] = Shown(
                    trial=member,
                    first=i == 0,
                    measurement=measurement,
                    times=np.asarray(samples.times[r][:count]),
                    measured=np.where(used, np.asarray(samples.measured[r][:count]), np.nan),
                    predicted=np.asarray(predicted[i][r])[:count],
                    sigma=np.where(used, 1 / np.where(used, weight, 1.0), np.nan),
                    contacts=jax.tree.map(
                        lambda column, r=r: np.asarray(column[r]), motions[i].contacts
                    ),
                    nuisance=withdraw_doubted(assessment, estimate_trial(assessment, k, r)),
                )
    return [found[key] for key in sorted(found)]


def impact_speeds(problem: Problem, assessment: Assessment) -> list[float]:
    """Speeds along the normal of the impacts of all motions, as fitted [m/s]; none of a motion
    without contacts, such as a spin that decays.
    """
    return [
        float(speed)
        for item in shown(problem, assessment, lambda measurement: True)
        if item.first and item.contacts is not None
        for speed in np.ravel(item.contacts.impact_speed[item.contacts.happened])
    ]


def fitted_recordings(problem: Problem, assessment: Assessment) -> tuple[FittedRecording, ...]:
    """Data and prediction of the positions of each trial."""
    return tuple(
        FittedRecording(
            name=problem.trials[item.trial].name,
            axes=item.measurement.axes,
            time=item.times,
            measured=item.measured,
            predicted=item.predicted,
            sigma=item.sigma,
            bounce_times=item.contacts.touch_down[item.contacts.happened],
            nuisance=item.nuisance,
            remarks=remarks_on(problem, item.trial),
        )
        for item in shown(problem, assessment, lambda measurement: bool(measurement.axes))
    )


def fitted_series(problem: Problem, assessment: Assessment) -> tuple[FittedSeries, ...]:
    """Data and prediction of every observation of every trial that is not of positions."""
    found = []
    for item in shown(problem, assessment, lambda measurement: not measurement.axes):
        trial, measurement = problem.trials[item.trial], item.measurement
        assert isinstance(trial, Trial)
        in_time, offset = measurement.abscissa is Abscissa.TIME, measurement.drawn_from()
        found.append(
            FittedSeries(
                name=trial.name
                if len(trial.measured) == 1 or trial.name == measurement.name
                else f"{trial.name}, {measurement.name}",
                labels=measurement.quantities,
                abscissa=item.times if in_time else np.arange(1.0, item.times.size + 1),
                abscissa_label=measurement.abscissa.value,
                measured=item.measured + offset,
                predicted=item.predicted + offset,
                sigma=item.sigma,
                nuisance=item.nuisance if item.first else {},
                remarks=remarks_on(problem, item.trial),
                contact_times=np.zeros(0)
                if measurement.body is None
                else item.contacts.touch_down[item.contacts.happened],
            )
        )
    return tuple(found)


def remarks_on(problem: Problem, trial: int) -> tuple[str, ...]:
    """What was noticed when the measurements of a trial were read."""
    detected = problem.detections[trial]
    return () if detected is None else detected.remarks


@dataclasses.dataclass(frozen=True, eq=False)
class PredictionsAtMinimum:
    """Data and prediction of every trial of a fit, computed at the first look: the curves cost a
    compilation that many fits never need.

    Attributes:
        problem: what was fitted.
        assessment: its minimum.
        outlying: trials that disagree with the others.
    """

    problem: Problem
    assessment: Assessment
    outlying: tuple[OutlyingTrial, ...] = ()

    @cached_property
    def recordings(self) -> tuple[FittedRecording, ...]:
        """Data and prediction of each recording of positions."""
        return fitted_recordings(self.problem, self.assessment)

    @cached_property
    def series(self) -> tuple[FittedSeries, ...]:
        """Data and prediction of each other measurement."""
        return fitted_series(self.problem, self.assessment)

    @cached_property
    def residual_checks(self) -> tuple[ResidualCheck, ...]:
        """Checks of the residuals."""
        with jax.enable_x64(True):
            return check_residuals(self.problem, self.assessment, self.outlying)

    @cached_property
    def impacts(self) -> ImpactRestitutions | None:
        """Restitution of single impacts."""
        return restitutions_of_impacts(self.problem, self.assessment, self.series)

    @cached_property
    def noise(self) -> tuple[AssumedNoise, ...]:
        """Of each measured quantity."""
        return assumed_noise(self.problem)

    @cached_property
    def force_loops(self) -> tuple[ForceLoop, ...]:
        """Of the slowest and the fastest impact."""
        if not is_compliant(self.problem.scene):
            return ()
        return force_loops(self.assessment, impact_speeds(self.problem, self.assessment))
