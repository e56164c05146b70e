"""Modia3D: an entry of the palette of contact pair materials."""

from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.hertz_material import POISSON_RATIO, youngs_modulus
from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

DAMPING = "flores_2011"
"""Name of its damping in ``jaxcontact.RESTITUTION_LAWS``."""

SMALL = 1e-2
"""``vsmall`` and ``wsmall`` of a slow impact, as fractions of the speed of the impact."""


class Modia3D(Program):
    """``F = K d^1.5 (1 + a d'/v)`` with Flores' damping of a nominal restitution."""

    name: ClassVar[str] = "modia3d"
    title: ClassVar[str] = "Modia3D"
    ending: ClassVar[str] = "_palettes.txt"
    law: ClassVar[str] = (
        "the elastic contact of the palette, Hertz with the damping of Flores and co-workers, "
        "whose restitution is nominal."
    )
    sticking: ClassVar[str] = "An impact that sticks leaves without slip; at rest friction creeps."
    source: ClassVar[str] = "Modia3D's documentation, Contact Force Law"

    def parameters(self, target: Target) -> dict[str, float]:
        """One solid material for both bodies."""
        from calibration.programs.conversions import nominal_of_obtained  # imports JAX

        small = SMALL * target.speed
        return {
            "YoungsModulus": youngs_modulus(target),
            "PoissonsRatio": POISSON_RATIO,
            "coefficientOfRestitution": nominal_of_obtained(DAMPING)(target.restitution),
            "slidingFrictionCoefficient": target.friction,
            "rotationalResistanceCoefficient": 0.0,
            "vsmall": small,
            "wsmall": small / target.smaller_radius,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of impacts faster than ``vsmall``."""
        from calibration.programs.conversions import obtained_of_nominal  # imports JAX

        return Obtained(
            obtained_of_nominal(DAMPING)(parameters["coefficientOfRestitution"]),
            parameters["slidingFrictionCoefficient"],
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """The thresholds."""
        return (
            f"Impacts slower than vsmall = {parameters['vsmall']:.2g} m/s do not bounce, and "
            "friction is smaller at slips of that size.",
            "The damping is limited by maximumContactDamping, 2000 s/m by default, which slow "
            "impacts with little restitution reach.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """Entries of both palettes, as in their JSON files."""
        solid = ("YoungsModulus", "PoissonsRatio")
        pair = [name for name in parameters if name not in solid]
        lines = ['# solidMaterialPalette.json, the material "Fitted", beside its other properties:']
        lines += [f'#   "{name}": {parameters[name]!r},' for name in solid]
        lines += ["# contactPairMaterialPalette.json:", '#   "Fitted,Fitted": {']
        lines += [f'#     "{name}": {parameters[name]!r},' for name in pair]
        return "\n".join([*lines, "#   }"])
