"""Standard errors from the Jacobian at the minimum, enlarged for misfit and for correlated residuals, and what the data leave open.

The information matrix is arrow-shaped: shared coordinates, and the coordinates of each recording, which only meet through the shared
ones. It is never formed as a whole: the coordinates of each recording are eliminated, which leaves a small matrix of the shared ones.
"""

from typing import NamedTuple

import numpy as np

UNRESOLVED = 1e-9
"""Part of a coordinate's information that must remain after elimination of the others; below, rounding decides."""


class Information(NamedTuple):
    """Inverse information: formal covariance of the shared coordinates (S, S), of each recording's own (R, L, L), and what is open.

    ``open_shared`` (S,) and ``open_local`` (R, L) mark coordinates that take part in a combination the data do not see.
    """

    shared: np.ndarray
    local: np.ndarray
    open_shared: np.ndarray
    open_local: np.ndarray


def resolved_inverse(matrix: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse of a symmetric ``matrix`` in its resolved directions, and which coordinates the unresolved ones involve.

    Args:
        matrix: information after elimination, (n, n).
        reference: diagonal of the information before elimination, (n,): the scale against which a direction counts as unresolved.
    """
    if matrix.shape[0] == 0:
        return matrix, np.zeros(0, dtype=bool)
    scale = np.sqrt(np.where(reference > 0, reference, 1.0))
    eigenvalues, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    resolved = eigenvalues > UNRESOLVED
    inverse = (vectors[:, resolved] / eigenvalues[resolved]) @ vectors[:, resolved].T
    involved = np.any(np.abs(vectors[:, ~resolved]) > 0.1, axis=1) | (reference <= 0)
    return inverse / np.outer(scale, scale), involved


def information(by_shared: np.ndarray, by_local: np.ndarray) -> Information:
    """Invert the information of Jacobians ``by_shared`` (R, N, S) and ``by_local`` (R, N, L) of weighted residuals."""
    recordings, _, count = by_local.shape
    shared = np.einsum("rns,rnt->st", by_shared, by_shared)
    own = np.einsum("rnl,rnm->rlm", by_local, by_local)
    cross = np.einsum("rnl,rns->rls", by_local, by_shared)
    inverses = np.zeros_like(own)
    open_local = np.zeros((recordings, count), dtype=bool)
    for r in range(recordings):
        inverses[r], open_local[r] = resolved_inverse(own[r], np.diagonal(own[r]))
    coupling = np.einsum("rlm,rms->rls", inverses, cross)
    remaining = shared - np.einsum("rls,rlt->st", cross, coupling)
    covariance, open_shared = resolved_inverse(remaining, np.diagonal(shared))
    local = inverses + np.einsum("rls,st,rmt->rlm", coupling, covariance, coupling)
    return Information(covariance, local, open_shared, open_local)


def correlation_time(residuals: np.ndarray, used: np.ndarray) -> float:
    """Integrated autocorrelation time of residuals in units of samples, at least 1.

    ``1 + 2 sum_k rho_k`` summed over the first positive run of autocorrelations, pooled over recordings and axes.

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


def between_recordings(by_shared: np.ndarray, by_local: np.ndarray, residuals: np.ndarray, formal: Information) -> np.ndarray:
    """Sandwich covariance of the shared coordinates, recordings taken as the independent units, (S, S).

    Each recording pulls the common values by its score; the scatter of these pulls measures what really varies between recordings (a
    restitution that differs from drop to drop, correlated noise), whatever the noise model says.
    """
    recordings = residuals.shape[0]
    own = np.einsum("rnl,rnm->rlm", by_local, by_local)
    pulls = []
    for r in range(recordings):
        inverse, _ = resolved_inverse(own[r], np.diagonal(own[r]))
        projected = by_shared[r] - by_local[r] @ (inverse @ (by_local[r].T @ by_shared[r]))
        pulls.append(formal.shared @ (projected.T @ residuals[r]))
    scatter = np.asarray(pulls)
    # As many degrees of freedom are used up as there are shared coordinates.
    return scatter.T @ scatter * recordings / max(recordings - scatter.shape[1], 1)
