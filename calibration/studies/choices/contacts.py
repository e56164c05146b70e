"""The contacts of other programs that a study of two bodies can name, with their own parameters. A
new one is an entry here, or in a module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc
    from jaxcontact.laws.core.pair_contact import PairContact
    from jaxcontact.systems import comsol, edem, exudyn, modia3d, pfc


class TwoSpheres(NamedTuple):
    """The bodies of a study, as a contact between them needs them.

    Attributes:
        radius1: of the first one [m].
        mass1: of the first one [kg].
        radius2: of the second one [m].
        mass2: of the second one [kg].

    Example:
        >>> import calibration as cal
        >>> two = cal.studies.TwoSpheres(radius1=0.02, mass1=0.05, radius2=0.03, mass2=0.12)
        >>> two.mass2
        0.12
    """

    radius1: float
    mass1: float
    radius2: float
    mass2: float


@dataclasses.dataclass(frozen=True)
class ContactChoice:
    """A contact between two spheres as a study names it.

    Its parameters are named as in the contact: ``"kn"``, or with as much of what stands before it
    as makes it unique, ``"solid1.youngs_modulus"``.

    Attributes:
        name: in study files and on the command line.
        make: the contact between two spheres, with every part that it can have and any admissible
            values.
        required: dotted paths of the parameters whose values a study must give.
        bodies: dotted paths of what follows from the bodies, and is not for the study to give.
        optional: parts that are left out of the contact, unless the study gives a parameter of
            theirs.

    Example:
        >>> import calibration as cal
        >>> from jaxcontact.systems import exudyn
        >>> soft = cal.studies.ContactChoice(
        ...     name="soft balls",
        ...     make=lambda two: exudyn.ObjectContactSphereSphere(
        ...         spheresRadii=(two.radius1, two.radius2), contactStiffness=1e3
        ...     ),
        ...     bodies=("spheresRadii",),
        ... )
        >>> soft.make(cal.studies.TwoSpheres(0.1, 1.0, 0.1, 1.0)).contactStiffness
        1000.0
    """

    name: str
    make: "Callable[[TwoSpheres], PairContact]"
    required: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


CONTACTS: Registry[ContactChoice] = Registry(ContactChoice, "contact")
"""By name; study files choose one with ``model`` below ``[contact]``.

Example:
    >>> import calibration as cal
    >>> "pfc.Hertz" in cal.studies.CONTACTS
    True
"""

SMOOTH = "smooth"
"""The part of a contact that makes it smooth; without it the documented form holds."""

_SMOOTH_REQUIRED = tuple(f"{SMOOTH}.{name}" for name in ("overlap", "speed", "share"))

# What follows imports JAX, for which help texts do not wait.


def _smooth() -> "jc.Smoothing":
    import jaxcontact as jc

    return jc.Smoothing(overlap=1.0, speed=1.0, share=0.5)


def _exudyn(two: TwoSpheres) -> "exudyn.ObjectContactSphereSphere":
    from jaxcontact.systems import exudyn

    return exudyn.ObjectContactSphereSphere(
        spheresRadii=(two.radius1, two.radius2), contactStiffness=1.0, smooth=_smooth()
    )


CONTACTS.register(
    ContactChoice(
        "exudyn.ObjectContactSphereSphere",
        _exudyn,
        required=("contactStiffness", *_SMOOTH_REQUIRED),
        optional=(SMOOTH,),
        bodies=("spheresRadii", "isHollowSphere1", "activeConnector", "compatibility"),
    )
)


def _pfc(
    two: TwoSpheres, model: "pfc.Linear | pfc.Hertz | pfc.RollingResistanceLinear"
) -> "pfc.Contact":
    from jaxcontact.systems import pfc

    return pfc.Contact(
        model=model,
        radius1=two.radius1,
        mass1=two.mass1,
        radius2=two.radius2,
        mass2=two.mass2,
        smooth=_smooth(),
    )


def _pfc_linear(two: TwoSpheres) -> "pfc.Contact":
    from jaxcontact.systems import pfc

    return _pfc(two, pfc.Linear(kn=1.0))


def _pfc_hertz(two: TwoSpheres) -> "pfc.Contact":
    from jaxcontact.systems import pfc

    return _pfc(two, pfc.Hertz(hz_shear=1.0, hz_poiss=0.3))


def _pfc_rolling(two: TwoSpheres) -> "pfc.Contact":
    from jaxcontact.systems import pfc

    return _pfc(two, pfc.RollingResistanceLinear(linear=pfc.Linear(kn=1.0)))


_PFC_BODIES = ("radius1", "mass1", "radius2", "mass2")
CONTACTS.register(
    ContactChoice(
        "pfc.Linear",
        _pfc_linear,
        required=("model.kn", *_SMOOTH_REQUIRED),
        optional=(SMOOTH,),
        bodies=(*_PFC_BODIES, "model.slider"),
    )
)
CONTACTS.register(
    ContactChoice(
        "pfc.Hertz",
        _pfc_hertz,
        required=("model.hz_shear", "model.hz_poiss", *_SMOOTH_REQUIRED),
        optional=(SMOOTH,),
        bodies=(*_PFC_BODIES, "model.slider"),
    )
)
CONTACTS.register(
    ContactChoice(
        "pfc.RollingResistanceLinear",
        _pfc_rolling,
        required=("model.linear.kn", *_SMOOTH_REQUIRED),
        optional=(SMOOTH,),
        bodies=(*_PFC_BODIES, "model.linear.slider"),
    )
)


def _comsol(two: TwoSpheres) -> "comsol.SphericalContact":
    from jaxcontact.systems import comsol

    return comsol.SphericalContact(
        r_s=two.radius1,
        r_d=two.radius2,
        contact=comsol.RigidBodyContact(k_pen=1.0),
        friction=comsol.Friction(mu=0.0, v0=1.0),
        smooth=_smooth(),
    )


CONTACTS.register(
    ContactChoice(
        "comsol.SphericalContact",
        _comsol,
        required=("contact.k_pen", "friction.mu", "friction.v0", *_SMOOTH_REQUIRED),
        bodies=("r_s", "r_d", "inside", "friction.regularization"),
        optional=("friction", SMOOTH),
    )
)


def _edem_particles(two: TwoSpheres) -> "tuple[edem.Particle, edem.Particle]":
    from jaxcontact.systems import edem

    return (
        edem.Particle(radius=two.radius1, mass=two.mass1),
        edem.Particle(radius=two.radius2, mass=two.mass2),
    )


def _edem_hertz(two: TwoSpheres) -> "edem.Contact":
    from jaxcontact.materials import Solid
    from jaxcontact.systems import edem

    solid = Solid(youngs_modulus=1.0, poisson_ratio=0.3)
    first, second = _edem_particles(two)
    base = edem.HertzMindlin(
        solid1=solid, solid2=solid, coefficient_of_restitution=0.5, static_friction=0.0
    )
    return edem.Contact(
        particle1=first,
        particle2=second,
        base=base,
        spinning=edem.SpinningFriction(mu=0.0),
        smooth=_smooth(),
    )


def _edem_linear(two: TwoSpheres) -> "edem.Contact":
    from jaxcontact.materials import Solid
    from jaxcontact.systems import edem

    solid = Solid(youngs_modulus=1.0, poisson_ratio=0.3)
    first, second = _edem_particles(two)
    base = edem.LinearSpring(
        solid1=solid,
        solid2=solid,
        characteristic_velocity=1.0,
        coefficient_of_restitution=0.5,
        static_friction=0.0,
    )
    return edem.Contact(
        particle1=first,
        particle2=second,
        base=base,
        spinning=edem.SpinningFriction(mu=0.0),
        smooth=_smooth(),
    )


_EDEM_BODIES = (
    *(f"particle{body}.{name}" for body in (1, 2) for name in ("radius", "mass", "inertia")),
    "spinning.regularization",
)
_EDEM_REQUIRED = (
    *(
        f"base.solid{body}.{name}"
        for body in (1, 2)
        for name in ("youngs_modulus", "poisson_ratio")
    ),
    "base.coefficient_of_restitution",
    "base.static_friction",
    "spinning.mu",
    *_SMOOTH_REQUIRED,
)
CONTACTS.register(
    ContactChoice(
        "edem.HertzMindlin",
        _edem_hertz,
        required=_EDEM_REQUIRED,
        bodies=_EDEM_BODIES,
        optional=("spinning", SMOOTH),
    )
)
CONTACTS.register(
    ContactChoice(
        "edem.LinearSpring",
        _edem_linear,
        required=(*_EDEM_REQUIRED, "base.characteristic_velocity"),
        bodies=_EDEM_BODIES,
        optional=("spinning", SMOOTH),
    )
)


def _modia3d(two: TwoSpheres) -> "modia3d.ElasticContact":
    from jaxcontact.systems import modia3d

    first, second = (
        modia3d.Solid(shape=modia3d.Sphere(diameter=2 * radius), solidMaterial="Steel")
        for radius in (two.radius1, two.radius2)
    )
    return dataclasses.replace(modia3d.elastic_contact(first, second), smooth=_smooth())


CONTACTS.register(
    ContactChoice(
        "modia3d.ElasticContact",
        _modia3d,
        required=(
            *(
                f"solidMaterial{body}.{name}"
                for body in (1, 2)
                for name in ("YoungsModulus", "PoissonsRatio")
            ),
            "pairMaterial.coefficientOfRestitution",
            "pairMaterial.slidingFrictionCoefficient",
            "pairMaterial.rotationalResistanceCoefficient",
            *_SMOOTH_REQUIRED,
        ),
        optional=(SMOOTH,),
        bodies=tuple(
            f"solid{body}.{name}"
            for body in (1, 2)
            for name in (
                "shape.diameter",
                "solidMaterial",
                "contactMaterial",
                "contactSphereRadius",
            )
        ),
    )
)
