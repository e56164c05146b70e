"""``simulate``: the motion of a scene at given times, by a method of choice."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory, SlipFriction
from jaxcontact.laws.core.normal_interfaces import CompliantLaw, SmoothLaw
from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.numerics.compilation import quick_jit
from jaxcontact.numerics.interpolation import Segments
from jaxcontact.parameters import is_concrete
from jaxcontact.scene.bodies import Clumps, Spheres
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.methods import EventAligned, Impulse, made_exact
from jaxcontact.simulation.core.status import Status, succeeded
from jaxcontact.simulation.core.trajectory import (
    Contacts,
    SimulationError,
    SimulationWarning,
    Trajectory,
)
from jaxcontact.simulation.multibody.engine import (
    LARGEST_FLIGHT,
    simulate_many,
    steps_in_flight,
)
from jaxcontact.simulation.multibody.fixed_step import FixedStep, simulate_fixed_step
from jaxcontact.simulation.multibody.pairs import pairs_of
from jaxcontact.simulation.pair.engine import ROOM, check_pair, simulate_pair
from jaxcontact.simulation.single_sphere.engine import is_level, simulate_events
from jaxcontact.surfaces import Plane

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

Followed = EventAligned | Impulse
"""Methods that follow each contact."""

Method = Followed | FixedStep

FEW_PAIRS, FEW_CONTACTS = 32, 256
"""What may touch what, and how often, in a simulation of several bodies that runs for less time
without optimisation than this saves when it is compiled: two spheres in a box run in 1.8 of the
time, four in 2.2, ten in 3, compiled in less than half.
"""


def check_times(times: ArrayLike) -> None:
    """Raises where ``times`` are no list of increasing numbers."""
    if np.ndim(times) != 1 or np.shape(times)[0] < 1:
        raise ValueError(
            f"simulate: times has shape {np.shape(times)}, but must be a list of times, "
            "shape (n,) with n >= 1."
        )
    if is_concrete(times):
        values = np.asarray(times, dtype=float)
        if not np.all(np.isfinite(values)):
            raise ValueError("simulate: times contains a value that is not finite.")
        backwards = np.flatnonzero(np.diff(values) < 0)
        if backwards.size:
            i = int(backwards[0])
            raise ValueError(
                f"simulate: times go backwards, from {values[i]:g} s (entry {i}) to "
                f"{values[i + 1]:g} s. Sort them."
            )


def _check_kind(method: Any) -> None:
    if not isinstance(method, (EventAligned, Impulse, FixedStep)):
        raise TypeError(
            f"simulate: method = {method!r} is not EventAligned(), Impulse() or "
            "FixedStep(step=...)."
        )


def _check_laws(scene: Scene, method: Method) -> None:
    if isinstance(method, Impulse):
        return
    name = type(method).__name__
    if not isinstance(scene.contact.normal, CompliantLaw):
        law = type(scene.contact.normal).__name__
        raise ValueError(
            f"simulate: {law} is a rigid law without a force, {name} cannot integrate it. "
            "Use method=Impulse(), or HuntCrossley."
        )
    smooth = isinstance(scene.contact.normal, SmoothLaw | BranchedLaw)
    if isinstance(method, EventAligned) and not smooth:
        law = type(scene.contact.normal).__name__
        reason = f"{law} has no coordinates in which a contact is smooth"
        raise ValueError(
            f"simulate: {reason}; EventAligned would be inaccurate there. Use "
            "method=Impulse(), or FixedStep(step=...)."
        )
    if not isinstance(scene.contact.friction, SlipFriction | FrictionWithMemory):
        friction = type(scene.contact.friction).__name__
        raise ValueError(
            f"simulate: {friction} friction is an impulse, {name} cannot integrate it. Use "
            "method=Impulse(), or RegularizedCoulomb."
        )


def _check_bodies(scene: Scene, initial: State) -> None:
    bodies = initial.position.size // 3
    if isinstance(scene.bodies, Clumps):
        given = max(scene.bodies.of_body) + 1
        if given != bodies:
            raise ValueError(
                f"simulate: scene.bodies holds {given} bodies, but the initial state has {bodies}."
            )
    else:
        for name in ("radius", "mass", "inertia_ratio"):
            given = np.size(getattr(scene.bodies, name))
            if given not in (1, bodies):
                raise ValueError(
                    f"simulate: scene.bodies.{name} has {given} values, but the initial "
                    f"state has {bodies} bodies."
                )
    for index, spring in enumerate(scene.springs):
        if spring.body >= bodies:
            raise ValueError(
                f"simulate: scene.springs[{index}] holds body {spring.body}, but the initial "
                f"state has {bodies} bodies."
            )
    gravity = jnp.asarray(scene.gravity).shape  # its components may be traced, one by one
    if len(gravity) > 1 and (gravity[0] != bodies or initial.position.ndim != 2):
        raise ValueError(
            f"simulate: scene.gravity has {gravity[0]} rows, but the initial state has "
            f"{bodies} bodies."
        )
    if bodies > 1 and initial.position.ndim != 2:
        raise ValueError(
            f"simulate: initial.position has shape {initial.position.shape}, but several "
            "bodies need (bodies, 3)."
        )
    if bodies == 1 and not scene.surfaces:
        raise ValueError(
            "simulate: scene.surfaces is empty and there is one sphere: nothing can touch. "
            "Give at least one Plane."
        )


def is_one_sphere_over_a_plane(scene: Scene, initial: State, method: Method | None = None) -> bool:
    """Whether the faster engine for one sphere can be used. Once it rests or rolls it sees one
    plane only: there must be no other.
    """
    contact = scene.contact
    if isinstance(contact, PairContact):
        return False
    plain = (
        contact.rolling is None
        and contact.spinning is None
        and not isinstance(contact.friction, FrictionWithMemory)
    )
    plain = plain and not (
        isinstance(method, EventAligned) and isinstance(contact.normal, BranchedLaw)
    )
    fixed_plane = (
        len(scene.surfaces) == 1
        and isinstance(scene.surfaces[0], Plane)
        and scene.surfaces[0].motion is None
    )
    general = isinstance(method, (EventAligned, Impulse)) and method.general
    simple = (
        not general
        and isinstance(scene.bodies, Spheres)
        and plain
        and fixed_plane
        and not scene.springs
        and scene.contact_on_surfaces is None
    )
    return initial.position.size == 3 and simple


MOST_CONTACTS = 12_800
"""Largest budget of contacts that is tried where none is given."""

MORE_CONTACTS, MORE_STEPS = 4, 8
"""Factors by which budgets grow that were too small."""


def simulate(
    scene: Scene,
    initial: State,
    times: ArrayLike,
    *,
    method: Method | None = None,
    ledger: bool = False,
    strict: bool = True,
) -> Trajectory:
    """Simulate a scene from ``times[0]`` on.

    Works under ``jit``, ``vmap``, ``jvp``, ``vjp`` and their combinations, with respect to every
    parameter of ``scene``, every component of ``initial`` and ``times``. Precision is that of JAX:
    enable float64 (``jax.config.update("jax_enable_x64", True)``) for accuracies better than about
    1e-5.

    Args:
        scene: bodies, surfaces, laws, gravity and fluid.
        initial: state at ``times[0]``; of several bodies with a body axis.
        times: (n,) times of the output in increasing order [s].
        method: ``EventAligned()`` (default): compliant contacts resolved exactly from touch-down to
            lift-off, with true derivatives; ``Impulse()``: rigid impacts; ``FixedStep(step=...)``:
            a plain fixed time step, for comparison (its derivatives through contact are wrong).
        ledger: whether to keep the ledger of energy and momentum (``Trajectory.ledger``).
        strict: whether to raise where the motion could not be followed to the last time, or is not
            finite. Inside ``jit``, ``vmap`` and ``grad`` nothing can be raised: look at ``status``.

    Returns:
        Position, velocity and spin at ``times``, the contacts, and a status whose text is
        ``Trajectory.advice``. Budgets that the method leaves open grow until they suffice, unless
        traced.

    Raises:
        ValueError, TypeError: before tracing, naming the argument and the remedy.
        SimulationError: with the advice as its text and the trajectory as an attribute.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> start = jc.state(position=(0.0, 0.0, 0.3))
        >>> times = jnp.linspace(0.0, 0.4, 3)
        >>> result = jc.simulate(scene, start, times, method=jc.Impulse(max_contacts=2))
        >>> print(result.position[:, 2].round(4))
        [0.3    0.1038 0.2325]
    """
    method = EventAligned() if method is None else method
    check_simulation(scene, initial, times, method, ledger=ledger)
    substeps = (
        method.substeps(times) if isinstance(method, FixedStep) else 0
    )  # while the times are still numbers
    budget = first_budget(scene, initial, times, method)
    moments = jnp.asarray(times, dtype=float)

    def run(method: Method, budget: Budget) -> Trajectory:
        return run_once(scene, initial, moments, method, budget, substeps=substeps, ledger=ledger)

    result = run(method, budget)
    while is_concrete(result.status) and not isinstance(method, FixedStep):
        larger = with_remedy(method, budget, int(result.status))
        if larger is None:
            break
        method, budget = larger
        result = run(method, budget)
    if strict and is_concrete(result.status) and not succeeded(int(result.status)):
        raise SimulationError(result)
    return result


def check_simulation(
    scene: Scene, initial: State, times: ArrayLike, method: Method, *, ledger: bool = False
) -> None:
    """Raises where a scene, a start, times and a method do not go together."""
    scene = _with_one_contact(scene, initial)
    of_pair = isinstance(scene.contact, PairContact)
    check_times(times)
    _check_kind(method)
    if of_pair:
        scene.contact.check()
        check_pair(scene, initial, method)
    else:
        _check_laws(scene, method)
    _check_bodies(scene, initial)
    if of_pair and ledger:
        raise ValueError(
            "simulate: ledger=True keeps the energies of a ContactModel, but scene.contact is a "
            f"{type(scene.contact).__name__}. Leave it out."
        )
    if ledger and isinstance(method, FixedStep):
        raise ValueError(
            "simulate: ledger=True needs the steps of EventAligned() or Impulse(); FixedStep "
            "keeps none."
        )


def _with_one_contact(scene: Scene, initial: State) -> Scene:
    """Of one sphere, whose contacts are all alike, the scene with these as its only ones."""
    if (
        initial.position.size == 3
        and isinstance(scene.bodies, Spheres)
        and len(set(map(id, scene.contact_on_surfaces or ()))) == 1
    ):
        return dataclasses.replace(
            scene, contact=scene.contact_on_surfaces[0], contact_on_surfaces=None
        )
    return scene


class Budget(NamedTuple):
    """How many contacts a simulation has room for, and how many steps in flights that are not
    closed-form.
    """

    contacts: int
    flight: int


def first_budget(scene: Scene, initial: State, times: ArrayLike, method: Method) -> Budget:
    """With which a simulation begins."""
    if isinstance(scene.contact, PairContact):
        flight = ROOM
    else:
        flight = steps_in_flight(scene.with_walls_apart()[0], initial.position.size // 3, times)
    return Budget(0 if isinstance(method, FixedStep) else method.contact_budget, flight)


def with_remedy(method: Followed, budget: Budget, status: int) -> tuple[Followed, Budget] | None:
    """A method and a budget with more of what was too little; ``None`` where it sufficed, or is
    given by the method or large enough for all.
    """
    contacts, flight = MORE_CONTACTS * budget.contacts, MORE_STEPS * budget.flight
    if status == Status.TOO_FEW_CONTACTS and method.max_contacts is None:
        return (method, budget._replace(contacts=contacts)) if contacts <= MOST_CONTACTS else None
    if status == Status.TOO_FEW_STEPS and method.max_steps is None:
        return (method, budget._replace(flight=flight)) if flight <= LARGEST_FLIGHT else None
    if status == Status.UNSOLVED_STEP:
        return None
    exact = made_exact(method, status)
    return None if exact is None else (exact, budget)


def run_once(
    scene: Scene,
    initial: State,
    times: jax.Array,
    method: Method,
    budget: Budget,
    *,
    substeps: int = 0,
    ledger: bool = False,
) -> Trajectory:
    """A simulation with this budget."""
    scene, owner = _with_one_contact(scene, initial).with_walls_apart()
    if not isinstance(method, FixedStep):
        method = dataclasses.replace(method, max_contacts=budget.contacts)
    orientation = None if initial.orientation is None else jnp.reshape(initial.orientation, (-1, 4))
    position, velocity, spin = (jnp.reshape(value, (-1, 3)) for value in initial[:3])
    bodies = State(position, velocity, spin, orientation)
    lost: int | jax.Array = Status.NOT_FINITE
    if isinstance(method, FixedStep):
        result = simulate_fixed_step(scene, bodies, times, method=method, substeps=substeps)
    elif isinstance(scene.contact, PairContact):
        result = _simulate_pair(scene, bodies, times, method=method, room=budget.flight)
    elif is_one_sphere_over_a_plane(scene, initial, method) and not ledger:
        known = method.level if isinstance(method, EventAligned) else None
        single = State(position[0], velocity[0], spin[0])
        result, given = _simulate_events(
            scene,
            single,
            times,
            method=method,
            level=is_level(scene) if known is None else known,
        )
        if isinstance(method, EventAligned):
            # Numbers that this engine loses, as those of a contact without end, the other may keep.
            lost = jnp.where(given, Status.UNRESOLVED_CONTACT, Status.NOT_FINITE)
    else:
        if (
            is_concrete(scene.gravity)
            and not np.any(np.asarray(scene.gravity))
            and not scene.springs
        ):
            method = dataclasses.replace(
                method, sustained_steps=0
            )  # nothing presses anything together for long
        few = pairs_of(scene, len(position)) <= FEW_PAIRS and budget.contacts <= FEW_CONTACTS
        result = (_simulate_few if few else _simulate_many)(
            scene, bodies, times, method=method, flight=budget.flight, ledger=ledger
        )
    shape = (times.shape[0], *initial.position.shape)
    position, velocity, spin = (
        jnp.reshape(value, shape) for value in (result.position, result.velocity, result.spin)
    )
    orientation = (
        None if result.orientation is None else jnp.reshape(result.orientation, (*shape[:-1], 4))
    )
    status = jnp.where(_finite(result), result.status, lost)
    return result._replace(
        position=position,
        velocity=velocity,
        spin=spin,
        contacts=_on_surfaces(result.contacts, owner),
        orientation=orientation,
        status=status,
    )


def _on_surfaces(contacts: Contacts | None, owner: np.ndarray) -> Contacts | None:
    """Contacts with the number of the surface in place of that of its wall."""
    if contacts is None or np.array_equal(owner, np.arange(len(owner))):
        return contacts  # each surface is its own wall
    surface = jnp.where(contacts.surface < 0, -1, jnp.asarray(owner)[contacts.surface])
    return contacts._replace(surface=surface)


def _of_one_sphere(scene: Scene) -> Scene:
    """The scene with numbers where its one sphere was given lists of one."""
    bodies = jax.tree.map(
        lambda given: jnp.reshape(jnp.asarray(given), ()),
        scene.bodies,
        is_leaf=lambda given: isinstance(given, (list, tuple)),
    )
    gravity = jnp.reshape(jnp.asarray(scene.gravity), (3,))
    return dataclasses.replace(scene, bodies=bodies, gravity=gravity)


def _are_finite(inputs: Any) -> jax.Array:
    """Whether all numbers are."""
    leaves = [jnp.ravel(jnp.asarray(leaf)) for leaf in jax.tree.leaves(inputs)]
    return jnp.all(jnp.isfinite(jax.lax.stop_gradient(jnp.concatenate(leaves))))


def _finite(result: Trajectory) -> jax.Array:
    """Whether all motions and all rebounds are numbers. A path may be finite only because it has
    lost a contact that is not.
    """
    total = jnp.sum(result.position) + jnp.sum(result.velocity) + jnp.sum(result.spin)
    if result.contacts is not None:
        total = total + jnp.sum(
            jnp.where(result.contacts.happened, result.contacts.rebound_speed, 0.0)
        )
    return jnp.isfinite(jax.lax.stop_gradient(total))


def _jit_of_plain_calls(
    function: Callable[Arguments, Result], *, static_argnames: Sequence[str]
) -> Callable[Arguments, Result]:
    """``jax.jit`` that compiles quickly, without optimisation, where it is called from Python with
    numbers. Inside of a transformation it is part of another program, whose options count.

    Args:
        function: positional arguments are trees of arrays, the others static.
        static_argnames: names of the static arguments.
    """
    alone = quick_jit(function, static_argnames=static_argnames, optimised=False)
    within = jax.jit(function, static_argnames=static_argnames)

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        # Where something is being traced, so is a new array.
        plain = is_concrete(jnp.zeros(())) and all(map(is_concrete, jax.tree.leaves(args)))
        return (alone if plain else within)(*args, **kwargs)

    return call


_simulate_many = jax.jit(simulate_many, static_argnames=("method", "flight", "ledger"))

_simulate_few = _jit_of_plain_calls(simulate_many, static_argnames=("method", "flight", "ledger"))


@partial(_jit_of_plain_calls, static_argnames=("method", "room"))
def _simulate_pair(
    scene: Scene, initial: State, times: jax.Array, *, method: Any, room: int
) -> Trajectory:
    return simulate_pair(scene, initial, times, method, room=room)


@partial(_jit_of_plain_calls, static_argnames=("method", "level"))
def _simulate_events(
    scene: Scene, initial: State, times: jax.Array, *, method: Any, level: bool
) -> tuple[Trajectory, jax.Array]:
    """The motion, and whether all numbers that were given are finite."""
    result = simulate_events(_of_one_sphere(scene), initial, times, method, level=level)
    return result, _are_finite((scene, initial))


__all__ = [
    "Contacts",
    "EventAligned",
    "FixedStep",
    "Impulse",
    "Method",
    "Segments",
    "SimulationError",
    "SimulationWarning",
    "Status",
    "Trajectory",
    "simulate",
]
