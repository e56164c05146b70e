"""What is implausible, in a sentence with the likely cause and the remedy."""

from collections.abc import Sequence
from typing import NamedTuple

from calibration.detection.bounces import DetectedBounces
from calibration.io.recording import Recording
from calibration.results.numbers import listed, plain

Reading = tuple[Recording, DetectedBounces]


class Finding(NamedTuple):
    """What is implausible.

    Attributes:
        sentence: what, the likely cause with its number, and the remedy.
        doubts: parameters of which nothing is to be said then.
        meaningless: whether nothing of the result is to be believed.
    """

    sentence: str
    doubts: tuple[str, ...] = ()
    meaningless: bool = False


def is_meaningless(findings: Sequence[Finding]) -> bool:
    """Whether one of them says that nothing is to be believed."""
    return any(finding.meaningless for finding in findings)


def where_of(places: Sequence[Reading], readings: Sequence[Reading]) -> str:
    """Which recordings are meant, as the end of a clause; nothing where there is only one."""
    if len(readings) == 1:
        return ""
    if len(places) == len(readings):
        return f" in all {len(readings)} recordings"
    names = listed([recording.name for recording, _ in places])
    return f" in {len(places)} of {len(readings)} recordings ({names})"


def two_digits(value: float) -> str:
    """A number as a sentence needs it."""
    return plain(float(f"{value:.2g}"))
