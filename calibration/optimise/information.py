"""Standard errors from the Jacobian at the minimum, enlarged for misfit and for correlated
residuals, and what the data leave open.

The information matrix is arrow-shaped: shared coordinates, and the coordinates of each trial, which
only meet through the shared ones. It is never formed as a whole: the coordinates of each trial are
eliminated, which leaves a small matrix of the shared ones.
"""

from typing import NamedTuple

import numpy as np

from calibration.problem.residuals import Block

UNRESOLVED = 1e-9
"""Part of a coordinate's information that must remain after elimination of the others; below,
rounding decides.
"""


INVOLVED = 0.1
"""Part that a coordinate must have in a direction of unit length, to count as one of those that the
direction moves.
"""


class Information(NamedTuple):
    """Inverse information: formal covariance of the shared coordinates (S, S), of each trial's own
    (kinds of (R, L, L)), and what is open.

    ``open_shared`` (S,) and ``open_local`` (kinds of (R, L)) mark coordinates that take part in a
    combination the data do not see.
    """

    shared: np.ndarray
    local: tuple[np.ndarray, ...]
    open_shared: np.ndarray
    open_local: tuple[np.ndarray, ...]


def resolved_inverse(matrix: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse of a symmetric ``matrix`` in its resolved directions, and which coordinates the
    unresolved ones involve.

    Args:
        matrix: information after elimination, (n, n).
        reference: diagonal of the information before elimination, (n,): the scale against which a
            direction counts as unresolved.
    """
    if matrix.shape[0] == 0:
        return matrix, np.zeros(0, dtype=bool)
    scale, eigenvalues, vectors = scaled_eigenvectors(matrix, reference)
    resolved = eigenvalues > UNRESOLVED
    inverse = (vectors[:, resolved] / eigenvalues[resolved]) @ vectors[:, resolved].T
    involved = np.any(np.abs(vectors[:, ~resolved]) > INVOLVED, axis=1) | (reference <= 0)
    return inverse / np.outer(scale, scale), involved


def unresolved_directions(matrix: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Directions (n, U) that are not resolved, of unit length in standard deviations before
    elimination; arguments as above.
    """
    if matrix.shape[0] == 0:
        return np.zeros((0, 0))
    scale, eigenvalues, vectors = scaled_eigenvectors(matrix, reference)
    return vectors[:, eigenvalues <= UNRESOLVED] / scale[:, None]


def scaled_eigenvectors(
    matrix: np.ndarray, reference: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scale of each coordinate, and eigenvalues and eigenvectors of ``matrix`` in units of
    it.
    """
    scale = np.sqrt(np.where(reference > 0, reference, 1.0))
    return scale, *np.linalg.eigh(matrix / np.outer(scale, scale))


class Eliminated(NamedTuple):
    """The trials of one kind with their own coordinates eliminated, at the minimum over them.

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


def eliminated(block: Block) -> Eliminated:
    """Eliminate each trial's own coordinates."""
    own = np.einsum("rnl,rnm->rlm", block.by_local, block.by_local)
    cross = np.einsum("rnl,rns->rls", block.by_local, block.by_shared)
    inverse, unseen = np.zeros_like(own), np.zeros(own.shape[:2], dtype=bool)
    for r in range(own.shape[0]):
        inverse[r], unseen[r] = resolved_inverse(own[r], np.diagonal(own[r]))
    coupling = inverse @ cross
    return Eliminated(inverse, unseen, coupling, block.by_shared - block.by_local @ coupling)


def leverage(part: Eliminated, block: Block, covariance: np.ndarray) -> np.ndarray:
    """Leverage (R, N) of each residual of one kind: what the fit takes of it, by the shared
    coordinates and by its trial's own.
    """
    shared = np.einsum("rns,st,rnt->rn", part.projected, covariance, part.projected)
    return shared + np.einsum("rnl,rlm,rnm->rn", block.by_local, part.inverse, block.by_local)


def information(blocks: tuple[Block, ...]) -> Information:
    """Invert the information of Jacobians of weighted residuals."""
    parts = [eliminated(block) for block in blocks]
    seen = sum(np.einsum("rns,rns->s", block.by_shared, block.by_shared) for block in blocks)
    # A sum of squares of the projected columns stays positive; a difference of two sums would not.
    remaining = sum(np.einsum("rns,rnt->st", part.projected, part.projected) for part in parts)
    covariance, open_shared = resolved_inverse(remaining, seen)
    local = tuple(
        part.inverse + np.einsum("rls,st,rmt->rlm", part.coupling, covariance, part.coupling)
        for part in parts
    )
    unseen = unresolved_directions(remaining, seen)
    open_local = tuple(
        part.open | follows(part, block, unseen) for part, block in zip(parts, blocks, strict=True)
    )
    return Information(covariance, local, open_shared, open_local)


def follows(part: Eliminated, block: Block, unseen: np.ndarray) -> np.ndarray:
    """Which own coordinates (R, L) of the trials move along with shared directions (S, U) that the
    data do not see.
    """
    deviations = np.sqrt(np.einsum("rnl,rnl->rl", block.by_local, block.by_local))[..., None] * (
        part.coupling @ unseen
    )
    return np.any(np.abs(deviations) > INVOLVED, axis=-1)


def correlation_time(residuals: np.ndarray, used: np.ndarray) -> float:
    """Integrated autocorrelation time of residuals in units of samples, at least 1.

    ``1 + 2 sum_k rho_k`` summed over the first positive run of autocorrelations, pooled over
    recordings and axes.

    Args:
        residuals: (R, n, A) weighted residuals.
        used: (R, n, A) whether there is a sample.
    """
    centred = np.where(used, residuals, 0.0)
    variance = np.sum(centred**2) / max(np.sum(used), 1)
    if variance == 0:
        return 1.0
    total = 1.0
    for lag in range(1, residuals.shape[1] // 4):
        pairs = used[:, lag:] & used[:, :-lag]
        if not np.any(pairs):
            break
        rho = np.sum(centred[:, lag:] * centred[:, :-lag]) / np.sum(pairs) / variance
        if rho < 2 / np.sqrt(np.sum(pairs)):
            break
        total += 2 * rho
    return float(total)


class TrialScores(NamedTuple):
    """How each trial pulls the shared coordinates.

    Attributes:
        score: (T, S) ``P' r`` of each trial, of derivatives P that its own coordinates cannot undo.
        information: (T, S, S) ``P' P`` of each.
        lever: (T, S, S) from the score of a trial to its pull: ``C^(1/2) (1 - C^(1/2) P'P
            C^(1/2))^(-1/2) C^(1/2)``.
    """

    score: np.ndarray
    information: np.ndarray
    lever: np.ndarray


def trial_scores(blocks: tuple[Block, ...], formal: Information) -> TrialScores:
    """Scores of all trials, with the correction for what each trial had its way with (CR2 of Bell
    and McCaffrey 2002).
    """
    parts = [eliminated(block).projected for block in blocks]
    scores = np.concatenate(
        [
            np.einsum("rns,rn->rs", part, block.residual)
            for part, block in zip(parts, blocks, strict=True)
        ]
    )
    own = np.concatenate([np.einsum("rns,rnt->rst", part, part) for part in parts])
    eigenvalues, vectors = np.linalg.eigh(formal.shared)
    root = (vectors * np.sqrt(np.maximum(eigenvalues, 0.0))) @ vectors.T
    shares, directions = np.linalg.eigh(root @ own @ root)
    # A trial that alone determines a combination leaves no residual there from which its scatter
    # could be told.
    widened = (directions / np.sqrt(np.maximum(1 - shares, ALONE))[:, None, :]) @ np.swapaxes(
        directions, 1, 2
    )
    return TrialScores(scores, own, root @ widened @ root)


ALONE = 0.02
"""Smallest part of a combination that other trials must tell for a trial's residual there to be
corrected in full.
"""


def between_trials(
    blocks: tuple[Block, ...], formal: Information, known: tuple[Block, ...] = ()
) -> np.ndarray:
    """Sandwich covariance of the shared coordinates, trials taken as the independent units, (S, S).

    Each trial pulls the common values by its score; the scatter of these pulls measures what really
    varies between trials (a restitution that differs from drop to drop, correlated noise), whatever
    the noise model says.

    Args:
        blocks: of the trials.
        formal: their information, with that of what is known.
        known: blocks of prior knowledge, which is what it says it is.
    """
    scores = trial_scores(blocks, formal)
    pulls = np.einsum("tij,tj->ti", scores.lever, scores.score)
    prior = sum(
        (np.einsum("rns,rnt->st", block.by_shared, block.by_shared) for block in known),
        np.zeros_like(formal.shared),
    )
    return pulls.T @ pulls + formal.shared @ prior @ formal.shared


def between_trials_degrees(blocks: tuple[Block, ...], formal: Information) -> np.ndarray:
    """Degrees of freedom of each variance of ``between_trials`` (S,) (Bell and McCaffrey 2002):
    ``(tr G)^2 / |G|^2``.

    ``G`` is the covariance of the trials' pulls where the noise is as the weights say. A few trials
    that lie far out count for little.
    """
    scores = trial_scores(blocks, formal)
    found = np.zeros(formal.shared.shape[0])
    for s in range(found.size):
        arms = scores.lever[:, s]
        moved = np.einsum("tij,tj->ti", scores.information, arms)
        # G = diag(own) - M C M', which is never formed: memory stays linear in the trials.
        own, inner = np.einsum("ti,ti->t", arms, moved), formal.shared @ (moved.T @ moved)
        lost = np.einsum("ti,ij,tj->t", moved, formal.shared, moved)
        square = float(np.sum(own**2) - 2 * np.sum(own * lost) + np.trace(inner @ inner))
        found[s] = np.sum(own - lost) ** 2 / square if square > 0 else 0.0
    return found
