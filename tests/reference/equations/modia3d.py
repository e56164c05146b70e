"""Inputs and outputs of Modia3D's contact force law. Cases were computed as the program's code
does: its force has no maximum.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.contact_plane import ContactPlane
from jaxcontact.geometry.rigid_motion import Motion, Wrench
from jaxcontact.laws.core.damping_maps import obtained_restitution
from jaxcontact.systems import modia3d
from tests.reference.latched_motion import latched_motion

NOTHING = jnp.zeros(3)
UP = jnp.array([0.0, 0.0, 1.0])


def reg(v_abs: float, v_small: float) -> Mapping[str, Any]:
    unit = modia3d.regularized_unit_vector(jnp.array([0.6, 0.0, -0.8]) * v_abs, v_small)
    return {"reg": modia3d.reg(v_abs, v_small), "unit_magnitude": jnp.linalg.norm(unit)}


def pair_lookup(mat1: str, mat2: str) -> Mapping[str, Any]:
    pair = modia3d.contact_pair_material(mat1, mat2)
    solids = {number: modia3d.solid_material(name) for number, name in ((1, mat1), (2, mat2))}
    outputs = {f"E{number}": solid.YoungsModulus for number, solid in solids.items()}
    outputs |= {f"nu{number}": solid.PoissonsRatio for number, solid in solids.items()}
    if isinstance(pair, modia3d.ElasticContactPairMaterial):
        outputs |= {
            "cor": pair.coefficientOfRestitution,
            "mu_k": pair.slidingFrictionCoefficient,
            "mu_r": pair.rotationalResistanceCoefficient,
            "vsmall": pair.vsmall,
            "wsmall": pair.wsmall,
        }
    return outputs


def c_res(E1: float, nu1: float, E2: float, nu2: float, k_red: float) -> Mapping[str, Any]:
    solids = (
        modia3d.SolidMaterial(YoungsModulus=E, PoissonsRatio=nu) for E, nu in ((E1, nu1), (E2, nu2))
    )
    return {"c_res": modia3d.resultant_modulus(*solids, elasticContactReductionFactor=k_red)}


def geometry(r1: float, flat1: bool, r2: float, flat2: bool) -> Mapping[str, Any]:
    return modia3d.geometry_factors(r1, r2, flat1=flat1, flat2=flat2)._asdict()


def damping(cor: float, v_n_abs: float, v_small: float, d_max: float) -> Mapping[str, Any]:
    current = modia3d.current_restitution(cor, v_n_abs, vsmall=v_small)
    return {"d": modia3d.damping_coefficient(current, v_n_abs, maximumContactDamping=d_max)}


def normal_force(
    c_res: float, c_geo: float, delta: float, d: float, delta_dot: float
) -> Mapping[str, Any]:
    return {
        "fn": modia3d.normal_force(
            delta, delta_dot, stiffness=c_res * c_geo, dissipation=d, tension=True
        )
    }


def pair_wrench(
    e_n: list[float],
    x1: list[float],
    x2: list[float],
    r_contact: list[float],
    v1: list[float],
    v2: list[float],
    w1: list[float],
    w2: list[float],
    delta: float,
    d: float,
    c_res: float,
    c_geo: float,
    mu_r_geo: float,
    mu_k: float,
    mu_r: float,
    vsmall: float,
    wsmall: float,
) -> Mapping[str, Any]:
    material = modia3d.ElasticContactPairResponseMaterial(
        c_res=c_res,
        c_geo=c_geo,
        d_res=d,
        mu_k=mu_k,
        mu_r=mu_r,
        mu_r_geo=mu_r_geo,
        vsmall=vsmall,
        wsmall=wsmall,
    )
    motions = [
        Motion(*(jnp.array(vector) for vector in motion)) for motion in ((x1, v1, w1), (x2, v2, w2))
    ]
    plane = ContactPlane(jnp.array(r_contact), jnp.array(e_n), jnp.asarray(-delta))
    response = modia3d.response_calculation(material, *motions, plane, tension=True)
    return {
        "fn": response.normal_force,
        "delta_dot": response.overlap_rate,
        "f1": response.wrench1.force,
        "f2": response.wrench2.force,
        "t1": response.wrench1.torque,
        "t2": response.wrench2.torque,
        "tau1": -response.resistance_torque,
    }


def effective_restitution_capped(d: float, v0: float) -> Mapping[str, Any]:
    return {"e_eff": obtained_restitution(d * v0)}


def sphere_on_floor(y: Any, contact: modia3d.ElasticContact) -> tuple[Motion, Motion]:
    """Height and velocity ``y`` of the centre above the place where it touches, and the floor."""
    radius = 0.5 * contact.solid1.shape.diameter
    return Motion(y[0] * UP, y[1] * UP, NOTHING), Motion(-radius * UP, NOTHING, NOTHING)


@cache
def bouncing(material: str) -> tuple[Any, Any]:
    """Rate of the state and state of the contact of a sphere that bounces on a box of the same
    material.
    """

    def contact(radius: Any) -> modia3d.ElasticContact:
        solids = (
            modia3d.Sphere(diameter=2 * radius),
            modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=0.1),
        )
        return modia3d.elastic_contact(
            *(modia3d.Solid(shape=shape, solidMaterial=material) for shape in solids)
        )

    @jax.jit
    def rate(y: Any, memory: Any, mass: Any, radius: Any, g: Any) -> jax.Array:
        law = contact(radius)
        response, _ = modia3d.sphere_flat_response(
            modia3d.ContactMemory(memory[0]), law, *sphere_on_floor(y, law), surface_normal=UP
        )
        wrench: Wrench = response.wrench1
        return jnp.stack([y[1], jnp.where(memory[0] >= 0.0, wrench.force[2], 0.0) / mass - g])

    @jax.jit
    def touching(y: Any, radius: Any) -> tuple[jax.Array, jax.Array]:
        motions = sphere_on_floor(y, contact(radius))
        plane = modia3d.sphere_flat_plane(*motions, radius1=radius, surface_normal=UP)
        return -plane.gap[None], modia3d.contact_start(*motions, plane).impact_speed[None]

    return rate, touching


def trajectory_bouncing_sphere(
    mass: float, radius: float, drop_height: float, g: float, material: str, t: float
) -> Mapping[str, Any]:
    rate, touching = bouncing(material)
    end = latched_motion(
        lambda y, memory: rate(y, memory, mass, radius, g),
        lambda y: touching(y, radius),
        np.array([drop_height, 0.0]),
        t,
        method="DOP853",
        rtol=1e-10,
        atol=1e-13,
    )
    return {"v": end.state[1], "s": end.state[0]}


FUNCTIONS = {
    "modia3d/reg": reg,
    "modia3d/pair_lookup": pair_lookup,
    "modia3d/c_res": c_res,
    "modia3d/geometry": geometry,
    "modia3d/damping": damping,
    "modia3d/normal_force": normal_force,
    "modia3d/pair_wrench": pair_wrench,
    "modia3d/effective_restitution_capped": effective_restitution_capped,
    "modia3d/trajectory_bouncing_sphere": trajectory_bouncing_sphere,
}
