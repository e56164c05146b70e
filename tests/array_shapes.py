"""Shapes of arrays as their types state them: ``Annotated[jax.Array, "times *bodies 3"]``, in the
language of jaxtyping. A name is one size in all fields of a value.
"""

import dataclasses
import inspect
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from jaxtyping import Shaped, jaxtyped

BATCHES = 2
"""As many axes may stand before those of a type, the same in all its arrays: what ``vmap`` adds."""


def stated_shapes(kind: type) -> dict[str, str]:
    """The fields of a type whose annotation states a shape."""
    if not _has_fields(kind):
        return {}
    hints = {
        field: annotation
        for base in reversed(kind.__mro__)
        for field, annotation in inspect.get_annotations(base).items()
    }
    return {field: shape for field in hints for shape in _shapes(hints[field])}


def values_with_shapes(value: Any) -> Iterator[Any]:
    """Every value inside ``value``, itself included, whose type states shapes."""
    if isinstance(value, Mapping):
        inside = list(value.values())
    elif _has_fields(type(value)):
        inside = [getattr(value, field) for field in _fields(type(value))]
        if stated_shapes(type(value)):
            yield value
    elif isinstance(value, list | tuple):
        inside = list(value)
    else:
        return
    for part in inside:
        yield from values_with_shapes(part)


def has_stated_shapes(value: Any) -> bool:
    """Whether the arrays of ``value`` have the shapes that its type states, or all of them the same
    few axes before.
    """
    shapes = stated_shapes(type(value))
    arrays = {field: getattr(value, field) for field in shapes}
    arrays = {field: array for field, array in arrays.items() if array is not None}
    return any(_agree(arrays, shapes, batch) for batch in range(BATCHES + 1))


def _agree(arrays: dict[str, Any], shapes: dict[str, str], batch: int) -> bool:
    """Whether ``arrays`` have their shapes behind ``batch`` further axes of the same sizes."""
    before = " ".join(f"batch{axis}" for axis in range(batch))
    with jaxtyped("context"):
        return all(
            isinstance(array, Shaped[Any, f"{before} {shapes[field]}"])
            for field, array in arrays.items()
        )


def _shapes(annotation: Any) -> Iterator[str]:
    """The shape in an annotation, also in one of ``... | None``."""
    if typing.get_origin(annotation) is Annotated:
        yield from (note for note in annotation.__metadata__ if isinstance(note, str))
    elif type(None) in typing.get_args(annotation):
        for member in typing.get_args(annotation):
            yield from _shapes(member)


def _has_fields(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def _fields(kind: type) -> tuple[str, ...]:
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return kind._fields  # type: ignore[attr-defined, no-any-return]
