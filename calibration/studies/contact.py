"""The contact of another program that a study names: with its own parameters, known and free."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from calibration.errors import InputError
from calibration.runtime.registry import nearest_name
from calibration.studies.choices.contacts import CONTACTS, ContactChoice, TwoSpheres
from calibration.studies.study import Study
from jaxcontact.laws import PairContact
from jaxcontact.parameters import declared_parameters, put

Model = TypeVar("Model")


class NamedContact(NamedTuple):
    """A contact with starting values.

    Attributes:
        contact: of the scene.
        free: paths in the scene of the parameters that are found.
    """

    contact: PairContact
    free: tuple[str, ...]


def named_contact(study: Study) -> NamedContact:
    """The contact between the two bodies of a study.

    Args:
        study: names a contact.

    Raises:
        InputError: a name that the contact does not have or that is not unique, a value that is
            missing or not admissible, nothing that is free.
    """
    choice = CONTACTS[study.contact.model or ""]
    names = own_paths(study)
    given, free = (
        tuple(path_of(name, names, of=choice.name) for name in some or ())
        for some in (study.contact.values, study.contact.free)
    )
    contact = contact_with(study, {}, named=free)
    _check_free(choice, contact, free, given)
    return NamedContact(contact, tuple(f"contact.{path}" for path in free))


def contact_with(
    study: Study, further: Mapping[str, object], *, named: Sequence[str] = ()
) -> PairContact:
    """The contact between the two bodies of a study with its values and further ones.

    Args:
        study: names a contact.
        further: values by their paths, in the place of those of the study.
        named: paths of other parameters that it must have.

    Raises:
        InputError: a name that the contact does not have or that is not unique, a value that is
            missing or not admissible.
    """
    choice = CONTACTS[study.contact.model or ""]
    names = own_paths(study)
    given = study.contact.values or {}
    values = {
        **{path_of(name, names, of=choice.name): value for name, value in given.items()},
        **further,
    }
    contact = _without_unused(_with_every_part(study), choice, (*values, *named))
    _check_required(choice, contact, values)
    try:
        contact = with_values(contact, values)
        contact.check()
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{choice.name}: {error}", remedy="Change it below [contact], values."
        ) from None
    return contact


def own_paths(study: Study) -> tuple[str, ...]:
    """The dotted paths of all that a study can give to its contact: what does not follow from the
    bodies.
    """
    choice = CONTACTS[study.contact.model or ""]
    return tuple(path for path in field_paths(_with_every_part(study)) if path not in choice.bodies)


def _with_every_part(study: Study) -> PairContact:
    ball, partner = study.one_ball, study.partner
    assert partner.radius is not None  # see ``check_bodies``
    assert partner.mass is not None
    two = TwoSpheres(ball.radius, ball.mass, partner.radius, partner.mass)
    return CONTACTS[study.contact.model or ""].make(two)


def field_paths(model: object, path: str = "") -> Iterator[str]:
    """The dotted paths of all that a model holds which is no model itself.

    Args:
        model: or a value.
        path: of it.
    """
    if not dataclasses.is_dataclass(model) or (path and not _is_model(model)):
        yield path
        return
    for name, value in vars(model).items():
        yield from field_paths(value, f"{path}.{name}" if path else name)


def _is_model(value: object) -> bool:
    """Whether there are parameters in it, known by name."""
    return any(True for _ in declared_parameters(value))


def path_of(name: str, paths: Sequence[str], *, of: str) -> str:
    """The one path that a name means.

    Args:
        name: the path, or its last parts.
        paths: of all parameters.
        of: what has them, for messages.

    Raises:
        InputError: no path, or several.
    """
    found = [path for path in paths if f".{path}".endswith(f".{name}")]
    if name in found:
        return name
    short = shortest_names(paths)
    if not found:
        raise InputError(
            f"{of} has no parameter {name!r}",
            remedy=nearest_name(name, tuple(short.values())),
        )
    if len(found) > 1:
        raise InputError(
            f"{name} means several parameters of {of}",
            remedy=f"Say which: {', '.join(short[path] for path in found)}.",
        )
    return found[0]


def shortest_names(paths: Sequence[str]) -> dict[str, str]:
    """As little of each path, from its end, as is unique.

    Args:
        paths: all of them.
    """

    def shortest(path: str) -> str:
        parts = path.split(".")
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[-count:])
            if sum(f".{other}".endswith(f".{name}") for other in paths) == 1:
                return name
        return path

    return {path: shortest(path) for path in paths}


def _without_unused(
    contact: PairContact, choice: ContactChoice, named: Sequence[str]
) -> PairContact:
    """Without the parts of which nothing is named."""
    for part in choice.optional:
        if not any(path.startswith(f"{part}.") for path in named):
            contact = put(contact, part, None)
    return contact


def _check_required(
    choice: ContactChoice, contact: PairContact, values: Mapping[str, object]
) -> None:
    there = tuple(field_paths(contact))
    lacking = [path for path in choice.required if path in there and path not in values]
    if lacking:
        short = shortest_names(there)
        names = [short[path] for path in lacking]
        raise InputError(
            f"{choice.name} needs a value of {', '.join(names)}",
            remedy=f"Add it below [contact], values = {{ {names[0]} = ... }}, for what is free as "
            "a first guess.",
        )


def with_values(model: Model, values: Mapping[str, object]) -> Model:
    """A copy of a model with other values, checked together.

    Args:
        model: any.
        values: by their paths.

    Raises:
        TypeError, ValueError: what the model does not admit.
    """
    parts: dict[str, dict[str, object]] = {}
    changed: dict[str, object] = {}
    for path, value in values.items():
        name, _, rest = path.partition(".")
        if rest:
            parts.setdefault(name, {})[rest] = value
        else:
            changed[name] = value
    for name, of_part in parts.items():
        changed[name] = with_values(vars(model)[name], of_part)
    return dataclasses.replace(model, **changed)  # type: ignore[type-var]


def _check_free(
    choice: ContactChoice,
    contact: PairContact,
    free: Sequence[str],
    given: Sequence[str],
) -> None:
    declared = {path for path, _, _ in declared_parameters(contact)}
    short = shortest_names(tuple(field_paths(contact)))
    if not free:
        raise InputError(
            f"nothing of {choice.name} is free",
            remedy="Say what to find, below [contact]: free = "
            f"[{', '.join(repr(short[path]) for path in given if path in declared)}].",
        )
    for path in free:
        if path not in declared:
            raise InputError(
                f"{short[path]} of {choice.name} cannot be found: it is no number that has a "
                "derivative, or it has no value to begin with",
                remedy="Leave it out of free, or give it a value below [contact], values.",
            )
