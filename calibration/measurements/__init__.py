"""How motions are seen: positions on pictures, sounds of impacts, forces, distances; one file for
each.

Example:
    >>> from calibration import measurements
    >>> sounds = measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)
    >>> sounds.samples().measured[:, 0]
    array([0.32, 0.75, 1.05])
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
