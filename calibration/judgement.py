"""What a minimum says of each unknown: value, standard error, status, and what a person should be warned of."""

from typing import Any

import numpy as np

from calibration.layout import Block, Layout, jacobians, residuals
from calibration.least_squares import Minimum, Start, minimise
from calibration.result import Determination, Estimate, explains
from calibration.uncertainty import Information, between_trials, correlation_time, information
from calibration.unknown import Unknown

LOOSE = 1.0
"""A standard error above this, in a logarithmic or logistic coordinate (a factor of e), means not determined."""

ENOUGH_TRIALS = 5
"""From so many trials more than shared unknowns on, the scatter between trials gives the standard errors."""

THRESHOLD = 3.84
"""Rise of (inflated) chi-squared that excludes a value at 95 %, one degree of freedom."""

FAR = 1.4
"""Step of a logarithmic or logistic coordinate (a factor of 4) at which the profile of an unknown is probed for being flat."""


SERIES = 8
"""From so many samples on, an observation is a series in time whose noise may be correlated."""


def chi_squared(layout: Layout, scene: Any, minimum: Minimum, data: tuple[Any, ...]) -> float:
    """Weighted sum of squares at a minimum."""
    parts = residuals(layout, scene, minimum.shared, minimum.local, data)
    return float(sum(np.sum(np.asarray(part) ** 2) for part in parts))


def _own_priors(kind: Any, trials: int) -> int:
    """Number of residuals that are prior knowledge of the trials' own unknowns."""
    return trials * sum(unknown.prior is not None for unknown in kind.local_unknowns)


class Judgement:
    """Judges a minimum of ``layout`` on ``data``.

    Args:
        layout, scene, data: the problem.
        start, minimum: where the fit began and ended.
    """

    def __init__(self, layout: Layout, scene: Any, data: tuple[Any, ...], start: Start, minimum: Minimum) -> None:
        self.layout, self.scene, self.data, self.start, self.minimum = layout, scene, data, start, minimum
        found = jacobians(layout, scene, minimum.shared, minimum.local, data)
        self.blocks = tuple(Block(*map(np.asarray, block)) for block in found)
        self.free = ~start.frozen
        self.priors = layout.priors + sum(_own_priors(kind, own.shape[0]) for kind, own in zip(layout.kinds, start.local, strict=True))
        used = sum(int(np.count_nonzero(samples.weight)) for own in data for samples in own.samples)
        movable = sum(int((~frozen).sum()) * own.shape[0] for frozen, own in zip(start.frozen_local, start.local, strict=True))
        self.dof = used + self.priors - int(self.free.sum()) - movable
        self.chi2 = float(sum(np.sum(block.residual**2) for block in self.blocks))
        self.misfit = self.chi2 / max(self.dof, 1)
        self.explained = explains(self.misfit, self.dof)
        free_blocks = self.with_columns(np.flatnonzero(self.free))
        self.formal: Information = information(free_blocks)
        self.correlation_time = self.longest_correlation()
        # Of quantities of one trial, and of all where the trials are few; ``widening``: typical factor of the shared ones.
        self.inflation = float(np.sqrt(max(self.misfit, 1.0) * self.correlation_time))
        # Many trials tell by themselves how much they scatter; a few do not.
        trials = sum(own.shape[0] for own in start.local)
        self.from_scatter = trials >= ENOUGH_TRIALS + int(self.free.sum())
        if self.from_scatter:
            self.covariance = between_trials(free_blocks, self.formal)
            seen = ~self.formal.open_shared
            self.widening = float(np.sqrt(np.median(np.diag(self.covariance)[seen] / np.diag(self.formal.shared)[seen])))
        else:
            self.widening = self.inflation
            with np.errstate(over="ignore", invalid="ignore"):  # of coordinates the data do not see at all
                self.covariance = self.formal.shared * self.inflation**2

    def with_columns(self, columns: np.ndarray) -> tuple[Block, ...]:
        """The blocks with some of the shared columns, and without those of frozen own coordinates."""
        kept = [~frozen for frozen in self.start.frozen_local]
        return tuple(
            block._replace(
                by_shared=block.by_shared[:, :, columns],
                by_local=block.by_local[:, :, kept[i]] if i < len(kept) else block.by_local,
            )
            for i, block in enumerate(self.blocks)
        )

    def longest_correlation(self) -> float:
        """The longest correlation time of residuals, in samples, over all observations of a series in time."""
        longest = 1.0
        for block, own in zip(self.blocks, self.data, strict=False):
            first = 0
            for samples in own.samples:
                used = np.asarray(samples.weight) > 0
                count = used[0].size
                if used.shape[1] >= SERIES:
                    residual = block.residual[:, first : first + count].reshape(used.shape)
                    longest = max(longest, correlation_time(residual, used))
                first += count
        return longest

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

    def local(self, kind: int, r: int) -> dict[str, Estimate]:
        """Estimates of the unknowns of trial ``r`` of a kind."""
        variances = np.diagonal(self.formal.local[kind][r]) * self.inflation**2
        unseen, frozen = self.formal.open_local[kind][r], self.start.frozen_local[kind]
        moved = [item for item, still in zip(self.layout.kinds[kind].local_unknowns, frozen, strict=True) if not still]
        found, began = self.minimum.local[kind][r][~frozen], self.start.local[kind][r][~frozen]
        return {unknown.name: self.estimate(unknown, found[i], variances[i], bool(unseen[i]), began[i]) for i, unknown in enumerate(moved)}

    def correlation(self, estimates: dict[str, Estimate]) -> tuple[tuple[str, ...], np.ndarray]:
        """Names and correlations of those free shared unknowns that ``estimates`` shows as determined."""
        free = [self.layout.shared_unknowns[index].name for index in np.flatnonzero(self.free)]
        kept = [i for i, name in enumerate(free) if name in estimates and np.isfinite(estimates[name].sd) and estimates[name].sd > 0]
        block = self.covariance[np.ix_(kept, kept)]
        deviations = np.sqrt(np.diag(block))
        return tuple(free[i] for i in kept), block / np.outer(deviations, deviations)

    def next_step(self, index: int) -> tuple[float, float]:
        """Where the frozen shared coordinate ``index`` would go if it were free, and its standard error, to first order."""
        wider_blocks = self.with_columns(np.append(np.flatnonzero(self.free), index))
        wider = information(wider_blocks)
        # At the minimum the residuals pull at no free coordinate, so only the pull at this one counts.
        pull = -float(sum(np.einsum("rn,rn->", block.by_shared[:, :, index], block.residual) for block in self.blocks))
        variance = float(wider.shared[-1, -1])
        if wider.open_shared[-1]:
            return 0.0, np.inf
        if self.from_scatter:
            return variance * pull, float(np.sqrt(between_trials(wider_blocks, wider)[-1, -1]))
        return variance * pull, float(np.sqrt(variance)) * self.inflation

    def flat_beyond(self, name: str) -> bool:
        """Whether the data are explained as well by four times the value of a shared unknown, the others adapting.

        A local standard error cannot tell: in a regime where friction slides, the data fix the coefficient; in the other, where it
        sticks, any larger coefficient will do with another spin.
        """
        index = self.layout.names.index(name)
        frozen = self.start.frozen.copy()
        frozen[index] = True
        shared = np.array(self.minimum.shared)
        shared[index] += FAR
        start = self.start._replace(shared=shared, local=self.minimum.local, frozen=frozen)
        there = minimise(self.layout, self.scene, self.data, start, method="levenberg_marquardt", steps=100)
        rise = chi_squared(self.layout, self.scene, there, self.data) - self.chi2
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
            found.append("Standard errors are taken from the scatter between the trials, which contains every kind of correlation.")
        elif self.correlation_time > 1.2:
            found.append(
                f"Neighbouring residuals are correlated over about {self.correlation_time:.1f} samples; standard errors are enlarged."
            )
        return found
