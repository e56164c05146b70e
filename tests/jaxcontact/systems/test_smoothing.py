"""The smooth forms of the contacts of all programs: two continuous derivatives at every corner of
the documented forms, and a bounded difference from them that vanishes with the smoothing.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import exudyn, modia3d, pfc
from tests.jaxcontact.systems.smooth_contacts import (
    DOCUMENTED,
    SMOOTH,
    TOUCH,
    WIDE,
    along_a_line,
    arguments,
    as_vector,
    force_of_vector,
    forces_in,
    line,
    motion,
    random_states,
)

pytestmark = pytest.mark.slow

SLOW = ("edem hertz", "edem linear", "pfc rolling", "pfc hertz")
"""Contacts that take longer to compile."""


DEEP = TOUCH - 5e-3
PARTS = motion(DEEP, (3.0, 0.2, 0.1))
APART = {"moved": motion(TOUCH + 2e-4)}
IN_TOUCH = {"moved": motion(TOUCH - 1.3e-3)}


def sliding(*velocity, spin=(0.0, 0.0, 0.0)):
    return {"moved": motion(DEEP, velocity, spin)}


CORNERS = {
    **{f"{name}: touch": (name, APART, IN_TOUCH) for name in DOCUMENTED},
    "exudyn impact: zone": (
        "exudyn impact",
        sliding(-0.5, -0.3, 0.0),
        sliding(-0.5, 0.5, 0.0),
    ),
    "exudyn impact: restitution 1/3": (
        "exudyn impact",
        {"contact__restitutionCoefficient": 0.25},
        {"contact__restitutionCoefficient": 0.45},
    ),
    "exudyn impact: least impact velocity": (
        "exudyn impact",
        {"memory__impact_velocity": -0.1},
        {"memory__impact_velocity": 0.3},
    ),
    "exudyn impact: tension": (
        "exudyn impact",
        {"moved": motion(DEEP, (0.3, 0.3, 0.1))},
        {"moved": motion(DEEP, (0.9, 0.3, 0.1))},
    ),
    "exudyn plastic: branches": (
        "exudyn plastic",
        {"moved": motion(TOUCH - 1.0e-3)},
        {"moved": motion(TOUCH - 5e-3)},
    ),
    "exudyn plastic: plasticity ratio 0": (
        "exudyn plastic",
        {"contact__contactPlasticityRatio": 0.0},
        {"contact__contactPlasticityRatio": 0.2},
    ),
    "exudyn cut: zero force": (
        "exudyn cut",
        {"moved": motion(DEEP, (0.3, 0.3, 0.1))},
        {"moved": motion(DEEP, (0.9, 0.3, 0.1))},
    ),
    "comsol: dashpot": ("comsol", sliding(-0.1, 0.3, 0.0), sliding(0.1, 0.3, 0.0)),
    "comsol: maximum": (
        "comsol",
        {"contact__friction__Ff_max": 150.0},
        {"contact__friction__Ff_max": 400.0},
    ),
    "comsol: no slip": (
        "comsol",
        sliding(-0.5, -0.3, 0.0),
        sliding(-0.5, 0.3, 0.0),
    ),
    "edem hertz: zero force": (
        "edem hertz",
        {"moved": motion(TOUCH - 1e-3, (0.0, 0.3, 0.1))},
        {"moved": motion(TOUCH - 1e-3, (4.0, 0.3, 0.1))},
    ),
    "edem hertz: slider": ("edem hertz", sliding(-0.1, -5.0, 0.0), sliding(-0.1, 5.0, 0.0)),
    "edem hertz: rotations": (
        "edem hertz",
        sliding(-0.1, 0.0, 0.0, spin=(-3.0, -2.0, 0.0)),
        sliding(-0.1, 0.0, 0.0, spin=(3.0, 2.0, 0.0)),
    ),
    "pfc rolling: no tension": (
        "pfc rolling",
        {"moved": motion(TOUCH - 1e-3, (0.0, 0.3, 0.1))},
        {"moved": motion(TOUCH - 1e-3, (2.0, 0.3, 0.1))},
    ),
    "pfc rolling: slider": (
        "pfc rolling",
        {"memory__linear__shear_force": jnp.array([-220.0, 8.0])},
        {"memory__linear__shear_force": jnp.array([220.0, 8.0])},
    ),
    "pfc rolling: moment": (
        "pfc rolling",
        {"memory__moment": jnp.array([-4.0, 0.0])},
        {"memory__moment": jnp.array([4.0, 0.0])},
    ),
    "modia3d: no tension": (
        "modia3d",
        sliding(0.1, 0.3, 0.0),
        sliding(1.5, 0.3, 0.0),
    ),
    "modia3d: vsmall": (
        "modia3d",
        {"memory__impact_speed": 0.0},
        {"memory__impact_speed": 0.2, "contact__maximumContactDamping": 20.0},
    ),
}
"""Lines of arguments that cross a corner of the documented form, with its contact."""

COARSE, FINER = 3001, 8


def steps_of(name, start, end, *, smooth=True):
    """Largest changes between neighbours of value, slope, and differences of the slope, over the
    largest value, at two resolutions.
    """
    z, dz = line(name, start, end, smooth=smooth)
    found = []
    for count in (COARSE, FINER * (COARSE - 1) + 1):
        value, slope = along_a_line(name, smooth)(jnp.linspace(0.0, 1.0, count), z, dz)
        parts = value, slope, np.diff(slope, axis=0)
        found.append([np.max(np.abs(np.diff(p, axis=0))) / np.max(np.abs(p)) for p in parts])
    return np.array(found)


@pytest.mark.long(
    "edem hertz: slider",
    "edem hertz: touch",
    "edem hertz: zero force",
    "edem linear: touch",
    "exudyn impact: touch",
    "pfc rolling: touch",
)
@pytest.mark.parametrize("corner", CORNERS)
def test_two_derivatives_are_continuous_where_the_documented_form_has_a_corner(corner):
    """Steps of a continuous function shrink with the resolution, those of a broken one do not."""
    coarse, fine = steps_of(*CORNERS[corner])
    assert np.all(fine < 0.25 * coarse), (coarse, fine)


@pytest.mark.parametrize("corner", [c for c in CORNERS if CORNERS[c][0] not in SLOW])
def test_the_documented_form_is_broken_on_the_same_lines(corner):
    coarse, fine = steps_of(*CORNERS[corner], smooth=False)
    assert np.any(fine > 0.8 * coarse), (coarse, fine)


@pytest.mark.parametrize("corner", ["exudyn impact: zone", "comsol: touch", "modia3d: vsmall"])
def test_the_derivative_is_that_of_the_values(corner):
    name, start, end = CORNERS[corner]
    z, dz = line(name, start, end, smooth=True)
    places = jnp.linspace(0.0, 1.0, FINER * (COARSE - 1) + 1)
    value, slope = along_a_line(name)(places, z, dz)
    differences = np.diff(value, axis=0) * (len(places) - 1)
    means = 0.5 * (slope[1:] + slope[:-1])
    np.testing.assert_allclose(differences, means, atol=1e-5 * np.max(np.abs(slope)))


EASED = 0.274
"""Largest ``x (1 - smooth_step(x))``."""
STATES = random_states(4000, seed=5)


def shut(smooth):
    """Share of the forces that does not act yet."""
    t = np.clip(STATES.overlap / smooth.overlap, 0.0, 1.0)
    return 1.0 - t**3 * (10.0 - t * (15.0 - 6.0 * t))


def turned(velocity, zone, speed, share):
    """Largest difference of ``smooth_direction``."""
    scale = np.hypot(zone, speed)
    return np.where(velocity < (1 + share) * scale, 3 / 16 * share + 1 - zone / scale, 0.0)


def bound_of_exudyn(name, smooth):
    contact = arguments(name)[0]
    rate, slip, d = STATES.rate, STATES.slip, STATES.overlap
    spring = contact.contactStiffness * d**contact.contactStiffnessExponent
    if contact.impactModel == 2:
        ratio = jc.RESTITUTION_LAWS["exudyn_mixed"].damping_ratio(contact.restitutionCoefficient)
        undamped, branches = spring * (1 + ratio * rate / 0.5), 0.0
    else:
        unloading = 2 * contact.contactStiffness * (d - 2e-3)
        undamped = np.minimum(spring, np.maximum(unloading, -contact.adhesionCoefficient * d)) - 2
        branches = 0.5 * smooth.share * contact.contactPlasticityRatio * spring
    eases = EASED * smooth.share * (spring + contact.contactDamping * smooth.speed)
    force = undamped + contact.contactDamping * rate
    normal = shut(smooth) * np.abs(force) + branches
    zone = contact.frictionProportionalZone
    if not contact.compatibility.damping_pulls:
        normal = normal + eases
    turns = np.abs(force) * turned(slip, zone, smooth.speed, smooth.share)
    return normal + contact.dynamicFriction * (normal + eases + turns), 0.0


def bound_of_comsol(name, smooth):
    contact = arguments(name)[0]
    pressure, friction = contact.contact, contact.friction
    load = pressure.k_pen * STATES.overlap + pressure.c_pen * np.maximum(STATES.rate, 0.0)
    less = shut(smooth) * load + EASED * pressure.c_pen * smooth.speed
    limit = np.minimum(friction.mu * load + friction.Ff_r, friction.Ff_max)
    rounds = smooth.share + (smooth.speed / friction.v0) ** 2 / 4
    return less + friction.mu * less + shut(smooth) * friction.Ff_r + rounds * limit, 0.0


def bound_of_edem(name, smooth):
    contact = arguments(name)[0]
    base, pair, d = contact.base, contact.effective, STATES.overlap
    found = base.normal(d, STATES.rate, pair)
    load = np.asarray(found.load)
    eases = EASED * smooth.share * (load + found.damping * smooth.speed)
    normal = shut(smooth) * np.abs(found.force) + (eases if base.end == "zero_force" else 0.0)
    rounds = shut(smooth) + 3 / 16 * smooth.share
    force = normal + base.static_friction * load * rounds
    spin = np.linalg.norm(STATES.spin, axis=-1)
    slow = turned(spin, 0.0, smooth.speed / contact.particle2.radius, smooth.share)
    torque = base.rolling_friction * load * contact.particle2.radius * (rounds + slow)
    torque += shut(smooth) * found.damping / 4 * 2 * pair.radius * d * spin
    if contact.spinning is not None:
        full = 2 / 3 * contact.spinning.mu * load * np.sqrt(2 * pair.radius * d)
        zone = full * 1e-4 / (0.125 * contact.particle1.smallest_inertia)
        twist = np.abs(STATES.spin[:, 0])
        turns = turned(twist, 0.0, np.hypot(zone, smooth.speed / pair.radius), smooth.share)
        torque += full * (rounds + turns)
    return force, torque


def bound_of_pfc(name, smooth):
    contact, memory = arguments(name)[:2]
    rolls = isinstance(contact.model, pfc.RollingResistanceLinear)
    model = contact.model.linear if rolls else contact.model
    d, mass = STATES.overlap, contact.contact_mass
    if rolls:
        spring, kn, ks = model.kn * d, model.kn, model.ks
        before = memory.linear.shear_force
    else:
        h_n = pfc.hertz.normal_coefficient(
            model.hz_shear, model.hz_poiss, effective_radius=contact.effective_radius
        )
        spring, before = h_n * d**1.5, memory.shear_force
        kn = 1.5 * h_n * d**0.5
        ks = kn * pfc.hertz.shear_ratio(model.hz_poiss)
    along, across = (
        2 * ratio * np.sqrt(mass * k) for ratio, k in ((model.dp_nratio, kn), (model.dp_sratio, ks))
    )
    hard = np.maximum(spring + along * STATES.rate, 0.0)
    normal = shut(smooth) * hard + EASED * smooth.share * (spring + along * smooth.speed)
    rounds = shut(smooth) + 3 / 16 * smooth.share
    held = np.linalg.norm(before) - ks * STATES.slip * 1e-4
    held = np.maximum(held, ks * STATES.slip * 1e-4 - np.linalg.norm(before))
    pulled = np.linalg.norm(before) + ks * STATES.slip * 1e-4
    ends = (pulled > (1 - smooth.share) * model.fric * spring) & (held < model.fric * spring)
    dashpot = across * STATES.slip * (shut(smooth) + ends)
    torque = contact.model.rr_fric * contact.effective_radius * spring * rounds if rolls else 0.0
    return normal + model.fric * spring * rounds + dashpot, torque


def bound_of_modia3d(name, smooth):
    contact = arguments(name)[0]
    pair, material = contact.pairMaterial, modia3d.response_material(contact, 0.5)
    spring = material.c_res * material.c_geo * STATES.overlap**1.5
    push = spring * np.maximum(1 + material.d_res * STATES.rate, 0.0)
    # 1e-3: the tail of the restitution at ten times the speed of the smoothing
    damping = (smooth.share + 1e-3 * smooth.speed / SMOOTH.speed) * material.d_res
    eases = spring * (EASED * smooth.share + damping * np.abs(STATES.rate))
    normal = shut(smooth) * push + eases
    rolling = pair.rotationalResistanceCoefficient * material.mu_r_geo
    return normal * (1 + pair.slidingFrictionCoefficient), rolling * normal


BOUNDS = {
    "exudyn": bound_of_exudyn,
    "comsol": bound_of_comsol,
    "edem": bound_of_edem,
    "pfc": bound_of_pfc,
    "modia3d": bound_of_modia3d,
}
DECADES = (1.0, 0.1, 0.01, 1e-3)


@pytest.mark.long("edem hertz")
@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_difference_from_the_documented_form_has_its_bound_which_vanishes(name):
    hard, far = forces_in(name, STATES, None), []
    for factor in DECADES:
        smooth = SMOOTH.scaled(factor)
        differs = np.abs(forces_in(name, STATES, smooth) - hard)
        force, torque = BOUNDS[name.split()[0]](name, smooth)
        rounding = 1e-9 * np.max(np.abs(hard[:, :3]), axis=1) + 1e-12
        assert np.all(np.linalg.norm(differs[:, :3], axis=1) <= force + rounding)
        arms = np.linalg.norm(differs[:, :3], axis=1) * WIDE
        for part in (differs[:, 3:6], differs[:, 6:]):
            assert np.all(np.linalg.norm(part, axis=1) <= torque + arms + rounding)
        # above all layers of the widest smoothing
        regular = (STATES.overlap > SMOOTH.overlap) & (STATES.slip > 1.0)
        far.append(np.max(differs[regular]) / np.max(np.abs(hard)))
    assert far[-1] < 3e-3 * far[0] + 1e-12 or far[-1] < 1e-6


SINGULAR = {
    "coincident": motion(0.0),
    "coincident at rest": motion(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "touching": motion(TOUCH),
    "touching at rest": motion(TOUCH, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "barely": motion(TOUCH - 1e-15, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "apart": motion(2 * TOUCH),
    "at rest": motion(DEEP, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "parting": PARTS,
}


@pytest.mark.long(
    "edem hertz",
    "pfc hertz",
    "pfc rolling",
    "edem linear",
    "modia3d",
    "exudyn impact",
    "exudyn plastic",
)
@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name != "exudyn cut"])
def test_value_gradient_and_hessian_are_finite_where_something_vanishes(name):
    forces = force_of_vector(name)
    at = jnp.stack([as_vector(arguments(name, moved=moved)) for moved in SINGULAR.values()])
    total = jax.jit(jax.vmap(lambda z: (forces(z), jax.hessian(lambda z: forces(z).sum())(z))))
    slopes = jax.jit(jax.vmap(jax.grad(lambda z: forces(z).sum())))
    for part in (*total(at), slopes(at)):
        assert np.all(np.isfinite(part))


@pytest.mark.parametrize("name", ["exudyn impact", "comsol", "modia3d"])
def test_apart_from_its_corners_the_smooth_form_is_the_documented_one(name):
    """Deep, fast, and away from limits: to the last bits but for what the pages say."""
    states = random_states(200, seed=2)
    states = states._replace(
        overlap=0.01 + 0 * states.overlap,
        velocity=np.array([-0.5, 2.0, 0.3]) + 0 * states.velocity,
        spin=0 * states.spin,
    )
    hard, smooth = (forces_in(name, states, form) for form in (None, SMOOTH.scaled(1e-6)))
    np.testing.assert_allclose(smooth, hard, rtol=3e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arguments("comsol", smooth=0.1), "smooth = 0.1 is not a Smoothing"),
        (lambda: arguments("exudyn impact", smooth=(1, 2, 3)), "is not a Smoothing"),
        (lambda: arguments("edem linear", smooth="yes"), "is not a Smoothing"),
        (lambda: arguments("pfc hertz", smooth=True), "is not a Smoothing"),
        (lambda: arguments("modia3d", smooth=1e-3), "is not a Smoothing"),
        (lambda: jc.Smoothing(overlap=0.0, speed=1.0, share=0.1), "overlap = 0 m is outside"),
        (lambda: jc.Smoothing(overlap=1e-3, speed=1.0, share=1.0), "share = 1 - is outside"),
        (
            lambda: arguments("exudyn impact", contact__compatibility=exudyn.EXUDYN_1_13),
            "decides_by_data_node = True jumps",
        ),
        (
            lambda: arguments("comsol", contact__friction__smoothing=0.1, contact__arms="midpoint"),
            "smooth takes the place of",
        ),
        (
            lambda: arguments("modia3d", contact__transition_speed=0.1),
            "smooth takes the place of transition_speed",
        ),
    ],
)
def test_what_is_no_smoothing_or_has_another_one_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_the_program_is_smooth_without_what_its_memory_decides():
    program = dataclasses.replace(
        exudyn.EXUDYN_1_13, decides_by_data_node=False, damping_twice_at_equal_branches=False
    )
    contact = arguments("exudyn plastic", contact__compatibility=program)[0]
    assert contact.smooth == SMOOTH


def test_a_model_with_a_slider_of_its_own_takes_no_other():
    contact, memory, *_ = arguments("pfc hertz")
    model = contact.model.replace(slider=lambda force, *, limit: force)
    with pytest.raises(ValueError, match="smooth takes the place of slider"):
        pfc.hertz.hertz_contact(memory, None, model=model, smooth=SMOOTH)


@pytest.mark.parametrize("smooth", [None, SMOOTH], ids=["documented", "smooth"])
@pytest.mark.parametrize("name", DOCUMENTED)
def test_motions_are_of_tuples_or_of_arrays(name, smooth):
    function = DOCUMENTED[name][0]
    *others, body0, body1 = arguments(name, smooth=smooth)
    tuples = [
        type(body)(*(tuple(map(float, vector)) for vector in body)) for body in (body0, body1)
    ]
    jax.tree.map(
        np.testing.assert_array_equal, function(*others, *tuples), function(*others, body0, body1)
    )
