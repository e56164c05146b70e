"""Fits from many starts at once, in one ``vmap``: whether the optimum that was found is the only
one, and the best.
"""

import dataclasses
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import jax
import numpy as np
from scipy.stats import norm, qmc

from calibration.errors import InputError
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.follow import enlarge
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.solve import (
    check_method,
    default_steps,
    has_strayed,
    minimise_from,
    settle_noise,
)
from calibration.fitting.start import starting_point
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal
from calibration.optimise.batched import minimise_each
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.least_squares import Method
from calibration.problem.problem import Problem
from calibration.results import sentences
from calibration.results.result import Fit

DECADES = 2.0
"""A positive quantity without upper bound is sought over so many powers of ten on either side of
its start.
"""

LANES = 64
"""Starts in one ``vmap``; more gain nothing."""

EDGE = 0.02
"""Part of a bounded interval that is left out at either end."""


@dataclasses.dataclass(frozen=True)
class MultiStart:
    """Fits from many starts, best first.

    Attributes:
        fit: the best, judged as ``fit`` does.
        starts: (n,) values by name where each began.
        values: (n,) values by name where each ended.
        chi2: (n,) of each; infinite where it came to nothing.
        converged: (n,) whether the optimiser met its tolerance.
        reached: (n,) whether it converged to the best optimum.
        seconds: of all.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> found = cal.multi_start(problem, starts=4)
        >>> print(found)
        4 of 4 starts reached the best optimum.
          1. chi2 = 2             4 starts best           contact.normal.restitution = 0.8
        >>> found.share
        1.0
    """

    fit: Fit
    starts: tuple[dict[str, float], ...]
    values: tuple[dict[str, float], ...]
    chi2: Annotated[np.ndarray, "starts"]
    converged: Annotated[np.ndarray, "starts"]
    reached: Annotated[np.ndarray, "starts"]
    seconds: float

    @property
    def share(self) -> float:
        """Part of the starts that reached the best optimum."""
        return float(np.mean(self.reached))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Plain sentences."""
        elsewhere = int(np.sum(self.converged & ~self.reached))
        lost = int(np.sum(~self.converged))
        found = sentences.simulations(self.fit.simulations)
        if self.reached.sum() < 2:
            found.append(
                "Only one start reached the best optimum found; there may be a better one. "
                "Give more starts, or narrower bounds."
            )
        if elsewhere:
            delta_chi2 = float(np.min(self.chi2[self.converged & ~self.reached]) - self.chi2[0])
            found.append(
                f"{elsewhere} of {len(self.chi2)} starts ended in other, worse optima (chi2 "
                f"higher by {delta_chi2:.3g} or more)."
            )
        if lost:
            found.append(f"{lost} of {len(self.chi2)} starts did not converge.")
        return tuple(found)

    def rows(self) -> Iterator[tuple[int, float, int, str, dict[str, float]]]:
        """The waterfall, optima from the best on, each with rank, chi2, number of starts that ended
        there, what it is, values.
        """
        rank, first = 0, 0
        while first < len(self.chi2):
            if not self.converged[first]:
                rank += 1
                yield (
                    rank,
                    float(self.chi2[first]),
                    len(self.chi2) - first,
                    "not converged",
                    self.values[first],
                )
                return
            count = int(
                np.sum(
                    self.converged
                    & (np.arange(len(self.chi2)) >= first)
                    & (self.chi2 <= self.chi2[first] + self.fit.assessment.policy.same_optimum)
                )
            )
            rank += 1
            yield (
                rank,
                float(self.chi2[first]),
                count,
                "best" if rank == 1 else "worse",
                self.values[first],
            )
            first += count

    def __str__(self) -> str:
        lines = [f"{self.reached.sum()} of {len(self.chi2)} starts reached the best optimum."]
        for rank, chi2, count, what, values in self.rows():
            found = ", ".join(f"{name} = {value:.4g}" for name, value in values.items())
            lines.append(
                f"{rank:3d}. chi2 = {chi2:<10.6g} {count:4d} "
                f"start{'s' if count > 1 else ' '} {what:14s} {found}"
            )
        return "\n".join([*lines, *self.warnings])


def multi_start(
    problem: Problem,
    starts: int | Sequence[Mapping[str, float]] = 50,
    *,
    seed: int = 0,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
) -> MultiStart:
    """Fit from many starts in one ``vmap``, and judge the best optimum.

    Random starts are a Latin hypercube in the free shared parameters: over their prior where they
    have one, else over their bounds, else over two powers of ten on either side of the scene's
    value (for quantities that may be negative: three times its size about it). Parameters of one
    trial begin at the automatic reading.

    Args:
        problem: what to fit.
        starts: how many random ones, or the values of shared parameters by name of each.
        seed: of the random ones.
        method: as in ``fit``.
        steps: as in ``fit``, of each.
        policy: thresholds by which the minima are judged.

    Raises:
        InputError: no start, a name that is not free, an unknown method.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> cal.multi_start(problem, 4).share
        1.0
    """
    check_method(method)
    began = time.perf_counter()
    with jax.enable_x64(True):
        usual = starting_point(problem, {})
        if isinstance(starts, int):
            if starts < 1:
                raise InputError(
                    f"multi_start: starts = {starts}",
                    remedy="Give at least one; 20 to 200 are usual.",
                )
            guesses = random_starts(problem, usual, starts, seed)
        else:
            if not starts:
                raise InputError(
                    "multi_start: starts is empty", remedy="Give at least one, or a number."
                )
            guesses = np.stack([starting_point(problem, one).shared for one in starts])
        shared, local, converged, chi2 = _second_chance(
            problem,
            usual,
            guesses,
            method=method,
            steps=steps or default_steps(method),
            policy=policy,
        )
        order = np.lexsort((np.where(np.isfinite(chi2), chi2, np.inf), ~converged))
        best = usual.from_minimum(
            Minimum(shared[order[0]], tuple(own[order[0]] for own in local), 0, converged[order[0]])
        )
        assessment = minimise_from(
            problem,
            best,
            method=method,
            steps=steps or default_steps(method),
            led=True,
            policy=policy,
        )
        assessment = dataclasses.replace(assessment, start=usual)
        layout, helps = enlarge(assessment)
        if helps and layout is not assessment.layout:
            larger = problem.with_layout(layout)
            return multi_start(larger, starts, seed=seed, method=method, steps=steps, policy=policy)
        lowest = min(assessment.chi2, float(chi2[order[0]]))
        noisy, assessment = settle_noise(problem, assessment, method=method, steps=steps)
        fit = report(
            noisy,
            assessment,
            estimate_shared(assessment),
            method=method,
            seconds=time.perf_counter() - began,
        )
    parameters = problem.layout.global_parameters

    def named(row: np.ndarray) -> dict[str, float]:
        return {
            parameter.name: float(parameter.value(value))
            for parameter, value in zip(parameters, row, strict=True)
        }

    with jax.enable_x64(True):
        return MultiStart(
            fit=fit,
            starts=tuple(named(guesses[i]) for i in order),
            values=tuple(named(shared[i]) for i in order),
            chi2=chi2[order],
            converged=converged[order],
            reached=converged[order] & (chi2[order] <= lowest + policy.same_optimum),
            seconds=time.perf_counter() - began,
        )


def random_starts(problem: Problem, usual: Start, count: int, seed: int) -> np.ndarray:
    """Coordinates of shared parameters (count, S); frozen ones stay."""
    parameters = problem.layout.global_parameters
    found = np.tile(usual.shared, (count, 1))
    free = np.flatnonzero(~usual.frozen)
    if free.size:
        places = qmc.LatinHypercube(d=free.size, rng=np.random.default_rng(seed)).random(count)
        for column, index in enumerate(free):
            parameter = parameters[index]
            values = spread_over(
                parameter, float(parameter.value(usual.shared[index])), places[:, column]
            )
            found[:, index] = [float(parameter.coordinate(value)) for value in values]
    return found


def spread_over(parameter: Parameter, start: float, places: np.ndarray) -> np.ndarray:
    """Values of an unknown for ``places`` in (0, 1)."""
    about, prior = parameter.about, parameter.prior
    low, high = about.interval.low, about.interval.high
    inside = EDGE + (1 - 2 * EDGE) * places
    if isinstance(prior, Normal):
        values = prior.mean + prior.sd * norm.ppf(inside)
    elif isinstance(prior, LogNormal):
        values = prior.median * prior.factor ** norm.ppf(inside)
    elif math.isfinite(low) and math.isfinite(high):
        positive = about.transform == "log" and low > 0
        values = low * (high / low) ** inside if positive else low + (high - low) * inside
    elif about.transform == "log":
        values = max(start, 1e-12) * 10 ** (DECADES * (2 * places - 1))
    else:
        values = start + 3 * max(abs(start), 1.0) * (2 * places - 1)
    return np.clip(values, low, high)


def _second_chance(
    problem: Problem,
    usual: Start,
    guesses: np.ndarray,
    *,
    method: Method,
    steps: int,
    policy: FitPolicy,
) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Minima from the guesses, with a second chance for logarithmic coordinates that strayed to
    where the data do not see them.

    As in ``fit``: these begin again at the scene's value, the others as found; the better of both
    counts.
    """
    first = _minima(problem, usual, guesses, method=method, steps=steps)
    strayed = has_strayed(problem, first[0], usual.shared, policy)
    lost = np.flatnonzero(np.any(strayed, axis=1) | ~first[2])
    if lost.size == 0:
        return first
    again = np.where(strayed | ~np.isfinite(first[0]), usual.shared, first[0])[lost]
    second = _minima(problem, usual, again, method=method, steps=steps)
    better = np.where(second[2], second[3], np.inf) < np.where(first[2], first[3], np.inf)[lost]
    shared, local, converged, chi2 = jax.tree.map(np.array, first)
    for whole, part in zip(
        jax.tree.leaves((shared, local, converged, chi2)), jax.tree.leaves(second), strict=True
    ):
        whole[lost[better]] = part[better]
    return shared, local, converged, chi2


def _minima(
    problem: Problem, usual: Start, guesses: np.ndarray, *, method: Method, steps: int
) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Shared and own coordinates, convergence and chi-squared of each minimum."""
    lanes, parts = LANES, []
    for first in range(0, len(guesses), lanes):
        rows = np.minimum(
            np.arange(first, first + lanes), len(guesses) - 1
        )  # the last part is filled up: same size, same code
        local = tuple(np.broadcast_to(own, (lanes, *own.shape)) for own in usual.local)
        start = usual._replace(shared=guesses[rows], local=local)
        found, chi2, _ = minimise_each(
            problem.layout,
            problem.scene,
            problem.data,
            start,
            each=(False, True),
            method=method,
            steps=steps,
        )
        parts.append((found.shared, found.local, found.converged, chi2))
    shared, local, converged, chi2 = jax.tree.map(
        lambda *columns: np.concatenate(columns)[: len(guesses)], *parts
    )
    return shared, local, converged & np.isfinite(chi2), chi2
