"""The data node of Exudyn's contact objects: what a contact remembers from step to step."""

from typing import Any, NamedTuple


class DataNode(NamedTuple):
    """The four data coordinates, in the program's order; all zero at first.

    Attributes:
        gap: gap at the last update [m].
        tangential_velocity: magnitude of the slip at the last update [m/s].
        impact_velocity: approach speed at touch-down [m/s]. It stays after separation, until the
            next impact.
        plastic_overlap: of the adhesive plasticity [m], ``contactPlasticityRatio^(1/n)`` times the
            largest overlap since touch-down; zero without contact.
    """

    gap: Any = 0.0
    tangential_velocity: Any = 0.0
    impact_velocity: Any = 0.0
    plastic_overlap: Any = 0.0
