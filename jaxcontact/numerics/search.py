"""Searches, which have no derivatives: what a derivative would compute within them is left out of
the program. ``stop_gradient`` of what was found does not do this, as a loop is differentiated as a
whole before anything is known of the use of its result.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

Result = TypeVar("Result")


def without_derivatives(search: Callable[[], Result]) -> Result:
    """``search()``, with all that it refers to as constants for derivatives."""
    searched, referred = closed(search)
    return jax.lax.stop_gradient(searched(jax.lax.stop_gradient(referred)))


def found_by(search: Callable[[], Result], derived: Callable[[Result], Result]) -> Result:
    """``search()``, with the derivatives of ``derived(search())``, which has the same value.

    What has to be computed once more for its derivatives is left out where none are asked for.
    """
    searched, by_search = closed(search)
    again, by_derived = closed(derived, jax.eval_shape(search))

    @jax.custom_jvp
    def found(by_search: list[Any], by_derived: list[Any]) -> Result:
        return searched(by_search)

    def rule(primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Result, Result]:
        by_search, by_derived = primals
        start = jax.lax.stop_gradient(searched(jax.lax.stop_gradient(by_search)))
        moves = [not isinstance(change, SymbolicZero) for change in tangents[1]]

        def moved(*moving: Any) -> Result:
            rest = iter(moving)
            now = [next(rest) if m else still for m, still in zip(moves, by_derived, strict=True)]
            return again(now, start)

        moving, changes = (
            tuple(each for m, each in zip(moves, row, strict=True) if m)
            for row in (by_derived, tangents[1])
        )
        return jax.jvp(moved, moving, changes)

    found.defjvp(rule, symbolic_zeros=True)
    return found(by_search, by_derived)


def closed(function: Callable[..., Result], *like: Any) -> tuple[Callable[..., Result], list[Any]]:
    """``function`` of what it refers to, and that: a rule for derivatives sees only arguments.

    ``jax.closure_convert`` does the same, but for numbers without a derivative.
    """
    traced, shape = jax.make_jaxpr(function, return_shape=True)(*like)
    structure = jax.tree.structure(shape)

    def of_referred(referred: list[Any], *arguments: Any) -> Result:
        evaluate = jaxpr_as_fun(ClosedJaxpr(traced.jaxpr, referred))
        return jax.tree.unflatten(structure, evaluate(*jax.tree.leaves(arguments)))

    return of_referred, traced.consts
