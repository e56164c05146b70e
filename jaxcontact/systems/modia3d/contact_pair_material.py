"""What belongs to a pair of materials in contact, the program's palette of pairs, and how a missing
pair is made up.
"""

from collections.abc import Mapping

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, nearest, of


@model
class ElasticContactPairMaterial:
    """Restitution, friction and rolling resistance between two materials.

    The first three have no defaults here: the program's documentation gives 0.7, 0.5 and 0.001, its
    constructor takes 0, 0 and 0.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> pair = modia3d.ElasticContactPairMaterial(
        ...     coefficientOfRestitution=0.9,
        ...     slidingFrictionCoefficient=0.3,
        ...     rotationalResistanceCoefficient=0.001,
        ... )
        >>> pair.vsmall
        0.01
    """

    coefficientOfRestitution: Real = of(QUANTITIES["coefficientOfRestitution"])
    slidingFrictionCoefficient: Real = of(QUANTITIES["slidingFrictionCoefficient"])
    rotationalResistanceCoefficient: Real = of(QUANTITIES["rotationalResistanceCoefficient"])
    vsmall: Real = of(QUANTITIES["vsmall"], default=0.01)
    wsmall: Real = of(QUANTITIES["wsmall"], default=0.01)


@model
class ObserverContactPairMaterial:
    """A pair that is observed only: no contact force.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> observer = modia3d.Solid(
        ...     shape=modia3d.Sphere(diameter=0.1),
        ...     solidMaterial="Steel",
        ...     contactMaterial="Observer",
        ... )
        >>> contact = modia3d.elastic_contact(observer, observer)
        >>> isinstance(contact.pairMaterial, modia3d.ObserverContactPairMaterial)
        True
    """


ContactPairMaterial = ElasticContactPairMaterial | ObserverContactPairMaterial


def pair_key(name1: str, name2: str) -> tuple[str, str]:
    """Key of a pair, the same in either order.

    Args:
        name1: one contact material.
        name2: the other.

    Returns:
        The names in alphabetical order.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> modia3d.pair_key("Steel", "DryWood") == modia3d.pair_key("DryWood", "Steel")
        True
    """
    return (name1, name2) if name1 < name2 else (name2, name1)


def _elastic(cor: float, mu_k: float, mu_r: float) -> ElasticContactPairMaterial:
    return ElasticContactPairMaterial(
        coefficientOfRestitution=cor,
        slidingFrictionCoefficient=mu_k,
        rotationalResistanceCoefficient=mu_r,
    )


contactPairMaterialPalette: dict[tuple[str, str], ContactPairMaterial] = {
    pair_key(*names): material
    for names, material in (
        (("Steel", "Steel"), _elastic(0.7, 0.5, 0.001)),
        (("DryWood", "DryWood"), _elastic(0.6, 0.3, 0.001)),
        (("BilliardBall", "BilliardBall"), _elastic(1.0, 0.0, 0.0)),
        (("BilliardBall", "BilliardTable"), _elastic(0.0, 0.8, 0.01)),
        (("BilliardBall", "BilliardCushion"), _elastic(0.98, 0.0, 0.0)),
        (("BilliardBall", "BilliardCue"), _elastic(0.98, 0.0, 0.0)),
        (("BilliardTable", "BilliardCue"), _elastic(0.0, 0.8, 0.01)),
        (("BilliardCue", "BilliardCue"), _elastic(0.98, 0.0, 0.0)),
        (("Observer", "Steel"), ObserverContactPairMaterial()),
        (("Observer", "Observer"), ObserverContactPairMaterial()),
    )
}
"""The program's pairs. Extend it with ``contactPairMaterialPalette | {pair_key("Rubber", "Steel"):
ElasticContactPairMaterial(...)}``.

Example:
    >>> from jaxcontact.systems import modia3d
    >>> pair = modia3d.contactPairMaterialPalette[modia3d.pair_key("Steel", "Steel")]
    >>> pair.coefficientOfRestitution
    0.7
"""


def contact_pair_material(
    name1: str,
    name2: str,
    *,
    palette: Mapping[tuple[str, str], ContactPairMaterial] = contactPairMaterialPalette,
) -> ContactPairMaterial:
    """The material of a pair: its own entry, in either order, or else the arithmetic mean of the
    two pairs of equal materials.

    Args:
        name1: contact material of solid 1.
        name2: contact material of solid 2.
        palette: pairs by ``pair_key``.

    Returns:
        The material of the pair.

    Raises:
        ValueError: when neither is in the palette, or the mean would be with an observer.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> pair = modia3d.contact_pair_material("Steel", "DryWood")
        >>> print(f"restitution {pair.coefficientOfRestitution:.2f}")
        restitution 0.65
    """
    key = pair_key(name1, name2)
    if key in palette:
        return palette[key]
    remedy = f" Add it to the palette under pair_key({name1!r}, {name2!r})."
    materials = []
    for name in (name1, name2):
        own = palette.get(pair_key(name, name))
        if own is None:
            equal = [first for first, second in palette if first == second]
            raise ValueError(
                f"contact pair {name1!r}, {name2!r} is not in the palette, nor is the pair "
                f"{name!r}, {name!r} to average with."
                f"{nearest(str(name), equal)}{remedy}"
            )
        if isinstance(own, ObserverContactPairMaterial):
            raise ValueError(
                f"contact pair {name1!r}, {name2!r} is not in the palette, and {name!r} is "
                f"an observer: no mean.{remedy}"
            )
        materials.append(own)
    return _mean(*materials)


def _mean(
    first: ElasticContactPairMaterial, second: ElasticContactPairMaterial
) -> ElasticContactPairMaterial:
    def mean(one: Real, other: Real) -> Real:
        return (one + other) / 2

    return ElasticContactPairMaterial(
        coefficientOfRestitution=mean(
            first.coefficientOfRestitution, second.coefficientOfRestitution
        ),
        slidingFrictionCoefficient=mean(
            first.slidingFrictionCoefficient, second.slidingFrictionCoefficient
        ),
        rotationalResistanceCoefficient=mean(
            first.rotationalResistanceCoefficient, second.rotationalResistanceCoefficient
        ),
        vsmall=mean(first.vsmall, second.vsmall),
        wsmall=mean(first.wsmall, second.wsmall),
    )
