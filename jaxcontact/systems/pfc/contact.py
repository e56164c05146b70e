"""A contact between two balls, between a ball and one that is held, or between a ball and a facet,
for ``jaxcontact.simulate``: a contact model of this package, and what it is between.

Example:
    >>> from jaxcontact.systems import pfc
    >>> model = pfc.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1)
    >>> balls = {"radius1": 0.05, "mass1": 0.1, "radius2": 0.1, "mass2": 0.4}
    >>> scene = jc.Scene(
    ...     bodies=jc.spheres(radius=jnp.array([0.05, 0.1]), mass=jnp.array([0.1, 0.4])),
    ...     surfaces=(),
    ...     contact=pfc.Contact(model=model, **balls),
    ...     gravity=(0, 0, 0),
    ... )
    >>> start = jc.state(
    ...     position=[(0, 0, 0), (0.16, 0, 0)],
    ...     velocity=[(1, 0, 0), (0, 0, 0)],
    ...     spin=[(0, 0, 0), (0, 0, 0)],
    ... )
    >>> moved = jc.simulate(scene, start, [0.0, 0.02])
    >>> print(moved.velocity[-1, :, 0].round(4))
    [-0.3834  0.3458]
"""

import math
from typing import Any, ClassVar

import jax

from jaxcontact.geometry.rigid_motion import Motion, Partner
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing, check_smoothing, onset_of
from jaxcontact.materials import effective_mass, effective_radius
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of
from jaxcontact.systems.pfc import contact_modes
from jaxcontact.systems.pfc.contact_modes import ContactModel


@model
class Contact(PairContact):
    """Two balls, or a ball and the facet of a wall, in contact by one of the program's contact
    models.

    ``Scene(contact=Contact(...))`` simulates it in the limit of the program's cycle for short
    steps, between two spheres, between one and a ``jaxcontact.Sphere`` that is held, or on a
    ``jaxcontact.Plane``, far from the edges of its facets: ball 1 is the first body, ball 2 the
    second one or the sphere that is held. Radii and masses must be those of the scene.
    ``contact_modes`` says what the limit is.

    Attributes:
        model: ``Linear``, ``Hertz`` or ``RollingResistanceLinear``. Its ``slider`` must be
            ``coulomb_slider``, ``lin_mode`` 0 and ``kn`` positive: ``simulate`` raises
            ``ValueError`` where they are not.
        radius1: of ball 1 [m].
        mass1: of ball 1 [kg].
        radius2: of ball 2 [m]; ``None``, the default, is a facet.
        mass2: of ball 2 [kg]; ``None``, the default, is that of a wall, which does not count in the
            contact mass.
        smooth: a ``jaxcontact.Smoothing``, for two continuous derivatives but where a spring begins
            to slide or sticks again, which stays an event; ``None``, the default, is the program's
            form.

    Example:
        >>> from jaxcontact.systems import pfc
        >>> contact = pfc.Contact(
        ...     model=pfc.Linear(kn=1e5), radius1=0.1, mass1=1.0, radius2=0.1, mass2=1.0
        ... )
        >>> print(f"m_c = {contact.contact_mass:.2f} kg, R = {contact.effective_radius:.2f} m")
        m_c = 0.50 kg, R = 0.05 m
    """

    model: ContactModel
    radius1: Real = of(QUANTITIES["radius"].called("radius1"))
    mass1: Real = of(QUANTITIES["mass"].called("mass1"))
    radius2: Real | None = of(QUANTITIES["radius"].called("radius2"), default=None)
    mass2: Real | None = of(QUANTITIES["mass"].called("mass2"), default=None)
    smooth: Smoothing | None = None
    switches: ClassVar[tuple[str, ...]] = contact_modes.SWITCHES
    on_a_plane: ClassVar[str] = "pfc.Contact without radius2 and mass2"

    def __post_init__(self) -> None:
        check_smoothing("Contact", self.smooth)
        if self.radius2 is None and self.mass2 is not None:
            raise ValueError(
                f"Contact: mass2 = {self.mass2!r}, but radius2 is missing: without it ball 1 is on "
                "a facet, whose mass does not count. Give radius2, or leave mass2 out."
            )

    @property
    def contact_mass(self) -> Real:
        """``m_c = m1 m2/(m1 + m2)`` [kg]; ``m1`` where ball 2 counts as a wall."""
        if self.mass2 is None:
            return effective_mass(self.mass1)
        return effective_mass(self.mass1, self.mass2)

    @property
    def effective_radius(self) -> Real:
        """``1/(1/R1 + 1/R2)`` [m]; ``R1`` on a facet."""
        if self.radius2 is None:
            return effective_radius(self.radius1)
        return effective_radius(self.radius1, self.radius2)

    @property
    def grading(self) -> int:
        """Power ``p`` such that the motion after touch-down is smooth in ``time^(1/p)``."""
        return contact_modes.grading(self)

    @property
    def onset(self) -> Real | None:
        """``smooth.overlap`` [m]; ``None`` without ``smooth``."""
        return onset_of(self.smooth)

    @property
    def flow_scale(self) -> jax.Array:
        """What counts as little of a spring's force [N]."""
        return contact_modes.flow_scale(self)

    def check(self) -> None:
        """Raises ``ValueError`` where the limit of short steps is not followed."""
        contact_modes.check_followed(self)

    def radii(self) -> tuple[Any, Any]:
        """Of the two balls [m]; ``None`` that of a facet."""
        return self.radius1, self.radius2

    def masses(self) -> tuple[Any, Any]:
        """``mass1`` and ``mass2`` [kg]."""
        return self.mass1, math.inf if self.mass2 is None else self.mass2

    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """As after the program's first step, which starts without memory."""
        return contact_modes.begun(self, body0, body1)

    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Surface gap ``g_s = g_c - g_r`` [m], negative in overlap."""
        return contact_modes.touch_of(self, body0, body1).gap

    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and torques in the present mode."""
        return contact_modes.act(self, memory, body0, body1)

    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """Of ``switches``."""
        return contact_modes.signs(self, memory, body0, body1)

    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What is remembered from an event on."""
        return contact_modes.crossed(self, switch, memory, body0, body1)
