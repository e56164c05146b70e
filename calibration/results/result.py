"""The result of a fit: what it tells, and what profiles, samplers and designs go on from."""

import dataclasses
from typing import Any

from calibration.results import sentences
from calibration.results.answer import answer
from calibration.results.notebook import fit_html
from calibration.results.summary import FitSummary
from calibration.results.table import fit_text


@dataclasses.dataclass(frozen=True)
class Fit(FitSummary):
    """Result of a fit: the attributes of ``FitSummary``, and what other steps go on from.

    ``print(fit)`` shows it as a table, as does a notebook. A fit can be pickled.

    Attributes:
        problem: what was fitted, with the weights that were used in the end; what profiles,
            samplers and designs go on from.
        assessment: the minimum with its residuals, Jacobian and covariance.

    Example:
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> repr(fit).partition(";")[0]
        '<Fit: restitution (e): 0.9050 ± 0.0060, 95 %: 0.8932 to 0.9168'
        >>> fit.explained
        True
        >>> fit.chi2_per_dof
        0.5
    """

    problem: Any = dataclasses.field(default=None, repr=False, compare=False)
    assessment: Any = dataclasses.field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The table a person reads."""
        return fit_text(self)

    def __repr__(self) -> str:
        """The answer and the misfit in one line."""
        return f"<Fit: {answer(self)}; {sentences.misfit(self)}>"

    def _repr_html_(self) -> str:
        return fit_html(self)
