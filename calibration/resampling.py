"""Data drawn anew, as they might have been measured if the fit were the truth: for the bootstrap.

Residuals are drawn before the loss and, where the noise model is correlated, after whitening: there they are exchangeable. Each is
enlarged by ``1/sqrt(1 - h)``, ``h`` its leverage: a fit bends towards its data, so residuals are smaller than errors (Davison and Hinkley,
Bootstrap Methods and their Application, 1997, section 6.2).
"""

from typing import Any, NamedTuple

import numpy as np

from calibration.judgement import SERIES, Judgement
from calibration.loss import StudentTLoss
from calibration.uncertainty import eliminated
from calibration.whitening import coloured, whitening

KINDS = ("residual", "moving_block", "trial", "parametric")

LARGEST_LEVERAGE = 0.95
"""A number that the fit follows wherever it goes has no residual to be enlarged."""


class Redrawable(NamedTuple):
    """One observation of the trials of one kind, all arrays (R, n, k).

    Attributes:
        predicted: by the fit.
        weight: 1/standard deviation; 0 where there is no number.
        white: residuals in standard deviations, independent of each other as far as the noise model tells, enlarged for their leverage.
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


def leverages(judgement: Judgement) -> list[np.ndarray]:
    """Leverage of each residual, of each kind (R, N)."""
    found = []
    covariance = judgement.formal.shared
    for block in judgement.parts.working[: len(judgement.data)]:
        part = eliminated(block)
        shared = np.einsum("rns,st,rnt->rn", part.projected, covariance, part.projected)
        found.append(shared + np.einsum("rnl,rlm,rnm->rn", block.by_local, part.inverse, block.by_local))
    return found


def redrawable(judgement: Judgement) -> list[list[Redrawable]]:
    """All observations of all kinds."""
    found = []
    for g, (data, leverage) in enumerate(zip(judgement.data, leverages(judgement), strict=True)):
        observations = []
        for piece, samples, errors in zip(judgement.parts.kinds[g], data.samples, judgement.errors[g], strict=True):
            weight = np.asarray(samples.weight)
            shape = weight.shape
            rows = slice(piece.first, piece.first + shape[1] * shape[2])
            white = np.asarray(judgement.blocks[g].residual[:, rows].reshape(shape))
            if samples.loss is not None:
                white = samples.loss.deviation(white)
            plain = white if samples.whitening is None else coloured(white[..., None], samples.whitening)[..., 0]
            used = weight > 0
            predicted = np.asarray(samples.measured) + np.where(used, plain / np.where(used, weight, 1.0), 0.0)
            larger = 1 / np.sqrt(1 - np.clip(leverage[:, rows].reshape(shape), 0.0, LARGEST_LEVERAGE))
            size, time = judgement.spread.size[piece.component], judgement.spread.time[piece.component]
            series = bool(errors.series) and shape[1] >= SERIES
            observations.append(Redrawable(predicted, weight, white * larger, plain * larger, samples, size, time, series))
        found.append(observations)
    return found


def measured_again(one: Redrawable, errors: np.ndarray) -> np.ndarray:
    """The numbers with other errors (in standard deviations)."""
    used = one.weight > 0
    return np.where(used, one.predicted - errors / np.where(used, one.weight, 1.0), np.asarray(one.samples.measured))


def drawn_residuals(one: Redrawable, rng: np.random.Generator) -> np.ndarray:
    """Errors drawn from the residuals of the same column, with replacement."""
    used = one.weight > 0
    drawn = np.zeros_like(one.white)
    for k in range(drawn.shape[2]):
        pool = one.white[..., k][used[..., k]]
        if pool.size:
            drawn[..., k] = (pool - pool.mean())[rng.integers(pool.size, size=drawn.shape[:2])]
    return drawn if one.samples.whitening is None else coloured(drawn[..., None], one.samples.whitening)[..., 0]


def drawn_blocks(one: Redrawable, rng: np.random.Generator, length: int) -> np.ndarray:
    """Errors as runs of ``length`` residuals that follow each other in one trial, all columns together; a run over the end goes on at
    the beginning (Politis and Romano 1992).
    """
    used = one.weight > 0
    centred = np.where(used, one.plain, 0.0)
    centred = np.where(used, centred - centred.sum(axis=(0, 1)) / np.maximum(used.sum(axis=(0, 1)), 1), 0.0)
    runs = [centred[r][used[r].any(axis=-1)] for r in range(used.shape[0])]
    runs = [run for run in runs if run.shape[0]]
    drawn = np.zeros_like(centred)
    for r in range(used.shape[0]):
        times = np.flatnonzero(used[r].any(axis=-1))
        pieces: list[np.ndarray] = []
        while sum(piece.shape[0] for piece in pieces) < times.size:
            run = runs[rng.integers(len(runs))]
            pieces.append(run[(rng.integers(run.shape[0]) + np.arange(min(length, run.shape[0]))) % run.shape[0]])
        if pieces:
            drawn[r, times] = np.concatenate(pieces)[: times.size]
    return drawn


def drawn_noise(one: Redrawable, rng: np.random.Generator) -> np.ndarray:
    """Errors as the noise model has them: normal or Student's t, of the size and correlation time that the fit found."""
    used = one.weight > 0
    if isinstance(one.samples.loss, StudentTLoss):
        drawn = rng.standard_t(np.asarray(one.samples.loss.degrees), size=used.shape)
    else:
        drawn = rng.standard_normal(used.shape)
    if np.any(one.time > 0):
        drawn = coloured(drawn[..., None], whitening(np.asarray(one.samples.times), one.weight, one.time))[..., 0]
    return drawn * one.size
