"""Size and correlation time of the errors of each measured quantity (variance components), from the
residuals at a minimum.

They maximise the restricted likelihood of the linearised problem (``LinearisedProblem``). Standard
errors come with degrees of freedom (Satterthwaite 1946): a size found from few residuals is
uncertain.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from calibration.fitting.linearised import LinearisedProblem, component_of_rows
from calibration.noise.models import Automatic

WHITE = 0.02
"""Correlation of neighbours below which errors are white."""


class VarianceComponents(NamedTuple):
    """Sizes (in units of the weights) and correlation times [s] of the errors of each component,
    and how well they are known.

    ``information`` is the curvature of the restricted likelihood by the logarithms of what was
    found, ``free_size`` and ``free_time`` say which was.
    """

    size: np.ndarray
    time: np.ndarray
    free_size: np.ndarray
    free_time: np.ndarray
    information: np.ndarray


def known_times(linearised: LinearisedProblem) -> np.ndarray:
    """Correlation time of each component where its model says one [s]; else 0."""
    return np.asarray(
        [
            (component.model.time or 0.0) * component.series if component.model.correlated else 0.0
            for component in linearised.components
        ]
    )


def assume_weights(linearised: LinearisedProblem) -> VarianceComponents:
    """The variance components that the weights of the fit assume."""
    count = len(linearised.components)
    nothing = np.zeros(count, dtype=bool)
    return VarianceComponents(
        np.ones(count), known_times(linearised), nothing, nothing, np.zeros((0, 0))
    )


def estimate_noise(linearised: LinearisedProblem, *, doubt_stated: bool) -> VarianceComponents:
    """Find the sizes and correlation times of errors that are not known, from the residuals.

    Args:
        linearised: the problem at its minimum.
        doubt_stated: whether the sizes of stated errors are to be found, too, where no noise model
            was given for them: the misfit contradicts them.
    """
    components, time = linearised.components, known_times(linearised)
    doubted = [isinstance(one.model, Automatic) and doubt_stated for one in components]
    asked = [one.model.robust or one.model.estimates_size(one.stated) for one in components]
    free_size = np.asarray([a or b for a, b in zip(asked, doubted, strict=True)], dtype=bool)
    by_chance = 1 / np.sqrt(np.maximum(linearised.counts, 1.0))
    looks_correlated = np.asarray(
        [isinstance(one.model, Automatic) and one.series for one in components]
    ) & (linearised.neighbours() > by_chance)
    asked_time = np.asarray(
        [one.model.correlated and one.series for one in components], dtype=bool
    ) & (time == 0)
    computed = linearised.computed
    tells = (linearised.counts - linearised.used_up() >= 1) & ~computed
    found = maximise_restricted_likelihood(
        linearised,
        np.where(free_size & computed, linearised.finest(), 1.0),
        time,
        free_size & tells,
        (asked_time | looks_correlated) & tells,
    )
    # Stated deviations are at most enlarged.
    stated = np.asarray([a and not b for a, b in zip(doubted, asked, strict=True)], dtype=bool)
    size = np.where(stated, np.maximum(found.size, 1.0), found.size)
    # Few numbers may lie close to a curve by chance, but not closer than their digits tell.
    size = np.where(asked, np.maximum(size, linearised.rounding()), size)
    return found._replace(size=size * linearised.enlargement)


def maximise_restricted_likelihood(
    linearised: LinearisedProblem,
    size: np.ndarray,
    time: np.ndarray,
    free_size: np.ndarray,
    free_time: np.ndarray,
) -> VarianceComponents:
    """Maximise the restricted likelihood over the sizes and times that are free, from those given.

    Args:
        linearised: the linearised problem.
        size: of each component; those that are not free keep it.
        time: correlation time of each component [s], likewise.
        free_size: which sizes are to be found.
        free_time: which correlation times are to be found.
    """
    sizes, count = int(free_size.sum()), int(free_size.sum() + free_time.sum())
    step = linearised.interval()

    def unpack(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        here, there = size.copy(), time.copy()
        here[free_size], there[free_time] = np.exp(x[:sizes]), np.exp(x[sizes:])
        return here, there

    def objective(x: np.ndarray) -> float:
        return linearised.likelihood(*unpack(x))

    if count == 0:
        return VarianceComponents(size, time, free_size, free_time, np.zeros((0, 0)))
    shortest = np.where(step > 0, step, 1.0) / -np.log(WHITE)
    low = np.concatenate([np.full(sizes, -20.0), np.log(0.5 * shortest)[free_time]])
    high = np.concatenate([np.full(sizes, 20.0), np.log(1e4 * shortest)[free_time]])
    began = np.concatenate(
        [
            np.log(_rough_size(linearised)[free_size]),
            np.log(np.maximum(_rough_time(linearised, step), shortest))[free_time],
        ]
    )
    best, information = _newton(objective, np.clip(began, low, high), low, high)
    best_size, best_time = unpack(best)
    best_time = np.where(free_time & (best_time <= shortest), 0.0, best_time)
    return VarianceComponents(best_size, best_time, free_size, free_time, information / 2)


def _rough_size(linearised: LinearisedProblem) -> np.ndarray:
    left = np.maximum(linearised.counts - linearised.used_up(), 1.0)
    return np.sqrt(np.maximum(linearised.summed(lambda piece: piece.residual**2), 1e-12) / left)


def _rough_time(linearised: LinearisedProblem, step: np.ndarray) -> np.ndarray:
    rho = np.clip(linearised.neighbours(), WHITE, 0.98)
    return step / -np.log(rho)


DIFFERENCE = 2e-3
"""Step of the central differences by logarithms of sizes and times."""


def _slope_and_curvature(
    function: Callable[[np.ndarray], float], x: np.ndarray, value: float
) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives of a smooth function by central differences."""
    shifts, size = DIFFERENCE * np.eye(x.size), x.size
    sides = np.asarray([[function(x + shift), function(x - shift)] for shift in shifts])
    second = np.diag((sides[:, 0] + sides[:, 1] - 2 * value) / DIFFERENCE**2)
    for i in range(size):
        for j in range(i + 1, size):
            corners = [
                function(x + a * shifts[i] + b * shifts[j])
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            second[i, j] = second[j, i] = (corners[0] - corners[1] - corners[2] + corners[3]) / (
                4 * DIFFERENCE**2
            )
    return (sides[:, 0] - sides[:, 1]) / (2 * DIFFERENCE), second


def _newton(
    function: Callable[[np.ndarray], float], x: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Minimum of a smooth function of few variables between bounds, and its second derivatives
    there.
    """
    value = function(x)
    for _ in range(30):
        slope, second = _slope_and_curvature(function, x, value)
        eigenvalues, vectors = np.linalg.eigh(second)
        # Downhill also where the function bends down; a flat direction takes a step of one.
        step = -vectors @ ((vectors.T @ slope) / np.maximum(np.abs(eigenvalues), 1e-3))
        step /= max(float(np.max(np.abs(step), initial=0.0)), 1.0)
        for _ in range(8):
            ahead = np.clip(x + step, low, high)
            reached = function(ahead)
            if reached <= value:
                break
            step = step / 4
        else:
            break
        moved, x, value = float(np.max(np.abs(ahead - x), initial=0.0)), ahead, reached
        if moved < 1e-5:
            break
    return x, second


def degrees_of_freedom(linearised: LinearisedProblem, found: VarianceComponents) -> np.ndarray:
    """Satterthwaite's degrees of freedom of the variance of each shared coordinate, (S,): ``2 V^2 /
    var(V)``; infinite for known noise.
    """
    followed = linearised.followed
    shared = linearised.working[0].by_shared.shape[-1]
    count = found.information.shape[0]
    known = np.full(shared, np.inf)
    if count == 0:
        return known
    gradient, step = np.zeros((count, shared)), 1e-3
    places = [(0, i) for i in np.flatnonzero(found.free_size)] + [
        (1, i) for i in np.flatnonzero(found.free_time)
    ]
    for row, (which, i) in enumerate(places):
        sides = []
        for sign in (1, -1):
            pair = [found.size.copy(), found.time.copy()]
            pair[which][i] *= np.exp(sign * step)
            sides.append(
                np.log(np.maximum(np.diag(linearised.covariance(*pair, followed=followed)), 1e-300))
            )
        gradient[row] = (sides[0] - sides[1]) / (2 * step)
    eigenvalues, vectors = np.linalg.eigh(found.information)
    # A direction without curvature (a time at its end) tells nothing of the variance.
    inverse = (vectors / np.where(eigenvalues > 1e-3, eigenvalues, np.inf)) @ vectors.T
    relative = np.einsum("is,ij,js->s", gradient, inverse, gradient)
    return np.where(relative > 0, 2 / np.where(relative > 0, relative, 1.0), known)


def covariance_of_uncertain_weights(
    linearised: LinearisedProblem, found: VarianceComponents
) -> np.ndarray:
    """What the covariance of the shared coordinates lacks since the sizes by which the fit weighs
    are estimates themselves, (S, S).

    ``2 sum W_ij cov(d x/d s_i, d x/d s_j)``, W the covariance of the sizes: once for the scatter it
    makes, once because a covariance at estimated sizes is too small on average (Kackar and Harville
    1984, Harville and Jeske 1992). Zero where all have one size.
    """
    followed = linearised.followed
    free = [int(i) for i in np.flatnonzero(found.free_size)]
    shared = linearised.working[0].by_shared.shape[-1]
    if not any(followed[i] for i in free) or len(linearised.components) < 2:
        return np.zeros((shared, shared))
    equations = linearised.normal_equations(
        np.where(followed, found.size, 1.0), np.where(followed, found.time, 0.0)
    )
    bread, _ = equations.covariance()
    count = len(linearised.components)
    own, cross = np.zeros((count, shared, shared)), np.zeros((count, count, shared, shared))
    for pieces, block, part in zip(
        linearised.batches, equations.blocks, equations.parts, strict=False
    ):
        member = component_of_rows(pieces, block)
        local = [
            np.einsum(
                "rns,rnl->rsl", part.projected[:, member == i], block.by_local[:, member == i]
            )
            for i in range(count)
        ]
        for i in range(count):
            own[i] += np.einsum(
                "rns,rnt->st", part.projected[:, member == i], part.projected[:, member == i]
            )
            for j in range(count):
                cross[i, j] += np.einsum("rsl,rlm,rtm->st", local[i], part.inverse, local[j])
    of_sizes = np.linalg.pinv(found.information, hermitian=True)
    total = np.zeros((shared, shared))
    for a, i in enumerate(free):
        for b, j in enumerate(free):
            if followed[i] and followed[j]:
                inner = (own[i] if i == j else 0.0) - own[i] @ bread @ own[j] - cross[i, j]
                total += 2 * of_sizes[a, b] * 4 * bread @ inner @ bread
    return (total + total.T) / 2
