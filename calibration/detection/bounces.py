"""The automatic reading of a recording of a bouncing ball: release, flights, bounces, restitution,
drag, noise, tracking errors.

A free flight is much stiffer than the data: two numbers per axis, gravity and a little drag.
``calibration.detection.flight_search`` finds the flights, ``calibration.detection.flight_fit`` fits all of them
together; neighbouring flights are cut, which gives times, heights and velocities of the bounces
with the covariance of the joint fit.

The values are first guesses: good starting values and honest orders of magnitude for the
uncertainty, not the result of a study.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.detection.flight_fit import HEIGHT, MIN_SAMPLES, UP, Bounce, FlightFit
from calibration.detection.flight_search import fit_flights
from calibration.detection.noise import lag_one_correlation, rounding_step, white_noise
from calibration.errors import InputError
from calibration.io.recording import Recording

__all__ = ["Bounce", "DetectedBounces", "read_bounces"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DetectedBounces:
    """What a recording shows at first sight. Indices count the samples of the recording; lengths in
    m, times in s, sd: standard deviation.

    Attributes:
        release, stop: first sample of free flight, and the one after the last usable sample.
        flights: (start, stop) of each flight; samples between two flights were measured during
            contact or are tracking errors.
        bounces: one between each two neighbouring flights; empty when there is none.
        height, height_sd: height of the centre of the ball when it touches the plane; NaN without a
            bounce.
        restitution, restitution_sd: pooled over the bounces; NaN without a bounce.
        gravity, gravity_sd: apparent gravity [m/s^2], NaN without a flight.
        drag, drag_sd: k = deceleration / speed^2 [1/m]; 0 when it cannot be determined.
        noise: (3,) white noise of one sample, from differences of neighbouring samples, NaN where
            not measured.
        scatter: (3,) standard deviation from the fitted flights; more than the noise where lenses
            distort or forces are not modelled.
        correlation: (3,) lag-1 correlation of the deviations from the flights, 0 for white noise.
        outliers: (n,) True where the tracking jumped, from release to stop.
        position, velocity: (3,) at the time of sample ``release``, NaN where not measured.
        remarks: plain sentences for the user.
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
    noise: np.ndarray
    scatter: np.ndarray
    correlation: np.ndarray
    outliers: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    remarks: tuple[str, ...]


def read_bounces(recording: Recording, *, radius: float, gravity: float = 9.81) -> DetectedBounces:
    """Find release, flights and bounces of a recording of the centre of a ball above a horizontal
    plane of unknown height.

    Args:
        recording: with the vertical axis measured.
        radius: of the ball [m]; heights of bounces on one plane may differ by half of it.
        gravity: expected [m/s^2]; right within about 30 % in the units of the recording.

    Returns:
        The reading. A recording without a bounce is no error here: ``DetectedBounces.bounces`` is empty.

    Raises:
        InputError: fewer than four heights, or ``radius`` or ``gravity`` not positive.
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
    fit = fit_flights(time, position, radius=radius, gravity=gravity)
    if fit is None:
        return _nothing_read(recording)
    return _reading(recording, measured, fit, expected_gravity=gravity)


def _nothing_read(recording: Recording) -> DetectedBounces:
    parameter = np.full(3, np.nan)
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
        noise=parameter,
        scatter=parameter,
        correlation=parameter,
        outliers=np.zeros(len(recording.time), bool),
        position=parameter,
        velocity=parameter,
        remarks=(remark,),
    )


def _reading(
    recording: Recording, measured: np.ndarray, fit: FlightFit, *, expected_gravity: float
) -> DetectedBounces:
    noise, scatter, correlation, position, velocity = np.full((5, 3), np.nan)
    coarsest = max(rounding_step(each[np.isfinite(each)]) for each in fit.position)
    runs = [fit.runs(axis) for axis in range(len(fit.axes))]
    noise[fit.axes], correlation[fit.axes] = (
        [white_noise(each) for each in runs],
        [lag_one_correlation(each) for each in runs],
    )
    scatter[fit.axes] = fit.sigma
    position[fit.axes], velocity[fit.axes] = fit.predict(0, fit.time[fit.spans[0][0]])
    fit.allow_for_correlation()
    bounces = tuple(fit.bounces())
    restitution, restitution_sd = pool_values(
        [b.restitution for b in bounces], [b.restitution_sd for b in bounces]
    )
    contacts = fit.contacts()
    height, height_sd = touch_height(fit, bounces, contacts)
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
        noise=np.maximum(
            noise, coarsest / np.sqrt(12)
        ),  # an axis without motion hides its rounding
        scatter=np.maximum(scatter, coarsest / np.sqrt(12)),
        correlation=correlation,
        outliers=outliers,
        position=position,
        velocity=velocity,
        remarks=(),
    )
    return replace(
        detected,
        remarks=tuple(
            remarks(recording, detected, fit, contacts, expected_gravity=expected_gravity)
        ),
    )


def pool_values(values: Sequence[float], deviations: Sequence[float]) -> tuple[float, float]:
    """Mean with weights 1/sd^2, and its standard deviation, enlarged when the values scatter more
    than their own (Birge ratio).
    """
    if not values:
        return np.nan, np.nan
    each, weights = np.asarray(values), 1 / np.square(deviations)
    mean = np.sum(weights * each) / np.sum(weights)
    excess = np.sum(weights * (each - mean) ** 2) / max(len(weights) - 1, 1)
    return float(mean), float(np.sqrt(max(excess, 1.0) / np.sum(weights)))


def touch_height(
    fit: FlightFit, bounces: Sequence[Bounce], contacts: Sequence[np.ndarray]
) -> tuple[float, float]:
    """Height of the centre at touch-down.

    Extended flights meet below it when contact lasts: in a Hertz contact by 0.50 of speed times
    duration, and the deepest point is at 0.34. Where samples show the deepest point, this gives the
    height.
    """
    heights, deviations = [], []
    for bounce, touching in zip(bounces, contacts, strict=True):
        correction = (
            3 * (np.min(fit.position[HEIGHT, touching]) - bounce.height)
            if len(touching) >= 3
            else 0.0
        )
        heights.append(bounce.height + correction)
        deviations.append(float(np.hypot(bounce.height_sd, 0.3 * correction)))
    return pool_values(heights, deviations)


def remarks(
    recording: Recording,
    detected: DetectedBounces,
    fit: FlightFit,
    contacts: Sequence[np.ndarray],
    *,
    expected_gravity: float,
) -> Iterator[str]:
    """What a person should know before believing the reading."""
    tolerance = 5 * fit.sigma[HEIGHT] + 2e-3
    if not detected.bounces:
        yield "no bounce in this recording"
    yield from _before_release(recording.position[: detected.release, UP], tolerance)
    yield from _after_stop(recording.position[detected.stop :, UP], detected, tolerance)
    errors = np.flatnonzero(detected.outliers)
    if len(errors):
        shown = ", ".join(str(error) for error in errors[:8]) + (" ..." if len(errors) > 8 else "")
        yield f"{len(errors)} tracking error{'s' if len(errors) > 1 else ''}: sample{'s' if len(errors) > 1 else ''} {shown}"
    touching = max(map(len, contacts), default=0)
    if touching >= 3:
        yield f"up to {touching} samples show the ball during one contact: this recording can tell the stiffness"
    heights = [bounce.height for bounce in detected.bounces]
    if len(heights) > 1 and np.ptp(heights) > max(
        2e-3, 4 * max(bounce.height_sd for bounce in detected.bounces)
    ):
        yield f"the heights of the bounces differ by {1e3 * np.ptp(heights):.1f} mm: the plane is tilted, or the lens distorts"
    if not fit.drag_determined:
        yield "this recording does not tell the air drag"
    short = 1 - detected.gravity / expected_gravity
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


def _before_release(heights: np.ndarray, tolerance: float) -> Iterator[str]:
    seen = heights[np.isfinite(heights)]
    still = len(seen) >= MIN_SAMPLES and np.ptp(seen) < tolerance
    if len(heights) == 1:
        yield "the first sample is not in the free flight that was used"
    elif len(heights) > 1:
        state = (
            "before the release: the ball is held or at rest"
            if still
            else "not in the free flight that was used"
        )
        yield f"the first {len(heights)} samples are {state}"


def _after_stop(heights: np.ndarray, detected: DetectedBounces, tolerance: float) -> Iterator[str]:
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
            "or too few "
            "after a bounce)"
        )
    end = detected.stop + len(heights) - 1
    yield f"sample{f's {detected.stop} to' if end > detected.stop else ''} {end}: {state}"
