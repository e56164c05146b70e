"""Altair EDEM: Hertz-Mindlin (no slip)."""

from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.hertz_material import POISSON_RATIO, youngs_modulus
from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target


class EDEM(Program):
    """Hertz with Tsuji's dashpot, in a contact that lasts until the overlap is gone."""

    name: ClassVar[str] = "edem"
    title: ClassVar[str] = "Altair EDEM"
    ending: ClassVar[str] = "_edem.txt"
    law: ClassVar[str] = (
        "Hertz-Mindlin (no slip). As documented, the damping obtains the coefficient of "
        "restitution as it is, with a contact that lasts until the overlap is gone."
    )
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider and a dashpot: it holds at rest, and an impact that "
        "sticks springs back a little."
    )
    source: ClassVar[str] = "EDEM's documentation of Hertz-Mindlin (no slip)"

    def parameters(self, target: Target) -> dict[str, float]:
        """One material for both bodies; the program is told its shear modulus or Young's."""
        return {
            "Young's modulus [Pa]": youngs_modulus(target),
            "Poisson's ratio": POISSON_RATIO,
            "Coefficient of restitution": target.restitution,
            "Coefficient of static friction": target.friction,
            "Coefficient of rolling friction": 0.0,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """What is asked for."""
        return Obtained(
            parameters["Coefficient of restitution"], parameters["Coefficient of static friction"]
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """How it comes to the program."""
        return ("Values to type into the interactions of the materials; EDEM reads no such file.",)

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """A list."""
        return "\n".join(f"{name}: {value!r}" for name, value in parameters.items())
