"""Sweeps: a scene simulated over a design of its parameters, into a store.

Example:
    >>> import calibration as cal
    >>> cal.sweeps.Design("sobol", number=64, seed=1).number
    64
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
