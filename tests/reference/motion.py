"""Motions through ``jaxcontact.simulate``, with derivatives; each structure of a scene is compiled
once, whatever its numbers are.

Inputs of a compiled function are a dictionary of arrays. Its derivative is a function of inputs and
tangents, so that one compilation serves every parameter of every case: forward and reverse mode are
those of ``jax.jvp`` and ``jax.vjp``.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.core.damping_maps import obtained_restitution
from jaxcontact.laws.friction.coulomb import LINEAR
from jaxcontact.scene.bodies import SOLID_SPHERE

Inputs = dict[str, Any]
OBTAINED = jax.jit(obtained_restitution)
UP = (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -1.0)


def along_z(value: Any) -> jax.Array:
    return jnp.asarray(value, dtype=float) * jnp.asarray(UP)


def vector(x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> jax.Array:
    return jnp.stack([jnp.asarray(component, dtype=float) for component in (x, y, z)])


def arrays(inputs: Mapping[str, Any]) -> Inputs:
    """Every number as an array of float64, so that Python numbers and arrays share a
    compilation.
    """
    return {name: jnp.asarray(value, dtype=float) for name, value in inputs.items()}


class Compiled(NamedTuple):
    """A motion as a function of its inputs: values with one directional derivative, and the
    gradient of a combination of outputs.
    """

    tangent: Callable[[Inputs, Inputs], tuple[Inputs, Inputs, Inputs]]
    cotangent: Callable[[Inputs, Inputs], Inputs]


def compiled(motion: Callable[[Inputs], tuple[Inputs, Inputs]]) -> Compiled:
    """``motion`` returns differentiable outputs and whole numbers."""

    @jax.jit
    def tangent(inputs: Inputs, tangents: Inputs) -> tuple[Inputs, Inputs, Inputs]:
        return jax.jvp(motion, (inputs,), (tangents,), has_aux=True)

    @jax.jit
    def cotangent(inputs: Inputs, cotangents: Inputs) -> Inputs:
        _, pull_back, _ = jax.vjp(motion, inputs, has_aux=True)
        return pull_back(cotangents)[0]

    return Compiled(tangent, cotangent)


# Rigid impacts on a floor, perhaps below a ceiling.

MAX_IMPACTS = 32


def floor_and_ceiling(floor: Any, ceiling: Any) -> tuple[jc.Plane, ...]:
    """Planes at these heights; no ceiling where that is ``None``."""
    above = () if ceiling is None else (jc.Plane(normal=DOWN, offset=-ceiling),)
    return (jc.Plane(normal=UP, offset=floor), *above)


def rigid_motion(inputs: Inputs) -> tuple[Inputs, Inputs]:
    scene = jc.Scene(
        bodies=jc.spheres(radius=inputs["radius"], mass=1.0),
        surfaces=floor_and_ceiling(inputs["floor"], inputs.get("ceiling")),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=inputs["restitution"]),
            friction=jc.Coulomb(
                coefficient=inputs["friction"],
                tangential_restitution=inputs["tangential_restitution"],
            ),
        ),
        gravity=along_z(-inputs["gravity"]),
    )
    start = jc.state(
        position=along_z(inputs["height"]), velocity=inputs["velocity"], spin=inputs["spin"]
    )
    times = jnp.stack([jnp.zeros_like(inputs["time"]), inputs["time"]])
    end = jc.simulate(
        scene,
        start,
        times,
        method=jc.Impulse(max_contacts=MAX_IMPACTS, rest_speed=0.0, sustained_steps=0),
    )
    motion = {
        "position": end.position[1],
        "velocity": end.velocity[1],
        "spin": end.spin[1],
        "touch_down": end.contacts.touch_down,
        "rebound_speed": end.contacts.rebound_speed,
    }
    return motion, {"happened": end.contacts.happened, "surface": end.contacts.surface}


RIGID = compiled(rigid_motion)


def rigid_inputs(**given: Any) -> Inputs:
    """``height`` and ``floor`` are those of centre and surface; what is not given is a sphere that
    does nothing.
    """
    standard = {
        "radius": 0.01,
        "floor": 0.0,
        "restitution": 1.0,
        "friction": 0.0,
        "tangential_restitution": 0.0,
        "gravity": 0.0,
        "velocity": (0.0, 0.0, 0.0),
        "spin": (0.0, 0.0, 0.0),
    }
    velocity = given.get("velocity", standard["velocity"])
    spin = given.get("spin", standard["spin"])
    return arrays(standard | given | {"velocity": vector(*velocity), "spin": vector(*spin)})


# Rigid impacts between spheres.


def rigid_spheres_motion(inputs: Inputs) -> tuple[Inputs, Inputs]:
    """Frictionless; position, velocity and acceleration are ``(spheres, 3)``."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=inputs["radius"], mass=inputs["mass"]),
        surfaces=(),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=inputs["restitution"])),
        gravity=inputs["acceleration"],
    )
    start = jc.state(position=inputs["position"], velocity=inputs["velocity"])
    times = jnp.stack([jnp.zeros_like(inputs["time"]), inputs["time"]])
    end = jc.simulate(scene, start, times, method=jc.Impulse(max_contacts=MAX_IMPACTS))
    return {"position": end.position[1], "velocity": end.velocity[1]}, {"status": end.status}


RIGID_SPHERES = compiled(rigid_spheres_motion)


def rigid_spheres_inputs(
    *, position: Any, velocity: Any = 0.0, acceleration: Any = 0.0, mass: Any = 1.0, **given: Any
) -> Inputs:
    """Of each sphere its position, and what else is not zero (mass: one)."""
    position = jnp.stack([vector(*of_one) for of_one in position])
    vectors = {"velocity": velocity, "acceleration": acceleration}
    filled = {
        name: jnp.zeros_like(position)
        if isinstance(value, float)
        else jnp.stack([vector(*of_one) for of_one in value])
        for name, value in vectors.items()
    }
    mass = jnp.broadcast_to(
        jnp.stack(mass) if isinstance(mass, tuple) else mass, position.shape[:1]
    )
    return arrays({"position": position, "mass": mass, **filled, **given})


# A compliant bounce on a floor without gravity.

CONTACT_STEPS = 256
SAMPLES = 65


def compliant_motion(inputs: Inputs, law: Any) -> tuple[Inputs, Inputs]:
    scene = jc.Scene(
        bodies=jc.spheres(radius=inputs["radius"], mass=inputs["mass"]),
        surfaces=(jc.Plane(offset=inputs["floor"]),),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=along_z(inputs["height"]), velocity=along_z(-inputs["speed"]))
    times = jnp.concatenate([jnp.zeros(1), inputs["times"]])
    end = jc.simulate(
        scene, start, times, method=jc.EventAligned(max_contacts=1, contact_steps=CONTACT_STEPS)
    )
    motion = {
        "height": end.position[1:, 2],
        "velocity": end.velocity[1:, 2],
        "duration": end.contacts.lift_off[0] - end.contacts.touch_down[0],
        "rebound_speed": end.contacts.rebound_speed[0],
    }
    return motion, {}


def hunt_crossley_motion(inputs: Inputs) -> tuple[Inputs, Inputs]:
    """``F = K d^n (1 + a d'/v)`` with the restitution of ``a`` at the speed ``reference_speed``."""
    names = ("stiffness", "restitution", "exponent", "reference_speed")
    return compliant_motion(
        inputs, jc.PowerLawHuntCrossley(**{name: inputs[name] for name in names})
    )


HUNT_CROSSLEY = compiled(hunt_crossley_motion)


@cache
def linear_dashpot_motion(end: str) -> Callable[[Inputs], Inputs]:
    """``F = k d + c d'``, its contacts ending as ``end`` says; values only."""

    def motion(inputs: Inputs) -> Inputs:
        law = jc.LinearDashpot(
            stiffness=inputs["stiffness"], restitution=inputs["restitution"], end=end
        )
        return compliant_motion(inputs, law)[0]

    return jax.jit(motion)


def hunt_crossley_values(inputs: Inputs) -> Inputs:
    """The motion without derivatives; shares the compilation with those."""
    return HUNT_CROSSLEY.tangent(inputs, jax.tree.map(jnp.zeros_like, inputs))[0]


class Impact(NamedTuple):
    """An impact from touch-down to lift-off."""

    restitution: float
    duration: float
    largest_overlap: float
    time_of_largest_overlap: float


def measured_impact(
    motion: Callable[[Inputs], Inputs], *, mass: Any, speed: Any, **law: Any
) -> Impact:
    """Impact of a sphere that starts touching; the centre is then at 0, so that the overlap keeps
    its digits.
    """
    inputs = arrays(
        {
            "radius": 1.0,
            "floor": -1.0,
            "height": 0.0,
            "mass": mass,
            "speed": speed,
            "times": np.zeros(SAMPLES),
            **law,
        }
    )
    whole = motion(inputs)
    low, high = 0.0, float(whole["duration"])
    for _ in range(3):  # the turning point, each time 64 times more closely
        times = np.linspace(low, high, SAMPLES)
        found = motion(inputs | {"times": jnp.asarray(times)})
        velocity = np.asarray(found["velocity"])
        after = int(np.argmax(velocity > 0.0))
        low, high = times[after - 1], times[after]
    turning = low - velocity[after - 1] * (high - low) / (velocity[after] - velocity[after - 1])
    return Impact(
        restitution=float(whole["rebound_speed"] / inputs["speed"]),
        duration=float(whole["duration"]),
        largest_overlap=-float(np.min(found["height"])),
        time_of_largest_overlap=float(turning),
    )


@cache
def impact(
    *,
    damping_ratio: float,
    exponent: float,
    stiffness: float = 1.0,
    mass: float = 1.0,
    speed: float = 1.0,
) -> Impact:
    """Impact under ``F = K d^n (1 + a d'/v)``, ``v`` the impact speed."""
    return measured_impact(
        hunt_crossley_values,
        mass=mass,
        speed=speed,
        stiffness=stiffness,
        exponent=exponent,
        restitution=OBTAINED(damping_ratio),
        reference_speed=speed,
    )


# Sustained contact with a plane.

REST_STEPS = 2000
"""Of a sliding or rolling in compiled code, where a plain call would find them."""

SLIP_VELOCITY = 1e-14
"""Slip velocity of the regularisation over the slip or speed of a case: what it changes is far
below every tolerance.
"""


def sustained_motion(inputs: Inputs) -> Inputs:
    """A sphere that lies on a plane from the start on. Not compiled as a whole: what is level is
    known where gravity is numbers, and slides in closed form.
    """
    scene = jc.Scene(
        bodies=jc.Spheres(
            radius=inputs["radius"], mass=inputs["mass"], inertia_ratio=inputs["inertia_ratio"]
        ),
        surfaces=(jc.Plane(offset=-inputs["radius"]),),
        contact=jc.ContactModel(
            normal=jc.PowerLawHuntCrossley(
                stiffness=inputs["stiffness"], restitution=0.5, exponent=inputs["exponent"]
            ),
            friction=jc.RegularizedCoulomb(
                coefficient=inputs["friction"],
                slip_velocity=inputs["slip_velocity"],
                regularization=LINEAR,
            ),
        ),
        gravity=inputs["gravity"],
    )
    start = jc.state(position=vector(), velocity=inputs["velocity"], spin=inputs["spin"])
    method = jc.Impulse(max_contacts=1, rest_steps=REST_STEPS, accuracy=1e-8)
    end = jc.simulate(scene, start, inputs["times"], method=method)
    return {"position": end.position, "velocity": end.velocity, "spin": end.spin}


def sustained_contact(
    *,
    times: Any,
    gravity: Any,
    speed_scale: float = 1.0,
    velocity: Any = (0.0, 0.0, 0.0),
    spin: Any = (0.0, 0.0, 0.0),
    radius: float = 1.0,
    mass: float = 1.0,
    friction: float = 0.0,
    inertia_ratio: float = SOLID_SPHERE,
    stiffness: float = 1e12,
    exponent: float = 1.5,
) -> Inputs:
    """Position, velocity and spin at ``times`` (three of them)."""
    given = dict(locals()) | {"slip_velocity": SLIP_VELOCITY * speed_scale}
    del given["speed_scale"]
    return sustained_motion(arrays(given))


class Rolling(NamedTuple):
    """A sphere that slides on a plane until it rolls."""

    slip_ends: float
    velocity: float
    surface_speed: float
    distance: float


def rolling(
    *,
    radius: float,
    velocity: float,
    mu: float,
    gravity: float,
    surface_speed: float = 0.0,
    inertia_ratio: float = SOLID_SPHERE,
) -> Rolling:
    """Sliding from ``velocity`` and ``surface_speed`` (radius times spin, positive when it rolls
    forwards) to rolling.

    Until it rolls, the slip falls linearly. When it has ended is found from what is left of it
    after half of the time that the work of friction allows; speeds and distance are then read at
    that very time.
    """
    slip = velocity - surface_speed
    fastest = abs(slip) / ((1 + 1 / inertia_ratio) * mu * gravity)

    def after(time: float) -> Inputs:
        return sustained_contact(
            times=(0.0, time / 2, time),
            gravity=(0.0, 0.0, -gravity),
            velocity=(velocity, 0.0, 0.0),
            spin=(0.0, surface_speed / radius, 0.0),
            speed_scale=abs(slip),
            radius=radius,
            friction=mu,
            inertia_ratio=inertia_ratio,
        )

    half = after(fastest / 2)
    left = half["velocity"][2, 0] - radius * half["spin"][2, 1]
    ends = float(fastest / 2 * slip / (slip - left))
    rolls = after(ends)
    return Rolling(
        ends,
        float(rolls["velocity"][2, 0]),
        float(radius * rolls["spin"][2, 1]),
        float(rolls["position"][2, 0]),
    )


class Incline(NamedTuple):
    """Accelerations of a sphere down an incline [m/s^2]."""

    acceleration: float
    surface_acceleration: float


def incline(*, angle: float, mu: float, gravity: float, duration: float = 1.0) -> Incline:
    """Let go on an incline of ``angle`` [degrees]: changes of speed in the second half of
    ``duration``, when slipping is steady.
    """
    tilted = gravity * math.sin(math.radians(angle)), 0.0, -gravity * math.cos(math.radians(angle))
    motion = sustained_contact(
        times=(0.0, duration / 2, duration),
        gravity=tilted,
        friction=mu,
        speed_scale=gravity * duration,
    )
    change = (
        motion["velocity"][2, 0] - motion["velocity"][1, 0],
        motion["spin"][2, 1] - motion["spin"][1, 1],
    )
    return Incline(*(float(speed / (duration / 2)) for speed in change))
