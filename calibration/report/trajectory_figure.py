"""A simulated motion against time."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.errors import InputError
from calibration.report.data_panels import AXIS_COLOUR
from calibration.report.drawing import legend_above, mark_bounces, new_figure, plain_style

MOST_BODIES = 6
"""Bodies that have a panel: more cannot be read on one page."""

_ACROSS = 3
_STILL = 1e-9  # metres, below which a coordinate does not move


def trajectory_figure(motion: jc.Trajectory) -> Figure:
    """Positions of each body against time, with the touch-downs.

    A coordinate that never changes is left out; of more than six bodies the first six are drawn.
    Where the simulation did not succeed, its advice stands above.

    Args:
        motion: of one simulation.

    Returns:
        a figure outside of pyplot's list of open figures.

    Raises:
        InputError: the motion is of many simulations.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 1.0, 101)
        >>> motion = jc.simulate(scene, start, times, method=jc.Impulse())
        >>> len(cal.report.trajectory_figure(motion).axes)
        1
    """
    time, position = positions_of(motion)
    shown = min(position.shape[1], MOST_BODIES)
    across = min(shown, _ACROSS)
    down = math.ceil(shown / across)
    figure = new_figure(max(3.4 * across, 4.4), 2.8 * down)
    panels = figure.subplots(down, across, squeeze=False, sharex=True).flat
    for body, axes in enumerate(panels):
        if body >= shown:
            axes.set_axis_off()
            continue
        pad = _draw(axes, time, position[:, body], touch_downs(motion, body))
        if position.shape[1] > 1:
            axes.set_title(f"body {body + 1}", fontsize=9, loc="left", pad=pad)
    said = []
    if not bool(motion.succeeded):
        said.append(motion.advice)
    if shown < position.shape[1]:
        said.append(f"The first {shown} of {position.shape[1]} bodies.")
    if said:
        figure.suptitle(" ".join(said), fontsize=9, x=0.01, ha="left", parse_math=False, wrap=True)
    return figure


def positions_of(motion: jc.Trajectory) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (times,) [s] and positions (times, bodies, 3) [m] of one simulation.

    Raises:
        InputError: the motion is of many simulations.
    """
    if np.ndim(motion.status):
        raise InputError(
            f"plot: the motion is of {np.size(motion.status)} simulations",
            remedy="Give one of them: jax.tree.map(lambda leaf: leaf[0], motion).",
        )
    time, position = np.asarray(motion.times, float), np.asarray(motion.position, float)
    return time, position if position.ndim == 3 else position[:, None]


def touch_downs(motion: jc.Trajectory, body: int) -> NDArray[np.float64]:
    """Times of the contacts that one body begins [s], as far as they were recorded."""
    if motion.contacts is None:
        return np.empty(0)
    contacts = motion.contacts
    own = (np.asarray(contacts.body) == body) | (np.asarray(contacts.partner) == body)
    return np.asarray(contacts.touch_down, float)[own & np.asarray(contacts.happened)]


def _draw(
    axes: Axes,
    time: NDArray[np.float64],
    position: NDArray[np.float64],
    moments: NDArray[np.float64],
) -> float | None:
    """The motion of a body; and the distance of a title, where it is not the usual one."""
    followed = position[np.isfinite(position).all(axis=1)]
    moving = [index for index in (2, 0, 1) if len(followed) and np.ptp(followed[:, index]) > _STILL]
    moving = moving or [2]
    names = ["xyz"[index] for index in moving]
    for index, name in zip(moving, names, strict=True):
        axes.plot(time, position[:, index], color=AXIS_COLOUR[name], lw=1.3, label=name)
    mark_bounces(axes, moments, time, symbol=True)
    plain_style(axes)
    axes.set_xlabel("time [s]", fontsize=9)
    axes.set_ylabel(
        "height z [m]" if names == ["z"] else f"position {', '.join(names)} [m]", fontsize=9
    )
    if len(names) > 1:
        return legend_above(axes)
    return None
