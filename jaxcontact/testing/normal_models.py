"""The conformance check of a normal law for scenes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.normal_interfaces import CompliantLaw, NormalLaw, SmoothLaw
from jaxcontact.testing.impact import obtained_by_integration
from jaxcontact.testing.model import assert_close

SPEEDS = (0.3, 1.0, 3.0)
"""Approach speeds of the check, in units of the given one."""

RESTITUTION_TOLERANCE = 1e-6
"""Of the restitution that a law tells, against an integration of its force."""


def _derivative(function: Any, model: NormalLaw) -> np.ndarray:
    """Derivatives of the number ``function(model)`` by all parameters."""
    leaves, structure = jax.tree.flatten(model)
    real = [jnp.asarray(leaf, dtype=float) for leaf in leaves]
    slopes = jax.grad(lambda leaves: function(jax.tree.unflatten(structure, leaves)))(real)
    return np.concatenate([np.zeros(0), *(np.ravel(slope) for slope in slopes)])


def check_normal_model(law: NormalLaw, *, impact_speed: float, mass: float) -> None:
    """Check a normal law at impacts of about ``impact_speed`` [m/s] with the effective ``mass``
    [kg].

    Raises:
        AssertionError: naming the law and the property.
    """
    name = type(law).__name__

    @jax.jit
    def restitution_at(law: NormalLaw, speed: jax.Array) -> jax.Array:
        return law.restitution_at(speed, mass=mass)

    restitutions = {}
    for speed in impact_speed * np.asarray(SPEEDS):
        told = restitutions[speed] = np.asarray(restitution_at(law, jnp.asarray(speed)))
        assert np.all((told >= 0.0) & (told <= 1.0 + 1e-12)), (
            f"{name}: the restitution at {speed:g} m/s is {told}, outside [0, 1]. Of a law known "
            "by its force: it makes energy, or has a jump or a corner inside the contact."
        )
    slope = _derivative(lambda law: jnp.sum(restitution_at(law, jnp.asarray(impact_speed))), law)
    assert np.all(np.isfinite(slope)), f"{name}: derivatives of the restitution are {slope}"
    duration = np.asarray(law.of_impact(jnp.asarray(0)).duration_at(impact_speed))
    assert np.all(duration >= 0.0), f"{name}: the duration of an impact is {duration} s"
    if isinstance(law, CompliantLaw):
        _check_force(law, impact_speed, mass)
        _check_restitution(law, restitutions, mass)
    if isinstance(law, SmoothLaw):
        _check_rest(law, impact_speed, mass)
        _check_phase(law, impact_speed, mass)
    if isinstance(law, BranchedLaw):
        _check_branches(law, impact_speed, mass)


def _check_force(law: CompliantLaw, impact_speed: float, mass: float) -> None:
    """Scales are positive, the force is finite with its derivatives, and 0 out of contact."""
    name = type(law).__name__
    scales = [float(scale) for scale in law.scales(impact_speed=impact_speed, mass=mass)]
    assert all(np.isfinite(scale) and scale > 0.0 for scale in scales), (
        f"{name}: the scales of an impact are {scales}"
    )

    def force(overlap: jax.Array, rate: jax.Array) -> jax.Array:
        return law.force(overlap, rate, impact_speed=impact_speed, mass=mass)

    overlap = scales[0] * np.repeat([0.0, 1e-3, 0.3, 1.0], 3)
    rate = impact_speed * np.tile([-0.5, 0.0, 1.0], 4)
    compiled = jax.jit(jax.vmap(jax.value_and_grad(force, argnums=(0, 1))))
    values, slopes = compiled(overlap, rate)
    finite = np.isfinite(values) & np.isfinite(slopes[0]) & np.isfinite(slopes[1])
    assert np.all(finite), (
        f"{name}: force or derivative is not finite at an overlap of {overlap[~finite]} m and a "
        f"rate of {rate[~finite]} m/s"
    )
    assert_close(
        force(jnp.asarray(overlap), jnp.asarray(rate)),
        values,
        scale=np.max(np.abs(values)),
        what=f"{name}: the compiled force",
        tolerance=1e-11,
    )
    if not isinstance(law, BranchedLaw):  # adhesion may draw bodies that are apart
        apart = np.asarray(force(jnp.full(3, -scales[0]), impact_speed * jnp.array([-1.0, 0, 1])))
        assert np.all(apart == 0.0), f"{name}: the force out of contact is {apart} N"


def _check_restitution(
    law: CompliantLaw, restitutions: dict[float, np.ndarray], mass: float
) -> None:
    """The restitution told at each speed is that of the force."""
    for speed, told in restitutions.items():
        if isinstance(law, BranchedLaw) and told < 1e-3:
            continue  # the bodies stick: no lift-off to integrate to
        assert_close(
            told,
            obtained_by_integration(law, speed, mass),
            scale=1.0,
            what=f"{type(law).__name__}: the restitution at {speed:g} m/s",
            tolerance=RESTITUTION_TOLERANCE,
        )


def _check_rest(law: SmoothLaw, impact_speed: float, mass: float) -> None:
    """At its static overlap a law carries the load."""
    overlap, time = law.scales(impact_speed=impact_speed, mass=mass)
    load = float(mass * overlap / time**2)
    carried = law.force(law.static_overlap(load), 0.0, impact_speed=impact_speed, mass=mass)
    assert_close(
        carried,
        load,
        scale=load,
        what=f"{type(law).__name__}: the force at the static overlap",
        tolerance=1e-6,
    )


def _check_phase(law: SmoothLaw, impact_speed: float, mass: float) -> None:
    """The force in phase coordinates is the force, and the contact begins as an impact does."""
    name = type(law).__name__
    constants = law.constants()
    known = {} if constants is None else {"constants": constants}
    phase = law.phase(impact_speed=jnp.asarray(impact_speed), mass=jnp.asarray(mass), **known)
    assert_close(
        phase.rate(phase.start),
        1.0,
        scale=1.0,
        what=f"{name}: the reduced rate at touch-down",
        tolerance=1e-9,
    )
    length = float(phase.length)
    assert 0.0 < length < np.inf, f"{name}: the contact has the length {length}"
    position, w = jnp.linspace(0.05, 0.8, 6), jnp.linspace(1.0, 0.2, 6) * phase.start
    overlap = phase.overlap_scale * phase.reduced_overlap(position)
    rate = impact_speed * phase.rate(w)
    force = law.force(overlap, rate, impact_speed=impact_speed, mass=mass)
    assert_close(
        phase.reduced_force(position, w) * mass * impact_speed / phase.time_scale,
        force,
        scale=np.max(np.abs(force)),
        what=f"{name}: the force in phase coordinates",
        tolerance=1e-9,
    )


def _check_branches(law: BranchedLaw, impact_speed: float, mass: float) -> None:
    """The first branch is the first loading, and a contact at rest carries its load."""
    name = type(law).__name__
    overlap, time = (
        jnp.full(1, scale) for scale in law.scales(impact_speed=impact_speed, mass=mass)
    )
    on = law.begun(law.unloaded(1), jnp.zeros(1))
    depth = 0.3 * overlap
    loading, memory = law.force_with_memory(on.memory, depth)
    assert_close(
        law.branch_force(on, depth),
        loading,
        scale=np.max(np.abs(loading)),
        what=f"{name}: the force of the first branch",
        tolerance=1e-9,
    )
    load = 0.5 * mass * overlap / time**2
    rested = law.rested(on, law.resting(on, load))
    assert_close(
        law.branch_force(rested, law.resting(on, load)),
        load,
        scale=load,
        what=f"{name}: the force at rest",
        tolerance=1e-6,
    )
    energy = law.energy(memory, depth)
    assert np.all(np.isfinite(energy)), f"{name}: the energy of a contact is {energy} J"
