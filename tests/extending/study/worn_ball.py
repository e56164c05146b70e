"""A restitution law that a study can name, from outside the packages."""

import calibration as cal
import jaxcontact as jc


def start_law(restitution, speed):
    """A restitution that falls with the speed, as known from other balls."""
    return jc.PowerLawRestitution(
        restitution=restitution, reference_speed=speed, velocity_exponent=0.1
    )


cal.studies.RESTITUTION_LAWS.register(
    cal.studies.RestitutionChoice(
        name="worn ball", free=("contact.normal.restitution",), make=start_law
    )
)
