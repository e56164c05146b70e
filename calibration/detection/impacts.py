"""A first guess of a motion of which only the impacts are known: times of sounds, traces of a
force.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from jaxcontact import Plane, Scene, State


class DetectedImpact(NamedTuple):
    """An impact that a measurement shows, at a time [s] on the clock of the measurement.

    Example:
        >>> cal.detection.DetectedImpact(0.3).time
        0.3
    """

    time: float


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class DetectedImpacts:
    """What a measurement of impacts shows before anything is fitted.

    Attributes:
        bounces: impacts that were measured, in order of time.
        numbers: number of each of them, 0 for the first impact of the motion.
        speed: normal speed of the first impact of the motion [m/s].
        restitution: mean ratio of neighbouring flights [-]; NaN when there are no two.
        noise: standard deviation of a time [s].
        left_out: places in the data of what is no impact (extra clicks).
        height: of the centre at an impact [m].
        since_release: time from the known initial state to the first measured impact [s]; 0 where
            that is not known.
        remarks: plain sentences for the user.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> detected = cal.measurements.BounceTimes([0.32, 0.75, 1.05]).detect(scene)
        >>> detected.numbers, round(detected.restitution, 3)
        ((0, 1, 2), 0.698)
    """

    bounces: tuple[DetectedImpact, ...]
    numbers: tuple[int, ...]
    speed: float
    restitution: float
    noise: float
    left_out: tuple[int, ...] = ()
    height: float = np.nan
    since_release: float = 0.0
    remarks: tuple[str, ...] = ()
    position = velocity = np.full(3, np.nan)

    @property
    def first_impact(self) -> float:
        """Time of the first impact of the motion [s], also where it was not measured."""
        if self.numbers[0] == 0 or len(self.bounces) < 2:
            return self.bounces[0].time
        interval = (self.bounces[1].time - self.bounces[0].time) / (
            self.numbers[1] - self.numbers[0]
        )
        earlier = interval / np.power(self.restitution, np.arange(1, self.numbers[0] + 1))
        return self.bounces[0].time - float(np.sum(earlier))

    def with_initial_state(self, initial: State, scene: Scene) -> "DetectedImpacts":
        """The impacts with the time that the first one takes from a known initial state."""
        # height + v t - g t^2/2 = 0 at the impact.
        gravity = float(np.linalg.norm(np.asarray(scene.gravity, dtype=float)))
        drop = float(np.reshape(np.asarray(initial.position), 3)[2]) - height_at_impact(scene)
        upwards = float(np.reshape(np.asarray(initial.velocity), 3)[2])
        fall = (upwards + np.sqrt(max(upwards**2 + 2 * gravity * drop, 0.0))) / gravity
        return dataclasses.replace(
            self, since_release=fall + self.bounces[0].time - self.first_impact
        )


def height_at_impact(scene: Scene) -> float:
    """Height of the centre of a sphere that touches the first surface [m]; a surface that is no
    plane counts as one at height 0.
    """
    surface = scene.surfaces[0] if scene.surfaces else None
    offset = surface.offset if isinstance(surface, Plane) else 0.0
    return float(np.max(np.asarray(offset))) + float(np.max(np.asarray(scene.bodies.radius)))
