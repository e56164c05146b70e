"""Kinds of reference cases that are known but cannot run yet, and what is missing for each.

The only such table: whoever adds what is missing deletes the entry here and adds a runner beside the others of that kind. A kind that
is neither here nor has a runner fails.
"""

NOT_YET: dict[str, str] = {
    "lammps/sphere spinning on floor": "rolling resistance in scenes",
    "chrono/utest_SMC_rolling_gravity": "rolling resistance in scenes",
    "chrono/utest_SMC_spinning_gravity": "spinning resistance in scenes",
    "chrono/utest_SMC_sliding_gravity": "bodies of several spheres in scenes",
}
