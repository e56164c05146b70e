"""What a minimum says of each unknown: value, standard error, status, and what a person should be warned of."""

from typing import Any

import numpy as np

from calibration.least_squares import Minimum, Start, minimise
from calibration.problem import jacobians
from calibration.result import Determination, Estimate, explains
from calibration.uncertainty import Information, between_recordings, correlation_time, information
from calibration.unknown import Unknown

LOOSE = 1.0
"""A standard error above this, in a logarithmic or logistic coordinate (a factor of e), means not determined."""

ENOUGH_RECORDINGS = 5
"""From so many recordings more than shared unknowns on, the scatter between recordings gives the standard errors."""

THRESHOLD = 3.84
"""Rise of (inflated) chi-squared that excludes a value at 95 %, one degree of freedom."""

FAR = 1.4
"""Step of a logarithmic or logistic coordinate (a factor of 4) at which the profile of an unknown is probed for being flat."""


class Judgement:
    """Judges a minimum of ``layout`` on ``samples``.

    Args:
        layout, scene, samples: the problem; ``layout.residual`` gives the samples first, prior knowledge last.
        used: (R, n, A) which samples are used.
        start, minimum: where the fit began and ended.
    """

    def __init__(self, layout: Any, scene: Any, samples: Any, used: np.ndarray, start: Start, minimum: Minimum) -> None:
        self.layout, self.scene, self.samples, self.start, self.minimum = layout, scene, samples, start, minimum
        residual, by_shared, by_local = (np.asarray(array) for array in jacobians(layout, scene, minimum.shared, minimum.local, samples))
        self.residual, self.by_shared, self.by_local = residual, by_shared, by_local
        self.free = ~start.frozen
        priors = residual.shape[0] * (residual.shape[1] - used[0].size)
        self.dof = int(used.sum()) + priors - int(self.free.sum()) - start.local.size
        self.chi2 = float(np.sum(residual**2))
        self.misfit = self.chi2 / max(self.dof, 1)
        self.explained = explains(self.misfit, self.dof)
        self.formal: Information = information(by_shared[:, :, self.free], by_local)
        self.correlation_time = correlation_time(residual[:, : used[0].size].reshape(used.shape), used)
        # Of quantities of one recording, and of all where the recordings are few; ``widening``: typical factor of the shared ones.
        self.inflation = float(np.sqrt(max(self.misfit, 1.0) * self.correlation_time))
        # Many recordings tell by themselves how much they scatter; a few do not.
        self.from_scatter = residual.shape[0] >= ENOUGH_RECORDINGS + int(self.free.sum())
        if self.from_scatter:
            self.covariance = between_recordings(by_shared[:, :, self.free], by_local, residual, self.formal)
            seen = ~self.formal.open_shared
            self.widening = float(np.sqrt(np.median(np.diag(self.covariance)[seen] / np.diag(self.formal.shared)[seen])))
        else:
            self.widening = self.inflation
            with np.errstate(over="ignore", invalid="ignore"):  # of coordinates the data do not see at all
                self.covariance = self.formal.shared * self.inflation**2

    def estimate(self, unknown: Unknown, coordinate: float, variance: float, unseen: bool, began: float) -> Estimate:
        """Value, standard error and status of one unknown."""
        value, spread = float(unknown.value(coordinate)), float(np.sqrt(max(variance, 0.0)))
        status, note = Determination.DETERMINED, ""
        if unseen or (unknown.about.transform != "identity" and spread > LOOSE):
            status, spread = Determination.NOT_DETERMINED, np.inf
        elif unknown.at_bound(value):
            status = Determination.AT_BOUND
            note = f"at the end of {unknown.about.interval}; the standard error does not apply"
        elif coordinate == began:
            status = Determination.AT_START
        about = unknown.about
        sd = spread * abs(unknown.slope(value)) if np.isfinite(spread) else np.inf
        return Estimate(unknown.name, about.label, about.symbol, about.unit, value, sd, float(unknown.value(began)), status, note)

    def shared(self) -> dict[str, Estimate]:
        """Estimates of the shared unknowns that were free."""
        found = {}
        for position, index in enumerate(np.flatnonzero(self.free)):
            unknown = self.layout.shared_unknowns[index]
            unseen = bool(self.formal.open_shared[position])
            variance = self.covariance[position, position]
            found[unknown.name] = self.estimate(unknown, self.minimum.shared[index], variance, unseen, self.start.shared[index])
        return found

    def local(self, r: int) -> dict[str, Estimate]:
        """Estimates of the unknowns of recording ``r``."""
        variances = np.diagonal(self.formal.local[r]) * self.inflation**2
        return {
            unknown.name: self.estimate(
                unknown, self.minimum.local[r, i], variances[i], bool(self.formal.open_local[r, i]), self.start.local[r, i]
            )
            for i, unknown in enumerate(self.layout.local_unknowns)
        }

    def correlation(self, estimates: dict[str, Estimate]) -> tuple[tuple[str, ...], np.ndarray]:
        """Names and correlations of those free shared unknowns that ``estimates`` shows as determined."""
        free = [self.layout.shared_unknowns[index].name for index in np.flatnonzero(self.free)]
        kept = [i for i, name in enumerate(free) if name in estimates and np.isfinite(estimates[name].sd) and estimates[name].sd > 0]
        block = self.covariance[np.ix_(kept, kept)]
        deviations = np.sqrt(np.diag(block))
        return tuple(free[i] for i in kept), block / np.outer(deviations, deviations)

    def next_step(self, index: int) -> tuple[float, float]:
        """Where the frozen shared coordinate ``index`` would go if it were free, and its standard error, to first order."""
        columns = np.append(np.flatnonzero(self.free), index)
        wider = information(self.by_shared[:, :, columns], self.by_local)
        # At the minimum the residuals pull at no free coordinate, so only the pull at this one counts.
        pull = -float(np.einsum("rn,rn->", self.by_shared[:, :, index], self.residual))
        variance = float(wider.shared[-1, -1])
        if wider.open_shared[-1]:
            return 0.0, np.inf
        if self.from_scatter:
            scatter = between_recordings(self.by_shared[:, :, columns], self.by_local, self.residual, wider)
            return variance * pull, float(np.sqrt(scatter[-1, -1]))
        return variance * pull, float(np.sqrt(variance)) * self.inflation

    def flat_beyond(self, name: str) -> bool:
        """Whether the data are explained as well by four times the value of a shared unknown, the others adapting.

        A local standard error cannot tell: in a regime where friction slides, the data fix the coefficient; in the other, where it
        sticks, any larger coefficient will do with another spin.
        """
        index = [unknown.name for unknown in self.layout.shared_unknowns].index(name)
        frozen = self.start.frozen.copy()
        frozen[index] = True
        shared = np.array(self.minimum.shared)
        shared[index] += FAR
        start = self.start._replace(shared=shared, local=self.minimum.local, frozen=frozen)
        there = minimise(self.layout, self.scene, self.samples, start, method="levenberg_marquardt", steps=100)
        residual, _, _ = jacobians(self.layout, self.scene, there.shared, there.local, self.samples)
        rise = float(np.sum(np.asarray(residual) ** 2)) - self.chi2
        return rise < THRESHOLD * self.inflation**2

    def warnings(self, estimates: dict[str, Estimate]) -> list[str]:
        """Plain sentences, most important first."""
        found = []
        if not self.minimum.converged:
            found.append(f"The fit did not converge in {int(self.minimum.iterations)} iterations; its numbers are not to be used.")
        if not self.explained:
            found.append(
                f"The model does not explain the data: chi2 per degree of freedom is {self.misfit:.2f} where noise alone gives 1. Something"
                " is missing from the model, or the samples are noisier than assumed."
            )
        for estimate in estimates.values():
            where = f"{estimate.label[0].upper()}{estimate.label[1:]} ({estimate.name})"
            if estimate.status is Determination.NOT_DETERMINED:
                found.append(f"{where} is not determined by these data{': ' + estimate.note if estimate.note else ''}.")
            elif estimate.status is Determination.AT_BOUND:
                found.append(f"{where} = {estimate.value:.4g} is at a bound.")
            elif estimate.status is Determination.AT_START:
                found.append(f"{where} never moved from its start; check that it acts on the data.")
        if self.from_scatter:
            found.append("Standard errors are taken from the scatter between the recordings, which contains every kind of correlation.")
        elif self.correlation_time > 1.2:
            found.append(
                f"Neighbouring residuals are correlated over about {self.correlation_time:.1f} samples; standard errors are enlarged."
            )
        return found
