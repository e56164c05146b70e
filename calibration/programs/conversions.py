"""Maps between restitution and damping, compiled once for single numbers, in double precision."""

from collections.abc import Callable
from functools import cache

import jax

from calibration.programs.program import Program, check_reach
from calibration.programs.target import Target
from jaxcontact.laws.core.damping_maps import CONTACT_ENDS, RESTITUTION_LAWS
from jaxcontact.numerics.smooth import Real


def _for_numbers(function: Callable[[Real], jax.Array]) -> Callable[[float], float]:
    compiled = jax.jit(function)

    def evaluate(number: float) -> float:
        with jax.enable_x64(True):
            return float(compiled(float(number)))

    return evaluate


@cache
def nominal_of_obtained(law: str) -> Callable[[float], float]:
    """The restitution to ask for, as a function of the one to obtain.

    Args:
        law: name in ``jaxcontact.RESTITUTION_LAWS``.
    """
    return _for_numbers(RESTITUTION_LAWS[law].asked)


@cache
def obtained_of_nominal(law: str) -> Callable[[float], float]:
    """The restitution obtained, as a function of the one that is asked for.

    Args:
        law: name in ``jaxcontact.RESTITUTION_LAWS``.
    """
    return _for_numbers(RESTITUTION_LAWS[law].obtained)


@cache
def damping_of_restitution(end: str) -> Callable[[float], float]:
    """Damping of a dashpot relative to critical, as a function of the restitution obtained.

    Args:
        end: of the contact, key of ``jaxcontact.laws.restitution.CONTACT_ENDS``.
    """
    return _for_numbers(CONTACT_ENDS[end].damping)


@cache
def restitution_of_damping(end: str) -> Callable[[float], float]:
    """Restitution obtained, as a function of the damping of a dashpot relative to critical.

    Args:
        end: of the contact, key of ``jaxcontact.laws.restitution.CONTACT_ENDS``.
    """
    return _for_numbers(CONTACT_ENDS[end].restitution)


# A dashpot whose coefficient follows from a restitution as if the contact lasted until the overlap
# is gone, but whose force is limited so that it never pulls: the contact ends at zero force.


def ask_limited_dashpot(program: Program, target: Target) -> float:
    """The restitution to ask for, so that the one of the target is obtained.

    Args:
        program: that has such a dashpot.
        target: what is to be obtained.

    Raises:
        InputError: the restitution of the target is not above what critical damping obtains,
            ``exp(-2)``.
    """
    check_reach(program, target, restitution_of_damping("zero_force")(1.0))
    zeta = damping_of_restitution("zero_force")(target.restitution)
    return restitution_of_damping("zero_overlap")(zeta)


def obtained_of_limited_dashpot(asked: float) -> float:
    """The restitution obtained.

    Args:
        asked: restitution that is asked for, in (0, 1].
    """
    zeta = damping_of_restitution("zero_overlap")(asked)
    return restitution_of_damping("zero_force")(zeta)
