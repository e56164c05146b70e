"""The exit status of a fit: a script need not read what a person reads."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibration.results.summary import FitSummary

NOT_SIMULATED, NOT_CONVERGED, NOT_EXPLAINED, IMPLAUSIBLE = 1, 3, 4, 5
"""Exit statuses where nothing in a fit is determined; 0 where it is good."""

NOT_DETERMINED = 6
"""Exit status where the data do not determine what is asked of a good fit."""


def status_of(fit: "FitSummary") -> int:
    """The exit status of a fit."""
    from calibration.results.estimate import Determination

    if fit.doubt is None:
        return 0
    return {
        Determination.NOT_SIMULATED: NOT_SIMULATED,
        Determination.NOT_CONVERGED: NOT_CONVERGED,
        Determination.NOT_EXPLAINED: NOT_EXPLAINED,
        Determination.IMPLAUSIBLE: IMPLAUSIBLE,
    }[fit.doubt]
