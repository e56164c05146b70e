"""Fit a problem: optimise, judge what the data determine, and report."""

import copy
import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
import optax

from calibration.errors import InputError
from calibration.judgement import Judgement
from calibration.layout import Layout, over_trials
from calibration.least_squares import METHODS, Method, Minimum, Start, minimise_with_blocks
from calibration.noise_from_residuals import data_as_judged
from calibration.observations.positions import Positions
from calibration.on_demand import OnDemand
from calibration.problem import Problem
from calibration.result import Determination, Estimate, Fit, FittedRecording
from calibration.trials import Trials
from jaxcontact.field import nearest


def fit(
    problem: Problem,
    *,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    start: dict[str, float] | None = None,
    probe: Sequence[str] = (),
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Find the unknowns of a problem, with standard errors.

    Works in float64 whatever the caller's JAX configuration is, and leaves that configuration alone.

    Args:
        problem: what to fit.
        method: ``"levenberg_marquardt"`` or ``"dogleg"`` (Optimistix, exact forward-mode Jacobian), ``"adam"`` or ``"lbfgs"`` (Optax), or
            any optimiser of Optax, ``optax.chain(...)``; it moves coordinates that are scaled to about one standard error.
        steps: at most so many iterations (default 100, for Adam and optimisers of Optax 3000).
        start: values of shared unknowns to start from, by name, instead of those of the scene.
        probe: names of shared unknowns whose value times four is tried, too: where it explains the data as well, the unknown is
            reported as not determined, whatever its local standard error is.
        progress: called with the iteration and chi-squared while the fit runs. Code with a callback is compiled anew in each process.

    Returns:
        Values, standard errors, correlations, goodness of fit and warnings.
    """
    check_method(method)
    began = time.perf_counter()
    with jax.enable_x64(True):
        judgement = minimum_of(problem, method=method, steps=steps, start=start or {}, progress=progress)
        problem, judgement = with_noise_found(problem, judgement, method=method, steps=steps)
        estimates = judgement.shared()
        for name in probe:
            if estimates[name].status is Determination.DETERMINED and judgement.flat_beyond(name):
                estimates[name] = dataclasses.replace(
                    estimates[name],
                    sd=np.inf,
                    status=Determination.NOT_DETERMINED,
                    note=f"four times the value of {estimates[name].value:.3g} explains the data as well, with other values of the rest",
                )
        return report(problem, judgement, estimates, method=method, seconds=time.perf_counter() - began)


def check_method(method: Method) -> None:
    """Raise for an unknown optimiser."""
    if isinstance(method, optax.GradientTransformation):
        return
    if not isinstance(method, str):
        remedy = f"Give one of {', '.join(METHODS)}, or an optimiser of Optax such as optax.adamw(0.01)."
        raise InputError(f"fit: method = {method!r} is no optimiser.", remedy=remedy)
    if method not in METHODS:
        raise InputError(f"fit: method = {method!r} is not known.{nearest(method, METHODS)}")


def name_of(method: Method) -> str:
    """The optimiser as a report names it."""
    return method if isinstance(method, str) else "optax"


def starting_point(problem: Any, overrides: dict[str, float]) -> Start:
    """The first guess, with values given by name instead."""
    shared, local = problem.start
    unknowns = problem.layout.shared_unknowns
    names = [unknown.name for unknown in unknowns]
    for name, value in overrides.items():
        if name not in names:
            raise InputError(f"start: {name!r} is not free.{nearest(name, names)}")
        shared[names.index(name)] = float(unknowns[names.index(name)].coordinate(value))
    for name in problem.frozen:
        if name not in names:
            raise InputError(f"frozen: {name!r} is not free.{nearest(name, names)}")
    frozen = np.asarray([name in problem.frozen for name in names], dtype=bool)
    nothing = tuple(np.zeros(own.shape[1], dtype=bool) for own in local)
    return Start(shared, local, frozen, nothing, problem.stages)


ROUNDS = 12
"""At most so many fits until the noise found from the residuals settles."""

STRAYED = 7.0
"""A logarithmic coordinate that ended this far (a factor of 1000) from the scene's value has strayed where the data do not see it."""


def default_steps(method: Method) -> int:
    """At most so many iterations."""
    return 100 if method in METHODS and method != "adam" else 3000


def attempt_from(problem: Any, began: Start, *, method: Method, steps: int, progress: Any = None) -> Judgement:
    """Minimise from ``began`` and judge; late unknowns join when the rest has settled."""

    def minimum_from(start: Start) -> tuple[Minimum, Any]:
        return minimise_with_blocks(problem.layout, problem.scene, problem.data, start, method=method, steps=steps, report=progress)

    late = tuple(np.asarray([unknown.late for unknown in kind.local_unknowns], dtype=bool) for kind in problem.layout.kinds)
    start = began
    if any(np.any(own) for own in late):
        settled, _ = minimum_from(began._replace(frozen_local=late))
        start = began._replace(shared=settled.shared, local=settled.local)
    minimum, blocks = minimum_from(start)
    return Judgement(problem.layout, problem.scene, problem.data, began, minimum, problem.errors, blocks=blocks)


def minimum_of(problem: Any, *, method: Method, steps: int | None, start: dict[str, float], progress: Any) -> Judgement:
    """Minimise and judge; a quantity that strayed gets a second chance from the scene's value, the others as found."""
    steps = steps or default_steps(method)

    def attempt(began: Start) -> Judgement:
        return attempt_from(problem, began, method=method, steps=steps, progress=progress)

    began = starting_point(problem, start)
    judgement = attempt(began)
    logarithmic = np.asarray([unknown.about.transform == "log" for unknown in problem.layout.shared_unknowns], dtype=bool)
    origin, _ = problem.start
    strayed = logarithmic & (np.abs(judgement.minimum.shared - origin) > STRAYED)
    if np.any(strayed):
        again = np.where(strayed, origin, judgement.minimum.shared)
        second = attempt(began._replace(shared=again, local=judgement.minimum.local))
        judgement = second if second.chi2 < judgement.chi2 else judgement
    return judgement


def with_noise_found(problem: Problem, judgement: Judgement, *, method: Method, steps: int | None) -> tuple[Problem, Judgement]:
    """The fit repeated with the sizes and correlation times of the errors that its residuals show, until they settle.

    Only where a noise model asks for it. The problem that is returned holds the weights that were used in the end.
    """
    for _ in range(ROUNDS):
        data = data_as_judged(judgement)
        if data is None:
            break
        problem = copy.copy(problem)
        problem.data = data
        began, ends = judgement.start, tuple(np.full_like(own, np.inf) for own in judgement.start.stages)
        start = began._replace(shared=judgement.minimum.shared, local=judgement.minimum.local, stages=ends)
        judgement = attempt_from(problem, start, method=method, steps=steps or default_steps(method))
        judgement.start = began
    return problem, judgement


@partial(jax.jit, static_argnames=("layout", "kind"))
def predictions(layout: Layout, kind: int, scene: Any, shared: jax.Array, local: jax.Array, data: Any) -> tuple[Any, Any]:
    """What each observation of the trials of a kind would measure, and the simulations behind it."""

    def one(own: jax.Array, data: Any) -> tuple[Any, Any]:
        trials = layout.kinds[kind]
        here, nuisances = layout.at(trials.known(scene, data), shared)
        return trials.predicted(trials.experiment(here, nuisances, own, data), data)

    return over_trials(one, local, data)


def fitted_recordings(problem: Problem, judgement: Judgement) -> tuple[FittedRecording, ...]:
    """Data and prediction of the positions of each trial."""
    minimum, found = judgement.minimum, {}
    for k, (kind, members) in enumerate(zip(problem.layout.kinds, problem.members, strict=True)):
        if not isinstance(kind, Trials):
            continue
        with jax.enable_x64(True):
            predicted, motions = predictions(problem.layout, k, problem.scene, minimum.shared, minimum.local[k], problem.data[k])
        for i, observation in enumerate(kind.observations):
            if isinstance(observation, Positions):
                for r, member in enumerate(members):
                    found[member, i] = fitted_positions(problem, judgement, (k, r, member, i), predicted[i][r], motions[i].contacts)
    return tuple(found[key] for key in sorted(found))


def fitted_positions(problem: Problem, judgement: Judgement, place: tuple[int, ...], predicted: Any, contacts: Any) -> FittedRecording:
    """Data and prediction of one recording; ``place``: kind, trial of that kind, trial, observation."""
    k, r, member, i = place
    samples = problem.data[k].samples[i]
    measurement, reading = problem.trials[member].measured[i], problem.readings[member]
    count = measurement.samples(reading)[0].size
    weight = samples.weight[r][:count]
    used = weight > 0
    return FittedRecording(
        name=problem.trials[member].name,
        axes=measurement.axes,
        time=np.asarray(samples.times[r][:count]),
        measured=np.where(used, samples.measured[r][:count], np.nan),
        predicted=np.asarray(predicted)[:count],
        sigma=np.where(used, 1 / np.where(used, weight, 1.0), np.nan),
        bounce_times=np.asarray(contacts.touch_down[r])[np.asarray(contacts.happened[r])],
        nuisance=judgement.local(k, r),
        remarks=reading.remarks,
    )


def report(problem: Problem, judgement: Judgement, estimates: dict[str, Estimate], *, method: Method, seconds: float) -> Fit:
    """The result as a person gets it."""
    names, correlation = judgement.correlation(estimates)
    return Fit(
        parameters=estimates,
        names=names,
        correlation=correlation,
        chi2=judgement.chi2,
        dof=judgement.dof,
        inflation=judgement.widening,
        converged=bool(judgement.minimum.converged),
        iterations=int(judgement.minimum.iterations),
        seconds=seconds,
        method=name_of(method),
        model=describe(problem),
        warnings=tuple(judgement.warnings(estimates)),
        recordings=OnDemand(partial(fitted_recordings, problem, judgement)),
        problem=problem,
        judgement=judgement,
    )


def describe(problem: Problem) -> str:
    """One line on the physics."""
    scene = problem.scene
    methods = dict.fromkeys(type(kind.method).__name__ for kind in problem.layout.kinds if isinstance(kind, Trials))
    parts = [f"{' and '.join(methods)} method", type(scene.contact.normal).__name__, type(scene.contact.friction).__name__]
    parts += [type(item).__name__ for item in (scene.drag, scene.lift) if item is not None]
    nuisances = (*problem.layout.shared, *(own for kind in problem.layout.kinds for own in kind.own))
    parts += dict.fromkeys(type(item).__name__ for item in nuisances)
    return ", ".join(parts)
