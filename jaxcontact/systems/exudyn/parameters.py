"""The parameters of Exudyn's contact objects, with the program's names, defaults and checks."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing, check_smoothing, onset_of
from jaxcontact.numerics.smooth import Real, Vectors
from jaxcontact.parameters import model, of, parameter, static
from jaxcontact.systems.exudyn import sphere_sphere_modes
from jaxcontact.systems.exudyn.compatibility import DOCUMENTED, Compatibility
from jaxcontact.systems.exudyn.forces import RESTITUTION_LAW_OF_IMPACT_MODEL


def _contact_damping() -> Any:
    return parameter(
        unit="N s/m",
        label="linear damping",
        symbol="contactDamping",
        interval="[0, inf)",
        transform="log",
        default=0.0,
    )


def _friction_proportional_zone() -> Any:
    return parameter(
        unit="m/s",
        label="slip velocity of the regularisation",
        symbol="frictionProportionalZone",
        interval="[0, inf)",
        transform="log",
        default=1e-3,
    )


def _restitution_coefficient() -> Any:
    return parameter(
        unit="-",
        label="nominal restitution",
        symbol="restitutionCoefficient",
        interval="(0, 1]",
        transform="logit",
        default=1.0,
        remedy="Used by impact models 1 and 2 only, but the program refuses 0 in all of them.",
    )


def _minimum_impact_velocity() -> Any:
    return parameter(
        unit="m/s",
        label="lower bound of the impact velocity",
        symbol="minimumImpactVelocity",
        interval="[0, inf)",
        transform="log",
        default=0.0,
    )


def _check_impact_model(contact: Any) -> None:
    if contact.impactModel not in RESTITUTION_LAW_OF_IMPACT_MODEL:
        raise ValueError(
            f"{type(contact).__name__}: impactModel = {contact.impactModel!r} is not one of "
            "0 (elastic or adhesive plastic),"
            " 1 (Hunt and Crossley), 2 (Carvalho and Martins, and Gonthier)."
        )


NOT_SMOOTH = ("decides_by_data_node", "damping_twice_at_equal_branches", "any_slip_sticks")
"""What of the program jumps with its memory, so that it has no smooth form."""


def _check_smooth(contact: Any) -> None:
    check_smoothing(type(contact).__name__, contact.smooth)
    if contact.smooth is None:
        return
    jumps = [name for name in NOT_SMOOTH if getattr(contact.compatibility, name)]
    if jumps:
        off = ", ".join(f"{name}=False" for name in jumps)
        raise ValueError(
            f"{type(contact).__name__}: compatibility.{jumps[0]} = True jumps with what the "
            "program remembers and has no smooth form. Give dataclasses.replace(compatibility, "
            f"{off}), or leave smooth out."
        )


@model
class ObjectContactSphereSphere(PairContact):
    """Parameters of the program's contact between two spheres.

    ``Scene(contact=ObjectContactSphereSphere(...))`` simulates it, between two spheres or between
    one and a ``jaxcontact.Sphere`` that is held: sphere 0 is the first body, sphere 1 the second
    one or the surface.

    ``restitutionCoefficient`` is nominal: what an impact gives is
    ``laws.restitution.obtained_restitution`` of the damping ratio, provided that ``contactDamping``
    is 0. A larger ``minimumImpactVelocity`` damps less where an impact velocity is known, and more
    where none is.

    ``contactPlasticityRatio``, ``constantPullOffForce``, ``adhesionCoefficient`` and
    ``adhesionExponent`` belong to ``impactModel`` 0; the others ignore them.

    ``smooth``: a ``jaxcontact.Smoothing``, for two continuous derivatives everywhere; ``None`` is
    the documented form.

    Example:
        >>> from jaxcontact.systems import exudyn
        >>> contact = exudyn.ObjectContactSphereSphere(
        ...     spheresRadii=(0.1, 0.2), contactStiffness=1e5, dynamicFriction=0.3
        ... )
        >>> contact.radii(), contact.impactModel
        ((0.1, 0.2), 0)
    """

    spheresRadii: jax.Array | np.ndarray | Sequence[Real] = parameter(
        unit="m",
        label="radii of sphere 0 and sphere 1",
        symbol="r0, r1",
        interval="(0, inf)",
        shape=(2,),
    )
    contactStiffness: Real = of(QUANTITIES["stiffness"].called("contactStiffness"), default=0.0)
    contactDamping: Real = _contact_damping()
    contactStiffnessExponent: Real = of(
        QUANTITIES["exponent"].called("contactStiffnessExponent"), default=1.0
    )
    constantPullOffForce: Real = of(
        QUANTITIES["pull_off_force"].called("constantPullOffForce"), default=0.0
    )
    contactPlasticityRatio: Real = of(
        QUANTITIES["plasticity_ratio"].called("contactPlasticityRatio"), default=0.0
    )
    adhesionCoefficient: Real = of(
        QUANTITIES["adhesion_stiffness"].called("adhesionCoefficient"), default=0.0
    )
    adhesionExponent: Real = of(
        QUANTITIES["adhesion_exponent"].called("adhesionExponent"), default=1.0
    )
    dynamicFriction: Real = of(QUANTITIES["coefficient"].called("dynamicFriction"), default=0.0)
    frictionProportionalZone: Real = _friction_proportional_zone()
    restitutionCoefficient: Real = _restitution_coefficient()
    minimumImpactVelocity: Real = _minimum_impact_velocity()
    smooth: Smoothing | None = None
    impactModel: int = static(default=0)
    isHollowSphere1: bool = static(default=False)
    activeConnector: bool = static(default=True)
    compatibility: Compatibility = static(default=DOCUMENTED)
    switches: ClassVar[tuple[str, ...]] = sphere_sphere_modes.SWITCHES

    def __post_init__(self) -> None:
        _check_impact_model(self)
        _check_smooth(self)

    @property
    def grading(self) -> int:
        """Forces like the overlap to the power 1 or 3/2, say."""
        return 2

    @property
    def onset(self) -> Real | None:
        """``smooth.overlap`` [m]; ``None`` without ``smooth``."""
        return onset_of(self.smooth)

    def radii(self) -> tuple[Any, Any]:
        """``spheresRadii``."""
        return self.spheresRadii[0], self.spheresRadii[1]

    @property
    def encloses(self) -> bool:
        """``isHollowSphere1``."""
        return self.isHollowSphere1

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """A data node of zeros, and what the motion says."""
        return sphere_sphere_modes.begun(self, body0, body1)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Gap [m], negative in overlap."""
        return sphere_sphere_modes.kinematics_of(self, body0, body1).gap

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and torques in the present mode."""
        return sphere_sphere_modes.act(self, memory, body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """Of ``switches``."""
        return sphere_sphere_modes.signs(self, memory, body0, body1)

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What is remembered from an event on."""
        return sphere_sphere_modes.crossed(self, switch, memory, body0, body1)


@model
class ObjectContactSphereTriangle:
    """Parameters of the program's contact between a sphere and a triangle, which has no adhesive
    plasticity.

    ``includeEdges`` is the sum of 1, 2 and 4 for those edges, from vertex 0 to 1, 1 to 2 and 2 to
    0, that count. A vertex counts with any of its edges.

    ``smooth`` as for ``ObjectContactSphereSphere``; the corners between face, edges and vertices
    stay.
    """

    radiusSphere: Real = of(QUANTITIES["radius"].called("radiusSphere"))
    trianglePoints: Vectors = parameter(
        unit="m", label="vertices in the axes of body 1", symbol="p0, p1, p2", shape=(3, 3)
    )
    contactStiffness: Real = of(QUANTITIES["stiffness"].called("contactStiffness"), default=0.0)
    contactDamping: Real = _contact_damping()
    contactStiffnessExponent: Real = of(
        QUANTITIES["exponent"].called("contactStiffnessExponent"), default=1.0
    )
    dynamicFriction: Real = of(QUANTITIES["coefficient"].called("dynamicFriction"), default=0.0)
    frictionProportionalZone: Real = _friction_proportional_zone()
    restitutionCoefficient: Real = _restitution_coefficient()
    minimumImpactVelocity: Real = _minimum_impact_velocity()
    smooth: Smoothing | None = None
    impactModel: int = static(default=0)
    includeEdges: int = static(default=7)
    activeConnector: bool = static(default=True)
    compatibility: Compatibility = static(default=DOCUMENTED)

    def __post_init__(self) -> None:
        _check_impact_model(self)
        _check_smooth(self)
        if self.includeEdges not in range(8):
            raise ValueError(
                f"ObjectContactSphereTriangle: includeEdges = {self.includeEdges!r} is not a "
                "sum of some of 1, 2 and 4, or 0."
            )

    @property
    def as_spheres(self) -> ObjectContactSphereSphere:
        """The same force laws, of two spheres of this radius."""
        return ObjectContactSphereSphere(
            spheresRadii=(self.radiusSphere, self.radiusSphere),
            contactStiffness=self.contactStiffness,
            contactDamping=self.contactDamping,
            contactStiffnessExponent=self.contactStiffnessExponent,
            dynamicFriction=self.dynamicFriction,
            frictionProportionalZone=self.frictionProportionalZone,
            restitutionCoefficient=self.restitutionCoefficient,
            minimumImpactVelocity=self.minimumImpactVelocity,
            smooth=self.smooth,
            impactModel=self.impactModel,
            activeConnector=self.activeConnector,
            compatibility=self.compatibility,
        )
