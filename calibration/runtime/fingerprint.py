"""Fingerprints: a short text that is the same for equal inputs in every process, and differs for
others.
"""

import dataclasses
import enum
import functools
import hashlib
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence

import jax
import numpy as np

from calibration.runtime.sources import source_of


def fingerprint(*values: object) -> str:
    """SHA-256 of nested data: numbers, texts, arrays, containers, dataclasses, and functions (by
    name, code and what they enclose). What modules define that a study names counts with their
    whole source.
    """
    digest = hashlib.sha256()
    for piece in _pieces(values):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return digest.hexdigest()


def _pieces(value: object) -> Iterator[bytes]:
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        array = np.asarray(value)
        yield f"{array.dtype.str}{array.shape}".encode()
        yield array.tobytes()
    elif isinstance(value, (type, types.BuiltinFunctionType)):
        yield _name(value)
    elif (
        isinstance(value, enum.Enum)
        or value is None
        or isinstance(value, (bool, int, float, complex, str, bytes))
    ):
        yield f"{type(value).__qualname__} {value!r}".encode()
    else:
        yield _name(type(value))
        for part in _parts(value):
            yield from _pieces(part)
        yield b"end"


def _name(value: type | types.BuiltinFunctionType) -> bytes:
    """Where it is defined, and by which code, if that is not of an installed version."""
    return f"{value.__module__}.{value.__qualname__}{source_of(value.__module__)}".encode()


def _parts(value: object) -> Sequence[object]:
    """What a composed value is made of, in an order that does not depend on the process."""
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        return sorted(value.items(), key=lambda item: repr(item[0]))
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return [
            f"{value.__module__}{source_of(value.__module__)}",
            value.__qualname__,
            value.__code__,
            cells,
            value.__defaults__,
            value.__kwdefaults__,
        ]
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, types.CodeType):
        return [value.co_code, list(value.co_consts), list(value.co_names)]
    if callable(value):
        inner = inspect.unwrap(value, stop=lambda function: function is not value)
        if inner is not value:  # a function under jax.jit
            return [inner]
    try:
        return [vars(value)]
    except TypeError:  # it has slots, or is made in C
        return [repr(value)]
