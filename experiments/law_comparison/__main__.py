"""``python -m experiments.law_comparison [--tables 200] [--only precise]``: how often a comparison
of four laws is wrong, a table in Markdown.
"""

import argparse

import jax

from experiments.growing_table import chosen, print_header, print_row
from experiments.law_comparison.rates import count_verdicts
from experiments.law_comparison.truth import LAWS, SCENARIOS

HEADER = (
    "scenario",
    "truth",
    "preferred",
    "simplest of those left",
    "others left, too",
    "spoken against",
    "another preferred",
)


def main() -> None:
    """Print a table that grows."""
    parser = argparse.ArgumentParser(prog="python -m experiments.law_comparison")
    parser.add_argument("--tables", type=int, default=200, help="of each law in each scenario")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="scenarios whose name contains this")
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    print_header(HEADER)
    for scenario in chosen(SCENARIOS, asked.only):
        for truth in LAWS:
            found = count_verdicts(scenario, truth, asked.tables, seed=asked.seed)
            cells = [
                f"{100 * part / found.count:.1f}"
                for part in (
                    found.preferred,
                    found.simplest,
                    found.undecided,
                    found.wrong,
                    found.wrongly_preferred,
                )
            ]
            print_row([scenario.name, truth, *cells])


main()
