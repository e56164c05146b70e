"""The one error of this package for something a person can put right: a place, what is wrong there,
and the remedy.
"""

import os


class InputError(ValueError):
    """Input that cannot be used.

    ``str()`` reads ``drops/a.csv, line 17, column 'z': 'abc' is not a number. Replace it or leave
    the cell empty (a gap).``

    Args:
        problem: what is wrong, a clause without a full stop.
        remedy: what to do, one or more whole sentences.
        path: the file, when there is one.
        line: its line, counted from 1.
        column: its column, as the header names it.
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str = "",
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.path = None if path is None else os.fspath(path)
        self.line = line
        self.column = column
        super().__init__(self._text())

    def _text(self) -> str:
        place = ", ".join(
            part
            for part in (
                self.path,
                f"line {self.line}" if self.line is not None else None,
                f"column {self.column!r}" if self.column is not None else None,
            )
            if part
        )
        return (
            f"{place}: {self.problem}. {self.remedy}".strip()
            if place
            else f"{self.problem}. {self.remedy}".strip()
        )
