"""One sphere above one plane, every parameter an array: simulated in lanes, and compiled once for
each structure.

Compiling takes seconds, running milliseconds: so the tests share these functions, and differ in
numbers only.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.friction.coulomb import REGULARIZATIONS

LANES = 16
SAMPLES = 41

BASE = {
    "stiffness": 1e5,  # of an overlap of 1 mm at about 3 m/s, whatever the exponent
    "restitution": 0.8,
    "friction": 0.3,
    "slip_velocity": 0.02,
    "mass": 0.01,
    "radius": 0.02,
    "inertia_ratio": 0.4,
    "gravity": (0.0, 0.0, -9.81),
    "normal": (0.0, 0.0, 1.0),
    "offset": 0.0,
    "drag": 0.45,
    "lift": 0.8,
    "fluid_density": 1.2,
    "position": (0.0, 0.0, 0.12),
    "velocity": (0.7, 0.2, 0.0),
    "spin": (3.0, 10.0, 2.0),
    "start": 0.0,
    "duration": 0.4,
}

NORMAL: dict[str, Callable[[dict], Any]] = {
    "hunt_crossley": lambda p: jc.HuntCrossley(
        stiffness=p["stiffness"], restitution=p["restitution"]
    ),
    "hunt_crossley_2": lambda p: jc.HuntCrossley(
        stiffness=p["stiffness"] * 1e3**0.5, restitution=p["restitution"], exponent=2.0
    ),
    "power_law": lambda p: jc.PowerLawHuntCrossley(
        stiffness=p["stiffness"] * 1e3 ** (p["exponent"] - 1.5),
        restitution=p["restitution"],
        exponent=p["exponent"],
    ),
    "linear_zero_overlap": lambda p: jc.LinearDashpot(
        stiffness=p["stiffness"] * 1e3**-0.5, restitution=p["restitution"]
    ),
    "linear_zero_force": lambda p: jc.LinearDashpot(
        stiffness=p["stiffness"] * 1e3**-0.5, restitution=p["restitution"], end="zero_force"
    ),
    "tsuji_zero_overlap": lambda p: jc.TsujiDashpot(
        stiffness=p["stiffness"], restitution=p["restitution"]
    ),
    "tsuji_zero_force": lambda p: jc.TsujiDashpot(
        stiffness=p["stiffness"], restitution=p["restitution"], end="zero_force"
    ),
    "newton": lambda p: jc.NewtonRestitution(restitution=p["restitution"]),
}
LAWS = tuple(name for name in NORMAL if name != "newton")
# One regularisation of friction for each law, so that every one is met.
REGULARIZATION = {"hunt_crossley_2": "linear", "power_law": "tanh", "linear_zero_force": "tanh"} | {
    "tsuji_zero_overlap": "exponential",
    "tsuji_zero_force": "linear",
}


def stacked(cases: Sequence[dict]) -> dict:
    """Cases, each some entries that differ from ``BASE``, as one array for each parameter; filled
    up to a multiple of ``LANES``.
    """
    cases = list(cases) + [cases[-1]] * (-len(cases) % LANES)
    rows = [{**BASE, "exponent": 1.5, **case} for case in cases]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def scene(p: dict, *, law: str = "hunt_crossley", fluid: bool = False) -> jc.Scene:
    air = {}
    if fluid:
        air["drag"] = jc.QuadraticDrag(coefficient=p["drag"], fluid_density=p["fluid_density"])
        air["lift"] = jc.MagnusLift(coefficient=p["lift"], fluid_density=p["fluid_density"])
    regularization = REGULARIZATIONS[REGULARIZATION.get(law, "root")]
    friction = jc.RegularizedCoulomb(
        coefficient=p["friction"], slip_velocity=p["slip_velocity"], regularization=regularization
    )
    return jc.Scene(
        bodies=jc.Spheres(radius=p["radius"], mass=p["mass"], inertia_ratio=p["inertia_ratio"]),
        surfaces=(jc.Plane(normal=p["normal"], offset=p["offset"]),),
        contact=jc.ContactModel(normal=NORMAL[law](p), friction=friction),
        gravity=p["gravity"],
        **air,
    )


def initial(p: dict) -> jc.State:
    return jc.State(
        *(jnp.asarray(p[name], dtype=float) for name in ("position", "velocity", "spin"))
    )


def output_times(p: dict) -> jax.Array:
    return p["start"] + p["duration"] * jnp.linspace(0.0, 1.0, SAMPLES)


EVENT_ALIGNED = jc.EventAligned(max_contacts=12)
IN_TIME = jc.EventAligned(max_contacts=12, in_time=True)


def simulated(
    p: dict, *, law: str, fluid: bool = False, method: Any = EVENT_ALIGNED
) -> jc.Trajectory:
    return jc.simulate(scene(p, law=law, fluid=fluid), initial(p), output_times(p), method=method)


def columns(trajectory: jc.Trajectory) -> Any:
    """Position, velocity and spin side by side, (..., samples, 9)."""
    return jnp.concatenate([trajectory.position, trajectory.velocity, trajectory.spin], axis=-1)


@functools.cache
def compiled(law: str, fluid: bool, method: Any) -> Callable[[dict], jc.Trajectory]:
    """``simulated`` for ``LANES`` cases at once."""
    return jax.jit(jax.vmap(functools.partial(simulated, law=law, fluid=fluid, method=method)))


def run(
    cases: Sequence[dict],
    *,
    law: str = "hunt_crossley",
    fluid: bool = False,
    method: Any = EVENT_ALIGNED,
) -> jc.Trajectory:
    """Trajectories of all cases, stacked; numpy arrays."""
    lanes = stacked(cases)
    simulate = compiled(law, fluid, method)
    pieces = [
        simulate({name: value[i : i + LANES] for name, value in lanes.items()})
        for i in range(0, len(lanes["mass"]), LANES)
    ]
    return jax.tree.map(lambda *parts: np.concatenate(parts)[: len(cases)], *pieces)
