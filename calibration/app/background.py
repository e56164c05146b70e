"""Work beside the page, which stays usable meanwhile."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_NAME = "beside the page"


async def in_background(function: Callable[[], Result]) -> Result:
    """The result of a function that runs in a thread of its own, which does not keep the program
    from ending: a fit that is ended so goes on where it was.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def work() -> None:
        try:
            result = function()
        except Exception as error:
            loop.call_soon_threadsafe(done.set_exception, error)
        else:
            loop.call_soon_threadsafe(done.set_result, result)

    threading.Thread(target=work, name=_NAME, daemon=True).start()
    return await done


def is_at_work() -> bool:
    """Whether such a function is still running."""
    return any(thread.name == _NAME for thread in threading.enumerate())
