"""Whether a contact that sticks gives back slip, unknown within what balls do."""

from calibration.model.free import Free
from calibration.model.prior import HeavyTailed
from calibration.results.numbers import value_and_sd
from calibration.studies.choices.friction_laws import REBOUNDING, TANGENTIAL
from calibration.studies.doubts.doubt import Doubt


def doubt_rebound() -> Doubt:
    """Contacts that stick give back slip: balls have tangential restitutions of 0 to 0.3 (Cross,
    Am. J. Phys. 70 (2002) 1093-1102).
    """
    return Doubt(
        "slip that comes back",
        (TANGENTIAL,),
        _say_rebound,
        f"--friction-law '{REBOUNDING}'",
        largest=1.0,
        free=(Free(TANGENTIAL, prior=HeavyTailed(0.0, 0.2)),),
        of_camera=False,
    )


def _say_rebound(value: float, sd: float) -> str:
    return f"a tangential restitution of {value_and_sd(value, sd)}"
