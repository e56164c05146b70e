"""The shapes of rigid bodies that a study can name. A new one is an entry here, or in a module that
a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calibration.errors import InputError
from calibration.runtime.registry import Registry
from calibration.studies.choices.named_tables import Choice
from calibration.studies.option import POSITIVE, Option, ValueKind, vector_of

if TYPE_CHECKING:
    from jaxcontact import Clumps


@dataclasses.dataclass(frozen=True)
class ShapeChoice(Choice):
    """The shape of a rigid body as a study names it.

    Attributes:
        name: in study files and on the command line.
        make: the body, from ``mass`` [kg], ``inertia`` about its centre of mass in its own axes
            [kg m^2] (one number, three principal moments, or ``None``) and its values as keyword
            arguments.
        values: that it takes, by key.
        needs: keys that must be given.

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> def rod(mass, inertia, length):
        ...     ends = ((-length / 2, 0.0, 0.0), (length / 2, 0.0, 0.0))
        ...     return jc.clump(offset=ends, radius=0.005, mass=mass, inertia=inertia)
        >>> from calibration.studies.option import POSITIVE
        >>> length = cal.studies.Option("of the rod [m]", POSITIVE)
        >>> choice = cal.studies.ShapeChoice("rod", rod, {"length": length}, ("length",))
        >>> choice.make(mass=0.1, inertia=1e-4, length=0.2).of_body
        (0, 0)
    """

    make: Callable[..., "Clumps"]


SHAPES: Registry[ShapeChoice] = Registry(ShapeChoice, "shape")
"""By name; study files choose one with ``shape`` below ``[body]``.

Example:
    >>> import calibration as cal
    >>> cal.studies.SHAPES.names
    ('cube', 'box', 'clump')
"""

Inertia = float | Sequence[float] | None


def _cube(mass: float, inertia: Inertia, **given: float) -> "Clumps":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    # Three moments are not those of a cube, but a marker may be glued to it.
    width = given.pop("half_width")
    return jc.box(half_widths=(width,) * 3, mass=mass, inertia=inertia, **given)


def _box(mass: float, inertia: Inertia, **given: Any) -> "Clumps":
    import jaxcontact as jc

    return jc.box(mass=mass, inertia=inertia, **given)


def _clump(mass: float, inertia: Inertia, members: Sequence[Sequence[float]]) -> "Clumps":
    import numpy as np

    import jaxcontact as jc

    if inertia is None:
        raise InputError(
            "a clump needs its inertia, because its spheres may overlap",
            remedy="Give inertia below [body], one number or three principal moments [kg m^2].",
        )
    spheres = np.asarray(members)
    return jc.clump(
        offset=spheres[:, :3], radius=spheres[:, 3], mass=mass, inertia=np.asarray(inertia)
    )


def _half_widths(value: Any) -> tuple[float, ...] | None:
    found = vector_of(3)(value)
    return found if found is not None and min(found) > 0 else None


def _members(value: Any) -> tuple[tuple[float, ...], ...] | None:
    rows = [vector_of(4)(item) for item in value] if isinstance(value, list | tuple) else []
    good = bool(rows) and all(row is not None and row[3] > 0 for row in rows)
    return tuple(row for row in rows if row is not None) if good else None


_CORNER: Mapping[str, Option] = {
    "corner_radius": Option(
        "radius with which corners are rounded [m]; a twentieth of the half width when left out",
        POSITIVE,
    )
}
SHAPES.register(
    ShapeChoice(
        "cube",
        _cube,
        {"half_width": Option("half the length of an edge [m]", POSITIVE), **_CORNER},
        ("half_width",),
    )
)
SHAPES.register(
    ShapeChoice(
        "box",
        _box,
        {
            "half_widths": Option(
                "half the lengths of the edges along the axes of the body [m]",
                ValueKind(
                    "a list of three positive numbers such as [0.05, 0.03, 0.02]",
                    _half_widths,
                    list[float],
                ),
            ),
            **_CORNER,
        },
        ("half_widths",),
    )
)
SHAPES.register(
    ShapeChoice(
        "clump",
        _clump,
        {
            "members": Option(
                "its spheres, centre from the centre of mass in axes of the body and radius [m]",
                ValueKind(
                    "a list of [x, y, z, radius] such as [[-0.01, 0, 0, 0.01], [0.01, 0, 0, 0.01]]",
                    _members,
                    list[float],
                ),
            )
        },
        ("members",),
    )
)
