"""Errors of measurements: noise models, robust losses, whitening.

Example:
    >>> noise = {cal.Recording: cal.noise.StudentT(degrees=4.0), cal.ImpactTable: cal.noise.Known()}
    >>> noise[cal.Recording].robust
    True
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
