"""Measure how well films are followed: ``python -m experiments.films [--only shadow]
[--no-fit]``.
"""

import argparse
import tempfile
from pathlib import Path

from experiments.films.measure import LEVEL, Outcome, measure
from experiments.films.studies import STUDIES
from experiments.growing_table import print_header, print_row

HEADER = (
    "film",
    "found",
    "bias x, y [px]",
    "scatter x, y [px]",
    "at bounces y [px]",
    "radius",
    "restitution",
    "off by [sd]",
)


def row(found: Outcome) -> list[str]:
    """One line of the table of ``docs/filming.md``."""
    if found.found[1] == 0:
        return [found.study, found.said, *[""] * 6]
    fitted = "-" if found.restitution is None else "{:.4f} +- {:.4f}".format(*found.restitution)
    return [
        found.study,
        "{} of {}".format(*found.found),
        "{:+.3f}, {:+.3f}".format(*found.bias),
        "{:.3f}, {:.3f}".format(*found.scatter),
        f"{found.bounce:+.3f}",
        f"{100 * (found.radius - 1):+.1f} %",
        f"{fitted} {found.said}".strip(),
        f"{found.away:+.1f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="films with this in their name")
    parser.add_argument("--no-fit", action="store_true", help="only follow the ball")
    parser.add_argument("--folder", help="where films, recordings and results are kept")
    asked = parser.parse_args()
    print_header(HEADER)
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for study in STUDIES:
            if asked.only in study.name:
                place = Path(asked.folder or folder)
                place.mkdir(parents=True, exist_ok=True)
                outcomes.append(measure(study, place, fit=not asked.no_fit))
                print_row(row(outcomes[-1]))
    inside = sum(abs(found.away) <= LEVEL for found in outcomes)
    print(f"{inside} of {len(outcomes)} intervals of 95 % hold the restitution.")


if __name__ == "__main__":
    main()
