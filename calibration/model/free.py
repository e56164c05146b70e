"""Parameters of the scene that a fit finds: free by path, tied to another one, or through a
quantity that sets several.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import cast

import jax
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Parameter, Real
from calibration.model.prior import Prior
from jaxcontact import Scene
from jaxcontact.parameters import Interval, Quantity, declared_parameters, get, nearest, put


@dataclasses.dataclass(frozen=True)
class Free:
    """A parameter of the scene that is to be found. A path alone stands for ``Free(path)``.

    Args:
        path: of the parameter in the scene, e.g. ``"contact.normal.stiffness"``.
        bounds: ends between which it is sought, inside the parameter's own interval and in its
            unit.
        prior: what is known of it beforehand (``Normal``, ``LogNormal``).
        start: where the fit begins, in the unit of the parameter; by default the value in the
            scene.
        each: whether each trial has a value of its own, which is then a nuisance parameter, instead
            of one for all.

    Example:
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> free = cal.Free("contact.normal.restitution", bounds=(0.5, 1.0))
        >>> free.initial_value(scene)
        0.8
    """

    path: str
    bounds: tuple[float, float] | None = None
    prior: Prior | None = None
    start: float | None = dataclasses.field(default=None, compare=False)
    each: bool = False

    def parameter(self, scene: Scene) -> Parameter:
        """The parameter of the fit, with its interval and transform.

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
            about = narrow_interval(self.path, about, self.bounds)
        if self.start is not None and not about.interval.low <= self.start <= about.interval.high:
            raise InputError(
                f"free: the start {self.start:g} of {self.path!r} is outside {about.interval}."
            )
        return Parameter(self.path, about, prior=self.prior)

    def initial_value(self, scene: Scene) -> float:
        """Where the fit begins, in the unit of the parameter."""
        if self.start is not None:
            return self.start
        return float(np.ravel(np.asarray(get(scene, self.path)))[0])

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with this value of the parameter."""
        return put(scene, self.path, value)


def narrow_interval(path: str, about: Quantity, bounds: tuple[float, float]) -> Quantity:
    """The parameter between given ends: its interval, and the transform that keeps it there.

    Args:
        path: of the parameter, or its name.
        about: what is known of its values.
        bounds: the ends, inside its interval.

    Raises:
        InputError: ends outside the interval, or in the wrong order.
    """
    low, high = map(float, bounds)
    if not (about.interval.low <= low < high <= about.interval.high):
        raise InputError(
            f"free: the bounds ({low:g}, {high:g}) of {path!r} are not inside "
            f"{about.interval}, low before high."
        )
    transform = about.transform
    if about.transform == "log" and low > 0:
        transform = "log"
    elif math.isfinite(low) and math.isfinite(high):
        transform = "logit"
    return dataclasses.replace(
        about, interval=Interval(low, high, False, False), transform=transform
    )


@dataclasses.dataclass(frozen=True)
class Tied:
    """A parameter that is always ``factor`` times another one of the scene; the fit does not move
    it by itself.

    Args:
        path: of the parameter that follows.
        to: path of the parameter it follows.
        factor: value of the first over that of the second.

    Example:
        A restitution of twice the coefficient of friction:

        >>> contact = jc.ContactModel(
        ...     normal=jc.NewtonRestitution(restitution=0.8),
        ...     friction=jc.Coulomb(coefficient=0.2),
        ... )
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> tie = cal.Tied("contact.normal.restitution", "contact.friction.coefficient", factor=2.0)
        >>> float(tie.apply(scene).contact.normal.restitution)
        0.4
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
        """The scene in which the parameter has followed the other one."""
        return put(scene, self.path, self.factor * get(scene, self.to))


@dataclasses.dataclass(frozen=True)
class Derived:
    """A quantity that is to be found and that sets parameters of the scene: an elastic modulus
    instead of stiffnesses, a contact duration. ``cal.derived`` has ready-made ones.

    Args:
        name: what it is called in tables.
        about: unit, interval, transform, label and symbol (``jaxcontact.parameters.quantity``).
        sets: function of (scene, value) that returns the scene with that value; in JAX, since it is
            differentiated.
        start: where the fit begins, in the unit of the quantity.
        prior: what is known of it beforehand.

    Example:
        The loss of energy instead of the restitution:

        >>> from jaxcontact.parameters import put, quantity
        >>> loss = cal.Derived(
        ...     name="energy_loss",
        ...     about=quantity(unit="-", label="energy loss", symbol="q", interval="(0, 1)",
        ...                    transform="logit"),
        ...     sets=lambda scene, q: put(scene, "contact.normal.restitution", jnp.sqrt(1.0 - q)),
        ...     start=0.36,
        ... )
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.5))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> float(loss.apply(scene, loss.initial_value(scene)).contact.normal.restitution)
        0.8
    """

    name: str
    about: Quantity
    sets: Callable[[Scene, jax.Array], Scene]
    start: float = dataclasses.field(compare=False)
    prior: Prior | None = None

    def parameter(self, scene: Scene) -> Parameter:
        """The parameter of the fit, with its interval and transform."""
        return Parameter(self.name, self.about, prior=self.prior)

    def initial_value(self, scene: Scene) -> float:
        """Where the fit begins, in the unit of the quantity."""
        return float(self.start)

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with this value of the quantity."""
        return self.sets(scene, cast(jax.Array, value))  # in a fit it is one


SceneParameter = Free | Derived


def split_free(
    given: Sequence[str | Free | Tied | Derived],
) -> tuple[tuple[SceneParameter, ...], tuple[Free, ...], tuple[Tied, ...]]:
    """Split what a problem is given as ``free``.

    Returns:
        The parameters that have one value for all trials, those with one for each trial, and those
        that follow another one.

    Raises:
        InputError: something that is none of these, or a name that comes twice.
    """
    shared: list[SceneParameter] = []
    each: list[Free] = []
    tied: list[Tied] = []
    names: list[str] = []
    for entry in given:
        parameter = Free(entry) if isinstance(entry, str) else entry
        if isinstance(parameter, Derived):
            names.append(parameter.name)
            shared.append(parameter)
        elif isinstance(parameter, Tied):
            names.append(parameter.path)
            tied.append(parameter)
        elif isinstance(parameter, Free):
            names.append(parameter.path)
            (each if parameter.each else shared).append(parameter)
        else:
            raise InputError(
                f"free: {entry!r} is not a path.",
                remedy="Give paths, or cal.Free(...), cal.Tied(...), cal.Derived(...).",
            )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"free: {', '.join(map(repr, twice))} is named more than once.")
    return tuple(shared), tuple(each), tuple(tied)
