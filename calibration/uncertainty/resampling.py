"""Data drawn anew, as they might have been measured if the fit were the truth: for the bootstrap.

Residuals are drawn before the loss and, where the fit found them correlated, after whitening: there
they are exchangeable. Each is enlarged by ``1/sqrt(1 - h)``, ``h`` its leverage: a fit bends
towards its data, so residuals are smaller than errors (Davison and Hinkley, Bootstrap Methods and
their Application, 1997, section 6.2). Where errors are correlated and the fit takes them as
independent, it bends by more than that; there the residuals of generalised least squares, one
linear step away, are those that are whitened.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.noise.loss import StudentTLoss
from calibration.noise.whitening import make_whitening, unwhiten
from calibration.optimise.normal_equations import compute_leverage

KINDS = ("residual", "moving_block", "trial", "parametric")

LARGEST_LEVERAGE = 0.95
"""A number that the fit follows wherever it goes has no residual to be enlarged."""


LOCATION_STEPS = 20
"""Newton steps to the location of residuals under a robust loss."""

FLATTEST = 0.2
"""Smallest mean slope of an influence that such a step relies on."""


class Redrawable(NamedTuple):
    """One observation of the trials of one batch, all arrays (R, n, k).

    Attributes:
        predicted: by the fit.
        weight: 1/standard deviation; 0 where there is no number.
        white: residuals in standard deviations, independent of each other as far as the noise model
            tells, enlarged for their leverage.
        plain: likewise without whitening.
        samples: where they came from.
        size, time: of the errors of each column (k,), in units of the weights and [s].
        series: whether the numbers follow each other in time.
    """

    predicted: np.ndarray
    weight: np.ndarray
    white: np.ndarray
    plain: np.ndarray
    samples: Any
    size: np.ndarray
    time: np.ndarray
    series: bool


def find_leverages(assessment: Assessment) -> list[np.ndarray]:
    """Leverage of each residual, of each batch (R, N)."""
    equations, batches = assessment.equations, len(assessment.data)
    return [
        compute_leverage(part, block, assessment.formal.shared)
        for part, block in zip(equations.parts[:batches], equations.blocks, strict=False)
    ]


def least_squares_residuals(assessment: Assessment) -> list[np.ndarray]:
    """Residuals of generalised least squares of each batch (R, N), white where the fit found them
    correlate, enlarged for leverage.

    One step of the linearised problem from the minimum; where the fit itself weighs so, the step is
    none.
    """
    parts = assessment.linearised
    equations = parts.normal_equations(
        np.ones(len(parts.components)), assessment.variance_components.time
    )
    covariance, _ = equations.covariance()
    step = covariance @ equations.score()
    found = []
    for part, block in zip(equations.parts[: len(assessment.data)], equations.blocks, strict=False):
        own = np.einsum("rlm,rnm,rn->rl", part.inverse, block.by_local, block.residual)
        left = block.residual - part.projected @ step - np.einsum("rnl,rl->rn", block.by_local, own)
        found.append(left * enlarge_for_leverage(compute_leverage(part, block, covariance)))
    return found


def enlarge_for_leverage(taken: np.ndarray) -> np.ndarray:
    """``1/sqrt(1 - h)`` of leverages h."""
    return 1 / np.sqrt(1 - np.clip(taken, 0.0, LARGEST_LEVERAGE))


def prepare_redraws(assessment: Assessment) -> list[list[Redrawable]]:
    """All observations of all batches."""
    found = []
    every = zip(
        assessment.data,
        find_leverages(assessment),
        least_squares_residuals(assessment),
        strict=True,
    )
    for g, (data, taken, independent) in enumerate(every):
        observations = []
        for piece, samples, errors in zip(
            assessment.linearised.batches[g], data.samples, assessment.errors[g], strict=True
        ):
            weight = np.asarray(samples.weight)
            used, larger = weight > 0, enlarge_for_leverage(piece.rows.take(taken))
            # Under a robust loss the residuals of the linearised problem are influences.
            white = (
                piece.deviation * larger
                if samples.loss is not None
                else piece.rows.take(independent)
            )
            size, time = (
                assessment.variance_components.size[piece.component],
                assessment.variance_components.time[piece.component],
            )
            observations.append(
                Redrawable(
                    predicted=np.asarray(samples.measured)
                    + np.where(used, piece.deviation / np.where(used, weight, 1.0), 0.0),
                    weight=weight,
                    white=white,
                    plain=piece.deviation * larger,
                    samples=samples,
                    size=size,
                    time=time,
                    series=bool(errors.series)
                    and weight.shape[1] >= assessment.policy.series_length,
                )
            )
        found.append(observations)
    return found


def add_errors(one: Redrawable, errors: np.ndarray) -> np.ndarray:
    """The numbers with other errors (in standard deviations)."""
    used = one.weight > 0
    return np.where(
        used,
        one.predicted - errors / np.where(used, one.weight, 1.0),
        np.asarray(one.samples.measured),
    )


def draw_residuals(one: Redrawable, rng: np.random.Generator) -> np.ndarray:
    """White errors drawn from the residuals of the same column, with replacement."""
    used, centred = one.weight > 0, one.white - find_location(one, one.white)
    drawn = np.zeros_like(one.white)
    for k in range(drawn.shape[2]):
        pool = centred[..., k][used[..., k]]
        if pool.size:
            drawn[..., k] = pool[rng.integers(pool.size, size=drawn.shape[:2])]
    return drawn


def find_location(one: Redrawable, residuals: np.ndarray) -> np.ndarray:
    """What is subtracted from the residuals of each column (k,), so that the fit finds no location
    in errors drawn from them.

    Their mean; under a robust loss, where ``sum psi(r - c) = 0``: a mean is moved by outliers, the
    fit is not (Shorack 1982).
    """
    used = one.weight > 0
    count = np.maximum(used.sum(axis=(0, 1)), 1)
    if one.samples.loss is None:
        return np.where(used, residuals, 0.0).sum(axis=(0, 1)) / count
    found = np.zeros(used.shape[2])
    for _ in range(LOCATION_STEPS):
        pull, slope = (
            np.where(used, part, 0.0).sum(axis=(0, 1)) / count
            for part in one.samples.loss.influence(residuals - found)
        )
        found = found + pull / np.maximum(slope, FLATTEST)
    return found


def correlate(one: Redrawable, white: Sequence[np.ndarray]) -> np.ndarray:
    """Independent errors of each replicate (B, R, n, k), with the correlation time that the fit
    found.
    """
    if not np.any(one.time > 0):
        return np.stack(white)
    by = make_whitening(np.asarray(one.samples.times), one.weight, one.time)
    return np.moveaxis(unwhiten(np.stack(white, axis=-1), by), -1, 0)


def draw_blocks(one: Redrawable, rng: np.random.Generator, length: int) -> np.ndarray:
    """Errors as runs of ``length`` residuals that follow each other in one trial, all columns
    together; a run over the end goes on at the beginning (Politis and Romano 1992).
    """
    used = one.weight > 0
    centred = np.where(used, one.plain - find_location(one, one.plain), 0.0)
    runs = [centred[r][used[r].any(axis=-1)] for r in range(used.shape[0])]
    runs = [run for run in runs if run.shape[0]]
    drawn = np.zeros_like(centred)
    for r in range(used.shape[0]):
        times = np.flatnonzero(used[r].any(axis=-1))
        pieces: list[np.ndarray] = []
        while sum(piece.shape[0] for piece in pieces) < times.size:
            run = runs[rng.integers(len(runs))]
            pieces.append(
                run[
                    (rng.integers(run.shape[0]) + np.arange(min(length, run.shape[0])))
                    % run.shape[0]
                ]
            )
        if pieces:
            drawn[r, times] = np.concatenate(pieces)[: times.size]
    return drawn


def draw_noise(one: Redrawable, rng: np.random.Generator) -> np.ndarray:
    """White errors as the noise model has them: normal or Student's t, of the size that the fit
    found.
    """
    used = one.weight > 0
    if isinstance(one.samples.loss, StudentTLoss):
        drawn = rng.standard_t(np.asarray(one.samples.loss.degrees), size=used.shape)
    else:
        drawn = rng.standard_normal(used.shape)
    return drawn * one.size
