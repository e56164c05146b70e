"""A plain fixed time step, for comparison: what one would write first.

Every pair feels the force of its overlap, friction included; friction with a memory is renewed once
in each step. The trajectory converges, the derivative does not: on a fixed grid the derivative of
the velocity inside a contact is the shift of the arrival time times the contact acceleration, 1e4
to 1e5, and cancels only if the discretised contact does so to five digits.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.numerics.checkpointed_scan import checkpointed_scan
from jaxcontact.numerics.runge_kutta import CLASSICAL, step
from jaxcontact.parameters import is_concrete, model, nearest, static
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.status import Status
from jaxcontact.simulation.core.trajectory import Trajectory
from jaxcontact.simulation.multibody.angular_momentum import (
    angular_momentum_rate,
    with_angular_momentum,
)
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    drifted,
    effective_mass,
    force_and_torque,
    gap_rates,
    geometry,
    oriented,
    spin_rates,
    world_of,
)
from jaxcontact.simulation.multibody.step import (
    Active,
    Rolled,
    carried_along,
    middle_plane,
    normal_forces,
    orientation_rate,
    relative_spins,
    slips,
    unloaded,
    unrolled,
    with_unit_orientation,
)

INSTANT = 1e-6
"""Time step, in units of the last, in which a spring of rolling tells its torque at an instant."""

SCHEMES = ("semi_implicit_euler", "velocity_verlet", "runge_kutta_4")


@model
class FixedStep:
    """A fixed time step.

    Args:
        step: longest time step [s]; each interval between output times is divided into equal steps
            of at most this length.
        scheme: ``"semi_implicit_euler"``, ``"velocity_verlet"`` or ``"runge_kutta_4"``.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e5, restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> method = jc.FixedStep(step=1e-4)
        >>> result = jc.simulate(scene, start, jnp.linspace(0.0, 0.4, 3), method=method)
        >>> print(f"z = {result.position[-1, 2]:.3f} m")
        z = 0.231 m
    """

    step: float = static()
    scheme: str = static(default="semi_implicit_euler")

    def __post_init__(self) -> None:
        if not isinstance(self.step, (int, float)) or not 0 < self.step < math.inf:
            raise ValueError(
                f"FixedStep: step = {self.step!r} s is outside (0, inf). About 1/50 of the "
                "contact duration is usual."
            )
        if self.scheme not in SCHEMES:
            raise ValueError(
                f"FixedStep: scheme = {self.scheme!r} is not "
                f"known.{nearest(str(self.scheme), SCHEMES)}"
            )

    def substeps(self, times: ArrayLike) -> int:
        """Steps in the longest interval between output times."""
        if not is_concrete(times):
            raise TypeError(
                "FixedStep needs output times that are known before tracing, because the "
                "number of steps must be static."
            )
        return max(
            1, math.ceil(float(np.max(np.diff(np.asarray(times)), initial=0.0)) / self.step - 1e-9)
        )


class Fixed(NamedTuple):
    """What is carried from step to step: the state, and of each pair the speed at which its contact
    began, the memory of its friction and the force of that, the memory of its normal force, and
    that of its rolling resistance with the torque of that.
    """

    time: jax.Array
    state: State
    impact_speed: jax.Array
    memory: Any
    friction: Any
    normal: Any
    rolling: Any


def contact_of(world: World, carried: Fixed, at: Geometry) -> Active:
    """Contacts as the laws see them: closed where there is overlap now."""
    mass = effective_mass(world, at, carried.state)
    return Active(
        at.gap < 0,
        carried.impact_speed,
        carried.impact_speed,
        mass,
        carried.memory,
        carried.friction,
        carried.normal,
        carried.rolling,
    )


def rates(world: World, carried: Fixed, state: State, time: jax.Array) -> tuple[State, jax.Array]:
    """Right-hand side of the equations of motion, and the torque on each body [N m]. Friction with
    a memory acts with the force of the last step.
    """
    contact = world.contact
    at = geometry(world, state, time)
    active = contact_of(world, carried._replace(state=state), at)
    load = normal_forces(world, active, at.gap, gap_rates(world, at, state))
    slip = slips(world, at, state)
    force = carried.friction if world.has_memory else contact.slip_friction.force(slip, load)
    torque = None
    if contact.rolling is not None or contact.spinning is not None:
        spin = relative_spins(world, at, state)
        twist, bend = normal_and_tangential(spin, at.normal)
        torque = jnp.zeros_like(spin)
        if world.rolls_on_springs:
            torque = torque + carried.rolling.torque
        elif contact.rolling is not None:
            torque = torque + contact.rolling_flow.torque(
                bend, load, effective_radius=world.effective_radius
            )
        if contact.spinning is not None:
            overlap = jnp.where(at.gap < 0, -at.gap, 0.0)
            about = twist[:, None] * at.normal
            torque = torque + contact.spinning.torque(
                about, load, effective_radius=world.effective_radius, overlap=overlap
            )
    push, moment = force_and_torque(world, at, load[:, None] * at.normal + force, torque)
    acceleration = world.scene.external_acceleration(
        state.position, state.velocity, state.spin, time
    )
    acceleration = acceleration + push * world.inverse_mass[:, None]
    slope = State(
        state.velocity,
        acceleration,
        spin_rates(world, state, moment),
        orientation_rate(world, state),
    )
    return slope, moment


def friction_after(
    world: World,
    active: Active,
    before: Geometry,
    after: Geometry,
    state: State,
    increment: jax.Array,
    duration: jax.Array,
) -> tuple[jax.Array, Any]:
    """Force of a friction with memory at the end of a step with the slip ``increment`` ``(pairs,
    3)`` [m], and its memory.
    """
    # An event may take no time at all; a law with a dashpot divides by the time step.
    takes_time = duration > 0
    force, memory = world.contact.friction_with_memory.after_step(
        carried_along(world, active.memory, before, after, state, duration),
        jnp.where(takes_time, increment, 0.0),
        normal_force=normal_forces(world, active, after.gap, gap_rates(world, after, state)),
        overlap=jnp.where(active.closed & (after.gap < 0), -after.gap, 0.0),
        effective_radius=world.effective_radius,
        mass=active.mass,
        time_step=jnp.where(takes_time, duration, 1.0),
    )
    return jnp.where(active.closed[:, None], force, 0.0), memory


def rolling_after(
    world: World,
    active: Active,
    ends: tuple[Geometry, Geometry],
    states: tuple[State, State],
    duration: jax.Array,
) -> Rolled:
    """Memory and torque of rolling resistance after a step between ``states``."""
    before, after = ends
    takes_time = duration > 0
    rates = [relative_spins(world, at, state) for at, state in zip(ends, states, strict=True)]
    middle = middle_plane(before, after)
    law, usable = world.contact.rolling_with_memory, jnp.where(takes_time, duration, 1.0)
    load = normal_forces(world, active, after.gap, gap_rates(world, after, states[1]))

    def moved(
        memory: Any, plane: Geometry, rate: jax.Array, length: jax.Array
    ) -> tuple[jax.Array, Any]:
        return law.after_step(
            memory,
            normal_and_tangential(jnp.where(takes_time, length, 0.0) * rate, plane.normal)[1],
            normal_force=load,
            effective_radius=world.effective_radius,
            time_step=length,
        )

    begin = carried_along(world, active.rolling.memory, before, middle, states[1], duration / 2)
    _, memory = moved(begin, middle, (rates[0] + rates[1]) / 2, usable)
    memory = carried_along(world, memory, middle, after, states[1], duration / 2)
    # A dashpot resists the rate at the end of the step, not the mean one.
    torque, _ = moved(memory, after, rates[1], INSTANT * usable)
    return Rolled(memory, jnp.where(active.closed[:, None], torque, 0.0))


def remembered(world: World, carried: Fixed, before: State, after: State, h: jax.Array) -> Fixed:
    """Memories and force of friction after a step from ``before`` to ``after``; a contact that is
    not closed has neither.
    """
    if not (world.has_memory or world.has_hysteresis or world.rolls_on_springs):
        return carried
    first, last = geometry(world, before, carried.time), geometry(world, after, carried.time + h)
    if world.has_hysteresis:
        carried = carried._replace(
            normal=world.contact.branched.force_with_memory(carried.normal, -last.gap)[1]
        )
    if world.rolls_on_springs:
        touching = contact_of(world, carried._replace(state=after), last)
        rolled = rolling_after(world, touching, (first, last), (before, after), h)
        carried = carried._replace(rolling=rolled)
    if not world.has_memory:
        return carried
    active = contact_of(world, carried._replace(state=after), last)
    increment = normal_and_tangential(
        h / 2 * (slips(world, first, before) + slips(world, last, after)), last.normal
    )[1]
    force, memory = friction_after(world, active, first, last, after, increment, h)
    return carried._replace(memory=memory, friction=force)


def advance(world: World, carried: Fixed, h: jax.Array, scheme: str) -> Fixed:
    """One step of length ``h``."""
    time, state = carried.time, carried.state
    at = geometry(world, state, time)
    approach = -gap_rates(world, at, state)
    # A contact that begins in this step begins with the present speed.
    carried = carried._replace(
        impact_speed=jnp.where(
            at.gap > 0, jnp.where(approach > 0, approach, 1.0), carried.impact_speed
        )
    )
    if scheme == "runge_kutta_4":

        def timed(
            now: tuple[jax.Array, State, jax.Array],
        ) -> tuple[jax.Array, State, jax.Array]:
            slope, torque = rates(world, carried, now[1], now[0])
            gained = angular_momentum_rate(world, state, now[1], slope.velocity, torque)
            return jnp.ones_like(time), slope, gained

        begin = (time, state, jnp.zeros_like(state.spin))
        _, after, gained = step(timed, begin, h, CLASSICAL)
        after = with_angular_momentum(world, state, with_unit_orientation(world, after), gained)
        carried = remembered(world, carried, state, after, h)
    elif scheme == "semi_implicit_euler":
        slope, _ = rates(world, carried, state, time)
        kicked = state._replace(
            velocity=state.velocity + h * slope.velocity, spin=state.spin + h * slope.spin
        )
        after = drifted(world, kicked, kicked.velocity, kicked.spin, h)
        carried = remembered(world, carried, kicked, after, h)
    else:
        slope, _ = rates(world, carried, state, time)
        half = state._replace(
            velocity=state.velocity + h / 2 * slope.velocity, spin=state.spin + h / 2 * slope.spin
        )
        moved = drifted(world, half, half.velocity, half.spin, h)
        carried = remembered(world, carried, half, moved, h)
        slope, _ = rates(world, carried, moved, time + h)
        after = moved._replace(
            velocity=half.velocity + h / 2 * slope.velocity, spin=half.spin + h / 2 * slope.spin
        )
    after = with_unit_orientation(world, after)
    return carried._replace(time=time + h, state=after)


@partial(jax.jit, static_argnames=("method", "substeps"))
def simulate_fixed_step(
    scene: Scene, start: State, times: jax.Array, *, method: FixedStep, substeps: int
) -> Trajectory:
    """Motion at ``times`` with ``substeps`` equal steps between neighbouring times."""
    world = world_of(scene, start.position.shape[0], rigid=False)
    start = oriented(world, start)

    def interval(carried: Fixed, duration: jax.Array) -> tuple[Fixed, State]:
        h = duration / substeps
        carried, _ = checkpointed_scan(
            lambda now, _: (advance(world, now, h, method.scheme), None),
            carried,
            None,
            length=substeps,
        )
        return carried, carried.state

    at = geometry(world, start, times[0])
    memory, friction = unloaded(world, at.gap)
    approach = -gap_rates(world, at, start)
    speed = jnp.where(approach > 0, approach, 1.0)
    normal = world.contact.branched.unloaded(len(speed)) if world.has_hysteresis else None
    _, states = checkpointed_scan(
        interval,
        Fixed(times[0], start, speed, memory, friction, normal, unrolled(world, speed)),
        jnp.diff(times),
    )
    position, velocity, spin, orientation = jax.tree.map(
        lambda first, later: jnp.concatenate([first[None], later]), start, states
    )
    return Trajectory(
        times, position, velocity, spin, None, jnp.asarray(Status.SUCCESS), orientation
    )
