"""Where the sweep of a study begins: its scene with the values that it gives, the initial state,
and the factors.

What a study leaves to a fit has no value here. So whatever has no default must be given or varied,
and friction, air and lift are there where one of their parameters is given or varied.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import jaxcontact as jc
from calibration.errors import InputError
from calibration.studies.choices.varied import check_varied, factors_of, smallest_of
from calibration.studies.collisions import scene_of_two
from calibration.studies.contact import contact_with, own_paths, path_of
from calibration.studies.scene import (
    has_rigid_impacts,
    make_ball,
    make_contact,
    make_surfaces,
)
from calibration.studies.study import Study
from calibration.sweeps.factors import Factor, Levels
from calibration.sweeps.variables import Start, chosen, variables
from jaxcontact.parameters import declared_parameters, get, put

ANY_RESTITUTION, ANY_SPEED, ANY_COEFFICIENT = 0.8, 1.0, 0.4
"""In the places of values that are given or varied."""

CONTACT = "contact"
OPTIONAL = ("contact.friction", "drag", "lift")
"""Parts of a scene that are there when a parameter of theirs is named."""

OF_THE_STUDY = ("drag.fluid_density", "lift.fluid_density")
"""Parameters that a study always gives."""

ORIGIN = (0.0, 0.0, 0.0)


class StartingPoint(NamedTuple):
    """What a sweep varies, and how it is simulated.

    Attributes:
        start: scene and initial state with the values that the study gives.
        factors: what is varied, by full names.
        method: of the simulations.
    """

    start: Start
    factors: list[Factor]
    method: jc.EventAligned | jc.Impulse


def starting_point(study: Study) -> StartingPoint:
    """The scene of a study, with what is varied in it.

    Args:
        study: with something to vary.

    Raises:
        InputError: nothing is varied; a name that there is not, or that means several parameters; a
            value that is missing, given twice or not allowed.
    """
    vary = check_varied(study.sweep.vary)
    _check_bodies(study)
    start = Start(_scene_with_every_part(study), _state(study))
    names = _names(study, start)
    varied = _by_full_name(vary, names)
    given = _by_full_name(study.sweep.values or {}, names)
    twice = sorted(set(varied) & set(given))
    if twice:
        raise InputError(f"{twice[0]} has a value and is varied", remedy="Leave one of them out.")
    named = (*varied, *given)
    start = start._replace(scene=_without_unused(start.scene, named))
    _check_complete(study, start.scene, named)
    values: list[Factor] = [Levels(name, (_number(name, value),)) for name, value in given.items()]
    for factor, variable in zip(values, chosen(values, *start), strict=True):
        start = variable.put(start, factor.grid()[0])
    rigid = has_rigid_impacts(study) and not study.contact.given
    return StartingPoint(start, factors_of(varied), jc.Impulse() if rigid else jc.EventAligned())


def _check_bodies(study: Study) -> None:
    if study.body.given:
        raise InputError(
            "a sweep is of a ball, or of two, and the study is of another body",
            remedy="Vary it in Python: calibration.sweeps.sweep takes any scene.",
        )
    if study.partner.given:
        return
    for given, what in (
        (study.contact.given, "the contact of another program, which is between two bodies, is"),
        (study.one_ball.disc, "a disc, a puck that meets another one, is"),
        (study.sweep.partner_position is not None, "the position of another body is"),
    ):
        if given:
            raise InputError(
                f"{what} named, but nothing is said of the other body",
                remedy="Give --partner-radius 0.03 and --partner-mass 0.12, or a section [partner] "
                "with radius and mass in a study file.",
            )


# The scene


def _scene_with_every_part(study: Study) -> jc.Scene:
    """With friction, air and lift, and any values where the study gives none."""
    if study.contact.given:
        return scene_of_two(study, contact_with(study, _values_of_contact(study)))
    contact = make_contact(study, restitution=ANY_RESTITUTION, speed=ANY_SPEED, friction=True)
    if study.partner.given:
        return scene_of_two(study, contact)
    density = study.model.fluid_density
    return jc.Scene(
        bodies=make_ball(study),
        surfaces=make_surfaces(study),
        contact=contact,
        gravity=(0.0, 0.0, -study.model.gravity),
        drag=jc.QuadraticDrag(coefficient=ANY_COEFFICIENT, fluid_density=density),
        lift=jc.MagnusLift(coefficient=ANY_COEFFICIENT, fluid_density=density),
    )


def _values_of_contact(study: Study) -> dict[str, object]:
    """What the sweep gives to the contact of another program, by paths in it; of what is varied the
    smallest value.
    """
    paths = own_paths(study)
    full = tuple(f"{CONTACT}.{path}" for path in paths)
    values = {
        **{name: smallest_of(varied) for name, varied in (study.sweep.vary or {}).items()},
        **(study.sweep.values or {}),
    }
    return {
        path_of(name, full, of="the contact").removeprefix(f"{CONTACT}."): value
        for name, value in values.items()
        if any(_means(name, path) for path in full)
    }


def _without_unused(scene: jc.Scene, named: Sequence[str]) -> jc.Scene:
    for part in OPTIONAL:
        is_there = not part.startswith(CONTACT) or isinstance(scene.contact, jc.ContactModel)
        if is_there and not any(_is_in(name, part) for name in named):
            nothing = jc.NoFriction() if part.startswith(CONTACT) else None
            scene = put(scene, part, nothing)
    return scene


def _check_complete(study: Study, scene: jc.Scene, named: Sequence[str]) -> None:
    """Raise where a law has a parameter without a default that is neither given nor varied."""
    if study.contact.given:
        return
    lacking = [
        path
        for path in _needed(scene)
        if path not in OF_THE_STUDY and not any(_is_in(name, path) for name in named)
    ]
    if lacking:
        raise InputError(
            f"{', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} no value",
            remedy=f"Give --fixed {lacking[0].rpartition('.')[2]}=VALUE, or vary it.",
        )


def _needed(scene: jc.Scene) -> Iterator[str]:
    """The parameters of laws and fluids that have no default."""
    for part in ("contact.normal", *OPTIONAL):
        model = get(scene, part)
        if model is None:
            continue
        declared = {path for path, _, _ in declared_parameters(model)}
        for field in dataclasses.fields(model):
            if field.name in declared and field.default is dataclasses.MISSING:
                yield f"{part}.{field.name}"


# The initial state


def _state(study: Study) -> jc.State:
    options = study.sweep
    first = _position(study, options.position, body=0)
    if not study.partner.given:
        return jc.state(position=first, velocity=options.velocity, spin=options.spin)
    second = _position(study, options.partner_position, body=1)
    return jc.state(
        position=(first, second),
        velocity=(options.velocity, options.partner_velocity),
        spin=(options.spin, options.partner_spin),
    )


def _position(
    study: Study, given: tuple[float, float, float] | None, *, body: int
) -> tuple[float, float, float]:
    """Where a body begins; the origin where a coordinate of it is varied or given by its name."""
    stem = f"position_{body}_" if study.partner.given else "position_"
    named = (*(study.sweep.vary or {}), *(study.sweep.values or {}))
    if given is not None or any(name.startswith(stem) for name in named):
        return ORIGIN if given is None else given
    option = "--partner-position 0.1 0 0" if body else "--position 0 0 0.3"
    raise InputError(
        f"where {'the other body' if body else 'the ball'} begins is not given",
        remedy=f"Give {option}, or vary {stem}z.",
    )


# Names


def _names(study: Study, start: Start) -> tuple[str, ...]:
    """What can be varied. The contact of another program knows the bodies itself, so they stay as
    they are.
    """
    names = tuple(variables(*start))
    if not study.contact.given:
        return names
    own = tuple(f"{CONTACT}.{path}" for path in own_paths(study))
    return tuple(
        name
        for name in names
        if not name.startswith("bodies.")
        and (not _is_in(name, CONTACT) or any(_is_in(name, path) for path in own))
    )


def _by_full_name(values: Mapping[str, object], names: Sequence[str]) -> dict[str, object]:
    """The values by the full names of what they are of.

    Raises:
        InputError: a name that there is not, that means several, or two that mean the same.
    """
    found: dict[str, object] = {}
    for name, value in values.items():
        full = path_of(name, names, of="the scene")
        if full in found:
            raise InputError(f"{full} is named twice", remedy="Name it once.")
        found[full] = value
    return found


def _means(name: str, path: str) -> bool:
    return f".{path}".endswith(f".{name}")


def _is_in(name: str, path: str) -> bool:
    """Whether a name is of the parameter at a path, of a number of it, or of what is below."""
    return name == path or name.startswith((f"{path}.", f"{path}_"))


def _number(name: str, value: object) -> float:
    if isinstance(value, bool | str) or not isinstance(value, int | float):
        raise InputError(f"{name} = {value!r} is not a number", remedy="Give a number in its unit.")
    return float(value)
