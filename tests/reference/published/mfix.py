"""MFIX's verification cases DEM01 to DEM05, all with linear springs.

Garg, Galvin, Li and Pannala, Powder Technol. 220 (2012) 122-137.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.core.damping_maps import zero_overlap_damping
from tests.reference.case import Case, Computed, ReferenceFile, quantities
from tests.reference.motion import DOWN, UP, along_z
from tests.reference.published.impacts import (
    SAMPLES,
    Motion,
    as_arrays,
    at_given_times,
    body,
    complete,
    first_contacts,
    over_floor,
    padded,
    quickly_compiled,
)
from tests.reference.published.oblique_impacts import Rebound, Spring, oblique_impacts
from tests.reference.published.reading import columns, only, stated, within

# DEM01: a falling sphere, up to its first apex.


def falling(case: Mapping[str, Any], stiffness: float, restitution: float, times: Any) -> Motion:
    sphere = body(radius=case["radius_m"], mass=case["mass_kg"], velocity=(0.0, 0.0, 0.0))
    normal = jc.LinearDashpot(stiffness=stiffness, restitution=restitution)
    return over_floor(sphere, normal, times=times, height=case["h0_m"], gravity=case["g"])


def dem01(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    entries = (
        "source",
        "case",
        "closed_form",
        "cross_check_max_abs_diff_to_MFIX_analytic_column_m",
        "table",
        "peer_mfix_adams_bashforth",
    )
    yield from only(file, document, *entries, "tolerance")
    case, tolerance = document["case"], document["tolerance"]
    atol, of_peer = stated(tolerance, "closed form"), stated(tolerance, "MFIX itself") / 100
    rounding = document["cross_check_max_abs_diff_to_MFIX_analytic_column_m"]
    for index, row in enumerate(document["table"]):
        compute = partial(drop, case, row["samples_t_y"], atol)
        yield from quantities(file, f"{file.name}/table[{index}]", row, ("k_N_per_m", "e"), compute)
    peer = document["peer_mfix_adams_bashforth"]
    if peer["columns"] != ["t", "y_analytic_mfix", "y_mfix"]:
        raise ValueError(f"unknown columns {peer['columns']}")
    for index, run in enumerate(peer["data"]):
        times, analytic, computed_by_mfix = np.asarray(run["rows"]).T

        def heights(run: Mapping[str, Any] = run, times: Any = times) -> np.ndarray:
            return falling(case, run["kn"], run["e"], times).state.position[:, 2]

        name = f"{file.name}/peer_mfix_adams_bashforth[{index}]"
        yield within(f"{name}/y_analytic_mfix", heights, analytic, atol + rounding)
        relative = partial(lambda heights, y: heights() / y, heights, computed_by_mfix)
        yield within(f"{name}/y_mfix", relative, np.ones(len(times)), of_peer)


def drop(
    case: Mapping[str, Any], samples: Any, atol: float, k_N_per_m: float, e: float
) -> Mapping[str, Computed]:
    """Lengths are compared with ``atol``, speeds and times with what it amounts to at the speed of
    the impact.
    """
    times, _ = columns(samples)
    motion = falling(case, k_N_per_m, e, times)
    contacts = motion.contacts
    start, speed, rebound = (
        float(value[0])
        for value in (contacts.touch_down, contacts.impact_speed, contacts.rebound_speed)
    )
    duration = float(contacts.lift_off[0]) - start
    deepest, time_of_deepest = lowest(partial(falling, case, k_N_per_m, e), start, duration)
    apex = case["radius_m"] + rebound**2 / (2 * case["g"])
    in_time, in_speed = atol / speed, atol / speed * case["g"]
    return {
        "eta_Ns_per_m": Computed(
            2 * zero_overlap_damping(e) * math.sqrt(k_N_per_m * case["mass_kg"]), rtol=1e-9
        ),
        "t_contact_start_s": Computed(start, 0.0, in_time),
        "v_impact": Computed(speed, 0.0, in_speed),
        "contact_duration_s": Computed(duration, 0.0, in_time),
        "t_max_overlap_s": Computed(time_of_deepest - start, 0.0, in_time),
        "max_overlap_m": Computed(case["radius_m"] - deepest, 0.0, atol),
        "v_rebound": Computed(rebound, 0.0, in_speed),
        "apex_height_m": Computed(apex, 0.0, atol),
        "samples_t_y": Computed(np.stack([times, motion.state.position[:, 2]], axis=-1), 0.0, atol),
    }


def lowest(motion: Callable[[Any], Motion], start: float, duration: float) -> tuple[float, float]:
    """Lowest height in a contact, and its time."""
    low, high = start, start + duration
    for _ in range(2):
        times = np.linspace(low, high, SAMPLES)
        state = motion(times).state
        velocity = state.velocity[:, 2]
        after = int(np.argmax(velocity > 0.0))
        low, high = times[after - 1], times[after]
    turning = low - velocity[after - 1] * (high - low) / (velocity[after] - velocity[after - 1])
    return float(np.min(state.position[:, 2])), float(turning)


# DEM02: heights of bounces.


def dem02(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(file, document, "source", "formula", "case", "blocks", "note", "formula_check")
    case, rounding, blocks = document["case"], float(document["formula_check"]), document["blocks"]

    @cache
    def of_all() -> np.ndarray:
        return compliant_apexes(
            case, [block["kn"] for block in blocks], [block["e"] for block in blocks]
        )

    for index, block in enumerate(blocks):
        name, bounce = f"{file.name}/blocks[{index}]", block["bounce"]
        yield within(
            f"{name}/h_rigid",
            partial(rigid_apexes, case, block["e"], bounce),
            block["h_rigid"],
            2 * rounding,
        )

        def relative(
            index: int = index, bounce: Any = bounce, of_mfix: Any = tuple(block["h_mfix"])
        ) -> np.ndarray:
            return of_all()[index][np.asarray(bounce)] / np.asarray(of_mfix)

        yield within(f"{name}/h_mfix", relative, np.ones(len(bounce)), OF_MFIX)


GRAVITY = 9.80665
"""Of DEM01 and DEM03 [m/s^2]; heights of rigid bounces do not depend on it."""

OF_MFIX = 0.05
"""The relative tolerance that DEM01 states for MFIX itself."""

OUTPUTS, STEPS_BETWEEN = 2000, 100


def rigid_apexes(case: Mapping[str, Any], restitution: float, bounce: list[int]) -> np.ndarray:
    """Largest heights after some bounces."""
    radius, height = case["radius_m"], case["h0_m"]
    sphere = body(radius=radius, density=case["rho"], velocity=(0.0, 0.0, 0.0))
    fall = {
        "times": (20.0 * math.sqrt(2 * height / GRAVITY),),
        "height": height,
        "gravity": GRAVITY,
    }
    contacts = first_contacts(
        sphere, jc.NewtonRestitution(restitution=restitution), rigid=True, **fall
    )
    risen = np.where(
        contacts.happened, np.asarray(contacts.rebound_speed) ** 2 / (2 * GRAVITY), 0.0
    )
    return np.concatenate([[height], radius + risen])[np.asarray(bounce)]


def compliant_apexes(
    case: Mapping[str, Any], stiffnesses: list[float], restitutions: list[float]
) -> np.ndarray:
    """The first highest points of each motion, the start included, (motions, 9), also where the
    sphere swings without leaving the floor.

    A fixed step, as MFIX has it: the heights of damped swings are asked for, too.
    """
    radius, height = case["radius_m"], case["h0_m"]
    longest = 16.0 * math.sqrt(2 * (height - radius) / GRAVITY)
    times = np.linspace(0.0, longest, OUTPUTS + 1)
    mass = jc.spheres(radius=radius, density=case["rho"]).mass
    method = jc.FixedStep(step=longest / (OUTPUTS * STEPS_BETWEEN), scheme="velocity_verlet")

    @jax.jit
    @jax.vmap
    def heights(stiffness: Any, restitution: Any) -> Any:
        scene = jc.Scene(
            bodies=jc.spheres(radius=radius, mass=mass),
            contact=jc.ContactModel(
                normal=jc.LinearDashpot(stiffness=stiffness, restitution=restitution)
            ),
            gravity=(0.0, 0.0, -GRAVITY),
        )
        return jc.simulate(
            scene, jc.state(position=(0.0, 0.0, height)), times, method=method
        ).position[:, 2]

    found = []
    for y in np.asarray(
        heights(*(jnp.asarray(values, dtype=float) for values in (stiffnesses, restitutions)))
    ):
        highest = y[1:-1][(y[1:-1] >= y[:-2]) & (y[1:-1] > y[2:])]
        found.append(np.concatenate([y[:1], highest, np.full(9, y[-1])])[:9])
    return np.stack(found)


# DEM03: two spheres on top of each other, pressed between floor and ceiling.


@quickly_compiled
def _pressed(
    radius: Any, mass: Any, heights: Any, ceiling: Any, normal: Any, gravity: Any, times: Any
) -> Motion:
    scene = jc.Scene(
        bodies=jc.spheres(radius=radius, mass=mass),
        surfaces=(jc.Plane(normal=UP, offset=0.0), jc.Plane(normal=DOWN, offset=-ceiling)),
        contact=jc.ContactModel(normal=normal),
        gravity=along_z(-gravity),
    )
    start = jc.state(position=heights[:, None] * jnp.asarray(UP))
    end = jc.simulate(
        scene, start, times, method=jc.EventAligned(max_contacts=32, graded_step=0.02)
    )
    return Motion(jc.State(end.position, end.velocity, end.spin), end.contacts, end.status)


def dem03(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    yield from only(
        file,
        document,
        "source",
        "case",
        "solution_DOP853",
        "max_abs_diff_to_MFIX_reference_column_m",
        "tolerance",
    )
    case, atol = document["case"], stated(document["tolerance"])
    density = np.asarray([case["rho1"], case["rho2"]])
    mass = jc.spheres(radius=case["radius_m"], density=density).mass
    for index, row in enumerate(document["solution_DOP853"]):

        def heights(e: float, t: list[float]) -> dict[str, Computed]:
            numbers = as_arrays(
                (case["radius_m"], mass, (case["y10"], case["y20"]), case["wall_gap_m"])
            )
            radius, masses, (low, high), ceiling = numbers
            normal = as_arrays(jc.LinearDashpot(stiffness=case["kn"], restitution=e))
            motion = _pressed(
                radius,
                masses,
                jnp.stack([low, high]),
                ceiling,
                normal,
                jnp.asarray(case["g"]),
                padded(t),
            )
            height = at_given_times(complete(motion), t).state.position[..., 2]
            return {
                "y1": Computed(height[:, 0], 0.0, atol),
                "y2": Computed(height[:, 1], 0.0, atol),
            }

        yield from quantities(
            file, f"{file.name}/solution_DOP853[{index}]", row, ("e", "t"), heights
        )


# DEM05: oblique impacts on a plane.


def dem05(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    entries = (
        "source",
        "case",
        "rebound_angle",
        "experiment",
        "peer_mfix_part_wall",
        "independent_reference_max_diff",
    )
    yield from only(file, document, *entries, "independent_reference", "tolerance")
    case, tolerance = document["case"], document["tolerance"]
    radius, speed = case["radius_m"], case["resultant_speed"]
    mass = float(jc.spheres(radius=radius, density=case["rho"]).mass)
    normal = jc.LinearDashpot(stiffness=stated(case["law"], "kn="), restitution=case["e"])
    spring = Spring(case["mu"], stated(case["law"], "kt="))

    @cache
    def outcome(degrees: tuple[float, ...]) -> dict[str, np.ndarray]:
        angles = np.radians(degrees)
        before = Rebound(-speed * np.cos(angles), speed * np.sin(angles), 0.0)
        after = oblique_impacts(
            before, radius=radius, mass=mass, normal=normal, spring=spring, form="linear"
        )
        moves = np.sin(angles) > 0.0
        return {
            "rebound": np.degrees(np.arctan2(after.tangential, after.normal)),
            "e_t": np.where(
                moves, after.tangential / np.where(moves, speed * np.sin(angles), 1.0), np.nan
            ),
            "omega": np.abs(after.spin),
        }

    def of(quantity: str, degrees: Any) -> Callable[[], np.ndarray]:
        return lambda: outcome(tuple(degrees))[quantity]

    limits = {name: stated(tolerance, "vs MFIX:", name) for name in ("rebound", "e_t", "omega")}
    for label, points in document["peer_mfix_part_wall"].items():
        angles, values = columns(points)
        quantity = named_in(label)
        yield within(
            f"{file.name}/peer_mfix_part_wall/{label}",
            of(quantity, angles),
            values,
            limits[quantity],
        )
    reference = document["independent_reference"]
    angles = reference["angle"]
    for label, values in reference.items():
        if label != "angle":
            known = [index for index, value in enumerate(values) if value is not None]
            quantity = named_in(label)
            at, expected = [angles[index] for index in known], [values[index] for index in known]
            yield within(
                f"{file.name}/independent_reference/{label}",
                of(quantity, at),
                expected,
                limits[quantity],
            )
    of_experiment = dict(zip(limits, experiment_limits(tolerance), strict=True))
    least = stated(tolerance, "vs experiment:", "angles *>=")
    for label, points in document["experiment"].items():
        angles, values = columns(points)
        quantity, used = named_in(label), angles >= least
        yield within(
            f"{file.name}/experiment/{label}",
            of(quantity, angles[used]),
            values[used],
            of_experiment[quantity],
        )


def named_in(label: str) -> str:
    for quantity in ("rebound", "e_t", "omega"):
        if quantity in label:
            return quantity
    raise ValueError(f"{label!r} is none of rebound, e_t, omega")


def experiment_limits(tolerance: str) -> tuple[float, float, float]:
    """Of rebound angle, ``e_t`` and spin, in this order: the second and third follow a comma."""
    first = stated(tolerance, "vs experiment:")
    return (
        first,
        stated(tolerance, "vs experiment:", ","),
        stated(tolerance, "vs experiment:", ",", ","),
    )
