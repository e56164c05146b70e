"""Chung and Ooi, Granular Matter 13 (2011) 643-656: tests 4 to 6, a sphere that hits a rigid plane
obliquely or spinning.

While the contact slides to its end, results are closed forms. Where it sticks in between, they
depend on the spring: each file says which one reproduces it.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

import jaxcontact as jc
from jaxcontact.laws.normal.elastic import contact_duration, maximum_overlap
from jaxcontact.materials import (
    effective_modulus,
    effective_radius,
    effective_shear_modulus,
    hertz_stiffness,
)
from tests.reference.case import Case, ReferenceFile, failing, skipped
from tests.reference.published.chung_ooi import counter_spinning, parameters, solid
from tests.reference.published.impacts import after_impact, body, over_floor, two_spheres
from tests.reference.published.oblique_impacts import Rebound, Spring, oblique_impacts
from tests.reference.published.reading import columns, mean_square_within, only, stated, within


class Plane(NamedTuple):
    """A sphere of ``material`` that hits a rigid plane."""

    radius: float
    mass: float
    restitution: float
    friction: float
    stiffness: float
    shear_modulus: float

    def rebound(
        self,
        before: Rebound,
        form: str,
        *,
        shear_modulus_ratio: float = 1.0,
        damping_ratio: float = 0.0,
    ) -> Rebound:
        """After impacts under Hertz's law with Tsuji's dashpot and Mindlin's spring."""
        spring = Spring(self.friction, shear_modulus_ratio * self.shear_modulus, damping_ratio)
        normal = jc.TsujiDashpot(
            stiffness=self.stiffness, restitution=self.restitution, end="zero_force"
        )
        return oblique_impacts(
            before, radius=self.radius, mass=self.mass, normal=normal, spring=spring, form=form
        )

    @property
    def sliding_onset(self) -> float:
        """Slip over normal velocity from which on a contact without tangential elasticity slides to
        its end.
        """
        return 3.5 * self.friction * (1.0 + self.restitution)


def rigid_plane(setup: Mapping[str, Any], material: Mapping[str, float]) -> Plane:
    radius, one = setup["radius_m"], solid(material)
    mass = float(jc.spheres(radius=radius, density=one.density).mass)
    stiffness = float(hertz_stiffness(effective_modulus(one), radius))
    return Plane(
        radius, mass, setup["e"], setup["mu"], stiffness, float(effective_shear_modulus(one))
    )


def by_name(setup: Mapping[str, Any], material: str) -> Plane:
    if material not in setup["materials"]:
        raise ValueError(
            f"{material!r} is not one of the materials {', '.join(setup['materials'])}"
        )
    return rigid_plane(setup, setup["materials"][material])


# Test 4: one speed, every angle.

FORMS = {"disp": "displacement", "force": "incremental", "rescale": "rescaled"}


def material_of_test_4(file: ReferenceFile, setup: Mapping[str, Any]) -> Plane:
    """The material of which the file says the mass, if not the name."""
    if "material" in file.document:
        return by_name(setup, file.document["material"])
    mass = file.document["independent_reference"]["m"]
    for material in setup["materials"].values():
        plane = rigid_plane(setup, material)
        if math.isclose(plane.mass, mass, rel_tol=1e-6):
            return plane
    raise ValueError(
        f"a sphere of {mass} kg is of none of the materials {', '.join(setup['materials'])}"
    )


class OneSpeed(NamedTuple):
    """Impacts of one speed at angles of incidence [degrees]."""

    plane: Plane
    speed: float

    def of(
        self, quantity: str, angles: Any, form: str = "displacement"
    ) -> Callable[[], np.ndarray]:
        """What is computed when called: restitutions ``e_n`` and ``e_t`` of the centre, spin
        ``omega``, ``rebound`` angle of the patch.
        """

        def compute() -> np.ndarray:
            radians = np.radians(np.asarray(angles, dtype=float))
            normal, tangential = self.speed * np.cos(radians), self.speed * np.sin(radians)
            after = self.plane.rebound(Rebound(-normal, tangential, 0.0), form)
            return {
                "e_n": after.normal / normal,
                "e_t": after.tangential / tangential,
                "omega": after.spin,
                "rebound": np.degrees(
                    np.arctan2(after.tangential + self.plane.radius * after.spin, after.normal)
                ),
            }[quantity]

        return compute

    def slides(self, angles: Any) -> Any:
        """Whether friction slides to the end of an impact."""
        return np.tan(np.radians(angles)) >= self.plane.sliding_onset

    def sliding(self, quantity: str, angle: float) -> float:
        """What gross sliding gives, whatever the law."""
        change = self.plane.friction * (1.0 + self.plane.restitution)
        normal = self.speed * math.cos(math.radians(angle))
        return {
            "e_t": 1.0 - change / math.tan(math.radians(angle)),
            "omega": -2.5 * change * normal / self.plane.radius,
        }[quantity]


TEST_4_NAMES = {
    "e_n": "e_n",
    "e_t": "e_t",
    "omega": "omega",
    "omega_rad_s": "omega",
    "rebound_deg": "rebound",
}
"""Of quantities, in the files and here."""


def test_4(file: ReferenceFile) -> Iterable[Case]:
    document, tolerance = file.document, file.document["tolerance"]
    entries = (
        "source",
        "material",
        "digitised",
        "experiment_Kharaz2001",
        "lethe_dem_omega_via_CabanaDEM",
        "sliding_asymptote",
    )
    yield from only(
        file, document, *entries, "independent_reference", "note", "kratos_caveat", "tolerance"
    )
    setup = parameters(file, "test4")
    impacts = OneSpeed(material_of_test_4(file, setup), setup["resultant_speed_m_s"])
    sliding = {name: stated(tolerance, "sliding points:", name) for name in ("e_t", "omega")}
    everywhere = {
        name: stated(tolerance, "all points", name) for name in ("e_t", "omega", "rebound")
    }
    for label, points in document["digitised"].items():
        name, quantity, (angles, values) = (
            f"{file.name}/digitised/{label}",
            TEST_4_NAMES[label],
            columns(points),
        )
        slides = impacts.slides(angles)
        yield within(name, impacts.of(quantity, angles), values, everywhere[quantity])
        if quantity in sliding:
            yield within(
                f"{name}/sliding",
                impacts.of(quantity, angles[slides]),
                values[slides],
                sliding[quantity],
            )
    for index, row in enumerate(document["sliding_asymptote"]):
        if row["sliding"]:
            for label in ("e_t", "omega"):
                name = f"{file.name}/sliding_asymptote[{index}]/{label}"
                yield within(
                    name, impacts.of(label, [row["angle_deg"]]), [row[label]], sliding[label]
                )
    if "experiment_Kharaz2001" in document:
        yield from experiment_of_test_4(file, impacts)
    if "independent_reference" in document:
        yield from reference_of_test_4(
            file, impacts, {"e_n": sliding["e_t"]} | everywhere | sliding
        )


def reference_of_test_4(
    file: ReferenceFile, impacts: OneSpeed, limits: Mapping[str, float]
) -> Iterable[Case]:
    """Other integrations of the three forms of Mindlin's spring."""
    reference, plane = file.document["independent_reference"], impacts.plane
    constants = {
        "K": plane.stiffness,
        "kt_at_unit_sqrt_overlap": 8 * plane.shear_modulus * math.sqrt(plane.radius),
    }
    for label, value in constants.items():
        yield within(
            f"{file.name}/independent_reference/{label}",
            lambda value=value: value,
            reference[label],
            1e-9 * value,
        )
    for variant, values in reference["variants"].items():
        for label, expected in values.items():
            name, quantity = (
                f"{file.name}/independent_reference/{variant}/{label}",
                TEST_4_NAMES[label],
            )
            yield within(
                name,
                impacts.of(quantity, reference["angles_deg"], FORMS[variant]),
                expected,
                limits[quantity],
            )


def experiment_of_test_4(file: ReferenceFile, impacts: OneSpeed) -> Iterable[Case]:
    """Measured points, one by one, from the angle on from which the tolerance holds; a second
    digitisation counts spin the other way.

    The tolerance names no spring for them. The incremental one meets it everywhere; the
    displacement form does but for the spin at 21 degrees, where it is 42.5 rad/s off.
    """
    experiment, tolerance = file.document["experiment_Kharaz2001"], file.document["tolerance"]
    limits = {name: stated(tolerance, "experiment:", name) for name in ("e_t", "omega")}
    for label, points in experiment.items():
        name = f"{file.name}/experiment_Kharaz2001/{label}"
        if label == "cabanadem_note":
            continue
        turned = label == "omega_independent_digitisation_CabanaDEM"
        quantity = "omega" if turned else TEST_4_NAMES[label]
        if quantity not in limits:
            yield skipped(name, f"{file.path} states no tolerance for {quantity} of the experiment")
            continue
        least = (
            stated(experiment["cabanadem_note"], "do not use below")
            if turned
            else stated(tolerance, "experiment:", "angles *>=")
        )
        for angle, value in points:
            if angle >= least:
                yield measured_point(
                    f"{name}/{angle:.1f}",
                    impacts,
                    quantity,
                    angle,
                    -value if turned else value,
                    limits[quantity],
                )


def measured_point(
    name: str, impacts: OneSpeed, quantity: str, angle: float, value: float, limit: float
) -> Case:
    """A measured point; skipped where gross sliding, which depends on nothing but the file's own
    parameters, is too far from it.
    """
    if impacts.slides(angle) and abs(impacts.sliding(quantity, angle) - value) > limit:
        closed_form = impacts.sliding(quantity, angle)
        return skipped(
            name,
            f"measured {value:.4g}; gross sliding gives {closed_form:.4g} whatever the law, "
            f"which is beyond {limit:g}",
        )
    return within(name, impacts.of(quantity, [angle], "incremental"), [value], limit)


# Test 5: one normal velocity, every tangential one.


def test_5(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(
        file,
        document,
        "source",
        "material",
        "digitised",
        "independent_reference",
        "note",
        "tolerance",
    )
    setup = parameters(file, "test5")
    plane, speed = by_name(setup, document["material"]), setup["normal_speed_m_s"]
    forms = {  # the spring, and its stiffness over Mindlin's
        "mindlin_disp": ("displacement", 1.0),
        "mindlin_force": ("incremental", 1.0),
        "half_mindlin_force": ("incremental", 0.5),
    }
    of_paper = "half_mindlin_force"

    def outcome(quantity: str, x: Any, variant: str = of_paper) -> Callable[[], np.ndarray]:
        def compute() -> np.ndarray:
            form, ratio = forms[variant]
            after = plane.rebound(
                Rebound(-speed * np.ones_like(x), np.asarray(x) * plane.friction * speed, 0.0),
                form,
                shear_modulus_ratio=ratio,
            )
            by = {
                "y1": (after.tangential + plane.radius * after.spin)
                / (plane.friction * after.normal),
                "y2": plane.radius * after.spin / (plane.friction * speed),
            }
            return by[quantity]

        return compute

    tolerance = document["tolerance"]
    onset = stated(tolerance, "x *>=")
    limits = {quantity: stated(tolerance, "x *>=", quantity) for quantity in ("y1", "y2")}
    for label, points in document["digitised"].items():
        quantity, name = label.removeprefix("x_"), f"{file.name}/digitised/{label}"
        x, y = columns(points)
        slides = x >= onset
        yield within(f"{name}/sliding", outcome(quantity, x[slides]), y[slides], limits[quantity])
        yield mean_square_within(
            f"{name}/sticking",
            outcome(quantity, x[~slides]),
            y[~slides],
            stated(tolerance, "half-Mindlin", "rms"),
        )
    reference = document["independent_reference"]
    x = np.asarray(reference["x"])
    for variant, values in reference["variants"].items():
        if variant not in forms:
            known = ", ".join(forms)
            yield failing(
                f"{file.name}/independent_reference/{variant}",
                f"{file.path}: unknown kind {variant!r} of spring. Known: {known}.",
            )
            continue
        for quantity, y in values.items():
            name = f"{file.name}/independent_reference/{variant}/{quantity}"
            yield within(name, outcome(quantity, x, variant), y, limits[quantity])
    rigid = x * plane.friction >= plane.sliding_onset
    for quantity, y in reference["sliding"].items():
        name = f"{file.name}/independent_reference/sliding/{quantity}"
        yield within(name, outcome(quantity, x[rigid]), np.asarray(y)[rigid], limits[quantity])


# Test 6: one normal velocity, every spin.


def test_6(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(
        file, document, "source", "material", "digitised", "sliding_check", "note", "tolerance"
    )
    setup = parameters(file, "test6")
    plane, speed, tolerance = (
        by_name(setup, document["material"]),
        setup["normal_speed_m_s"],
        document["tolerance"],
    )

    def slip_after(tangent: Any) -> Any:
        """Slip over its beginning, and over the normal velocity, for the tangent of the angle of
        incidence of the contact patch.
        """
        before = Rebound(-speed * np.ones_like(tangent), 0.0, tangent * speed / plane.radius)
        after = plane.rebound(before, "displacement", damping_ratio=1.0)
        slip = after.tangential + plane.radius * after.spin
        return -slip / (tangent * speed), slip / after.normal

    def beta(x: Any) -> Callable[[], np.ndarray]:
        return lambda: slip_after(plane.sliding_onset / x)[0]

    def recoil(tangent: Any) -> Callable[[], np.ndarray]:
        return lambda: slip_after(tangent)[1]

    sticking = stated(tolerance, "stick:")
    curves = {
        "X_beta": (beta, "beta", lambda x: x < 1.0),
        "tanin_tanout": (recoil, "tan", lambda x: x >= plane.sliding_onset),
    }
    residuals = {"beta_resid": "X_beta", "recoil_resid": "tanin_tanout"}
    for label, points in document["digitised"].items():
        name = f"{file.name}/digitised/{label}"
        if label not in curves:
            yield failing(
                name, f"{file.path}: unknown kind {label!r} of curve. Known: {', '.join(curves)}."
            )
            continue
        compute, word, is_sliding = curves[label]
        x, y = columns(points)
        slides = is_sliding(x)
        yield within(
            f"{name}/sliding", compute(x[slides]), y[slides], stated(tolerance, "sliding:", word)
        )
        yield mean_square_within(f"{name}/sticking", compute(x[~slides]), y[~slides], sticking)
    for label, expected in document["sliding_check"].items():
        compute, word, is_sliding = curves[residuals[label]]
        x, y = columns(document["digitised"][residuals[label]])
        slides = is_sliding(x)

        def residual(compute: Any = compute, x: Any = x[slides], y: Any = y[slides]) -> np.ndarray:
            return y - compute(x)()

        yield within(
            f"{file.name}/sliding_check/{label}",
            residual,
            expected,
            stated(tolerance, "sliding:", word),
        )


# The file of parameters: what it says of gross sliding, for every material, through ``simulate``.

SLIDING = {
    "test4": "a sphere with a rigid plane, of one speed at every angle",
    "test5": "of one normal velocity at every tangential one",
    "test6": "of one normal velocity at every spin",
}


def sliding_incidence(
    test: str, setup: Mapping[str, Any], onset: float
) -> tuple[float, float, float]:
    """Normal and tangential velocity [m/s] and surface speed [m/s] of an impact that slides to its
    end.
    """
    tangent = 2.0 * onset
    if test == "test4":
        speed = setup["resultant_speed_m_s"]
        angle = math.atan(tangent)
        return speed * math.cos(angle), speed * math.sin(angle), 0.0
    speed = setup["normal_speed_m_s"]
    return (speed, tangent * speed, 0.0) if test == "test5" else (speed, 0.0, tangent * speed)


def test_parameters(file: ReferenceFile) -> Iterable[Case]:
    """Of tests 4 to 6, gross sliding of a sphere of each material; of tests 1, 2, 7 and 8, what the
    file expects of them.
    """
    document = file.document
    tests = tuple(f"test{number}" for number in range(1, 9))
    yield from only(file, document, "source", "conventions", *tests, "analytic")
    limit = 1e-6
    constant = stated(document["analytic"]["hertz"]["constant_exact"], "= ")
    yield within(f"{file.name}/hertz/constant_exact", lambda: duration_constant(), constant, 1e-10)
    for test in SLIDING:
        setup = document[test]
        for material in setup["materials"]:
            plane = by_name(setup, material)
            normal, tangential, surface = sliding_incidence(test, setup, plane.sliding_onset)
            change = plane.friction * (1.0 + plane.restitution) * normal
            expected = [plane.restitution * normal, tangential - change, surface - 2.5 * change]

            def computed(
                plane: Plane = plane, before: Any = (normal, tangential, surface)
            ) -> list[float]:
                return simulated_rebound(plane, *before)

            yield within(f"{file.name}/{test}/{material}", computed, expected, limit * normal)
    yield from of_twins(file, document["test7"], limit)
    yield within(
        f"{file.name}/test8",
        lambda: heavy_partner(document["test8"])[0],
        heavy_partner(document["test8"])[1],
        1e-4,
    )


def duration_constant() -> float:
    """Duration of an elastic impact over its largest overlap times the impact speed."""
    elastic = {"mass": 1.0, "stiffness": 1.0, "exponent": 1.5}
    return float(contact_duration(1.0, **elastic) / maximum_overlap(1.0, **elastic))


def simulated_rebound(
    plane: Plane, normal: float, tangential: float, surface: float
) -> list[float]:
    """Normal velocity, tangential velocity and surface speed after an impact under regularised
    friction.
    """
    sphere = body(
        radius=plane.radius,
        mass=plane.mass,
        velocity=(tangential, 0.0, -normal),
        spin=(0.0, -surface / plane.radius, 0.0),
    )
    law = jc.TsujiDashpot(
        stiffness=plane.stiffness, restitution=plane.restitution, end="zero_force"
    )
    end = after_impact(law, plane.mass, normal)
    state = over_floor(sphere, law, times=(end,), coefficient=plane.friction).state
    return [state.velocity[0, 2], state.velocity[0, 0], -plane.radius * state.spin[0, 1]]


def of_twins(file: ReferenceFile, setup: Mapping[str, Any], limit: float) -> Iterable[Case]:
    speed, radius = setup["normal_speed_each_m_s"], setup["radius_m"]
    spin = speed / radius * math.tan(math.radians(45.0))
    for name, material in setup["materials"].items():

        def after(material: Mapping[str, float] = material) -> list[float]:
            state = counter_spinning(
                setup, material, spin, friction=setup["mu"], restitution=setup["e"]
            )
            return [state.velocity[0, 0, 1], radius * state.spin[0, 0, 2]]

        yield within(f"{file.name}/test7/{name}", after, [0.0, radius * spin], limit * speed)


def heavy_partner(setup: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    """Test 8: tangential velocity and surface speed after a spinning sphere slides on a heavy one,
    and as it would on a rigid plane.
    """
    small, large = setup["materials"]["small"], setup["materials"]["large_case_A"]
    radii, speed, friction, e = (
        (setup["r1_m"], setup["r2_m"]),
        setup["normal_speed_m_s"],
        setup["mu"],
        setup["e"],
    )
    stiffness = float(
        hertz_stiffness(effective_modulus(solid(small), solid(large)), effective_radius(*radii))
    )
    surface = 2.0 * 3.5 * friction * (1.0 + e) * speed
    spinning = body(
        radius=radii[0],
        density=small["rho"],
        velocity=(speed, 0.0, 0.0),
        spin=(0.0, 0.0, surface / radii[0]),
    )
    resting = body(radius=radii[1], density=large["rho"], velocity=(0.0, 0.0, 0.0))
    law = jc.TsujiDashpot(stiffness=stiffness, restitution=e, end="zero_force")
    state = two_spheres(spinning, resting, law, times=(1.0,), coefficient=friction).state
    change = friction * (1.0 + e) * speed
    return [state.velocity[0, 0, 1], radii[0] * state.spin[0, 0, 2]], [
        -change,
        surface - 2.5 * change,
    ]
