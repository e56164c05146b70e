"""Detection in recordings before anything is fitted: noise, flights, bounces, impacts, dropped
frames.

Example:
    A ball that bounces for ever:

    >>> time = np.arange(300) / 240
    >>> position = np.full((300, 3), np.nan)
    >>> position[:, 2] = 0.02 + 9.81 / 2 * (0.3**2 - (time % 0.6 - 0.3) ** 2)
    >>> film = cal.Recording(name="film", time=time, position=position)
    >>> len(cal.detection.read_bounces(film, radius=0.02).bounces)
    2
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
