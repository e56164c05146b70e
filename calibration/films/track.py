"""From a film to a recording: the steps."""

import os

import numpy as np

from calibration.errors import InputError
from calibration.films.arcs import find_arcs
from calibration.films.background import find_background
from calibration.films.candidates import find_candidates
from calibration.films.film import Film, Region, open_film
from calibration.films.measure import Measured, measure
from calibration.films.paths import choose_path
from calibration.films.samples import Samples, select_samples
from calibration.films.tracked import TrackedBall
from calibration.io.names import stem_of
from calibration.io.recording import Recording
from calibration.runtime.progress import Progress

EDGE = 0.2
"""Pixels by which the edge of a ball may be elsewhere than where its brightness is half: its
shading, the tone curve of the film.
"""

FEWEST = 8
"""Pictures with the ball."""


def track(
    path: str | os.PathLike[str],
    *,
    radius: float,
    start: tuple[float, float] | None = None,
    ball: tuple[float, float, float] | None = None,
    region: Region | None = None,
    interval: tuple[float | None, float | None] = (None, None),
    frame_rate: float | None = None,
    progress: Progress | None = None,
) -> TrackedBall:
    """Find a ball in a film and follow it to a fraction of a pixel.

    What moves is found against the median of the pictures over time. Of all smooth paths of things
    that keep their size, the roundest is the ball; bounces and moments in which it is hidden join
    paths. How it looks (radius, blur, light, exposure) is learnt from the film, and its centre in
    each picture is the least-squares fit of its picture in front of the background, in linear
    light, smeared along its velocity, robust against shadows and whatever hides a part of it. Where
    it is not seen well there is no sample: nothing is interpolated.

    Args:
        path: the film, in any format that FFmpeg decodes.
        radius: of the ball [m], for the scale.
        start: column and row [pixels] where it begins to move.
        ball: column, row [pixels] and time [s] of a place where it is.
        region: the part of the picture in which to look.
        interval: first and last time of the film [s] that count.
        frame_rate: pictures taken in a second, of a film that plays slower than it was taken; by
            default the times of the container are used, whatever the intervals are.
        progress: told of each stage.

    Raises:
        InputError: the extra ``video`` is missing, the file is no film, the camera moves, nothing
            or several things move like a ball, or too little of it is seen; each with what to do.

    Example:
        A disc that falls along a parabola, drawn and filmed:

        >>> import av, tempfile
        >>> rows, columns = np.mgrid[:120, :160]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/drop.mp4"
        ...     with av.open(path, "w") as film:
        ...         stream = film.add_stream("libx264", rate=60)
        ...         stream.width, stream.height = 160, 120
        ...         for frame in range(30):
        ...             away = np.hypot(columns - 40 - 2 * frame, rows - 20 - 0.08 * frame**2)
        ...             picture = (60 + 160 * np.clip(10.5 - away, 0, 1)).astype(np.uint8)
        ...             picture = av.VideoFrame.from_ndarray(picture, format="gray8")
        ...             film.mux(stream.encode(picture.reformat(format="yuv420p")))
        ...         film.mux(stream.encode(None))
        ...     ball = cal.films.track(path, radius=0.02)
        >>> ball.found, round(ball.radius, 1), np.abs(np.diff(ball.pixels[:, 0]) - 2).max() < 0.3
        (30, 9.9, np.True_)
    """
    if not (np.isfinite(radius) and radius > 0):
        raise InputError(
            f"radius = {radius} is not a positive length",
            remedy="Give the radius of the ball in metres, such as 0.02.",
        )
    if start is not None and ball is not None:
        raise InputError(
            "start and ball are both given, but each says which thing is the ball",
            remedy="Leave out one.",
        )
    say = progress or Progress(quiet=True)
    say("Reading the film")
    film = open_film(path, start=interval[0], end=interval[1], frame_rate=frame_rate)
    _check_region(film, region)
    say("Finding what does not move")
    background = find_background(film)
    say("Finding what moves")
    arcs = find_arcs(film.time, find_candidates(film, background, region))
    near = ball if ball is not None else None if start is None else (*start, None)
    chosen = choose_path(arcs, film.path, near=near)
    say("Measuring the ball")
    measured = measure(film, background, chosen)
    samples = select_samples(film.time, measured)
    return _tracked(film, measured, samples, radius)


def _tracked(film: Film, measured: Measured, samples: Samples, radius: float) -> TrackedBall:
    seen = int(np.isfinite(samples.place[:, 0]).sum())
    if seen < FEWEST:
        reasons = sorted(set(samples.lost.values()))
        raise InputError(
            f"the ball is lost in {len(samples.time) - seen} of {len(samples.time)} pictures: "
            f"{', '.join(reasons)}",
            remedy="Film with more light, a shorter exposure and a plain, still background, or say "
            "which thing is the ball (--start).",
            path=film.path,
        )
    scatter = 1.4826 * float(np.median(np.abs(measured.radii - np.median(measured.radii))))
    radius_sd = float(np.hypot(scatter / np.sqrt(measured.radii.size), EDGE))
    scale = radius / measured.ball.radius
    position = np.full((len(samples.time), 3), np.nan)
    position[:, 0] = scale * (samples.place[:, 0] + 0.5)
    position[:, 2] = scale * (film.height - 0.5 - samples.place[:, 1])
    recording = Recording(
        name=stem_of(film.path), time=samples.time, position=position, path=film.path
    )
    return TrackedBall(
        film=film.path,
        size=(film.width, film.height),
        recording=recording,
        pixels=samples.place,
        sd=samples.sd,
        radius=measured.ball.radius,
        radius_sd=radius_sd,
        scale=scale,
        exposure=measured.ball.exposure,
        streak=measured.ball.exposure * float(np.nanmax(np.hypot(*samples.velocity.T))),
        first=film.first + samples.first,
        lost={film.first + frame: reason for frame, reason in samples.lost.items()},
    )


def _check_region(film: Film, region: Region | None) -> None:
    if region is not None and (region.right > film.width or region.bottom > film.height):
        raise InputError(
            f"the region ends at {region.right},{region.bottom}, outside of the picture of "
            f"{film.width} x {film.height} pixels",
            remedy="Give left, top, right and bottom in pixels from the upper left corner.",
            path=film.path,
        )
