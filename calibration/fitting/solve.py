"""Find the minimum of a problem: from where it is asked to begin, from elsewhere where that fails,
and again with the noise that the residuals show.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import optax

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.impact_divisions import divide_impacts, has_corners
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.restarts import leave_plateaus, leave_slopes, propose_starts
from calibration.fitting.reweighting import reweigh
from calibration.fitting.start import starting_point
from calibration.fitting.thinning import thin
from calibration.optimise.convergence import is_an_end
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.least_squares import FINE, METHODS, NEAR, ROUGH, SOLVERS, Method
from calibration.optimise.resumable import minimise_with_checkpoint
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block
from calibration.results.result import Fit
from jaxcontact.parameters import nearest

NEARBY_STEPS = 100
"""Iterations at most from one minimum to another next to it."""

ROUNDS = 12
"""At most so many fits until the noise found from the residuals settles."""

Report = Callable[[int, float], None]
"""Told the iteration and chi-squared while a minimisation runs."""


def check_method(method: Method) -> None:
    """Raise for an unknown optimiser."""
    if isinstance(method, optax.GradientTransformation):
        return
    if not isinstance(method, str):
        remedy = (
            f"Give one of {', '.join(METHODS)}, or an optimiser of Optax such as optax.adamw(0.01)."
        )
        raise InputError(f"fit: method = {method!r} is no optimiser.", remedy=remedy)
    if method not in METHODS:
        raise InputError(f"fit: method = {method!r} is not known.{nearest(method, METHODS)}")


def default_steps(method: Method) -> int:
    """At most so many iterations."""
    return 300 if method in SOLVERS else 3000


def minimise_from(
    problem: Problem,
    began: Start,
    *,
    method: Method,
    steps: int,
    progress: Report | None = None,
    led: bool = False,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Assessment:
    """Minimise from a start and assess where that ends.

    Late parameters join when the rest has settled, and all samples when the minimum of some of
    them is found.

    Args:
        problem: what to fit.
        began: where to begin.
        method: optimiser.
        steps: at most so many iterations.
        progress: told of each iteration.
        led: whether ``began`` is next to a minimum already, so that late parameters need not wait.
        policy: by what the minimum is judged.
    """
    fewer = thin(problem) if method in SOLVERS else None

    def minimum_from(
        start: Start, data: tuple[Any, ...], tolerance: float = FINE
    ) -> tuple[Minimum, tuple[Block, ...]]:
        return minimise_with_checkpoint(
            problem.layout,
            problem.scene,
            data,
            start,
            method=method,
            steps=steps,
            report=progress,
            tolerance=tolerance,
        )

    late = tuple(
        np.asarray([parameter.late for parameter in batch.trial_parameters], dtype=bool)
        for batch in problem.layout.batches
    )
    start = began
    if any(np.any(own) for own in late) and not led:
        some = problem.data if fewer is None else fewer
        held = tuple(
            np.asarray(frozen) | own for frozen, own in zip(began.frozen_local, late, strict=True)
        )
        settled, _ = minimum_from(began._replace(frozen_local=held), some, ROUGH)
        start = began._replace(shared=settled.shared, local=settled.local)
    if fewer is not None:
        near, _ = minimum_from(start, fewer, NEAR)
        start = start.from_minimum(near)._replace(region=near.region)
    minimum, blocks = minimum_from(start, problem.data)
    converged = is_an_end(problem.layout, minimum, blocks, start)
    assessment = assess(
        problem.layout,
        problem.scene,
        problem.data,
        began,
        minimum._replace(converged=np.asarray(converged)),
        problem.errors,
        blocks=blocks,
        policy=policy,
    )
    return dataclasses.replace(assessment, steps=steps)


def minimise_nearby(problem: Problem, start: Start, near: Assessment) -> Assessment:
    """The minimum next to another one, of a problem that differs little; with no more iterations
    than that one was allowed.

    Args:
        problem: what to fit.
        start: of the fit: what is free, and from where a fit of it would begin.
        near: of the minimum where the search begins.
    """
    found = minimise_from(
        problem,
        start.from_minimum(near.minimum),
        method="levenberg_marquardt",
        steps=min(NEARBY_STEPS, near.steps or NEARBY_STEPS),
        led=True,
        policy=near.policy,
    )
    return dataclasses.replace(found, start=start, steps=near.steps)


def solve(
    problem: Problem,
    *,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    start: Mapping[str, float] | Fit | None = None,
    progress: Report | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Assessment:
    """Minimise and assess.

    Where the data are not explained, a quantity that strayed gets a second chance from the scene's
    value, the others as found; a fit far from the data begins elsewhere, too, and so does one that
    ended where all contacts stick, or where some slide. Tables of oblique impacts are fitted in all
    divisions into impacts that slide and impacts that stick.

    Args:
        problem: what to fit.
        method: optimiser.
        steps: at most so many iterations; ``None`` for the default of the method.
        start: values by name, or an earlier fit, as in ``fit``.
        progress: told of each iteration.
        policy: by what minima are judged.
    """
    began = starting_point(problem, start or {})
    steps = steps or default_steps(method)
    return solve_from(problem, began, method=method, steps=steps, progress=progress, policy=policy)


def solve_from(
    problem: Problem,
    began: Start,
    *,
    method: Method,
    steps: int,
    progress: Report | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Assessment:
    """``solve`` from a start in coordinates.

    Args:
        problem: what to fit.
        began: where to begin.
        method: optimiser.
        steps: at most so many iterations.
        progress: told of each iteration.
        policy: by what minima are judged.
    """

    def attempt(began: Start, *, led: bool = False) -> Assessment:
        return minimise_from(
            problem, began, method=method, steps=steps, progress=progress, led=led, policy=policy
        )

    best = attempt(began)
    origin, _ = problem.start
    strayed = has_strayed(problem, best.minimum.shared, origin, policy)
    if np.any(strayed) and not best.explained:
        again = np.where(strayed, origin, best.minimum.shared)
        best = lower(best, attempt(began._replace(shared=again, local=best.minimum.local)))
    if best.misfit > policy.poor_misfit:
        for other in propose_starts(problem, began, best):
            best = lower(best, attempt(other))
            if best.misfit <= policy.poor_misfit:
                break
    for other in leave_plateaus(best):
        best = lower(best, attempt(other))
    if has_corners(problem.layout, problem.scene, began.frozen):
        best = lower(best, minimum_of_divisions(problem, began, method, steps, policy))
    for other in leave_slopes(problem, best):
        found = lower(best, attempt(other, led=True))
        best = found if found is best else dataclasses.replace(found, start=began)
    return best


def minimum_of_divisions(
    problem: Problem, began: Start, method: Method, steps: int, policy: FitPolicy
) -> Assessment:
    """The best minimum of a table over all divisions of its impacts into sliding and sticking.

    On a corner, where one impact just slides, derivatives lead nowhere: it is a minimum as it is.
    """
    found = divide_impacts(problem.layout, problem.scene, problem.data, began)
    best = found.best
    assessment = minimise_from(
        problem,
        began._replace(shared=found.shared[best]),
        method=method,
        steps=steps,
        led=True,
        policy=policy,
    )
    minimum = assessment.minimum
    if found.corner[best] and assessment.chi2 > found.chi2[best] - policy.same_optimum:
        minimum = minimum._replace(converged=np.asarray(True))
    return dataclasses.replace(assessment, start=began, minimum=minimum)


def lower(one: Assessment, other: Assessment) -> Assessment:
    """The better of two minima, the first of two that are equal; of two that are the same optimum
    the one that has converged.
    """
    better, worse = (other, one) if other.chi2 < one.chi2 else (one, other)
    same = worse.chi2 - better.chi2 <= one.policy.same_optimum
    arrived = bool(worse.minimum.converged) and not bool(better.minimum.converged)
    return worse if same and arrived else better


def has_strayed(
    problem: Problem, shared: np.ndarray, origin: np.ndarray, policy: FitPolicy
) -> np.ndarray:
    """Which logarithmic coordinates ended where the data do not see them.

    Args:
        problem: that was fitted.
        shared: coordinates (..., S) where fits ended.
        origin: those of the scene (S,).
        policy: tells how far that is.
    """
    logarithmic = np.asarray(
        [parameter.about.transform == "log" for parameter in problem.layout.global_parameters],
        dtype=bool,
    )
    return logarithmic & (np.abs(shared - origin) > policy.strayed)


def settle_noise(
    problem: Problem, assessment: Assessment, *, method: Method, steps: int | None
) -> tuple[Problem, Assessment]:
    """The fit repeated with the sizes and correlation times of the errors that its residuals show,
    until they settle.

    Only where a noise model asks for it. The problem that is returned holds the weights that were
    used in the end.

    Args:
        problem: that was fitted.
        assessment: of its minimum.
        method: optimiser.
        steps: at most so many iterations of each fit; ``None`` for the default of the method.
    """
    for _ in range(ROUNDS):
        data = reweigh(assessment)
        if data is None:
            break
        problem = problem.with_data(data)
        began = assessment.start
        assessment = minimise_from(
            problem,
            began.from_minimum(assessment.minimum),
            method=method,
            steps=steps or default_steps(method),
            led=True,
            policy=assessment.policy,
        )
        assessment = dataclasses.replace(assessment, start=began)
    return problem, assessment


def settle_weights(
    problem: Problem, assessment: Assessment, *, method: Method, steps: int | None
) -> tuple[Problem, Assessment]:
    """``settle_noise`` where a noise model has the fit weigh by what its residuals show, and the
    noise as it was taken explains the data: afterwards residuals no longer tell whether it does.

    Args:
        problem: that was fitted.
        assessment: of its minimum.
        method: optimiser.
        steps: at most so many iterations of each fit; ``None`` for the default of the method.
    """
    if not (assessment.explained and np.any(assessment.linearised.followed)):
        return problem, assessment
    return settle_noise(problem, assessment, method=method, steps=steps)
