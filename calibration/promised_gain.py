"""How far a point is from a minimum, in chi-squared."""

import numpy as np

from calibration.layout import Block
from calibration.least_squares import Start
from calibration.uncertainty import eliminated, information

SMALL = 0.01
"""A gain of a tenth of a standard error: nobody will see it. Where a simulation has tiny jumps, an optimiser cannot come closer."""


def promised_gain(blocks: tuple[Block, ...], start: Start) -> float:
    """Fall of chi-squared that a full Gauss-Newton step in the free coordinates promises, from residuals and Jacobian at a point."""
    free, kept = ~np.asarray(start.frozen), [~np.asarray(frozen) for frozen in start.frozen_local]
    here = tuple(
        Block(block.residual, block.by_shared[..., free], block.by_local[..., kept[i]] if i < len(kept) else block.by_local)
        for i, block in enumerate(blocks)
    )
    score, gain = np.zeros(int(free.sum())), 0.0
    for block in here:
        part, own = eliminated(block), np.einsum("rnl,rn->rl", block.by_local, block.residual)
        gain += float(np.einsum("rl,rlm,rm->", own, part.inverse, own))
        score += np.einsum("rns,rn->s", part.projected, block.residual)
    return gain + float(score @ information(here).shared @ score)
