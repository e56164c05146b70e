"""Quantities that a person knows of a contact: found instead of the parameters of a law, each a
``Derived``.

Young's modulus or the duration of a contact instead of its stiffness, the damping of the contact
instead of its restitution. Each takes its start from the scene, so that the scene is the same
before and after, whichever way it is parameterised.

Example:
    >>> contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8))
    >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
    >>> modulus = cal.derived.YoungsModulus(poisson_ratio=0.3)
    >>> round(modulus.initial_value(scene) / 1e6, 3)  # [MPa]
    4.826
"""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.free import Derived
from calibration.model.parameter import Parameter, Real
from jaxcontact import HuntCrossley, LinearDashpot, PowerLawHuntCrossley, Scene, TsujiDashpot
from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.normal.elastic import contact_duration
from jaxcontact.materials import Solid, hertz_stiffness
from jaxcontact.parameters import Interval, Quantity, get, put, quantity

__all__ = ["ContactDuration", "DampingRatio", "PoissonRatio", "YoungsModulus"]

STIFFNESS = "contact.normal.stiffness"
RESTITUTION = "contact.normal.restitution"

_MODULUS = quantity(
    unit="Pa", label="Young's modulus", symbol="E", interval="(0, inf)", transform="log"
)
_RATIO = quantity(
    unit="-", label="Poisson's ratio", symbol="nu", interval="(0, 0.5)", transform="logit"
)
_DURATION = quantity(
    unit="s", label="contact duration", symbol="t_c", interval="(0, inf)", transform="log"
)
_ZETA = dataclasses.replace(QUANTITIES["zeta"], interval=Interval.parse("(0, inf)"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class _LawQuantity(Derived):
    """A quantity that sets one parameter of the normal law.

    Args:
        start: where the fit begins; by default the value that the scene has.
        prior: what is known of it beforehand.
        name: what it is called in tables.
    """

    start: float | None = dataclasses.field(default=None, compare=False)  # type: ignore[assignment]
    sets: Callable[[Scene, jax.Array], Scene] = dataclasses.field(
        default=lambda scene, value: scene, repr=False, compare=False
    )

    def value_in(self, scene: Scene) -> Real:
        """The value of the quantity in a scene, in its unit."""
        raise NotImplementedError

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where the scene has no such quantity."""

    def parameter(self, scene: Scene) -> Parameter:
        """The parameter of the fit, with its interval and transform."""
        self.check(scene)
        return Parameter(self.name, self.about, prior=self.prior)

    def initial_value(self, scene: Scene) -> float:
        """Where the fit begins, in the unit of the quantity."""
        self.check(scene)
        if self.start is not None:
            if not self.about.interval.contains(self.start):
                raise InputError(
                    f"{type(self).__name__}: start = {self.start!r} is outside "
                    f"{self.about.interval}."
                )
            return float(self.start)
        with jax.enable_x64(True):
            return self._first_value(scene)

    def _first_value(self, scene: Scene) -> float:
        """The value in the scene, of the first sphere where there are several."""
        return float(np.ravel(np.asarray(self.value_in(scene)))[0])


ElasticLaw: TypeAlias = HuntCrossley | PowerLawHuntCrossley | LinearDashpot | TsujiDashpot
"""Normal laws with an elastic part ``K d^n``."""

_HERTZ: tuple[type[ElasticLaw], ...] = (HuntCrossley, TsujiDashpot)
_ELASTIC: tuple[type[ElasticLaw], ...] = (
    HuntCrossley,
    PowerLawHuntCrossley,
    LinearDashpot,
    TsujiDashpot,
)


def _require_law(owner: str, scene: Scene, laws: tuple[type[ElasticLaw], ...]) -> ElasticLaw:
    """The normal law of the scene; raise ``InputError`` where it is none of ``laws``."""
    law = scene.contact.normal
    if not isinstance(law, laws):
        names = ", ".join(known.__name__ for known in laws)
        raise InputError(
            f"{owner}: the normal law of the scene is {type(law).__name__}.",
            remedy=f"It can stand for {names}.",
        )
    return law


def _exponent(law: ElasticLaw) -> Real:
    """Exponent ``n`` of the elastic part ``K d^n``."""
    if isinstance(law, LinearDashpot):
        return 1.0
    if isinstance(law, TsujiDashpot):
        return 1.5
    return law.exponent


def _compliance(scene: Scene, partner: Solid | None) -> Real:
    """What the sphere contributes to ``1/E*`` [1/Pa]: that of the stiffness in the scene less that
    of the partner.
    """
    # K = (4/3) E* sqrt(R), and hertz_stiffness(1, R) is (4/3) sqrt(R).
    compliance = hertz_stiffness(1.0, scene.bodies.radius) / get(scene, STIFFNESS)
    if partner is not None:
        compliance = compliance - 1.0 / partner.plane_strain_modulus
    return compliance


def _with_compliance(scene: Scene, compliance: Real, partner: Solid | None) -> Scene:
    """The scene with the stiffness of a sphere that contributes ``compliance`` to ``1/E*``."""
    if partner is not None:
        compliance = compliance + 1.0 / partner.plane_strain_modulus
    return put(scene, STIFFNESS, hertz_stiffness(1.0 / compliance, scene.bodies.radius))


@dataclasses.dataclass(frozen=True, kw_only=True)
class YoungsModulus(_LawQuantity):
    """Young's modulus of a sphere on a plane instead of the stiffness: ``K = (4/3) E* sqrt(R)``,
    ``1/E* = (1 - nu^2)/E + 1/E_p``.

    Trials with balls of different radius (``Trial(values=...)``) then share one modulus. For a law
    with the exponent of Hertz.

    Args:
        poisson_ratio: ``nu`` of the sphere [-], in (-1, 0.5].
        partner: the solid of the plane (``jaxcontact.materials.Solid``); ``None`` is rigid.
        start: where the fit begins [Pa]; by default the modulus of the stiffness in the scene.
        prior: what is known of it beforehand.

    Raises:
        InputError: a Poisson's ratio outside its interval.

    Source:
        Hertz (1882); Johnson (1985), Contact Mechanics, section 4.2.

    Example:
        >>> contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> modulus = cal.derived.YoungsModulus(poisson_ratio=0.3)
        >>> round(float(modulus.apply(scene, 9.65e6).contact.normal.stiffness) / 1e6, 3)
        2.0
    """

    poisson_ratio: float
    partner: Solid | None = None
    name: str = "youngs_modulus"
    about: Quantity = _MODULUS

    def __post_init__(self) -> None:
        if not -1 < self.poisson_ratio <= 0.5:
            raise InputError(
                f"YoungsModulus: poisson_ratio = {self.poisson_ratio!r} is outside (-1, 0.5]."
            )

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where the law is not one of Hertz, or stiffer than the partner
        alone.
        """
        exponent = _exponent(_require_law("YoungsModulus", scene, _HERTZ))
        if exponent != 1.5:
            raise InputError(
                f"YoungsModulus: the exponent of the law is {exponent:g}, that of Hertz is 1.5."
            )
        if self.start is None and not self._first_value(scene) > 0:
            raise InputError(
                "YoungsModulus: the stiffness in the scene is above that of a rigid sphere "
                "on the partner.",
                remedy="Give start, or lower the stiffness.",
            )

    def value_in(self, scene: Scene) -> Real:
        """``E`` [Pa] of the stiffness of the scene."""
        return (1.0 - self.poisson_ratio**2) / _compliance(scene, self.partner)

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with the stiffness of this modulus [Pa]."""
        return _with_compliance(scene, (1.0 - self.poisson_ratio**2) / value, self.partner)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PoissonRatio(_LawQuantity):
    """Poisson's ratio of the sphere, beside a modulus that is known: the stiffness follows as in
    ``YoungsModulus``.

    A stiffness determines one of the two: with both free, the fit says that the data do not tell
    them apart.

    Args:
        youngs_modulus: ``E`` of the sphere [Pa].
        partner: the solid of the plane (``jaxcontact.materials.Solid``); ``None`` is rigid.
        start: where the fit begins [-]; by default the ratio of the stiffness in the scene, which
            must be that of a ratio in (0, 0.5).
        prior: what is known of it beforehand.

    Raises:
        InputError: a modulus that is not positive and finite.

    Example:
        >>> contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> ratio = cal.derived.PoissonRatio(youngs_modulus=4.8262e6)
        >>> round(ratio.initial_value(scene), 3)
        0.3
    """

    youngs_modulus: float
    partner: Solid | None = None
    name: str = "poisson_ratio"
    about: Quantity = _RATIO

    def __post_init__(self) -> None:
        if not 0 < self.youngs_modulus < np.inf:
            raise InputError(
                f"PoissonRatio: youngs_modulus = {self.youngs_modulus!r} is outside (0, inf).",
                remedy="Give it in Pa.",
            )

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where the law is not one of Hertz, or no ratio gives the stiffness
        of the scene.
        """
        _require_law("PoissonRatio", scene, _HERTZ)
        if self.start is None and not 0 < self._first_value(scene) < 0.5:
            raise InputError(
                "PoissonRatio: no ratio in (0, 0.5) gives the stiffness in the scene with "
                "this modulus.",
                remedy="Give start.",
            )

    def value_in(self, scene: Scene) -> Real:
        """``nu`` of the stiffness of the scene."""
        compliance = _compliance(scene, self.partner)
        return jnp.sqrt(jnp.maximum(1.0 - compliance * self.youngs_modulus, 0.0))

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with the stiffness of this ratio."""
        return _with_compliance(scene, (1.0 - value**2) / self.youngs_modulus, self.partner)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ContactDuration(_LawQuantity):
    """The duration of a contact at a reference speed instead of the stiffness: what a camera, a
    microphone or a simulator sees of it.

    That of the elastic part ``K d^n`` alone, without damping (``laws.elastic.contact_duration``):
    ``K`` is proportional to ``t_c^-(n + 1)``, and a contact with restitution 0.8 lasts a few
    percent longer.

    Args:
        speed: approach speed at which it holds [m/s]; without effect for a linear spring.
        start: where the fit begins [s]; by default the duration of the stiffness in the scene.
        prior: what is known of it beforehand.

    Raises:
        InputError: a speed that is not positive and finite.

    Example:
        >>> contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> duration = cal.derived.ContactDuration(speed=2.0)
        >>> round(1e3 * duration.initial_value(scene), 3)  # [ms]
        1.047
    """

    speed: float = 1.0
    name: str = "contact_duration"
    about: Quantity = _DURATION

    def __post_init__(self) -> None:
        if not 0 < self.speed < np.inf:
            raise InputError(
                f"ContactDuration: speed = {self.speed!r} is outside (0, inf).",
                remedy="Give the approach speed in m/s.",
            )

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where the law has no power of the overlap."""
        _require_law("ContactDuration", scene, _ELASTIC)

    def _duration(self, scene: Scene, stiffness: Real) -> Real:
        law: Any = scene.contact.normal
        return contact_duration(
            self.speed,
            mass=scene.bodies.mass,
            stiffness=stiffness,
            exponent=_exponent(law),
        )

    def value_in(self, scene: Scene) -> Real:
        """``t_c`` [s] of the stiffness of the scene."""
        return self._duration(scene, get(scene, STIFFNESS))

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with the stiffness of this duration [s]."""
        law: Any = scene.contact.normal
        order = _exponent(law) + 1.0  # K is proportional to t_c^-(n + 1)
        return put(scene, STIFFNESS, (self._duration(scene, 1.0) / value) ** order)


@dataclasses.dataclass(frozen=True, kw_only=True)
class DampingRatio(_LawQuantity):
    """The damping instead of the restitution: ``zeta`` relative to critical of a dashpot, ``a`` of
    ``1 + a d'/v`` for Hunt and Crossley.

    With a ``reference_speed`` in the law, ``a`` is that at this speed.

    Args:
        start: where the fit begins [-]; by default the damping of the restitution in the scene.
        prior: what is known of it beforehand.

    Example:
        >>> contact = jc.ContactModel(normal=jc.LinearDashpot(stiffness=1e4, restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> damping = cal.derived.DampingRatio()
        >>> round(float(damping.apply(scene, 0.1).contact.normal.restitution), 3)
        0.729
    """

    name: str = "damping_ratio"
    about: Quantity = _ZETA

    def check(self, scene: Scene) -> None:
        """Raise ``InputError`` where the law has no such damping."""
        _require_law("DampingRatio", scene, _ELASTIC)

    def parameter(self, scene: Scene) -> Parameter:
        """The parameter of the fit; below 1 where a critically damped contact would never end."""
        self.check(scene)
        law = scene.contact.normal
        if not isinstance(law, (LinearDashpot, TsujiDashpot)):
            about = dataclasses.replace(
                QUANTITIES["damping_ratio"], interval=Interval.parse("(0, inf)")
            )
        elif law.end == "zero_overlap":
            about = dataclasses.replace(
                self.about, interval=Interval.parse("(0, 1)"), transform="logit"
            )
        else:
            about = self.about
        return Parameter(self.name, about, prior=self.prior)

    def value_in(self, scene: Scene) -> Real:
        """The damping of the restitution in the scene."""
        law: Any = scene.contact.normal
        restitution = get(scene, RESTITUTION)
        if isinstance(law, (LinearDashpot, TsujiDashpot)):
            return CONTACT_ENDS[law.end].damping(restitution)
        return law.restitution_law.damping_ratio(restitution)

    def apply(self, scene: Scene, value: Real) -> Scene:
        """The scene with the restitution of this damping."""
        law: Any = scene.contact.normal
        if isinstance(law, (LinearDashpot, TsujiDashpot)):
            restitution = CONTACT_ENDS[law.end].restitution(value)
        else:
            restitution = law.restitution_law.nominal(value)
        return put(scene, RESTITUTION, restitution)
