"""Between the contacts of other programs bodies fly on parabolas, whatever is asked for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import edem, exudyn, pfc

RADIUS, HELD, MASS, GRAVITY = 0.05, 0.2, 0.3, 9.81
SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.3)
CONTACTS = {
    "edem, hertz": edem.Contact(
        particle1=edem.Particle(radius=RADIUS, mass=MASS),
        particle2=edem.Particle(radius=HELD, mass=1.0),
        base=edem.HertzMindlin(
            solid1=SOLID, solid2=SOLID, coefficient_of_restitution=0.8, static_friction=0.3
        ),
    ),
    "pfc, hertz": pfc.contact.Contact(
        model=pfc.hertz.Hertz(hz_shear=1e7, hz_poiss=0.3, fric=0.3, dp_nratio=0.1),
        radius1=RADIUS,
        mass1=MASS,
        radius2=HELD,
    ),
    "exudyn": exudyn.parameters.ObjectContactSphereSphere(
        spheresRadii=(RADIUS, HELD),
        contactStiffness=1e5,
        contactStiffnessExponent=1.5,
        restitutionCoefficient=0.8,
        impactModel=2,
    ),
}


def dropped(name, height, times, gravity=GRAVITY):
    """Height of a ball that falls on top of one that is held, and its velocity."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(jc.Sphere(center=(0.0, 0.0, 0.0), radius=HELD),),
        contact=CONTACTS[name],
        gravity=(0.0, 0.0, -gravity),
    )
    start = jc.state(position=(0.0, 0.0, RADIUS + HELD + height))
    method = jc.EventAligned(max_steps=176, max_contacts=2)
    found = jc.simulate(scene, start, times, method=method)
    return found.position[..., 2], found.velocity[..., 2], found.contacts.lift_off


@pytest.mark.long("pfc, hertz")
@pytest.mark.long("edem, hertz")
@pytest.mark.slow
@pytest.mark.long("exudyn")
@pytest.mark.parametrize("name", CONTACTS)
def test_what_flies_is_on_its_parabola(name):
    """It was off by 17 mm after a fall of 5 m, where the step to the contact is graded."""
    height = 5.0
    fall = np.sqrt(2 * height / GRAVITY)
    times = np.append(np.linspace(0.0, 0.98 * fall, 30), 2.4 * fall)

    @jax.jit
    def with_derivative(last):
        asked = jnp.asarray(times).at[-1].set(last)
        rate = jax.jacfwd(lambda gravity: dropped(name, height, asked, gravity)[0])(GRAVITY)
        return dropped(name, height, asked), rate

    (place, speed, lift_off), rate = with_derivative(times[-1])
    flown = times[:-1]
    exact = RADIUS + HELD + height - GRAVITY * flown**2 / 2
    np.testing.assert_allclose(place[:-1], exact, rtol=0, atol=1e-12)
    np.testing.assert_allclose(speed[:-1], -GRAVITY * flown, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rate[:-1], -(flown**2) / 2, rtol=0, atol=1e-11)
    # after the contact, too, wherever the last step ends
    (again, later_speed, _), _ = with_derivative(2.0 * fall)
    between = 2.4 * fall - 2.0 * fall
    assert lift_off[0] < 2.0 * fall
    parabola = again[-1] + later_speed[-1] * between - GRAVITY * between**2 / 2
    np.testing.assert_allclose(place[-1], parabola, rtol=0, atol=1e-9)
    np.testing.assert_allclose(again[:-1], place[:-1], rtol=0, atol=1e-12)


def two(contact, velocity=1.0, mass=MASS, place=0.3, surface=None):
    """A ball that flies to one that is held, or to a free one of the size of the held one."""
    held = surface or jc.Sphere(center=(0.0, 0.0, 0.0), radius=HELD)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=mass),
        surfaces=(held,),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=(0.0, 0.0, place), velocity=(0.0, 0.0, -velocity))
    return jc.simulate(
        scene,
        start,
        jnp.array([0.0, 0.2]),
        method=jc.EventAligned(max_steps=96, max_contacts=1),
        strict=False,
    )


HOLLOW = CONTACTS["exudyn"].replace(spheresRadii=(HELD, RADIUS), isHollowSphere1=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contact": CONTACTS["edem, hertz"], "mass": 2 * MASS}, "0 has the mass 0.3 kg"),
        ({"contact": CONTACTS["pfc, hertz"], "mass": 2 * MASS}, "0 has the mass 0.3 kg"),
        (
            {
                "contact": CONTACTS["exudyn"],
                "surface": jc.Sphere(center=(0.0, 0.0, 0.0), radius=HELD, hollow=True),
            },
            "hollow = True",
        ),
        ({"contact": HOLLOW}, "hollow = False"),
    ],
)
def test_what_the_contact_and_the_scene_say_must_agree(given, said):
    with pytest.raises(ValueError, match=said):
        two(**given)


def test_a_wall_in_a_contact_is_no_free_ball():
    scene = jc.Scene(
        bodies=jc.spheres(radius=jnp.array([RADIUS, HELD]), mass=jnp.array([MASS, 1.0])),
        surfaces=(),
        contact=CONTACTS["pfc, hertz"],
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=[(0.0, 0.0, 0.3), (0.0, 0.0, 0.0)], velocity=[(0.0, 0.0, -1.0), (0.0, 0.0, 0.0)]
    )
    with pytest.raises(ValueError, match="1 has the mass inf kg"):
        jc.simulate(scene, start, jnp.array([0.0, 0.1]))


@pytest.mark.long
def test_no_success_where_there_is_no_motion():
    """A centre within the partner; a contact whose damping is not a number, under tracing."""

    @jax.jit
    def status(restitution, place):
        contact = CONTACTS["edem, hertz"]
        base = contact.base.replace(coefficient_of_restitution=restitution)
        return two(contact.replace(base=base), place=place).status

    assert status(0.8, 0.3) == jc.Status.SUCCESS
    assert status(0.8, 0.1) == jc.Status.IMPOSSIBLE_START
    assert status(1.0, 0.3) > jc.Status.CAME_TO_REST
