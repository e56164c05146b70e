"""From a folder of files to a fit, with nothing chosen by hand.

Example:
    >>> import calibration as cal
    >>> cal.studies.Ball(radius=0.02, mass=0.0027, shell=True).mass
    0.0027
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
