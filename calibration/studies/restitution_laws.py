"""The restitution laws that a study can name, as rigid impacts, and which of their parameters are
found.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jaxcontact as jc

NORMAL = "contact.normal"


class RestitutionChoice(NamedTuple):
    """A law as a study names it.

    Attributes:
        free: paths of the parameters that are found.
        law: the law with starting values, from the restitution at first sight and the speed at
            which it was seen [m/s].
    """

    free: tuple[str, ...]
    law: Callable[[float, float], Any]


CHOICES = {
    "constant": RestitutionChoice(
        (f"{NORMAL}.restitution",), lambda e, v: jc.NewtonRestitution(restitution=e)
    ),
    "viscoelastic": RestitutionChoice(
        (f"{NORMAL}.restitution",),
        lambda e, v: jc.ViscoelasticRestitution(restitution=e, reference_speed=v),
    ),
    "power law": RestitutionChoice(
        (f"{NORMAL}.restitution", f"{NORMAL}.velocity_exponent"),
        lambda e, v: jc.PowerLawRestitution(
            restitution=e, reference_speed=v, velocity_exponent=0.05
        ),
    ),
    "plastic": RestitutionChoice(
        (f"{NORMAL}.yield_speed",), lambda e, v: jc.ThorntonRestitution(yield_speed=v * e**4 / 2)
    ),
}
"""By the name in a study file; the reference speed is that of the data."""
