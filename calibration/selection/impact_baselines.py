"""Predictions of impacts that were left out of a fit: by laws with few parameters, and by curves
that know no mechanics (a mean, a polynomial, a Gaussian process).

A law that is worse than the curves lacks something; one that is as good has nothing left to learn
from this table, and goes on where there are no data.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Annotated

import jax
import numpy as np

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.io.impact_table import ImpactTable
from calibration.optimise.batched import minimise_each
from calibration.problem.problem import Problem
from calibration.problem.table_batch import ImpactData, TableBatch
from calibration.selection.cross_validation import (
    ROW_FOLDS,
    CrossValidation,
    mask_data,
    stack_data,
)
from calibration.uncertainty.gaussian_process import GaussianProcess

LEAST = 20
"""Impacts from which on curves are worth a comparison."""

Predictor = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From inputs (n, 3) and one output (n,) of impacts, what it is at other inputs (m, 3)."""


@dataclasses.dataclass(frozen=True)
class LeftOutErrors:
    """Errors of predictions of impacts that were left out.

    Attributes:
        quantities: what is predicted, as in ``ImpactTable``.
        errors: by name of a law or curve, root mean square error of each, in its unit.
        impacts: how many were predicted.

    Example:
        >>> found = LeftOutErrors(("spin_after",), {"mean": (20.0,), "polynomial": (5.0,)}, 40)
        >>> print(found)
        Root mean square error of 40 impacts, each left out in turn (5 parts)
          law or curve  spin_after
          mean                  20
          polynomial             5
    """

    quantities: tuple[str, ...]
    errors: Mapping[str, tuple[float, ...]]
    impacts: int

    def __str__(self) -> str:
        rows = [["law or curve", *self.quantities]]
        rows += [[name, *(f"{one:.3g}" for one in errors)] for name, errors in self.errors.items()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [
            "  ".join(
                [f"  {row[0]:<{widths[0]}}"]
                + [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
            )
            for row in rows
        ]
        title = (
            f"Root mean square error of {self.impacts} impacts, each left out in turn "
            f"({ROW_FOLDS} parts)"
        )
        return "\n".join([title, *lines])


def predict_left_out(
    problems: Mapping[str, Problem], assessments: Mapping[str, Assessment]
) -> LeftOutErrors:
    """How well laws and curves predict every fifth impact from the others.

    Args:
        problems: one table of impacts each, the same in all.
        assessments: their minima, by the same names.

    Raises:
        InputError: no table, several of them, or too few impacts.
    """
    first = next(iter(problems.values()))
    table = first.trials[0]
    if not is_table_to_predict(problems) or not isinstance(table, ImpactTable):
        raise InputError(
            f"curves are compared with laws on one table of {LEAST} impacts or more",
            remedy="Merge the tables (calibration.merge_tables), or compare without it.",
        )
    batch = first.layout.batches[0]
    columns = {name: np.asarray(getattr(table, name), dtype=float) for name in batch.quantities}
    part = np.arange(len(table)) % ROW_FOLDS
    errors = {
        name: _errors(columns, _by_law(problem, assessments[name]))
        for name, problem in problems.items()
    }
    inputs = inputs_of(table)
    for name, predict in (
        ("mean", predict_mean),
        ("polynomial", predict_polynomial),
        ("Gaussian process", predict_gaussian_process),
    ):
        predicted = {key: by_curve(predict, inputs, own, part) for key, own in columns.items()}
        errors[name] = _errors(columns, predicted)
    return LeftOutErrors(tuple(columns), errors, len(table))


def is_table_to_predict(problems: Mapping[str, Problem]) -> bool:
    """Whether problems are of one table of impacts that is long enough for curves.

    Args:
        problems: on the same data.
    """
    trials = next(iter(problems.values())).trials
    return len(trials) == 1 and isinstance(trials[0], ImpactTable) and len(trials[0]) >= LEAST


def inputs_of(table: ImpactTable) -> Annotated[np.ndarray, "impacts 3"]:
    """Normal and tangential velocity [m/s] and spin [rad/s] before each impact.

    Args:
        table: of impacts.
    """
    radians = np.radians(table.impact_angle)
    speed = np.nan_to_num(table.impact_speed, nan=1.0)
    return np.column_stack([speed * np.cos(radians), speed * np.sin(radians), table.spin_before])


def _errors(
    measured: Mapping[str, np.ndarray], predicted: Mapping[str, np.ndarray]
) -> tuple[float, ...]:
    """Root mean square difference of each column, over the impacts that have it."""
    return tuple(
        float(np.sqrt(np.nanmean((predicted[name] - own) ** 2))) for name, own in measured.items()
    )


def _by_law(problem: Problem, assessment: Assessment) -> dict[str, np.ndarray]:
    """Predictions of all impacts, each by the fit to the parts that it is not in."""
    folds = CrossValidation("rows", trials=1).folds(problem)
    start = assessment.start.from_minimum(assessment.minimum)
    training = stack_data([mask_data(problem.data, fold, keep=True) for fold in folds])
    minima = minimise_each(problem.layout, problem.scene, training, start, each=(True, False))[0]
    batch, data = problem.layout.batches[0], problem.data[0]
    assert isinstance(batch, TableBatch)
    one: ImpactData = jax.tree.map(lambda array: np.asarray(array)[0], data)
    found = np.full((one.speed.size, len(batch.quantities)), np.nan)
    for k, shared in enumerate(np.asarray(minima.shared)):
        scene = problem.layout.at(problem.scene, shared)[0]
        rows = np.arange(len(found)) % ROW_FOLDS == k
        found[rows] = np.asarray(batch.predict(scene, one))[rows]
    return {name: found[:, k] for k, name in enumerate(batch.quantities)}


# Curves


def by_curve(
    predict: Predictor, inputs: np.ndarray, output: np.ndarray, part: np.ndarray
) -> Annotated[np.ndarray, "impacts"]:
    """Predictions of all impacts, each from the parts that it is not in.

    Args:
        predict: a curve.
        inputs: (n, k) before the impacts.
        output: (n,) after them, NaN where not measured.
        part: (n,) in which each impact is.
    """
    found = np.full(output.shape, np.nan)
    for k in np.unique(part):
        known = (part != k) & np.isfinite(output)
        found[part == k] = predict(inputs[known], output[known], inputs[part == k])
    return found


def predict_mean(inputs: np.ndarray, output: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The mean of the output, whatever went in."""
    return np.full(len(at), np.mean(output))


def predict_polynomial(inputs: np.ndarray, output: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The polynomial of second degree in all inputs, by least squares."""
    scale = np.maximum(np.std(inputs, axis=0), 1e-12)

    def terms(values: np.ndarray) -> np.ndarray:
        z = (values - np.mean(inputs, axis=0)) / scale
        pairs = [z[:, i] * z[:, j] for i in range(z.shape[1]) for j in range(i + 1)]
        return np.column_stack([np.ones(len(z)), z, *pairs])

    return np.asarray(terms(at) @ np.linalg.lstsq(terms(inputs), output, rcond=None)[0])


def predict_gaussian_process(inputs: np.ndarray, output: np.ndarray, at: np.ndarray) -> np.ndarray:
    """A Gaussian process about a plane, with a length of its own for each input."""
    return GaussianProcess.of(inputs, output).predict(at)[0]
