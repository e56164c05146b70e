"""Contacts of other programs between the spheres of a bed and its walls."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

pytestmark = pytest.mark.slow

SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
RADIUS, MASS = 0.1, 1.0
BALLS = pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1, dp_sratio=0.1, dp_mode=3)


def of_pfc(model=BALLS):
    return pfc.Contact(model=model, radius1=RADIUS, mass1=MASS)


def of_edem(rolling_friction=0.02):
    base = edem.HertzMindlin(
        solid1=SOLID,
        solid2=SOLID,
        coefficient_of_restitution=0.6,
        static_friction=0.3,
        rolling_friction=rolling_friction,
    )
    return edem.Contact(
        particle1=edem.Particle(radius=RADIUS, mass=MASS),
        base=base,
        spinning=edem.SpinningFriction(mu=0.2, w_reg=2.0, limit="flow"),
    )


def of_comsol(arms):
    return comsol.ArbitraryContact(
        r_s=RADIUS,
        contact=comsol.RigidBodyContact(k_pen=2e4, c_pen=30.0),
        friction=comsol.Friction(mu=0.4, v0=0.05, Ff_r=0.5, Ff_max=30.0),
        arms=arms,
    )


def of_modia3d():
    return modia3d.elastic_contact(
        modia3d.Solid(shape=modia3d.Sphere(diameter=2 * RADIUS), solidMaterial="Steel"),
        modia3d.Solid(
            shape=modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=0.1), solidMaterial="Steel"
        ),
        elasticContactReductionFactor=1e-5,
    )


CONTACTS = {
    "pfc": of_pfc,
    "pfc, hertz": lambda: of_pfc(
        pfc.Hertz(hz_shear=4e6, hz_poiss=0.25, fric=0.3, dp_nratio=0.1, dp_sratio=0.1)
    ),
    "pfc, rolling": lambda: of_pfc(pfc.RollingResistanceLinear(linear=BALLS, rr_fric=0.1)),
    "edem": of_edem,
    "comsol": functools.partial(of_comsol, "undeformed"),
    "comsol, midpoint": functools.partial(of_comsol, "midpoint"),
    "modia3d": of_modia3d,
}
FLOOR = jc.Plane(normal=(0.3, -0.2, 1.0), offset=0.4)
NORMAL = np.array([0.3, -0.2, 1.0]) / np.linalg.norm([0.3, -0.2, 1.0])
START = jc.state(
    position=[(0.4 + RADIUS + 2e-3) * NORMAL],
    velocity=[(0.7, 0.1, -0.8)],
    spin=[(4.0, 2.0, 5.0)],
)
GRAVITY = (0.0, 0.0, -9.81)
ROOM = jc.BedSizes((2, 2, 2), 3, 4, 4, 4, 4, 5e-2)
SPRINGS = jc.LinearSpringDashpot(
    stiffness=1e5, restitution=0.9, coefficient=0.3, tangential_stiffness=5e4
)


def bed_with(contact, floor=FLOOR):
    return jc.Bed(
        spheres=jc.spheres(radius=RADIUS, mass=MASS),
        contact=SPRINGS,
        walls=(floor,),
        contact_on_walls=contact,
        gravity=GRAVITY,
    )


def bounced(contact, step, start=START, floor=FLOOR, end=0.1, **options):
    bed, times = bed_with(contact, floor), [0.0, end]
    return jc.simulate_bed(bed, start, times, time_step=step, sizes=ROOM, ledger=True, **options)


@pytest.mark.parametrize(
    "name",
    ["edem", *(pytest.param(name, marks=pytest.mark.long) for name in CONTACTS if name != "edem")],
)
def test_a_bounce_is_that_of_simulate_as_the_steps_grow_short(name):
    contact = CONTACTS[name]()
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(FLOOR,),
        contact=contact,
        gravity=GRAVITY,
    )
    exact = jc.simulate(scene, jax.tree.map(lambda x: x[0], START), [0.0, 0.1])
    errors = []
    for step in (8e-5, 1e-5):
        result = bounced(contact, step)
        assert result.status == jc.BedStatus.SUCCESS
        errors.append(
            (
                np.max(np.abs(result.velocity[-1, 0] - exact.velocity[-1])),
                RADIUS * np.max(np.abs(result.spin[-1, 0] - exact.spin[-1])),
            )
        )
        assert np.max(np.abs(result.ledger.residual)) < 1e-7 * result.energy.kinetic[0]
    assert np.all(np.array(errors[1]) < 1e-3), errors
    assert np.all(np.array(errors[1]) < 0.35 * np.array(errors[0]) + 1e-7), errors


MOVES = {"velocity": (0.3, -0.5, 0.2)}


def test_a_wall_that_moves_is_one_at_rest_seen_from_elsewhere():
    contact = of_pfc(pfc.RollingResistanceLinear(linear=BALLS, rr_fric=0.1))
    still = bounced(contact, 4e-5)
    motion = jc.PrescribedMotion(**MOVES)
    moving = bounced(
        contact,
        4e-5,
        START._replace(velocity=START.velocity + np.array(MOVES["velocity"])),
        jc.Plane(normal=FLOOR.normal, offset=FLOOR.offset, motion=motion),
    )
    drift = np.array(MOVES["velocity"])
    np.testing.assert_allclose(moving.velocity[-1] - drift, still.velocity[-1], atol=1e-10)
    np.testing.assert_allclose(moving.spin[-1], still.spin[-1], atol=1e-9)


def test_a_turntable_takes_a_ball_that_lies_on_it_along():
    """About the axis on which it lies by spinning friction; and no force pushes it aside."""
    turns = jc.PrescribedMotion(angular_velocity=(0.0, 0.0, 3.0))
    table = jc.Plane(normal=(0.0, 0.0, 1.0), offset=0.0, motion=turns)
    start = jc.state(position=[(0.0, 0.0, RADIUS - 1e-6)], velocity=[(0.0, 0.0, 0.0)])
    result = bounced(of_edem(rolling_friction=0.0), 1e-4, start, table, end=6.0)
    np.testing.assert_allclose(result.spin[-1, 0], (0.0, 0.0, 3.0), atol=0.05)
    np.testing.assert_allclose(result.position[-1, 0, :2], 0.0, atol=1e-9)
    # Carried round where it does not lie on the axis, with the speed of the table there.
    aside = start._replace(
        position=start.position + np.array([0.05, 0.0, 0.0]),
        velocity=start.velocity + np.array([0.0, 0.15, 0.0]),
        spin=start.spin + np.array([0.0, 0.0, 3.0]),
    )
    result = bounced(of_edem(), 1e-4, aside, table, end=0.05)
    slip = result.velocity[-1, 0] - np.cross([0.0, 0.0, 3.0], result.position[-1, 0])
    slip = slip + np.cross(result.spin[-1, 0], [0.0, 0.0, -RADIUS])
    np.testing.assert_allclose(slip[:2], 0.0, atol=2e-4)


@jc.parameters.model
class Balls(jc.BedPairContact):
    """Of any sizes, also at walls."""

    friction: float = 0.3

    def _contact(self, radius, mass):
        model = pfc.Linear(kn=2e4, ks=1e4, fric=self.friction, dp_nratio=0.2, dp_sratio=0.2)
        two = {} if len(radius) == 1 else {"radius2": radius[1], "mass2": mass[1]}
        return pfc.Contact(model=model, radius1=radius[0], mass1=mass[0], **two)

    def of_spheres(self, *, radius, mass):
        return self._contact(radius, mass)

    def of_wall(self, *, radius, mass):
        return self._contact((radius,), (mass,))


@functools.cache
def heap():
    """Balls of several sizes that fall into a box and a drum, with one contact for all."""
    numbers = np.random.default_rng(3)
    radius = numbers.uniform(4e-3, 6e-3, 30)
    cells = np.array([(x, y, z) for z in range(4) for x in range(3) for y in range(3)])[:30]
    place = 0.014 * (cells - np.array([1.0, 1.0, 0.0])) + np.array([0.0, 0.0, 0.007])
    place = place + numbers.uniform(-5e-4, 5e-4, place.shape)
    walls = (jc.Plane(), jc.Cylinder(radius=0.03, hollow=True))
    bed = jc.Bed(spheres=jc.spheres(radius=radius, density=2500.0), contact=Balls(), walls=walls)
    start = jc.state(position=place, velocity=np.zeros_like(place))
    return bed, jc.simulate_bed(bed, start, [0.0, 0.6], time_step=2e-5, ledger=True)


def test_balls_of_several_sizes_come_to_rest_in_a_vessel():
    bed, result = heap()
    assert result.status == jc.BedStatus.SUCCESS
    weight = 9.81 * np.sum(bed.spheres.mass)
    assert result.energy.kinetic[-1] < 1e-3 * np.max(result.ledger.normal)
    # a part of it hangs on the wall by friction
    np.testing.assert_allclose(-np.sum(result.wall_force[-1, :, 2]), weight, rtol=1e-2)
    assert abs(result.ledger.residual[-1]) < 1e-5 * np.max(result.ledger.normal)


def test_derivatives_are_those_of_differences():
    def speed(friction):
        bed = bed_with(of_pfc(BALLS.replace(fric=friction)))
        result = jc.simulate_bed(
            bed, START, [0.0, 0.04], time_step=1e-4, steps_per_list=20, sizes=ROOM
        )
        return result.velocity[-1, 0] @ np.array([1.0, 2.0, 3.0])

    value = jax.jit(speed)
    forward, reverse = jax.jit(jax.jacfwd(speed))(0.1), jax.jit(jax.grad(speed))(0.1)
    assert abs(forward) > 1e-2
    apart = (value(0.1 + 1e-6) - value(0.1 - 1e-6)) / 2e-6
    assert abs(apart / forward - 1.0) < 1e-5
    np.testing.assert_allclose(reverse, forward, rtol=1e-9)


def test_each_wall_has_its_own():
    def end(first, second):
        bed = jc.Bed(
            spheres=jc.spheres(radius=RADIUS, mass=MASS),
            contact=SPRINGS,
            walls=(FLOOR, jc.Plane(normal=(1.0, 0.0, 0.0), offset=-5.0)),
            contact_on_walls=(
                of_pfc(BALLS.replace(fric=first)),
                of_pfc(BALLS.replace(fric=second)),
            ),
            gravity=GRAVITY,
        )
        return jc.simulate_bed(bed, START, [0.0, 0.1], time_step=1e-4, sizes=ROOM).velocity[-1]

    one = bounced(of_pfc(BALLS.replace(fric=0.1)), 1e-4).velocity[-1]
    np.testing.assert_allclose(end(0.1, 0.5), one, atol=1e-12)
    assert np.max(np.abs(end(0.5, 0.1) - one)) > 1e-2


@jc.parameters.model
class WithoutWalls(jc.BedPairContact):
    def of_spheres(self, *, radius, mass):
        return Balls().of_spheres(radius=radius, mass=mass)


@jc.parameters.model
class WrongSize(WithoutWalls):
    def of_wall(self, *, radius, mass):
        return of_pfc()


@jc.parameters.model
class OfTwo(WithoutWalls):
    def of_wall(self, *, radius, mass):
        return self.of_spheres(radius=(radius, radius), mass=(mass, mass))


@pytest.mark.parametrize(
    ("contact", "error", "says"),
    [
        (WithoutWalls(), NotImplementedError, "WithoutWalls: there is no contact with walls"),
        (WrongSize(), ValueError, "is of radii"),
        (OfTwo(), ValueError, "pfc.Contact without radius2"),
        (of_pfc().replace(radius2=0.1, mass2=1.0), ValueError, "pfc.Contact without radius2"),
        (
            exudyn.ObjectContactSphereSphere(spheresRadii=(RADIUS, RADIUS)),
            ValueError,
            "between two spheres; walls are none",
        ),
    ],
)
def test_what_is_of_no_sphere_and_a_wall_is_refused(contact, error, says):
    with pytest.raises(error, match=says):
        jc.Bed(
            spheres=jc.spheres(radius=RADIUS, mass=MASS),
            contact=SPRINGS,
            walls=(FLOOR,),
            contact_on_walls=contact,
        )


def test_a_contact_of_two_spheres_is_not_taken_for_walls():
    between = of_pfc().replace(radius2=RADIUS, mass2=MASS)
    with pytest.raises(ValueError, match=r"contact_on_walls=pfc\.Contact without radius2"):
        jc.Bed(spheres=jc.spheres(radius=RADIUS, mass=MASS), contact=between, walls=(FLOOR,))


def test_a_contact_of_another_sphere_is_refused():
    with pytest.raises(
        ValueError, match=r"contact_on_walls, a Contact, is of spheres of the radius"
    ):
        bounced(of_pfc().replace(radius1=0.2), 1e-4)
    with pytest.raises(ValueError, match="on_walls, a Contact, is of spheres of the mass"):
        bounced(of_pfc().replace(mass1=2.0), 1e-4)


def test_what_acts_on_walls_from_afar_is_said():
    far = bounced(of_pfc(BALLS.replace(rgap=0.2)), 1e-4, end=1e-3, strict=False)
    assert far.status == jc.BedStatus.LISTS_OUTRUN
    assert jnp.all(jnp.isfinite(far.position))
