"""Estimates that say no more than what was known before the measurement."""

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from calibration.fitting.autocorrelation import autocorrelation_time
from calibration.fitting.reml import (
    Spread,
    VarianceComponents,
    degrees_of_freedom,
    of_uncertain_weights,
    restricted,
)
from calibration.fitting.sandwich import between_trials, between_trials_degrees
from calibration.model.parameter import Parameter
from calibration.noise.models import Automatic, Errors
from calibration.optimise.least_squares import Minimum, Start, minimise
from calibration.optimise.normal_equations import (
    FormalCovariance,
    NormalEquations,
    invert_information,
)
from calibration.problem.residuals import Block, Layout, jacobians, priors, residuals
from calibration.problem.rows import stack_rows
from calibration.results.estimate import Coordinate, Determination, Estimate
from calibration.results.intervals import chance_of_less, chance_of_more, student_reach
from calibration.results.summary import explains

LOOSE = 1.0
"""A standard error above this, in a logarithmic or logistic coordinate (a factor of e), means not
determined.
"""

ENOUGH_TRIALS = 5
"""From so many trials more than shared parameters on, the scatter between trials can give the
standard errors.
"""

EVIDENCE = 0.05
"""Chance at which trials scatter by noise alone as much as they do; below, their scatter is
believed, not the stated noise.
"""

LEVEL = 0.95
"""Of the intervals by which a value counts as excluded."""

OUTLYING = 5.0
"""Residuals farther off than so many standard deviations are no Gaussian noise."""

THRESHOLD = 3.84
"""Rise of chi-squared that excludes a value at 95 % where the noise is known."""

CONTRADICTED = 0.01
"""Chance of a larger misfit by noise alone below which stated standard deviations are not
believed.
"""

IMPLAUSIBLE = 1e-4
"""Chance of so little scatter between trials below which it is not believed."""

FAR = 1.4
"""Step of a logarithmic or logistic coordinate (a factor of 4) at which the profile of an unknown
is probed for being flat.
"""

SERIES = 8
"""From so many samples on, an observation is a series in time whose noise may be correlated."""


def chi_squared(layout: Layout, scene: Any, minimum: Minimum, data: tuple[Any, ...]) -> float:
    """Weighted sum of squares at a minimum."""
    parts = residuals(layout, scene, minimum.shared, minimum.local, data)
    return float(sum(np.sum(np.asarray(part) ** 2) for part in parts))


def stated_errors(data: tuple[Any, ...]) -> tuple[tuple[Errors, ...], ...]:
    """Errors where nothing is said of them: stated standard deviations, a quantity for each
    column.
    """

    def of(g: int, i: int, samples: Any) -> Errors:
        columns = np.shape(samples.weight)[2]
        names = tuple(f"{g}.{i}.{column}" for column in range(columns))
        return Errors(Automatic(), names, (True,) * columns, np.shape(samples.weight)[1] >= SERIES)

    return tuple(
        tuple(of(g, i, samples) for i, samples in enumerate(own.samples))
        for g, own in enumerate(data)
    )


class Assessment:
    """Judges a minimum of ``layout`` on ``data``.

    Args:
        layout, scene, data: the problem.
        start, minimum: where the fit began and ended.
        errors: what is assumed of the errors of each observation of each kind (``Problem.errors``).
        blocks: weighted residuals and their derivatives at the minimum, where they are known
            already.

    Attributes:
        blocks: weighted residuals and their derivatives by all parameters.
        chi2, dof: weighted sum of squares (-2 log likelihood, up to a constant) and degrees of
            freedom.
        misfit: chi2 per degree of freedom over what the noise models expect.
        explained: whether the model explains the data to their noise.
        contradicted: whether it is unlikely that noise of the stated size makes all the misfit.
    """

    def __init__(
        self,
        layout: Layout,
        scene: Any,
        data: tuple[Any, ...],
        start: Start,
        minimum: Minimum,
        errors: tuple[tuple[Errors, ...], ...] | None = None,
        *,
        blocks: tuple[Block, ...] | None = None,
    ) -> None:
        self.layout, self.scene, self.data, self.start, self.minimum = (
            layout,
            scene,
            data,
            start,
            minimum,
        )
        self.errors = stated_errors(data) if errors is None else errors
        found = (
            jacobians(layout, scene, minimum.shared, minimum.local, data)
            if blocks is None
            else blocks
        )
        self.blocks = tuple(Block(*map(np.asarray, block)) for block in found)
        self.free = ~start.frozen
        own_priors = (
            own.shape[0] * priors(batch.trial_parameters)
            for batch, own in zip(layout.batches, start.local, strict=True)
        )
        self.priors = layout.priors + sum(own_priors)
        used = sum(int(np.count_nonzero(samples.weight)) for own in data for samples in own.samples)
        movable = sum(
            int((~frozen).sum()) * own.shape[0]
            for frozen, own in zip(start.frozen_local, start.local, strict=True)
        )
        self.dof = used + self.priors - int(self.free.sum()) - movable
        self.chi2 = float(sum(np.sum(block.residual**2) for block in self.blocks))
        self.misfit = self.chi2 / max(self.dof, 1) / self.expected_loss()
        self.explained = explains(self.misfit, self.dof)
        self.contradicted = bool(
            chance_of_more(self.chi2 / self.expected_loss(), max(self.dof, 1)) < CONTRADICTED
        )

    # ---- what only a final result needs, computed when it is asked for

    @cached_property
    def parts(self) -> VarianceComponents:
        """The linearised problem with the free parameters, by measured quantity."""
        return VarianceComponents(self.start.free_blocks(self.blocks), self.data, self.errors)

    @cached_property
    def equations(self) -> NormalEquations:
        """Normal equations of the linearised problem, weighed as the fit weighs."""
        return NormalEquations.of(self.parts.working)

    @cached_property
    def formal(self) -> FormalCovariance:
        """Covariance if the weights of the fit were the whole truth."""
        return invert_information(self.equations)

    @cached_property
    def automatic(self) -> bool:
        """Whether no quantity has a noise model of its own."""
        return all(isinstance(component.model, Automatic) for component in self.parts.components)

    @cached_property
    def from_scatter(self) -> bool:
        """Whether ``covariance`` is that of the scatter between the trials."""
        return self.automatic and self.scatters()

    @cached_property
    def spread(self) -> Spread:
        """Size and correlation time of the errors of each quantity, as far as they were found from
        the residuals.
        """
        return self.sizes_as_weighed() if self.from_scatter else self.found_spread()

    @cached_property
    def covariance(self) -> np.ndarray:
        """What is believed, of the free shared coordinates."""
        if self.from_scatter:
            trials = len(self.data)
            return between_trials(
                self.parts.working[:trials], self.formal, self.parts.working[trials:]
            )
        followed = self.followed()
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # of coordinates the data do not see at all
            found = self.parts.covariance(self.spread.size, self.spread.time, followed=followed)
            return found + of_uncertain_weights(self.parts, self.spread, followed=followed)

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degrees of freedom of each variance of ``covariance``, for Student's t."""
        if self.from_scatter:
            return between_trials_degrees(self.parts.working[: len(self.data)], self.formal)
        return degrees_of_freedom(self.parts, self.spread, followed=self.followed())

    @cached_property
    def trial_error_scale_factor(self) -> float:
        """Typical ratio of the standard errors to the formal ones of quantities of one trial."""
        return self.typical_error_scale_factor()

    @cached_property
    def error_scale_factor(self) -> float:
        """Typical ratio of the standard errors to the formal ones."""
        seen = ~self.formal.open_shared
        ratio = np.diag(self.covariance)[seen] / np.diag(self.formal.shared)[seen]
        return float(np.sqrt(np.median(ratio))) if ratio.size else self.trial_error_scale_factor

    def expected_loss(self) -> float:
        """Mean square of the residuals where the noise is as the models say: 1 without a robust
        loss.
        """
        total, count = 0.0, 0
        for samples in (samples for own in self.data for samples in own.samples):
            used = np.asarray(samples.weight) > 0
            expected = (
                1.0
                if samples.loss is None
                else np.broadcast_to(samples.loss.expected_value(), used.shape)
            )
            total, count = (
                total + float(np.sum(used * expected)),
                count + int(np.count_nonzero(used)),
            )
        return total / max(count, 1) or 1.0

    def followed(self) -> np.ndarray:
        """Components by whose sizes and correlation times the fit weighs: those whose model says
        so, without a robust loss.
        """
        return np.asarray(
            [
                not (isinstance(own.model, Automatic) or own.model.robust)
                for own in self.parts.components
            ],
            dtype=bool,
        )

    def known_time(self) -> np.ndarray:
        """Correlation time of each component where its model says one [s]; else 0."""
        return np.asarray(
            [
                (getattr(own.model, "time", None) or 0.0) * own.series
                for own in self.parts.components
            ]
        )

    def sizes_as_weighed(self) -> Spread:
        """The spread that the weights of the fit assume."""
        count = len(self.parts.components)
        nothing = np.zeros(count, dtype=bool)
        return Spread(np.ones(count), self.known_time(), nothing, nothing, np.zeros((0, 0)))

    def found_spread(self) -> Spread:
        """Sizes and correlation times, those of them from the residuals that are not known."""
        components, time = self.parts.components, self.known_time()
        doubted = [isinstance(own.model, Automatic) and self.contradicted for own in components]
        size = [own.model.robust or own.model.estimates_size(own.stated) for own in components]
        free_size = np.asarray([a or b for a, b in zip(size, doubted, strict=True)], dtype=bool)
        neighbours, pairs = self.parts.neighbours(), np.sqrt(np.maximum(self.parts.counts, 1.0))
        looks_correlated = np.asarray(
            [isinstance(own.model, Automatic) and own.series for own in components]
        ) & (neighbours > 1 / pairs)
        asked = np.asarray(
            [own.model.correlated and own.series for own in components], dtype=bool
        ) & (time == 0)
        enough = self.parts.counts - self.parts.used_up() >= 1
        spread = restricted(
            self.parts,
            np.ones(len(components)),
            time,
            free_size & enough,
            (asked | looks_correlated) & enough,
        )
        # Stated deviations are at most enlarged.
        stated = np.asarray([a and not b for a, b in zip(doubted, size, strict=True)], dtype=bool)
        size_found = np.where(stated, np.maximum(spread.size, 1.0), spread.size)
        return spread._replace(size=size_found * self.parts.enlargement)

    def scatters(self) -> bool:
        """Whether the scatter between trials is to be believed.

        There are enough of them; where noise is stated, it is more than that makes; and it is not
        less than noise within the trials makes, as it comes out where several quantities are hardly
        determined.
        """
        trials = self.parts.working[: len(self.data)]
        count = sum(block.residual.shape[0] for block in trials)
        if count < ENOUGH_TRIALS + int(self.free.sum()) or not np.any(self.free):
            return False
        seen = ~self.formal.open_shared
        degrees = between_trials_degrees(trials, self.formal)[seen]
        scatter = np.diag(between_trials(trials, self.formal, self.parts.working[len(self.data) :]))
        ratio = scatter[seen] / np.diag(self.formal.shared)[seen]
        if np.any(chance_of_less(ratio / min(self.misfit, 1.0) * degrees, degrees) < IMPLAUSIBLE):
            return False
        if not all(own.stated for own in self.parts.components):
            return True
        return bool(np.any(chance_of_more(ratio * degrees, degrees) < EVIDENCE))

    def typical_error_scale_factor(self) -> float:
        """Factor on the formal standard errors of quantities of one trial."""
        if not self.automatic:
            sizes = self.spread.size[self.spread.free_size & ~self.followed()]
            return float(np.median(sizes)) if sizes.size else 1.0
        stated = all(own.stated for own in self.parts.components)
        size = self.misfit if self.contradicted or not stated else 1.0
        return float(np.sqrt(size * self.correlation_time))

    def delta_chi2(self, name: str, level: float = LEVEL) -> float:
        """Rise of chi-squared at the ends of the profile interval of a free shared unknown.

        ``t^2 V/F``: the square of Student's quantile for the degrees of freedom of its variance V,
        times the ratio of V to the formal F. For known, independent noise that is the quantile of
        chi-squared, 3.84 at 95 %.
        """
        position = [self.layout.names[index] for index in np.flatnonzero(self.free)].index(name)
        ratio = self.covariance[position, position] / self.formal.shared[position, position]
        return float(student_reach(level, self.degrees[position]) ** 2 * ratio)

    @cached_property
    def correlation_time(self) -> float:
        """The longest correlation time of residuals, in samples, over all observations of a series
        in time.
        """
        longest = 1.0
        for block, own, errors in zip(self.blocks, self.data, self.errors, strict=False):
            for samples, about, rows in zip(
                own.samples, errors, stack_rows(own.samples), strict=True
            ):
                used = np.asarray(samples.weight) > 0
                if used.shape[1] >= SERIES and about.series:
                    residual = rows.take(block.residual)
                    longest = max(longest, autocorrelation_time(residual, used))
        return longest

    def estimate(
        self,
        parameter: Parameter,
        coordinate: float,
        variance: float,
        unseen: bool,
        began: float,
        degrees: float = np.inf,
    ) -> Estimate:
        """Value, standard error and status of one unknown; ``degrees`` of freedom of its
        variance.
        """
        value, spread = float(parameter.value(coordinate)), float(np.sqrt(max(variance, 0.0)))
        status, note = Determination.DETERMINED, ""
        if unseen or (parameter.about.transform != "identity" and spread > LOOSE):
            status, spread = Determination.NOT_DETERMINED, np.inf
        elif parameter.at_bound(value):
            status = Determination.AT_BOUND
            note = f"at the end of {parameter.about.interval}; the standard error does not apply"
        elif coordinate == began:
            status = Determination.AT_START
        about = parameter.about
        sd = spread * abs(parameter.slope(value)) if np.isfinite(spread) else np.inf
        return Estimate(
            parameter.name,
            about.label,
            about.symbol,
            about.unit,
            value,
            sd,
            float(parameter.value(began)),
            status,
            note,
            degrees=float(degrees),
            curve=Coordinate(parameter, float(coordinate), spread),
        )

    def shared(self) -> dict[str, Estimate]:
        """Estimates of the shared parameters that were free."""
        found = {}
        for position, index in enumerate(np.flatnonzero(self.free)):
            parameter = self.layout.global_parameters[index]
            unseen = bool(self.formal.open_shared[position])
            variance = self.covariance[position, position]
            degrees = self.degrees[position]
            found[parameter.name] = self.estimate(
                parameter,
                self.minimum.shared[index],
                variance,
                unseen,
                self.start.shared[index],
                degrees,
            )
        return found

    def local(self, batch: int, r: int) -> dict[str, Estimate]:
        """Estimates of the parameters of trial ``r`` of a kind."""
        variances = np.diagonal(self.formal.local[batch][r]) * self.trial_error_scale_factor**2
        unseen, frozen = self.formal.open_local[batch][r], self.start.frozen_local[batch]
        moved = [
            item
            for item, still in zip(self.layout.batches[batch].trial_parameters, frozen, strict=True)
            if not still
        ]
        found, began = self.minimum.local[batch][r][~frozen], self.start.local[batch][r][~frozen]
        degrees = float(max(self.dof, 1)) if np.any(self.spread.free_size) else np.inf
        return {
            parameter.name: self.estimate(
                parameter, found[i], variances[i], bool(unseen[i]), began[i], degrees
            )
            for i, parameter in enumerate(moved)
        }

    def correlation(self, estimates: dict[str, Estimate]) -> tuple[tuple[str, ...], np.ndarray]:
        """Names and correlations of those free shared parameters that ``estimates`` shows as
        determined.
        """
        free = [self.layout.global_parameters[index].name for index in np.flatnonzero(self.free)]
        kept = [
            i
            for i, name in enumerate(free)
            if name in estimates and np.isfinite(estimates[name].sd) and estimates[name].sd > 0
        ]
        block = self.covariance[np.ix_(kept, kept)]
        deviations = np.sqrt(np.diag(block))
        return tuple(free[i] for i in kept), block / np.outer(deviations, deviations)

    def next_step(self, index: int) -> tuple[float, float]:
        """Where the frozen shared coordinate ``index`` would go if it were free, and its standard
        error, to first order.
        """
        wider_blocks = VarianceComponents(
            self.start.free_blocks(self.blocks, also=(index,)), self.data, self.errors
        ).working
        wider = invert_information(NormalEquations.of(wider_blocks))
        # At the minimum the residuals pull at no free coordinate, so only the pull at this one
        # counts.
        pull = -float(
            sum(
                np.einsum("rn,rn->", block.by_shared[:, :, index], block.residual)
                for block in self.blocks
            )
        )
        variance = float(wider.shared[-1, -1])
        if wider.open_shared[-1]:
            return 0.0, np.inf
        if self.from_scatter:
            trials, known = wider_blocks[: len(self.data)], wider_blocks[len(self.data) :]
            return variance * pull, float(np.sqrt(between_trials(trials, wider, known)[-1, -1]))
        return variance * pull, float(np.sqrt(variance)) * self.error_scale_factor

    def flat_beyond(self, name: str) -> bool:
        """Whether the data are explained as well by four times the value of a shared unknown, the
        others adapting.

        A local standard error cannot tell: in a regime where friction slides, the data fix the
        coefficient; in the other, where it sticks, any larger coefficient will do with another
        spin.
        """
        index = self.layout.names.index(name)
        frozen = self.start.frozen.copy()
        frozen[index] = True
        shared = np.array(self.minimum.shared)
        shared[index] += FAR
        start = self.start._replace(shared=shared, local=self.minimum.local, frozen=frozen)
        there = minimise(
            self.layout, self.scene, self.data, start, method="levenberg_marquardt", steps=100
        )
        delta_chi2 = chi_squared(self.layout, self.scene, there, self.data) - self.chi2
        return delta_chi2 < self.delta_chi2(name)

    def warnings(self, estimates: dict[str, Estimate]) -> list[str]:
        """Plain sentences, most important first."""
        found = []
        if not self.minimum.converged:
            found.append(
                f"The fit did not converge in {int(self.minimum.iterations)} iterations; its "
                "numbers are not to be used."
            )
        if not self.explained:
            found.append(
                "The model does not explain the data: chi2 per degree of freedom is "
                f"{self.misfit:.2f} where noise alone gives 1. Something"
                " is missing from the model, or the samples are noisier than assumed."
            )
        for estimate in estimates.values():
            where = f"{estimate.label[0].upper()}{estimate.label[1:]} ({estimate.name})"
            if estimate.status is Determination.NOT_DETERMINED:
                found.append(
                    f"{where} is not determined by these "
                    f"data{': ' + estimate.note if estimate.note else ''}."
                )
            elif estimate.status is Determination.AT_BOUND:
                found.append(f"{where} = {estimate.value:.4g} is at a bound.")
            elif estimate.status is Determination.AT_START:
                found.append(f"{where} never moved from its start; check that it acts on the data.")
        if self.from_scatter:
            found.append(
                "Standard errors are taken from the scatter between the trials, which "
                "contains every kind of correlation."
            )
        elif self.automatic and self.correlation_time > 1.2:
            found.append(
                "Neighbouring residuals are correlated over about "
                f"{self.correlation_time:.1f} samples; standard errors are enlarged."
            )
        return found + self.doubts()

    def doubts(self) -> list[str]:
        """What speaks against the noise model, in sentences: then the intervals of covariance and
        profile are not to be trusted.
        """
        found = []
        components = self.parts.components
        # Robust models expect residuals that are too large, and take the size of the errors from
        # all of them.
        robust = all(own.model.robust for own in components)
        if (
            self.contradicted
            and self.explained
            and all(own.stated for own in components)
            and not robust
        ):
            ratio, kept = np.sqrt(self.misfit), not self.automatic
            found.append(
                f"The residuals are {ratio:.2g} times as large as the noise that was stated; "
                + (
                    "the noise model keeps it all the same, and intervals are too narrow."
                    if kept
                    else "standard errors are enlarged."
                )
            )
        if self.from_scatter:
            return found
        correlation, counts = self.parts.neighbours(), np.maximum(self.parts.counts, 1.0)
        far = self.parts.summed(
            lambda piece: (
                np.abs(piece.deviation)
                > OUTLYING * np.maximum(self.spread.size, 1.0)[piece.component]
            )
        )
        for i, component in enumerate(self.parts.components):
            independent = component.series and not (
                isinstance(component.model, Automatic) or component.model.correlated
            )
            if independent and correlation[i] > max(3 / np.sqrt(counts[i]), 0.1):
                found.append(
                    f"Neighbouring residuals of {component.quantity} are correlated "
                    f"({correlation[i]:.2f}), which {component.model}"
                    " does not expect; intervals are too narrow. Correlated() expects it."
                )
            if far[i] and not component.model.robust:
                found.append(
                    f"{int(far[i])} of {int(counts[i])} residuals of {component.quantity} "
                    f"are more than {OUTLYING:g} standard deviations"
                    " off; StudentT(4) and Huber() bear outliers."
                )
        return found


NO_NEWS = 0.8
"""A standard error of more than this part of that of the prior: the data add next to nothing."""


def without_what_was_known(
    assessment: Assessment, estimates: dict[str, Estimate]
) -> dict[str, Estimate]:
    """The estimates; one to which the data add nothing beside its prior is said to be not
    determined by them.
    """
    found = dict(estimates)
    for parameter in assessment.layout.global_parameters:
        estimate = found.get(parameter.name)
        if (
            parameter.prior is None
            or estimate is None
            or estimate.status is not Determination.DETERMINED
        ):
            continue
        # The prior is linear in the value or in its logarithm: its residual changes by one over one
        # standard deviation.
        moved = parameter.prior.residual(estimate.value * (1 + 1e-6)) - parameter.prior.residual(
            estimate.value
        )
        prior_sd = abs(1e-6 * estimate.value / float(moved)) if moved else np.inf
        if estimate.sd > NO_NEWS * prior_sd:
            note = "these data add nothing to what is known of it beforehand, which was used"
            found[parameter.name] = dataclasses.replace(
                estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note
            )
    return found
