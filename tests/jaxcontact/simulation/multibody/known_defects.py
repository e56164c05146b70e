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
    "column": Defect(
        (7,),
        "Seed 7 is off by 1.9e-5.",
    ),
    "spheres, Hertz dashpot": Defect(
        (1,),
        "Seed 1 is off by 2.3e-4: its slip turns within a few steps.",
    ),
}
"""By more than 1e-5 of the derivative."""

REFUSED: dict[str, Defect] = {}
"""Not followed to the end."""
