"""Which model the data prefer: several problems on the same data, fitted and compared."""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import numpy as np

from calibration.errors import InputError
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import fit, report
from calibration.fitting.impacts.settle_scatter import settle_scatter
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.probes import saturating, withdraw_flat
from calibration.optimise.least_squares import Method
from calibration.problem.problem import Problem
from calibration.results.result import Fit
from calibration.results.simulated_trial import check_simulated
from calibration.selection.contradiction import find_chances
from calibration.selection.cross_validation import (
    CrossValidation,
    HeldOutPrediction,
    choose_cross_validation,
    cross_validate_folds,
)
from calibration.selection.information_criteria import (
    aicc,
    akaike_weights,
    bic,
    count_observations,
    count_parameters,
    deviance,
    mark_estimated_sizes,
)
from calibration.selection.laplace import flat_parameters, log_evidence
from calibration.selection.lower_minima import find_lower_minima

FEWER = 0.5
"""Parameters that a model must have less to be simpler: they are counted in fractions."""


@dataclasses.dataclass(frozen=True)
class ComparedModel:
    """One model and how well it does.

    Attributes:
        name: as given.
        fit: its fit.
        minus_two_log_likelihood: complete, of the data alone.
        parameters: that the data spend, those of the trials and of the noise included;
            ``observations`` measured numbers.
        aicc, bic: criteria, corrected by ``Comparison.overdispersion``.
        difference: of AICc from that of the best model; negative where the data speak against one
            that AICc prefers.
        weight: Akaike weight.
        score: logarithm of the predictive density of the data left out, NaN where none were.
        behind: by how much the score is below the best one; ``behind_sd`` its standard error.
        log_evidence: NaN where it was not asked for.
        chance: probability, were this model the truth, of data that prefer another one as much; at
            most that where it is clear without drawing data.
        cannot_tell: whether these data cannot tell it from the best model.
    """

    name: str
    fit: Fit
    minus_two_log_likelihood: float
    parameters: float
    observations: int
    aicc: float
    bic: float
    difference: float
    weight: float
    score: float = math.nan
    behind: float = math.nan
    behind_sd: float = math.nan
    log_evidence: float = math.nan
    chance: float = 1.0
    cannot_tell: bool = False


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Models, best first: those that the data do not speak against, by AICc, then the others.
    ``str()`` is the text for a person.

    Attributes:
        models: of them.
        overdispersion: factor by which -2 ln L was divided, for noise larger than stated or
            correlated in the best model (quasi-AICc).
        cross_validate: what was left out: ``"trials"``, ``"bounces"``, ``"rows"`` or ``None``.
        verdict: the conclusion in one sentence.
        warnings: what makes it doubtful.
        level: chance up to which the data speak against a model: so often, at most, they speak
            against the truth.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 4.0, 8.0]),
        ...     normal_restitution=np.array([0.81, 0.70, 0.64, 0.57]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> def problem_of(law, free):
        ...     contact = jc.ContactModel(normal=law)
        ...     scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
        ...     return cal.Problem(scene, [table], free=free)
        >>> constant = problem_of(
        ...     jc.NewtonRestitution(restitution=0.7), ["contact.normal.restitution"]
        ... )
        >>> power_law = problem_of(
        ...     jc.PowerLawRestitution(restitution=0.7, velocity_exponent=0.1),
        ...     ["contact.normal.restitution", "contact.normal.velocity_exponent"],
        ... )
        >>> problems = {"constant": constant, "power law": power_law}
        >>> comparison = cal.compare(problems, cross_validate=None)
        >>> comparison.best.name
        'power law'
        >>> print(f"{comparison['constant'].difference:.0f}")
        295
    """

    models: tuple[ComparedModel, ...]
    overdispersion: float
    cross_validate: str | None
    verdict: str
    warnings: tuple[str, ...]
    level: float = DEFAULT_POLICY.comparison_level

    @property
    def best(self) -> ComparedModel:
        """The one with the lowest AICc of those that the data do not speak against."""
        return self.models[0]

    def __getitem__(self, name: str) -> ComparedModel:
        """A model by name."""
        return next(model for model in self.models if model.name == name)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def compare(
    problems: Mapping[str, Problem],
    *,
    cross_validate: str | None = "auto",
    evidence: bool = False,
    method: Method = "levenberg_marquardt",
    steps: int | None = None,
    seed: int = 0,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Comparison:
    """Fit several laws, or models, to the same data and say which of them the data prefer, or that
    they cannot tell.

    Data speak against a model if, were it the truth, they would prefer another one as much in at
    most 5 % of experiments (``FitPolicy.comparison_level``): data are drawn from its fit, and all
    models fitted to them again. So the true one is spoken against in at most 5 %, however many
    models there are, whether they contain each other or not. A model is preferred where the data
    speak against all others; else they cannot tell. A model is never preferred to one that
    contains it.

    AICc and BIC, which order the models, count every parameter that the data spend, each trial's
    own and the sizes of the errors included. Where the best model leaves more than the stated
    noise, or correlated residuals, differences of -2 ln L are divided by that factor (quasi-AICc).
    The scatter of impacts (``RestitutionScatter`` with ``ScatterSize``) is as large as each model
    finds it.

    A model that ends far above another one, or above one that it contains, begins again where that
    one ended, so that none is compared at a false minimum.

    Args:
        problems: by name; all on the same trials.
        cross_validate: what to leave out and predict: ``"trials"`` (one after the other),
            ``"bounces"``
            (the last two flights), ``"rows"`` (of impact tables, every fifth), ``"auto"`` (the
            first of trials, rows, bounces that is possible), or ``None``.
        evidence: whether to compute the evidence by Laplace's approximation, too; each parameter of
            the scene then needs a prior or bounds.
        method: of the fits.
        steps: at most so many iterations of each.
        seed: of the data that are drawn.
        policy: thresholds by which the fits and the differences of models are judged.

    Returns:
        The models, best first, and a verdict.

    Raises:
        InputError: fewer than two problems, different data, data that cannot be left out, a
            parameter without a prior, a model of which a simulation did not succeed.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 4.0, 8.0]),
        ...     normal_restitution=np.array([0.81, 0.70, 0.64, 0.57]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> def problem_of(law, free):
        ...     contact = jc.ContactModel(normal=law)
        ...     scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
        ...     return cal.Problem(scene, [table], free=free)
        >>> constant = problem_of(
        ...     jc.NewtonRestitution(restitution=0.7), ["contact.normal.restitution"]
        ... )
        >>> power_law = problem_of(
        ...     jc.PowerLawRestitution(restitution=0.7, velocity_exponent=0.1),
        ...     ["contact.normal.restitution", "contact.normal.velocity_exponent"],
        ... )
        >>> problems = {"constant": constant, "power law": power_law}
        >>> print(cal.compare(problems, cross_validate=None))
        The data prefer power law to constant.
        model      parameters  chi2/dof  chance       AICc   behind  weight        BIC
        power law           2      1.47   1.000     -10.55     0.00   1.000     -23.77
        constant            1       103 < 0.001     284.51   295.06   0.000     281.90
        chance: were the model the truth, of data that prefer another as much; at most 5 % ...
    """
    if not isinstance(problems, Mapping) or len(problems) < 2:
        raise InputError(
            "compare: nothing to compare; fewer than two problems were given.",
            remedy="Give at least two problems, {name: problem}.",
        )
    names, first = list(problems), next(iter(problems.values()))
    for name in names:
        if not isinstance(problems[name], Problem):
            raise InputError(f"compare: {name!r} is not a Problem.")
        check_same_data(names[0], first, name, problems[name])
    which = choose_cross_validation(first, cross_validate)
    fits = {
        name: fit(problem, method=method, steps=steps, policy=policy)
        for name, problem in problems.items()
    }
    fits = find_lower_minima(
        problems,
        fits,
        lambda problem, near: fit(problem, method=method, steps=steps, start=near, policy=policy),
        policy,
    )
    for name, found in fits.items():
        check_simulated(found.simulations, caller=f"compare: {name}")
    with jax.enable_x64(True):
        fits = {name: with_own_scatter(found) for name, found in fits.items()}
        if evidence:
            check_same_flat_parameters(fits)
        chances = find_chances(fits, level=policy.comparison_level, seed=seed)
        return _rank(fits, chances, which, policy, evidence=evidence)


def with_own_scatter(found: Fit) -> Fit:
    """The fit with the scatter of impacts as large as this model finds it, where impacts may
    deviate by a size that is not known.
    """
    if found.assessment.scattering is None:
        return found
    assessment = settle_scatter(found.problem, found.assessment)
    estimates = withdraw_flat(
        assessment, estimate_shared(assessment), saturating(assessment.layout)
    )
    settled = report(
        found.problem, assessment, estimates, method="levenberg_marquardt", seconds=found.seconds
    )
    return dataclasses.replace(settled, method=found.method)


def collect_measurements(problem: Problem) -> list[list[Any]]:
    """(times, numbers, weights) of each measurement of each trial."""
    found: list[list[Any]] = [[] for _ in problem.trials]
    for members, data in zip(problem.members, problem.data, strict=True):
        for r, member in enumerate(members):
            for samples in data.samples:
                weight = np.asarray(samples.weight[r])
                used = weight > 0
                rows = used.any(axis=-1)
                found[member].append(
                    (
                        np.asarray(samples.times[r])[rows],
                        np.where(used, samples.measured[r], 0.0)[rows],
                        weight[rows],
                    )
                )
    return found


def check_same_data(one: str, first: Problem, other: str, second: Problem) -> None:
    """Raise ``InputError`` where two problems are not on the same data with the same noise."""
    if len(first.trials) != len(second.trials):
        raise InputError(
            f"compare: {one!r} has {len(first.trials)} trials, {other!r} has "
            f"{len(second.trials)}; only fits to the same data can be compared.",
            remedy="Build both problems on the same trials.",
        )
    if first.errors != second.errors:
        raise InputError(
            f"compare: {one!r} and {other!r} assume different noise models.",
            remedy="Give both the same noise (--noise, in Python noise=).",
        )
    for trial, mine, its in zip(
        first.trials, collect_measurements(first), collect_measurements(second), strict=True
    ):
        same = len(mine) == len(its) and all(
            a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=0)
            for left, right in zip(mine, its, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        if not same:
            raise InputError(
                f"compare: trial {trial.name!r} is not the same in {one!r} and {other!r}: "
                "other numbers, samples or standard deviations.",
                remedy="Build both problems on the same trials.",
            )


def check_same_flat_parameters(fits: Mapping[str, Fit]) -> None:
    """Raise ``InputError`` where models differ in parameters of the measurement that have no prior:
    their evidence is not defined.
    """
    flat = {name: sorted(flat_parameters(found)) for name, found in fits.items()}
    (first, mine), *others = flat.items()
    for name, its in others:
        differing = sorted(set(mine) ^ set(its))
        if differing or mine != its:
            raise InputError(
                f"compare: the evidence of {first!r} and {name!r} needs priors of "
                f"{', '.join(differing)}, which one of them does not have.",
                remedy="Give the same nuisance quantities, quantities with a prior, or "
                "evidence=False.",
            )


def estimate_overdispersion(found: Fit) -> float:
    """Factor by which the variance of the residuals of the best model exceeds what was assumed,
    with its correlation, at least 1.
    """
    assessment = found.assessment
    known = not np.any(mark_estimated_sizes(assessment))
    misfit = (
        assessment.misfit
        if known and (assessment.contradicted or not assessment.explained)
        else 1.0
    )
    correlated = (
        assessment.correlation_time
        if assessment.linearised.automatic
        and assessment.correlation_time > assessment.policy.correlation_time
        else 1.0
    )
    return float(max(misfit, 1.0) * correlated)


def _rank(
    fits: Mapping[str, Fit],
    chances: Mapping[str, float],
    which: CrossValidation | None,
    policy: FitPolicy,
    *,
    evidence: bool,
) -> Comparison:
    """Everything after the fits."""
    names = list(fits)
    assessments = [found.assessment for found in fits.values()]
    fall = np.asarray([deviance(assessment) for assessment in assessments])
    spent = np.asarray([count_parameters(assessment) for assessment in assessments])
    count = count_observations(assessments[0])
    factor = estimate_overdispersion(fits[names[int(np.argmin(fall + 2 * spent))]])
    # An overdispersion that was found is one more parameter; correlated numbers count for fewer.
    spent = spent + (factor > 1)
    effective = (
        count / max(assessments[int(np.argmin(fall))].correlation_time, 1.0)
        if factor > 1
        else count
    )
    criteria = np.asarray(
        [aicc(d / factor, k, effective) for d, k in zip(fall, spent, strict=True)]
    )
    if not np.any(np.isfinite(criteria)):
        raise InputError(
            f"compare: {count} numbers are too few for {min(spent):.0f} parameters, so AICc "
            "is not defined.",
            remedy="Free less, or give more data.",
        )
    schwarz = [bic(d / factor, k, effective) for d, k in zip(fall, spent, strict=True)]
    against = np.asarray([chances[name] <= policy.comparison_level for name in names])
    best = min(range(len(names)), key=lambda i: (against[i], criteria[i]))
    score, behind, behind_sd = _scores(
        fits, which, best, estimate_noise_factor(fits[names[best]], factor), policy
    )
    logarithms = (
        [log_evidence(found) for found in fits.values()] if evidence else [math.nan] * len(names)
    )
    models = []
    for i, name in enumerate(names):
        difference = float(criteria[i] - criteria[best])
        models.append(
            ComparedModel(
                name,
                fits[name],
                float(fall[i]),
                float(spent[i]),
                count,
                float(criteria[i]),
                float(schwarz[i]),
                difference,
                float(akaike_weights(criteria)[i]),
                score[i],
                behind[i],
                behind_sd[i],
                logarithms[i],
                chance=chances[name],
                cannot_tell=i != best and not against[i],
            )
        )
    order = sorted(range(len(models)), key=lambda i: (i != best, against[i], models[i].aicc))
    ranked = tuple(models[i] for i in order)
    return Comparison(
        ranked,
        factor,
        None if which is None else which.way,
        _verdict(ranked),
        tuple(_warnings(ranked, factor, policy)),
        policy.comparison_level,
    )


def estimate_noise_factor(found: Fit, overdispersion: float) -> float:
    """Variance of the noise of the data left out, in units of their weights."""
    assessment = found.assessment
    free = mark_estimated_sizes(assessment) & ~assessment.linearised.followed
    return (
        float(np.median(assessment.variance_components.size[free]) ** 2) * overdispersion
        if np.any(free)
        else overdispersion
    )


def _scores(
    fits: Mapping[str, Fit],
    which: CrossValidation | None,
    best: int,
    variance: float,
    policy: FitPolicy,
) -> tuple[list[float], list[float], list[float]]:
    """Score of each model, how far it is behind the best one, and the standard error of that."""
    nothing = [math.nan] * len(fits)
    if which is None:
        return nothing, nothing, nothing
    # All predict the same numbers with the same weights, those of the best model.
    data = list(fits.values())[best].problem.data
    pieces = []
    for found in fits.values():
        problem = found.problem.with_data(data)
        pieces.append(
            [
                held
                for fold in cross_validate_folds(problem, found.assessment, which)
                for held in fold
            ]
        )
    densities = np.asarray([[held.log_density(variance) for held in own] for own in pieces])
    behind, behind_sd = [], []
    for i, own in enumerate(pieces):
        differences = densities[best] - densities[i]
        behind.append(float(np.sum(differences)))
        behind_sd.append(
            0.0 if i == best else _standard_error(differences, pieces[best], own, variance, policy)
        )
    return [float(total) for total in densities.sum(axis=1)], behind, behind_sd


def _standard_error(
    differences: np.ndarray,
    best: list[HeldOutPrediction],
    other: list[HeldOutPrediction],
    variance: float,
    policy: FitPolicy,
) -> float:
    """Standard error of a difference of scores.

    Two predictions that differ by d score differently by ``d' V^-1 r`` plus a constant, where r is
    noise: a standard deviation of ``sqrt(d' V^-1 d)``. Enough pieces also tell it by their scatter;
    the larger one counts.
    """
    distances = [
        mine.quadratic(mine.residual - its.residual) / variance
        for mine, its in zip(best, other, strict=True)
    ]
    expected = math.sqrt(sum(distances))
    if differences.size < policy.score_pieces:
        return expected
    return max(expected, math.sqrt(differences.size) * float(np.std(differences, ddof=1)))


def _verdict(ranked: tuple[ComparedModel, ...]) -> str:
    """The conclusion."""
    best, near = ranked[0], [model.name for model in ranked[1:] if model.cannot_tell]
    far = [model.name for model in ranked[1:] if not model.cannot_tell]
    if near:
        rest = f" They speak against {_list_names(far)}." if far else ""
        least = min((best, *ranked[1 : len(near) + 1]), key=lambda model: model.parameters)
        simplest = (
            f" The simplest of them is {least.name}."
            if all(
                model is least or model.parameters - least.parameters > FEWER
                for model in ranked[: len(near) + 1]
            )
            else ""
        )
        return f"These data cannot tell {_list_names([best.name, *near])} apart.{simplest}{rest}"
    return f"The data prefer {best.name} to {_list_names(far)}."


def _list_names(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _warnings(ranked: tuple[ComparedModel, ...], factor: float, policy: FitPolicy) -> Iterator[str]:
    """What makes the comparison doubtful."""
    best = ranked[0]
    for model in ranked:
        if not model.fit.converged:
            yield f"The fit of {model.name} did not converge; its rank is not reliable."
    if not best.fit.explained:
        yield (
            f"Even {best.name} does not explain the data (chi2 per degree of freedom "
            f"{best.fit.assessment.misfit:.3g}): the best of these"
            " models is not a good one."
        )
    if factor > 1:
        yield (
            f"Residuals of the best model vary {factor:.2g} times as much as independent noise as "
            "stated; -2 ln L is divided by that."
        )
    leader = min(
        (model for model in ranked if math.isfinite(model.bic)), key=lambda model: model.bic
    )
    if leader is not best and best.bic - leader.bic > policy.bic_apart:
        yield f"BIC prefers {leader.name}, which has fewer parameters."
    if math.isfinite(best.score):
        ahead = max(ranked, key=lambda model: model.score)
        if ahead is not best and -ahead.behind > ahead.behind_sd:
            yield f"Data that were left out are predicted better by {ahead.name}."
    known = [model for model in ranked if math.isfinite(model.log_evidence)]
    if known:
        likely = max(known, key=lambda model: model.log_evidence)
        if (
            likely is not best
            and math.isfinite(best.log_evidence)
            and likely.log_evidence - best.log_evidence > policy.evidence_apart
        ):
            yield f"The evidence, with the priors given, prefers {likely.name}."
        for model in ranked:
            if not math.isfinite(model.log_evidence):
                yield (
                    f"The evidence of {model.name} is not defined: the data and the priors do not "
                    "determine a parameter."
                )


def _lines(found: Comparison) -> Iterator[str]:
    """The table for a person."""
    yield found.verdict
    wide = max(len("model"), *(len(model.name) for model in found.models))
    scored = any(math.isfinite(model.score) for model in found.models)
    weighed = any(math.isfinite(model.log_evidence) for model in found.models)
    head = (
        f"{'model':<{wide}}  {'parameters':>10} {'chi2/dof':>9} {'chance':>7} {'AICc':>10} "
        f"{'behind':>8} {'weight':>7} {'BIC':>10}"
    )
    yield (
        head
        + (f" {'left out, behind':>18}" if scored else "")
        + (f" {'ln evidence':>12}" if weighed else "")
    )
    for model in found.models:
        line = (
            f"{model.name:<{wide}}  {model.parameters:>10.3g} {model.fit.chi2_per_dof:>9.3g} "
            f"{_chance(model.chance):>7} {model.aicc:>10.2f} {model.difference:>8.2f}"
            f" {model.weight:>7.3f} {model.bic:>10.2f}"
        )
        if scored:
            shown = (
                "best" if model is found.best else f"{model.behind:.1f} +- {model.behind_sd:.1f}"
            )
            line += f" {shown:>18}"
        yield line + (f" {model.log_evidence:>12.2f}" if weighed else "")
    yield (
        f"chance: were the model the truth, of data that prefer another as much; at most "
        f"{100 * found.level:g} % speaks against it."
    )
    yield from found.warnings


def _chance(chance: float) -> str:
    """A probability in a table."""
    return "< 0.001" if chance < 1e-3 else f"{chance:.3f}"
