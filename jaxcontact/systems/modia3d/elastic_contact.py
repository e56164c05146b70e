"""The contact of two solids: everything they have in common with its law."""

from collections.abc import Mapping
from typing import Any, ClassVar

import jax

from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing, check_smoothing, onset_of
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of, static
from jaxcontact.systems.modia3d import elastic_contact_modes
from jaxcontact.systems.modia3d.contact_pair_material import (
    ContactPairMaterial,
    contact_pair_material,
    contactPairMaterialPalette,
)
from jaxcontact.systems.modia3d.damping import restitution_of
from jaxcontact.systems.modia3d.solid import Solid
from jaxcontact.systems.modia3d.solid_material import (
    SolidMaterial,
    solid_material,
    solidMaterialPalette,
)


@model
class ElasticContact(PairContact):
    """Parameters of the contact between two solids; ``elastic_contact`` makes one from the
    palettes.

    ``Scene(contact=elastic_contact(...))`` simulates it, between two spheres, between one and a
    ``jaxcontact.Sphere`` that is held, or, where solid 2 is flat as a ``Box`` is, on a
    ``jaxcontact.Plane``: solid 1 is the first body, solid 2 the second one or the surface. Its
    derivatives are those of motions that stay above ``vsmall`` or below it where a contact starts:
    the damping jumps there.

    Args:
        solid1: shape and names.
        solid2: shape and names.
        solidMaterial1: elastic data of the contact material of solid 1.
        solidMaterial2: elastic data of the contact material of solid 2.
        pairMaterial: of the two contact materials.
        elasticContactReductionFactor: ``k_red``: makes the contact softer, so that larger time
            steps do.
        maximumContactDamping: ``d_max`` [s/m] (the program's documentation gives another unit).
        contactEpsilon: added to the overlap [m]. The program counts distances below ``max(1e-13 m,
            10 mprTolerance)`` as contact: 1e-13 repeats that.
        restitution_law: what ``coefficientOfRestitution`` means, ``"nominal"`` as documented or
            ``"exact"``; see ``damping``.
        tension: let the contact pull where the damping outweighs the spring, as the program does
            and its documentation does not.
        transition_speed: ``None``, as documented: the damping jumps at the impact speed ``vsmall``
            and is cut off at ``d_max``. A speed [m/s]: the smooth forms of both, with this width.
        smooth: a ``jaxcontact.Smoothing``, for two continuous derivatives everywhere; ``None``, the
            default, is the documented form.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> isinstance(contact, modia3d.ElasticContact)
        True
        >>> contact.pairMaterial.slidingFrictionCoefficient
        0.5
    """

    solid1: Solid
    solid2: Solid
    solidMaterial1: SolidMaterial
    solidMaterial2: SolidMaterial
    pairMaterial: ContactPairMaterial
    elasticContactReductionFactor: Real = of(
        QUANTITIES["elasticContactReductionFactor"], default=1.0
    )
    maximumContactDamping: Real = of(QUANTITIES["maximumContactDamping"], default=2000.0)
    contactEpsilon: Real = of(QUANTITIES["contactEpsilon"], default=0.0)
    transition_speed: Real | None = of(QUANTITIES["transition_speed"], default=None)
    smooth: Smoothing | None = None
    restitution_law: str = static(default="nominal")
    tension: bool = static(default=False)

    switches: ClassVar[tuple[str, ...]] = elastic_contact_modes.SWITCHES
    on_a_plane: ClassVar[str] = "modia3d.elastic_contact with a modia3d.Box as the shape of solid2"

    def __post_init__(self) -> None:
        restitution_of(self.restitution_law)
        check_smoothing("ElasticContact", self.smooth)
        if self.smooth is not None and self.transition_speed is not None:
            raise ValueError(
                "ElasticContact: smooth takes the place of transition_speed = "
                f"{self.transition_speed!r}. Give either."
            )

    @property
    def grading(self) -> int:
        """That of a force like the overlap to the power 3/2."""
        return 2

    @property
    def onset(self) -> Real | None:
        """``smooth.overlap`` [m]; ``None`` without ``smooth``."""
        return onset_of(self.smooth)

    def check(self) -> None:
        """Raises where solid 1 is no sphere, or solid 2 neither a sphere nor flat."""
        elastic_contact_modes.check_followed(self)

    def radii(self) -> tuple[Any, Any]:
        """Half the diameters of the spheres [m]; ``None`` that of a flat solid."""
        return elastic_contact_modes.radii(self)

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """What the motion says: a contact that there is starts now."""
        return elastic_contact_modes.begun(self, body0, body1)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Gap [m], negative in contact; ``contactEpsilon`` is taken off it."""
        return elastic_contact_modes.gap(self, body0, body1)

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and torques in the present mode."""
        return elastic_contact_modes.act(self, memory, body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """Of ``switches``."""
        return elastic_contact_modes.signs(self, memory, body0, body1)

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What is remembered from an event on."""
        return elastic_contact_modes.crossed(self, switch, memory, body0, body1)


def elastic_contact(
    solid1: Solid,
    solid2: Solid,
    *,
    solid_materials: Mapping[str, SolidMaterial] = solidMaterialPalette,
    pair_materials: Mapping[tuple[str, str], ContactPairMaterial] = contactPairMaterialPalette,
    **options: Any,
) -> ElasticContact:
    """The contact of two solids, its materials looked up under the names of their contact
    materials.

    Args:
        solid1: first solid.
        solid2: second solid.
        solid_materials: palette of solids.
        pair_materials: palette of pairs.
        options: other fields of ``ElasticContact``.

    Returns:
        All that the contact law needs to know of the pair.

    Raises:
        ValueError: when a palette lacks a name.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> softer = contact.replace(elasticContactReductionFactor=1e-4)
        >>> print(f"{modia3d.response_material(softer, 0.5).c_res:.3e} Pa")
        1.099e+07 Pa
    """
    name1, name2 = solid1.contact_material, solid2.contact_material
    return ElasticContact(
        solid1=solid1,
        solid2=solid2,
        solidMaterial1=solid_material(name1, palette=solid_materials),
        solidMaterial2=solid_material(name2, palette=solid_materials),
        pairMaterial=contact_pair_material(name1, name2, palette=pair_materials),
        **options,
    )
