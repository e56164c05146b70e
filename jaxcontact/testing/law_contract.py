"""What every law must do, whichever it is: finite and right derivatives of two orders, under every
transform, and the rest of the contract.

A law is seen as a function of one flat vector, made of all its real arguments (those inside models
and memories as well), with the other arguments fixed. Points with the same fixed arguments are
evaluated together, in one compiled function.
"""

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.normal_interfaces import CompliantLaw
from jaxcontact.laws.core.registry import LAWS, Law, is_number, is_sequence
from jaxcontact.numerics.compilation import quick_jit
from jaxcontact.parameters import declared_parameters
from jaxcontact.testing.impact import obtained_by_integration

DIFFERENCE, OFFSETS, STEP = (
    np.array([-1, 9, -45, 45, -9, 1]) / 60,
    np.array([-3, -2, -1, 1, 2, 3]),
    3e-3,
)


class Group(NamedTuple):
    """Points of a law that differ in real arguments only.

    ``points`` is ``(count, size)``, ``regular`` the number of those at the start where the law is
    smooth, ``scales`` ``(count, size)`` the magnitude of the argument that each entry belongs to.
    """

    function: Callable[[jax.Array], jax.Array]
    points: np.ndarray
    regular: int
    scales: np.ndarray


def _plain(value: Any) -> bool:
    """A tuple or list that is a vector (not a memory or a tuple of models)."""
    return is_sequence(value) and is_number(value)


def _is_real(leaf: Any) -> bool:
    return isinstance(leaf, float) or (
        hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)
    )


def _flatten(arguments: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """Leaves, vectors being one leaf each."""
    leaves, tree = jax.tree_util.tree_flatten(dict(arguments), is_leaf=_plain)
    return [np.asarray(leaf, float) if _plain(leaf) else leaf for leaf in leaves], tree


def flat(value: object) -> jax.Array:
    """All real numbers in ``value`` as one vector."""
    parts = [jnp.ravel(leaf) for leaf in jax.tree_util.tree_leaves(value) if _is_real(leaf)]
    return jnp.concatenate(parts) if parts else jnp.zeros(0)


def function_of_vector(
    law: Law, arguments: Mapping[str, Any]
) -> tuple[Callable[[jax.Array], jax.Array], np.ndarray, np.ndarray, Any]:
    """The law as a function of a flat vector, the vector and its scales at ``arguments``, and a key
    of everything held fixed.
    """
    leaves, tree = _flatten(arguments)
    real = [_is_real(leaf) for leaf in leaves]
    values = [
        np.asarray(leaf, float) for leaf, is_real in zip(leaves, real, strict=True) if is_real
    ]
    shapes = [value.shape for value in values]
    cuts = np.cumsum([value.size for value in values])[:-1]

    def function(vector: jax.Array) -> jax.Array:
        pieces = iter(
            [
                piece.reshape(shape)
                for piece, shape in zip(jnp.split(vector, cuts), shapes, strict=True)
            ]
        )
        filled = [
            next(pieces) if is_real else leaf for leaf, is_real in zip(leaves, real, strict=True)
        ]
        return flat(law.function(**jax.tree_util.tree_unflatten(tree, filled)))

    point = np.concatenate([value.ravel() for value in values])
    scales = np.concatenate(
        [np.full(value.size, np.max(np.abs(value), initial=0.0)) for value in values]
    )
    fixed = tuple(repr(leaf) for leaf, is_real in zip(leaves, real, strict=True) if not is_real)
    return function, point, scales, (str(tree), tuple(shapes), fixed)


@functools.cache
def groups(name: str) -> list[Group]:
    """The points of a law: its example and variants (regular), its switches and corners."""
    law = LAWS[name]
    collected: dict[Any, tuple[Callable, list, list, list]] = {}
    for changes, regular in (
        ({}, True),
        *((changes, True) for changes in law.variants),
        *((changes, False) for changes in (*law.switches, *law.corners)),
    ):
        function, point, scales, key = function_of_vector(law, law.arguments(**changes))
        found = collected.setdefault(key, (function, [], [], []))
        (found[1] if regular else found[2]).append(point)
        found[3].insert(len(found[1]) - 1, scales) if regular else found[3].append(scales)
    # An argument that is zero at a point has no scale there; it takes that of the first point.
    return [
        Group(
            function,
            np.array([*regular, *special]),
            len(regular),
            np.where(np.array(scales) > 0.0, scales, scales[0]),
        )
        for function, regular, special, scales in collected.values()
    ]


def compiled(function: Callable) -> Callable:
    """``function`` at many points. Compiled with little optimisation: compilation is what these
    tests spend their time on.
    """
    return quick_jit(jax.vmap(function), optimised=False)


class Orders(NamedTuple):
    """Value ``(count, n)``, first derivative forward and reverse ``(count, n, size)``, second
    ``(count, n, size, size)``.
    """

    value: np.ndarray
    forward: np.ndarray
    reverse: np.ndarray
    second: np.ndarray


def _kept(function: Callable) -> Callable:
    """``function`` with its value a second time, as what a derivative with ``has_aux`` hands on:
    then the law is traced once for both.
    """

    def both(x: jax.Array) -> tuple[Any, Any]:
        value = function(x)
        return value, value

    return both


@functools.cache
def _forward(name: str, index: int) -> Callable:
    """First derivative in forward mode, and value."""
    return compiled(jax.jacfwd(_kept(groups(name)[index].function), has_aux=True))


@functools.cache
def _reverse(name: str, index: int) -> Callable:
    """First derivative in reverse mode."""
    return compiled(jax.jacrev(groups(name)[index].function))


@functools.cache
def _second(name: str, index: int) -> Callable:
    """Second derivative, forward over reverse; first derivative in reverse mode."""
    reverse = jax.jacrev(groups(name)[index].function)
    return compiled(jax.jacfwd(_kept(reverse), has_aux=True))


@functools.cache
def _around(name: str, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Value and first derivative at the points of a group and at those from which differences are
    taken.
    """
    forward, value = _forward(name, index)(
        np.concatenate([groups(name)[index].points, _shifted(name, index)])
    )
    return np.asarray(value), np.asarray(forward)


@functools.cache
def orders(name: str, index: int) -> Orders:
    """At the points of a group."""
    points = groups(name)[index].points
    value, forward = (result[: len(points)] for result in _around(name, index))
    second, reverse = _second(name, index)(points)
    return Orders(value, forward, np.asarray(reverse), np.asarray(second))


def beside(name: str, index: int) -> tuple[np.ndarray, ...]:
    """Value and first derivative at the points from which differences are taken (a second
    derivative there would cost the most).
    """
    return tuple(result[len(groups(name)[index].points) :] for result in _around(name, index))


def _shifted(name: str, index: int) -> np.ndarray:
    """Regular points moved along each argument: ``(argument, offset, point)`` flattened to ``(.,
    size)``.
    """
    group = groups(name)[index]
    regular, size = group.points[: group.regular], group.points.shape[1]
    steps = STEP * group.scales[: group.regular]
    moved = regular + OFFSETS[:, None, None] * np.eye(size)[:, None, None, :] * steps
    return moved.reshape(-1, size)


def _scaled(slope: np.ndarray, group: Group) -> np.ndarray:
    """Derivatives by the last axis, times the magnitude of the argument: their errors are relative
    to this.
    """
    return slope * group.scales.reshape(
        group.scales.shape[0], *[1] * (slope.ndim - 2), group.scales.shape[1]
    )


def check_finite(name: str) -> None:
    """Value, first and second derivative are finite at every point."""
    for index, group in enumerate(groups(name)):
        for what, result in orders(name, index)._asdict().items():
            bad = ~np.isfinite(result).reshape(len(group.points), -1).all(axis=1)
            assert not bad.any(), f"{name}: {what} is not finite at {group.points[bad][0]}"


def check_jvp(name: str) -> None:
    """The derivative in forward mode equals sixth-order differences of the value."""
    for index, group in enumerate(groups(name)):
        value, forward = (result[: len(group.points)] for result in _around(name, index))
        _assert_slope(name, group, value, forward, beside(name, index)[0])


def check_second_derivative(name: str) -> None:
    """The second derivative, forward over reverse, equals sixth-order differences of the first."""
    for index, group in enumerate(groups(name)):
        results = orders(name, index)
        _assert_slope(name, group, results.forward, results.second, beside(name, index)[1])


def _assert_slope(
    name: str, group: Group, low: np.ndarray, high: np.ndarray, near: np.ndarray
) -> None:
    """``high`` is the derivative of ``low`` at the regular points; ``near`` is ``low`` at the
    points from which differences are taken.
    """
    count, size = group.regular, group.points.shape[1]
    if count == 0:
        return
    samples = near.reshape(size, len(OFFSETS), count, *low.shape[1:])
    rows = tuple(range(1, high.ndim - 1))
    for argument, point in itertools.product(range(size), range(count)):
        step = STEP * group.scales[point, argument]
        if step == 0.0:  # an argument that is zero in the example: no scale for a difference
            continue
        difference = np.tensordot(DIFFERENCE, samples[argument, :, point], 1) / step
        derivative = high[point][..., argument]
        error = np.abs(difference - derivative)
        size_of_row = np.max(np.abs(high[point] * group.scales[point]), axis=rows)
        size_of_row = size_of_row.reshape(
            size_of_row.shape + (1,) * (derivative.ndim - size_of_row.ndim)
        )
        rounding = 1e-13 * np.max(np.abs(low[point]), initial=0.0) / step
        allowed = (
            1e-7 * np.abs(derivative)
            + 1e-8 * size_of_row / group.scales[point, argument]
            + rounding
        )
        assert np.all(error <= allowed), (
            f"{name}: derivative by entry {argument} of {group.points[point]} is "
            f"{derivative}, differences give {difference}"
        )


def check_vjp(name: str) -> None:
    """The derivative in reverse mode equals that in forward mode, at every point."""
    for index, group in enumerate(groups(name)):
        slopes = _around(name, index)[1][: len(group.points)], _reverse(name, index)(group.points)
        forward, reverse = (_scaled(np.asarray(slope), group) for slope in slopes)
        assert np.all(
            np.abs(forward - reverse)
            <= 1e-11 * np.abs(forward) + 1e-12 * np.max(np.abs(forward), axis=(1, 2), keepdims=True)
        )


def check_grad_of_grad(name: str) -> None:
    """Reverse mode over reverse mode gives the second derivative: at every point where there is
    one, and finite numbers at the others.
    """
    for index, group in enumerate(groups(name)):
        f = group.function
        second = orders(name, index).second
        scaled = _scaled(second, group) * group.scales[:, None, :, None]
        weights = 1.0 / np.maximum(
            np.max(np.abs(scaled), axis=(0, 2, 3)), 1e-30
        )  # every output counts
        directions = group.scales * np.linspace(0.3, 1.0, group.points.shape[1])

        def slope(
            x: jax.Array, direction: jax.Array, f: Callable = f, weights: np.ndarray = weights
        ) -> jax.Array:
            return jax.grad(
                lambda x: jnp.dot(jax.grad(lambda y: jnp.dot(weights, f(y)))(x), direction)
            )(x)

        expected = np.einsum("i,cijk,cj->ck", weights, second, directions) * group.scales
        found = np.asarray(compiled(slope)(group.points, directions)) * group.scales
        assert np.all(np.isfinite(found)), name
        weighted = weights[:, None, None] * scaled
        allowed = 1e-8 * np.max(np.abs(weighted), axis=(1, 2, 3), initial=0.0)
        # Within rounding of a switch at which the second derivative jumps, compiled code may take
        # parts of it from one side, parts from the other. It is not symmetric then.
        one_sided = (
            np.max(np.abs(weighted - np.swapaxes(weighted, 2, 3)), axis=(1, 2, 3), initial=0.0)
            <= allowed
        )
        one_sided[: group.regular] = True
        assert np.all(np.abs(found - expected)[one_sided] <= allowed[one_sided, None]), name


def check_jit_and_vmap(name: str) -> None:
    """A plain call, point by point, gives what the compiled function gives for all points at
    once.
    """
    for index, group in enumerate(groups(name)):
        for point, value in zip(group.points[:3], _around(name, index)[0], strict=False):
            plain = np.asarray(group.function(jnp.asarray(point)))
            np.testing.assert_allclose(
                plain, value, rtol=1e-11, atol=1e-12 * np.max(np.abs(value), initial=1e-30)
            )


def check_single_precision(name: str) -> None:
    """Single precision in, finite single precision out, in value and two derivatives; the value is
    right to single precision.
    """
    for index, group in enumerate(groups(name)):
        points = group.points.astype(np.float32)
        results = jax.tree.map(
            np.asarray, (*_forward(name, index)(points), *_second(name, index)(points))
        )
        for result in results:
            assert result.dtype == np.float32
            assert np.all(np.isfinite(result)), name
        value = results[1]
        exact = orders(name, index).value[: group.regular]
        slope = np.sum(
            np.abs(
                orders(name, index).forward[: group.regular]
                * group.scales[: group.regular, None, :]
            ),
            axis=-1,
        )
        assert np.all(
            np.abs(value[: group.regular] - exact) <= 1e-4 * np.abs(exact) + 1e-5 * slope + 1e-30
        )


def directional(function: Callable, order: int) -> Callable:
    """``function(t)`` and its derivatives by ``t`` up to ``order``, by nested forward mode."""

    def with_one_more(f: Callable, t: jax.Array) -> tuple[jax.Array, ...]:
        values, slopes = jax.jvp(f, (t,), (jnp.ones_like(t),))
        return (*values, slopes[-1])

    def value(t: jax.Array) -> tuple[jax.Array, ...]:
        return (function(t),)

    derivatives: Callable = value
    for _ in range(order):
        derivatives = functools.partial(with_one_more, derivatives)
    return derivatives


def _differs_in_numbers(old: Any, new: Any) -> bool:
    """Whether two values of an argument (numbers, vectors, models, memories) differ in real numbers
    at most.
    """
    leaves = jax.tree_util.tree_leaves(new, is_leaf=_plain)
    trees: tuple[Any, Any] = (
        jax.tree_util.tree_structure(new, is_leaf=_plain),
        jax.tree_util.tree_structure(old, is_leaf=_plain),
    )
    return trees[0] == trees[1] and all(_is_real(leaf) or _plain(leaf) for leaf in leaves)


DISTANCES = np.array([1e-4, 1e-6, 1e-8])
NEAR, FAR = slice(0, 6), slice(6, 7)  # three distances before a switch, three after it; the example


def check_smoothness(name: str) -> None:
    """Across each switch, along the line from the example, as many derivatives are continuous as
    stated; the next is not, somewhere.
    """
    law = LAWS[name]
    lines: dict[
        Any, tuple[Callable, list]
    ] = {}  # of switches with the same fixed arguments, which one compiled function serves
    for changes in law.switches:
        function, point, _, key = function_of_vector(law, law.arguments(**changes))
        static = {
            k: v for k, v in changes.items() if not _differs_in_numbers(law.example.get(k), v)
        }
        _, start, _, other = function_of_vector(law, law.arguments(**static))
        assert key == other, f"{name}: a switch changes the shape of an argument"
        lines.setdefault(key, (function, []))[1].append(
            (point, start - point, law.smoothness_at(**changes), changes)
        )

    sharp: dict[float, bool] = {}
    for function, switches in lines.values():
        points, directions, smoothness, _ = zip(*switches, strict=True)
        highest = max(2 if stated >= 2 else int(stated) + 1 for stated in smoothness)
        derivatives = _along(function, highest)(
            np.array(points), np.array(directions), np.concatenate([DISTANCES, -DISTANCES, [1.0]])
        )
        for line, (_, _, stated, changes) in enumerate(switches):
            for k in range(3 if stated >= 2 else int(stated) + 2):
                values, reference = (np.asarray(derivatives[k])[line, part] for part in (NEAR, FAR))
                jump = np.max(np.abs(values[:3] - values[3:]), axis=1)
                size = (
                    max(np.max(np.abs(reference)), 1e-300)
                    if k <= stated
                    else np.max(np.abs(values)) + 1e-300
                )
                if k <= stated:
                    assert jump[2] <= max(0.5 * jump[0], 1e-3 * size), (
                        f"{name}: derivative {k} jumps by {jump} at {changes}"
                    )
                elif jump[2] > 1e-3 * size or not np.isfinite(jump[2]):
                    sharp[stated] = True
            sharp.setdefault(stated, stated >= 2)
    assert all(sharp.values()), f"{name} is smoother than its stated {list(sharp)}"


def _along(function: Callable, order: int) -> Callable:
    """``function`` and its derivatives, each ``(lines, distances, n)``, at distances from points
    along directions.
    """

    def at(point: jax.Array, direction: jax.Array, distance: jax.Array) -> tuple[jax.Array, ...]:
        return directional(lambda t: function(point + t * direction), order)(distance)

    return quick_jit(jax.vmap(jax.vmap(at, (None, None, 0)), (0, 0, None)), optimised=False)


def check_approximation(name: str) -> None:
    """The smooth form differs from the hard one by no more than its bound, at every point and
    around.
    """
    law = LAWS[name]
    if law.approximates is None:
        return
    hard = LAWS[law.approximates]
    names = tuple(hard.example)
    functions: dict[Any, Callable] = {}

    def value(law: Law, arguments: Mapping[str, Any]) -> np.ndarray:
        function, point, _, key = function_of_vector(law, arguments)
        return np.asarray(
            functions.setdefault((law.name, key), quick_jit(function, optimised=False))(point)
        )

    for changes in ({}, *law.variants, *law.switches, *law.corners):
        arguments = law.arguments(**changes)
        for factor in (0.0, 0.3, 0.9, 1.0, 1.1, 3.0):
            moved = {
                key: value * factor if key == law.conjugate and is_number(value) else value
                for key, value in _arrays(arguments).items()
            }
            taken = {**_arrays(hard.example), **{key: moved[key] for key in names if key in moved}}
            difference = np.abs(value(law, moved) - value(hard, taken))
            assert law.within is not None
            bound = np.asarray(law.within(**moved))
            assert np.all(difference <= bound * (1 + 1e-9) + 1e-300), (
                f"{name}: {difference} from the hard form, bound {bound}"
            )


def _arrays(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: np.asarray(value, float) if _plain(value) else value
        for key, value in arguments.items()
    }


def check_energy(name: str) -> None:
    """The force is that of the stored energy plus one that takes power away."""
    law = LAWS[name]
    if law.conjugate is None:
        return
    for changes in ({}, *law.variants):
        arguments = {
            key: jnp.asarray(value) if is_number(value) and _is_array(value) else value
            for key, value in law.arguments(**changes).items()
        }
        if law.has_memory:
            _check_work_with_memory(law, arguments)
        elif law.conjugate == "overlap_rate":
            _check_normal_work(law, arguments)
        else:
            rate = jnp.asarray(arguments[law.conjugate])
            for factor in (-3.0, -1.0, -0.1, 1e-3, 0.4, 1.0, 20.0):
                result = law.function(**{**arguments, law.conjugate: rate * factor})
                assert jnp.sum(result * rate * factor) <= 0.0, (
                    f"{name} drives the motion at {factor} times its example"
                )


def _is_array(value: Any) -> bool:
    return isinstance(value, float) or _plain(value) or hasattr(value, "dtype")


def _energy(law: Law, arguments: Mapping[str, Any]) -> jax.Array:
    """The stored energy, from those arguments that it takes."""
    assert law.energy is not None
    return law.energy(**{key: arguments[key] for key in inspect.signature(law.energy).parameters})


def _check_normal_work(law: Law, arguments: Mapping[str, Any]) -> None:
    for factor in (-1.0, 0.0, 0.3, 1.0, 2.0):
        taken = {**arguments, "overlap": arguments["overlap"] * factor}
        elastic = jax.grad(lambda d, taken=taken: _energy(law, {**taken, "overlap": d}))(
            taken["overlap"]
        )
        at_rest = law.function(
            **({**taken, "overlap_rate": jnp.zeros(())} if "overlap_rate" in taken else taken)
        )
        np.testing.assert_allclose(at_rest, elastic, rtol=1e-12, err_msg=law.name)
        for rate in (-2.0, -0.1, 0.3, 5.0) if "overlap_rate" in taken else ():
            assert (
                law.function(**{**taken, "overlap_rate": jnp.asarray(rate)}) - at_rest
            ) * rate >= 0.0, law.name


def _check_work_with_memory(law: Law, arguments: Mapping[str, Any]) -> None:
    """Over a path of random steps: the work done on the contact is at least the gain of stored
    energy.
    """
    random = np.random.default_rng(1)
    conjugate = law.conjugate
    assert conjugate is not None
    step = jax.jit(
        lambda memory, increment: law.function(
            **{**arguments, "memory": memory, conjugate: increment}
        )
    )
    scale = np.max(np.abs(arguments[conjugate]))
    memory = arguments["memory"]
    for _ in range(200):
        increment = jnp.asarray(scale * random.normal(size=np.shape(arguments[conjugate])))
        force, after = step(memory, increment)
        work = -jnp.sum(force * increment)
        gain = _energy(law, {**arguments, "memory": after}) - _energy(
            law, {**arguments, "memory": memory}
        )
        assert work - gain >= -1e-12 * (jnp.abs(work) + jnp.abs(gain)), (
            f"{law.name} makes energy: work {work}, stored {gain}"
        )
        memory = after


def check_restitution(name: str) -> str | None:
    """An impact, integrated independently, rebounds as ``restitution_at`` says: ``exact`` when that
    is the restitution asked for.
    """
    model = LAWS[name].example.get("self")
    if not isinstance(model, CompliantLaw):
        return None
    parameters = {path: value for path, value, _ in declared_parameters(model)}
    asked = []
    for speed in (0.02, 0.5, 10.0):
        mass = 0.2
        told = float(model.restitution_at(speed, mass=mass))
        assert abs(obtained_by_integration(model, speed, mass) - told) <= 1e-6, (
            f"{name} at {speed} m/s"
        )
        asked.append(abs(told - float(parameters.get("restitution", math.nan))) <= 1e-9)
    return "exact" if all(asked) else "map"


CHECKS: dict[str, Callable[[str], str | None]] = {
    "finite": check_finite,
    "jvp": check_jvp,
    "vjp": check_vjp,
    "second derivative": check_second_derivative,
    "grad of grad": check_grad_of_grad,
    "jit and vmap": check_jit_and_vmap,
    "single precision": check_single_precision,
    "smoothness": check_smoothness,
    "approximation": check_approximation,
    "energy": check_energy,
    "restitution": check_restitution,
}


@functools.cache
def outcome(name: str, check: str) -> BaseException | str | None:
    """What a check raises or says of a law; each runs once in a session."""
    try:
        return CHECKS[check](name)
    except Exception as error:
        return error
