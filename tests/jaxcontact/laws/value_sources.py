"""Which laws the reference cases of each source exercise: watched, not listed."""

import re
import sys
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import pytest

from jaxcontact.laws.core import registry as catalogue
from tests.reference.tree import all_cases

SOURCES = {
    "exudyn/": "Exudyn 1.13.6",
    "closed_form/analytic_solutions": "closed forms",
    "closed_form/gradient_cases": "exact gradients",
    "closed_form/restitution_table": "restitution table",
    "closed_form/sphere_facet_geometry": "closed forms",
    "closed_form/viscoelastic_tables": "viscoelastic tables",
    "modia3d": "Modia3D equations",
    "pfc": "PFC equations",
    "comsol": "COMSOL equations",
    "edem": "EDEM equations",
}


def source_of(case_name: str) -> str | None:
    return next((source for part, source in SOURCES.items() if part in case_name), None)


def laws_called(run: Any) -> set[str]:
    """Names of the laws that are called (or traced) while ``run()`` runs."""
    found: set[str] = set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if (
            event == "call"
            and frame.f_code.co_name == "call"
            and frame.f_code.co_filename == catalogue.__file__
        ):
            found.add(frame.f_locals["called"])

    sys.setprofile(watch)
    try:
        run()
    except pytest.skip.Exception:
        found.clear()
    finally:
        sys.setprofile(None)
    return found


def value_sources(root: Path) -> dict[str, list[str]]:
    """For each law the sources of reference values in whose cases it takes part. One case of each
    group of a file is run.

    What a case compiles is forgotten when the source changes: a law inside a compiled function is
    seen only while it is traced.
    """
    groups: dict[str, dict[str, Any]] = {}
    for case in all_cases(root):
        source = source_of(case.name)
        group = "/".join(re.sub(r"\[[^]]*\]|[\d.]+", "", case.name).split("/")[:4])
        if source is not None:
            groups.setdefault(source, {}).setdefault(group, case)
    found = defaultdict(set)
    for source, cases in groups.items():
        jax.clear_caches()
        for case in cases.values():
            for law in laws_called(case.check):
                found[law].add(source)
    return {law: sorted(sources) for law, sources in found.items()}
