"""How two surfaces touch: the normal law and the friction law of a contact."""

from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.friction_interfaces import (
    FrictionLaw,
    FrictionWithMemory,
    ImpulseFriction,
    SlipFriction,
)
from jaxcontact.laws.core.normal_interfaces import CompliantLaw, NormalLaw
from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.laws.core.rotation_interfaces import (
    RollingFlow,
    RollingLaw,
    RollingWithMemory,
    SpinningLaw,
)
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.parameters import Replaceable, model


@model
class ContactModel(Replaceable):
    """Laws of a contact, composed.

    Args:
        normal: a law of ``NORMAL_LAWS``. ``HuntCrossley``, ``PowerLawHuntCrossley``,
            ``LinearDashpot`` and ``TsujiDashpot`` are integrated in coordinates of their own;
            ``KuwabaraKono``, ``HertzDashpot`` and what ``normal_law`` makes of a force in
            coordinates found from the force, as accurate (1e-8 of the impact speed) where the force
            is smooth. Laws with a memory (``WaltonBraun``, ``ThorntonPlastic``,
            ``AdhesivePlastic``, ``JohnsonKendallRoberts``; see ``laws.BranchedLaw``) run branch by
            branch, each switch an event. ``NewtonRestitution`` and the restitutions that depend on
            the speed (``ViscoelasticRestitution``, ``PowerLawRestitution`` ...) have no force and
            are for the rigid-impulse method only.
        friction: ``RegularizedCoulomb`` or ``NoFriction`` (``Coulomb`` for the rigid-impulse method
            only), or a spring with memory (``CundallStrack``, ``Mindlin``), which holds a load
            without creep.
        rolling: ``RollingResistance``, ``RollingSpring`` (with a memory; holds a body on a slope),
            or ``None``.
        spinning: ``SpinningFriction`` or ``None``.

    Example:
        >>> contact = jc.ContactModel(
        ...     normal=jc.HuntCrossley(stiffness=4e7, restitution=0.9),
        ...     friction=jc.RegularizedCoulomb(coefficient=0.25),
        ... )
        >>> contact.replace(normal=contact.normal.replace(restitution=0.8)).normal.restitution
        0.8
    """

    normal: NormalLaw
    friction: FrictionLaw = NoFriction()
    rolling: RollingLaw | None = None
    spinning: SpinningLaw | None = None

    def __post_init__(self) -> None:
        interfaces: dict[str, type] = {
            "normal": NormalLaw,
            "friction": FrictionLaw,
            "rolling": RollingLaw,
            "spinning": SpinningLaw,
        }
        laws = (self.normal, self.friction, self.rolling, self.spinning)
        for (name, interface), law in zip(interfaces.items(), laws, strict=True):
            absent = law is None and name in ("rolling", "spinning")
            if not (absent or isinstance(law, interface)):
                remedy = (
                    "It brings friction and memory itself: give it to the scene, "
                    f"jc.Scene(contact={type(law).__name__}(...))."
                    if isinstance(law, PairContact)
                    else "Give a law of jaxcontact, or let your class inherit from one of the "
                    "interfaces in jaxcontact.laws."
                )
                raise TypeError(
                    f"ContactModel: {name} = {law!r} is not a {interface.__name__}. {remedy}"
                )

    # The engines have chosen their way by the interface of each law; these say which one they rely
    # on, to a reader and to a type checker.

    @property
    def compliant(self) -> CompliantLaw:
        """The normal law, which has a force."""
        if not isinstance(self.normal, CompliantLaw):
            raise _wrong_kind("normal", self.normal, CompliantLaw)
        return self.normal

    @property
    def branched(self) -> BranchedLaw:
        """The normal law, which has hysteresis."""
        if not isinstance(self.normal, BranchedLaw):
            raise _wrong_kind("normal", self.normal, BranchedLaw)
        return self.normal

    @property
    def impulse_friction(self) -> ImpulseFriction:
        """The friction law, which gives the slip after an impulse."""
        if not isinstance(self.friction, ImpulseFriction):
            raise _wrong_kind("friction", self.friction, ImpulseFriction)
        return self.friction

    @property
    def slip_friction(self) -> SlipFriction:
        """The friction law, whose force depends on the slip."""
        if not isinstance(self.friction, SlipFriction):
            raise _wrong_kind("friction", self.friction, SlipFriction)
        return self.friction

    @property
    def friction_with_memory(self) -> FrictionWithMemory:
        """The friction law, which remembers."""
        if not isinstance(self.friction, FrictionWithMemory):
            raise _wrong_kind("friction", self.friction, FrictionWithMemory)
        return self.friction

    @property
    def rolling_flow(self) -> RollingFlow:
        """The rolling law, whose torque depends on the rotation rate."""
        if not isinstance(self.rolling, RollingFlow):
            raise _wrong_kind("rolling", self.rolling, RollingFlow)
        return self.rolling

    @property
    def rolling_with_memory(self) -> RollingWithMemory:
        """The rolling law, which remembers."""
        if not isinstance(self.rolling, RollingWithMemory):
            raise _wrong_kind("rolling", self.rolling, RollingWithMemory)
        return self.rolling


def _wrong_kind(name: str, law: object, kind: type) -> TypeError:
    return TypeError(
        f"ContactModel: {name} = {type(law).__name__}(...) is not a {kind.__name__}, which is "
        "needed here."
    )
