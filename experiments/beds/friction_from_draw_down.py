"""Sliding friction and rolling resistance from draw-down tests made by LAMMPS, through runs of
``simulate_bed``: ``python -m experiments.beds.friction_from_draw_down [--out DIR]``.
"""

import argparse
from pathlib import Path

import numpy as np

import calibration as cal
from calibration.report.bulk_figure import bulk_figure
from experiments.beds.draw_down import COLUMNS

DATA = Path(__file__).parents[1] / "data" / "draw_down"
COEFFICIENTS, QUANTITIES = COLUMNS[:2], COLUMNS[2:]


def runs() -> cal.bulk.Runs:
    """What ``runs_of_draw_down`` made."""
    return cal.bulk.read_runs(DATA / "runs.csv", COEFFICIENTS, QUANTITIES)


def experiments() -> dict[tuple[float, float], list[cal.bulk.Measured]]:
    """What ``draw_down_in_lammps`` made: by true coefficients, means of the repeats and their
    standard errors.
    """
    rows = np.loadtxt(DATA / "measured.csv", delimiter=",", skiprows=1)
    found = {}
    for truth in np.unique(rows[:, :2], axis=0):
        shown = rows[np.all(rows[:, :2] == truth, axis=1), 2:]
        error = np.std(shown, axis=0, ddof=1) / np.sqrt(len(shown))
        found[float(truth[0]), float(truth[1])] = [
            cal.bulk.Measured(name, float(mean), float(sigma))
            for name, mean, sigma in zip(QUANTITIES, shown.mean(axis=0), error, strict=True)
        ]
    return found


def main() -> None:
    """Each experiment by all quantities, and by the slope alone."""
    parser = argparse.ArgumentParser(prog="python -m experiments.beds.friction_from_draw_down")
    parser.add_argument("--out", type=Path, default=Path("."), help="where pictures are written")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    table = runs()
    for (friction, resistance), measured in experiments().items():
        print(f"True: sliding friction {friction}, rolling resistance {resistance}")
        for quantities in (measured, measured[-1:]):
            found = cal.bulk.calibrate(table, quantities)
            print(found, "\n")
            which = "all" if len(quantities) > 1 else "slope"
            path = asked.out / f"bulk_{friction}_{resistance}_{which}.png"
            bulk_figure(found, table).savefig(path, dpi=110)


if __name__ == "__main__":
    main()
