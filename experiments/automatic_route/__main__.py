"""Measure what the automatic fit is worth: ``python -m experiments.automatic_route [--count 200]
[--only slopes lens] [--out outcomes.jsonl]``.
"""

import argparse
import dataclasses
import json
import math

from experiments.automatic_route.measure import Row, run, summarise
from experiments.automatic_route.scenarios import FAULTS, SCENARIOS
from experiments.growing_table import chosen, print_header, print_row

HEADER = (
    "scenario",
    "parameter",
    "number",
    "determined %",
    "covered %",
    "bias",
    "spread",
    "over 4 sd off",
    "named %",
    "unexplained %",
)


def cells_of(row: Row) -> list[str]:
    """One line of the table of ``docs/coverage.md``."""

    def percent(part: float) -> str:
        return "-" if math.isnan(part) else f"{100 * part:.1f}"

    def number(value: float) -> str:
        return "-" if math.isnan(value) else f"{value:.2f}"

    return [
        row.scenario,
        f"`{row.parameter}`",
        str(row.experiments),
        percent(row.determined),
        percent(row.covered),
        number(row.bias),
        number(row.spread),
        str(row.far),
        percent(row.noticed),
        percent(row.unexplained),
    ]


def main() -> None:
    """Print a table in Markdown as it grows; ``--out`` appends each experiment as a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="experiments of each scenario")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of scenarios")
    parser.add_argument("--out", help="file to which JSON lines are appended")
    options = parser.parse_args()
    print_header(HEADER)
    for scenario in chosen((*SCENARIOS, *FAULTS), options.only):
        outcomes = []
        for seed in range(options.first, options.first + options.count):
            outcomes.append(run(scenario, seed))
            if options.out:
                with open(options.out, "a", encoding="utf-8") as lines:
                    found = {"scenario": scenario.name} | dataclasses.asdict(outcomes[-1])
                    lines.write(json.dumps(found) + "\n")
        for row in summarise(scenario, outcomes):
            print_row(cells_of(row))


if __name__ == "__main__":
    main()
