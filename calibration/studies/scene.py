"""The parts of a scene that a study chooses by name: ball, laws, surface."""

import math

import jaxcontact as jc
from calibration.studies.choices.friction_laws import FRICTION_LAWS
from calibration.studies.choices.normal_laws import NORMAL_LAWS
from calibration.studies.choices.restitution_laws import RESTITUTION_LAWS
from calibration.studies.choices.surfaces import SURFACES
from calibration.studies.study import Study
from jaxcontact.surfaces import Surface

CONTACTS_ALIKE = 4
"""Budgets of contacts are multiples of this."""

FLIGHT_STEPS = 64
"""Steps of a flight with drag. A table tennis ball needs more than the usual 16, to find that out
takes another compilation, and a fit of milliseconds does not take notably longer with more.
"""


def make_ball(study: Study) -> jc.Spheres:
    """The sphere of the study."""
    return jc.spheres(
        radius=study.one_ball.radius, mass=study.one_ball.mass, shell=study.one_ball.shell
    )


def has_rigid_impacts(study: Study) -> bool:
    """Whether impacts take no time, because the study names no law with a force."""
    return study.model.normal_law is None


def make_contact(
    study: Study, *, restitution: float, speed: float, friction: bool, mass: float | None = None
) -> jc.ContactModel:
    """The laws of the contact with starting values.

    Args:
        study: which laws.
        restitution: at first sight.
        speed: at which it was seen [m/s].
        friction: whether there is any.
        mass: that takes part in an impact [kg]; by default that of the ball, in a collision of two
            bodies their reduced mass.
    """
    model = study.model
    if model.normal_law is None:
        normal = RESTITUTION_LAWS[model.law_of_restitution].make(restitution, speed)
    else:
        normal = NORMAL_LAWS[model.normal_law].make(
            restitution, speed, study.one_ball.mass if mass is None else mass
        )
    if not friction:
        return jc.ContactModel(normal=normal, friction=jc.NoFriction())
    law = FRICTION_LAWS[model.friction_law]
    return jc.ContactModel(normal=normal, friction=law.make(has_rigid_impacts(study)))


def make_surfaces(study: Study) -> tuple[Surface, ...]:
    """What the ball bounces on."""
    return (SURFACES[study.model.surface].make(),)


def free_of_normal_law(study: Study) -> tuple[str, ...]:
    """Paths of the parameters of the normal law that are found."""
    model = study.model
    if model.normal_law is None:
        return RESTITUTION_LAWS[model.law_of_restitution].free
    return NORMAL_LAWS[model.normal_law].free


def free_of_friction(study: Study) -> tuple[str, ...]:
    """Paths of the parameters of the friction law that are found."""
    return FRICTION_LAWS[study.model.friction_law].free


def free_of_surface(study: Study) -> tuple[str, ...]:
    """Paths of the parameters of the surface that are found."""
    return SURFACES[study.model.surface].free


def make_method(study: Study, contacts: int) -> jc.Impulse | jc.EventAligned:
    """How a motion with at least so many contacts is simulated.

    The budget of contacts is rounded up, so that recordings with a few more or fewer share compiled
    code.
    """
    budget = CONTACTS_ALIKE * math.ceil(contacts / CONTACTS_ALIKE)
    kind = jc.Impulse if has_rigid_impacts(study) else jc.EventAligned
    return kind(max_contacts=budget, rest_steps=1, skip_unused=False, flight_steps=FLIGHT_STEPS)
