"""How a simulation ended, as a code that survives jit, and as advice for a person."""

import enum
from typing import overload

import jax
import numpy as np
from numpy.typing import ArrayLike


class Status(enum.IntEnum):
    """Result code of a simulation. Higher codes are worse; ``advice`` says what to do.

    Example:
        >>> jc.Status.TOO_FEW_CONTACTS.advice
        'The budget of contacts was used up before the last time; ...'
    """

    SUCCESS = 0
    CAME_TO_REST = 1
    SIMULTANEOUS_IMPACTS = 2
    INEXACT_FLIGHT = 3
    INEXACT_CONTACT = 4
    INEXACT_STEPS = 5
    TOO_FEW_CONTACTS = 6
    TOO_FEW_STEPS = 7
    NOT_FINITE = 8
    UNRESOLVED_CONTACT = 9
    IMPOSSIBLE_START = 10
    UNSOLVED_STEP = 11

    @property
    def advice(self) -> str:
        """What happened and what to do about it."""
        return _ADVICE[self]


@overload
def succeeded(status: int) -> bool: ...
@overload
def succeeded(status: np.ndarray) -> np.ndarray: ...
@overload
def succeeded(status: jax.Array) -> jax.Array: ...
def succeeded(status: jax.Array | np.ndarray | int) -> jax.Array | np.ndarray | bool:
    """Whether simulations with these codes did what was asked, each; also where they are traced."""
    return status <= Status.SIMULTANEOUS_IMPACTS


def describe_failures(statuses: ArrayLike) -> str:
    """How many of these simulations did not succeed, of which codes, and the advice for each code;
    empty where all did.
    """
    codes = np.ravel(np.asarray(statuses))
    failed = codes[~succeeded(codes)]
    if not failed.size:
        return ""
    found = [(Status(int(code)), int(np.sum(failed == code))) for code in np.unique(failed)]
    counts = ", ".join(f"{count} {status.name}" for status, count in found)
    advice = " ".join(f"{status.name}: {status.advice}" for status, _ in found)
    return f"{failed.size} of {codes.size} simulations did not succeed ({counts}). {advice}"


_ADVICE = {
    Status.SUCCESS: "Every contact up to the last time was resolved.",
    Status.CAME_TO_REST: (
        "A body stopped bouncing and stays in contact, or did for a while. From then on its "
        "overlap is the static one and it slides, sticks or rolls under"
        " friction. This is exact up to bounces lower than four times the overlap, and than a "
        "fifth of it where contacts are solved for at once."
    ),
    Status.SIMULTANEOUS_IMPACTS: (
        "Rigid impacts that feel each other fell on the same instant and were solved together. "
        "The motion is right, but it has no derivative there: with the least shift they happen "
        "one after the other, and differently. The derivatives returned hold only for changes "
        "that keep them simultaneous. EventAligned resolves such impacts in time."
    ),
    Status.INEXACT_FLIGHT: (
        "A flight in a fluid is not followed to 1e-6 of its speed; derivatives may be worse. "
        "Strong drag and lift need more steps. Outside of traced functions simulate takes more by "
        "itself; inside, ask for them: flight_steps of the method."
    ),
    Status.INEXACT_CONTACT: (
        "A contact is not followed to 1e-6 of the fastest impact; derivatives may be far worse. "
        "Heavily damped contacts (a restitution below 0.3) and contacts under a large load need to "
        "be solved for in time. Outside of traced functions simulate does so by itself; inside, "
        "ask for it: in_time=True of the method. Below a restitution of 0.001 that does not help."
    ),
    Status.INEXACT_STEPS: (
        "The steps in a contact are too long to follow it to 1e-6 of its impact: of several bodies "
        "or with a surface that is no plane, or, of one sphere over a plane, friction beside "
        "forces along the plane; or those of sliding and rolling in contacts that last are too "
        "few. Outside of traced functions simulate takes more by itself; inside, ask for them: a "
        "smaller graded_step of the method, or more contact_steps, rest_steps or (of several "
        "bodies, or with a surface that is no plane) sustained_steps. A force that "
        "jumps within a contact, or has a sharp corner, needs a smooth form."
    ),
    Status.TOO_FEW_CONTACTS: (
        "The budget of contacts was used up before the last time; what follows the last "
        "resolved contact is extrapolated free flight."
        " Raise max_contacts of the method, or end the simulation earlier."
    ),
    Status.TOO_FEW_STEPS: (
        "The budget of steps was used up before the last time; what follows is extrapolated "
        "free flight. Raise max_contacts or max_steps of"
        " the method, or end the simulation earlier. A contact that lasts, too soft to "
        "settle (rest_overlap), takes many steps."
    ),
    Status.NOT_FINITE: (
        "A number in the result is not finite: an input was not, or it is so extreme (a "
        "restitution, stiffness, mass or speed near 0 or"
        " infinity) that a contact cannot be computed. Nothing in the result is to be trusted."
    ),
    Status.UNRESOLVED_CONTACT: (
        "The sphere overlaps the plane at the start, or comes to rest deeper than "
        "rest_overlap, or its contact is damped too heavily for this law, or the force is cut "
        "within the contact (normal_law: end='zero_force') or has a corner there: the engine for "
        "one sphere over one plane follows none of these. Outside of "
        "traced functions simulate takes the engine for several bodies then; inside, ask for "
        "it: general=True of the method."
    ),
    Status.IMPOSSIBLE_START: (
        "At the start a body is where no motion can bring it: its centre lies behind a "
        "surface or in another sphere, or rigid bodies overlap. Check position, radius, and "
        "on which side of each surface the body is."
    ),
    Status.UNSOLVED_STEP: (
        "A step in a contact that brings its own kinematics could not be solved, however short: "
        "two of its events fall on the same instant, or its force jumps back and forth, as "
        "friction does with a slip velocity of 0. What follows is not to be trusted. Give it a "
        "slip velocity, or shift the start."
    ),
}
