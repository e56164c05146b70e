"""Standardised residuals of a fit, and those that the same fit leaves of white noise.

Residuals are no white noise, even where the errors are: the fit bends towards its data, which
correlates them and makes them small where the leverage is large. So the residuals of a fit are
compared with ``(1 - H) e`` of normal errors e, H the hat matrix of the linearised problem.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from calibration.fitting.assessment import Assessment
from calibration.fitting.linearised import Component, Piece
from calibration.noise.models import StudentT
from calibration.optimise.normal_equations import NormalEquations, compute_leverage
from calibration.problem.problem import Problem
from calibration.problem.table_batch import ImpactData
from calibration.problem.trial import Trial

MOST_DRAWS, FEWEST_DRAWS = 499, 99
"""Draws of white noise, by the size of the problem."""

NUMBERS = 1e7
"""Drawn residuals altogether, about."""

UNSEEN = 0.05
"""Part of an error that must be left in its residual for the residual to tell of it."""


class Series(NamedTuple):
    """Residuals of one measurement of the trials of one batch, the first row measured, the others
    drawn.

    Attributes:
        values: (1 + B, R, n, k), of variance 1.
        used: (R, n, k) whether there is a residual.
        times: (R, n) [s].
        speed: (R, n) of the ball [m/s], NaN where it is not known.
        in_time: whether the rows follow each other in time.
        normal: (k,) whether the noise model expects normal errors, or errors made normal.
    """

    values: np.ndarray
    used: np.ndarray
    times: np.ndarray
    speed: np.ndarray
    in_time: bool
    normal: np.ndarray


def standardise(problem: Problem, assessment: Assessment, *, seed: int = 0) -> list[Series]:
    """The residuals of a fit and of white noise, of each measurement.

    Args:
        problem: that was fitted.
        assessment: of its minimum.
        seed: of the draws.
    """
    linearised = assessment.linearised
    total = max(float(linearised.counts.sum()), 1.0)
    draws = int(np.clip(NUMBERS / total, FEWEST_DRAWS, MOST_DRAWS))
    drawn = draw_residuals(assessment, draws, np.random.default_rng(seed))
    covariance = assessment.formal.shared
    found = []
    for k, (pieces, block, part) in enumerate(
        zip(linearised.batches, linearised.working, linearised.equations.parts, strict=False)
    ):
        left = 1 - compute_leverage(part, block, covariance)
        for i, piece in enumerate(pieces):
            share = piece.rows.take(left)
            used = piece.used & (share > UNSEEN) & ~linearised.computed[piece.component]
            models = [linearised.components[index] for index in piece.component]
            own = np.stack(
                [scores(piece, column, model, assessment) for column, model in enumerate(models)],
                axis=-1,
            )
            together = np.concatenate([own[None], piece.rows.take(drawn[k], axis=2)])
            found.append(
                Series(
                    np.where(used, together / np.sqrt(np.maximum(share, UNSEEN)), 0.0),
                    used,
                    piece.times,
                    speeds(problem, assessment, k, i, piece),
                    bool(assessment.errors[k][i].series),
                    np.asarray([expects_normal(one) for one in models]),
                )
            )
    return scale_by_quantity(found, linearised.batches)


def expects_normal(component: Component) -> bool:
    """Whether a noise model expects normal errors, or errors that can be made normal."""
    return isinstance(component.model, StudentT) or not component.model.robust


def scores(piece: Piece, column: int, component: Component, assessment: Assessment) -> np.ndarray:
    """Residuals (R, n) of one column; those of Student's t as normal scores."""
    deviation = piece.deviation[..., column]
    if not isinstance(component.model, StudentT):
        return deviation if component.model.robust else piece.residual[..., column]
    size = assessment.variance_components.size[piece.component[column]]
    chance = stats.t.cdf(deviation / size, component.model.degrees)
    return np.asarray(stats.norm.ppf(np.clip(chance, 1e-15, 1 - 1e-15)))


def scale_by_quantity(series: list[Series], batches: tuple[tuple[Piece, ...], ...]) -> list[Series]:
    """The residuals over the root of the mean square of their measured quantity, in each row."""
    pieces = [piece for own in batches for piece in own]
    count = 1 + max((int(np.max(piece.component)) for piece in pieces), default=0)
    rows = series[0].values.shape[0] if series else 0
    squares, numbers = np.zeros((rows, count)), np.zeros(count)
    for one, piece in zip(series, pieces, strict=True):
        for column, index in enumerate(piece.component):
            squares[:, index] += np.sum(one.values[..., column] ** 2, axis=(1, 2))
            numbers[index] += np.count_nonzero(one.used[..., column])
    size = np.sqrt(np.where(squares > 0, squares, 1.0) / np.maximum(numbers, 1.0))
    return [
        one._replace(values=one.values / size[:, piece.component][:, None, None, :])
        for one, piece in zip(series, pieces, strict=True)
    ]


def draw_residuals(
    assessment: Assessment, draws: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """What the fit leaves of white noise (B, R, N) of each batch, of the size of each measured
    quantity.
    """
    linearised, equations = assessment.linearised, assessment.equations
    size = assessment.variance_components.size
    noise = []
    for k, block in enumerate(equations.blocks):
        drawn = rng.standard_normal((draws, *np.shape(block.residual)))
        for piece in linearised.batches[k] if k < len(linearised.batches) else ():
            scaled = piece.rows.take(drawn, axis=2) * size[piece.component]
            piece.rows.put(drawn, np.where(piece.used, scaled, 0.0), axis=2)
        noise.append(drawn)
    pull = sum(
        np.einsum("rns,brn->bs", part.projected, drawn)
        for part, drawn in zip(equations.parts, noise, strict=True)
    )
    step = np.asarray(pull) @ assessment.formal.shared
    return [
        leave(equations, k, drawn, step) for k, drawn in enumerate(noise[: len(assessment.data)])
    ]


def leave(equations: NormalEquations, batch: int, drawn: np.ndarray, step: np.ndarray) -> Any:
    """Noise (B, R, N) less what own coordinates and the ``step`` (B, S) of shared ones follow."""
    part, block = equations.parts[batch], equations.blocks[batch]
    own = np.einsum("rlm,rnm,brn->brl", part.inverse, block.by_local, drawn, optimize=True)
    return (
        drawn
        - np.einsum("rnl,brl->brn", block.by_local, own, optimize=True)
        - np.einsum("rns,bs->brn", part.projected, step, optimize=True)
    )


def speeds(
    problem: Problem, assessment: Assessment, batch: int, observation: int, piece: Piece
) -> np.ndarray:
    """Speed (R, n) of the ball at each row [m/s]: of the impact, or from the predicted positions;
    NaN where neither is known.
    """
    data = assessment.data[batch]
    if isinstance(data, ImpactData):
        return np.asarray(data.speed)
    first = problem.trials[problem.members[batch][0]]
    unknown = np.full(piece.times.shape, np.nan)
    if not isinstance(first, Trial) or not first.measured[observation].axes:
        return unknown
    samples = data.samples[observation]
    weight = np.where(piece.used, np.asarray(samples.weight), 1.0)
    predicted = np.asarray(samples.measured) + piece.deviation / weight
    for r, used in enumerate(np.any(piece.used, axis=-1)):
        rows = np.flatnonzero(used)
        if rows.size > 2 and np.all(np.diff(piece.times[r, rows]) > 0):
            velocity = np.gradient(predicted[r, rows], piece.times[r, rows], axis=0)
            whole = piece.used[r, rows].all(axis=-1)
            unknown[r, rows] = np.where(whole, np.linalg.norm(velocity, axis=-1), np.nan)
    return unknown
