"""What to measure next: experiments that could be done, ranked by what they would add to what is
known.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

import jax
import numpy as np

from calibration.errors import InputError
from calibration.planning.candidate import Candidate
from calibration.planning.continuous import BestDesign, find_best_design
from calibration.planning.criteria import CRITERIA, Criterion, make_criterion
from calibration.planning.expected_information import Expectation, average_criterion
from calibration.planning.suggestions import find_best_suggestion
from calibration.problem.problem import Problem
from calibration.results.numbers import plain
from calibration.results.result import Fit
from calibration.uncertainty.linearisation import WorkingPoint, working_point
from jaxcontact import Status
from jaxcontact.simulation.core.status import succeeded

WORTHWHILE = 1.05
"""Factor below which an experiment is not said to narrow an interval."""


@dataclasses.dataclass(frozen=True)
class RankedCandidate:
    """What one candidate would add.

    Attributes:
        candidate: the experiment, with its design variables at their best values.
        after: standard error of each parameter of interest after it: relative for a positive one,
            infinite where it stays undetermined.
        narrowing: factor by which each interval shrinks, infinite where a parameter becomes
            determined, NaN where it stays undetermined.
        spread: standard deviation of the logarithm of ``after`` over the draws from the present
            uncertainty.
        criterion: of the parameters of interest after it, infinite where one of them stays
            undetermined.
        per_cost: logarithm of the gain in the criterion per unit of cost; NaN without a cost.
        chosen: how its design variables were chosen, or ``None``.
        words: one sentence.
    """

    candidate: Candidate
    after: dict[str, float]
    narrowing: dict[str, float]
    spread: dict[str, float]
    criterion: float
    per_cost: float
    chosen: BestDesign | None
    words: str


@dataclasses.dataclass(frozen=True)
class DesignReport:
    """Candidates, best first. ``str()`` is the text for a person.

    Attributes:
        ranking: of the candidates.
        interest: names of the parameters of interest.
        now: standard error of each at present: relative for a positive one, infinite where it is
            not determined.
        relative: which of them are relative.
        criterion: ``"A"``, ``"c"`` or ``"D"``.
        sentences: what to do, and what nothing on the list shows.
        warnings: candidates of which simulations did not succeed.

    Example:
        >>> report = cal.DesignReport(
        ...     ranking=(),
        ...     interest=("contact.normal.restitution",),
        ...     now={"contact.normal.restitution": 0.005},
        ...     relative={"contact.normal.restitution": True},
        ...     criterion="A",
        ...     sentences=(),
        ... )
        >>> print(report)
        Known now: contact.normal.restitution to 0.5 %.
        Ranked by the root mean square of the standard errors:
    """

    ranking: tuple[RankedCandidate, ...]
    interest: tuple[str, ...]
    now: dict[str, float]
    relative: dict[str, bool]
    criterion: str
    sentences: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> RankedCandidate:
        """The first of the ranking."""
        return self.ranking[0]

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def design(
    given: Problem | Fit,
    candidates: Sequence[Candidate],
    *,
    interest: Sequence[str] | None = None,
    criterion: str = "A",
    combination: Mapping[str, float] | None = None,
    average: int = 8,
    per_cost: bool = False,
    seed: int = 0,
) -> DesignReport:
    """Rank experiments that could be done by how much they would narrow what is known.

    The information of a new experiment adds to that of the data at hand; each repeat brings
    parameters of its own, which are eliminated. As it depends on the parameters, the expected
    standard errors are averaged (in the logarithm) over draws from the present uncertainty, a
    factor of e where that is wider. Standard errors of the data at hand contain the misfit that was
    found; those of a planned one follow from the noise that its instruments state.

    Args:
        given: the result of a fit, or a problem before one (then the data at hand count at the
            starting values).
        candidates: experiments; those with ``vary`` are first given their best design variables.
        interest: names of the parameters that matter, in natural coordinates (relative standard
            errors of positive ones); by default all.
        criterion: ``"A"`` (root mean square of the standard errors), ``"c"`` (standard error of one
            combination) or ``"D"`` (volume).
        combination: for ``"c"``, exponents of the parameters in it.
        average: number of draws; 0 takes the working point alone.
        per_cost: whether to rank by the gain (logarithm of the criterion) per unit of cost; every
            candidate then needs one.
        seed: of the draws.

    Returns:
        The ranking with the factor by which each interval shrinks, and sentences.

    Raises:
        InputError: no candidate, a name that is not free, a criterion that is not known, a missing
            cost, a problem with several bodies.

    Source:
        Chaloner and Verdinelli (1995), Bayesian experimental design: a review. Statistical Science
        10, 273-304. Atkinson, Donev and Tobias (2007), Optimum Experimental Designs, with SAS.

    Example:
        Four times the impacts of a table halve the interval:

        >>> def impacts(count):
        ...     return cal.ImpactTable(
        ...         name="head-on",
        ...         impact_angle=np.zeros(count),
        ...         impact_speed=np.full(count, 2.0),
        ...         normal_restitution=np.full(count, 0.8),
        ...         sigma={"normal_restitution": np.full(count, 0.01)},
        ...     )
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.0027),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        ... )
        >>> problem = cal.Problem(scene, [impacts(4)], free=["contact.normal.restitution"])
        >>> report = cal.design(problem, [cal.Candidate(instruments=impacts(12))])
        >>> round(report.best.narrowing["contact.normal.restitution"], 3)
        2.0
    """
    _check(candidates, average, per_cost)
    with jax.enable_x64(True):
        point = working_point(given, argument="design")
        if not point.problem.of_one_ball:
            raise InputError(
                "design: experiments are planned for one body that meets surfaces, by the laws of "
                "a ContactModel; this problem has several bodies or the contact of another "
                "program.",
                remedy="Simulate the experiment that you have in mind, fit it, and compare the "
                "standard errors.",
            )
        free = tuple(parameter.name for parameter in point.parameters)
        interest = (
            free
            if interest is None
            else tuple([interest] if isinstance(interest, str) else interest)
        )
        places = tuple(point.index(name, argument="interest") for name in interest)
        asked = make_criterion(criterion, interest, places, combination)
        expectation = Expectation(point, average=average, seed=seed)
        chosen = [
            find_best_design(expectation, candidate, asked) if candidate.vary else None
            for candidate in candidates
        ]
        final = [
            candidate if best is None else best.candidate
            for candidate, best in zip(candidates, chosen, strict=True)
        ]
        return _rank(expectation, final, chosen, asked, interest, per_cost=per_cost)


def _check(candidates: Sequence[Candidate], average: int, per_cost: bool) -> None:
    if not candidates:
        raise InputError(
            "design: there is no candidate.", remedy="Give at least one Candidate(...)."
        )
    for candidate in candidates:
        if not isinstance(candidate, Candidate):
            raise InputError(f"design: {candidate!r} is not a Candidate.")
        if per_cost and candidate.cost is None:
            raise InputError(
                f"design: {candidate.name} has no cost.",
                remedy="Candidate(..., cost=...), or per_cost=False.",
            )
    if not (isinstance(average, int) and average >= 0):
        raise InputError(f"design: average = {average!r} is not a whole number from 0.")


def _rank(
    expectation: Expectation,
    candidates: Sequence[Candidate],
    chosen: Sequence[BestDesign | None],
    criterion: Criterion,
    interest: tuple[str, ...],
    *,
    per_cost: bool,
) -> DesignReport:
    """Rank the candidates, with their design variables at their best values."""
    sd_now, covariance_now = expectation.standard_errors(expectation.known)
    now: dict[str, float] = {}
    relative: dict[str, bool] = {}
    for name, i in zip(interest, criterion.places, strict=True):
        now[name] = float(sd_now[i])
        relative[name] = bool(expectation.logarithmic[i])
    determined = all(map(math.isfinite, now.values()))
    present = float(criterion.evaluate(covariance_now)) if determined else math.inf
    sd_draws = np.asarray([expectation.standard_errors(known)[0] for known in expectation.known_at])
    expected = expectation.after(candidates)
    sd = expected.sd
    values = average_criterion(sd, expected.covariance, criterion)
    ranked, warnings = [], list[str]()
    for c, candidate in enumerate(candidates):
        after: dict[str, float] = {}
        spread: dict[str, float] = {}
        for name, i in zip(interest, criterion.places, strict=True):
            after[name], spread[name] = _expect(sd[:, c, i], sd_draws[:, i], now[name])
        narrowing = {name: _narrowing(now[name], after[name]) for name in interest}
        words = _describe(candidate, after, narrowing, relative, expectation.point)
        failed = expected.status[~succeeded(expected.status[:, c]), c]
        if failed.size:
            worst = Status(int(np.max(failed)))
            share = f"{failed.size} of {len(sd)} draws"
            warnings.append(
                f"The simulation of {candidate.name} did not succeed in {share} from what is known "
                f"({worst.name}), which were left out. {worst.advice}"
            )
            if 2 * failed.size >= len(sd):
                words = (
                    f"{_as_subject(candidate)} could not be simulated, so nothing is said of it."
                )
        cost = candidate.total_cost
        gain = -math.log(values[c])
        if math.isfinite(present) and math.isfinite(values[c]):
            gain = math.log(present / values[c])
        ranked.append(
            RankedCandidate(
                candidate=candidate,
                after=after,
                narrowing=narrowing,
                spread=spread,
                criterion=float(values[c]),
                per_cost=gain / cost if cost else math.nan,
                chosen=chosen[c],
                words=words,
            )
        )
    ranking = tuple(sorted(ranked, key=lambda candidate: _order(candidate, per_cost=per_cost)))
    return DesignReport(
        ranking=ranking,
        interest=interest,
        now=now,
        relative=relative,
        criterion=criterion.kind,
        sentences=tuple(_advise(ranking, now, relative, expectation)),
        warnings=tuple(warnings),
    )


def _order(ranked: RankedCandidate, *, per_cost: bool) -> tuple[int, float, float]:
    """Sort key, best first: parameters left open, then the criterion, then what is determined."""
    left_open = sum(math.isinf(sd) for sd in ranked.after.values())
    score = -ranked.per_cost if per_cost else ranked.criterion
    determined = sum(math.log(sd) for sd in ranked.after.values() if 0 < sd < math.inf)
    return left_open, score, determined


def _expect(after: np.ndarray, before: np.ndarray, now: float) -> tuple[float, float]:
    """The expected standard error after an experiment, and its spread over the draws.

    Where the parameter is determined at present, its standard error shrinks by the mean factor of
    the draws.

    Args:
        after: standard errors after the experiment (D,), infinite where not determined.
        before: standard errors at present at the same draws (D,).
        now: standard error at present.

    Returns:
        The standard error and the standard deviation of its logarithm; infinite and NaN where most
        draws leave the parameter undetermined.
    """
    both = np.isfinite(after) & (np.isfinite(before) | math.isinf(now))
    if both.sum() <= after.size / 2:
        return math.inf, math.nan
    logarithms = np.log(after[both])
    if math.isfinite(now):
        logarithms = logarithms - (np.log(before[both]) - math.log(now))
    return float(np.exp(np.mean(logarithms))), float(np.std(logarithms))


def _narrowing(now: float, after: float) -> float:
    """Factor by which an interval shrinks."""
    return math.nan if math.isinf(after) else now / after


# The report in words


def _label(name: str, point: WorkingPoint) -> str:
    """A parameter as a person calls it: its label and symbol."""
    about = point.parameters[point.index(name, argument="interest")].about
    return f"{about.label} {about.symbol}".strip()


def _format_size(sd: float, relative: bool) -> str:
    """A standard error in words."""
    return f"{100 * sd:.2g} %" if relative else plain(float(f"{sd:.2g}"))


def _as_subject(candidate: Candidate) -> str:
    """The candidate at the beginning of a sentence."""
    return candidate.name[:1].upper() + candidate.name[1:]


def _describe(
    candidate: Candidate,
    after: Mapping[str, float],
    narrowing: Mapping[str, float],
    relative: Mapping[str, bool],
    point: WorkingPoint,
) -> str:
    """What one candidate would do, as a sentence."""
    narrows, shows = [], []
    for name, factor in narrowing.items():
        label, size = f"the {_label(name, point)}", _format_size(after[name], relative[name])
        if math.isinf(factor):
            shows.append(f"{label} (to {size})")
        elif factor >= WORTHWHILE:
            narrows.append(f"{label} by {factor:.2g} (to {size})")
    parts = []
    if narrows:
        parts.append(f"narrows {' and '.join(narrows)}")
    if shows:
        parts.append(f"shows {' and '.join(shows)}")
    subject = _as_subject(candidate)
    return f"{subject} {' and '.join(parts)}." if parts else f"{subject} adds nothing of interest."


def _advise(
    ranking: Sequence[RankedCandidate],
    now: Mapping[str, float],
    relative: Mapping[str, bool],
    expectation: Expectation,
) -> Iterator[str]:
    """What to do, and what nothing on the list shows."""
    yield ranking[0].words
    point = expectation.point
    for name, sd in now.items():
        if math.isfinite(sd) or math.isfinite(ranking[0].after[name]):
            continue
        label = _label(name, point)
        showing = [ranked for ranked in ranking if math.isfinite(ranked.after[name])]
        if showing:
            best = min(showing, key=lambda ranked: ranked.after[name])
            size = _format_size(best.after[name], relative[name])
            yield f"The {label} needs another one: {best.candidate.name} (to {size})."
            continue
        hope = ""
        suggestion = find_best_suggestion(expectation, point.index(name, argument="interest"))
        if suggestion is not None:
            candidate, after = suggestion
            hope = f"; {candidate.name} would (to {_format_size(after, relative[name])})"
        yield f"Nothing on the list shows the {label}{hope}."


def _lines(report: DesignReport) -> Iterator[str]:
    """The report, a line at a time."""
    yield from report.sentences
    known = []
    for name, sd in report.now.items():
        if math.isinf(sd):
            known.append(f"{name} is not determined")
        else:
            known.append(f"{name} to {_format_size(sd, report.relative[name])}")
    yield f"Known now: {', '.join(known)}. Ranked by {CRITERIA[report.criterion]}:"
    for number, ranked in enumerate(report.ranking, start=1):
        effects = [_effect(ranked, name, report.relative[name]) for name in report.interest]
        cost = ranked.candidate.total_cost
        price = "" if cost is None else f" (cost {cost:g})"
        yield f"{number}. {ranked.candidate.name}{price}: {'; '.join(effects)}"
        if ranked.chosen is not None:
            yield f"   {ranked.chosen.words}"
    yield from report.warnings


def _effect(ranked: RankedCandidate, name: str, relative: bool) -> str:
    """What a candidate does to one parameter, in words."""
    after, factor = ranked.after[name], ranked.narrowing[name]
    if math.isinf(after):
        return f"{name} not determined"
    narrower = "no narrower" if factor < WORTHWHILE else f"{factor:.2g} times narrower"
    gain = "now determined" if math.isinf(factor) else narrower
    return f"{name} to {_format_size(after, relative)}, {gain}"
