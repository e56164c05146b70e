"""Kinds of reference cases that are known but cannot run yet, and what is missing for each.

The only such table: whoever adds what is missing deletes the entry here and adds a runner beside the others of that kind. A kind that
is neither here nor has a runner fails.
"""

_PUBLISHED = "a runner for published benchmarks"

NOT_YET: dict[str, str] = {
    "published/Chung and Ooi parameters": _PUBLISHED,
    "published/Chung and Ooi tests 1 and 2": _PUBLISHED,
    "published/Chung and Ooi test 3": _PUBLISHED,
    "published/Chung and Ooi test 4": _PUBLISHED,
    "published/Chung and Ooi test 5": _PUBLISHED,
    "published/Chung and Ooi test 6": _PUBLISHED,
    "published/Chung and Ooi test 7": _PUBLISHED,
    "published/force curve": _PUBLISHED,
    "published/MFIX DEM01": _PUBLISHED,
    "published/MFIX DEM02": _PUBLISHED,
    "published/MFIX DEM03": _PUBLISHED,
    "published/MFIX DEM05": _PUBLISHED,
    "published/Chrono": _PUBLISHED,
    "published/Exudyn restitution": _PUBLISHED,
    "published/LAMMPS": _PUBLISHED,
    "published/Thornton 2013": _PUBLISHED,
}
