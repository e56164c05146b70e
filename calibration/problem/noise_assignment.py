"""Which errors are assumed of each measurement of a trial, and what this makes of its samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.io.impact_table import ImpactTable
from calibration.model.samples import Samples
from calibration.noise.models import Correlated, Errors, NoiseModel, select_noise_model
from calibration.noise.whitening import make_whitening
from calibration.problem.table_batch import TableBatch


def classes_of(measurement: Any) -> tuple[type, ...]:
    """Classes under which a person knows a measurement: its own, and that of the recording in
    it.
    """
    recording = getattr(measurement, "recording", None)
    return (type(measurement),) if recording is None else (type(measurement), type(recording))


def measured_classes(trials: Sequence[Any]) -> tuple[type, ...]:
    """All of them, of trials and impact tables."""
    items = [
        item
        for trial in trials
        for item in ((trial,) if isinstance(trial, ImpactTable) else trial.measured)
    ]
    return tuple(dict.fromkeys(cls for item in items for cls in classes_of(item)))


def errors_of(trial: Any, noise: Any) -> tuple[Errors, ...]:
    """The errors of each measurement of a trial, or of an impact table; ``noise`` as given to the
    problem.
    """
    if isinstance(trial, ImpactTable):
        quantities = TableBatch.of(trial).quantities
        model = select_noise_model(noise, classes_of(trial))
        return (
            Errors(
                model, quantities, tuple(name in trial.sigma for name in quantities), series=False
            ),
        )
    return tuple(
        _errors(item, select_noise_model(noise, classes_of(item), getattr(item, "noise", None)))
        for item in trial.measured
    )


def _errors(measurement: Any, model: NoiseModel) -> Errors:
    name = type(measurement.observation()).__name__
    columns = tuple(getattr(measurement, "quantities", ())) or measurement.axes or ("",)
    stated = bool(getattr(measurement, "stated", True))
    series = bool(getattr(measurement.observation(), "series", True))
    return Errors(
        model,
        tuple(f"{name} {column}".strip() for column in columns),
        (stated,) * len(columns),
        series,
    )


def with_noise(data: Any, errors: tuple[Errors, ...]) -> Any:
    """The data of the trials of one kind with the losses of their noise models, and whitening where
    the correlation time is known.
    """
    return data._replace(
        samples=tuple(_noisy(own, about) for own, about in zip(data.samples, errors, strict=True))
    )


def _noisy(samples: Samples, errors: Errors) -> Samples:
    model = errors.model
    samples = samples._replace(loss=model.make_loss(np.shape(samples.weight)))
    if not (isinstance(model, Correlated) and errors.series):
        return samples
    # An unknown time starts as zero, in arrays of the same structure: later rounds of the fit use
    # the same compiled code.
    return samples._replace(
        whitening=make_whitening(
            np.asarray(samples.times), np.asarray(samples.weight), model.time or 0.0
        )
    )
