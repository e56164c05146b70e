"""Inputs and outputs of COMSOL's Rigid Body Contact."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.geometry.rotation import quaternion_product, rotate_by_quaternion
from jaxcontact.laws.friction.coulomb import EXPONENTIAL, TANH
from jaxcontact.systems.comsol import (
    ArbitraryContact,
    Friction,
    RigidBodyContact,
    SphericalContact,
    friction_magnitude,
    quaternion_moment,
    spherical_to_arbitrary,
    spherical_to_spherical,
)


def friction(
    mu: float, Ff_r: float, Ff_max: float | str, v0: float, regularization: Any = EXPONENTIAL
) -> Friction:
    return Friction(
        mu=mu,
        Ff_r=Ff_r,
        Ff_max=None if Ff_max == "inf" else Ff_max,
        v0=v0,
        regularization=regularization,
    )


def friction_magnitude_case(
    mu: float, Fn: float, Ff_r: float, Ff_max: float | str, v: float, v0: float
) -> Mapping[str, Any]:
    return {
        name: friction_magnitude(friction(mu, Ff_r, Ff_max, v0, form), v, Fn)
        for name, form in (("exp_form", EXPONENTIAL), ("tanh_form", TANH))
    }


def sphere_sphere(
    x_src: list[float],
    x_dst: list[float],
    r_s: float,
    r_d: float,
    inside: bool,
    v_src: list[float],
    v_dst: list[float],
    w_src: list[float],
    w_dst: list[float],
    mu: float,
    Ff_r: float,
    Ff_max: float | str,
    v0: float,
    k_pen: float,
    c_pen: float,
) -> Mapping[str, Any]:
    parameters = SphericalContact(
        r_s=r_s,
        r_d=r_d,
        inside=inside,
        contact=RigidBodyContact(k_pen=k_pen, c_pen=c_pen),
        friction=friction(mu, Ff_r, Ff_max, v0),
    )
    source, destination = (
        Motion(*map(jnp.asarray, motion))
        for motion in ((x_src, v_src, w_src), (x_dst, v_dst, w_dst))
    )
    found = spherical_to_spherical(parameters, source, destination)
    return {
        "gap": found.gap,
        "gap_dot": found.gap_rate,
        "n_contact": found.normal,
        "r_s": found.arm_source,
        "r_d": found.arm_destination,
        "v_cs": source.velocity + jnp.cross(source.angular_velocity, found.arm_source),
        "v_cd": destination.velocity
        + jnp.cross(destination.angular_velocity, found.arm_destination),
        "v_slip": found.slip,
        "Fn": found.contact_force,
        "Ff": jnp.linalg.norm(found.friction_on_source),
        "F_on_src": found.friction_on_source,
        "F_on_dst": -found.friction_on_source,
        "M_src": found.source.torque,
        "M_dst": found.destination.torque,
        "dissipation": found.dissipation,
        "contact_force_on_src": found.source.force - found.friction_on_source,
        "contact_force_on_dst": found.destination.force + found.friction_on_source,
    }


def sphere_arbitrary(
    n: list[float],
    r_s: float,
    v_src: list[float],
    w_src: list[float],
    v_cd: list[float],
    mu: float,
    Fn: float,
    Ff_r: float,
    Ff_max: float | str,
    v0: float,
) -> Mapping[str, Any]:
    """The contact force is given: a penalty of that size at an overlap of 1 m, on which nothing
    else depends.
    """
    parameters = ArbitraryContact(
        r_s=r_s, contact=RigidBodyContact(k_pen=Fn), friction=friction(mu, Ff_r, Ff_max, v0)
    )
    source = Motion(jnp.zeros(3), jnp.asarray(v_src), jnp.asarray(w_src))
    found = spherical_to_arbitrary(
        parameters, source, boundary_velocity=jnp.asarray(v_cd), normal=jnp.asarray(n), gap=-1.0
    )
    return {
        "r_s": found.arm_source,
        "v_cs": found.source_velocity,
        "v_slip": found.slip,
        "Ff": jnp.linalg.norm(found.friction_on_source),
        "F_on_src": found.friction_on_source,
        "M_src": found.source.torque,
        "dissipation": found.dissipation,
    }


def quaternion_moment_case(q: list[float], M: list[float], w: list[float]) -> Mapping[str, Any]:
    q, M, w = map(jnp.asarray, (q, M, w))
    rate = 0.5 * quaternion_product(jnp.concatenate([jnp.zeros(1), w]), q)
    to_body = jnp.concatenate([q[:1], -q[1:]])
    moment = quaternion_moment(M, q)
    return {
        "M_q": moment,
        "q_dot": rate,
        "power": jnp.dot(M, w),
        "power_q": jnp.dot(moment, rate),
        "M_q_dot_q": jnp.dot(moment, q),
        "M_q_from_body_moment": quaternion_moment(
            rotate_by_quaternion(M, to_body), q, frame="body"
        ),
    }


FUNCTIONS = {
    "comsol/friction_magnitude": friction_magnitude_case,
    "comsol/sphere_sphere": sphere_sphere,
    "comsol/sphere_arbitrary": sphere_arbitrary,
    "comsol/quaternion_moment": quaternion_moment_case,
}
