"""Fits in stages: what one fit found is where another one begins, by names of parameters."""

from collections.abc import Mapping, Sequence

import numpy as np

from calibration.errors import InputError
from calibration.fitting.estimates import estimate_trial
from calibration.optimise.coordinates import Start
from calibration.problem.problem import Problem
from calibration.results.estimate import Determination, Estimate
from calibration.results.result import Fit
from jaxcontact.parameters import nearest


def starting_point(problem: Problem, overrides: Mapping[str, float] | Fit) -> Start:
    """The first guess of a problem, with values given by name, or an earlier fit, in its place.

    Of an earlier fit, all parameters that the problem has, too, are taken over: shared ones by
    name, those of a trial by the name of the trial and theirs. What it did not determine is left
    where the problem would begin. So a rigid fit leads to a compliant one.

    Args:
        problem: to be fitted.
        overrides: values of shared parameters by name, or the result of another problem.

    Raises:
        InputError: a name that is not free.
    """
    shared, local = problem.start
    parameters = problem.layout.global_parameters
    names = [parameter.name for parameter in parameters]
    values = _found(overrides.parameters, names) if isinstance(overrides, Fit) else dict(overrides)
    for name, value in values.items():
        if name not in names:
            raise InputError(f"start: {name!r} is not free.{nearest(name, names)}")
        shared[names.index(name)] = float(parameters[names.index(name)].coordinate(value))
    if isinstance(overrides, Fit) and overrides.assessment is not None:
        _take_over_trials(problem, overrides, local)
    own = [[item.name for item in batch.trial_parameters] for batch in problem.layout.batches]

    def mark(of: Sequence[str]) -> np.ndarray:
        return np.asarray([name in problem.frozen for name in of], dtype=bool)

    return Start(shared, local, mark(names), tuple(map(mark, own)), problem.stages)


def _found(estimates: Mapping[str, Estimate], names: list[str]) -> dict[str, float]:
    """Values that were found, of parameters with these names; those of a fit in doubt are where it
    came closest, unless it could not be simulated.
    """

    def usable(item: Estimate) -> bool:
        doubted = item.status.withdrawn and item.status is not Determination.NOT_SIMULATED
        return bool(np.isfinite(item.value) and (np.isfinite(item.sd) or doubted))

    return {name: item.value for name, item in estimates.items() if name in names and usable(item)}


def _take_over_trials(problem: Problem, earlier: Fit, local: tuple[np.ndarray, ...]) -> None:
    """Put what the earlier fit found of each trial's own parameters into ``local``."""
    known: dict[str, dict[str, Estimate]] = {}
    for k, members in enumerate(earlier.problem.members):
        for r, member in enumerate(members):
            known[earlier.problem.trials[member].name] = estimate_trial(earlier.assessment, k, r)
    for own, batch, members in zip(local, problem.layout.batches, problem.members, strict=True):
        names = [parameter.name for parameter in batch.trial_parameters]
        for r, member in enumerate(members):
            for name, value in _found(known.get(problem.trials[member].name, {}), names).items():
                own[r, names.index(name)] = float(
                    batch.trial_parameters[names.index(name)].coordinate(value)
                )
