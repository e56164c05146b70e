"""A sphere hits a rigid plane obliquely, under any normal law and a tangential spring with memory.

Independent of ``jaxcontact.simulation``: only the forces are those of the library. A fixed step of the velocity Verlet kind, many
impacts at once.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.cundall_strack import cundall_strack_force
from jaxcontact.laws.mindlin import MindlinMemory, incremental_mindlin_force, mindlin_force
from jaxcontact.laws.tangential import SpringMemory
from jaxcontact.scene import SOLID_SPHERE

LENGTH = 6.0
"""Time that is simulated, in units of the time scale of the normal law; an elastic impact lasts about 3 of them."""

STEPS = 6000

BATCH = 32
"""Impacts are filled up to a multiple of it, so that curves share a compilation."""

SPRINGS = ("linear", "displacement", "incremental", "rescaled")
"""Linear: of constant stiffness. The others are the forms of Mindlin's spring, as in ``laws.mindlin``."""


class Spring(NamedTuple):
    """A tangential spring and its slider.

    Attributes:
        coefficient: of friction [-].
        stiffness: of the linear spring [N/m], or effective shear modulus of Mindlin's [Pa].
        damping_ratio: tangential over normal damping coefficient [-].
        limit_in_tension: 1 where the slider's limit is ``mu |F_n|``, so that attraction rubs, too; 0 where it is ``mu max(F_n, 0)``.
    """

    coefficient: Any
    stiffness: Any
    damping_ratio: Any = 0.0
    limit_in_tension: Any = 0.0


class Rebound(NamedTuple):
    """Velocities [m/s] of the centre along the normal (away from the plane) and along it, and spin [rad/s]; the slip is
    ``tangential + radius * spin``."""

    normal: Any
    tangential: Any
    spin: Any


def _memory(form: str) -> Any:
    return SpringMemory(jnp.zeros(1)) if form in ("linear", "displacement") else MindlinMemory(jnp.zeros(1), jnp.asarray(0.0))


def _tangential_force(
    form: str, spring: Spring, memory: Any, increment: Any, normal_force: Any, overlap: Any, damping: Any, radius: Any, time_step: Any
) -> tuple[Any, Any]:
    rubs = jnp.where(spring.limit_in_tension > 0.0, jnp.abs(normal_force), normal_force)
    step = {"tangential_damping": damping, "coefficient": spring.coefficient, "time_step": time_step}
    if form == "linear":
        return cundall_strack_force(memory, increment, rubs, tangential_stiffness=spring.stiffness, **step)
    step |= {"effective_radius": radius, "effective_shear_modulus": spring.stiffness}
    if form == "displacement":
        return mindlin_force(memory, increment, rubs, overlap, **step)
    return incremental_mindlin_force(memory, increment, rubs, overlap, rescaled=form == "rescaled", **step)


@partial(jax.jit, static_argnames=("form", "steps"))
@partial(jax.vmap, in_axes=(0, None, None, None, None, None, None))
def _rebound(before: Rebound, radius: Any, mass: Any, normal: Any, spring: Spring, form: str, steps: int) -> Rebound:
    speed = -before.normal
    _, time_scale = normal.scales(impact_speed=speed, mass=mass)
    time_step = LENGTH * time_scale / steps
    of_impact = partial(normal.force, impact_speed=speed, mass=mass, constants=normal.constants())

    def advance(carry: tuple[Any, Rebound, Any, Any], _: None) -> tuple[tuple[Any, Rebound, Any, Any], None]:
        overlap, velocity, memory, ended = carry
        # Half a step, all forces at its middle, another half: the dashpot sees the velocity at the middle to second order.
        half = overlap - 0.5 * time_step * velocity.normal
        guess = velocity.normal + 0.5 * time_step / mass * of_impact(half, -velocity.normal)
        acts = (half > 0.0) & ~ended
        normal_force = jnp.where(acts, of_impact(half, -guess), 0.0)
        damping = spring.damping_ratio * (of_impact(half, 1.0) - of_impact(half, 0.0))
        slip = velocity.tangential + radius * velocity.spin
        force, memory = _tangential_force(
            form, spring, memory, jnp.atleast_1d(slip * time_step), normal_force, half, damping, radius, time_step
        )
        friction = jnp.where(acts, force[0], 0.0)
        change = time_step / mass * friction
        after = Rebound(
            velocity.normal + time_step / mass * normal_force,
            velocity.tangential + change,
            velocity.spin + change / (SOLID_SPHERE * radius),
        )
        moved = half - 0.5 * time_step * after.normal
        return (moved, after, memory, ended | (moved <= 0.0)), None

    start = (jnp.zeros_like(speed), before, _memory(form), jnp.asarray(False))
    (_, after, _, _), _ = jax.lax.scan(advance, start, None, length=steps)
    return after


def oblique_impacts(before: Rebound, *, radius: float, mass: float, normal: Any, spring: Spring, form: str, steps: int = STEPS) -> Rebound:
    """What impacts with the velocities and spins ``before``, each ``(impacts,)``, end in; ``form`` is one of ``SPRINGS``."""
    if form not in SPRINGS:
        raise ValueError(f"{form!r} is not one of the springs {', '.join(SPRINGS)}")
    before, spring, normal = jax.tree.map(lambda value: jnp.asarray(value, dtype=float), (before, spring, normal))
    before = Rebound(*np.broadcast_arrays(*before))
    impacts = len(before.normal)
    padding = -impacts % BATCH
    filled = Rebound(*(jnp.pad(value, (0, padding), mode="edge") for value in before))
    after = _rebound(filled, *(jnp.asarray(value, dtype=float) for value in (radius, mass)), normal, spring, form, steps)
    return jax.tree.map(lambda value: np.asarray(value)[:impacts], after)
