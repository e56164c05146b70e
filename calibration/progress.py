"""What a command is doing and for how long, on standard error: a live line on a terminal, plain lines elsewhere."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import Progress as LiveDisplay
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn


class Progress:
    """Called with a sentence at the begin of each stage; a context that ends the last one.

    Args:
        console: where to, usually standard error.
        quiet: say nothing.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self.console, self.quiet = console, quiet
        self.began = time.perf_counter()
        self.stage: tuple[str, float] | None = None
        self.display: LiveDisplay | None = None

    def __enter__(self) -> "Progress":
        if self.console.is_terminal and not self.quiet:
            columns = (SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            self.display = LiveDisplay(*columns, console=self.console, transient=True)
            self.display.start()
        return self

    def __call__(self, stage: str) -> None:
        """Begin a stage."""
        self._end_stage()
        self.stage = (stage, time.perf_counter())
        if self.display is not None:
            self.display.add_task(stage, total=None)
        elif not self.quiet:
            self._print(f"[{time.perf_counter() - self.began:6.1f} s] {stage} ...")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._end_stage()
        if self.display is not None:
            self.display.stop()

    def _end_stage(self) -> None:
        """On a terminal, the live line of a stage becomes one that stays."""
        if self.stage is not None and self.display is not None:
            stage, began = self.stage
            for task in list(self.display.task_ids):
                self.display.remove_task(task)
            self._print(f"[{time.perf_counter() - began:6.1f} s] {stage}")
        self.stage = None

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)
