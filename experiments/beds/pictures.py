"""Pictures of the tests."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure

from experiments.beds.compression import Compressed
from experiments.beds.drum import DRUM, Drum
from experiments.beds.grains import DIAMETER, GRAVITY, Floats
from experiments.beds.hopper import BEVERLOO, DROP, HOPPER, TRAY, Discharge
from experiments.beds.repose import PLATE, RIM, Heap, surface_heights
from experiments.beds.simple_shear import Flow
from experiments.beds.triaxial import Sheared, smooth
from experiments.drawing import BLUE, DARK, GREEN, ORANGE, SERIES, save


def draw_grains(axes: Axes, position: Floats, radius: Floats, colour: Floats) -> None:
    """Grains from the side, the nearest last."""
    order = np.argsort(-position[:, 1])
    size = 2e3 * radius[order]
    drawn = EllipseCollection(
        size,
        size,
        np.zeros_like(size),
        units="x",
        offsets=1e3 * position[order][:, [0, 2]],
        offset_transform=axes.transData,
        cmap="viridis",
        edgecolors="black",
        linewidths=0.3,
    )
    drawn.set_array(colour[order])
    axes.add_collection(drawn)
    axes.set_aspect("equal")
    axes.set_xlabel("x [mm]")


def draw_heaps(path: Path, heaps: dict[str, Heap]) -> None:
    """Each heap from the side, with its profile and the line of its angle."""
    figure = Figure(figsize=(4.6 * len(heaps), 2.4), layout="constrained")
    row = figure.subplots(1, len(heaps), sharey=True)
    away = np.linspace(0.0, PLATE, 60)
    turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    for axes, (name, heap) in zip(np.atleast_1d(row), heaps.items(), strict=True):
        draw_grains(axes, heap.position, heap.radius, heap.position[:, 1])
        at = np.stack([np.outer(np.cos(turn), away), np.outer(np.sin(turn), away)], -1)
        height = surface_heights(heap.position, heap.radius, at.reshape(-1, 2))
        profile = height.reshape(len(turn), -1).mean(axis=0)
        middle = np.interp(0.5 * PLATE, away, profile)
        line = middle - np.tan(np.radians(heap.angle)) * (away - 0.5 * PLATE)
        for side in (-1.0, 1.0):
            axes.plot(1e3 * side * away, 1e3 * profile, color="white", linewidth=3.0)
            axes.plot(1e3 * side * away, 1e3 * profile, color=ORANGE, linewidth=1.5)
            axes.plot(1e3 * side * away, 1e3 * line, "--", color="black", linewidth=1.2)
            axes.plot([1e3 * side * PLATE] * 2, [0.0, 1e3 * RIM], color="black", linewidth=3.0)
        axes.set_title(f"{name}: {heap.angle:.1f} ± {heap.error:.1f}°", fontsize=10)
        axes.set_xlim(-1.9e3 * PLATE, 1.9e3 * PLATE)
        axes.set_ylim(0.0, 1.1e3 * PLATE)
    np.atleast_1d(row)[0].set_ylabel("z [mm]")
    save(figure, path)


def draw_angles(
    path: Path, by_friction: dict[float, list[Heap]], by_rolling: dict[float, list[Heap]]
) -> None:
    """Angle of repose against both coefficients."""
    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    both = figure.subplots(1, 2, sharey=True)
    for axes, found, name, colour in (
        (both[0], by_friction, "sliding friction", BLUE),
        (both[1], by_rolling, "rolling resistance", GREEN),
    ):
        for coefficient, heaps in found.items():
            for heap in heaps:
                axes.errorbar(coefficient, heap.angle, heap.error, fmt="o", color=colour, capsize=3)
        axes.plot(
            list(found),
            [np.mean([h.angle for h in heaps]) for heaps in found.values()],
            color=colour,
        )
        axes.set_xlabel(name)
    both[0].set_ylabel("angle of repose [degrees]")
    save(figure, path)


def draw_compression(
    path: Path, position: Floats, radius: Floats, found: dict[str, Compressed]
) -> None:
    """The bed, and stress against strain."""
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    bed, axes = figure.subplots(1, 2, width_ratios=(1.0, 2.2))
    draw_grains(bed, position, radius, position[:, 1])
    bed.set_xlim(0.0, 8e3 * DIAMETER)
    bed.set_ylim(0.0, 1.15e3 * float(np.max(position[:, 2])))
    bed.set_ylabel("z [mm]")
    for (name, one), colour in zip(found.items(), (BLUE, ORANGE, GREEN), strict=False):
        turn = one.turn
        axes.plot(
            1e2 * one.strain[: turn + 1],
            1e-3 * one.stress[: turn + 1],
            color=colour,
            label=f"{name}: modulus {1e-3 * one.modulus:.0f} kPa, unloading "
            f"{1e-3 * one.unloading:.0f} kPa",
        )
        axes.plot(1e2 * one.strain[turn:], 1e-3 * one.stress[turn:], "--", color=colour)
    axes.set_xlabel("strain [%]")
    axes.set_ylabel("stress on the lid [kPa]")
    axes.legend(fontsize=8)
    save(figure, path)


def draw_discharge(path: Path, found: list[Discharge], bulk_density: float, law: Floats) -> None:
    """Grains in hopper and tray, what has run out over time, and the rates against the openings
    with the law fitted to them and that of Beverloo et al.
    """
    figure = Figure(figsize=(12.0, 4.0), layout="constrained")
    side, over_time, rates = figure.subplots(1, 3, width_ratios=(1.1, 1.0, 1.0))
    shown = found[-1]
    behind = shown.position[:, 1] > 0.0  # cut open
    draw_grains(side, shown.position[behind], shown.radius[behind], shown.position[behind, 1])
    top = 1.15e3 * float(np.max(shown.position[:, 2]))
    for sign in (-1.0, 1.0):
        edge = [0.5e3 * sign * shown.opening, 1e3 * sign * HOPPER]
        side.plot([*edge, edge[1]], [0.0, 0.0, top], color="black", linewidth=2.0)
        side.plot([1e3 * sign * TRAY] * 2, [-1e3 * DROP, 0.0], color="black", linewidth=2.0)
    side.axhline(-1e3 * DROP, color="black", linewidth=2.0)
    side.set_ylabel("z [mm]")
    for one, colour in zip(found, SERIES, strict=False):
        label = f"{one.opening / DIAMETER:.3g} diameters: {1e3 * one.rate:.0f} g/s"
        over_time.plot(one.times, one.out, color=colour, label=label)
    over_time.set_xlabel("time [s]")
    over_time.set_ylabel("mass that has run out [kg]")
    over_time.legend(fontsize=8)
    opening = np.array([one.opening for one in found])
    along = np.linspace(0.8 * opening[0], 1.05 * opening[-1], 50)
    for (coefficient, cut), style, name in (
        (tuple(law), "-", "fitted"),
        (BEVERLOO, "--", "Beverloo"),
    ):
        effective = np.maximum(along - cut * DIAMETER, 0.0)
        curve = coefficient * bulk_density * np.sqrt(GRAVITY) * effective**2.5
        label = f"{name}: C = {coefficient:.2f}, k = {cut:.2f}"
        rates.plot(along / DIAMETER, 1e3 * curve, style, color=DARK, label=label)
    for one, colour in zip(found, SERIES, strict=False):
        rates.errorbar(
            one.opening / DIAMETER,
            1e3 * one.rate,
            1e3 * one.error,
            fmt="o",
            color=colour,
            capsize=3,
        )
    rates.set_xlabel("opening [diameters of a grain]")
    rates.set_ylabel("mass flow rate [g/s]")
    rates.legend(fontsize=8)
    save(figure, path)


def draw_drums(path: Path, drums: dict[float, Drum]) -> None:
    """Each drum along its axis, grains coloured by their speed, with the line of its angle; and the
    angles against friction.
    """
    figure = Figure(figsize=(3.4 * (len(drums) + 1), 3.3), layout="constrained")
    *row, angles = figure.subplots(1, len(drums) + 1)
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    for axes, (friction, drum) in zip(row, drums.items(), strict=True):
        draw_grains(axes, drum.position, drum.radius, np.minimum(drum.speed, 0.3))
        axes.plot(1e3 * DRUM * np.cos(turn), 1e3 * DRUM * np.sin(turn), color="black")
        along = np.array([-0.7, 0.7]) * DRUM
        line = drum.level + np.tan(np.radians(drum.angle)) * along
        axes.plot(1e3 * along, 1e3 * line, "--", color=ORANGE, linewidth=2.0)
        axes.set_title(f"friction {friction}: {drum.angle:.1f} ± {drum.error:.1f}°", fontsize=10)
        axes.set_xlim(-1.05e3 * DRUM, 1.05e3 * DRUM)
        axes.set_ylim(-1.05e3 * DRUM, 1.05e3 * DRUM)
        angles.errorbar(friction, drum.angle, drum.error, fmt="o", color=BLUE, capsize=3)
    row[0].set_ylabel("z [mm]")
    angles.plot(list(drums), [drum.angle for drum in drums.values()], color=BLUE)
    angles.set_xlabel("sliding friction")
    angles.set_ylabel("dynamic angle of repose [degrees]")
    save(figure, path)


def draw_triaxial(path: Path, sheared: dict[str, Sheared]) -> None:
    """Stress ratio, with its running mean, and dilation against strain."""
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    stress, volume = figure.subplots(1, 2)
    for (name, one), colour in zip(sheared.items(), SERIES, strict=False):
        strain = 100.0 * one.strain
        stress.plot(strain, one.ratio, color=colour, alpha=0.25, linewidth=0.8)
        mean = smooth(one.ratio)
        edge = (len(one.ratio) - len(mean)) // 2
        stress.plot(strain[edge : edge + len(mean)], mean, color=colour, label=name)
        volume.plot(strain, 100.0 * one.volume, color=colour, label=name)
    stress.set_ylabel("$(\\sigma_z - \\sigma_x) / p$ [-]")
    volume.set_ylabel("volume gained [%]")
    for axes in (stress, volume):
        axes.set_xlabel("shortening along z [%]")
        axes.axhline(0.0, color="black", linewidth=0.6)
    stress.legend(frameon=False)
    save(figure, path)


def draw_flows(path: Path, sheared: dict[str, list[Flow]]) -> None:
    """How the first flow of each begins, and friction and solid fraction of all, with two standard
    errors.
    """
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    start, stress, fraction = figure.subplots(1, 3)
    for (name, flows), colour in zip(sheared.items(), SERIES, strict=False):
        number = [one.inertial_number for one in flows]
        first = flows[0]
        start.plot(first.strain, first.ratio, color=colour, alpha=0.25, linewidth=0.8)
        mean = smooth(first.ratio)
        edge = (len(first.ratio) - len(mean)) // 2
        start.plot(first.strain[edge : edge + len(mean)], mean, color=colour)
        for axes, pairs in (
            (stress, [one.friction for one in flows]),
            (fraction, [one.solid_fraction for one in flows]),
        ):
            value, error = np.transpose(pairs)
            axes.errorbar(number, value, 2.0 * error, color=colour, marker="o", ms=4, label=name)
            axes.set_xscale("log")
            axes.set_xlabel("inertial number [-]")
    start.set_xlabel("shear strain [-]")
    start.set_ylabel("shear stress over normal stress [-]")
    start.set_title(f"inertial number {first.inertial_number}", fontsize="medium")
    stress.set_ylabel("friction of the flow [-]")
    fraction.set_ylabel("solid fraction [-]")
    stress.legend(frameon=False)
    save(figure, path)
