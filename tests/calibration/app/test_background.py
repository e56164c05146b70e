"""Work beside the page: its result, its error, and what nobody waits for any more."""

import asyncio
import threading

import pytest

from calibration.app.background import in_background


def test_the_result_and_the_error_reach_who_waits():
    def wrong():
        raise ValueError("no such file")

    assert asyncio.run(in_background(lambda: 3)) == 3
    with pytest.raises(ValueError, match="no such file"):
        asyncio.run(in_background(wrong))


def test_work_that_outlives_the_page_ends_without_an_error():
    """A thread's error would be a warning, and so a failure here."""
    goes_on = threading.Event()
    others = set(threading.enumerate())

    async def page_that_closes():
        waiting = asyncio.ensure_future(in_background(goes_on.wait))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(page_that_closes())
    (worker,) = set(threading.enumerate()) - others
    goes_on.set()
    worker.join()


def test_work_that_is_given_up_ends_without_an_error():
    goes_on, failures = threading.Event(), []

    async def gives_up():
        asyncio.get_running_loop().set_exception_handler(lambda _, what: failures.append(what))
        waiting = asyncio.ensure_future(in_background(goes_on.wait))
        await asyncio.sleep(0)
        waiting.cancel()
        goes_on.set()
        await asyncio.sleep(0.1)

    asyncio.run(gives_up())
    assert not failures
