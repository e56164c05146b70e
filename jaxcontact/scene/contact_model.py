"""How two surfaces touch: the normal law and the friction law of a contact."""

from typing import Any

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
            ``AdhesivePlastic``, ``JohnsonKendallRoberts``; see ``laws.hysteresis``) run branch by
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

    normal: Any
    friction: Any = NoFriction()
    rolling: Any = None
    spinning: Any = None
