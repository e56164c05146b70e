"""Several spheres: what mechanics conserves, what single spheres and other programs do, and
derivatives through overlapping contacts.

Compiling takes seconds: cases share a compiled function, as lanes or as numbers.
"""

import functools
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc

pytestmark = pytest.mark.slow

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
"""Compiles faster, runs slower."""

RIGID = jc.Impulse(max_contacts=6)
SOFT = jc.EventAligned(max_contacts=3)

# Two spheres that collide once, without anything else.

PAIR = {
    "radius": (0.02, 0.02),
    "mass": (0.03, 0.03),
    "stiffness": 1e8,
    "restitution": 0.8,
    "friction": 0.3,
    "slip_velocity": 0.02,
    "position": ((-0.1, 0.0, 0.0), (0.1, 0.0, 0.0)),
    "velocity": ((1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)),
    "spin": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
}
UNEQUAL = {"radius": (0.02, 0.03), "mass": (0.03, 0.2)}
OBLIQUE = {
    "position": ((-0.1, 0.012, 0.004), (0.1, -0.005, 0.0)),
    "spin": ((20.0, -40.0, 60.0), (-10.0, 30.0, 5.0)),
    "velocity": ((1.2, 0.1, -0.05), (-0.6, 0.05, 0.1)),
}
COLLISIONS = {
    "head on": {},
    "head on, unequal": UNEQUAL,
    "with spin": {"spin": OBLIQUE["spin"]},
    "oblique": OBLIQUE,
    "oblique, unequal": OBLIQUE | UNEQUAL,
    "oblique, hardly bouncing": OBLIQUE | UNEQUAL | {"restitution": 0.2},
    "oblique, elastic, rough": OBLIQUE | {"restitution": 1.0, "friction": 5.0},
    "oblique, elastic, smooth": OBLIQUE | UNEQUAL | {"restitution": 1.0, "friction": 0.0},
    "into a sphere at rest": UNEQUAL | {"velocity": ((1.0, 0.2, 0.0), (0.0, 0.0, 0.0))},
}
SWAPPED = ("radius", "mass", "position", "velocity", "spin")


def relabelled(case: dict) -> dict:
    both = {**PAIR, **case}
    return both | {name: both[name][::-1] for name in SWAPPED}


def stiffened(case: dict, factor: float) -> dict:
    return {**PAIR, **case, "stiffness": factor * PAIR["stiffness"]}


CASES = [
    *COLLISIONS.values(),
    *(relabelled(case) for case in COLLISIONS.values()),
    *(stiffened(COLLISIONS["oblique, unequal"], factor) for factor in (1e2, 1e4, 1e6)),
]
SWAPS = slice(len(COLLISIONS), 2 * len(COLLISIONS))
STIFF = slice(2 * len(COLLISIONS), None)


def lanes(cases: list[dict], base: dict) -> dict:
    rows = [{**base, **case} for case in cases]
    return {name: np.array([row[name] for row in rows], dtype=float) for name in base}


def spheres(p: dict) -> jc.Spheres:
    return jc.spheres(radius=p["radius"], mass=p["mass"])


def contact(p: dict) -> jc.ContactModel:
    return jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=p["stiffness"], restitution=p["restitution"]),
        friction=jc.RegularizedCoulomb(coefficient=p["friction"], slip_velocity=p["slip_velocity"]),
    )


def start(p: dict) -> jc.State:
    return jc.state(position=p["position"], velocity=p["velocity"], spin=p["spin"])


@functools.cache
def collisions(method) -> jc.Trajectory:
    """Of all ``CASES``."""

    def one(p: dict) -> jc.Trajectory:
        scene = jc.Scene(
            bodies=spheres(p), surfaces=(), contact=contact(p), gravity=(0.0, 0.0, 0.0)
        )
        return jc.simulate(scene, start(p), jnp.linspace(0.0, 0.3, 4), method=method)

    return jax.tree.map(np.asarray, jax.jit(jax.vmap(one))(lanes(CASES, PAIR)))


def mechanics(found: jc.Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Momentum, angular momentum and kinetic energy, (cases, times, ...)."""
    p = lanes(CASES, PAIR)
    mass = p["mass"][:, None, :, None]
    inertia = 0.4 * mass * p["radius"][:, None, :, None] ** 2
    momentum = np.sum(mass * found.velocity, axis=2)
    angular = np.sum(np.cross(found.position, mass * found.velocity) + inertia * found.spin, axis=2)
    energy = np.sum(mass * found.velocity**2 + inertia * found.spin**2, axis=(2, 3)) / 2
    return momentum, angular, energy


METHODS = pytest.mark.parametrize("method", [RIGID, SOFT], ids=["rigid", "soft"])


@pytest.mark.long
@METHODS
def test_every_case_is_one_collision(method):
    found = collisions(method)
    assert np.all(found.status == jc.Status.SUCCESS)
    np.testing.assert_array_equal(np.sum(found.contacts.happened, axis=1), 1)
    np.testing.assert_array_equal(found.contacts.body[:, 0], 0)
    np.testing.assert_array_equal(found.contacts.partner[:, 0], 1)
    np.testing.assert_array_equal(found.contacts.surface[:, 0], -1)


@pytest.mark.long("soft")
@METHODS
def test_momentum_is_conserved(method):
    momentum, _, _ = mechanics(collisions(method))
    np.testing.assert_allclose(
        momentum, np.broadcast_to(momentum[:, :1], momentum.shape), atol=1e-15
    )


@pytest.mark.long("soft")
@METHODS
def test_angular_momentum_is_conserved(method):
    _, angular, _ = mechanics(collisions(method))
    drift = np.max(np.abs(angular - angular[:, :1]), axis=(1, 2)) / np.max(
        np.abs(angular), axis=(1, 2), initial=1e-3
    )
    assert np.max(drift) < 1e-12


@METHODS
def test_energy_does_not_grow(method):
    _, _, energy = mechanics(collisions(method))
    assert np.all(np.diff(energy, axis=1) <= 1e-6 * energy[:, :1] * (method is SOFT) + 1e-15)
    elastic = energy[list(COLLISIONS).index("oblique, elastic, smooth")]
    np.testing.assert_allclose(
        elastic, np.full_like(elastic, elastic[0]), rtol=2e-6 if method is SOFT else 1e-14
    )


@METHODS
def test_the_restitution_is_the_one_asked_for(method):
    """Of soft spheres where the normal does not turn during the contact; otherwise in the limit of
    stiff ones.
    """
    contacts, asked = collisions(method).contacts, lanes(CASES, PAIR)["restitution"]
    error = np.abs(contacts.rebound_speed[:, 0] / contacts.impact_speed[:, 0] - asked)
    if method is RIGID:
        assert np.max(error) < 1e-13
    else:
        assert np.max(error[: list(COLLISIONS).index("with spin")]) < 1e-6
        assert np.max(error) < 1e-3
        assert np.all(np.diff(error[STIFF]) < 0)
        assert error[-1] < 3e-6


@METHODS
def test_relabelled_spheres_move_alike(method):
    found = collisions(method)
    for name in ("position", "velocity", "spin"):
        value = getattr(found, name)
        np.testing.assert_allclose(
            value[SWAPS][:, :, ::-1], value[: SWAPS.start], rtol=1e-11, atol=1e-12, err_msg=name
        )


def test_stiff_spheres_tend_to_rigid_ones():
    """What is left is the time in contact, which falls with the stiffness to the power -2/5."""
    gaps = np.max(
        np.abs(collisions(SOFT).position - collisions(RIGID).position)[STIFF], axis=(1, 2, 3)
    )
    assert gaps[-1] < 1e-5
    np.testing.assert_allclose(gaps[:-1] / gaps[1:], 100**0.4, rtol=0.05)


# A sphere on a plane, alone and with another one that it never meets.

DROP = {
    "height": 0.2,
    "speed": 0.4,
    "spin": 15.0,
    "stiffness": 1e7,
    "restitution": 0.8,
    "friction": 0.3,
    "slip_velocity": 0.02,
}
DROP = {name: jnp.asarray(value) for name, value in DROP.items()}
FALLS = np.linspace(0.0, 0.5, 6)


def dropped(p: dict, *, method, others: tuple) -> jax.Array:
    """Position [m], velocity [m/s] and circumferential speed of the first sphere, the others
    falling from their heights.
    """
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.01), contact=contact(p))
    position = jnp.stack(
        [jnp.stack([1.0 * i, 0.0, height]) for i, height in enumerate((p["height"], *others))]
    )
    velocity = jnp.zeros_like(position).at[0, 0].set(p["speed"])
    spin = jnp.zeros_like(position).at[0, 1].set(p["spin"])
    found = jc.simulate(scene, jc.State(position, velocity, spin), FALLS, method=method)
    return jnp.concatenate([found.position, found.velocity, 0.02 * found.spin], axis=-1)[:, 0]


@functools.cache
def value_and_derivatives(method, others: tuple) -> tuple[np.ndarray, list]:
    """With the derivative by the logarithm of each parameter."""
    path = functools.partial(dropped, method=method, others=others)
    along = FAST(lambda p, direction: jax.jvp(path, (p,), (direction,)))
    found = [
        along(DROP, {other: value * (other == name) for other, value in DROP.items()})
        for name in DROP
    ]
    return np.asarray(found[0][0]), [np.asarray(slope) for _, slope in found]


@pytest.mark.long
def test_a_sphere_moves_alike_with_and_without_another_far_away():
    alone, slopes_alone = value_and_derivatives(
        jc.EventAligned(max_contacts=3, contact_steps=24), ()
    )
    errors = []
    for step, within, slope_within in ((0.05, 2e-8, 2e-5), (0.025, 1e-8, 1.6e-6)):
        found, slopes = value_and_derivatives(
            jc.EventAligned(max_contacts=4, graded_step=step, sustained_steps=0), (5.0,)
        )
        errors.append(np.max(np.abs(found - alone)[:, :3]))
        assert errors[-1] < within
        for slope, slope_alone in zip(slopes, slopes_alone, strict=True):
            np.testing.assert_allclose(slope, slope_alone, rtol=0, atol=slope_within)
    # By an estimate of their error the steps are shorter than asked, so it shows no order.
    assert errors[1] < errors[0]


@pytest.mark.long
def test_spheres_that_touch_down_at_the_same_instant_have_their_own_derivatives():
    rigid = jc.Impulse(max_contacts=6, sustained_steps=0)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.01),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
    )

    def heights(initial: jax.Array):
        position = jnp.stack([jnp.arange(3.0), jnp.zeros(3), initial], axis=1)
        found = jc.simulate(scene, jc.state(position=position), FALLS, method=rigid)
        return found.position[-1, :, 2], found

    slopes, found = jax.jit(jax.jacfwd(heights, has_aux=True))(jnp.full(3, 0.25))
    impact = np.sqrt(2 * 9.81 * 0.23)
    slope = 1.8 * 9.81 * (FALLS[-1] - impact / 9.81) / impact - 0.8
    np.testing.assert_allclose(slopes, slope * np.eye(3), atol=1e-13)
    np.testing.assert_array_equal(np.sort(found.contacts.body[:3]), [0, 1, 2])


# Three spheres that bounce on a plane and collide, with friction and spin.

CROWD = {
    "radius": (0.02, 0.025, 0.03),
    "mass": (0.03, 0.05, 0.08),
    "stiffness": 1e7,
    "restitution": 0.8,
    "friction": 0.3,
    "slip_velocity": 0.05,
    "position": ((-0.2, 0.01, 0.05), (0.0, 0.0, 0.06), (0.15, -0.01, 0.09)),
    "velocity": ((1.5, 0.0, 0.2), (0.0, 0.1, 0.0), (-1.0, 0.05, -0.3)),
    "spin": ((0.0, 20.0, 5.0), (10.0, 0.0, -8.0), (3.0, -15.0, 0.0)),
}
CROWD = {name: jnp.asarray(value) for name, value in CROWD.items()}
CROWD_METHODS = {
    "rigid": jc.Impulse(max_contacts=12, sustained_steps=0),
    "soft": jc.EventAligned(max_contacts=12, sustained_steps=0),
}


def crowd(p: dict, *, method) -> jc.Trajectory:
    scene = jc.Scene(bodies=spheres(p), contact=contact(p))
    # Between contacts: within one, velocities change by thousands of their size in a second, and
    # are interpolated between steps.
    return jc.simulate(scene, start(p), np.array([0.0, 0.05, 0.095, 0.15, 0.2]), method=method)


def weighted(p: dict, *, method) -> tuple[jax.Array, jc.Trajectory]:
    """Some combination of all positions and velocities, and the trajectory."""
    found = crowd(p, method=method)
    weights = jnp.cos(jnp.arange(found.position.size)).reshape(found.position.shape)
    return jnp.sum(weights * (found.position + 0.1 * found.velocity)), found


def direction(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(size=np.shape(value)) * (np.abs(value) + 1e-3)
        for name, value in CROWD.items()
    }


@pytest.mark.long
@pytest.mark.parametrize("name", ["rigid", "soft"])
def test_derivatives_of_three_spheres_agree(name):
    """Forward with reverse mode, and with differences."""
    loss = functools.partial(weighted, method=CROWD_METHODS[name])

    @FAST
    def forward(step: float, along: dict):
        """Value, slope and trajectory at one point of a line."""
        moved = jax.tree.map(lambda value, slope: value + step * slope, CROWD, along)
        return jax.jvp(loss, (moved,), (along,), has_aux=True)

    gradient, _ = FAST(jax.grad(loss, has_aux=True))(CROWD)
    step = 1e-6
    for seed in range(3):
        along = direction(seed)
        _, slope, found = forward(0.0, along)
        assert int(found.status) == jc.Status.SUCCESS
        assert np.sum(found.contacts.partner >= 0) >= 2
        assert np.sum(found.contacts.surface >= 0) >= 3
        terms = np.concatenate([np.ravel(gradient[leaf] * along[leaf]) for leaf in along])
        scale = np.sum(np.abs(terms))
        assert abs(slope - np.sum(terms)) < 1e-10 * scale
        near, far = (
            (forward(h, along)[0] - forward(-h, along)[0]) / (2 * h) for h in (step, 2 * step)
        )
        assert abs(slope - (4 * near - far) / 3) < 1e-5 * scale


# Newton's cradle.

LENGTH = 5
SWINGS = {"rigid": jc.Impulse(max_contacts=8), "soft": jc.EventAligned(max_contacts=8)}


@functools.cache
def cradle(name: str):
    """As a function of the gap and the restitution."""
    radius = 0.02

    def swing(gap: jax.Array, restitution: jax.Array) -> jc.Trajectory:
        places = (
            2 * radius * jnp.arange(LENGTH)
            + gap * (jnp.arange(LENGTH) - 1)
            + 0.1 * (jnp.arange(LENGTH) > 0)
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=radius, mass=0.03),
            surfaces=(),
            contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e8, restitution=restitution)),
            gravity=(0.0, 0.0, 0.0),
        )
        along = jnp.array([1.0, 0.0, 0.0])
        begin = jc.state(
            position=places[:, None] * along, velocity=(jnp.arange(LENGTH) == 0)[:, None] * along
        )
        return jc.simulate(scene, begin, [0.0, 0.05, 0.2], method=SWINGS[name], ledger=True)

    return jax.jit(swing)


@pytest.mark.long
@pytest.mark.parametrize("name", SWINGS)
@pytest.mark.parametrize("gap", [0.0, 2e-3])
def test_the_ledger_of_a_cradle_closes(name, gap):
    for restitution in (1.0, 0.9):
        ledger = cradle(name)(gap, restitution).ledger
        assert ledger.imbalance < (1e-14 if name == "rigid" else 1e-6)
        np.testing.assert_allclose(ledger.momentum - ledger.momentum[0], 0.0, atol=1e-16)
        np.testing.assert_allclose(
            ledger.angular_momentum - ledger.angular_momentum[0], 0.0, atol=1e-16
        )


@pytest.mark.long("soft-2e-06")
@pytest.mark.parametrize(("name", "within"), [("rigid", 1e-14), ("soft", 2e-6)])
def test_a_cradle_with_gaps_hands_the_motion_on(name, within):
    for restitution in (1.0, 0.9):
        found = cradle(name)(2e-3, restitution)
        assert int(found.status) == jc.Status.SUCCESS
        assert found.velocity[-1, -1, 0] == pytest.approx(
            ((1 + restitution) / 2) ** (LENGTH - 1), abs=within
        )
        np.testing.assert_array_equal(found.contacts.body[:4], np.arange(4))
        np.testing.assert_array_equal(found.contacts.partner[:4], np.arange(1, 5))


def test_a_rigid_cradle_that_touches_acts_in_sequence():
    found = cradle("rigid")(0.0, 1.0)
    assert int(found.status) == jc.Status.SUCCESS
    np.testing.assert_allclose(found.velocity[-1, :, 0], np.eye(LENGTH)[-1], atol=1e-14)


def test_a_soft_cradle_that_touches_disperses_as_hertzian_chains_do():
    """Against the equations of motion in time, by scipy."""
    found = cradle("soft")(0.0, 1.0)
    assert int(found.status) == jc.Status.SUCCESS

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        force = 1e8 * np.maximum(-np.diff(y[:LENGTH]), 0.0) ** 1.5
        return np.concatenate([y[LENGTH:], (np.append(0.0, force) - np.append(force, 0.0)) / 0.03])

    # Places measured from those of touching.
    end = solve_ivp(
        rates, (0.0, 0.01), np.eye(2 * LENGTH)[LENGTH], rtol=1e-10, atol=1e-15, max_step=1e-5
    ).y[LENGTH:, -1]
    np.testing.assert_allclose(found.velocity[-1, :, 0], end, atol=1e-4)
    assert np.sum(found.velocity[-1, :, 0]) == pytest.approx(1.0, abs=1e-13)
    assert np.sum(found.velocity[-1, :, 0] ** 2) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.long
def test_single_precision_hands_the_motion_on():
    with jax.enable_x64(False):
        found = cradle("rigid")(jnp.float32(2e-3), jnp.float32(0.9))
    assert found.position.dtype == jnp.float32
    assert int(found.status) == jc.Status.SUCCESS
    assert found.velocity[-1, -1, 0] == pytest.approx(0.95**4, abs=1e-6)


def test_spheres_that_overlap_at_rest_part_with_the_energy_of_their_overlap():
    overlap, loaded = 1e-4, LENGTH - 2
    found = cradle("soft")(-overlap, 0.9)
    kinetic = 0.03 / 2 * np.sum(found.velocity[1, 1:, 0] ** 2)
    assert kinetic == pytest.approx(loaded * 1e8 * overlap**2.5 / 2.5, rel=1e-4)


# Two spheres by Exudyn.

RECORDED = {1: "hunt_crossley_1975", 2: "exudyn_mixed"}
DATA = Path(__file__).parents[3] / "reference" / "data" / "exudyn"


def recordings(model: int) -> dict:
    documents = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(DATA.glob(f"traj_m{model}_*.json"))
    }
    assert documents
    for name, document in documents.items():
        contact = document["contact"]
        assert contact["impactModel"] == model, name
        assert contact["contactDamping"] == contact["dynamicFriction"] == 0, name
    return documents


@pytest.mark.long("2")
@pytest.mark.parametrize("model", RECORDED)
def test_two_spheres_move_as_in_exudyn(model):
    """Its damping is a constant of the impact, for approach speeds below a least one that of the
    least one: a reference speed.
    """
    documents = recordings(model)
    # A contact with a restitution of 0.05 lasts long: it needs the steps of several.
    method = jc.EventAligned(max_contacts=8, graded_step=0.02)
    tolerance = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))

    def one(p: dict) -> jc.Trajectory:
        law = jc.PowerLawHuntCrossley(
            stiffness=p["stiffness"],
            restitution=p["restitution"],
            exponent=p["exponent"],
            reference_speed=p["speed"],
            restitution_law=jc.RESTITUTION_LAWS[RECORDED[model]],
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=p["radius"], mass=p["mass"]),
            surfaces=(),
            contact=jc.ContactModel(normal=law),
            gravity=(0.0, 0.0, 0.0),
        )
        begin = jc.state(position=p["position"], velocity=p["velocity"])
        return jc.simulate(scene, begin, p["times"], method=method)

    def inputs(document: dict) -> dict:
        bodies, contact = document["bodies"], document["contact"]
        velocity = [body["velocity"] for body in bodies]
        return {
            "stiffness": contact["contactStiffness"],
            "restitution": contact["restitutionCoefficient"],
            "exponent": contact["contactStiffnessExponent"],
            "speed": max(velocity[0][0] - velocity[1][0], contact["minimumImpactVelocity"]),
            "radius": contact["spheresRadii"],
            "mass": [body["mass"] for body in bodies],
            "position": [body["position"] for body in bodies],
            "velocity": velocity,
            "times": document["samples"]["t"],
        }

    cases = [inputs(document) for document in documents.values()]
    found = jax.jit(jax.vmap(one))(lanes(cases, cases[0]))
    assert np.all(found.status == jc.Status.SUCCESS)
    for lane, (name, document) in enumerate(documents.items()):
        within = tolerance[name]["suggested_final_atol"]
        for body in (0, 1):
            np.testing.assert_allclose(
                found.position[lane, -1, body],
                document["final"][f"position{body}"],
                atol=within,
                rtol=0,
                err_msg=name,
            )
            np.testing.assert_allclose(
                found.velocity[lane, -1, body],
                document["final"][f"velocity{body}"],
                atol=within,
                rtol=0,
                err_msg=name,
            )
            # On the way, the program is up to a step late.
            late = within + 2 * document["meta"]["stepSize"]
            np.testing.assert_allclose(
                found.position[lane, :, body],
                document["samples"][f"position{body}"],
                atol=late,
                rtol=0,
                err_msg=name,
            )


# What is wrong is said.


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [
        pytest.param(jc.Impulse(max_contacts=1), id="rigid"),
        pytest.param(jc.EventAligned(max_contacts=1), id="soft"),
    ],
)
def test_a_budget_that_is_too_small_is_said_and_flight_is_extrapolated(method):
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.01), contact=contact(PAIR))
    begin = jc.state(position=[(0, 0, 0.05), (1, 0, 0.08)])
    times = np.linspace(0.0, 2.0, 5)
    with pytest.raises(jc.SimulationError, match=r"TOO_FEW_CONTACTS.*Raise max_contacts") as error:
        jc.simulate(scene, begin, times, method=method)
    found = jc.simulate(scene, begin, times, method=method, strict=False)
    assert int(found.status) == jc.Status.TOO_FEW_CONTACTS
    np.testing.assert_array_equal(error.value.trajectory.position, found.position)
    assert np.max(np.abs(found.position)) < 2.0 + 9.81 / 2 * 2.0**2


TWO = {"position": np.array([(0.0, 0.0, 0.3), (1.0, 0.0, 0.3)])}


@pytest.mark.parametrize(
    ("scene", "initial", "method", "error", "says"),
    [
        (
            {"bodies": {"radius": (0.1, 0.1, 0.1)}},
            TWO,
            RIGID,
            ValueError,
            "radius has 3 values, but the initial state has 2 bodies",
        ),
        (
            {"bodies": {"mass": (1.0, 1.0, 1.0)}},
            TWO,
            RIGID,
            ValueError,
            "mass has 3 values, but the initial state has 2 bodies",
        ),
        (
            {"bodies": {"mass": (1.0, 1.0)}},
            {"position": (0, 0, 1)},
            RIGID,
            ValueError,
            "mass has 2 values, but the initial state has 1",
        ),
        (
            {"gravity": np.zeros((3, 3))},
            TWO,
            RIGID,
            ValueError,
            "gravity has 3 rows, but the initial state has 2 bodies",
        ),
        ({}, {"position": np.zeros((2, 2, 3))}, RIGID, ValueError, r"\(bodies, 3\)"),
        ({"surfaces": ()}, {"position": (0, 0, 1)}, RIGID, ValueError, "nothing can touch"),
    ],
)
def test_sizes_that_do_not_fit_are_said_before_anything_is_traced(
    scene, initial, method, error, says
):
    bodies = jc.Spheres(**({"radius": 0.1, "mass": 1.0} | scene.get("bodies", {})))
    others = {name: value for name, value in scene.items() if name != "bodies"}
    with pytest.raises(error, match=says):
        jc.simulate(
            jc.Scene(bodies=bodies, contact=contact(PAIR), **others),
            jc.state(**initial),
            [0.0, 1.0],
            method=method,
        )


def test_the_step_in_contacts_has_a_range():
    with pytest.raises(ValueError, match=r"graded_step = 0.8 is outside \(0, 0.5\]"):
        jc.EventAligned(graded_step=0.8)


@pytest.mark.long
@pytest.mark.slow
def test_a_contact_that_begins_slowly_and_is_then_pushed_does_not_depend_on_the_steps():
    """Its damping goes by the largest speed that it reaches."""
    radius, mass, stiffness = 0.01, 0.01, 1e6
    overlap = (5 / 8 * mass / stiffness) ** 0.4
    times = 2.94 * overlap * jnp.array([0.0, 0.8, 1.1, 1.5, 2.0, 3.0])

    def velocity(gap, step):
        scene = jc.Scene(
            bodies=jc.spheres(radius=jnp.full(3, radius), mass=jnp.full(3, mass)),
            surfaces=(),
            contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=stiffness, restitution=0.5)),
            gravity=(0.0, 0.0, 0.0),
        )
        along = jnp.stack([-2 * radius - overlap, 0.0 * gap, 2 * radius + gap])
        start = jc.State(
            jnp.zeros((3, 3)).at[:, 0].set(along),
            jnp.zeros((3, 3)).at[0, 0].set(1.0),
            jnp.zeros((3, 3)),
        )
        method = jc.EventAligned(
            max_contacts=20, sustained_steps=0, max_steps=4000, graded_step=step
        )
        return jc.simulate(scene, start, times, method=method, strict=False).velocity[..., 0]

    gap = 1e-3 * overlap
    rough, fine = (
        jax.jit(lambda gap, step=step: jax.jvp(lambda g: velocity(g, step), (gap,), (overlap,)))(
            gap
        )
        for step in (0.04, 0.01)
    )
    np.testing.assert_allclose(rough[0], fine[0], atol=2e-7)
    np.testing.assert_allclose(rough[1], fine[1], atol=3e-3 * np.max(np.abs(fine[1])))


def test_steps_are_short_enough_for_any_slip_velocity():
    """Two spheres that begin to stick in the midst of a contact: shorter steps change nothing, down
    to a slip velocity far below what a step may lack.
    """

    def after(slip_velocity: jax.Array, graded_step: float) -> jax.Array:
        friction = jc.RegularizedCoulomb(coefficient=0.4, slip_velocity=slip_velocity)
        scene = jc.Scene(
            bodies=jc.spheres(radius=jnp.array([0.02, 0.02]), mass=jnp.array([0.03, 0.03])),
            surfaces=(),
            contact=jc.ContactModel(
                normal=jc.HuntCrossley(stiffness=4e7, restitution=0.7), friction=friction
            ),
            gravity=(0.0, 0.0, 0.0),
        )
        start = jc.state(
            position=[(0.0, 0.0, 0.0), (0.015, 0.0, 0.045)],
            velocity=[(0.3, 0.0, 0.0), (0.0, 0.0, -1.0)],
            spin=[(0.0, 30.0, 0.0), (5.0, -20.0, 3.0)],
        )
        method = jc.EventAligned(max_contacts=3, graded_step=graded_step)
        found = jc.simulate(scene, start, jnp.array([0.0, 0.05]), method=method, strict=False)
        return jnp.concatenate([found.velocity[1], 0.02 * found.spin[1]])

    slip_velocities = (1e-3, 1e-5, 1e-6, 1e-7)
    usual, shorter = (
        [moved(v) for v in slip_velocities]
        for moved in (FAST(functools.partial(after, graded_step=step)) for step in (0.04, 0.02))
    )
    np.testing.assert_allclose(usual, shorter, atol=3e-8, rtol=0)
