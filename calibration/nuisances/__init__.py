"""What a fit can find beside the material constants: initial states, camera, clocks, set-up.

Example:
    >>> from calibration import nuisances
    >>> [parameter.name for parameter in nuisances.FirstImpact().parameters(())]
    ['impact_time', 'impact_speed']
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
