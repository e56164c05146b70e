"""What a parameter that a fit kept at its start would change if it were free: to first order, from
the derivatives at the minimum, without another fit.

This is Rao's score test, and in structural models the modification index: the fall of chi-squared
that freeing it promises, and where it would go.

Source: Rao, Proc. Cambridge Phil. Soc. 44 (1948) 50-57; Soerbom, Psychometrika 54 (1989) 371-384.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.optimise.coordinates import Start
from calibration.optimise.normal_equations import NormalEquations
from calibration.problem.residuals import Block


class Release(NamedTuple):
    """What freeing parameters promises.

    Attributes:
        drop: fall of chi-squared.
        unknowns: number of coordinates that would be free in addition.
        step: of the coordinate of the first shared one of them, or NaN where there is none.
        sd: its standard error if the weights were the whole truth; infinite where the data do not
            see it.
    """

    drop: float
    unknowns: int
    step: float
    sd: float


def release(start: Start, assessment: Assessment, names: Sequence[str]) -> Start:
    """A start with parameters of these names free in addition.

    Args:
        start: in which they are frozen.
        assessment: of the problem.
        names: of shared parameters, or of those of the trials.
    """
    layout = assessment.layout
    shared = np.asarray([name in names for name in layout.names], dtype=bool)
    own = (
        np.asarray([item.name in names for item in batch.trial_parameters], dtype=bool)
        for batch in layout.batches
    )
    return start._replace(
        frozen=np.asarray(start.frozen) & ~shared,
        frozen_local=tuple(
            np.asarray(frozen) & ~freed
            for frozen, freed in zip(start.frozen_local, own, strict=True)
        ),
    )


def predict_release(assessment: Assessment, names: Sequence[str]) -> Release:
    """What freeing parameters that the fit kept at their start promises, to first order.

    Args:
        assessment: of the fit.
        names: of shared parameters, or of those of the trials.
    """
    wider = release(assessment.start, assessment, names)
    blocks = wider.free_blocks(assessment.blocks)
    explained, covariance, score = _explain(blocks)
    before, _, _ = _explain(assessment.start.free_blocks(assessment.blocks))
    freed = [
        position
        for position, index in enumerate(np.flatnonzero(wider.free))
        if assessment.layout.names[index] in names
    ]
    unknowns = _count_free(wider) - _count_free(assessment.start)
    step, sd = np.nan, np.inf
    if freed and covariance[freed[0], freed[0]] > 0:
        step = -float(covariance[freed[0]] @ score)
        sd = float(np.sqrt(covariance[freed[0], freed[0]]))
    return Release(max(explained - before, 0.0), unknowns, step, sd)


def _explain(blocks: tuple[Block, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """Part of chi-squared that a Newton step of the free coordinates takes away, the covariance of
    the shared ones, and the pull of the residuals at them.
    """
    equations = NormalEquations.of(blocks)
    own = 0.0
    for part, block in zip(equations.parts, equations.blocks, strict=True):
        pull = np.einsum("rnl,rn->rl", block.by_local, block.residual)
        own += float(np.einsum("rl,rlm,rm->", pull, part.inverse, pull))
    score = equations.score()
    covariance, _ = equations.covariance()
    return own + float(score @ covariance @ score), covariance, score


def _count_free(start: Start) -> int:
    """Number of coordinates that may move."""
    own = zip(start.free_local, start.local, strict=True)
    return int(start.free.sum()) + sum(int(free.sum()) * local.shape[0] for free, local in own)
