"""How the trials of a problem are simulated: rigid impacts where these are enough, contacts in full
where forces are measured.
"""

from collections.abc import Sequence
from typing import Any

import jaxcontact as jc
from calibration.errors import InputError
from jaxcontact.laws import BranchedLaw, CompliantLaw, RigidLaw, SmoothLaw

SPARE = 2
"""Contacts beyond those that were seen: a motion with the parameters of the moment may have
more.
"""


def default_method(scene: jc.Scene, trials: Sequence[Any], detections: Sequence[Any]) -> Any:
    """The method for ``trials`` with a motion, whose first guesses are ``readings``.

    Raises:
        InputError: a force was measured and the law has none.
    """
    contacts = (
        max(
            (
                contacts_of(trial, detected)
                for trial, detected in zip(trials, detections, strict=True)
            ),
            default=0,
        )
        + SPARE
    )
    rests = any(getattr(item, "until_rest", False) for trial in trials for item in trial.measured)
    rest_steps = 32 if rests else 1
    if not needs_force(scene, trials):
        return jc.Impulse(max_contacts=contacts, rest_steps=rest_steps, skip_unused=False)
    return jc.EventAligned(max_contacts=contacts, rest_steps=rest_steps, skip_unused=False)


def contacts_of(trial: Any, detected: Any) -> int:
    """Contacts that a trial shows: those of its first guess, and those that one of its measurements
    counts.
    """
    counted = [getattr(item, "contacts", 0) for item in trial.measured]
    numbers = getattr(detected, "numbers", ())
    seen = len(detected.bounces) if detected is not None else 0
    return max(seen, numbers[-1] + 1 if numbers else 0, *counted)


def needs_force(scene: jc.Scene, trials: Sequence[Any]) -> bool:
    """Whether a contact must be followed from touch-down to lift-off."""
    measured = [item for trial in trials for item in trial.measured]
    stated = isinstance(scene.contact.normal, RigidLaw)
    return any(
        getattr(item, "needs_force", False)
        or (getattr(item, "needs_duration", False) and not stated)
        for item in measured
    )


def check_method_of(scene: jc.Scene, trials: Sequence[Any], method: Any) -> None:
    """Check that a method and the laws of the scene give what was measured.

    Raises:
        InputError: naming the law or method, and the remedy.
    """
    asked = [
        item
        for trial in trials
        for item in trial.measured
        if hasattr(item, "needs_force") or hasattr(item, "needs_duration")
    ]
    if not needs_force(scene, trials):
        return
    what, contact = type(asked[0]).__name__, scene.contact
    law = type(contact.normal).__name__
    if not isinstance(contact.normal, CompliantLaw):
        raise InputError(
            f"{what} needs a law with a force, and {law} is rigid.",
            remedy="Use a compliant law in the scene, e.g. jaxcontact.HuntCrossley(stiffness=..., "
            "restitution=...).",
        )
    if isinstance(contact.friction, jc.Coulomb):
        raise InputError(
            f"{what} needs contacts that last, in which Coulomb friction is no impulse.",
            remedy="Use jaxcontact.RegularizedCoulomb.",
        )
    if not isinstance(contact.normal, SmoothLaw | BranchedLaw):
        raise InputError(
            f"{what} needs a law that EventAligned can integrate, and {law} has corners.",
            remedy="Use another law.",
        )
    if isinstance(method, jc.Impulse):
        raise InputError(
            f"{what} needs contacts that last; method = Impulse has none.",
            remedy="Leave method out, or use EventAligned().",
        )
