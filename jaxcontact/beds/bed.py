"""A bed: spheres, walls, the models of their contacts, gravity."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.contact_models import BedContact, BedPairContact, SphereContact
from jaxcontact.beds.periods import Period, Repetition
from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory, SlipFriction
from jaxcontact.laws.core.normal_interfaces import CompliantLaw
from jaxcontact.laws.core.pair_contact import PairContact, is_of_size
from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import (
    Replaceable,
    check,
    declared_parameters,
    is_concrete,
    model,
    parameter,
    quantity,
)
from jaxcontact.scene.bodies import Spheres
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.surfaces.base import Surface

LENGTH_OF_PERIOD = quantity(
    unit="m",
    label="length after which a bed repeats itself",
    symbol="L",
    interval="(0, inf)",
    transform="log",
    remedy="Give None where nothing repeats.",
)
RATE_OF_PERIOD = quantity(
    unit="m/s", label="growth of the length after which a bed repeats itself", symbol="L'"
)
SHIFT = quantity(unit="m", label="way of the repetition above towards x", symbol="s")
RATE_OF_SHIFT = quantity(unit="m/s", label="speed of the repetition above towards x", symbol="s'")


@model
class Bed(Replaceable):
    """Many spheres between walls.

    Args:
        spheres: from ``spheres``: radius and mass or density, one for all or one for each.
        contact: of two spheres: ``LinearSpringDashpot`` or ``HertzMindlin``, which cost least; a
            ``ContactModel`` of laws with forces, whose numbers hold for every pair; a
            ``BedContact``, whose laws depend on the size of the spheres; a ``PairContact`` of
            another program (``jaxcontact.systems``) between spheres that are all alike; or a
            ``BedPairContact``, which gives one for each pair. Of spheres of several
            kinds a table, row by row as far as the diagonal: ``((of_0_0,), (of_1_0, of_1_1))``.
            All are of the same laws, with other numbers.
        walls: surfaces; with a ``PrescribedMotion`` they move. Planes cost least.
        contact_on_walls: of a sphere and a wall: one for all walls, or one for each, or for each
            one for each kind; ``None``: as of two spheres of its kind. A ``PairContact`` of another
            program is one of a sphere and a plane.
        kind: number of the kind of each sphere, from 0 on; ``None``: all are of one.
        period: lengths in x, y and z after which the bed repeats itself, walls and all [m];
            ``None`` where it does not. At least three times the largest diameter and the reach of
            the lists beyond it (``BedSizes.skin``).
        period_rate: how fast these lengths grow, from ``period`` at time 0 on [m/s]; ``None`` where
            they stay. Spheres keep their velocities, and meet repetitions that move. Not with
            walls, which do not stretch.
        period_shift: how far the repetition above, in z, lies towards x at time 0 [m]; ``None``:
            straight above. Not with walls.
        period_shift_rate: how fast it moves that way [m/s]; ``None``: not at all. Divided by the
            period in z it is the rate of a simple shear.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.006), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 0.1])
        >>> result
        <BedTrajectory: 2 times, 2 spheres, SUCCESS>
    """

    spheres: Spheres
    contact: Any
    walls: tuple[Surface, ...] = ()
    contact_on_walls: Any = None
    kind: Any = None
    period: Period = (None, None, None)
    period_rate: Period = (None, None, None)
    period_shift: Real | None = None
    period_shift_rate: Real | None = None
    gravity: Vector = parameter(
        unit="m/s^2",
        label="acceleration of gravity",
        symbol="g",
        shape=(3,),
        default=(0.0, 0.0, -9.81),
    )

    def __post_init__(self) -> None:
        _check_parts(self)
        if type(self.contact) is object:  # while a tree is taken apart or put together
            return
        _check_all_contacts(self)
        _check_periods(self)

    @property
    def kinds(self) -> int:
        """How many kinds of spheres ``contact`` tells apart."""
        return len(self.contact) if isinstance(self.contact, (tuple, list)) else 1

    @property
    def between(self) -> tuple[Any, ...]:
        """Contacts of two spheres, of kinds ``i >= j`` at ``i (i + 1)/2 + j``."""
        if not isinstance(self.contact, (tuple, list)):
            return (self.contact,)
        if not self.contact:
            raise ValueError(
                "Bed: contact is an empty table. Give the contact of two spheres, or "
                "((of_0_0,), (of_1_0, of_1_1)) of two kinds of them."
            )
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in self.contact]
        for index, row in enumerate(rows):
            if len(row) != index + 1:
                raise ValueError(
                    f"Bed: contact[{index}] holds {len(row)} contacts, but must hold {index + 1}: "
                    f"those of kind {index} with the kinds 0 to {index}, such as "
                    "((of_0_0,), (of_1_0, of_1_1))."
                )
        return tuple(contact for row in rows for contact in row)

    @property
    def at_walls(self) -> tuple[Any, ...]:
        """Contacts of a sphere with a wall, of wall ``w`` and kind ``k`` at ``w kinds + k``; one
        where all are alike.
        """
        given, kinds = self.contact_on_walls, self.kinds
        if given is None:
            own = tuple(self.between[kind * (kind + 3) // 2] for kind in range(kinds))
            return own if kinds == 1 else own * len(self.walls)
        if not isinstance(given, (tuple, list)):
            return (given,)
        if len(given) != len(self.walls):
            raise ValueError(
                f"Bed: contact_on_walls holds {len(given)} contacts, but there are "
                f"{len(self.walls)} walls. Give one for each, or one for all without brackets."
            )
        rows = [row if isinstance(row, (tuple, list)) else (row,) * kinds for row in given]
        for index, row in enumerate(rows):
            if len(row) != kinds:
                raise ValueError(
                    f"Bed: contact_on_walls[{index}] holds {len(row)} contacts, but there are "
                    f"{kinds} kinds of spheres. Give one for each, or one for all without brackets."
                )
        return tuple(contact for row in rows for contact in row)

    @property
    def gravity_vector(self) -> jax.Array:
        """``(3,)`` [m/s^2]."""
        return jnp.asarray(self.gravity, dtype=float)


def repetition_of(bed: Bed) -> Repetition:
    """Periods at time 0."""
    shift = bed.period_shift
    if shift is None and bed.period_shift_rate is not None:
        shift = 0.0
    return Repetition(bed.period, bed.period_rate, shift, bed.period_shift_rate)


def _check_parts(bed: Bed) -> None:
    """Spheres and walls are what they are called."""
    if not isinstance(bed.spheres, Spheres) and type(bed.spheres) is not object:
        raise TypeError(
            f"Bed: spheres = {bed.spheres!r} is no Spheres. Make them with "
            "spheres(radius=..., density=...)."
        )
    if not isinstance(bed.walls, (tuple, list)) and type(bed.walls) is not object:
        raise TypeError(
            f"Bed: walls = {bed.walls!r} is no tuple of surfaces. One wall is (wall,), with a "
            "comma."
        )
    for index, wall in enumerate(bed.walls):
        if not isinstance(wall, Surface) and type(wall) is not object:
            raise TypeError(
                f"Bed: walls[{index}] = {wall!r} is no surface, such as Plane or Cylinder."
            )


def _check_all_contacts(bed: Bed) -> None:
    """Contacts are such as a bed has, and of as many kinds and walls as there are."""
    between = bed.between
    _check_contacts("contact", between)
    if bed.kind is None and len(between) > 1:
        raise ValueError(
            f"Bed: contact is a table of {bed.kinds} kinds of spheres, but kind is None. Give "
            "the number of the kind of each sphere, from 0 on."
        )
    if bed.contact_on_walls is not None:
        _check_contacts("contact_on_walls", bed.at_walls, at_walls=True)
    elif bed.walls:
        for contact in bed.between:
            _check_at_walls("contact", contact)


def _check_periods(bed: Bed) -> None:
    """Periods, and how they change, fit each other and the walls."""
    for name, lengths, about in (
        ("period", bed.period, LENGTH_OF_PERIOD),
        ("period_rate", bed.period_rate, RATE_OF_PERIOD),
    ):
        if type(lengths) is object:
            return
        if not isinstance(lengths, (tuple, list)) or len(lengths) != 3:
            raise TypeError(
                f"Bed: {name} = {lengths!r} is no three numbers. Give one for each of x, y and "
                "z, None where there is none: (0.1, 0.1, None)."
            )
        for axis, length in zip("xyz", lengths, strict=True):
            if length is not None:
                check("Bed", f"{name} in {axis}", length, about)
    for axis, length, rate in zip("xyz", bed.period, bed.period_rate, strict=True):
        if length is None and rate is not None:
            raise ValueError(
                f"Bed: period_rate in {axis} = {rate!r} m/s, but period in {axis} is None. "
                "Give the length, too, or no rate."
            )
    if bed.walls and any(rate is not None for rate in bed.period_rate):
        raise ValueError(
            f"Bed: period_rate = {bed.period_rate!r} m/s is given together with walls. A wall "
            "would have to stretch with the bed: where spheres rub on it they would find it "
            "in another motion one period further on. Leave out either."
        )
    for name, value, about in (
        ("period_shift", bed.period_shift, SHIFT),
        ("period_shift_rate", bed.period_shift_rate, RATE_OF_SHIFT),
    ):
        if value is None:
            continue
        check("Bed", name, value, about)
        if bed.period[0] is None or bed.period[2] is None:
            raise ValueError(
                f"Bed: {name} = {value!r} is given, but period = {bed.period!r}. Repetitions "
                "in z that slide along x need a period in both: (0.1, None, 0.1)."
            )
        if bed.walls:
            raise ValueError(
                f"Bed: {name} = {value!r} is given together with walls, which would have to "
                "slide with the bed. Leave out either; walls that move shear a bed, too."
            )


def _check_at_walls(name: str, contact: object) -> None:
    """Raises where a contact of another program is of no sphere and a plane."""
    if isinstance(contact, BedPairContact):
        _check_of_wall(f"{name}.of_wall", contact)
    elif isinstance(contact, PairContact):
        contact.check()
        if contact.encloses or contact.radii()[1] is not None:
            how = contact.on_a_plane or "a LinearSpringDashpot, HertzMindlin or ContactModel"
            raise ValueError(
                f"Bed: {name}, a {type(contact).__name__}, is between two spheres; walls are none. "
                f"Give contact_on_walls={how}."
            )


def _check_contacts(name: str, contacts: Sequence[Any], *, at_walls: bool = False) -> None:
    kinds: list[Any] = [jax.tree.structure(contact) for contact in contacts]
    for contact, kind in zip(contacts, kinds, strict=True):
        if not isinstance(contact, (BedContact, ContactModel, PairContact, BedPairContact)):
            raise TypeError(
                f"Bed: {name} = {contact!r} is no contact of a bed. Give a LinearSpringDashpot, "
                "HertzMindlin, ContactModel, PairContact, or a class of yours that inherits from "
                "BedContact or BedPairContact."
            )
        if at_walls:
            _check_at_walls(name, contact)
        elif isinstance(contact, PairContact):
            _check_pair_contact(name, contact)
        elif isinstance(contact, BedPairContact):
            _check_of_spheres(f"{name}.of_spheres", contact)
        if isinstance(contact, ContactModel):
            _check_laws(name, contact)
        elif isinstance(contact, BedContact) and not isinstance(contact, SphereContact):
            _check_laws(f"{name}.of_pair(radius=...)", _laws_of(name, contact))
        if kind != kinds[0]:
            raise ValueError(
                f"Bed: {name} holds {contact!r} beside {contacts[0]!r}. All must be of the same "
                "laws; only their numbers may differ."
            )


def _laws_of(name: str, contact: BedContact) -> ContactModel:
    """The laws of some pair, without their numbers."""
    radius = jax.ShapeDtypeStruct((), jnp.result_type(float))
    laws: Any = jax.eval_shape(lambda contact, r: contact.of_pair(radius=r), contact, radius)
    if not isinstance(laws, ContactModel):
        raise TypeError(
            f"Bed: {name}.of_pair(radius=...) of {type(contact).__name__} gives a "
            f"{type(laws).__name__}, which is no ContactModel. Return "
            "ContactModel(normal=..., friction=...)."
        )
    return laws


def _check_laws(name: str, contact: ContactModel) -> None:
    if not isinstance(contact.normal, CompliantLaw):
        raise TypeError(
            f"Bed: {name}.normal = {contact.normal!r} has no force, and a bed is integrated from "
            "forces. Give a law with a stiffness, such as HuntCrossley or AdhesivePlastic."
        )
    if not isinstance(contact.friction, (SlipFriction, FrictionWithMemory)):
        raise TypeError(
            f"Bed: {name}.friction = {contact.friction!r} is an impulse without a force. Give a "
            "spring with memory, CundallStrack or Mindlin, or RegularizedCoulomb."
        )


def _check_pair_contact(name: str, contact: PairContact) -> None:
    contact.check()
    if contact.encloses or any(radius is None for radius in contact.radii()):
        raise ValueError(
            f"Bed: {name}, a {type(contact).__name__}, is of a sphere and something that is no "
            "full sphere. In a bed it must be of two: give both radii, and none that is hollow."
        )


PROBES = (((3e-3, 5e-3), (1e-3, 2e-3)), ((5e-3, 3e-3), (2e-3, 1e-3)))
"""Radii [m] and masses [kg] of pairs for which a contact is asked."""


def _check_of_spheres(name: str, contact: BedPairContact) -> None:
    """Raises where what is given for a pair is no contact of that pair."""
    radius, mass = PROBES[0]
    _check_answer(name, contact, lambda c, r, m: c.of_spheres(radius=r, mass=m), radius, mass)
    if not is_concrete(tuple(jax.tree.leaves(contact))):
        return
    for radius, mass in PROBES:
        with jax.ensure_compile_time_eval():
            one = contact.of_spheres(radius=radius, mass=mass)
        _check_pair_contact(name, one)
        _check_sizes_of(name, contact, one, radius, mass)


def _check_of_wall(name: str, contact: BedPairContact) -> None:
    """Raises where what is given for a sphere at a wall is no contact of that sphere."""
    (radius, _), (mass, _) = PROBES[0]
    _check_answer(name, contact, lambda c, r, m: c.of_wall(radius=r, mass=m), radius, mass)
    if not is_concrete(tuple(jax.tree.leaves(contact))):
        return
    for (radius, _), (mass, _) in PROBES:
        with jax.ensure_compile_time_eval():
            one = contact.of_wall(radius=radius, mass=mass)
        _check_at_walls(name, one)
        _check_sizes_of(name, contact, one, (radius,), (mass,))


def _check_answer(
    name: str,
    contact: BedPairContact,
    answer: Callable[..., PairContact],
    *sizes: float | tuple[float, float],
) -> None:
    """Raises where the answer for some sizes is no ``PairContact``, or hangs on their values."""
    found: Any
    try:
        found = jax.eval_shape(answer, contact, *sizes)
    except jax.errors.ConcretizationTypeError as error:
        raise TypeError(
            f"Bed: {name} of {type(contact).__name__} asks for the value of a number, as in if or "
            "float(). Sizes are traced there: choose with jax.numpy.where."
        ) from error
    if not isinstance(found, PairContact):
        raise TypeError(
            f"Bed: {name} of {type(contact).__name__} gives a {type(found).__name__}, which is no "
            "PairContact. Return one, such as jaxcontact.systems.pfc.Contact(...)."
        )


def _check_sizes_of(
    name: str,
    contact: BedPairContact,
    one: PairContact,
    radius: tuple[float, ...],
    mass: tuple[float, ...],
) -> None:
    """Raises where a contact states other sizes than it was asked for."""
    for called, stated, given in (("radii", one.radii(), radius), ("masses", one.masses(), mass)):
        for own, wanted in zip(stated, given, strict=False):  # a wall has neither
            if own is not None and not is_of_size(own, wanted):
                raise ValueError(
                    f"Bed: {name}(radius={radius}, mass={mass}) of {type(contact).__name__} is "
                    f"of {called} {tuple(float(x) for x in stated if x is not None)}. Give the "
                    "contact the radii and masses that it is asked for, in their order."
                )


def _check_sizes(bed: Bed) -> None:
    """Raises where a contact is of other spheres than the bed has."""
    of_pairs = [("contact", contact, 2) for contact in bed.between]
    of_walls = [("contact_on_walls", contact, 1) for contact in bed.at_walls] if bed.walls else []
    for name, contact, spheres in of_pairs + of_walls:
        if not isinstance(contact, PairContact):
            continue
        for called, unit, stated, given in (
            ("radius", "m", contact.radii(), bed.spheres.radius),
            ("mass", "kg", contact.masses(), bed.spheres.mass),
        ):
            for own in stated[:spheres]:
                if own is None or not is_concrete((own, given)):
                    continue
                least, most = float(np.min(given)), float(np.max(given))
                if not (is_of_size(own, least) and is_of_size(own, most)):
                    raise ValueError(
                        f"simulate_bed: bed.{name}, a {type(contact).__name__}, is of spheres of "
                        f"the {called} {float(own):g} {unit}, but those of the bed have "
                        f"{least:g} to {most:g} {unit}. Give the same, or a "
                        "BedPairContact, which follows the sizes of each pair."
                    )


def check_count(name: str, spheres: Spheres, count: int, owner: str) -> None:
    """Raises where ``spheres``, called ``name``, are neither alike nor as many as ``owner`` has."""
    values = (spheres.radius, spheres.mass, spheres.inertia_ratio)
    for field, value in zip(("radius", "mass", "inertia_ratio"), values, strict=True):
        given = np.size(value) if is_concrete(value) else jnp.size(jnp.asarray(value))
        if given not in (1, count):
            raise ValueError(f"{name}.{field} has {given} values, but {owner} has {count} spheres.")


def check_bed(bed: Bed, bodies: int) -> None:
    """Raises where the spheres of a bed are not as many as those of the initial state, or where
    something that is one for all is given for each.
    """
    check_count("simulate_bed: bed.spheres", bed.spheres, bodies, "the initial state")
    if np.shape(bed.gravity) != (3,):
        raise ValueError(
            f"simulate_bed: bed.gravity has shape {np.shape(bed.gravity)}, but must be (3,): one "
            "for all spheres."
        )
    for name, contacts in (("contact", bed.between), ("contact_on_walls", bed.at_walls)):
        for path, value, about in declared_parameters(contacts):
            if np.ndim(value) != len(about.shape or ()):
                raise ValueError(
                    f"simulate_bed: bed.{name}: {path.partition('.')[2]} has shape "
                    f"{np.shape(value)}, but a contact has one number. For spheres that differ "
                    "give kind and a table of contacts, or a BedContact, whose laws depend on the "
                    "size."
                )
    _check_sizes(bed)
    if bed.kind is not None:
        check_kind("simulate_bed: bed.kind", bed.kind, bodies, bed.kinds)


def check_kind(name: str, kind: Any, spheres: int, kinds: int) -> None:
    """Raises where ``kind``, called ``name``, is no number of one of so many kinds for each
    sphere.
    """
    if np.shape(kind) != (spheres,):
        raise ValueError(
            f"{name} has shape {np.shape(kind)}, but there are {spheres} spheres. Give a number "
            "for each."
        )
    if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(kind)):
        return
    numbers = np.asarray(kind)
    if numbers.dtype.kind not in "iu":
        raise TypeError(
            f"{name} holds {numbers.dtype}, but must hold whole numbers from 0 to {kinds - 1}, a "
            "row of the table bed.contact each."
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= kinds):
        raise ValueError(
            f"{name} goes from {numbers.min()} to {numbers.max()}, but must be whole numbers from "
            f"0 to {kinds - 1}, a row of the table bed.contact each."
        )
