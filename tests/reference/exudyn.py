"""Exudyn: pointwise forces and trajectories computed by the program."""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxcontact.geometry.motion import Motion
from jaxcontact.systems.exudyn.compatibility import EXUDYN_1_13
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.forces import RESTITUTION_LAW_OF_IMPACT_MODEL
from jaxcontact.systems.exudyn.parameters import ObjectContactSphereSphere
from jaxcontact.systems.exudyn.sphere_sphere import sphere_sphere_contact
from tests.reference.case import Case, Computed, FileKind, ReferenceFile, assert_close, dispatch

PARAMETERS = {f.name for f in dataclasses.fields(ObjectContactSphereSphere)} - {"compatibility"}

CONTACT = jax.jit(sphere_sphere_contact)
ROUNDING = 16 * np.finfo(float).eps


def is_manifest(document: Any) -> bool:
    """File names with what is suggested for them."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(entry, dict) and any(key.startswith("suggested_") for key in entry) for entry in document.values())
    )


def stated_kind(document: Any) -> str | None:
    """``meta.kind``, where a file says it."""
    meta = document.get("meta") if isinstance(document, dict) else None
    return meta.get("kind") if isinstance(meta, dict) else None


def is_trajectory(document: Any, *keys: str) -> bool:
    return isinstance(document, dict) and stated_kind(document) in (None, "trajectory") and {"samples", "final", *keys} <= set(document)


def row_kind(parameters: Mapping[str, Any]) -> str:
    """Which law a row needs."""
    unknown = set(parameters) - PARAMETERS
    if unknown:
        return f"exudyn/row/with {', '.join(sorted(unknown))}"
    if parameters["impactModel"] == 0 and parameters.get("contactPlasticityRatio", 0.0) != 0.0:
        return "exudyn/row/adhesive plasticity"
    return f"exudyn/row/impact model {parameters['impactModel']}"


def check_row(row: Mapping[str, Any], rtol: float) -> None:
    """Every output of the program, from the state in its data node."""
    contact = ObjectContactSphereSphere(**row["params"], compatibility=EXUDYN_1_13)
    bodies = [Motion(*(np.asarray(row[f"{symbol}{index}"], dtype=float) for symbol in "pvw")) for index in (0, 1)]
    state = row["state"]
    data = DataNode(state["gap_flag"], state["v_t_norm"], state["impact_velocity"], state["delta_plastic"])
    result = CONTACT(contact, *bodies, data)
    # Without friction the program's torque is what rounding leaves of a cross product of parallel vectors.
    torque_rounding = ROUNDING * max(row["params"]["spheresRadii"]) * np.linalg.norm(row["exudyn"]["Force"])
    outputs = {name: Computed(value, rtol) for name, value in result.outputs._asdict().items()}
    outputs["Torque"] = outputs["Torque"]._replace(atol=torque_rounding)
    outputs["gap"] = outputs["DisplacementLocal"]
    physical = {
        **{f"force_on_{body}": Computed(wrench.force, rtol) for body, wrench in enumerate((result.on_0, result.on_1))},
        **{f"torque_on_{body}": Computed(wrench.torque, rtol, torque_rounding) for body, wrench in enumerate((result.on_0, result.on_1))},
    }
    for expected, computed in ((row["exudyn"], outputs), (row.get("physical", {}), physical)):
        unknown = set(expected) - set(computed)
        assert not unknown, f"unknown outputs {unknown}"
        for name, value in expected.items():
            assert_close(computed[name], value)


def pointwise_cases(file: ReferenceFile) -> Iterable[Case]:
    """One test for each row."""
    rtol = file.suggestions.get("suggested_rtol", 1e-9)
    for index, row in enumerate(file.document["rows"]):
        name = f"{file.name}[{index}]"
        check = partial(check_row, row, rtol)
        kinds = ["adhesive plasticity", *(f"impact model {model}" for model in RESTITUTION_LAW_OF_IMPACT_MODEL)]
        runners = {f"exudyn/row/{kind}": lambda name=name, check=check: [Case(name, check)] for kind in kinds}
        yield from dispatch(file, name, row_kind(row["params"]), runners)


def trajectory_cases(file: ReferenceFile) -> Iterable[Case]:
    """One test for each trajectory."""
    document = file.document
    if "generalContact" in document:
        kind = "many spheres"
    elif "body" in document:
        kind = "a sphere on a plane"
    else:
        plastic = document["contact"].get("impactModel", 0) == 0 and document["contact"].get("contactPlasticityRatio", 0.0) != 0.0
        kind = "two spheres with adhesive plasticity" if plastic else "two spheres"
    return dispatch(file, file.name, f"exudyn/trajectory of {kind}", {})


FILE_KINDS = (
    FileKind("manifest", is_manifest, lambda file: []),
    FileKind(
        "pointwise force table",
        lambda document: stated_kind(document) == "pointwise force table" and isinstance(document.get("rows"), list),
        pointwise_cases,
    ),
    FileKind("trajectory of two spheres", lambda document: is_trajectory(document, "bodies", "contact"), trajectory_cases),
    FileKind("trajectory of a sphere on a plane", lambda document: is_trajectory(document, "body", "contact"), trajectory_cases),
    FileKind("trajectory of many spheres", lambda document: is_trajectory(document, "bodies", "generalContact"), trajectory_cases),
)
