"""Measure the coverage of intervals: ``python -m experiments.coverage [--recordings 500] [--only
camera] [--drawn 250]``.
"""

import argparse
import dataclasses
import json
import math

import jax

from experiments.coverage.measure import LEVEL, Coverage, measure
from experiments.coverage.scenarios import SCENARIOS
from experiments.growing_table import print_header, print_row

HEADER = (
    "scenario",
    "parameter",
    "covariance",
    "profile",
    "bootstrap",
    "bias",
    "sd/scatter",
    "dof",
    "flagged",
    "of misses",
)


def row(found: Coverage) -> list[str]:
    """One line of the table of ``docs/coverage.md``."""

    def percent(part: float) -> str:
        if math.isnan(part):
            return "-"
        return f"{100 * part:.1f}" + ("" if round(abs(part - LEVEL), 9) <= 0.02 else " (!)")

    drawn = f" ({found.drawn})" if 0 < found.drawn < found.recordings else ""
    cells = [
        found.scenario,
        f"`{found.parameter}`",
        percent(found.covariance),
        percent(found.profile),
        percent(found.bootstrap) + drawn,
    ]
    degrees = "-" if math.isinf(found.degrees) else f"{found.degrees:.0f}"
    noticed = "-" if math.isnan(found.noticed) else f"{100 * found.noticed:.0f}"
    cells += [
        f"{found.bias:+.2f}",
        f"{found.size:.3f}",
        degrees,
        f"{100 * found.flagged:.1f}",
        noticed,
    ]
    return cells


def main() -> None:
    """Print a table in Markdown as it grows; ``--out`` appends JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=int, default=500, help="for each scenario")
    parser.add_argument(
        "--replicates", type=int, default=199, help="of the bootstrap of a recording; 0 for none"
    )
    parser.add_argument("--kind", default="residual", help="of the bootstrap")
    parser.add_argument(
        "--drawn",
        type=int,
        help="recordings of each scenario of which a bootstrap is made; by default all",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only",
        nargs="*",
        default=[],
        help="scenarios whose name contains one of these, in this order",
    )
    parser.add_argument("--out", help="file to which JSON lines are appended")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    print_header(HEADER)
    asked = dict.fromkeys(
        scenario for part in options.only or [""] for scenario in SCENARIOS if part in scenario.name
    )
    for scenario in asked:
        counts = {
            "recordings": options.recordings,
            "replicates": options.replicates,
            "drawn": options.drawn,
        }
        for found in measure(scenario, seed=options.seed, kind=options.kind, **counts):
            print_row(row(found))
            if options.out:
                with open(options.out, "a", encoding="utf-8") as lines:
                    lines.write(json.dumps(dataclasses.asdict(found)) + "\n")


if __name__ == "__main__":
    main()
