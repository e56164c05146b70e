"""What there is to say about a fit, in words that the table, the figure and other reports share."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence

import jaxcontact as jc
from calibration.results.estimate import Estimate
from calibration.results.goodness import is_too_small, largest_misfit
from calibration.results.numbers import has_interval, listed, plain, rounded_like
from calibration.results.simulated_trial import SimulatedTrial
from calibration.results.summary import FitSummary

STRONG_CORRELATION = 0.5
CONTRADICTION = 3.0  # standard deviations between the estimates of two columns


def with_signs(text: str) -> str:
    """The text with its signs as in print, for what is no terminal."""
    return text.replace("+-", "±").replace(" %", "\N{NO-BREAK SPACE}%")


def titles(fit: FitSummary) -> dict[str, str]:
    """How each shared parameter is called, ``restitution (e)``; with its path where two would read
    alike.
    """
    short = {name: title(estimate) for name, estimate in fit.parameters.items()}
    count = Counter(short.values())
    return {name: text if count[text] == 1 else f"{text} {name}" for name, text in short.items()}


def title(estimate: Estimate) -> str:
    """``restitution (e)``."""
    return f"{estimate.label} ({estimate.symbol})" if estimate.symbol else estimate.label


def misfit(fit: FitSummary) -> str:
    """Chi-squared per degree of freedom and what it means."""
    if not math.isfinite(fit.chi2):
        return "chi2 is not a finite number: the model could not be compared with the data"
    if fit.dof < 1:
        return (
            f"chi2 = {fit.chi2:.3g} with no degree of freedom: as many free quantities as "
            "data, nothing "
            "is left to test the model with"
        )
    number = f"chi2/dof = {fit.chi2_per_dof:.3g} ({fit.chi2:.4g}/{fit.dof})"
    if not fit.simulated:
        return f"{number}: this says nothing, because a simulation did not succeed"
    if not fit.explained:
        return (
            f"{number}: the model does not explain the data (residuals are "
            f"{math.sqrt(fit.chi2_per_dof):.2g} times sigma)"
        )
    if is_too_small(fit.chi2, fit.dof):
        if fit.noise and all(one.origin == "finest" for one in fit.noise):
            return (
                f"{number}: the model explains the data to less than instruments err: they look "
                "computed"
            )
        # Of noise that nobody stated, the residuals tell the size, and standard errors follow it.
        about = (
            "times the sigma that the numbers alone let expect, and tell the size of the errors"
            if fit.noise and not any(one.origin == "stated" for one in fit.noise)
            else "times sigma: sigma looks too large"
        )
        return (
            f"{number}: the model explains the data (residuals are "
            f"{math.sqrt(fit.chi2_per_dof):.2g} {about})"
        )
    if fit.chi2_per_dof > largest_misfit(fit.dof):
        return (
            f"{number}: the model explains the data as well as their noise is known, which is not "
            "known from elsewhere"
        )
    return f"{number}: the model explains the data"


def error_scale_factor(fit: FitSummary) -> str:
    """What was added to the formal standard errors."""
    if not math.isfinite(fit.error_scale_factor):
        return "the standard errors could not be corrected for misfit and correlated residuals"
    if fit.error_scale_factor < 0.95:
        return (
            f"standard errors are {fit.error_scale_factor:.2g} times the formal ones, as the "
            "residuals are smaller than was expected beforehand"
        )
    if fit.error_scale_factor <= 1.05:
        return (
            "standard errors are the formal ones; misfit and correlated residuals ask for no more"
        )
    return (
        f"standard errors are {fit.error_scale_factor:.2g} times the formal ones, to allow for "
        "misfit and correlated residuals"
    )


def convergence(fit: FitSummary) -> str:
    """Whether, how and how fast the optimiser finished."""
    steps = f"{fit.iterations} iteration{'' if fit.iterations == 1 else 's'}"
    seconds = f"{fit.seconds:.2g} s" if fit.seconds < 99.5 else f"{fit.seconds:.0f} s"
    if fit.converged:
        return f"{fit.method} converged in {steps}, {seconds}"
    return (
        f"{fit.method} DID NOT CONVERGE in {steps}, {seconds}: the values are where it "
        "stopped, not "
        "the best ones"
    )


def simulations(trials: Sequence[SimulatedTrial]) -> list[str]:
    """A sentence for each way in which simulations at the minimum did not succeed, worst first."""
    found: dict[jc.Status, list[str]] = {}
    for trial in trials:
        if not trial.succeeded:
            found.setdefault(trial.status, []).append(trial.name)
    return [
        f"The simulation of {listed(found[status])} did not succeed at the minimum "
        f"({status.name}), so no number of this fit is to be used. {status.advice}"
        for status in sorted(found, reverse=True)
    ]


def correlations(fit: FitSummary) -> list[str]:
    """A line for each pair of shared parameters whose correlation exceeds 0.5 in size, strongest
    first.
    """
    called = titles(fit)
    pairs = [
        (float(fit.correlation[row, column]), first, second)
        for (row, first), (column, second) in itertools.combinations(enumerate(fit.names), 2)
        if abs(fit.correlation[row, column]) > STRONG_CORRELATION
    ]
    return [
        f"{called.get(first, first)} and {called.get(second, second)}: {_signed(value)}"
        for value, first, second in sorted(pairs, key=lambda pair: -abs(pair[0]))
    ]


def contradictions(fit: FitSummary) -> list[str]:
    """A sentence for each parameter on which two columns of an impact table disagree by more than
    three standard deviations.
    """
    sentences = []
    for name, text in titles(fit).items():
        alone = [
            (column, column.alone[name])
            for column in fit.columns
            if name in column.alone and has_interval(column.alone[name])
        ]
        apart = [
            (
                abs(one.value - two.value) / math.hypot(one.sd, two.sd),
                (left.label, one),
                (right.label, two),
            )
            for (left, one), (right, two) in itertools.combinations(alone, 2)
        ]
        if not apart:
            continue
        distance, *both = max(apart, key=lambda pair: pair[0])
        if distance > CONTRADICTION:
            values = " but ".join(
                f"{rounded_like(estimate.value, estimate.sd)} from {without_unit(label)}"
                for label, estimate in both
            )
            sentences.append(
                f"the columns contradict each other on {text}: {values}, {distance:.2g} "
                "standard deviations apart"
            )
    return sentences


def range_of(values: list[float], sd: float) -> str:
    """``0.951 to 0.967``, rounded as ``sd`` allows."""
    return f"{rounded_like(min(values), sd)} to {rounded_like(max(values), sd)}" if values else "-"


def metres(value: float) -> str:
    """A small length in the unit that reads best."""
    if not math.isfinite(value):
        return "-"
    unit, factor = ("mm", 1e3) if value >= 5e-5 else ("um", 1e6)
    return f"{plain(float(f'{value * factor:.2g}'))} {unit}"


def without_unit(label: str) -> str:
    """``rebound angle`` of ``rebound angle [deg]``."""
    return label.partition(" [")[0]


def sentence(clause: str) -> str:
    """A clause with a full stop; its first letter stays, as it may be a name."""
    text = clause.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def capitalised(clause: str) -> str:
    """A clause that begins with a word of ours, as a sentence."""
    return sentence(clause[:1].upper() + clause[1:])


def _signed(value: float) -> str:
    if 0.995 <= abs(value) < 1:
        return "> +0.99" if value > 0 else "< -0.99"
    return f"{value:+.2f}"
