"""What makes a fit doubtful, in plain sentences."""

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.autocorrelation import exceeds_chance
from calibration.noise.models import Automatic
from calibration.results.estimate import Determination, Estimate
from calibration.results.goodness import is_too_small
from calibration.results.numbers import capitalise

NOTHING = 1e-3
"""Residuals of less than this part of the noise were computed, and their ratio is not named."""


def diagnose(assessment: Assessment, estimates: dict[str, Estimate]) -> list[str]:
    """Warnings of a fit, most important first.

    Args:
        assessment: of the fit.
        estimates: of its shared parameters, by name.
    """
    found = []
    if not assessment.minimum.converged:
        found.append(
            f"The fit did not converge in {int(assessment.minimum.iterations)} iterations; its "
            "numbers are not to be used."
        )
    if not assessment.explained:
        found.append(
            "The model does not explain the data: chi2 per degree of freedom is "
            f"{assessment.misfit:.2f} where noise alone gives 1. Something"
            " is missing from the model, or the samples are noisier than assumed."
        )
    for estimate in estimates.values():
        found += _describe_status(estimate)
    if assessment.from_scatter:
        found.append(
            "Standard errors are taken from the scatter between the trials, which "
            "contains every kind of correlation."
        )
    elif (
        assessment.linearised.automatic
        and assessment.correlation_time > assessment.policy.correlation_time
    ):
        found.append(
            "Neighbouring residuals are correlated over about "
            f"{assessment.correlation_time:.1f} samples; standard errors allow for it."
        )
    return found + doubt_noise(assessment)


def _describe_status(estimate: Estimate) -> list[str]:
    where = f"{capitalise(estimate.label)} ({estimate.name})"
    if estimate.status is Determination.NOT_DETERMINED:
        why = f": {estimate.note}" if estimate.note else ""
        return [f"{where} is not determined by these data{why}."]
    if estimate.vanished:
        return [f"{where} is next to 0: {estimate.note}."]
    if estimate.status is Determination.AT_BOUND:
        return [f"{where} = {estimate.value:.4g} is at a bound."]
    if estimate.status is Determination.AT_START:
        return [f"{where} never moved from its start; check that it acts on the data."]
    return []


def doubt_noise(assessment: Assessment) -> list[str]:
    """What speaks against the noise model, in sentences: then the intervals of covariance and
    profile are not to be trusted.
    """
    found, linearised = [], assessment.linearised
    # Robust models expect residuals that are too large, and take the size of the errors from all
    # of them.
    robust = all(component.model.robust for component in linearised.components)
    if assessment.contradicted and assessment.explained and linearised.stated and not robust:
        ratio = np.sqrt(assessment.misfit)
        consequence = (
            "standard errors are enlarged."
            if linearised.automatic
            else "the noise model keeps it all the same, and intervals are too narrow."
        )
        found.append(
            f"The residuals are {ratio:.2g} times as large as the noise that was stated; "
            f"{consequence}"
        )
    believed = linearised.stated and not np.any(assessment.variance_components.free_size)
    if believed and is_too_small(assessment.chi2 / assessment.expected_loss, assessment.dof):
        ratio = np.sqrt(assessment.misfit)
        wide = f"about {1 / ratio:.2g} times as wide as" if ratio > NOTHING else "far wider than"
        found.append(
            f"The residuals are {ratio:.2g} times as large as the noise that was stated, and "
            f"intervals are {wide} the data ask for; where it is not known well, leave it out "
            "(--sigma), or use --noise estimated (in Python: noise=Estimated())."
        )
    if assessment.from_scatter:
        return found
    return found + _doubt_components(assessment)


def has_correlated_neighbours(assessment: Assessment) -> np.ndarray:
    """Whether neighbouring residuals of each component that is a series in time are correlated."""
    linearised = assessment.linearised
    series = np.asarray([component.series for component in linearised.components], dtype=bool)
    limit = assessment.policy.neighbour_correlation
    return series & exceeds_chance(linearised.neighbours(), linearised.counts, least=limit)


def _doubt_components(assessment: Assessment) -> list[str]:
    """Correlated neighbours and outliers that the models of single quantities do not expect."""
    found, linearised, policy = [], assessment.linearised, assessment.policy
    correlation, counts = linearised.neighbours(), linearised.counts
    hang_together = has_correlated_neighbours(assessment)
    size = np.maximum(assessment.variance_components.size, 1.0)
    far = linearised.summed(
        lambda piece: np.abs(piece.deviation) > policy.outlier_size * size[piece.component]
    )
    for i, component in enumerate(linearised.components):
        independent = not (isinstance(component.model, Automatic) or component.model.correlated)
        if independent and hang_together[i]:
            found.append(
                f"Neighbouring residuals of {component.quantity} are correlated "
                f"({correlation[i]:.2f}), which {component.model}"
                " does not expect; intervals are too narrow. Use --noise correlated (in Python: "
                "noise=Correlated())."
            )
        if far[i] and not component.model.robust:
            found.append(
                f"{int(far[i])} of {int(counts[i])} residuals of {component.quantity} "
                f"are more than {policy.outlier_size:g} standard deviations"
                " off; use --noise 'student t: degrees=4' or --noise huber, which tolerate "
                "outliers (in Python: noise=StudentT(4), noise=Huber())."
            )
    return found
