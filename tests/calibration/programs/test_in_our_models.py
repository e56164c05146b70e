"""Blocks of programs whose contacts are simulated here: the impact obtains what was fitted."""

import jax
import numpy as np
import pytest

import jaxcontact as jc
from calibration.programs import PROGRAMS
from jaxcontact.materials import Solid
from jaxcontact.systems import edem, exudyn, modia3d, pfc
from tests.calibration.programs import targets


@pytest.fixture(autouse=True)
def _double_precision():
    with jax.enable_x64(True):
        yield


def exudyn_contact(own, target):
    return exudyn.ObjectContactSphereSphere(
        spheresRadii=(target.radius, target.partner_radius), **own
    )


def pfc_contact(own, target):
    return pfc.Contact(
        model=pfc.Linear(**own),
        radius1=target.radius,
        mass1=target.mass,
        radius2=target.partner_radius,
        mass2=target.partner_mass,
    )


def edem_contact(own, target):
    solid = Solid(youngs_modulus=own["Young's modulus [Pa]"], poisson_ratio=own["Poisson's ratio"])
    return edem.Contact(
        particle1=edem.Particle(radius=target.radius, mass=target.mass),
        particle2=edem.Particle(radius=target.partner_radius, mass=target.partner_mass),
        base=edem.HertzMindlin(
            solid1=solid,
            solid2=solid,
            coefficient_of_restitution=own["Coefficient of restitution"],
            static_friction=own["Coefficient of static friction"],
        ),
    )


def modia3d_contact(own, target):
    names = ("YoungsModulus", "PoissonsRatio")
    first, second = (
        modia3d.Solid(shape=modia3d.Sphere(diameter=2 * radius), solidMaterial="Steel")
        for radius in (target.radius, target.partner_radius)
    )
    contact = modia3d.elastic_contact(first, second)
    material = contact.solidMaterial1.replace(**{name: own[name] for name in names})
    pair = {name: value for name, value in own.items() if name not in names}
    return contact.replace(
        solidMaterial1=material,
        solidMaterial2=material,
        pairMaterial=modia3d.ElasticContactPairMaterial(**pair),
    )


CONTACTS = {
    "exudyn": exudyn_contact,
    "pfc": pfc_contact,
    "edem": edem_contact,
    "modia3d": modia3d_contact,
}


def velocities_after(contact, target):
    """Of both spheres, where the first falls on the second one with a spin."""
    scene = jc.Scene(
        bodies=jc.spheres(
            radius=[target.radius, target.partner_radius], mass=[target.mass, target.partner_mass]
        ),
        surfaces=(),
        contact=contact,
        gravity=(0, 0, 0),
    )
    gap = 1e-3 * target.radius
    start = jc.state(
        position=[(0, 0, target.radius + gap), (0, 0, -target.partner_radius)],
        velocity=[(0, 0, -target.speed), (0, 0, 0)],
        spin=[(0, targets.spin_before(target), 0), (0, 0, 0)],
    )
    end = gap / target.speed + 4 * target.undamped_time(1.5)
    return np.asarray(jc.simulate(scene, start, [0.0, end]).velocity[-1])


@pytest.mark.long("0.5-edem", "0.5-modia3d", "0.5-pfc", "0.9-edem", "0.9-modia3d", "0.9-pfc")
@pytest.mark.slow
@pytest.mark.parametrize("name", CONTACTS)
@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_an_impact_obtains_what_was_fitted(name, restitution):
    target = targets.target_of(restitution, 0.2, pair=True)
    own = PROGRAMS[name].parameters(target)
    after = velocities_after(CONTACTS[name](own, target), target)
    targets.check_obtained(target, (0.0, 0.0, -target.speed), *after)
