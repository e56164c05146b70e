"""The bootstrap: the data are drawn anew many times and fitted again, and the spread of the
estimates is their uncertainty.

It needs no normal distribution of the estimates and no formula for their variance; it does need
data whose residuals are a fair sample of their errors.
"""

import dataclasses
import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.linearised import Piece
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.refit import STEPS, identity
from calibration.model.parameter import Parameter
from calibration.optimise.batched import minimise_each
from calibration.optimise.convergence import is_an_end
from calibration.optimise.coordinates import Minimum, Start
from calibration.problem.residuals import Block
from calibration.problem.statuses import mark_simulated
from calibration.problem.table_batch import ImpactData
from calibration.problem.trial_batch import TrialData
from calibration.results.estimate import Determination
from calibration.results.intervals import (
    UNBOUNDED,
    bootstrap_t_ends,
    check_level,
    corrected_levels,
    percentile_ends,
)
from calibration.results.numbers import capitalise, describe_interval
from calibration.results.result import Fit
from calibration.runtime.checkpoint import Checkpoint, open_journal
from calibration.runtime.chunks import compute_in_chunks
from calibration.runtime.progress import Progress
from calibration.uncertainty.bootstrap_t import find_standard_errors, sizes
from calibration.uncertainty.draws import Draws
from calibration.uncertainty.profile import REACH_LOGISTIC, assessment_of, is_logistic
from calibration.uncertainty.resampling import (
    KINDS,
    Redrawable,
    add_errors,
    correlate,
    draw_blocks,
    draw_noise,
    draw_residuals,
    prepare_redraws,
)
from jaxcontact.parameters import nearest

if TYPE_CHECKING:
    import distributed

MEMORY = 2.0e8
"""Bytes that one chunk of replicates may take, about."""

MOST_LANES = 32
"""Replicates in one chunk: all take as long as the slowest of them, and a kill loses a chunk."""


@dataclasses.dataclass(frozen=True)
class BootstrapInterval:
    """What the replicates say of one parameter.

    Attributes:
        name, label, symbol, unit, value: as in ``Estimate``.
        sd: standard deviation of the replicates, infinite when the parameter is not determined.
        bias: mean of the replicates minus the value.
        level: of the intervals.
        studentised: ends by the quantiles of ``(replicate - value)/standard error of the
            replicate`` (bootstrap-t).
        percentile: ends at the quantiles of the replicates.
        corrected: ends corrected for bias and for a spread that changes with the value (BCa).
    """

    name: str
    label: str
    symbol: str
    unit: str
    value: float
    sd: float
    bias: float
    level: float
    studentised: tuple[float, float]
    percentile: tuple[float, float]
    corrected: tuple[float, float]

    @property
    def text(self) -> str:
        """The studentised interval as a sentence."""
        low, high = self.studentised
        if not (math.isfinite(low) and math.isfinite(high)):
            ends = (
                "below"
                if math.isfinite(high)
                else "above"
                if math.isfinite(low)
                else "on either side"
            )
            name = capitalise(self.label)
            return f"{name}: not bounded {ends} ({100 * self.level:g} %, bootstrap)."
        remark = f"{100 * self.level:g} %, bootstrap"
        return describe_interval(self.label, self.unit, low, high, remark)


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """Replicates of a fit.

    Attributes:
        kind: what was drawn.
        count: replicates asked for; ``failed`` of them did not converge and are left out.
        draws: coordinates of the others.
        intervals: of the free shared parameters, by name.
        fit: that was replicated.
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
        >>> bootstrap = cal.bootstrap(cal.fit(problem), count=50)
        >>> low, high = bootstrap["contact.normal.restitution"].studentised
        >>> print(f"{low:.2f} to {high:.2f}, {bootstrap.failed} of {bootstrap.count} failed")
        0.79 to 0.81, 0 of 50 failed
    """

    kind: str
    count: int
    failed: int
    draws: Draws
    intervals: dict[str, BootstrapInterval]
    fit: Fit = dataclasses.field(repr=False)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> BootstrapInterval:
        return self.intervals[name]

    def __str__(self) -> str:
        return "\n".join([*(one.text for one in self.intervals.values()), *self.warnings])


def bootstrap(
    fit: Fit,
    *,
    count: int = 500,
    seed: int = 0,
    kind: str = "residual",
    level: float = 0.95,
    block: int | None = None,
    lanes: int | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | str | None = None,
    client: "distributed.Client | None" = None,
) -> Bootstrap:
    """Fit again to data drawn anew, ``count`` times, in ``vmap``.

    Args:
        fit: a result of ``calibration.fit``.
        count: replicates; from about 1000 on the ends of a 95 % interval no longer depend on the
            seed by more than a few per cent.
        seed: of the draws: same seed, same numbers.
        kind: ``"residual"``: residuals, enlarged for their leverage, drawn with replacement
            (independent errors of any distribution; after whitening where the fit found them
            correlated). ``"moving_block"``: runs of residuals that follow each other in time
            (correlated errors, without a model of them). ``"trial"``: whole trials (anything that
            differs between trials, the most honest where there are enough). ``"parametric"``:
            errors of the noise model and of the size that the fit found. All but the last take the
            size of the errors from the residuals, whatever was stated.
        level: of the intervals, in (0, 1).
        block: length of a run in samples; by default three correlation times, at least the cube
            root of the number of samples.
        lanes: replicates fitted at a time; by default what keeps within memory. It decides on
            rounding, so a checkpoint keeps it.
        progress: told of each chunk.
        checkpoint: folder for finished chunks.
        client: of Dask distributed; its workers fit, with the same numbers.

    Returns:
        Replicates and intervals. Studentised ones (``x - t* s``, ``t* = (x* - x)/s*`` with the
        standard error ``s*`` that each replicate has of itself) are those to be used: they know
        that residuals tell the size of the errors the worse, the fewer they are. Percentiles, also
        where corrected for bias and acceleration (BCa), do not: of 9 numbers less 3 parameters,
        95 % cover 89 %.

    Raises:
        InputError: an unknown kind, a count below 2, ``"trial"`` with too few trials, another's
            checkpoint.

    References:
        Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 9, 12 to 14; Davison
        and Hinkley, Bootstrap Methods and their Application (1997), chapters 5 and 6; Künsch,
        Annals of Statistics 17 (1989) 1217.

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
        >>> fit = cal.fit(problem)
        >>> replicates = cal.bootstrap(fit, count=50)
        >>> print(replicates["contact.normal.restitution"].text)
        Restitution: 0.78... to 0.80... (95 %, bootstrap).
    """
    assessment = assessment_of(fit, caller="bootstrap")
    check_level(level)
    if kind not in KINDS:
        raise InputError(
            f"bootstrap: kind = {kind!r} is not known.{nearest(kind, KINDS)}",
            remedy=f"Give one of {', '.join(KINDS)}.",
        )
    if not (isinstance(count, int) and count >= 2):
        raise InputError(
            f"bootstrap: count = {count!r}",
            remedy="Give a whole number from 2 on; 500 to 2000 are usual.",
        )
    if block is not None and not (isinstance(block, int) and block >= 1):
        raise InputError(
            f"bootstrap: block = {block!r}", remedy="Give a whole number of samples, or None."
        )
    check_trials(
        sum(own.shape[0] for own in assessment.start.local),
        int(assessment.free.sum()),
        assessment.policy,
        kind,
    )
    lanes = min(lanes or affordable_lanes(assessment), count)
    length = block or default_block(assessment)
    options = {
        "count": count,
        "seed": seed,
        "kind": kind,
        "block": length if kind == "moving_block" else None,
        "lanes": lanes,
    }
    start = assessment.start.from_minimum(assessment.minimum)
    start = start._replace(stages=tuple(own[-1:] for own in start.stages))
    with (
        jax.enable_x64(True),
        open_journal(
            checkpoint, work="bootstrap", inputs=identity(assessment), options=options
        ) as kept,
    ):
        draw = Drawing(assessment, kind, seed, length)
        shared, local, converged, errors = compute_in_chunks(
            partial(fit_replicates, assessment, start, draw),
            lambda numbers: numbers,
            count=count,
            chunk=lanes,
            journal=kept,
            like=(start.shared, start.local, 0, 0),
            about=f"Fitting {count} times to data drawn anew ({kind})",
            progress=progress,
            client=client,
        )
        good = converged & np.all(np.isfinite(shared), axis=1)
        draws = Draws(shared, local).pick(good)
        intervals = {}
        if len(draws) >= 2:
            acceleration = find_accelerations(assessment, draw)
            alone = jax.tree.map(
                lambda leaf: np.asarray(leaf)[None], (assessment.blocks, assessment.data)
            )
            own = find_standard_errors(assessment, *alone, kind=kind)[0]
            for i, index in enumerate(np.flatnonzero(assessment.free).tolist()):
                scatter = Scatter(
                    draws.shared[:, index], errors[good, i], float(own[i]), float(acceleration[i])
                )
                intervals[assessment.layout.names[index]] = find_interval(
                    fit, assessment, scatter, index, level
                )
    failed = int(count - good.sum())
    return Bootstrap(
        kind, count, failed, draws, intervals, fit, tuple(remarks(assessment, kind, count, failed))
    )


def check_trials(trials: int, free: int, policy: FitPolicy, kind: str) -> None:
    """Raise when there are too few trials to draw from.

    Args:
        trials: how many there are.
        free: how many parameters they share.
        policy: by which the fit is judged.
        kind: of the bootstrap.

    Raises:
        InputError: with the number that it takes.
    """
    needed = policy.scatter_trials + free
    if kind == "trial" and trials < needed:
        raise InputError(
            f"bootstrap: {trials} trials are too few to draw from; it takes {needed}",
            remedy='Use kind="moving_block".',
        )


def affordable_lanes(assessment: Assessment) -> int:
    """Replicates whose Jacobians fit into ``MEMORY``."""
    numbers = sum(
        block.residual.size * (1 + block.by_shared.shape[-1] + block.by_local.shape[-1])
        for block in assessment.blocks
    )
    return int(np.clip(MEMORY / (8 * 12 * max(numbers, 1)), 1, MOST_LANES))


def default_block(assessment: Assessment) -> int:
    """Three correlation times, at least the cube root of the number of samples of a trial."""
    longest = max(
        (int(np.shape(own.weight)[1]) for data in assessment.data for own in data.samples),
        default=1,
    )
    return max(math.ceil(3 * assessment.correlation_time), math.ceil(longest ** (1 / 3)))


class Drawing:
    """Draws the data of replicates, each from a seed of its own.

    Args:
        assessment: the fit.
        kind: what is drawn.
        seed: of all.
        length: of a run of residuals.
    """

    def __init__(self, assessment: Assessment, kind: str, seed: int, length: int) -> None:
        self.kind, self.seed, self.length = kind, seed, length
        self.observations = prepare_redraws(assessment)
        self.trials = [own.shape[0] for own in assessment.start.local]

    def __call__(self, numbers: np.ndarray) -> tuple[Any, Any]:
        """Measured numbers of each observation of each batch (B, R, n, k), and with whole trials
        which they are, of each batch (B, R).
        """
        generators = [np.random.default_rng([self.seed, int(number)]) for number in numbers]
        if self.kind == "trial":
            each = [
                [rng.integers(trials, size=trials) for trials in self.trials] for rng in generators
            ]
            picked = [np.stack(which) for which in zip(*each, strict=True)]
            measured = [
                [np.asarray(one.samples.measured)[which] for one in own]
                for which, own in zip(picked, self.observations, strict=True)
            ]
            return measured, picked
        return [
            [add_errors(one, self.errors(one, generators)) for one in own]
            for own in self.observations
        ], None

    def errors(self, one: Redrawable, generators: list[np.random.Generator]) -> np.ndarray:
        """Errors of one observation, of each replicate (B, R, n, k)."""
        if self.kind == "parametric":
            return correlate(one, [draw_noise(one, rng) for rng in generators])
        if self.kind == "moving_block" and one.series:
            return np.stack([draw_blocks(one, rng, self.length) for rng in generators])
        return correlate(one, [draw_residuals(one, rng) for rng in generators])


def fit_replicates(
    assessment: Assessment, start: Start, draw: "Drawing", numbers: np.ndarray
) -> tuple[Any, Any, Any, Any]:
    """Minima of the replicates ``numbers``, whether they converged, and standard errors; all begin
    at the minimum of the fit, ``start``.
    """
    measured, picked = draw(numbers)
    lanes = jax.tree.leaves(measured)[0].shape[0]

    def columns(tree: Any, which: Any) -> Any:
        if which is None:
            return jax.tree.map(
                lambda column: np.broadcast_to(np.asarray(column), (lanes, *np.shape(column))), tree
            )
        return jax.tree.map(lambda column: np.asarray(column)[which], tree)

    each = [None] * len(measured) if picked is None else picked
    data = []
    for own, numbers, which in zip(assessment.data, measured, each, strict=True):
        own = columns(own, which)
        samples = tuple(
            one._replace(measured=new) for one, new in zip(own.samples, numbers, strict=True)
        )
        data.append(own._replace(samples=samples))
    if picked is not None:
        local = tuple(columns(own, which) for own, which in zip(start.local, each, strict=True))
        start = start._replace(
            shared=columns(start.shared, None), local=local, stages=columns(start.stages, None)
        )

    def minima(
        data: tuple[Any, ...], start: Start, *, many_starts: bool
    ) -> tuple[Any, tuple[Block, ...]]:
        each = (True, many_starts)
        found, _, blocks = minimise_each(
            assessment.layout,
            assessment.scene,
            data,
            start,
            each=each,
            steps=STEPS,
            keep_blocks=True,
        )
        return found, blocks or ()

    found, blocks = minima(tuple(data), start, many_starts=picked is not None)
    weighed = assessment.linearised.followed & assessment.variance_components.free_size
    if np.any(weighed) and weighed.size > 1:
        # Where the fit weighs its quantities by the sizes it found, so does each replicate.
        size = np.where(weighed, sizes(assessment, blocks, tuple(data), kind=draw.kind), 1.0)
        data = [
            divide_weights(own, pieces, size)
            for own, pieces in zip(data, assessment.linearised.batches, strict=True)
        ]
        stages = start.stages if picked is not None else columns(start.stages, None)
        start = start._replace(shared=found.shared, local=found.local, stages=stages)
        found, blocks = minima(tuple(data), start, many_starts=True)
    converged = mark_usable(assessment, found, tuple(data), blocks, start)
    return (
        found.shared,
        found.local,
        converged,
        find_standard_errors(assessment, blocks, tuple(data), kind=draw.kind),
    )


def divide_weights(
    own: TrialData | ImpactData, pieces: Sequence[Piece], size: np.ndarray
) -> TrialData | ImpactData:
    """Data (B, ...) of the trials of one batch whose weights are divided by the ``size`` (B,
    components) of their errors.
    """
    samples = [
        one._replace(weight=one.weight / size[:, None, None, piece.component])
        for one, piece in zip(own.samples, pieces, strict=True)
    ]
    return own._replace(samples=tuple(samples))


def mark_usable(
    assessment: Assessment,
    found: Minimum,
    data: tuple[Any, ...],
    blocks: tuple[Block, ...],
    start: Start,
) -> np.ndarray:
    """Which minima converged, or have so little to gain that nobody would see it, as ``fit`` has
    it, and are of simulations that succeeded.
    """
    layout, scene = assessment.layout, assessment.scene
    each = (
        jax.tree.map(lambda leaf, b=b: leaf[b], (found, blocks))
        for b in range(len(found.converged))
    )
    ended = np.asarray(
        [is_an_end(layout, minimum, own, start) for minimum, own in each], dtype=bool
    )
    return ended & mark_simulated(layout, scene, found.shared, found.local, data, blocks)


def find_accelerations(assessment: Assessment, draw: Drawing) -> np.ndarray:
    """Skewness of the influence of the units that are drawn, over 6, for each free shared
    coordinate (S,).

    The influence of a unit is its pull ``-C P' r``, with what its own parameters can undo taken out
    (infinitesimal jackknife).
    """
    every = np.concatenate(pulls_of_units(assessment, draw))
    square = np.sum(every**2, axis=0)
    return np.where(
        square > 0, np.sum(every**3, axis=0) / (6 * np.where(square > 0, square, 1.0) ** 1.5), 0.0
    )


def pulls_of_units(assessment: Assessment, draw: Drawing) -> list[np.ndarray]:
    """Pulls (units, S) of what is drawn as one: a trial with all that is its own, a run of samples
    of a trial with all their columns, else one number.
    """
    pulls = []
    equations, batches = assessment.equations, assessment.linearised.batches
    for g, observations in enumerate(draw.observations):
        rows = -np.einsum(
            "rns,rn,st->rnt",
            equations.parts[g].projected,
            equations.blocks[g].residual,
            assessment.formal.shared,
        )
        if draw.kind == "trial":
            pulls.append(rows.sum(axis=1))
            continue
        for one, piece in zip(observations, batches[g], strict=True):
            own = piece.rows.take(rows)
            if draw.kind == "moving_block" and one.series:
                pulls += [
                    sum_runs(pull.sum(axis=1)[used.any(axis=-1)], draw.length)
                    for pull, used in zip(own, piece.used, strict=True)
                ]
            else:
                pulls.append(own.reshape(-1, own.shape[-1]))
    return pulls


def sum_runs(values: np.ndarray, length: int) -> np.ndarray:
    """Sums (runs, S) of values (n, S) over runs of ``length``, the last one shorter."""
    return np.asarray(np.add.reduceat(values, np.arange(0, len(values), length), axis=0))


class Scatter(NamedTuple):
    """Replicates (B,) of one coordinate and the standard error (B,) of each; that of the fit, and
    the acceleration (for BCa).
    """

    draws: np.ndarray
    errors: np.ndarray
    error: float
    acceleration: float


def find_interval(
    fit: Fit, assessment: Assessment, scatter: Scatter, index: int, level: float
) -> BootstrapInterval:
    """The intervals of one parameter from its coordinates in the replicates."""
    parameter, best, draws = (
        assessment.layout.global_parameters[index],
        float(assessment.minimum.shared[index]),
        scatter.draws,
    )
    values, value = np.asarray(parameter.value(draws)), float(parameter.value(best))

    def ends(low: float, high: float) -> tuple[float, float]:
        return (
            -math.inf
            if has_run_away(parameter, low, best, assessment.policy)
            else float(parameter.value(low)),
            math.inf
            if has_run_away(parameter, high, best, assessment.policy)
            else float(parameter.value(high)),
        )

    estimate = fit.parameters.get(parameter.name)
    determined = estimate is not None and estimate.status is not Determination.NOT_DETERMINED
    low, high = percentile = ends(*percentile_ends(draws, level))
    corrected = ends(
        *np.quantile(draws, corrected_levels(draws, best, scatter.acceleration, level))
    )
    from_pivots = (
        ends(*bootstrap_t_ends(draws, scatter.errors, best, scatter.error, level))
        if np.isfinite(scatter.error)
        else UNBOUNDED
    )
    # Where replicates ran away, pivots have lost their meaning.
    open_too = (
        -math.inf if math.isinf(low) else from_pivots[0],
        math.inf if math.isinf(high) else from_pivots[1],
    )
    return BootstrapInterval(
        name=parameter.name,
        label=parameter.about.label,
        symbol=parameter.about.symbol,
        unit=parameter.about.unit,
        value=value,
        sd=float(np.std(values, ddof=1)) if determined else math.inf,
        bias=float(np.mean(values) - value),
        level=level,
        studentised=open_too if determined else UNBOUNDED,
        percentile=percentile if determined else UNBOUNDED,
        corrected=corrected if determined else UNBOUNDED,
    )


def has_run_away(
    parameter: Parameter, coordinate: float, best: float, policy: FitPolicy = DEFAULT_POLICY
) -> bool:
    """Whether a coordinate went where the data no longer see it: by the factor of the policy, or to
    an end of its range.
    """
    if is_logistic(parameter):
        return abs(coordinate) > max(REACH_LOGISTIC - 1.0, abs(best))
    return bool(parameter.about.transform == "log" and abs(coordinate - best) > policy.strayed)


def remarks(assessment: Assessment, kind: str, count: int, failed: int) -> list[str]:
    """What a person should know of these replicates."""
    found = []
    if failed:
        found.append(
            f"{failed} of {count} replicates did not converge, or a simulation of theirs did not "
            "succeed, and are left out; the "
            "intervals are too narrow if they are the extreme ones."
        )
    if count < assessment.policy.few_replicates:
        part = 100 * 1.5 / math.sqrt(count)
        found.append(
            f"With {count} replicates the ends of an interval depend on the seed by about "
            f"{part:.0f} % of its width."
        )
    if (
        kind in ("residual", "parametric")
        and assessment.correlation_time > assessment.policy.correlation_time
        and not np.any(assessment.variance_components.time > 0)
    ):
        found.append(
            "Neighbouring residuals are correlated, which these draws break up; "
            'kind="moving_block" keeps it.'
        )
    if assessment.priors and kind != "trial":
        found.append(
            "What is known beforehand (priors) is kept as it is: intervals do not contain "
            "its uncertainty."
        )
    return found
