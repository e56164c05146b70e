"""Prediction of data that were not fitted: a score of models that no number of parameters can
deceive.

The score is the logarithm of the predictive density, in which the uncertainty of the parameters
that were fitted to the other data counts: with the residual r of the data left out and their
Jacobian J, ``r`` is normal of covariance ``V = 1 + J C J'``. Parameters of a trial that was left
out as a whole are fitted to it, and V is that of what they cannot undo.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.io.impact_table import ImpactTable
from calibration.optimise.batched import minimise_each
from calibration.optimise.coordinates import Start
from calibration.optimise.normal_equations import NormalEquations
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block, jacobians

WAYS = ("trials", "bounces", "rows")

ROW_FOLDS = 5
"""Parts into which the rows of impact tables are split."""

LAST = 2
"""Flights at the end that are left out."""

FEW = 3
"""Trials from which on one of them can be left out."""


class Fold(NamedTuple):
    """Data left out together: of each batch, of each observation, whether a number is left out (R,
    n, k).
    """

    left_out: tuple[tuple[np.ndarray, ...], ...]


@dataclasses.dataclass(frozen=True)
class CrossValidation:
    """A scheme of cross-validation, valid for every problem on the same data.

    Attributes:
        way: ``"trials"``, one after the other; ``"bounces"``, what follows a time; ``"rows"``,
            every fifth row of tables.
        ends: for ``"bounces"``, the time of each trial after which its data are left out.
        trials: number of trials.
    """

    way: str
    trials: int
    ends: tuple[float, ...] = ()

    def folds(self, problem: Problem) -> list[Fold]:
        """The folds of one problem."""
        if self.way == "trials":
            return [
                self._fold(problem, lambda member, samples, r, left=left: member == left)
                for left in range(self.trials)
            ]
        if self.way == "bounces":
            return [
                self._fold(
                    problem,
                    lambda member, samples, r: (np.asarray(samples.times)[r] > self.ends[member])[
                        :, None
                    ],
                )
            ]
        return [
            self._fold(
                problem,
                lambda member, samples, r, part=part: (
                    np.arange(samples.weight.shape[1]) % ROW_FOLDS == part
                )[:, None],
            )
            for part in range(ROW_FOLDS)
        ]

    @staticmethod
    def _fold(problem: Problem, chosen: Any) -> Fold:
        found = []
        for members, data in zip(problem.members, problem.data, strict=True):
            own = []
            for samples in data.samples:
                shape = np.shape(samples.weight)[1:]
                picked = np.stack(
                    [
                        np.broadcast_to(chosen(member, samples, r), shape)
                        for r, member in enumerate(members)
                    ]
                )
                own.append(picked & (np.asarray(samples.weight) > 0))
            found.append(tuple(own))
        return Fold(tuple(found))


def choose_cross_validation(problem: Problem, asked: str | None) -> CrossValidation | None:
    """What to leave out: as asked, by default trials where there are enough, rows of tables, or the
    last flights; else nothing.

    Raises:
        InputError: another word, or data of which that cannot be left out.
    """
    if asked is None:
        return None
    if asked not in (*WAYS, "auto"):
        raise InputError(
            f"compare: cross_validate = {asked!r} is not known.",
            remedy=f"Use {', '.join(map(repr, WAYS))}, 'auto' or None.",
        )
    trials = len(problem.trials)
    tables = all(isinstance(trial, ImpactTable) for trial in problem.trials)
    bounces = [
        len(detected.bounces) if detected is not None else 0 for detected in problem.detections
    ]
    late = min(bounces, default=0) >= LAST + 2
    if asked == "auto":
        asked = "trials" if trials >= FEW else "rows" if tables else "bounces" if late else ""
        if not asked:
            return None
    if asked == "trials" and trials < FEW:
        raise InputError(
            f"compare: of {trials} trials, none can be left out.",
            remedy=f"At least {FEW} are needed; try 'bounces'.",
        )
    if asked == "rows" and not tables:
        raise InputError(
            "compare: rows can be left out of impact tables only.",
            remedy="Use 'trials' or 'bounces'.",
        )
    if asked == "bounces":
        if not late:
            raise InputError(
                f"compare: a trial shows fewer than {LAST + 2} bounces, so the last cannot "
                "be left out.",
                remedy="Use 'trials'.",
            )
        ends = tuple(
            _find_middle([bounce.time for bounce in detected.bounces])
            for detected in problem.detections
        )
        return CrossValidation("bounces", trials, ends)
    return CrossValidation(asked, trials)


def _find_middle(times: Sequence[float]) -> float:
    """The middle of the flight before the last ones."""
    return (times[-LAST - 1] + times[-LAST]) / 2


class HeldOutPrediction(NamedTuple):
    """Prediction of the data of one trial that one fold leaves out. Where the trial's own
    parameters were fitted to these data, what they can explain is projected out.

    Attributes:
        residual: (m,) in standard deviations of the noise.
        uncertain: (m, p) so that the covariance is ``1 + uncertain uncertain'``.
    """

    residual: np.ndarray
    uncertain: np.ndarray

    def quadratic(self, vector: np.ndarray) -> float:
        """``v' V^-1 v`` (Woodbury)."""
        inner = np.eye(self.uncertain.shape[1]) + self.uncertain.T @ self.uncertain
        along = self.uncertain.T @ vector
        return float(vector @ vector - along @ np.linalg.solve(inner, along))

    def log_density(self, variance: float) -> float:
        """Of the data left out, for noise of ``variance`` in units of what was assumed."""
        inner = np.eye(self.uncertain.shape[1]) + self.uncertain.T @ self.uncertain
        count = self.residual.size
        spread = float(np.linalg.slogdet(inner)[1]) + count * np.log(2 * np.pi * variance)
        return -0.5 * (self.quadratic(self.residual) / variance + spread)


def cross_validate_folds(
    problem: Problem, assessment: Assessment, which: CrossValidation
) -> list[list[HeldOutPrediction]]:
    """Predictions of each fold, of each trial with data left out, in an order that is the same for
    all problems on the same data.
    """
    folds = which.folds(problem)
    start = assessment.start.from_minimum(assessment.minimum)
    training = stack_data([mask_data(problem.data, fold, keep=True) for fold in folds])
    minima = minimise_each(problem.layout, problem.scene, training, start, each=(True, False))[0]
    shared, local = np.asarray(minima.shared), tuple(np.asarray(own) for own in minima.local)
    anew = which.way == "trials"
    if anew and any(own.shape[-1] for own in local):
        left = stack_data([mask_data(problem.data, fold, keep=False) for fold in folds])
        stages = tuple(np.full((len(folds), 1, own.shape[1]), np.inf) for own in local)
        own_only = start._replace(
            shared=shared, local=local, frozen=np.ones_like(np.asarray(start.frozen)), stages=stages
        )
        minima = minimise_each(problem.layout, problem.scene, left, own_only, each=(True, True))[0]
        # Where nothing was left out of a trial, its parameters are as they were.
        fitted = tuple(np.asarray(own) for own in minima.local)
        local = tuple(
            np.where(_has_left_out(folds, k)[:, :, None], new, old)
            for k, (new, old) in enumerate(zip(fitted, local, strict=True))
        )
    return [
        predict_fold(problem, start, fold, shared[f], tuple(own[f] for own in local), anew=anew)
        for f, fold in enumerate(folds)
    ]


def _has_left_out(folds: list[Fold], batch: int) -> np.ndarray:
    """Whether something of a trial was left out (folds, R)."""
    return np.asarray(
        [np.any([part.any(axis=(1, 2)) for part in fold.left_out[batch]], axis=0) for fold in folds]
    )


def mask_data(data: tuple[Any, ...], fold: Fold, *, keep: bool) -> tuple[Any, ...]:
    """The data without (``keep``) or with only what is left out."""
    return tuple(
        own._replace(
            samples=tuple(
                part._replace(weight=np.where(left != keep, part.weight, 0.0))
                for part, left in zip(own.samples, parts, strict=True)
            )
        )
        for own, parts in zip(data, fold.left_out, strict=True)
    )


def stack_data(several: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Several data in one, with a leading axis."""
    return jax.tree.map(
        lambda *columns: np.stack([np.asarray(column) for column in columns]), *several
    )


def predict_fold(
    problem: Problem,
    start: Start,
    fold: Fold,
    shared: np.ndarray,
    local: tuple[np.ndarray, ...],
    *,
    anew: bool,
) -> list[HeldOutPrediction]:
    """Predictions of one fold."""
    blocks = start.free_blocks(
        jacobians(problem.layout, problem.scene, shared, local, problem.data)
    )
    left = [
        mark_left_out_rows(fold, k, blocks[k].residual.shape[1]) for k in range(len(problem.data))
    ]
    kept = [
        *(~rows for rows in left),
        *(np.ones(block.residual.shape, dtype=bool) for block in blocks[len(left) :]),
    ]
    training = tuple(
        Block(
            np.where(rows, block.residual, 0.0),
            np.where(rows[..., None], block.by_shared, 0.0),
            np.where(rows[..., None], block.by_local, 0.0),
        )
        for block, rows in zip(blocks, kept, strict=True)
    )
    equations = NormalEquations.of(training)
    root = square_root(equations.covariance()[0])
    order = sorted(
        (member, k, r)
        for k, members in enumerate(problem.members)
        for r, member in enumerate(members)
    )
    held = []
    for _, k, r in order:
        rows = left[k][r]
        if not np.any(rows):
            continue
        residual, by_shared, by_local = (np.asarray(part[r])[rows] for part in blocks[k][:3])
        if anew:
            basis = column_space(by_local)
            residual, by_shared = (
                part - basis @ (basis.T @ part) for part in (residual, by_shared)
            )
            held.append(HeldOutPrediction(residual, by_shared @ root))
            continue
        part = equations.parts[k]
        # Own coordinates follow the shared ones, and have an uncertainty of their own.
        following = (by_shared - by_local @ part.coupling[r]) @ root
        held.append(
            HeldOutPrediction(
                residual,
                np.concatenate([following, by_local @ square_root(part.inverse[r])], axis=1),
            )
        )
    return held


def mark_left_out_rows(fold: Fold, batch: int, rows: int) -> np.ndarray:
    """Which residuals of the trials of a batch are left out (R, rows); prior knowledge never is."""
    parts = [part.reshape(part.shape[0], -1) for part in fold.left_out[batch]]
    flat = np.concatenate(parts, axis=1)
    return np.concatenate(
        [flat, np.zeros((flat.shape[0], rows - flat.shape[1]), dtype=bool)], axis=1
    )


def square_root(covariance: np.ndarray) -> np.ndarray:
    """A root R (n, n) with ``R R' = covariance``."""
    if covariance.shape[0] == 0:
        return covariance
    eigenvalues, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(eigenvalues, 0.0))


def column_space(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the columns of (m, n)."""
    if matrix.shape[1] == 0:
        return matrix
    length = np.linalg.norm(matrix, axis=0)
    left, singular, _ = np.linalg.svd(
        matrix / np.where(length > 0, length, 1.0), full_matrices=False
    )
    return left[:, singular > 1e-7]
