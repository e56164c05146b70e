"""What tells one computation from another, so that none goes on from what another one left."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.errors import InputError
from calibration.runtime.fingerprint import fingerprint
from calibration.runtime.versions import installed_versions

Identity = dict[str, Any]
GROUPS = {
    "inputs": "{name} is another",
    "options": "{name} = {old} there, {new} here",
    "versions": "{name} {old}, now {new}",
}
"""Parts of an identity, each with the sentence on one that differs."""


def identify(inputs: Mapping[str, Any], options: Mapping[str, Any]) -> Identity:
    """What decides on the numbers of a computation, as texts.

    Args:
        inputs: what goes in (data, scene, the minimum), by its name in an error text.
        options: arguments that decide on the numbers: counts, seeds, levels.
    """
    return {
        "inputs": {name: fingerprint(value) for name, value in inputs.items()},
        "options": {name: repr(value) for name, value in options.items()},
        "versions": installed_versions(),
    }


def parse_identity(text: str) -> Identity:
    """What was stored as JSON.

    Raises:
        ValueError: the text is no identity.
        RecursionError: it is nested without an end.
    """
    stored = json.loads(text)
    groups = [stored.get(group) for group in GROUPS] if isinstance(stored, dict) else [None]
    if not all(isinstance(group, dict) for group in groups):
        raise ValueError("no identity of a computation")
    return stored


def check_identity(stored: Identity, current: Identity, *, what: str, folder: Path) -> None:
    """Raise with what differs between what is stored and the computation that wants to go on.

    Args:
        stored: identity of what is there.
        current: identity of the computation.
        what: is there, and whose it is, as the sentence begins.
        folder: where it is.

    Raises:
        InputError: they differ.
    """
    differences: list[str] = []
    for group, sentence in GROUPS.items():
        old, new = stored[group], current[group]
        differences += [
            sentence.format(name=name, old=old.get(name), new=new.get(name))
            for name in dict.fromkeys((*old, *new))
            if old.get(name) != new.get(name)
        ]
    if differences:
        raise InputError(
            f"{what}: {'; '.join(differences)}",
            remedy="Name another folder, or remove this one to begin anew.",
            path=folder,
        )
