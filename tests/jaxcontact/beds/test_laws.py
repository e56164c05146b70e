"""Any law in a bed, other contacts at walls, and spheres of several kinds."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

pytestmark = pytest.mark.slow

RADII, MASSES = np.array([5e-3, 3e-3]), np.array([1.3e-3, 3e-4])
SPRING = jc.CundallStrack(coefficient=0.3, tangential_stiffness=3e3, zeta=0.05)
MINDLIN = jc.Mindlin(coefficient=0.3, effective_shear_modulus=1e6, form="force")
LINEAR = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.7, coefficient=0.3, zeta=0.05)
HERTZ = jc.HertzMindlin(
    youngs_modulus=5e6, poisson_ratio=0.25, restitution=0.7, coefficient=0.3, zeta=0.05
)
POWDER = jc.AdhesivePlastic(stiffness=1e4, plasticity_ratio=0.5, adhesion_stiffness=500.0)
STICKY = jc.JohnsonKendallRoberts(
    effective_modulus=1e6, effective_radius=1.875e-3, work_of_adhesion=1.0
)
LAWS = {
    "smooth": jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e6, restitution=0.7),
        friction=jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.05),
    ),
    "plastic": jc.ContactModel(
        normal=jc.ThorntonPlastic(
            effective_modulus=1e7, effective_radius=1.875e-3, yield_pressure=1e5
        ),
        friction=MINDLIN,
    ),
    "powder": jc.ContactModel(
        normal=POWDER,
        friction=SPRING,
        rolling=jc.RollingSpring(rolling_coefficient=0.3, rolling_stiffness=0.02),
    ),
    "sticky": jc.ContactModel(normal=STICKY, friction=SPRING),
    "resisted": jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e6, restitution=0.9),
        friction=SPRING,
        rolling=jc.RollingResistance(rolling_coefficient=0.3, rolling_velocity=1.0),
        spinning=jc.SpinningFriction(coefficient=0.3, spin_velocity=1.0),
    ),
}
TWO = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 1e-2)
START = jc.state(
    position=[(0.0, 0.0, 0.0), (8.2e-3, 1e-3, 5e-4)],
    velocity=[(0.4, 0.0, 0.1), (-0.6, 0.2, 0.0)],
    spin=[(0.0, 20.0, 40.0), (30.0, 0.0, -10.0)],
)


def of_two(contact):
    return jc.Bed(
        spheres=jc.spheres(radius=RADII, mass=MASSES), contact=contact, gravity=(0.0, 0.0, 0.0)
    )


@pytest.mark.parametrize(
    "name",
    ["powder", *(pytest.param(name, marks=pytest.mark.long) for name in LAWS if name != "powder")],
)
def test_a_collision_is_that_of_simulate_as_the_steps_grow_short(name):
    contact = LAWS[name]
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADII, mass=MASSES),
        surfaces=(),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    exact = jc.simulate(scene, START, [0.0, 6e-3])
    errors = []
    for step in (8e-6, 1e-6):
        result = jc.simulate_bed(
            of_two(contact), START, [0.0, 6e-3], time_step=step, sizes=TWO, ledger=True
        )
        speed = np.max(np.abs(result.velocity[-1] - exact.velocity[-1]))
        spin = np.max(np.abs(result.spin[-1] - exact.spin[-1]))
        errors.append((speed, spin * RADII[0]))
        ledger = result.ledger
        assert np.max(np.abs(ledger.residual)) < 1e-12 * result.energy.kinetic[0]
    assert np.all(np.array(errors[1]) < 1e-4), errors
    assert np.all(np.array(errors[1]) < 0.25 * np.array(errors[0])), errors


@pytest.mark.parametrize("contact", [LINEAR, HERTZ], ids=["linear", "hertz"])
def test_springs_of_beds_are_those_of_the_laws(contact):
    laws = contact.of_pair(radius=1.0 / np.sum(1.0 / RADII))
    ours, theirs = (
        jc.simulate_bed(of_two(model), START, [0.0, 1e-3, 6e-3], time_step=5e-6, ledger=True)
        for model in (contact, laws)
    )
    for name in ("position", "velocity", "spin"):
        one, other = (np.asarray(getattr(result, name)) for result in (ours, theirs))
        # Laws begin with springs that have followed a millionth of the first step.
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10 * np.max(np.abs(one)))
    for one, other in zip(ours.energy, theirs.energy, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12 * np.max(ours.energy.kinetic))


class Wide(NamedTuple):
    """A memory that is no vector and no number."""

    pair: jax.Array


@jc.model
class WideFriction(jc.CundallStrack):
    """Friction that remembers two numbers in one array."""

    def unloaded(self, contacts):
        return Wide(jnp.zeros((contacts, 2)))


class Undecorated(jc.BedContact):
    def of_pair(self, *, radius):
        return HERTZ.of_pair(radius=radius)


@jc.model
class Given(jc.BedContact):
    """A contact that gives something."""

    laws: jc.ContactModel | jc.laws.NormalLaw

    def of_pair(self, *, radius):
        return self.laws


@jc.parameters.model
class HertzByRadius(jc.BedContact):
    """What ``HERTZ`` is, as a user would write it."""

    restitution: float = 0.7

    def of_pair(self, *, radius):
        return HERTZ.replace(restitution=self.restitution).of_pair(radius=radius)


def many(contact, **more):
    """Spheres of unequal radii that are thrown into a box."""
    numbers = np.random.default_rng(5)
    place = (np.stack(np.unravel_index(np.arange(27), (3,) * 3), -1) + 0.6) * 0.0101
    bed = jc.Bed(
        spheres=jc.spheres(radius=numbers.uniform(4e-3, 5e-3, 27), density=2500.0),
        contact=contact,
        walls=(jc.Plane(), jc.Plane(normal=(1.0, 0.0, 0.0))),
        **more,
    )
    start = jc.state(position=place, velocity=numbers.normal(0.0, 0.3, (27, 3)) - 0.4)
    return bed, start


def assert_same(one, other, tolerance):
    for name in ("position", "velocity", "spin"):
        ours, theirs = (np.asarray(getattr(result, name)[-1]) for result in (one, other))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.max(np.abs(ours)))


def test_laws_may_depend_on_the_size_of_the_spheres():
    results = [
        jc.simulate_bed(*many(contact), [0.0, 0.02], time_step=2e-5, ledger=True)
        for contact in (HERTZ, HertzByRadius())
    ]
    assert results[0].ledger.normal[-1] > 0.1 * results[0].energy.kinetic[0]
    assert_same(*results, 1e-9)
    for one, other in zip(results[0].energy, results[1].energy, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12)


def test_each_wall_may_have_its_own_contact():
    """Spheres apart from each other, each at its own wall, as if it were alone there."""
    models = [LINEAR, LINEAR.replace(coefficient=0.05, restitution=0.9, stiffness=2e4)]
    walls = (jc.Plane(), jc.Plane(normal=(1.0, 0.0, 0.0)))
    state = {"velocity": (-0.3, 0.2, -0.4), "spin": (5.0, 1.0, 2.0)}
    places = [(0.5, 0.0, 6e-3), (6e-3, 0.0, 0.5)]

    def run(places, walls, contact, on_walls):
        bed = jc.Bed(
            spheres=jc.spheres(radius=5e-3, density=2500.0),
            contact=contact,
            walls=walls,
            contact_on_walls=on_walls,
        )
        count = len(places)
        start = jc.state(
            position=places, **{name: [value] * count for name, value in state.items()}
        )
        return jc.simulate_bed(bed, start, [0.0, 0.02], time_step=1e-5)

    both = run(places, walls, HERTZ, models)
    for index in range(2):
        alone = run([places[index]], (walls[index],), models[index], None)
        for name in ("velocity", "spin"):
            ours, theirs = getattr(both, name)[-1, index], getattr(alone, name)[-1, 0]
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


def test_the_walls_of_a_room_have_its_contact():
    room = jc.surfaces.Box(center=(0.02, 0.02, 0.02), lengths=(0.04, 0.04, 0.04), hollow=True)
    models = (LINEAR, LINEAR.replace(coefficient=0.0, restitution=0.95))
    start = jc.state(position=[(5.5e-3, 0.02, 5.4e-3)], velocity=[(-0.3, 0.1, -0.2)])
    runs = []
    for walls, contact, on_walls in (
        ((jc.Plane(offset=-1.0), room), LINEAR, models),
        ((room,), models[1], None),
    ):
        bed = jc.Bed(
            spheres=jc.spheres(radius=5e-3, density=2500.0),
            contact=contact,
            walls=walls,
            contact_on_walls=on_walls,
        )
        runs.append(jc.simulate_bed(bed, start, [0.0, 0.01], time_step=1e-5))
    assert abs(runs[0].velocity[-1, 0, 0]) > 0.1
    assert_same(*runs, 1e-12)


def test_kinds_of_spheres_meet_as_the_table_says():
    """Pairs far from each other, of each pair of kinds, as if there were one kind only."""
    table = ((LINEAR,), (LINEAR.replace(coefficient=0.0), LINEAR.replace(restitution=0.3)))
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    place = np.concatenate([np.add(START.position, (0.0, 0.1 * i, 0.0)) for i in range(4)])

    def run(contact, count, kind):
        bed = jc.Bed(
            spheres=jc.spheres(radius=np.tile(RADII, count), mass=np.tile(MASSES, count)),
            contact=contact,
            kind=kind,
            gravity=(0.0, 0.0, 0.0),
        )
        start = jc.state(
            position=place[: 2 * count],
            velocity=np.tile(START.velocity, (count, 1)),
            spin=np.tile(START.spin, (count, 1)),
        )
        return jc.simulate_bed(bed, start, [0.0, 6e-3], time_step=5e-6)

    mixed = run(table, 4, np.ravel(pairs))
    for index, (one, other) in enumerate(pairs):
        model = table[max(one, other)][min(one, other)]
        alone = run(model, 1, None)
        for name in ("velocity", "spin"):
            ours = getattr(mixed, name)[-1, 2 * index : 2 * index + 2]
            np.testing.assert_allclose(ours, getattr(alone, name)[-1], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    "laws", [False, pytest.param(True, marks=pytest.mark.long)], ids=["springs", "laws"]
)
def test_renumbering_spheres_and_kinds_changes_nothing(laws):
    def model(friction, restitution):
        contact = LINEAR.replace(coefficient=friction, restitution=restitution)
        return contact.of_pair(radius=1.0) if laws else contact

    table = ((model(0.1, 0.5),), (model(0.3, 0.6), model(0.5, 0.7)))
    swapped = ((table[1][1],), (table[1][0], table[0][0]))
    on_walls = ((model(0.2, 0.8), model(0.4, 0.9)), (model(0.6, 0.4), model(0.0, 0.3)))
    kind = np.arange(27) % 2
    bed, start = many(table, kind=kind, contact_on_walls=on_walls)
    order = np.random.default_rng(7).permutation(27)
    other = bed.replace(
        contact=swapped,
        contact_on_walls=tuple(row[::-1] for row in on_walls),
        kind=1 - kind[order],
        spheres=jc.spheres(radius=np.asarray(bed.spheres.radius)[order], density=2500.0),
    )
    moved = jax.tree.map(lambda column: column[order], start)
    one, two = (
        jc.simulate_bed(this, at, [0.0, 5e-3], time_step=1e-5, ledger=True)
        for this, at in ((bed, start), (other, moved))
    )
    assert int(one.contacts.touches.sum()) > 5
    for name in ("position", "velocity", "spin"):
        ours, theirs = np.asarray(getattr(one, name)[-1])[order], getattr(two, name)[-1]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.max(np.abs(ours)))


def test_a_bed_of_laws_goes_on_with_what_its_contacts_remember():
    contact = jc.ContactModel(normal=POWDER, friction=SPRING)
    bed, start = many(contact)
    run = functools.partial(jc.simulate_bed, bed, time_step=1e-5)
    whole = run(start, [0.0, 0.01, 0.02])
    first = run(start, [0.0, 0.01])
    second = jc.simulate_bed(bed, first.end, [0.01, 0.02], time_step=1e-5, sizes=whole.sizes)
    assert_same(whole, second, 1e-10)
    with pytest.raises(ValueError, match=r"another kind of bed\.contact"):
        jc.simulate_bed(bed.replace(contact=LINEAR), first.end, [0.01, 0.02], time_step=1e-5)


@pytest.mark.long
def test_derivatives_by_the_numbers_of_laws_are_differences_of_the_steps():
    def height(parameters, steps_per_list):
        stiffness, coefficient = parameters
        normal = POWDER.replace(stiffness=stiffness)
        contact = jc.ContactModel(normal=normal, friction=SPRING.replace(coefficient=coefficient))
        bed, start = many(
            contact, contact_on_walls=(contact, contact.replace(normal=POWDER)), kind=None
        )
        result = jc.simulate_bed(
            bed,
            start,
            [0.0, 3e-3],
            time_step=2e-5,
            steps_per_list=steps_per_list,
            sizes=sizes,
        )
        return jnp.mean(result.position[-1] ** 2) + 1e-6 * jnp.mean(result.spin[-1] ** 2)

    sizes = jc.simulate_bed(
        *many(jc.ContactModel(normal=POWDER, friction=SPRING)), [0.0, 3e-3], time_step=2e-5
    ).sizes
    at = (1e4, 0.3)
    reverse = jax.jit(jax.grad(functools.partial(height, steps_per_list=10)))(at)
    forward = jax.jit(jax.jacfwd(functools.partial(height, steps_per_list=10)))(at)
    np.testing.assert_allclose(reverse, forward, rtol=1e-8)
    values = jax.jit(functools.partial(height, steps_per_list=10))
    for index, size in enumerate((1e-2, 1e-6)):
        shift = size * np.eye(2)[index]
        apart = values(tuple(at + shift)) - values(tuple(at - shift))
        assert abs(apart / (2 * size) / forward[index] - 1.0) < 1e-5


@pytest.mark.parametrize(
    ("kept", "other"),
    [
        ("normal", jc.WaltonBraun(stiffness=1e4, unloading_ratio=2.0)),
        ("friction", jc.laws.FRICTION_LAWS["NoFriction"]()),
    ],
)
def test_memories_are_not_taken_for_those_of_other_laws(kept, other):
    """Also where as many numbers are remembered."""
    rolling = jc.RollingSpring(rolling_coefficient=0.3, rolling_stiffness=0.02)
    contact = jc.ContactModel(normal=POWDER, friction=SPRING)
    changes = {kept: other} if kept == "normal" else {kept: other, "rolling": rolling}
    first = jc.simulate_bed(of_two(contact), START, [0.0, 5e-4], time_step=1e-5)
    with pytest.raises(ValueError, match=r"another kind of bed\.contact"):
        jc.simulate_bed(of_two(contact.replace(**changes)), first.end, [5e-4, 1e-3], time_step=1e-5)


@pytest.mark.parametrize(
    "friction",
    [SPRING, MINDLIN, MINDLIN.replace(form="displacement"), MINDLIN.replace(form="rescaled")],
    ids=["linear", "force", "displacement", "rescaled"],
)
def test_springs_of_laws_are_told_with_the_contacts(friction):
    contact = jc.ContactModel(normal=POWDER, friction=friction)
    result = jc.simulate_bed(of_two(contact), START, [0.0, 5e-4], time_step=2e-6)
    assert bool(result.contacts.touches[0])
    spring, overlap = result.contacts.spring[0], result.contacts.overlap[0]
    radius = 1.0 / np.sum(1.0 / RADII)
    stiffness = 3e3 if friction is SPRING else 8e6 * np.sqrt(radius * overlap)
    stored = 0.5 * stiffness * np.sum(np.square(spring))
    assert abs(stored / result.energy.tangential[-1] - 1.0) < 1e-6
    assert stored > 0.0


def test_a_contact_that_lists_cannot_hold_is_missed_when_going_on():
    sticky = STICKY.replace(work_of_adhesion=1e3)
    bed = of_two(jc.ContactModel(normal=sticky))
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (7.99e-3, 0.0, 0.0)], velocity=[(0.0,) * 3, (8.0, 0.0, 0.0)]
    )
    held = jc.simulate_bed(bed, start, [0.0, 1e-4], time_step=1e-6, sizes=TWO)
    assert held.contacts.overlap[0] < -5e-5
    short = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 5e-5)
    with pytest.raises(jc.BedError, match="LISTS_OUTRUN"):
        jc.simulate_bed(bed, held.end, [1e-4, 2e-4], time_step=1e-6, sizes=short)
    apart, goes_on = jc.remove_spheres(bed, held.end, [1])
    assert jc.simulate_bed(apart, goes_on, [1e-4, 2e-4], time_step=1e-6, sizes=short).succeeded


def test_what_adhesion_holds_beyond_the_lists_is_no_success():
    """Two spheres that adhesion still holds where the lists end."""
    sticky = STICKY.replace(work_of_adhesion=1e3)  # holds to 0.5 mm
    bed = of_two(jc.ContactModel(normal=sticky))
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (7.99e-3, 0.0, 0.0)], velocity=[(0.0,) * 3, (8.0, 0.0, 0.0)]
    )
    short = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 5e-5)
    with pytest.raises(jc.BedError, match="LISTS_OUTRUN"):
        jc.simulate_bed(bed, start, [0.0, 1e-3], time_step=1e-6, sizes=short)
    held = jc.simulate_bed(bed, start, [0.0, 1e-4], time_step=1e-6, sizes=TWO)
    assert held.contacts.touches[0]
    assert held.contacts.overlap[0] < 0.0


def test_input_that_cannot_be_is_refused_by_name():
    with pytest.raises(TypeError, match=r"contact.normal = .*has no force"):
        of_two(jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.5)))
    with pytest.raises(TypeError, match=r"contact.friction = .*impulse without a force"):
        of_two(jc.ContactModel(normal=POWDER, friction=jc.Coulomb(coefficient=0.5)))
    with pytest.raises(TypeError, match=r"contact_on_walls = .*is no contact of a bed"):
        many(LINEAR, contact_on_walls=0.3)
    with pytest.raises(ValueError, match="contact_on_walls holds 3 contacts, but there are 2"):
        many(LINEAR, contact_on_walls=(LINEAR,) * 3)
    with pytest.raises(ValueError, match="All must be of the same laws"):
        many(LINEAR, contact_on_walls=(LINEAR, HERTZ))
    with pytest.raises(ValueError, match=r"contact\[1\] holds 1 contacts, but must hold 2"):
        many(((LINEAR,), (LINEAR,)), kind=np.zeros(27, int))
    with pytest.raises(ValueError, match="kind is None"):
        many(((LINEAR,), (LINEAR, LINEAR)))
    table = ((LINEAR,), (LINEAR, LINEAR))
    with pytest.raises(ValueError, match="kind goes from 0 to 2"):
        jc.simulate_bed(*many(table, kind=np.arange(27) % 3), [0.0, 1e-3])
    with pytest.raises(ValueError, match=r"kind has shape \(2,\)"):
        jc.simulate_bed(*many(table, kind=[0, 1]), [0.0, 1e-3])
    with pytest.raises(ValueError, match="time_step must be given"):
        jc.simulate_bed(of_two(LAWS["powder"]), START, [0.0, 1e-3])
    wide = WideFriction(coefficient=0.3, tangential_stiffness=1e3)
    with pytest.raises(TypeError, match=r"Wide holds an array of shape \(contacts, 2\)"):
        jc.simulate_bed(
            of_two(jc.ContactModel(normal=POWDER, friction=wide)),
            START,
            [0.0, 1e-3],
            time_step=1e-5,
        )
    with pytest.raises(ValueError, match="empty table"):
        many(())
    with pytest.raises(TypeError, match="kind holds <U1"):
        jc.simulate_bed(*many(table, kind=["a"] * 27), [0.0, 1e-3])
    with pytest.raises(TypeError, match=r"walls = Plane.*One wall is \(wall,\)"):
        of_two(LINEAR).replace(walls=jc.Plane())
    rigid = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.5))
    with pytest.raises(TypeError, match=r"contact.of_pair\(radius=...\).normal = .*has no force"):
        of_two(Given(laws=rigid))
    with pytest.raises(TypeError, match=r"gives a AdhesivePlastic, which is no ContactModel"):
        of_two(Given(laws=POWDER))
    with pytest.raises(TypeError, match="Undecorated is not decorated"):
        of_two(Undecorated())


def test_what_is_one_for_all_cannot_be_given_for_each():
    each = np.array([0.3, 0.2])
    by_sphere = (
        LINEAR.replace(coefficient=each),
        jc.ContactModel(normal=POWDER, friction=SPRING.replace(coefficient=each)),
    )
    for contact in by_sphere:
        with pytest.raises(ValueError, match=r"coefficient has shape \(2,\)"):
            jc.simulate_bed(of_two(contact), START, [0.0, 1e-3], time_step=1e-5)
    bed = of_two(LINEAR).replace(gravity=np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"gravity has shape \(2, 3\)"):
        jc.simulate_bed(bed, START, [0.0, 1e-3])
