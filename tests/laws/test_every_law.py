"""What every law must do, whichever it is: the same contract for all of them.

A case is a function of real numbers or vectors, with points at its corners (no overlap, no slip, no damping, no friction) and away from
them. A new law needs one line here.
"""

import dataclasses
import itertools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws import damping, elastic, friction, restitution
from jaxcontact.laws.normal import NORMAL_LAWS, HuntCrossley, LinearDashpot, PowerLawHuntCrossley, TsujiDashpot


@dataclasses.dataclass(frozen=True)
class Case:
    """``function(x)`` of a flat vector; at ``smooth`` points its derivatives are compared with differences.

    ``second``: whether the second derivative, too (it takes seconds to compile where a root is solved for, and has tests of its own).
    """

    function: Callable
    smooth: tuple
    corners: tuple = ()
    second: bool = True


CASES: dict[str, Case] = {}


def case(name, function, smooth, corners=(), second=True):
    CASES[name] = Case(function, tuple(map(tuple, smooth)), tuple(map(tuple, corners)), second)


case(
    "power_law_force",
    lambda x: elastic.power_law_force(x[0], stiffness=x[1], exponent=x[2]),
    [(1e-3, 1e6, 1.5), (0.7, 3.0, 1.0), (0.2, 3.0, 2.3)],
    [(0.0, 1e6, 1.5), (-1e-3, 1e6, 1.5), (0.0, 1.0, 1.0), (1e-20, 1e6, 1.5)],
)
case(
    "power_law_force with fixed exponents",
    lambda x: jnp.stack([elastic.power_law_force(x[0], stiffness=x[1], exponent=n) for n in (1, 1.5, 2, 1.2)]),
    [(1e-3, 1e6), (0.7, 3.0)],
    [(0.0, 1e6), (-1e-3, 1e6), (1e-20, 1.0)],
)
case(
    "elastic_energy",
    lambda x: elastic.elastic_energy(x[0], stiffness=x[1], exponent=x[2]),
    [(1e-3, 1e6, 1.5), (0.7, 3.0, 2.0)],
    [(0.0, 1e6, 1.5), (-1.0, 1e6, 1.5)],
)
case(
    "maximum_overlap",
    lambda x: elastic.maximum_overlap(x[0], mass=x[1], stiffness=x[2], exponent=x[3]),
    [(2.0, 0.1, 1e4, 1.5), (0.3, 2.0, 40.0, 1.0)],
    [(0.0, 0.1, 1e4, 1.5)],
)
case(
    "contact_duration",
    lambda x: elastic.contact_duration(x[0], mass=x[1], stiffness=x[2], exponent=x[3]),
    [(2.0, 0.1, 1e4, 1.5), (0.3, 2.0, 40.0, 1.0)],
)
case(
    "static_overlap",
    lambda x: elastic.static_overlap(x[0], stiffness=x[1], exponent=x[2]),
    [(9.81, 1e4, 1.5), (2.0, 3.0, 1.0)],
    [(0.0, 1e4, 1.5), (-1.0, 1e4, 1.5)],
)
case(
    "hunt_crossley_force",
    lambda x: damping.hunt_crossley_force(x[0], x[1], stiffness=x[2], exponent=x[3], damping=x[4]),
    [(1e-3, -0.4, 1e4, 1.5, 0.3)],
    [(0.0, 1.0, 1e4, 1.5, 0.3), (-1e-3, 1.0, 1e4, 1.5, 0.3), (1e-3, 0.0, 1e4, 1.5, 0.0)],
)
case(
    "linear_dashpot_force",
    lambda x: damping.linear_dashpot_force(x[0], x[1], stiffness=x[2], damping=x[3]),
    [(1e-3, -0.4, 1e4, 0.3)],
    [(0.0, 1.0, 1e4, 0.3), (-1.0, 1.0, 1e4, 0.3)],
)
case(
    "tsuji_dashpot_force",
    lambda x: damping.tsuji_dashpot_force(x[0], x[1], stiffness=x[2], mass=x[3], alpha=x[4]),
    [(1e-3, -0.4, 1e4, 0.1, 0.3)],
    [(0.0, 1.0, 1e4, 0.1, 0.3), (1e-3, 1.0, 1e4, 0.1, 0.0)],
)
case("no_tension", lambda x: damping.no_tension(x[0]), [(2.0,), (-2.0,)], [(0.0,)])
NOMINAL = [law.damping_ratio for law in restitution.RESTITUTION_LAWS.values() if law is not restitution.EXACT]
case("nominal laws", lambda x: jnp.stack([ratio(x[0]) for ratio in NOMINAL]), [(0.05,), (0.6,), (0.97,)], [(1.0,), (1e-3,), (1 / 3,)])
case("exact", lambda x: restitution.exact_damping_ratio(x[0]), [(0.05,), (0.6,), (0.97,)], [(1.0,), (1e-3,), (1 / 3,)], second=False)
case(
    "obtained_restitution",
    lambda x: restitution.obtained_restitution(x[0]),
    [(0.01,), (0.8,), (5.0,)],
    [(0.0,), (8 / 3,), (1e4,)],
    second=False,
)
for end in restitution.CONTACT_ENDS.values():
    case(f"{end.name} restitution", lambda x, end=end: end.restitution(x[0]), [(0.05,), (0.7,), (3.0,)], [(0.0,), (1.0,), (1e3,)])
    case(f"{end.name} damping", lambda x, end=end: end.damping(x[0]), [(0.04,), (0.6,)], [(1.0,), (0.1353352832366127,), (1e-3,)])
for law in friction.REGULARIZATIONS.values():
    case(
        f"{law.name} friction_force",
        lambda x, law=law: friction.friction_force(x[:3], x[3], coefficient=x[4], slip_velocity=x[5], regularization=law),
        [(0.3, -0.2, 0.1, 10.0, 0.2, 0.15), (0.03, -0.02, 0.01, 10.0, 0.2, 0.15)],
        [
            (0.0, 0.0, 0.0, 10.0, 0.2, 0.15),
            (0.3, 0.0, 0.0, 0.0, 0.0, 1e-3),
            (0.15, 0.0, 0.0, 1.0, 0.2, 0.15),
            (9.0, 0.0, 0.0, 1.0, 0.2, 1e-6),
        ],
    )
    case(
        f"{law.name} slip_after_impulse",
        lambda x, law=law: friction.slip_after_impulse(x[:3], x[3], coefficient=x[4], slip_velocity=x[5], regularization=law),
        [(0.3, -0.2, 0.1, 0.4, 0.2, 0.15), (0.3, -0.2, 0.1, 4.0, 0.2, 0.15), (0.03, -0.02, 0.01, 0.4, 0.2, 0.15)],
        [
            *((0.0, 0.0, 0.0, 1.0, 0.2, 0.15), (0.0, 0.0, 0.0, 0.0, 0.0, 0.15), (0.3, 0.0, 0.0, 0.0, 0.2, 0.15)),
            *((0.15, 0.0, 0.0, 1.0, 0.2, 0.15), (5.0, 0.0, 0.0, 50.0, 0.3, 1e-3), (5.0, 0.0, 0.0, 1e3, 1.0, 1e-5)),
        ],
    )
for smoothing in (0.0, 0.05):
    case(
        f"tangential_impulse {smoothing}",
        lambda x, h=smoothing: friction.tangential_impulse(x[:3], x[3], coefficient=x[4], tangential_restitution=x[5], smoothing=h),
        [(0.3, -0.2, 0.1, 0.4, 0.2, 0.4), (0.3, -0.2, 0.1, 4.0, 0.9, -0.3)],
        [
            *((0.0, 0.0, 0.0, 1.0, 0.2, 0.4), (0.0, 0.0, 0.0, 0.0, 0.0, 0.4), (0.3, 0.0, 0.0, 0.0, 0.2, 0.4)),
            *((0.3, 0.0, 0.0, 1.0, 0.3, 0.0), (0.3, 0.0, 0.0, 1.0, 0.3, -1.0), (0.0, 0.0, 0.0, 1.0, 0.3, -1.0)),
        ],
    )
MODELS = {
    "HuntCrossley": lambda k, e: HuntCrossley(stiffness=k, restitution=e),
    "HuntCrossley with reference speed": lambda k, e: HuntCrossley(stiffness=k, restitution=e, reference_speed=3.0),
    "PowerLawHuntCrossley": lambda k, e: PowerLawHuntCrossley(stiffness=k, restitution=e, exponent=1.4 + 0 * k),
    "LinearDashpot": lambda k, e: LinearDashpot(stiffness=k, restitution=e),
    "TsujiDashpot": lambda k, e: TsujiDashpot(stiffness=k, restitution=e, end="zero_force"),
}
for name in ("HuntCrossley", "PowerLawHuntCrossley", "LinearDashpot", "TsujiDashpot"):
    case(
        f"{name} force",
        lambda x, build=MODELS[name]: build(x[0], x[1]).force(x[2], x[3], impact_speed=x[4], mass=x[5]),
        [(1e4, 0.8, 0.01, 0.3, 0.7, 0.2), (1e4, 0.5, 0.02, -0.1, 0.7, 0.2)],
        [(1e4, 1.0, 0.0, 0.3, 0.7, 0.2), (1e4, 0.8, -0.1, 0.3, 0.7, 0.2), (1e4, 0.8, 0.0, 0.0, 0.7, 0.2)],
        second=name == "LinearDashpot",
    )
for name in ("HuntCrossley with reference speed", "LinearDashpot", "TsujiDashpot"):
    case(
        f"{name} summary",
        lambda x, build=MODELS[name]: jnp.stack(
            [
                build(x[0], x[1]).restitution_at(x[2], mass=x[3]),
                *build(x[0], x[1]).scales(impact_speed=x[2], mass=x[3]),
                build(x[0], x[1]).static_overlap(x[6]),
            ]
        ),
        [(1e4, 0.8, 0.7, 0.2, 0.6, -0.3, 2.0)],
        [(1e4, 1.0, 0.7, 0.2, 0.0, 0.9, 0.0)],
        second=False,
    )


def compiled(function):
    """``function`` at many points. Compiled with little optimisation: compilation is what these tests spend their time on."""
    return jax.jit(jax.vmap(function), compiler_options={"xla_backend_optimization_level": 0})


def first_order(name):
    """Value, and first derivative forward and reverse, at many points; compiled once."""
    f = CASES[name].function
    return compiled(lambda x: (f(x), jax.jacfwd(f)(x), jax.jacrev(f)(x)))


def second_order(name):
    """Second derivative, forward over reverse, at many points; compiled once."""
    return compiled(jax.jacfwd(jax.jacrev(CASES[name].function)))


WEIGHTS, OFFSETS, STEP = np.array([-1, 9, -45, 45, -9, 1]) / 60, np.array([-3, -2, -1, 1, 2, 3]), 3e-3


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_finite_and_agree_between_transforms_and_with_differences(name):
    smooth = np.array(CASES[name].smooth)
    points = np.array(CASES[name].smooth + CASES[name].corners)
    count, size = smooth.shape
    # Sixth-order differences of value and derivative at the points away from corners, in relative steps: (argument, offset, point, :).
    shifted = smooth * (1 + STEP * OFFSETS[:, None, None] * np.eye(size)[:, None, None, :])
    value, forward, reverse = (np.asarray(r) for r in first_order(name)(np.concatenate([points, shifted.reshape(-1, size)])))
    orders = [value, forward, *([np.asarray(second_order(name)(points))] if CASES[name].second else [])]
    for result in orders:
        assert np.all(np.isfinite(result))
    np.testing.assert_allclose(CASES[name].function(jnp.asarray(points[-1])), value[len(points) - 1], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(forward, reverse, rtol=1e-11, atol=1e-11 * np.max(np.abs(forward)))
    for low, high in itertools.pairwise(orders):
        samples = low[len(points) :].reshape(size, 6, count, *low.shape[1:])
        for index in range(size):
            step = STEP * smooth[:, index].reshape(count, *[1] * (low.ndim - 1))
            error = np.abs(np.tensordot(WEIGHTS, samples[index], 1) / step - high[:count][..., index])
            allowed = 2e-8 * np.abs(high[:count][..., index]) + 1e-14 * np.max(np.abs(low)) / np.abs(step)
            assert np.all(error <= allowed)


SOLVED = ("exact", "obtained_restitution", "zero_force damping")  # second derivatives take long to compile


@pytest.mark.parametrize("name", [name for name in CASES if name.split()[0] not in NORMAL_LAWS])
def test_single_precision_gives_finite_single_precision(name):
    points = np.array(CASES[name].smooth + CASES[name].corners, np.float32)
    f = CASES[name].function
    derivative = jax.jacfwd(f) if name in SOLVED else jax.jacfwd(jax.jacrev(f))
    value, slope = compiled(lambda x: (f(x), derivative(x)))(points)
    assert value.dtype == slope.dtype == jnp.float32
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(slope))
    exact = np.asarray(jax.vmap(f)(points.astype(float)))
    np.testing.assert_allclose(value, exact, rtol=2e-4, atol=1e-5 * np.max(np.abs(exact)))


@pytest.mark.parametrize("name", ["tsuji_dashpot_force", "root slip_after_impulse", "linear slip_after_impulse", "tangential_impulse 0.05"])
def test_reverse_over_forward_agrees_with_forward_over_reverse(name):
    points = np.array(CASES[name].smooth + CASES[name].corners)
    other = compiled(jax.jacrev(jax.jacfwd(CASES[name].function)))(points)
    exact = np.asarray(second_order(name)(points))
    np.testing.assert_allclose(other, exact, rtol=1e-9, atol=1e-12 * np.max(np.abs(exact)))


def test_every_normal_law_is_covered():
    assert {name.split()[0] for name in MODELS} == {name for name, law in NORMAL_LAWS.items() if hasattr(law, "force")}
