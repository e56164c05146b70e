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
from calibration.planning.continuous import BestDesign, best_design
from calibration.planning.criteria import CRITERIA, Criterion, criterion_for
from calibration.planning.expected_information import Expectation, averaged_criterion
from calibration.planning.suggestions import granted
from calibration.problem.problem import Problem
from calibration.results.numbers import plain
from calibration.results.result import Fit
from calibration.uncertainty.linearisation import WorkingPoint, working_point

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
    """

    ranking: tuple[RankedCandidate, ...]
    interest: tuple[str, ...]
    now: dict[str, float]
    relative: dict[str, bool]
    criterion: str
    sentences: tuple[str, ...]

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
            cost.
    """
    _check(candidates, average, per_cost)
    with jax.enable_x64(True):
        point = working_point(given, argument="design")
        free = tuple(parameter.name for parameter in point.parameters)
        interest = (
            free
            if interest is None
            else tuple([interest] if isinstance(interest, str) else interest)
        )
        places = tuple(point.index(name, argument="interest") for name in interest)
        asked = criterion_for(criterion, interest, places, combination)
        expectation = Expectation(point, average=average, seed=seed)
        chosen = [
            best_design(expectation, candidate, asked) if candidate.vary else None
            for candidate in candidates
        ]
        final = [
            candidate if best is None else best.candidate
            for candidate, best in zip(candidates, chosen, strict=True)
        ]
        return _ranked(expectation, final, chosen, asked, interest, per_cost=per_cost)


def _check(candidates: Sequence[Candidate], average: int, per_cost: bool) -> None:
    if not candidates:
        raise InputError(
            "design: there is no candidate.", remedy="Give at least one Candidate(...)."
        )
    for item in candidates:
        if not isinstance(item, Candidate):
            raise InputError(f"design: {item!r} is not a Candidate.")
        if per_cost and item.cost is None:
            raise InputError(
                f"design: {item.name} has no cost.",
                remedy="Candidate(..., cost=...), or per_cost=False.",
            )
    if not (isinstance(average, int) and average >= 0):
        raise InputError(f"design: average = {average!r} is not a whole number from 0.")


def _ranked(
    expectation: Expectation,
    candidates: Sequence[Candidate],
    chosen: Sequence[BestDesign | None],
    criterion: Criterion,
    interest: tuple[str, ...],
    *,
    per_cost: bool,
) -> DesignReport:
    """The report."""
    now, before = expectation.standard_errors(expectation.known)
    current = {name: float(now[i]) for name, i in zip(interest, criterion.places, strict=True)}
    relative = {
        name: bool(expectation.logarithmic[i])
        for name, i in zip(interest, criterion.places, strict=True)
    }
    present = float(criterion.of(before)) if all(map(math.isfinite, current.values())) else math.inf
    at_draws = np.asarray([expectation.standard_errors(known)[0] for known in expectation.known_at])
    sd, covariance = expectation.covariances(candidates)
    values = averaged_criterion(sd, covariance, criterion)
    found = []
    for c, candidate in enumerate(candidates):
        after, spread = {}, {}
        for name, i in zip(interest, criterion.places, strict=True):
            after[name], spread[name] = _expected(sd[:, c, i], at_draws[:, i], current[name])
        narrowing = {name: _factor(current[name], after[name]) for name in interest}
        cost = candidate.total_cost
        gain = (
            math.log(present / values[c])
            if math.isfinite(present) and math.isfinite(values[c])
            else -math.log(values[c])
        )
        words = _sentence(candidate, after, narrowing, relative, expectation.point)
        found.append(
            RankedCandidate(
                candidate,
                after,
                narrowing,
                spread,
                float(values[c]),
                gain / cost if cost else math.nan,
                chosen[c],
                words,
            )
        )

    def order(item: RankedCandidate) -> tuple:
        open_ = sum(math.isinf(sd) for sd in item.after.values())
        score = -item.per_cost if per_cost else item.criterion
        seen = sum(math.log(sd) for sd in item.after.values() if 0 < sd < math.inf)
        return open_, score, seen

    ranking = tuple(sorted(found, key=order))
    return DesignReport(
        ranking,
        interest,
        current,
        relative,
        criterion.kind,
        tuple(_sentences(ranking, current, relative, expectation)),
    )


def _expected(after: np.ndarray, before: np.ndarray, now: float) -> tuple[float, float]:
    """Standard error after an experiment and the standard deviation of its logarithm over the draws
    (D,), infinite and NaN in most of which it is not determined. Where it is determined at present,
    it shrinks by the mean factor of the draws.
    """
    both = np.isfinite(after) & (np.isfinite(before) | math.isinf(now))
    if both.sum() <= after.size / 2:
        return math.inf, math.nan
    logarithms = np.log(after[both]) - (
        np.log(before[both]) - math.log(now) if math.isfinite(now) else 0.0
    )
    return float(np.exp(np.mean(logarithms))), float(np.std(logarithms))


def _factor(now: float, after: float) -> float:
    """How many times narrower."""
    if math.isinf(after):
        return math.nan
    return now / after


def _called(name: str, point: WorkingPoint) -> str:
    """A parameter as a person calls it: its label and symbol."""
    about = point.parameters[point.index(name, argument="interest")].about
    return f"{about.label} {about.symbol}".strip()


def _size(sd: float, relative: bool) -> str:
    """A standard error in words."""
    return f"{100 * sd:.2g} %" if relative else plain(float(f"{sd:.2g}"))


def _sentence(
    candidate: Candidate,
    after: dict[str, float],
    narrowing: dict[str, float],
    relative: dict[str, bool],
    point: WorkingPoint,
) -> str:
    """What one candidate would do."""
    shown, narrowed = [], []
    for name, factor in narrowing.items():
        called, size = f"the {_called(name, point)}", _size(after[name], relative[name])
        if math.isinf(factor):
            shown.append(f"{called} (to {size})")
        elif factor >= WORTHWHILE:
            narrowed.append(f"{called} by {factor:.2g} (to {size})")
    parts = [
        f"{verb} {' and '.join(items)}"
        for verb, items in (("narrows", narrowed), ("shows", shown))
        if items
    ]
    subject = candidate.name[:1].upper() + candidate.name[1:]
    return f"{subject} {' and '.join(parts)}." if parts else f"{subject} adds nothing of interest."


def _sentences(
    ranking: tuple[RankedCandidate, ...],
    now: dict[str, float],
    relative: dict[str, bool],
    expectation: Expectation,
) -> Iterator[str]:
    """What to do, and what nothing on the list shows."""
    yield ranking[0].words
    point = expectation.point
    for name, sd in now.items():
        if math.isfinite(sd) or math.isfinite(ranking[0].after[name]):
            continue
        showing = [item for item in ranking if math.isfinite(item.after[name])]
        if showing:
            best = min(showing, key=lambda item: item.after[name])
            yield f"The {_called(name, point)} needs another one: {best.candidate.name} (to {_size(best.after[name], relative[name])})."
            continue
        wish = granted(expectation, point.index(name, argument="interest"))
        hope = f"; {wish[0].name} would (to {_size(wish[1], relative[name])})" if wish else ""
        yield f"Nothing on the list shows the {_called(name, point)}{hope}."


def _lines(report: DesignReport) -> Iterator[str]:
    """The report for a person."""
    yield from report.sentences
    known = ", ".join(
        f"{name} "
        f"{'is not determined' if math.isinf(sd) else f'to {_size(sd, report.relative[name])}'}"
        for name, sd in report.now.items()
    )
    yield f"Known now: {known}. Ranked by {CRITERIA[report.criterion]}:"
    for number, item in enumerate(report.ranking, start=1):
        shown = []
        for name in report.interest:
            if math.isinf(item.after[name]):
                shown.append(f"{name} not determined")
            else:
                factor = item.narrowing[name]
                gain = "now determined" if math.isinf(factor) else f"{factor:.2g} times narrower"
                shown.append(f"{name} to {_size(item.after[name], report.relative[name])}, {gain}")
        cost = "" if item.candidate.total_cost is None else f" (cost {item.candidate.total_cost:g})"
        yield f"{number}. {item.candidate.name}{cost}: {'; '.join(shown)}"
        if item.chosen is not None:
            yield f"   {item.chosen.words}"
