"""Jacobians and second derivatives of any function of a pytree, in the mode that costs less."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.parameters import nearest

MODES = ("forward", "reverse")

FORWARD = (1.0, 0.35)
"""Cost of forward mode: of the simulation, and of each input."""

REVERSE = (12.0, 0.6)
"""Cost of reverse mode: of the simulation there and back, and of each output."""


def check_mode(owner: str, mode: str | None) -> None:
    """Raise ``ValueError`` unless ``mode`` is one of ``MODES`` or ``None``."""
    if mode is not None and mode not in MODES:
        raise ValueError(
            f"{owner}: mode = {mode!r} is not known.{nearest(str(mode), MODES)} None takes "
            "the one that costs less."
        )


def cheaper_mode(inputs: int, outputs: int) -> str:
    """``"forward"`` where it costs at most as much as ``"reverse"``."""
    forward, reverse = (
        once + each * count for (once, each), count in ((FORWARD, inputs), (REVERSE, outputs))
    )
    return "forward" if forward <= reverse else "reverse"


Outputs = TypeVar("Outputs")

Tree: TypeAlias = Any
"""Arrays and numbers in any structure that JAX knows, the caller's own."""


def value_and_jacobian(
    function: Callable[..., Outputs], *, mode: str | None = None, chunk: int | None = None
) -> Callable[..., tuple[Outputs, Tree]]:
    """The value of ``function`` and its Jacobian with respect to the first argument.

    Forward mode carries one direction for each input beside the simulation, all in one batch;
    reverse mode runs back once for each output. Numbers of inputs and outputs are known without
    running anything (``jax.eval_shape``), and with them which of the two costs less: forward mode
    up to 33 inputs for one output, 48 for ten. Works under ``jit``, ``vmap`` and further
    derivatives.

    Args:
        function: of a pytree of floats (a scene, a state, a dictionary) and any further arguments;
            returns a pytree of floats.
        mode: ``"forward"``, ``"reverse"``, or ``None`` for the cheaper one.
        chunk: inputs (forward) or outputs (reverse) that are taken at once: a bound on memory, at
            the price of repeated simulations in forward mode. ``None`` takes all at once.

    Returns:
        A function of the same arguments. In its Jacobian each leaf of the value is replaced by a
        tree like the argument, whose leaves have the shape of the output followed by that of the
        input, as in ``jax.jacfwd``.

    Raises:
        TypeError: when called, for a leaf of the argument or of the value that is not of
            floating-point type.
        ValueError: for an unknown mode or a chunk that is not a positive whole number.

    Example:
        >>> def speed(start):
        ...     return jnp.sqrt(2 * 9.81 * start["height"])
        ...
        >>> value, slope = jc.value_and_jacobian(speed)({"height": jnp.array(0.3)})
        >>> print(f"{value:.4f} m/s, {slope['height']:.4f} 1/s")
        2.4261 m/s, 4.0435 1/s
    """
    return _value_and_jacobian("value_and_jacobian", function, mode, chunk)


def jacobian(
    function: Callable[..., Tree], *, mode: str | None = None, chunk: int | None = None
) -> Callable[..., Tree]:
    """The Jacobian of ``function`` with respect to its first argument: ``value_and_jacobian``
    without the value.

    Args:
        function: as for ``value_and_jacobian``.
        mode: ``"forward"``, ``"reverse"``, or ``None`` for the cheaper one.
        chunk: as for ``value_and_jacobian``.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: when called, for a leaf that is not of floating-point type.
        ValueError: for an unknown mode or a chunk that is not a positive whole number.

    Example:
        >>> def heights(restitution):
        ...     normal = jc.NewtonRestitution(restitution=restitution)
        ...     scene = jc.Scene(
        ...         bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...         contact=jc.ContactModel(normal=normal),
        ...     )
        ...     start = jc.state(position=(0.0, 0.0, 0.3))
        ...     times = jnp.linspace(0.0, 0.4, 3)
        ...     result = jc.simulate(scene, start, times, method=jc.Impulse(max_contacts=2))
        ...     return result.position[:, 2]
        ...
        >>> print(jc.jacobian(heights)(0.9).round(4))
        [0.     0.     0.3775]
    """
    both = _value_and_jacobian("jacobian", function, mode, chunk)
    return lambda argument, *others: both(argument, *others)[1]


def hessian(
    function: Callable[..., Tree], *, mode: str | None = None, chunk: int | None = None
) -> Callable[..., Tree]:
    """All second derivatives of ``function`` with respect to its first argument: forward mode over
    ``jacobian``.

    Forward over forward where inputs are few for each output, else forward over reverse; each leaf
    of the value is replaced by a tree of trees like the argument, as in ``jax.hessian``.

    Args:
        function: as for ``value_and_jacobian``.
        mode: of the inner derivative; ``None`` for the cheaper one.
        chunk: as for ``value_and_jacobian``, for both derivatives.

    Returns:
        A function of the same arguments.

    Raises:
        TypeError: when called, for a leaf that is not of floating-point type.
        ValueError: for an unknown mode or a chunk that is not a positive whole number.

    Example:
        >>> def energy(overlap):
        ...     return 0.4 * 4e7 * overlap**2.5
        ...
        >>> print(f"{jc.hessian(energy)(1e-4):.3g} N/m")
        6e+05 N/m
    """
    inner = _value_and_jacobian("hessian", function, mode, chunk)
    outer = _value_and_jacobian(
        "hessian", lambda argument, *others: inner(argument, *others)[1], "forward", chunk
    )
    return lambda argument, *others: outer(argument, *others)[1]


def _value_and_jacobian(
    owner: str, function: Callable[..., Tree], mode: str | None, chunk: int | None
) -> Callable[..., tuple[Tree, Tree]]:
    check_mode(owner, mode)
    if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1):
        raise ValueError(
            f"{owner}: chunk = {chunk!r} is not a whole number >= 1. None takes all "
            "directions at once."
        )

    def both(argument: Tree, *others: Any) -> tuple[Tree, Tree]:
        _check_floats(
            owner,
            argument,
            "the first argument",
            "Write 1.0 instead of 1, or keep what is not differentiated out of it.",
        )
        argument = jax.tree.map(jnp.asarray, argument)

        def of_argument(argument: Tree) -> Tree:
            return function(argument, *others)

        value = jax.eval_shape(of_argument, argument)
        _check_floats(
            owner,
            value,
            "the value of the function",
            "Return only floats, e.g. trajectory.position.",
        )
        chosen = mode or cheaper_mode(_size(argument), _size(value))
        return (_forward if chosen == "forward" else _reverse)(of_argument, argument, value, chunk)

    return both


def _forward(
    function: Callable[[Tree], Tree], argument: Tree, value: Tree, chunk: int | None
) -> tuple[Tree, Tree]:
    def push(direction: jax.Array) -> tuple[Tree, Tree]:
        return jax.jvp(function, (argument,), (_split(direction, argument),))

    value, columns = _in_chunks(jax.vmap(push, out_axes=(None, 0)), argument, chunk)
    return value, jax.tree.map(
        lambda column: _split(jnp.moveaxis(column, 0, -1), argument), columns
    )


def _reverse(
    function: Callable[[Tree], Tree], argument: Tree, value: Tree, chunk: int | None
) -> tuple[Tree, Tree]:
    found, pull = jax.vjp(function, argument)

    def pull_back(direction: jax.Array) -> tuple[None, Tree]:
        return None, pull(_split(direction, value))[0]

    _, rows = _in_chunks(jax.vmap(pull_back), value, chunk)
    # Of each input the rows of all outputs; wanted is of each output a tree of inputs.
    by_input = jax.tree.map(lambda row: _split(row, value, axis=0), rows)
    return found, jax.tree.transpose(
        jax.tree.structure(argument), jax.tree.structure(value), by_input
    )


def _in_chunks(
    batch: Callable[[jax.Array], tuple[Tree, Tree]], like: Tree, chunk: int | None
) -> tuple[Tree, Tree]:
    """``batch`` of the unit directions of ``like``, at most ``chunk`` of them at a time; its second
    results stacked.
    """
    size = _size(like)
    dtype = jnp.result_type(*jax.tree.leaves(like)) if size else jnp.zeros(()).dtype
    if chunk is None or chunk >= size:
        return batch(jnp.eye(size, dtype=dtype))
    count = math.ceil(size / chunk)
    even = math.ceil(size / count)

    # All directions at once would be a square of the inputs. Those behind the last input are zero.
    def some(places: jax.Array) -> tuple[Tree, Tree]:
        return batch((places[:, None] == jnp.arange(size)).astype(dtype))

    first, second = jax.lax.map(some, jnp.arange(count * even).reshape(count, even))
    return jax.tree.map(lambda column: column[0], first), jax.tree.map(
        lambda column: column.reshape(count * even, *column.shape[2:])[:size], second
    )


def _split(flat: jax.Array, like: Tree, *, axis: int = -1) -> Tree:
    """Cut ``flat`` along its first or last ``axis`` into leaves of the shapes and types of
    ``like``.
    """
    leaves, structure = jax.tree.flatten(like)
    ends = np.cumsum([leaf.size for leaf in leaves])[:-1]
    pieces = jnp.split(flat, ends, axis=axis)
    shapes = [
        (*flat.shape[:-1], *leaf.shape) if axis == -1 else (*leaf.shape, *flat.shape[1:])
        for leaf in leaves
    ]
    cut = [
        piece.reshape(shape).astype(leaf.dtype)
        for piece, shape, leaf in zip(pieces, shapes, leaves, strict=True)
    ]
    return jax.tree.unflatten(structure, cut)


def _size(tree: Tree) -> int:
    return sum(math.prod(np.shape(leaf)) for leaf in jax.tree.leaves(tree))


def _check_floats(owner: str, tree: Tree, whose: str, remedy: str) -> None:
    """Raise ``TypeError`` naming the first leaf that has no floating-point type."""
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        if isinstance(leaf, float):
            continue
        kind = getattr(leaf, "dtype", type(leaf))
        if not jnp.issubdtype(kind, jnp.floating):
            name = jax.tree_util.keystr(path).lstrip(".")
            where = f"leaf {name} of {whose}" if name else whose
            shown = getattr(kind, "__name__", kind)
            raise TypeError(f"{owner}: {where} has type {shown}, which has no derivative. {remedy}")
