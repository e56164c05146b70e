"""What a minimum says: a frozen value whose parts follow from each other, step by step.

    minimum -> linearised problem -> noise -> covariance

Each part is computed when it is asked for first, by the pure function of its step, and kept: a
search that only compares minima pays for no covariance.
"""

import dataclasses
from functools import cached_property
from typing import Any

import jax
import numpy as np

import jaxcontact as jc
from calibration.fitting.autocorrelation import autocorrelation_time
from calibration.fitting.linearised import LinearisedProblem, linearise
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.reml import (
    VarianceComponents,
    assume_weights,
    covariance_of_uncertain_weights,
    degrees_of_freedom,
    estimate_noise,
)
from calibration.fitting.sandwich import (
    believe_scatter,
    between_trials,
    between_trials_degrees,
)
from calibration.fitting.scatter import (
    ScatteringProblem,
    degrees_of_scatter,
    scattering_problem,
)
from calibration.noise.models import Automatic, Errors
from calibration.optimise.coordinates import Minimum, Start
from calibration.optimise.normal_equations import (
    FormalCovariance,
    NormalEquations,
    invert_information,
)
from calibration.problem.residuals import Block, Layout, jacobians, priors
from calibration.problem.rows import stack_rows
from calibration.problem.statuses import Statuses, all_succeeded, judge_statuses
from calibration.results.goodness import largest_misfit
from calibration.results.intervals import chance_of_more

SMOOTH = 4
"""Numbers that a smooth curve through one series uses up, about which its noise is found."""


@dataclasses.dataclass(frozen=True, eq=False)
class Assessment:
    """A minimum of a problem, and what follows from it; ``assess`` makes it.

    Attributes:
        layout, scene, data: the problem.
        errors: what is assumed of the errors of each observation of each batch, as
            ``Problem.errors``.
        start, minimum: where the fit began and ended.
        blocks: weighted residuals and their derivatives by all parameters at the minimum.
        policy: by what it is judged.
        steps: at most so many iterations were made, of each stage; ``None`` where nobody said.
    """

    layout: Layout
    scene: jc.Scene
    data: tuple[Any, ...]
    errors: tuple[tuple[Errors, ...], ...]
    start: Start
    minimum: Minimum
    blocks: tuple[Block, ...]
    policy: FitPolicy = DEFAULT_POLICY
    steps: int | None = None

    # ---- the misfit

    @property
    def free(self) -> np.ndarray:
        """Which shared coordinates were free, (S,)."""
        return self.start.free

    @cached_property
    def priors(self) -> int:
        """Number of parameters of which something is known beforehand."""
        own = (
            local.shape[0] * priors(batch.trial_parameters)
            for batch, local in zip(self.layout.batches, self.start.local, strict=True)
        )
        return self.layout.priors + sum(own)

    @cached_property
    def dof(self) -> int:
        """Degrees of freedom, numbers and priors less free parameters."""
        used = sum(
            int(np.count_nonzero(samples.weight)) for own in self.data for samples in own.samples
        )
        movable = sum(
            int(free.sum()) * own.shape[0]
            for free, own in zip(self.start.free_local, self.start.local, strict=True)
        )
        return used + self.priors - int(self.free.sum()) - movable

    @cached_property
    def chi2(self) -> float:
        """Weighted sum of squares, which is -2 log likelihood up to a constant."""
        return float(sum(np.sum(block.residual**2) for block in self.blocks))

    @cached_property
    def expected_loss(self) -> float:
        """Mean square of the residuals where the noise is as the models say. It is 1 without a
        robust loss.
        """
        total, count = 0.0, 0
        for samples in (samples for own in self.data for samples in own.samples):
            used = np.asarray(samples.weight) > 0
            expected = 1.0 if samples.loss is None else samples.loss.expected_value()
            total += float(np.sum(used * np.broadcast_to(expected, used.shape)))
            count += int(np.count_nonzero(used))
        return total / max(count, 1) or 1.0

    @cached_property
    def misfit(self) -> float:
        """Chi-squared per degree of freedom over what the noise models expect."""
        return self.chi2 / max(self.dof, 1) / self.expected_loss

    @property
    def explained(self) -> bool:
        """Whether the model explains the data to their noise."""
        return self.misfit <= self.largest_misfit

    @cached_property
    def largest_misfit(self) -> float:
        """Misfit up to which the model explains the data. It is larger where the size of the noise
        is known from few numbers, or guessed.
        """
        policy = self.policy
        strict = largest_misfit(
            self.dof,
            noise_degrees=self.noise_degrees,
            stated=all(all(about.stated) for own in self.errors for about in own),
            guessed=self.noise_guessed,
            chance=policy.misfit_chance,
            tolerance=policy.misfit_tolerance,
        )
        lasting = [about.found for own in self.errors for about in own if about.found is not None]
        if not lasting:
            return strict
        # The deviations from single flights are smaller than such noise, and worth fewer numbers.
        allowed = max(
            found.factor
            * largest_misfit(
                int(self.dof / found.memory),
                noise_degrees=found.degrees,
                chance=policy.misfit_chance,
                tolerance=policy.misfit_tolerance,
            )
            for found in lasting
        )
        return max(strict, min(allowed, policy.lasting_misfit))

    @property
    def noise_guessed(self) -> bool:
        """Whether nothing tells the size of some of the errors."""
        return any(
            about.guessed and about.model.estimates_size(stated=False)
            for own in self.errors
            for about in own
        )

    @property
    def noise_unknown(self) -> bool:
        """Whether nothing tells the size of some of the errors, and residuals are too few to."""
        return self.noise_guessed and self.dof < self.policy.noise_degrees

    @property
    def noise_degrees(self) -> float:
        """Degrees of freedom with which the size of the errors is known. They are few where it was
        found from numbers that are no series, and therefore few.
        """
        total = 0.0
        for own, errors in zip(self.data, self.errors, strict=True):
            for samples, about in zip(own.samples, errors, strict=True):
                if about.series or about.guessed or any(about.stated):
                    return float(np.inf)
                used = np.count_nonzero(np.any(np.asarray(samples.weight) > 0, axis=-1), axis=-1)
                total += float(np.sum(np.maximum(used - SMOOTH, 1)))
        return total or float(np.inf)

    @cached_property
    def contradicted(self) -> bool:
        """Whether it is unlikely that noise of the stated size makes all the misfit."""
        chance = chance_of_more(self.chi2 / self.expected_loss, max(self.dof, 1))
        return bool(chance < self.policy.misfit_chance)

    @cached_property
    def correlation_time(self) -> float:
        """The longest correlation time of residuals, in samples, over all observations of a series
        in time that were measured, not computed.
        """
        longest, computed = 1.0, self.linearised.computed
        for block, own, errors, pieces in zip(
            self.blocks, self.data, self.errors, self.linearised.batches, strict=False
        ):
            for samples, about, rows, piece in zip(
                own.samples, errors, stack_rows(own.samples), pieces, strict=True
            ):
                used = (np.asarray(samples.weight) > 0) & ~computed[piece.component]
                if used.shape[1] >= self.policy.series_length and about.series:
                    residual = rows.take(block.residual)
                    longest = max(longest, autocorrelation_time(residual, used))
        return longest

    # ---- the simulations

    @cached_property
    def statuses(self) -> Statuses:
        """How the simulation of each trial of each batch (R,) ended at the minimum, up to what was
        measured of it.
        """
        minimum = self.minimum
        return judge_statuses(
            self.layout, self.scene, minimum.shared, minimum.local, self.data, self.blocks
        )

    @cached_property
    def simulated(self) -> bool:
        """Whether all simulations at the minimum succeeded."""
        return all_succeeded(self.statuses)

    # ---- linearise

    @cached_property
    def linearised(self) -> LinearisedProblem:
        """The linearised problem with the free parameters, by measured quantity."""
        return linearise(self.start.free_blocks(self.blocks), self.data, self.errors)

    @property
    def equations(self) -> NormalEquations:
        """Normal equations of the linearised problem, weighed as the fit weighs."""
        return self.linearised.equations

    @cached_property
    def formal(self) -> FormalCovariance:
        """Covariance if the weights of the fit were the whole truth."""
        return invert_information(self.equations)

    @property
    def trial_blocks(self) -> tuple[Block, ...]:
        """Blocks of the linearised problem, those of the trials only."""
        return self.linearised.working[: len(self.data)]

    @property
    def prior_blocks(self) -> tuple[Block, ...]:
        """Blocks of the linearised problem, what is known beforehand of shared parameters."""
        return self.linearised.working[len(self.data) :]

    # ---- estimate the noise

    @property
    def sizes_are_known(self) -> bool:
        """Whether the residuals do not tell the size of any errors unless they are too large.

        It was stated, or the numbers were computed.
        """
        return all(
            component.stated or computed
            for component, computed in zip(
                self.linearised.components, self.linearised.computed, strict=True
            )
        )

    @cached_property
    def from_scatter(self) -> bool:
        """Whether ``covariance`` is that of the scatter between the trials."""
        return self.linearised.automatic and believe_scatter(
            self.trial_blocks,
            self.prior_blocks,
            self.formal,
            misfit=self.misfit,
            known=self.sizes_are_known,
            policy=self.policy,
        )

    @cached_property
    def variance_components(self) -> VarianceComponents:
        """Size and correlation time of the errors of each quantity, as far as they were found from
        the residuals.
        """
        if self.from_scatter:
            return assume_weights(self.linearised)
        return estimate_noise(self.linearised, doubt_stated=self.contradicted)

    # ---- covariance

    @cached_property
    def covariance(self) -> np.ndarray:
        """What is believed, of the free shared coordinates, (S, S)."""
        if self.from_scatter:
            return between_trials(self.trial_blocks, self.formal, self.prior_blocks)
        noise, followed = self.variance_components, self.linearised.followed
        # Coordinates that the data do not see at all may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.linearised.covariance(noise.size, noise.time, followed=followed)
            return found + covariance_of_uncertain_weights(self.linearised, noise)

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degrees of freedom of each variance of ``covariance``, for Student's t."""
        if self.from_scatter:
            return between_trials_degrees(self.trial_blocks, self.formal)
        of_noise = degrees_of_freedom(self.linearised, self.variance_components)
        if self.scattering is None:
            return of_noise
        with np.errstate(divide="ignore"):  # both may be known: infinite degrees
            return np.asarray(1 / (1 / of_noise + 1 / degrees_of_scatter(self.scattering)))

    @cached_property
    def scattering(self) -> ScatteringProblem | None:
        """The linearised problem of impacts that deviate by an estimated size, where they may."""
        return scattering_problem(
            self.layout,
            np.asarray(self.minimum.shared),
            self.data,
            self.linearised.working,
            self.trial_error_scale_factor,
        )

    @cached_property
    def error_scale_factor(self) -> float:
        """Typical ratio of the standard errors to the formal ones."""
        seen = ~self.formal.open_shared
        ratio = np.diag(self.covariance)[seen] / np.diag(self.formal.shared)[seen]
        return float(np.sqrt(np.median(ratio))) if ratio.size else self.trial_error_scale_factor

    @cached_property
    def trial_error_scale_factor(self) -> float:
        """Typical ratio of the standard errors to the formal ones of quantities of one trial."""
        if not self.linearised.automatic:
            noise = self.variance_components
            sizes = noise.size[noise.free_size & ~self.linearised.followed]
            return float(np.median(sizes)) if sizes.size else 1.0
        if self.contradicted or not self.sizes_are_known:
            power = max(self.misfit, float(np.median(self.linearised.rounding())) ** 2)
        else:
            power = float(np.median(self.variance_components.size)) ** 2
        return float(np.sqrt(power * self.correlation_time))


def assess(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    minimum: Minimum,
    errors: tuple[tuple[Errors, ...], ...] | None = None,
    *,
    blocks: tuple[Block, ...] | None = None,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Assessment:
    """Assess a minimum of ``layout`` on ``data``.

    Args:
        layout: structure of the problem.
        scene: of the problem.
        data: arrays of each batch of trials.
        start: where the fit began.
        minimum: where it ended.
        errors: what is assumed of the errors of each observation of each batch; by default those of
            stated standard deviations.
        blocks: weighted residuals and their derivatives at the minimum, where they are known
            already.
        policy: by what it is judged.
    """
    if errors is None:
        errors = state_errors(data, policy)
    if blocks is None:
        blocks = jacobians(layout, scene, minimum.shared, minimum.local, data)
    blocks = jax.tree.map(np.asarray, tuple(blocks))
    return Assessment(layout, scene, data, errors, start, minimum, blocks, policy)


def state_errors(
    data: tuple[Any, ...], policy: FitPolicy = DEFAULT_POLICY
) -> tuple[tuple[Errors, ...], ...]:
    """Errors where nothing is said of them: stated standard deviations, a quantity for each
    column.
    """

    def of(g: int, i: int, samples: Any) -> Errors:
        count, columns = np.shape(samples.weight)[1:]
        names = tuple(f"{g}.{i}.{column}" for column in range(columns))
        return Errors(Automatic(), names, (True,) * columns, count >= policy.series_length)

    return tuple(
        tuple(of(g, i, samples) for i, samples in enumerate(own.samples))
        for g, own in enumerate(data)
    )
