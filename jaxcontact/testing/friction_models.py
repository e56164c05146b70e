"""The conformance checks of friction, rolling and spinning laws for scenes."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.friction_interfaces import (
    FrictionLaw,
    FrictionWithMemory,
    ImpulseFriction,
    SlipFriction,
)
from jaxcontact.laws.core.rotation_interfaces import (
    RollingFlow,
    RollingLaw,
    RollingWithMemory,
    SpinningLaw,
)
from jaxcontact.testing.model import assert_close

SIZES = (0.0, 1e-6, 0.1, 1.0, 10.0)
"""Slips or rotation rates of the checks, in units of a typical one."""

PATH = 50
"""Random steps on which the energy of a law with memory is watched."""

Force = Callable[[jax.Array, jax.Array], jax.Array]
Memory = TypeVar("Memory")


def _vectors(size: float) -> jax.Array:
    direction = jnp.array([0.6, -0.64, 0.48])
    return size * jnp.asarray(SIZES)[:, None] * direction


def _check_flow(name: str, after: Force, vectors: jax.Array, impulses: jax.Array) -> None:
    """``after(vector, impulse)`` keeps the vector at no impulse, never lengthens it, and has finite
    derivatives.
    """
    compiled = jax.jit(jax.vmap(jax.vmap(after, (None, 0)), (0, None)))
    results = np.asarray(compiled(vectors, impulses))
    assert np.all(np.isfinite(results)), f"{name}: not finite after an impulse: {results}"
    before = np.linalg.norm(np.asarray(vectors), axis=-1)
    left = np.linalg.norm(results, axis=-1)
    assert np.all(left <= before[:, None] * (1.0 + 1e-12)), (
        f"{name} drives the motion: {before} becomes {left}"
    )
    unchanged = after(vectors, jnp.zeros(len(vectors)))
    assert_close(
        unchanged,
        vectors,
        scale=before[:, None] + 1e-300,
        what=f"{name}: the motion after no impulse",
        tolerance=1e-12,
    )
    slopes = jax.jit(jax.vmap(jax.jacrev(after, argnums=(0, 1)), (0, None)))(vectors, impulses[1])
    assert all(np.all(np.isfinite(slope)) for slope in slopes), (
        f"{name}: a derivative after an impulse is not finite"
    )


def _check_force_of_flow(
    name: str, force: Force, after: Force, vectors: jax.Array, impulses: jax.Array
) -> None:
    """The flow begins along the force, and two impulses are as good as one of their sum."""
    ones = jnp.ones(len(vectors))
    forces = force(vectors, ones)
    power = np.sum(np.asarray(forces * vectors), axis=-1)
    assert np.all(power <= 0.0), f"{name} drives the motion: its power is {power}"
    assert np.all(np.isfinite(jax.vmap(jax.jacfwd(force))(vectors, ones))), (
        f"{name}: the derivative of the force is not finite"
    )
    _, beginning = jax.jvp(lambda p: after(vectors, p), (jnp.zeros_like(ones),), (ones,))
    assert_close(
        beginning,
        forces,
        scale=np.max(np.abs(forces)) + 1e-300,
        what=f"{name}: the derivative of the motion by the impulse",
        tolerance=1e-9,
    )
    half = jnp.full(len(vectors), impulses[1])
    assert_close(
        after(after(vectors, half), half),
        after(vectors, 2.0 * half),
        scale=np.max(np.abs(vectors), axis=-1, keepdims=True) + 1e-300,
        what=f"{name}: the motion after two impulses",
        tolerance=1e-9,
    )


def check_friction_model(law: FrictionLaw, *, speed: float, mass: float) -> None:
    """Check a friction law at slips of about ``speed`` [m/s].

    Raises:
        AssertionError: naming the law and the property.
    """
    name = type(law).__name__
    assert np.all(np.asarray(law.coefficient) >= 0.0), f"{name}: coefficient = {law.coefficient}"
    vectors, impulses = _vectors(speed), speed * jnp.array([0.0, 0.3, 3.0, 100.0])
    if isinstance(law, ImpulseFriction):
        for used in (law, law.in_sustained_contact()):
            _check_flow(f"{name}.slip_after", used.slip_after, vectors, impulses)
    if isinstance(law, SlipFriction):
        _check_force_of_flow(name, law.force, law.slip_after, vectors, impulses)
    if isinstance(law, FrictionWithMemory):
        _check_spring(law, mass=mass)


def _check_spring(law: FrictionWithMemory, *, mass: float) -> None:
    """It holds a load that does not overcome it, and never makes energy."""
    name = type(law).__name__
    one = jnp.ones(1)
    load, overlap, radius, step = 10.0 * one, 1e-4 * one, 1e-2 * one, 1e-5
    seen = {"overlap": overlap, "effective_radius": radius}
    held = 0.3 * load[:, None] * jnp.asarray(law.coefficient) * jnp.array([[0.6, 0.8, 0.0]])
    memory = law.holding(held, **seen)
    dynamic = {"normal_force": load, "mass": jnp.asarray([mass]), **seen}
    force, _ = law.after_step(memory, jnp.zeros((1, 3)), time_step=step, **dynamic)
    _check_held(f"{name}: the force that is held", force, held)
    sticks = law.overload(memory, jnp.zeros((1, 3)), **dynamic)
    assert np.all(np.asarray(sticks) <= 0.0), f"{name}: it does not stick at a third of its limit"
    advance = jax.jit(lambda memory, slip: law.after_step(memory, slip, time_step=step, **dynamic))
    _check_passive(
        name, advance, law.unloaded(1), lambda memory: law.energy(memory, **seen), step=1e-6
    )


def _check_held(what: str, force: jax.Array, held: jax.Array) -> None:
    """A spring that was made to hold a force or torque returns it."""
    assert_close(force, held, scale=np.max(np.abs(held)) + 1e-300, what=what, tolerance=1e-9)


def _check_passive(
    name: str,
    advance: Callable[[Memory, jax.Array], tuple[jax.Array, Memory]],
    memory: Memory,
    energy: Callable[[Memory], jax.Array],
    *,
    step: float,
) -> None:
    """Along a random path, with steps of this size [m or rad], a spring stores no more energy than
    the work that is done on it.
    """
    random = np.random.default_rng(1)
    for _ in range(PATH):
        move = jnp.asarray(step * random.normal(size=(1, 3)))
        force, after = advance(memory, move)
        work = float(-jnp.sum(force * move))
        gain = float(jnp.sum(energy(after) - energy(memory)))
        assert work - gain >= -1e-12 * (abs(work) + abs(gain)), (
            f"{name} makes energy: work {work} J, stored {gain} J"
        )
        memory = after


def check_rolling_model(law: RollingLaw) -> None:
    """Check a rolling law at rotation rates of about 10 rad/s.

    Raises:
        AssertionError: naming the law and the property.
    """
    name, radius = type(law).__name__, 1e-2
    limit = np.asarray(law.limit(effective_radius=radius))
    assert np.all(limit >= 0.0), f"{name}: the limit is {limit} m"
    if isinstance(law, RollingFlow):
        _check_rotation(
            name,
            partial(law.torque, effective_radius=radius),
            partial(law.rotation_after, effective_radius=radius),
        )
    if isinstance(law, RollingWithMemory):
        _check_rolling_spring(law, radius)


def _check_rolling_spring(law: RollingWithMemory, radius: float) -> None:
    """It holds a torque that does not overcome it, and never makes energy."""
    name = type(law).__name__
    load, step = 10.0 * jnp.ones(1), 1e-5
    held = 0.3 * jnp.asarray(law.limit(effective_radius=radius)) * load[:, None]
    held = held * jnp.array([[0.6, 0.8, 0.0]])
    after_step = partial(
        law.after_step, normal_force=load, effective_radius=jnp.full(1, radius), time_step=step
    )
    torque, _ = after_step(law.holding(held), jnp.zeros((1, 3)))
    _check_held(f"{name}: the torque that is held", torque, held)
    advance = jax.jit(lambda memory, turn: after_step(memory, turn))
    _check_passive(name, advance, law.unloaded(1), law.energy, step=1e-4)


def check_spinning_model(law: SpinningLaw) -> None:
    """Check a spinning law at rotation rates of about 10 rad/s.

    Raises:
        AssertionError: naming the law and the property.
    """
    name = type(law).__name__
    seen = {"effective_radius": 1e-2, "overlap": 1e-4}
    limit = np.asarray(law.limit(**seen))
    assert np.all(limit >= 0.0), f"{name}: the limit is {limit} m"

    _check_rotation(name, partial(law.torque, **seen), partial(law.rotation_after, **seen))


def _check_rotation(name: str, torque: Force, rotation_after: Force) -> None:
    """Check torque and flow of a rotation at rates of about 10 rad/s."""
    vectors, impulses = _vectors(10.0), jnp.array([0.0, 1e2, 1e4, 1e6])
    _check_flow(f"{name}.rotation_after", rotation_after, vectors, impulses)
    _check_force_of_flow(name, torque, rotation_after, vectors, impulses)
