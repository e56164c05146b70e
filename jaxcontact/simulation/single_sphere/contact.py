"""One compliant contact of a sphere with a plane, from touch-down to lift-off.

The normal motion is integrated in the phase coordinates of the law (``laws.core.contact_phase``),
where it is smooth, has a known length, and is not made stiff by damping. A last step with the end
condition as its independent variable lands on lift-off: no root is searched for, and the derivative
of the event is exact. The slip then follows in closed form from the normal impulse
(``laws.friction``), so that no slip velocity of the regularisation is too small.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.coordinates.from_force import PhaseFromForce
from jaxcontact.laws.core.contact_phase import ClosedPhase, ContactPhase
from jaxcontact.numerics.collocation import elementwise_slope, graded_grid, newton_iteration, solved
from jaxcontact.numerics.interpolation import accumulated, displacement
from jaxcontact.numerics.runge_kutta import (
    CLASSICAL,
    DORMAND_PRINCE_8,
    looped_step,
)
from jaxcontact.numerics.smooth import Real
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.core.lanes import anywhere
from jaxcontact.simulation.single_sphere.contact_in_time import path_in_time
from jaxcontact.simulation.single_sphere.flight import SphereMotion
from jaxcontact.simulation.single_sphere.normal_path import Load, NormalPath
from jaxcontact.simulation.single_sphere.tangential_path import (
    NormalHistory,
    after_slip_change,
    pushes,
    slip_velocity,
    split,
    tangential_path,
)

REST_SHARE = 0.9
"""A touch-down with ``load`` (external acceleration times time scale over impact speed) above this
share of the largest one from which the sphere lifts off again, or above ``RESOLVED_LOAD`` for each
node of the contact, ends the bouncing.

The bounces left out are lower than a fifth of the static overlap."""

RESOLVED_LOAD = 1 / 16
"""With 24 nodes contacts are resolved up to a load of 1.5, where the rebound speed is right to 1e-3
of the impact speed.
"""

REST_LOAD = 0.3
"""Of a contact that goes in steps, the load that ends the bouncing is ``REST_LOAD e^1.6``.

The rebound would be lower than 1.7 overlap scales. At 1.5 (``e = 0.1``) to 4 (``e = 0.9``) times
that load, depending on the law, a sphere would not lift off at all, and there would be no end of
the contact to land on.
"""

DEEP, VISIBLE = 8.0, 0.2
"""Overlap of an impact, in units of that at rest and of ``rest_overlap``, up to which it may be
left out.
"""

PULL_LOAD = 0.1
"""A pull away from the plane during a contact counts up to a load of ``-PULL_LOAD e^2``.

More ends the contact early, and in damped laws before the force is spent, where the coordinates of
the law do not reach. The rebound is then too slow by less than the pull could add in the time scale
of the contact.
"""


LOOSER = 5
"""Steps fewer that let a ten times larger imbalance pass: who asks for few wants speed."""

ROUNDED = 512
"""Rounding of an imbalance, in units of the precision."""


LANDING_STEPS = 6
"""Steps of order 4 from the end of the estimated length to the event, an even number."""

FAR, LONGEST = 0.5, 7.5
"""Distance from the end of the estimated length that is too far to land from, and length of a
contact whose end was not found: most have one of 2 to 3.
"""

EXCESS, SLOWER = 1e-6, 0.5
"""Part by which energies may differ because of rounding, and of the fastest way out that is left of
it at the end, under a load.
"""

OF_SIXTH = 100.0
"""Sixth difference of a force with a corner or a jump, in units of what a step of order 8 across
it makes of it."""

SUBDIVISION = 3
"""Nodes per step of the normal motion. Slip may fall steeply where it is smooth; and the output
between two nodes is a polynomial in time, whose derivatives are right to 1e-6 with so many.
"""


class TouchDown(NamedTuple):
    """A sphere at first touch.

    Attributes:
        motion: time, position, velocity and spin.
        normal: unit normal of the plane, (3,).
        impact_speed: approach speed, positive.
        rests: whether the sphere stays in contact from here on.
        hides: whether it would move visibly on the way to rest: overlap by more than ``DEEP`` times
            that at rest, and by more than ``VISIBLE`` of the largest overlap at rest.
        least_load: lower bound of the load during the contact.
    """

    motion: SphereMotion
    normal: jax.Array
    impact_speed: jax.Array
    rests: jax.Array
    hides: jax.Array
    least_load: jax.Array


def normal_load(scene: Scene, normal: jax.Array, velocity: jax.Array, spin: jax.Array) -> jax.Array:
    """Acceleration towards the plane by gravity and fluid [m/s^2]."""
    return -(scene.acceleration(velocity, spin) @ normal)


def prepared(law: Any) -> Any:
    """What ``law`` needs that no motion changes, for ``touch_down`` and ``contact_phase``: computed
    once, not in every contact.
    """
    return law.constants()


def phase_of(law: Any, constants: Any, *, impact_speed: jax.Array, mass: Real) -> ContactPhase:
    """Phase coordinates of an impact; ``constants`` of ``prepared``."""
    known = {} if constants is None else {"constants": constants}
    return law.phase(impact_speed=impact_speed, mass=mass, **known)


def goes_at_once(phase: ContactPhase, at_once: bool | None) -> bool:
    """Whether a contact is solved for at all nodes at once: if its phase allows it, unless steps
    are asked for.
    """
    return phase.solved_at_once and at_once is not False


def touch_down(
    scene: Scene,
    motion: SphereMotion,
    normal: jax.Array,
    *,
    constants: Any,
    steps: int,
    at_once: bool | None,
    rest_overlap: float,
) -> TouchDown:
    """What a touch-down leads to: a bounce, or rest when the load would not let the sphere off
    again.
    """
    speed = -(motion.velocity @ normal)
    load = normal_load(scene, normal, motion.velocity, motion.spin)
    moving = speed > 0
    known: Any = (
        scene.contact.normal,
        constants,
        scene.bodies.mass,
        scene.bodies.radius,
        load,
        jnp.where(moving, speed, 1.0),
    )
    law, constants, mass, radius, load, safe_speed = jax.lax.stop_gradient(known)
    phase: Any = phase_of(law, constants, impact_speed=safe_speed, mass=mass)
    relative_load = load * phase.time_scale / safe_speed
    if goes_at_once(phase, at_once):
        restitution, largest = (
            phase.restitution,
            jnp.minimum(
                REST_SHARE * phase.largest_load, RESOLVED_LOAD * phase.nodes_per_step * steps
            ),
        )
    else:
        restitution = law.restitution_at(safe_speed, mass=mass)
        largest = REST_LOAD * restitution**1.6
    stays = relative_load > largest
    # Hertz's static overlap, in overlap scales, is the load to the power 2/3.
    deep = relative_load < DEEP**-1.5
    visible = phase.overlap_scale > VISIBLE * rest_overlap * radius
    rests, hides = ~moving | stays, moving & stays & deep & visible
    # What is computed of a contact that rests is not used; a speed of 1 and no load (below) keep it
    # finite.
    return TouchDown(
        motion, normal, jnp.where(rests, 1.0, speed), rests, hides, -PULL_LOAD * restitution**2
    )


def contact_phase(scene: Scene, touch: TouchDown, constants: Any) -> ContactPhase:
    """Phase coordinates of this contact."""
    return phase_of(
        scene.contact.normal, constants, impact_speed=touch.impact_speed, mass=scene.bodies.mass
    )


def external_load(scene: Scene, touch: TouchDown, phase: ContactPhase) -> Load:
    """The load of ``laws.core.contact_phase`` as a function of the reduced overlap rate.

    Drag and lift act during the contact, too; the tangential velocity that enters them is that in
    the middle of the contact as friction will leave it, so that they are right to second order in
    the (small) change of velocity.
    """
    to_load = jnp.where(touch.rests, 0.0, phase.time_scale / touch.impact_speed)
    if not scene.has_fluid:
        external = normal_load(scene, touch.normal, touch.motion.velocity, touch.motion.spin)
        constant = jnp.maximum(to_load * external, touch.least_load)
        return lambda rate: constant
    _, tangential = split(touch.motion.velocity, touch.normal)
    restitution = scene.contact.normal.restitution_at(touch.impact_speed, mass=scene.bodies.mass)
    slip = slip_velocity(scene, tangential, touch.motion.spin, touch.normal)
    impulse = (
        touch.impact_speed * (1 + restitution) * scene.bodies.mass / scene.bodies.tangential_mass
    )
    change = (scene.contact.impulse_friction.slip_after(slip, impulse) - slip) / 2
    middle, spin = after_slip_change(scene, tangential, touch.motion.spin, touch.normal, change)

    def load(rate: jax.Array) -> jax.Array:
        velocity = middle - (rate * touch.impact_speed)[..., None] * touch.normal
        spins = jnp.broadcast_to(spin, velocity.shape)
        return jnp.maximum(
            to_load * normal_load(scene, touch.normal, velocity, spins), touch.least_load
        )

    return load


def normal_path(
    scene: Scene,
    touch: TouchDown,
    phase: ContactPhase,
    *,
    load: Load,
    constants: Any,
    steps: int,
    at_once: bool | None,
    in_time: bool = False,
    accuracy: float = 1e-6,
    happens: jax.Array | bool = True,
) -> NormalPath:
    """Normal motion from touch-down to lift-off, at 2 or 3 ``steps`` nodes at once where the phase
    allows it, or in ``steps`` steps.

    An orbit is the quick way. Where it is not the solution, which its imbalance tells, the contact
    is solved ``in_time`` if that is asked for, and it ``happens``.
    """
    if not goes_at_once(phase, at_once):
        return stepped(phase.in_steps, load, steps=steps)
    frozen_scene, frozen_touch, frozen_constants = jax.lax.stop_gradient((scene, touch, constants))
    frozen_phase: Any = contact_phase(frozen_scene, frozen_touch, frozen_constants)
    closed: Any = phase
    frozen = (frozen_phase, external_load(frozen_scene, frozen_touch, frozen_phase))
    nodes = closed.nodes_per_step * steps
    found = orbit(closed, load, frozen=frozen, nodes=nodes)
    if not in_time:
        return found
    balanced = found.lack <= largest_lack(accuracy, steps, found.lack.dtype)
    needed = ~(touch.rests | ~jnp.asarray(happens) | balanced)

    def slowly() -> NormalPath:
        slow = path_in_time(closed, load, frozen=frozen, nodes=nodes, steps=steps, needed=needed)
        return jax.tree.map(lambda quick, slow: jnp.where(needed, slow, quick), found, slow)

    # reverse mode would keep matrices of each contact that does not need them, too
    slowly = jax.checkpoint(slowly, prevent_cse=False)
    return jax.lax.cond(anywhere(needed), slowly, lambda: found)


def largest_lack(accuracy: float, steps: int, precision: Any) -> float:
    """What a contact may lack, in units of the impact speed and of the overlap scale; derivatives
    are as good, mostly a hundred times better.
    """
    return max(
        accuracy * 10.0 ** (max(20 - steps, 0) / LOOSER),
        ROUNDED * float(jnp.finfo(precision).eps),
    )


@lru_cache
def half_turn(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Sine, at both ends exactly 0, and cosine of the angles of an orbit."""
    angle = np.pi * graded_grid(nodes).nodes
    sine = np.sin(angle)
    sine[-1] = 0.0
    return sine, np.cos(angle)


LEAST_TURN = 1e-5
"""Floor of the angular speed, which only the first iterations of a search come near."""

LARGEST_CHANGE = 0.5
"""Of the radius in one iteration of the search: enough for its first ones, and little enough for
heavy damping.
"""


def orbit(
    phase: ClosedPhase, load: Load, *, frozen: tuple[ClosedPhase, Load], nodes: int
) -> NormalPath:
    """A contact that ends at zero overlap, solved for at all nodes at once
    (``jaxcontact.numerics.collocation``).

    In polar coordinates, ``s/height = r sin(phi)`` and ``w/start = r cos(phi)``, the motion is one
    equation ``dr/dphi = f(r, phi)`` from ``r = 1`` over half a turn: no end to look for. Time is an
    integral along it. ``frozen`` are phase and load without derivatives.
    """
    grid = graded_grid(nodes)
    start = frozen[0].start  # like height, a choice of coordinates
    load_at_rest = frozen[1](jnp.zeros_like(start))
    height = frozen[0].largest_overlap(load_at_rest)
    per_start, per_height = 1.0 / start, 1.0 / height
    constants = (np.pi * grid.density, grid.integral, *half_turn(nodes))
    stretch, integral, sine, cosine = (
        jnp.asarray(column, dtype=start.dtype) for column in constants
    )
    root = phase.position_at(sine)

    def coordinates(radius: jax.Array) -> tuple[jax.Array, jax.Array]:
        return phase.position_at(radius * height) * root, radius * cosine * start

    def rates(radius: jax.Array, phase: ClosedPhase, load: Load) -> tuple[jax.Array, jax.Array]:
        """``dr`` and ``dtau`` by the variable of the grid."""
        position, w = coordinates(radius)
        u = phase.rate(w)
        outward, downward = u * per_height, phase.w_rate(position, w, load(u), height) * per_start
        turn = (
            stretch * radius / jnp.maximum(cosine * outward - sine * downward, LEAST_TURN * radius)
        )
        return (sine * outward + cosine * downward) * turn, turn

    def iterate(radius: jax.Array, phase: ClosedPhase, load: Load) -> jax.Array:
        return newton_iteration(
            integral,
            radius,
            *elementwise_slope(lambda radius: rates(radius, phase, load)[0], radius),
        )

    def bounded(old: jax.Array, new: jax.Array) -> jax.Array:
        return jnp.clip(
            new,
            jnp.maximum(old / 2, old - LARGEST_CHANGE),
            jnp.minimum(2 * old, old + LARGEST_CHANGE),
        )

    # Start of the search, exact for a linear spring: (s/height)^2 (1 + 2 push) + u^2 = 1 + 2 push
    # s/height.
    push = jnp.maximum(load_at_rest, 0.0) * height
    flatness = 1.0 + 2.0 * push * sine * sine
    guess = (push * sine + jnp.sqrt((push * sine) ** 2 + flatness)) / flatness
    radius = solved(iterate, guess, phase, load, frozen=frozen, bounded=bounded)
    position, w = coordinates(radius)
    overlap, rate = phase.reduced_overlap(position), phase.rate(w)
    slowing = jnp.where(
        rate < 0.0, phase.slowing(overlap / jnp.max(overlap), load(jnp.zeros_like(start))), 1.0
    )
    tau_rate = rates(radius, phase, load)[1] / slowing
    path = NormalPath(
        overlap,
        rate * slowing,
        phase.reduced_force(position, w),
        integral @ tau_rate,
        tau_rate,
        jnp.zeros_like(start),
    )
    return path._replace(lack=imbalance(jax.lax.stop_gradient(path), *frozen))


def imbalance(path: NormalPath, phase: ClosedPhase, load: Load) -> jax.Array:
    """Largest difference between an orbit and what its rates and forces make of it in time: the
    nodes were too few, or it is the orbit of another contact.
    """
    assert path.tau_rate is not None
    integral = jnp.asarray(graded_grid(path.tau.shape[0]).integral, dtype=path.tau.dtype)
    acceleration = load(path.rate) - phase.force_at(path.overlap, path.rate)
    gained = integral @ (path.tau_rate[:, None] * jnp.stack([path.rate, acceleration], axis=1))
    found = jnp.stack([path.overlap, path.rate - 1.0], axis=1)
    return jnp.max(jnp.abs(found - gained))


class PhaseNode(NamedTuple):
    """A node of a contact in the coordinates of ``laws.core.contact_phase``."""

    position: jax.Array
    w: jax.Array
    tau: jax.Array
    sigma: jax.Array


def stepped(phase: ContactPhase, load: Load, *, steps: int) -> NormalPath:
    """A contact in ``SUBDIVISION * steps`` of order 8, and a last one with the end condition as
    its independent variable, which lands on it. It lacks what that one does: where the end of the
    contact was foreseen badly, because of heavy damping or of a load, it is far.
    """

    def rates(node: PhaseNode) -> PhaseNode:
        return PhaseNode(
            *phase.derivative(node.position, node.w, load(phase.rate(node.w))),
            jnp.ones_like(node.sigma),
        )

    def rates_by_event(node: PhaseNode) -> PhaseNode:
        slope = rates(node)
        event_rate = phase.event_rate(node.position, node.w, slope.position, slope.w)
        return jax.tree.map(lambda rate: rate / event_rate, slope)

    steps = SUBDIVISION * steps
    length = phase.length / steps

    def advance(node: PhaseNode, _: None) -> tuple[PhaseNode, PhaseNode]:
        after = looped_step(rates, node, length, DORMAND_PRINCE_8)
        return after, after

    zero = jnp.zeros_like(phase.start)
    start = PhaseNode(zero, phase.start, zero, zero)
    before, nodes = jax.lax.scan(advance, start, None, length=steps)
    left = phase.event(before.position, before.w)

    # in LANDING_STEPS, and from the start again in half as many: what these miss tells the error
    def land(node: PhaseNode, number: jax.Array) -> tuple[PhaseNode, PhaseNode]:
        again = number == LANDING_STEPS
        node = jax.tree.map(lambda own, first: jnp.where(again, first, own), node, before)
        parts = jnp.where(number < LANDING_STEPS, LANDING_STEPS, LANDING_STEPS // 2)
        after = looped_step(rates_by_event, node, -left / parts, CLASSICAL)
        return after, after

    numbers = jnp.arange(LANDING_STEPS + LANDING_STEPS // 2)
    rough, landed = jax.lax.scan(land, before, numbers)
    last = jax.tree.map(lambda column: column[LANDING_STEPS - 1], landed)
    missed = jax.lax.stop_gradient(phase.rate(rough.w) - phase.rate(last.w))
    path = jax.tree.map(
        lambda first, middle, end: jnp.concatenate([first[None], middle[:-1], end[None]]),
        start,
        nodes,
        last,
    )
    position, w, tau, _ = path
    force = phase.reduced_force(position, w)
    # before its end: a law with a cut, whose corner no step ends at
    cut = jnp.any(((force == 0) & (position > 0) & (phase.rate(w) < 0))[:-1])
    ended = has_landed(phase, load, path, last) & ~cut
    lack = jnp.abs(missed)
    if isinstance(phase, PhaseFromForce):  # nobody knows whether that force is smooth
        lack = lack + length * roughness(force[:-1])
    return NormalPath(
        phase.reduced_overlap(position),
        phase.rate(w),
        force,
        tau,
        None,
        jnp.where(ended, lack, jnp.inf),
    )


def roughness(values: jax.Array) -> jax.Array:
    """What a function at even nodes may jump by inside a step: 0 where its differences fall with
    their order, as those of a smooth one do that the nodes resolve.
    """
    values = jax.lax.stop_gradient(values)
    sixth, eighth = (jnp.max(jnp.abs(jnp.diff(values, n=order))) for order in (6, 8))
    return jnp.where(eighth > sixth, sixth / OF_SIXTH, 0.0)


def has_landed(phase: ContactPhase, load: Load, path: PhaseNode, last: PhaseNode) -> jax.Array:
    """Whether a contact that goes in steps may have ended at the ``last`` node of its ``path``: on
    the way out, no faster than it came in and the load could make it, near where its length said,
    and, where the force only pushes, not much slower than it was.
    """
    path, last, begins = jax.lax.stop_gradient((path, last, phase.rate(phase.start)))
    rate, overlap = phase.rate(last.w), phase.reduced_overlap(last.position)
    pushed = 2 * jnp.maximum(jax.lax.stop_gradient(load(begins)), 0.0) * overlap
    slower = rate * rate <= (1 + EXCESS) * (1 + pushed)
    near = (phase.length < LONGEST) & (jnp.abs(last.sigma - phase.length) < FAR)
    pushes = phase.ends_at_zero_force
    fastest = jnp.max(-phase.rate(path.w)) if pushes else jnp.zeros_like(rate)
    return (rate <= 0) & slower & near & (-rate >= SLOWER * fastest)


class ContactNodes(NamedTuple):
    """The whole motion at the nodes of a contact, (nodes, ...), the normal acceleration by the
    contact force, and the impulse over the mass of all its pushes so far [m/s], (nodes,).
    """

    motion: SphereMotion
    acceleration: jax.Array
    impulse: jax.Array


def motion_at_nodes(
    scene: Scene,
    touch: TouchDown,
    phase: ContactPhase,
    path: NormalPath,
    *,
    load: Load,
    level: bool,
) -> tuple[ContactNodes, jax.Array]:
    """Positions, velocities and spins at the nodes of ``path``, and the error of velocities that
    friction leaves behind, in units of the impact speed.
    """
    normal = touch.normal
    time = phase.time_scale * path.tau
    overlap = phase.overlap_scale * path.overlap
    overlap_rate = touch.impact_speed * path.rate
    contact_acceleration = touch.impact_speed / phase.time_scale * path.force
    loads = jnp.broadcast_to(load(path.rate), path.rate.shape)
    gained = touch.impact_speed * jnp.diff(path.tau) * (loads[:-1] + loads[1:]) / 2
    pushed, share = pushes(
        overlap_rate[:-1] - overlap_rate[1:] + gained,
        jnp.diff(time),
        contact_acceleration[:-1],
        contact_acceleration[1:],
    )
    impulse = accumulated(pushed)
    tangentials, spins, lack = tangential_path(
        scene,
        normal,
        touch.motion.velocity,
        touch.motion.spin,
        NormalHistory(time, -overlap_rate, impulse),
        share=share,
        height=-overlap,
        force=contact_acceleration,
        level=level,
    )
    velocity = tangentials - overlap_rate[:, None] * normal
    nodes = ContactNodes(
        SphereMotion(touch.motion.time + time, touch.motion.position, velocity, spins),
        contact_acceleration,
        impulse,
    )
    if path.tau_rate is None:
        acceleration, _ = accelerations(scene, nodes, normal)
        advance_sideways = displacement(
            time, tangentials, acceleration - (acceleration @ normal)[:, None] * normal
        )
    else:
        integral = jnp.asarray(graded_grid(time.shape[0]).integral, dtype=time.dtype)
        advance_sideways = phase.time_scale * (integral @ (path.tau_rate[:, None] * tangentials))
    position = touch.motion.position + advance_sideways - overlap[:, None] * normal
    moved = nodes._replace(motion=nodes.motion._replace(position=position))
    return moved, lack / touch.impact_speed


def accelerations(
    scene: Scene, nodes: ContactNodes, normal: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Acceleration of the centre and of the spin inside the contact; shapes (..., 3)."""
    bodies, motion = scene.bodies, nodes.motion
    tangential = (
        motion.velocity - jnp.sum(motion.velocity * normal, axis=-1, keepdims=True) * normal
    )
    slip = slip_velocity(scene, tangential, motion.spin, normal)
    contact_force = scene.contact.slip_friction.force(slip, bodies.mass * nodes.acceleration)
    outside = scene.acceleration(motion.velocity, motion.spin)
    # Not over m R^2: the square of that, which a derivative divides by, is too small for float32 in
    # a powder.
    spin_rate = -cross(normal, contact_force / bodies.mass) / (bodies.inertia_ratio * bodies.radius)
    return contact_force / bodies.mass + nodes.acceleration[..., None] * normal + outside, spin_rate
