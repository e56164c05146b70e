"""YADE: ``Law2_ScGeom_ViscElPhys_Basic`` with stiffness and damping of its material."""

import math
from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

END = "zero_force"
"""The law never pulls."""

SHEAR = 0.82
"""Tangential over normal stiffness: ``2 (1 - nu)/(2 - nu)`` of Mindlin for a Poisson's ratio of
0.3.
"""


class YADE(Program):
    """``F = kn d + cn d'``, each half of what two equal materials say."""

    name: ClassVar[str] = "yade"
    title: ClassVar[str] = "YADE"
    ending: ClassVar[str] = "_yade.py"
    law: ClassVar[str] = (
        "ViscElMat with kn and cn, which Law2_ScGeom_ViscElPhys_Basic does not let pull. Its en "
        "and tc are not used: they are right between spheres only, and for a contact that pulls."
    )
    exponent: ClassVar[float] = 1.0
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider: it holds at rest, and an impact that sticks springs "
        "back, up to the slip that it had."
    )
    checked: ClassVar[str] = "2023.02a"
    source: ClassVar[str] = "YADE's documentation of ViscElMat"

    def parameters(self, target: Target) -> dict[str, float]:
        """Two springs of ``kn`` in series have half of it, dashpots likewise."""
        from calibration.programs.conversions import damping_of_restitution  # imports JAX

        stiffness = target.stiffness(self.exponent)
        critical = 2 * math.sqrt(stiffness * target.effective_mass)
        return {
            "kn": 2 * stiffness,
            "cn": 2 * damping_of_restitution(END)(target.restitution) * critical,
            "ks": 2 * SHEAR * stiffness,
            "cs": 0.0,
            "frictionAngle": math.atan(target.friction),
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the linear oscillator without tension."""
        from calibration.programs.conversions import restitution_of_damping  # imports JAX

        stiffness, damping = parameters["kn"] / 2, parameters["cn"] / 2
        zeta = damping / (2 * math.sqrt(stiffness * target.effective_mass))
        return Obtained(restitution_of_damping(END)(zeta), math.tan(parameters["frictionAngle"]))

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """What depends on the mass, and what must not damp beside it."""
        return (
            "Both bodies, or the ball and the wall, get this material; a density is still to be "
            "given. NewtonIntegrator(damping=0), which is 0.2 by default.",
            f"cn is of this pair: of an effective mass of {target.effective_mass:.4g} kg. Others "
            "obtain another restitution.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """The material, and the law in the loop."""
        return "\n".join(
            (
                "fitted = dict(",
                *(f"    {name}={value!r}," for name, value in parameters.items()),
                ")",
                "# material = O.materials.append(ViscElMat(density=..., **fitted))",
                "# InteractionLoop(",
                "#     [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],",
                "#     [Ip2_ViscElMat_ViscElMat_ViscElPhys()],",
                "#     [Law2_ScGeom_ViscElPhys_Basic()])",
                f"# O.dt = {target.step(self.exponent)!r}",
            )
        )
