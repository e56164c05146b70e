"""The parameter model of a normal-force function, for scenes and fits."""

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import jax

from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import LAWS, is_number
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of, static

MOTION = ("overlap", "overlap_rate", "impact_speed", "mass")
"""Arguments that a scene knows; all others are parameters of the law."""


def normal_law(function: Callable[..., jax.Array]) -> type[LawFromForce]:
    """A class whose fields are the parameters of ``function``, to be used as
    ``ContactModel(normal=...)``, with every method of simulation.

    Numbers become differentiable parameters, with unit, interval and transform of ``QUANTITIES``;
    other arguments (a mode, a form) become static fields, with the value in the law's example as
    default.

    Args:
        function: a registered law that returns a normal force [N] from ``overlap`` and, if it needs
            them, ``overlap_rate``, ``impact_speed`` and ``mass``.

    Returns:
        A frozen model named like the function, in capitals without underscores; for one function
        always the same class. Its instances are pickled with the name of the law, so that a copy in
        another process is equal to the original: the function must be registered at the top of a
        module that can be imported there.

    Raises:
        ValueError: ``function`` is not registered, takes no overlap, or has a memory.

    Raises:
        ValueError: ``function`` is not registered, takes no overlap, or has a memory.

    Example:
        >>> from jaxcontact.laws import elastic
        >>> HertzForce = jc.normal_law(elastic.hertz_force)
        >>> law = HertzForce(stiffness=4e7)
        >>> print(f"{law.force(1e-4, 0.0, impact_speed=1.0, mass=0.01):.1f} N")
        40.0 N
    """
    return _class_of_law(function)


@functools.cache
def _class_of_law(function: Callable[..., jax.Array]) -> type[LawFromForce]:
    law = LAWS.get(function.__name__)
    if law is None or "overlap" not in inspect.signature(function).parameters or law.has_memory:
        raise ValueError(
            f"normal_law: {function!r} is not a registered law that gives a force from an "
            "overlap, without memory."
        )
    taken = tuple(inspect.signature(function).parameters)
    fields = tuple(name for name in taken if name not in MOTION)

    def force(
        self: Any, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        motion = dict(zip(MOTION, (overlap, overlap_rate, impact_speed, mass), strict=True))
        return function(
            **{name: motion[name] if name in motion else getattr(self, name) for name in taken}
        )

    def reduce(self: Any) -> tuple:
        values = {name: getattr(self, name) for name in fields}
        return _model_of_law, (function.__module__, law.name, values)

    namespace: dict[str, Any] = {
        "__doc__": function.__doc__,
        "__module__": function.__module__,
        "__reduce__": reduce,
        "force": force,
    }
    for name in fields:
        example = law.example.get(name)
        namespace[name] = of(QUANTITIES[name]) if is_number(example) else static(default=example)
    namespace["__annotations__"] = dict.fromkeys(fields, Any)
    return model(
        type(
            "".join(word.capitalize() for word in function.__name__.split("_")),
            (LawFromForce,),
            namespace,
        )
    )


def _model_of_law(module: str, name: str, values: dict[str, Any]) -> LawFromForce:
    """An instance of ``normal_law`` of the law ``name``, which importing ``module`` registers."""
    importlib.import_module(module)
    if name not in LAWS:
        raise ValueError(
            f"The law {name!r} is not registered at the top of the module {module!r}, so a pickled "
            "model of it cannot be read. Move its function there."
        )
    return normal_law(LAWS[name].function)(**values)
