"""Pictures of the designs."""

from pathlib import Path

import jax
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.design_studies import buffer, bumper, shot
from experiments.drawing import BLUE, GREY, ORANGE, save


def draw_shots(path: Path, gentle: shot.Shot, forgiving: shot.Shot) -> None:
    """Both shots, each with some that have errors, and where these pass the cup."""
    figure = Figure(figsize=(9.5, 5.6), layout="constrained")
    parts = figure.subplots(2, 2, width_ratios=(3, 1), sharex="col")
    fly = jax.jit(shot.fly)
    for row, (name, one, colour) in enumerate(
        (("least speed", gentle, ORANGE), ("least scatter", forgiving, BLUE))
    ):
        axes, beside = parts[row]
        for launched in shot.disturbed(one, number=25, seed=1):
            motion = fly(launched, np.linspace(0.0, one.design[3], 200))
            way = np.asarray(motion.position)
            axes.plot(way[:, 0], way[:, 2], color=colour, alpha=0.25, linewidth=0.7)
        way = np.asarray(fly(one.design, np.linspace(0.0, one.design[3], 400)).position)
        axes.plot(way[:, 0], way[:, 2], color=colour, linewidth=1.8)
        axes.plot(*shot.CUP, "o", color="black", markersize=7, markerfacecolor="none")
        axes.set_title(f"{name}: {one.speed:.2f} m/s, {1e3 * one.spread:.0f} mm", fontsize=10)
        axes.set_ylabel("height [m]")
        axes.set_ylim(bottom=0.0)
        found = 1e3 * shot.scatter(one, number=2000, seed=0)
        beside.hist(found, bins=40, color=colour, alpha=0.6, density=True)
        place = np.linspace(-200.0, 200.0, 200)
        sd = 1e3 * one.spread
        beside.plot(
            place,
            np.exp(-((place / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)),
            color="black",
            linewidth=1.0,
        )
        beside.set_yticks([])
        beside.set_xlim(-200.0, 200.0)
    parts[1, 0].set_xlabel("way [m]")
    parts[1, 1].set_xlabel("beside the cup [mm]")
    save(figure, path)


def draw_buffers(path: Path, found: dict[tuple[str, float], NDArray[np.float64]]) -> None:
    """Force against overlap."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes: Axes = figure.subplots()
    styles = {1.0: "-", 0.2: "--"}
    colours = {"linear": ORANGE, "progressive": BLUE}
    for (name, rebound), design in found.items():
        stop = jax.jit(lambda design, law=buffer.FAMILIES[name].law: buffer.stop(law(design)))(
            design
        )
        limit = "" if rebound == 1.0 else f", rebound at most {rebound:g}"
        axes.plot(
            1e3 * np.asarray(stop.overlap)[1:],
            np.asarray(stop.force)[1:],
            styles[rebound],
            color=colours[name],
            label=f"{name}{limit}: {float(np.max(stop.force)):.1f} N",
        )
    axes.axhline(buffer.LEAST, color=GREY, linewidth=1.0, label=f"constant: {buffer.LEAST:.1f} N")
    axes.set_xlabel("overlap [mm]")
    axes.set_ylabel("force [N]")
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=8)
    save(figure, path)


def draw_bumpers(path: Path, design: NDArray[np.float64], setting: bumper.Setting) -> None:
    """The ellipse and the bumper that was found, with the ways of the balls."""
    figure = Figure(figsize=(9.5, 4.4), layout="constrained")
    both = figure.subplots(1, 2, sharey=True)
    bounce = jax.jit(bumper.bounce, static_argnames="setting")
    for axes, name, shape, colour in (
        (both[0], "ellipse with its foci there", np.array(bumper.ELLIPSE), ORANGE),
        (both[1], "found", design, BLUE),
    ):
        forwards, upwards, ahead, above, tilt = shape
        turn = np.linspace(0.0, np.pi, 200)
        x, z = forwards * np.cos(turn), upwards * np.sin(turn)
        axes.plot(
            ahead + np.cos(tilt) * x + np.sin(tilt) * z,
            above - np.sin(tilt) * x + np.cos(tilt) * z,
            color="black",
            linewidth=2.0,
        )
        for direction in bumper.FAN:
            way = np.asarray(
                bounce(shape, direction, np.linspace(0.0, 0.6, 400), setting=setting).position
            )
            end = int(np.argmax((way[:, 2] < 0.0) & (np.arange(len(way)) > 5)))
            axes.plot(way[:end, 0], way[:end, 2], color=colour, linewidth=0.9)
        axes.plot(-bumper.FOCUS, 0.0, "s", color="black", markersize=5)
        axes.plot(bumper.FOCUS, 0.0, "o", color="black", markersize=8, markerfacecolor="none")
        missed = np.asarray(jax.jit(bumper.misses, static_argnames="setting")(shape, setting))
        axes.set_title(f"{name}: {1e3 * np.sqrt(np.mean(missed**2)):.1f} mm", fontsize=10)
        axes.set_aspect("equal")
        axes.set_xlabel("way [m]")
    both[0].set_ylabel("height [m]")
    save(figure, path)
