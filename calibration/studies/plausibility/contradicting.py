"""What was let free or named, but cannot be told from something else."""

from collections.abc import Iterator

from calibration.results.modification import Decision
from calibration.results.numbers import listed
from calibration.results.result import Fit
from calibration.studies.doubts.modifications import DEPTH, SPEED
from calibration.studies.plausibility.finding import Finding

TOLD = ("contact.normal.restitution", "surface_tilt_x", "surface_tilt_y", "tilt_x", "tilt_y")
"""What stays known where a camera and the restitution stand for each other."""


def contradicting_modifications(fit: Fit) -> Iterator[Finding]:
    """Findings on what the data asked for.

    Motion in depth changes lengths along a recording, and with them all that was found. What a
    camera does and the form in which restitution falls with speed bend the same numbers: a fall
    that is no power of speed looks like a power and a rolling shutter.

    Args:
        fit: of trajectories.
    """
    adopted = [item.name for item in fit.modifications if item.decision is Decision.ADOPTED]
    named = [item for item in fit.modifications if item.decision is Decision.NAMED]
    for item in named:
        if item.name == DEPTH:
            yield Finding(
                f"The recordings show {item.name}, which this model lacks, so that lengths and all "
                f"that follows from them are off: {item.remedy}.",
                meaningless=True,
            )
    others = [name for name in adopted if name != SPEED]
    if SPEED in adopted and others:
        yield Finding(
            f"The data ask for {SPEED} and for {listed(others)}, which may be one thing: a "
            "restitution that falls in another way than a power of speed looks like both. Nothing "
            "but the restitution is told; name a law (--restitution-law), or take a camera that is "
            "known.",
            doubts=tuple(name for name in fit.parameters if name not in TOLD),
        )
