"""Values and derivatives of the building blocks, at their corners and elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.numerics import smooth


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_norm_of_the_zero_vector_and_its_derivatives_are_zero(dtype):
    zero = jnp.zeros(3, dtype)
    f = smooth.safe_norm
    orders = jax.jit(
        lambda v: (
            f(v),
            jax.grad(f)(v),
            jax.jacfwd(f)(v),
            jax.jacfwd(jax.jacrev(f))(v),
            jax.jacrev(jax.jacfwd(f))(v),
        )
    )
    for derivative in orders(zero):
        assert not np.any(derivative)


HESSIAN = jax.jit(jax.hessian(smooth.safe_norm))


@pytest.mark.parametrize("length", [1e-140, 1e-20, 1.0, 1e100])
def test_the_norm_and_its_two_derivatives_are_the_known_ones(length):
    direction = np.array([2.0, -3.0, 6.0]) / 7
    vector = jnp.asarray(length * direction)
    assert smooth.safe_norm(vector) == pytest.approx(length, rel=1e-14)
    np.testing.assert_allclose(jax.grad(smooth.safe_norm)(vector), direction, rtol=1e-14)
    np.testing.assert_allclose(
        HESSIAN(vector) * length, np.eye(3) - np.outer(direction, direction), atol=1e-13
    )


def test_a_vector_too_short_for_its_second_derivative_counts_as_zero():
    assert not np.any(HESSIAN(jnp.array([1e-160, 0.0, 0.0])))
    assert not np.any(HESSIAN(jnp.array([1e-20, 0.0, 0.0], jnp.float32)))


def test_the_norm_runs_along_any_axis():
    block = np.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        np.testing.assert_allclose(
            smooth.safe_norm(block, axis=axis), np.linalg.norm(block, axis=axis), rtol=1e-15
        )


def test_the_positive_part_takes_the_slope_of_the_active_side():
    assert [float(smooth.positive_part(x)) for x in (-2.0, 0.0, 2.0)] == [0.0, 0.0, 2.0]
    assert [float(jax.grad(smooth.positive_part)(x)) for x in (-2.0, 0.0, 2.0)] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("width", [1e-6, 1.0, 1e3])
def test_the_smooth_positive_part_stays_within_its_bound(width):
    x = width * np.linspace(-30, 30, 601)
    excess = np.asarray(smooth.smooth_positive_part(x, width)) - np.maximum(x, 0)
    assert np.all(excess >= 0)
    assert np.all(
        excess
        <= width * np.minimum(np.log(2), np.exp(-np.abs(x) / width)) * (1 + 1e-12) + 1e-14 * width
    )
    assert excess.max() == pytest.approx(width * np.log(2), rel=1e-12)
    assert np.all(
        np.isfinite(
            jax.vmap(jax.grad(jax.grad(smooth.smooth_positive_part)), (0, None))(1e4 * x, width)
        )
    )


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1, 1.0, 1.5, 2.0, 2.5, 1.7])
def test_a_power_agrees_whether_its_exponent_is_a_number_or_an_array(exponent):
    base = jnp.array([-1.0, 0.0, 1e-9, 0.3, 7.0])
    expected = np.where(base > 0, np.maximum(base, 0) ** exponent, 0)
    for power in (exponent, jnp.asarray(float(exponent))):
        np.testing.assert_allclose(smooth.positive_power(base, power), expected, rtol=1e-14)


def test_a_power_has_zero_derivatives_at_and_below_zero():
    hessian = jax.jit(jax.hessian(smooth.positive_power, (0, 1)))
    for base in (0.0, -1.0):
        assert not np.any(jax.grad(smooth.positive_power, (0, 1))(base, 1.5))
        assert not np.any(hessian(base, 1.5))
    base, n = 0.3, 1.7
    log = np.log(base)
    expected = [
        [n * (n - 1) * base ** (n - 2), base ** (n - 1) * (1 + n * log)],
        [base ** (n - 1) * (1 + n * log), base**n * log**2],
    ]
    np.testing.assert_allclose(hessian(base, n), expected, rtol=1e-13)


RATIOS = {
    "tanh": (smooth.tanh_ratio, np.tanh, jnp.tanh, 20.0),
    "sinh": (smooth.sinh_ratio, np.sinh, jnp.sinh, 20.0),
    "arcsinh": (smooth.arcsinh_ratio, np.arcsinh, jnp.arcsinh, 1e6),
    "expm1": (smooth.expm1_ratio, np.expm1, jnp.expm1, 20.0),
    "log1p": (smooth.log1p_ratio, np.log1p, jnp.log1p, 1e6),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RATIOS)
def test_a_ratio_f_over_x_and_two_derivatives_follow_from_f(name):
    ratio, exact, f, largest = RATIOS[name]
    x = np.concatenate(
        [[0.0], np.logspace(-8, np.log10(largest), 400), [0.0999999, 0.1, 0.1999999, 0.2]]
    )
    np.testing.assert_allclose(
        ratio(x[1:]), (exact(x[1:].astype(np.longdouble)) / x[1:]).astype(float), rtol=3e-15
    )
    assert ratio(0.0) == 1
    first, second = jax.jit(jax.vmap(jax.grad(ratio))), jax.jit(jax.vmap(jax.grad(jax.grad(ratio))))
    slope, curvature = jax.vmap(jax.grad(f))(x), jax.vmap(jax.grad(jax.grad(f)))(x)
    # (x r)' = f' and (x r)'' = f''; at 0 the second says that r' is half of f''.
    np.testing.assert_allclose(x * first(x) + ratio(x), slope, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(x * second(x) + 2 * first(x), curvature, rtol=1e-13, atol=1e-12)


def exponential_root(p):
    """``ln p`` as a root, its parameter passed."""
    return smooth.implicit_root(lambda x, p: jnp.exp(x) - p, 0.5, p, steps=8)


def closed_over_root(p):
    """``ln p`` as a root, its parameter closed over."""
    return smooth.implicit_root(lambda x: jnp.exp(x) - p, 0.5, steps=8)


@pytest.mark.slow
@pytest.mark.parametrize("root", [exponential_root, closed_over_root])
@pytest.mark.parametrize("mode", ["forward", "reverse", "mixed"])
def test_an_implicit_root_has_exact_derivatives_to_the_third_order(root, mode):
    first, second, third = {
        "forward": (jax.jacfwd, jax.jacfwd, jax.jacfwd),
        "reverse": (jax.jacrev, jax.jacrev, jax.jacrev),
        "mixed": (jax.jacrev, jax.jacfwd, jax.jacrev),
    }[mode]
    p = jnp.array([0.4, 1.0, 3.7])
    orders = jax.jit(
        jax.vmap(
            lambda p: (
                root(p),
                first(root)(p),
                second(first(root))(p),
                third(second(first(root)))(p),
            )
        )
    )(p)
    for derivative, exact in zip(orders, [np.log(p), 1 / p, -1 / p**2, 2 / p**3], strict=True):
        np.testing.assert_allclose(derivative, exact, rtol=1e-13, atol=1e-15)


def test_an_implicit_root_needs_neither_jit_nor_vmap():
    p = jnp.array([0.4, 1.0, 3.7])
    np.testing.assert_allclose(exponential_root(p), np.log(p), atol=1e-15)
    np.testing.assert_allclose(jax.jacrev(exponential_root)(p), np.diag(1 / p), rtol=1e-14)


def test_an_implicit_root_ignores_derivatives_of_its_guess():
    def root(guess):
        return smooth.implicit_root(lambda x: jnp.exp(x) - 2.0, guess, steps=8)

    assert jax.grad(root)(0.6) == 0


def test_eased_and_rounded_forms_are_exact_outside_their_width_and_bounded_inside():
    x, width = np.linspace(-2.0, 2.0, 4001), 0.5
    eased = smooth.eased_positive_part(x, width)
    lacks = np.maximum(x, 0.0) - eased
    outside = (x <= 0.0) | (x >= width)
    assert np.all(lacks[outside] == 0.0)
    assert 0.27 * width < np.max(lacks) < 0.274 * width
    assert np.min(lacks) >= 0.0
    exceeds = smooth.rounded_absolute(x, width) - np.abs(x)
    assert np.all(exceeds[np.abs(x) >= width] == 0.0)
    np.testing.assert_allclose(np.max(exceeds), 3 / 8 * width, rtol=1e-6)
    assert np.min(exceeds) >= -1e-15
    above = smooth.rounded_maximum(x, 0.1, width) - np.maximum(x, 0.1)
    np.testing.assert_allclose(np.max(above), 3 / 16 * width, rtol=1e-6)


def test_a_width_of_zero_is_the_hard_form_with_finite_derivatives():
    for form, hard in (
        (smooth.eased_positive_part, lambda x: max(x, 0.0)),
        (smooth.rounded_absolute, abs),
    ):
        for x in (-1.0, 0.0, 1.0):
            assert form(x, 0.0) == hard(x)
            assert np.all(np.isfinite(jax.grad(form, (0, 1))(x, 0.0)))
