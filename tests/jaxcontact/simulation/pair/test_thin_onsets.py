"""Smooth contacts whose forces set in over an overlap that is thin beside that of the collision:
against SciPy, and from starts that place the steps differently.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

RADIUS, MASS = 0.05, 0.1
STIFFNESS, DAMPING = 1e5, 20.0
SPEED = 0.5
LARGEST = SPEED * np.sqrt(MASS / STIFFNESS)
METHOD = jc.EventAligned(max_steps=128, max_contacts=4)
DAMPING_RATIO = DAMPING / 2 / np.sqrt(MASS * STIFFNESS)


def smooth_over(overlap):
    return jc.Smoothing(overlap=overlap, speed=1e-2, share=0.1)


def pfc_contact(overlap, partner=None):
    model = pfc.Linear(kn=STIFFNESS, dp_nratio=DAMPING_RATIO)
    smooth = smooth_over(overlap)
    return pfc.Contact(model=model, radius1=RADIUS, mass1=MASS, radius2=partner, smooth=smooth)


def comsol_contact(overlap, partner=None):
    contact = comsol.RigidBodyContact(
        k_pen=STIFFNESS, c_pen=DAMPING, ramp_overlap=overlap, ramp_speed=1e-2
    )
    if partner is None:
        return comsol.ArbitraryContact(r_s=RADIUS, contact=contact)
    return comsol.SphericalContact(r_s=RADIUS, r_d=partner, contact=contact)


def edem_contact(overlap, partner=None):
    solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
    base = edem.HertzMindlin(
        solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.3
    )
    other = None if partner is None else edem.Particle(radius=partner, mass=1e9)
    ball = edem.Particle(radius=RADIUS, mass=MASS)
    return edem.Contact(particle1=ball, particle2=other, base=base, smooth=smooth_over(overlap))


def modia3d_contact(overlap, partner=None):
    shape = (
        modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=1.0)
        if partner is None
        else modia3d.Sphere(diameter=2 * partner)
    )
    return modia3d.elastic_contact(
        modia3d.Solid(shape=modia3d.Sphere(diameter=2 * RADIUS), solidMaterial="Steel"),
        modia3d.Solid(shape=shape, solidMaterial="Steel"),
        elasticContactReductionFactor=1e-4,
        smooth=smooth_over(overlap),
    )


def exudyn_contact(overlap, partner):
    return exudyn.ObjectContactSphereSphere(
        spheresRadii=(RADIUS, partner),
        contactStiffness=STIFFNESS,
        contactDamping=DAMPING,
        dynamicFriction=0.3,
        smooth=smooth_over(overlap),
    )


@jax.jit
def rebound(contact, height, speed=SPEED):
    """Velocity and spin after a hit from ``height`` on a plane or on top of a sphere that is held;
    the place of the hit is always the same.
    """
    partner = contact.radii()[1]
    held = jc.Plane() if partner is None else jc.Sphere(center=(0, 0, -partner), radius=partner)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=[held],
        contact=contact,
        gravity=(0, 0, 0),
    )
    velocity = jnp.array([0.1, 0.0, -speed])
    before = height / speed
    start = jc.state(
        position=jnp.array([0, 0, RADIUS]) - before * velocity, velocity=velocity, spin=(0, 1, 2)
    )
    moved = jc.simulate(scene, start, np.array([0.0, 0.02]), method=METHOD)
    return jnp.append(moved.velocity[-1], RADIUS * moved.spin[-1]), moved.status


def integrated(overlap):
    """Rebound speed of PFC's linear contact, by SciPy."""

    def rate(_, y):
        depth, speed = y
        share = min(max(depth / overlap, 0.0), 1.0)
        step = share**3 * (10 - 15 * share + 6 * share**2)
        return speed, -step * (STIFFNESS * depth + DAMPING * speed) / MASS

    def parts(_, y):
        return y[0]

    parts.terminal, parts.direction = True, -1
    # from zero, with a step that is short within the layer and not longer than a few of it
    exact = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-16, "max_step": 2e-5}
    begun = solve_ivp(rate, (0, 2 * overlap / SPEED), [0.0, SPEED], **{**exact, "max_step": 1e-8})
    rest = solve_ivp(rate, (0, 1), begun.y[:, -1], events=parts, **exact)
    return -rest.y[1, -1]


@pytest.mark.parametrize("thin", [0.03, 3e-3])
def test_a_layer_is_followed_however_thin_it_is(thin):
    overlap = thin * LARGEST
    found, status = rebound(pfc_contact(overlap), 1e-3)
    assert status == jc.Status.SUCCESS
    assert abs(found[2] - integrated(overlap)) < 1e-8 * SPEED


def test_a_layer_that_goes_to_nothing_leaves_the_documented_contact():
    hard, _ = rebound(pfc_contact(1.0).replace(smooth=None), 1e-3)
    off = []
    for thin in (1e-4, 1e-6, 1e-8):
        found, status = rebound(pfc_contact(thin * LARGEST), 1e-3)
        assert status == jc.Status.SUCCESS
        off.append(abs(found[2] - hard[2]) / thin)
    # a half of the dashpot is missing in the layer, and all that follows from it
    assert off[0] == pytest.approx(off[1], rel=1e-3)
    assert off[1] == pytest.approx(off[2], rel=2e-2)


CONTACTS = {
    "pfc": (pfc_contact, None),
    "comsol sphere": (comsol_contact, 0.1),
    "edem": (edem_contact, None),
    "modia3d sphere": (modia3d_contact, 0.1),
    "exudyn sphere": (exudyn_contact, 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTACTS)
def test_a_thin_layer_does_not_hang_on_where_the_steps_are(name):
    build, partner = CONTACTS[name]
    contact = build(5e-3 * LARGEST, partner)
    heights = np.geomspace(5e-4, 3e-3, 12)
    found, status = jax.lax.map(lambda height: rebound(contact, height), heights)
    assert np.all(status == jc.Status.SUCCESS)
    assert np.ptp(found, axis=0).max() < 1e-6 * SPEED


def test_the_derivative_by_a_thin_layer():
    def speed(overlap):
        return rebound(pfc_contact(overlap), 1e-3)[0][2]

    overlap = 5e-3 * LARGEST
    step = 1e-2 * overlap
    near, far = (speed(overlap + h) - speed(overlap - h) for h in (step, 2 * step))
    assert jax.grad(speed)(overlap) == pytest.approx((8 * near - far) / 12 / step, rel=1e-6)
