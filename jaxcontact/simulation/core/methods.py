"""How a scene is simulated: contacts resolved in time, or rigid impacts."""

import dataclasses
from typing import Any

from jaxcontact.parameters import model, static
from jaxcontact.simulation.core.status import Status

CONTACTS = 50
"""Budget of contacts where none is given."""


def _check_whole_number(owner: str, name: str, value: Any, least: int, meaning: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(
            f"{owner}: {name} = {value!r} is not a whole number >= {least} ({meaning})."
        )


FINEST, COARSEST = 1e-9, 1e-2
"""Accuracies that can be asked for. No estimate of an error is finer than the first."""


class _Controlled:
    """A method with a budget of contacts and an accuracy."""

    max_contacts: int | None
    accuracy: float

    @property
    def contact_budget(self) -> int:
        """``max_contacts``, or what is taken at first where it is ``None``."""
        return CONTACTS if self.max_contacts is None else self.max_contacts

    def _check_control(self) -> None:
        name = type(self).__name__
        if self.max_contacts is not None:
            _check_whole_number(name, "max_contacts", self.max_contacts, 1, "budget of contacts")
        known = isinstance(self.accuracy, (int, float)) and FINEST <= self.accuracy <= COARSEST
        if not known:
            raise ValueError(
                f"{name}: accuracy = {self.accuracy!r} is outside [{FINEST:g}, {COARSEST:g}]. It "
                "is the largest error of a velocity in units of the fastest impact."
            )


MORE_FLIGHT_STEPS = 4
"""Factor by which steps of flights grow that were too few."""

MOST_FLIGHT_STEPS = 4096
"""Largest number of them that is tried."""


SHORTER_STEPS, MORE_CONTACT_STEPS, SHORTEST_STEP = 4, 2, 6e-4
"""Factor by which steps in contacts of several bodies are shortened that were too long, that by
which the number of those of one sphere grows, and the shortest that is tried.
"""


MORE_REST_STEPS, MOST_REST_STEPS = 4, 4096
"""Factor by which steps of a sliding or rolling grow that were too few, and the largest number of
them that is tried.
"""


@model
class EventAligned(_Controlled):
    """Compliant contacts, one at a time, resolved from touch-down to lift-off.

    Args:
        accuracy: largest error of velocities that is let pass, in units of the fastest impact (in
            flights, of their fastest): where an estimate is larger, the status is one of
            ``Status.INEXACT_CONTACT``, ``INEXACT_STEPS`` and ``INEXACT_FLIGHT``, and outside of
            traced functions finer steps are taken until it is not. Mostly errors are far below it.
            Derivatives of contacts of several bodies have errors up to a hundred times larger.
        max_contacts: budget of contacts; ``Status.TOO_FEW_CONTACTS`` when it was too small. What is
            not used costs nothing in a single simulation and its share under ``vmap``. ``None``
            takes 50, and outside of traced functions more where these are too few.
        contact_steps: steps of order 8 in each contact. With 12, velocities after an impact are
            right to about 1e-8 of the impact speed for restitutions above 0.4, 1e-6 above 0.1, 1e-4
            above 0.05; with 20, to a hundredth of that. Where gravity or a fluid pulls along the
            plane, friction goes in steps as well (``Status.INEXACT_STEPS`` where they are too few).
        at_once: solve for a whole contact at once, at 2 or 3 nodes for each of ``contact_steps``,
            instead of step by step: several times faster to run, to differentiate and to compile.
            ``None`` does so wherever the law allows it (Hunt and Crossley's, the linear dashpot to
            zero overlap); others go in steps, and all do with ``False``. Whether the equations of
            motion are solved is looked at: ``Status.INEXACT_CONTACT`` where they lack more than
            the ``accuracy`` (with 20 steps; ten times more for each five fewer).
            Of contacts in steps the landing is looked at; where heavy damping or a load makes it
            inexact, or hides a bounce, the status is ``Status.UNRESOLVED_CONTACT``.
        in_time: solve for those contacts in time that are not resolved at once, because they are
            heavily damped, or the load is not small. Derivatives are then right to 1e-7 at
            restitutions from 0.001 and loads up to 90 % of the largest from which a sphere lifts
            off. Takes longer to run and to compile. Outside of traced functions it is found out
            whether that is needed.
        flight_steps: steps of order 4 in each flight with drag or lift;
            ``Status.INEXACT_FLIGHT`` where they are too few. Outside of traced functions more are
            taken then.
        rest_steps: steps of the sliding or rolling after the last bounce. Where gravity or a fluid
            pulls along the plane, that many at most (``Status.INEXACT_STEPS`` where they are too
            few); they are as long as the ``accuracy`` allows. 1: no rest is expected, and one that
            happens is not followed (``Status.INEXACT_STEPS``), which compiles faster.
        level: whether external forces have no component in the surface during a contact; ``None``
            finds out where gravity and the normals are numbers, and takes ``False`` where they are
            traced. ``True`` is faster, and wrong on a tilted plane or in a fluid.
        skip_unused: branch around contacts that are not used. Under ``vmap`` a branch becomes a
            selection, so it saves nothing there and doubles the time of tracing: ``False`` gives
            the same result.
        lanes: name of the axis of ``jax.vmap(..., axis_name=...)`` over which the simulation is
            mapped. Contacts that none of its lanes uses are then left out, as in a single
            simulation. ``jaxcontact.sweep`` sets it.
        graded_step: length of a step inside contacts of scenes with several spheres, where an
            impact has a length of about 3; the error falls with its power 4,
            with friction 3 (``Status.INEXACT_STEPS`` where it is too long). ``contact_steps``,
            ``flight_steps``, ``rest_steps`` and ``level`` are for scenes with one sphere.
        sustained_steps: budget of steps where contacts last, in scenes with several bodies. They
            are of fourth order and as long as the ``accuracy`` allows by an estimate of what each
            lacks, at another budget shorter or longer by the inverse of it
            (``Status.INEXACT_STEPS`` where all together lack too much, as after a long time). 0
            switches sustained contacts off (a scene that only bounces then costs less under
            ``vmap``).
        rest_overlap: static overlap, in units of the radius of the body (of a clump, that of the
            sphere around it), up to which a contact may settle: it then stays at its static overlap
            instead of oscillating about it. It does so once the oscillation is less than ten times
            the ``accuracy`` of that overlap, or where it is placed there, touching at rest. 0:
            contacts oscillate for ever.
        max_steps: budget of steps in scenes with several bodies; ``None`` takes one that follows
            from the other numbers and, where they are known before tracing, from the times and the
            periods of what moves.
        general: whether one sphere over one plane, too, is followed by the engine for several
            bodies. It resolves starts in overlap and contacts softer than ``rest_overlap``, and
            takes longer. Outside of traced functions that is found out.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=4e7, restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> method = jc.EventAligned(max_contacts=2)
        >>> result = jc.simulate(scene, start, jnp.linspace(0.0, 0.4, 3), method=method)
        >>> duration = result.contacts.lift_off[0] - result.contacts.touch_down[0]
        >>> print(f"the first contact lasts {1e6 * duration:.0f} us")
        the first contact lasts 235 us
    """

    accuracy: float = static(default=1e-6)
    max_contacts: int | None = static(default=None)
    contact_steps: int = static(default=20)
    at_once: bool | None = static(default=None)
    in_time: bool = static(default=False)
    level: bool | None = static(default=None)
    flight_steps: int = static(default=16)
    rest_steps: int = static(default=96)
    skip_unused: bool = static(default=True)
    lanes: str | None = static(default=None)
    graded_step: float = static(default=0.04)
    sustained_steps: int = static(default=500)
    rest_overlap: float = static(default=1e-2)
    max_steps: int | None = static(default=None)
    general: bool = static(default=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.graded_step, (int, float)) and 0 < self.graded_step <= 0.5):
            raise ValueError(
                f"EventAligned: graded_step = {self.graded_step!r} is outside (0, 0.5]. An "
                "impact has a length of about 3."
            )
        self._check_control()
        _check_whole_number(
            "EventAligned", "contact_steps", self.contact_steps, 4, "steps in each contact"
        )
        _check_whole_number(
            "EventAligned",
            "flight_steps",
            self.flight_steps,
            1,
            "steps in each flight with drag or lift",
        )
        _check_whole_number(
            "EventAligned", "rest_steps", self.rest_steps, 1, "steps of sustained contact"
        )
        _check_whole_number(
            "EventAligned",
            "sustained_steps",
            self.sustained_steps,
            0,
            "steps of sustained contact, several bodies",
        )
        if self.max_steps is not None:
            _check_whole_number(
                "EventAligned", "max_steps", self.max_steps, 1, "budget of steps, several bodies"
            )
        if not (isinstance(self.rest_overlap, (int, float)) and 0 <= self.rest_overlap < 1):
            raise ValueError(
                f"EventAligned: rest_overlap = {self.rest_overlap!r} is outside [0, 1). It "
                "is a fraction of the radius."
            )


@model
class Impulse(_Controlled):
    """Rigid impacts: the limit of infinite stiffness (Walton 1993).

    The normal velocity is reversed and multiplied by ``contact.normal.restitution_at(speed)``; the
    slip changes by the whole normal impulse at once, ``contact.friction.slip_after``. Works with
    every law, compliant or not. Impacts of clumps, and those that fall on the same instant, are
    solved with Coulomb's cone (``Status.SIMULTANEOUS_IMPACTS``).

    Args:
        accuracy: as for ``EventAligned``, of flights.
        max_contacts: budget of impacts; ``None`` as for ``EventAligned``.
        flight_steps: as for ``EventAligned``.
        rest_speed: approach speed below which the sphere stays on the surface [m/s].
        rest_steps: as for ``EventAligned``.
        skip_unused: branch around contacts that are not used. Under ``vmap`` a branch becomes a
            selection, so it saves nothing there and doubles the time of tracing: ``False`` gives
            the same result.
        lanes: name of the axis of ``jax.vmap(..., axis_name=...)`` over which the simulation is
            mapped; as in ``EventAligned``.
        sustained_steps: as for ``EventAligned``.
        max_steps: as for ``EventAligned``.
        general: as for ``EventAligned``.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> method = jc.Impulse(max_contacts=2)
        >>> result = jc.simulate(scene, start, jnp.linspace(0.0, 0.4, 3), method=method)
        >>> print(f"rebounds with {result.contacts.rebound_speed[0]:.4f} m/s")
        rebounds with 2.1095 m/s
    """

    accuracy: float = static(default=1e-6)
    max_contacts: int | None = static(default=None)
    flight_steps: int = static(default=16)
    rest_speed: float = static(default=1e-3)
    rest_steps: int = static(default=96)
    skip_unused: bool = static(default=True)
    lanes: str | None = static(default=None)
    sustained_steps: int = static(default=500)
    max_steps: int | None = static(default=None)
    general: bool = static(default=False)

    def __post_init__(self) -> None:
        _check_whole_number(
            "Impulse",
            "sustained_steps",
            self.sustained_steps,
            0,
            "steps of sustained contact, several bodies",
        )
        if self.max_steps is not None:
            _check_whole_number(
                "Impulse", "max_steps", self.max_steps, 1, "budget of steps, several bodies"
            )
        self._check_control()
        _check_whole_number(
            "Impulse",
            "flight_steps",
            self.flight_steps,
            1,
            "steps in each flight with drag or lift",
        )
        _check_whole_number(
            "Impulse", "rest_steps", self.rest_steps, 1, "steps of sustained contact"
        )
        if not (isinstance(self.rest_speed, (int, float)) and 0 <= self.rest_speed < float("inf")):
            raise ValueError(f"Impulse: rest_speed = {self.rest_speed!r} m/s is outside [0, inf).")


def more_rest_steps(method: EventAligned | Impulse) -> int:
    """Steps of a sliding or rolling where those of ``method`` were too few."""
    return max(type(method).rest_steps, MORE_REST_STEPS * method.rest_steps)


def made_exact(method: EventAligned | Impulse, status: int) -> EventAligned | Impulse | None:
    """A method for a simulation that ``method`` does not follow, or not exactly, says its status;
    ``None`` where there is none, or the status says something else.
    """
    if status == Status.UNRESOLVED_CONTACT and not method.general:
        return dataclasses.replace(method, general=True)
    if status == Status.INEXACT_CONTACT and isinstance(method, EventAligned):
        chosen = method.in_time or method.at_once is not None
        return None if chosen else dataclasses.replace(method, in_time=True)
    sustained = MORE_REST_STEPS * method.sustained_steps
    if status == Status.INEXACT_STEPS and isinstance(method, Impulse):
        pieces = more_rest_steps(method)
        finer_rest = dataclasses.replace(method, rest_steps=pieces, sustained_steps=sustained)
        return finer_rest if pieces <= MOST_REST_STEPS else None
    if status == Status.INEXACT_STEPS and isinstance(method, EventAligned):
        shorter = method.graded_step / SHORTER_STEPS
        more = MORE_CONTACT_STEPS * method.contact_steps
        pieces = more_rest_steps(method)
        finer = dataclasses.replace(
            method,
            graded_step=shorter,
            contact_steps=more,
            rest_steps=pieces,
            sustained_steps=sustained,
        )
        return finer if shorter >= SHORTEST_STEP else None
    steps = MORE_FLIGHT_STEPS * method.flight_steps
    if status == Status.INEXACT_FLIGHT and steps <= MOST_FLIGHT_STEPS:
        return dataclasses.replace(method, flight_steps=steps)
    return None
