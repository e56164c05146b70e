"""Simulations with the smooth forms of other programs' contacts: they are what an independent
integration of the smooth force gives, and go to the documented motion with the smoothing.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

RADII, MASSES = (0.1, 0.15), (1.0, 2.0)
SMOOTH = jc.Smoothing(overlap=2e-4, speed=2e-2, share=0.05)
SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
IMPACT = exudyn.ObjectContactSphereSphere(
    spheresRadii=RADII,
    contactStiffness=1e5,
    contactDamping=3.0,
    dynamicFriction=0.3,
    restitutionCoefficient=0.8,
    impactModel=2,
)
CONTACTS = {
    "exudyn": IMPACT,
    "edem": edem.Contact(
        particle1=edem.Particle(radius=0.1, mass=1.0),
        particle2=edem.Particle(radius=0.15, mass=2.0),
        base=edem.HertzMindlin(
            solid1=SOLID,
            solid2=SOLID,
            coefficient_of_restitution=0.6,
            static_friction=0.3,
            rolling_friction=0.02,
        ),
        spinning=edem.SpinningFriction(mu=0.2),
    ),
    "pfc": pfc.Contact(
        model=pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1, dp_sratio=0.1, dp_mode=3),
        radius1=0.1,
        mass1=1.0,
        radius2=0.15,
        mass2=2.0,
    ),
}
START = {
    "position": [(0.0, 0.0, 0.0), (0.26, 0.05, 0.0)],
    "velocity": [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)],
    "spin": [(0.0, 0.0, 5.0), (0.0, 0.0, 0.0)],
}
END = 0.1


def scene(contact):
    return jc.Scene(
        bodies=jc.spheres(radius=list(RADII), mass=list(MASSES)),
        surfaces=(),
        contact=contact,
        gravity=(0, 0, 0),
    )


def velocities(contact):
    moved = jc.simulate(scene(contact), jc.state(**START), [0.0, END])
    return jnp.concatenate([moved.velocity[-1].ravel(), moved.spin[-1].ravel()])


@pytest.mark.long
@pytest.mark.parametrize("name", CONTACTS)
def test_the_motion_goes_to_the_documented_one_with_the_smoothing(name):
    hard = velocities(CONTACTS[name])
    errors = [
        np.max(np.abs(velocities(CONTACTS[name].replace(smooth=SMOOTH.scaled(4.0**-k))) - hard))
        for k in range(4)
    ]
    assert all(after < 0.45 * before for before, after in itertools.pairwise(errors))
    assert errors[-1] < 1e-4


@jax.jit
def rate_of_change(contact, y, approach):
    data = exudyn.sphere_sphere.DataNode(impact_velocity=approach)
    bodies = Motion(y[0:3], y[6:9], y[12:15]), Motion(y[3:6], y[9:12], y[15:18])
    found = exudyn.sphere_sphere.sphere_sphere_contact(contact, *bodies, data)
    pushed = [on.force / mass for on, mass in zip(found[:2], MASSES, strict=True)]
    inertia = [0.4 * mass * radius**2 for mass, radius in zip(MASSES, RADII, strict=True)]
    turned = [on.torque / moment for on, moment in zip(found[:2], inertia, strict=True)]
    return jnp.concatenate([y[6:12], *pushed, *turned])


def integrated(contact):
    """By SciPy, from the pair function; the contact is one, and its impact velocity that at which
    the centres come as close as the radii.
    """
    contact = jax.device_put(contact)  # once, instead of at each call

    def rate(y, approach):
        return np.asarray(rate_of_change(contact, y, approach))

    def gap(_, y):
        return np.linalg.norm(y[3:6] - y[0:3]) - sum(RADII)

    gap.terminal, gap.direction = True, -1
    first = np.concatenate([np.ravel(START[key]) for key in ("position", "velocity", "spin")])
    exact = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12, "max_step": 2e-4}
    flight = solve_ivp(lambda t, y: rate(y, 0.0), (0, END), first, events=gap, **exact)
    touch = flight.y[:, -1]
    normal = (touch[3:6] - touch[0:3]) / sum(RADII)
    approach = -normal @ (touch[9:12] - touch[6:9])
    rest = solve_ivp(lambda t, y: rate(y, approach), (flight.t[-1], END), touch, **exact)
    return rest.y[6:, -1]


@pytest.mark.slow
def test_the_motion_is_that_of_an_independent_integration_with_its_derivative():
    def bounced(restitution):
        return IMPACT.replace(
            smooth=SMOOTH, dynamicFriction=0.1, restitutionCoefficient=restitution
        )

    found, slope = jax.jvp(lambda e: velocities(bounced(e)), (0.8,), (1.0,))
    np.testing.assert_allclose(found, integrated(bounced(0.8)), atol=1e-7)
    near, far = (integrated(bounced(0.8 + h)) - integrated(bounced(0.8 - h)) for h in (1e-3, 2e-3))
    difference = (8 * near - far) / 12e-3
    np.testing.assert_allclose(slope, difference, atol=3e-5 * np.max(np.abs(difference)))


CORNERS_KEPT = {"exudyn": (), "comsol": (), "edem": (), "modia3d": (), "pfc": ("slider",)}
"""Switches that remain beside the gap: what a spring remembers."""


@pytest.mark.long
def test_smoothed_corners_are_no_events():
    ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.2), solidMaterial="Steel")
    contacts = CONTACTS | {
        "comsol": comsol.SphericalContact(
            r_s=0.1,
            r_d=0.15,
            contact=comsol.RigidBodyContact(k_pen=1e5, c_pen=50.0),
            friction=comsol.Friction(mu=0.5, v0=0.05, Ff_max=60.0),
        ),
        "modia3d": modia3d.elastic_contact(ball, ball),
    }
    spin = jnp.array([0.3, 0.0, 5.0])
    body = Motion(jnp.zeros(3), jnp.zeros(3), spin)
    for name, contact in contacts.items():
        smooth = contact.replace(smooth=SMOOTH)
        distance = float(sum(np.ravel(contact.radii()))) - 1e-3
        partner = Motion(jnp.array([distance, 0.0, 0.0]), jnp.array([-1.0, 0.3, 0.0]), spin)
        memory = smooth.begun(body, partner)
        found = dict(zip(smooth.switches, smooth.signs(memory, body, partner), strict=True))
        events = {switch for switch, sign in found.items() if sign != 1.0}
        assert events == {"gap", *CORNERS_KEPT[name]}, name
