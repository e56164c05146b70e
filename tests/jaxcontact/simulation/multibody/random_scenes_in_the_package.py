"""Random scenes (``random_scenes``) as the package simulates them, with their derivative."""

import dataclasses
import functools
from typing import NamedTuple

import jax
import numpy as np

import jaxcontact as jc
from jaxcontact.laws import elastic
from jaxcontact.simulation.core.methods import made_exact
from tests.jaxcontact.simulation.multibody.equations_of_contact import Kind

METHOD = jc.EventAligned(max_contacts=16)


def normal_law(kind: Kind, numbers):
    stiffness, damped, exponent = numbers
    ends = {"end": kind.end}
    match kind.law:
        case "hunt_crossley":
            return jc.HuntCrossley(stiffness=stiffness, restitution=damped)
        case "elastic":
            law = jc.normal_law(elastic.power_law_force)
            return law(stiffness=stiffness, exponent=exponent)
        case "linear":
            return jc.LinearDashpot(stiffness=stiffness, restitution=damped, **ends)
        case "tsuji":
            return jc.TsujiDashpot(stiffness=stiffness, restitution=damped, **ends)
        case "kuwabara_kono":
            return jc.KuwabaraKono(stiffness=stiffness, dissipation_time=damped, **ends)
    return jc.HertzDashpot(stiffness=stiffness, damping=damped, **ends)


def surface(kind: str, n):
    match kind:
        case "plane":
            return jc.Plane(normal=n[:3], offset=n[3])
        case "sphere":
            return jc.Sphere(center=n[:3], radius=n[3])
        case "hollow sphere":
            return jc.Sphere(center=n[:3], radius=n[3], hollow=True)
        case "capsule":
            return jc.Capsule(start=n[:3], end=n[3:6], radius=n[6])
    return jc.Box(center=n[:3], lengths=n[3:6], orientation=n[6:9])


def simulated(kind: Kind, p: dict, method: jc.EventAligned, moments) -> jc.Trajectory:
    """The same scene in the package."""
    if kind.clumps:
        bodies = jc.Clumps(
            offset=p["offset"],
            radius=p["radius"],
            mass=p["mass"],
            inertia=p["inertia"],
            of_body=kind.of_body,
        )
    else:
        bodies = jc.spheres(radius=p["radius"], mass=p["mass"])
    friction = jc.RegularizedCoulomb(coefficient=p["friction"][0], slip_velocity=p["friction"][1])
    rolling = spinning = None
    if kind.twisted:
        coefficients, scales = p["twisted"][::2], p["twisted"][1::2]
        rolling = jc.RollingResistance(
            rolling_coefficient=coefficients[0], rolling_velocity=scales[0]
        )
        spinning = jc.SpinningFriction(coefficient=coefficients[1], spin_velocity=scales[1])
    scene = jc.Scene(
        bodies=bodies,
        surfaces=tuple(surface(o, p[f"obstacle {i}"]) for i, o in enumerate(kind.obstacles)),
        contact=jc.ContactModel(
            normal=normal_law(kind, p["law"]), friction=friction, rolling=rolling, spinning=spinning
        ),
        gravity=p["gravity"],
        drag=jc.QuadraticDrag(coefficient=p["drag"]) if kind.drag else None,
    )
    start = jc.state(
        position=p["position"],
        velocity=p["velocity"],
        spin=p["spin"],
        orientation=p["orientation"] if kind.clumps else None,
    )
    return jc.simulate(scene, start, moments, method=method, strict=False)


@functools.cache
def program(kind: Kind, method: jc.EventAligned):
    """Compiled: trajectory and derivative along a direction."""

    def both(p, along, moments):
        def motion(p):
            found = simulated(kind, p, method, moments)
            return (found.position, found.orientation, found.velocity, found.spin), found

        return jax.jvp(motion, (p,), (along,), has_aux=True)

    return jax.jit(both)


class Found(NamedTuple):
    """Rows as in ``Motion``, the status, and from when on something rests."""

    states: np.ndarray
    slopes: np.ndarray
    status: jc.Status
    rests_from: float


def first_method(kind: Kind) -> jc.EventAligned:
    """What a plain call takes: without gravity nothing is pressed together for long."""
    return dataclasses.replace(
        METHOD,
        general=kind.general,
        sustained_steps=METHOD.sustained_steps if kind.obstacles else 0,
    )


def followed(kind: Kind, p: dict, along: dict, moments: np.ndarray) -> Found:
    """As a plain call does: with finer steps or more of them where the status asks for it."""
    method = first_method(kind)
    while True:
        value, slope, found = program(kind, method)(p, along, moments)
        status = jc.Status(int(found.status))
        another = made_exact(method, status)
        if status == jc.Status.TOO_FEW_CONTACTS and method.max_contacts < 200:
            another = dataclasses.replace(method, max_contacts=4 * method.max_contacts)
        if status == jc.Status.TOO_FEW_STEPS and method.max_steps is None:
            another = dataclasses.replace(method, max_steps=8_000)
        if another is None:
            break
        method = another

    def rows(parts):
        position, orientation, velocity, spin = (
            None if part is None else np.asarray(part) for part in parts
        )
        if orientation is None:
            orientation = np.zeros((*position.shape[:-1], 4))
        return np.concatenate([position, orientation, velocity, spin], axis=-1)

    contacts = found.contacts
    lasts = np.asarray(contacts.happened & (contacts.rebound_speed == 0.0))
    if not np.any(lasts):  # what has settled may open again: after the longest
        time = np.where(contacts.happened, contacts.lift_off - contacts.touch_down, -np.inf)
        lasts = contacts.happened & (time == np.max(time))
    rests_from = np.min(np.where(lasts, contacts.touch_down, np.inf))
    rests = status == jc.Status.CAME_TO_REST
    return Found(rows(value), rows(slope), status, rests_from if rests else np.inf)
