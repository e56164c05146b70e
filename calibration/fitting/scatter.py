"""Scatter of impacts about their common restitution, as a variance component.

The deviations of ``RestitutionScatter`` have one standard deviation, found by restricted maximum
likelihood from the linearised problem: ``sd`` times the factor of ``ScatterSize``. It is a size
that few impacts tell, so that standard errors which follow from it have few degrees of freedom
(Satterthwaite 1946). The size of the errors of samples does not multiply it.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import minimize_scalar

from calibration.fitting.linearised import invert_each
from calibration.nuisances.restitution import DEVIATION, FACTOR
from calibration.optimise.normal_equations import NormalEquations
from calibration.problem.residuals import Block, Layout
from calibration.problem.rows import count_rows

LEAST, MOST = 1e-3, 30.0
"""Ends of the factor. At the lower one, impacts do not scatter."""

LOOSE = 3.0
"""Standard error of a coordinate from which on a linear problem says nothing of it."""

ROUGHLY = 14
"""Points between which the best size is sought where only the likelihood there matters: the
ratios of neighbours are 2.
"""

STEP = 0.05
"""Step of the central differences by the logarithm of the factor."""


class ScatteringProblem(NamedTuple):
    """The linearised problem of impacts that deviate.

    Attributes:
        blocks: weighted residuals and derivatives by free coordinates of each batch, at last those
            of shared priors.
        measured: number of rows that are measured, of each batch.
        deviating: rows of each batch that are known of the deviations.
        noise: size of the errors of samples, in units of their weights.
        factor: of the deviations at the minimum.
    """

    blocks: tuple[Block, ...]
    measured: tuple[int, ...]
    deviating: tuple[np.ndarray, ...]
    noise: float
    factor: float

    def scaled(self, ratio: float) -> tuple[Block, ...]:
        """The blocks where deviations are ``ratio`` times as large."""
        found = []
        for k, block in enumerate(self.blocks):
            weight = np.ones(block.residual.shape[1])
            if k < len(self.measured):
                weight[: self.measured[k]] /= self.noise
                weight[self.deviating[k]] /= ratio
            found.append(
                Block(
                    block.residual * weight,
                    block.by_shared * weight[:, None],
                    block.by_local * weight[:, None],
                )
            )
        return tuple(found)

    def likelihood(self, logarithm: float, *, restricted: bool = True) -> float:
        """``-2 ln`` of a likelihood at the logarithm of a ratio, up to a constant.

        Args:
            logarithm: of the ratio by which the deviations are larger.
            restricted: whether all coordinates are integrated out, as for the size of the scatter;
                else the deviations alone, which compares laws that have other coordinates.
        """
        deviations = sum(
            block.residual.shape[0] * rows.size
            for block, rows in zip(self.blocks, self.deviating, strict=False)
        )
        total: float = 2.0 * deviations * logarithm
        left: Any = 0.0
        for k, block in enumerate(self.scaled(float(np.exp(logarithm)))):
            table = np.concatenate(
                [block.by_local, block.by_shared, block.residual[..., None]], axis=-1
            )
            own = block.by_local.shape[-1]
            normal = np.einsum("rni,rnj->rij", table, table, optimize=True)
            inner, cross = normal[:, :own, :own], normal[:, :own, own:]
            left = left + normal[:, own:, own:].sum(axis=0)
            if own:
                inverse, determinant = invert_each(inner)
                if not restricted and k < len(self.measured):
                    scattered = self.scattered(k)
                    determinant = invert_each(inner[:, scattered][:, :, scattered])[1]
                total += float(np.sum(determinant))
                left = left - np.einsum("rli,rlm,rmj->ij", cross, inverse, cross, optimize=True)
        if left.shape[0] > 1:
            inverse, determinant = invert_each(left[None, :-1, :-1])
            total += float(determinant[0]) if restricted else 0.0
            return total + float(left[-1, -1] - left[-1, :-1] @ inverse[0] @ left[:-1, -1])
        return total + float(left[-1, -1])

    def scattered(self, batch: int) -> np.ndarray:
        """Positions of the deviations among the own coordinates of the trials of a batch."""
        known = np.abs(self.blocks[batch].by_local[:, self.deviating[batch]])
        return np.flatnonzero(np.any(known > 0, axis=(0, 1)))

    def variances(self, logarithm: float) -> np.ndarray:
        """Variances of the shared coordinates (S,) at the logarithm of a ratio."""
        covariance, _ = NormalEquations.of(self.scaled(float(np.exp(logarithm)))).covariance()
        return np.maximum(np.diag(covariance), 1e-300)

    def curvature(self) -> float:
        """Second derivative of ``likelihood`` at a ratio of one."""
        sides = self.likelihood(STEP) + self.likelihood(-STEP)
        return float((sides - 2 * self.likelihood(0.0)) / STEP**2)


def scattering_problem(
    layout: Layout,
    shared: np.ndarray,
    data: tuple[Any, ...],
    blocks: tuple[Block, ...],
    noise: float,
) -> ScatteringProblem | None:
    """The linearised problem; ``None`` where no factor of deviations is part of it.

    Arguments as for ``deviating_problem``.
    """
    if FACTOR not in layout.names:
        return None
    return deviating_problem(layout, shared, data, blocks, noise)


def deviating_problem(
    layout: Layout,
    shared: np.ndarray,
    data: tuple[Any, ...],
    blocks: tuple[Block, ...],
    noise: float,
) -> ScatteringProblem:
    """The linearised problem of impacts that deviate, by a size that is found or known.

    Args:
        layout: of the problem.
        shared: coordinates at its minimum.
        data: of each batch.
        blocks: of the linearised problem, of free coordinates.
        noise: size of the errors of samples.
    """
    measured, deviating = [], []
    for batch, own in zip(layout.batches, data, strict=True):
        rows = count_rows(own.samples)
        known = [one.name for one in batch.trial_parameters if one.prior is not None]
        measured.append(rows)
        deviating.append(
            np.asarray(
                [rows + i for i, name in enumerate(known) if name.startswith(DEVIATION)], dtype=int
            )
        )
    found = FACTOR in layout.names
    factor = float(np.exp(shared[layout.names.index(FACTOR)])) if found else 1.0
    return ScatteringProblem(blocks, tuple(measured), tuple(deviating), noise, factor)


def find_factor(posed: ScatteringProblem) -> float:
    """The factor of the deviations that the restricted likelihood prefers; ``LEAST`` where impacts
    do not scatter.
    """
    logarithm, _ = minimise_over_ratio(posed, restricted=True)
    return LEAST if logarithm is None else float(posed.factor * np.exp(logarithm))


def chance_of_scatter(posed: ScatteringProblem) -> float:
    """Probability of as large a ratio of restricted likelihoods where impacts deviate by no more
    than is known beforehand.

    Deviations that the data do not tell stay at nothing and take no part. Half of the ratios are
    one, as the size cannot lie on the other side (Self and Liang, J. Am. Stat. Assoc. 82 (1987)
    605-610).
    """
    logarithm, best = minimise_over_ratio(posed, restricted=True)
    if logarithm is None or logarithm <= 0:
        return 1.0
    drop = hold_loose(posed).likelihood(0.0) - best
    return float(stats.chi2.sf(max(drop, 0.0), 1) / 2)


def least_deviance(posed: ScatteringProblem) -> float:
    """``-2 ln L`` with the deviations integrated out and their size at its best value, up to a
    constant that is the same for all laws of the same impacts.
    """
    return minimise_over_ratio(posed, restricted=False, points=ROUGHLY)[1]


def hold_loose(posed: ScatteringProblem) -> ScatteringProblem:
    """The problem with shared coordinates held that the data hardly see: a logarithm that ran to
    where its parameter has no effect would be followed linearly to negative values.
    """
    covariance, unseen = NormalEquations.of(posed.blocks).covariance()
    loose = unseen | (np.diag(covariance) > LOOSE**2)
    return posed._replace(
        blocks=tuple(
            block._replace(by_shared=np.where(loose, 0.0, block.by_shared))
            for block in posed.blocks
        )
    )


def minimise_over_ratio(
    posed: ScatteringProblem, *, restricted: bool, points: int = 42
) -> tuple[float | None, float]:
    """Logarithm of the ratio of the best likelihood, ``None`` at its lower end, and the likelihood
    there.
    """
    held = hold_loose(posed)

    def objective(logarithm: float) -> float:
        return held.likelihood(logarithm, restricted=restricted)

    low, high = np.log(LEAST / posed.factor), np.log(MOST / posed.factor)
    grid = np.linspace(low, high, points)
    values = [objective(one) for one in grid]
    best = int(np.argmin(values))
    if best == 0:
        return None, values[0]
    ends = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    found = minimize_scalar(objective, bounds=ends, method="bounded")
    return float(found.x), float(found.fun)


def degrees_of_scatter(posed: ScatteringProblem) -> np.ndarray:
    """Degrees of freedom that the variance of each shared coordinate (S,) has because the size of
    the scatter is an estimate: ``2 V^2/var(V)``. Infinite where impacts do not scatter.
    """
    slope = np.log(posed.variances(STEP) / posed.variances(-STEP)) / (2 * STEP)
    if posed.factor <= 1.01 * LEAST:
        return np.full(slope.shape, np.inf)
    curvature = max(posed.curvature(), 0.1)
    return np.where(np.abs(slope) > 1e-6, curvature / np.maximum(slope**2, 1e-12), np.inf)
