"""Exudyn: ``impactModel`` 2 of its contacts of spheres."""

from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

DAMPING = "exudyn_mixed"
"""Name of the damping of impact model 2 in ``jaxcontact.RESTITUTION_LAWS``."""

LEAST_SPEED = 1e-3
"""Speed below which contacts are damped less, and least slip of the regularisation, as fractions of
the speed of the impact.
"""

SLIP_PER_IMPULSE = 3.5
"""Change of the slip of a solid sphere by a tangential impulse, ``1 + m R^2/I`` in units of its
mass.
"""

_ON_WALL = """\
# Marker 0 is of the ball, marker 1 of the body with the plane; the three corners are counted
# anticlockwise, seen from the side of the ball:
#   mbs.AddObject(ObjectContactSphereTriangle(
#       markerNumbers=[ball, plane], nodeNumber=data_node,
#       sphereRadius={0!r}, trianglePoints=corners, **contact))"""

_ON_SPHERE = """\
#   mbs.AddObject(ObjectContactSphereSphere(
#       markerNumbers=[ball, partner], nodeNumber=data_node,
#       spheresRadii=[{0!r}, {1!r}], **contact))"""


class Exudyn(Program):
    """``F = K d^1.5 (1 + a d'/v)`` with the damping ratio ``a`` of a nominal restitution."""

    name: ClassVar[str] = "exudyn"
    title: ClassVar[str] = "Exudyn"
    ending: ClassVar[str] = ".py"
    law: ClassVar[str] = (
        "ObjectContactSphereSphere and ObjectContactSphereTriangle with impactModel 2 "
        "(Carvalho-Martins and Gonthier), whose restitutionCoefficient is nominal."
    )
    exponent: ClassVar[float] = 1.5
    sticking: ClassVar[str] = "An impact that sticks leaves without slip."
    checked: ClassVar[str] = "1.13.6"
    source: ClassVar[str] = "the documentation of ObjectContactSphereSphere"

    def parameters(self, target: Target) -> dict[str, float]:
        """``restitutionCoefficient`` is the nominal one of the restitution obtained."""
        from calibration.programs.conversions import nominal_of_obtained  # imports JAX

        return {
            "contactStiffness": target.stiffness(self.exponent),
            "contactStiffnessExponent": self.exponent,
            "contactDamping": 0.0,
            "impactModel": 2,
            "restitutionCoefficient": nominal_of_obtained(DAMPING)(target.restitution),
            "minimumImpactVelocity": LEAST_SPEED * target.speed,
            "dynamicFriction": target.friction,
            "frictionProportionalZone": max(
                self._slip_of_one_step(target), LEAST_SPEED * target.speed
            ),
        }

    def _slip_of_one_step(self, target: Target) -> float:
        """The slip that friction takes away in a step at the largest force [m/s]. A narrower zone
        would have explicit integrators chatter in it.
        """
        force = target.stiffness(self.exponent) * target.overlap(self.exponent) ** self.exponent
        acceleration = SLIP_PER_IMPULSE * target.friction * force / target.effective_mass
        return acceleration * target.step(self.exponent)

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of impact model 2 without linear damping, faster than ``minimumImpactVelocity``."""
        from calibration.programs.conversions import obtained_of_nominal  # imports JAX

        return Obtained(
            obtained_of_nominal(DAMPING)(parameters["restitutionCoefficient"]),
            parameters["dynamicFriction"],
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """Thresholds, and what the program does at the start of a contact."""
        return (
            f"Slips below {parameters['frictionProportionalZone']:.2g} m/s are creep: friction is "
            "proportional to them there. Impacts slower than "
            f"{parameters['minimumImpactVelocity']:.2g} m/s are damped less.",
            "The data node of a contact must begin with a gap above 0, as below; one that begins "
            "with zeros is not damped in its first impact.",
            "With a fixed step: timeIntegration.discontinuous.useRecommendedStepSize = False.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """A dictionary, and how both contacts take it."""
        lines = [f"    {name}={value!r}," for name, value in parameters.items()]
        use = _ON_WALL if target.partner_radius is None else _ON_SPHERE
        return "\n".join(
            (
                "contact = dict(",
                *lines,
                ")",
                "# The contact needs a data node, one for each pair:",
                "#   data_node = mbs.AddNode(NodeGenericData(",
                "#       initialCoordinates=[0.1, 0, 0, 0], numberOfDataCoordinates=4))",
                use.format(target.radius, target.partner_radius),
            )
        )
