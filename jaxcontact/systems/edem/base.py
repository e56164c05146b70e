"""What a base model says about a contact, and what base models have in common."""

from typing import NamedTuple

import jax

from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.slider import Slider, SmoothSlider, coulomb_slider
from jaxcontact.laws.normal.damping import no_tension
from jaxcontact.numerics.smooth import Real, eased_positive_part
from jaxcontact.parameters import nearest


class EffectivePair(NamedTuple):
    """Attributes: ``radius`` ``R*`` [m] and ``mass`` ``m*`` [kg] of two bodies in contact, by
    ``1/x* = 1/x1 + 1/x2``.
    """

    radius: Real
    mass: Real


class NormalContact(NamedTuple):
    """Normal contact at one instant, ``(...)``.

    Attributes:
        force: spring and dashpot [N], positive when it repels.
        load: ``F_n``: spring alone [N], which bounds the friction and loads the disk.
        damping: ``gamma_n``: coefficient of the dashpot [N s/m].
    """

    force: jax.Array
    load: jax.Array
    damping: jax.Array


class TangentialSpring(NamedTuple):
    """Attributes: ``stiffness`` ``S_t`` [N/m] of the tangential spring at one instant, and
    ``damping`` [N s/m] of its dashpot; ``(...)``.
    """

    stiffness: jax.Array
    damping: jax.Array


def cut_at_zero(contact: NormalContact, end: str, smooth: Smoothing | None) -> NormalContact:
    """With ``end = "zero_force"`` no force attracts; smooth, it sets in over the ``share`` of the
    spring's force, and of the dashpot's at ``speed``.
    """
    if end != "zero_force":
        return contact
    if smooth is None:
        return contact._replace(force=no_tension(contact.force))
    width = smooth.share * (contact.load + contact.damping * smooth.speed)
    return contact._replace(force=eased_positive_part(contact.force, width))


def slider_of(smooth: Smoothing | None) -> Slider:
    """What limits the tangential force."""
    return coulomb_slider if smooth is None else SmoothSlider(smooth.share)  # type: ignore[arg-type]


def check_end(owner: str, end: str) -> None:
    """Raise ``ValueError`` unless ``end`` is a key of ``CONTACT_ENDS``."""
    if end not in CONTACT_ENDS:
        raise ValueError(
            f"{owner}: end = {end!r} is not a way to end a "
            f"contact.{nearest(str(end), CONTACT_ENDS)}"
        )
