"""Trials that move the result more than the others allow, from the linearised problem: Cook's
distance, trial by trial, without another fit.

Without trial r the shared coordinates move by ``(I - I_r)^-1 s_r``, with the information I of all,
and the information I_r and the score s_r of the trial. Were the trial like the others, that move
would have the variance ``(I - I_r)^-1 - I^-1``, times what the moves of the others have more or
less of it.
"""

from typing import NamedTuple

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.problem.problem import Problem
from calibration.results.estimate import Determination, Estimate
from calibration.results.intervals import student_reach
from calibration.results.outlying import OutlyingTrial

FEWEST = 4
"""Trials from which on one can be told to disagree with the others."""

CHANCE = 0.01
"""That any trial of a fit is named although all are alike."""

SINGULAR, TINY = 1e10, 1e-12
"""Condition from which on trials do not tell all coordinates; least scale of moves."""


def find_outlying(
    problem: Problem, assessment: Assessment, estimates: dict[str, Estimate]
) -> tuple[OutlyingTrial, ...]:
    """The trial of each parameter without which it would leave the interval that the others give
    it, the worst first; where there is one.

    Args:
        problem: that was fitted.
        assessment: of its minimum.
        estimates: of its shared parameters, by name.
    """
    names = [assessment.layout.names[index] for index in np.flatnonzero(assessment.free)]
    told = [
        (position, estimates[name])
        for position, name in enumerate(names)
        if name in estimates and estimates[name].status is Determination.DETERMINED
    ]
    places = [member for members in problem.members for member in members]
    if len(places) < FEWEST or not told:
        return ()
    pulls = Pulls.of(assessment)
    found: dict[str, OutlyingTrial] = {}
    odd = [judge_worst(problem, assessment, pulls, *one, places) for one in told]
    for one in sorted(filter(None, odd), key=lambda one: -one.deviations):
        found.setdefault(one.trial, one)
    return tuple(found.values())


class Pulls(NamedTuple):
    """How trials pull at the shared coordinates.

    Attributes:
        score: (T, S) of each.
        information: (T, S, S) of each.
        whole: (S, S) information of all, and of what is known beforehand.
    """

    score: np.ndarray
    information: np.ndarray
    whole: np.ndarray

    @classmethod
    def of(cls, assessment: Assessment) -> "Pulls":
        """At a minimum."""
        equations, count = assessment.equations, len(assessment.data)
        pairs = [
            pair
            for part, block in zip(equations.parts[:count], equations.blocks[:count], strict=True)
            for pair in zip(part.projected, block.residual, strict=True)
        ]
        return cls(
            np.asarray([projected.T @ residual for projected, residual in pairs]),
            np.asarray([projected.T @ projected for projected, _ in pairs]),
            np.asarray(equations.information.matrix),
        )

    def without(self, trial: int) -> "Pulls | None":
        """At the minimum without a trial; ``None`` where the others do not tell all coordinates."""
        inverse = inverse_of(self.whole - self.information[trial])
        if inverse is None:
            return None
        others = np.arange(len(self.score)) != trial
        move = inverse @ self.score[trial]
        return Pulls(
            self.score[others] + self.information[others] @ move,
            self.information[others],
            self.whole - self.information[trial],
        )

    def moves(self, position: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How far one coordinate moves without each trial (T,), the variance of that move, and that
        of the coordinate then; NaN where the others do not tell it.
        """
        formal = inverse_of(self.whole)
        rows = []
        for score, information in zip(self.score, self.information, strict=True):
            inverse = inverse_of(self.whole - information)
            if formal is None or inverse is None:
                rows.append((np.nan,) * 3)
                continue
            variance = inverse[position, position]
            rows.append(
                ((inverse @ score)[position], variance - formal[position, position], variance)
            )
        move, expected, variance = np.asarray(rows).T
        return move, np.where(expected > 0, expected, np.nan), variance


class Influence(NamedTuple):
    """Of each trial (T,).

    Attributes:
        leverage: part of the information on the shared coordinates that is the trial's; they sum to
            at most 1.
        cook: Cook's distance, ``move' I move/S``: how far all shared coordinates move without the
            trial, in their standard errors (Cook, Technometrics 19 (1977) 15-18).
    """

    leverage: np.ndarray
    cook: np.ndarray


def measure_influence(assessment: Assessment) -> Influence | None:
    """Leverage and Cook's distance of each trial; ``None`` where there are too few, or where the
    others do not tell all coordinates.

    Args:
        assessment: of a minimum.
    """
    pulls = Pulls.of(assessment)
    formal = inverse_of(pulls.whole)
    if len(pulls.score) < FEWEST or formal is None or not len(formal):
        return None
    cook = []
    for score, information in zip(pulls.score, pulls.information, strict=True):
        inverse = inverse_of(pulls.whole - information)
        if inverse is None:
            return None
        move = inverse @ score
        cook.append(float(move @ pulls.whole @ move) / len(formal))
    leverage = np.einsum("st,rts->r", formal, pulls.information) / len(formal)
    return Influence(leverage, np.asarray(cook))


def inverse_of(matrix: np.ndarray) -> np.ndarray | None:
    """Inverse of an information matrix; ``None`` where something is not told."""
    diagonal = np.diag(matrix)
    if not np.all(diagonal > 0):
        return None
    scale = np.sqrt(np.outer(diagonal, diagonal))
    if np.linalg.cond(matrix / scale) > SINGULAR:
        return None
    inverse: np.ndarray = np.linalg.inv(matrix / scale) / scale
    return inverse


def judge_worst(
    problem: Problem,
    assessment: Assessment,
    pulls: Pulls,
    position: int,
    estimate: Estimate,
    places: list[int],
) -> OutlyingTrial | None:
    """The trial that moves one parameter most, if by more than the others allow.

    Args:
        problem: that was fitted.
        assessment: of its minimum.
        pulls: of all trials.
        position: of the parameter among the free ones.
        estimate: of the parameter.
        places: position of each trial (T,) in the problem.
    """
    move, expected, variance = pulls.moves(position)
    square = move**2 / expected
    if np.count_nonzero(np.isfinite(square)) < FEWEST:
        return None
    worst = int(np.nanargmax(square))
    rest = pulls.without(worst)
    if rest is None:
        return None
    others, allowed, _ = rest.moves(position)
    like = others**2 / allowed
    like = like[np.isfinite(like)]
    if like.size < FEWEST - 1:
        return None
    # The others give the scale by which a move like theirs is measured: Student's t.
    enlarged = max(float(np.mean(like)), TINY)
    deviations, sd = np.sqrt(square[worst] / enlarged), np.sqrt(variance[worst] * enlarged)
    chance = CHANCE / (like.size * max(int(assessment.free.sum()), 1))
    if deviations < student_reach(1 - chance, like.size - 1):
        return None
    if abs(move[worst]) < student_reach(assessment.policy.level, like.size - 1) * sd:
        return None
    index = assessment.layout.names.index(estimate.name)
    parameter = assessment.layout.global_parameters[index]
    value = float(parameter.value(assessment.minimum.shared[index] + move[worst]))
    return OutlyingTrial(
        trial=problem.trials[places[worst]].name,
        parameter=estimate.name,
        label=estimate.label,
        value=estimate.value,
        without=value,
        sd=float(sd * abs(parameter.slope(value))),
        deviations=float(deviations),
    )
