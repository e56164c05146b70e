"""Coefficients from bulk experiments: a table of runs of any program stands in for the simulation.

Example:
    >>> import calibration as cal
    >>> cal.bulk.Measured("angle", 27.0, sigma=1.0).sigma
    1.0
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
