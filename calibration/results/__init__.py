"""What a fit tells: estimates, measured data beside their prediction, and tables of both.

Example:
    >>> import calibration as cal
    >>> cal.results.StoredPredictions().recordings
    ()
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
