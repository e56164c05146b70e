"""Progress of a long computation, with the time left: a live line on a terminal, plain lines
elsewhere.
"""

import collections
import os
import time
from types import TracebackType
from typing import TextIO

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as LiveDisplay

WINDOW = 30
"""Time left follows from the speed of so many last steps: pieces that a checkpoint answers at once
do not count for long.
"""


class Progress:
    """Shows what a long computation does: call it with a sentence at the begin of each stage, and
    ``advance`` with each step of the stage. A context that ends the last stage.

    Args:
        console: on which it shows; by default standard error.
        quiet: whether it shows nothing there.
        log: file to which plain lines are appended, whatever the console is.
        every: on anything but a terminal, shortest time between two lines about steps [s].

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with cal.Progress(quiet=True, log=f"{folder}/log.txt") as progress:
        ...         result = cal.run_sweep(jnp.sqrt, np.ones(4), chunk=2, progress=progress)
        ...     with open(f"{folder}/log.txt") as log:
        ...         "Sweeping 4 inputs ..." in log.read()
        True
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        quiet: bool = False,
        log: str | os.PathLike[str] | None = None,
        every: float = 5.0,
    ) -> None:
        self.console, self.quiet, self.every = console or Console(stderr=True), quiet, every
        self.began = time.perf_counter()
        self.stage: tuple[str, float] | None = None
        self.total: int | None = None
        self.steps: collections.deque[tuple[float, int]] = collections.deque(maxlen=WINDOW)
        self.said = self.began
        self.display: LiveDisplay | None = None
        self.log: TextIO | None = None
        if log is not None:  # closed by __exit__
            self.log = open(log, "a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def __enter__(self) -> "Progress":
        if self.console.is_terminal and not self.quiet:
            columns = (
                SpinnerColumn("line"),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                TextColumn("{task.fields[note]}", markup=False),
                TimeElapsedColumn(),
            )
            self.display = LiveDisplay(*columns, console=self.console, transient=True)
            self.display.start()
        return self

    def __call__(self, stage: str, total: int | None = None) -> None:
        """Begin a stage.

        Args:
            stage: what is done, in words.
            total: number of its steps, where that is known.
        """
        self._end_stage()
        now = time.perf_counter()
        self.stage, self.total, self.said = (stage, now), total, now
        self.steps.clear()
        self.steps.append((now, 0))
        if self.display is not None:
            self.display.add_task(stage, total=total, note="")
        self._line(f"{stage} ...")

    def advance(self, done: int, note: str = "") -> None:
        """Show that steps of the stage are done.

        Args:
            done: number of finished steps.
            note: how it goes, e.g. ``chi2 = 412``.
        """
        if self.stage is None:
            return
        now = time.perf_counter()
        if done < self.steps[-1][1]:
            self.steps.clear()
        self.steps.append((now, done))
        left = self.seconds_left()
        words = ", ".join(
            part
            for part in (
                self._count(done),
                note,
                "" if left is None else f"{format_duration(left)} left",
            )
            if part
        )
        if self.display is not None:
            for task in self.display.task_ids:
                self.display.update(task, completed=done, note=words)
        if now - self.said >= self.every:
            self.said = now
            self._line(f"{self.stage[0]}: {words}")

    def remark(self, note: str) -> None:
        """Show how the stage goes while no step of it gets done.

        Args:
            note: what keeps it.
        """
        self.advance(self.steps[-1][1] if self.steps else 0, note)

    def iteration(self, count: ArrayLike, chi2: ArrayLike) -> None:
        """Show a step of an optimiser: what ``fit(problem, progress=...)`` calls.

        Args:
            count: number of steps done.
            chi2: present sum of squares.
        """
        self.advance(int(np.asarray(count)), f"chi2 = {float(np.asarray(chi2)):.6g}")

    def seconds_left(self) -> float | None:
        """Time left of the stage at the speed of the last steps; ``None`` where that is not
        known.
        """
        (first, before), (last, done) = self.steps[0], self.steps[-1]
        if self.total is None or done <= before or last <= first:
            return None
        return (self.total - done) * (last - first) / (done - before)

    def _count(self, done: int) -> str:
        return f"step {done}" if self.total is None else f"{done} of {self.total}"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end_stage()
        if self.display is not None:
            self.display.stop()
        if self.log is not None:
            self.log.close()
            self.log = None

    def _end_stage(self) -> None:
        """On a terminal, the live line of a stage becomes one that stays."""
        if self.stage is not None and self.display is not None:
            stage, began = self.stage
            for task in list(self.display.task_ids):
                self.display.remove_task(task)
            self._print(f"[{time.perf_counter() - began:6.1f} s] {stage}")
        self.stage = None

    def _line(self, text: str) -> None:
        """A plain line with the time since the beginning, to the log and to a console that is no
        terminal.
        """
        text = f"[{time.perf_counter() - self.began:6.1f} s] {text}"
        if self.log is not None:
            self.log.write(text + "\n")
        if self.display is None and not self.quiet:
            self._print(text)

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def ensure_progress(progress: Progress | None) -> Progress:
    """``progress``, or a quiet one where there is none."""
    return Progress(quiet=True) if progress is None else progress


def format_duration(seconds: float) -> str:
    """Write a time as ``42 s``, ``3 min 5 s`` or ``2 h 10 min``."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
