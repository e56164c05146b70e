"""A film to check what was followed: the outline of the ball, its path, and where it was lost."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.films.film import Film, Grey, open_film, pyav
from calibration.films.tracked import TrackedBall

LARGEST = 1280
"""Columns of the overlay, at most."""

TRAIL = 40
"""Pictures whose places are marked behind the ball."""

ENDINGS = (".mp4", ".mov", ".mkv", ".avi")
"""Of the names of films that may be written."""

COMMENT = "the ball that jaxcontact track followed"
"""Is in each film that was written here, by which it is known again."""

RED, GREEN = (255, 60, 60), (60, 255, 60)

Colour = NDArray[np.uint8]


def write_overlay(tracked: TrackedBall, path: str | os.PathLike[str]) -> None:
    """Write the part of the film in which the ball was followed: a green outline where it was
    found, a red frame around the picture where it is lost, and dots where it was before.

    Args:
        tracked: the ball.
        path: the film to be written, such as ``check.mp4``.

    Raises:
        InputError: the folder does not exist, the name is none of a film, or the film has changed.

    Example:
        >>> import av, pathlib, tempfile
        >>> rows, columns = np.mgrid[:120, :160]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path, check = f"{folder}/drop.mp4", pathlib.Path(folder, "check.mp4")
        ...     with av.open(path, "w") as film:
        ...         stream = film.add_stream("libx264", rate=60)
        ...         stream.width, stream.height = 160, 120
        ...         for frame in range(20):
        ...             away = np.hypot(columns - 40 - 4 * frame, rows - 20 - 0.2 * frame**2)
        ...             picture = (60 + 160 * np.clip(10.5 - away, 0, 1)).astype(np.uint8)
        ...             picture = av.VideoFrame.from_ndarray(picture, format="gray8")
        ...             film.mux(stream.encode(picture.reformat(format="yuv420p")))
        ...         film.mux(stream.encode(None))
        ...     cal.films.write_overlay(cal.films.track(path, radius=0.02), check)
        ...     check.stat().st_size > 1000
        True
    """
    _check_name(path, tracked.film)
    av = pyav()
    film = open_film(tracked.film)
    if (film.width, film.height) != tracked.size:
        raise InputError(
            "this film has changed since the ball was followed", remedy="Follow it again.",
            path=tracked.film,
        )  # fmt: skip
    try:
        with av.open(os.fspath(path), "w") as container:
            _encode(container, film, tracked)
    except (av.FFmpegError, ValueError) as error:
        raise InputError(
            f"this film cannot be written ({error})",
            remedy="Give a name that ends in .mp4.",
            path=path,
        ) from error


def check_overlay(
    path: str | os.PathLike[str], *, film: str | os.PathLike[str], force: bool = False
) -> None:
    """Raise, before a film is followed, where its overlay could not be written or would replace
    another film by mistake.

    Args:
        path: of the overlay.
        film: that is to be followed.
        force: whether any other film may be replaced.

    Raises:
        InputError: as ``write_overlay``, or there is a film that was not written by it.
    """
    _check_name(path, film)
    if Path(path).is_file() and not (force or _was_written_here(path)):
        raise InputError(
            "this file is no overlay of jaxcontact track",
            remedy="Name another with --overlay, or replace it with --force.",
            path=path,
        )


def check_other_than(film: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Raise where what is to be written is the film itself.

    Raises:
        InputError: it is.
    """
    if Path(path).resolve() == Path(film).resolve():
        raise InputError("this is the film itself", remedy="Name another file.", path=path)


def _check_name(path: str | os.PathLike[str], film: str | os.PathLike[str]) -> None:
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(
            "the folder of this file does not exist", remedy="Make it, or name another.", path=path
        )
    check_other_than(film, path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(
            "the overlay is a film, which this name is not of",
            remedy="Give a name that ends in .mp4.",
            path=path,
        )


def _was_written_here(path: str | os.PathLike[str]) -> bool:
    av = pyav()
    try:
        with av.open(os.fspath(path)) as container:
            return COMMENT in container.metadata.values()
    except av.FFmpegError:
        return False


def _encode(container, film: Film, tracked: TrackedBall) -> None:  # type: ignore[no-untyped-def]
    av = pyav()
    container.metadata["comment"] = COMMENT
    step = -(-film.width // LARGEST)
    rows = film.height // step // 2 * 2
    columns = film.width // step // 2 * 2
    stream = container.add_stream("libx264", rate=30)
    stream.width, stream.height, stream.pix_fmt = columns, rows, "yuv420p"
    stream.options = {"crf": "23", "preset": "veryfast"}
    base = Fraction(1, 90000)
    stream.time_base = stream.codec_context.time_base = base
    places = (tracked.pixels - (step - 1) / 2) / step
    first, count = tracked.first, len(places)
    for number, picture in enumerate(film.pictures()):
        index = number - first
        if not 0 <= index < count:
            continue
        image = _drawn(
            picture[::step, ::step][:rows, :columns], places, index, tracked.radius / step
        )
        frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p")
        passed = tracked.recording.time[index] - tracked.recording.time[0]
        frame.pts, frame.time_base = round(passed / base), base
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def _drawn(picture: Grey, places: NDArray[np.float64], index: int, radius: float) -> Colour:
    """One picture in colour with what was found drawn into it."""
    image = np.repeat(picture[:, :, None], 3, axis=2)
    trail = places[max(index - TRAIL, 0) : index + 1]
    _dots(image, trail[np.isfinite(trail[:, 0])], GREEN)
    if np.isfinite(places[index, 0]):
        angles = np.linspace(0, 2 * np.pi, max(int(8 * radius), 24), endpoint=False)
        ring = np.column_stack([np.cos(angles), np.sin(angles)])
        _dots(image, places[index] + radius * ring, GREEN)
    else:
        image[:4], image[-4:], image[:, :4], image[:, -4:] = RED, RED, RED, RED
    return image


def _dots(image: Colour, places: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    columns, rows = np.round(places).astype(int).T
    height, width = image.shape[:2]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    image[rows[inside], columns[inside]] = colour
