"""The catalogue of laws: every law with what its documentation and its tests need to know.

Registering a law is one decorator above its function::

    @law(
        family="elastic",
        source="Hertz (1882)",
        smoothness=1,
        example={"overlap": 1e-3, "stiffness": 1e6},
        switches=({"overlap": 0.0},),
    )
    def hertz_force(overlap, *, stiffness): ...

From then on its arguments are checked before tracing, its docstring tells unit and interval of
each (from the vocabulary) and its source, it stands in the support table of the documentation, and
the contract that all laws must keep (``tests/jaxcontact/laws/test_contract.py``) is run on it.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard, TypeVar

from jaxcontact.docstrings import with_entries, with_source
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.parameters import VALUE_ERRORS, Quantity, check, nearest

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True)
class Law:
    """A law of the library.

    Attributes:
        name: unique.
        family: heading under which it is listed.
        function: the law; its arguments have the names of ``quantities.QUANTITIES``.
        source: publication or program.
        smoothness: number of continuous derivatives across its switches, infinite where it has
            none; or a function of the arguments that tells it.
        example: arguments at a point where the law is smooth.
        variants: changes of ``example`` with which other choices (a mode, a form) are reached,
            smooth as well.
        switches: changes of ``example`` that lie on a switch between branches.
        corners: further changes of ``example`` at which value and derivatives must be finite:
            degenerate geometry, limits of a parameter.
        approximates: name of the hard law that this one smooths.
        within: bound on the difference from it, a function of the arguments; in the unit of the
            result.
        energy: stored energy [J] as a function of (some of) the arguments.
        conjugate: name of the rate or increment on which the force does work: ``"overlap_rate"``,
            ``"slip"``, ``"spin"``, ...

    Example:
        >>> law = jc.laws.LAWS["hertz_force"]
        >>> law.has_memory, law.smoothness
        (False, 1)
    """

    name: str
    family: str
    function: Callable[..., Any]
    source: str
    smoothness: float | Callable[..., float]
    example: Mapping[str, Any]
    variants: tuple[Mapping[str, Any], ...] = ()
    switches: tuple[Mapping[str, Any], ...] = ()
    corners: tuple[Mapping[str, Any], ...] = ()
    approximates: str | None = None
    within: Callable[..., Any] | None = None
    energy: Callable[..., Any] | None = None
    conjugate: str | None = None

    def arguments(self, **changes: object) -> dict[str, Any]:
        """``example`` with some arguments changed."""
        return {**self.example, **changes}

    def smoothness_at(self, **changes: object) -> float:
        """Number of continuous derivatives for these arguments."""
        return (
            self.smoothness(**self.arguments(**changes))
            if callable(self.smoothness)
            else self.smoothness
        )

    @property
    def has_memory(self) -> bool:
        """Whether the force depends on the past, carried in the argument ``memory``."""
        return "memory" in inspect.signature(self.function).parameters


LAWS: dict[str, Law] = {}
"""Every registered law by its name.

Example:
    >>> law = jc.laws.LAWS["hertz_force"]
    >>> print(law.family, law.source[:12])
    elastic Hertz (1882)
"""


def is_sequence(value: object) -> TypeGuard[tuple | list]:
    """Whether ``value`` is a tuple or a list, but no named tuple (a memory, a motion)."""
    return isinstance(value, (tuple, list)) and not hasattr(value, "_fields")


def is_number(value: object) -> bool:
    """Whether ``value`` is a number or an array of numbers (not a model, a memory, a name or a
    function).
    """
    if is_sequence(value):
        return all(is_number(item) for item in value)
    return (isinstance(value, (int, float)) and not isinstance(value, bool)) or hasattr(
        value, "dtype"
    )


def describe_arguments(function: Function) -> Function:
    """Add to the docstring of ``function`` what the vocabulary says of its arguments; ``law`` does
    so for laws. What the docstring says already stays.

    Args:
        function: whose arguments bear names of ``quantities.QUANTITIES``.

    Returns:
        The same function.
    """
    descriptions = {
        argument: f"{QUANTITIES[argument].description}."
        for argument in inspect.signature(function).parameters
        if argument in QUANTITIES
    }
    function.__doc__ = with_entries(function.__doc__, "Args", descriptions)
    return function


def law(
    *,
    family: str,
    source: str,
    smoothness: float | Callable[..., float],
    example: Mapping[str, Any],
    name: str | None = None,
    **about: Any,
) -> Callable[[Function], Function]:
    """Enter the function below into ``LAWS`` and check the arguments of its calls; the other
    arguments are those of ``Law``.

    Every argument with a number must bear a name of ``quantities.QUANTITIES``; add the quantity
    there if it is new.

    Args:
        family: heading under which the law is listed.
        source: publication or program.
        smoothness: number of continuous derivatives across its switches, ``inf`` where it has none;
            or a function of the arguments that tells it.
        example: arguments at a point where the law is smooth.
        name: name in the catalogue; that of the function when left out.
        about: further fields of ``Law``: ``switches``, ``corners``, ``energy``, ``conjugate`` ...

    Returns:
        A decorator that registers a function and returns it with its arguments checked.

    Raises:
        ValueError: when the name is taken, or an argument is not a known quantity.

    Example:
        >>> @jc.law(
        ...     family="elastic",
        ...     source="Winkler (1867)",
        ...     smoothness=0,
        ...     example={"overlap": 1e-3, "stiffness": 1e6},
        ...     switches=({"overlap": 0.0},),
        ... )
        ... def winkler_force(overlap, *, stiffness):
        ...     return stiffness * jnp.maximum(overlap, 0.0)
        ...
        >>> print(f"{winkler_force(1e-3, stiffness=1e6):.0f} N")
        1000 N
    """

    def enter(function: Function) -> Function:
        called = name or function.__name__
        if called in LAWS:
            raise ValueError(
                f"law {called!r} is registered already ({LAWS[called].family}). Give the new "
                "one another name."
            )
        arguments = tuple(inspect.signature(function).parameters)
        for argument, value in example.items():
            if argument not in arguments:
                raise ValueError(
                    f"law {called!r} has no argument {argument!r} as its example "
                    f"says.{nearest(argument, arguments)}"
                )
            if is_number(value) and argument not in QUANTITIES:
                raise ValueError(
                    f"law {called!r}: {argument!r} is not in "
                    f"QUANTITIES.{nearest(argument, QUANTITIES)}"
                )
        checked: dict[str, Quantity] = {
            argument: QUANTITIES[argument] for argument in arguments if argument in QUANTITIES
        }

        @functools.wraps(function)
        def call(*positional: Any, **named: Any) -> Any:
            for argument, value in (*zip(arguments, positional, strict=False), *named.items()):
                if argument in checked and value is not None:
                    check(called, argument, value, checked[argument])
            return function(*positional, **named)

        call.__doc__ = with_source(call.__doc__, source)
        describe_arguments(call)
        call.__doc__ = with_entries(call.__doc__, "Raises", VALUE_ERRORS)
        LAWS[called] = Law(called, family, call, source, smoothness, dict(example), **about)
        return call  # type: ignore[return-value]

    return enter
