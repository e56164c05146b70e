"""Normal equations of a linearised problem, with each trial's own coordinates eliminated.

The information matrix is arrow-shaped: shared coordinates, and the coordinates of each trial, which
only meet through the shared ones. It is never formed as a whole: the coordinates of each trial are
eliminated (a Schur complement), which leaves a small matrix of the shared ones. With derivatives
``J = (A, B_1 ... B_R)`` by shared and own coordinates and ``P = A - B (B'B)^-1 B'A``,

    information on the shared coordinates = P'P,      score = P'r.

A sum of squares of the projected columns P stays positive; a difference of two sums would not.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calibration.problem.residuals import Block

UNRESOLVED = 1e-9
"""Part of a coordinate's information that must remain after elimination of the others; below,
rounding decides.
"""

ROUNDED = 1e-14
"""Part that rounding of the eigenvalues takes away, whatever the information is from."""

INVOLVED = 0.1
"""Part that a coordinate must have in a direction of unit length, to count as one of those that the
direction moves.
"""


def resolved_inverse(
    matrix: np.ndarray, reference: np.ndarray, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Inverse of a symmetric ``matrix`` in its resolved directions, and which coordinates the
    unresolved ones involve.

    Args:
        matrix: information after elimination, (n, n).
        reference: diagonal of the information before elimination, (n,): the scale against which a
            direction counts as unresolved.
        known: the part of ``matrix`` that is known beforehand, (n, n).
    """
    if matrix.shape[0] == 0:
        return matrix, np.zeros(0, dtype=bool)
    scale, eigenvalues, vectors = scaled_eigenvectors(matrix, reference)
    resolved = are_resolved(eigenvalues, vectors / scale[:, None], known)
    inverse = (vectors[:, resolved] / eigenvalues[resolved]) @ vectors[:, resolved].T
    involved = np.any(np.abs(vectors[:, ~resolved]) > INVOLVED, axis=1) | (reference <= 0)
    return inverse / np.outer(scale, scale), involved


def are_resolved(
    eigenvalues: np.ndarray, directions: np.ndarray, known: np.ndarray | None
) -> np.ndarray:
    """Which ``directions`` (n, n) are resolved.

    What measurements leave of a direction is a difference of large numbers, which rounding decides
    below ``UNRESOLVED``. What is ``known`` beforehand is none: however good the measurements of
    other directions are, they take nothing from it.
    """
    measured = eigenvalues > UNRESOLVED
    if known is None:
        return measured
    beforehand = np.einsum("ij,ik,kj->j", directions, known, directions)
    return measured | ((eigenvalues > ROUNDED) & (beforehand > eigenvalues / 2))


def unresolved_directions(
    matrix: np.ndarray, reference: np.ndarray, known: np.ndarray | None = None
) -> np.ndarray:
    """Directions (n, U) that are not resolved, of unit length in standard deviations before
    elimination; arguments as above.
    """
    if matrix.shape[0] == 0:
        return np.zeros((0, 0))
    scale, eigenvalues, vectors = scaled_eigenvectors(matrix, reference)
    directions = vectors / scale[:, None]
    return directions[:, ~are_resolved(eigenvalues, directions, known)]


def scaled_eigenvectors(
    matrix: np.ndarray, reference: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scale of each coordinate, and eigenvalues and eigenvectors of ``matrix`` in units of
    it.
    """
    scale = np.sqrt(np.where(reference > 0, reference, 1.0))
    return scale, *np.linalg.eigh(matrix / np.outer(scale, scale))


class Eliminated(NamedTuple):
    """The trials of one batch with their own coordinates eliminated, at the minimum over them.

    Attributes:
        inverse: of the information on the own coordinates, (R, L, L); ``open`` (R, L) which of them
            the data do not see.
        coupling: change of the own coordinates per change of the shared ones, with a minus sign,
            (R, L, S).
        projected: derivatives of the residuals by the shared coordinates that the own ones cannot
            undo, (R, N, S).
    """

    inverse: np.ndarray
    open: np.ndarray
    coupling: np.ndarray
    projected: np.ndarray


def eliminate(block: Block, known: np.ndarray | None = None) -> Eliminated:
    """Eliminate each trial's own coordinates; ``known`` (N,) says which rows are known
    beforehand.
    """
    own = np.einsum("rnl,rnm->rlm", block.by_local, block.by_local)
    cross = np.einsum("rnl,rns->rls", block.by_local, block.by_shared)
    inverse, unseen = np.zeros_like(own), np.zeros(own.shape[:2], dtype=bool)
    for r in range(own.shape[0]):
        beforehand = None if known is None else block.by_local[r, known]
        inverse[r], unseen[r] = resolved_inverse(
            own[r],
            np.diagonal(own[r]),
            None if beforehand is None else beforehand.T @ beforehand,
        )
    coupling = inverse @ cross
    return Eliminated(inverse, unseen, coupling, block.by_shared - block.by_local @ coupling)


def compute_leverage(part: Eliminated, block: Block, covariance: np.ndarray) -> np.ndarray:
    """Leverage (R, N) of each residual of one batch: what the fit takes of it, by the shared
    coordinates and by its trial's own.
    """
    shared = np.einsum("rns,st,rnt->rn", part.projected, covariance, part.projected)
    return shared + np.einsum("rnl,rlm,rnm->rn", block.by_local, part.inverse, block.by_local)


@dataclasses.dataclass(frozen=True)
class SharedInformation:
    """Information on shared coordinates with each trial's own parameters eliminated.

    Attributes:
        matrix: (S, S).
        before: its diagonal before the elimination, (S,): the scale against which something counts
            as not seen.
        known: the part of the matrix that is known beforehand, (S, S); ``None`` where that is not
            told.
    """

    matrix: np.ndarray
    before: np.ndarray
    known: np.ndarray | None = None

    @classmethod
    def of(cls, blocks: tuple[Block, ...]) -> "SharedInformation":
        """From Jacobians of weighted residuals."""
        return NormalEquations.of(blocks).information

    def __add__(self, other: "SharedInformation") -> "SharedInformation":
        """Independent information adds."""
        return SharedInformation(self.matrix + other.matrix, self.before + other.before)

    def scaled(self, factor: ArrayLike) -> "SharedInformation":
        """Per unit of other coordinates: ``factor`` (S,) is the change of a coordinate per change
        of the other one.
        """
        factor = np.asarray(factor)
        return SharedInformation(
            self.matrix * np.multiply.outer(factor, factor), self.before * factor**2
        )

    def times(self, factor: float) -> "SharedInformation":
        """So many times the information."""
        return SharedInformation(factor * self.matrix, factor * self.before)

    def covariance(self) -> tuple[np.ndarray, np.ndarray]:
        """Inverse in the directions that are seen (S, S), and which coordinates the others involve
        (S,).
        """
        return resolved_inverse(self.matrix, self.before, self.known)

    def unresolved(self) -> np.ndarray:
        """Directions (S, U) that are not seen, as ``unresolved_directions``."""
        return unresolved_directions(self.matrix, self.before, self.known)


@dataclasses.dataclass(frozen=True)
class NormalEquations:
    """Normal equations of the trials of all batches, and of what is known beforehand.

    Attributes:
        blocks: residuals and their derivatives by the free coordinates, of each batch.
        parts: the same with each trial's own coordinates eliminated.
        information: on the shared coordinates.
    """

    blocks: tuple[Block, ...]
    parts: tuple[Eliminated, ...]
    information: SharedInformation

    @classmethod
    def of(
        cls, blocks: tuple[Block, ...], known: Sequence[np.ndarray] | None = None
    ) -> "NormalEquations":
        """From residuals in standard deviations and their Jacobian.

        Args:
            blocks: of each batch of trials, and of what is known of shared coordinates.
            known: which rows (N,) of each block are known beforehand, not measured; without it all
                count as measured.
        """
        rows = [None] * len(blocks) if known is None else known
        parts = tuple(eliminate(block, own) for block, own in zip(blocks, rows, strict=True))
        matrix: Any = np.zeros(())
        before: Any = np.zeros(())
        beforehand: Any = np.zeros(())
        for part, block, own in zip(parts, blocks, rows, strict=True):
            matrix = matrix + np.einsum("rns,rnt->st", part.projected, part.projected)
            before = before + np.einsum("rns,rns->s", block.by_shared, block.by_shared)
            if own is not None:
                pull = part.projected[:, own]
                beforehand = beforehand + np.einsum("rns,rnt->st", pull, pull)
        information = SharedInformation(matrix, before, None if known is None else beforehand)
        return cls(tuple(blocks), parts, information)

    def covariance(self) -> tuple[np.ndarray, np.ndarray]:
        """Covariance of the shared coordinates (S, S) if the weights were the whole truth, and
        which of them the data do not see (S,).
        """
        return self.information.covariance()

    def score(self) -> np.ndarray:
        """``P'r``: how the residuals pull at the shared coordinates, (S,)."""
        total: Any = np.zeros(())
        for part, block in zip(self.parts, self.blocks, strict=True):
            total = total + np.einsum("rns,rn->s", part.projected, block.residual)
        return total


class FormalCovariance(NamedTuple):
    """Covariance if the weights were the whole truth: of the shared coordinates (S, S) and of each
    trial's own (batches of (R, L, L)), and what is open.

    ``open_shared`` (S,) and ``open_local`` (batches of (R, L)) mark coordinates that take part in a
    combination the data do not see.
    """

    shared: np.ndarray
    local: tuple[np.ndarray, ...]
    open_shared: np.ndarray
    open_local: tuple[np.ndarray, ...]


def invert_information(equations: NormalEquations) -> FormalCovariance:
    """Covariance of all coordinates, from their normal equations.

    ``C`` of the shared coordinates; ``(B'B)^-1 + K C K'`` of a trial's own, with the coupling K.
    """
    covariance, open_shared = equations.covariance()
    local = tuple(
        part.inverse + np.einsum("rls,st,rmt->rlm", part.coupling, covariance, part.coupling)
        for part in equations.parts
    )
    unseen = equations.information.unresolved()
    open_local = tuple(
        part.open | follow_unseen(part, block, unseen)
        for part, block in zip(equations.parts, equations.blocks, strict=True)
    )
    return FormalCovariance(covariance, local, open_shared, open_local)


def follow_unseen(part: Eliminated, block: Block, unseen: np.ndarray) -> np.ndarray:
    """Which own coordinates (R, L) of the trials move along with shared directions (S, U) that the
    data do not see.
    """
    deviations = np.sqrt(np.einsum("rnl,rnl->rl", block.by_local, block.by_local))[..., None] * (
        part.coupling @ unseen
    )
    return np.any(np.abs(deviations) > INVOLVED, axis=-1)
