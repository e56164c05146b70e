"""Size and correlation time of the errors of each measured quantity, from the residuals at a
minimum.

The problem is taken as linear there. Restricted maximum likelihood (Patterson and Thompson 1971)
integrates the parameters out, so that the degrees of freedom the fit uses up are counted where they
are used: ``-2 l = ln|V| + ln|J' V^-1 J| + r' P r``, with the covariance V of the errors, and ``P``
the projection that leaves what no change of the parameters can undo. Correlated errors are those of
Ornstein and Uhlenbeck (``whitening``). Standard errors come with degrees of freedom (Satterthwaite
1946): a size found from few residuals is uncertain.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calibration.noise.models import Errors, NoiseModel
from calibration.noise.whitening import make_whitening, unwhiten
from calibration.optimise.normal_equations import NormalEquations, compute_leverage
from calibration.problem.residuals import Block
from calibration.problem.rows import Rows, label_rows, stack_rows

RIDGE = 1e-10
"""Added to the diagonal of scaled normal equations, where what nothing depends on changes no
difference of likelihoods.
"""

WHITE = 0.02
"""Correlation of neighbours below which errors are white."""

LEAST_SLOPE = 0.05
"""Least mean slope of the influence of a robust loss that is believed. One that hardly answers to
any residual still has a scale.
"""


class Component(NamedTuple):
    """One measured quantity: its model, name, and whether its standard deviation was stated and its
    numbers are a series in time.
    """

    model: NoiseModel
    quantity: str
    stated: bool
    series: bool


class Piece(NamedTuple):
    """Residuals of one observation of the trials of one kind, before whitening and loss.

    Attributes:
        deviation: (R, n, k) residuals in standard deviations.
        residual: the same, under a robust loss their influence.
        by: (R, n, k, L + S) derivatives by own and shared coordinates.
        used: (R, n, k) whether there is a number.
        times: (R, n) [s].
        component: (k,) which component each column belongs to.
        rows: where its numbers are in the stacked residual of a trial.
    """

    deviation: np.ndarray
    residual: np.ndarray
    by: np.ndarray
    used: np.ndarray
    times: np.ndarray
    component: np.ndarray
    rows: Rows


def components_of(errors: tuple[tuple[Errors, ...], ...]) -> tuple[Component, ...]:
    """The measured quantities of all batches of trials, each once."""
    return tuple(
        dict.fromkeys(
            component for batch in errors for own in batch for component in columns_of(own)
        )
    )


def columns_of(errors: Errors) -> tuple[Component, ...]:
    """The component of each column."""
    return tuple(
        Component(errors.model, name, stated, errors.series)
        for name, stated in zip(errors.quantities, errors.stated, strict=True)
    )


def component_of_rows(pieces: Sequence[Piece], block: Block) -> np.ndarray:
    """Which component each row (N,) of the stacked residual of a trial belongs to, -1 for what is
    known beforehand.
    """
    rows, components = [piece.rows for piece in pieces], [piece.component for piece in pieces]
    return label_rows(rows, components, block.residual.shape[1])


def plain(residual: np.ndarray, by: np.ndarray, samples: Any) -> tuple[np.ndarray, np.ndarray]:
    """Residuals (R, n, k) and derivatives (R, n, k, p) before the loss and the whitening of their
    samples.
    """
    if samples.loss is not None:
        deviation = samples.loss.deviation(residual)
        # d residual / d deviation = psi/residual, whose limit at 0 is taken beside it.
        near = np.where(np.abs(deviation) < 1e-7, 1e-7, deviation)
        slope = samples.loss.influence(near)[0] / np.asarray(samples.loss.residual(near))
        residual, by = deviation, by / slope[..., None]
    if samples.whitening is not None:
        together = unwhiten(np.concatenate([residual[..., None], by], axis=-1), samples.whitening)
        residual, by = together[..., 0], together[..., 1:]
    return residual, by


class VarianceComponents:
    """The linearised problem at a minimum, seen as one of unknown variances.

    Args:
        blocks: residuals and their derivatives by free coordinates, of each batch of trials, at
            last of shared priors.
        data: of each batch of trials.
        errors: of each observation of each kind.

    Attributes:
        components: measured quantities.
        enlargement: of the standard errors of robust fits to few numbers: ``1 + (p/n)
            var(psi')/mean(psi')^2`` (Huber and Ronchetti, Robust Statistics (2009), section 7.6).
        working: blocks after robust losses are replaced by their influence: ``sum psi' J'J`` is the
            information, ``J' psi`` the pull.
    """

    def __init__(
        self,
        blocks: tuple[Block, ...],
        data: tuple[Any, ...],
        errors: tuple[tuple[Errors, ...], ...],
    ) -> None:
        self.components = components_of(errors)
        self.batches: list[list[Piece]] = []
        unevenness = np.zeros(len(self.components))
        working = list(blocks)
        for g, (block, own, about) in enumerate(zip(blocks, data, errors, strict=False)):
            by = np.concatenate([block.by_local, block.by_shared], axis=-1)
            residual, pieces = np.array(block.residual), []
            for samples, error, rows in zip(
                own.samples, about, stack_rows(own.samples), strict=True
            ):
                here, slopes = plain(rows.take(residual), rows.take(by), samples)
                used, deviation = np.asarray(samples.weight) > 0, here
                if samples.loss is not None:
                    # Influence in place of residuals; the mean of its slope is part of the
                    # Jacobian.
                    influence, bend = samples.loss.influence(here)
                    mean = np.sum(np.where(used, bend, 0.0)) / max(np.count_nonzero(used), 1)
                    mean = max(mean, LEAST_SLOPE)
                    here, slopes = influence / np.sqrt(mean), slopes * np.sqrt(mean)
                    rows.put(residual, here)
                    rows.put(by, slopes)
                    unevenness[
                        [self.components.index(component) for component in columns_of(error)]
                    ] = np.var(bend[used]) / mean**2
                index = [self.components.index(component) for component in columns_of(error)]
                pieces.append(
                    Piece(
                        deviation,
                        here,
                        slopes,
                        used,
                        np.asarray(samples.times),
                        np.asarray(index),
                        rows,
                    )
                )
            self.batches.append(pieces)
            local = block.by_local.shape[-1]
            working[g] = Block(residual, by[..., local:], by[..., :local])
        self.working = tuple(working)
        self.counts = self.summed(lambda piece: piece.used.astype(float))
        self.enlargement = 1 + unevenness * self.used_up() / np.maximum(self.counts, 1.0)

    def summed(self, of: Any) -> np.ndarray:
        """Sum of ``of(piece)`` (R, n, k) over the numbers of each component."""
        total = np.zeros(len(self.components))
        for piece in (piece for pieces in self.batches for piece in pieces):
            np.add.at(total, piece.component, np.where(piece.used, of(piece), 0.0).sum(axis=(0, 1)))
        return total

    def interval(self) -> np.ndarray:
        """Median time between the numbers of each component [s]; 0 where they are no series."""
        found = np.zeros(len(self.components))
        for piece in (piece for pieces in self.batches for piece in pieces):
            steps = np.diff(piece.times, axis=1)
            if np.any(steps > 0):
                found[piece.component] = np.median(steps[steps > 0])
        return np.where([own.series for own in self.components], found, 0.0)

    def neighbours(self) -> np.ndarray:
        """Correlation of neighbouring residuals of each component, with the bias removed that the
        fit makes.
        """
        pairs = np.zeros(len(self.components))
        for piece in (piece for pieces in self.batches for piece in pieces):
            products = np.where(
                piece.used[:, 1:] & piece.used[:, :-1],
                piece.residual[:, 1:] * piece.residual[:, :-1],
                0.0,
            )
            np.add.at(pairs, piece.component, products.sum(axis=(0, 1)))
        power = self.summed(lambda piece: piece.residual**2)
        return pairs / np.where(power > 0, power, 1.0) + self.used_up() / np.maximum(
            self.counts, 1.0
        )

    def used_up(self) -> np.ndarray:
        """Degrees of freedom that the fit takes from each component: the sum of the leverages of
        its numbers.
        """
        equations = NormalEquations.of(self.working)
        covariance, _ = equations.covariance()
        total = np.zeros(len(self.components))
        for pieces, block, part in zip(self.batches, self.working, equations.parts, strict=False):
            taken = compute_leverage(part, block, covariance)
            for piece in pieces:
                here = np.where(piece.used, piece.rows.take(taken), 0.0)
                np.add.at(total, piece.component, here.sum(axis=(0, 1)))
        return total

    # ---- likelihood and covariance as functions of sizes and correlation times

    def weighed(self, size: np.ndarray, time: np.ndarray) -> tuple[list[np.ndarray], float]:
        """(L + S + 1) columns of each kind (R, N, .), weighed by sizes and made white; and
        ``ln|V|``.
        """
        found, determinant = [], float(2 * self.counts @ np.log(size))
        for pieces, block in zip(self.batches, self.working, strict=False):
            table = np.concatenate(
                [block.by_local, block.by_shared, block.residual[..., None]], axis=-1
            )
            for piece in pieces:
                columns = (
                    np.concatenate([piece.by, piece.residual[..., None]], axis=-1)
                    / size[piece.component][:, None]
                )
                if np.any(time[piece.component] > 0):
                    by = make_whitening(
                        piece.times, piece.used.astype(float), time[piece.component]
                    )
                    before = np.take_along_axis(columns, by.previous[..., None], axis=1)
                    left = 1 - by.correlation**2
                    columns = (columns - by.correlation[..., None] * before) / np.sqrt(left)[
                        ..., None
                    ]
                    determinant += float(np.sum(np.log(left)))
                piece.rows.put(table, np.where(piece.used[..., None], columns, 0.0))
            found.append(table)
        if len(self.working) > len(self.batches):
            prior = self.working[-1]
            found.append(np.concatenate([prior.by_shared, prior.residual[..., None]], axis=-1))
        return found, determinant

    def normal_equations(self, size: np.ndarray, time: np.ndarray) -> NormalEquations:
        """Normal equations of the problem weighed by sizes and made white."""
        tables, _ = self.weighed(size, time)
        shared = self.working[0].by_shared.shape[-1]
        return NormalEquations.of(
            tuple(
                Block(table[..., -1], table[..., -shared - 1 : -1], table[..., : -shared - 1])
                for table in tables
            )
        )

    def likelihood(self, size: np.ndarray, time: np.ndarray) -> float:
        """``-2 ln`` of the restricted likelihood, up to a constant."""
        tables, total = self.weighed(size, time)
        shared = self.working[0].by_shared.shape[-1]
        left = np.zeros((shared + 1, shared + 1))
        for table in tables:
            own = table.shape[-1] - shared - 1
            normal = np.einsum("rni,rnj->rij", table, table, optimize=True)
            inner, cross = normal[:, :own, :own], normal[:, :own, own:]
            left += normal[:, own:, own:].sum(axis=0)
            if own:
                inverse, determinant = _inverse(inner)
                total += float(np.sum(determinant))
                left -= np.einsum("rli,rlm,rmj->ij", cross, inverse, cross, optimize=True)
        if shared:
            inverse, determinant = _inverse(left[None, :shared, :shared])
            total += float(determinant[0])
            return total + float(left[-1, -1] - left[-1, :shared] @ inverse[0] @ left[:shared, -1])
        return total + float(left[-1, -1])

    def covariance(self, size: np.ndarray, time: np.ndarray, *, followed: np.ndarray) -> np.ndarray:
        """Covariance of the shared coordinates (S, S) where errors have certain sizes and
        correlation times.

        Args:
            size: of the errors of each component, in units of the weights of the fit.
            time: their correlation times [s].
            followed: components by whose sizes and times the fit weighs; it takes the others as
                white, of size 1 (a sandwich).
        """
        weigh = np.where(followed, size, 1.0), np.where(followed, time, 0.0)
        equations = self.normal_equations(*weigh)
        bread, _ = equations.covariance()
        filling = np.zeros_like(bread)
        for g, part in enumerate(equations.parts):
            pull = np.array(part.projected)
            for piece in self.batches[g] if g < len(self.batches) else ():
                here = piece.rows.take(pull)
                relative = (size / weigh[0])[piece.component][:, None]
                loose = (time > 0) & ~followed
                if np.any(loose[piece.component]):
                    here = _spread(here, piece.times, np.where(loose, time, 0.0)[piece.component])
                piece.rows.put(pull, here * relative)
            filling += np.einsum("rns,rnt->st", pull, pull)
        return bread @ filling @ bread


def _inverse(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverses and logarithms of the determinants of symmetric matrices (R, n, n)."""
    diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    outer = scale[:, :, None] * scale[:, None, :]
    whole = matrices / outer + RIDGE * np.eye(matrices.shape[-1])
    return np.linalg.inv(whole) / outer, np.linalg.slogdet(whole)[1] + 2 * np.sum(
        np.log(scale), axis=-1
    )


def _spread(pull: np.ndarray, times: np.ndarray, time: np.ndarray) -> np.ndarray:
    """``L' y`` of (R, n, k, S) columns, with ``L L'`` the correlation of the errors: its square is
    ``y' R y``.
    """
    gap = np.diff(times, axis=1)[..., None]
    rho = np.where(time > 0, np.exp(-gap / np.where(time > 0, time, 1.0)), 0.0)[..., None]
    found = np.array(pull)
    for i in range(pull.shape[1] - 2, -1, -1):
        found[:, i] += rho[:, i] * found[:, i + 1]
    found[:, 1:] *= np.sqrt(1 - rho**2)
    return found


class Spread(NamedTuple):
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


def restricted(
    parts: VarianceComponents,
    size: np.ndarray,
    time: np.ndarray,
    free_size: np.ndarray,
    free_time: np.ndarray,
) -> Spread:
    """Maximise the restricted likelihood over the sizes and times that are free, from those given.

    Args:
        parts: the linearised problem.
        size: of each component; those that are not free keep it.
        time: correlation time of each component [s], likewise.
        free_size: which sizes are to be found.
        free_time: which correlation times are to be found.
    """
    sizes, count = int(free_size.sum()), int(free_size.sum() + free_time.sum())
    step = parts.interval()

    def unpack(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        here, there = size.copy(), time.copy()
        here[free_size], there[free_time] = np.exp(x[:sizes]), np.exp(x[sizes:])
        return here, there

    def objective(x: np.ndarray) -> float:
        return parts.likelihood(*unpack(x))

    if count == 0:
        return Spread(size, time, free_size, free_time, np.zeros((0, 0)))
    shortest = np.where(step > 0, step, 1.0) / -np.log(WHITE)
    low = np.concatenate([np.full(sizes, -20.0), np.log(0.5 * shortest)[free_time]])
    high = np.concatenate([np.full(sizes, 20.0), np.log(1e4 * shortest)[free_time]])
    began = np.concatenate(
        [
            np.log(_rough_size(parts)[free_size]),
            np.log(np.maximum(_rough_time(parts, step), shortest))[free_time],
        ]
    )
    found, information = _newton(objective, np.clip(began, low, high), low, high)
    best_size, best_time = unpack(found)
    best_time = np.where(free_time & (best_time <= shortest), 0.0, best_time)
    return Spread(best_size, best_time, free_size, free_time, information / 2)


def _rough_size(parts: VarianceComponents) -> np.ndarray:
    left = np.maximum(parts.counts - parts.used_up(), 1.0)
    return np.sqrt(np.maximum(parts.summed(lambda piece: piece.residual**2), 1e-12) / left)


def _rough_time(parts: VarianceComponents, step: np.ndarray) -> np.ndarray:
    rho = np.clip(parts.neighbours(), WHITE, 0.98)
    return step / -np.log(rho)


DIFFERENCE = 2e-3
"""Step of the central differences by logarithms of sizes and times."""


def _slope_and_curvature(
    function: Any, x: np.ndarray, value: float
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
    function: Any, x: np.ndarray, low: np.ndarray, high: np.ndarray
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


def degrees_of_freedom(
    parts: VarianceComponents, spread: Spread, *, followed: np.ndarray
) -> np.ndarray:
    """Satterthwaite's degrees of freedom of the variance of each shared coordinate, (S,): ``2 V^2 /
    var(V)``; infinite for known noise.
    """
    shared = parts.working[0].by_shared.shape[-1]
    count = spread.information.shape[0]
    known = np.full(shared, np.inf)
    if count == 0:
        return known
    gradient, step = np.zeros((count, shared)), 1e-3
    places = [(0, i) for i in np.flatnonzero(spread.free_size)] + [
        (1, i) for i in np.flatnonzero(spread.free_time)
    ]
    for row, (which, i) in enumerate(places):
        sides = []
        for sign in (1, -1):
            pair = [spread.size.copy(), spread.time.copy()]
            pair[which][i] *= np.exp(sign * step)
            sides.append(
                np.log(np.maximum(np.diag(parts.covariance(*pair, followed=followed)), 1e-300))
            )
        gradient[row] = (sides[0] - sides[1]) / (2 * step)
    eigenvalues, vectors = np.linalg.eigh(spread.information)
    # A direction without curvature (a time at its end) tells nothing of the variance.
    inverse = (vectors / np.where(eigenvalues > 1e-3, eigenvalues, np.inf)) @ vectors.T
    relative = np.einsum("is,ij,js->s", gradient, inverse, gradient)
    return np.where(relative > 0, 2 / np.where(relative > 0, relative, 1.0), known)


def of_uncertain_weights(
    parts: VarianceComponents, spread: Spread, *, followed: np.ndarray
) -> np.ndarray:
    """What the covariance of the shared coordinates lacks since the sizes by which the fit weighs
    are estimates themselves, (S, S).

    ``2 sum W_ij cov(d x/d s_i, d x/d s_j)``, W the covariance of the sizes: once for the scatter it
    makes, once because a covariance at estimated sizes is too small on average (Kackar and Harville
    1984, Harville and Jeske 1992). Zero where all have one size.
    """
    free = [int(i) for i in np.flatnonzero(spread.free_size)]
    shared = parts.working[0].by_shared.shape[-1]
    if not any(followed[i] for i in free) or len(parts.components) < 2:
        return np.zeros((shared, shared))
    equations = parts.normal_equations(
        np.where(followed, spread.size, 1.0), np.where(followed, spread.time, 0.0)
    )
    bread, _ = equations.covariance()
    count = len(parts.components)
    own, cross = np.zeros((count, shared, shared)), np.zeros((count, count, shared, shared))
    for pieces, block, part in zip(parts.batches, equations.blocks, equations.parts, strict=False):
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
    spread_of_sizes = np.linalg.pinv(spread.information, hermitian=True)
    total = np.zeros((shared, shared))
    for a, i in enumerate(free):
        for b, j in enumerate(free):
            if followed[i] and followed[j]:
                inner = (own[i] if i == j else 0.0) - own[i] @ bread @ own[j] - cross[i, j]
                total += 2 * spread_of_sizes[a, b] * 4 * bread @ inner @ bread
    return (total + total.T) / 2
