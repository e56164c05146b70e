"""``python -m experiments.residual_checks [--fits 200] [--only drop]``: per cent of fits in which
each check fails, a table in Markdown.
"""

import argparse

import jax
import numpy as np

import calibration as cal
from experiments.growing_table import chosen, print_header, print_row
from experiments.residual_checks.scenarios import SCENARIOS, Scenario

HEADER = ("scenario", "any", "runs", "autocorrelation", "Q-Q", "speed", "single recordings")


def rates(scenario: Scenario, fits: int, seed: int) -> tuple[float, np.ndarray]:
    """Per cent of fits in which any check fails, and each one; NaN where it does not apply."""
    failed = []
    for number in range(fits):
        rng = np.random.default_rng([seed, number])
        checks = cal.fit(scenario.problem(rng)).residual_checks
        failed.append([np.nan if one.passed is None else not one.passed for one in checks])
    found = np.asarray(failed, dtype=float)
    return 100 * float(np.mean(np.any(found == 1, axis=1))), 100 * found.mean(axis=0)


def main() -> None:
    """Print a table that grows."""
    parser = argparse.ArgumentParser(prog="python -m experiments.residual_checks")
    parser.add_argument("--fits", type=int, default=200, help="of each scenario")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="scenarios whose name contains this")
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    print_header(HEADER)
    for scenario in chosen(SCENARIOS, asked.only):
        every, each = rates(scenario, asked.fits, asked.seed)
        cells = ["-" if np.isnan(part) else f"{part:.1f}" for part in each]
        print_row([scenario.name, f"{every:.1f}", *cells])


main()
