"""A spherical particle."""

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of


@model
class Particle:
    """A spherical particle.

    Attributes:
        radius: ``R`` [m].
        mass: ``m`` [kg].
        inertia: smallest principal moment of inertia [kg m^2]; ``None``, the default, is that of a
            solid sphere.

    Example:
        >>> from jaxcontact.systems import edem
        >>> particle = edem.Particle(radius=0.05, mass=0.1)
        >>> print(f"{particle.smallest_inertia:.1e} kg m^2")
        1.0e-04 kg m^2
    """

    radius: Real = of(QUANTITIES["radius"])
    mass: Real = of(QUANTITIES["mass"])
    inertia: Real | None = of(QUANTITIES["inertia"], default=None)

    @property
    def smallest_inertia(self) -> Real:
        """``I`` [kg m^2], ``2/5 m R^2`` of a solid sphere."""
        return 0.4 * self.mass * self.radius**2 if self.inertia is None else self.inertia
