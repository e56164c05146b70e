"""Analytic solutions: sections of cases, each with inputs and the quantities that follow from
them.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from jaxcontact.geometry.contact_disk import disk_radius, hertz_area
from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.laws.friction.coulomb import LINEAR, TANH, slip_after_impulse
from jaxcontact.laws.friction.cundall_strack import cundall_strack_force
from jaxcontact.laws.friction.mindlin import (
    mindlin_partial_slip_displacement,
    mindlin_partial_slip_force,
    mindlin_stiffness,
)
from jaxcontact.laws.friction.rolling import constant_rolling_torque
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.laws.friction.spinning import spinning_torque_limit
from jaxcontact.laws.normal import adhesion
from jaxcontact.laws.normal.elastic import (
    contact_duration,
    linear_force,
    maximum_overlap,
    power_law_force,
    static_overlap,
)
from jaxcontact.materials import Solid, effective_modulus, effective_shear_modulus, hertz_stiffness
from tests.reference.case import (
    Case,
    Computed,
    FileKind,
    ReferenceFile,
    assert_close,
    dispatch,
    quantities,
)
from tests.reference.equations.edem import spin_down
from tests.reference.motion import (
    OBTAINED,
    RIGID,
    impact,
    incline,
    linear_dashpot_motion,
    measured_impact,
    rigid_inputs,
    rolling,
    sustained_contact,
)

exact = partial(Computed, rtol=1e-9)
"""From a formula."""

simulated = partial(Computed, rtol=1e-7)
"""From a simulation with many steps in each contact, or with a regularisation far below this."""


def elastic_power_law(n: float, m: float, K: float, v: float) -> Mapping[str, Any]:
    law = {"mass": m, "stiffness": K, "exponent": n}
    overlap = maximum_overlap(v, **law)
    bounce = impact(damping_ratio=0.0, exponent=n, stiffness=K, mass=m, speed=v)
    return {
        "d_max": [exact(overlap), simulated(bounce.largest_overlap)],
        "F_max": exact(power_law_force(overlap, stiffness=K, exponent=n)),
        "t_c": [exact(contact_duration(v, **law)), simulated(bounce.duration)],
    }


def hertz_impact(v: Any, E: Any, m: Any, R: Any) -> dict[str, jax.Array]:
    law = {"mass": m, "stiffness": hertz_stiffness(E, R), "exponent": 1.5}
    overlap = maximum_overlap(v, **law)
    force = power_law_force(overlap, stiffness=law["stiffness"], exponent=1.5)
    return {"d_max": overlap, "F_max": force, "t_c": contact_duration(v, **law)}


def log_sensitivities_hertz() -> Mapping[str, Any]:
    """Exponents of the power laws of Hertz impact."""
    arguments = {"v": 2.0, "E*": 3e9, "m": 0.05, "R": 0.01}
    values = hertz_impact(*arguments.values())
    slopes = jax.jacfwd(hertz_impact, argnums=(0, 1, 2, 3))(*arguments.values())
    return {
        output: {
            name: slope * x / values[output]
            for (name, x), slope in zip(arguments.items(), slopes[output], strict=True)
        }
        for output in values
    }


def hertz_2868_exact() -> jax.Array:
    """Number in front of ``(m^2/(R E*^2 v))^(1/5)`` in the duration of a Hertz impact."""
    return hertz_impact(1.0, 1.0, 1.0, 1.0)["t_c"]


def static_and_small_vibration(m: float, K: float, n: float, g: float) -> Mapping[str, Any]:
    overlap = static_overlap(m * g, stiffness=K, exponent=n)
    omega = jnp.sqrt(jax.grad(partial(power_law_force, stiffness=K, exponent=n))(overlap) / m)
    resting = sustained_contact(
        times=(0.0, 1.0, 2.0), gravity=(0.0, 0.0, -g), mass=m, stiffness=K, exponent=n
    )
    return {
        "d_static": [exact(overlap), simulated(-resting["position"][2, 2])],
        "omega": exact(omega),
        "period": exact(2 * jnp.pi / omega),
    }


def lsd(m: float, k: float, c: float, v: float) -> Mapping[str, Any]:
    """With more than critical damping a contact that ends at zero overlap never does: no ``t_d0``
    then.
    """
    zeta = c / (2 * math.sqrt(k * m))
    unit_of_time = math.sqrt(m / k)
    found = defaultdict(list, zeta=[exact(zeta)])
    for symbol, end in (("d0", CONTACT_ENDS["zero_overlap"]), ("F0", CONTACT_ENDS["zero_force"])):
        restitution = float(end.restitution(zeta))
        found[f"e_{symbol}"].append(exact(restitution))
        if restitution == 0.0:
            continue
        bounce = measured_impact(
            linear_dashpot_motion(end.name), mass=m, speed=v, stiffness=k, restitution=restitution
        )
        found["zeta"].append(exact(end.damping(restitution), atol=1e-15))
        found[f"e_{symbol}"].append(simulated(bounce.restitution))
        found[f"t_{symbol}"] += [
            exact(unit_of_time * end.duration(zeta)),
            simulated(bounce.duration),
        ]
        found["d_max"].append(simulated(bounce.largest_overlap))
        found["t_max"].append(simulated(bounce.time_of_largest_overlap))
    return found


def hunt_crossley_exact(n: float, m: float, K: float, chi: float, v: float) -> Mapping[str, Any]:
    def restitution(chi: Any, v: Any, K: Any) -> jax.Array:
        return OBTAINED(chi * v / K)

    slopes = jax.grad(restitution, argnums=(0, 1, 2))(chi, v, K)
    bounce = impact(damping_ratio=chi * v / K, exponent=n, stiffness=K, mass=m, speed=v)
    return {
        "A": exact(chi * v / K),
        "e": [exact(restitution(chi, v, K)), simulated(bounce.restitution)],
        "d_max": simulated(bounce.largest_overlap),
        **{
            f"de_d{name}": exact(slope)
            for name, slope in zip(("chi", "v", "K"), slopes, strict=True)
        },
    }


def walton_oblique(
    vn: float, vt: float, r_omega: float, e: float, mu: float, beta0: float
) -> Mapping[str, Any]:
    """The contact slip is ``v_t + r w`` here, so ``w`` turns backwards about y."""
    radius = 0.02
    inputs = rigid_inputs(
        radius=radius,
        height=radius + vn,
        velocity=(vt, 0.0, -vn),
        spin=(0.0, -r_omega / radius, 0.0),
        restitution=e,
        friction=mu,
        tangential_restitution=beta0,
        time=2.0,
    )
    motion, _, _ = RIGID.tangent(inputs, jax.tree.map(jnp.zeros_like, inputs))
    vt_out, vn_out, r_omega_out = (
        motion["velocity"][0],
        motion["velocity"][2],
        -radius * motion["spin"][1],
    )

    def energy(vn: Any, vt: Any, r_omega: Any) -> Any:
        return (vn**2 + vt**2 + 0.4 * r_omega**2) / 2

    slip, slip_out = vt + r_omega, vt_out + r_omega_out
    sticks = abs(slip_out + beta0 * slip) <= 1e-9 * abs(slip)
    rounding = 1e-14 * (vn + abs(vt) + abs(r_omega))
    return {
        "vn_out": exact(vn_out),
        "vt_out": exact(vt_out, atol=rounding),
        "r_omega_out": exact(r_omega_out, atol=rounding),
        "slip_out": exact(slip_out, atol=rounding),
        "E_lost_per_m": exact(
            energy(vn, vt, r_omega) - energy(vn_out, vt_out, r_omega_out), atol=rounding**2
        ),
        "regime": exact("stick" if sticks else "slide"),
    }


def sliding_to_rolling(
    u0: float, r_omega0: float, mu: float, g: float, r: float
) -> Mapping[str, Any]:
    motion = rolling(radius=r, velocity=u0, surface_speed=r_omega0, mu=mu, gravity=g)
    energy_left = (motion.velocity**2 + 0.4 * motion.surface_speed**2) / (u0**2 + 0.4 * r_omega0**2)
    return {
        "t_s": simulated(motion.slip_ends),
        "u_final": simulated(motion.velocity),
        "omega_final": simulated(motion.surface_speed / r),
        "x_at_ts": simulated(motion.distance),
        "energy_fraction_lost": simulated(1 - energy_left),
    }


def incline_section(theta_deg: float, mu: float, g: float) -> Mapping[str, Any]:
    motion = incline(angle=theta_deg, mu=mu, gravity=g)
    rolls = abs(motion.acceleration - motion.surface_acceleration) <= 1e-7 * motion.acceleration
    return {
        "a": simulated(motion.acceleration),
        "alpha_times_r": simulated(motion.surface_acceleration),
        "regime": simulated("roll" if rolls else "slide"),
    }


def integral(function: Callable[[Any], Any], pieces: Iterable[float]) -> float:
    """Integral over neighbouring pieces by Gauss's rule with 20 points in each."""
    points, weights = np.polynomial.legendre.leggauss(20)
    ends = np.asarray(list(pieces))
    half = np.diff(ends)[:, None] / 2
    times = (ends[:-1] + ends[1:])[:, None] / 2 + half * points
    return float(np.sum(half * weights * np.asarray(function(times))))


def block_velocity(
    v0: float, mu: float, g: float, vs: float, regularization: Any
) -> Callable[[Any], Any]:
    """Speed of a block that cannot turn, so that its tangential mass is its mass and the specific
    impulse is ``g t``.
    """

    @jax.jit
    def velocity(time: Any) -> jax.Array:
        slip = v0 * jnp.ones((*jnp.shape(time), 1))
        return slip_after_impulse(
            slip, g * time, coefficient=mu, slip_velocity=vs, regularization=regularization
        )[..., 0]

    return velocity


def sliding_block(v0: float, mu: float, g: float) -> Mapping[str, Any]:
    velocity = block_velocity(v0, mu, g, 1e-12 * v0, LINEAR)
    half = v0 / (mu * g) / 2  # still sliding: the speed falls linearly
    stop = float(half * v0 / (v0 - velocity(half)))
    return {"t": simulated(stop), "d": simulated(integral(velocity, (0.0, stop)))}


def regularised_coulomb(
    v0: float, vs: float, mu: float, g: float, t: list[float]
) -> Mapping[str, Any]:
    tanh, linear = (block_velocity(v0, mu, g, vs, law) for law in (TANH, LINEAR))
    relaxation = vs / (mu * g)
    corner = (v0 - vs) / (mu * g)
    tail = corner + relaxation * np.arange(1.0, 60.0)
    smooth = np.arange(0.0, corner, relaxation)
    return {
        "v_tanh": exact(tanh(jnp.asarray(t))),
        "x_total_linear": exact(integral(linear, (0.0, corner, *tail))),
        "x_total_tanh": exact(integral(tanh, (*smooth, corner, *tail))),
    }


def jkr_dmt(R: float, E_star: float, w: float) -> Mapping[str, Any]:
    surface = {"effective_modulus": E_star, "effective_radius": R, "work_of_adhesion": w}
    pulled = {"effective_radius": R, "work_of_adhesion": w}
    pull_off = adhesion.jkr_pull_off_force(**pulled)
    radius = {
        load: adhesion.jkr_contact_radius_under_load(load, **surface) for load in (-pull_off, 0.0)
    }
    overlap = {load: adhesion.jkr_overlap_of_radius(a, **surface) for load, a in radius.items()}
    separation = adhesion.jkr_separation_overlap(**surface)
    last = separation * (1.0 - 1e-14)  # there the force has an infinite slope: half of the digits
    return {
        "F_pulloff": [exact(-pull_off), exact(adhesion.jkr_force(overlap[-pull_off], **surface))],
        "a_pulloff": [
            exact(radius[-pull_off]),
            exact(adhesion.jkr_contact_radius(overlap[-pull_off], **surface)),
        ],
        "a_zero_load": [
            exact(radius[0.0]),
            exact(adhesion.jkr_contact_radius(overlap[0.0], **surface)),
        ],
        "d_zero_load": exact(overlap[0.0]),
        "F_at_zero_overlap": exact(adhesion.jkr_force(0.0, **surface)),
        "a_at_zero_overlap": exact(adhesion.jkr_contact_radius(0.0, **surface)),
        "d_separation": exact(separation),
        "F_separation": Computed(adhesion.jkr_force(last, **surface), 1e-6),
        "a_separation": Computed(adhesion.jkr_contact_radius(last, **surface), 1e-6),
        "DMT_pulloff": exact(-adhesion.dmt_pull_off_force(**pulled)),
        "tabor": exact(adhesion.tabor_parameter(**surface)),
        "dissipated_energy_jkr": exact(adhesion.jkr_work_of_separation(**surface)),
    }


def jkr_curve(
    radii: Any, surface: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Radius and force found again from the overlap, which follows from the radius."""
    overlap = adhesion.jkr_overlap_of_radius(jnp.asarray(radii), **surface)
    inside = jnp.maximum(overlap, adhesion.jkr_separation_overlap(**surface) * (1.0 - 1e-14))
    return (
        overlap,
        adhesion.jkr_contact_radius(inside, **surface),
        adhesion.jkr_force(inside, **surface),
    )


def check_curve(case: Mapping[str, Any]) -> None:
    """Column by column, whose scales differ."""
    surface = {
        "effective_modulus": case["E_star"],
        "effective_radius": case["R"],
        "work_of_adhesion": case["w"],
    }
    radii, overlaps, forces = np.transpose(case["curve_a_d_F"])
    overlap, radius, force = jkr_curve(radii, surface)
    assert_close(exact(overlap), overlaps)
    near = (
        1e-6 * np.max(np.abs(forces[:1])),
        1e-6 * radii[0],
    )  # at the separation half of the digits are left
    assert_close(Computed(force, 1e-9, near[0]), forces)
    assert_close(Computed(radius, 1e-9, near[1]), radii)


def check_dmt(case: Mapping[str, Any]) -> None:
    overlaps, forces = np.transpose(case["DMT_F_at_d"])
    force = adhesion.dmt_force(
        jnp.asarray(overlaps),
        effective_modulus=case["E_star"],
        effective_radius=case["R"],
        work_of_adhesion=case["w"],
    )
    assert_close(exact(force), forces)


def adhesion_cases(file: ReferenceFile, name: str, case: Mapping[str, Any]) -> Iterable[Case]:
    """Adhesion: single numbers, and two lists whose columns have scales of their own."""
    lists = {"curve_a_d_F": check_curve, "DMT_F_at_d": check_dmt}
    yield from quantities(
        file,
        name,
        {key: value for key, value in case.items() if key not in lists},
        ("R", "E_star", "w"),
        jkr_dmt,
    )
    for key, check in lists.items():
        if key in case:
            yield Case(f"{name}/{key}", partial(check, case))


def rolling_resistance(v0: float, mu_r: float, g: float) -> Mapping[str, Any]:
    """A solid sphere of unit mass and radius that rolls without slip: about the contact point ``7/5
    v' = M``.
    """

    def slowing(velocity: np.ndarray) -> np.ndarray:
        torque = constant_rolling_torque(
            jnp.asarray(velocity)[..., None], g, rolling_coefficient=mu_r, effective_radius=1.0
        )
        return -np.asarray(torque)[..., 0] / (2.0 / 5.0 + 1.0)

    return {
        "stop_time": exact(integral(lambda v: 1.0 / slowing(v), (0.0, v0))),
        "stop_distance": exact(integral(lambda v: v / slowing(v), (0.0, v0))),
    }


def mindlin_sphere(N: float, R: float, E: float, nu: float) -> tuple[dict[str, Any], Any]:
    """The contact of a sphere with a rigid plane under a normal load, and its overlap."""
    solid = Solid(youngs_modulus=E, poisson_ratio=nu)
    overlap = static_overlap(
        N, stiffness=hertz_stiffness(effective_modulus(solid), R), exponent=1.5
    )
    return {
        "contact_radius": jnp.sqrt(R * overlap),
        "effective_shear_modulus": effective_shear_modulus(solid),
    }, overlap


def mindlin(N: float, mu: float, R: float, E: float, nu: float) -> Mapping[str, Any]:
    contact, overlap = mindlin_sphere(N, R, E, nu)
    shear = contact["effective_shear_modulus"]
    slope = jax.jacfwd(lambda x: mindlin_partial_slip_force(x, N, coefficient=mu, **contact))(
        jnp.zeros(1)
    )[0, 0]
    return {
        "a": exact(contact["contact_radius"]),
        "G_star": exact(shear),
        "kt0": [
            exact(mindlin_stiffness(overlap, effective_radius=R, effective_shear_modulus=shear)),
            exact(-slope),
        ],
    }


def check_slip_curve(case: Mapping[str, Any]) -> None:
    """Pairs of tangential force over limit and displacement, both ways."""
    contact, _ = mindlin_sphere(*(case[key] for key in ("N", "R", "E", "nu")))
    fractions, displacements = np.transpose(case["slip_curve"])
    limit, law = case["mu"] * case["N"], {"coefficient": case["mu"], **contact}
    assert_close(
        exact(mindlin_partial_slip_displacement(jnp.asarray(fractions * limit), case["N"], **law)),
        displacements,
    )
    assert_close(
        exact(
            -mindlin_partial_slip_force(jnp.asarray(displacements)[:, None], case["N"], **law)[:, 0]
            / limit
        ),
        fractions,
    )


def mindlin_cases(file: ReferenceFile, name: str, case: Mapping[str, Any]) -> Iterable[Case]:
    numbers = {key: value for key, value in case.items() if key != "slip_curve"}
    yield from quantities(file, name, numbers, ("N", "mu", "R", "E", "nu"), mindlin)
    if "slip_curve" in case:
        yield Case(f"{name}/slip_curve", partial(check_slip_curve, case))


def linear_springs_full_stick(kt_over_kn: float) -> Mapping[str, Any]:
    """A solid sphere of unit mass and radius meets a plane: ``d'' = -k_n d``, and 7/2 of the
    tangential force changes the slip.
    """

    @jax.jit
    def motion(_: Any, state: Any) -> Any:
        overlap, rate, elongation, slip = state
        normal = linear_force(overlap, stiffness=1.0)
        law = {
            "tangential_stiffness": kt_over_kn,
            "tangential_damping": 0.0,
            "coefficient": 1e12,
            "time_step": 1.0,
        }
        force, _ = cundall_strack_force(SpringMemory(elongation[None]), jnp.zeros(1), normal, **law)
        return jnp.stack([rate, -normal, slip, 3.5 * force[0]])

    def opens(_: float, state: np.ndarray) -> float:
        return state[0]

    opens.terminal, opens.direction = True, -1
    bounce = scipy.integrate.solve_ivp(
        motion, (0.0, 10.0), (0.0, 1.0, 0.0, 1.0), "DOP853", events=opens, rtol=1e-12, atol=1e-12
    )
    return {"u_out_over_u_in": simulated(bounce.y_events[0][0, 3])}


def spinning_decay(r: float, rho: float, E_star: float, mu: float, g: float) -> Mapping[str, Any]:
    """A solid sphere that spins on a plane under its own weight, from 10 rad/s."""
    m = 4 / 3 * math.pi * r**3 * rho
    contact = hertz_area(
        static_overlap(m * g, stiffness=hertz_stiffness(E_star, r), exponent=1.5),
        effective_radius=r,
    )
    radius = disk_radius(contact)
    found = {"m": exact(m), "a": exact(radius)}
    for pressure in ("hertz", "uniform"):
        torque = float(
            spinning_torque_limit(m * g, coefficient=mu, contact_radius=radius, pressure=pressure)
        )
        found[f"M_{pressure}"] = exact(torque)
        found[f"stop_time_w0_10_{pressure}"] = exact(
            spin_down(M_coulomb=torque, I=0.4 * m * r**2, w0=10.0)["t_stop"]
        )
    return found


class Section(NamedTuple):
    """Names of the inputs of a case, and what follows from them."""

    inputs: tuple[str, ...]
    compute: Callable[..., Mapping[str, Any]]


SECTIONS = {
    "elastic_power_law": Section(("n", "m", "K", "v"), elastic_power_law),
    "static_and_small_vibration": Section(("m", "K", "n", "g"), static_and_small_vibration),
    "lsd": Section(("m", "k", "c", "v"), lsd),
    "hunt_crossley_exact": Section(("n", "m", "K", "chi", "v"), hunt_crossley_exact),
    "walton_oblique": Section(("vn", "vt", "r_omega", "e", "mu", "beta0"), walton_oblique),
    "sliding_to_rolling": Section(("u0", "r_omega0", "mu", "g", "r"), sliding_to_rolling),
    "incline": Section(("theta_deg", "mu", "g"), incline_section),
    "sliding_block": Section(("v0", "mu", "g"), sliding_block),
    "regularised_coulomb": Section(("v0", "vs", "mu", "g", "t"), regularised_coulomb),
    "rolling_resistance": Section(("v0", "mu_r", "g"), rolling_resistance),
    "spinning_decay": Section(("r", "rho", "E_star", "mu", "g"), spinning_decay),
    "linear_springs_full_stick": Section(("kt_over_kn",), linear_springs_full_stick),
}

CONSTANTS = {
    "elastic_power_law/log_sensitivities_hertz": log_sensitivities_hertz,
    "elastic_power_law/hertz_2868_exact": hertz_2868_exact,
}
"""What a section holds beside its cases and words."""


def check_constant(compute: Callable[[], Any], expected: Any) -> None:
    computed, expected = jax.tree.leaves_with_path(compute()), jax.tree.leaves_with_path(expected)
    assert [path for path, _ in computed] == [path for path, _ in expected]
    for (_, value), (_, reference) in zip(computed, expected, strict=True):
        assert_close(exact(value), reference)


def constant_cases(name: str, compute: Callable[[], Any], entry: Any) -> list[Case]:
    return [Case(name, partial(check_constant, compute, entry))]


def has_numbers(entry: Any) -> bool:
    return any(isinstance(leaf, (int, float)) for leaf in jax.tree.leaves(entry))


def section_cases(file: ReferenceFile, section: str) -> Iterable[Case]:
    """The cases of one section."""
    kind = f"closed_form/analytic/{section}"
    entries = file.document[section]
    for index, case in enumerate(entries["cases"]):
        name = f"{file.name}/{section}[{index}]"
        runners = {
            f"closed_form/analytic/{known}": lambda name=name, case=case, known=known: quantities(
                file, name, case, *SECTIONS[known]
            )
            for known in SECTIONS
        }
        runners["closed_form/analytic/mindlin"] = lambda name=name, case=case: mindlin_cases(
            file, name, case
        )
        runners["closed_form/analytic/jkr_dmt"] = lambda name=name, case=case: adhesion_cases(
            file, name, case
        )
        yield from dispatch(file, name, kind, runners)
    for key, entry in entries.items():
        if key != "cases" and has_numbers(entry):
            name = f"{file.name}/{section}/{key}"
            runners = {
                f"closed_form/analytic/{constant}": partial(constant_cases, name, compute, entry)
                for constant, compute in CONSTANTS.items()
            }
            yield from dispatch(file, name, f"{kind}/{key}", runners)


def cases(file: ReferenceFile) -> Iterable[Case]:
    for section in file.document:
        yield from section_cases(file, section)


def is_analytic(document: Any) -> bool:
    """Sections with a list of cases, and nothing else."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(
            isinstance(section, dict) and isinstance(section.get("cases"), list)
            for section in document.values()
        )
    )


FILE_KINDS = (FileKind("analytic solutions", is_analytic, cases),)
