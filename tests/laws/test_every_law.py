"""What every law must do, whichever it is: the same contract for all of them.

A case is a function of real numbers or vectors, with points at its corners (no overlap, no slip, no damping, no friction) and away from
them. A new law needs one line here.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws import damping, elastic, friction, restitution
from jaxcontact.laws.normal import NORMAL_LAWS, HuntCrossley, LinearDashpot, PowerLawHuntCrossley, TsujiDashpot


@dataclasses.dataclass(frozen=True)
class Case:
    """``function(x)`` of a flat vector; at ``smooth`` points its derivatives are compared with differences."""

    function: Callable
    smooth: tuple
    corners: tuple = ()


CASES: dict[str, Case] = {}


def case(name, function, smooth, corners=()):
    CASES[name] = Case(function, tuple(map(tuple, smooth)), tuple(map(tuple, corners)))


case(
    "power_law_force",
    lambda x: elastic.power_law_force(x[0], stiffness=x[1], exponent=x[2]),
    [(1e-3, 1e6, 1.5), (0.7, 3.0, 1.0), (0.2, 3.0, 2.3)],
    [(0.0, 1e6, 1.5), (-1e-3, 1e6, 1.5), (0.0, 1.0, 1.0), (1e-20, 1e6, 1.5)],
)
for fixed in (1, 1.5, 2, 1.2):
    case(
        f"power_law_force {fixed}",
        lambda x, n=fixed: elastic.power_law_force(x[0], stiffness=x[1], exponent=n),
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
for law in restitution.RESTITUTION_LAWS.values():
    case(law.name, lambda x, law=law: law.damping_ratio(x[0]), [(0.05,), (0.6,), (0.97,)], [(1.0,), (1e-3,), (1 / 3,)])
case("obtained_restitution", lambda x: restitution.obtained_restitution(x[0]), [(0.01,), (0.8,), (5.0,)], [(0.0,), (8 / 3,), (1e4,)])
for end in restitution.CONTACT_ENDS.values():
    case(f"{end.name} restitution", lambda x, end=end: end.restitution(x[0]), [(0.05,), (0.7,), (3.0,)], [(0.0,), (1.0,), (1e3,)])
    case(f"{end.name} damping", lambda x, end=end: end.damping(x[0]), [(0.04,), (0.6,)], [(1.0,), (0.1353352832366127,), (1e-3,)])
for law in friction.REGULARIZATIONS.values():
    case(
        f"{law.name} friction_force",
        lambda x, law=law: friction.friction_force(x[:3], x[3], coefficient=x[4], slip_velocity=x[5], regularization=law),
        [(0.3, -0.2, 0.1, 10.0, 0.2, 0.15), (0.03, -0.02, 0.01, 10.0, 0.2, 0.15)],
        [(0.0, 0.0, 0.0, 10.0, 0.2, 0.15), (0.3, 0.0, 0.0, 0.0, 0.0, 1e-3), (0.15, 0.0, 0.0, 1.0, 0.2, 0.15), (9.0, 0.0, 0.0, 1.0, 0.2, 1e-6)],
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
    "HuntCrossley linear": lambda k, e: HuntCrossley(stiffness=k, restitution=e, exponent=1.0),
    "PowerLawHuntCrossley": lambda k, e: PowerLawHuntCrossley(stiffness=k, restitution=e, exponent=1.4 + 0 * k),
    **{f"LinearDashpot {end}": lambda k, e, end=end: LinearDashpot(stiffness=k, restitution=e, end=end) for end in restitution.CONTACT_ENDS},
    **{f"TsujiDashpot {end}": lambda k, e, end=end: TsujiDashpot(stiffness=k, restitution=e, end=end) for end in restitution.CONTACT_ENDS},
}
for name, build in MODELS.items():
    case(
        f"{name} force",
        lambda x, build=build: build(x[0], x[1]).force(x[2], x[3], impact_speed=x[4], mass=x[5]),
        [(1e4, 0.8, 0.01, 0.3, 0.7, 0.2), (1e4, 0.5, 0.02, -0.1, 0.7, 0.2)],
        [(1e4, 1.0, 0.0, 0.3, 0.7, 0.2), (1e4, 0.8, -0.1, 0.3, 0.7, 0.2), (1e4, 0.8, 0.0, 0.0, 0.7, 0.2)],
    )
    case(
        f"{name} summary",
        lambda x, build=build: jnp.stack(
            [
                build(x[0], x[1]).restitution_at(x[2], mass=x[3]),
                build(x[0], x[1]).end_angle(impact_speed=x[2], mass=x[3]),
                build(x[0], x[1]).reduced_force(x[4], x[5], impact_speed=x[2], mass=x[3]),
                *build(x[0], x[1]).scales(impact_speed=x[2], mass=x[3]),
                build(x[0], x[1]).static_overlap(x[6]),
            ]
        ),
        [(1e4, 0.8, 0.7, 0.2, 0.6, -0.3, 2.0)],
        [(1e4, 1.0, 0.7, 0.2, 0.0, 1.0, 0.0)],
    )


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_finite_and_agree_between_transforms(name):
    f, points = CASES[name].function, np.array(CASES[name].smooth + CASES[name].corners)
    one_by_one = np.stack([f(point) for point in jnp.asarray(points)])
    value = jax.jit(jax.vmap(f))(points)
    np.testing.assert_allclose(value, one_by_one, rtol=1e-12, atol=1e-14)
    forward, reverse = jax.jit(jax.vmap(jax.jacfwd(f)))(points), jax.vmap(jax.jit(jax.jacrev(f)))(points)
    np.testing.assert_allclose(forward, reverse, rtol=1e-11, atol=1e-13 * np.max(np.abs(forward)))
    forward_of_reverse = jax.jit(jax.vmap(jax.jacfwd(jax.jacrev(f))))(points)
    reverse_of_forward = jax.jit(jax.vmap(jax.jacrev(jax.jacfwd(f))))(points)
    np.testing.assert_allclose(forward_of_reverse, reverse_of_forward, rtol=1e-9, atol=1e-12 * np.max(np.abs(forward_of_reverse)))
    for result in (value, forward, forward_of_reverse):
        assert np.all(np.isfinite(result))

    # Differences of the value, and of the derivative, at the points away from corners: sixth order, relative step 3e-3.
    smooth = points[: len(CASES[name].smooth)]
    weights, offsets = np.array([-1, 9, -45, 45, -9, 1]) / 60, np.array([-3, -2, -1, 1, 2, 3])
    for index in range(points.shape[1]):
        step = 3e-3 * np.abs(smooth[:, index])
        shifted = np.repeat(smooth[None], 6, 0)
        shifted[:, :, index] += offsets[:, None] * step
        for function, derivative in ((f, forward), (jax.jacfwd(f), forward_of_reverse)):
            samples = np.stack([jax.vmap(function)(block) for block in shifted]) if function is f else differentiated(name, shifted)
            difference = np.moveaxis(np.tensordot(weights, samples, 1), 0, -1) / step
            exact = np.moveaxis(np.asarray(derivative)[: len(smooth)][..., index], 0, -1)
            np.testing.assert_allclose(difference, exact, rtol=2e-8, atol=1e-9 * np.max(np.abs(exact)) + 1e-10)


def differentiated(name, blocks):
    """The first derivative of a case at blocks of points, compiled once."""
    compiled = jax.jit(jax.vmap(jax.jacfwd(CASES[name].function)))
    return np.stack([compiled(block) for block in blocks])


@pytest.mark.parametrize("name", CASES)
def test_single_precision_gives_finite_single_precision(name):
    f, points = CASES[name].function, np.array(CASES[name].smooth + CASES[name].corners)
    value, slope = jax.jit(jax.vmap(f)), jax.jit(jax.vmap(jax.jacfwd(f)))
    single = points.astype(np.float32)
    assert value(single).dtype == slope(single).dtype == jnp.float32
    for function in (value, slope, jax.jit(jax.vmap(jax.jacrev(jax.jacfwd(f))))):
        assert np.all(np.isfinite(function(single)))
    exact = np.asarray(value(single.astype(float)))
    np.testing.assert_allclose(value(single), exact, rtol=2e-4, atol=1e-5 * np.max(np.abs(exact)))


def test_every_normal_law_is_covered():
    assert {name.split()[0] for name in MODELS} == {name for name, law in NORMAL_LAWS.items() if hasattr(law, "force")}
