"""Closest points of a triangle; the reference counts vertices from 0 and lets the normal point from
the triangle to the point.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp

from jaxcontact.geometry.triangle import REGIONS, closest_point_on_triangle
from tests.reference.case import Case, Computed, FileKind, ReferenceFile, dispatch, quantities

KIND = "closed_form/triangle geometry"

FEATURES = {
    "V1": "vertex0",
    "V2": "vertex1",
    "V3": "vertex2",
    "E12": "edge01",
    "E23": "edge12",
    "E31": "edge02",
    "F": "face",
}

exact = partial(Computed, rtol=1e-12, atol=1e-14)


def closest(
    triangle: Sequence[Any], radius: float, overlap: str | None, point: Sequence[float]
) -> Mapping[str, Computed]:
    """``overlap`` is what the file calls the overlap of a sphere with its radius."""
    found = closest_point_on_triangle(jnp.asarray(point), jnp.asarray(triangle))
    quantities = {
        "closest": exact(found.point),
        "feature": exact(FEATURES[REGIONS[int(found.region)]]),
        "distance": exact(found.distance),
        "normal": exact(-found.direction),
    }
    return (
        quantities if overlap is None else {**quantities, overlap: exact(radius - found.distance)}
    )


def name_of_overlap(case: Mapping[str, Any], radius: float) -> str | None:
    """``overlap_r_0p5`` for a radius of 0.5, if the case has it."""
    for name in case:
        written = re.fullmatch(r"overlap_r_(\d+(?:p\d+)?)", name)
        if name == "overlap" or (written and float(written[1].replace("p", ".")) == radius):
            return name
    return None


def cases(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    radius = document.get("radius", 0.0)
    for index, case in enumerate(document["cases"]):
        name = f"{file.name}[{index}]"
        compute = partial(
            closest,
            case.get("triangle", document["triangle"]),
            radius,
            name_of_overlap(case, radius),
        )
        case = {key: value for key, value in case.items() if key != "triangle"}
        run = partial(quantities, file, name, case, ("point",), compute)
        yield from dispatch(file, name, KIND, {KIND: run})


FILE_KINDS = (
    FileKind(
        "triangle geometry",
        lambda document: isinstance(document, dict) and {"triangle", "cases"} <= set(document),
        cases,
    ),
)
