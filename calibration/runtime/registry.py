"""Things that a person chooses by name, to which code outside the packages can add."""

import difflib
from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from calibration.errors import InputError


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """What a person calls it, in a study file or on the command line."""


Entry = TypeVar("Entry", bound=Named)


class Registry(Generic[Entry]):
    """Entries by name, in the order in which they were registered.

    Args:
        interface: class of which every entry is an instance.
        title: what an entry is called in messages, such as ``"exporter"``.
        check: further condition on a new entry, given those that are there; raises ``InputError``.

    Example:
        >>> from dataclasses import dataclass
        >>> from calibration.runtime.registry import Registry
        >>> @dataclass(frozen=True)
        ... class Colour:
        ...     name: str
        >>> colours = Registry(Colour, "colour")
        >>> colours.register(Colour("red"))
        Colour(name='red')
        >>> colours.names
        ('red',)
        >>> colours["red"]
        Colour(name='red')
    """

    def __init__(
        self,
        interface: type[Entry],
        title: str,
        *,
        check: Callable[[Entry, tuple[Entry, ...]], None] | None = None,
    ) -> None:
        self.interface, self.title, self.check = interface, title, check
        self._entries: dict[str, Entry] = {}

    def register(self, entry: Entry) -> Entry:
        """Add an entry.

        Args:
            entry: instance of the interface, with a name that is free.

        Returns:
            The entry.

        Raises:
            InputError: something else than an instance of the interface, a name that is taken.
        """
        if not isinstance(entry, self.interface):
            interface = f"{self.interface.__module__}.{self.interface.__qualname__}"
            raise InputError(
                f"{entry!r} cannot be registered as {self.title}: it is no {interface}",
                remedy=f"Register an instance of {interface}, or of a class that inherits from it.",
            )
        if self.check is not None:
            self.check(entry, tuple(self))
        if entry.name in self._entries:
            raise InputError(
                f"the {self.title} {entry.name!r} exists already, in "
                f"{type(self._entries[entry.name]).__module__}",
                remedy="Give the new one another name.",
            )
        self._entries[entry.name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Take out the entry of this name, for tests and interactive sessions.

        Args:
            name: of the entry.

        Raises:
            InputError: there is none.
        """
        del self._entries[self[name].name]

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(self._entries)

    def __getitem__(self, name: str) -> Entry:
        """The entry of this name.

        Raises:
            InputError: there is none; with the nearest name.
        """
        if name not in self._entries:
            raise InputError(
                f"there is no {self.title} {name!r}",
                remedy=f"{nearest_name(name, self.names)} One of your own is found when the module "
                "that registers it is named in extensions of the study file.",
            )
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)


def nearest_name(name: str, names: tuple[str, ...]) -> str:
    """A sentence with the closest of the valid names, or with all of them.

    Args:
        name: what was given.
        names: what is valid.
    """
    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Valid: {', '.join(names) or 'none'}."
