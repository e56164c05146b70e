"""Inputs and outputs of the equations of PFC: contact resolution, time step, contact models."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import ContactAxes, ContactPlane, initial_axes, mean_spin, turn_axes, turn_axes_first_order
from jaxcontact.geometry.motion import Motion
from jaxcontact.geometry.relative_motion import relative_increments, relative_motion
from jaxcontact.geometry.triangle import REGIONS
from jaxcontact.systems.pfc.contact_resolution import ball_ball_plane, ball_facet_plane, closest_point_on_facet
from jaxcontact.systems.pfc.pieces import Facet, SphericalPiece, ball
from jaxcontact.systems.pfc.time_step import effective_stiffness, highest_frequency, rotational_stiffness, translational_stiffness

Vector = Sequence[float]

AT_REST = (0.0, 0.0, 0.0)


def ball_at(x: Vector, R: float) -> SphericalPiece:
    return ball(Motion(jnp.asarray(x), AT_REST, AT_REST), radius=R, mass=1.0)


def plane_outputs(plane: ContactPlane) -> dict[str, Any]:
    return {"n": plane.normal, "gap": plane.gap, "xc": plane.location}


def plane_ball_ball(x1: Vector, R1: float, x2: Vector, R2: float) -> Mapping[str, Any]:
    return plane_outputs(ball_ball_plane(ball_at(x1, R1), ball_at(x2, R2)))


def plane_ball_facet(x1: Vector, R1: float, V1: Vector, V2: Vector, V3: Vector) -> Mapping[str, Any]:
    facet = Facet(vertices=jnp.asarray([V1, V2, V3]), motion=Motion(AT_REST, AT_REST, AT_REST))
    closest = closest_point_on_facet(jnp.asarray(x1), facet.vertices)
    plane = plane_outputs(ball_facet_plane(ball_at(x1, R1), facet))
    return {**plane, "x_f": closest.point, "region": REGIONS[int(closest.region)]}


def initial_axes_of(n: Vector) -> Mapping[str, Any]:
    axes = initial_axes(jnp.asarray(n))
    return {"s": axes.s_axis, "t": axes.t_axis}


def axes_update(s_old: Vector, n_old: Vector, n_new: Vector, w1: Vector, w2: Vector, dt: float) -> Mapping[str, Any]:
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
    motion1, motion2 = (Motion(*map(jnp.asarray, motion)) for motion in ((x1, v1, w1), (x2, v2, w2)))
    motion = relative_motion(motion1, motion2, location=jnp.asarray(xc), normal=jnp.asarray(n))
    increments = relative_increments(motion, axes=ContactAxes(*map(jnp.asarray, (n, s, t))), time_step=dt)
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


def time_step(m: float, I: float, contacts: Sequence[Any], safety: float) -> Mapping[str, Any]:  # noqa: E741 - the case's own name
    """A contact is normal, ``k_n``, ``k_s``, arm, ``k_twist``, ``k_bend``."""
    normal, normal_stiffness, shear_stiffness, arm, twist_stiffness, bend_stiffness = map(jnp.asarray, zip(*contacts, strict=True))
    translational = translational_stiffness(normal, normal_stiffness=normal_stiffness, shear_stiffness=shear_stiffness).sum(axis=0)
    rotational = rotational_stiffness(
        normal, arm=arm, shear_stiffness=shear_stiffness, twist_stiffness=twist_stiffness, bend_stiffness=bend_stiffness
    ).sum(axis=0)
    critical = 1.0 / highest_frequency(mass=m, inertia=I, translational=translational, rotational=rotational)
    return {"k_tran": translational, "k_rot": rotational, "t_crit": critical, "dt": safety * critical}


def effective_stiffness_of(k: float, beta: float) -> Mapping[str, Any]:
    return {"k_eff": effective_stiffness(k, zeta=beta)}


FUNCTIONS: dict[str, Callable[..., Mapping[str, Any]]] = {
    "pfc/plane_ball_ball": plane_ball_ball,
    "pfc/plane_ball_facet": plane_ball_facet,
    "pfc/initial_axes": initial_axes_of,
    "pfc/axes_update": axes_update,
    "pfc/relative_motion": relative_motion_of,
    "pfc/relative_motion_2d": relative_motion_of,
    "pfc/timestep": time_step,
    "pfc/effective_stiffness": effective_stiffness_of,
}
