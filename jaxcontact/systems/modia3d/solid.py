"""A solid body as the contact law sees it."""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, nearest, of, static
from jaxcontact.systems.modia3d.shape import SHAPES


@model
class Solid:
    """Shape and materials of a solid.

    Args:
        shape: one of ``shape.SHAPES``.
        solidMaterial: name of the material that it is made of.
        contactMaterial: name of the material of its contacts, where that is another; elastic data
            and pair are looked up under it.
        contactSphereRadius: radius [m] of the sphere that stands for its surface; 0 or less, or
            none, is the default of the shape.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> print(f"{ball.contact_sphere_radius:.2f} m", ball.contact_material)
        0.03 m Steel
    """

    shape: Any
    solidMaterial: str = static(default="")
    contactMaterial: str = static(default="")
    contactSphereRadius: Real | None = of(QUANTITIES["contactSphereRadius"], default=None)

    def __post_init__(self) -> None:
        if type(self.shape) is type or type(self.shape).__name__ not in SHAPES:
            raise TypeError(
                f"Solid: shape = {self.shape!r} is not a "
                f"shape.{nearest(type(self.shape).__name__, SHAPES)}"
            )
        if not self.contact_material:
            raise ValueError(
                "Solid: neither solidMaterial nor contactMaterial names a material. Name one "
                "of the palette, e.g. 'Steel'."
            )

    @property
    def contact_material(self) -> str:
        """Name of the material of its contacts."""
        return self.contactMaterial or self.solidMaterial

    @property
    def isFlat(self) -> bool:
        """Whether the shape is flat."""
        return self.shape.isFlat

    @property
    def contact_sphere_radius(self) -> Real | jax.Array:
        """The radius [m] that counts, the given one where positive, or else the default of the
        shape.
        """
        default = self.shape.defaultContactSphereRadius
        if self.contactSphereRadius is None:
            return default
        return jnp.where(
            jnp.greater(self.contactSphereRadius, 0.0), self.contactSphereRadius, default
        )
