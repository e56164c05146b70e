"""What the ball of a study can bounce on. A new surface is an entry here, or in a module that a
study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from calibration.runtime.registry import Registry

PLANE = "plane"
"""Name of the level plane, which stands where none is named."""


@dataclasses.dataclass(frozen=True)
class SurfaceChoice:
    """A surface as a study names it.

    Attributes:
        name: in study files and on the command line.
        make: the surface, with its known dimensions [m].
        free: paths of its parameters that are found, such as ``"surfaces.0.radius"``.

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> bowl = cal.studies.SurfaceChoice(
        ...     name="bowl",
        ...     make=lambda: jc.Sphere(center=(0.0, 0.0, 1.0), radius=1.0, hollow=True),
        ... )
        >>> bowl.make().hollow, bowl.free
        (True, ())
    """

    name: str
    make: Callable[[], Any]
    free: tuple[str, ...] = ()


SURFACES: Registry[SurfaceChoice] = Registry(SurfaceChoice, "surface")
"""By name; study files choose one with ``surface``.

Example:
    >>> import calibration as cal
    >>> cal.studies.SURFACES.names
    ('plane',)
"""


def _plane() -> Any:
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    return jc.Plane()


SURFACES.register(SurfaceChoice(PLANE, _plane))
