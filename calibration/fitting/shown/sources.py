"""The published sources of the laws of a scene, from their docstrings."""

import inspect
import re

import jaxcontact as jc
from jaxcontact.laws import PairContact

_SOURCE = re.compile(r"Source: (.*?)(?:\n\n|$)", re.S)
_YEAR = re.compile(r"\(\d{4}\)")


def sources_of(scene: jc.Scene) -> tuple[str, ...]:
    """Each source once, as ``Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445``."""
    contact = scene.contact
    laws = [contact] if isinstance(contact, PairContact) else list(vars(contact).values())
    found: dict[str, None] = {}
    for law in (*laws, scene.drag, scene.lift):
        given = _SOURCE.search(inspect.getdoc(type(law)) or "")
        if law is None or given is None:
            continue
        for source in " ".join(given[1].split()).rstrip(".").split("; "):
            if _YEAR.search(source):
                found[source] = None
    return tuple(found)
