"""Random scenes (``random_scenes``) that the package calls a success, or refuses, though it should
not: seeds of each kind, and by how much they are off. Who mends one takes it off the list.
"""

from typing import NamedTuple


class Defect(NamedTuple):
    """Scenes of a kind."""

    seeds: tuple[int, ...]
    reason: str


WRONG_VALUES: dict[str, Defect] = {}
"""By more than 1e-6 of the motion."""

WRONG_DERIVATIVES = {
    "sphere over a plane": Defect(
        (6,),
        "Seed 6 is off by 1.1e-4.",
    ),
    "sphere in air": Defect(
        (6,),
        "Seed 6 is off by 1.1e-4.",
    ),
    "sphere, linear": Defect(
        (6,),
        "Seed 6 is off by 8.5e-5.",
    ),
}
"""By more than 1e-5 of the derivative."""

REFUSED: dict[str, Defect] = {}
"""Not followed to the end."""
