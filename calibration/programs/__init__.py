"""Fitted contacts for other simulation programs, in their own parameters.

Example:
    >>> import calibration as cal
    >>> "exudyn" in cal.programs.PROGRAMS
    True
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
