"""Measured motion in, parameters with uncertainty out: reading recordings, fitting them, and
reporting what was found.

The names are listed in ``__init__.pyi`` and imported on first use, so that reading a file does not
wait for the optimiser or for the figures.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
