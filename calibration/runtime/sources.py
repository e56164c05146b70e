"""The code from outside that decides on results: modules that a study names, each with a
fingerprint of its source as it was when it was imported.
"""

import hashlib

_SOURCES: dict[str, str] = {}


def note_source(module: str, source: bytes) -> None:
    """Keep the fingerprint of the source of a module that is being imported.

    Args:
        module: its name in ``sys.modules``.
        source: what is run.
    """
    _SOURCES[module] = hashlib.sha256(source).hexdigest()


def source_of(module: str | None) -> str:
    """The fingerprint of a module that was noted, else nothing."""
    return _SOURCES.get(module or "", "")


def noted_sources() -> dict[str, str]:
    """The fingerprints of all modules that were noted, by their names."""
    return dict(_SOURCES)
