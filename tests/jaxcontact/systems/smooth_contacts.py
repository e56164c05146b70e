"""Contacts of all programs, each as one function of everything that it depends on: parameters,
memory and motion, in one vector.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import jaxcontact as jc
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.materials import Solid
from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc

SMOOTH = jc.Smoothing(overlap=1e-3, speed=0.05, share=0.1)
WIDE, NARROW = 0.15, 0.1
"""Radii [m]."""
TOUCH = WIDE + NARROW
"""Distance of the centres at which they touch [m]."""
STEP = 1e-4
"""Of the models that go in steps [s]."""


class Pair(NamedTuple):
    """What acts on both bodies, by parts; vectors ``(3,)``."""

    force: Any
    torque0: Any
    torque1: Any


def motion(x: Any, velocity: Any = (-0.5, 0.2, 0.1), spin: Any = (1.0, -2.0, 3.0)) -> Motion:
    """Of the second body, on the x axis."""
    position = jnp.stack([jnp.asarray(x, float), jnp.zeros(()), jnp.zeros(())])
    return Motion(position, jnp.asarray(velocity, float), jnp.asarray(spin, float))


STILL = motion(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def exudyn_pair(contact, data, body0, body1):
    found = exudyn.sphere_sphere.sphere_sphere_contact(contact, body0, body1, data)
    return Pair(found.on_1.force, found.on_0.torque, found.on_1.torque)


def comsol_pair(contact, body0, body1):
    found = comsol.spherical_to_spherical(contact, body0, body1)
    return Pair(found.destination.force, found.source.torque, found.destination.torque)


def edem_pair(contact, memory, body0, body1):
    found, _ = edem.sphere_sphere(memory, contact, body0, body1, time_step=STEP)
    return Pair(found.body2.force, found.body1.torque, found.body2.torque)


def modia3d_pair(contact, memory, body0, body1):
    found, _ = modia3d.sphere_sphere_response(memory, contact, body0, body1)
    return Pair(found.wrench2.force, found.wrench1.torque, found.wrench2.torque)


PFC_STEPS = {
    pfc.Linear: pfc.linear.linear_contact,
    pfc.Hertz: pfc.hertz.hertz_contact,
    pfc.RollingResistanceLinear: pfc.rolling_resistance_linear.rolling_resistance_linear_contact,
}


def pfc_pair(contact, memory, body0, body1):
    balls = (
        pfc.pieces.ball(body0, radius=contact.radius1, mass=contact.mass1),
        pfc.pieces.ball(body1, radius=contact.radius2, mass=contact.mass2),
    )
    if isinstance(contact.model, pfc.RollingResistanceLinear):
        linear = memory.linear._replace(active=jnp.asarray(memory.linear.active) > 0.5)
        memory = memory._replace(linear=linear)
    axes = pfc.contact_resolution.NEW_CONTACT
    state, _ = pfc.contact_resolution.ball_ball_contact(axes, *balls, time_step=STEP)
    step = PFC_STEPS[type(contact.model)]
    found, _ = step(memory, state, model=contact.model, smooth=contact.smooth)
    on = pfc.state.body_wrenches(
        state,
        force=found.force(state),
        moment=found.moment(state),
        reference1=body0.position,
        reference2=body1.position,
    )
    return Pair(on[1].force, on[0].torque, on[1].torque)


SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)


def sphere(radius: float) -> modia3d.Solid:
    return modia3d.Solid(shape=modia3d.Sphere(diameter=2 * radius), solidMaterial="Steel")


STEEL = modia3d.SolidMaterial(density=8e3, YoungsModulus=1e7, PoissonsRatio=0.3)
PAIR_MATERIAL = modia3d.ElasticContactPairMaterial(
    coefficientOfRestitution=0.7,
    slidingFrictionCoefficient=0.5,
    rotationalResistanceCoefficient=0.01,
)
IMPACT = exudyn.ObjectContactSphereSphere(
    spheresRadii=jnp.array([NARROW, WIDE]),
    contactStiffness=1e5,
    contactStiffnessExponent=1.5,
    contactDamping=3.0,
    dynamicFriction=0.3,
    frictionProportionalZone=0.1,
    restitutionCoefficient=0.6,
    minimumImpactVelocity=0.05,
    impactModel=2,
)
PLASTIC = IMPACT.replace(
    impactModel=0,
    contactStiffnessExponent=1.0,
    contactPlasticityRatio=0.5,
    constantPullOffForce=2.0,
    adhesionCoefficient=1e5,
)
PARTICLES = {
    "particle1": edem.Particle(radius=NARROW, mass=1.0),
    "particle2": edem.Particle(radius=WIDE, mass=2.0),
}
BASE = {
    "solid1": SOLID,
    "solid2": SOLID,
    "coefficient_of_restitution": 0.6,
    "static_friction": 0.3,
    "rolling_friction": 0.02,
}
BALLS = {"radius1": NARROW, "mass1": 1.0, "radius2": WIDE, "mass2": 2.0}
LINEAR = pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.2, dp_sratio=0.1, dp_mode=3)
SPRING = edem.ContactMemory(
    edem.new_memory().spring._replace(elongation=jnp.array([0.0, 2e-4, -1e-4])),
    jnp.array([1.0, 0.0, 0.0]),
)
PFC_MEMORY = pfc.linear.LinearMemory(jnp.array(0.0), jnp.array([-20.0, 8.0]), jnp.array(True))

DOCUMENTED: dict[str, tuple[Any, tuple]] = {
    "exudyn impact": (
        exudyn_pair,
        (IMPACT, exudyn.sphere_sphere.DataNode(-1e-3, 0.1, 0.5, 0.0), STILL, motion(0.245)),
    ),
    "exudyn plastic": (
        exudyn_pair,
        (PLASTIC, exudyn.sphere_sphere.DataNode(-1e-3, 0.1, 0.5, 2e-3), STILL, motion(0.247)),
    ),
    "exudyn cut": (
        exudyn_pair,
        (
            IMPACT.replace(compatibility=exudyn.general_contact.EXPLICIT_SOLVER),
            exudyn.sphere_sphere.DataNode(-1e-3, 0.1, 0.5, 0.0),
            STILL,
            motion(0.245),
        ),
    ),
    "comsol": (
        comsol_pair,
        (
            comsol.SphericalContact(
                r_s=NARROW,
                r_d=WIDE,
                contact=comsol.RigidBodyContact(k_pen=1e5, c_pen=50.0),
                friction=comsol.Friction(mu=0.5, v0=0.2, Ff_r=0.3, Ff_max=200.0),
                arms="midpoint",
            ),
            STILL,
            motion(0.245),
        ),
    ),
    "edem hertz": (
        edem_pair,
        (
            edem.Contact(
                base=edem.HertzMindlin(**BASE, end="zero_force"),
                spinning=edem.SpinningFriction(mu=0.2),
                **PARTICLES,
            ),
            SPRING,
            STILL,
            motion(0.245),
        ),
    ),
    "edem linear": (
        edem_pair,
        (
            edem.Contact(base=edem.LinearSpring(**BASE, characteristic_velocity=1.0), **PARTICLES),
            SPRING,
            STILL,
            motion(0.245),
        ),
    ),
    "pfc rolling": (
        pfc_pair,
        (
            pfc.Contact(model=pfc.RollingResistanceLinear(linear=LINEAR, rr_fric=0.05), **BALLS),
            pfc.rolling_resistance_linear.RollingResistanceLinearMemory(
                PFC_MEMORY, jnp.array([0.1, 0.05])
            ),
            STILL,
            motion(0.245),
        ),
    ),
    "pfc hertz": (
        pfc_pair,
        (
            pfc.Contact(
                model=pfc.Hertz(
                    hz_shear=4e6, hz_poiss=0.3, fric=0.3, dp_nratio=0.2, dp_sratio=0.1, dp_mode=3
                ),
                **BALLS,
            ),
            pfc.hertz.HertzMemory(jnp.array([-20.0, 8.0]), jnp.array(1e5)),
            STILL,
            motion(0.245),
        ),
    ),
    "modia3d": (
        modia3d_pair,
        (
            modia3d.ElasticContact(
                solid1=modia3d.Solid(
                    shape=modia3d.Sphere(diameter=2 * NARROW), solidMaterial="Steel"
                ),
                solid2=modia3d.Solid(
                    shape=modia3d.Sphere(diameter=2 * WIDE), solidMaterial="Steel"
                ),
                solidMaterial1=STEEL,
                solidMaterial2=STEEL,
                pairMaterial=PAIR_MATERIAL,
            ),
            modia3d.ContactMemory(0.5),
            STILL,
            motion(0.245),
        ),
    ),
}
"""Pair functions and their arguments, in contact, by name."""


def arguments(
    name: str, *, smooth: jc.Smoothing | None = SMOOTH, moved: Motion | None = None, **changes: Any
) -> tuple:
    """Of a pair function, with another motion, and ``changes`` by their paths, which begin with
    ``contact`` or ``memory``.
    """
    contact, *others, last = DOCUMENTED[name][1]
    parts = {"contact": contact.replace(smooth=smooth), "memory": others[0]}
    for path, value in changes.items():
        part, _, inside = path.partition("__")
        parts[part] = put(parts[part], inside.split("__"), value)
    return (parts["contact"], parts["memory"], *others[1:], moved or last)


def put(tree: Any, names: list[str], value: Any) -> Any:
    """The same with one value changed."""
    name, *inside = names
    value = put(getattr(tree, name), inside, value) if inside else value
    return (
        tree._replace(**{name: value})
        if hasattr(tree, "_replace")
        else tree.replace(**{name: value})
    )


def as_vector(tree: Any) -> jax.Array:
    """All numbers of the arguments."""
    return ravel_pytree(jax.tree.map(lambda leaf: jnp.asarray(leaf, float), tree))[0]


@functools.cache
def force_of_vector(name: str, smooth: bool = True):
    """Forces and torques ``(9,)`` as a function of all arguments in one vector."""
    function = DOCUMENTED[name][0]
    given = arguments(name, smooth=SMOOTH if smooth else None)
    _, unravel = ravel_pytree(jax.tree.map(lambda leaf: jnp.asarray(leaf, float), given))

    def forces(vector: jax.Array) -> jax.Array:
        return jnp.concatenate(function(*unravel(vector)))

    return forces


@functools.cache
def along_a_line(name: str, smooth: bool = True):
    """Value and derivative of the forces at places ``t`` of the line ``z + t dz``."""
    forces = force_of_vector(name, smooth)

    def at(t: jax.Array, z: jax.Array, dz: jax.Array) -> tuple:
        return jax.jvp(lambda t: forces(z + t * dz), (t,), (jnp.ones_like(t),))

    return jax.jit(jax.vmap(at, (0, None, None)))


def line(name: str, start: dict, end: dict, *, smooth: bool) -> tuple[jax.Array, jax.Array]:
    """From the arguments with the changes ``start`` to those with ``end``."""
    form = SMOOTH if smooth else None
    first, last = (as_vector(arguments(name, smooth=form, **changes)) for changes in (start, end))
    return first, last - first


class States(NamedTuple):
    """Random states of the second body: overlap [m], velocity [m/s] and spin [rad/s], over decades;
    the first one is at rest.
    """

    overlap: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    @property
    def rate(self) -> np.ndarray:
        """Of the overlap [m/s]."""
        return -self.velocity[:, 0]

    @property
    def slip(self) -> np.ndarray:
        """Of body 1 against body 0 at the middle of the overlap [m/s], its size."""
        arm = -(WIDE - self.overlap / 2)
        turned = np.stack([self.spin[:, 2] * arm, -self.spin[:, 1] * arm], axis=-1)
        return np.linalg.norm(self.velocity[:, 1:] + turned, axis=-1)


def random_states(count: int, seed: int) -> States:
    generator = np.random.default_rng(seed)

    def signed(low: float, high: float) -> np.ndarray:
        size = 10 ** generator.uniform(low, high, (count, 3))
        return size * generator.choice([-1.0, 1.0], (count, 3))

    return States(10 ** generator.uniform(-6, -2, count), signed(-4, 0.5), signed(-3, 1.0))


@functools.cache
def _forces_of_states(name: str, smooth: bool):
    return jax.jit(jax.vmap(force_of_vector(name, smooth)))


def forces_in(name: str, states: States, smooth: jc.Smoothing | None) -> np.ndarray:
    """``(states, 9)``."""
    vectors = np.tile(as_vector(arguments(name, smooth=smooth)), (len(states.overlap), 1))
    x = np.stack([TOUCH - states.overlap, *2 * [np.zeros_like(states.overlap)]], axis=-1)
    vectors[:, -9:] = np.concatenate([x, states.velocity, states.spin], axis=-1)
    return np.asarray(_forces_of_states(name, smooth is not None)(vectors))
