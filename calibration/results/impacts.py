"""Restitution of single impacts as the data show it, beside the law that was fitted."""

import dataclasses
from typing import Annotated

import numpy as np


@dataclasses.dataclass(frozen=True)
class MeasuredImpact:
    """Restitution of one impact, from what was measured beside it.

    Attributes:
        trial: name of the recording, or other trial.
        number: of the impact in it, from 1.
        speed: normal speed before [m/s].
        restitution: normal speed after over that before [-].
        sd: its standard deviation [-]; NaN where it is not known.

    Example:
        >>> import calibration as cal
        >>> impact = cal.results.MeasuredImpact("drop", 1, speed=2.4, restitution=0.9, sd=0.003)
        >>> impact.restitution
        0.9
    """

    trial: str
    number: int
    speed: float
    restitution: float
    sd: float


@dataclasses.dataclass(frozen=True)
class ImpactRestitutions:
    """Restitution against impact speed: single impacts, and the fitted law.

    Attributes:
        impacts: in the order of the trials.
        trials: the impacts of each trial pooled, ``number`` of them each.
        law_speed: speeds [m/s] over the range of the impacts, and ``law`` the fitted restitution
            there [-].
        origin: how the values of the impacts were found, one sentence.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> found = cal.results.ImpactRestitutions(
        ...     impacts=(cal.results.MeasuredImpact("drop", 1, 2.4, 0.9, 0.003),),
        ...     trials=(),
        ...     law_speed=np.array([2.0, 3.0]),
        ...     law=np.array([0.9, 0.9]),
        ...     origin="from the flights before and after each impact",
        ... )
        >>> [impact.trial for impact in found.impacts]
        ['drop']
    """

    impacts: tuple[MeasuredImpact, ...]
    trials: tuple[MeasuredImpact, ...]
    law_speed: Annotated[np.ndarray, "speeds"]
    law: Annotated[np.ndarray, "speeds"]
    origin: str
