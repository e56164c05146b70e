"""Chung and Ooi, Granular Matter 13 (2011) 643-656: tests 1 to 8 of a code at the level of single
impacts.
"""

import math
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.normal.elastic import power_law_force
from jaxcontact.materials import (
    Solid,
    effective_mass,
    effective_modulus,
    effective_radius,
    hertz_stiffness,
)
from tests.reference.case import Case, Computed, ReferenceFile, failing, quantities
from tests.reference.published.impacts import (
    Impact,
    as_arrays,
    body,
    impact_of_twins,
    impact_on_floor,
    quickly_compiled,
    two_spheres,
)
from tests.reference.published.reading import NUMBER, beside, columns, only, stated, within

TWINS = ("test1", "test7")
"""Tests in which two identical spheres meet; in the others a sphere meets a rigid plane."""


def is_parameters(document: Any) -> bool:
    return isinstance(document, dict) and {"conventions", "test1", "test8"} <= set(document)


def parameters(file: ReferenceFile, test: str) -> Mapping[str, Any]:
    """What the file of parameters beside ``file`` says of a test."""
    document = beside(file, is_parameters)
    if document is None:
        raise ValueError(f"the parameters of {test} are in no file beside it")
    return document[test]


def solid(material: Mapping[str, float]) -> Solid:
    return Solid(
        youngs_modulus=material["E"], poisson_ratio=material["nu"], density=material["rho"]
    )


def named(materials: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    """The material whose name begins with ``part`` (al: aluminium alloy)."""
    found = [name for name in materials if name.startswith(part)]
    if len(found) != 1:
        raise ValueError(f"{part!r} is not one of the materials {', '.join(materials)}")
    return materials[found[0]]


# Tests 1 and 2: elastic normal impact.


def elastic_impact(
    test: str, setup: Mapping[str, Any], material: Mapping[str, float]
) -> tuple[dict[str, Any], Impact]:
    """What goes into Hertz's law, and the simulated impact."""
    radius, twins = setup["radius_m"], test in TWINS
    one = solid(material)
    mass = float(jc.spheres(radius=radius, density=one.density).mass)
    modulus = effective_modulus(one, one if twins else None)
    reduced_radius = effective_radius(radius, radius if twins else math.inf)
    stiffness = float(hertz_stiffness(modulus, reduced_radius))
    known = {
        "mass_kg": mass,
        "reduced_mass_kg": effective_mass(mass, mass if twins else math.inf),
        "E_star_Pa": modulus,
        "R_star_m": reduced_radius,
        "K_N_per_m1p5": stiffness,
    }
    speed = setup["speed_each_m_s" if twins else "speed_m_s"]
    impact = (impact_of_twins if twins else impact_on_floor)(
        radius=radius,
        mass=mass,
        speed=speed,
        normal=jc.TsujiDashpot(stiffness=stiffness, restitution=setup["e"], end="zero_force"),
    )
    return known, impact


def force(stiffness: float, impact: Impact, times: Any) -> np.ndarray:
    return np.asarray(power_law_force(impact.overlap(times), stiffness=stiffness, exponent=1.5))


def tests_1_and_2(file: ReferenceFile) -> Iterable[Case]:
    tests = ("test1", "test2")
    yield from only(
        file,
        file.document,
        "source",
        *tests,
        "kratos_reference_peak_force_N",
        "digitised_curves",
        "tolerance",
    )
    rtol = stated(file.document["tolerance"], "closed form:")
    for test in tests:
        setup = parameters(file, test)
        for material, expected in file.document[test].items():

            def computed(
                test: str = test, setup: Mapping[str, Any] = setup, material: str = material
            ) -> dict[str, Computed]:
                known, impact = elastic_impact(test, setup, setup["materials"][material])
                found = {
                    "max_overlap_m": impact.largest_overlap,
                    "max_force_N": power_law_force(
                        impact.largest_overlap, stiffness=known["K_N_per_m1p5"], exponent=1.5
                    ),
                    "contact_time_s": impact.duration,
                    "time_to_max_s": impact.time_of_largest_overlap,
                }
                formulas = {name: Computed(value, rtol=1e-12) for name, value in known.items()}
                return formulas | {
                    name: Computed(value, rtol=rtol) for name, value in found.items()
                }

            yield from quantities(file, f"{file.name}/{test}/{material}", expected, (), computed)
    yield from peaks(file)
    for name, points in file.document["digitised_curves"].items():
        if isinstance(points, list) and name != "sources":
            yield digitised_curve(
                file, f"{file.name}/{name}", name, points, file.document["tolerance"]
            )


def peaks(file: ReferenceFile) -> Iterable[Case]:
    """Largest forces of another program, of one of the materials (it does not say of which), in
    whole newtons.
    """

    def nearest(test: str, expected: float) -> float:
        setup = parameters(file, test)
        forces = []
        for material in file.document[test]:
            known, impact = elastic_impact(test, setup, setup["materials"][material])
            forces.append(
                float(
                    power_law_force(
                        impact.largest_overlap, stiffness=known["K_N_per_m1p5"], exponent=1.5
                    )
                )
            )
        return min(forces, key=lambda value: abs(value - expected))

    for test, expected in file.document["kratos_reference_peak_force_N"].items():
        if test != "note":
            yield within(
                f"{file.name}/kratos_reference_peak_force_N/{test}",
                partial(nearest, test, expected),
                expected,
                0.5,
            )


def digitised_curve(
    file: ReferenceFile, name: str, label: str, points: Any, tolerance: str
) -> Case:
    """Every point of a digitised curve is as near to the simulated one as the tolerance says, in
    force and in time.
    """
    found = re.search(r"test(\d)_([a-z]+)_force", label)
    if found is None:
        return failing(
            name,
            f"{file.path}: unknown kind {label!r} of curve. Known: "
            "test<number>_<material>_force... .",
        )
    test, part = f"test{found[1]}", found[2]
    limits = re.search(rf"{NUMBER} kN / {NUMBER} us \(test {found[1]}\)", tolerance)
    if limits is None:
        raise ValueError(f"{tolerance!r} states nothing for {test}")
    in_force, in_time = float(limits[1]), float(limits[2])

    def distances() -> np.ndarray:
        setup = parameters(file, test)
        known, impact = elastic_impact(test, setup, named(setup["materials"], part))
        times, forces = columns(points)
        offsets = np.linspace(-in_time, in_time, 101)
        nearest = []
        for time, expected in zip(times, forces, strict=True):
            near = np.maximum(time + offsets, 0.0)
            curve = force(known["K_N_per_m1p5"], impact, near * 1e-6) / 1e3
            nearest.append(
                np.min(
                    np.maximum(np.abs(curve - expected) / in_force, np.abs(near - time) / in_time)
                )
            )
        return np.asarray(nearest)

    return within(name, distances, np.zeros(len(points)), 1.0)


def force_curve(file: ReferenceFile) -> Iterable[Case]:
    """A table of a digitised curve; its tolerance stands in the file of the tests 1 and 2."""
    about = beside(
        file, lambda document: isinstance(document, dict) and "digitised_curves" in document
    )
    if about is None:
        raise ValueError("its tolerance is in no file beside it")
    points = [[float(number) for number in row] for row in file.document[1:]]
    yield digitised_curve(file, file.name, file.name, points, about["tolerance"])


# Test 3: normal impact with restitution.

ENDS = ("zero_force", "zero_overlap")
SIMULATED = (partial(jc.TsujiDashpot, end="zero_force"), jc.HuntCrossley, jc.LinearDashpot)
"""Laws that claim a restitution, and are integrated through an impact."""
CLAIMED = (
    *(partial(law, end=end) for law in (jc.TsujiDashpot, jc.LinearDashpot) for end in ENDS),
    *(
        jc.HuntCrossley,
        jc.PowerLawHuntCrossley,
        lambda stiffness, restitution: jc.NewtonRestitution(restitution=restitution),
    ),
)
"""Laws that tell the restitution they obtain."""


@quickly_compiled
def claimed(stiffness: Any, restitution: Any, speed: Any, mass: Any) -> Any:
    return jnp.stack(
        [
            law(stiffness=stiffness, restitution=restitution).restitution_at(speed, mass=mass)
            for law in CLAIMED
        ]
    )


def test_3(file: ReferenceFile) -> Iterable[Case]:
    yield from only(
        file, file.document, "source", "materials", "radius_m", "speed_m_s", "expected", "note"
    )
    radius, speed = file.document["radius_m"], file.document["speed_m_s"]
    for name, material in file.document["materials"].items():
        one = solid(material)
        mass = float(jc.spheres(radius=radius, density=one.density).mass)
        stiffness = float(hertz_stiffness(effective_modulus(one), radius))
        for index, row in enumerate(file.document["expected"]):

            def computed(
                e_in: float, mass: float = mass, stiffness: float = stiffness
            ) -> dict[str, list[Computed]]:
                parameters = {"stiffness": stiffness, "restitution": e_in}
                found = [
                    impact_on_floor(
                        radius=radius, mass=mass, speed=speed, normal=law(**parameters)
                    ).restitution
                    for law in SIMULATED
                ]
                found += list(np.asarray(claimed(*as_arrays((stiffness, e_in, speed, mass)))))
                return {"e_out": [Computed(restitution, rtol=1e-6) for restitution in found]}

            yield from quantities(file, f"{file.name}/{name}[{index}]", row, ("e_in",), computed)


# Test 7: identical spheres with opposite spins.


def counter_spinning(
    setup: Mapping[str, Any],
    material: Mapping[str, float],
    spin: float,
    *,
    friction: float,
    restitution: float,
) -> Any:
    """State of the first of two identical spheres after the impact."""
    radius, one = setup["radius_m"], solid(material)
    stiffness = float(hertz_stiffness(effective_modulus(one, one), radius / 2))
    twins = [
        body(
            radius=radius,
            density=one.density,
            velocity=(sign * setup["normal_speed_each_m_s"], 0.0, 0.0),
            spin=(0.0, 0.0, sign * spin),
        )
        for sign in (1.0, -1.0)
    ]
    normal = jc.TsujiDashpot(stiffness=stiffness, restitution=restitution, end="zero_force")
    return two_spheres(*twins, normal, times=(1.0,), coefficient=friction).state


def test_7(file: ReferenceFile) -> Iterable[Case]:
    yield from only(file, file.document, "source", "parameters", "expected", "kratos_files")
    setup = file.document["parameters"]
    rtol = 1e-7  # eight digits are given
    for name, material in setup["materials"].items():
        for index, row in enumerate(file.document["expected"]):

            def computed(
                omega0_rad_s: float, material: Mapping[str, float] = material
            ) -> dict[str, Computed]:
                after = counter_spinning(
                    setup, material, omega0_rad_s, friction=setup["mu"], restitution=setup["e"]
                )
                return {
                    "omega_out_rad_s": Computed(after.spin[0, 0, 2], rtol),
                    "v_t_out_m_s": Computed(
                        after.velocity[0, 0, 1], rtol, rtol * setup["normal_speed_each_m_s"]
                    ),
                }

            yield from quantities(
                file, f"{file.name}/{name}[{index}]", row, ("omega0_rad_s",), computed
            )
