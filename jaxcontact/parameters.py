"""A parameter declared once: unit, admissible interval, transform for fitting, label and symbol.

A *model* is a frozen dataclass that is also a pytree: its parameters are leaves (so a gradient has
the shape of the model), its static fields are part of the tree's structure. Values are checked
against their interval when a model is built from concrete numbers; tracers and the placeholders JAX
puts into trees pass unchecked.
"""

import dataclasses
import difflib
import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar, dataclass_transform

import jax
import numpy as np

from jaxcontact.docstrings import with_entries
from jaxcontact.numerics.smooth import Real

_KEY = "jaxcontact"
VALUE_ERRORS = {"ValueError, TypeError": "a value is outside its interval, or is not a number."}
"""What ``check`` raises, for docstrings."""
Model = TypeVar("Model")
Tree = TypeVar("Tree")


@dataclasses.dataclass(frozen=True)
class Interval:
    """An interval of the real line with open or closed ends, written as in mathematics: ``"(0,
    1]"``.
    """

    low: float
    high: float
    low_closed: bool
    high_closed: bool

    @classmethod
    def parse(cls, text: str) -> "Interval":
        try:
            low, high = map(float, text[1:-1].split(","))
        except ValueError:
            low = high = math.nan
        if not (text[:1] in "([" and text[-1:] in ")]" and low < high):
            raise ValueError(
                f"interval = {text!r} is no interval. Write two ends with the lower first, [ or ] "
                'where an end belongs to it, e.g. "(0, 1]" or "[0, inf)".'
            )
        return cls(low, high, text[0] == "[", text[-1] == "]")

    def contains(self, value: Real) -> bool:
        """Whether every entry of ``value`` lies inside. NaN lies in no interval; infinity only in
        one that is closed there.
        """
        above = operator.ge if self.low_closed else operator.gt
        below = operator.le if self.high_closed else operator.lt
        return bool(np.all(above(value, self.low) & below(value, self.high)))

    def __str__(self) -> str:
        opening = "[" if self.low_closed else "("
        closing = "]" if self.high_closed else ")"
        return f"{opening}{self.low:g}, {self.high:g}{closing}"


@dataclasses.dataclass(frozen=True)
class Quantity:
    """What is known of a parameter beside its value."""

    unit: str
    interval: Interval
    transform: str
    label: str
    symbol: str
    remedy: str
    shape: tuple[int, ...] | None

    def __post_init__(self) -> None:
        low, high = self.interval.low, self.interval.high
        suits = {
            "identity": True,
            "log": low >= 0,
            "logit": math.isfinite(low) and math.isfinite(high),
        }
        if not suits.get(self.transform, False):
            raise ValueError(
                f"transform = {self.transform!r} of {self.label!r} in {self.interval}: give "
                "'identity', 'log' where values are positive, or 'logit' where both ends are "
                "finite."
            )

    def called(self, symbol: str) -> "Quantity":
        """The same with another symbol, such as the name that a program gives it."""
        return dataclasses.replace(self, symbol=symbol)

    @property
    def description(self) -> str:
        """Label, symbol, unit, admissible interval and shape, as docstrings say them."""
        parts = [f"{self.label} ``{self.symbol}`` [{self.unit}]"]
        if self.interval != Interval.parse("(-inf, inf)"):
            parts.append(f"in ``{self.interval}``")
        if self.shape is not None:
            axes = ", ".join(map(str, self.shape))
            parts.append(f"last axes ``({axes}{',' if len(self.shape) == 1 else ''})``")
        return ", ".join(parts)


def quantity(
    *,
    unit: str,
    label: str,
    symbol: str,
    interval: str = "(-inf, inf)",
    transform: str = "identity",
    remedy: str = "",
    shape: tuple[int, ...] | None = None,
) -> Quantity:
    """Describe a quantity: what its values mean and which are admissible.

    Args:
        unit: SI unit as printed, ``"-"`` for none.
        label: the field's standard term, in words.
        symbol: the usual symbol.
        interval: admissible values, e.g. ``"(0, 1]"``.
        transform: how a fit moves it: ``"identity"``, ``"log"`` (positive) or ``"logit"`` (between
            both ends).
        remedy: what to do when the value is outside, appended to the error.
        shape: trailing shape of one value, e.g. ``(3,)`` for a vector; ``None`` for a scalar (or
            one scalar for each body).

    Raises:
        ValueError: no interval, a transform that there is not or that does not suit the interval.

    Example:
        >>> mass = jc.quantity(unit="kg", label="mass", symbol="m", interval="(0, inf)")
        >>> print(mass.description)
        mass ``m`` [kg], in ``(0, inf)``
    """
    return Quantity(unit, Interval.parse(interval), transform, label, symbol, remedy, shape)


def of(about: Quantity, *, default: object = dataclasses.MISSING) -> Any:
    """Declare a differentiable parameter of a model that is a known quantity.

    Args:
        about: from ``quantity``, e.g. an entry of ``laws.QUANTITIES``.
        default: value when not given; ``None`` makes the parameter optional, and a model without it
            has no such leaf.
    """
    return dataclasses.field(default=default, metadata={_KEY: about})


def parameter(*, default: object = dataclasses.MISSING, **about: Any) -> Any:
    """Declare a differentiable parameter of a model: ``of(quantity(...), default=...)``.

    Example:
        >>> @jc.model
        ... class Bumper:
        ...     stiffness: float = jc.parameter(
        ...         unit="N/m", label="stiffness", symbol="k", interval="(0, inf)"
        ...     )
        ...
        >>> jax.tree.leaves(Bumper(stiffness=2e3))
        [2000.0]
    """
    return of(quantity(**about), default=default)


def static(*, default: object = dataclasses.MISSING) -> Any:
    """Declare a field that belongs to the structure of the model (hashable, not differentiable).

    Example:
        >>> @jc.model
        ... class Bumper:
        ...     kind: str = jc.static(default="rubber")
        ...
        >>> jax.tree.leaves(Bumper())
        []
    """
    return dataclasses.field(default=default, metadata={"static": True})


def is_concrete(value: object) -> bool:
    """Whether ``value`` is numbers (not a tracer and not a placeholder inside a tree operation)."""
    if isinstance(value, (tuple, list)):
        return all(is_concrete(item) for item in value)
    return isinstance(value, (bool, int, float, np.ndarray, np.generic)) or (
        isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer)
    )


def is_whole(value: object) -> bool:
    """Whether ``value`` is a whole number, of Python or NumPy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check(owner: str, name: str, value: object, about: Quantity) -> None:
    """Raise ``ValueError`` naming argument, value, admissible interval and remedy when a concrete
    ``value`` is not admissible.
    """
    if isinstance(value, str) or value is None:
        raise TypeError(
            f"{owner}: {name} = {value!r} is not a number. {about.label.capitalize()} "
            f"[{about.unit}]."
        )
    concrete = is_concrete(value)
    if about.shape is not None and (concrete or isinstance(value, jax.core.Tracer)):
        shape = value.shape if isinstance(value, jax.core.Tracer) else np.asarray(value).shape
        if shape[len(shape) - len(about.shape) :] != about.shape:
            raise ValueError(
                f"{owner}: {name} has shape {shape}, but its last axes must be {about.shape}."
            )
    if not concrete:
        return
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biuf":
        raise TypeError(
            f"{owner}: {name} = {value!r} is not a number. {about.label.capitalize()} "
            f"[{about.unit}]."
        )
    if not about.interval.contains(numbers):
        shown = f"{numbers:g}" if numbers.ndim == 0 else np.array2string(numbers, threshold=6)
        remedy = f" {about.remedy}" if about.remedy else ""
        raise ValueError(
            f"{owner}: {name} = {shown} {about.unit} is outside {about.interval} "
            f"({about.label}).{remedy}"
        )


class Replaceable:
    """A model whose ``replace`` type checkers know, too: a decorator cannot tell them of a method.

    ``@model`` gives ``replace`` to every class; one that users change inherits from this.
    """

    def replace(self, **changes: object) -> Self:
        """A copy with some fields changed; the new values are checked as on construction.

        Raises:
            TypeError: a name is no field.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # a model is a dataclass
        names = [f.name for f in sorted(fields, key=lambda f: "static" in f.metadata)]
        for name in changes:
            if name not in names:
                raise TypeError(
                    f"{type(self).__name__} has no field {name!r}.{nearest(name, names)}"
                )
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


class Undecorated(Replaceable):
    """An interface whose classes are models. Without ``@model`` above it, a class has no fields."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        raise TypeError(
            f"{type(self).__name__} is not decorated, so it has no fields. Write @jc.model above "
            "the class."
        )


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(parameter, of, static, dataclasses.field),
)
def model(cls: type[Model]) -> type[Model]:
    """Make ``cls`` a frozen, keyword-only dataclass, a pytree, checked on construction, with
    ``replace``. Its docstring says what the declarations say.

    Example:
        >>> @jc.model
        ... class Bumper:
        ...     stiffness: float = jc.parameter(
        ...         unit="N/m", label="stiffness", symbol="k", interval="(0, inf)"
        ...     )
        ...
        >>> Bumper(stiffness=2e3).replace(stiffness=3e3)
        Bumper(stiffness=3000.0)
    """
    given = getattr(cls, "__post_init__", None)

    def post_init(self: Any) -> None:
        for f in dataclasses.fields(self):
            absent = (
                f.default is None and getattr(self, f.name) is None
            )  # an optional parameter, left out
            if _KEY in f.metadata and not absent:
                check(cls.__name__, f.name, getattr(self, f.name), f.metadata[_KEY])
        if given is not None:
            given(self)

    cls.__post_init__ = post_init  # type: ignore[attr-defined]  # before dataclass(), which calls it only if it is already there
    cls = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    descriptions = _descriptions(fields)
    cls.__doc__ = with_entries(cls.__doc__, "Parameters", descriptions)
    if descriptions:
        cls.__doc__ = with_entries(cls.__doc__, "Raises", VALUE_ERRORS)
    leaves = tuple(f.name for f in fields if not f.metadata.get("static"))
    statics = tuple(f.name for f in fields if f.metadata.get("static"))

    def flatten_with_keys(tree: Any) -> Any:
        return (
            [(jax.tree_util.GetAttrKey(name), getattr(tree, name)) for name in leaves],
            tuple(getattr(tree, name) for name in statics),
        )

    def flatten(tree: Any) -> Any:
        return [getattr(tree, name) for name in leaves], tuple(
            getattr(tree, name) for name in statics
        )

    def unflatten(fixed: tuple, children: Any) -> Any:
        tree = object.__new__(cls)
        for name, value in (*zip(leaves, children, strict=True), *zip(statics, fixed, strict=True)):
            object.__setattr__(tree, name, value)
        return tree

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)

    cls.replace = Replaceable.replace  # type: ignore[attr-defined]
    return cls


def _descriptions(fields: tuple[dataclasses.Field[Any], ...]) -> dict[str, str]:
    """What the declared parameters among ``fields`` mean, by their names."""
    descriptions: dict[str, str] = {}
    for f in fields:
        if _KEY not in f.metadata:
            continue
        text = f.metadata[_KEY].description
        if f.default is None:
            text += "; may be left out"
        elif f.default is not dataclasses.MISSING:
            text += f"; default {f.default!r}"
        descriptions[f.name] = f"{text}."
    return descriptions


def nearest(name: str, names: Iterable[str]) -> str:
    """A sentence with the closest of the valid names, for error texts."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f" Did you mean {close[0]!r}?" if close else f" Valid: {', '.join(map(str, names))}."


def declared_parameters(tree: object, path: str = "") -> Iterator[tuple[str, Any, Quantity]]:
    """Every declared parameter below ``tree``, as ``(path, value, about)``, in order of
    declaration.
    """
    if isinstance(tree, (tuple, list)):
        for index, item in enumerate(tree):
            yield from declared_parameters(item, f"{path}.{index}" if path else str(index))
    elif dataclasses.is_dataclass(tree):
        for f in dataclasses.fields(tree):
            here = f"{path}.{f.name}" if path else f.name
            if _KEY in f.metadata:
                if getattr(tree, f.name) is not None:
                    yield here, getattr(tree, f.name), f.metadata[_KEY]
            elif not f.metadata.get("static"):
                yield from declared_parameters(getattr(tree, f.name), here)


def get(tree: Any, path: str) -> Any:
    """The value at a dotted ``path``, e.g. ``"contact.normal.restitution"``."""
    for name in path.split("."):
        tree = tree[int(name)] if isinstance(tree, (tuple, list)) else getattr(tree, name)
    return tree


def put(tree: Tree, path: str, value: object) -> Tree:
    """A copy of ``tree`` with ``value`` at a dotted ``path``."""
    name, _, rest = path.partition(".")
    if isinstance(tree, (tuple, list)):
        index = int(name)
        item = put(tree[index], rest, value) if rest else value
        return type(tree)((*tree[:index], item, *tree[index + 1 :]))
    return dataclasses.replace(  # type: ignore[type-var]
        tree, **{name: put(getattr(tree, name), rest, value) if rest else value}
    )
