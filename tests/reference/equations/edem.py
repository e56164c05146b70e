"""Inputs and outputs of EDEM's spinning friction and its base models."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.contact_disk import (
    circle_of_intersection_area,
    disk_radius,
    hertz_area,
    sphere_plane_area,
)
from jaxcontact.laws.core.damping_maps import zero_overlap_restitution
from jaxcontact.laws.friction.coulomb import EXPONENTIAL, LINEAR, ROOT, TANH
from jaxcontact.laws.friction.rolling import rocking_damping_torque
from jaxcontact.laws.friction.spinning import (
    limited_spinning_torque,
    regularized_spinning_torque,
    spin_after_step,
    spinning_torque_limit,
    stopping_torque,
)
from jaxcontact.materials import Solid, effective_mass, effective_modulus, effective_radius
from jaxcontact.systems.edem import (
    HertzMindlin,
    LinearSpring,
    SpinningFriction,
    spinning_friction_torque,
)
from jaxcontact.systems.edem.base import EffectivePair

REGULARIZATIONS = {"tanh": TANH, "sqrt": ROOT, "exp": EXPONENTIAL}


def disk(area: Any, overlap: Any, radius: Any) -> Mapping[str, Any]:
    return {
        "area": area,
        "R_disk": disk_radius(area),
        "hertz_a": disk_radius(hertz_area(overlap, effective_radius=radius)),
    }


def area_sphere_sphere(R1: float, R2: float, d: float) -> Mapping[str, Any]:
    overlap = R1 + R2 - d
    return disk(
        circle_of_intersection_area(overlap, radius1=R1, radius2=R2),
        overlap,
        effective_radius(R1, R2),
    )


def area_sphere_plane(R: float, delta: float) -> Mapping[str, Any]:
    return disk(sphere_plane_area(delta, radius=R), delta, R)


def spinning_torque(
    n: list[float],
    w1: list[float],
    w2: list[float],
    area: float,
    mu: float,
    Fn: float,
    I_min: float,
    dt: float,
    gamma_n: float,
    c_safety: float,
) -> Mapping[str, Any]:
    normal, rotation = np.asarray(n), np.asarray(w1) - np.asarray(w2)
    spin = rotation @ normal
    friction = SpinningFriction(mu=mu, C_safety=c_safety)
    torque = spinning_friction_torque(friction, spin, Fn, area=area, inertia1=I_min, time_step=dt)
    rocking = rocking_damping_torque(rotation - spin * normal, damping=gamma_n, contact_area=area)
    coulomb = spinning_torque_limit(Fn, coefficient=mu, contact_radius=disk_radius(area))
    limit = abs(stopping_torque(spin, inertia=I_min, time_step=dt, safety=c_safety))
    return {
        "R_disk": disk_radius(area),
        "M_coulomb": coulomb,
        "M_limit": limit,
        "M_spin": abs(torque),
        "limited": limit < coulomb,
        "torque_spin": torque * normal,
        "torque_rock": rocking,
        "torque_on_1": torque * normal + rocking,
        "torque_on_2": -torque * normal - rocking,
    }


def uniform_disk_torque(mu: float, Fn: float, R: float) -> Mapping[str, Any]:
    return {
        name: spinning_torque_limit(Fn, coefficient=mu, contact_radius=R, pressure=pressure)
        for name, pressure in (("M", "uniform"), ("M_hertz_pressure", "hertz"))
    }


def constant(torque: float) -> dict[str, Any]:
    """A ring of 1 m with this torque."""
    return {"normal_force": torque, "coefficient": 1.0, "contact_radius": 1.0, "pressure": "ring"}


def spin_smooth(M_coulomb: float, w_n: float, w_reg: float, kind: str) -> Mapping[str, Any]:
    return {
        "M": regularized_spinning_torque(
            w_n, spin_velocity=w_reg, regularization=REGULARIZATIONS[kind], **constant(M_coulomb)
        )
    }


def spin_down(M_coulomb: float, I: float, w0: float) -> Mapping[str, Any]:  # noqa: E741
    """From the spin half way, found in one step, and the angle as its integral (Gauss, exact for a
    parabola).
    """

    def spin(time: Any) -> Any:
        return spin_after_step(
            w0,
            inertia=I,
            time_step=time,
            spin_velocity=1e-14 * abs(w0),
            regularization=LINEAR,
            **constant(M_coulomb),
        )

    half = I * abs(w0) / M_coulomb / 2
    stop = half * w0 / (w0 - spin(half))
    points = np.array([0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)])
    return {"t_stop": stop, "angle": stop * np.mean([spin(stop * point) for point in points])}


def limited_decay(
    w0: float, n_steps: int, c_safety: float, I_over_Imin: float
) -> Mapping[str, Any]:
    """Explicit steps with a torque that the limit of the step always holds back."""
    inertia, time_step = 1e-3, 1e-4
    strong = constant(2.0 * inertia * abs(w0) / time_step)

    def step(_: Any, spin: Any) -> Any:
        torque = limited_spinning_torque(
            spin, inertia=inertia / I_over_Imin, time_step=time_step, safety=c_safety, **strong
        )
        return spin + time_step * torque / inertia

    return {"w": jax.lax.fori_loop(0, n_steps, step, jnp.asarray(w0))}


def hertz_mindlin_normal(
    E1: float,
    nu1: float,
    E2: float,
    nu2: float,
    R1: float,
    R2: float | None,
    m1: float,
    m2: float | None,
    e: float,
    delta: float,
    delta_dot: float,
) -> Mapping[str, Any]:
    solids = [Solid(youngs_modulus=E, poisson_ratio=nu) for E, nu in ((E1, nu1), (E2, nu2))]
    base = HertzMindlin(
        solid1=solids[0], solid2=solids[1], coefficient_of_restitution=e, static_friction=0.0
    )
    pair = EffectivePair(
        effective_radius(R1) if R2 is None else effective_radius(R1, R2),
        effective_mass(m1) if m2 is None else effective_mass(m1, m2),
    )
    contact = base.normal(delta, delta_dot, pair)
    return {
        "E_star": effective_modulus(*solids),
        "R_star": pair.radius,
        "m_star": pair.mass,
        "Fn_el": contact.load,
        "S_n": jax.grad(lambda overlap: base.normal(overlap, 0.0, pair).force)(delta),
        "beta": base.beta,
        "gamma_n": contact.damping,
        "Fn_damp": contact.damping * delta_dot,
    }


def linear_spring(
    E_star: float, R_star: float, m_star: float, V: float, e: float
) -> Mapping[str, Any]:
    solid = Solid(youngs_modulus=2 * E_star, poisson_ratio=0.0)
    base = LinearSpring(
        solid1=solid,
        solid2=solid,
        characteristic_velocity=V,
        coefficient_of_restitution=e,
        static_friction=0.0,
    )
    pair = EffectivePair(R_star, m_star)
    stiffness, damping = base.stiffness(pair), base.normal(1e-6, 0.0, pair).damping
    return {
        "k": stiffness,
        "c": damping,
        "e_zero_gap": zero_overlap_restitution(damping / (2 * jnp.sqrt(stiffness * m_star))),
    }


FUNCTIONS = {
    "edem/area_sphere_sphere": area_sphere_sphere,
    "edem/area_sphere_plane": area_sphere_plane,
    "edem/spinning_torque": spinning_torque,
    "edem/uniform_disk_torque": uniform_disk_torque,
    "edem/spin_smooth": spin_smooth,
    "edem/spin_down": spin_down,
    "edem/limited_decay": limited_decay,
    "edem/hertz_mindlin_normal": hertz_mindlin_normal,
    "edem/linear_spring": linear_spring,
}
