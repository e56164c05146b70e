"""Contacts of other programs between the spheres of a bed."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc
from tests.jaxcontact.beds.crowds import scattered

pytestmark = pytest.mark.slow

SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)


@jc.parameters.model
class Exudyn(jc.BedPairContact):
    """Impact model 0 is plastic and adhesive."""

    impact_model: int = jc.parameters.static(default=2)

    def of_spheres(self, *, radius, mass):
        adhesive = float(self.impact_model == 0)
        return exudyn.ObjectContactSphereSphere(
            spheresRadii=radius,
            contactStiffness=1e5,
            contactDamping=3.0,
            dynamicFriction=0.3,
            frictionProportionalZone=0.05,
            restitutionCoefficient=0.8,
            impactModel=self.impact_model,
            contactPlasticityRatio=0.3 * adhesive,
            constantPullOffForce=2.0 * adhesive,
            adhesionCoefficient=1e3 * adhesive,
        )


@jc.parameters.model
class Edem(jc.BedPairContact):
    """With rolling and spinning friction."""

    linear: bool = jc.parameters.static(default=False)

    def of_spheres(self, *, radius, mass):
        common = {
            "solid1": SOLID,
            "solid2": SOLID,
            "coefficient_of_restitution": 0.6,
            "static_friction": 0.3,
        }
        hertz = functools.partial(edem.HertzMindlin, rolling_friction=0.02)
        linear = functools.partial(
            edem.LinearSpring,
            characteristic_velocity=1.0,
            tangential_stiffness_ratio=0.8,
            end="zero_force",
        )
        one, two = (edem.Particle(radius=r, mass=m) for r, m in zip(radius, mass, strict=True))
        return edem.Contact(
            particle1=one,
            particle2=two,
            base=(linear if self.linear else hertz)(**common),
            spinning=edem.SpinningFriction(mu=0.2, w_reg=2.0, limit="flow"),
        )


@jc.parameters.model
class Pfc(jc.BedPairContact):
    """Any of the models."""

    model: object

    def of_spheres(self, *, radius, mass):
        return pfc.Contact(
            model=self.model,
            radius1=radius[0],
            mass1=mass[0],
            radius2=radius[1],
            mass2=mass[1],
        )


@jc.parameters.model
class Comsol(jc.BedPairContact):
    """With its additional resistance and cap."""

    def of_spheres(self, *, radius, mass):
        return comsol.SphericalContact(
            r_s=radius[0],
            r_d=radius[1],
            contact=comsol.RigidBodyContact(k_pen=2e4, c_pen=30.0),
            friction=comsol.Friction(mu=0.4, v0=0.05, Ff_r=0.5, Ff_max=30.0),
        )


@jc.parameters.model
class Modia3D(jc.BedPairContact):
    """With rotational resistance."""

    def of_spheres(self, *, radius, mass):
        one, two = (
            modia3d.Solid(shape=modia3d.Sphere(diameter=2.0 * r), solidMaterial="Steel")
            for r in radius
        )
        material = modia3d.SolidMaterial(density=1.0, YoungsModulus=1e7, PoissonsRatio=0.25)
        return modia3d.ElasticContact(
            solid1=one,
            solid2=two,
            solidMaterial1=material,
            solidMaterial2=material,
            pairMaterial=modia3d.ElasticContactPairMaterial(
                coefficientOfRestitution=0.6,
                slidingFrictionCoefficient=0.3,
                rotationalResistanceCoefficient=0.02,
                vsmall=0.05,
            ),
        )


BALLS = pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1, dp_sratio=0.1, dp_mode=3)
CONTACTS = {
    "pfc": Pfc(model=BALLS),
    "pfc, hertz": Pfc(model=pfc.Hertz(hz_shear=4e6, hz_poiss=0.25, fric=0.3, dp_nratio=0.1)),
    "pfc, rolling": Pfc(model=pfc.RollingResistanceLinear(linear=BALLS, rr_fric=0.1)),
    "exudyn": Exudyn(),
    "exudyn, adhesive": Exudyn(impact_model=0),
    "edem": Edem(),
    "edem, linear": Edem(linear=True),
    "comsol": Comsol(),
    "modia3d": Modia3D(),
}
RADII, MASSES = np.array([0.1, 0.15]), np.array([1.0, 2.0])
START = jc.state(
    position=[(0.0, 0.0, 0.0), (0.252, 0.05, 0.02)],
    velocity=[(1.0, 0.0, 0.2), (-0.5, 0.1, 0.0)],
    spin=[(4.0, 2.0, 5.0), (-1.0, 0.0, -3.0)],
)
TWO = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 5e-2)


def collided(contact, step, order=slice(None)):
    bed = jc.Bed(
        spheres=jc.spheres(radius=RADII[order], mass=MASSES[order]),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jax.tree.map(lambda values: values[order], START)
    return jc.simulate_bed(bed, start, [0.0, 0.1], time_step=step, sizes=TWO, ledger=True)


@pytest.mark.parametrize(
    "name",
    ["pfc", *(pytest.param(name, marks=pytest.mark.long) for name in CONTACTS if name != "pfc")],
)
def test_a_collision_is_that_of_simulate_as_the_steps_grow_short(name):
    contact = CONTACTS[name]
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADII, mass=MASSES),
        surfaces=(),
        contact=contact.of_spheres(radius=tuple(RADII), mass=tuple(MASSES)),
        gravity=(0.0, 0.0, 0.0),
    )
    exact = jc.simulate(scene, START, [0.0, 0.1])
    errors = []
    for step in (8e-5, 1e-5):
        result = collided(contact, step)
        errors.append(
            (
                np.max(np.abs(result.velocity[-1] - exact.velocity[-1])),
                0.1 * np.max(np.abs(result.spin[-1] - exact.spin[-1])),
            )
        )
        assert np.max(np.abs(result.ledger.residual)) < 1e-13 * result.energy.kinetic[0]
        assert result.energy.normal[-1] == 0.0
    assert np.all(np.array(errors[1]) < 4e-4), errors
    assert np.all(np.array(errors[1]) < 0.35 * np.array(errors[0])), errors


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long) for name in CONTACTS if name != "pfc"] + ["pfc"],
)
def test_it_is_all_the_same_which_sphere_comes_first(name):
    ours = collided(CONTACTS[name], 8e-5)
    theirs = collided(CONTACTS[name], 8e-5, slice(None, None, -1))
    np.testing.assert_allclose(theirs.velocity[-1, ::-1], ours.velocity[-1], atol=1e-11)
    np.testing.assert_allclose(theirs.spin[-1, ::-1], ours.spin[-1], atol=1e-10)


COUNT, EDGE, STEP = 40, 0.04, 2e-5
NUMBERS = np.random.default_rng(11)
RADIUS = NUMBERS.uniform(4e-3, 6e-3, COUNT)
LINEAR = jc.LinearSpringDashpot(
    stiffness=1e4, restitution=1.0, coefficient=0.4, tangential_stiffness=5e3
)


PLACE = scattered(RADIUS, EDGE * np.eye(3), NUMBERS)
CROWD = jc.state(
    position=PLACE,
    velocity=NUMBERS.normal(0.0, 0.5, PLACE.shape),
    spin=NUMBERS.normal(0.0, 10.0, PLACE.shape),
)


def crowd(contact, order=slice(None), **others):
    return jc.Bed(
        spheres=jc.spheres(radius=RADIUS[order], density=2500.0),
        contact=contact,
        period=(EDGE, EDGE, EDGE),
        gravity=(0.0, 0.0, 0.0),
        **others,
    )


def balls(friction=0.4):
    """There friction knows the spring alone, not the dashpot: as ``LINEAR`` without damping."""
    return Pfc(model=pfc.Linear(kn=1e4, ks=5e3, fric=friction))


def test_balls_of_another_program_are_the_springs_of_a_bed_in_a_crowd():
    """In a box that repeats itself, through many makings of lists: both of first order in the step,
    with the same limit.
    """
    times = [0.0, 2e-3]
    apart = []
    for step in (4e-6, 1e-6):
        ours, theirs = (
            jc.simulate_bed(crowd(one), CROWD, times, time_step=step, ledger=True)
            for one in (LINEAR, balls())
        )
        assert int(theirs.end.rebuilds) > 3
        assert abs(float(theirs.ledger.residual[-1])) < 1e-12 * theirs.energy.kinetic[0]
        np.testing.assert_allclose(theirs.energy.normal[-1], ours.energy.normal[-1], rtol=1e-3)
        apart.append(np.max(np.abs(theirs.velocity[-1] - ours.velocity[-1])))
    assert apart[1] < 1e-3
    assert apart[1] < 0.4 * apart[0]


def test_numbers_of_spheres_and_how_long_lists_hold_change_nothing():
    order = NUMBERS.permutation(COUNT)
    times = np.array([0.0, 1.2e-3, 2.4e-3])
    one = jc.simulate_bed(crowd(balls()), CROWD, times, time_step=STEP)
    moved = jax.tree.map(lambda values: values[order], CROWD)
    other = jc.simulate_bed(
        crowd(balls(), order), moved, times, time_step=STEP, steps_per_list=3, sizes=one.sizes
    )
    np.testing.assert_allclose(other.position[-1], one.position[-1, order], atol=1e-11)
    half = jc.simulate_bed(crowd(balls()), CROWD, times[:2], time_step=STEP, sizes=one.sizes)
    rest = jc.simulate_bed(crowd(balls()), half.end, times[1:], time_step=STEP, sizes=one.sizes)
    np.testing.assert_allclose(rest.position[-1], one.position[-1], atol=1e-11)


@pytest.mark.long
def test_reverse_is_forward_and_differences():
    def speed(friction):
        bed = jc.Bed(
            spheres=jc.spheres(radius=RADII, mass=MASSES),
            contact=balls(friction),
            gravity=(0.0, 0.0, 0.0),
        )
        result = jc.simulate_bed(
            bed, START, [0.0, 0.04], time_step=1e-4, steps_per_list=20, sizes=TWO
        )
        return jnp.sum(result.velocity[-1] * np.array([[1.0, 2.0, 3.0], [5.0, 7.0, 11.0]]))

    forward, reverse = jax.jit(jax.jacfwd(speed))(0.1), jax.jit(jax.grad(speed))(0.1)
    assert abs(forward) > 1e-2
    np.testing.assert_allclose(reverse, forward, rtol=1e-9)
    value = jax.jit(speed)
    apart = (value(0.1 + 1e-6) - value(0.1 - 1e-6)) / 2e-6
    assert abs(apart / forward - 1.0) < 1e-5


def test_what_is_not_between_two_spheres_is_refused():
    plain = CONTACTS["pfc"].of_spheres(radius=(0.1, 0.1), mass=(1.0, 1.0))
    alike = jc.spheres(radius=0.1, mass=1.0)
    assert jc.Bed(spheres=alike, contact=plain).contact is plain
    with pytest.raises(ValueError, match="a Contact, is between two spheres; walls are none"):
        jc.Bed(spheres=alike, contact=plain, walls=(jc.Plane(),))
    jc.Bed(spheres=alike, contact=plain, walls=(jc.Plane(),), contact_on_walls=LINEAR)
    hollow = exudyn.ObjectContactSphereSphere(spheresRadii=(0.1, 0.3), isHollowSphere1=True)
    with pytest.raises(ValueError, match="no full sphere"):
        jc.Bed(spheres=alike, contact=hollow)
    start = jc.state(position=[(0.0, 0.0, 0.0), (0.3, 0.0, 0.0)])
    for values, text in (
        ({"radius": 0.12, "mass": 1.0}, "the radius 0.1 m, but those of the bed have 0.12"),
        ({"radius": 0.1, "mass": np.array([1.0, 2.0])}, "the mass 1 kg, but those of the bed"),
    ):
        bed = jc.Bed(spheres=jc.spheres(**values), contact=plain)
        with pytest.raises(ValueError, match=text):
            jc.simulate_bed(bed, start, [0.0, 0.1], time_step=1e-4)
    with pytest.raises(ValueError, match="time_step must be given"):
        jc.simulate_bed(jc.Bed(spheres=alike, contact=plain), start, [0.0, 0.1])


@jc.parameters.model
class Given(jc.BedPairContact):
    """Whatever a function gives."""

    give: object = jc.parameters.static()

    def of_spheres(self, *, radius, mass):
        return self.give(radius, mass)


def ball(radius, mass, model=BALLS):
    return pfc.Contact(
        model=model, radius1=radius[0], mass1=mass[0], radius2=radius[1], mass2=mass[1]
    )


@pytest.mark.parametrize(
    ("give", "text"),
    [
        (lambda radius, mass: None, "gives a NoneType, which is no PairContact"),
        (lambda radius, mass: LINEAR, "gives a LinearSpringDashpot, which is no"),
        (lambda radius, mass: ball(radius[:1] * 2, mass), r"of radii \(0.003, 0.003\)"),
        (lambda radius, mass: ball((5e-3, 5e-3), mass), r"of radii \(0.005, 0.005\)"),
        (lambda radius, mass: ball(radius, mass[::-1]), r"of masses \(0.002, 0.001\)"),
        (lambda radius, mass: ball(sorted(radius), mass), "where"),
        (lambda radius, mass: ball(radius, mass, pfc.Linear(kn=1e5, lin_mode=1)), "lin_mode"),
        (
            lambda radius, mass: exudyn.ObjectContactSphereSphere(
                spheresRadii=radius, isHollowSphere1=True
            ),
            "hollow",
        ),
    ],
)
def test_what_is_given_for_a_pair_must_be_of_that_pair(give, text):
    with pytest.raises((TypeError, ValueError), match=text):
        jc.Bed(spheres=jc.spheres(radius=RADII, mass=MASSES), contact=Given(give=give))


def test_a_contact_that_reaches_further_than_the_lists_is_called_so():
    """Two spheres that pass each other 1 mm apart, with a contact that acts from 2 mm on."""
    reaching = Pfc(model=pfc.Linear(kn=1e4, rgap=2e-3))
    bed = jc.Bed(
        spheres=jc.spheres(radius=np.full(2, 5e-3), mass=1e-3),
        contact=reaching,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (0.011, 0.0, 0.01)],
        velocity=[(0.0, 0.0, 0.5), (0.0, 0.0, -0.5)],
    )
    with pytest.raises(jc.BedError, match="LISTS_OUTRUN"):
        jc.simulate_bed(bed, start, [0.0, 0.03], time_step=1e-5)
    sizes = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 5e-3)
    result = jc.simulate_bed(bed, start, [0.0, 0.03], time_step=1e-5, sizes=sizes)
    assert np.abs(result.velocity[-1, 0, 0]) > 0.1


def test_another_model_does_not_go_on_with_what_this_one_remembers():
    times = ([0.0, 1e-4], [1e-4, 2e-4])
    bed = crowd(Edem())
    first = jc.simulate_bed(bed, CROWD, times[0], time_step=STEP)
    with pytest.raises(ValueError, match="remember something else"):
        jc.simulate_bed(bed.replace(contact=Edem(linear=True)), first.end, times[1], time_step=STEP)
