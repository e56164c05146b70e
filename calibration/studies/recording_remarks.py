"""What a recording shows at first sight: missing samples, dropped frames, columns without a use."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.dropped_frames import find_dropped_frames
from calibration.detection.frame_steps import FrameSteps, steps_of_recording
from calibration.detection.spin_change import flight_of
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.studies.spin.trials import acting_axes, errors_known

SUSPICIOUS = 2.0
"""Scatter about smooth flights over the noise of single samples, above which something is missing
from the picture.
"""

HIGHER = 1.1
"""So many times the height of the samples that are used, samples left out are no rest or release:
bounces were discarded.
"""

MOST_DROPPED = 4
"""Gaps that are listed."""


def recording_remarks(
    recording: Recording, detected: DetectedBounces, *, gravity: float
) -> tuple[str, ...]:
    """Plain sentences on a recording.

    Args:
        recording: positions against time.
        detected: its bounces.
        gravity: acceleration of free fall [m/s^2].
    """
    return (
        *recording.notes,
        *unused_columns(recording.ignored),
        *_measured_spin(recording, detected),
        *_missing_samples(recording),
        *odd_frames(recording, detected, gravity),
        *share_of_samples(recording, detected),
        *detected.remarks,
    )


def _measured_spin(recording: Recording, detected: DetectedBounces) -> Iterator[str]:
    """What spin was measured, in which flights, how large, and how well its errors are known."""
    spin = recording.spin
    if spin is None:
        return
    largest = float(np.nanmax(np.abs(spin.spin)))
    what = f"spin ({', '.join(spin.columns)}) up to {largest:.3g} rad/s"
    acting = acting_axes(recording)
    if not any(np.isfinite(spin.spin[:, "xyz".index(axis)]).any() for axis in acting):
        about = "the height alone" if not acting else "a motion in a plane, but the normal of it"
        yield f"{what} is not used: no spin acts on {about}"
        return
    if spin.once:
        yield f"{what}, one value for the whole recording: that of the first flight"
    else:
        flights = np.unique(flight_of(spin.time, detected.bounces)) + 1
        yield f"{what} in flight{'s' if flights.size > 1 else ''} {', '.join(map(str, flights))}"
    if not errors_known(spin, detected):
        yield (
            "nothing tells the errors of the spins: 2 % of the largest are taken; state them "
            "(a column wy_err, or --sigma spin=2)"
        )


def unused_columns(headers: Sequence[str]) -> Iterator[str]:
    """The columns of a file that have no use, where there are any."""
    if headers:
        yield f"not used: {', '.join(headers)}"


def sampling_interval(recording: Recording) -> float:
    """Typical time between two samples [s]."""
    return float(np.median(np.diff(recording.time)))


def _missing_samples(recording: Recording) -> Iterator[str]:
    """Where more than one interval passes without a height."""
    measured = recording.time[np.isfinite(recording.position[:, 2])]
    pauses = np.diff(measured)
    missing = np.rint(pauses / sampling_interval(recording)).astype(int) - 1
    if np.any(missing > 0):
        longest = int(np.argmax(missing))
        yield (
            f"{missing.clip(0).sum()} sample{'s' if missing.clip(0).sum() > 1 else ''} "
            f"missing, most in a row {missing[longest]}"
            f" (at {measured[longest]:.3g} s)"
        )


def odd_frames(recording: Recording, detected: DetectedBounces, gravity: float) -> Iterator[str]:
    """Frames that are missing, or copies of others, where the times do not say so, also where it is
    a single one.

    Args:
        recording: positions against time.
        detected: its bounces.
        gravity: acceleration of free fall [m/s^2].
    """
    steps = steps_of_recording(recording, fewest=1, share=0.0)
    yield from _dropped_frames(recording, detected, gravity, steps)
    yield from _copied_frames(detected, steps)


def _dropped_frames(
    recording: Recording, detected: DetectedBounces, gravity: float, steps: FrameSteps
) -> Iterator[str]:
    """Frames that the motion shows to be missing although the times are even; looked for where
    flights are fitted worse than noise, or a step is twice as long as those beside. One lost frame
    makes a flight of its own, which scatters no more than others.
    """
    scatters = np.any(detected.scatter > SUSPICIOUS * detected.noise)
    if not (scatters or steps.missing.size):
        return
    try:
        found = find_dropped_frames(recording, gravity=gravity)
    except InputError:  # real times tell by themselves
        return
    if found:
        places = ", ".join(
            f"{item.missing} after sample {item.after}" for item in found[:MOST_DROPPED]
        )
        more = f" and {len(found) - MOST_DROPPED} more" if len(found) > MOST_DROPPED else ""
        yield (
            f"frames seem to be missing where the times are even: {places}{more}; "
            "--missing-frames corrects the times (in Python: with_missing_frames)"
        )


def _copied_frames(detected: DetectedBounces, steps: FrameSteps) -> Iterator[str]:
    """Pictures in which a ball that is fast before and after does not move."""
    within = (steps.copies >= detected.release) & (steps.copies + 1 < detected.stop)
    copies = steps.copies[within]
    if copies.size:
        places = ", ".join(str(place + 1) for place in copies[:MOST_DROPPED])
        more = f" and {copies.size - MOST_DROPPED} more" if copies.size > MOST_DROPPED else ""
        yield (
            f"pictures seem to be copies of those before them, since a fast ball does not move: "
            f"samples {places}{more}; leave these rows out, and where the times were numbered, "
            "number the later ones anew"
        )


def share_of_samples(recording: Recording, detected: DetectedBounces) -> Iterator[str]:
    """A sentence on a recording of which higher bounces were left out than are used.

    Args:
        recording: positions against time.
        detected: its bounces.
    """
    height = recording.position[:, 2]
    seen, used = np.isfinite(height), np.zeros(height.size, dtype=bool)
    used[detected.release : detected.stop] = True
    left = seen & ~used
    used &= seen & ~detected.outliers
    if not np.any(left) or not np.any(used):
        return
    floor = float(np.min(height[seen]))
    within, outside = float(np.max(height[used])) - floor, float(np.max(height[left])) - floor
    if outside > HIGHER * within:
        count, total = np.count_nonzero(used), np.count_nonzero(seen)
        yield (
            f"only {count / total:.0%} of the samples were used ({count} of {total}), although the "
            f"ball was higher in others: up to {outside:.2g} m, where those that are used reach "
            f"{within:.2g} m; look why these could not be read"
        )
