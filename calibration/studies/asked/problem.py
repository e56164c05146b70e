"""The problem of a study: what its kind of files decides, with the noise model and what the study
says of parameters.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.headers import list_units, parse_unit
from calibration.model.free import Derived, Free, Tied, split_free
from calibration.model.knowledge import Knowledge
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal
from calibration.noise import NoiseModel
from calibration.nuisances import Nuisance
from calibration.problem.problem import Problem
from calibration.studies.choices.known_parameters import (
    FACTOR,
    FROM,
    MEAN,
    MEDIAN,
    SD,
    START,
    TO,
    UNIT,
    VALUE,
)
from calibration.studies.choices.named_tables import name_of, values_of
from calibration.studies.choices.noise_models import NOISE_MODELS
from calibration.studies.choices.nuisances import NUISANCES, NuisanceChoice
from calibration.studies.study import Study
from jaxcontact.parameters import check, declared_parameters, nearest, put

ALL_AXES = (0, 1, 2)


def make_nuisances(study: Study) -> list[Nuisance]:
    """The nuisances that the study names."""
    return [
        NUISANCES[name_of(entry)].make(**values_of(entry)) for entry in study.model.nuisances or ()
    ]


def noise_of(study: Study) -> NoiseModel:
    """The noise model that the study names."""
    entry = study.model.noise
    return NOISE_MODELS[name_of(entry)].make(**values_of(entry))


def make_problem(
    study: Study,
    scene: jc.Scene,
    trials: Sequence[Any],
    *,
    free: Sequence[str | Free | Tied | Derived],
    nuisance: Sequence[Nuisance] = (),
    added: Sequence[str] = (),
    frozen: Sequence[str] = (),
    method: Any = None,
) -> Problem:
    """The problem that a kind of files decides on, as the study asks for it.

    Args:
        study: with its noise model, and what it says of parameters.
        scene: with starting values.
        trials: of all files.
        free: what is found of the scene.
        nuisance: all quantities of the measurement, those that the study names included.
        added: names of parameters that other problems of the same study have.
        frozen: names of parameters that stay at their start.
        method: of simulation.

    Raises:
        InputError: what the study says of parameters that are none, or that cannot be.
    """
    there = parameters_of(scene, free, nuisance)
    return Problem(
        with_values(study, scene, free=there, added=added),
        trials,
        free=free,
        nuisance=nuisance,
        method=method,
        frozen=frozen,
        **ask(study, scene, free, nuisance),
    )


def ask(
    study: Study,
    scene: jc.Scene,
    free: Sequence[str | Free | Tied | Derived],
    nuisance: Sequence[Nuisance] = (),
) -> dict[str, Any]:
    """The arguments of a problem that the study alone decides on: noise, and what is known.

    Args:
        study: with its noise model, and what it says of parameters.
        scene: with starting values.
        free: what is found of the scene.
        nuisance: all quantities of the measurement.
    """
    there = parameters_of(scene, free, nuisance)
    known = {
        name: knowledge_of(table, there[name])
        for name, table in (study.model.parameters or {}).items()
        if name in there
    }
    return {"noise": noise_of(study), "known": known}


def parameters_of(
    scene: jc.Scene,
    free: Sequence[str | Free | Tied | Derived],
    nuisance: Sequence[Nuisance],
) -> dict[str, Parameter]:
    """The parameters of a problem by name, those of axes that were not measured included."""
    shared, each, _ = split_free(free)
    own = (one for item in nuisance for one in item.parameters(ALL_AXES))
    found = (*(item.parameter(scene) for item in (*shared, *each)), *own)
    return {parameter.name: parameter for parameter in found}


def with_values(
    study: Study,
    scene: jc.Scene,
    *,
    free: Collection[str],
    added: Sequence[str] = (),
) -> jc.Scene:
    """The scene with the values that the study gives of its parameters.

    Args:
        study: what it says of parameters.
        scene: with starting values.
        free: names of the parameters that are found.
        added: names of parameters that other problems of the same study have.

    Raises:
        InputError: a name that is no parameter, or something else than a value of one that is not
            found.
    """
    declared = {
        name: about
        for name, value, about in declared_parameters(scene)
        if np.size(value) == 1 and about.shape is None
    }
    for name, table in (study.model.parameters or {}).items():
        if name not in declared:
            if name not in free and name not in added:
                raise _unknown(name, [*free, *declared])
            continue
        about = declared[name]
        if VALUE not in table:
            if name not in free:
                raise _refused(
                    name,
                    "is known in this fit, not found, so that a prior says nothing",
                    f"Give its value, {name} = ... [{about.unit}], or leave it out.",
                )
            continue
        given = in_unit(name, table, about.unit)[VALUE]
        try:
            check("parameters", name, given, about)
        except ValueError as error:
            raise InputError(str(error)) from None
        scene = put(scene, name, given)
    return scene


def knowledge_of(table: Mapping[str, Any], parameter: Parameter) -> Knowledge:
    """What a study says of a parameter.

    Args:
        table: as the study keeps it.
        parameter: of which it is.

    Raises:
        InputError: a unit of something else, values outside the interval of the parameter.
    """
    said = in_unit(parameter.name, table, parameter.about.unit)
    if VALUE in said:
        known = Knowledge(start=said[VALUE], fixed=True)
    else:
        prior: Normal | LogNormal | None = None
        if MEAN in said:
            prior = Normal(said[MEAN], said[SD])
        elif MEDIAN in said:
            prior = LogNormal(said[MEDIAN], said[FACTOR])
        bounds = (said[FROM], said[TO]) if FROM in said else None
        known = Knowledge(prior=prior, bounds=bounds, start=said.get(START))
    try:
        known.inform(parameter)
    except InputError as error:
        raise InputError(f"parameters: {error.problem}", remedy=error.remedy) from None
    return known


def sentences_on_values(study: Study) -> Iterator[str]:
    """Which parameters were not found, because the study gives their values."""
    for name, table in (study.model.parameters or {}).items():
        if VALUE in table:
            unit = f" {table[UNIT]}" if UNIT in table else ""
            yield f"{name} was kept at {table[VALUE]:g}{unit}, as the study says."


def in_unit(name: str, table: Mapping[str, Any], own: str) -> dict[str, Any]:
    """The numbers of a table in the unit of the parameter.

    Args:
        name: of the parameter.
        table: what is said of it.
        own: its unit.

    Raises:
        InputError: a unit of something else.
    """
    said = {key: value for key, value in table.items() if key != UNIT}
    if UNIT not in table or table[UNIT] == own:
        return said
    given, known = parse_unit(table[UNIT]), parse_unit(own)
    if given is None or known is None or given.dimension != known.dimension:
        others = "" if known is None else f"; possible units are {list_units(known.dimension)}"
        raise InputError(
            f"parameters: the unit {table[UNIT]!r} of {name!r} is not one of its own",
            remedy=f"It is in {own}{others}.",
        )
    ratio = given.factor / known.factor
    return {key: value if key == FACTOR else value * ratio for key, value in said.items()}


def _unknown(name: str, known: Sequence[str]) -> InputError:
    """A name that is no parameter of the fit."""
    for choice in NUISANCES:
        for values in _variants(choice):
            made = choice.make(**values)
            if any(one.name == name for one in made.parameters(ALL_AXES)):
                asked = "".join(f": {key}={value}" for key, value in values.items())
                return _refused(
                    name,
                    f"is found only where the nuisance {choice.name!r} is named",
                    f"Add --nuisance '{choice.name}{asked}'.",
                )
    endings = {path.rpartition(".")[2]: path for path in known}
    meant = nearest(endings.get(name, name), list(dict.fromkeys(known))).strip()
    return _refused(name, "is no parameter of this fit", meant)


def _variants(choice: NuisanceChoice) -> Iterator[dict[str, str]]:
    """Values with which a nuisance has other parameters; none of one that needs more."""
    if not choice.needs:
        yield {}
        for key, about in choice.values.items():
            yield from ({key: name} for name in (about.kind.names or tuple)())


def _refused(name: str, why: str, remedy: str) -> InputError:
    return InputError(f"parameters: {name!r} {why}", remedy=remedy)
