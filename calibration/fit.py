"""Fit a problem: optimise, judge what the data determine, and report."""

import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from calibration.errors import InputError
from calibration.least_squares import METHODS, Minimum, Start, minimise
from calibration.problem import Problem, jacobians, predictions
from calibration.result import Determination, Estimate, Fit, FittedRecording
from calibration.uncertainty import Information, between_recordings, correlation_time, information
from calibration.unknown import Unknown
from jaxcontact.field import nearest

LOOSE = 1.0
"""A standard error above this, in a logarithmic or logistic coordinate (a factor of e), means not determined."""

MISFIT = 1.5
"""chi2/dof from which the model is said not to explain the data."""

ENOUGH_RECORDINGS = 5
"""From so many recordings on, their scatter enters the standard errors."""

THRESHOLD = 3.84
"""Rise of (inflated) chi-squared that excludes a value at 95 %, one degree of freedom."""


def fit(
    problem: Problem,
    *,
    method: str = "levenberg_marquardt",
    steps: int | None = None,
    start: dict[str, float] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Find the unknowns of a problem, with standard errors.

    Works in float64 whatever the caller's JAX configuration is, and leaves that configuration alone.

    Args:
        problem: what to fit.
        method: ``"levenberg_marquardt"`` (Optimistix, exact forward-mode Jacobian), ``"adam"`` or ``"lbfgs"`` (Optax).
        steps: at most so many iterations (default 100, for Adam 3000).
        start: values of shared unknowns to start from, by name, instead of those of the scene.
        progress: called with the iteration and chi-squared while the fit runs.

    Returns:
        Values, standard errors, correlations, goodness of fit and warnings.
    """
    if method not in METHODS:
        raise InputError(f"fit: method = {method!r} is not known.{nearest(method, METHODS)}")
    with jax.enable_x64(True):
        return _fit(problem, method, steps or (3000 if method == "adam" else 100), start or {}, progress)


def starting_point(problem: Problem, overrides: dict[str, float]) -> Start:
    """The first guess, with values given by name instead."""
    shared, local = problem.start
    unknowns = problem.layout.shared_unknowns
    names = [unknown.name for unknown in unknowns]
    for name, value in overrides.items():
        if name not in names:
            raise InputError(f"start: {name!r} is not free.{nearest(name, names)}")
        shared[names.index(name)] = float(unknowns[names.index(name)].coordinate(value))
    return Start(shared, local, np.zeros(shared.shape, dtype=bool))


def _fit(problem: Problem, method: str, steps: int, overrides: dict[str, float], progress: Any) -> Fit:
    began = time.perf_counter()
    start = starting_point(problem, overrides)
    minimum = minimise(problem.layout, problem.scene, problem.samples, start, method=method, steps=steps, report=progress)
    judged = judge(problem, start, minimum)
    return judged.report(method=method, seconds=time.perf_counter() - began)


class judge:  # noqa: N801
    """What a minimum says of each unknown."""

    def __init__(self, problem: Problem, start: Start, minimum: Minimum) -> None:
        self.problem, self.start, self.minimum = problem, start, minimum
        layout = problem.layout
        arrays = jacobians(layout, problem.scene, minimum.shared, minimum.local, problem.samples)
        residual, by_shared, by_local = (np.asarray(array) for array in arrays)
        used = problem.samples.weight > 0
        self.residual = residual[:, : used[0].size].reshape(used.shape)
        priors = residual[:, used[0].size :]
        self.dof = int(used.sum()) + priors.size - start.shared.size - start.local.size
        self.chi2 = float(np.sum(residual**2))
        self.formal: Information = information(by_shared, by_local)
        self.correlation_time = correlation_time(self.residual, used)
        self.misfit = self.chi2 / max(self.dof, 1)
        self.inflation = float(np.sqrt(max(self.misfit, 1.0) * self.correlation_time))
        # Many recordings tell by themselves how much they scatter; a few do not.
        self.from_scatter = residual.shape[0] >= ENOUGH_RECORDINGS + start.shared.size
        if self.from_scatter:
            self.covariance = between_recordings(by_shared, by_local, residual, self.formal)
        else:
            self.covariance = self.formal.shared * self.inflation**2

    def estimate(self, unknown: Unknown, coordinate: float, variance: float, unseen: bool, began: float) -> Estimate:
        """Value, standard error and status of one unknown."""
        value, spread = float(unknown.value(coordinate)), float(np.sqrt(max(variance, 0.0)))
        status, note = Determination.DETERMINED, ""
        if unseen or (unknown.about.transform != "identity" and spread > LOOSE):
            status, spread = Determination.NOT_DETERMINED, np.inf
        elif unknown.at_bound(value):
            status = Determination.AT_BOUND
            note = f"at the end of {unknown.about.interval}; the standard error does not apply"
        elif coordinate == began:
            status = Determination.AT_START
        about = unknown.about
        sd = spread * abs(unknown.slope(value)) if np.isfinite(spread) else np.inf
        return Estimate(unknown.name, about.label, about.symbol, about.unit, value, sd, float(unknown.value(began)), status, note)

    def shared(self) -> dict[str, Estimate]:
        """Estimates of the shared unknowns."""
        return {
            unknown.name: self.estimate(
                unknown, self.minimum.shared[i], self.covariance[i, i], bool(self.formal.open_shared[i]), self.start.shared[i]
            )
            for i, unknown in enumerate(self.problem.layout.shared_unknowns)
        }

    def local(self, r: int) -> dict[str, Estimate]:
        """Estimates of the unknowns of recording ``r``."""
        variances = np.diagonal(self.formal.local[r]) * self.inflation**2
        return {
            unknown.name: self.estimate(
                unknown, self.minimum.local[r, i], variances[i], bool(self.formal.open_local[r, i]), self.start.local[r, i]
            )
            for i, unknown in enumerate(self.problem.layout.local_unknowns)
        }

    def warnings(self, estimates: dict[str, Estimate]) -> list[str]:
        """Plain sentences, most important first."""
        found = []
        if not self.minimum.converged:
            found.append(f"The fit did not converge in {int(self.minimum.iterations)} iterations; its numbers are not to be used.")
        if self.misfit > MISFIT:
            found.append(
                f"The model does not explain the data: chi2 per degree of freedom is {self.misfit:.2f} where noise alone gives 1. Something is"
                " missing from the model (drag, spin, a length scale), or the samples are noisier than assumed."
            )
        for estimate in estimates.values():
            if estimate.status is Determination.NOT_DETERMINED:
                found.append(f"{estimate.label.capitalize()} ({estimate.name}) is not determined by these data.")
            elif estimate.status is Determination.AT_BOUND:
                found.append(f"{estimate.label.capitalize()} ({estimate.name}) = {estimate.value:.4g} is at a bound.")
            elif estimate.status is Determination.AT_START:
                found.append(f"{estimate.label.capitalize()} ({estimate.name}) never moved from its start; check that it acts on the data.")
        if self.from_scatter:
            found.append("Standard errors are taken from the scatter between the recordings, which contains every kind of correlation.")
        elif self.correlation_time > 1.2:
            found.append(
                f"Neighbouring residuals are correlated over about {self.correlation_time:.1f} samples; standard errors are enlarged for it."
            )
        return found

    def correlation(self, estimates: dict[str, Estimate]) -> tuple[tuple[str, ...], np.ndarray]:
        """Correlations of the determined shared unknowns."""
        kept = [i for i, item in enumerate(estimates.values()) if np.isfinite(item.sd) and item.sd > 0]
        block = self.covariance[np.ix_(kept, kept)]
        deviations = np.sqrt(np.diag(block))
        return tuple(list(estimates)[i] for i in kept), block / np.outer(deviations, deviations)

    def recordings(self) -> tuple[FittedRecording, ...]:
        """Data and prediction of each recording."""
        problem, samples = self.problem, self.problem.samples
        fitted = []
        predicted, simulations = predictions(problem.layout, problem.scene, self.minimum.shared, self.minimum.local, samples.times)
        contacts = simulations.contacts
        for r, recording in enumerate(problem.recordings):
            weight = samples.weight[r]
            count = problem.readings[r].stop - problem.readings[r].release
            used = weight[:count] > 0
            sigma = np.where(used, 1 / np.where(used, weight[:count], 1.0), np.nan)
            measured = np.where(used, samples.measured[r][:count], np.nan)
            happened = np.asarray(contacts.happened[r])
            fitted.append(
                FittedRecording(
                    name=recording.name,
                    axes=tuple("xyz"[i] for i in problem.layout.axes),
                    time=samples.times[r][:count] + problem.origins[r],
                    measured=measured,
                    predicted=np.asarray(predicted[r])[:count],
                    sigma=sigma,
                    bounce_times=np.asarray(contacts.touch_down[r])[happened] + problem.origins[r],
                    nuisance=self.local(r),
                    remarks=problem.readings[r].remarks,
                )
            )
        return tuple(fitted)

    def report(self, *, method: str, seconds: float) -> Fit:
        """The result as a person gets it."""
        estimates = self.shared()
        names, correlation = self.correlation(estimates)
        return Fit(
            parameters=estimates,
            names=names,
            correlation=correlation,
            chi2=self.chi2,
            dof=self.dof,
            inflation=self.inflation,
            converged=bool(self.minimum.converged),
            iterations=int(self.minimum.iterations),
            seconds=seconds,
            method=method,
            model=describe(self.problem),
            warnings=tuple(self.warnings(estimates)),
            recordings=self.recordings(),
        )


def describe(problem: Problem) -> str:
    """One sentence on the physics."""
    scene = problem.scene
    parts = [f"{type(problem.layout.method).__name__} method", type(scene.contact.normal).__name__, type(scene.contact.friction).__name__]
    parts += [type(item).__name__ for item in (scene.drag, scene.lift) if item is not None]
    return ", ".join(parts)
