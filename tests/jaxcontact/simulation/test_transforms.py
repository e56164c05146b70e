"""Under ``jit``, ``vmap``, derivatives and their combinations a simulation gives the numbers of a
plain call.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import scenes

MIXED = (
    {"restitution": 0.9},
    {"restitution": 0.3, "velocity": (0.5, 0.0, 0.0)},
    {"gravity": (0.0, 0.0, 0.0), "velocity": (0.1, 0.2, 1.0)},
    {"position": (0.0, 0.0, 0.02), "velocity": (0.3, 0.0, 0.0)},
)
"""Bouncing, coming to rest, never touching, sliding from the start."""
RIGID = jc.Impulse(max_contacts=8)


def height(p: dict) -> jax.Array:
    return scenes.simulated(p, law="newton", method=RIGID).position[-1, 2]


@pytest.mark.slow
def test_jit_and_vmap_give_the_numbers_of_a_plain_call():
    """Lanes of one call bounce, rest, and never touch. Only the plain call knows that the plane is
    level: what slides there goes in steps in the other, which are right to the ``accuracy``.
    """
    together = scenes.run(MIXED, method=scenes.IN_TIME)
    for i, case in enumerate(MIXED):
        alone = scenes.simulated({**scenes.BASE, **case}, law="hunt_crossley")
        assert int(alone.status) == together.status[i]
        units = np.repeat([1.0, 1.0, scenes.BASE["radius"]], 3)  # spins as speeds of the surface
        np.testing.assert_allclose(
            units * scenes.columns(alone),
            units * scenes.columns(together)[i],
            rtol=0,
            atol=1e-8 if alone.status == jc.Status.SUCCESS else 1e-6,
        )
    assert set(together.status.tolist()) == {jc.Status.SUCCESS, jc.Status.CAME_TO_REST}


@pytest.mark.long
@pytest.mark.slow
def test_gradients_and_vmap_commute():
    lanes = {
        name: jnp.asarray(value[: len(MIXED)]) for name, value in scenes.stacked(MIXED).items()
    }
    each = jax.vmap(jax.grad(height))(lanes)
    total = jax.grad(lambda p: jnp.sum(jax.vmap(height)(p)))(lanes)
    compiled = jax.jit(jax.vmap(jax.grad(height)))(lanes)
    for name in lanes:
        np.testing.assert_allclose(total[name], each[name], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(compiled[name], each[name], rtol=1e-11, atol=1e-12)
    alone = jax.grad(height)({name: value[0] for name, value in lanes.items()})
    np.testing.assert_allclose(alone["restitution"], each["restitution"][0], rtol=1e-11)


@pytest.mark.slow
def test_scene_state_and_method_pass_through_jit():
    p = {**scenes.BASE, "restitution": 0.7}
    scene, start, times = scenes.scene(p, law="newton"), scenes.initial(p), scenes.output_times(p)
    plain = jc.simulate(scene, start, times, method=RIGID)

    @partial(jax.jit, static_argnames="method")
    def inside(scene, start, times, method):
        return jc.simulate(scene, start, times, method=method)

    np.testing.assert_allclose(
        inside(scene, start, times, RIGID).position, plain.position, rtol=0, atol=1e-12
    )
    assert (
        inside(scene, start, times, jc.Impulse(max_contacts=1)).status == jc.Status.TOO_FEW_CONTACTS
    )
