"""Exudyn's GeneralContact between spheres: the pair law of ``ObjectContactSphereSphere`` with
parameters combined from the two spheres.

Linear spring and dashpot, springs in series, dashpots added::

    kc = k0 k1/(k0 + k1),    dc = d0 + d1.

With the explicit solvers the normal force is cut off at zero (total force, spring and damping), and
friction decides by the present slip. Source: observed behaviour of Exudyn 1.13.6.

Example:
    >>> from jaxcontact.systems import exudyn
    >>> pair = exudyn.general_contact.general_contact_pair(
    ...     (0.1, 0.1), stiffness=(2e4, 2e4), damping=(10.0, 10.0)
    ... )
    >>> print(f"{pair.contactStiffness:.0f} N/m")
    10000 N/m
"""

from collections.abc import Sequence

import jax
import numpy as np

from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.exudyn.compatibility import Compatibility
from jaxcontact.systems.exudyn.parameters import ObjectContactSphereSphere

EXPLICIT_SOLVER = Compatibility(damping_pulls=False)
"""What an explicit solver does with a pair."""


def general_contact_pair(
    radii: jax.Array | np.ndarray | Sequence[Real],
    *,
    stiffness: tuple[Real, Real],
    damping: tuple[Real, Real],
    friction: Real = 0.0,
    friction_proportional_zone: Real = 1e-3,
    compatibility: Compatibility = EXPLICIT_SOLVER,
) -> ObjectContactSphereSphere:
    """The contact between two spheres of a GeneralContact, for ``sphere_sphere_contact``.

    Args:
        radii: of both spheres [m], (2,).
        stiffness: of both [N/m].
        damping: of both [N s/m].
        friction: coefficient of the pair of materials [-].
        friction_proportional_zone: one for all contacts [m/s].
        compatibility: the default cuts tension off.
    """
    k0, k1 = stiffness
    return ObjectContactSphereSphere(
        spheresRadii=radii,
        contactStiffness=k0 * k1 / (k0 + k1),
        contactDamping=damping[0] + damping[1],
        dynamicFriction=friction,
        frictionProportionalZone=friction_proportional_zone,
        compatibility=compatibility,
    )
