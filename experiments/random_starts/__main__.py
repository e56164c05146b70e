"""``python -m experiments.random_starts [--starts 200]``: where fits from random starts end, one
JSON line for each pair of materials.
"""

import argparse
import json

import jax
import numpy as np

from experiments.random_starts.starts import ends, random_starts
from experiments.random_starts.throws import TRUTHS, problem


def main() -> None:
    """Fit from all starts, for each pair of materials."""
    parser = argparse.ArgumentParser(prog="python -m experiments.random_starts")
    parser.add_argument("--starts", type=int, default=200, help="for each pair of materials")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for truth in TRUTHS:
        found = ends(
            truth, problem(truth, seed=asked.seed), random_starts(asked.starts, seed=asked.seed)
        )
        line = {
            "materials": truth.name,
            "starts": len(found),
            "reached": sum(end.reached for end in found),
            "not_converged": sum(not end.converged for end in found),
            "wrong": sum(not end.honest for end in found),
            "median_s": float(np.median([end.seconds for end in found])),
            "median_iterations": float(np.median([end.iterations for end in found])),
            "missed": [
                [*end.start.values(), *end.values, end.chi2 / end.lowest, end.converged]
                for end in found
                if not end.reached
            ][:10],
        }
        print(json.dumps(line), flush=True)


main()
