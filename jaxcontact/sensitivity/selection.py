"""The parameters by which a simulation is differentiated: numbers of a scene and of an initial
state, chosen by name.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.parameters import Interval, declared_parameters, get, nearest, put, quantity
from jaxcontact.scene.scene import Scene, State

OF_STATE = "initial."
"""What the names of an initial state's numbers begin with."""

STATE_UNITS = {"position": "m", "velocity": "m/s", "spin": "rad/s", "orientation": "-"}


@dataclasses.dataclass(frozen=True)
class Component:
    """One number of a scene or of an initial state.

    Attributes:
        path: the leaf it belongs to, e.g. ``"contact.normal.restitution"`` or
            ``"initial.position"``.
        index: its place in the leaf.
        shape: shape of the leaf.
        value: what it is.
        size: the largest number of its leaf, as a magnitude; 0 where all are 0.
        unit: SI unit.
        interval: admissible values.
    """

    path: str
    index: int
    shape: tuple[int, ...]
    value: float
    size: float
    unit: str
    interval: Interval

    @property
    def name(self) -> str:
        """Path, and for numbers of an array their place in it: ``"initial.position[2]"``."""
        return (
            f"{self.path}[{', '.join(str(i) for i in np.unravel_index(self.index, self.shape))}]"
            if self.shape
            else self.path
        )


def _of_leaf(path: str, leaf: Any, unit: str, interval: Interval) -> list[Component]:
    numbers = np.asarray(leaf, dtype=float)
    size = float(np.max(np.abs(numbers), initial=0.0))
    return [
        Component(path, i, numbers.shape, float(value), size, unit, interval)
        for i, value in enumerate(numbers.ravel())
    ]


def components(scene: Scene, initial: State) -> list[Component]:
    """Every number of the scene that is a parameter, and every number of the initial state."""
    found = [
        part
        for path, value, about in declared_parameters(scene)
        for part in _of_leaf(path, value, about.unit, about.interval)
    ]
    anything = quantity(unit="-", label="", symbol="").interval
    for name, value in initial._asdict().items():
        if value is not None and np.asarray(value).dtype.kind == "f":
            found += _of_leaf(OF_STATE + name, value, STATE_UNITS.get(name, "-"), anything)
    return found


def selected(every: Sequence[Component], of: Iterable[str] | None) -> tuple[Component, ...]:
    """Those of ``every`` component that ``of`` names: by a leaf, by one number of it, or by what
    leaves have in common before a dot.
    """
    if of is None:
        return tuple(every)
    if isinstance(of, str):
        of = (of,)
    found: dict[Component, None] = {}
    for name in of:
        fits = [
            part
            for part in every
            if name in (part.name, part.path) or part.path.startswith(f"{name}.")
        ]
        if not fits:
            known = sorted({part.path for part in every} | {part.name for part in every})
            raise ValueError(
                f"check_gradients: of = {name!r} is no parameter of the scene or the initial "
                f"state.{nearest(str(name), known)}"
            )
        found.update(dict.fromkeys(fits))
    return tuple(found)


def with_values(
    scene: Scene, initial: State, parts: Sequence[Component], values: jax.Array
) -> tuple[Scene, State]:
    """Scene and initial state with ``values`` ``(parts,)`` in the place of these numbers; all
    others stay what they are.
    """
    for path in dict.fromkeys(part.path for part in parts):
        places = [i for i, part in enumerate(parts) if part.path == path]
        of_state = path.startswith(OF_STATE)
        name = path.removeprefix(OF_STATE)
        leaf = jnp.asarray(
            getattr(initial, name) if of_state else get(scene, path), dtype=values.dtype
        )
        index = np.asarray([parts[i].index for i in places])
        leaf = leaf.reshape(-1).at[index].set(values[np.asarray(places)]).reshape(leaf.shape)
        if of_state:
            initial = initial._replace(**{name: leaf})
        else:
            scene = put(scene, path, leaf)
    return scene, initial
