"""Single contacts recorded from LAMMPS's tests of granular pair styles."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

import jaxcontact as jc
from jaxcontact.laws.normal.adhesion import jkr_force
from jaxcontact.materials import Solid, effective_modulus, effective_shear_modulus, hertz_stiffness
from tests.reference.case import Case, Computed, ReferenceFile, dispatch, quantities
from tests.reference.published.impacts import body, two_spheres
from tests.reference.published.oblique_impacts import Rebound, Spring, oblique_impacts
from tests.reference.published.reading import only, stated, within
from tests.reference.published.resting_contact import Resistance, Resting, resting_contact

Setup = Mapping[str, Any]


USUAL_DAMPING_RATIO = 0.5
"""Tangential over normal damping in these tests, where a setup does not say it: without, the spring
of a sliding contact springs back when the contact ends.
"""


class Tolerance:
    """Relative tolerances of velocities, of spins, and of the formulas of gross sliding."""

    def __init__(self, text: str) -> None:
        self.velocity = stated(text)
        self.spin = stated(text, ";")
        self.formula = stated(text, "gross-sliding formulas") / 100

    def of(self, label: str) -> float:
        return self.spin if label.startswith("w") else self.velocity


def solid(setup: Setup) -> Solid:
    return Solid(youngs_modulus=setup["E"], poisson_ratio=setup["nu"], density=setup.get("rho"))


def normal_law(setup: Setup, effective_radius: float) -> Any:
    """Of the restitution asked for, without attraction. LAMMPS's contacts attract before they end,
    and rub there, too.
    """
    if "kn" in setup:
        return jc.LinearDashpot(stiffness=setup["kn"], restitution=setup["e"], end="zero_force")
    one = solid(setup)
    stiffness = float(hertz_stiffness(effective_modulus(one, one), effective_radius))
    return jc.TsujiDashpot(stiffness=stiffness, restitution=setup["e"], end="zero_force")


def on_plane(setup: Setup) -> dict[str, Any]:
    """A sphere hits a plane of its own material."""
    radius = setup["radius"]
    one = None if "kn" in setup else solid(setup)
    stiffness = setup["kt"] if one is None else float(effective_shear_modulus(one, one))
    damping_ratio = (
        stated(setup["tangential"], "damping ratio") if says_its_law(setup) else USUAL_DAMPING_RATIO
    )
    spring = Spring(setup["mu"], stiffness, damping_ratio)
    before = Rebound(
        np.atleast_1d(-abs(setup.get("vz", setup.get("v")))),
        setup.get("vx", 0.0),
        -setup.get("w0", 0.0),
    )
    mass = float(jc.spheres(radius=radius, density=setup["rho"]).mass)
    after = oblique_impacts(
        before,
        radius=radius,
        mass=mass,
        normal=normal_law(setup, radius),
        spring=spring,
        form=tangential_form(setup),
    )
    return {
        "vx": float(after.tangential[0]),
        "vz": float(after.normal[0]),
        "wy": -float(after.spin[0]),
    }


FORMS = {
    "mindlin": "displacement",
    "mindlin/force": "incremental",
    "mindlin_rescale/force": "rescaled",
}
"""Tangential springs by their names in LAMMPS."""


def tangential_form(setup: Setup) -> str:
    """Key of ``oblique_impacts.SPRINGS``; ``mindlin`` where a Hertz contact has no
    name.
    """
    if "kn" in setup:
        return "linear"
    name = re.split(r"[ ,(]", setup.get("tangential", "mindlin"))[0]
    if name not in FORMS:
        raise ValueError(f"unknown tangential spring {name!r}. Known: {', '.join(FORMS)}")
    return FORMS[name]


def says_its_law(setup: Setup) -> bool:
    """Whether the setup says which tangential law LAMMPS took."""
    return "tangential" in setup


def head_on(setup: Setup, times: Any) -> Any:
    """State of the first of two equal spheres at ``times``."""
    radius, speed = setup["radius"], setup["v_each"]
    spins = setup.get("w", (0.0, 0.0))
    first, second = (
        body(
            radius=radius,
            density=setup["rho"],
            velocity=(sign * speed, 0.0, 0.0),
            spin=(0.0, 0.0, spin),
        )
        for sign, spin in zip((1.0, -1.0), spins, strict=True)
    )
    normal = normal_law(setup, radius / 2)
    gap = setup["x0"][1] - setup["x0"][0] - 2 * radius if "x0" in setup else 0.0
    return two_spheres(
        first, second, normal, times=times, gap=gap, coefficient=setup.get("mu", 0.0)
    ).state


def formulas(setup: Setup) -> dict[str, float]:
    """Of gross sliding, as the files write them."""
    change = setup["mu"] * (1 + setup["e"]) * abs(setup["vz"])
    return {
        "vx-mu(1+e)|vz|": setup["vx"] - change,
        "2.5 mu(1+e)|vz|/r": 2.5 * change / setup["radius"],
    }


def of_plane(
    file: ReferenceFile, name: str, case: Mapping[str, Any], setup: Setup, tolerance: Tolerance
) -> Iterable[Case]:
    def final() -> dict[str, Computed]:
        rtol = tolerance.of if says_its_law(setup) else lambda _: tolerance.formula
        return {label: Computed(value, rtol(label)) for label, value in on_plane(setup).items()}

    yield from quantities(file, f"{name}/final", case["final"], (), final)
    for label, expected in case.get("analytic", {}).items():
        value = formulas(setup)[expected] if isinstance(expected, str) else expected
        yield within(
            f"{name}/analytic/{label}",
            lambda label=label: on_plane(setup)[label],
            value,
            tolerance.formula * abs(value),
        )


def of_spheres(
    file: ReferenceFile, name: str, case: Mapping[str, Any], setup: Setup, tolerance: Tolerance
) -> Iterable[Case]:
    speed = setup["v_each"]

    def at(t: float) -> dict[str, Computed]:
        state = head_on(setup, (t,))
        return {
            "x1": Computed(state.position[0, 0, 0], tolerance.velocity),
            "v1": Computed(state.velocity[0, 0, 0], tolerance.velocity),
        }

    def final() -> dict[str, Computed]:
        state = head_on(setup, (100.0 * setup["radius"] / speed,))
        found = {
            "v1": state.velocity[0, 0, 0],
            "vx": state.velocity[0, 0, 1],
            "w1": state.spin[0, 0, 2],
            "e_out": -state.velocity[0, 0, 0] / speed,
        }
        return {
            label: Computed(value, tolerance.of(label), 1e-9 * speed)
            for label, value in found.items()
        }

    for index, row in enumerate(case.get("states", [])):
        yield from quantities(file, f"{name}/states[{index}]", row, ("t",), at)
    if "final" in case:
        yield from quantities(file, f"{name}/final", case["final"], (), final)


def of_sliding(
    file: ReferenceFile, name: str, case: Mapping[str, Any], setup: Setup, tolerance: Tolerance
) -> Iterable[Case]:
    start = Resting(np.zeros(2), np.asarray([setup["u0"], 0.0]), np.zeros(3))
    mass = float(jc.spheres(radius=setup["radius"], density=setup["rho"]).mass)
    floor = {
        "radius": setup["radius"],
        "mass": mass,
        "gravity": setup["g"],
        "resistance": Resistance(friction=setup["mu"]),
    }

    def at(t: float) -> dict[str, Computed]:
        state = resting_contact(start, time=t, **floor)
        return {
            "u": Computed(state.velocity[0], tolerance.velocity),
            "wy": Computed(state.spin[1], tolerance.spin),
        }

    for index, row in enumerate(case["states"]):
        yield from quantities(file, f"{name}/states[{index}]", row, ("t",), at)


def of_adhesion(
    file: ReferenceFile, name: str, case: Mapping[str, Any], setup: Setup, tolerance: Tolerance
) -> Iterable[Case]:
    """LAMMPS's ``gamma`` is the energy of each of the two surfaces."""
    one, expected = solid(setup), stated(case["expected"], "R_eff *=")

    def force() -> float:
        return abs(
            float(
                jkr_force(
                    0.0,
                    effective_modulus=effective_modulus(one, one),
                    effective_radius=setup["R_eff"],
                    work_of_adhesion=2 * setup["gamma"],
                )
            )
        )

    yield within(f"{name}/force", force, expected, tolerance.velocity * expected)


def of_rolling(
    file: ReferenceFile, name: str, case: Mapping[str, Any], setup: Setup, tolerance: Tolerance
) -> Iterable[Case]:
    """A sphere that spins about a horizontal axis on a floor without friction; nothing depends on
    its mass.
    """
    radius = setup["radius"]
    resistance = Resistance(rolling=setup["mu_r"] * radius)
    start = Resting(np.zeros(2), np.zeros(2), np.asarray([0.0, setup["w0"], 0.0]))

    def at(t: float) -> dict[str, Computed]:
        state = resting_contact(
            start, radius=radius, mass=1.0, gravity=setup["g"], resistance=resistance, time=t
        )
        return {"w": Computed(state.spin[1], tolerance.spin)}

    for index, row in enumerate(case["states"]):
        yield from quantities(file, f"{name}/states[{index}]", row, ("t",), at)


TYPES: dict[str, Callable[..., Iterable[Case]]] = {
    "sphere on z-plane": of_plane,
    "spinning sphere on wall": of_plane,
    "two equal spheres head-on": of_spheres,
    "Chung-Ooi test 7 type": of_spheres,
    "sphere sliding on floor": of_sliding,
    "sphere spinning on floor": of_rolling,
    "two spheres at zero overlap": of_adhesion,
}
"""What runs a case, by how its type begins."""


def whole_setup(case: Mapping[str, Any], by_name: Mapping[str, Any]) -> Setup:
    """The setup of a case; ``as <name>`` takes over that of another."""
    other = re.fullmatch(r"as (\S+)", case["setup"]["type"])
    if other is None:
        return case["setup"]
    return whole_setup(by_name[other[1]], by_name) | {
        key: value for key, value in case["setup"].items() if key != "type"
    }


def cases(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(file, document, "cases", "note", "independent_recomputation", "tolerance")
    tolerance = Tolerance(document["tolerance"])
    by_name = {case["name"]: case for case in document["cases"]}
    for case in document["cases"]:
        name, setup = f"{file.name}/{case['name']}", whole_setup(case, by_name)
        kind = next((known for known in TYPES if setup["type"].startswith(known)), setup["type"])
        runners = {
            f"lammps/{known}": partial(run, file, name, case, setup, tolerance)
            for known, run in TYPES.items()
        }
        yield from dispatch(file, name, f"lammps/{kind}", runners)
    for index, row in enumerate(document["independent_recomputation"]):
        yield from recomputed(file, index, row, by_name, tolerance)


def recomputed(
    file: ReferenceFile,
    index: int,
    row: Mapping[str, Any],
    by_name: Mapping[str, Any],
    tolerance: Tolerance,
) -> Iterable[Case]:
    """Of one of the cases, named by the end of its name."""
    found = [case for name, case in by_name.items() if name.endswith(f"mindlin-{row['case']}")]
    if len(found) != 1:
        raise ValueError(f"{row['case']!r} is not the end of one of the names {', '.join(by_name)}")
    setup = whole_setup(found[0], by_name)

    def computed(case: str, vx_lammps: float) -> dict[str, Computed]:
        vx = on_plane(setup)["vx"]
        return {
            "vx_independent": Computed(vx, tolerance.velocity),
            "diff": Computed(vx - vx_lammps, 0.0, tolerance.velocity * abs(vx)),
        }

    yield from quantities(
        file,
        f"{file.name}/independent_recomputation[{index}]",
        row,
        ("case", "vx_lammps"),
        computed,
    )
