"""Published benchmarks and recorded output of other programs, told apart by their entries."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tests.reference.case import Case, FileKind, ReferenceFile, dispatch
from tests.reference.published import (
    chrono,
    chung_ooi,
    chung_ooi_oblique,
    exudyn,
    lammps,
    mfix,
    thornton,
)


def has(*entries: str) -> Callable[[Any], bool]:
    return lambda document: isinstance(document, dict) and set(entries) <= set(document)


def is_force_curve(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and document[0] == ["time_us", "force_kN"]


# The first that matches counts: the more entries, the earlier.
_CONTENT = {
    "Chung and Ooi parameters": has("conventions", "test1", "test8"),
    "Chung and Ooi tests 1 and 2": has("test1", "test2", "digitised_curves"),
    "Chung and Ooi test 3": has("materials", "radius_m", "speed_m_s", "expected"),
    "Chung and Ooi test 4": has("digitised", "sliding_asymptote"),
    "Chung and Ooi test 6": has("material", "digitised", "sliding_check"),
    "Chung and Ooi test 5": has("material", "digitised", "independent_reference"),
    "Chung and Ooi test 7": has("parameters", "expected"),
    "force curve": is_force_curve,
    "MFIX DEM01": has("case", "table", "closed_form"),
    "MFIX DEM02": has("case", "blocks", "formula"),
    "MFIX DEM03": has("case", "solution_DOP853"),
    "MFIX DEM05": has("case", "peer_mfix_part_wall"),
    "LAMMPS": has("cases", "independent_recomputation"),
    "Thornton 2013": has("hertzian", "linear", "sliding"),
    "Exudyn restitution": has("source", "rows", "note"),
    "Chrono": has("source", "tests"),
}

_RUNNERS = {
    "Chung and Ooi parameters": chung_ooi_oblique.test_parameters,
    "Chung and Ooi tests 1 and 2": chung_ooi.tests_1_and_2,
    "force curve": chung_ooi.force_curve,
    "Chung and Ooi test 3": chung_ooi.test_3,
    "Chung and Ooi test 4": chung_ooi_oblique.test_4,
    "Chung and Ooi test 5": chung_ooi_oblique.test_5,
    "Chung and Ooi test 6": chung_ooi_oblique.test_6,
    "Chung and Ooi test 7": chung_ooi.test_7,
    "MFIX DEM01": mfix.dem01,
    "MFIX DEM02": mfix.dem02,
    "MFIX DEM03": mfix.dem03,
    "MFIX DEM05": mfix.dem05,
    "Chrono": chrono.cases,
    "LAMMPS": lammps.cases,
    "Exudyn restitution": exudyn.cases,
    "Thornton 2013": thornton.cases,
}


def cases(file: ReferenceFile, *, name: str) -> Iterable[Case]:
    """The cases of a file of the kind ``name``."""
    return dispatch(
        file,
        file.name,
        f"published/{name}",
        {f"published/{kind}": partial(run, file) for kind, run in _RUNNERS.items()},
    )


FILE_KINDS = tuple(
    FileKind(name, matches, partial(cases, name=name)) for name, matches in _CONTENT.items()
)
