"""What every model must keep: it is a pytree of numbers, and equal to its copy."""

import copy
import dataclasses
import pickle
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike


def check_copies(model: object) -> None:
    """A model is a frozen pytree, and a copy of it (also from a pickle) has the same structure and
    the same numbers: so compiled code is used again, in another process, too.

    Raises:
        AssertionError: naming the class and what differs.
    """
    name = type(model).__name__
    leaves = jax.tree.leaves(model)
    structure: Any = jax.tree.structure(model)
    assert leaves != [model], (
        f"{name} is no pytree. Decorate the class with jaxcontact.model and declare its parameters."
    )
    assert dataclasses.is_dataclass(model), f"{name} is no dataclass: decorate it with model."
    hash(structure)  # static fields must be hashable
    for made, how in (
        (jax.tree.unflatten(structure, leaves), "flattening it"),
        (copy.deepcopy(model), "copying it"),
        (_pickled(model), "pickling it"),
    ):
        other = jax.tree.leaves(made)
        assert jax.tree.structure(made) == structure, (
            f"{name} has another structure after {how}: a static field holds something that is "
            "not equal to its copy (a lambda, a local function). Take a name instead."
        )
        for before, after in zip(leaves, other, strict=True):
            assert np.array_equal(np.asarray(before), np.asarray(after), equal_nan=True), (
                f"{name} has other numbers after {how}: {before}, {after}"
            )


def _pickled(model: Any) -> Any:
    try:
        return pickle.loads(pickle.dumps(model))
    except (AttributeError, pickle.PicklingError) as error:
        raise AssertionError(
            f"{type(model).__name__} cannot be pickled ({error}). Define the class, and functions "
            "in its fields, at the top of a module."
        ) from error


def assert_close(
    found: ArrayLike, expected: ArrayLike, *, scale: ArrayLike, what: str, tolerance: float
) -> None:
    """``found`` and ``expected`` differ by no more than ``tolerance`` times ``scale``.

    Raises:
        AssertionError: naming ``what``, both and the place of the largest difference.
    """
    found, expected = np.asarray(found), np.asarray(expected)
    assert np.all(np.isfinite(found)), f"{what} is not finite: {found}"
    error = np.abs(found - expected)
    assert np.all(error <= tolerance * np.asarray(scale)), (
        f"{what} is {found}, but should be {expected}"
    )
