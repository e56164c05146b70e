"""LIGGGHTS: ``model hertz`` with ``limitForce on``."""

from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.hertz_material import POISSON_RATIO, youngs_modulus
from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target


class LIGGGHTS(Program):
    """Hertz with the dashpot of a nominal restitution, which is limited so that it never pulls."""

    name: ClassVar[str] = "liggghts"
    title: ClassVar[str] = "LIGGGHTS"
    ending: ClassVar[str] = ".liggghts"
    law: ClassVar[str] = (
        "gran model hertz tangential history, limitForce on. A force that never pulls obtains a "
        "higher restitution than the one that is asked for."
    )
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider and a dashpot: it holds at rest, and an impact that "
        "sticks springs back a little."
    )
    source: ClassVar[str] = "LIGGGHTS-PUBLIC, gran model hertz, documentation and source"

    def parameters(self, target: Target) -> dict[str, float]:
        """One material for both bodies."""
        from calibration.programs.conversions import ask_limited_dashpot  # imports JAX

        return {
            "youngsModulus": youngs_modulus(target),
            "poissonsRatio": POISSON_RATIO,
            "coefficientRestitution": ask_limited_dashpot(self, target),
            "coefficientFriction": target.friction,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the dashpot that ends where its force does."""
        from calibration.programs.conversions import obtained_of_limited_dashpot  # imports JAX

        return Obtained(
            obtained_of_limited_dashpot(parameters["coefficientRestitution"]),
            parameters["coefficientFriction"],
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """What else the input needs."""
        return (
            "For one type of atoms, which the wall is of, too; with more, each coefficient is a "
            "matrix of the types.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """Properties, the model of pairs and that of a wall."""
        model = "model hertz tangential history limitForce on"
        lines = [
            f"timestep {target.step(self.exponent)!r}",
            f"fix m1 all property/global youngsModulus peratomtype {parameters['youngsModulus']!r}",
            f"fix m2 all property/global poissonsRatio peratomtype {parameters['poissonsRatio']!r}",
            "fix m3 all property/global coefficientRestitution peratomtypepair 1 "
            f"{parameters['coefficientRestitution']!r}",
            "fix m4 all property/global coefficientFriction peratomtypepair 1 "
            f"{parameters['coefficientFriction']!r}",
            f"pair_style gran {model}",
            "pair_coeff * *",
        ]
        if target.partner_radius is None:
            lines.append(f"fix wall all wall/gran {model} primitive type 1 zplane 0.0")
        return "\n".join(lines)
