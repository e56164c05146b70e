"""Values, first and second derivatives with respect to everything are finite, wherever a simulation
starts.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import differentiated, scenes
from tests.jaxcontact.simulation.corners import CORNERS


def not_finite(tree):
    """Paths of the leaves that hold a NaN or an infinity."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [jax.tree_util.keystr(path) for path, leaf in leaves if not np.all(np.isfinite(leaf))]


def expect_finite(function, *arguments):
    """``function(parameters, *arguments)`` at all corners; all failures in one message."""
    failures = {
        name: not_finite(function(differentiated.parameters(**changes), *arguments))
        for name, changes in CORNERS.items()
    }
    assert not {name: leaves for name, leaves in failures.items() if leaves}


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "fluid", "method"),
    [
        ("hunt_crossley", False, scenes.EVENT_ALIGNED),
        ("newton", False, jc.Impulse(max_contacts=12)),
        pytest.param("hunt_crossley", True, scenes.EVENT_ALIGNED, marks=pytest.mark.slow),
        *(
            pytest.param(law, False, scenes.EVENT_ALIGNED, marks=pytest.mark.slow)
            for law in scenes.LAWS[1:]
        ),
    ],
)
def test_trajectories_are_finite(law, fluid, method):
    found = scenes.run(list(CORNERS.values()), law=law, fluid=fluid, method=method)
    finite = np.all(np.isfinite(scenes.columns(found)), axis=(1, 2))
    assert not [name for name, good in zip(CORNERS, finite, strict=True) if not good]
    contacts = found.contacts._replace(happened=None)
    assert not [
        name
        for i, name in enumerate(CORNERS)
        if not_finite(jax.tree.map(lambda column, i=i: column[i], contacts))
    ]


def test_derivatives_in_forward_mode_are_finite():
    expect_finite(differentiated.compiled("jacobian"))


@pytest.mark.long
def test_derivatives_in_reverse_mode_are_finite():
    expect_finite(differentiated.compiled("gradient"), np.ones((scenes.SAMPLES, 9)))


@pytest.mark.long
@pytest.mark.slow
def test_second_derivatives_are_finite():
    rng = np.random.default_rng(0)
    along = {
        name: np.asarray(rng.normal(size=np.shape(value)))
        for name, value in differentiated.parameters().items()
    }
    expect_finite(differentiated.compiled("second"), along)


@pytest.mark.long
def test_values_and_derivatives_are_finite_in_single_precision():
    with jax.enable_x64(False):
        function = jax.jit(lambda p: (differentiated.path(p), jax.jacfwd(differentiated.path)(p)))
        failures = {}
        for name, changes in CORNERS.items():
            p = {
                key: jnp.asarray(value, dtype=jnp.float32)
                for key, value in differentiated.parameters(**changes).items()
            }
            value, derivative = function(p)
            assert value.dtype == jnp.float32
            failures[name] = not_finite((value, derivative))
    assert not {name: leaves for name, leaves in failures.items() if leaves}


def comes_to_rest(p):
    """Position and velocity while a sphere bounces out, and slides or rolls on."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=p["radius"], mass=p["mass"]),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=p["stiffness"], restitution=p["restitution"]),
            friction=jc.RegularizedCoulomb(coefficient=p["friction"], slip_velocity=1e-2),
        ),
    )
    height, zero = p["radius"] + 0.01, jnp.zeros_like(p["radius"])
    start = jc.State(
        jnp.stack([zero, zero, height]), jnp.stack([p["speed"], zero, zero]), jnp.zeros(3)
    )
    found = jc.simulate(scene, start, jnp.array([0.0, 0.05, 0.1, 0.2, 0.4]), strict=False)
    return jnp.stack([found.position, found.velocity])


@pytest.mark.long
def test_derivatives_of_a_sphere_that_rests_are_those_of_double_precision():
    """The slip of a rolling sphere is smaller than the root of what single precision can hold."""
    values = {"radius": 0.02, "mass": 0.03, "stiffness": 1e8, "restitution": 0.6, "friction": 0.3}
    jacobian = jax.jit(jax.jacfwd(comes_to_rest))
    for speed in (0.0, 0.2):
        exact = jacobian({"speed": speed, **values})
        with jax.enable_x64(False):
            single = {key: jnp.float32(value) for key, value in values.items()}
            found = jacobian({"speed": jnp.float32(speed), **single})
        for name, derivative in exact.items():
            assert found[name].dtype == jnp.float32
            scale = max(
                float(np.max(np.abs(derivative))), 1e-3 / max(abs(values.get(name, 1.0)), 0.1)
            )
            assert np.max(np.abs(found[name] - derivative)) < 1e-2 * scale


def flight_and_impact(p: dict) -> jax.Array:
    """Position and velocity with rigid impacts, drag and lift."""
    found = scenes.simulated(p, law="newton", fluid=True, method=jc.Impulse(max_contacts=6))
    return jnp.concatenate([found.position, found.velocity], axis=-1)


@pytest.mark.long
@pytest.mark.slow
def test_derivatives_of_flights_in_air_are_finite_in_both_modes_and_agree():
    weights = np.cos(np.arange(scenes.SAMPLES * 6.0)).reshape(scenes.SAMPLES, 6)
    forward = jax.jit(jax.jacfwd(flight_and_impact))
    reverse = jax.jit(jax.grad(lambda p: jnp.sum(flight_and_impact(p) * weights)))
    failures = {}
    for name, changes in CORNERS.items():
        p = {key: value[0] for key, value in scenes.stacked([changes]).items()}
        there, back = forward(p), reverse(p)
        failures[name] = not_finite((there, back))
        expected = {
            key: np.tensordot(weights, np.asarray(value), 2) for key, value in there.items()
        }
        scale = max(np.max(np.abs(value)) for value in expected.values())
        for key, value in back.items():
            np.testing.assert_allclose(
                value, expected[key], rtol=1e-9, atol=1e-9 * scale + 1e-12, err_msg=f"{name}: {key}"
            )
    assert not {name: leaves for name, leaves in failures.items() if leaves}
