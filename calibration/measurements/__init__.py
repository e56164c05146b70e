"""How motions are seen: positions on pictures, sounds of impacts, forces, distances; one file for
each.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
