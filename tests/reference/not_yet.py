"""Kinds of reference cases that are known but cannot run yet, and what is missing for each.

The only such table: whoever adds what is missing deletes the entry here and adds a runner beside the others of that kind. A kind that
is neither here nor has a runner fails.
"""

_TWO_SPHERES = "contact between two moving spheres in simulate(), which moves one sphere above planes"
_PUBLISHED = "a runner for published benchmarks"

NOT_YET: dict[str, str] = {
    # closed-form solutions
    "closed_form/gradient/G03": _TWO_SPHERES,
    "closed_form/gradient/G09": _TWO_SPHERES,
    "closed_form/gradient/G10": _TWO_SPHERES,
    # equations of other programs
    # published benchmarks
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
