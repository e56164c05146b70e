"""What is implausible of recordings, before anything is fitted."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.detection.flight_fit import UP
from calibration.detection.noise import local_residuals, robust_deviation
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.studies.plausibility.apparent_gravity import LEAST_SHARE, wrong_gravity
from calibration.studies.plausibility.finding import Finding, Reading, where_of
from calibration.studies.plausibility.frames import wrong_frames

UNSEEN = 6.0
"""Samples that are missing at an impact from which on it was not seen."""


def implausible_recordings(readings: Sequence[Reading], *, gravity: float) -> list[Finding]:
    """Findings on recordings before anything is fitted: of the first kind that there is, since
    those that follow would have the same cause.

    Args:
        readings: recordings and what was detected in them.
        gravity: stated acceleration of free fall [m/s^2].
    """
    if not gravity > 0:
        return []
    return (
        list(_of_some(readings, _takes_turns, _two_balls))
        or list(_of_some(readings, _repeats, _copies))
        or list(wrong_frames(readings))
        or list(wrong_gravity(readings, gravity))
        or list(_of_some(readings, _gains_speed, _backwards))
        or list(_few_samples(readings))
    )


def unseen_impacts(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Where the ball was out of the picture when it bounced.

    Args:
        readings: recordings and what was detected in them.
    """
    gaps = [_gaps_at_impacts(recording, detected) for recording, detected in readings]
    places = [reading for reading, unseen in zip(readings, gaps, strict=True) if unseen]
    if places:
        impacts = sum(len(detected.bounces) for _, detected in readings)
        longest = 1e3 * max(map(max, filter(None, gaps)))
        yield Finding(
            f"{sum(map(len, gaps))} of {impacts} impacts were not seen"
            f"{where_of(places, readings)}: the ball bounced outside of the picture or hidden, for "
            f"up to {longest:.0f} ms. When and where is extrapolated from the flights: film the "
            "surface, too."
        )


def _gaps_at_impacts(recording: Recording, detected: DetectedBounces) -> list[float]:
    """Times without a sample around impacts [s], where they are long."""
    time = recording.time[np.isfinite(recording.position[:, UP])]
    after = np.searchsorted(time, [bounce.time for bounce in detected.bounces])
    after = np.clip(after, 1, time.size - 1)
    gaps = time[after] - time[after - 1]
    return [float(gap) for gap in gaps if gap > UNSEEN * float(np.median(np.diff(time)))]


def refusal(recording: Recording, findings: Sequence[Finding]) -> InputError | None:
    """What to say of a recording of which nothing is to be believed; ``None`` for others.

    Args:
        recording: that was looked at.
        findings: on it.
    """
    grave = [finding.sentence for finding in findings if finding.meaningless]
    if not grave:
        return None
    return InputError(
        "nothing that this recording tells is to be believed",
        remedy=" ".join(grave),
        path=recording.path,
    )


def _of_some(
    readings: Sequence[Reading],
    is_one: Callable[[Reading], bool],
    finding: Callable[[str], Finding],
) -> Iterator[Finding]:
    """One finding for all recordings of which something holds."""
    places = [reading for reading in readings if is_one(reading)]
    if places:
        yield finding(where_of(places, readings))


def _takes_turns(reading: Reading) -> bool:
    """Whether every second sample is of a smooth motion, and all together are not."""
    recording, _ = reading
    seen = np.isfinite(recording.position[:, UP])
    time, height = recording.time[seen], recording.position[seen, UP]
    if time.size < 16:
        return False

    def roughness(part: slice) -> float:
        return robust_deviation(local_residuals(time[part], height[part], order=2))

    apart = max(roughness(slice(0, None, 2)), roughness(slice(1, None, 2)))
    return roughness(slice(None)) > 8 * apart + 0.02 * float(np.ptp(height))


def _two_balls(where: str) -> Finding:
    return Finding(
        f"Two motions take turns from sample to sample{where}: there are probably two balls in one "
        "file. Put each into a file of its own.",
        meaningless=True,
    )


def _repeats(reading: Reading) -> bool:
    """Whether pictures of a ball that moves fast are exact copies of those before them."""
    recording, _ = reading
    seen = np.isfinite(recording.position[:, UP])
    steps = np.abs(np.diff(recording.position[seen, UP]))
    if steps.size < 16:
        return False
    pairs = np.sort(np.stack([steps[:-1], steps[1:]]), axis=0)
    fast = pairs[1] > np.quantile(steps, 0.75)
    return bool(np.mean(pairs[0][fast] == 0) > 0.5)


def _copies(where: str) -> Finding:
    return Finding(
        f"Pictures are exact copies of those before them{where}: the film was exported at more "
        "pictures a second than it was taken. Leave the copies out, with the times of those that "
        "stay, or export it at its own rate.",
        meaningless=True,
    )


def _gains_speed(reading: Reading) -> bool:
    """Whether bounces give more speed than they take, or the film makes sense backwards only."""
    recording, detected = reading
    if detected.bounces and detected.restitution - 3 * max(detected.restitution_sd, 1e-3) > 1.0:
        return True
    share = _share_used(reading)
    if share > LEAST_SHARE or not detected.flights:
        return False
    sigma = recording.sigma
    back = dataclasses.replace(
        recording,
        time=(recording.time[-1] - recording.time)[::-1],
        position=recording.position[::-1],
        sigma=None if sigma is None else sigma[::-1],
    )
    again = read_bounces(
        back,
        radius=0.01 * float(np.nanmax(back.position[:, UP]) - np.nanmin(back.position[:, UP])),
        gravity=detected.gravity,
    )
    return bool(again.bounces) and _share_used((back, again)) > max(2 * share, 0.8)


def _backwards(where: str) -> Finding:
    return Finding(
        f"The ball leaves bounces faster than it came{where}: the rows are probably in reverse "
        "order, the surface moves, or the vertical points down (--vertical with a minus sign).",
        meaningless=True,
    )


def _few_samples(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Where most of what a moving ball did was left out."""
    shares = [_share_used(reading) for reading in readings]
    places = [
        reading for reading, share in zip(readings, shares, strict=True) if share < LEAST_SHARE
    ]
    if places:
        used = sum(int(detected.stop - detected.release) for _, detected in places)
        count = sum(recording.time.size for recording, _ in places)
        yield Finding(
            f"Only {used} of {count} samples were used{where_of(places, readings)}: the rest of "
            "the motion is no chain of free flights and bounces on one level surface. What was "
            "left out may contradict the result: look at fit.png, check the frame rate and "
            "--vertical, or cut the file."
        )


def _share_used(reading: Reading) -> float:
    """Share of the samples of a moving ball that were used; 1 where there are too few to say."""
    recording, detected = reading
    height = recording.position[:, UP]
    seen = np.flatnonzero(np.isfinite(height))
    if seen.size < 16:
        return 1.0
    apart = max(seen.size // 100, 2)
    moved = np.abs(height[seen[2 * apart :]] - height[seen[: -2 * apart]])
    moving = seen[apart:-apart][moved > 0.1 * np.quantile(moved, 0.9)]
    used = (moving >= detected.release) & (moving < detected.stop)
    return float(np.mean(used)) if moving.size >= 8 else 1.0
