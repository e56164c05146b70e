"""Simulations in lanes: ``vmap`` makes of a branch whose condition differs between lanes a choice,
for which every lane computes both sides. Each step of two spheres took 150 times as long as one
alone.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import exudyn

pytestmark = pytest.mark.slow

TIMES = jnp.linspace(0.0, 0.3, 4)
TWO = jc.spheres(radius=jnp.array([0.02, 0.03]), mass=jnp.array([0.03, 0.06]))
COMPLIANT = jc.ContactModel(
    normal=jc.HuntCrossley(stiffness=1e7, restitution=0.8),
    friction=jc.RegularizedCoulomb(coefficient=0.3),
)
RIGID = jc.ContactModel(
    normal=jc.NewtonRestitution(restitution=0.8), friction=jc.Coulomb(coefficient=0.3)
)
EXUDYN = exudyn.parameters.ObjectContactSphereSphere(
    spheresRadii=(0.02, 0.03),
    contactStiffness=1e5,
    contactStiffnessExponent=1.5,
    dynamicFriction=0.3,
    restitutionCoefficient=0.8,
    impactModel=2,
)
SCENES = {
    "on a plane": (jc.Scene(bodies=TWO, contact=COMPLIANT), jc.EventAligned(max_contacts=6)),
    "rigid": (jc.Scene(bodies=TWO, contact=RIGID), jc.Impulse(max_contacts=6)),
    "of another program": (
        jc.Scene(bodies=TWO, surfaces=(), contact=EXUDYN),
        jc.EventAligned(max_contacts=6),
    ),
}


def moved(name, push):
    scene, method = SCENES[name]
    start = jc.state(
        position=[(0.0, 0.0, 0.05), (0.1, 0.01, 0.06)],
        velocity=jnp.array([(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]).at[0, 0].add(push),
        spin=[(0.0, 0.0, 5.0), (0.0, 0.0, 0.0)],
    )
    found = jc.simulate(scene, start, TIMES, method=method)
    return found.position, found.spin


def count_branches(jaxpr):
    """In a traced function and all that it calls."""
    branches = 0
    for equation in jaxpr.eqns:
        branches += equation.primitive.name == "cond"
        for value in equation.params.values():
            for inner in jax.tree.leaves(
                value, is_leaf=lambda leaf: hasattr(leaf, "eqns") or hasattr(leaf, "jaxpr")
            ):
                inner = getattr(inner, "jaxpr", inner)
                branches += count_branches(inner) if hasattr(inner, "eqns") else 0
    return branches


@pytest.mark.long("of another program", "on a plane")
@pytest.mark.parametrize("name", SCENES)
def test_branches_stay_branches_in_lanes(name):
    alone, lanes = jnp.zeros(()), jnp.zeros(3)
    wanted = count_branches(jax.make_jaxpr(lambda push: moved(name, push))(alone).jaxpr)
    found = count_branches(jax.make_jaxpr(jax.vmap(lambda push: moved(name, push)))(lanes).jaxpr)
    assert 0 < wanted <= found


@pytest.mark.long("rigid")
@pytest.mark.long("on a plane")
@pytest.mark.parametrize("name", ["on a plane", "rigid"])
def test_lanes_with_different_events_move_as_they_do_alone(name):
    pushes = jnp.array([-3.0, 0.0, 0.7])  # one of them never meets the other

    def with_derivative(push):
        return moved(name, push), jax.jacfwd(lambda push: moved(name, push))(push)

    alone, together = jax.jit(with_derivative), jax.jit(jax.vmap(with_derivative))(pushes)
    for lane, push in enumerate(pushes):
        jax.tree.map(
            lambda one, all_of_them, lane=lane: np.testing.assert_allclose(
                all_of_them[lane], one, rtol=1e-9, atol=1e-9
            ),
            alone(push),
            together,
        )
