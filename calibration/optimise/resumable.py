"""Fits that continue after a kill: every minimisation in pieces of some iterations, each kept in a
journal.

A fit is a sequence of minimisations (late parameters, rounds of noise), all deterministic. Within
``checkpoint_minima`` each of them is cut into pieces. The next piece begins where the last one
ended, with its trust region, whether the process was killed in between or not. So the numbers of a
resumed fit are those of one that ran through, to the last bit. Those of a fit without a checkpoint
differ within the tolerance of the optimiser.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

import jaxcontact as jc
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.least_squares import FINE, Method, Report, minimise_with_blocks
from calibration.optimise.termination import GAIN
from calibration.problem.residuals import Block, Layout
from calibration.runtime.checkpoint import Checkpoint, Journal, open_journal

PIECE = 20
"""Iterations of Levenberg-Marquardt or dogleg in one piece. First-order methods carry a state that
would be lost: they are one piece.
"""


class _OpenJournal:
    """The journal of minimisations, who is told of each piece, and the number of pieces so far."""

    def __init__(self, journal: Journal, told: Report | None) -> None:
        self.journal, self.told, self.count = journal, told, 0


_OPEN: ContextVar[_OpenJournal | None] = ContextVar("minima that are kept", default=None)


@contextlib.contextmanager
def checkpoint_minima(
    checkpoint: Checkpoint | str | os.PathLike[str] | None,
    *,
    inputs: Mapping[str, Any],
    options: Mapping[str, Any],
    told: Report | None = None,
) -> Iterator[None]:
    """Keep the minimisations inside in a checkpoint, and read those that it already has.

    Args:
        checkpoint: folder, or ``None`` to keep nothing.
        inputs: all that goes into what is done inside, by what it is called in an error message.
        options: all arguments that decide on the numbers.
        told: the iterations of a minimisation so far, and chi-squared, after each piece of it; no
            code is compiled anew for it, as it is for the report of each iteration.

    Raises:
        InputError: a checkpoint of other inputs or options.
    """
    if checkpoint is None:
        yield
        return
    with open_journal(checkpoint, work="fit", inputs=inputs, options=options) as kept:
        token = _OPEN.set(_OpenJournal(kept, told))
        try:
            yield
        finally:
            _OPEN.reset(token)


def minimise_with_checkpoint(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    method: Method,
    steps: int,
    report: Report | None = None,
    tolerance: float = FINE,
) -> tuple[Minimum, tuple[Block, ...]]:
    """As ``minimise_with_blocks``; inside of ``checkpoint_minima`` in pieces that are kept."""
    kept = _OPEN.get()
    minimise = partial(
        minimise_with_blocks, layout, scene, data, method=method, report=report, tolerance=tolerance
    )
    if kept is None:
        return minimise(start, steps=steps)
    piece = min(PIECE, steps) if method in ("levenberg_marquardt", "dogleg") else steps
    like = (
        Minimum(0, start.local, 0, 0),
        (Block(0, 0, 0, 0),) * (len(layout.batches) + bool(layout.priors)),
    )
    iterations, lowest = 0, np.inf
    while True:
        minimum, blocks = kept.journal.remember(
            f"{kept.count}", partial(minimise, start, steps=piece), like=like
        )
        kept.count += 1
        iterations += int(minimum.iterations)
        chi2 = float(sum(np.sum(block.residual**2) for block in blocks))
        if kept.told is not None:
            kept.told(iterations, chi2)
        progress = chi2 < lowest - GAIN * max(
            chi2 / sum(block.residual.size for block in blocks), 1.0
        )
        # Early stages have their own iterations, so pieces are counted by what the last stage may
        # take.
        if minimum.converged or not progress or piece == steps or iterations >= steps:
            return minimum._replace(iterations=np.asarray(iterations)), blocks
        start, lowest = start.from_minimum(minimum)._replace(region=minimum.region), chi2
