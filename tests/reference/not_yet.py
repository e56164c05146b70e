"""Kinds of reference cases that are known but cannot run yet, and what is missing for each.

The only such table: whoever adds what is missing deletes the entry here and adds a runner beside the others of that kind. A kind that
is neither here nor has a runner fails.
"""

NOT_YET: dict[str, str] = {
    "lammps/sphere spinning on floor": "rolling resistance in scenes",
    "published/Chrono": "a runner for published benchmarks",
}
