"""Exudyn: pointwise forces and trajectories computed by the program."""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems.exudyn.compatibility import EXUDYN_1_13
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.forces import RESTITUTION_LAW_OF_IMPACT_MODEL
from jaxcontact.systems.exudyn.general_contact import general_contact_pair
from jaxcontact.systems.exudyn.parameters import (
    ObjectContactSphereSphere,
    ObjectContactSphereTriangle,
)
from jaxcontact.systems.exudyn.sphere_sphere import sphere_sphere_contact, sphere_sphere_data
from jaxcontact.systems.exudyn.sphere_triangle import sphere_triangle_contact, sphere_triangle_data
from tests.reference.case import Case, Computed, FileKind, ReferenceFile, assert_close, dispatch
from tests.reference.exudyn_motion import Bodies, Drive, Pairs, integrate

PARAMETERS = {f.name for f in dataclasses.fields(ObjectContactSphereSphere)} - {"compatibility"}

STATE = {"position": slice(0, 3), "velocity": slice(3, 6), "angularVelocity": slice(6, 9)}
CONTACT = jax.jit(sphere_sphere_contact)
ROUNDING = 16 * np.finfo(float).eps


def is_manifest(document: Any) -> bool:
    """File names with what is suggested for them."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(
            isinstance(entry, dict) and any(key.startswith("suggested_") for key in entry)
            for entry in document.values()
        )
    )


def stated_kind(document: Any) -> str | None:
    """``meta.kind``, where a file says it."""
    meta = document.get("meta") if isinstance(document, dict) else None
    return meta.get("kind") if isinstance(meta, dict) else None


def is_trajectory(document: Any, *keys: str) -> bool:
    return (
        isinstance(document, dict)
        and stated_kind(document) in (None, "trajectory")
        and {"samples", "final", *keys} <= set(document)
    )


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
    bodies = [
        Motion(*(np.asarray(row[f"{symbol}{index}"], dtype=float) for symbol in "pvw"))
        for index in (0, 1)
    ]
    state = row["state"]
    data = DataNode(
        state["gap_flag"], state["v_t_norm"], state["impact_velocity"], state["delta_plastic"]
    )
    result = CONTACT(contact, *bodies, data)
    # Without friction the program's torque is what rounding leaves of a cross product of parallel
    # vectors.
    torque_rounding = (
        ROUNDING * max(row["params"]["spheresRadii"]) * np.linalg.norm(row["exudyn"]["Force"])
    )
    outputs = {name: Computed(value, rtol) for name, value in result.outputs._asdict().items()}
    outputs["Torque"] = outputs["Torque"]._replace(atol=torque_rounding)
    outputs["gap"] = outputs["DisplacementLocal"]
    physical = {
        **{
            f"force_on_{body}": Computed(wrench.force, rtol)
            for body, wrench in enumerate((result.on_0, result.on_1))
        },
        **{
            f"torque_on_{body}": Computed(wrench.torque, rtol, torque_rounding)
            for body, wrench in enumerate((result.on_0, result.on_1))
        },
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
        kinds = [
            "adhesive plasticity",
            *(f"impact model {model}" for model in RESTITUTION_LAW_OF_IMPACT_MODEL),
        ]
        runners = {
            f"exudyn/row/{kind}": lambda name=name, check=check: [Case(name, check)]
            for kind in kinds
        }
        yield from dispatch(file, name, row_kind(row["params"]), runners)


def bodies_and_state(
    bodies: list[Mapping[str, Any]], radii: Iterable[float]
) -> tuple[Bodies, np.ndarray]:
    """Inverse inertia of homogeneous spheres, none for bodies without angular velocity; and where
    the bodies start.
    """
    mass = np.array([body.get("mass", np.inf) for body in bodies])
    turns = np.array(["angularVelocity" in body for body in bodies])
    inertia = np.where(turns, 0.4 * mass * np.square(list(radii)), np.inf)
    state = [
        [
            *body["position"],
            *body.get("velocity", (0, 0, 0)),
            *body.get("angularVelocity", (0, 0, 0)),
        ]
        for body in bodies
    ]
    return Bodies(1.0 / mass, 1.0 / inertia), np.array(state, dtype=float)


def stacked(parameters: Iterable[Any]) -> Any:
    """Models as one, with an axis for the pairs."""
    return jax.tree.map(
        lambda *leaves: np.array(leaves, dtype=float),
        *(jax.tree.map(np.asarray, p, is_leaf=is_vector) for p in parameters),
    )


def is_vector(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def data_of(document: Mapping[str, Any], gap: float) -> DataNode:
    """The data node at the start: where the file does not say, the gap and zeros."""
    stated = document.get("initialData", document["meta"].get("initial_data_node"))
    values = (
        stated
        if isinstance(stated, list) and all(isinstance(value, (int, float)) for value in stated)
        else (gap, 0.0, 0.0, 0.0)
    )
    return DataNode(*(np.array([value], dtype=float) for value in values))


def two_spheres(document: Mapping[str, Any]) -> tuple[Pairs, Bodies, np.ndarray, DataNode]:
    contact = ObjectContactSphereSphere(**document["contact"], compatibility=EXUDYN_1_13)
    pairs = Pairs(
        stacked([contact]), np.array([0]), np.array([1]), sphere_sphere_contact, sphere_sphere_data
    )
    bodies, state = bodies_and_state(document["bodies"], contact.spheresRadii)
    return pairs, bodies, state, data_of(document, document["samples"]["gap"][0])


def sphere_on_plane(document: Mapping[str, Any]) -> tuple[Pairs, Bodies, np.ndarray, DataNode]:
    """The plane is a triangle around the origin, far larger than the motion."""
    body, far = document["body"], 1e3
    assert "plane y=0, normal +y" in document["object"], f"unknown object {document['object']!r}"
    points = ((-far, 0.0, -far), (0.0, 0.0, 2 * far), (2 * far, 0.0, -far))
    contact = ObjectContactSphereTriangle(
        **document["contact"],
        radiusSphere=body["radius"],
        trianglePoints=points,
        compatibility=EXUDYN_1_13,
    )
    pairs = Pairs(
        stacked([contact]),
        np.array([0]),
        np.array([1]),
        sphere_triangle_contact,
        sphere_triangle_data,
    )
    bodies, state = bodies_and_state([body, {"position": (0, 0, 0)}], (body["radius"], 1.0))
    return pairs, bodies, state, data_of(document, document["samples"]["gap"][0])


def many_spheres(document: Mapping[str, Any]) -> tuple[Pairs, Bodies, np.ndarray, DataNode]:
    """Every pair of spheres of which at least one moves."""
    spheres, contact = document["bodies"], document["generalContact"]
    k, d = contact["contactStiffness_per_sphere"], contact["contactDamping_per_sphere"]
    friction, zone = contact["friction"], contact.get("frictionProportionalZone", 1e-3)
    unknown = set(contact) - {
        "contactStiffness_per_sphere",
        "contactDamping_per_sphere",
        "friction",
        "frictionProportionalZone",
        "gravity",
    }
    assert not unknown, f"unknown parameters {unknown}"
    bodies, state = bodies_and_state(spheres, (sphere["radius"] for sphere in spheres))
    indices = [
        pair
        for pair in itertools.combinations(range(len(spheres)), 2)
        if np.any(bodies.inverse_mass[list(pair)] > 0.0)
    ]
    parameters = [
        general_contact_pair(
            (spheres[i]["radius"], spheres[j]["radius"]),
            stiffness=(k, k),
            damping=(d, d),
            friction=friction,
            friction_proportional_zone=zone,
        )
        for i, j in indices
    ]
    first, second = np.array(indices).T
    pairs = Pairs(stacked(parameters), first, second, sphere_sphere_contact, sphere_sphere_data)
    gap = [
        np.linalg.norm(state[j, :3] - state[i, :3]) - spheres[i]["radius"] - spheres[j]["radius"]
        for i, j in indices
    ]
    return pairs, bodies, state, DataNode(np.array(gap), *np.zeros((3, len(indices))))


def drive_of(document: Mapping[str, Any]) -> Drive | None:
    drive = document.get("drive")
    if drive is None:
        return None
    axis, time, position = (np.array(drive[name], dtype=float) for name in ("axis", "t", "x"))
    return Drive(drive["body"], axis, drive["stiffness"], drive["damping"], time, position)


def check_trajectory(document: Mapping[str, Any], system: Callable, atol: float) -> None:
    """The final state within ``atol``; on the way, the program may also be up to two steps early or
    late.
    """
    pairs, bodies, state, data = system(document)
    samples, step = document["samples"], document["meta"]["stepSize"]
    times = np.array(samples["t"])
    gravity = np.array(
        document.get("gravity", document.get("generalContact", {}).get("gravity", (0, 0, 0))),
        dtype=float,
    )
    found = integrate(
        bodies,
        pairs,
        data,
        state,
        times=times,
        gravity=gravity,
        drive=drive_of(document),
        rtol=float(np.clip(1e-3 * atol, 1e-10, 1e-8)),
    )
    late = atol + 2 * step * np.max(np.abs(found.rate), axis=0)
    computed = {}
    names = [""] if "body" in document else [str(body) for body in range(len(state))]
    for body, suffix in enumerate(names):
        for name, part in STATE.items():
            computed[f"{name}{suffix}"] = Computed(
                found.state[:, body, part], 0.0, float(np.max(late[body, part]))
            )
    if "gap" in samples:
        along, across = (
            float(np.max(late[..., STATE["position"]])),
            float(np.max(late[..., STATE["velocity"]])),
        )
        slip = across + max(document["contact"].get("spheresRadii", (0.0,))) * float(
            np.max(late[..., STATE["angularVelocity"]])
        )
        computed["gap"] = Computed(found.contacts.gap[:, 0], 0.0, along)
        computed["force"] = Computed(found.contacts.force_on_first[:, 0], 5e-3)
        computed["torque_exudyn"] = Computed(-found.contacts.torque_on_first[:, 0], 5e-3)
        nodes = dict(zip(DataNode._fields, (along, slip, across, along), strict=True))
        computed["data_node"] = [
            Computed(getattr(found.data, name)[:, 0], 0.0, limit) for name, limit in nodes.items()
        ]
    # At the start the file has the data node before its first update; at an event the program's
    # force lags by a step.
    near_event = (
        np.min(np.abs(times[:, None] - np.append(found.events, -np.inf)), axis=1) <= 2 * step
    )
    for name, values in samples.items():
        if name == "t":
            continue
        assert name in computed, f"unknown samples {name!r}"
        reference = np.array(values, dtype=float)
        if name == "data_node":
            for column, entry in zip(reference.T, computed[name], strict=True):
                assert_close(entry._replace(value=entry.value[1:]), column[1:])
        elif name in ("force", "torque_exudyn"):
            assert_close(
                computed[name]._replace(value=computed[name].value[~near_event]),
                reference[~near_event],
            )
        else:
            assert_close(computed[name], reference)
    for name, value in document["final"].items():
        assert name in computed, f"unknown final {name!r}"
        assert_close(Computed(computed[name].value[-1], 0.0, atol), value)
    for entry, value in zip(
        computed.get("data_node", ()), document.get("final_data_node", ()), strict=False
    ):
        assert_close(entry._replace(value=entry.value[-1]), value)
    if document.get("impacts_reference"):
        assert_close(
            Computed(found.impacts[:, [0, 2]], 0.0, atol + step), document["impacts_reference"]
        )


def trajectory_cases(file: ReferenceFile) -> Iterable[Case]:
    """One test for each trajectory."""
    document = file.document
    if "generalContact" in document:
        kind, system = "many spheres", many_spheres
    elif "body" in document:
        kind, system = "a sphere on a plane", sphere_on_plane
    else:
        plastic = (
            document["contact"].get("impactModel", 0) == 0
            and document["contact"].get("contactPlasticityRatio", 0.0) != 0.0
        )
        kind, system = (
            "two spheres with adhesive plasticity" if plastic else "two spheres",
            two_spheres,
        )
    check = partial(
        check_trajectory, document, system, file.suggestions.get("suggested_final_atol", 1e-6)
    )
    return dispatch(
        file,
        file.name,
        f"exudyn/trajectory of {kind}",
        {f"exudyn/trajectory of {kind}": lambda: [Case(file.name, check)]},
    )


FILE_KINDS = (
    FileKind("manifest", is_manifest, lambda file: []),
    FileKind(
        "pointwise force table",
        lambda document: (
            stated_kind(document) == "pointwise force table"
            and isinstance(document.get("rows"), list)
        ),
        pointwise_cases,
    ),
    FileKind(
        "trajectory of two spheres",
        lambda document: is_trajectory(document, "bodies", "contact"),
        trajectory_cases,
    ),
    FileKind(
        "trajectory of a sphere on a plane",
        lambda document: is_trajectory(document, "body", "contact"),
        trajectory_cases,
    ),
    FileKind(
        "trajectory of many spheres",
        lambda document: is_trajectory(document, "bodies", "generalContact"),
        trajectory_cases,
    ),
)
