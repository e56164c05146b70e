"""How far a point is from a minimum, in chi-squared."""

import numpy as np

from calibration.model.parameter import has_transform
from calibration.optimise.box_descent import LARGEST
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.normal_equations import NormalEquations
from calibration.problem.residuals import Block, Layout

SMALL = 0.01
"""A gain of a tenth of a standard error: nobody will see it. Where a simulation has tiny jumps, an
optimiser cannot come closer.
"""


def is_an_end(layout: Layout, minimum: Minimum, blocks: tuple[Block, ...], start: Start) -> bool:
    """Whether a minimum converged, or has so little to gain that nobody would see it."""
    if minimum.converged:
        return True
    finite = all(np.all(np.isfinite(part)) for block in blocks for part in block[:3])
    return finite and predicted_reduction(layout, blocks, start) < SMALL


def predicted_reduction(layout: Layout, blocks: tuple[Block, ...], start: Start) -> float:
    """Fall of chi-squared that a full Gauss-Newton step in the free coordinates promises, from
    residuals and Jacobian at a point.

    Logarithms that the data lost on the way (that of something that is zero) promise nothing: no
    step that they may take is seen.
    """
    equations = NormalEquations.of(start.free_blocks(_without_lost(layout, blocks)))
    gain = 0.0
    for part, block in zip(equations.parts, equations.blocks, strict=True):
        own = np.einsum("rnl,rn->rl", block.by_local, block.residual)
        gain += float(np.einsum("rl,rlm,rm->", own, part.inverse, own))
    score, (covariance, _) = equations.score(), equations.covariance()
    return gain + float(score @ covariance @ score)


def _without_lost(layout: Layout, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks with zeros for each logarithmic or logistic coordinate whose largest step moves
    the data by less than a tenth of a standard error.
    """
    limited = has_transform(layout.global_parameters)
    squares = sum(np.sum(block.by_shared**2, axis=(0, 1)) for block in blocks)
    seen = ~limited | (squares * LARGEST**2 > SMALL)
    found = [block._replace(by_shared=block.by_shared * seen) for block in blocks]
    for g, batch in enumerate(layout.batches):
        own = np.sum(found[g].by_local ** 2, axis=1)
        here = ~has_transform(batch.trial_parameters) | (own * LARGEST**2 > SMALL)
        found[g] = found[g]._replace(by_local=found[g].by_local * here[:, None, :])
    return tuple(found)
