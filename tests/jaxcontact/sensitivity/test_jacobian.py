"""Jacobians and second derivatives are those of JAX in either mode, whole or in chunks; the cheaper
mode is taken; bad input is named.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.sensitivity import hessian, jacobian, value_and_jacobian
from jaxcontact.sensitivity.jacobian import cheaper_mode

POINT = {
    "a": jnp.array([0.3, -0.2, 0.9]),
    "b": (jnp.array(0.7), jnp.array([[1.0, 2.0], [0.5, -1.0]])),
}


def function(p, factor=2.0):
    a, (b, c) = p["a"], p["b"]
    return {
        "vector": jnp.sin(a * b) * factor,
        "matrix": jnp.outer(c @ c[0], a) * b,
        "scalar": jnp.sum(c) * jnp.prod(a),
    }


@functools.cache
def jacobian_of_jax():
    """At the point, compiled at once."""
    return jax.jit(lambda p: (function(p), jax.jacfwd(function)(p)))(POINT)


def assert_same(found, wanted):
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    jax.tree.map(
        lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14), found, wanted
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@pytest.mark.parametrize("chunk", [None, 1, 3, 100])
def test_jacobian_is_that_of_jax(mode, chunk):
    value, found = jax.jit(value_and_jacobian(function, mode=mode, chunk=chunk))(POINT)
    expected_value, expected = jacobian_of_jax()
    assert_same(found, expected)
    assert_same(value, expected_value)
    assert_same(jacobian(function, mode=mode, chunk=chunk)(POINT), found)


@pytest.mark.long("None-forward")
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("chunk", [None, 3])
def test_second_derivatives_are_those_of_jax(mode, chunk):
    assert_same(
        jax.jit(hessian(function, mode=mode, chunk=chunk))(POINT),
        jax.jit(jax.hessian(function))(POINT),
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_it_works_in_lanes(mode):
    lanes = jax.tree.map(lambda x: jnp.stack([x, 2 * x, x + 1]), POINT)
    assert_same(
        jax.vmap(jacobian(function, mode=mode, chunk=3))(lanes),
        jax.jit(jax.vmap(jax.jacfwd(function)))(lanes),
    )


def test_further_arguments_are_not_differentiated():
    assert_same(jacobian(function)(POINT, 3), jax.jacfwd(lambda p: function(p, 3.0))(POINT))


def test_mixed_precision_is_kept():
    point = {"wide": jnp.array([0.5, 0.2]), "narrow": jnp.array(0.25, dtype=jnp.float32)}

    def product(p):
        return (p["wide"] * p["narrow"], p["narrow"] ** 2)

    for mode in ("forward", "reverse"):
        first, second = jacobian(product, mode=mode)(point)
        assert [first["wide"].dtype, second["narrow"].dtype] == [jnp.float64, jnp.float32]
        np.testing.assert_allclose(first["wide"], 0.25 * np.eye(2))


def program_of(function, point):
    return str(jax.make_jaxpr(function)(point))


def test_a_misfit_of_few_parameters_takes_forward_mode_and_of_many_reverse_mode():
    assert cheaper_mode(8, 1) == "forward"
    assert cheaper_mode(100, 1) == "reverse"
    assert cheaper_mode(100, 600) == "forward"

    def misfit(p):
        return jnp.sum(jnp.sin(p))

    for size, mode in ((8, "forward"), (100, "reverse")):
        point = jnp.linspace(0.0, 1.0, size)
        chosen, forced = (program_of(jacobian(misfit, mode=m), point) for m in (None, mode))
        other = program_of(
            jacobian(misfit, mode="reverse" if mode == "forward" else "forward"), point
        )
        assert chosen == forced != other


def test_chunks_bound_the_memory_of_forward_mode():
    def final(p):
        return jnp.sum(
            jax.lax.scan(
                lambda x, _: (x + 1e-3 * jnp.sin(p) * x, None), jnp.ones(1000), None, length=100
            )[0]
        )

    point = jnp.zeros(1000)
    whole, parts = (
        jax.jit(jacobian(final, mode="forward", chunk=chunk))
        .lower(point)
        .compile()
        .memory_analysis()
        .temp_size_in_bytes
        for chunk in (None, 10)
    )
    assert parts < whole / 10


@pytest.mark.slow
def test_the_jacobian_of_a_scene_is_a_tree_of_scenes():
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.01), contact=contact)

    def height(scene):
        start = jc.state(position=(0.0, 0.0, 0.2))
        return jc.simulate(
            scene, start, jnp.array([0.0, 0.3]), method=jc.Impulse(max_contacts=3)
        ).position[-1, 2]

    by_scene = jacobian(height)(scene)
    assert isinstance(by_scene, jc.Scene)
    impact = np.sqrt(2 * 9.81 * 0.18)
    np.testing.assert_allclose(
        by_scene.contact.normal.restitution, impact * (0.3 - impact / 9.81), rtol=1e-9
    )


def test_errors_name_the_leaf_and_the_remedy():
    with pytest.raises(
        ValueError, match=r"jacobian: mode = 'foward' is not known\. Did you mean 'forward'\?"
    ):
        jacobian(function, mode="foward")
    with pytest.raises(ValueError, match=r"hessian: chunk = 0 is not a whole number >= 1"):
        hessian(function, chunk=0)
    with pytest.raises(
        TypeError,
        match=r"jacobian: leaf \['b'\]\[0\] of the first argument has type int, .*Write 1\.0 "
        r"instead of 1",
    ):
        jacobian(function)({**POINT, "b": (1, POINT["b"][1])})
    with pytest.raises(
        TypeError,
        match=r"leaf \[1\] of the value of the function has type int32, .*Return only floats",
    ):
        value_and_jacobian(lambda x: (x, jnp.asarray(1, dtype=jnp.int32)))(0.5)
