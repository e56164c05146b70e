"""What the motion alone tells of the spin, beside what was measured."""

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_trial
from calibration.measurements.spins import AXES, SpinComponents, Spins
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
    """Spins as the motion tells them, over those that were measured, each in the first flight in
    which it was, and the standard error of that factor; (nan, inf) where nothing was told.

    Args:
        problem: with the measured spins.
        alone: minimum of ``without_spins`` of it.
    """
    told, read, weight = [], [], []
    for g, members in enumerate(problem.members):
        for r, member in enumerate(members):
            trial, detected = problem.trials[member], problem.detections[member]
            spins = next((item for item in trial.measured if isinstance(item, Spins)), None)
            if spins is None:
                continue
            measured, changed = spins.in_first_flight(detected.bounces, problem.scene.bodies)
            found = estimate_trial(alone, g, r)
            for axis in spins.components:
                at_first = found.get(f"spin_{AXES[axis]}")
                if at_first is not None and 0 < at_first.sd < np.inf:
                    told.append(at_first.value + changed[axis])
                    weight.append(at_first.sd**-2)
                    read.append(measured[axis])
    squares = float(np.sum(np.square(read) * weight))
    if not squares > 0:
        return np.nan, np.inf
    factor = float(np.sum(np.multiply(told, read) * weight)) / squares
    off = np.sum(np.square(np.subtract(told, np.multiply(factor, read))) * weight)
    spread = max(float(off) / max(len(told) - 1, 1), 1.0)
    return factor, float(np.sqrt(spread / squares))
