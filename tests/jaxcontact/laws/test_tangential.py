"""Tangential springs with memory: they stick, slide at the limit, turn with the contact plane, and
their work balances.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.geometry.contact_plane import carried_with_plane
from jaxcontact.geometry.rotation import rotate
from jaxcontact.laws.friction.cundall_strack import cundall_strack_force, spring_energy
from jaxcontact.laws.friction.mindlin import (
    MindlinMemory,
    incremental_mindlin_force,
    mindlin_force,
    mindlin_partial_slip_displacement,
    mindlin_partial_slip_force,
    mindlin_stiffness,
)
from jaxcontact.laws.friction.slider import (
    SpringMemory,
    coulomb_slider,
    smooth_coulomb_slider,
    step_work,
)

pytestmark = pytest.mark.slow

ROUNDED = functools.partial(smooth_coulomb_slider, smoothing=0.1)
SPHERES = {"overlap": 1e-4, "effective_radius": 0.01, "effective_shear_modulus": 1e8}
STIFFNESS = float(mindlin_stiffness(1e-4, effective_radius=0.01, effective_shear_modulus=1e8))


def spring(**changes):
    """Force and memory of a Cundall-Strack spring of the stiffness of the spheres above."""
    return functools.partial(cundall_strack_force, **{"tangential_stiffness": STIFFNESS, **changes})


FORMS = {
    "Cundall-Strack": (spring(), SpringMemory(np.zeros(2))),
    "Cundall-Strack, rounded": (spring(slider=ROUNDED), SpringMemory(np.zeros(2))),
    "Cundall-Strack, displacement": (spring(limited="displacement"), SpringMemory(np.zeros(2))),
    "Mindlin": (functools.partial(mindlin_force, **SPHERES), SpringMemory(np.zeros(2))),
    "Mindlin, incremental": (
        functools.partial(incremental_mindlin_force, **SPHERES),
        MindlinMemory(np.zeros(2), np.array(0.0)),
    ),
    "Mindlin, not rescaled": (
        functools.partial(incremental_mindlin_force, **SPHERES, rescaled=False),
        MindlinMemory(np.zeros(2), np.array(0.0)),
    ),
}


def block(law, memory, *, push, damping, steps, time_step, mass=0.1):
    """A block on the contact under a constant push: displacement at a hundredth of the time and at
    all later hundredths.
    """
    law = functools.partial(
        law, normal_force=10.0, coefficient=0.5, tangential_damping=damping, time_step=time_step
    )

    def step(state, _):
        position, velocity, force, memory = state
        velocity = velocity + time_step * (push + force) / mass
        force, memory = law(memory, time_step * velocity)
        return (position + time_step * velocity, velocity, force, memory), None

    def hundredth(state, _):
        state, _ = jax.lax.scan(step, state, None, length=steps // 100)
        return state, state[0]

    zero = jnp.zeros(2)
    return jax.jit(lambda m: jax.lax.scan(hundredth, (zero, zero, zero, m), None, length=100)[1])(
        memory
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_load_below_the_limit_is_held_for_ever(form):
    """Ten seconds under 80 % of the friction force: after the vibration has died away, no creep to
    rounding.
    """
    law, memory = FORMS[form]
    push = jnp.asarray([4.0, 0.0])
    damping = 2.0 * np.sqrt(0.1 * STIFFNESS)
    positions = block(law, memory, push=push / 1.2, damping=damping, steps=100_000, time_step=1e-4)
    assert abs(positions[0, 0] - push[0] / 1.2 / STIFFNESS) < 1e-12
    assert np.max(np.abs(positions[1:] - positions[0])) <= 1e-16


@pytest.mark.parametrize("form", FORMS)
def test_a_load_above_the_limit_slides_at_the_difference(form):
    law, memory = FORMS[form]
    positions = block(
        law, memory, push=jnp.asarray([6.0, 0.0]), damping=0.0, steps=10_000, time_step=1e-5
    )
    acceleration = (positions[99, 0] - 2.0 * positions[89, 0] + positions[79, 0]) / 0.01**2
    resistance = 6.0 - 0.1 * acceleration
    assert (4.5 if "rounded" in form else 5.0) - 1e-9 <= resistance <= 5.0 + 1e-9


def random_path(steps, seed, scale=1.0):
    random = np.random.default_rng(seed)
    increments = (
        scale * random.normal(size=(steps, 2))
        + 0.5 * scale * np.sin(np.arange(steps) / 7.0)[:, None]
    )
    return jnp.asarray(increments), jnp.asarray(8.0 + 3.0 * np.sin(np.arange(steps) / 11.0))


def work_along(
    increments, normal_forces, *, limited, damping, slider=coulomb_slider, time_step=1e-3
):
    """Work of the mean force in each step, and what ``step_work`` and the force itself say."""
    law = {"tangential_stiffness": 4.0, "tangential_damping": damping}

    def step(memory, inputs):
        increment, normal_force = inputs
        force, after = cundall_strack_force(
            memory,
            increment,
            normal_force,
            **law,
            coefficient=0.5,
            time_step=time_step,
            limited=limited,
            slider=slider,
        )
        work = step_work(
            memory.elongation,
            after.elongation,
            increment,
            stiffness=4.0,
            damping=damping,
            time_step=time_step,
            limited=limited,
        )
        return after, (force, after.elongation, jnp.stack(work))

    return jax.jit(lambda m: jax.lax.scan(step, m, (increments, normal_forces))[1])(
        SpringMemory(jnp.zeros(2))
    )


@pytest.mark.parametrize("slider", [coulomb_slider, ROUNDED])
@pytest.mark.parametrize("limited", ["force", "displacement"])
@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_work_of_a_step_is_stored_or_lost(scale, damping, limited, slider):
    """Work done on the contact = stored + heat, at fine and coarse steps over random paths and
    normal forces; heat is never negative.
    """
    increments, normal_forces = random_path(2000, 3, scale)
    forces, elongations, parts = work_along(
        increments, normal_forces, limited=limited, damping=damping, slider=slider
    )
    stored, slid, dashpot = np.asarray(parts).T
    assert np.min(slid) >= -1e-13
    assert np.min(dashpot) >= 0.0
    before = np.concatenate([np.zeros((1, 2)), elongations[:-1]])
    moved = np.asarray(elongations) - before
    rate = (moved if limited == "force" else np.asarray(increments)) / 1e-3
    mean = 0.5 * 4.0 * (before + elongations) + damping * rate
    turned = np.maximum(0.0, np.sum(4.0 * moved * (increments - moved), axis=1))
    np.testing.assert_allclose(
        stored + slid + dashpot,
        np.sum(mean * increments, axis=1) + 0.5 * turned,
        rtol=1e-12,
        atol=1e-11,
    )
    np.testing.assert_allclose(np.sum(stored), 2.0 * np.sum(elongations[-1] ** 2), rtol=1e-9)
    at_the_end = 4.0 * np.asarray(elongations) + damping * rate
    np.testing.assert_allclose(-np.asarray(forces), at_the_end, rtol=1e-9, atol=1e-11)


def test_work_of_a_coarse_step_is_exact_along_a_line():
    """Stick, then slide, and slip that turns: one step against ten thousand."""
    turns = jnp.asarray([[2.0, 0.0], [-5.0, 0.0], [0.3, 0.0], [9.0, 0.0]])
    fine = jnp.repeat(turns / 10_000, 10_000, axis=0)
    *_, coarse = work_along(turns, jnp.full(4, 8.0), limited="force", damping=0.0)
    forces, *_ = work_along(fine, jnp.full(40_000, 8.0), limited="force", damping=0.0)
    before = np.concatenate([np.zeros((1, 2)), forces[:-1]])
    work = -np.sum(0.5 * (forces + before) * fine, axis=1).reshape(4, -1).sum(axis=1)
    np.testing.assert_allclose(np.sum(coarse, axis=1), work, rtol=1e-3)


def test_without_a_dashpot_the_work_needs_no_time_step():
    work = step_work([0.0, 0.0], [0.3, 0.4], [0.3, 0.4], stiffness=8.0)
    np.testing.assert_allclose(work, [8.0 * 0.5**2 / 2, 0.0, 0.0], rtol=1e-15)


def test_a_dashpot_behind_the_slider_makes_no_energy():
    """However large the damping: the elongation of a sliding spring stays within the limit."""
    increments = jnp.tile(jnp.asarray([[0.1, 0.0]]), (2000, 1))
    forces, elongations, _ = work_along(
        increments, jnp.full(2000, 8.0), limited="force", damping=50.0
    )
    assert np.max(np.abs(forces)) <= 4.0 + 1e-12
    assert np.all(np.abs(elongations) <= 1.0 + 1e-12)
    np.testing.assert_allclose(
        elongations[-1, 0], 1.0 - np.exp(-2.0 * 4.0 / 50.0), rtol=1e-4
    )  # approaches it at the rate k/c


def test_the_plane_carries_the_spring_along():
    """A pair that turns as a whole feels a force that turns with it, to rounding after a hundred
    steps of 0.3 rad.
    """
    random = np.random.default_rng(0)
    normal, elongation = jnp.asarray([0.0, 0.0, 1.0]), jnp.asarray([3e-4, -2e-4, 0.0])
    expected_normal, expected = normal, elongation
    carry = jax.jit(carried_with_plane)
    for _ in range(100):
        turn = jnp.asarray(0.3 * random.normal(size=3) / np.sqrt(3))
        new = rotate(normal, turn)
        swing = rotate(elongation, turn)
        smallest = carry(elongation, normal, new, turn=0.0)
        angle = jnp.arctan2(jnp.dot(jnp.cross(smallest, swing), new), jnp.dot(smallest, swing))
        elongation = carry(elongation, normal, new, turn=angle)
        expected_normal, expected, normal = (
            rotate(expected_normal, turn),
            rotate(expected, turn),
            new,
        )
    np.testing.assert_allclose(elongation, expected, atol=1e-17)
    assert abs(jnp.dot(elongation, normal)) < 1e-17


def test_turning_about_the_normal_turns_the_spring():
    normal = jnp.asarray([0.0, 0.0, 1.0])
    np.testing.assert_allclose(
        carried_with_plane([1.0, 0.0, 0.0], normal, normal, turn=jnp.pi / 2),
        [0.0, 1.0, 0.0],
        atol=1e-15,
    )


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_both_forms_of_mindlin_agree_at_constant_overlap(damping):
    increments, normal_forces = random_path(300, 5, 1e-5)
    law = {**SPHERES, "tangential_damping": damping, "coefficient": 0.5, "time_step": 1e-4}

    def step(memories, inputs):
        first, one = mindlin_force(memories[0], inputs[0], inputs[1], **law)
        second, two = incremental_mindlin_force(memories[1], inputs[0], inputs[1], **law)
        return (one, two), (first, second)

    start = (SpringMemory(jnp.zeros(2)), MindlinMemory(jnp.zeros(2), jnp.zeros(())))
    _, (displacement, incremental) = jax.jit(
        lambda m: jax.lax.scan(step, m, (increments, normal_forces))
    )(start)
    np.testing.assert_allclose(displacement, incremental, atol=1e-11)


def cycle(rescaled):
    """Work done on the contact by slip in a closed cycle of overlap and slip, the spring being
    empty at both ends.
    """
    law = {
        "effective_radius": 0.01,
        "effective_shear_modulus": 1e8,
        "tangential_damping": 0.0,
        "coefficient": 100.0,
        "time_step": 1.0,
    }
    overlaps = jnp.concatenate(
        [jnp.full(100, 1e-4), jnp.linspace(1e-4, 4e-5, 100), jnp.full(200, 4e-5)]
    )
    slips = jnp.concatenate([jnp.full(100, 1e-8), jnp.zeros(100), jnp.full(200, -0.5e-8)])

    def step(memory, inputs):
        force, after = incremental_mindlin_force(
            memory, inputs[1][None], 10.0, inputs[0], **law, rescaled=rescaled
        )
        return after, (-jnp.dot(0.5 * (force - memory.force), inputs[1][None]), after.force[0])

    return jax.lax.scan(step, MindlinMemory(jnp.zeros(1), jnp.zeros(())), (overlaps, slips))[1]


def test_only_the_rescaled_form_gives_back_no_more_than_it_got():
    """Load at large overlap, unload at small overlap: slip back to where the force is zero."""
    for rescaled in (True, False):
        work, force = cycle(rescaled)
        until = (
            int(np.argmax(np.asarray(force[200:]) <= 0.0)) + 200
            if np.any(force[200:] <= 0.0)
            else 400
        )
        net = float(np.sum(work[:until]))
        assert (net >= 0.0) == rescaled
        assert (
            float(force[150]) < float(force[99])
            if rescaled
            else float(force[150]) == float(force[99])
        )


@pytest.mark.parametrize("form", FORMS)
def test_a_slider_bears_its_limit_next_to_no_load(form):
    """The spring is then shorter than the rounding of what slides."""
    law, memory = FORMS[form]

    def borne(load):
        _, after = law(
            memory,
            jnp.array([3e-4, 4e-4]),
            load,
            tangential_damping=0.0,
            coefficient=0.5,
            time_step=1e-6,
        )
        return after.force if isinstance(after, MindlinMemory) else STIFFNESS * after.elongation

    force, slope = jax.jvp(borne, (1e-18,), (1.0,))
    np.testing.assert_allclose(force, [3e-19, 4e-19], rtol=1e-12)
    np.testing.assert_allclose(slope, [0.3, 0.4], rtol=1e-12)


def test_an_open_contact_forgets():
    force, memory = cundall_strack_force(
        SpringMemory(jnp.ones(2)),
        jnp.ones(2),
        -1.0,
        tangential_stiffness=1.0,
        tangential_damping=1.0,
        coefficient=0.5,
        time_step=1.0,
    )
    assert np.all(force == 0.0)
    assert np.all(memory.elongation == 0.0)
    assert spring_energy(memory, tangential_stiffness=1.0) == 0.0
    _, memory = incremental_mindlin_force(
        MindlinMemory(jnp.ones(2), jnp.ones(())),
        jnp.ones(2),
        0.0,
        0.0,
        effective_radius=0.1,
        effective_shear_modulus=1.0,
        tangential_damping=1.0,
        coefficient=0.5,
        time_step=1.0,
    )
    assert np.all(memory.force == 0.0)
    assert memory.stiffness == 0.0


def test_partial_slip_and_its_inverse():
    law = {"coefficient": 0.3, "contact_radius": 4e-4, "effective_shear_modulus": 2e8}
    forces = jnp.linspace(0.0, 2.999, 50)
    displacements = mindlin_partial_slip_displacement(forces, 10.0, **law)
    back = mindlin_partial_slip_force(displacements[:, None], 10.0, **law)[:, 0]
    np.testing.assert_allclose(-back, forces, rtol=1e-12, atol=1e-14)
    stiffness = -jax.jacfwd(lambda x: mindlin_partial_slip_force(x, 10.0, **law))(jnp.zeros(2))
    np.testing.assert_allclose(stiffness, 8.0 * 2e8 * 4e-4 * np.eye(2), rtol=1e-14)
    beyond = jnp.array([1.01, 100.0])[:, None] * displacements[-1] * jnp.array([0.6, -0.8])
    np.testing.assert_allclose(
        mindlin_partial_slip_force(beyond, 10.0, **law), [[-1.8, 2.4]] * 2, rtol=1e-14
    )


def test_bad_arguments_are_named():
    law = {"tangential_damping": 0.0, "coefficient": 0.5, "time_step": 1.0}
    with pytest.raises(ValueError, match="limited = 'fore' is not one of 'force', 'displacement'"):
        cundall_strack_force(
            SpringMemory(np.zeros(2)),
            np.zeros(2),
            1.0,
            tangential_stiffness=1.0,
            **law,
            limited="fore",
        )
    with pytest.raises(ValueError, match=r"tangential_stiffness = -1 N/m is outside \[0, inf\)"):
        cundall_strack_force(
            SpringMemory(np.zeros(2)), np.zeros(2), 1.0, tangential_stiffness=-1.0, **law
        )
    with pytest.raises(ValueError, match=r"smoothing = 1 - is outside \(0, 1\)"):
        smooth_coulomb_slider(np.ones(2), limit=1.0, smoothing=1.0)
