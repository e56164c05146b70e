"""The posterior distribution of all parameters, sampled by the No-U-Turn sampler of NumPyro, as
ArviZ ``InferenceData``.

The density is that of the fit: ``exp(-chi2/2)``, robust losses included, priors of the parameters
included, flat otherwise in the coordinates of the fit (flat in the logarithm of a stiffness, in the
logit of a restitution). A prior given for a value is a density of that value (``LogNormal``: of its
logarithm), so the change of coordinates has its Jacobian: ``-ln p(c) = U(c) - ln|dv/dc|``.
"""

import dataclasses
import math
import warnings as python_warnings
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.policy import FitPolicy
from calibration.fitting.refit import identity
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal
from calibration.problem.residuals import jacobians, residuals
from calibration.problem.rows import count_rows
from calibration.problem.statuses import all_succeeded, find_statuses
from calibration.results.estimate import Determination
from calibration.results.intervals import check_level, percentile_ends
from calibration.results.numbers import capitalise, describe_interval
from calibration.results.result import Fit
from calibration.runtime.checkpoint import Checkpoint, open_journal
from calibration.runtime.progress import Progress, ensure_progress
from calibration.uncertainty.bootstrap import has_run_away
from calibration.uncertainty.draws import Draws
from calibration.uncertainty.profile import assessment_of

FLAT = ("coordinate", "value")

LOOKED_AT = 64
"""Draws of which the simulations are looked at."""


@dataclasses.dataclass(frozen=True)
class Posterior:
    """Samples of a posterior distribution.

    Attributes:
        data: ``arviz.InferenceData``: ``posterior`` with the dimensions chain, draw and, for what
            belongs to each trial, trial; attributes ``unit`` and ``label``; ``sample_stats``.
        intervals: central intervals of the shared parameters, by name, of probability ``level``.
        level: of them.
        rhat, ess: the largest R-hat and the smallest effective sample size (bulk or tail) of all
            parameters.
        divergences: of the sampler after the warm-up.
        draws: coordinates of all samples, chain after chain.
        fit: that the samples belong to.
        text: what was found, in words.
        warnings: plain sentences.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> posterior = cal.posterior(cal.fit(problem), samples=50, warmup=50, chains=2)
        >>> low, high = posterior.intervals["contact.normal.restitution"]
        >>> 0.77 < low < 0.80 < high < 0.83
        True
    """

    data: Any
    intervals: dict[str, tuple[float, float]]
    level: float
    rhat: float
    ess: float
    divergences: int
    draws: Draws
    fit: Fit = dataclasses.field(repr=False)
    text: str = ""
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.text, *self.warnings])


def posterior(
    fit: Fit,
    *,
    samples: int = 1000,
    warmup: int = 1000,
    chains: int = 4,
    seed: int = 0,
    flat: str = "coordinate",
    level: float = 0.95,
    block: int = 50,
    progress: Progress | None = None,
    checkpoint: Checkpoint | str | None = None,
) -> Posterior:
    """Sample the posterior distribution of all free parameters of a fit.

    Chains run together in ``vmap``, in coordinates in which the covariance of the fit is the unit
    matrix. Sizes of errors that the fit took from the residuals are sampled, too (flat in their
    logarithm). Where the fit enlarges standard errors for correlated residuals or for scatter
    between trials, the likelihood is tempered by the same factor.

    Args:
        fit: a result of ``calibration.fit``.
        samples: of each chain.
        warmup: steps before them, which adapt the sampler.
        chains: independent chains, from 2 on, so that they can be compared.
        seed: of the sampler: same seed, same samples.
        flat: in what an unknown without a prior is flat: ``"coordinate"`` (the logarithm of a
            positive quantity, the logit of one between two bounds) or ``"value"``.
        level: of the central intervals, in (0, 1).
        block: steps between which a checkpoint can be written.
        progress: told of each block.
        checkpoint: folder for finished blocks with the state of the sampler.

    Returns:
        ArviZ ``InferenceData``, intervals, and whether the chains agree.

    Raises:
        InputError: an unknown that neither data nor a prior determine (it would have no posterior),
            numbers out of range, another's checkpoint, or NumPyro and ArviZ are not installed.

    References:
        Hoffman and Gelman, Journal of Machine Learning Research 15 (2014) 1593.

    Example:
        A real analysis takes more samples; the result says when they are too few:

        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> posterior = cal.posterior(cal.fit(problem), samples=50, warmup=50, chains=2)
        >>> print(posterior.warnings[-1])
        The effective sample size is only ..., wanted 400; draw more samples.
    """
    numpyro, arviz = import_samplers()
    assessment = assessment_of(fit, caller="posterior")
    check_level(level)
    for name, value, least in (
        ("samples", samples, 4),
        ("warmup", warmup, 1),
        ("chains", chains, 2),
        ("block", block, 1),
    ):
        if not (isinstance(value, int) and value >= least):
            raise InputError(
                f"posterior: {name} = {value!r}", remedy=f"Give a whole number from {least} on."
            )
    if flat not in FLAT:
        raise InputError(
            f"posterior: flat = {flat!r} is not known",
            remedy=f"Give one of {', '.join(map(repr, FLAT))}.",
        )
    check_proper(fit, assessment, flat)
    say = ensure_progress(progress)
    options = {
        "samples": samples,
        "warmup": warmup,
        "chains": chains,
        "seed": seed,
        "flat": flat,
        "block": block,
    }
    with (
        jax.enable_x64(True),
        open_journal(
            checkpoint, work="posterior", inputs=identity(assessment), options=options
        ) as kept,
    ):
        density = Density(assessment, flat)
        kernel = numpyro.infer.NUTS(potential_fn=density.potential, target_accept_prob=0.85)
        key, first = jax.random.split(jax.random.PRNGKey(seed))
        began = jax.random.normal(first, (chains, density.size))
        # The kernel learns its functions in ``init``, so this is done also when everything else is
        # read.
        state = kernel.init(
            jax.random.split(key, chains), warmup, init_params=began, model_args=(), model_kwargs={}
        )
        advance = jax.jit(partial(advance_sampler, kernel, block))
        structure = (state, Step(0, 0, 0, 0, 0))
        say(f"Sampling {chains} chains", total=warmup + samples)
        steps = []
        for i in range(-(-(warmup + samples) // block)):
            state, step = kept.remember(f"{i}", partial(advance, state), like=structure)
            steps.append(step)
            done = min((i + 1) * block, warmup + samples)
            say.advance(
                done,
                f"{int(step.diverging.sum())} divergences"
                if done > warmup and step.diverging.any()
                else "",
            )
        kept_steps = jax.tree.map(
            lambda *parts: np.swapaxes(np.concatenate(parts)[warmup : warmup + samples], 0, 1),
            *steps,
        )
        points = jax.jit(jax.vmap(jax.vmap(density.point)))(kept_steps.position)
        points = jax.tree.map(np.asarray, points)
        data = make_inference_data(arviz, fit, density, points, kept_steps)
        return summarise(arviz, fit, density, points, kept_steps, data, level)


def import_samplers() -> tuple[Any, Any]:
    """NumPyro and ArviZ.

    Raises:
        InputError: they are not installed.
    """
    try:
        with python_warnings.catch_warnings():
            # ArviZ announces its next major version on import; nothing here depends on what it will
            # change.
            python_warnings.filterwarnings("ignore", category=FutureWarning)
            import arviz
            import numpyro
            import numpyro.infer
    except ImportError as error:
        raise InputError(
            f"posterior: {error.name} is not installed",
            remedy="Install it with: pip install 'jaxcontact[posterior]'",
        ) from error
    return numpyro, arviz


def check_proper(fit: Fit, assessment: Assessment, flat: str) -> None:
    """Raise for parameters that neither the data nor a prior determine: their posterior has no end,
    so no sample of it means anything.
    """
    free = [assessment.layout.global_parameters[index] for index in np.flatnonzero(assessment.free)]
    lost = []
    for position, parameter in enumerate(free):
        estimate = fit.parameters.get(parameter.name)
        status = Determination.NOT_DETERMINED if estimate is None else estimate.status
        unseen = bool(assessment.formal.open_shared[position]) or (
            parameter.prior is None and status is Determination.NOT_DETERMINED
        )
        if unseen or (
            parameter.prior is None and flat == "coordinate" and status is Determination.AT_BOUND
        ):
            lost.append(parameter.name)
    for batch, hidden, frozen in zip(
        assessment.layout.batches,
        assessment.formal.open_local,
        assessment.start.frozen_local,
        strict=False,
    ):
        moved = [
            parameter
            for parameter, still in zip(batch.trial_parameters, frozen, strict=True)
            if not still
        ]
        lost += [
            f"{parameter.name} of each trial"
            for parameter, open_ in zip(moved, np.any(hidden, axis=0), strict=True)
            if open_
        ]
    if lost:
        raise InputError(
            "posterior: neither the data nor a prior determine "
            f"{', '.join(dict.fromkeys(lost))}, so there is no posterior distribution",
            remedy="Fit with a prior, --parameter 'NAME: mean=1, sd=0.1', or with its value, "
            "--parameter NAME=1 (in Python: Problem(known={...})); at a bound, in Python, "
            'flat="value" may do.',
        )


class Point(NamedTuple):
    """A point of the parameter space.

    Attributes:
        shared: coordinates that all trials share, (S,).
        local: coordinates of the trials of each batch, (R, L).
        log_size: logarithms of the sizes of the errors, (C,).
    """

    shared: Any
    local: tuple[Any, ...]
    log_size: Any


class Step(NamedTuple):
    """What a step of the sampler leaves."""

    position: Any
    diverging: Any
    accepted: Any
    leapfrogs: Any
    potential: Any


def advance_sampler(kernel: Any, count: int, state: Any) -> tuple[Any, Step]:
    """The sampler after ``count`` steps, and what each left."""

    def one(state: Any, _: None) -> tuple[Any, Step]:
        state = kernel.sample(state, (), {})
        return state, Step(
            state.z, state.diverging, state.accept_prob, state.num_steps, state.potential_energy
        )

    return jax.lax.scan(one, state, None, length=count)


class Density:
    """The negative log density of a fit in coordinates z in which its covariance is about the unit
    matrix.

    Args:
        assessment: the fit.
        flat: in what parameters without a prior are flat.
    """

    def __init__(self, assessment: Assessment, flat: str) -> None:
        self.assessment, self.flat = assessment, flat
        self.layout, self.scene, self.data = assessment.layout, assessment.scene, assessment.data
        spread, parts = assessment.variance_components, assessment.linearised
        self.sampled = np.flatnonzero(spread.free_size)
        self.counts = parts.counts[self.sampled]
        robust = np.asarray([component.model.robust for component in parts.components], dtype=bool)
        self.began = np.where(robust, 0.0, np.log(spread.size))[self.sampled]
        self.component = [[piece.component for piece in pieces] for pieces in parts.batches]
        self.temper = self.find_temper()
        # Rows of data come before those of what is known of each trial's own parameters.
        self.rows = [count_rows(own.samples) for own in self.data]
        self.axes = self.find_principal_axes()
        self.size = (
            int(assessment.free.sum())
            + sum(own.shape[0] * own.shape[2] for own in self.axes.own)
            + self.sampled.size
        )

    def find_temper(self) -> float:
        """Factor by which the fit enlarges standard errors beyond the sizes of the errors: for
        correlation, for scatter between trials.
        """
        assessment, spread = self.assessment, self.assessment.variance_components
        followed = assessment.linearised.followed
        plain = assessment.linearised.covariance(
            spread.size, np.where(followed, spread.time, 0.0), followed=followed
        )
        seen = ~assessment.formal.open_shared
        ratio = np.diag(assessment.covariance)[seen] / np.diag(plain)[seen]
        return float(np.sqrt(max(np.median(ratio), 1.0))) if ratio.size else 1.0

    def find_principal_axes(self) -> "Axes":
        """Roots of the covariance: of the shared coordinates, of each trial's own given the shared
        ones, and how the latter follow.
        """
        assessment = self.assessment
        # Only a scale is needed, which the robust blocks and the typical widening give.
        own, coupling = [], []
        for part in assessment.equations.parts[: len(self.data)]:
            own.append(
                jax.vmap(_root)(part.inverse) * assessment.error_scale_factor
                if part.inverse.shape[1]
                else part.inverse
            )
            coupling.append(part.coupling)
        return Axes(_root(assessment.covariance), tuple(map(np.asarray, own)), tuple(coupling))

    def point(self, z: jax.Array) -> Point:
        """The coordinates of the fit, affine in z."""
        assessment, axes = self.assessment, self.axes
        free, count = np.flatnonzero(assessment.free), int(assessment.free.sum())
        moved = axes.shared @ z[:count]
        shared, local, first = jnp.asarray(assessment.minimum.shared).at[free].add(moved), [], count
        for g, (own, coupling) in enumerate(zip(axes.own, axes.coupling, strict=True)):
            trials, _, width = own.shape
            here = z[first : first + trials * width].reshape(trials, width)
            change = jnp.einsum("rlm,rm->rl", own, here) - coupling @ moved
            moves = np.flatnonzero(assessment.start.free_local[g])
            local.append(jnp.asarray(assessment.minimum.local[g]).at[:, moves].add(change))
            first += trials * width
        return Point(
            shared, tuple(local), self.began + z[first:] / np.sqrt(2 * np.maximum(self.counts, 1.0))
        )

    def potential(self, z: jax.Array) -> jax.Array:
        """``-ln p(z)`` up to a constant."""
        point = self.point(z)
        return self.misfit(point) + jnp.sum(self.counts * point.log_size) - self.log_jacobian(point)

    @property
    def misfit(self) -> Callable[[Point], jax.Array]:
        """Half the tempered sum of squares, whose derivative comes from the block Jacobian."""

        def temper_rows(residual: Any, g: int) -> Any:
            # What is known beforehand is not tempered.
            rows = self.rows[g] if g < len(self.rows) else 0
            factor = np.where(np.arange(residual.shape[1]) < rows, 1 / self.temper, 1.0)
            return residual * factor.reshape(1, -1, *([1] * (residual.ndim - 2)))

        @jax.custom_vjp
        def value(point: Point) -> jax.Array:
            return value_and_gradient(point)[0]

        def value_and_gradient(point: Point) -> tuple[jax.Array, Point]:
            data = self.resize_errors(point.log_size)
            blocks = jacobians(self.layout, self.scene, point.shared, point.local, data)
            residual = [temper_rows(block.residual, g) for g, block in enumerate(blocks)]
            by_shared = sum(
                jnp.einsum("rn,rns->s", r, temper_rows(b.by_shared, g))
                for g, (r, b) in enumerate(zip(residual, blocks, strict=True))
            )
            pairs = zip(residual, blocks, strict=True)
            by_local = tuple(
                jnp.einsum("rn,rnl->rl", r, temper_rows(b.by_local, g))
                for g, (r, b) in enumerate(pairs)
                if g < len(self.rows)
            )
            by_size: Any = jnp.zeros_like(point.log_size)
            if self.sampled.size:
                slopes = jax.jacfwd(
                    lambda log_size: residuals(
                        self.layout,
                        self.scene,
                        point.shared,
                        point.local,
                        self.resize_errors(log_size),
                    )
                )
                by_size = sum(
                    jnp.einsum("rn,rnc->c", r, temper_rows(slope, g))
                    for g, (r, slope) in enumerate(
                        zip(residual, slopes(point.log_size), strict=True)
                    )
                )
            return jnp.asarray(sum(jnp.sum(r**2) for r in residual)) / 2, Point(
                by_shared, by_local, by_size
            )

        value.defvjp(
            value_and_gradient,
            lambda gradient, cotangent: (jax.tree.map(lambda part: cotangent * part, gradient),),
        )
        return value

    def resize_errors(self, log_size: jax.Array) -> tuple[Any, ...]:
        """The data with errors of other sizes, where these are sampled."""
        if not self.sampled.size:
            return self.data
        factor = (
            jnp.ones(len(self.assessment.linearised.components))
            .at[self.sampled]
            .set(jnp.exp(-log_size))
        )
        return tuple(
            own._replace(
                samples=tuple(
                    samples._replace(weight=jnp.asarray(samples.weight) * factor[component])
                    for samples, component in zip(own.samples, components, strict=True)
                )
            )
            for own, components in zip(self.data, self.component, strict=True)
        )

    def log_jacobian(self, point: Point) -> jax.Array:
        """``ln|dv/dc|`` of those parameters whose prior is a density of the value."""
        total = sum_log_slopes(
            self.layout.global_parameters, point.shared, np.asarray(self.assessment.free), self.flat
        )
        for batch, own, free in zip(
            self.layout.batches, point.local, self.assessment.start.free_local, strict=True
        ):
            # What is flat in its coordinate or its value is a question of material constants, not
            # of each trial's own quantities.
            sum_of_trial = partial(
                sum_log_slopes, batch.trial_parameters, free=free, flat="coordinate"
            )
            total = total + jnp.sum(jax.vmap(sum_of_trial)(own))
        return total


class Axes(NamedTuple):
    """Roots of covariances: shared (S, S), own of each trial (R, L, L), and the change of own per
    change of shared, negative (R, L, S).
    """

    shared: Any
    own: tuple[Any, ...]
    coupling: tuple[Any, ...]


def _root(matrix: Any) -> Any:
    """A square root of a positive matrix."""
    eigenvalues, vectors = jnp.linalg.eigh(jnp.asarray(matrix))
    return vectors * jnp.sqrt(jnp.maximum(eigenvalues, 0.0))


def sum_log_slopes(
    parameters: tuple[Parameter, ...], coordinates: jax.Array, free: np.ndarray, flat: str
) -> jax.Array:
    """``sum ln|dv/dc|`` over parameters with a density of the value, or ``ln|d ln v/dc|`` with one
    of its logarithm.
    """
    total = jnp.zeros(())
    for i, parameter in enumerate(parameters):
        if (
            not free[i]
            or parameter.about.transform == "identity"
            or (parameter.prior is None and flat == "coordinate")
        ):
            continue
        value, slope = jax.jvp(parameter.value, (coordinates[i],), (jnp.ones(()),))
        total = total + jnp.log(slope / value if isinstance(parameter.prior, LogNormal) else slope)
    return total


def make_inference_data(
    arviz: ModuleType, fit: Fit, density: Density, points: Point, steps: Step
) -> Any:
    """Samples of the values with names, units and labels."""
    assessment, layout = density.assessment, density.layout
    found: dict[str, np.ndarray] = {}
    about: dict[str, Any] = {}
    dims: dict[str, list[str]] = {}
    coords: dict[str, list[str]] = {}
    for index in np.flatnonzero(assessment.free):
        parameter = layout.global_parameters[index]
        found[parameter.name], about[parameter.name] = (
            np.asarray(parameter.value(points.shared[..., index])),
            parameter.about,
        )
    own: dict[str, list[tuple[str, np.ndarray]]] = {}
    for batch, members, here, free in zip(
        layout.batches,
        fit.problem.members,
        points.local,
        assessment.start.free_local,
        strict=True,
    ):
        for i in np.flatnonzero(free):
            parameter = batch.trial_parameters[i]
            about[parameter.name] = parameter.about
            names = [fit.problem.trials[member].name for member in members]
            own.setdefault(parameter.name, []).extend(
                zip(
                    names,
                    np.moveaxis(np.asarray(parameter.value(here[..., i])), -1, 0),
                    strict=True,
                )
            )
    every = [trial.name for trial in fit.problem.trials]
    for name, columns in own.items():
        of = [trial for trial, _ in columns]
        dimension = (
            "trial"
            if sorted(of) == sorted(every) and of == [t for t, _ in next(iter(own.values()))]
            else f"trial of {name}"
        )
        found[name], dims[name], coords[dimension] = (
            np.stack([column for _, column in columns], axis=-1),
            [dimension],
            of,
        )
    for place, component in enumerate(density.sampled.tolist()):
        name = f"noise size {assessment.linearised.components[component].quantity}"
        found[name], about[name] = np.exp(points.log_size[..., place]), None
    stats = {
        "diverging": steps.diverging,
        "acceptance_rate": steps.accepted,
        "n_steps": steps.leapfrogs,
        "lp": -steps.potential,
    }
    data = arviz.from_dict(posterior=found, sample_stats=stats, coords=coords, dims=dims)
    for name, quantity in about.items():
        label = (
            "size of the errors over that of the fit's weights"
            if quantity is None
            else quantity.label
        )
        data.posterior[name].attrs.update(
            unit="-" if quantity is None else quantity.unit, label=label
        )
    return data


def find_lost(density: Density, points: Point) -> list[jc.Status]:
    """How the worst simulation ended, of each draw of which one did not succeed, of ``LOOKED_AT``
    that are spread over all chains.
    """
    # a trial may have no parameter of its own, and then its array no size
    shared, *local = (
        own.reshape(math.prod(own.shape[:2]), *own.shape[2:])
        for own in (points.shared, *points.local)
    )
    spread = np.linspace(0, len(shared) - 1, LOOKED_AT).astype(int)
    assessment = density.assessment
    each = (
        find_statuses(
            assessment.layout,
            assessment.scene,
            np.asarray(shared[draw]),
            tuple(np.asarray(own[draw]) for own in local),
            assessment.data,
        )
        for draw in spread
    )
    return [
        jc.Status(int(max(np.max(own) for own in statuses)))
        for statuses in each
        if not all_succeeded(statuses)
    ]


def summarise(
    arviz: ModuleType,
    fit: Fit,
    density: Density,
    points: Point,
    steps: Step,
    data: Any,
    level: float,
) -> Posterior:
    """Intervals, whether the chains agree, and words."""
    intervals, sentences, warnings = {}, [], []
    policy = density.assessment.policy
    for index in np.flatnonzero(density.assessment.free):
        parameter, coordinates = density.layout.global_parameters[index], points.shared[..., index]
        ends, ran = find_interval(
            parameter,
            coordinates,
            float(density.assessment.minimum.shared[index]),
            level,
            policy,
        )
        label = capitalise(parameter.about.label)
        intervals[parameter.name] = ends
        if ran:
            warnings.append(
                f"{label} ran away: the data do not exclude ever {' or '.join(ran)} values, and no "
                f"prior does. Do not use these samples; fit with a prior, --parameter "
                f"'{parameter.name}: mean=1, sd=0.1', or with bounds, from=0, to=1."
            )
        else:
            remark = f"{100 * level:g} %, posterior"
            sentences.append(
                describe_interval(parameter.about.label, parameter.about.unit, *ends, remark)
            )
    rhat, ess = measure_agreement(arviz, density.assessment, points)
    divergences = int(np.sum(steps.diverging))
    if not rhat < policy.chain_agreement:
        warnings.append(
            f"The chains do not agree (R-hat up to {rhat:.4g}, wanted below "
            f"{policy.chain_agreement}): these samples are not to be used."
        )
    if not ess >= policy.effective_samples:
        warnings.append(
            f"The effective sample size is only {ess:.0f}, wanted {policy.effective_samples}; draw "
            "more samples."
        )
    if divergences:
        warnings.append(
            f"{divergences} steps diverged: the posterior has a narrow part that the sampler "
            "may have missed."
        )
    lost = find_lost(density, points)
    if lost:
        warnings.append(
            f"A simulation did not succeed in {len(lost)} of {LOOKED_AT} draws that were looked "
            f"at, so these samples are not to be used. {max(lost).advice}"
        )
    if density.temper > 1.01:
        warnings.append(
            f"The likelihood is tempered: errors count {density.temper:.2f} times as large, "
            "as in the fit, because residuals are correlated"
            " or trials scatter."
        )
    if rhat < policy.chain_agreement and ess >= policy.effective_samples:
        sentences.append(
            f"The chains agree: R-hat at most {rhat:.4f}, effective sample size at least {ess:.0f}."
        )
    count = points.shared.shape[0] * points.shared.shape[1]
    shared, *local = (own.reshape(count, *own.shape[2:]) for own in (points.shared, *points.local))
    draws = Draws(shared, tuple(local))
    return Posterior(
        data,
        intervals,
        level,
        rhat,
        ess,
        divergences,
        draws,
        fit,
        "\n".join(sentences),
        tuple(warnings),
    )


def measure_agreement(
    arviz: ModuleType, assessment: Assessment, points: Point
) -> tuple[float, float]:
    """Largest R-hat and smallest effective sample size (bulk or tail) of all parameters.

    Of coordinates: their ranks, which count, are those of the values, and they do not overflow.
    """
    moved = [points.shared[..., assessment.free], points.log_size]
    moved += [
        own[..., free] for own, free in zip(points.local, assessment.start.free_local, strict=True)
    ]
    table = arviz.convert_to_dataset(
        {f"{i}": own.reshape(*own.shape[:2], -1) for i, own in enumerate(moved) if own.size}
    )
    rhat, *sizes = (
        found.to_dataarray().values
        for found in (arviz.rhat(table), *(arviz.ess(table, method=of) for of in ("bulk", "tail")))
    )
    return float(np.nanmax(rhat)), float(min(np.nanmin(size) for size in sizes))


def find_interval(
    parameter: Parameter, coordinates: np.ndarray, best: float, level: float, policy: FitPolicy
) -> tuple[tuple[float, float], list[str]]:
    """Central interval, infinite on a side where samples ran away, and which sides these are."""
    ends = [float(parameter.value(end)) for end in percentile_ends(coordinates, level)]
    ran = []
    for side, (pick, called) in enumerate(((np.min, "smaller"), (np.max, "larger"))):
        if has_run_away(parameter, float(pick(coordinates)), best, policy):
            ends[side] = -np.inf if side == 0 else np.inf
            ran.append(called)
    return (ends[0], ends[1]), ran
