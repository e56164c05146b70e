"""Frames that are missing, or copies of others, although the times are even."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibration.detection.frame_steps import regular_places, steps_of_recording
from calibration.results.numbers import listed
from calibration.studies.plausibility.finding import Finding, Reading, where_of


def wrong_frames(readings: Sequence[Reading]) -> Iterator[Finding]:
    """A finding where steps from frame to frame are twice as long as their neighbours, and one
    where they are none.
    """
    steps = [steps_of_recording(recording) for recording, _ in readings]
    pairs = list(zip(readings, steps, strict=True))
    patterns = [
        regular_places(one, reading[0].time.size) for reading, one in pairs if one.missing.size
    ]
    missing = [(reading, one.missing) for reading, one in pairs if one.missing.size]
    copies = [(reading, one.copies) for reading, one in pairs if one.copies.size]
    if missing:
        yield Finding(
            f"Frames are missing although the times are even{_where(missing, readings)}: "
            f"{_places(missing)} the ball moves at least twice as far as in the steps beside. "
            "The frames were probably lost when the film was taken or exported, and the others "
            f"numbered anew: take the time of each picture from the film{_remedy(patterns)}.",
            meaningless=True,
        )
    if copies:
        yield Finding(
            f"Pictures are copies of those before them{_where(copies, readings)}: "
            f"{_places(copies)} a fast ball does not move. The film was probably exported at more "
            "pictures a second than it was taken: leave the copies out, with the times of those "
            "that stay, or export it at its own rate.",
            meaningless=True,
        )


Odd = Sequence[tuple[Reading, np.ndarray]]
"""Recordings with the places of what is wrong in them."""


def _where(odd: Odd, readings: Sequence[Reading]) -> str:
    return where_of([reading for reading, _ in odd], readings)


def _places(odd: Odd) -> str:
    """``at 12 places (after samples 17, 34, 51 ... of drop_1)``."""
    reading, places = odd[0]
    count, first = sum(found.size for _, found in odd), ", ".join(map(str, places[:3]))
    return f"at {count} places (after samples {first} ... of {reading[0].name})"


def _remedy(patterns: Sequence[np.ndarray | None]) -> str:
    """That times can be corrected: where frames are lost regularly, all are known."""
    regular = [pattern for pattern in patterns if pattern is not None]
    if len(regular) < len(patterns):
        return ""
    every = listed(sorted({str(pattern[1] - pattern[0]) for pattern in regular}))
    return f". One is missing after every {every} samples: --missing-frames corrects that"
