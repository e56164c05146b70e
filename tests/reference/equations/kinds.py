"""Inputs and outputs of formulas of other programs; those that the laws here already cover run."""

from collections.abc import Iterable, Mapping
from typing import Any

from jaxcontact.laws.core.damping_maps import (
    RESTITUTION_LAWS,
    exact_damping_ratio,
    zero_force_restitution,
    zero_overlap_restitution,
)
from jaxcontact.materials import effective_mass
from tests.reference.case import Case, Computed, FileKind, ReferenceFile, assert_close, dispatch
from tests.reference.equations import comsol, edem, modia3d, pfc
from tests.reference.motion import OBTAINED, impact, rolling

FORMAT = "contact-model verification cases v1"


def effective_restitution(cor: float, m_eff: float, K: float, v0: float) -> Mapping[str, Any]:
    a = RESTITUTION_LAWS["flores_2011"].damping_ratio(cor)
    bounce = impact(damping_ratio=float(a), exponent=1.5, stiffness=K, mass=m_eff, speed=v0)
    return {"a": a, "e_eff": OBTAINED(a), "delta_max": bounce.largest_overlap}


def damping_for_exact_restitution(e: float) -> Mapping[str, Any]:
    return {"a": exact_damping_ratio(e)}


def contact_mass(m1: float, m2: float | None) -> Mapping[str, Any]:
    return {"m_c": effective_mass(m1) if m2 is None else effective_mass(m1, m2)}


def restitution_linear(beta: float) -> Mapping[str, Any]:
    return {
        "e_zero_gap": zero_overlap_restitution(beta),
        "e_no_tension": zero_force_restitution(beta),
    }


def sliding_to_rolling(R: float, v0: float, mu: float, g: float) -> Mapping[str, Any]:
    outputs = {}
    for name, inertia_ratio in (("sphere", 2 / 5), ("disk", 1 / 2)):
        motion = rolling(radius=R, velocity=v0, mu=mu, gravity=g, inertia_ratio=inertia_ratio)
        outputs |= {f"{name}_t": motion.slip_ends, f"{name}_v": motion.velocity}
    return outputs


FUNCTIONS = {
    "modia3d/effective_restitution": effective_restitution,
    "modia3d/damping_for_exact_restitution": damping_for_exact_restitution,
    "pfc/contact_mass": contact_mass,
    "pfc/restitution_linear": restitution_linear,
    "pfc/sliding_to_rolling": sliding_to_rolling,
    **comsol.FUNCTIONS,
    **edem.FUNCTIONS,
    **modia3d.FUNCTIONS,
    **pfc.FUNCTIONS,
}


def check(case: Mapping[str, Any]) -> None:
    outputs = FUNCTIONS[f"{case['system']}/{case['func']}"](**case["inputs"])
    unknown = set(case["outputs"]) - set(outputs)
    assert not unknown, f"unknown outputs {unknown}"
    for name, expected in case["outputs"].items():
        assert_close(Computed(outputs[name], case["rtol"], case["atol"]), expected)


def cases(file: ReferenceFile) -> Iterable[Case]:
    for index, case in enumerate(file.document["cases"]):
        name = f"{file.name}[{index}]/{case['system']}/{case['func']}"
        runners = {
            f"equations/{function}": lambda name=name, case=case: [Case(name, lambda: check(case))]
            for function in FUNCTIONS
        }
        yield from dispatch(file, name, f"equations/{case['system']}/{case['func']}", runners)


FILE_KINDS = (
    FileKind(
        "equations",
        lambda document: isinstance(document, dict) and document.get("format") == FORMAT,
        cases,
    ),
)
