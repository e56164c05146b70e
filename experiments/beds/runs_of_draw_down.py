"""Draw-down tests over a design of both coefficients, as a table of runs that grows row by row.

``python -m experiments.beds.runs_of_draw_down runs.csv`` makes what is missing of it (a minute of
one core each).
"""

import csv
import os
import sys
from pathlib import Path

# Before JAX starts: one loop over contacts computes all that it has to.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion")

import jax

import calibration as cal
from experiments.beds.draw_down import COLUMNS, draw_down
from experiments.beds.grains import Floats

FACTORS = (
    cal.sweeps.Range("friction", 0.1, 0.9),
    cal.sweeps.Range("rolling_resistance", 0.0, 0.5),
)
RUNS = 32


def design() -> Floats:
    """Both coefficients of each run ``(RUNS, 2)``."""
    return cal.sweeps.Design("sobol", number=RUNS, seed=1).table(FACTORS)


def make_runs(path: Path) -> None:
    """Simulates the rows that the table lacks. Each starts from another random packing."""
    done = len(path.read_text(encoding="utf-8").splitlines()) - 1 if path.exists() else -1
    with path.open("a", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        if done < 0:
            table.writerow(COLUMNS)
        for seed, (friction, resistance) in list(enumerate(design()))[max(done, 0) :]:
            found = draw_down(float(friction), float(resistance), seed=seed)
            table.writerow([f"{friction:.5f}", f"{resistance:.5f}", *found.shown()])
            file.flush()


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    make_runs(Path(sys.argv[1]))
