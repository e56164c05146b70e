"""What a fit assumed of the errors of each measurement, and how many numbers it used."""

import inspect

import numpy as np

from calibration.io.impact_table import ImpactTable
from calibration.model.samples import ROUNDING, Samples, finest_deviation
from calibration.noise.models import Errors, NoiseModel
from calibration.problem.problem import Problem
from calibration.problem.table_batch import QUANTITIES, count_from_zero
from calibration.results.assumed_noise import AssumedNoise


def assumed_noise(problem: Problem) -> tuple[AssumedNoise, ...]:
    """The noise of each measured quantity of each batch of trials, with the standard deviations
    that were used in the end.
    """
    found: list[AssumedNoise] = []
    for members, data, errors in zip(problem.members, problem.data, problem.errors, strict=True):
        for i, (samples, about) in enumerate(zip(data.samples, errors, strict=True)):
            weight = np.asarray(samples.weight)
            each = [_given(problem, member, i, about.quantities) for member in members]
            given = np.sum(each, axis=0)
            for k, name in enumerate(about.quantities):
                used = weight[..., k][weight[..., k] > 0]
                found.append(
                    AssumedNoise(
                        quantity=_label(problem, members[0], i, name),
                        model=type(about.model).__name__,
                        about=summary(about.model),
                        origin=_origin(about, samples, k, from_zero=count_from_zero(data)),
                        sigma=(float(np.min(1 / used)), float(np.max(1 / used)))
                        if used.size
                        else (np.nan, np.nan),
                        used=int(used.size),
                        given=int(given[k]),
                    )
                )
    return tuple(found)


def _label(problem: Problem, member: int, i: int, name: str) -> str:
    """With its unit: the names of positions are those of their axes."""
    trial = problem.trials[member]
    if isinstance(trial, ImpactTable):
        return QUANTITIES[name]
    return f"{name} [m]" if trial.measured[i].axes else name


def summary(model: NoiseModel) -> str:
    """The first paragraph of the docstring of a noise model: what it assumes."""
    text = inspect.getdoc(type(model)) or type(model).__name__
    return " ".join(text.partition("\n\n")[0].split())


def _origin(errors: Errors, samples: Samples, column: int, *, from_zero: bool) -> str:
    if errors.stated[column]:
        return "stated"
    weight = np.asarray(samples.weight)
    finest = finest_deviation(np.asarray(samples.measured), weight > 0, from_zero=from_zero)
    parts = (finest * weight)[..., column]
    if np.all(parts[parts > 0] > 1 - ROUNDING):
        return "finest"
    return "guessed" if errors.guessed else "found"


def _given(problem: Problem, member: int, i: int, quantities: tuple[str, ...]) -> np.ndarray:
    """How many numbers of each quantity (k,) were measured, used or not."""
    trial = problem.trials[member]
    if isinstance(trial, ImpactTable):
        return np.array([np.isfinite(getattr(trial, name)).sum() for name in quantities])
    return np.asarray(trial.measured[i].given(problem.detections[member]))
