"""A surface that a study can name, from outside the packages."""

import calibration as cal
import jaxcontact as jc


def make_low_table():
    """A table 0.2 m below the origin of the measurement."""
    return jc.Plane(offset=-0.2)


cal.studies.SURFACES.register(cal.studies.SurfaceChoice(name="low table", make=make_low_table))
