"""What findings take away from a result: standard errors, or all of it."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import StoredPredictions
from calibration.results.result import Fit
from calibration.studies.plausibility.finding import Finding, is_meaningless


def with_findings(fit: Fit, findings: Sequence[Finding]) -> Fit:
    """The fit with findings first among its warnings, and without the standard errors that they
    take away.

    Args:
        fit: that was judged.
        findings: on it, and on its data.
    """
    meaningless = is_meaningless(findings)
    doubted = {name for finding in findings for name in finding.doubts}
    # Where the fit is in doubt anyway, what is odd of the recordings is the likely cause.
    first = [one for one in findings if one.meaningless or one.doubts or fit.doubt is not None]
    grave = [one.sentence for one in first]
    other = [one.sentence for one in findings if one not in first]
    gone = Determination.IMPLAUSIBLE
    parameters = {
        name: estimate.withdrawn(gone) if meaningless or name in doubted else estimate
        for name, estimate in fit.parameters.items()
    }
    fit = dataclasses.replace(fit, parameters=parameters, warnings=(*grave, *other, *fit.warnings))
    return _meaningless(fit) if meaningless else fit


def _meaningless(fit: Fit) -> Fit:
    """The fit of which nothing is determined, of no recording either."""

    def without_errors(nuisance: dict[str, Estimate]) -> dict[str, Estimate]:
        return {
            name: estimate.withdrawn(Determination.IMPLAUSIBLE)
            for name, estimate in nuisance.items()
        }

    return dataclasses.replace(
        fit,
        plausible=False,
        names=(),
        correlation=np.zeros((0, 0)),
        predictions=StoredPredictions(
            tuple(
                dataclasses.replace(one, nuisance=without_errors(one.nuisance))
                for one in fit.recordings
            ),
            tuple(
                dataclasses.replace(one, nuisance=without_errors(one.nuisance))
                for one in fit.series
            ),
            fit.residual_checks,
        ),
    )
