"""Parameters of the scene that a fit finds: free by path, tied to another one, or through a
quantity that sets several.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Parameter
from calibration.model.prior import Prior
from jaxcontact import Scene
from jaxcontact.parameters import Interval, Quantity, declared_parameters, get, nearest, put


@dataclasses.dataclass(frozen=True)
class Free:
    """A parameter of the scene that is to be found.

    Args:
        path: e.g. ``"contact.normal.stiffness"``.
        bounds: ends between which it is sought, inside the parameter's own interval.
        prior: what is known of it beforehand (``Normal``, ``LogNormal``).
        start: where the fit begins; by default the value in the scene.
        each: whether each trial has a value of its own, which is then a nuisance quantity, instead
            of one for all.
    """

    path: str
    bounds: tuple[float, float] | None = None
    prior: Prior | None = None
    start: float | None = dataclasses.field(default=None, compare=False)
    each: bool = False

    def parameter(self, scene: Scene) -> Parameter:
        """Its unknown.

        Raises:
            InputError: a path that does not exist or is a vector, bounds or a start outside the
                parameter's interval.
        """
        known = {name: (value, about) for name, value, about in declared_parameters(scene)}
        if self.path not in known:
            raise InputError(
                f"free: {self.path!r} is not a parameter of the "
                f"scene.{nearest(self.path, sorted(known))}"
            )
        value, about = known[self.path]
        if np.size(value) != 1 or about.shape is not None:
            raise InputError(
                f"free: {self.path!r} is a vector; free its components through a nuisance "
                "such as Gravity()."
            )
        if self.bounds is not None:
            about = dataclasses.replace(about, **_narrowed(self.path, about, self.bounds))
        if self.start is not None and not about.interval.low <= self.start <= about.interval.high:
            raise InputError(
                f"free: the start {self.start:g} of {self.path!r} is outside {about.interval}."
            )
        return Parameter(self.path, about, prior=self.prior)

    def initial_value(self, scene: Scene) -> float:
        """Where the fit begins."""
        return (
            float(np.ravel(np.asarray(get(scene, self.path)))[0])
            if self.start is None
            else self.start
        )

    def apply(self, scene: Scene, value: Any) -> Scene:
        """The scene with this value."""
        return put(scene, self.path, value)


def _narrowed(path: str, about: Quantity, bounds: tuple[float, float]) -> dict[str, Any]:
    """Interval and transform of a parameter between given ends."""
    low, high = map(float, bounds)
    if not (about.interval.low <= low < high <= about.interval.high):
        raise InputError(
            f"free: the bounds ({low:g}, {high:g}) of {path!r} are not inside "
            f"{about.interval}, low before high."
        )
    positive = about.transform == "log" and low > 0
    bounded = math.isfinite(low) and math.isfinite(high)
    transform = "log" if positive else "logit" if bounded else about.transform
    return {"interval": Interval(low, high, False, False), "transform": transform}


@dataclasses.dataclass(frozen=True)
class Tied:
    """A parameter that is always ``factor`` times another one of the scene; it is no unknown.

    Args:
        path: of the parameter that follows.
        to: path of the one it follows.
        factor: between them.
    """

    path: str
    to: str
    factor: float = 1.0

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where a path does not exist."""
        known = [name for name, _, _ in declared_parameters(scene)]
        for name in (self.path, self.to):
            if name not in known:
                raise InputError(
                    f"tied: {name!r} is not a parameter of the scene.{nearest(name, known)}"
                )
        if self.path == self.to:
            raise InputError(f"tied: {self.path!r} is tied to itself.")

    def apply(self, scene: Scene) -> Scene:
        """The scene with the tie."""
        return put(scene, self.path, self.factor * get(scene, self.to))


@dataclasses.dataclass(frozen=True)
class Derived:
    """A quantity that is to be found and that sets parameters of the scene: an elastic modulus
    instead of stiffnesses, a contact duration.

    Args:
        name: what it is called in tables.
        about: unit, interval, transform, label and symbol (``jaxcontact.parameters.quantity``).
        sets: function of (scene, value) that returns the scene with that value.
        start: where the fit begins.
        prior: what is known of it beforehand.
    """

    name: str
    about: Quantity
    sets: Callable[[Scene, Any], Scene]
    start: float = dataclasses.field(compare=False)
    prior: Prior | None = None

    def parameter(self, scene: Scene) -> Parameter:
        """Its unknown."""
        return Parameter(self.name, self.about, prior=self.prior)

    def initial_value(self, scene: Scene) -> float:
        """Where the fit begins."""
        return float(self.start)

    def apply(self, scene: Scene, value: Any) -> Scene:
        """The scene with this value."""
        return self.sets(scene, value)


SceneParameter = Free | Derived


def split_free(
    given: Sequence[str | Free | Tied | Derived],
) -> tuple[tuple[SceneParameter, ...], tuple[Free, ...], tuple[Tied, ...]]:
    """What is one unknown for all trials, what is one for each trial, and what is tied."""
    items = [Free(item) if isinstance(item, str) else item for item in given]
    for item in items:
        if not isinstance(item, (Free, Tied, Derived)):
            raise InputError(
                f"free: {item!r} is not a path.",
                remedy="Give paths, or cal.Free(...), cal.Tied(...), cal.Derived(...).",
            )
    each = tuple(item for item in items if isinstance(item, Free) and item.each)
    shared = tuple(
        item
        for item in items
        if isinstance(item, (Free, Derived)) and not (isinstance(item, Free) and item.each)
    )
    names = [item.path if isinstance(item, (Free, Tied)) else item.name for item in items]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"free: {', '.join(map(repr, twice))} is named more than once.")
    return shared, each, tuple(item for item in items if isinstance(item, Tied))
