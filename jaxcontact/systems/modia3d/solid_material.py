"""Elastic data of solids, and the program's palette of them."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.materials import effective_modulus, plane_strain_modulus
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, nearest, of


@model
class SolidMaterial:
    """Elastic data of a solid.

    A solid with ``YoungsModulus`` or ``PoissonsRatio`` zero exerts no contact force: that is how
    the program marks an observer.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> steel = modia3d.SolidMaterial(density=7850.0, YoungsModulus=2e11, PoissonsRatio=0.3)
        >>> print(f"{steel.plane_strain_modulus:.3e} Pa")
        2.198e+11 Pa
    """

    density: Real = of(QUANTITIES["density"], default=0.0)
    YoungsModulus: Real = of(QUANTITIES["YoungsModulus"])
    PoissonsRatio: Real = of(QUANTITIES["PoissonsRatio"])

    @property
    def responds(self) -> jax.Array:
        """Whether the solid exerts contact forces, ``E > 0`` and ``0 < nu < 1``."""
        E, nu = jnp.asarray(self.YoungsModulus), jnp.asarray(self.PoissonsRatio)
        return (E > 0.0) & (nu > 0.0) & (nu < 1.0)

    @property
    def plane_strain_modulus(self) -> jax.Array:
        """``c = E/(1 - nu^2)`` [Pa]; 1 Pa, not to be used, for a solid that does not respond."""
        responds = self.responds
        safe = (
            jnp.where(responds, value, 0.5) for value in (self.YoungsModulus, self.PoissonsRatio)
        )
        return jnp.where(responds, plane_strain_modulus(*safe), 1.0)


def resultant_modulus(
    material1: SolidMaterial, material2: SolidMaterial, *, elasticContactReductionFactor: Real = 1.0
) -> jax.Array:
    """``c_res = k_red/(1/c1 + 1/c2)`` [Pa]; 0, which is no contact force, where a solid does not
    respond or ``k_red`` is 0.

    Args:
        material1: of the contact material of solid 1.
        material2: of the contact material of solid 2.
        elasticContactReductionFactor: ``k_red`` in [0, 1.1], which makes the contact softer.

    Returns:
        ``c_res`` [Pa].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> steel = modia3d.solid_material("Steel")
        >>> print(f"{modia3d.resultant_modulus(steel, steel):.3e} Pa")
        1.099e+11 Pa
    """
    responds = material1.responds & material2.responds
    return jnp.where(
        responds, elasticContactReductionFactor * effective_modulus(material1, material2), 0.0
    )


solidMaterialPalette: dict[str, SolidMaterial] = {
    name: SolidMaterial(density=density, YoungsModulus=E, PoissonsRatio=nu)
    for name, density, E, nu in (
        ("Steel", 8000.0, 2.0e11, 0.30),
        ("Aluminium", 2700.0, 6.9e10, 0.32),
        ("DryWood", 700.0, 1.1e10, 0.40),
        ("BilliardCushion", 700.0, 1.1e10, 0.40),
        ("BilliardTable", 700.0, 1.1e10, 0.40),
        ("BilliardBall", 1768.0, 5.4e9, 0.34),
        ("BilliardCue", 700.0, 1.1e10, 0.40),
        ("Observer", 0.0, 0.0, 0.0),
    )
}
"""The program's solid materials, without their thermal data. Extend it with ``solidMaterialPalette
| {"Rubber": SolidMaterial(...)}``.

Example:
    >>> from jaxcontact.systems import modia3d
    >>> modia3d.solidMaterialPalette["Steel"].PoissonsRatio
    0.3
"""


def solid_material(
    name: str, *, palette: Mapping[str, SolidMaterial] = solidMaterialPalette
) -> SolidMaterial:
    """The material called ``name``.

    Args:
        name: of the material.
        palette: materials by name.

    Returns:
        Its elastic data.

    Raises:
        ValueError: when the palette has none of that name.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> print(f"{modia3d.solid_material('Steel').YoungsModulus:.2e} Pa")
        2.00e+11 Pa
    """
    if name not in palette:
        raise ValueError(
            f"solid material {name!r} is not in the palette.{nearest(str(name), palette)} "
            "Other materials can be added to it."
        )
    return palette[name]
