"""A fit that goes on whether a page shows it or not, so that a page can show one that another page
began.
"""

import asyncio
import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from calibration.app.background import in_background
from calibration.app.desk import Desk
from calibration.runtime.progress import Progress

if TYPE_CHECKING:
    from calibration.results.result import Fit

WIDE = 400
"""Characters in a line of the progress, which the browser wraps."""

_RUNNING: dict[Path, "RunningFit"] = {}
"""The last fit that was begun of each folder of results, until it ends."""


class RunningFit:
    """A fit of what lies on a desk; it begins at once.

    Args:
        desk: with the study.
        force: whether results of something else may be replaced.

    Attributes:
        lines: what it says of its progress.
        progress: with the present stage.
        outcome: its result, or its error, for any number of pages.
    """

    def __init__(self, desk: Desk, *, force: bool) -> None:
        self.lines = io.StringIO()
        self.progress = Progress(Console(file=self.lines, width=WIDE), every=0.0)
        self.outcome = asyncio.ensure_future(in_background(partial(self._find, desk, force)))
        self._folder = desk.results.resolve()
        _RUNNING[self._folder] = self
        self.outcome.add_done_callback(self._end)

    def _find(self, desk: Desk, force: bool) -> "Fit":
        with self.progress as say:
            return desk.fit(progress=say, told=say.iteration, force=force)

    def _end(self, outcome: "asyncio.Future[Fit]") -> None:
        if _RUNNING.get(self._folder) is self:
            del _RUNNING[self._folder]
        if not outcome.cancelled():
            outcome.exception()  # else an error of which no page is left to tell is called lost

    @property
    def stage(self) -> tuple[str, float] | None:
        """What is done now, and since when; ``None`` when it has ended."""
        return None if self.outcome.done() else self.progress.stage


def fit_into(results: Path) -> RunningFit | None:
    """The fit that is to write into a folder of results, if one runs.

    Args:
        results: the folder.
    """
    return _RUNNING.get(results.resolve())
