"""What a person wants to know of a fit first: the answer with its interval, whether to believe it,
and what to do next.
"""

import enum

from calibration.results import sentences
from calibration.results.estimate import Determination, Estimate
from calibration.results.goodness import largest_misfit
from calibration.results.modification import Decision
from calibration.results.numbers import (
    found,
    has_interval,
    rounded_like,
    short_status,
    unit_of,
)
from calibration.results.summary import FitSummary

MATERIAL = "contact."
"""How the names of material constants begin, which are what most fits are made for."""

MOST_ANSWERS = 3
MOST_STEPS = 3


class Trust(enum.Enum):
    """Whether the numbers of a fit are to be believed.

    Example:
        >>> from calibration.results.answer import Trust
        >>> Trust.NONE.value
        'do not use these numbers'
    """

    FULL = "the numbers can be believed"
    LIMITED = "to be believed with reservations"
    NONE = "do not use these numbers"


def answers(fit: FitSummary) -> list[Estimate]:
    """The parameters that the fit was made for, as far as the data determine them: material
    constants, else whatever was found. The first one, where they determine none.
    """
    material = [one for name, one in fit.parameters.items() if name.startswith(MATERIAL)]
    asked = material or list(fit.parameters.values())
    known = [one for one in asked if has_interval(one)]
    return known[:MOST_ANSWERS] or asked[:1]


def answer(fit: FitSummary) -> str:
    """The first answer in one line: ``restitution (e): 0.905 ± 0.006, 95 %: 0.893 to 0.917``."""
    first = next(iter(answers(fit)), None)
    if first is None:
        return "Nothing was left to find."
    value = " ".join(filter(None, (value_of(first), unit_of(first))))
    interval = f", 95 %: {interval_of(first)}" if has_interval(first) else ""
    return f"{sentences.title(first)}: {value}{interval}"


def value_of(estimate: Estimate) -> str:
    """``0.905 ± 0.006``, or why there is no number."""
    number = found(estimate, plus_minus="±")
    return short_status(estimate) if number == "-" else number


def interval_of(estimate: Estimate) -> str:
    """``0.893 to 0.917``, with as many digits as the standard error deserves; ``-`` for none."""
    if not has_interval(estimate):
        return "-"
    ends = [rounded_like(end, estimate.sd) for end in estimate.interval()]
    return " to ".join(ends)


def trust(fit: FitSummary) -> tuple[Trust, str]:
    """Whether to believe the numbers, and why: one sentence."""
    if fit.doubt is Determination.NOT_CONVERGED:
        return Trust.NONE, sentences.sentence(sentences.convergence(fit))
    if fit.doubt is Determination.IMPLAUSIBLE:
        return Trust.NONE, "What the fit says contradicts what is known of such experiments."
    said = sentences.sentence(sentences.misfit(fit))
    if fit.doubt is not None:
        return Trust.NONE, said
    failed = [check.name for check in fit.residual_checks if check.passed is False]
    if failed:
        return Trust.LIMITED, f"{said} But the residuals fail a check: {', '.join(failed)}."
    if fit.dof < 1 or fit.chi2_per_dof > largest_misfit(fit.dof):
        return Trust.LIMITED, said
    return Trust.FULL, said


def next_steps(fit: FitSummary) -> list[str]:
    """What a person can do next, most urgent first: remedies of what is wrong, what would show a
    parameter that the data leave open, and where to go on from a good fit.
    """
    steps = [
        f"{one.name}: {one.remedy}" for one in fit.modifications if one.decision is Decision.NAMED
    ]
    if fit.doubt is not None:
        steps.append(
            "Look where the residuals leave the grey band, and ask which law the data prefer: "
            "jaxcontact compare study.toml"
        )
        return _sentences(steps)
    steps += [check.remedy for check in fit.residual_checks if check.passed is False]
    steps += [
        f"{sentences.title(one)} is not determined: {one.note}"
        for one in fit.parameters.values()
        if one.status is Determination.NOT_DETERMINED and one.note
    ]
    steps.append("Narrower intervals: jaxcontact design study.toml says which experiment pays most")
    return _sentences(steps)


def _sentences(steps: list[str]) -> list[str]:
    """The first ones, each once."""
    given = dict.fromkeys(step for step in steps if step)
    return [sentences.sentence(step) for step in given][:MOST_STEPS]
