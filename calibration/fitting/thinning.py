"""Every k-th sample of long recordings, for the way to a minimum.

A motion that is sampled a hundred thousand times is known after some thousand samples as well as a
search needs it: the minimum of these lies within a few standard errors of all samples from that of
all, and each iteration costs a fraction.
"""

from typing import Any

import jax
import numpy as np

from calibration.measurements.base import Abscissa
from calibration.model.samples import Samples, round_length
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial

MANY = 16_000
"""Rows of a problem from which the way to its minimum is sought with fewer of them."""

KEPT = 4_000
"""About so many rows of all trials together are kept."""

LEAST = 400
"""Rows of one trial that are kept, if there are so many."""


def thin(problem: Problem) -> tuple[Any, ...] | None:
    """The data of a problem with every k-th row of what was sampled of motions; ``None`` where
    there are few rows.

    Impacts, forces and tables keep all of theirs: there, every row counts. So do trials of which
    something else than samples of a motion was measured.

    Args:
        problem: of which data are taken.
    """
    dense = [_is_sampled(problem, members) for members in problem.members]
    rows = sum(
        int(np.prod(np.shape(samples.times)))
        for data, sampled in zip(problem.data, dense, strict=True)
        for samples in data.samples
        if sampled
    )
    if rows < MANY:
        return None
    return tuple(
        data._replace(samples=tuple(_take(samples, rows // KEPT) for samples in data.samples))
        if sampled
        else data
        for data, sampled in zip(problem.data, dense, strict=True)
    )


def _is_sampled(problem: Problem, members: tuple[int, ...]) -> bool:
    """Whether all that was measured of the trials of a batch are samples of a motion."""
    first = problem.trials[members[0]]
    return isinstance(first, Trial) and all(
        item.of_motion and item.abscissa is Abscissa.TIME for item in first.measured
    )


def _take(samples: Samples, stride: int) -> Samples:
    """Every k-th row of each trial: as the stride says, or so that ``LEAST`` of its own are kept,
    also of a short one that is padded to the length of a long one.

    Each stands for those that are left out, so that what is known beforehand keeps its share. A
    robust loss knows deviations one by one, and keeps them; correlation has faded from one kept
    row to the next.
    """
    used = np.any(np.asarray(samples.weight) > 0, axis=-1)
    count = used.shape[1] - np.argmax(used[:, ::-1], axis=1)[:, None]  # without padding
    strides = np.maximum(np.minimum(count // LEAST, stride), 1)
    longest = int(np.max(-(-count // strides)))
    every = np.arange(round_length(longest)) * strides
    rows = np.minimum(every, count - 1)  # what is missing to a shared length repeats the last row
    share = np.where(every < count, np.sqrt(strides) if samples.loss is None else 1.0, 0.0)

    def take(table: Any) -> Any:
        return np.asarray(table)[np.arange(len(rows))[:, None], rows]

    taken = jax.tree.map(take, samples._replace(whitening=None))
    return taken._replace(weight=taken.weight * share[..., None])
