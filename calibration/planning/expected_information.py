"""What is expected after an experiment that has not been done, averaged over what is not known
yet.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.optimise.normal_equations import SharedInformation, eliminate
from calibration.planning.candidate import Candidate
from calibration.planning.criteria import Criterion
from calibration.planning.planned import PlannedTrials
from calibration.uncertainty.linearisation import WorkingPoint
from jaxcontact import Status


class AfterCandidates(NamedTuple):
    """What would be known after each candidate, at each draw.

    Attributes:
        sd: standard errors (D, candidates, S), NaN where the simulation did not succeed.
        covariance: (D, candidates, S, S), likewise.
        status: how the simulation ended (D, candidates), codes of ``jaxcontact.Status``.
    """

    sd: np.ndarray
    covariance: np.ndarray
    status: np.ndarray


class Expectation:
    """What is known at a working point, and draws from its uncertainty.

    Information is added at one point only: that of the data at hand is computed anew at each draw,
    or a combination that neither the data nor the experiment see would seem to be seen because they
    do not see it in slightly different directions.

    Attributes:
        point: the working point; ``known`` the information at hand on its free shared coordinates.
        slope: change of the natural coordinates per change of the optimiser's; ``logarithmic``
            which of them are logarithms.
        draws: shared coordinates (D, S) over which expectations are averaged; ``known_at`` the
            information at hand at each.
    """

    def __init__(self, point: WorkingPoint, *, average: int, seed: int) -> None:
        self.point = point
        self.known = point.information()
        self.slope, self.logarithmic = point.natural_slopes
        shared = np.asarray(point.start.shared, dtype=float)
        self.draws, self.known_at = shared[None], [self.known]
        if average:
            eigenvalues, vectors = np.linalg.eigh(self.to_natural(self.known).matrix)
            # What is not known is known to a factor of e in the draws, or they would leave where
            # the model makes sense.
            sd = np.minimum(
                1 / np.sqrt(np.maximum(eigenvalues, 1e-300)), point.policy.largest_log_sd
            )
            normal = np.random.default_rng(seed).standard_normal((average, sd.size))
            moves = (normal * sd) @ vectors.T / self.slope
            self.draws = np.repeat(shared[None], average, axis=0)
            self.draws[:, point.free] += moves
            couplings = [eliminate(block).coupling for block in point.blocks(priors=False)]
            self.known_at = [
                self._known(draw, move, couplings)
                for draw, move in zip(self.draws, moves, strict=True)
            ]

    def _known(
        self, shared: np.ndarray, move: np.ndarray, couplings: list[np.ndarray]
    ) -> SharedInformation:
        """The information at hand at other shared coordinates, to which each trial's own parameters
        adapt.
        """
        start, local = self.point.start, []
        for values, frozen, coupling in zip(
            start.local, start.frozen_local, couplings, strict=True
        ):
            adapted = np.array(values, dtype=float)
            adapted[:, ~np.asarray(frozen)] -= coupling @ move
            local.append(adapted)
        return SharedInformation.of(self.point.blocks(shared, tuple(local))).scaled(
            1 / self.point.error_scale_factor
        )

    def to_natural(self, information: SharedInformation) -> SharedInformation:
        """Per unit of the natural coordinates."""
        return information.scaled(1 / self.slope)

    def standard_errors(self, information: SharedInformation) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors in natural coordinates (S,), infinite where not determined, and the
        covariance (S, S).
        """
        covariance, unseen = self.to_natural(information).covariance()
        sd = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        loose = self.logarithmic & (sd > self.point.policy.largest_log_sd)
        return np.where(unseen | loose, np.inf, sd), covariance

    def after(self, candidates: Sequence[Candidate]) -> "AfterCandidates":
        """What would be known after each candidate, at each draw."""
        planned = PlannedTrials(self.point, candidates)
        results, statuses = [], []
        for draw, known in zip(self.draws, self.known_at, strict=True):
            added = planned.information(draw)
            results.append(
                [
                    self._lost()
                    if isinstance(new, Status)
                    else self.standard_errors(known + new.times(candidate.repeats))
                    for new, candidate in zip(added, candidates, strict=True)
                ]
            )
            statuses.append([new if isinstance(new, Status) else Status.SUCCESS for new in added])
        return AfterCandidates(
            np.asarray([[sd for sd, _ in row] for row in results]),
            np.asarray([[cov for _, cov in row] for row in results]),
            np.asarray(statuses),
        )

    def covariances(self, candidates: Sequence[Candidate]) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors (D, candidates, S) and covariances (D, candidates, S, S) after each
        candidate, at each draw; NaN where the simulation did not succeed.
        """
        return self.after(candidates)[:2]

    def _lost(self) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors and covariance of what was not simulated: NaN."""
        size = self.slope.size
        return np.full(size, np.nan), np.full((size, size), np.nan)

    def criteria(self, candidates: Sequence[Candidate], criterion: Criterion) -> np.ndarray:
        """The criterion after each candidate, averaged over the draws; infinite where something of
        interest stays undetermined.
        """
        return average_criterion(*self.covariances(candidates), criterion)


def average_criterion(sd: np.ndarray, covariance: np.ndarray, criterion: Criterion) -> np.ndarray:
    """Geometric mean over the draws (candidates,); infinite where half of the draws leave something
    of interest undetermined.
    """
    seen = np.all(np.isfinite(sd[:, :, list(criterion.places)]), axis=-1)
    values = np.asarray(
        [[float(criterion.evaluate(matrix)) for matrix in row] for row in covariance]
    )
    logarithms = np.where(seen, np.log(np.maximum(values, 1e-300)), np.nan)
    enough = seen.sum(axis=0) > sd.shape[0] / 2
    return np.asarray(
        [
            np.exp(np.nanmean(column)) if ok else np.inf
            for column, ok in zip(logarithms.T, enough, strict=True)
        ]
    )
