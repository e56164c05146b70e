"""What others reached on tosses of the same cube."""

from typing import NamedTuple


class Published(NamedTuple):
    """Mean and standard deviation over tosses: position error in percent of the cube's width,
    rotation error in degrees.
    """

    simulator: str
    position: float
    position_deviation: float
    rotation: float
    rotation_deviation: float


SOURCE = (
    "Acosta, Yang and Posa, Validating Robotics Simulators on Real-World Impacts, IEEE RA-L 7 "
    "(2022) 6471-6478, arXiv 2110.00541"
)
"""Contact parameters fitted to tosses of the set, for each simulator."""

PUBLISHED = (
    Published("Drake", 13.5, 8.2, 16.5, 20.0),
    Published("Bullet", 14.9, 8.9, 16.5, 20.2),
    Published("MuJoCo", 25.1, 10.8, 21.7, 21.4),
)
