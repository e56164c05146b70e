"""How the restitution of a ball depends on speed, unknown within what balls do: a power law whose
exponent may change with the speed.
"""

from calibration.model.free import Free
from calibration.model.prior import Normal
from calibration.results.numbers import value_and_sd
from calibration.studies.doubts.doubt import Doubt

EXPONENT = "contact.normal.mean_exponent"
CHANGE = "contact.normal.exponent_change"

FREE_FORM = (
    Free(EXPONENT, prior=Normal(0.0, 0.1)),
    Free(CHANGE, prior=Normal(0.0, 0.06)),
)
"""What is known of balls that bounce: viscoelastic ones have exponents of 0.02 to 0.06 that grow
with speed (Ramirez et al., Phys. Rev. E 60 (1999) 4465-4472), adhesion makes them negative, plastic
flow goes from 0 to 1/4 (Johnson, Contact Mechanics (1985), section 11.5).
"""

FROM_THE_FORM = 0.02
"""Deviation of an impact from such a law, in ``ln(e/(1 - e))``: 0.2 % of a restitution of 0.9, and
0.6 % of one of 0.7. A law that falls linearly, or from a yield speed on, differs as much from
``FREE_FORM``, and impacts repeat no better. Without it drag explained what the law could not, and
was 6 standard errors from the truth.
"""

SPEED = "restitution that depends on speed"


def doubt_constancy(*, open: bool) -> Doubt:
    """The restitution is not the same at all speeds.

    Args:
        open: whether that is left open; else a constant one was asked for.
    """
    return Doubt(
        SPEED,
        (EXPONENT, CHANGE),
        _say_exponent,
        "--restitution-law 'power law'",
        largest=0.4,
        free=FREE_FORM,
        of_camera=False,
        open=open,
    )


def _say_exponent(value: float, sd: float) -> str:
    falls = "falls" if value > 0 else "rises"
    return f"restitution {falls} with speed to the power {value_and_sd(abs(value), sd)}"
