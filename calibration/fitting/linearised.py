"""The problem of a fit linearised at its minimum, seen as one of unknown variances.

Restricted maximum likelihood (Patterson and Thompson 1971) integrates the parameters out, so that
the degrees of freedom the fit uses up are counted where they are used: ``-2 l = ln|V| + ln|J' V^-1
J| + r' P r``, with the covariance V of the errors, and ``P`` the projection that leaves what no
change of the parameters can undo. Correlated errors are those of Ornstein and Uhlenbeck
(``calibration.noise.whitening``).
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from calibration.model.samples import ROUNDING, Samples, finest_deviation, rounding_deviation
from calibration.noise.models import Automatic, Errors, NoiseModel
from calibration.noise.whitening import make_whitening, unwhiten
from calibration.optimise.normal_equations import NormalEquations, compute_leverage
from calibration.problem.residuals import Block
from calibration.problem.rows import Rows, label_rows, stack_rows
from calibration.problem.table_batch import count_from_zero

RIDGE = 1e-10
"""Added to the diagonal of scaled normal equations, where what nothing depends on changes no
difference of likelihoods.
"""

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
    """Residuals of one observation of the trials of one batch, before whitening and loss.

    Attributes:
        deviation: (R, n, k) residuals in standard deviations.
        residual: the same, under a robust loss their influence.
        by: (R, n, k, L + S) derivatives by own and shared coordinates.
        used: (R, n, k) whether there is a number.
        times: (R, n) [s].
        component: (k,) which component each column belongs to.
        rows: where its numbers are in the stacked residual of a trial.
        finest: (k,) least size of the errors of each column that is believed.
        rounding: (k,) size of the errors of each column by its last digit.
    """

    deviation: np.ndarray
    residual: np.ndarray
    by: np.ndarray
    used: np.ndarray
    times: np.ndarray
    component: np.ndarray
    rows: Rows
    finest: np.ndarray
    rounding: np.ndarray


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


def plain(residual: np.ndarray, by: np.ndarray, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
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


@dataclasses.dataclass(frozen=True, eq=False)
class LinearisedProblem:
    """The linearised problem at a minimum; ``linearise`` makes it.

    Attributes:
        components: measured quantities.
        batches: residuals of each observation, of each batch of trials.
        working: blocks after robust losses are replaced by their influence: ``sum psi' J'J`` is the
            information, ``J' psi`` the pull; at last those of shared priors.
        unevenness: of the influence of each component, ``var(psi')/mean(psi')^2``; 0 without a
            robust loss.
    """

    components: tuple[Component, ...]
    batches: tuple[tuple[Piece, ...], ...]
    working: tuple[Block, ...]
    unevenness: np.ndarray

    @cached_property
    def known(self) -> tuple[np.ndarray, ...]:
        """Which rows (N,) of each block are known beforehand, not measured."""
        blocks = len(self.batches)
        own = zip(self.batches, self.working[:blocks], strict=True)
        return (
            *(component_of_rows(pieces, block) < 0 for pieces, block in own),
            *(np.ones(block.residual.shape[1], dtype=bool) for block in self.working[blocks:]),
        )

    @cached_property
    def equations(self) -> NormalEquations:
        """Normal equations, weighed as the fit weighs."""
        return NormalEquations.of(self.working, self.known)

    @cached_property
    def counts(self) -> np.ndarray:
        """Numbers of each component that were measured."""
        return self.summed(lambda piece: piece.used.astype(float))

    @cached_property
    def enlargement(self) -> np.ndarray:
        """Factor on the sizes of errors of robust fits to few numbers.

        ``1 + (p/n) var(psi')/mean(psi')^2`` (Huber and Ronchetti, Robust Statistics (2009),
        section 7.6).
        """
        return 1 + self.unevenness * self.used_up() / np.maximum(self.counts, 1.0)

    @property
    def automatic(self) -> bool:
        """Whether no quantity has a noise model of its own."""
        return all(isinstance(component.model, Automatic) for component in self.components)

    @property
    def stated(self) -> bool:
        """Whether the standard deviations of all quantities were stated."""
        return all(component.stated for component in self.components)

    @property
    def followed(self) -> np.ndarray:
        """Whether the fit weighs by the size and correlation time of each component. It does where
        the model says so, without a robust loss.
        """
        return np.asarray(
            [
                not (isinstance(component.model, Automatic) or component.model.robust)
                for component in self.components
            ],
            dtype=bool,
        )

    def summed(self, of: Callable[[Piece], np.ndarray]) -> np.ndarray:
        """Sum of ``of(piece)`` (R, n, k) over the numbers of each component."""
        total = np.zeros(len(self.components))
        for piece in (piece for pieces in self.batches for piece in pieces):
            np.add.at(total, piece.component, np.where(piece.used, of(piece), 0.0).sum(axis=(0, 1)))
        return total

    def finest(self) -> np.ndarray:
        """Least size of the errors of each component that is believed."""
        return self.largest(lambda piece: piece.finest)

    def rounding(self) -> np.ndarray:
        """Size of the errors of each component by the last digits of its numbers."""
        return self.largest(lambda piece: piece.rounding)

    def largest(self, of: Callable[[Piece], np.ndarray]) -> np.ndarray:
        """Largest of ``of(piece)`` (k,) of the columns of each component."""
        found = np.zeros(len(self.components))
        for piece in (piece for pieces in self.batches for piece in pieces):
            np.maximum.at(found, piece.component, of(piece))
        return found

    @cached_property
    def acts(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Whether any number depends on each coordinate.

        On the own ones (R, L) of the trials of each batch, and on shared ones (S,).
        """
        local, shared = [], np.zeros(self.working[0].by_shared.shape[-1], dtype=bool)
        for pieces, block in zip(self.batches, self.working, strict=False):
            depends = np.any(
                [np.any((piece.by != 0) & piece.used[..., None], axis=(1, 2)) for piece in pieces],
                axis=0,
            )
            count = block.by_local.shape[-1]
            local.append(depends[:, :count])
            shared |= depends[:, count:].any(axis=0)
        return tuple(local), shared

    @cached_property
    def computed(self) -> np.ndarray:
        """Whether each component was computed, not measured.

        Its residuals are below the least errors that are believed, and those that were assumed are
        not. What is left is of digits and of the search, and neither its size nor its shape tells
        of errors.
        """
        left, finest = self.counts - self.used_up(), self.finest()
        power = self.summed(lambda piece: piece.residual**2) / np.maximum(left, 1.0)
        return np.asarray((left >= 1) & (power < finest**2) & (finest <= 1 + ROUNDING))

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
        equations = self.equations
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
        """(L + S + 1) columns of each batch (R, N, .), weighed by sizes and made white; and
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
            ),
            self.known,
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
                inverse, determinant = invert_each(inner)
                total += float(np.sum(determinant))
                left -= np.einsum("rli,rlm,rmj->ij", cross, inverse, cross, optimize=True)
        if shared:
            inverse, determinant = invert_each(left[None, :shared, :shared])
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


def invert_each(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def linearise(
    blocks: tuple[Block, ...], data: tuple[Any, ...], errors: tuple[tuple[Errors, ...], ...]
) -> LinearisedProblem:
    """Linearise a problem at its minimum, robust losses replaced by their influence.

    Args:
        blocks: residuals and their derivatives by free coordinates, of each batch of trials; at
            last those of shared priors.
        data: of each batch of trials.
        errors: of each observation of each batch.
    """
    components = components_of(errors)
    unevenness = np.zeros(len(components))
    batches: list[tuple[Piece, ...]] = []
    working = list(blocks)
    for g, (block, own, about) in enumerate(zip(blocks, data, errors, strict=False)):
        by = np.concatenate([block.by_local, block.by_shared], axis=-1)
        residual, pieces = np.array(block.residual), []
        for samples, error, rows in zip(own.samples, about, stack_rows(own.samples), strict=True):
            index = [components.index(component) for component in columns_of(error)]
            deviation, slopes = plain(rows.take(residual), rows.take(by), samples)
            here, used = deviation, np.asarray(samples.weight) > 0
            if samples.loss is not None:
                # Influence in place of residuals; the mean of its slope is part of the Jacobian.
                influence, bend = samples.loss.influence(deviation)
                mean = np.sum(np.where(used, bend, 0.0)) / max(np.count_nonzero(used), 1)
                mean = max(mean, LEAST_SLOPE)
                here, slopes = influence / np.sqrt(mean), slopes * np.sqrt(mean)
                rows.put(residual, here)
                rows.put(by, slopes)
                unevenness[index] = np.var(bend[used]) / mean**2
            times = np.asarray(samples.times)
            measured, weight = np.asarray(samples.measured), np.asarray(samples.weight)
            from_zero = count_from_zero(own)
            finest = finest_deviation(measured, used, from_zero=from_zero)
            rounding = rounding_deviation(measured, used, from_zero=from_zero)
            pieces.append(
                Piece(
                    deviation,
                    here,
                    slopes,
                    used,
                    times,
                    np.asarray(index),
                    rows,
                    np.max(finest * weight, axis=(0, 1)),
                    np.max(rounding * weight, axis=(0, 1)),
                )
            )
        batches.append(tuple(pieces))
        local = block.by_local.shape[-1]
        working[g] = Block(residual, by[..., local:], by[..., :local])
    return LinearisedProblem(components, tuple(batches), tuple(working), unevenness)
