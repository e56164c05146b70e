"""``python -m experiments.real_recordings --data FOLDER [SET ...]``: fit the sets that are there,
and print what they tell.
"""

import argparse
from pathlib import Path

from calibration.runtime.prepare_jax import prepare_jax
from experiments.real_recordings.finding import findings_text
from experiments.real_recordings.studies import STUDIES


def main() -> None:
    """Run the studies that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m experiments.real_recordings")
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help=f"of {', '.join(STUDIES)}; all when left out"
    )
    parser.add_argument("--data", type=Path, required=True, help="holds a folder for each set")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("result"),
        help="where a folder of results for each set is written",
    )
    asked = parser.parse_args()
    parameter = [name for name in asked.sets if name not in STUDIES]
    if parameter:
        parser.error(f"{', '.join(parameter)}: no such set. There are {', '.join(STUDIES)}.")
    for name in asked.sets or STUDIES:
        print(f"\n{name}", flush=True)
        if not (asked.data / name / "meta.json").exists():
            print(
                f"  Skipped: {asked.data / name} is not there. The recordings are by others "
                "and not part of this repository."
            )
            continue
        prepare_jax()
        outcome = STUDIES[name](asked.data / name, asked.out / name)
        print(
            f"\nFitted: {outcome.fitted}\n\n{findings_text(outcome.findings)}\n\nResults: "
            f"{asked.out / name}",
            flush=True,
        )


main()
