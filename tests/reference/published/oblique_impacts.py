"""A sphere hits a rigid plane obliquely, under any normal law and a tangential spring with memory:
many impacts in one simulation.

Lengths are in units of the radius, masses in that of the sphere, and times in the time scale of the
slowest impact: so all problems share a time step, and a compilation.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.friction.cundall_strack import CundallStrack
from jaxcontact.laws.friction.mindlin import Mindlin

LENGTH = 8.0
"""Time that is simulated, in units of the time scale of the slowest impact; an elastic impact lasts
about 3 of them.
"""

STEPS = 8000

BATCH = 32
"""Impacts are filled up to a multiple of it, so that curves share a compilation."""

SPRINGS = {
    "linear": "",
    "displacement": "displacement",
    "incremental": "force",
    "rescaled": "rescaled",
}
"""Linear: of constant stiffness. The others are the forms of ``laws.mindlin.Mindlin``, by their
names there.
"""


class Spring(NamedTuple):
    """A tangential spring and its slider.

    Attributes:
        coefficient: of friction [-].
        stiffness: of the linear spring [N/m], or effective shear modulus of Mindlin's [Pa].
        damping_ratio: tangential over normal damping coefficient [-].
    """

    coefficient: Any
    stiffness: Any
    damping_ratio: Any = 0.0


class Rebound(NamedTuple):
    """Velocities [m/s] of the centre along the normal (away from the plane) and along it, and spin
    [rad/s]; the slip is ``tangential + radius * spin``.
    """

    normal: Any
    tangential: Any
    spin: Any


def friction(spring: Spring, form: str, normal: Any) -> Any:
    """Of a sphere of radius and mass 1. Its dashpot is ``damping_ratio`` times the normal one, at
    every overlap.
    """
    damping = normal.force(1.0, 1.0, impact_speed=1.0, mass=1.0) - normal.force(
        1.0, 0.0, impact_speed=1.0, mass=1.0
    )
    if form == "linear":
        return CundallStrack(
            coefficient=spring.coefficient,
            tangential_stiffness=spring.stiffness,
            tangential_damping=spring.damping_ratio * damping,
        )
    stiffness = (
        8.0 * spring.stiffness
    )  # at overlap 1; Tsuji's dashpot goes with the square root of the stiffness, as zeta does
    zeta = spring.damping_ratio * damping / (2.0 * jnp.sqrt(stiffness))
    return Mindlin(
        coefficient=spring.coefficient,
        effective_shear_modulus=spring.stiffness,
        zeta=zeta,
        form=SPRINGS[form],
    )


@partial(
    jax.jit,
    static_argnames=("form", "method"),
    compiler_options={"xla_backend_optimization_level": 0},
)
@partial(jax.vmap, in_axes=(0, None, None, None, None))
def _rebound(before: Rebound, normal: Any, spring: Spring, form: str, method: Any) -> Rebound:
    scene = jc.Scene(
        bodies=jc.spheres(radius=1.0, mass=1.0),
        contact=jc.ContactModel(normal=normal, friction=friction(spring, form, normal)),
        gravity=(0.0, 0.0, 0.0),
    )
    zero = jnp.zeros_like(before.normal)
    start = jc.state(
        position=(0.0, 0.0, 1.0),
        velocity=jnp.stack([before.tangential, zero, before.normal]),
        spin=jnp.stack([zero, -before.spin, zero]),
    )
    end = jc.simulate(scene, start, np.asarray([0.0, LENGTH]), method=method)
    return Rebound(end.velocity[-1, 2], end.velocity[-1, 0], -end.spin[-1, 1])


def oblique_impacts(
    before: Rebound,
    *,
    radius: float,
    mass: float,
    normal: Any,
    spring: Spring,
    form: str,
    method: Any = None,
) -> Rebound:
    """What impacts with the velocities and spins ``before``, each ``(impacts,)``, end in; ``form``
    is one of ``SPRINGS``.
    """
    if form not in SPRINGS:
        raise ValueError(f"{form!r} is not one of the springs {', '.join(SPRINGS)}")
    method = (
        jc.FixedStep(step=LENGTH / STEPS, scheme="velocity_verlet") if method is None else method
    )
    before = Rebound(*np.broadcast_arrays(*before))
    unit = max(float(normal.scales(impact_speed=speed, mass=mass)[1]) for speed in -before.normal)
    speed = radius / unit
    impacts = len(before.normal)
    scaled = Rebound(before.normal / speed, before.tangential / speed, before.spin * unit)
    filled = Rebound(
        *(
            jnp.pad(jnp.asarray(value, dtype=float), (0, -impacts % BATCH), mode="edge")
            for value in scaled
        )
    )
    power = 0.0 if isinstance(normal, jc.LinearDashpot) else 0.5
    law = normal.replace(
        stiffness=jnp.asarray(normal.stiffness * unit**2 / mass * radius**power, dtype=float)
    )
    law = law.replace(restitution=jnp.asarray(law.restitution, dtype=float))
    stiffness = spring.stiffness * unit**2 / mass * (1.0 if form == "linear" else radius)
    numbers = Spring(
        *(
            jnp.asarray(value, dtype=float)
            for value in (spring.coefficient, stiffness, spring.damping_ratio)
        )
    )
    after = jax.tree.map(
        lambda value: np.asarray(value)[:impacts],
        _rebound(filled, law, numbers, form, method),
    )
    return Rebound(after.normal * speed, after.tangential * speed, after.spin / unit)
