"""What is given in the place of a contact between two spheres is refused with the remedy, before
anything is traced.
"""

import jax.numpy as jnp
import pytest

import jaxcontact as jc
from jaxcontact.systems import comsol, edem, exudyn, pfc

LINEAR = pfc.Linear(kn=1e5)
CONTACT = pfc.Contact(model=LINEAR, radius1=0.1, mass1=1.0, radius2=0.1, mass2=1.0)
BALLS = jc.spheres(radius=jnp.array([0.1, 0.1]), mass=jnp.array([1.0, 1.0]))
NORMAL = jc.HuntCrossley(stiffness=1e7, restitution=0.5)


@pytest.mark.parametrize(
    ("contact", "said"),
    [
        (LINEAR, r"contact = Linear is neither .* pfc\.Contact\(model=\.\.\.\)"),
        (comsol.RigidBodyContact(k_pen=1e4), "contact = RigidBodyContact is neither"),
        (exudyn.ObjectContactSphereSphere, "contact = the class ObjectContactSphereSphere is"),
        (NORMAL, "contact = HuntCrossley is neither a ContactModel"),
    ],
)
def test_the_contact_of_a_scene_is_one_of_two_kinds(contact, said):
    with pytest.raises(TypeError, match=said):
        jc.Scene(bodies=BALLS, surfaces=(), contact=contact)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"normal": CONTACT}, r"give it to the scene, jc\.Scene\(contact=Contact\(\.\.\.\)\)"),
        ({"normal": NORMAL, "friction": comsol.Friction(mu=0.3, v0=0.01)}, "not a FrictionLaw"),
        ({"normal": NORMAL, "spinning": edem.SpinningFriction(mu=0.3)}, "not a SpinningLaw"),
    ],
)
def test_a_contact_of_a_program_is_no_law(given, said):
    with pytest.raises(TypeError, match=said):
        jc.ContactModel(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"contact": CONTACT, "contact_on_surfaces": jc.ContactModel(normal=NORMAL)},
        {"contact": jc.ContactModel(normal=NORMAL), "contact_on_surfaces": CONTACT},
    ],
)
def test_a_contact_of_a_program_is_the_only_one(given):
    with pytest.raises(TypeError, match="the only one of its scene"):
        jc.Scene(bodies=BALLS, **given)


def test_the_floor_that_scenes_have_is_in_the_way():
    scene = jc.Scene(bodies=BALLS, contact=CONTACT)
    start = jc.state(position=[(0.0, 0.0, 0.3), (0.3, 0.0, 0.3)])
    with pytest.raises(ValueError, match=r"Give two spheres and surfaces=\(\)"):
        jc.simulate(scene, start, jnp.array([0.0, 0.1]))
