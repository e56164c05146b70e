"""What a contact in another program is to obtain, and how stiff it is to be."""

import dataclasses
import math

from calibration.errors import InputError

LARGEST_OVERLAP = 0.01
"""Largest overlap of a contact whose stiffness nobody knows, as a fraction of the radius. At 1 %
impacts still act like collisions, and the steps are as long as they can be.
"""

STEPS = 200
"""Steps of a contact. The programs' integrators then obtain the restitution to half a percent."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target:
    """What a contact is to obtain.

    Attributes:
        restitution: ``e`` in (0, 1], at ``speed``.
        friction: ``mu >= 0`` of sliding.
        speed: of the impact along the normal at which ``restitution`` holds [m/s].
        fastest: the fastest impact that was measured, or ``speed`` [m/s].
        radius: of the ball [m].
        mass: of the ball [kg].
        partner_radius: of the other body [m]; ``None`` for a wall.
        partner_mass: of the other body [kg]; ``None`` for a wall.
        contact_time: of an undamped contact at ``speed`` [s]; ``None`` for the one whose largest
            overlap at ``fastest`` is ``LARGEST_OVERLAP`` of the smaller radius.

    Raises:
        InputError: a number that is not allowed.

    Example:
        >>> import calibration as cal
        >>> target = cal.programs.Target(
        ...     restitution=0.8, friction=0.2, speed=2.0, fastest=3.0, radius=0.02, mass=0.03
        ... )
        >>> print(f"{1e3 * target.undamped_time(1.5):.3f} ms")
        0.213 ms
    """

    restitution: float
    friction: float
    speed: float
    fastest: float
    radius: float
    mass: float
    partner_radius: float | None = None
    partner_mass: float | None = None
    contact_time: float | None = None

    def __post_init__(self) -> None:
        self._check("restitution", self.restitution, 0 < self.restitution <= 1, "(0, 1]")
        self._check("friction", self.friction, 0 <= self.friction < math.inf, "[0, inf)")
        positive = ("speed", "fastest", "radius", "mass", "partner_radius", "partner_mass")
        for name in (*positive, "contact_time"):
            value = getattr(self, name)
            self._check(name, value, value is None or 0 < value < math.inf, "(0, inf)")
        if (self.partner_radius is None) != (self.partner_mass is None):
            raise InputError("Target: partner_radius and partner_mass belong together.")

    def _check(self, name: str, value: object, allowed: bool, interval: str) -> None:
        if not allowed:
            raise InputError(f"Target: {name} = {value!r} is outside {interval}.")

    @property
    def effective_mass(self) -> float:
        """``m1 m2/(m1 + m2)`` [kg]; that of the ball on a wall."""
        if self.partner_mass is None:
            return self.mass
        return self.mass * self.partner_mass / (self.mass + self.partner_mass)

    @property
    def effective_radius(self) -> float:
        """``R1 R2/(R1 + R2)`` [m]; that of the ball on a wall."""
        if self.partner_radius is None:
            return self.radius
        return self.radius * self.partner_radius / (self.radius + self.partner_radius)

    @property
    def smaller_radius(self) -> float:
        """Of both bodies [m]."""
        return min(self.radius, self.partner_radius or math.inf)

    def stiffness(self, exponent: float) -> float:
        """``K`` [N/m^n] of the elastic force ``K d^n``.

        Args:
            exponent: ``n`` [-].
        """
        from jaxcontact.laws.normal.elastic import contact_duration  # imports JAX

        if self.contact_time is not None:
            # The duration is proportional to K^(-1/(n + 1)).
            of_one = contact_duration(
                self.speed, mass=self.effective_mass, stiffness=1.0, exponent=exponent
            )
            return float(of_one / self.contact_time) ** (exponent + 1)
        # m v^2/2 = K d^(n + 1)/(n + 1)
        overlap = LARGEST_OVERLAP * self.smaller_radius
        return (
            (exponent + 1) / 2 * self.effective_mass * self.fastest**2 / overlap ** (exponent + 1)
        )

    def undamped_time(self, exponent: float, *, speed: float | None = None) -> float:
        """Duration of an undamped contact [s].

        Args:
            exponent: ``n`` of the elastic force ``K d^n`` [-].
            speed: of the impact [m/s]; ``speed`` of the target when left out.
        """
        from jaxcontact.laws.normal.elastic import contact_duration  # imports JAX

        return float(
            contact_duration(
                self.speed if speed is None else speed,
                mass=self.effective_mass,
                stiffness=self.stiffness(exponent),
                exponent=exponent,
            )
        )

    def overlap(self, exponent: float) -> float:
        """Largest overlap of an undamped contact at ``fastest`` [m].

        Args:
            exponent: ``n`` of the elastic force ``K d^n`` [-].
        """
        from jaxcontact.laws.normal.elastic import maximum_overlap  # imports JAX

        return float(
            maximum_overlap(
                self.fastest,
                mass=self.effective_mass,
                stiffness=self.stiffness(exponent),
                exponent=exponent,
            )
        )

    def step(self, exponent: float) -> float:
        """Longest step of an integrator [s], a fraction of the contact time of the fastest impact.

        Args:
            exponent: ``n`` of the elastic force ``K d^n`` [-].
        """
        return self.undamped_time(exponent, speed=max(self.fastest, self.speed)) / STEPS


def check_given(
    *, speed: float | None, friction: float | None, contact_time: float | None, draws: int
) -> None:
    """Raise ``InputError`` for what an export cannot be asked for, before anything is fitted.

    Args:
        speed: of the impact [m/s], if it was given.
        friction: coefficient, if it was given.
        contact_time: [s], if it was given.
        draws: how many.
    """
    for name, value in (("speed", speed), ("contact_time", contact_time)):
        if value is not None and not 0 < value < math.inf:
            raise InputError(f"export: {name} = {value!r} is outside (0, inf).")
    if friction is not None and not 0 <= friction < math.inf:
        raise InputError(f"export: friction = {friction!r} is outside [0, inf).")
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 0:
        raise InputError(f"export: draws = {draws!r} is not a whole number of 0 or more.")
