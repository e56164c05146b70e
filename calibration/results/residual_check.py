"""One check of the residuals of a fit, as statisticians know it."""

import dataclasses

FAMILY_LEVEL = 0.05
"""How often, at most, any check of a table fails although model and noise are right."""


@dataclasses.dataclass(frozen=True)
class ResidualCheck:
    """What a check of the residuals says.

    Attributes:
        name: of the check.
        statistic: its value; NaN where it does not apply.
        chance: probability of a statistic as far out where model and noise are right; NaN where the
            check does not apply, or decides otherwise.
        passed: whether it is passed; ``None`` where it does not apply.
        comment: what was found, in words.
        remedy: what to ask for where it fails, else empty.

    Example:
        >>> import calibration as cal
        >>> check = cal.results.ResidualCheck(
        ...     "runs", 41.0, 0.002, False, "41 runs, 60 are expected", "noise=Correlated()"
        ... )
        >>> check.verdict
        'FAILS'
    """

    name: str
    statistic: float
    chance: float
    passed: bool | None
    comment: str
    remedy: str = ""

    @property
    def verdict(self) -> str:
        """A word for a table."""
        if self.passed is None:
            return "-"
        return "passes" if self.passed else "FAILS"
