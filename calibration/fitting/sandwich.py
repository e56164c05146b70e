"""Covariance from the scatter between trials (sandwich), trials taken as the independent units."""

from typing import NamedTuple

import numpy as np

from calibration.fitting.policy import FitPolicy
from calibration.optimise.normal_equations import FormalCovariance, eliminate
from calibration.problem.residuals import Block
from calibration.results.intervals import chance_of_less, chance_of_more

ALONE = 0.02
"""Smallest part of a combination that other trials must tell for a trial's residual there to be
corrected in full.
"""


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


def trial_scores(blocks: tuple[Block, ...], formal: FormalCovariance) -> TrialScores:
    """Scores of all trials, with the correction for what each trial had its way with (CR2 of Bell
    and McCaffrey 2002).
    """
    parts = [eliminate(block).projected for block in blocks]
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


def between_trials(
    blocks: tuple[Block, ...], formal: FormalCovariance, known: tuple[Block, ...] = ()
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


def between_trials_degrees(blocks: tuple[Block, ...], formal: FormalCovariance) -> np.ndarray:
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


def believe_scatter(
    blocks: tuple[Block, ...],
    priors: tuple[Block, ...],
    formal: FormalCovariance,
    *,
    misfit: float,
    known: bool,
    policy: FitPolicy,
) -> bool:
    """Whether the scatter between trials is to be believed.

    There are enough of them; where noise is known, it is more than that makes; and it is not less
    than noise within the trials makes, as it comes out where several quantities are hardly
    determined.

    Args:
        blocks: of the trials.
        priors: blocks of prior knowledge.
        formal: the covariance of both if the weights were the whole truth.
        misfit: chi-squared per degree of freedom over what the noise models expect.
        known: whether the standard deviations of all quantities are known.
        policy: thresholds.
    """
    trials, parameters = sum(block.residual.shape[0] for block in blocks), formal.shared.shape[0]
    if trials < policy.scatter_trials + parameters or not parameters:
        return False
    seen = ~formal.open_shared
    degrees = between_trials_degrees(blocks, formal)[seen]
    scatter = np.diag(between_trials(blocks, formal, priors))
    ratio = scatter[seen] / np.diag(formal.shared)[seen]
    too_little = chance_of_less(ratio / min(misfit, 1.0) * degrees, degrees)
    if np.any(too_little < policy.little_scatter_chance):
        return False
    if not known:
        return True
    return bool(np.any(chance_of_more(ratio * degrees, degrees) < policy.scatter_chance))
