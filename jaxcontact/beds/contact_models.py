"""Contact models of a bed: the two that every program of the discrete element method has, and the
interface of others.

Forces of the two are those of ``laws``: ``LinearDashpot`` or ``TsujiDashpot`` along the normal, a
spring with memory (``CundallStrack`` or ``Mindlin``) along the plane, all behind Coulomb's slider.
"""

import abc
import math

import jax
import jax.numpy as jnp

from jaxcontact.beds.rolling import ElasticPlasticRolling
from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.friction.cundall_strack import CundallStrack, critical_fraction
from jaxcontact.laws.friction.mindlin import Mindlin
from jaxcontact.laws.normal.elastic import elastic_energy
from jaxcontact.laws.normal.models import LinearDashpot, TsujiDashpot
from jaxcontact.materials import Solid, effective_modulus, effective_shear_modulus
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Undecorated, model, nearest, of, parameter, static
from jaxcontact.scene.contact_model import ContactModel

CONVENTIONS = ("contact_point", "lammps", "lammps_granular")
"""Where forces act, and how a tangential spring follows its contact.

``contact_point``: at the middle of the overlap; the spring turns with the plane and with the mean
spin of both bodies about the normal, and keeps its length. Angular momentum is kept. ``lammps``: at
the radius of each sphere; the spring is projected on the plane. So do ``gran/hooke/history`` and
``gran/hertz/history`` of LAMMPS; angular momentum is not kept by the part overlap over diameter.
``lammps_granular``: the surfaces pass each other at the radius of each sphere, but torques act at
the middle of the overlap of two spheres and at the radius at walls; the spring is projected on the
plane and keeps its length. So do ``pair_style granular`` and ``wall/gran granular`` of LAMMPS;
energy is not kept by the part overlap over diameter.
"""


def _check(owner: str, end: str, convention: str, rolling: object) -> None:
    if end not in CONTACT_ENDS:
        raise ValueError(f"{owner}: end = {end!r} ends no contact.{nearest(end, CONTACT_ENDS)}")
    if convention not in CONVENTIONS:
        raise ValueError(
            f"{owner}: convention = {convention!r} is not known.{nearest(convention, CONVENTIONS)}"
        )
    kinds = (ElasticPlasticRolling, type(None))
    if not isinstance(rolling, kinds) and type(rolling) is not object:
        raise TypeError(
            f"{owner}: rolling = {rolling!r} is no ElasticPlasticRolling. RollingSpring and "
            "RollingResistance are parts of a ContactModel, which a bed takes, too."
        )


class BedContact(Undecorated, abc.ABC):
    """A contact in a bed, whose laws may depend on the size of the spheres.

    **Implementing a contact of a bed.** Inherit from ``BedContact``, decorate the class with
    ``model``, declare the parameters, and define ``of_pair``. Where the laws are the same for every
    pair, a ``ContactModel`` is all it takes.

    Example:
        >>> @jc.model
        ... class Powder(jc.BedContact):
        ...     modulus: float = 1e6
        ...
        ...     def of_pair(self, *, radius):
        ...         stiffness = 4 / 3 * self.modulus * jnp.sqrt(radius)
        ...         return jc.ContactModel(
        ...             normal=jc.AdhesivePlastic(
        ...                 stiffness=stiffness, exponent=1.5, plasticity_ratio=0.3
        ...             )
        ...         )
        >>> print(f"{Powder().of_pair(radius=1e-4).normal.stiffness:.0f} N/m^1.5")
        13333 N/m^1.5
    """

    @abc.abstractmethod
    def of_pair(self, *, radius: Real) -> ContactModel:
        """Laws of two bodies of this effective radius [m], ``1/R* = 1/R1 + 1/R2`` (``R1`` at a
        wall).
        """


class BedPairContact(Undecorated, abc.ABC):
    """A contact of another program in a bed, for each pair of spheres of their own sizes.

    **Implementing a contact for each pair.** Inherit from ``BedPairContact``, decorate the class
    with ``model``, declare the parameters, and define ``of_spheres``; where it is of spheres at
    walls, too, ``of_wall``. Where all spheres are alike, a ``PairContact`` itself is all it takes.

    Example:
        >>> from jaxcontact.systems import pfc
        >>> @jc.model
        ... class Balls(jc.BedPairContact):
        ...     kn: float = 1e5
        ...     fric: float = 0.3
        ...
        ...     def of_spheres(self, *, radius, mass):
        ...         return pfc.Contact(
        ...             model=pfc.Linear(kn=self.kn, ks=0.5 * self.kn, fric=self.fric),
        ...             radius1=radius[0],
        ...             mass1=mass[0],
        ...             radius2=radius[1],
        ...             mass2=mass[1],
        ...         )
        >>> print(Balls().of_spheres(radius=(0.1, 0.1), mass=(1.0, 1.0)).contact_mass)
        0.5
    """

    @abc.abstractmethod
    def of_spheres(self, *, radius: tuple[Real, Real], mass: tuple[Real, Real]) -> PairContact:
        """The contact of two spheres of these radii [m] and masses [kg]."""

    def of_wall(self, *, radius: Real, mass: Real) -> PairContact:
        """The contact of a sphere of this radius [m] and mass [kg] with a wall, a plane where it is
        touched; by default there is none.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: there is no contact with walls. Define of_wall, or give the "
            "bed contact_on_walls."
        )


class SphereContact(BedContact):
    """A contact with springs, which a bed follows fast. Elementwise in the contacts."""

    coefficient: Real
    rolling: ElasticPlasticRolling | None
    convention: str

    @abc.abstractmethod
    def damping(self) -> jax.Array:
        """What the normal force needs that no motion changes: computed once in a simulation."""

    @abc.abstractmethod
    def normal_force(
        self, overlap: Real, overlap_rate: Real, *, mass: Real, radius: Real, damping: Real
    ) -> jax.Array:
        """Normal force [N] at the effective mass [kg] and radius [m] of each pair."""

    @abc.abstractmethod
    def tangential(self, overlap: Real, *, mass: Real, radius: Real) -> tuple[Real, Real]:
        """Stiffness [N/m] and damping [N s/m] along the plane."""

    @abc.abstractmethod
    def normal_energy(self, overlap: Real, *, radius: Real) -> jax.Array:
        """Energy stored by each overlap [J]."""

    @abc.abstractmethod
    def time_step(self, *, radius: Real, mass: Real) -> Real:
        """A time step [s] for spheres of this radius [m] and mass [kg], elementwise."""

    @abc.abstractmethod
    def static_overlap(self, load: Real, *, radius: Real) -> jax.Array:
        """Overlap [m] under a load [N]."""


@model
class LinearSpringDashpot(SphereContact):
    """Linear springs and dashpots, Coulomb friction with history: "Hooke", "linear", "LSD".

    ``F_n = k d + c d'`` with the damping ``c`` that gives ``restitution`` to every pair at every
    speed, ``F_t = -P(k_t xi + c_t xi')``, ``|F_t| <= mu F_n``. Sources: Cundall and Strack,
    Geotechnique 29 (1979) 47-65; Luding, Granular Matter 10 (2008) 235-246.

    Args:
        tangential_stiffness: ``k_t`` [N/m]; left out: 2/7 of the normal one, which gives both
            motions of a solid sphere one period.
        zeta: tangential damping, relative to critical: ``c_t = 2 zeta sqrt(m k_t)`` [-].
        rolling: resistance to rolling; ``None``: without.
        end: ``"zero_force"`` (never attracts) or ``"zero_overlap"``, as of ``LinearDashpot``.
        convention: ``"contact_point"`` or ``"lammps"``, see ``CONVENTIONS``.

    Example:
        >>> contact = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5)
        >>> print(f"k_t = {contact.tangential(1e-5, mass=1e-3, radius=5e-3)[0]:.0f} N/m")
        k_t = 2857 N/m
    """

    stiffness: Real = parameter(
        unit="N/m", label="stiffness", symbol="k", interval="(0, inf)", transform="log"
    )
    restitution: Real = of(QUANTITIES["restitution"])
    coefficient: Real = of(QUANTITIES["coefficient"])
    tangential_stiffness: Real | None = of(QUANTITIES["tangential_stiffness"], default=None)
    zeta: Real = of(QUANTITIES["zeta"], default=0.0)
    rolling: ElasticPlasticRolling | None = None
    end: str = static(default="zero_force")
    convention: str = static(default="contact_point")

    def __post_init__(self) -> None:
        _check("LinearSpringDashpot", self.end, self.convention, self.rolling)

    @property
    def _normal(self) -> LinearDashpot:
        return LinearDashpot(stiffness=self.stiffness, restitution=self.restitution, end=self.end)

    @property
    def _shear_stiffness(self) -> Real:
        given = self.tangential_stiffness
        return 2.0 / 7.0 * self.stiffness if given is None else given

    def damping(self) -> jax.Array:
        return self._normal.zeta

    def normal_force(
        self, overlap: Real, overlap_rate: Real, *, mass: Real, radius: Real, damping: Real
    ) -> jax.Array:
        return self._normal.force(
            overlap, overlap_rate, impact_speed=1.0, mass=mass, constants=damping
        )

    def tangential(self, overlap: Real, *, mass: Real, radius: Real) -> tuple[Real, Real]:
        stiffness = self._shear_stiffness
        return stiffness, critical_fraction(self.zeta, stiffness, mass)

    def normal_energy(self, overlap: Real, *, radius: Real) -> jax.Array:
        return elastic_energy(overlap, stiffness=self.stiffness, exponent=1)

    def of_pair(self, *, radius: Real) -> ContactModel:
        """The same contact for ``simulate``, without ``rolling``."""
        friction = CundallStrack(
            coefficient=self.coefficient,
            tangential_stiffness=self._shear_stiffness,
            zeta=self.zeta,
        )
        return ContactModel(normal=self._normal, friction=friction)

    def time_step(self, *, radius: Real, mass: Real) -> Real:
        """1/50 of the duration ``pi sqrt(m/(2 k))`` of a collision of two such spheres.

        The limit of stability of one sphere on one spring is ``2 sqrt(m/k)``, 45 times this one;
        PFC's rule takes ``sqrt(m/k)`` with the stiffnesses of all contacts of a sphere added.
        """
        return math.pi / 50.0 * jnp.sqrt(mass / (2.0 * self.stiffness))

    def static_overlap(self, load: Real, *, radius: Real) -> jax.Array:
        return self._normal.static_overlap(load)


@model
class HertzMindlin(SphereContact):
    """Elastic spheres of one material: Hertz along the normal, Mindlin's spring without slip along
    the plane, behind Coulomb's slider.

    ``F_n = 4/3 E* sqrt(R*) d^(3/2) + c d^(1/4) d'`` with the damping that gives ``restitution`` at
    every speed (Tsuji, Tanaka and Ishida, Powder Technol. 71 (1992) 239-250), ``k_t = 8 G* sqrt(R*
    d)``. The spring keeps its elongation as the overlap changes (``laws.mindlin_force``). Walls are
    of the same material as the spheres.

    Args:
        zeta: tangential damping, relative to critical: ``c_t = 2 zeta sqrt(m k_t)`` [-].
        rolling: resistance to rolling; ``None``: without.
        end: ``"zero_force"`` (never attracts) or ``"zero_overlap"``, as of ``TsujiDashpot``.
        convention: ``"contact_point"`` or ``"lammps"``, see ``CONVENTIONS``.

    Example:
        >>> glass = jc.HertzMindlin(
        ...     youngs_modulus=5e6, poisson_ratio=0.25, restitution=0.8, coefficient=0.5
        ... )
        >>> step = glass.time_step(radius=5e-3, mass=1.3e-3)
        >>> print(f"{1e6 * step:.0f} us")
        121 us
    """

    youngs_modulus: Real = parameter(
        unit="Pa", label="Young's modulus", symbol="E", interval="(0, inf)", transform="log"
    )
    poisson_ratio: Real = parameter(
        unit="-", label="Poisson's ratio", symbol="nu", interval="(-1, 0.5]", transform="logit"
    )
    restitution: Real = of(QUANTITIES["restitution"])
    coefficient: Real = of(QUANTITIES["coefficient"])
    zeta: Real = of(QUANTITIES["zeta"], default=0.0)
    rolling: ElasticPlasticRolling | None = None
    end: str = static(default="zero_force")
    convention: str = static(default="contact_point")

    def __post_init__(self) -> None:
        _check("HertzMindlin", self.end, self.convention, self.rolling)

    @property
    def _solid(self) -> Solid:
        return Solid(youngs_modulus=self.youngs_modulus, poisson_ratio=self.poisson_ratio)

    def _normal(self, radius: Real) -> TsujiDashpot:
        modulus = effective_modulus(self._solid, self._solid)
        return TsujiDashpot(
            stiffness=4.0 / 3.0 * modulus * jnp.sqrt(radius),
            restitution=self.restitution,
            end=self.end,
        )

    @property
    def _friction(self) -> Mindlin:
        return Mindlin(
            coefficient=self.coefficient,
            effective_shear_modulus=effective_shear_modulus(self._solid, self._solid),
            zeta=self.zeta,
            form="displacement",
        )

    def damping(self) -> jax.Array:
        return self._normal(1.0).alpha

    def normal_force(
        self, overlap: Real, overlap_rate: Real, *, mass: Real, radius: Real, damping: Real
    ) -> jax.Array:
        return self._normal(radius).force(
            overlap, overlap_rate, impact_speed=1.0, mass=mass, constants=damping
        )

    def tangential(self, overlap: Real, *, mass: Real, radius: Real) -> tuple[Real, Real]:
        stiffness = self._friction.stiffness(overlap, radius)
        return stiffness, critical_fraction(self.zeta, stiffness, mass)

    def normal_energy(self, overlap: Real, *, radius: Real) -> jax.Array:
        return elastic_energy(overlap, stiffness=self._normal(radius).stiffness, exponent=1.5)

    def of_pair(self, *, radius: Real) -> ContactModel:
        """The same contact for ``simulate``, without ``rolling``."""
        return ContactModel(normal=self._normal(radius), friction=self._friction)

    def time_step(self, *, radius: Real, mass: Real) -> Real:
        """A fifth of the time ``pi R sqrt(rho/G)/(0.1631 nu + 0.8766)`` of a Rayleigh wave around a
        sphere.

        Source: Li, Xu and Thornton, Powder Technol. 160 (2005) 219-228.
        """
        density = mass / (4.0 / 3.0 * math.pi * radius**3)
        wave = jnp.sqrt(density / self._solid.shear_modulus)
        return 0.2 * math.pi * radius * wave / (0.1631 * self.poisson_ratio + 0.8766)

    def static_overlap(self, load: Real, *, radius: Real) -> jax.Array:
        return self._normal(radius).static_overlap(load)
