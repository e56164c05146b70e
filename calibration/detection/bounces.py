"""Detection of what a recording of a bouncing ball shows: release, flights, bounces, restitution,
drag, noise, tracking errors.

A free flight is much stiffer than the data: two numbers per axis, gravity and a little drag.
``flight_search`` finds the flights, ``flight_fit`` fits all of them together; neighbouring flights
are intersected, which gives times, heights and velocities of the bounces with the covariance of the
joint fit.

The values are first guesses: good starting values and honest orders of magnitude for the
uncertainty, not the result of a study.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from calibration.detection.flight_fit import HEIGHT, MIN_SAMPLES, UP, Bounce, FlightFit
from calibration.detection.flight_search import fit_flights
from calibration.detection.noise import (
    estimate_white_noise,
    lag_one_correlation,
    rounding_step,
    tail_evidence,
)
from calibration.errors import InputError
from calibration.io.recording import Recording

__all__ = ["Bounce", "DetectedBounces", "read_bounces"]


LONGEST_CONTACT = 0.03
"""Longer than the contact of any ball, of a soft one with little air, say [s]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectedBounces:
    """What a recording shows before anything is fitted. Indices count the samples of the recording;
    ``sd`` is a standard deviation.

    Attributes:
        release: first sample of free flight.
        stop: the sample after the last usable one.
        flights: (start, stop) of each flight; samples between two flights were measured during
            contact or are tracking errors.
        bounces: one between each two neighbouring flights; empty when there is none.
        height: height of the centre of the ball when it touches the plane [m]; NaN without a
            bounce.
        height_sd: its standard deviation [m].
        restitution: ratio of the vertical speeds after and before [-], pooled over the bounces; NaN
            without a bounce.
        restitution_sd: its standard deviation [-].
        gravity: apparent gravity [m/s^2], NaN without a flight.
        gravity_sd: its standard deviation [m/s^2].
        drag: k = deceleration / speed^2 [1/m]; 0 when it cannot be determined.
        drag_sd: its standard deviation [1/m].
        noise: (3,) white noise of one sample [m], from differences of neighbouring samples, NaN
            where not measured.
        scatter: (3,) standard deviation from the fitted flights [m]; more than the noise where
            lenses distort or forces are not modelled.
        correlation: (3,) lag-1 correlation of the deviations from the flights, 0 for white noise.
        tails: (3,) evidence for heavy tails of these deviations (``tail_evidence``), NaN where not
            measured.
        outliers: (n,) True where the tracking jumped, from release to stop.
        position: (3,) at the time of sample ``release`` [m], NaN where not measured.
        velocity: (3,) at the time of sample ``release`` [m/s], NaN where not measured.
        remarks: plain sentences for the user.
        first_impact, speed, since_release: of ``DetectedImpacts`` only; positions give the state of
            the body instead.

    Example:
        A ball that bounces for ever:

        >>> time = np.arange(300) / 240
        >>> position = np.full((300, 3), np.nan)
        >>> position[:, 2] = 0.02 + 9.81 / 2 * (0.3**2 - (time % 0.6 - 0.3) ** 2)
        >>> film = cal.Recording(name="film", time=time, position=position)
        >>> detected = cal.detection.read_bounces(film, radius=0.02)
        >>> [round(bounce.time, 3) for bounce in detected.bounces]
        [0.6, 1.2]
    """

    release: int
    stop: int
    flights: tuple[tuple[int, int], ...]
    bounces: tuple[Bounce, ...]
    height: float
    height_sd: float
    restitution: float
    restitution_sd: float
    gravity: float
    gravity_sd: float
    drag: float
    drag_sd: float
    noise: Annotated[np.ndarray, "3"]
    scatter: Annotated[np.ndarray, "3"]
    correlation: Annotated[np.ndarray, "3"]
    tails: Annotated[np.ndarray, "3"]
    outliers: Annotated[np.ndarray, "samples"]
    position: Annotated[np.ndarray, "3"]
    velocity: Annotated[np.ndarray, "3"]
    remarks: tuple[str, ...]

    first_impact = None
    speed = np.nan
    since_release = 0.0

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of each bounce, counted from 0."""
        return tuple(range(len(self.bounces)))


def read_bounces(recording: Recording, *, radius: float, gravity: float = 9.81) -> DetectedBounces:
    """Detect release, flights and bounces in a recording of the centre of a ball above a horizontal
    plane of unknown height.

    The values are first guesses: good starting values and honest orders of magnitude for the
    uncertainty, not the result of a study.

    Args:
        recording: with the vertical axis measured.
        radius: of the ball [m]; heights of bounces on one plane may differ by half of it.
        gravity: expected [m/s^2]; right within about 30 % in the units of the recording.

    Returns:
        What the recording shows. One without a bounce is no error: ``bounces`` is empty.

    Raises:
        InputError: fewer than four heights, ``radius`` or ``gravity`` not positive, or heights
            that differ by so much that rounding is all that is left.

    Example:
        A ball that bounces for ever:

        >>> time = np.arange(300) / 240
        >>> position = np.full((300, 3), np.nan)
        >>> position[:, 2] = 0.02 + 9.81 / 2 * (0.3**2 - (time % 0.6 - 0.3) ** 2)
        >>> film = cal.Recording(name="film", time=time, position=position)
        >>> detected = cal.detection.read_bounces(film, radius=0.02)
        >>> len(detected.bounces), round(detected.restitution, 3), round(detected.height, 4)
        (2, 1.0, 0.02)
    """
    for name, value in (("radius", radius), ("gravity", gravity)):
        if not 0 < value < np.inf:
            raise InputError(
                f"{name} = {value!r} is outside (0, inf)",
                remedy="Give it in SI units.",
                path=recording.path,
            )
    measured = np.flatnonzero(np.isfinite(recording.position[:, UP]))
    if len(measured) < MIN_SAMPLES:
        raise InputError(
            f"{len(measured)} heights in recording {recording.name!r}, at least "
            f"{MIN_SAMPLES} are needed",
            remedy="Check which column is the vertical.",
            path=recording.path,
        )
    time, position = recording.time[measured], recording.position[measured]
    try:
        with np.errstate(over="raise", invalid="raise"):
            fit = fit_flights(time, position, radius=radius, gravity=gravity)
            if fit is None:
                return _no_flight(recording)
            return _collect(recording, measured, fit, expected_gravity=gravity)
    except (FloatingPointError, np.linalg.LinAlgError) as error:
        heights = position[:, UP]
        raise InputError(
            f"recording {recording.name!r} cannot be read in double precision: its heights go from "
            f"{heights.min():.3g} to {heights.max():.3g} m",
            remedy="Check the unit of the positions, and leave out samples that are none.",
            path=recording.path,
        ) from error


def _no_flight(recording: Recording) -> DetectedBounces:
    """What a recording without a flight shows."""
    unknown = np.full(3, np.nan)
    remark = (
        "no free flight in this recording: check which axis is the vertical, and the units of "
        "lengths and times"
    )
    return DetectedBounces(
        release=0,
        stop=0,
        flights=(),
        bounces=(),
        height=np.nan,
        height_sd=np.nan,
        restitution=np.nan,
        restitution_sd=np.nan,
        gravity=np.nan,
        gravity_sd=np.nan,
        drag=0.0,
        drag_sd=np.nan,
        noise=unknown,
        scatter=unknown,
        correlation=unknown,
        tails=unknown,
        outliers=np.zeros(len(recording.time), bool),
        position=unknown,
        velocity=unknown,
        remarks=(remark,),
    )


def _collect(
    recording: Recording, measured: np.ndarray, fit: FlightFit, *, expected_gravity: float
) -> DetectedBounces:
    """What a recording shows, from the fit of its flights to the samples ``measured``."""
    noise, scatter, correlation, tails, position, velocity = np.full((6, 3), np.nan)
    # An axis without motion hides its rounding, so that of the coarsest axis holds for all.
    rounding = max(rounding_step(values[np.isfinite(values)]) for values in fit.position)
    smallest = rounding / np.sqrt(12)
    runs = [fit.runs(axis) for axis in range(len(fit.axes))]
    noise[fit.axes] = [estimate_white_noise(run) for run in runs]
    correlation[fit.axes] = [lag_one_correlation(run) for run in runs]
    tails[fit.axes] = [tail_evidence(np.concatenate([away for _, away in run])) for run in runs]
    scatter[fit.axes] = fit.sigma
    position[fit.axes], velocity[fit.axes] = fit.predict(0, fit.time[fit.spans[0][0]])
    fit.allow_for_correlation()
    bounces = tuple(fit.bounces())
    restitution, restitution_sd = pool_values(
        [b.restitution for b in bounces], [b.restitution_sd for b in bounces]
    )
    contacts = fit.contacts()
    height, height_sd = estimate_touch_height(fit, bounces, contacts)
    (apparent, apparent_sd), (drag, drag_sd) = fit.parameter(0), fit.parameter(1)
    outliers = np.zeros(len(recording.time), bool)
    outliers[measured] = fit.tracking_errors()
    flights = tuple(
        (int(measured[first]), int(measured[stop - 1]) + 1) for first, stop in fit.spans
    )
    detected = DetectedBounces(
        release=flights[0][0],
        stop=flights[-1][1],
        flights=flights,
        bounces=bounces,
        height=height,
        height_sd=height_sd,
        restitution=restitution,
        restitution_sd=restitution_sd,
        gravity=apparent,
        gravity_sd=apparent_sd,
        drag=drag if fit.drag_determined else 0.0,
        drag_sd=drag_sd,
        noise=np.maximum(noise, smallest),
        scatter=np.maximum(scatter, smallest),
        correlation=correlation,
        tails=tails,
        outliers=outliers,
        position=position,
        velocity=velocity,
        remarks=(),
    )
    remarks = make_remarks(recording, detected, fit, contacts, expected_gravity=expected_gravity)
    return replace(detected, remarks=tuple(remarks))


def pool_values(values: Sequence[float], deviations: Sequence[float]) -> tuple[float, float]:
    """Mean with weights 1/sd^2, and its standard deviation, enlarged where the values scatter more
    than their own (Birge ratio); NaN for no values.

    Args:
        values: to be pooled.
        deviations: their standard deviations.

    Source:
        Birge (1932), The calculation of errors by the method of least squares. Physical Review 40,
        207-227.
    """
    if not values:
        return np.nan, np.nan
    weights = 1 / np.square(deviations)
    mean = np.sum(weights * np.asarray(values)) / np.sum(weights)
    excess = np.sum(weights * (np.asarray(values) - mean) ** 2) / max(len(weights) - 1, 1)
    return float(mean), float(np.sqrt(max(excess, 1.0) / np.sum(weights)))


def estimate_touch_height(
    fit: FlightFit, bounces: Sequence[Bounce], contacts: Sequence[np.ndarray]
) -> tuple[float, float]:
    """Height of the centre at touch-down and its standard deviation [m].

    Extended flights meet below it when contact lasts: in a Hertz contact by 0.50 of speed times
    duration, and the deepest point is at 0.34. Where samples show the deepest point, this gives the
    height.
    """
    heights, deviations = [], []
    for bounce, touching in zip(bounces, contacts, strict=True):
        correction = 0.0
        if len(touching) >= 3:
            # From the meeting point (0.50) to the deepest one (0.34) is a third of the way up.
            correction = 3 * (np.min(fit.position[HEIGHT, touching]) - bounce.height)
        heights.append(bounce.height + correction)
        deviations.append(float(np.hypot(bounce.height_sd, 0.3 * correction)))
    return pool_values(heights, deviations)


def make_remarks(
    recording: Recording,
    detected: DetectedBounces,
    fit: FlightFit,
    contacts: Sequence[np.ndarray],
    *,
    expected_gravity: float,
) -> Iterator[str]:
    """Say what a person should know before believing what was detected."""
    tolerance = 5 * fit.sigma[HEIGHT] + 2e-3
    if not detected.bounces:
        yield "no bounce in this recording"
    if recording.unit == "px" and recording.vertical.startswith("-"):
        yield (
            f"rows of images count downwards, so {recording.vertical[1:]} was turned round "
            f"(--vertical {recording.vertical[1:]} leaves it)"
        )
    yield from _before_release(recording.position[: detected.release, UP], tolerance)
    yield from _after_stop(recording.position[detected.stop :, UP], detected, tolerance)
    errors = np.flatnonzero(detected.outliers)
    if len(errors):
        shown = ", ".join(str(error) for error in errors[:8]) + (" ..." if len(errors) > 8 else "")
        plural = "s" if len(errors) > 1 else ""
        yield f"{len(errors)} tracking error{plural}: sample{plural} {shown}"
    touching = max(map(len, contacts), default=0)
    if touching >= 3:
        lasts = touching * float(np.median(np.diff(recording.time)))
        yield f"up to {touching} samples show the ball during one contact: " + (
            "where it is that soft, this recording can tell the stiffness"
            if lasts < LONGEST_CONTACT
            else f"no ball is in contact for {1e3 * lasts:.2g} ms, so look for frames that are "
            "missing or copied, and for a ball that was held"
        )
    yield from _heights_apart(detected.bounces)
    if not fit.drag_determined:
        yield "this recording does not tell the air drag"
    # Of what was recorded, as a length scale is.
    short = expected_gravity / detected.gravity - 1 if detected.gravity > 0 else 0.0
    if abs(short) > max(0.02, 2 * detected.gravity_sd / expected_gravity):
        yield (
            f"apparent gravity is {detected.gravity:.2f} +- {detected.gravity_sd:.2f} m/s^2: "
            f"lengths are {100 * abs(short):.0f} % too"
            f" {'short' if short > 0 else 'long'}, the frame rate is off, or the ball spins "
            "and has lift"
        )
    if fit.sigma[HEIGHT] > max(2 * detected.noise[UP], 1e-4) and detected.correlation[UP] > 0.3:
        yield (
            f"deviations from free flight ({1e3 * fit.sigma[HEIGHT]:.2g} mm) exceed the "
            "noise of single samples"
            f" ({1e3 * detected.noise[UP]:.2g} mm) and last for several samples: distortion "
            "of the lens, motion blur, or forces not modelled"
        )


def _sinking(bounces: Sequence[Bounce]) -> tuple[float, float, float]:
    """How far apart the heights are where flights meet, how much of it no duration of the contacts
    explains, and the duration that explains the rest.

    Flights before and after a contact that lasts meet below the surface, by its duration times
    ``v v' / (v + v')`` of the speeds before and after. A surface that slopes along the path shows
    the same.

    Args:
        bounces: of one recording, two at least.

    Returns:
        range of the heights [m], range of what remains [m], and duration [s].
    """
    heights = np.array([bounce.height for bounce in bounces])
    before = np.array([-bounce.velocity_before[UP] for bounce in bounces])
    after = np.array([bounce.velocity_after[UP] for bounce in bounces])
    sinks = before * after / (before + after)
    away = sinks - np.mean(sinks)
    duration = float(-np.sum(away * heights) / np.sum(away**2))
    return float(np.ptp(heights)), float(np.ptp(heights + duration * sinks)), duration


def duration_from_heights(bounces: Sequence[Bounce]) -> float:
    """Duration of the contacts [s] that the heights of three or more bounces show, where nothing
    else is needed to explain them; else 0.

    Args:
        bounces: of one recording.
    """
    if len(bounces) < 3:
        return 0.0
    apart, rest, duration = _sinking(bounces)
    tolerance = _tolerance_of_heights(bounces)
    return max(duration, 0.0) if apart > tolerance >= rest else 0.0


def _tolerance_of_heights(bounces: Sequence[Bounce]) -> float:
    return max(2e-3, 4 * max(bounce.height_sd for bounce in bounces))


def _heights_apart(bounces: Sequence[Bounce]) -> Iterator[str]:
    """Say why flights meet at different heights."""
    if len(bounces) < 2:
        return
    apart, rest, duration = _sinking(bounces)
    tolerance = _tolerance_of_heights(bounces)
    if apart <= tolerance:
        return
    says = f"the heights of the bounces differ by {1e3 * apart:.1f} mm: "
    if duration <= 0 or rest > tolerance:
        yield f"{says}the plane is tilted, or the lens distorts"
    elif len(bounces) > 2:
        yield f"{says}as where the ball is soft and contacts last about {1e3 * duration:.2g} ms"
    else:
        yield f"{says}the plane is tilted, the lens distorts, or the ball is soft"


def _before_release(heights: np.ndarray, tolerance: float) -> Iterator[str]:
    """Say what the samples before the release are."""
    seen = heights[np.isfinite(heights)]
    still = len(seen) >= MIN_SAMPLES and np.ptp(seen) < tolerance
    if len(heights) == 1:
        yield "the first sample is not in the free flight that was used"
    elif len(heights) > 1:
        state = "not in the free flight that was used"
        if still:
            state = "before the release: the ball is held or at rest"
        yield f"the first {len(heights)} samples are {state}"


def _after_stop(heights: np.ndarray, detected: DetectedBounces, tolerance: float) -> Iterator[str]:
    """Say what the samples after the last usable one are."""
    seen = heights[np.isfinite(heights)]
    if len(seen) == 0:
        return
    above = seen - detected.height  # NaN without a bounce
    if np.abs(above).max() < tolerance:
        state = "the ball is at rest, rolls, or hops too low to be told from that"
    elif np.abs(above).min() < tolerance:
        state = "the ball hops too low or too briefly to be read, or comes to rest"
    else:
        state = (
            "not a continuation of the flight (ball caught, hidden or lost by the tracking, "
            "or too few after a bounce)"
        )
    end = detected.stop + len(heights) - 1
    samples = f"samples {detected.stop} to {end}" if end > detected.stop else f"sample {end}"
    yield f"{samples}: {state}"
