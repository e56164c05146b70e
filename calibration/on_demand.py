"""A sequence that is computed when somebody looks at it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")


class OnDemand(Sequence[Item]):
    """What ``compute()`` returns, computed once, at the first look: the curves of a fit cost a
    compilation that many fits never need.

    Args:
        compute: returns the items.
    """

    def __init__(self, compute: Callable[[], Sequence[Item]]) -> None:
        self._compute = compute
        self._items: tuple[Item, ...] | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """All of them."""
        if self._items is None:
            self._items = tuple(self._compute())
        return self._items

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return repr(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        return (tuple, (self.items,))
