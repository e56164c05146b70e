"""Films: the ball in a film is found and followed to a fraction of a pixel, and its path is an
ordinary recording.

Needs the extra ``video`` for decoding: ``pip install 'jaxcontact[video]'``.

Example:
    >>> cal.films.Region(left=100, top=0, right=500, bottom=480).width
    400
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
