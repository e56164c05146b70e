"""Contacts of other programs that are dropped on a plane and followed until they lie still, through
bounces that become ever smaller and a last touch-down.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, pfc

RADIUS, MASS, GRAVITY = 0.02, 2.7e-3, 9.81
STIFFNESS = 2e4
METHOD = jc.EventAligned(max_steps=1500, max_contacts=120)
AIR = jc.QuadraticDrag(coefficient=0.47)
SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)


def pfc_linear(ratio):
    model = pfc.Linear(kn=STIFFNESS, dp_nratio=ratio)
    return pfc.Contact(model=model, radius1=RADIUS, mass1=MASS)


def pfc_hertz(ratio):
    model = pfc.Hertz(hz_shear=1e7, hz_poiss=0.25, dp_nratio=ratio)
    return pfc.Contact(model=model, radius1=RADIUS, mass1=MASS)


def comsol_contact(ratio):
    damping = 2 * ratio * np.sqrt(STIFFNESS * MASS)
    contact = comsol.RigidBodyContact(k_pen=STIFFNESS, c_pen=2 * damping)
    return comsol.ArbitraryContact(r_s=RADIUS, contact=contact)


def edem_contact(ratio):
    base = edem.HertzMindlin(
        solid1=SOLID,
        solid2=SOLID,
        coefficient_of_restitution=jnp.exp(-np.pi * ratio),
        static_friction=0.3,
    )
    return edem.Contact(particle1=edem.Particle(radius=RADIUS, mass=MASS), base=base)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contact", "drag"),
    [
        (pfc_linear, None),
        (pfc_linear, AIR),
        (pfc_hertz, AIR),
        (comsol_contact, None),
        pytest.param(edem_contact, AIR, marks=pytest.mark.long),
    ],
)
def test_a_ball_settles_whatever_its_bounces_before(contact, drag):
    @jax.jit
    def end(height, ratio):
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS, shell=True),
            surfaces=[jc.Plane()],
            contact=contact(ratio),
            drag=drag,
            gravity=(0, 0, -GRAVITY),
        )
        start = jc.state(position=jnp.array([0, 0, RADIUS + height]))
        times = jnp.array([0.0, 1.0, 1.1]) * (1.0 + 10 * jnp.sqrt(height) + height / 8)
        moved = jc.simulate(scene, start, times, method=METHOD)
        return moved.position[-2:, 2], moved.velocity[-1, 2], moved.status

    draws = np.random.default_rng(5)
    heights, ratios = draws.uniform(0.1, 20.0, 16), draws.uniform(0.12, 0.4, 16)
    place, velocity, status = jax.lax.map(lambda case: end(*case), (heights, ratios))
    assert np.all(status == jc.Status.SUCCESS)
    speeds = np.sqrt(2 * GRAVITY * heights)
    assert np.all(np.abs(velocity) < 1e-6 * speeds)
    overlap = RADIUS - place
    np.testing.assert_allclose(overlap[:, 0], overlap[:, 1], rtol=1e-6)
    if contact in (pfc_linear, comsol_contact):
        np.testing.assert_allclose(overlap, MASS * GRAVITY / STIFFNESS, rtol=1e-6)
