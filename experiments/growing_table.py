"""A table in Markdown that grows as scenarios are measured."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


Scenario = TypeVar("Scenario", bound=Named)


def chosen(scenarios: Iterable[Scenario], parts: Sequence[str]) -> Iterator[Scenario]:
    """The scenarios whose name contains one of the parts; all where there is none."""
    for scenario in scenarios:
        if not parts or any(part in scenario.name for part in parts):
            yield scenario


def print_header(cells: Sequence[str]) -> None:
    """The first two lines."""
    print_row(cells)
    print(f"|{'---|' * len(cells)}", flush=True)


def print_row(cells: Sequence[str]) -> None:
    """One line."""
    print(f"| {' | '.join(cells)} |", flush=True)
