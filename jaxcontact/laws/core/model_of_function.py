"""The class of a registered function: its parameters become fields, pickled by the law's name."""

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import LAWS, Law, is_number
from jaxcontact.parameters import model, of, static

Maker = Callable[..., Any]


def registered(maker: str, function: Callable[..., Any], *, takes: tuple[str, ...]) -> Law:
    """The entry of ``function`` in ``LAWS``.

    Raises:
        ValueError: it has none, does not take the arguments ``takes``, or has a memory.
    """
    law = next((law for law in LAWS.values() if law.function is function), None)
    if (
        law is None
        or law.has_memory
        or not set(takes) <= set(inspect.signature(function).parameters)
    ):
        raise ValueError(
            f"{maker}: {function!r} is not a registered law of {' and '.join(takes)}, without "
            "memory. Register it with jaxcontact.law."
        )
    return law


def arguments_of(law: Law) -> tuple[str, ...]:
    """Names of all arguments of the function."""
    return tuple(inspect.signature(law.function).parameters)


def class_of_function(
    law: Law,
    *,
    base: type,
    motion: tuple[str, ...],
    members: Mapping[str, Any],
    maker: Maker,
    options: Mapping[str, Any],
) -> Any:
    """A frozen model that inherits from ``base``, named like the function, in capitals without
    underscores. Arguments that are not ``motion``, which a simulation knows, are its fields:
    numbers with unit, interval and transform of ``QUANTITIES``, others static, with the default of
    the function, or the value in the law's example where it has none.

    Args:
        law: of the function.
        base: interface of the law.
        motion: arguments that are no parameters.
        members: methods and attributes.
        maker: ``maker(function, **options)`` returns the class: so its instances are pickled.
        options: of ``maker``.
    """
    fields = tuple(name for name in arguments_of(law) if name not in motion)

    def reduce(self: Any) -> tuple:
        values = {name: getattr(self, name) for name in fields}
        return restored, (maker, law.function.__module__, law.name, dict(options), values)

    namespace: dict[str, Any] = {
        "__doc__": law.function.__doc__,
        "__module__": law.function.__module__,
        "__reduce__": reduce,
        **members,
    }
    parameters = inspect.signature(law.function).parameters
    for name in fields:
        example = law.example.get(name)
        if is_number(example):
            namespace[name] = of(QUANTITIES[name])
        else:
            default = parameters[name].default
            namespace[name] = static(
                default=example if default is inspect.Parameter.empty else default
            )
    namespace["__annotations__"] = dict.fromkeys(fields, Any)
    words = law.function.__name__.split("_")
    return model(type("".join(word.capitalize() for word in words), (base,), namespace))


def restored(
    maker: Maker, module: str, name: str, options: dict[str, Any], values: dict[str, Any]
) -> Any:
    """An instance of the model of the law ``name``, which importing ``module`` registers."""
    importlib.import_module(module)
    if name not in LAWS:
        raise ValueError(
            f"The law {name!r} is not registered at the top of the module {module!r}, so a pickled "
            "model of it cannot be read. Move its function there."
        )
    return maker(LAWS[name].function, **options)(**values)
