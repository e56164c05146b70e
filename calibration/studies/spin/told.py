"""What the motion alone tells of the spin, beside what was measured."""

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_trial
from calibration.measurements.spins import AXES, SpinComponents
from calibration.problem.problem import Problem


def without_spins(problem: Problem) -> Problem:
    """The same problem with the measured spins left out: they have no weight.

    Args:
        problem: with or without measured spins.
    """
    data = []
    for own, batch in zip(problem.data, problem.layout.batches, strict=True):
        samples = tuple(
            part._replace(weight=np.zeros_like(part.weight))
            if isinstance(observation, SpinComponents)
            else part
            for part, observation in zip(own.samples, batch.observations, strict=True)
        )
        data.append(own._replace(samples=samples))
    return problem.with_data(tuple(data))


def compare_spins(problem: Problem, alone: Assessment) -> tuple[float, float]:
    """Spins in the first flights as the motion tells them, over those that were measured, and the
    standard error of that factor; (nan, inf) where nothing was told.

    Args:
        problem: with the measured spins.
        alone: minimum of ``without_spins`` of it.
    """
    told, read, weight = [], [], []
    for g, (batch, start) in enumerate(zip(problem.layout.batches, problem.start[1], strict=True)):
        names = [item.name for item in batch.trial_parameters]
        measured = [item for item in batch.observations if isinstance(item, SpinComponents)]
        spins = [f"spin_{AXES[axis]}" for item in measured for axis in item.components]
        for r in range(start.shape[0]) if spins else ():
            found = estimate_trial(alone, g, r)
            for name in spins:
                if name in found and np.isfinite(found[name].sd) and found[name].sd > 0:
                    told.append(found[name].value)
                    weight.append(found[name].sd ** -2)
                    read.append(start[r, names.index(name)])
    squares = float(np.sum(np.square(read) * weight))
    if not squares > 0:
        return np.nan, np.inf
    factor = float(np.sum(np.multiply(told, read) * weight)) / squares
    off = np.sum(np.square(np.subtract(told, np.multiply(factor, read))) * weight)
    spread = max(float(off) / max(len(told) - 1, 1), 1.0)
    return factor, float(np.sqrt(spread / squares))
