"""Responses: what a sweep keeps of each motion."""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact.simulation.core.trajectory

VARIANT, IMPACT, BODY, AXIS = "variant", "impact", "body", "axis"


class FirstImpacts(NamedTuple):
    """The first impacts of many motions, in order of time; arrays (variants, impacts), NaN where
    there was none.

    Attributes:
        touch_down: time of first touch [s].
        lift_off: time at which the contact ends [s]; NaN where it did not.
        impact_speed: approach speed along the normal [m/s].
        rebound_speed: speed along the normal after [m/s]; NaN where the contact did not end.
        surface: index of the surface, -1 where two bodies touch.
        body: index of the body.
        partner: index of the other body, -1 where a body touches a surface.
    """

    touch_down: NDArray[np.float64]
    lift_off: NDArray[np.float64]
    impact_speed: NDArray[np.float64]
    rebound_speed: NDArray[np.float64]
    surface: NDArray[np.float64]
    body: NDArray[np.float64]
    partner: NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class SweptMotions:
    """Motions of many variants, of which responses are computed.

    Attributes:
        trajectory: of all variants, at the first and the last time; every array has a first axis
            that counts them, and there are entries for the first impacts only.
        first: their first impacts.
        impacts: number of impacts of each (variants,).

    Example:
        How far a ball has come on the floor at its first impact, for each of the motions that the
        function is given:

        >>> def reach(motions):
        ...     start = np.asarray(motions.trajectory.position[:, 0, 0])
        ...     speed = np.asarray(motions.trajectory.velocity[:, 0, 0])
        ...     return (start + speed * motions.first.touch_down[:, 0])[:, None]
        >>> cal.sweeps.Response("reach", reach, label="place", unit="m", axes=("impact",)).unit
        'm'
    """

    trajectory: "jaxcontact.simulation.core.trajectory.Trajectory"
    first: FirstImpacts
    impacts: NDArray[np.float64]


def swept_motions(
    trajectory: "jaxcontact.simulation.core.trajectory.Trajectory",
    count: NDArray[np.integer],
    *,
    impacts: int,
) -> SweptMotions:
    """Motions with so many of their first impacts.

    Args:
        trajectory: of many variants, with their first impacts.
        count: number of impacts of each (variants,).
        impacts: number of entries for impacts.
    """
    contacts = trajectory.contacts
    assert contacts is not None  # the methods of sweeps record them
    happened = np.asarray(contacts.happened)
    ended = happened & (np.asarray(contacts.rebound_speed) > 0.0)

    def first(values: ArrayLike, known: NDArray[np.bool_] = happened) -> NDArray[np.float64]:
        numbers = np.where(known, np.asarray(values, dtype=float), np.nan)
        lacking = [(0, 0), (0, impacts - numbers.shape[1])]
        return np.pad(numbers, lacking, constant_values=np.nan)

    return SweptMotions(
        trajectory,
        FirstImpacts(
            first(contacts.touch_down),
            first(contacts.lift_off, ended),
            first(contacts.impact_speed),
            first(contacts.rebound_speed, ended),
            first(contacts.surface),
            first(contacts.body),
            first(contacts.partner),
        ),
        count.astype(float),
    )


@dataclasses.dataclass(frozen=True)
class Response:
    """Something that a sweep keeps of each motion.

    Args:
        name: in the store.
        of: the values (variants, ...) of motions, NaN where a motion has none.
        label: what it is, in words.
        unit: of the values.
        axes: names of the axes after that of the variants: ``"impact"``, ``"body"`` (left out where
            the initial state has no axis of bodies), ``"axis"``, or others.
        whole: whether the values are whole numbers.

    Example:
        The speed along the floor after the first impact's flight:

        >>> drift = cal.sweeps.Response(
        ...     "drift",
        ...     lambda motions: np.asarray(motions.trajectory.velocity[:, -1, 0]),
        ...     label="last velocity along x",
        ...     unit="m/s",
        ... )
        >>> drift.axes
        ()
    """

    name: str
    of: Callable[[SweptMotions], ArrayLike]
    label: str
    unit: str = "-"
    axes: tuple[str, ...] = ()
    whole: bool = False


RESPONSES: Registry[Response] = Registry(Response, "response")
"""By name; a sweep keeps those that it names.

Example:
    >>> import calibration as cal
    >>> cal.sweeps.RESPONSES.names[:4]
    ('impacts', 'touch_down', 'contact_duration', 'impact_speed')
"""

for _response in (
    Response("impacts", lambda motions: motions.impacts, "number of impacts", whole=True),
    Response(
        "touch_down",
        lambda motions: motions.first.touch_down,
        "time of first touch",
        "s",
        (IMPACT,),
    ),
    Response(
        "contact_duration",
        lambda motions: motions.first.lift_off - motions.first.touch_down,
        "contact duration",
        "s",
        (IMPACT,),
    ),
    Response(
        "impact_speed",
        lambda motions: motions.first.impact_speed,
        "approach speed along the normal",
        "m/s",
        (IMPACT,),
    ),
    Response(
        "rebound_speed",
        lambda motions: motions.first.rebound_speed,
        "rebound speed along the normal",
        "m/s",
        (IMPACT,),
    ),
    Response(
        "restitution",
        lambda motions: motions.first.rebound_speed / motions.first.impact_speed,
        "coefficient of restitution",
        "-",
        (IMPACT,),
    ),
    Response(
        "impact_body",
        lambda motions: motions.first.body,
        "index of the body",
        "-",
        (IMPACT,),
        whole=True,
    ),
    Response(
        "impact_partner",
        lambda motions: motions.first.partner,
        "index of the other body, -1 at a surface",
        "-",
        (IMPACT,),
        whole=True,
    ),
    Response(
        "impact_surface",
        lambda motions: motions.first.surface,
        "index of the surface, -1 between bodies",
        "-",
        (IMPACT,),
        whole=True,
    ),
    Response(
        "final_position",
        lambda motions: motions.trajectory.position[:, -1],
        "position at the last time",
        "m",
        (BODY, AXIS),
    ),
    Response(
        "final_velocity",
        lambda motions: motions.trajectory.velocity[:, -1],
        "velocity at the last time",
        "m/s",
        (BODY, AXIS),
    ),
    Response(
        "final_spin",
        lambda motions: motions.trajectory.spin[:, -1],
        "spin at the last time",
        "rad/s",
        (BODY, AXIS),
    ),
):
    RESPONSES.register(_response)
