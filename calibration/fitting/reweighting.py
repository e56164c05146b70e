"""Weights and whitening as the residuals of a fit ask for them, where its noise models leave that
open.
"""

from typing import Any

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.noise.whitening import make_whitening

SETTLED = 1e-4
"""Relative change of a size, or of a correlation with the neighbour, below which noise counts as
found.
"""

ITERATIONS = 300
"""At most so many steps to a robust scale; each is a fixed-point step."""


def reweigh(assessment: Assessment) -> tuple[Any, ...] | None:
    """The data of the problem with the sizes and correlation times that were found; ``None`` where
    they are as assumed.
    """
    linearised, noise = assessment.linearised, assessment.variance_components
    followed = linearised.followed
    size = np.where(followed, noise.size, 1.0)
    least = np.maximum(linearised.finest(), linearised.rounding())
    for i, component in enumerate(linearised.components):
        if component.model.robust and component.model.estimates_size(component.stated):
            size[i] = max(robust_size(assessment, i), least[i])
    time = np.where(followed, noise.time, 0.0)
    data, moved = [], float(np.max(np.abs(size - 1), initial=0.0))
    for own, pieces in zip(assessment.data, linearised.batches, strict=True):
        samples = []
        for part, piece in zip(own.samples, pieces, strict=True):
            new = part._replace(weight=np.asarray(part.weight) / size[piece.component])
            if part.whitening is not None:
                by = make_whitening(
                    np.asarray(part.times), np.asarray(part.weight), time[piece.component]
                )
                moved = max(
                    moved, float(np.max(np.abs(by.correlation - part.whitening.correlation)))
                )
                new = new._replace(whitening=by)
            samples.append(new)
        data.append(own._replace(samples=tuple(samples)))
    return tuple(data) if moved > SETTLED else None


def robust_size(assessment: Assessment, index: int) -> float:
    """The scale of the residuals of a component with a robust loss, relative to its weights.

    Where the sum of ``loss.size`` is the degrees of freedom that are left: maximum likelihood for
    Student's t, Huber's proposal 2.
    """
    linearised = assessment.linearised
    left = max(linearised.counts[index] - linearised.used_up()[index], 1.0)
    pairs = [
        pair
        for own, pieces in zip(assessment.data, linearised.batches, strict=True)
        for pair in zip(own.samples, pieces, strict=True)
    ]
    size = 1.0
    for _ in range(ITERATIONS):
        total = 0.0
        for part, piece in pairs:
            picked = piece.used & (piece.component == index)
            if np.any(picked):
                total += float(
                    np.sum(np.where(picked, part.loss.scale_statistic(piece.deviation / size), 0.0))
                )
        factor = np.sqrt(max(total, 1e-12) / left)
        size *= factor
        if abs(factor - 1) < SETTLED / 10:
            break
    return float(size)
