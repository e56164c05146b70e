"""Where a derivative first stops being a number: law, pair and time."""

import dataclasses
from typing import Any

import jax
import numpy as np

from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.sensitivity.differentiated import DifferentiatedSimulation, derivatives, motion
from jaxcontact.simulation.simulate import Contacts

BESIDE = 1e-9
"""How far before and after a contact the motion is looked at, in units of the whole time."""

BETWEEN = "the motion between contacts"
"""In place of a law: gravity, fluid, or rest."""


@dataclasses.dataclass(frozen=True)
class NonFinite:
    """The first derivative that is NaN or infinite.

    Attributes:
        mode: ``"forward"`` or ``"reverse"``.
        parameters: names of the parameters by which it is taken.
        time: the end of the contact or flight in which it arises [s].
        law: the law, by class, e.g. ``"HuntCrossley"``; ``BETWEEN`` where nothing touches.
        pair: what touches, in words; empty where nothing does.
        contact: number of the contact from 0, or of the one before; -1 before the first.
    """

    mode: str
    parameters: tuple[str, ...]
    time: float
    law: str
    pair: str
    contact: int

    def __str__(self) -> str:
        first, more = self.parameters[0], len(self.parameters) - 1
        others = f" and {more} other parameter{'s' if more > 1 else ''}" if more else ""
        where = f" between {self.pair}" if self.pair else ""
        return (
            f"{self.mode} mode: the derivative by {first}{others} is first not finite at "
            f"{self.time:.6g} "
            f"s, in {self.law}{where}."
        )


def pair_in_words(simulation: DifferentiatedSimulation, contacts: Contacts, index: int) -> str:
    """Who touches in contact ``index``."""
    body, partner, surface = (
        int(column[index]) for column in (contacts.body, contacts.partner, contacts.surface)
    )
    if partner >= 0:
        return f"body {body} and body {partner}"
    return (
        f"body {body} and surface {surface} ({type(simulation.scene.surfaces[surface]).__name__})"
    )


def _culprit(scene: Any, names: tuple[str, ...], normal_motion: bool) -> str:
    """The law in which a contact's derivative broke; ``normal_motion``: whether the motion along
    the normal is affected.
    """
    if isinstance(scene.contact, PairContact):
        return type(scene.contact).__name__
    normal, friction = type(scene.contact.normal).__name__, type(scene.contact.friction).__name__
    if all(name.startswith("contact.friction") for name in names) or not normal_motion:
        return friction
    return normal


def first_non_finite(
    simulation: DifferentiatedSimulation, contacts: Contacts | None, mode: str
) -> NonFinite | None:
    """Look at the motion right before and after each contact and at the last time; ``None`` if all
    derivatives there are finite.
    """
    start, end = simulation.times[0], simulation.times[-1]
    beside = BESIDE * (end - start)
    begins = ends = used = np.zeros(0, dtype=bool)
    if contacts is not None:
        used = np.asarray(contacts.happened) & (np.asarray(contacts.touch_down) < end)
        contacts = jax.tree.map(lambda column: np.asarray(column)[used], contacts)
        begins, ends = np.asarray(contacts.touch_down), np.minimum(contacts.lift_off, end)
    moments = [(float(time) - beside, i - 1, False) for i, time in enumerate(begins)]
    moments += [
        (float(time) + beside, i, True) for i, time in enumerate(ends) if time + beside < end
    ]
    moments = [(start, -1, False), *sorted(moment for moment in moments if start < moment[0] < end)]
    in_contact = len(ends) > 0 and bool(ends[-1] + beside >= end)
    moments.append((end, len(begins) - 1, in_contact))
    times = np.asarray([time for time, _, _ in moments])
    probe = dataclasses.replace(
        simulation, times=times, rows=tuple(range(len(times))), observable=motion
    )
    by, of_events = derivatives(probe, mode)
    broken = ~np.isfinite(np.asarray(by))  # (times, numbers, parameters)
    if not np.any(broken):
        return None
    row = int(np.argmax(np.any(broken, axis=(1, 2))))
    names = tuple(
        part.name
        for part, bad in zip(simulation.parts, np.any(broken[row], axis=0), strict=True)
        if bad
    )
    _, index, of_contact = moments[row]
    if not of_contact or contacts is None:
        return NonFinite(mode, names, float(times[row]), BETWEEN, "", index)
    rebound = np.asarray(of_events[2])
    normal_motion = not len(rebound) or bool(np.any(~np.isfinite(rebound[used][index])))
    law = _culprit(simulation.scene, names, normal_motion)
    return NonFinite(
        mode,
        names,
        float(min(ends[index], end)),
        law,
        pair_in_words(simulation, contacts, index),
        index,
    )
