"""All results: ``python -m experiments.cube_tosses DIRECTORY [--out DIR] [--no-fit]``."""

import argparse
import time
from pathlib import Path

import jax

from experiments.cube_tosses import report
from experiments.cube_tosses.errors import Errors, errors_of, errors_over
from experiments.cube_tosses.figure import draw
from experiments.cube_tosses.fit import HORIZONS, leave_one_out
from experiments.cube_tosses.simulated import METHODS, nominal, simulate
from experiments.cube_tosses.tosses import read_tosses

CHANGES: dict[str, dict[str, float]] = {
    "corners 10 times stiffer": {"stiffness": 1e9},
    "corners 100 times stiffer": {"stiffness": 1e10},
    "slip velocity 1 mm/s instead of 0.1": {"slip_velocity": 1e-3},
    "corner radius 0.25 mm instead of 0.5": {"corner_radius": 2.5e-4},
    "corner radius 2.6 mm": {"corner_radius": 2.62e-3},
    "friction 0.15": {"friction": 0.15},
    "restitution 0.05": {"restitution": 0.05},
    "restitution 0.25": {"restitution": 0.25},
    "table 1.3 mm lower": {"height": -1.3e-3},
    "velocities half a sample late": {"velocity_lag": 0.5},
    "velocities half a sample late, lengths times 0.978": {
        "velocity_lag": 0.5,
        "length_scale": 0.978,
    },
}


def main() -> None:
    """Read, simulate, compare, fit, write."""
    parser = argparse.ArgumentParser(prog="python -m experiments.cube_tosses")
    parser.add_argument("directory", type=Path, help="holds meta.json and csv/toss_*.csv")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("."),
        help="where cube_tosses.md and cube_tosses.png are written",
    )
    parser.add_argument(
        "--no-fit", action="store_true", help="leave out the fits, which take several minutes"
    )
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    cube, tosses = read_tosses(asked.directory)
    width = 2 * cube.half_width
    length = max(len(toss.times) for toss in tosses)
    given = nominal(cube)
    asked.out.mkdir(parents=True, exist_ok=True)
    sections: list[str] = []

    def say(title: str, text: str) -> None:
        sections.append(f"## {title}\n\n{text}\n")
        print(sections[-1], flush=True)

    found = {
        method: errors_over(cube, given, tosses, method=method, length=length) for method in METHODS
    }
    for method, every in found.items():
        say(f"Nominal parameters, {method}", report.per_toss(every, width))
    motions = {
        method: [simulate(cube, given, toss, method=method, length=length) for toss in tosses]
        for method in METHODS
    }
    draw(asked.out / "cube_tosses.png", tosses, motions, found["compliant"], width)
    changed = {
        name: errors_over(cube, given._replace(**change), tosses, method="compliant", length=length)
        for name, change in CHANGES.items()
    }
    say(
        "What the assumptions do, compliant", report.sensitivity(found["compliant"], changed, width)
    )
    lines: dict[str, list[Errors]] = {
        f"{method}, nominal": every for method, every in found.items()
    }
    for look, horizon in {} if asked.no_fit else HORIZONS.items():
        fitted = leave_one_out(cube, tosses, length=length, horizon=horizon)
        say(
            f"Fits to {look} of all tosses but one",
            report.fits([toss.name for toss in tosses], fitted),
        )
        held_out = []
        for toss, one in zip(tosses, fitted, strict=True):
            began = time.perf_counter()
            motion = simulate(cube, one.given, toss, method="compliant", length=length)
            held_out.append(errors_of(toss, motion, time.perf_counter() - began))
        say(f"Tosses left out of the fit to {look}", report.per_toss(held_out, width))
        lines[f"compliant, fitted to {look} of the others"] = held_out
    say("Beside published simulators", report.comparison(lines, width))
    (asked.out / "cube_tosses.md").write_text("# Cube tosses\n\n" + "\n".join(sections))


main()
