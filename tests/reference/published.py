"""Published benchmarks and recorded output of other programs, told apart by their entries."""

from collections.abc import Callable
from typing import Any

from tests.reference.case import FileKind, missing


def has(*entries: str) -> Callable[[Any], bool]:
    return lambda document: isinstance(document, dict) and set(entries) <= set(document)


def is_force_curve(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and document[0] == ["time_us", "force_kN"]


# The first that matches counts: the more entries, the earlier.
_CONTENT = {
    "Chung and Ooi parameters": has("conventions", "test1", "test8"),
    "Chung and Ooi tests 1 and 2": has("test1", "test2", "digitised_curves"),
    "Chung and Ooi test 3": has("materials", "radius_m", "speed_m_s", "expected"),
    "Chung and Ooi test 4": has("digitised", "experiment_Kharaz2001"),
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

FILE_KINDS = tuple(
    FileKind(name, matches, lambda file, name=name: [missing(file.name, f"published/{name}")]) for name, matches in _CONTENT.items()
)
