"""Minimising again from a minimum that was found: what profiles, replicates and samplers share."""

from typing import Any

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.least_squares import minimise_with_blocks
from calibration.problem.statuses import all_succeeded, judge_statuses
from calibration.results.intervals import region_threshold

STEPS = 100
"""At most so many iterations of one minimisation."""


def refit(assessment: Assessment, start: Start) -> tuple[Minimum, float]:
    """The minimum from ``start`` of the problem that was judged, and chi-squared there; it counts
    as converged only where its simulations succeeded.
    """
    found, blocks = minimise_with_blocks(
        assessment.layout,
        assessment.scene,
        assessment.data,
        start,
        method="levenberg_marquardt",
        steps=STEPS,
    )
    statuses = judge_statuses(
        assessment.layout, assessment.scene, found.shared, found.local, assessment.data, blocks
    )
    found = found._replace(converged=np.asarray(found.converged & all_succeeded(statuses)))
    return found, sum(float(np.sum(block.residual**2)) for block in blocks)


def position_of(assessment: Assessment, index: int) -> int:
    """Row of the covariance that belongs to the free shared coordinate ``index``."""
    return int(np.flatnonzero(assessment.free).tolist().index(index))


def error_scale_factor(assessment: Assessment, *indices: int) -> float:
    """Factor by which the fit enlarges the formal standard errors of these shared coordinates, for
    misfit and correlated residuals.

    Of several: the root of the ratio of the areas (volumes) of their confidence regions, per
    coordinate.
    """
    rows = [position_of(assessment, index) for index in indices]
    if np.any(assessment.formal.open_shared[rows]):
        return assessment.trial_error_scale_factor
    pick = np.ix_(rows, rows)
    ratio = np.linalg.det(assessment.covariance[pick]) / np.linalg.det(
        assessment.formal.shared[pick]
    )
    return (
        float(ratio ** (1 / (2 * len(rows)))) if ratio > 0 else assessment.trial_error_scale_factor
    )


def threshold(assessment: Assessment, level: float, *indices: int) -> float:
    """Rise of chi-squared, over the square of ``error_scale_factor``, that excludes values of the
    shared coordinates ``indices`` together: ``region_threshold`` with the fewest of the degrees of
    freedom of their variances.
    """
    degrees = min(float(assessment.degrees[position_of(assessment, index)]) for index in indices)
    return region_threshold(level, len(indices), degrees)


def identity(assessment: Assessment) -> dict[str, Any]:
    """What goes into everything after a fit, by the names an error message uses."""
    return {
        "the structure of the problem": assessment.layout,
        "the scene": assessment.scene,
        "the measured data or their weights": assessment.data,
        "the minimum": (
            assessment.minimum.shared,
            assessment.minimum.local,
            assessment.start.frozen,
            assessment.start.frozen_local,
        ),
    }
