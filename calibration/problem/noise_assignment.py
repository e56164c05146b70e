"""Which errors are assumed of each measurement of a trial, and what this makes of its samples."""

import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from calibration.io.impact_table import ImpactTable
from calibration.measurements.base import Abscissa, Measurement
from calibration.model.samples import Samples
from calibration.noise.models import Errors, Noise, NoiseModel, select_noise_model
from calibration.noise.whitening import make_whitening
from calibration.problem.found_noise import noise_about_flights
from calibration.problem.table_batch import ImpactData, TableBatch
from calibration.problem.trial import Trial
from calibration.problem.trial_batch import TrialData

Data = TypeVar("Data", TrialData, ImpactData)


def list_noise_classes(trials: Sequence[Trial | ImpactTable]) -> tuple[type, ...]:
    """All classes under which a table of noise models can name what was measured."""
    classes: list[type] = []
    for trial in trials:
        if isinstance(trial, ImpactTable):
            classes.append(type(trial))
        else:
            classes.extend(cls for item in trial.measured for cls in item.noise_classes)
    return tuple(dict.fromkeys(classes))


def assign_errors(trial: Trial | ImpactTable, noise: Noise) -> tuple[Errors, ...]:
    """The errors of each measurement of a trial, or of an impact table; ``noise`` as given to the
    problem.
    """
    if isinstance(trial, ImpactTable):
        quantities = TableBatch.of(trial).quantities
        model = select_noise_model(noise, (type(trial),))
        return (
            Errors(
                model,
                quantities,
                stated := tuple(name in trial.sigma for name in quantities),
                series=False,
                guessed=not all(stated),
            ),
        )
    return tuple(
        _errors(item, select_noise_model(noise, item.noise_classes, item.noise))
        for item in trial.measured
    )


def _errors(measurement: Measurement, model: NoiseModel) -> Errors:
    return Errors(
        model,
        tuple(f"{quantity} ({measurement.kind})" for quantity in measurement.quantities),
        (measurement.stated,) * len(measurement.quantities),
        series=measurement.abscissa is Abscissa.TIME,
        guessed=measurement.guessed,
    )


def with_found_noise(errors: tuple[Errors, ...], detections: Sequence[Any]) -> tuple[Errors, ...]:
    """The errors of the trials of one kind, with what the flights of their recordings say of noise
    that nobody stated.

    Args:
        errors: of each measurement.
        detections: what was detected in each trial.
    """
    found = noise_about_flights(detections)

    def of(about: Errors) -> Errors:
        open_ = about.series and not (about.guessed or any(about.stated))
        return dataclasses.replace(about, found=found) if open_ else about

    return tuple(map(of, errors))


def with_noise(data: Data, errors: tuple[Errors, ...]) -> Data:
    """The data of the trials of one kind with the losses of their noise models, and whitening where
    the correlation time is known.
    """
    return data._replace(
        samples=tuple(_noisy(own, about) for own, about in zip(data.samples, errors, strict=True))
    )


def _noisy(samples: Samples, errors: Errors) -> Samples:
    model = errors.model
    samples = samples._replace(loss=model.make_loss(np.shape(samples.weight)))
    if not (model.correlated and errors.series):
        return samples
    # An unknown time starts as zero, in arrays of the same structure: later rounds of the fit use
    # the same compiled code.
    return samples._replace(
        whitening=make_whitening(
            np.asarray(samples.times), np.asarray(samples.weight), model.time or 0.0
        )
    )
