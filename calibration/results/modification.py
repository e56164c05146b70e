"""Something that a model may lack, and whether the data asked for it."""

import dataclasses
import enum


class Decision(enum.Enum):
    """What became of a modification of the model.

    Example:
        >>> import calibration as cal
        >>> cal.results.Decision.ADOPTED.value
        'adopted'
    """

    ADOPTED = "adopted"
    NAMED = "named"
    IMPLAUSIBLE = "implausible"
    NOT_NEEDED = "not needed"


@dataclasses.dataclass(frozen=True)
class TriedModification:
    """A modification of the model that was looked for.

    Attributes:
        name: what it is.
        decision: what became of it.
        drop: fall of chi-squared that it accounts for, to first order.
        unknowns: number of unknowns that it adds.
        says: its size and standard error in words, where it was free as found, else as promised.
        remedy: how to ask for it.

    Example:
        >>> import calibration as cal
        >>> tried = cal.results.TriedModification(
        ...     "rolling shutter", cal.results.Decision.NOT_NEEDED, 0.7, 1, "0.1 +- 0.3 ms/m", ""
        ... )
        >>> tried.decision.value
        'not needed'
    """

    name: str
    decision: Decision
    drop: float
    unknowns: int
    says: str
    remedy: str
