"""One of everything that a user may hold, for the test that copies in another process are equal to
it: ``python -m tests.jaxcontact.pickled_objects FILE`` is that other process.
"""

import pickle
import sys
from typing import Any

import jax
import jax.numpy as jnp

import jaxcontact as jc
from jaxcontact.laws.friction.coulomb import friction_force
from jaxcontact.laws.friction.slider import SmoothSlider
from jaxcontact.systems.pfc.linear import Linear

COMPILED = "/jax/core/compile/backend_compile_duration"
METHOD = jc.EventAligned(max_contacts=2, contact_steps=4, rest_steps=1)


def normal_laws() -> list[Any]:
    hertz = jc.normal_law(jc.laws.elastic.hertz_force)
    solid = {"effective_modulus": 1e8, "effective_radius": 0.02}
    return [
        jc.HuntCrossley(stiffness=1e5, restitution=0.8),
        *(
            jc.HuntCrossley(stiffness=1e5, restitution=0.7, restitution_law=nominal)
            for nominal in jc.RESTITUTION_LAWS.values()
        ),
        jc.PowerLawHuntCrossley(stiffness=1e5, restitution=0.8),
        jc.LinearDashpot(stiffness=1e4, restitution=0.8, end="zero_force"),
        jc.TsujiDashpot(stiffness=1e5, restitution=0.8),
        jc.KuwabaraKono(stiffness=1e5, dissipation_time=1e-4),
        jc.HertzDashpot(stiffness=1e5, damping=1.0),
        jc.WaltonBraun(stiffness=1e4, unloading_ratio=1.5),
        jc.ThorntonPlastic(**solid, yield_pressure=2e6),
        jc.AdhesivePlastic(stiffness=1e4, plasticity_ratio=0.3),
        jc.JohnsonKendallRoberts(**solid, work_of_adhesion=0.1),
        jc.NewtonRestitution(restitution=0.8, deviation=jnp.array([0.1, 0.2])),
        jc.TabulatedRestitution.through((0.1, 1.0), (0.9, 0.8)),
        hertz(stiffness=1e5),
    ]


def other_laws() -> list[Any]:
    return [
        *(
            jc.RegularizedCoulomb(coefficient=0.3, regularization=form)
            for form in jc.laws.REGULARIZATIONS.values()
        ),
        jc.friction_law(friction_force)(coefficient=0.3, slip_velocity=1e-3),
        jc.Coulomb(coefficient=0.3),
        jc.NoFriction(),
        jc.CundallStrack(coefficient=0.3, tangential_stiffness=1e4),
        jc.Mindlin(coefficient=0.3, effective_shear_modulus=1e7),
        jc.RollingResistance(rolling_coefficient=0.01),
        jc.RollingSpring(rolling_coefficient=0.01, rolling_stiffness=1.0),
        jc.SpinningFriction(coefficient=0.2),
        Linear(kn=1e4, slider=SmoothSlider(0.1)),
    ]


def scenes() -> list[jc.Scene]:
    friction = jc.RegularizedCoulomb(coefficient=0.3)
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e5, restitution=0.8), friction=friction
    )
    ball = jc.spheres(radius=0.02, mass=0.01)
    motion = jc.PrescribedMotion(velocity=(0.0, 0.0, 0.1))
    surfaces = [
        jc.Plane(motion=motion),
        jc.Sphere(radius=0.1),
        jc.Box(lengths=(1.0, 1.0, 1.0), hollow=True),
        jc.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)], closed=False),
    ]
    return [
        jc.Scene(bodies=ball, contact=contact),
        jc.Scene(bodies=ball, contact=contact, drag=jc.QuadraticDrag(), lift=jc.MagnusLift()),
        jc.Scene(
            bodies=jc.cube(half_width=0.02, mass=0.05),
            contact=contact.replace(rolling=jc.RollingResistance(rolling_coefficient=0.01)),
            surfaces=surfaces,
            springs=[jc.AnchorSpring(stiffness=10.0, anchor=motion)],
        ),
        *(
            jc.Scene(bodies=ball, contact=jc.ContactModel(normal=law, friction=friction))
            for law in normal_laws()
        ),
    ]


def methods() -> list[Any]:
    return [METHOD, jc.Impulse(), jc.FixedStep(step=1e-4)]


def trees() -> list[Any]:
    """What is a pytree."""
    return [*normal_laws(), *other_laws(), *scenes()]


def everything() -> dict[str, list[Any]]:
    return {"trees": trees(), "methods": methods()}


def simulated(scene: jc.Scene) -> jc.Trajectory:
    start = jc.state(position=(0.0, 0.0, 0.05), velocity=(0.3, 0.0, 0.0))
    return jc.simulate(scene, start, jnp.linspace(0.0, 0.1, 5), method=METHOD)


def same(tree: Any, other: Any) -> bool:
    """Whether two trees have the same structure and the same numbers."""
    structures: tuple[Any, Any] = (jax.tree.structure(tree), jax.tree.structure(other))
    if structures[0] != structures[1] or hash(structures[0]) != hash(structures[1]):
        return False
    pairs = zip(jax.tree.leaves(tree), jax.tree.leaves(other), strict=True)
    return all(bool(jnp.array_equal(one, two, equal_nan=True)) for one, two in pairs)


def check(copies: list[dict[str, Any]]) -> None:
    """Copies from another process are equal to what is made here, and share its compiled code."""
    here = everything()
    uses = jax.jit(lambda tree: 0)
    for index, made in enumerate(here["trees"]):
        uses.clear_cache()
        uses(made)
        for copied in copies:
            copy = copied["trees"][index]
            assert same(made, copy), f"{type(made).__name__} is not equal to its copy: {copy}"
            uses(copy)
        assert uses._cache_size() == 1, f"{type(made).__name__} and its copies compile twice"
    for index, made in enumerate(here["methods"]):
        for copied in copies:
            assert copied["methods"][index] == made
            assert hash(copied["methods"][index]) == hash(made)
    scene = here["trees"].index(next(tree for tree in here["trees"] if isinstance(tree, jc.Scene)))
    trajectories = [simulated(here["trees"][scene])]
    programs: list[float] = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **_: programs.append(seconds) if event == COMPILED else None
    )
    trajectories += [simulated(copied["trees"][scene]) for copied in copies]
    assert not programs, "copies of a scene are simulated by other codes"
    for copied in copies:
        assert all(same(copied["trajectory"], trajectory) for trajectory in trajectories)


if __name__ == "__main__":
    import tests.conftest

    assert tests.conftest  # double precision
    with open(sys.argv[1], "rb") as file:
        check([pickle.loads(text) for text in pickle.load(file)])
    print("equal")
