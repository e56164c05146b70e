"""The laws of Modia3D as a contact model for scenes."""

import warnings
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.damping_maps import RESTITUTION_LAWS
from jaxcontact.laws.friction.coulomb import MODIA3D, RegularizedCoulomb
from jaxcontact.laws.friction.rolling import RollingResistance
from jaxcontact.laws.normal.models import HuntCrossley
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import is_concrete
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.systems.modia3d.contact_pair_material import ElasticContactPairMaterial
from jaxcontact.systems.modia3d.elastic_contact import ElasticContact
from jaxcontact.systems.modia3d.response_material import response_material


def contact_model(contact: ElasticContact) -> ContactModel:
    """Modia3D's force law between two spheres, or a sphere and a flat surface, for
    ``jaxcontact.Scene``.

    Damping is that of ``coefficientOfRestitution`` at the impact speed, ``d = 8 (1 - cor)/(5 cor
    v)``. Sliding and rolling are as in the program. Left out, with a warning where it is asked for:

    - ``vsmall`` as the impact speed below which the restitution is 0: slow impacts rebound, too.
    - ``maximumContactDamping`` as a limit at every speed. It is that of an impact at 1 m/s: a
      smaller ``cor`` than belongs to it, ``8/(8 + 5 d_max)``, 8e-4 by default, is raised to that.
      So ``cor = 0`` has 8e-4 at all speeds.
    - The torque against spinning about the normal: add ``SpinningFriction`` where that matters.
    - ``contactEpsilon``, ``tension``, ``transition_speed`` and ``restitution_law``.

    Between two spheres, or one and a ball that is held, nothing needs to be left out: give the
    ``ElasticContact`` itself to the scene.

    Args:
        contact: from ``elastic_contact``. A pair that exerts no force has no model.

    Returns:
        The laws of the contact for a ``Scene``.

    Raises:
        ValueError: the pair exerts no force.

    Warns:
        UserWarning: the contact asks for something that is left out; it says what.

    Example:
        >>> import warnings
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> with warnings.catch_warnings(record=True, action="always") as said:
        ...     contact_model = modia3d.contact_model(contact)
        ...
        >>> type(contact_model.normal).__name__
        'HuntCrossley'
        >>> print(str(said[0].message)[:58])
        contact_model leaves out: impacts slower than vsmall = 0.0
    """
    material, pair = response_material(contact, 1.0), contact.pairMaterial
    if not isinstance(pair, ElasticContactPairMaterial):
        raise ValueError(
            "contact_model: this pair of materials is an observer, which exerts no force. "
            "Leave the surface out of the scene."
        )
    # of which d is the largest damping at 1 m/s
    least = 8.0 / (8.0 + 5.0 * jnp.asarray(contact.maximumContactDamping))
    said = "; ".join(_left_out(contact, pair, vsmall=material.vsmall, least=least))
    warnings.warn(
        f"contact_model leaves out: {said}. Between two spheres give the ElasticContact itself to "
        "the scene.",
        UserWarning,
        stacklevel=2,
    )
    return ContactModel(
        normal=HuntCrossley(
            stiffness=jnp.asarray(material.c_res * material.c_geo),
            restitution=jnp.maximum(pair.coefficientOfRestitution, least),
            restitution_law=RESTITUTION_LAWS["flores_2011"],
        ),
        friction=RegularizedCoulomb(
            coefficient=material.mu_k, slip_velocity=material.vsmall, regularization=MODIA3D
        ),
        rolling=RollingResistance(
            rolling_coefficient=material.mu_r,
            rolling_velocity=material.wsmall,
            regularization=MODIA3D,
        ),
    )


def _left_out(
    contact: ElasticContact, pair: ElasticContactPairMaterial, *, vsmall: Real, least: Real
) -> Iterator[str]:
    """What the laws do not do that the contact does."""
    if is_concrete(vsmall):
        yield f"impacts slower than vsmall = {float(vsmall):g} m/s rebound, too"
    cor = pair.coefficientOfRestitution
    if is_concrete(cor) and is_concrete(least) and np.any(np.asarray(cor) < np.asarray(least)):
        yield f"a coefficientOfRestitution of {cor} becomes {float(least):.2g}"
    resistance = pair.rotationalResistanceCoefficient
    if not is_concrete(resistance) or np.any(np.asarray(resistance) > 0):
        yield "nothing resists spinning about the normal (add SpinningFriction)"
    epsilon = contact.contactEpsilon
    for name, asked in (
        ("contactEpsilon", not is_concrete(epsilon) or np.any(np.asarray(epsilon) > 0)),
        ("tension", contact.tension),
        ("transition_speed", contact.transition_speed is not None),
        ("smooth", contact.smooth is not None),
        ("restitution_law", contact.restitution_law != "nominal"),
    ):
        if asked:
            yield name
