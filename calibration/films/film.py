"""A film on disk: its pictures in grey, the right way up, with the times that its container
states.
"""

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError

Grey = NDArray[np.uint8]
"""Brightness as the film has it, rows from the top, columns from the left."""

FEWEST_FRAMES = 10
"""A film with fewer frames shows no motion that could be followed."""

PLANAR = ("yuv", "nv12", "nv21", "gray")
"""Beginnings of the names of pixel formats whose first plane is the brightness."""


@dataclass(frozen=True, kw_only=True)
class Region:
    """A rectangle of the picture in pixels, counted from its upper left corner.

    Attributes:
        left: first column.
        top: first row.
        right: the column behind the last.
        bottom: the row behind the last.

    Raises:
        InputError: a rectangle without area, or a corner outside of every picture.

    Example:
        >>> cal.films.Region(left=100, top=0, right=500, bottom=480).height
        480
    """

    left: int
    top: int
    right: int
    bottom: int

    def __post_init__(self) -> None:
        if not (0 <= self.left < self.right and 0 <= self.top < self.bottom):
            raise InputError(
                f"the region {self.left},{self.top},{self.right},{self.bottom} is no rectangle in "
                "a picture",
                remedy="Give left, top, right and bottom in pixels from the upper left corner, "
                "such as 100,0,500,480.",
            )

    @property
    def width(self) -> int:
        """Columns."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Rows."""
        return self.bottom - self.top


@dataclass(frozen=True, kw_only=True)
class Film:
    """A film, or a part of one.

    Attributes:
        path: the file.
        width: of the picture [pixels], the right way up.
        height: of the picture [pixels].
        first: number of the first frame of the part.
        time: when the frames of the part were taken [s], by the container or the frame rate.
        full_range: whether black is 0 and white 255, instead of 16 and 235.
    """

    path: str
    width: int
    height: int
    first: int
    time: NDArray[np.float64] = field(repr=False)
    full_range: bool = False

    def pictures(self) -> Iterator[Grey]:
        """The pictures of the part in the order of time."""
        end = self.first + self.time.size
        for number, (_, picture) in enumerate(_decoded(self.path)):
            if number >= end:
                break
            if number >= self.first:
                yield picture()


def open_film(
    path: str | os.PathLike[str],
    *,
    start: float | None = None,
    end: float | None = None,
    frame_rate: float | None = None,
) -> Film:
    """Look through a film for its times; no picture is kept.

    Args:
        path: the file.
        start: time of the first frame that counts [s]; by default the beginning.
        end: time of the last one [s].
        frame_rate: pictures taken in a second, where the film plays slower than it was taken or
            states no times; by default the container's stamps are used.

    Raises:
        InputError: the extra is missing, or the file is no film that can be used.
    """
    stamps: list[float | None] = []
    size, full_range = (0, 0), False
    for frame, _ in _decoded(path):
        turned = frame.rotation % 180 != 0
        size = (frame.height, frame.width) if turned else (frame.width, frame.height)
        full_range = full_range or int(frame.color_range) == 2 or "yuvj" in frame.format.name
        stamps.append(frame.time)
    if len(stamps) < FEWEST_FRAMES:
        raise InputError(
            f"a film of {len(stamps)} frames; at least {FEWEST_FRAMES} are needed",
            remedy="Film the whole flight and several bounces.",
            path=path,
        )
    time = _times(path, stamps, frame_rate)
    inside = (time >= (time[0] if start is None else start)) & (
        time <= (time[-1] if end is None else end)
    )
    if np.count_nonzero(inside) < FEWEST_FRAMES:
        raise InputError(
            f"{np.count_nonzero(inside)} frames lie between {start} and {end} s; the film goes "
            f"from {time[0]:.3f} to {time[-1]:.3f} s",
            remedy=f"Choose a longer part, of at least {FEWEST_FRAMES} frames.",
            path=path,
        )
    return Film(
        path=os.fspath(path),
        width=size[0],
        height=size[1],
        first=int(np.argmax(inside)),
        time=time[inside],
        full_range=full_range,
    )


def _times(
    path: str | os.PathLike[str], stamps: list[float | None], frame_rate: float | None
) -> NDArray[np.float64]:
    if frame_rate is not None:
        if not (np.isfinite(frame_rate) and frame_rate > 0):
            raise InputError(
                f"frame_rate = {frame_rate} is not a positive number",
                remedy="Give the pictures taken in a second, for example --frame-rate 240.",
            )
        return np.arange(len(stamps)) / frame_rate
    if any(stamp is None for stamp in stamps):
        raise InputError(
            "the film states no times of its frames",
            remedy="Give the pictures taken in a second, for example --frame-rate 240.",
            path=path,
        )
    time = np.array(stamps, float)
    if np.any(np.diff(time) <= 0):
        raise InputError(
            "the times of the frames do not increase "
            f"(frame {int(np.argmax(np.diff(time) <= 0)) + 2})",
            remedy="Give the pictures taken in a second, for example --frame-rate 240, or export "
            "the film again.",
            path=path,
        )
    return time - time[0]


def _decoded(path: str | os.PathLike[str]) -> Iterator[tuple[Any, Any]]:
    """Each frame with a function that makes its picture."""
    av = pyav()
    if not os.path.isfile(path):
        raise InputError(
            "there is no such file" if not os.path.exists(path) else "this is not a file",
            remedy="Give the name of a film, such as drop.mp4.",
            path=path,
        )
    try:
        with av.open(os.fspath(path)) as container:
            if not container.streams.video:
                raise InputError(
                    "this file holds no pictures",
                    remedy="Give a film; recordings of sounds and tables go to jaxcontact fit.",
                    path=path,
                )
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            shape = stream.sample_aspect_ratio
            if shape and shape != 1:
                raise InputError(
                    f"the pixels of this film are {float(shape):.3g} times as wide as high",
                    remedy="Export it with square pixels.",
                    path=path,
                )
            for frame in container.decode(stream):
                yield frame, lambda frame=frame: _upright(frame)
    except av.FFmpegError as error:
        raise InputError(
            f"this file cannot be read as a film ({error.strerror or error})",
            remedy="Give a film such as MP4 or MOV, as the phone wrote it.",
            path=path,
        ) from error


def _upright(frame: Any) -> Grey:
    """The brightness of a frame, turned as the container asks for."""
    name = frame.format.name
    if name.startswith(PLANAR) and frame.format.components[0].bits == 8:
        plane = frame.planes[0]
        rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        picture = rows[: frame.height, : frame.width]
    else:
        picture = frame.to_ndarray(format="gray")
    return np.rot90(picture, round(frame.rotation / 90)) if frame.rotation else picture


def pyav() -> Any:
    """The library that decodes films.

    Raises:
        InputError: it is not installed.
    """
    try:
        return importlib.import_module("av")
    except ImportError as error:
        raise InputError(
            "films need PyAV, which is not installed",
            remedy="Install it with: pip install 'jaxcontact[video]'",
        ) from error
