"""Project Chrono: smooth contact (SMC) with material properties."""

from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.hertz_material import POISSON_RATIO, youngs_modulus
from calibration.programs.program import Obtained, Program, check_reach
from calibration.programs.target import Target


class Chrono(Program):
    """Hertz with the dashpot of a nominal restitution; a force that would pull is 0."""

    name: ClassVar[str] = "chrono"
    title: ClassVar[str] = "Project Chrono"
    ending: ClassVar[str] = "_chrono.py"
    law: ClassVar[str] = (
        "ChSystemSMC with ContactForceModel Hertz and material properties. A force that never "
        "pulls obtains a higher restitution than the one that is asked for."
    )
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider and a dashpot: with the displacement of several steps "
        "(MultiStep) it holds at rest, and an impact that sticks springs back a little."
    )
    source: ClassVar[str] = "Chrono's source, ChDefaultContactForceSMC"

    def parameters(self, target: Target) -> dict[str, float]:
        """One material for both bodies."""
        from calibration.programs.conversions import (  # imports JAX
            asked_of_limited_dashpot,
            least_of_limited_dashpot,
        )

        check_reach(self, target, least_of_limited_dashpot())
        return {
            "YoungModulus": youngs_modulus(target),
            "PoissonRatio": POISSON_RATIO,
            "Restitution": asked_of_limited_dashpot(target.restitution),
            "Friction": target.friction,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the dashpot that ends where its force does."""
        from calibration.programs.conversions import obtained_of_limited_dashpot  # imports JAX

        return Obtained(
            obtained_of_limited_dashpot(parameters["Restitution"]), parameters["Friction"]
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """What else the system needs."""
        return (
            "Two materials are combined: both bodies get this one. Before Chrono 9 the class is "
            "ChMaterialSurfaceSMC.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """PyChrono: a material and the settings of the system."""
        return "\n".join(
            (
                "import pychrono as chrono",
                "",
                "material = chrono.ChContactMaterialSMC()",
                *(f"material.Set{name}({value!r})" for name, value in parameters.items()),
                "",
                "# system = chrono.ChSystemSMC()",
                "# system.UseMaterialProperties(True)",
                "# system.SetContactForceModel(chrono.ChSystemSMC.Hertz)",
                "# system.SetTangentialDisplacementModel(chrono.ChSystemSMC.MultiStep)",
                f"# system.DoStepDynamics({target.step(self.exponent)!r})",
            )
        )
