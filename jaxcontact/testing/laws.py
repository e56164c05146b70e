"""The conformance check of a law: of a registered function, or of a model for scenes."""

from collections.abc import Callable, Iterable
from typing import Any

from jaxcontact.laws.core.friction_interfaces import FrictionLaw
from jaxcontact.laws.core.normal_interfaces import NormalLaw
from jaxcontact.laws.core.registry import LAWS
from jaxcontact.laws.core.rotation_interfaces import RollingLaw, SpinningLaw
from jaxcontact.parameters import nearest
from jaxcontact.testing.friction_models import (
    check_friction_model,
    check_rolling_model,
    check_spinning_model,
)
from jaxcontact.testing.hooks import refusing_untraceable
from jaxcontact.testing.law_contract import CHECKS
from jaxcontact.testing.model import check_copies
from jaxcontact.testing.normal_models import check_normal_model
from jaxcontact.testing.precision import require_double_precision

LawModel = NormalLaw | FrictionLaw | RollingLaw | SpinningLaw


def check_law(
    law: str | Callable[..., Any] | LawModel,
    *,
    checks: Iterable[str] | None = None,
    impact_speed: float = 1.0,
    mass: float = 0.01,
) -> None:
    """Check that a law keeps what every law must keep.

    A *registered function* (``jaxcontact.law``) is checked at its example, variants, switches and
    corners: values and derivatives of two orders are finite and right, in forward and in reverse
    mode, compiled, batched and in single precision; it is as smooth as stated, close to the law it
    approximates, and makes no energy.

    A *model for scenes* (an instance of an interface of ``jaxcontact.laws``) is checked at the
    given impact: its methods agree with each other and with an independent integration of its
    force, derivatives by its parameters are finite, and its copy from a pickle is equal to it.

    Args:
        law: a registered function or its name; or a normal, friction, rolling or spinning law.
        checks: of a function, the checks to run: keys of
            ``jaxcontact.testing.law_contract.CHECKS``; all when left out.
        impact_speed: of a model, typical approach speed [m/s].
        mass: of a model, effective mass [kg].

    Raises:
        AssertionError: naming the law, the property, and where it does not hold.
        ValueError: ``law`` is a function that is not registered, or a check is not known.
        RuntimeError: JAX does not compute in double precision.

    Example:
        >>> import jax
        >>> import jaxcontact as jc
        >>> jax.config.update("jax_enable_x64", True)
        >>> jc.testing.check_law(jc.laws.elastic.linear_force, checks=["finite", "energy"])
        >>> jc.testing.check_law(jc.NewtonRestitution(restitution=0.8))
    """
    require_double_precision("check_law")
    if isinstance(law, NormalLaw | FrictionLaw | RollingLaw | SpinningLaw):
        if checks is not None:
            raise ValueError(
                f"check_law: checks = {tuple(checks)} are for registered functions; a "
                f"{type(law).__name__} is checked as a whole."
            )
        check_copies(law)
        with refusing_untraceable(type(law).__name__):
            _check_model(law, impact_speed=impact_speed, mass=mass)
        return
    name = law if isinstance(law, str) else law.__name__
    if name not in LAWS or not (isinstance(law, str) or LAWS[name].function is law):
        raise ValueError(
            f"check_law: {name!r} is not a registered law.{nearest(name, LAWS)} Register it with "
            "jaxcontact.law, or make it a model that implements an interface of jaxcontact.laws."
        )
    for check in CHECKS if checks is None else checks:
        if check not in CHECKS:
            raise ValueError(f"check_law: there is no check {check!r}.{nearest(check, CHECKS)}")
        with refusing_untraceable(name):
            CHECKS[check](name)


def _check_model(law: LawModel, *, impact_speed: float, mass: float) -> None:
    if isinstance(law, NormalLaw):
        check_normal_model(law, impact_speed=impact_speed, mass=mass)
    elif isinstance(law, FrictionLaw):
        check_friction_model(law, speed=impact_speed, mass=mass)
    elif isinstance(law, RollingLaw):
        check_rolling_model(law)
    else:
        check_spinning_model(law)
