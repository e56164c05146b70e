"""Whether single impacts deviate from a common restitution because their recordings do: two balls,
two surfaces.
"""

import numpy as np
from scipy import stats

from calibration.fitting.impacts.order import Deviations

APART = 0.01
"""Probability by chance below which recordings differ."""

ENOUGH = 4
"""Recordings from which on their scatter widens intervals by as much as it should."""


def lie_apart(deviations: Deviations) -> bool:
    """Whether deviations differ more from recording to recording than within them, by the F test of
    one-way analysis of variance.

    Args:
        deviations: of single impacts.
    """
    groups = [
        deviations.value[deviations.recording == one] for one in np.unique(deviations.recording)
    ]
    if len(groups) < 2 or deviations.value.size <= len(groups) or not np.ptp(deviations.value):
        return False
    return bool(stats.f_oneway(*groups).pvalue < APART)


def describe_apart(deviations: Deviations, names: list[str], restitution: float) -> str:
    """Which recordings differ, in a sentence.

    Args:
        deviations: of single impacts.
        names: of the recordings.
        restitution: from which impacts deviate.
    """
    middle = np.log(restitution / (1 - restitution))

    def mean(recording: int) -> float:
        own = deviations.value[deviations.recording == recording]
        return float(1 / (1 + np.exp(-middle - own.mean())))

    each = [f"{names[one]} {mean(one):.3f}" for one in np.unique(deviations.recording)]
    return (
        "The restitution differs from recording to recording by more than it scatters within one "
        f"({', '.join(each)}): are they of the same ball on the same surface? Fit them one by one."
    )
