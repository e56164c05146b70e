"""A simulated motion as a moving picture: bodies and surfaces from the side."""

import dataclasses
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import jaxcontact as jc
from calibration.errors import InputError
from calibration.report.drawing import BLUE, DARK, GREY, PALE, new_figure, plain_style
from calibration.report.trajectory_figure import positions_of
from jaxcontact.scene.bodies import as_clumps
from jaxcontact.surfaces import Surface

_VIEWS = {"xz": (0, 2, 1), "yz": (1, 2, 0), "xy": (0, 1, 2)}
"""Axes to the right, up and into the picture."""

_GRID = 121  # points along each side, on which the outline of a surface is found
_MARGIN = 0.1  # of half the larger side of the picture
_NARROWEST = 0.4  # the smaller side over the larger one


@dataclasses.dataclass(frozen=True, eq=False)
class Animation:
    """A moving picture. A notebook shows it; ``save`` writes it.

    Attributes:
        movie: of Matplotlib, with all its ways of writing.
        frame_rate: pictures for each second that it plays.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 1.0, 101)
        >>> motion = jc.simulate(scene, start, times, method=jc.Impulse())
        >>> shown = cal.animate(motion, scene, slower=4, frame_rate=10)
        >>> "<img" in shown._repr_html_()
        True
    """

    movie: FuncAnimation
    frame_rate: int

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a GIF (with Pillow, which is there), or what Matplotlib writes by the ending of
        the name where the machine has FFmpeg.
        """
        path = Path(path)
        if path.suffix.lower() == ".gif":
            self.movie.save(path, writer=PillowWriter(fps=self.frame_rate))
        else:
            self.movie.save(path)

    def _repr_html_(self) -> str:
        return str(self.movie.to_jshtml(fps=self.frame_rate))


def animate(
    motion: jc.Trajectory,
    scene: jc.Scene,
    *,
    view: str = "xz",
    slower: float = 1.0,
    frame_rate: int = 25,
) -> Animation:
    """Show a simulated motion from the side: every sphere and member of a clump as a circle with
    its path, surfaces as the line in which the plane of the middle of the motion cuts them.

    Between the times of the motion positions are linear, so give enough times; orientations are
    those of the time before.

    Args:
        motion: of one simulation.
        scene: that was simulated.
        view: axes of the picture to the right and up, ``"xz"``, ``"yz"`` or ``"xy"``.
        slower: how much longer the picture plays than the motion lasted.
        frame_rate: pictures for each second that it plays.

    Raises:
        InputError: another view, a number outside its range, fewer than two times, a motion that
            is not finite, or of many simulations.

    Example:
        >>> import pathlib, tempfile
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 1.0, 101)
        >>> motion = jc.simulate(scene, start, times, method=jc.Impulse())
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "drop.gif"
        >>> cal.animate(motion, scene).save(file)
        >>> file.read_bytes()[:3]
        b'GIF'
    """
    if view not in _VIEWS:
        raise InputError(f"animate: view = {view!r}", remedy=f"Give one of {', '.join(_VIEWS)}.")
    if not (np.isfinite(slower) and slower > 0):
        raise InputError(f"animate: slower = {slower}", remedy="Give a positive number.")
    if frame_rate != int(frame_rate) or frame_rate < 1:
        raise InputError(
            f"animate: frame_rate = {frame_rate}", remedy="Give a whole number of at least 1."
        )
    time, position = positions_of(motion)
    if len(time) < 2 or not np.isfinite(position).all():
        raise InputError(
            "animate: the motion has fewer than two times, or is not finite",
            remedy=f"Simulate more times; what the simulation says: {motion.advice}",
        )
    moments = np.arange(time[0], time[-1], 1.0 / (frame_rate * slower))
    centres, radius = _circles(motion, scene, time, position, moments)
    right, up, _ = _VIEWS[view]
    figure = new_figure(5.6, 4.2, dpi=100)
    axes = figure.add_subplot()
    _frame(axes, centres[..., [right, up]], radius, view)
    for body in range(position.shape[1]):
        axes.plot(position[:, body, right], position[:, body, up], color=PALE, lw=1.0, zorder=1)
    _draw_surfaces(axes, scene, view, depth=float(np.mean(position[..., _VIEWS[view][2]])))
    spheres = EllipseCollection(
        2 * radius,
        2 * radius,
        np.zeros(len(radius)),
        units="xy",
        offsets=centres[0][:, [right, up]],
        offset_transform=axes.transData,
        facecolors="none",
        edgecolors=BLUE,
        linewidths=1.4,
        zorder=3,
    )
    axes.add_collection(spheres)
    label = axes.set_title("", fontsize=9, loc="left", color=GREY)

    def show(number: int) -> tuple[EllipseCollection]:
        spheres.set_offsets(centres[number][:, [right, up]])
        label.set_text(f"{moments[number]:.3f} s")
        return (spheres,)

    movie = FuncAnimation(
        figure, show, frames=len(moments), interval=1e3 / frame_rate, cache_frame_data=False
    )
    return Animation(movie, frame_rate)


def _circles(
    motion: jc.Trajectory,
    scene: jc.Scene,
    time: NDArray[np.float64],
    position: NDArray[np.float64],
    moments: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres (moments, members, 3) and radii (members,) of all spheres [m]."""
    bodies = as_clumps(scene.bodies, position.shape[1])
    of_body, offset = np.asarray(bodies.of_body), np.asarray(bodies.offset, float)
    at = np.clip(np.searchsorted(time, moments, side="right") - 1, 0, len(time) - 2)
    share = ((moments - time[at]) / (time[at + 1] - time[at]))[:, None, None]
    centre = (1 - share) * position[at] + share * position[at + 1]
    centres = centre[:, of_body]
    if motion.orientation is not None:
        turned = np.asarray(motion.orientation, float).reshape(len(time), -1, 4)[at][:, of_body]
        arms = np.broadcast_to(offset, centres.shape).reshape(-1, 3)
        rotation = Rotation.from_quat(turned.reshape(-1, 4), scalar_first=True)
        centres = centres + rotation.apply(arms).reshape(centres.shape)
    return centres, np.asarray(bodies.radius, float)


def _frame(
    axes: Axes, centres: NDArray[np.float64], radius: NDArray[np.float64], view: str
) -> None:
    """Limits that hold every circle at every moment, one scale for both directions."""
    low = (centres - radius[:, None]).min(axis=(0, 1))
    high = (centres + radius[:, None]).max(axis=(0, 1))
    middle, half = (low + high) / 2, (high - low) / 2
    half = np.maximum(half, _NARROWEST * half.max()) + _MARGIN * half.max()
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    axes.set_aspect("equal")
    axes.set_xlabel(f"{view[0]} [m]", fontsize=9)
    axes.set_ylabel(f"{view[1]} [m]", fontsize=9)
    plain_style(axes)


def _draw_surfaces(axes: Axes, scene: jc.Scene, view: str, *, depth: float) -> None:
    """Where the plane of the picture cuts each surface, as it is at time 0."""
    right, up, into = _VIEWS[view]
    across, along = (np.linspace(*limits, _GRID) for limits in (axes.get_xlim(), axes.get_ylim()))
    points = np.full((_GRID, _GRID, 3), depth)
    points[..., right], points[..., up] = np.meshgrid(across, along)
    points[..., into] = depth
    for surface in scene.surfaces:
        distance = _distances(surface, points.reshape(-1, 3)).reshape(_GRID, _GRID)
        if np.nanmin(distance) < 0 < np.nanmax(distance):
            axes.contour(across, along, distance, levels=[0.0], colors=DARK, linewidths=1.2)


def _distances(surface: Surface, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Signed distances (points,) [m]."""
    found = jax.vmap(lambda point: surface.closest(point, 0.0).distance)(jnp.asarray(points))
    return np.asarray(found, float)
