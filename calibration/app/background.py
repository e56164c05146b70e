"""Work beside the page, which stays usable meanwhile."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

_NAME = "beside the page"


async def in_background(function: Callable[[], Result]) -> Result:
    """The result of a function that runs in a thread of its own, which does not keep the program
    from ending: a fit that is ended so goes on where it was.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def tell(settle: Callable[[Any], None], what: object) -> None:
        if not done.cancelled():
            settle(what)

    def work() -> None:
        try:
            outcome: tuple[Callable[[Any], None], object] = done.set_result, function()
        except Exception as error:
            outcome = done.set_exception, error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, *outcome)

    threading.Thread(target=work, name=_NAME, daemon=True).start()
    return await done


def is_at_work() -> bool:
    """Whether such a function is still running."""
    return any(thread.name == _NAME for thread in threading.enumerate())
