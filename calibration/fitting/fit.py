"""Fit a problem: optimise, judge what the data determine, and report."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
import optax

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.predictions import PredictionsAtMinimum
from calibration.fitting.restarts import POOR, other_starts
from calibration.fitting.reweighting import data_as_judged
from calibration.fitting.start import starting_point
from calibration.optimise.convergence import is_an_end
from calibration.optimise.least_squares import FINE, METHODS, ROUGH, Method, Minimum, Start
from calibration.optimise.resumable import kept_minima, kept_minimum
from calibration.problem.problem import Problem
from calibration.problem.trial_batch import TrialBatch
from calibration.results.estimate import Determination, Estimate
from calibration.results.result import Fit
from calibration.runtime.checkpoint import Checkpoint
from jaxcontact.parameters import nearest


def fit(
    problem: Problem,
    *,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    start: Mapping[str, float] | Fit | None = None,
    probe: Sequence[str] = (),
    progress: Callable[[int, float], None] | None = None,
    checkpoint: Checkpoint | str | None = None,
) -> Fit:
    """Find the parameters of a problem, with standard errors.

    Works in float64 whatever the caller's JAX configuration is, and leaves that configuration
    alone.

    Args:
        problem: what to fit.
        method: ``"levenberg_marquardt"`` or ``"dogleg"`` (Optimistix, exact forward-mode Jacobian),
            ``"adam"`` or ``"lbfgs"`` (Optax), or any optimiser of Optax, ``optax.chain(...)``; it
            moves coordinates that are scaled to about one standard error.
        steps: at most so many iterations (default 100, for Adam and optimisers of Optax 3000).
        start: values of shared parameters to start from, by name, instead of those of the scene; or
            the result of another problem, whose parameters are taken over by name (a rigid fit
            first, then a compliant one).
        probe: names of shared parameters whose value times four is tried, too: where it explains
            the data as well, the unknown is reported as not determined, whatever its local standard
            error is.
        progress: called with the iteration and chi-squared while the fit runs. Code with a callback
            is compiled anew in each process.
        checkpoint: folder for pieces of the fit, from which it goes on after a kill
            (``calibration.optimise.resumable``).

    Returns:
        Values, standard errors, correlations, goodness of fit and warnings.
    """
    check_method(method)
    began = time.perf_counter()
    with jax.enable_x64(True):
        inputs = {
            "the problem": (
                problem.layout,
                problem.scene,
                problem.data,
                problem.frozen,
                problem.errors,
            ),
            "the method": method,
            "the start": getattr(start, "parameters", start),
        }
        with kept_minima(checkpoint, inputs=inputs, options={"steps": steps}):
            assessment = minimum_of(
                problem, method=method, steps=steps, start=start or {}, progress=progress
            )
            problem, assessment = with_noise_found(problem, assessment, method=method, steps=steps)
        estimates = assessment.shared()
        for name in probe:
            if estimates[name].status is Determination.DETERMINED and assessment.flat_beyond(name):
                estimates[name] = dataclasses.replace(
                    estimates[name],
                    sd=np.inf,
                    status=Determination.NOT_DETERMINED,
                    note=f"four times the value of {estimates[name].value:.3g} explains the data "
                    "as well, with other values of the rest",
                )
        return report(
            problem, assessment, estimates, method=method, seconds=time.perf_counter() - began
        )


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


def name_of(method: Method) -> str:
    """The optimiser as a report names it."""
    return method if isinstance(method, str) else "optax"


ROUNDS = 12
"""At most so many fits until the noise found from the residuals settles."""

STRAYED = 7.0
"""A logarithmic coordinate that ended this far (a factor of 1000) from the scene's value has
strayed where the data do not see it.
"""


def default_steps(method: Method) -> int:
    """At most so many iterations."""
    return 100 if method in METHODS and method != "adam" else 3000


def attempt_from(
    problem: Any,
    began: Start,
    *,
    method: Method,
    steps: int,
    progress: Any = None,
    led: bool = False,
) -> Assessment:
    """Minimise from ``began`` and judge; late parameters join when the rest has settled, unless
    ``began`` was ``led`` to a minimum.
    """

    def minimum_from(start: Start, tolerance: float = FINE) -> tuple[Minimum, Any]:
        known = {"method": method, "steps": steps, "report": progress, "tolerance": tolerance}
        return kept_minimum(problem.layout, problem.scene, problem.data, start, **known)

    late = tuple(
        np.asarray([parameter.late for parameter in batch.trial_parameters], dtype=bool)
        for batch in problem.layout.batches
    )
    start = began
    if any(np.any(own) for own in late) and not led:
        settled, _ = minimum_from(began._replace(frozen_local=late), ROUGH)
        start = began._replace(shared=settled.shared, local=settled.local)
    minimum, blocks = minimum_from(start)
    minimum = minimum._replace(
        converged=np.asarray(is_an_end(problem.layout, minimum, blocks, start))
    )
    return Assessment(
        problem.layout, problem.scene, problem.data, began, minimum, problem.errors, blocks=blocks
    )


def minimum_of(
    problem: Any,
    *,
    method: Method,
    steps: int | None,
    start: Mapping[str, float] | Fit,
    progress: Any,
) -> Assessment:
    """Minimise and judge.

    Where the data are not explained, a quantity that strayed gets a second chance from the scene's
    value, the others as found; a fit far from the data begins elsewhere, too.
    """
    steps = steps or default_steps(method)

    def attempt(began: Start) -> Assessment:
        return attempt_from(problem, began, method=method, steps=steps, progress=progress)

    began = starting_point(problem, start)
    assessment = attempt(began)
    logarithmic = np.asarray(
        [parameter.about.transform == "log" for parameter in problem.layout.global_parameters],
        dtype=bool,
    )
    origin, _ = problem.start
    strayed = logarithmic & (np.abs(assessment.minimum.shared - origin) > STRAYED)
    if np.any(strayed) and not assessment.explained:
        again = np.where(strayed, origin, assessment.minimum.shared)
        second = attempt(began._replace(shared=again, local=assessment.minimum.local))
        assessment = second if second.chi2 < assessment.chi2 else assessment
    for other in other_starts(problem, began, assessment) if assessment.misfit > POOR else ():
        second = attempt(other)
        assessment = second if second.chi2 < assessment.chi2 else assessment
        if assessment.misfit <= POOR:
            break
    return assessment


def with_noise_found(
    problem: Problem, assessment: Assessment, *, method: Method, steps: int | None
) -> tuple[Problem, Assessment]:
    """The fit repeated with the sizes and correlation times of the errors that its residuals show,
    until they settle.

    Only where a noise model asks for it. The problem that is returned holds the weights that were
    used in the end.
    """
    for _ in range(ROUNDS):
        data = data_as_judged(assessment)
        if data is None:
            break
        problem = problem.with_data(data)
        began = assessment.start
        assessment = attempt_from(
            problem,
            began.from_minimum(assessment.minimum),
            method=method,
            steps=steps or default_steps(method),
            led=True,
        )
        assessment.start = began
    return problem, assessment


def report(
    problem: Problem,
    assessment: Assessment,
    estimates: dict[str, Estimate],
    *,
    method: Method,
    seconds: float,
) -> Fit:
    """The result as a person gets it."""
    names, correlation = assessment.correlation(estimates)
    return Fit(
        parameters=estimates,
        names=names,
        correlation=correlation,
        chi2=assessment.chi2,
        dof=assessment.dof,
        error_scale_factor=assessment.error_scale_factor,
        converged=bool(assessment.minimum.converged),
        iterations=int(assessment.minimum.iterations),
        seconds=seconds,
        method=name_of(method),
        model=describe(problem),
        warnings=tuple(assessment.warnings(estimates)),
        predictions=PredictionsAtMinimum(problem, assessment),
        problem=problem,
        assessment=assessment,
    )


def describe(problem: Problem) -> str:
    """One line on the physics."""
    scene = problem.scene
    methods = dict.fromkeys(
        type(batch.method).__name__
        for batch in problem.layout.batches
        if isinstance(batch, TrialBatch)
    )
    parts = [
        f"{' and '.join(methods)} method",
        type(scene.contact.normal).__name__,
        type(scene.contact.friction).__name__,
    ]
    parts += [type(item).__name__ for item in (scene.drag, scene.lift) if item is not None]
    nuisances = (
        *problem.layout.shared,
        *(own for batch in problem.layout.batches for own in batch.own),
    )
    parts += dict.fromkeys(type(item).__name__ for item in nuisances)
    return ", ".join(parts)
