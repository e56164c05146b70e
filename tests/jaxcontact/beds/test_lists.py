"""Lists of a bed against all pairs, and its walls against what each surface says of itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.beds.components import from_last_axis
from jaxcontact.beds.walls import distance_and_normal, distances, walls_at

pytestmark = pytest.mark.slow

NUMBERS = np.random.default_rng(5)
MOTION = jc.PrescribedMotion(velocity=(0.1, 0.0, 0.2), angular_velocity=(0.0, 3.0, 0.0))
SURFACES = (
    jc.Box(center=(0.1, 0.0, 0.0), lengths=(0.1, 0.2, 0.1)),
    jc.Plane(),
    jc.Box(center=(-0.2, 0.1, 0.0), lengths=(0.3, 0.1, 0.1), orientation=(0.3, 0.2, -0.4)),
    jc.Box(center=(0.0, 0.0, 0.3), lengths=(0.1, 0.1, 0.2), motion=MOTION),
    jc.Box(center=np.array([0.0, 0.1, 0.0]), lengths=(0.5, 0.4, 0.6), hollow=True),
    jc.Box(center=(0.0, -0.3, 0.1), lengths=(0.1, 0.1, 0.1)),
    jc.Plane(normal=(1.0, 0.0, 0.0), motion=MOTION),
)
TIME = 0.4


def test_walls_computed_together_are_where_each_says_it_is():
    place = NUMBERS.uniform(-0.3, 0.3, (40, 3))
    which = NUMBERS.integers(0, len(SURFACES), 40)
    walls = walls_at(SURFACES, jnp.asarray(TIME))
    far = distances(walls, from_last_axis(jnp.asarray(place)))
    near, normal = distance_and_normal(
        walls, jnp.asarray(which), from_last_axis(jnp.asarray(place))
    )
    for index, surface in enumerate(SURFACES):
        one = jax.vmap(lambda center, wall=surface: wall.closest(center, TIME))(place)
        np.testing.assert_allclose(far[index], one.distance, rtol=0, atol=1e-15)
        of_it = which == index
        np.testing.assert_allclose(near[of_it], one.distance[of_it], rtol=0, atol=1e-15)
        found = np.stack(normal, axis=-1)[of_it]
        np.testing.assert_allclose(found, one.normal[of_it], rtol=0, atol=1e-14)


@pytest.mark.long("1", "2", "16")
@pytest.mark.parametrize("spheres", [1, 2, 16, 17])
def test_lists_hold_all_pairs_and_spheres_at_walls_that_are_near(spheres):
    radius = NUMBERS.uniform(4e-3, 6e-3, spheres)
    place = NUMBERS.uniform(0.0, 0.03, (spheres, 3))
    bed = jc.Bed(
        spheres=jc.spheres(radius=radius, density=2500.0),
        contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.3, coefficient=0.4),
        walls=(jc.Plane(), jc.Plane(normal=(1.0, 0.0, 0.0))),
        gravity=(0.0, 0.0, 0.0),
    )
    skin = 1e-3
    sizes = jc.BedSizes((3, 3, 3), 17, 140, 17, 40, 2, skin)
    end = jc.simulate_bed(bed, jc.state(position=place), [0.0], sizes=sizes, strict=False).end
    label, pairs, contacts = (
        jax.tree.map(np.asarray, one) for one in (end.particles.label, end.pairs, end.wall_contacts)
    )
    found = np.sort(np.stack([label[pairs.i], label[pairs.j]])[:, pairs.live], axis=0)
    first, second = np.triu_indices(spheres, 1)
    apart = np.linalg.norm(place[first] - place[second], axis=-1)
    near = apart < radius[first] + radius[second] + skin
    assert sorted(zip(*found, strict=True)) == sorted(zip(first[near], second[near], strict=True))
    at_walls = np.stack([contacts.wall, label[contacts.sphere]])[:, contacts.live]
    gap = np.stack([place[:, 2], place[:, 0]]) - radius
    assert sorted(zip(*at_walls, strict=True)) == sorted(zip(*np.nonzero(gap < skin), strict=True))
    for sphere in range(spheres):
        its = pairs.slot[pairs.sign[:, sphere] != 0, sphere]
        assert sorted(its) == sorted(
            np.nonzero(pairs.live & ((pairs.i == sphere) | (pairs.j == sphere)))[0]
        )
