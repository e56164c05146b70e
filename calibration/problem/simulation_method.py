"""How the trials of a problem are simulated: rigid impacts where these are enough, contacts in full
where forces are measured.
"""

from collections.abc import Sequence

import jaxcontact as jc
from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.measurements.base import Abscissa, Measurement
from calibration.problem.trial import Trial
from jaxcontact.laws import BranchedLaw, CompliantLaw, PairContact, RigidLaw, SmoothLaw
from jaxcontact.simulation.simulate import Method

SPARE = 2
"""Contacts beyond those that were seen: a motion with the parameters of the moment may have
more.
"""

HEARD_FLIGHT_STEPS = 32
"""Steps of a flight in a fluid where impacts alone are measured. Their simulation ends with its
budget of contacts, before it could say that flights are not exact.
"""


def default_method(
    scene: jc.Scene, trials: Sequence[Trial], detections: Sequence[Detection | None]
) -> jc.EventAligned | jc.Impulse:
    """The method for ``trials`` with a motion, whose first guesses are ``detections``.

    Raises:
        InputError: a force was measured and the law has none.
    """
    contacts = (
        max(
            (
                count_contacts(trial, detected)
                for trial, detected in zip(trials, detections, strict=True)
            ),
            default=0,
        )
        + SPARE
    )
    if isinstance(scene.contact, PairContact):
        return jc.EventAligned(max_contacts=contacts)
    if any(not trial.alone for trial in trials) and can_be_followed(scene.contact):
        # While two bodies touch, their line of centres turns: at the noise of a camera that shows.
        return jc.EventAligned(max_contacts=contacts)
    rests = any(item.until_rest for trial in trials for item in trial.measured)
    rest_steps = jc.EventAligned.rest_steps if rests else 1
    if not needs_contacts_in_full(scene, trials):
        heard = all(item.abscissa is Abscissa.IMPACT for trial in trials for item in trial.measured)
        steps = HEARD_FLIGHT_STEPS if heard and scene.has_fluid else jc.Impulse.flight_steps
        return jc.Impulse(
            max_contacts=contacts, flight_steps=steps, rest_steps=rest_steps, skip_unused=False
        )
    return jc.EventAligned(max_contacts=contacts, rest_steps=rest_steps, skip_unused=False)


def can_be_followed(contact: jc.ContactModel) -> bool:
    """Whether ``EventAligned`` follows contacts of this model from touch-down to lift-off."""
    follows = isinstance(contact.normal, SmoothLaw | BranchedLaw)
    return follows and not isinstance(contact.friction, jc.Coulomb)


def count_contacts(trial: Trial, detected: Detection | None) -> int:
    """Contacts that a trial shows: at least those of its first guess, and those that its
    measurements need.
    """
    needed = [measurement.contacts for measurement in trial.measured]
    numbers = detected.numbers if detected is not None else ()
    return max(len(numbers), numbers[-1] + 1 if numbers else 0, *needed)


def needs_contacts_in_full(scene: jc.Scene, trials: Sequence[Trial]) -> list[Measurement]:
    """The measurements for which contacts must be followed from touch-down to lift-off."""
    tells_duration = isinstance(scene.contact.normal, RigidLaw)
    return [
        measurement
        for trial in trials
        for measurement in trial.measured
        if measurement.needs_force or (measurement.needs_duration and not tells_duration)
    ]


def check_method(scene: jc.Scene, trials: Sequence[Trial], method: Method) -> None:
    """Check that a method and the laws of the scene give what was measured.

    Raises:
        InputError: naming the law or method, and the remedy.
    """
    if isinstance(scene.contact, PairContact):
        _check_motions_alone(scene.contact, trials, method)
        return
    asking = needs_contacts_in_full(scene, trials)
    if not asking:
        return
    what, contact = type(asking[0]).__name__, scene.contact
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


def _check_motions_alone(contact: PairContact, trials: Sequence[Trial], method: Method) -> None:
    """Contacts of other programs are followed in time, and show in motions alone."""
    name = type(contact).__name__
    for trial in trials:
        for item in trial.measured:
            if not item.of_motion:
                raise InputError(
                    f"{type(item).__name__} cannot be compared with a simulation of {name} yet.",
                    path=item.path,
                    remedy="Give positions, spins or orientations, or describe the contact by a "
                    "ContactModel.",
                )
    if method is not None and not isinstance(method, jc.EventAligned):
        raise InputError(
            f"{name} is followed in time; method = {type(method).__name__} does not.",
            remedy="Leave method out, or use EventAligned().",
        )
