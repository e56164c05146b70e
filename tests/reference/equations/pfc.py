"""Inputs and outputs of the equations of PFC: contact resolution, time step, contact models."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import (
    ContactAxes,
    ContactPlane,
    initial_axes,
    mean_spin,
    turn_axes,
    turn_axes_first_order,
)
from jaxcontact.geometry.relative_motion import relative_increments, relative_motion
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.geometry.triangle import REGIONS
from jaxcontact.laws.friction.rolling import (
    constant_rolling_torque,
    iwashita_oda_rolling_stiffness,
    rolling_torque_limit,
)
from jaxcontact.materials import Solid, effective_modulus, effective_radius, effective_shear_modulus
from jaxcontact.systems.pfc.contact_resolution import (
    ball_ball_plane,
    ball_facet_plane,
    closest_point_on_facet,
)
from jaxcontact.systems.pfc.hertz import (
    NEW_HERTZ_CONTACT,
    Hertz,
    hertz_contact,
    normal_coefficient,
    pair_elasticity,
    shear_ratio,
    tangent_stiffnesses,
)
from jaxcontact.systems.pfc.linear import Linear, LinearMemory, linear_contact
from jaxcontact.systems.pfc.pieces import Facet, SphericalPiece, ball
from jaxcontact.systems.pfc.rolling_resistance_linear import (
    RollingResistanceLinear,
    RollingResistanceLinearMemory,
    rolling_resistance_linear_contact,
)
from jaxcontact.systems.pfc.state import ContactState
from jaxcontact.systems.pfc.time_step import (
    effective_stiffness,
    highest_frequency,
    rotational_stiffness,
    translational_stiffness,
)

Vector = Sequence[float]

AT_REST = (0.0, 0.0, 0.0)


def ball_at(x: Vector, R: float) -> SphericalPiece:
    return ball(Motion(jnp.asarray(x), AT_REST, AT_REST), radius=R, mass=1.0)


def plane_outputs(plane: ContactPlane) -> dict[str, Any]:
    return {"n": plane.normal, "gap": plane.gap, "xc": plane.location}


def plane_ball_ball(x1: Vector, R1: float, x2: Vector, R2: float) -> Mapping[str, Any]:
    return plane_outputs(ball_ball_plane(ball_at(x1, R1), ball_at(x2, R2)))


def plane_ball_facet(
    x1: Vector, R1: float, V1: Vector, V2: Vector, V3: Vector
) -> Mapping[str, Any]:
    facet = Facet(vertices=jnp.asarray([V1, V2, V3]), motion=Motion(AT_REST, AT_REST, AT_REST))
    closest = closest_point_on_facet(jnp.asarray(x1), facet.vertices)
    plane = plane_outputs(ball_facet_plane(ball_at(x1, R1), facet))
    return {**plane, "x_f": closest.point, "region": REGIONS[int(closest.region)]}


def initial_axes_of(n: Vector) -> Mapping[str, Any]:
    axes = initial_axes(jnp.asarray(n))
    return {"s": axes.s_axis, "t": axes.t_axis}


def axes_update(
    s_old: Vector, n_old: Vector, n_new: Vector, w1: Vector, w2: Vector, dt: float
) -> Mapping[str, Any]:
    s, n, new = (jnp.asarray(vector) for vector in (s_old, n_old, n_new))
    old = ContactAxes(n, s, jnp.cross(n, s))
    turn = {"spin": mean_spin(new, jnp.asarray(w1), jnp.asarray(w2)), "time_step": dt}
    documented, exact = turn_axes_first_order(old, new, **turn), turn_axes(old, new, **turn)
    return {
        "s": documented.s_axis,
        "t": documented.t_axis,
        "s_dot_n": jnp.dot(documented.s_axis, new),
        "s_exact_rotation": exact.s_axis,
        "t_exact_rotation": exact.t_axis,
    }


def relative_motion_of(
    n: Vector,
    s: Vector,
    t: Vector,
    xc: Vector,
    x1: Vector,
    x2: Vector,
    v1: Vector,
    v2: Vector,
    w1: Vector,
    w2: Vector,
    dt: float,
) -> Mapping[str, Any]:
    motion1, motion2 = (
        Motion(*map(jnp.asarray, motion)) for motion in ((x1, v1, w1), (x2, v2, w2))
    )
    motion = relative_motion(motion1, motion2, location=jnp.asarray(xc), normal=jnp.asarray(n))
    increments = relative_increments(
        motion, axes=ContactAxes(*map(jnp.asarray, (n, s, t))), time_step=dt
    )
    return {
        "delta_dot": motion.translational_velocity,
        "delta_dot_n": motion.normal,
        "delta_dot_s": motion.shear,
        "theta_dot": motion.rotational_velocity,
        "theta_dot_t": motion.twist,
        "theta_dot_b": motion.bend,
        "d_delta_n": increments.normal,
        "d_delta_ss": increments.shear[0],
        "d_delta_st": increments.shear[1],
        "d_theta_t": increments.twist,
        "d_theta_bs": increments.bend[0],
        "d_theta_bt": increments.bend[1],
    }


def time_step(m: float, I: float, contacts: Sequence[Any], safety: float) -> Mapping[str, Any]:  # noqa: E741
    """A contact is normal, ``k_n``, ``k_s``, arm, ``k_twist``, ``k_bend``."""
    normal, normal_stiffness, shear_stiffness, arm, twist_stiffness, bend_stiffness = map(
        jnp.asarray, zip(*contacts, strict=True)
    )
    translational = translational_stiffness(
        normal, normal_stiffness=normal_stiffness, shear_stiffness=shear_stiffness
    ).sum(axis=0)
    rotational = rotational_stiffness(
        normal,
        arm=arm,
        shear_stiffness=shear_stiffness,
        twist_stiffness=twist_stiffness,
        bend_stiffness=bend_stiffness,
    ).sum(axis=0)
    critical = 1.0 / highest_frequency(
        mass=m, inertia=I, translational=translational, rotational=rotational
    )
    return {
        "k_tran": translational,
        "k_rot": rotational,
        "t_crit": critical,
        "dt": safety * critical,
    }


def effective_stiffness_of(k: float, beta: float) -> Mapping[str, Any]:
    return {"k_eff": effective_stiffness(k, zeta=beta)}


def contact_state(
    *,
    gap: float,
    mass: float = 1.0,
    radius: float = 1.0,
    normal_increment: float = 0.0,
    shear_increment: Vector = (0.0, 0.0),
    bend_increment: Vector = (0.0, 0.0),
    dt: float = 1.0,
) -> ContactState:
    """A contact with the axes n, s, t along z, x, y, in uniform motion during the step."""
    normal, shear, bend = (
        jnp.asarray(normal_increment),
        jnp.asarray(shear_increment),
        jnp.asarray(bend_increment),
    )
    return ContactState(
        contact_mass=mass,
        effective_radius=radius,
        location=jnp.zeros(3),
        normal=jnp.asarray([0.0, 0.0, 1.0]),
        s_axis=jnp.asarray([1.0, 0.0, 0.0]),
        t_axis=jnp.asarray([0.0, 1.0, 0.0]),
        gap=gap,
        translational_velocity=jnp.append(shear, normal) / dt,
        rotational_velocity=jnp.append(bend, 0.0) / dt,
        normal_increment=normal,
        shear_increment=shear,
        twist_increment=jnp.zeros(()),
        bend_increment=bend,
    )


def linear_step(
    gap: float,
    rgap: float,
    kn: float,
    ks: float,
    mu: float,
    mc: float,
    beta_n: float,
    beta_s: float,
    dp_mode: int,
    dt: float,
    Fn0: float,
    Fs0: Vector,
    d_n: float,
    d_s: Vector,
    activated: bool,
    lin_mode: int,
) -> Mapping[str, Any]:
    model = Linear(
        kn=kn,
        ks=ks,
        fric=mu,
        rgap=rgap,
        dp_nratio=beta_n,
        dp_sratio=beta_s,
        dp_mode=dp_mode,
        lin_mode=lin_mode,
    )
    memory = LinearMemory(jnp.asarray(Fn0), jnp.asarray(Fs0), jnp.asarray(not activated))
    state = contact_state(gap=gap, mass=mc, normal_increment=d_n, shear_increment=d_s, dt=dt)
    response, _ = linear_contact(memory, state, model=model)
    return {
        "active": response.active,
        "Fn": response.normal_force,
        "Fs": response.shear_force,
        "slip": response.slips,
        "Fdn": response.dashpot_normal_force,
        "Fds": response.dashpot_shear_force,
    }


def pair_radius(R1: float, R2: float | None) -> Any:
    return effective_radius(R1) if R2 is None else effective_radius(R1, R2)


def rolling_step(
    R1: float, R2: float | None, ks: float, M0: Vector, d_theta_b: Vector, mu_r: float, Fn: float
) -> Mapping[str, Any]:
    radius = pair_radius(R1, R2)
    model = RollingResistanceLinear(linear=Linear(kn=1.0, ks=ks), rr_fric=mu_r)
    memory = RollingResistanceLinearMemory(
        LinearMemory(jnp.asarray(Fn), jnp.zeros(2), jnp.asarray(True)), jnp.asarray(M0)
    )
    state = contact_state(gap=-Fn, radius=radius, bend_increment=d_theta_b)
    response, _ = rolling_resistance_linear_contact(memory, state, model=model)
    return {
        "Rbar": radius,
        "kr": iwashita_oda_rolling_stiffness(ks, effective_radius=radius),
        "M": response.rolling_moment,
        "M_max": rolling_torque_limit(
            response.normal_force, rolling_coefficient=mu_r, effective_radius=radius
        ),
        "slip": response.rolling_slips,
    }


def hertz(G: float, nu: float, R1: float, R2: float | None, overlap: float) -> Mapping[str, Any]:
    radius = pair_radius(R1, R2)
    h_n = normal_coefficient(G, nu, effective_radius=radius)
    kn, ks = tangent_stiffnesses(overlap, h_n=h_n, hz_poiss=nu, hz_alpha=1.5)
    response, _ = hertz_contact(
        NEW_HERTZ_CONTACT,
        contact_state(gap=-overlap, radius=radius),
        model=Hertz(hz_shear=G, hz_poiss=nu),
    )
    return {
        "R_eff": 2.0 * radius,
        "h_n": h_n,
        "h_s": shear_ratio(nu) * 1.5 * h_n ** (2.0 / 3.0),
        "Fn": response.normal_force,
        "kn_tan": kn,
        "ks_tan": ks,
    }


def hertz_combine(G1: float, nu1: float, G2: float, nu2: float) -> Mapping[str, Any]:
    solids = [
        Solid(youngs_modulus=2.0 * G * (1.0 + nu), poisson_ratio=nu)
        for G, nu in ((G1, nu1), (G2, nu2))
    ]
    shear, poisson_ratio = pair_elasticity(*solids)
    return {
        "E_star": effective_modulus(*solids),
        "G_star": effective_shear_modulus(*solids),
        "nu": poisson_ratio,
        "G": shear,
    }


def rolling_deceleration(mu_r: float, g: float) -> Mapping[str, Any]:
    """A body of unit mass and radius that rolls without slip: about the contact point ``(I + m r^2)
    w' = M``.
    """
    torque = constant_rolling_torque(
        jnp.asarray([1.0]), g, rolling_coefficient=mu_r, effective_radius=1.0
    )[0]
    return {
        f"{name}_a": -torque / (inertia + 1.0)
        for name, inertia in (("sphere", 2.0 / 5.0), ("disk", 1.0 / 2.0))
    }


FUNCTIONS: dict[str, Callable[..., Mapping[str, Any]]] = {
    "pfc/plane_ball_ball": plane_ball_ball,
    "pfc/plane_ball_facet": plane_ball_facet,
    "pfc/initial_axes": initial_axes_of,
    "pfc/axes_update": axes_update,
    "pfc/relative_motion": relative_motion_of,
    "pfc/relative_motion_2d": relative_motion_of,
    "pfc/timestep": time_step,
    "pfc/effective_stiffness": effective_stiffness_of,
    "pfc/linear_step": linear_step,
    "pfc/rolling_step": rolling_step,
    "pfc/hertz": hertz,
    "pfc/hertz_combine": hertz_combine,
    "pfc/rolling_deceleration": rolling_deceleration,
}
